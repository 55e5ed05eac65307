// The tables of a store in SQLite, as far as they do not depend on a pack's types: rows go in and come out as
// bytes. SqliteStore is a thin template over this.
//
// For everyone to read, with the columns that the pack's rows show (VisitColumns), preceded by a row number:
//
//   the Silver tables, silver_quarantine_events, silver_duplicate_events_audit, silver_ignored
//                        `element`: the element's number, as in medallion_elements
//   <Pack::kGoldTables>  `row`: as in medallion_gold; of a series << 24 | which of its items
//   ops_reviews, ops_dq_metrics, ops_run_log, ops_reconciliation_log
//                        `row`: order of writing
//   bronze_records       every record; times in microseconds since 1970; `payload` is null once it was forgotten
//
// For the store itself:
//
//   medallion_elements   one row an element; element = record << 24 | ordinal
//     fate, hour         for the books; hour of ingest_ts, counted from 1970
//     body               the element, see PackWhole in io/element_codec.h
//   medallion_gold       the version of each Gold row, the entity it comes from, its table, counted from 0, and when it
//                        is due; `parent` and `body`, its key and the row (see io/gold_codec.h), where others are made of it.
//                        This is what was written; the public table may have been changed by hand
//   medallion_sightings  what is known of each subject: its spelling that sorts first, and maxima
//   medallion_sightings_new  what became known since, packed, in the order of writing: nearly every batch changes rows on
//                        nearly all pages of the table before, so this is folded into it once in many batches
//   medallion_stale, medallion_stale_rollups, medallion_stale_sighted
//                        entities to be derived again (see io/sqlite_stale.h): from elements, from rows, from sightings
//   medallion_entities   one row an entity that was derived: it is fresh up to `batch`; `summary`, or nothing, equals
//                        the elements numbered below `summed`; `model`: Short of the model version. Elements of new records are numbered above all
//                        others; any other write to the entity drops the summary
//   medallion_reviews    every review by its subject, packed
//   medallion_timelines, medallion_links (see io/sqlite_timelines.h)
//   medallion_positions, medallion_meta (pack, data_clock)
//
// Indexes, see io/sqlite_runs.h: from a key to numbers of rows, which are checked against what was asked for.
//
//   medallion_coordinates  CoordinateKey -> record
//   medallion_units        a key of the unit -> element, where it is to be settled
//   medallion_entity_keys  Short of the entity -> number of its row in medallion_entities
//   medallion_gold_keys    Short of the entity -> row of medallion_gold
//   medallion_children     Short of the parent -> row of medallion_gold
//   medallion_sighted      Short of the entity -> number of its row in medallion_sightings
//   medallion_histories    Short of the entity -> element, where it was in its history once
//   medallion_timeline     a key of subject and hour -> element (see io/sqlite_timelines.h)
//
// One thread at a time. Errors: see io/sqlite.h.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "medallion/base/arena.h"
#include "medallion/bronze/record.h"
#include "medallion/gold/merge.h"
#include "medallion/gold/sighting.h"
#include "medallion/io/gold_keeper.h"
#include "medallion/io/sqlite.h"
#include "medallion/io/sqlite_runs.h"
#include "medallion/io/sqlite_stale.h"
#include "medallion/io/sqlite_timelines.h"
#include "medallion/io/store.h"
#include "medallion/io/tables.h"
#include "medallion/silver/accounting.h"

