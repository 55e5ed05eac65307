// A store in memory: for tests, for one-off runs over a file, and for hosts that need no more.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/btree_set.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "medallion/base/arena.h"
#include "medallion/base/chunked.h"
#include "medallion/io/element_codec.h"
#include "medallion/io/element_tables.h"
#include "medallion/io/gold_codec.h"
#include "medallion/io/memory_sightings.h"
#include "medallion/io/memory_tables.h"
#include "medallion/io/memory_timelines.h"
#include "medallion/io/store.h"
#include "medallion/io/tables.h"

namespace medallion {

namespace memory {

// Notes the member, if it is the winner of the fact that `arrived` is about.
template <class Event>
void TakeWinner(const Element<Event>& member, const Identity& arrived, Glance& glance) {
  const Identity& identity = member.identity;
  if (member.standing.fate != Fate::kSilver || identity.cut != arrived.cut) return;
  if (identity.business_key != arrived.business_key) return;
  glance.has_winner = true;
  glance.winner = identity;
  glance.filled = member.standing.filled;
}

// Notes the member, if it is in agreement with the winner and the first that has the event id of `arrived`.
template <class Event>
void TakeEvent(const Element<Event>& member, const Identity& arrived, Glance& glance) {
  const Identity& identity = member.identity;
  if (member.standing.fate == Fate::kQuarantined || identity.event_id != arrived.event_id) return;
  if (identity.business_key != glance.winner.business_key || identity.fact != glance.winner.fact) return;
  if (glance.event_id_seen && glance.event_id_first < identity.order) return;
  glance.event_id_seen = true;
  glance.event_id_first = identity.order;
}

}  // namespace memory

// Rows lie packed, in the order they came (see io/element_codec.h), and are found by numbers: through their record, and
// through chains that lead from a unit and from an entity to the latest element and back. A payload is kept only where
// a table shows it (what was quarantined for a broken rule), or for all records with `keep_bronze`. One thread at a
// time. ResourceExhausted at 16 GiB of rows.
template <class Pack>
class MemoryStore final : public Store<Pack>, public Tables {
 public:
  using Event = typename Pack::Event;
  using Gold = typename Pack::Gold;

  explicit MemoryStore(bool keep_bronze = false) : keep_bronze_(keep_bronze) {}
  MemoryStore(const MemoryStore&) = delete;
  MemoryStore& operator=(const MemoryStore&) = delete;

  absl::Status Seen(std::span<const RecordId> records, SeenAnswer& answer) override;
  absl::Status Known(const KnownQuery<Event>& query, KnownAnswer<Event>& answer) override;
  [[gnu::cold]] absl::Status Bronze(const BronzeQuery& query, BronzeAnswer& answer) override;
  absl::Status Timelines(const TimelineQuery& query, TimelineAnswer<Event>& answer) override;
  absl::Status History(const HistoryQuery& query, HistoryAnswer<Pack>& answer) override;
  absl::Status Apply(const Batch<Pack>& batch) override;

  [[gnu::cold]] std::vector<std::string> Names() const override;
  [[gnu::cold]] absl::Status Read(std::string_view table, const RowSink& sink) override;
  absl::StatusOr<Accounting> Books() override { return books_; }

  // The Gold row with this key, or nothing. Of several tables name the row's struct.
  template <class Row = Gold>
  std::optional<Row> Find(const Digest& key) const;

 private:
  static constexpr uint32_t kNone = memory::kNone;
  static constexpr size_t kAhead = 16;          // look-ups that wait for memory at once
  static constexpr size_t kAnswerRows = 1'000;  // of an answer that is finished later: the cache holds them
  static constexpr uint32_t kFew = 8;           // members of a unit that a glance looks at one by one

  struct Slot {             // an element
    uint32_t blob = kNone;  // its entity's number, its ordinal, the element
    uint32_t record = kNone;
    uint32_t next_of_unit = kNone;
    uint32_t next_of_entity = kNone;
  };
  struct Entity {
    EntityKey key = {};
    uint32_t first = kNone;    // the latest of its elements
    uint32_t gold = kNone;     // the latest of its rows
    uint32_t child = kNone;    // the latest of the rows whose parent it is
    uint32_t summary = kNone;  // a blob
    uint32_t summed = 0;       // the summary covers the elements numbered below
    uint32_t subject = kNone;  // whose sightings it is derived from
    bool stale = false;
  };
  struct Touched {  // entities in the order of their first touch; some may be fresh again
    std::vector<uint32_t> entities;
    size_t begin = 0;  // those before are fresh
  };
  struct GoldRow {
    UtcTime next_due_at = kNoTime;
    UtcTime listed_at = kNoTime;  // never after next_due_at
    uint32_t own_key = kNone;     // of own_keys_; kNone: its key is that of its entity, as it mostly is
    uint32_t entity = kNone;
    uint32_t next_of_entity = kNone;
    uint32_t parent = kNone;
    uint32_t next_of_parent = kNone;
    uint32_t blob = kNone;   // kNone once it was dropped
    uint32_t items = kNone;  // of a series: the last part of its items, see PutItems
  };
  using Due = absl::btree_set<std::pair<UtcTime, uint32_t>>;
  struct Packed {  // an element that an answer is going to have
    const char* blob = nullptr;
    RecordId record = {};
    const EntityKey* entity = nullptr;  // its own, where that is not the one that is asked for
  };
  struct Crowd {  // what a glance needs of a unit with many members
    std::vector<uint32_t> winners;
    absl::flat_hash_map<std::pair<uint64_t, uint64_t>, uint32_t> first_of_event;  // (fact, event id) -> slot
  };

