// A store in one SQLite file, which everyone can open: Bronze, the public tables with the columns of the
// pack's rows, and what the store needs for itself (see io/sqlite_core.h for all tables).
//
// A batch is one transaction, position and data clock included, on a write-ahead log: a process may die at
// any point, and the next one continues from the last whole batch. Others may read the file meanwhile. They
// may not write to it: a batch computed from tables that another process has changed since is refused.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "medallion/io/element_codec.h"
#include "medallion/io/element_tables.h"
#include "medallion/io/gold_codec.h"
#include "medallion/io/gold_keeper.h"
#include "medallion/io/sqlite_core.h"
#include "medallion/io/store.h"
#include "medallion/io/tables.h"

namespace medallion {

// One thread at a time. Errors name the path and what was being done, see io/sqlite.h; and Aborted where
// another process wrote in between. After any error nothing of the batch was kept, and the store can still be
// used.
template <class Pack>
class SqliteStore final : public Store<Pack>, public Tables, public GoldKeeper<Pack> {
 public:
  using Event = typename Pack::Event;
  using Gold = typename Pack::Gold;

  // Opens the store at `path`, or makes one there. FailedPrecondition, and the file left as it was, if it is
  // of another schema version, of another pack, or of another program.
  static absl::StatusOr<std::unique_ptr<SqliteStore>> Open(const std::string& path,
                                                           const SqliteOptions& options = {});

  absl::Status Seen(std::span<const RecordId> records, SeenAnswer& answer) override;
  absl::Status Known(const KnownQuery<Event>& query, KnownAnswer<Event>& answer) override;
  absl::Status Bronze(const BronzeQuery& query, BronzeAnswer& answer) override;
  absl::Status Timelines(const TimelineQuery& query, TimelineAnswer<Event>& answer) override;
  absl::Status History(const HistoryQuery& query, HistoryAnswer<Pack>& answer) override;
  absl::Status Apply(const Batch<Pack>& batch) override;

  // Removes every text that `names` holds for: payloads in Bronze and in quarantine, repairs, and what the pack's rows keep
  // beside their columns (Pack::Forget). Sessions, fates and books stay; a record stays known by its digest, and stays as it
  // is: a redelivery does not bring the text back. Then the file is written anew, so that the bytes are gone from it and from
  // its log; this takes as much room again for a while. Returns how many records and repairs had such a text. Unavailable
  // where others hold the file: then what is shown is gone, and the call is to be made again for the bytes.
  absl::StatusOr<int64_t> Forget(absl::FunctionRef<bool(std::string_view text)> names);

  std::vector<std::string> Names() const override { return core_.Names(); }
  absl::Status Read(std::string_view table, const RowSink& sink) override { return core_.Read(table, sink); }
  absl::StatusOr<Accounting> Books() override { return core_.Books(); }

  absl::Status Entities(const EntityQuery& query, EntityAnswer& answer) override;
  absl::Status TouchTimelines() override;
  absl::Status TouchedSince(UtcTime since, std::vector<EntityKey>& entities) override;
  absl::Status Shown(std::span<const EntityKey> entities, std::vector<ShownRow>& rows) override;
  absl::Status Strays(std::vector<ShownRow>& rows) override;
  absl::Status HoursAmiss(UtcTime since, std::vector<ReconciliationRow>& rows) override;
  absl::Status Repair(const Batch<Pack>& batch, std::span<const ShownRow> strays,
                      std::span<const ReconciliationRow> log) override;

 private:
  SqliteStore() = default;

  // Calls read() within one state of the tables.
  template <class Read>
  absl::Status Reading(Read&& read) {
    sqlite::Transaction reading(core_.connection());
    absl::Status status = reading.Begin(sqlite::Transaction::kRead);
    if (status.ok()) status = core_.Watch(/*anew=*/false);
    return status.ok() ? read() : status;
  }

  using ElementRow = Element<Event>;
  static constexpr int kOrdinalBits = 24;

  static sqlite::TableShape SilverShape(size_t table) {
    return {.name = std::string(SilverTables<Pack>()[table]),
            .columns = sqlite::ColumnsOf<Event>(SilverSample<Pack>(table)),
            .of_elements = true};
  }
  // The table for everyone that shows the element.
  sqlite::Table TableOf(const ElementRow& element) const {
    if (element.standing.fate != Fate::kSilver) return sqlite::TableOf(element.standing.fate);
    return core_.SilverTable(SilverTableOf<Pack>(element.row));
  }

  static bool IsOn(const TimelinePart& part, const ElementRow& element) {
    const auto mark = memory::MarkOf<Pack>(element);
    if (!mark.has_value() || mark->subject != part.subject || (mark->detail && !part.details)) return false;
    return part.span.Holds(mark->event_ts) || part.span.Holds(mark->ingest_ts);
  }

  // Reading.
  absl::Status Unpack(int64_t number, std::string_view body, ElementRow& element, Arena& texts) const;
  absl::Status ReadElement(int64_t number, std::optional<ElementRow>& element, Arena& texts);
  absl::Status FindWinners(std::span<const ElementRow> arrived, std::vector<Glance>& glances, Arena& texts);
  absl::Status FindEvents(std::span<const ElementRow> arrived, std::vector<Glance>& glances, Arena& texts);
  absl::Status FindUnits(std::span<const ElementRow> arrived, std::vector<Glance>& glances);
  absl::Status ReadUnits(std::span<const Digest> units, KnownAnswer<Event>& answer);
  absl::Status ReadRecords(std::span<const RecordId> records, KnownAnswer<Event>& answer);