namespace medallion::sqlite {

inline constexpr int64_t kSchemaVersion = 8;
inline constexpr int64_t kApplicationId = 0x4D44'4C4E;  // "MDLN"

// The first eight bytes, most significant first.
uint64_t Short(const Digest& digest);

// Records of one partition have keys that follow each other as their offsets do.
uint64_t CoordinateKey(const Coordinate& at);

// What a glance asks for. Each is the first six bytes of the unit, then a tag of two: of a winner, 1, or a digest of
// (business key, cut) where the unit is more than one key; of a business duplicate, a digest of (business key, fact,
// event id), for it is the first in agreement with that event id: later ones are technical duplicates; of any other, 0.
inline constexpr int kTagBits = 16;
uint64_t WinnerKey(const Identity& identity);
uint64_t EventKey(const Identity& winner, uint64_t event_id);
uint64_t UnitKey(const Digest& unit);  // with the tag 0

// The tables for everyone, in the order of the flow. The Gold tables come after these, counted on from kGold; behind them
// the Silver tables of a pack that has several, save the first.
enum class Table : uint8_t {
  kSilver,
  kQuarantine,
  kAudit,
  kIgnored,
  kReviews,
  kMetrics,
  kRunLog,
  kReconciliation,
  kGold
};
inline constexpr size_t kElementTables = 4;
inline Table GoldTable(size_t number) {
  return static_cast<Table>(static_cast<size_t>(Table::kGold) + number);
}

Table TableOf(Fate fate);  // of an element; of Silver tables the first

// The entities with a row that is due by a time: so many, and which to pass over.
inline constexpr const char* kFindDue =
    "SELECT entity_key FROM medallion_gold WHERE due <= ? ORDER BY due LIMIT ? OFFSET ?";

struct TableShape {
  std::string name;
  std::vector<Column> columns;
  bool of_elements = false;
  bool series = false;  // its rows are items of Gold rows

  // Its primary key: the number of a row, or of the element that the row shows.
  const char* number_column() const { return of_elements ? "element" : "row"; }
};
inline constexpr int kItemBits = 24;

struct StoreShape {
  std::string pack;
  std::vector<TableShape> tables;  // by Table
  size_t silver_tables = 1;
};

// A record that is in the store.
struct KeptRecord {
  int64_t number = 0;  // 0: it is not
  Arrival arrival;
  bool forgotten = false;  // its payload was
};

// What the store keeps of an entity since it was last derived.
struct KeptEntity {
  int64_t number = 0;  // 0: it never was
  int64_t batch = 0;
  int64_t summed = 0;
  std::string_view summary = {};
};

// A Gold row of the `asked`th entity.
struct KeptGold {
  int64_t asked = 0;
  int64_t number = 0;
  GoldVersion version;
  size_t table = 0;
  EntityKey parent;
};

// A Gold row to be written.
struct GoldEntry {
  GoldVersion version;
  UtcTime next_due_at;
  size_t table = 0;
  EntityKey parent = {};
  std::string_view body = {};
  int64_t items_begin = 0, items_end = 0;  // of a series: which are put; those behind go
};

// What is known of a subject.
struct KeptSighting {
  int64_t number = 0;  // 0: it is not in the store
  std::string subject, name;
  EntityKey entity;
  Sighting sighting;
};
template <class Row, class Visitor>
  requires std::same_as<std::remove_const_t<Row>, KeptSighting>
void VisitFields(Row& row, Visitor&& visit) {
  visit(row.number), visit(row.subject), visit(row.name), visit(row.entity), visit(row.sighting.ingest_ts);
  for (auto& most : row.sighting.most) visit(most);
}

// Why an entity is to be derived again.
enum class Stale : uint8_t { kElements, kRollups, kSighted };

class Core {
 public:
  // Opens the store at `path`, or makes it.
  absl::Status Open(const std::string& path, const StoreShape& shape, const SqliteOptions& options);

  Connection& connection() { return connection_; }
  const std::string& path() const { return connection_.path(); }
  RunIndex& units() { return units_; }
  RunIndex& histories() { return histories_; }
  Timelines& timelines() { return timelines_; }