  // Reading.
  bool IsLive(uint32_t slot) const { return withdrawn_.empty() || !withdrawn_.contains(slot); }
  void Unpack(uint32_t slot, Element<Event>& element, Arena& texts) const;
  void UnpackEach(std::span<const uint32_t> slots, std::vector<Element<Event>>& elements, Arena& texts) const;
  static void UnpackAll(std::span<const Packed> packed, HistoryAnswer<Pack>& answer);
  Element<Event> Unpack(uint32_t slot, Arena& texts) const {
    Element<Event> element;
    Unpack(slot, element, texts);
    RestoreValues(element);
    return element;
  }
  RowVersion VersionOf(uint32_t row, uint8_t& table) const;
  Gold UnpackGold(uint32_t row) const;  // of a series: without its items
  [[gnu::cold]] Gold UnpackWholeGold(uint32_t row) const;
  Digest UnitOf(uint32_t slot) const;
  Digest KeyOf(uint32_t slot) const;
  uint32_t FindSlot(uint32_t record, uint32_t ordinal) const;
  template <class Visit>
  void ForRecord(uint32_t record, Visit&& visit) const;
  template <class Visit>
  void ForUnit(const Digest& unit, Visit&& visit);
  template <class Visit>
  void ForKnownUnits(std::span<const Element<Event>> arrived, const Visit& visit);
  bool GlanceAt(const Identity& arrived, Arena& texts, Glance& glance);
  [[gnu::cold]] void Consider(Crowd& crowd, uint32_t slot, const Element<Event>& element);
  [[gnu::cold]] Crowd& CrowdOf(const Digest& unit);
  void FollowChains(std::span<const uint32_t> entities, bool whole);
  void Join(uint32_t entity, bool whole, std::vector<uint32_t>& chain);
  void Answer(uint32_t entity, bool whole, std::span<const uint32_t> chain, std::vector<Packed>& packed,
              HistoryAnswer<Pack>& answer) const;
  void AnswerSighting(uint32_t entity, HistoryAnswer<Pack>& answer) const;
  const EntityKey* OtherEntity(uint32_t slot, uint32_t entity) const;
  bool AnswerAll(std::vector<uint32_t>& entities, const HistoryQuery& query, std::vector<Packed>& packed,
                 HistoryAnswer<Pack>& answer);
  void AnswerEach(const HistoryQuery& query, std::vector<Packed>& packed, HistoryAnswer<Pack>& answer);
  [[gnu::cold]] bool IsQuarantined(uint32_t record, const absl::flat_hash_set<Digest>& ids) const;
  [[gnu::cold]] void AnswerBronze(uint32_t record, BronzeAnswer& answer) const;
  [[gnu::cold]] std::vector<uint32_t> SortedSlots(std::string_view table) const;
  BronzeRecord Shown(uint32_t record) const;
  template <class Emit>
  [[gnu::cold]] absl::Status ReadGold(size_t table, const Emit& emit) const;

