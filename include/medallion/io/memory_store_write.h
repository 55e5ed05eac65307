// The memory store: a batch on its way into it. Part of io/memory_store.h.
#pragma once

#include "medallion/io/memory_store.h"

namespace medallion {

template <class Pack>
absl::Status MemoryStore<Pack>::Apply(const Batch<Pack>& batch) {
  const absl::Status status = PutAll(batch);
  for (const uint32_t blob : dropped_) blobs_.Drop(blob);
  dropped_.clear();
  if (!status.ok()) return status;
  checkpoint_.data_clock = std::max(checkpoint_.data_clock, batch.data_clock);
  if (!batch.position.empty()) checkpoint_.positions[std::string(batch.source)] = batch.position;
  KeepLog(batch);
  return absl::OkStatus();
}

// Begins to load what writing the elements looks at: the farther ahead, the earlier the stage.
template <class Pack>
void MemoryStore<Pack>::PrefetchPlaces(std::span<const Element<Event>> elements) const {
  if (3 * kAhead < elements.size()) memory::PrefetchAll(elements[3 * kAhead]);
  if (2 * kAhead < elements.size()) {
    units_.Prefetch(elements[2 * kAhead].identity.unit.Prefix());
    entity_of_.Prefetch(elements[2 * kAhead].entity.Prefix());
  }
  if (kAhead >= elements.size()) return;
  const uint32_t entity = entity_of_.Guess(elements[kAhead].entity.Prefix());
  if (entity != kNone) memory::PrefetchAll(entities_[entity]);
}

// Elements come in the order of the batch's records; known ones that now stand otherwise after them.
template <class Pack>
absl::Status MemoryStore<Pack>::PutAll(const Batch<Pack>& batch) {
  new_from_ = records_.size();
  numbers_.clear();
  for (const RecordWrite& write : batch.records) {
    const uint32_t before = records_.size();
    const uint32_t record = records_.Put(write.record, write.id);
    numbers_.push_back(record);
    if (record == before) ++books_.records;
    if (!keep_bronze_ || payloads_.contains(record)) continue;
    if (auto status = KeepBlob(write.record.payload, payloads_[record]); !status.ok()) return status;
  }
  for (const ElementId& id : batch.withdrawn) Withdraw(id);
  size_t at = 0;
  for (size_t i = 0; i < batch.elements.size(); ++i) {
    const Element<Event>& element = batch.elements[i];
    PrefetchPlaces(batch.elements.subspan(i));
    PrefetchSubjects(batch.elements.subspan(i));
    const Order& order = element.identity.order;
    const auto is_of = [&](size_t record) {
      return record < batch.records.size() && batch.records[record].id.payload == order.payload &&
             batch.records[record].id.at == order.at;
    };
    bool own = is_of(at);
    if (!own && is_of(at + 1)) own = true, ++at;
    const absl::Status status = own ? Put(element, numbers_[at], batch.records[at].record.payload)
                                    : Put(element, records_.Find(IdOf(order).record), {});
    if (!status.ok()) return status;
  }
  if (!to_count_.empty()) CountAgain();
  for (const Review& review : batch.reviews) reviews_.insert(review);
  checkpoint_.reviews = static_cast<int64_t>(reviews_.size());
  for (const LinkWrite& write : batch.links) Put(write);
  for (const ResolvedTimeline& resolved : batch.resolved) timelines_.Resolved(resolved);
  for (const Derived& derived : batch.derived) {
    if (auto status = Refreshed(derived); !status.ok()) return status;
  }
  // What is derived here is fresh, unless a row that is written here too is part of it.
  for (size_t i = 0; i < batch.gold.size(); ++i) {
    if (i + kAhead < batch.gold.size()) gold_of_.Prefetch(batch.gold[i + kAhead].version.key.Prefix());
    const GoldWrite<Gold>& write = batch.gold[i];
    Drop(write);
    if (write.write == Write::kDelete) continue;
    if (auto status = Put(write); !status.ok()) return status;
  }
  PassFresh(stale_), PassFresh(stale_rollups_), PassFresh(stale_sighted_);
  return absl::OkStatus();
}

template <class Pack>
void MemoryStore<Pack>::KeepLog(const Batch<Pack>& batch) {
  if (!batch.metrics.empty()) metrics_.clear();
  for (const MetricRow& row : batch.metrics) AppendJson(row, metrics_.emplace_back());
  std::string line;
  AppendJson(batch.log, line);
  if (log_.empty() || log_.back() != line)
    log_.push_back(std::move(line));  // else the same batch, applied again
}

template <class Pack>
absl::Status MemoryStore<Pack>::KeepBlob(std::string_view bytes, uint32_t& blob) {
  blob = blobs_.Put(bytes);
  if (blob != kNone) return absl::OkStatus();
  return absl::ResourceExhaustedError("the memory store has no room for more rows: use a store on disk");
}

template <class Pack>
uint32_t MemoryStore<Pack>::FindSlot(uint32_t record, uint32_t ordinal) const {
  uint32_t found = kNone;
  ForRecord(record, [&](uint32_t slot) {
    Arena none;
    PackReader head(blobs_.At(slots_[slot].blob), none);
    head.Number();
    if (head.Number() == ordinal) found = slot;
  });
  return found;
}

template <class Pack>
void MemoryStore<Pack>::Count(const Element<Event>& element, int64_t by) {
  const UtcTime ingest_ts = element.identity.order.ingest_ts;
  const UtcTime hour = ingest_ts == kNoTime ? kNoTime : HourOf(ingest_ts);
  if (hour_ == nullptr || hour_->first != hour) hour_ = &*books_.by_hour.try_emplace(hour).first;
  hour_->second[element.standing.fate] += by;
  books_.fates[element.standing.fate] += by;
  if (by > 0 || hour_->second != FateCounts{}) return;
  books_.by_hour.erase(hour);
  hour_ = nullptr;
}

// What an element leaves behind that is withdrawn or written again.
template <class Pack>
void MemoryStore<Pack>::Replaces(uint32_t slot, const Element<Event>& stood) {
  Count(stood, -1);
  if (const auto mark = memory::MarkOf<Pack>(stood); mark.has_value()) timelines_.Touch(*mark);
  crowds_.erase(stood.identity.unit);
  if (stood.entity == EntityKey{}) return;
  const uint32_t entity = EntityOf(stood.entity);
  MakeStale(entity);
  if (slot < entities_[entity].summed) DropSummary(entity);
  if (links_.empty()) return;
  const EntityKey root = links_.RootOf(stood.entity);
  if (root != stood.entity) DropSummary(EntityOf(root));
}

template <class Pack>
void MemoryStore<Pack>::DropSummary(uint32_t entity) {
  if (entities_[entity].summary == kNone) return;
  dropped_.push_back(std::exchange(entities_[entity].summary, kNone));
}

template <class Pack>
void MemoryStore<Pack>::Put(const LinkWrite& write) {
  const Link& link = write.link;
  const EntityKey before = links_.RootOf(link.entity);
  links_.Apply(write);
  for (const EntityKey& key : {link.entity, before, link.root, links_.RootOf(link.entity)}) {
    const uint32_t entity = EntityOf(key);
    MakeStaleAlone(entity);
    DropSummary(entity);
  }
}

template <class Pack>
void MemoryStore<Pack>::Withdraw(const ElementId& id) {
  const uint32_t record = records_.Find(id.record);
  const uint32_t slot = record == kNone ? kNone : FindSlot(record, id.ordinal);
  if (slot == kNone) return;
  Arena texts;
  const Element<Event> stood = Unpack(slot, texts);
  Replaces(slot, stood);
  Unsee(stood);
  withdrawn_.insert(slot);
  --books_.elements;
}

template <class Pack>
uint32_t MemoryStore<Pack>::EntityOf(const EntityKey& key) {
  const auto number = static_cast<uint32_t>(entities_.size());
  const auto is_it = [&](uint32_t entity) { return entities_[entity].key == key; };
  if (const uint32_t* const found = entity_of_.FindOrInsert(key.Prefix(), number, is_it); found != nullptr)
    return *found;
  entities_.push_back({.key = key});
  return number;
}

template <class Pack>
void MemoryStore<Pack>::PassFresh(Touched& touched) const {
  auto& [entities, begin] = touched;
  while (begin < entities.size() && !entities_[entities[begin]].stale) ++begin;
  if (begin == entities.size()) entities.clear(), begin = 0;
}

template <class Pack>
void MemoryStore<Pack>::MakeStale(uint32_t entity) {
  MakeStaleAlone(entity);
  if (links_.empty()) return;
  const EntityKey key = entities_[entity].key, root = links_.RootOf(key);
  if (root != key) MakeStaleAlone(EntityOf(root));
}

// `payload` is the record's, where the batch brings it.
template <class Pack>
absl::Status MemoryStore<Pack>::Put(const Element<Event>& element, uint32_t record,
                                    std::string_view payload) {
  const Order& order = element.identity.order;
  if (record == kNone) return absl::InvalidArgumentError("an element's record is not in the store");
  uint32_t slot = record >= new_from_ ? kNone : FindSlot(record, order.ordinal);
  const bool known = slot != kNone;
  const uint32_t entity = element.entity == EntityKey{} ? kNone : EntityOf(element.entity);
  if (known) {
    Arena texts;
    Replaces(slot, Unpack(slot, texts));
    dropped_.push_back(slots_[slot].blob);
  } else {
    slot = static_cast<uint32_t>(slots_.size());
    slots_.push_back({.record = record});
    ++books_.elements;
  }
  packed_.Clear();
  packed_(entity == kNone ? uint64_t{0} : uint64_t{entity} + 1);
  packed_(order.ordinal);
  PackElement(element, packed_);
  if (auto status = KeepBlob(packed_.bytes(), slots_[slot].blob); !status.ok()) return status;
  if (!known) Chain(slot, entity, element);
  if (!known) See(element, record);
  if (const auto mark = memory::MarkOf<Pack>(element); mark.has_value()) {
    known ? timelines_.Touch(*mark) : timelines_.Put(*mark, slot);
  }
  if (entity != kNone && (known || IsHistory(element))) MakeStale(entity);
  Count(element, 1);
  const bool refused = element.standing.fate == Fate::kQuarantined && !element.standing.conflict;
  const bool shown = refused || element.review != nullptr;
  if (!shown || payload.data() == nullptr || payloads_.contains(record)) return absl::OkStatus();
  return KeepBlob(payload, payloads_[record]);
}

template <class Pack>
void MemoryStore<Pack>::Chain(uint32_t slot, uint32_t entity, const Element<Event>& element) {
  Slot& at = slots_[slot];
  uint32_t& first = records_.first(at.record);
  if (first == kNone) {
    first = slot;
  } else if (slots_[slot - 1].record != at.record) {
    apart_[at.record].push_back(slot);
  }
  if (entity != kNone) at.next_of_entity = std::exchange(entities_[entity].first, slot);
  if (!element.to_settle()) return;
  const Digest& unit = element.identity.unit;
  const auto is_it = [&](uint32_t other) { return UnitOf(other) == unit; };
  if (uint32_t* const found = units_.FindOrInsert(unit.Prefix(), slot, is_it); found != nullptr) {
    at.next_of_unit = std::exchange(*found, slot);
  }
  if (crowds_.empty()) return;
  const auto crowd = crowds_.find(unit);
  if (crowd != crowds_.end()) Consider(crowd->second, slot, element);
}

template <class Pack>
void MemoryStore<Pack>::See(const Element<Event>& element, uint32_t record) {
  if constexpr (Sights<Pack>) {
    const std::optional<Sighting> sighting = Pack::SightingOf(element, records_.DirectionOf(record));
    if (!sighting.has_value()) return;
    const std::string subject = Pack::SubjectKey(element.row);
    const uint32_t number =
        sightings_.Take(Fingerprint(subject), subject, Pack::Subject(element.row), *sighting);
    if (number == kNone) return;
    uint32_t& entity = sightings_[number].entity;
    if (entity == kNone) {
      entity = EntityOf(Pack::SightingKey(subject));
      entities_[entity].subject = number;
    }
    MakeSightedStale(entity);
  }
}

// Begins to look for the subjects of elements that are to be put: the farther ahead, the earlier the stage.
template <class Pack>
void MemoryStore<Pack>::PrefetchSubjects(std::span<const Element<Event>> elements) {
  if constexpr (Sights<Pack> || Resolves<Pack>) {
    const auto stage = [&](size_t ahead, const auto& begin) {
      if (ahead >= elements.size()) return;
      const bool marked = Resolves<Pack> && elements[ahead].milestone != Milestone::kNone;
      if (Sights<Pack> || marked) begin(marked, subject_hashes_[(place_ + ahead) % subject_hashes_.size()]);
    };
    ++place_;
    stage(2 * kAhead, [&](bool marked, uint64_t& hash) {
      hash = Fingerprint(Pack::SubjectKey(elements[2 * kAhead].row));
      if (Sights<Pack>) sightings_.Prefetch(hash);
      if (marked) timelines_.Prefetch(hash);
    });
    stage(kAhead, [&](bool marked, uint64_t hash) {
      if (Sights<Pack>) sightings_.PrefetchKnown(hash);
      if (marked) timelines_.PrefetchLine(hash);
    });
    stage(kAhead / 2, [&](bool marked, uint64_t hash) {
      const uint32_t known = Sights<Pack> ? sightings_.PrefetchKnown(hash) : kNone;
      const uint32_t entity = known == kNone ? kNone : sightings_[known].entity;
      if (entity != kNone) memory::PrefetchAll(entities_[entity]);
      if (marked) timelines_.PrefetchEntries(hash);
    });
  }
}

template <class Pack>
void MemoryStore<Pack>::Unsee(const Element<Event>& element) {
  if constexpr (Sights<Pack>) {
    const std::string subject = Pack::SubjectKey(element.row);
    for (const Direction direction : {Direction::kIn, Direction::kOut}) {  // it may have been another
      const std::optional<Sighting> sighting = Pack::SightingOf(element, direction);
      if (!sighting.has_value()) continue;
      if (sightings_.RestsOn(subject, Pack::Subject(element.row), *sighting)) to_count_.insert(subject);
    }
  }
}

// A maximum that is gone leaves no trace of the next: then all elements are looked at. It takes a record that is
// delivered again with another arrival.
template <class Pack>
void MemoryStore<Pack>::CountAgain() {
  if constexpr (Sights<Pack>) {
    for (const std::string& subject : to_count_) {
      sightings_.Forget(subject);
      MakeSightedStale(EntityOf(Pack::SightingKey(subject)));
    }
    for (uint32_t slot = 0; slot < slots_.size(); ++slot) {
      if (!IsLive(slot)) continue;
      Arena texts;
      const Element<Event> element = Unpack(slot, texts);
      if (to_count_.contains(Pack::SubjectKey(element.row))) See(element, slots_[slot].record);
    }
    to_count_.clear();
  }
}

template <class Pack>
absl::Status MemoryStore<Pack>::Refreshed(const Derived& derived) {
  Entity& entity = entities_[EntityOf(derived.entity)];
  entity.stale = false;
  if (entity.summary != kNone) dropped_.push_back(std::exchange(entity.summary, kNone));
  if (derived.summary.empty()) return absl::OkStatus();
  entity.summed = static_cast<uint32_t>(slots_.size());
  return KeepBlob(derived.summary, entity.summary);
}

template <class Pack>
void MemoryStore<Pack>::Drop(const GoldWrite<Gold>& write) {
  const Digest& key = write.version.key;
  const uint32_t* const found = gold_of_.Find(key.Prefix(), IsGold(key));
  if (found == nullptr) return;
  GoldRow& row = gold_[*found];
  if (row.blob == kNone) return;
  if (write.write == Write::kDelete && entities_[row.entity].key != write.entity) return;
  dropped_.push_back(std::exchange(row.blob, kNone));
  if (row.parent != kNone) MakeRollupStale(row.parent);
  if (write.write == Write::kDelete) Leave(*found);
}

// Clears what is left of a row that was dropped and is not written again.
template <class Pack>
void MemoryStore<Pack>::Leave(uint32_t number) {
  DropItems(0, gold_[number]);
  gold_[number].next_due_at = kNoTime;
  List(number);
}

// Has due_ name the row no later than it is due. A row in use is due later each time it is written: then nothing is to be
// done until its old time comes.
template <class Pack>
void MemoryStore<Pack>::List(uint32_t number) {
  GoldRow& row = gold_[number];
  const bool due = row.next_due_at != kNoTime, listed = row.listed_at != kNoTime;
  if (due && listed && row.listed_at <= row.next_due_at) return;
  if (listed) due_.erase({row.listed_at, number});
  row.listed_at = row.next_due_at;
  if (due) due_.emplace(row.listed_at, number);
}

// Moves a row that due_ names too early to when it is due. Returns what follows its old place.
template <class Pack>
typename MemoryStore<Pack>::Due::iterator MemoryStore<Pack>::ListLater(std::pair<UtcTime, uint32_t> early) {
  due_.erase(early);
  gold_[early.second].listed_at = kNoTime;
  List(early.second);
  return due_.upper_bound(early);
}

// The row was dropped before. A place that its key had under the same entity serves again.
template <class Pack>
absl::Status MemoryStore<Pack>::Put(const GoldWrite<Gold>& write) {
  const uint32_t entity = EntityOf(write.entity);
  const uint32_t parent = write.parent == EntityKey{} ? kNone : EntityOf(write.parent);
  uint32_t* const found = gold_of_.Find(write.version.key.Prefix(), IsGold(write.version.key));
  uint32_t number = found == nullptr ? kNone : *found;
  if (number == kNone || gold_[number].entity != entity || gold_[number].parent != parent) {
    number = static_cast<uint32_t>(gold_.size());
    gold_.push_back({.entity = entity,
                     .next_of_entity = std::exchange(entities_[entity].gold, number),
                     .parent = parent});
    if (write.version.key != entities_[entity].key) {
      gold_[number].own_key = static_cast<uint32_t>(own_keys_.size());
      own_keys_.push_back(write.version.key);
    }
    if (parent != kNone) gold_[number].next_of_parent = std::exchange(entities_[parent].child, number);
    if (found != nullptr) Leave(*found), *found = number;
    if (found == nullptr) gold_of_.Insert(write.version.key.Prefix(), number);
  }
  GoldRow& row = gold_[number];
  row.next_due_at = write.next_due_at;
  List(number);
  if (parent != kNone) MakeRollupStale(parent);
  packed_.Clear();
  PackGold(write.version, write.row, packed_);
  if (auto status = KeepBlob(packed_.bytes(), row.blob); !status.ok()) return status;
  return PutItems(write.row, row);
}

// The items of a series lie in parts, a blob each, as they came: where the part begins, counted in bytes of the whole;
// the number of the part before it, plus 1; the items. It ends where the next one begins.
template <class Pack>
absl::Status MemoryStore<Pack>::PutItems(const Gold& gold, GoldRow& row) {
  absl::Status status;
  VisitGold(gold, [&]<class Row>(const Row& own) {
    if constexpr (IsSeries<Row>) {
      const auto begin = static_cast<uint64_t>(own.own_begin().bytes);
      DropItems(begin, row);
      if (own.own_items().empty()) return;
      packed_.Clear();
      packed_(begin), packed_(row.items == kNone ? uint64_t{0} : uint64_t{row.items} + 1);
      std::string part(packed_.bytes());
      part += own.own_items();
      status = KeepBlob(part, row.items);
    }
  });
  return status;
}

// Drops the parts that begin at `from` or behind it.
template <class Pack>
void MemoryStore<Pack>::DropItems(uint64_t from, GoldRow& row) {
  while (row.items != kNone) {
    Arena none;
    PackReader part(blobs_.At(row.items), none);
    if (part.Number() < from) return;
    const uint64_t before = part.Number();
    dropped_.push_back(std::exchange(row.items, before == 0 ? kNone : static_cast<uint32_t>(before - 1)));
  }
}

// All of them.
template <class Pack>
std::string MemoryStore<Pack>::ItemsOf(const GoldRow& row) const {
  std::vector<std::string_view> parts;
  size_t end = std::string_view::npos;
  for (uint32_t at = row.items; at != kNone;) {
    Arena none;
    PackReader part(blobs_.At(at), none);
    const uint64_t begin = part.Number(), before = part.Number();
    parts.push_back(part.rest().substr(0, end - begin));
    end = begin;
    at = before == 0 ? kNone : static_cast<uint32_t>(before - 1);
  }
  std::string items;
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) items += *part;
  return items;
}

}  // namespace medallion
