// The memory store: what the steps ask of it. Part of io/memory_store.h.
#pragma once

#include "medallion/io/memory_store.h"

namespace medallion {

template <class Pack>
absl::Status MemoryStore<Pack>::Seen(std::span<const RecordId> records, SeenAnswer& answer) {
  answer.checkpoint = checkpoint_;
  answer.arrivals.assign(records.size(), std::nullopt);
  for (size_t i = 0; i < records.size(); ++i) {
    const uint32_t record = records_.Find(records[i]);
    if (record != kNone) answer.arrivals[i] = records_.ArrivalOf(record);
  }
  return absl::OkStatus();
}

template <class Pack>
void MemoryStore<Pack>::Unpack(uint32_t slot, Element<Event>& element, Arena& texts) const {
  const Slot& at = slots_[slot];
  PackReader head(blobs_.At(at.blob), texts);
  const uint64_t entity = head.Number();
  const auto ordinal = static_cast<uint32_t>(head.Number());
  const Owner owner{.id = {records_.IdOf(at.record), ordinal},
                    .entity = entity == 0 ? EntityKey{} : entities_[entity - 1].key};
  UnpackElement(head.rest(), owner, element, texts);
}

template <class Pack>
Digest MemoryStore<Pack>::UnitOf(uint32_t slot) const {
  Arena none;
  PackReader head(blobs_.At(slots_[slot].blob), none);
  const uint64_t entity = head.Number();
  head.Number();
  return UnpackUnit(head.rest(), entity == 0 ? EntityKey{} : entities_[entity - 1].key);
}

template <class Pack>
Digest MemoryStore<Pack>::KeyOf(uint32_t slot) const {
  Arena none;
  PackReader head(blobs_.At(slots_[slot].blob), none);
  head.Number(), head.Number();
  return UnpackKey(head.rest());
}

template <class Pack>
template <class Visit>
void MemoryStore<Pack>::ForRecord(uint32_t record, Visit&& visit) const {
  const auto visit_run = [&](uint32_t slot) {
    for (; slot < slots_.size() && slots_[slot].record == record; ++slot) {
      if (IsLive(slot)) visit(slot);
    }
  };
  visit_run(records_.first(record));
  const auto apart = apart_.find(record);
  if (apart == apart_.end()) return;
  for (const uint32_t first : apart->second) visit_run(first);
}

template <class Pack>
template <class Visit>
void MemoryStore<Pack>::ForUnit(const Digest& unit, Visit&& visit) {
  const uint32_t* const found = FindUnit(unit);
  if (found == nullptr) return;
  for (uint32_t slot = *found; slot != kNone; slot = slots_[slot].next_of_unit) {
    if (IsLive(slot)) visit(slot);
  }
}

// Looks for the units of the arrived in stages, so that many wait for memory together: the farthest ahead fetches its
// element, the next its place in the table, the next its latest element, and the nearest what that is unpacked from.
// Calls `visit` with each arrived one whose unit may be known.
template <class Pack>
template <class Visit>
void MemoryStore<Pack>::ForKnownUnits(std::span<const Element<Event>> arrived, const Visit& visit) {
  std::array<uint32_t, 2 * kAhead> guesses;  // of the next, from the second stage on
  for (size_t i = 0; i < arrived.size() + 3 * kAhead; ++i) {
    if (i + kAhead < arrived.size()) __builtin_prefetch(&arrived[i + kAhead].identity.unit);
    if (i < arrived.size()) units_.Prefetch(arrived[i].identity.unit.Prefix());
    if (i >= 3 * kAhead && guesses[(i - 3 * kAhead) % guesses.size()] != kNone) visit(i - 3 * kAhead);
    if (i >= kAhead && i - kAhead < arrived.size()) {
      const Element<Event>& element = arrived[i - kAhead];
      const uint32_t slot = element.to_settle() ? units_.Guess(element.identity.unit.Prefix()) : kNone;
      guesses[(i - kAhead) % guesses.size()] = slot;
      if (slot != kNone) __builtin_prefetch(&slots_[slot]);
    }
    if (i < 2 * kAhead || i - 2 * kAhead >= arrived.size()) continue;
    if (const uint32_t slot = guesses[(i - 2 * kAhead) % guesses.size()]; slot != kNone) {
      blobs_.Prefetch(slots_[slot].blob);
      records_.Prefetch(slots_[slot].record);
    }
  }
}

template <class Pack>
absl::Status MemoryStore<Pack>::Known(const KnownQuery<Event>& query, KnownAnswer<Event>& answer) {
  ForKnownUnits(query.arrived, [&](size_t i) {
    Glance glance{.arrived = static_cast<uint32_t>(i)};
    if (GlanceAt(query.arrived[i].identity, answer.texts, glance)) answer.glances.push_back(glance);
  });
  absl::flat_hash_set<uint32_t> taken;
  const auto take = [&](uint32_t slot) {
    if (!taken.insert(slot).second) return;
    Unpack(slot, answer.elements.emplace_back(), answer.texts);
    RestoreValues(answer.elements.back());
  };
  answer.elements.reserve(2 * (query.units.size() + query.records.size()));
  for (const Digest& unit : query.units) ForUnit(unit, take);
  for (const RecordId& id : query.records) {
    const uint32_t record = records_.Find(id);
    if (record != kNone) ForRecord(record, take);
  }
  absl::flat_hash_set<Digest> subjects(query.subjects.begin(), query.subjects.end());
  for (const Digest& subject : subjects) {
    for (auto at = reviews_.lower_bound({.subject = subject, .number = INT64_MIN});
         at != reviews_.end() && at->subject == subject; ++at) {
      answer.reviews.push_back(*at);
    }
  }
  if (query.all_reviews) answer.reviews.assign(reviews_.begin(), reviews_.end());
  return absl::OkStatus();
}

// Whether an element of the record has a row in quarantine: any, or one of these ids.
template <class Pack>
bool MemoryStore<Pack>::IsQuarantined(uint32_t record, const absl::flat_hash_set<Digest>& ids) const {
  bool found = false;
  ForRecord(record, [&](uint32_t slot) {
    Arena texts;
    const Element<Event> element = Unpack(slot, texts);
    if (!IsShown<Pack>(element, kQuarantineTable)) return;
    found = found || ids.empty() || ids.contains(QuarantineId(IdOf(element.identity.order)));
  });
  return found;
}

template <class Pack>
void MemoryStore<Pack>::AnswerBronze(uint32_t record, BronzeAnswer& answer) const {
  static const Digest empty = Sha256({});  // no bytes need no place
  const RecordId id = records_.IdOf(record);
  answer.records.push_back(
      {.record = Shown(record), .id = id, .has_payload = payloads_.contains(record) || id.payload == empty});
}

template <class Pack>
absl::Status MemoryStore<Pack>::Bronze(const BronzeQuery& query, BronzeAnswer& answer) {
  for (const RecordId& id : query.records) {
    if (const uint32_t known = records_.Find(id); known != kNone) AnswerBronze(known, answer);
  }
  if (!query.records.empty()) return absl::OkStatus();
  const absl::flat_hash_set<Digest> ids(query.quarantine_ids.begin(), query.quarantine_ids.end());
  uint32_t record = 0;
  std::from_chars(query.after.data(), query.after.data() + query.after.size(), record);
  const bool pick = query.quarantined || !ids.empty();
  for (; record < records_.size(); ++record) {
    answer.more = answer.records.size() >= query.records_max;
    if (answer.more) break;
    if (!pick || IsQuarantined(record, ids)) AnswerBronze(record, answer);
  }
  answer.after = std::to_string(record);
  return absl::OkStatus();
}

template <class Pack>
void MemoryStore<Pack>::Consider(Crowd& crowd, uint32_t slot, const Element<Event>& element) {
  const Identity& identity = element.identity;
  if (element.standing.fate == Fate::kSilver) {
    crowd.winners[{identity.business_key.Prefix(), identity.cut}].push_back(slot);
  }
  if (element.standing.fate == Fate::kQuarantined) return;
  const std::pair fact_event{identity.business_key.Prefix() + identity.fact, identity.event_id};
  const auto [at, added] = crowd.first_of_event.try_emplace(fact_event, slot);
  Arena texts;
  if (!added && identity.order < Unpack(at->second, texts).identity.order) at->second = slot;
}

template <class Pack>
typename MemoryStore<Pack>::Crowd& MemoryStore<Pack>::CrowdOf(const Digest& unit) {
  const auto added = crowds_.try_emplace(unit);
  Crowd& crowd = added.first->second;
  Arena texts;
  if (added.second) ForUnit(unit, [&](uint32_t slot) { Consider(crowd, slot, Unpack(slot, texts)); });
  return crowd;
}

// False where the unit is new.
template <class Pack>
bool MemoryStore<Pack>::GlanceAt(const Identity& arrived, Arena& texts, Glance& glance) {
  const uint32_t* const found = FindUnit(arrived.unit);
  if (found == nullptr) return false;
  glanced_.clear();
  uint32_t slot = *found;
  for (; slot != kNone && glanced_.size() <= kFew; slot = slots_[slot].next_of_unit) {
    if (IsLive(slot)) glanced_.push_back(slot);
  }
  const Crowd* crowd = nullptr;
  if (glanced_.size() > kFew) {
    crowd = &CrowdOf(arrived.unit);
    const auto alike = crowd->winners.find({arrived.business_key.Prefix(), arrived.cut});
    glanced_ = alike == crowd->winners.end() ? std::vector<uint32_t>() : alike->second;
  }
  members_.clear();
  for (const uint32_t member : glanced_) {
    if (KeyOf(member) != arrived.business_key) continue;  // about another fact
    Unpack(member, members_.emplace_back(), texts);
    RestoreValues(members_.back());
    memory::TakeWinner(members_.back(), arrived, glance);
  }
  if (!glance.has_winner) return true;
  for (const Element<Event>& member : members_) memory::TakeEvent(member, arrived, glance);
  if (crowd == nullptr) return true;
  const std::pair fact_event{glance.winner.business_key.Prefix() + glance.winner.fact, arrived.event_id};
  const auto first = crowd->first_of_event.find(fact_event);
  if (first != crowd->first_of_event.end()) memory::TakeEvent(Unpack(first->second, texts), arrived, glance);
  return true;
}

// Sets `chains_[i]` to the elements that entity `i` is answered with, the latest first. Each step of a chain waits for
// memory, so as many wait together as there are entities; and their records are on their way.
template <class Pack>
void MemoryStore<Pack>::FollowChains(std::span<const uint32_t> entities, bool whole) {
  std::array<uint32_t, kAhead> next;
  std::array<uint32_t, kAhead> from;
  for (size_t i = 0; i < entities.size(); ++i) {
    const Entity& entity = entities_[entities[i]];
    from[i] = !whole && entity.summary != kNone ? entity.summed : 0;
    next[i] = entity.first;
    if (next[i] != kNone) __builtin_prefetch(&slots_[next[i]]);
    chains_[i].clear();
  }
  for (bool any = true; std::exchange(any, false);) {
    for (size_t i = 0; i < entities.size(); ++i) {
      const uint32_t slot = next[i];
      if (slot == kNone || slot < from[i]) continue;
      any = true;
      const Slot& at = slots_[slot];
      next[i] = at.next_of_entity;
      if (next[i] != kNone) __builtin_prefetch(&slots_[next[i]]);
      if (!IsLive(slot)) continue;
      chains_[i].push_back(slot);
      records_.Prefetch(at.record);
    }
  }
}

template <class Pack>
void MemoryStore<Pack>::Answer(uint32_t number, bool whole, std::span<const uint32_t> chain,
                               std::vector<Packed>& packed, HistoryAnswer<Pack>& answer) const {
  const Entity& entity = entities_[number];
  const bool summed = !whole && entity.summary != kNone;
  for (auto slot = chain.rbegin(); slot != chain.rend();
       ++slot) {  // as they came, so most often in order of time
    packed.push_back(
        {blobs_.Begin(slots_[*slot].blob), records_.IdOf(slots_[*slot].record), OtherEntity(*slot, number)});
  }
  for (uint32_t row = entity.gold; row != kNone; row = gold_[row].next_of_entity) {
    uint8_t table = 0;
    if (gold_[row].blob != kNone) answer.versions.push_back({entity.key, VersionOf(row, table)});
  }
  if (!links_.empty()) links_.Contexts(entity.key, answer.contexts);
  for (uint32_t row = entity.child; row != kNone; row = gold_[row].next_of_parent) {
    if (gold_[row].blob != kNone) answer.children.push_back(UnpackGold(row));
  }
  answer.entities.push_back({.entity = entity.key,
                             .summary = summed ? blobs_.At(entity.summary) : std::string_view(),
                             .elements_end = packed.size(),
                             .versions_end = answer.versions.size(),
                             .contexts_end = answer.contexts.size(),
                             .children_end = answer.children.size()});
  AnswerSighting(number, answer);
}

// What is known of the subject that the entity is derived from, if it is one.
template <class Pack>
void MemoryStore<Pack>::AnswerSighting(uint32_t entity, HistoryAnswer<Pack>& answer) const {
  const uint32_t subject = entities_[entity].subject;
  if (subject == kNone || sightings_[subject].name.empty()) return;
  answer.entities.back().subject = answer.texts.Copy(sightings_[subject].name);
  answer.entities.back().sighting = sightings_[subject].sighting;
}

// The entity of the element, where that is another; else null. Only links bring such a one.
template <class Pack>
const EntityKey* MemoryStore<Pack>::OtherEntity(uint32_t slot, uint32_t entity) const {
  if (links_.empty()) return nullptr;
  Arena none;
  const uint64_t own = PackReader(blobs_.At(slots_[slot].blob), none).Number();
  return own == 0 || own == uint64_t{entity} + 1 ? nullptr : &entities_[own - 1].key;
}

// Adds to the entity's own elements those of the entities that are linked to it, or takes them away where it is linked
// to another itself.
template <class Pack>
void MemoryStore<Pack>::Join(uint32_t number, bool whole, std::vector<uint32_t>& chain) {
  const Entity& entity = entities_[number];
  if (links_.RootOf(entity.key) != entity.key) chain.clear();
  const std::vector<EntityKey> joined = links_.JoinedTo(entity.key);
  if (joined.empty()) return;
  const uint32_t from = !whole && entity.summary != kNone ? entity.summed : 0;
  for (const EntityKey& key : joined) {
    const uint32_t* const found = FindEntity(key);
    uint32_t slot = found == nullptr ? kNone : entities_[*found].first;
    for (; slot != kNone && slot >= from; slot = slots_[slot].next_of_entity) {
      if (IsLive(slot)) chain.push_back(slot);
    }
  }
  std::sort(chain.begin(), chain.end(), std::greater<>());
}

// Makes an answer's elements of those that were gathered for it, of which its entities name the ends.
template <class Pack>
void MemoryStore<Pack>::UnpackAll(std::span<const Packed> packed, HistoryAnswer<Pack>& answer) {
  answer.elements.reserve(packed.size());  // they are large, and are not to move
  size_t next = 0;
  for (EntityHistory& entity : answer.entities) {
    for (; next < entity.elements_end; ++next) {
      if (next + kAhead < packed.size()) memory::Blobs::Prefetch(packed[next + kAhead].blob);
      Element<Event>& element = answer.elements.emplace_back();
      PackReader head(memory::Blobs::Bytes(packed[next].blob), answer.texts);
      const bool has_entity = head.Number() != 0;
      const auto ordinal = static_cast<uint32_t>(head.Number());
      const EntityKey& own = packed[next].entity != nullptr ? *packed[next].entity : entity.entity;
      const Owner owner{.id = {packed[next].record, ordinal}, .entity = has_entity ? own : EntityKey{}};
      UnpackElement(head.rest(), owner, element, answer.texts);
      if (!IsHistory(element)) answer.elements.pop_back();
    }
    entity.elements_end = answer.elements.size();
  }
}

// Answers these entities, and clears them. False, and there are more to answer, if there was no room for one.
template <class Pack>
bool MemoryStore<Pack>::AnswerAll(std::vector<uint32_t>& entities, const HistoryQuery& query,
                                  std::vector<Packed>& packed, HistoryAnswer<Pack>& answer) {
  FollowChains(entities, query.whole);
  for (size_t i = 0; i < entities.size(); ++i) {
    if (!links_.empty()) Join(entities[i], query.whole, chains_[i]);
    const size_t rows = answer.entities.size() + packed.size() + answer.children.size();
    answer.more = rows >= std::min(query.rows_max, query.ahead ? kAnswerRows : SIZE_MAX);
    if (answer.more) return false;
    Answer(entities[i], query.whole, chains_[i], packed, answer);
  }
  entities.clear();
  return true;
}

template <class Pack>
absl::Status MemoryStore<Pack>::History(const HistoryQuery& query, HistoryAnswer<Pack>& answer) {
  const auto packed = std::make_shared<std::vector<Packed>>();
  AnswerEach(query, *packed, answer);
  answer.finish = [packed](HistoryAnswer<Pack>& unfinished) { UnpackAll(*packed, unfinished); };
  if (!query.ahead) std::exchange(answer.finish, nullptr)(answer);
  return absl::OkStatus();
}

template <class Pack>
void MemoryStore<Pack>::AnswerEach(const HistoryQuery& query, std::vector<Packed>& packed,
                                   HistoryAnswer<Pack>& answer) {
  absl::flat_hash_set<uint32_t> taken;
  std::vector<uint32_t> waiting;
  const auto take = [&](uint32_t entity) {  // false once the answer is full
    if (taken.insert(entity).second) waiting.push_back(entity);
    return waiting.size() < kAhead || AnswerAll(waiting, query, packed, answer);
  };
  for (const EntityKey& key : query.entities) {
    const uint32_t* const found = FindEntity(key);
    if (found != nullptr) {
      if (!take(*found)) return;
      continue;
    }
    if (!AnswerAll(waiting, query, packed, answer)) return;
    answer.entities.push_back({.entity = key,
                               .elements_end = packed.size(),
                               .versions_end = answer.versions.size(),
                               .contexts_end = answer.contexts.size(),
                               .children_end = answer.children.size()});
  }
  size_t skip = query.stale_skip;
  const auto take_stale = [&](const Touched& touched) {
    for (size_t i = touched.begin; i < touched.entities.size(); ++i) {
      const uint32_t entity = touched.entities[i];
      if (!entities_[entity].stale || (skip > 0 && skip-- > 0)) continue;
      if (!take(entity)) return false;
    }
    return true;
  };
  if (query.stale && !query.rollups && !take_stale(stale_)) return;
  if (query.rollups && !take_stale(stale_rollups_)) return;
  // What is made of sightings may be made of these rows, too.
  if (query.rollups && taken.empty() && !take_stale(stale_sighted_)) return;
  for (auto at = due_.begin(); at != due_.end() && at->first <= query.due_by;) {
    const GoldRow& row = gold_[at->second];
    if (row.listed_at == row.next_due_at) {
      if (!take(row.entity)) return;
      ++at;
    } else {
      at = ListLater(*at);
    }
  }
  AnswerAll(waiting, query, packed, answer);
}

template <class Pack>
absl::Status MemoryStore<Pack>::Timelines(const TimelineQuery& query, TimelineAnswer<Event>& answer) {
  answer.touched = timelines_.Touched(query.touched_max);
  std::vector<uint32_t> slots;
  for (size_t i = 0; i < query.parts.size() + kAhead; ++i) {
    if (i < query.parts.size()) timelines_.Prefetch(Fingerprint(query.parts[i].subject));
    if (i < kAhead / 2) continue;
    if (i - kAhead / 2 < query.parts.size())
      timelines_.PrefetchLine(Fingerprint(query.parts[i - kAhead / 2].subject));
    if (i < kAhead) continue;
    const TimelinePart& part = query.parts[i - kAhead];
    timelines_.Find(part, slots);
    if (!withdrawn_.empty()) std::erase_if(slots, [&](uint32_t slot) { return !IsLive(slot); });
    links_.Find(part, answer.links);
    answer.elements_end.push_back(slots.size());
    answer.links_end.push_back(answer.links.size());
  }
  answer.elements.reserve(slots.size());
  UnpackEach(slots, answer.elements, answer.texts);
  return absl::OkStatus();
}

// Appends these elements. Many wait for memory together.
template <class Pack>
void MemoryStore<Pack>::UnpackEach(std::span<const uint32_t> slots, std::vector<Element<Event>>& elements,
                                   Arena& texts) const {
  for (size_t i = 0; i < slots.size() + 2 * kAhead; ++i) {
    if (i < slots.size()) __builtin_prefetch(&slots_[slots[i]]);
    if (i >= kAhead && i - kAhead < slots.size()) {
      const Slot& at = slots_[slots[i - kAhead]];
      blobs_.Prefetch(at.blob);
      records_.Prefetch(at.record);
    }
    if (i < 2 * kAhead) continue;
    Unpack(slots[i - 2 * kAhead], elements.emplace_back(), texts);
    RestoreValues(elements.back());
  }
}

}  // namespace medallion