  // Writing.
  void PrefetchPlaces(std::span<const Element<Event>> elements) const;
  void PrefetchSubjects(std::span<const Element<Event>> elements);
  absl::Status PutAll(const Batch<Pack>& batch);
  absl::Status KeepBlob(std::string_view bytes, uint32_t& blob);
  [[gnu::cold]] void Withdraw(const ElementId& id);
  absl::Status Put(const Element<Event>& element, uint32_t record, std::string_view payload);
  void Chain(uint32_t slot, uint32_t entity, const Element<Event>& element);
  void Replaces(uint32_t slot, const Element<Event>& stood);
  uint32_t EntityOf(const EntityKey& key);
  uint32_t* FindUnit(const Digest& unit) {
    return units_.Find(unit.Prefix(), [&](uint32_t slot) { return UnitOf(slot) == unit; });
  }
  uint32_t* FindEntity(const EntityKey& key) {
    return entity_of_.Find(key.Prefix(), [&](uint32_t entity) { return entities_[entity].key == key; });
  }
  const Digest& GoldKey(const GoldRow& row) const {
    return row.own_key == kNone ? entities_[row.entity].key : own_keys_[row.own_key];
  }
  auto IsGold(const Digest& key) const {
    return [this, &key](uint32_t row) { return GoldKey(gold_[row]) == key; };
  }
  void PassFresh(Touched& touched) const;
  void Leave(uint32_t row);
  void List(uint32_t row);
  typename Due::iterator ListLater(std::pair<UtcTime, uint32_t> early);
  void MakeStale(uint32_t entity);
  void MakeStaleAlone(uint32_t entity) { MakeStaleIn(stale_, entity); }
  void MakeRollupStale(uint32_t entity) { MakeStaleIn(stale_rollups_, entity); }
  void MakeSightedStale(uint32_t entity) { MakeStaleIn(stale_sighted_, entity); }
  void MakeStaleIn(Touched& touched, uint32_t entity) {
    if (!std::exchange(entities_[entity].stale, true)) touched.entities.push_back(entity);
  }
  void See(const Element<Event>& element, uint32_t record);
  [[gnu::cold]] void Unsee(const Element<Event>& element);
  [[gnu::cold]] void CountAgain();
  void Put(const LinkWrite& write);
  void DropSummary(uint32_t entity);
  absl::Status Refreshed(const Derived& derived);
  absl::Status Put(const GoldWrite<Gold>& write);
  absl::Status PutItems(const Gold& gold, GoldRow& row);
  [[gnu::cold]] std::string ItemsOf(const GoldRow& row) const;
  void DropItems(uint64_t from, GoldRow& row);
  void Drop(const GoldWrite<Gold>& write);
  void Count(const Element<Event>& element, int64_t by);
  void KeepLog(const Batch<Pack>& batch);

  bool keep_bronze_;
  Checkpoint checkpoint_;
  Accounting books_;
  std::pair<const UtcTime, FateCounts>* hour_ = nullptr;  // of the books: counted in last
  memory::RecordTable records_;
  uint32_t new_from_ = 0;  // records from this number on are the batch's
  memory::Blobs blobs_;
  std::vector<uint32_t> dropped_;  // in this batch, whose rows may refer to them: kept up to its end
  absl::flat_hash_map<uint32_t, uint32_t> payloads_;  // record -> blob
  Chunked<Slot> slots_;
  absl::flat_hash_set<uint32_t> withdrawn_;  // elements that are gone; their bytes still name their units
  absl::flat_hash_map<uint32_t, std::vector<uint32_t>>
      apart_;                // where elements of a record begin that do not follow its first
  memory::HashIndex units_;  // the latest element of each
  absl::flat_hash_map<Digest, Crowd> crowds_;
  Chunked<Entity> entities_;
  memory::HashIndex entity_of_;
  Touched stale_;
  Chunked<GoldRow> gold_;
  Chunked<Digest> own_keys_;
  memory::HashIndex gold_of_;
  Due due_;                                // rows that are due some time, each at its listed_at
  Touched stale_rollups_, stale_sighted_;  // made of rows, of sightings
  memory::Sightings sightings_;
  absl::flat_hash_set<std::string> to_count_;  // subjects, in this batch
  memory::Timelines timelines_;
  memory::Links links_;
  std::set<Review, decltype(&ReviewedBefore)> reviews_{&ReviewedBefore};
  std::vector<std::string> log_, metrics_;
  std::vector<uint32_t> numbers_;  // of the batch's records
  // Scratch.
  std::vector<uint32_t> glanced_;
  std::vector<Element<Event>> members_;
  std::array<std::vector<uint32_t>, kAhead> chains_;
  std::array<uint64_t, 4 * kAhead> subject_hashes_{};  // of the elements ahead, by place
  size_t place_ = 0;
  PackWriter packed_;
};

// ---------------------------------------------------------------------------------------------------------------
// Fetching

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
  if (element.standing.fate == Fate::kSilver) crowd.winners.push_back(slot);
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
    glanced_ = crowd->winners;
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

// ---------------------------------------------------------------------------------------------------------------
// Writing

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

// The same for elements that are to be written.
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
  return absl::ResourceExhaustedError(
      "the memory store holds 16 GiB of rows and takes no more: use a store on disk");
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

// ---------------------------------------------------------------------------------------------------------------
// Reading back

template <class Pack>
typename Pack::Gold MemoryStore<Pack>::UnpackGold(uint32_t row) const {
  Arena texts;
  PackReader reader(blobs_.At(gold_[row].blob), texts);
  Gold gold;
  medallion::UnpackGold(reader, GoldKey(gold_[row]), gold);
  return gold;
}

template <class Pack>
RowVersion MemoryStore<Pack>::VersionOf(uint32_t row, uint8_t& table) const {
  Arena none;
  PackReader reader(blobs_.At(gold_[row].blob), none);
  return UnpackVersion<Gold>(reader, GoldKey(gold_[row]), table);
}

template <class Pack>
typename Pack::Gold MemoryStore<Pack>::UnpackWholeGold(uint32_t row) const {
  Gold gold = UnpackGold(row);
  gold::Rows<Gold>::Each([&]<class Row>(size_t) {
    if constexpr (IsSeries<Row>) {
      if (Row* const own = std::get_if<Row>(&gold)) own->Take(ItemsOf(gold_[row]));
    }
  });
  return gold;
}

template <class Pack>
template <class Row>
std::optional<Row> MemoryStore<Pack>::Find(const Digest& key) const {
  const uint32_t* const found = gold_of_.Find(key.Prefix(), IsGold(key));
  if (found == nullptr || gold_[*found].blob == kNone) return std::nullopt;
  Gold row = UnpackWholeGold(*found);
  if constexpr (std::same_as<Row, Gold>) {
    return row;
  } else {
    Row* const own = std::get_if<Row>(&row);
    if (own == nullptr) return std::nullopt;
    return std::move(*own);
  }
}

template <class Pack>
std::vector<std::string> MemoryStore<Pack>::Names() const {
  std::vector<std::string> names;
  for (const std::string_view name : SilverTables<Pack>()) names.emplace_back(name);
  for (const std::string_view name : {kQuarantineTable, kAuditTable, kIgnoredTable}) names.emplace_back(name);
  for (const std::string_view name : Pack::kGoldTables) names.emplace_back(name);
  for (const std::string_view name : {kReviewsTable, kMetricsTable}) names.emplace_back(name);
  names.emplace_back(kReconciliationTable);  // empty: nobody can reach into this store
  names.emplace_back(kRunLogTable);
  return names;
}

template <class Pack>
std::vector<uint32_t> MemoryStore<Pack>::SortedSlots(std::string_view table) const {
  struct Place {
    RecordId record;
    uint32_t ordinal;
    uint32_t slot;
  };
  std::vector<Place> places;
  for (uint32_t slot = 0; slot < slots_.size(); ++slot) {
    if (!IsLive(slot)) continue;
    Arena texts;
    const Element<Event> element = Unpack(slot, texts);
    if (!IsShown<Pack>(element, table)) continue;
    places.push_back({records_.IdOf(slots_[slot].record), element.identity.order.ordinal, slot});
  }
  std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
    return std::tie(a.record.at, a.ordinal, a.record.payload) <
           std::tie(b.record.at, b.ordinal, b.record.payload);
  });
  std::vector<uint32_t> slots;
  slots.reserve(places.size());
  for (const Place& place : places) slots.push_back(place.slot);
  return slots;
}

