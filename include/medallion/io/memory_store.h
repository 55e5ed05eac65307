// A store in memory: for tests, for one-off runs over a file, and for hosts that need no more.
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "medallion/base/arena.h"
#include "medallion/io/element_codec.h"
#include "medallion/io/element_tables.h"
#include "medallion/io/store.h"
#include "medallion/io/tables.h"

namespace medallion {

// Elements lie packed in one arena, in the order they came, and are found through small indexes: by record, by unit,
// by entity. A payload is kept only where a table shows it (what was quarantined for a broken rule), or for all records
// with `keep_bronze`. One thread at a time.
template <class Pack>
class MemoryStore final : public Store<Pack>, public Tables {
 public:
  using Event = typename Pack::Event;
  using Gold = typename Pack::Gold;

  explicit MemoryStore(bool keep_bronze = false) : keep_bronze_(keep_bronze) {}

  absl::Status Seen(std::span<const RecordId> records, SeenAnswer& answer) override;
  absl::Status Known(const KnownQuery& query, KnownAnswer<Event>& answer) override;
  absl::Status History(const HistoryQuery& query, HistoryAnswer<Event>& answer) override;
  absl::Status Apply(const Batch<Pack>& batch) override;

  std::vector<std::string> Names() const override;
  absl::Status Read(std::string_view table, const RowSink& sink) override;
  absl::StatusOr<Accounting> Books() override { return books_; }

  // The Gold row with this key, or nothing. Holds until the next Apply.
  const Gold* Find(const Digest& key) const;

 private:
  static constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();
  static constexpr uint32_t kFew = 8;  // members of a unit that a glance looks at one by one

  struct Slot {  // an element
    std::string_view packed;
    uint32_t record = kNone;
    uint32_t ordinal = 0;
    uint32_t next_of_record = kNone;
    uint32_t next_of_unit = kNone;
    uint32_t next_of_entity = kNone;
    Fate fate = Fate::kSilver;
    bool live = true;        // not withdrawn
    bool in_entity = false;  // linked to its entity; looked at only while in Silver or in conflict
  };
  struct Unit {
    uint32_t first = kNone;
    uint32_t members = 0;
  };
  struct Crowd {  // what a glance needs of a unit with many members
    std::vector<uint32_t> winners;
    absl::flat_hash_map<std::pair<uint64_t, uint64_t>, uint32_t> first_of_event;  // (fact, event id) -> slot
  };
  struct RecordEntry {
    BronzeRecord record;  // its texts are ours; `payload` may be left out
    Digest payload;
    uint32_t first = kNone;
    bool payload_shown = false;  // a table shows it, so it stays
  };
  struct GoldEntry {
    EntityKey entity;
    RowVersion version;
    UtcTime next_due_at;
    Gold row;
  };

  Element<Event> Unpack(const Slot& slot) const;
  std::string_view Intern(std::string_view text);
  void Count(const Element<Event>& element, int64_t by);
  uint32_t FindSlot(const ElementId& id) const;

  uint32_t Keep(const RecordWrite& write);
  void KeepPayload(RecordEntry& entry);
  void Withdraw(const ElementId& id);
  void Put(const Element<Event>& element);
  void Link(uint32_t slot, const Element<Event>& element);
  void Put(const GoldWrite<Gold>& write);
  void Drop(const Digest& key);
  void KeepLog(const Batch<Pack>& batch);

  std::optional<Glance> GlanceAt(const Identity& arrived);
  void Consider(Crowd& crowd, uint32_t slot, const Element<Event>& element);
  Crowd& CrowdOf(const Digest& unit);
  template <class Visit>
  void ForUnit(const Digest& unit, Visit&& visit) const;
  std::vector<uint32_t> SortedSlots(std::string_view table) const;