  // Fetching, within a transaction. Watch comes first; it notes the state of the file, so that Begin can refuse
  // a batch that was computed from another one: `anew` at the start of a batch.
  absl::Status Watch(bool anew);
  absl::Status ReadCheckpoint(Checkpoint& checkpoint);
  absl::Status FindRecords(std::span<const RecordId> ids, std::vector<KeptRecord>& records, Arena& texts);
  absl::Status FindReviews(std::span<const Digest> subjects, bool all, std::vector<Review>& reviews);
  absl::Status FindBronze(const BronzeQuery& query, BronzeAnswer& answer);
  // What an index tells of each entity, asked as its place among them; to be checked, as all that an index tells.
  static absl::Status FindOf(std::span<const EntityKey> entities, RunIndex& index, std::vector<Hit>& hits);
  absl::Status FindEntities(std::span<const EntityKey> entities, std::vector<KeptEntity>& kept, Arena& texts);
  absl::Status FindGold(std::span<const EntityKey> entities, std::vector<KeptGold>& rows);
  // Calls use(index of the parent, body) for each row that names one of these entities as its parent, parent by parent.
  template <class Use>
  absl::Status ForChildren(std::span<const EntityKey> parents, Use&& use) {
    std::vector<Hit> hits;
    if (auto status = FindOf(parents, children_, hits); !status.ok()) return status;
    return ForHits(find_children_, hits, [&](Query& query) {
      const auto parent = static_cast<size_t>(query.Int(1));
      if (DigestFrom(query.Text(2)) == parents[parent]) use(parent, query.Text(3));
      return true;
    });
  }
  // Of the subjects that these entities are derived from; with number 0 for those that are derived from none.
  absl::Status FindSightings(std::span<const EntityKey> entities, std::vector<KeptSighting>& found);

  // Further entities that are stale, in the order of their first touch, from `place` on, which moves; some of them may
  // come again. None: that was all. Or such as are due, the earliest first, from the `skip`th on.
  StaleList& stale(Stale why) { return stale_[static_cast<size_t>(why)]; }
  absl::Status ReadStale(StaleList& list, StaleList::Place& place, size_t most,
                         std::vector<EntityKey>& entities);
  absl::Status ReadDue(UtcTime due_by, size_t skip, size_t most, std::vector<EntityKey>& entities);

  // Calls use(element, body) for one element or for all of a record, or use(hit, body) for those of `elements` that are
  // there, in this order. Until it answers false.
  template <class Use>
  absl::Status ForElement(int64_t element, Use&& use) {
    Query query(read_body_, element);
    if (query.Next()) use(element, query.Text(0));
    return query.status();
  }
  template <class Use>
  absl::Status ForElements(std::span<const Hit> elements, Use&& use) {
    return ForHits(read_fed_, elements, [&](Query& query) {
      return use(Hit{query.Int(1), query.Int(0)}, query.Text(2));
    });
  }
  template <class Use>
  absl::Status ForRecord(int64_t record, Use&& use) {
    Query query(read_bodies_, record);
    while (query.Next() && use(query.Int(0), query.Text(1))) {
    }
    return query.status();
  }

  // For keeping Gold, see io/gold_keeper.h.
  absl::Status FindEntities(const EntityQuery& query, EntityAnswer& answer);
  // Calls use(entity, is_rollup) for those that have or make rows touched since, or are made of such sightings.
  absl::Status ForTouched(UtcTime since, absl::FunctionRef<void(const EntityKey&, bool)> use);
  // Calls use(element, body) for the elements that were received since that hour. Until it answers false.
  template <class Use>
  absl::Status ForElementsSince(UtcTime since, Use&& use) {
    Statement read;
    if (auto status = connection_.Prepare(
            "SELECT element, body FROM medallion_elements WHERE hour >= ? OR hour IS NULL", "read elements",
            read);
        !status.ok()) {
      return status;
    }
    Query query(read, HourOf(since).us / kMicrosPerHour);
    while (query.Next() && use(query.Int(0), query.Text(1))) {
    }
    return query.status();
  }
  absl::Status FindShown(std::span<const EntityKey> entities, std::vector<ShownRow>& rows);
  absl::Status FindStrays(std::vector<ShownRow>& rows);
  absl::Status FindHoursAmiss(UtcTime since, std::vector<ReconciliationRow>& rows);
  absl::Status DropShown(std::span<const ShownRow> rows);
  absl::Status PutReconciled(std::span<const ReconciliationRow> rows);