  // Where the entities that History asks for come from: first those given, then the stale, then the due.
  struct AskedFor {
    size_t given = 0;
    std::vector<sqlite::Stale> stale_left = {};  // lists, the next to be read last
    sqlite::StaleList::Place stale = {};         // in that list
    bool due_left = false;
    size_t due = 0;
    size_t skip = 0;  // stale ones that are still to be passed over
    absl::flat_hash_set<EntityKey> taken = {};
  };
  absl::Status ReadStale(AskedFor& from, size_t most, std::vector<EntityKey>& found);
  absl::Status NextEntities(const HistoryQuery& query, AskedFor& from, std::vector<EntityKey>& next);
  absl::Status ReadHistories(std::span<const EntityKey> entities, const HistoryQuery& query,
                             HistoryAnswer<Pack>& answer);
  absl::Status ReadHistory(const EntityKey& entity, const sqlite::KeptEntity& kept,
                           std::span<const sqlite::Hit> elements, HistoryAnswer<Pack>& answer);
  absl::Status ReadJoined(const EntityKey& root, const sqlite::KeptEntity& kept, HistoryAnswer<Pack>& answer);
  // The rows that name each entity as their parent, and the sighting that it is derived from.
  struct Rollup {
    std::vector<std::string_view> children;
    sqlite::KeptSighting sighting;
  };
  absl::Status ReadRollups(std::span<const EntityKey> entities, std::vector<Rollup>& rollups, Arena& texts);
  void See(const ElementRow& element, Direction direction);
  absl::Status Unsee(const ElementRow& element);
  absl::Status PutSightings();
  absl::Status CountAgain();

  // Writing.
  absl::Status PutAll(const Batch<Pack>& batch);
  absl::Status Withdraw(std::span<const ElementId> withdrawn);
  absl::Status PutElements(const Batch<Pack>& batch);
  // An element on its way into the tables.
  struct Placed {
    const ElementRow* element;
    int64_t number;              // its own; of its record, until that was found
    const BronzeRecord* record;  // its own, if that is new
  };
  absl::Status Place(const Batch<Pack>& batch, std::vector<Placed>& placed);
  absl::Status Prepare(const Placed& at);
  absl::Status Replaces(int64_t number, const ElementRow& stood);
  void Find(const ElementRow& element, int64_t number, const std::optional<ElementRow>& stood);
  absl::Status PutBodies(std::span<const Placed> placed);
  absl::Status PutRows(sqlite::Table table, std::span<const Placed> placed);
  // Those of one, or of two: one that was reviewed is in quarantine, too.
  void AddTables(const Placed& at, std::map<sqlite::Table, std::vector<Placed>>& by_table) const;
  absl::Status PutColumns(const Placed& at, sqlite::Table table, sqlite::Cells& cells);
  absl::Status PutLinks(const Batch<Pack>& batch);
  absl::Status AddRoots(std::vector<EntityKey>& entities);
  absl::Status MarkEntities(std::span<const Derived> derived);
  absl::Status PutGold(std::span<const GoldWrite<Gold>> gold);
  absl::Status ForgetRecord(int64_t record, absl::FunctionRef<bool(std::string_view)> names);
  absl::StatusOr<int64_t> NumberOf(int64_t record, uint32_t ordinal) const;

  sqlite::Core core_;
  // Of the batch: numbers of its records, what is to go into the indexes, what it makes stale.
  std::vector<int64_t> numbers_;
  std::vector<sqlite::Entry> units_, histories_;
  std::vector<EntityKey> stale_, unsummed_;
  absl::flat_hash_map<std::string, sqlite::KeptSighting> seen_;  // by subject
  std::set<std::string> to_count_;                               // subjects
  sqlite::Cells cells_;                                          // scratch
  PackWriter body_;
  std::string json_;
};

template <class Pack>
absl::StatusOr<std::unique_ptr<SqliteStore<Pack>>> SqliteStore<Pack>::Open(const std::string& path,
                                                                           const SqliteOptions& options) {
  using sqlite::ColumnsOf;
  sqlite::StoreShape shape{.pack = std::string(Pack::kName),
                           .tables = {SilverShape(0),
                                      {std::string(kQuarantineTable), ColumnsOf<QuarantineRow>(), true},
                                      {std::string(kAuditTable), ColumnsOf<AuditRow>(), true},
                                      {std::string(kIgnoredTable), ColumnsOf<IgnoredRow>(), true},
                                      {std::string(kReviewsTable), ColumnsOf<Review>()},
                                      {std::string(kMetricsTable), ColumnsOf<MetricRow>()},
                                      {std::string(kRunLogTable), ColumnsOf<RunLogRow>()},
                                      {std::string(kReconciliationTable), ColumnsOf<ReconciliationRow>()}},
                           .silver_tables = SilverTables<Pack>().size()};
  gold::Rows<Gold>::Each([&]<class Row>(size_t table) {
    shape.tables.push_back({.name = std::string(Pack::kGoldTables[table]),
                            .columns = ColumnsOf<typename gold::Shown<Row>::Type>(),
                            .series = IsSeries<Row>});
  });
  for (size_t table = 1; table < shape.silver_tables; ++table) shape.tables.push_back(SilverShape(table));
  std::unique_ptr<SqliteStore> store(new SqliteStore);
  if (auto status = store->core_.Open(path, shape, options); !status.ok()) return status;
  return store;
}

}  // namespace medallion

#include "medallion/io/sqlite_store_fetch.h"   // IWYU pragma: export
#include "medallion/io/sqlite_store_forget.h"  // IWYU pragma: export
#include "medallion/io/sqlite_store_keep.h"    // IWYU pragma: export
#include "medallion/io/sqlite_store_write.h"   // IWYU pragma: export