  bool keep_bronze_;
  Checkpoint checkpoint_;
  Accounting books_;
  Arena texts_;
  absl::flat_hash_set<std::string_view> interned_;
  std::vector<RecordEntry> records_;
  absl::flat_hash_map<RecordId, uint32_t> by_record_;
  std::vector<Slot> slots_;
  absl::flat_hash_map<Digest, Unit> units_;
  absl::flat_hash_map<Digest, Crowd> crowds_;
  absl::flat_hash_map<EntityKey, uint32_t> entities_;
  absl::flat_hash_map<Digest, GoldEntry> gold_;
  absl::flat_hash_map<EntityKey, std::vector<Digest>> gold_of_entity_;
  std::set<std::pair<UtcTime, Digest>> due_;
  std::vector<std::string> log_;
  std::string packed_;  // scratch of Put
};

// ---------------------------------------------------------------------------------------------------------------
// Fetching

template <class Pack>
absl::Status MemoryStore<Pack>::Seen(std::span<const RecordId> records, SeenAnswer& answer) {
  answer.checkpoint = checkpoint_;
  answer.arrivals.assign(records.size(), std::nullopt);
  for (size_t i = 0; i < records.size(); ++i) {
    const auto found = by_record_.find(records[i]);
    if (found == by_record_.end()) continue;
    const BronzeRecord& record = records_[found->second].record;
    answer.arrivals[i] = Arrival{record.broker_ts, record.ingest_ts, record.key};
  }
  return absl::OkStatus();
}

template <class Pack>
template <class Visit>
void MemoryStore<Pack>::ForUnit(const Digest& unit, Visit&& visit) const {
  const auto found = units_.find(unit);
  if (found == units_.end()) return;
  for (uint32_t slot = found->second.first; slot != kNone; slot = slots_[slot].next_of_unit) {
    if (slots_[slot].live) visit(slot);
  }
}

template <class Pack>
absl::Status MemoryStore<Pack>::Known(const KnownQuery& query, KnownAnswer<Event>& answer) {
  answer.glances.reserve(query.arrived.size());
  for (const Identity& arrived : query.arrived) answer.glances.push_back(GlanceAt(arrived));

  absl::flat_hash_set<uint32_t> taken;
  const auto take = [&](uint32_t slot) {
    if (taken.insert(slot).second) answer.elements.push_back(Unpack(slots_[slot]));
  };
  for (const Digest& unit : query.units) ForUnit(unit, take);
  for (const RecordId& id : query.records) {
    const auto found = by_record_.find(id);
    if (found == by_record_.end()) continue;
    for (uint32_t slot = records_[found->second].first; slot != kNone; slot = slots_[slot].next_of_record) {
      if (slots_[slot].live) take(slot);
    }
  }
  return absl::OkStatus();
}

template <class Pack>
void MemoryStore<Pack>::Consider(Crowd& crowd, uint32_t slot, const Element<Event>& element) {
  const Identity& identity = element.identity;
  if (element.standing.fate == Fate::kSilver) crowd.winners.push_back(slot);
  if (element.standing.fate == Fate::kQuarantined) return;
  const std::pair fact_event{identity.business_key.Prefix() + identity.fact, identity.event_id};
  const auto [at, added] = crowd.first_of_event.try_emplace(fact_event, slot);
  if (!added && identity.order < Unpack(slots_[at->second]).identity.order) at->second = slot;
}

template <class Pack>
typename MemoryStore<Pack>::Crowd& MemoryStore<Pack>::CrowdOf(const Digest& unit) {
  const auto added = crowds_.try_emplace(unit);
  Crowd& crowd = added.first->second;
  if (added.second) ForUnit(unit, [&](uint32_t slot) { Consider(crowd, slot, Unpack(slots_[slot])); });
  return crowd;
}

template <class Pack>
std::optional<Glance> MemoryStore<Pack>::GlanceAt(const Identity& arrived) {
  const auto found = units_.find(arrived.unit);
  if (found == units_.end()) return std::nullopt;
  Glance glance;
  const auto fits = [&](const Element<Event>& element) {
    const Identity& identity = element.identity;
    return element.standing.fate == Fate::kSilver && identity.cut == arrived.cut &&
           identity.business_key == arrived.business_key;
  };
  const auto take_winner = [&](uint32_t slot) {
    const Element<Event> element = Unpack(slots_[slot]);
    if (!fits(element)) return;
    glance.has_winner = true;
    glance.winner = element.identity;
    glance.filled = element.standing.filled;
  };
  const auto take_event = [&](uint32_t slot) {
    const Element<Event> element = Unpack(slots_[slot]);
    const Identity& identity = element.identity;
    if (element.standing.fate == Fate::kQuarantined || identity.event_id != arrived.event_id) return;
    if (identity.business_key != glance.winner.business_key || identity.fact != glance.winner.fact) return;
    if (glance.event_id_seen && glance.event_id_first < identity.order) return;
    glance.event_id_seen = true;
    glance.event_id_first = identity.order;
  };
  if (found->second.members <= kFew) {
    ForUnit(arrived.unit, take_winner);
    if (glance.has_winner) ForUnit(arrived.unit, take_event);
    return glance;
  }
  const Crowd& crowd = CrowdOf(arrived.unit);
  for (const uint32_t slot : crowd.winners) take_winner(slot);
  const std::pair fact_event{glance.winner.business_key.Prefix() + glance.winner.fact, arrived.event_id};
  const auto first = crowd.first_of_event.find(fact_event);
  if (glance.has_winner && first != crowd.first_of_event.end()) take_event(first->second);
  return glance;
}

template <class Pack>
absl::Status MemoryStore<Pack>::History(const HistoryQuery& query, HistoryAnswer<Event>& answer) {
  absl::flat_hash_set<EntityKey> entities(query.entities.begin(), query.entities.end());
  size_t due = 0;
  for (auto at = due_.begin(); at != due_.end() && at->first <= query.due_by && due < query.due_max; ++at) {
    if (entities.insert(gold_.at(at->second).entity).second) ++due;
  }
  for (const EntityKey& entity : entities) {
    const auto first = entities_.find(entity);
    if (first != entities_.end()) {
      for (uint32_t slot = first->second; slot != kNone; slot = slots_[slot].next_of_entity) {
        const Slot& at = slots_[slot];
        if (at.live && (at.fate == Fate::kSilver || at.fate == Fate::kQuarantined)) {
          answer.elements.push_back(Unpack(at));
        }
      }
    }
    const auto rows = gold_of_entity_.find(entity);
    if (rows == gold_of_entity_.end()) continue;
    for (const Digest& key : rows->second) answer.versions.push_back({entity, gold_.at(key).version});
  }
  return absl::OkStatus();
}

template <class Pack>
Element<typename Pack::Event> MemoryStore<Pack>::Unpack(const Slot& slot) const {
  Element<Event> element;
  UnpackElement(slot.packed, element);
  return element;
}

// ---------------------------------------------------------------------------------------------------------------
// Writing

template <class Pack>
absl::Status MemoryStore<Pack>::Apply(const Batch<Pack>& batch) {
  std::vector<uint32_t> kept;
  for (const RecordWrite& write : batch.records) kept.push_back(Keep(write));
  for (const ElementId& id : batch.withdrawn) Withdraw(id);
  for (const Element<Event>& element : batch.elements) Put(element);
  for (const uint32_t record : kept) KeepPayload(records_[record]);
  for (const GoldWrite<Gold>& write : batch.gold) {
    if (write.write == Write::kDelete) {
      Drop(write.version.key);
    } else {
      Put(write);
    }
  }
  checkpoint_.data_clock = std::max(checkpoint_.data_clock, batch.data_clock);
  if (!batch.position.empty()) checkpoint_.positions[std::string(batch.source)] = batch.position;
  KeepLog(batch);
  return absl::OkStatus();
}

template <class Pack>
void MemoryStore<Pack>::KeepLog(const Batch<Pack>& batch) {
  std::string line;
  AppendJson(batch.log, line);
  if (log_.empty() || log_.back() != line)
    log_.push_back(std::move(line));  // else the same batch, applied again
}

template <class Pack>
std::string_view MemoryStore<Pack>::Intern(std::string_view text) {
  if (text.empty()) return {};
  const auto found = interned_.find(text);
  return found != interned_.end() ? *found : *interned_.insert(texts_.Copy(text)).first;
}

// The record's number. Its payload still is the caller's: KeepPayload decides over it once the elements are known.
template <class Pack>
uint32_t MemoryStore<Pack>::Keep(const RecordWrite& write) {
  const auto known = by_record_.find(write.id);
  if (known != by_record_.end()) {
    BronzeRecord& record = records_[known->second].record;
    record.payload = write.record.payload;
    record.broker_ts = write.record.broker_ts;
    record.ingest_ts = write.record.ingest_ts;
    record.key = Intern(write.record.key);
    return known->second;
  }
  RecordEntry entry{.record = write.record, .payload = write.id.payload};
  entry.record.at.topic = Intern(write.record.at.topic);
  entry.record.key = Intern(write.record.key);
  entry.record.version = Intern(write.record.version);
  entry.record.connection_id = Intern(write.record.connection_id);
  const auto number = static_cast<uint32_t>(records_.size());
  by_record_.emplace(RecordId{entry.record.at, entry.payload}, number);
  records_.push_back(entry);
  ++books_.records;
  return number;
}

template <class Pack>
void MemoryStore<Pack>::KeepPayload(RecordEntry& entry) {
  const bool shown = keep_bronze_ || entry.payload_shown;
  entry.record.payload = shown ? texts_.Copy(entry.record.payload) : std::string_view();
}

template <class Pack>
uint32_t MemoryStore<Pack>::FindSlot(const ElementId& id) const {
  const auto record = by_record_.find(id.record);
  uint32_t slot = record == by_record_.end() ? kNone : records_[record->second].first;
  while (slot != kNone && !(slots_[slot].live && slots_[slot].ordinal == id.ordinal)) {
    slot = slots_[slot].next_of_record;
  }
  return slot;
}

template <class Pack>
void MemoryStore<Pack>::Count(const Element<Event>& element, int64_t by) {
  const UtcTime ingest_ts = element.identity.order.ingest_ts;
  const auto hour = books_.by_hour.try_emplace(ingest_ts == kNoTime ? kNoTime : HourOf(ingest_ts)).first;
  hour->second[element.standing.fate] += by;
  books_.fates[element.standing.fate] += by;
  if (hour->second == FateCounts{}) books_.by_hour.erase(hour);
}

template <class Pack>
void MemoryStore<Pack>::Withdraw(const ElementId& id) {
  const uint32_t slot = FindSlot(id);
  if (slot == kNone) return;
  const Element<Event> element = Unpack(slots_[slot]);
  Count(element, -1);
  --books_.elements;
  slots_[slot].live = false;
  crowds_.erase(element.identity.unit);
}

template <class Pack>
void MemoryStore<Pack>::Put(const Element<Event>& element) {
  uint32_t slot = FindSlot(IdOf(element.identity.order));
  const bool known = slot != kNone;
  if (known) {
    Count(Unpack(slots_[slot]), -1);
    crowds_.erase(element.identity.unit);
  } else {
    slot = static_cast<uint32_t>(slots_.size());
    slots_.emplace_back();
    ++books_.elements;
  }
  packed_.clear();
  PackElement(element, packed_);
  slots_[slot].packed = texts_.Copy(packed_);
  slots_[slot].fate = element.standing.fate;
  if (!known) Link(slot, element);
  const auto crowd = known ? crowds_.end() : crowds_.find(element.identity.unit);
  if (crowd != crowds_.end()) Consider(crowd->second, slot, element);
  if (element.standing.fate == Fate::kQuarantined && !element.standing.conflict) {
    records_[slots_[slot].record].payload_shown = true;
  }
  const bool derived_from = element.standing.fate == Fate::kSilver || element.standing.conflict;
  if (derived_from && element.entity != EntityKey{} && !slots_[slot].in_entity) {
    uint32_t& first = entities_.try_emplace(element.entity, kNone).first->second;
    slots_[slot].next_of_entity = std::exchange(first, slot);
    slots_[slot].in_entity = true;
  }
  Count(element, 1);
}

template <class Pack>
void MemoryStore<Pack>::Link(uint32_t slot, const Element<Event>& element) {
  const Order& order = element.identity.order;
  Slot& at = slots_[slot];
  at.record = by_record_.at(RecordId{order.at, order.payload});
  at.ordinal = order.ordinal;
  at.next_of_record = std::exchange(records_[at.record].first, slot);
  if (!element.to_settle()) return;
  Unit& unit = units_[element.identity.unit];
  at.next_of_unit = std::exchange(unit.first, slot);
  ++unit.members;
}

template <class Pack>
void MemoryStore<Pack>::Drop(const Digest& key) {
  const auto found = gold_.find(key);
  if (found == gold_.end()) return;
  due_.erase({found->second.next_due_at, key});
  std::erase(gold_of_entity_[found->second.entity], key);
  gold_.erase(found);
}

template <class Pack>
void MemoryStore<Pack>::Put(const GoldWrite<Gold>& write) {
  Drop(write.version.key);
  gold_.emplace(write.version.key, GoldEntry{write.entity, write.version, write.next_due_at, write.row});
  gold_of_entity_[write.entity].push_back(write.version.key);
  if (write.next_due_at != kNoTime) due_.emplace(write.next_due_at, write.version.key);
}

// ---------------------------------------------------------------------------------------------------------------
// Reading back

template <class Pack>
const typename Pack::Gold* MemoryStore<Pack>::Find(const Digest& key) const {
  const auto found = gold_.find(key);
  return found == gold_.end() ? nullptr : &found->second.row;
}

template <class Pack>
std::vector<std::string> MemoryStore<Pack>::Names() const {
  std::vector<std::string> names;
  for (const std::string_view name :
       {Pack::kSilverTable, kQuarantineTable, kAuditTable, kIgnoredTable, Pack::kGoldTable, kRunLogTable}) {
    names.emplace_back(name);
  }
  return names;
}

template <class Pack>
std::vector<uint32_t> MemoryStore<Pack>::SortedSlots(std::string_view table) const {
  std::vector<uint32_t> slots;
  for (uint32_t slot = 0; slot < slots_.size(); ++slot) {
    if (slots_[slot].live && TableOf(slots_[slot].fate, Pack::kSilverTable) == table) slots.push_back(slot);
  }
  const auto key = [&](uint32_t slot) {
    const RecordEntry& entry = records_[slots_[slot].record];
    return std::tuple(entry.record.at, slots_[slot].ordinal, entry.payload);
  };
  std::sort(slots.begin(), slots.end(), [&](uint32_t a, uint32_t b) { return key(a) < key(b); });
  return slots;
}

template <class Pack>
absl::Status MemoryStore<Pack>::Read(std::string_view table, const RowSink& sink) {
  const std::vector<std::string> names = Names();
  if (std::find(names.begin(), names.end(), table) == names.end()) {
    return absl::NotFoundError("no table " + std::string(table));
  }
  std::string line;
  const auto emit = [&](const auto& append) {
    line.clear();
    append();
    return sink(line);
  };
  if (table == Pack::kGoldTable) {
    std::vector<Digest> keys;
    for (const auto& [key, entry] : gold_) keys.push_back(key);
    std::sort(keys.begin(), keys.end());
    for (const Digest& key : keys) {
      if (auto status = emit([&] { AppendJson(gold_.at(key).row, line); }); !status.ok()) return status;
    }
    return absl::OkStatus();
  }
  if (table == kRunLogTable) {
    for (const std::string& logged : log_) {
      if (auto status = sink(logged); !status.ok()) return status;
    }
    return absl::OkStatus();
  }
  for (const uint32_t slot : SortedSlots(table)) {
    const BronzeRecord& record = records_[slots_[slot].record].record;
    if (auto status = emit([&] { AppendRow<Pack>(Unpack(slots_[slot]), record, line); }); !status.ok())
      return status;
  }
  return absl::OkStatus();
}

}  // namespace medallion