  // Writing, between Begin and the commit of `transaction`.
  absl::Status Begin(Transaction& transaction);
  // Sets the number of each; those from first_new() on are new.
  absl::Status PutRecords(std::span<const RecordWrite> writes, std::vector<int64_t>& numbers);
  int64_t first_new() const { return first_new_; }
  int64_t elements_end() const { return next_record_ << 24; }
  absl::Status ReadRecord(int64_t record, BronzeRecord& out, Arena& texts);
  // Each of the feed's rows: an element's number, fate, hour and body; or its number and the columns of its table. In any
  // order, but those in order come cheaper.
  absl::Status PutElements(Feed elements);
  absl::Status PutRows(Table table, Feed rows);
  absl::Status DropRow(int64_t element, Table table);  // from a table for everyone
  absl::Status DropElement(int64_t element);
  // These are stale; of these the summary no longer holds; these are fresh.
  absl::Status MarkStale(Stale why, std::span<const EntityKey> entities) {
    return stale(why).Note(entities, next_batch_);
  }
  absl::Status DropSummaries(std::span<const EntityKey> entities);
  absl::Status MarkFresh(std::span<const Derived> derived);
  // The rows of these versions; the feed gives the columns of each, in their order; of a series those of its next item.
  absl::Status PutGold(std::span<const GoldEntry> entries, absl::FunctionRef<void(size_t, Cells&)> columns);
  absl::Status DropGold(std::span<const GoldVersion> rows);
  // What is derived from these is stale. The new ones get their numbers.
  absl::Status PutSightings(std::span<KeptSighting> sightings);
  absl::Status DropSighting(const KeptSighting& sighting);
  // Calls use(element, body, direction) for every element there is. Until it answers false.
  template <class Use>
  absl::Status ForAllElements(Use&& use) {
    Query query(read_all_);
    while (query.Next() && use(query.Int(0), query.Text(1), static_cast<Direction>(query.Int(2)))) {
    }
    return query.status();
  }
  absl::Status PutReview(const Review& review);
  absl::Status PutMetrics(std::span<const MetricRow> metrics);

  // Forgetting. The records and reviews whose texts `names` holds for, and those that these reviews are of.
  using Named = absl::FunctionRef<bool(std::string_view text)>;
  absl::Status FindNamed(Named names, std::vector<int64_t>& records, std::vector<Review>& reviews);
  absl::Status ForgetPayload(int64_t record);
  absl::Status ForgetPayload(Review review);
  // Has nothing of what was deleted or overwritten left in the file and its log. Unavailable while another process reads.
  absl::Status Wipe();

  absl::Status PutPosition(std::string_view source, std::string_view position);
  absl::Status RaiseClock(UtcTime clock);
  absl::Status PutLog(const Cells& cells, std::string_view json);
  void Committed() { watched_ = false, loaded_ = true; }

  // The table of Silver rows with this number.
  Table SilverTable(size_t number) const {
    return number == 0 ? Table::kSilver : static_cast<Table>(gold_end() + number - 1);
  }

  // Reading back.
  std::vector<std::string> Names() const;
  absl::Status Read(std::string_view table, const RowSink& sink);
  absl::StatusOr<Accounting> Books();

  // DataLoss: what was read is nothing that we wrote.
  absl::Status Damage(const char* what) const;

 private:
  struct PublicTable {
    TableShape shape;
    Statement put,
        drop;  // one row, or those from one number to before another; those of a feed are put by `feed`
    Statement feed;
  };
  PublicTable& At(Table table) { return tables_[static_cast<size_t>(table)]; }