template <class Pack>
BronzeRecord MemoryStore<Pack>::Shown(uint32_t record) const {
  BronzeRecord shown = records_.Show(record);
  const auto payload = payloads_.find(record);
  if (payload != payloads_.end()) shown.payload = blobs_.At(payload->second);
  return shown;
}

template <class Pack>
template <class Emit>
absl::Status MemoryStore<Pack>::ReadGold(size_t table, const Emit& emit) const {
  std::vector<std::pair<Digest, uint32_t>> rows;
  for (uint32_t row = 0; row < gold_.size(); ++row) {
    if (gold_[row].blob != kNone) rows.emplace_back(GoldKey(gold_[row]), row);
  }
  std::sort(rows.begin(), rows.end());
  for (const std::pair<Digest, uint32_t>& row : rows) {
    uint8_t of_table = 0;
    VersionOf(row.second, of_table);
    if (of_table != table) continue;
    absl::Status status;
    ForShown(UnpackWholeGold(row.second), [&](const auto& shown) {
      if (status.ok()) status = emit([&](std::string& line) { AppendJson(shown, line); });
    });
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
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
    append(line);
    return sink(line);
  };
  const auto gold = std::find(Pack::kGoldTables.begin(), Pack::kGoldTables.end(), table);
  if (gold != Pack::kGoldTables.end()) {
    return ReadGold(static_cast<size_t>(gold - Pack::kGoldTables.begin()), emit);
  }
  if (TellsOfRuns(table)) {
    for (const std::string& logged : table == kRunLogTable ? log_ : metrics_) {
      if (auto status = sink(logged); !status.ok()) return status;
    }
    return absl::OkStatus();
  }
  if (table == kReviewsTable) {
    for (const Review& review : reviews_) {
      if (auto status = emit([&](std::string& row) { AppendJson(review, row); }); !status.ok()) return status;
    }
    return absl::OkStatus();
  }
  for (const uint32_t slot : SortedSlots(table)) {
    Arena texts;
    const auto status = emit([&](std::string& row) {
      AppendRow<Pack>(Unpack(slot, texts), Shown(slots_[slot].record), table, row);
    });
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace medallion
