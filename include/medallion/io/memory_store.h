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
// time. ResourceExhausted at some 16 GiB of rows: see memory::Blobs.
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
    absl::flat_hash_map<std::pair<uint64_t, uint64_t>, std::vector<uint32_t>> winners;  // (key, cut) -> slots
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

}  // namespace medallion

#include "medallion/io/memory_store_fetch.h"  // IWYU pragma: export
#include "medallion/io/memory_store_read.h"   // IWYU pragma: export
#include "medallion/io/memory_store_write.h"  // IWYU pragma: export