  absl::StatusOr<bool> IsFresh();
  absl::Status CheckOurs();
  absl::Status Create();
  absl::Status PrepareTables();
  absl::Status Prepare();
  absl::Status PrepareElements();
  absl::Status PrepareGold();
  absl::Status Load();
  // Calls use(query) for each row that a statement over medallion_rows gives, fed with c0 = the hit's value and c1 = what it
  // was asked as. Until it answers false.
  template <class Use>
  absl::Status ForHits(Statement& statement, std::span<const Hit> hits, Use&& use) {
    auto next = hits.begin();
    const auto put = [&](Cells& cells) {
      if (next == hits.end()) return false;
      cells.Put(next->value).Put(next->asked);
      ++next;
      return true;
    };
    Feed feed = put;
    Query query(statement, feed);
    while (query.Next() && use(query)) {
    }
    return query.status();
  }
  absl::Status Check(std::span<const RecordId> ids, std::span<const Hit> hits,
                     std::vector<KeptRecord>& records, Arena& texts);
  absl::Status PutRecords(std::span<const RecordWrite* const> fresh);
  absl::StatusOr<std::vector<KeptGold>> FindGold(std::span<const GoldVersion> rows);
  absl::Status PutVersions(std::span<const GoldEntry> entries, std::span<const KeptGold> stood);
  absl::Status PrepareSightings();
  absl::Status LoadSightings();
  std::vector<const KeptSighting*> NewSightings() const;
  absl::Status FoldSightings();
  absl::Status PrepareReviews();
  absl::Status ReadKept(int64_t record, BronzeAnswer& answer);
  absl::Status PickRecords(Query& query, size_t most, std::vector<int64_t>& records);
  absl::Status DropStood(const KeptGold& stood);
  absl::Status PutShown(size_t table, std::span<const GoldEntry> entries, std::span<const KeptGold> stood,
                        absl::FunctionRef<void(size_t, Cells&)> columns);
  absl::Status PutItems(size_t table, std::span<const GoldEntry> entries, std::span<const KeptGold> stood,
                        absl::FunctionRef<void(size_t, Cells&)> columns);
  size_t tables() const { return shape_size_; }
  size_t gold_end() const { return shape_size_ + 1 - silver_tables_; }
  absl::Status CountFates(Accounting& books);
  absl::Status CountShown(Table table, UtcTime since, std::map<std::string, int64_t>& hours);

  Connection connection_;  // first: what follows refers to it
  std::string pack_;
  std::unique_ptr<PublicTable[]> tables_;
  size_t shape_size_ = 0;
  size_t silver_tables_ = 1;
  RunIndex coordinates_{"medallion_coordinates", 0};
  RunIndex units_{"medallion_units", kTagBits};
  RunIndex histories_{"medallion_histories", 64};
  RunIndex entities_{"medallion_entity_keys", 0};
  RunIndex gold_{"medallion_gold_keys", 0};
  Timelines timelines_;
  RunIndex children_{"medallion_children", 0};
  RunIndex sighted_{"medallion_sighted", 0};
  std::array<RunIndex*, 7> indexes_ = {&coordinates_, &units_,    &histories_, &entities_,
                                       &gold_,        &children_, &sighted_};
  std::array<StaleList, 3> stale_ = {StaleList("medallion_stale"), StaleList("medallion_stale_rollups"),
                                     StaleList("medallion_stale_sighted")};  // by Stale
  Statement data_version_, read_clock_, read_positions_, find_records_, read_record_, top_record_;
  Statement put_records_, put_arrival_;
  Statement read_body_, read_fed_, read_bodies_, put_elements_, drop_element_;
  Statement top_entity_, read_entities_, put_entities_, drop_summary_;
  Statement find_gold_, find_due_, top_gold_, put_gold_, drop_gold_, find_children_;
  Statement top_sighting_, find_sightings_, put_sightings_, drop_sighting_, read_all_;
  Statement read_new_sightings_, note_sightings_, clear_new_sightings_;
  Statement put_position_, raise_clock_, last_log_;
  Statement count_reviews_, read_reviews_, read_all_reviews_, put_review_, changes_;
  Statement page_records_, page_quarantine_, find_quarantine_;
  bool watched_ = false;
  int64_t watched_version_ = 0;
  bool loaded_ = false;  // what is kept in memory is that of the file at `loaded_version_`
  int64_t loaded_version_ = 0;
  int64_t next_record_ = 1;
  int64_t first_new_ = 1;
  int64_t next_entity_ = 1;
  int64_t next_sighting_ = 1;
  absl::flat_hash_map<EntityKey, KeptSighting>
      new_sightings_;           // that medallion_sightings_new holds, the latest of each
  size_t noted_sightings_ = 0;  // in medallion_sightings_new, repeated ones too
  int64_t next_batch_ = 1;      // of entities that are noted as stale
  // While a batch is written: numbers of its new Gold rows, the first and the next.
  int64_t first_new_gold_ = 0, next_gold_ = 0;
};

}  // namespace medallion::sqlite
