// Keeping Gold: stores that agree on every Gold table, sweeps, other versions of the rules, and reconciling a file that a
// hand reached into.

#include <sqlite3.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "catch.h"
#include "medallion/gold/version_diff.h"
#include "medallion/io/forwarding_store.h"
#include "medallion/io/quarantine.h"
#include "medallion/io/reconcile.h"
#include "medallion/io/rederive.h"
#include "medallion/ocpp/identify.h"
#include "medallion/ocpp/run_sqlite.h"
#include "tests/laws.h"
#include "tests/stores.h"

namespace medallion::ocpp {
namespace {

using testing::Random;
using Records = std::vector<BronzeRecord>;
using TableTexts = std::map<std::string, std::string>;
using Sqlite = SqliteStore<Charging>;

TableTexts TextsOf(Tables& tables) {
  TableTexts texts;
  for (const std::string& name : tables.Names()) {
    if (name == kRunLogTable || name == kReconciliationTable) continue;
    std::string& text = texts[name];
    const auto add = [&](std::string_view row) { return text.append(row) += '\n', absl::OkStatus(); };
    REQUIRE(tables.Read(name, add).ok());
  }
  return texts;
}

std::vector<std::string> LinesOf(Tables& tables, std::string_view table) {
  std::vector<std::string> lines;
  REQUIRE(tables.Read(table, [&](std::string_view row) { return lines.emplace_back(row), absl::OkStatus(); })
              .ok());
  return lines;
}

testing::Feed FeedOf(uint64_t seed) {
  return seed % 3 == 2 ? testing::MakeFrameFeed(seed) : testing::MakeNastyFeed(seed);
}

UtcTime LastIngest(const Records& records) {
  UtcTime last{0};
  for (const BronzeRecord& record : records) last = std::max(last, record.ingest_ts);
  return last;
}

// The charging pack without its timelines: each transaction by its own facts.
struct Alone : Charging {
  static Resolution Resolve(const Timeline<ChargingEvent>&, const Options&) = delete;
};

template <class Pack = Charging>
std::unique_ptr<SqliteStore<Pack>> InMemory() {
  auto store = SqliteStore<Pack>::Open(":memory:");
  REQUIRE(store.ok());
  return *std::move(store);
}

template <class Pack>
void TakeAll(Store<Pack>& store, const Records& records, const Options& options, Refresh refresh,
             uint64_t seed) {
  Runner<Pack> runner(store, options, {.refresh = refresh});
  Random cuts(seed);
  for (size_t begin = 0; begin < records.size();) {
    const size_t size = std::min(records.size() - begin, static_cast<size_t>(1 + cuts.Below(40)));
    REQUIRE(runner.Take(std::span(records).subspan(begin, size), "").ok());
    begin += size;
  }
  REQUIRE(runner.Sweep(kNoTime).ok());
}

TEST_CASE("gold: all stores show the same rows in every table") {
  size_t with_intervals = 0;
  for (uint64_t seed = 0; seed < testing::LawSeeds() / 10 + 3; ++seed) {
    CAPTURE(seed);
    const testing::Feed feed = FeedOf(seed);
    const Options options;
    const Refresh refresh = seed % 4 == 0 ? Refresh::kAtEnd : Refresh::kEachBatch;
    MemoryStore<Charging> memory(/*keep_bronze=*/true);
    MapStore<Charging> map;
    const auto sqlite = InMemory();
    TakeAll<Charging>(memory, feed.records, options, refresh, seed);
    TakeAll<Charging>(map, feed.records, options, refresh, seed);
    TakeAll<Charging>(*sqlite, feed.records, options, refresh, seed);
    const TableTexts expected = TextsOf(memory);
    with_intervals += expected.at("gold_meter_intervals").empty() ? 0 : 1;
    REQUIRE(TextsOf(map) == expected);
    REQUIRE(TextsOf(*sqlite) == expected);
  }
  REQUIRE(with_intervals > 0);
}

// -----------------------------------------------------------------------------------------------------------
// Sweeps

// Notes which rows are written.
class WritesStore : public ForwardingStore<Charging> {
 public:
  using ForwardingStore::ForwardingStore;
  absl::Status Apply(const Batch<Charging>& batch) override {
    for (const auto& write : batch.gold) written.insert(write.version.key);
    return ForwardingStore::Apply(batch);
  }
  std::set<Digest> written;
};

// Notes what is asked of it, too.
class AskedStore final : public WritesStore {
 public:
  using WritesStore::WritesStore;
  absl::Status History(const HistoryQuery& query, HistoryAnswer<Charging>& answer) override {
    REQUIRE(!query.whole);
    REQUIRE(query.entities.empty());  // a sweep names none itself
    const absl::Status status = ForwardingStore::History(query, answer);
    for (const EntityHistory& entity : answer.entities) asked.insert(entity.entity);
    return status;
  }
  absl::Status Known(const KnownQuery<ChargingEvent>&, KnownAnswer<ChargingEvent>&) override {
    return absl::InternalError("a sweep settles nothing");
  }
  std::set<EntityKey> asked;
};

// Sessions of one charge point each, so many, each begun an hour after the one before.
std::vector<std::string> OpenSessions(int64_t count) {
  std::vector<std::string> payloads;
  for (int64_t i = 0; i < count; ++i) {
    const std::string n = std::to_string(i);
    const UtcTime at{1'772'000'000'000'000 + i * kMicrosPerHour};
    payloads.push_back(R"({"event_id":"e)" + n +
                       R"(","event_type":"StartTransaction","charge_point_id":"CP-)" + n +
                       R"(","connector_id":1,"transaction_id":)" + std::to_string(500 + i) +
                       R"(,"event_ts":")" + FormatTime(at) + R"(","meter_wh":1000})");
  }
  return payloads;
}

TEST_CASE("gold: a sweep asks for what is due, and for nothing else") {
  const Options options;
  const std::vector<std::string> payloads = OpenSessions(200);
  Records records;
  for (size_t i = 0; i < payloads.size(); ++i) {
    const UtcTime at{1'772'000'000'000'000 + static_cast<int64_t>(i) * kMicrosPerHour};
    records.push_back({.payload = payloads[i],
                       .at = {.topic = "ocpp", .offset = static_cast<int64_t>(i)},
                       .broker_ts = at,
                       .ingest_ts = at});
  }
  MemoryStore<Charging> memory;
  const auto sqlite = InMemory();
  for (Store<Charging>* inner :
       {static_cast<Store<Charging>*>(&memory), static_cast<Store<Charging>*>(&*sqlite)}) {
    TakeAll<Charging>(*inner, records, options, Refresh::kAtEnd, 1);
    AskedStore store(*inner);
    // Half an hour later the charge point that was heard of last goes offline.
    const UtcTime last = records.back().ingest_ts;
    REQUIRE(Sweep<Charging>(store, {last.us + kMicrosPerHour / 2}, options).ok());
    CHECK(store.asked == std::set<EntityKey>{HealthKey("CP-199")});
    // After one hour and a half: of all sessions the one that began 23 hours before the last has timed out, and its day
    // and, for that, its charge point are derived again.
    store.asked.clear(), store.written.clear();
    REQUIRE(Sweep<Charging>(store, {last.us + kMicrosPerHour * 3 / 2}, options).ok());
    CHECK(store.asked.size() == 3);
    CHECK(store.asked.contains(HealthKey("CP-176")));
    CHECK(store.written.size() == 3);
    // The same again touches nothing.
    store.asked.clear(), store.written.clear();
    REQUIRE(Sweep<Charging>(store, {last.us + kMicrosPerHour * 3 / 2}, options).ok());
    CHECK(store.asked.empty());
    CHECK(store.written.empty());
  }
}

TEST_CASE("law: incremental runs and sweeps at any clocks end in the tables of one run and one sweep") {
  for (uint64_t seed = 0; seed < testing::LawSeeds() / 4 + 3; ++seed) {
    CAPTURE(seed);
    const testing::Feed feed = FeedOf(seed);
    const Options options;
    Random random(seed);
    const UtcTime last{LastIngest(feed.records).us + random.Below(60) * kMicrosPerHour};
    MemoryStore<Charging> at_once;
    Runner<Charging> whole(at_once, options, {.refresh = Refresh::kAtEnd});
    REQUIRE(whole.Take(feed.records, "").ok());
    REQUIRE(whole.Sweep(last).ok());

    MemoryStore<Charging> memory;
    const auto sqlite = InMemory();
    Store<Charging>& store = seed % 5 == 0 ? static_cast<Store<Charging>&>(*sqlite) : memory;
    Tables& tables = seed % 5 == 0 ? static_cast<Tables&>(*sqlite) : memory;
    const Records records = testing::Disturbed(feed.records, random);
    const UtcTime first = records.front().ingest_ts;
    for (size_t begin = 0; begin < records.size();) {
      const auto size = std::min(records.size() - begin, static_cast<size_t>(1 + random.Below(40)));
      const Refresh refresh = random.Chance(500'000) ? Refresh::kEachBatch : Refresh::kAtEnd;
      Runner<Charging> runner(store, options, {.refresh = refresh});
      REQUIRE(runner.Take(std::span(records).subspan(begin, size), "").ok());
      begin += size;
      if (!random.Chance(300'000)) continue;
      const int64_t span = std::max<int64_t>(1, last.us - first.us);
      REQUIRE(Sweep<Charging>(store, {std::min(last.us, first.us + random.Below(span))}, options).ok());
    }
    REQUIRE(Sweep<Charging>(store, last, options).ok());
    REQUIRE(TextsOf(tables) == TextsOf(at_once));
  }
}

// Every row by its key.
std::map<Digest, Charging::Gold> RowsOf(const MapStore<Charging>& store) {
  std::map<Digest, Charging::Gold> rows;
  for (const auto& [key, write] : store.gold()) rows.emplace(key, write.row);
  return rows;
}

TEST_CASE("law: a late record writes the rows that change, and no other") {
  size_t changes = 0;
  const uint64_t seeds = testing::LawSeeds() / 4 + 20;
  for (uint64_t seed = 0; seed < seeds; ++seed) {
    const testing::Feed feed = FeedOf(seed);
    const Options options;
    Random random(seed);
    const auto late = static_cast<size_t>(random.Below(static_cast<int64_t>(feed.records.size())));
    CAPTURE(seed, late);
    Records others = feed.records;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(late));
    MapStore<Charging> map;
    TakeAll<Charging>(map, others, options, Refresh::kEachBatch, seed);
    const auto before = RowsOf(map);
    WritesStore store(map);
    Runner<Charging> runner(store, options);
    REQUIRE(runner.Take({&feed.records[late], 1}, "").ok());
    std::set<Digest> changed;
    const auto after = RowsOf(map);
    for (const auto& [key, row] : before) {
      const auto now = after.find(key);
      if (now == after.end() || !(now->second == row)) changed.insert(key);
    }
    for (const auto& [key, row] : after) {
      if (!before.contains(key)) changed.insert(key);
    }
    REQUIRE(store.written == changed);
    changes += changed.size();
  }
  CHECK(changes > seeds / 2);
}

// -----------------------------------------------------------------------------------------------------------
// Versions

TEST_CASE("law: rows derived again under other options are those of a store that always had them") {
  for (uint64_t seed = 0; seed < testing::LawSeeds() / 10 + 3; ++seed) {
    CAPTURE(seed);
    const testing::Feed feed = FeedOf(seed);
    Options before, after;
    before.session_timeout_us = 2 * kMicrosPerHour;
    before.meter_intervals = seed % 2 == 0;
    after.power_max_w = 9'000;
    REQUIRE(absl::LoadTimeZone("Europe/Berlin", &after.site_zone));
    const auto store = InMemory(), expected = InMemory();
    TakeAll<Charging>(*store, feed.records, before, Refresh::kEachBatch, seed);
    TakeAll<Charging>(*expected, feed.records, after, Refresh::kAtEnd, seed);
    const auto report = Rederive<Charging>(*store, *store, after);
    REQUIRE(report.ok());
    REQUIRE(report->entities > 0);
    REQUIRE(TextsOf(*store) == TextsOf(*expected));
    const auto again = Rederive<Charging>(*store, *store, after);
    REQUIRE(again.ok());
    REQUIRE(again->entities == 0);
    // And records go on from there.
    const testing::Feed more = FeedOf(seed + 1);
    TakeAll<Charging>(*store, more.records, after, Refresh::kEachBatch, seed);
    TakeAll<Charging>(*expected, more.records, after, Refresh::kEachBatch, seed);
    REQUIRE(TextsOf(*store) == TextsOf(*expected));
  }
}

VersionDiff DiffOf(SqliteStore<Alone>& store, const Options& before, const Options& after) {
  SeenAnswer seen;
  REQUIRE(store.Seen({}, seen).ok());
  DiffVersions<Alone> diff(before, after, seen.checkpoint.data_clock);
  EntityQuery query;
  for (;;) {
    EntityAnswer found;
    REQUIRE(store.Entities(query, found).ok());
    if (found.entities.empty()) return diff.Finish();
    query.after = found.last;
    HistoryAnswer<Alone> history;
    REQUIRE(store.History({.entities = found.entities, .whole = true, .rows_max = 1'000'000}, history).ok());
    diff.Add(history.histories());
  }
}

// Rows of each table by what names them, without the columns that another version changes of itself.
std::map<std::string, std::string> RowsByKey(Tables& tables, size_t table) {
  std::map<std::string, std::string> rows;
  for (const std::string& line : LinesOf(tables, Charging::kGoldTables[table])) {
    std::string& row = rows[KeyText(line, Charging::kGoldKeys[table])];
    for (const ColumnDifference& column : DifferingColumns("{}", line)) {
      const std::string& name = column.column;
      if (name == "model_version" || name == "updated_at") continue;
      row += name + "=" + column.derived.value_or("null") + " ";
    }
  }
  return rows;
}

// What the energies of the sessions differ by, in thousandths of kWh.
absl::int128 EnergyChange(Tables& one, Tables& other) {
  std::map<std::string, int64_t> change;
  const auto add = [&](Tables& tables, int64_t sign) {
    for (const std::string& line : LinesOf(tables, Charging::kGoldTables[0])) {
      const auto kwh = Decimal::Parse(KeyText(line, "energy_kwh"));
      if (kwh.has_value()) change[KeyText(line, "session_id")] += sign * *kwh->Rounded(3);
    }
  };
  add(one, -1), add(other, 1);
  absl::int128 sum = 0;
  for (const auto& [session, kwh] : change) sum += kwh < 0 ? -kwh : kwh;
  return sum;
}

TEST_CASE("law: what two option sets differ in is what two stores differ in") {
  int64_t changed = 0;
  for (uint64_t seed = 0; seed < testing::LawSeeds() / 10 + 3; ++seed) {
    CAPTURE(seed);
    const testing::Feed feed = FeedOf(seed);
    Options before, after;
    after.session_timeout_us = 2 * kMicrosPerHour;
    after.power_max_w = 9'000;
    const auto one = InMemory<Alone>(), other = InMemory<Alone>();
    TakeAll<Alone>(*one, feed.records, before, Refresh::kAtEnd, seed);
    TakeAll<Alone>(*other, feed.records, after, Refresh::kAtEnd, seed);
    const TableTexts stood = TextsOf(*one);
    const VersionDiff diff = DiffOf(*one, before, after);
    REQUIRE(TextsOf(*one) == stood);
    for (size_t table = 0; table + 1 < Charging::kGoldTables.size(); ++table) {
      CAPTURE(Charging::kGoldTables[table]);
      const auto a = RowsByKey(*one, table), b = RowsByKey(*other, table);
      TableDiff expected{.table = std::string(Charging::kGoldTables[table])};
      for (const auto& [key, row] : a) {
        const auto twin = b.find(key);
        ++(twin == b.end() ? expected.gone : twin->second == row ? expected.same : expected.changed);
      }
      for (const auto& [key, row] : b) expected.added += a.contains(key) ? 0 : 1;
      REQUIRE(diff.tables[table].same == expected.same);
      REQUIRE(diff.tables[table].changed == expected.changed);
      REQUIRE(diff.tables[table].added == expected.added);
      REQUIRE(diff.tables[table].gone == expected.gone);
      changed += expected.changed;
    }
    REQUIRE(diff.measure_change_sum == EnergyChange(*one, *other));
    for (const TableDiff& table : DiffOf(*one, before, before).tables) {
      REQUIRE(table.changed + table.added + table.gone == 0);
    }
  }
  CHECK(changed > 0);
}

// -----------------------------------------------------------------------------------------------------------
// Reconciling

// A file that goes with the test.
class File {
 public:
  explicit File(const std::string& name) : path_(std::filesystem::temp_directory_path() / name) { Remove(); }
  ~File() { Remove(); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  std::string path() const { return path_.string(); }

 private:
  void Remove() const {
    for (const char* end : {"", "-wal", "-shm"}) std::filesystem::remove(path_.string() + end);
  }
  std::filesystem::path path_;
};

// What somebody types into sqlite3.
void Type(const std::string& path, const std::string& sql) {
  sqlite3* db = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &db) == SQLITE_OK);
  char* message = nullptr;
  const int code = sqlite3_exec(db, sql.c_str(), nullptr, nullptr, &message);
  CAPTURE(sql, message == nullptr ? "" : message);
  CHECK(code == SQLITE_OK);
  sqlite3_free(message);
  sqlite3_close(db);
}

struct Reconciled {
  ReconcileReport report;
  std::vector<std::string> log;
};
Reconciled ReconcileAll(const std::string& path, const Options& options) {
  auto store = Sqlite::Open(path);
  REQUIRE(store.ok());
  const auto report = Reconcile<Charging>(**store, **store, options, 100'000);
  CAPTURE(report.status().message());
  REQUIRE(report.ok());
  return {*report, LinesOf(**store, kReconciliationTable)};
}

TEST_CASE("gold: what a hand did to any Gold table is found and repaired") {
  const File file("medallion_keep_gold_test.db");
  const Options options;
  TableTexts healthy;
  {
    auto store = Sqlite::Open(file.path());
    REQUIRE(store.ok());
    for (const uint64_t seed : {0u, 1u, 2u, 3u})
      TakeAll<Charging>(**store, FeedOf(seed).records, options, Refresh::kEachBatch, seed);
    healthy = TextsOf(**store);
  }
  const Reconciled first = ReconcileAll(file.path(), options);
  CHECK(first.report.entities > 0);
  CHECK(first.report.rows > 0);
  CHECK(first.report.differences == 0);
  CHECK(first.report.duplicate_facts == 0);
  CHECK(first.report.hours_amiss == 0);
  CHECK(first.log.empty());

  struct Case {
    std::string sql;
    int64_t differences;  // for each table
  };
  for (const std::string_view name : Charging::kGoldTables) {
    const std::string table(name);
    const std::string one = "(SELECT row FROM " + table + " ORDER BY row LIMIT 1 OFFSET 1)";
    for (
        const Case& c : std::initializer_list<Case>{
            {"UPDATE " + table + " SET updated_at = '2020-01-01T00:00:00.000000Z' WHERE row = " + one, 1},
            {"UPDATE " + table + " SET model_version = NULL WHERE row = " + one, 1},
            {"DELETE FROM " + table + " WHERE row = " + one, 1},
            // Twice: the number is a new one.
            {"CREATE TEMP TABLE t AS SELECT * FROM " + table + " WHERE row = " + one +
                 "; UPDATE t SET row = (SELECT max(row) + 1000000000000 FROM " + table + "); INSERT INTO " +
                 table + " SELECT * FROM t",
             1},
            // The key itself: of the row's number, so its own columns differ; the number: one is gone, one too many.
            {"UPDATE " + table + " SET row = (SELECT max(row) + 1000000000000 FROM " + table +
                 ") WHERE row = " + one,
             2},
            // A row of nothing.
            {"INSERT INTO " + table + "(row) VALUES(-7)", 1},
        }) {
      CAPTURE(c.sql);
      Type(file.path(), c.sql);
      const Reconciled damaged = ReconcileAll(file.path(), options);
      CHECK(damaged.report.differences == c.differences);
      auto store = Sqlite::Open(file.path());
      REQUIRE(store.ok());
      REQUIRE(TextsOf(**store) == healthy);
      store->reset();
      CHECK(ReconcileAll(file.path(), options).report.differences == 0);
    }
    Type(file.path(), "DELETE FROM " + table);
    CHECK(ReconcileAll(file.path(), options).report.differences > 1);
    auto store = Sqlite::Open(file.path());
    REQUIRE(store.ok());
    REQUIRE(TextsOf(**store) == healthy);
  }
}

TEST_CASE("gold: the log says what was found, where, and when") {
  const File file("medallion_keep_gold_log_test.db");
  const Options options;
  const std::string start =
      R"({"event_id":"e1","event_type":"StartTransaction","charge_point_id":"CP-100","transaction_id":501,)"
      R"("event_ts":"2026-03-01T10:00:00Z","meter_wh":1000})";
  const std::string stop =
      R"({"event_id":"e5","event_type":"StopTransaction","charge_point_id":"CP-100","transaction_id":501,)"
      R"("event_ts":"2026-03-01T10:30:00Z","meter_kwh":"8.5"})";
  const UtcTime at = ParseTime("2026-03-01T10:45:00Z")->time;
  const Records records = {{.payload = start, .at = {.topic = "ocpp", .offset = 1}, .ingest_ts = at},
                           {.payload = stop, .at = {.topic = "ocpp", .offset = 2}, .ingest_ts = at}};
  {
    auto store = Sqlite::Open(file.path());
    REQUIRE(store.ok());
    TakeAll<Charging>(**store, records, options, Refresh::kAtEnd, 1);
  }
  Type(file.path(),
       "UPDATE gold_charging_sessions SET energy_kwh = '99.000', event_count = 'many', energy_is_final = 2;"
       "DELETE FROM gold_charge_point_health; DELETE FROM silver_charging_events WHERE event_id = 'e5'");
  const Reconciled damaged = ReconcileAll(file.path(), options);
  CHECK(damaged.report.differences == 4);
  CHECK(damaged.report.hours_amiss == 1);
  REQUIRE(damaged.log.size() == 5);
  const auto holds = [&](size_t i, const std::string& text) {
    CAPTURE(damaged.log[i], text);
    CHECK(damaged.log[i].find(text) != std::string::npos);
  };
  const std::string id = Hex(SessionId("CP-100", "501"));
  holds(0, R"({"found_at":"2026-03-01T10:45:00.000000Z","table_name":"gold_charging_sessions","row_key":")" +
               id + R"(","column_name":"energy_kwh","gold_value":"99.000","derived_value":"7.500"})");
  holds(1, R"("column_name":"energy_is_final","gold_value":"2","derived_value":"true")");
  holds(2, R"("column_name":"event_count","gold_value":"many","derived_value":"2")");
  holds(3,
        R"("table_name":"gold_charge_point_health","row_key":"CP-100","column_name":"*","gold_value":null)");
  holds(4, R"("table_name":"silver_charging_events","row_key":"2026-03-01T10","column_name":"count",)"
           R"("gold_value":"1","derived_value":"2")");
  // What lies before the days asked for is not looked at, and a stray always is.
  Type(file.path(), "UPDATE gold_charging_sessions SET energy_kwh = '99.000'");
  auto store = Sqlite::Open(file.path());
  REQUIRE(store.ok());
  REQUIRE(Sweep<Charging>(**store, {at.us + 3 * kMicrosPerDay}, options).ok());
  CHECK(Reconcile<Charging>(**store, **store, options, 1)->differences == 0);
  CHECK(Reconcile<Charging>(**store, **store, options, 4)->differences == 1);
  Options others;
  others.late_us = 1;
  const auto refused = Reconcile<Charging>(**store, **store, others, 4);
  CHECK(refused.status().code() == absl::StatusCode::kFailedPrecondition);
  REQUIRE(Rederive<Charging>(**store, **store, others).ok());
  CHECK(Reconcile<Charging>(**store, **store, others, 4)->differences == 0);
}

TEST_CASE("gold: what left quarantine counts under its new fate") {
  const Options options;
  const auto store = InMemory();
  const auto event = [](const std::string& id, const std::string& type, const std::string& time,
                        const std::string& meter) {
    return R"({"event_id":")" + id + R"(","event_type":")" + type +
           R"(","charge_point_id":"CP-1","transaction_id":7,"event_ts":"2026-03-01T)" + time +
           R"(:00Z","meter_wh":")" + meter + R"("})";
  };
  const std::vector<std::string> payloads = {
      event("e1", "StartTransaction", "10:00", "1000"), event("e2", "MeterValues", "10:10", "1,5"),
      event("e3", "StopTransaction", "10:30", "8500"), event("e4", "StopTransaction", "10:30", "9500"),
      event("e5", "MeterValues", "10:20", "2,5")};
  Records records;
  for (const std::string& payload : payloads) {
    records.push_back({.payload = payload,
                       .at = {.topic = "ocpp", .offset = static_cast<int64_t>(records.size())},
                       .ingest_ts = ParseTime("2026-03-01T10:45:00Z")->time});
  }
  TakeAll<Charging>(*store, records, options, Refresh::kEachBatch, 1);
  Quarantine<Charging> quarantine(*store, options);
  std::vector<std::pair<int64_t, Digest>> ids;
  REQUIRE(quarantine
              .List({},
                    [&](const QuarantineRow& row) {
                      ids.emplace_back(row.at.offset, row.quarantine_id);
                      return absl::OkStatus();
                    })
              .ok());
  REQUIRE(ids.size() == 3);
  for (const auto& [offset, id] : ids) {
    if (offset == 1) REQUIRE(quarantine.Repair(id, event("e2", "MeterValues", "10:10", "4000"), "ann").ok());
    if (offset == 3) REQUIRE(quarantine.Accept(id, "ann").ok());
    if (offset == 4) REQUIRE(quarantine.Discard(id, "ann").ok());
  }
  const auto report = Reconcile<Charging>(*store, *store, options, 7);
  REQUIRE(report.ok());
  CHECK(report->differences == 0);
  CHECK(report->duplicate_facts == 0);
  CHECK(report->hours_amiss == 0);
  CHECK(LinesOf(*store, "gold_meter_intervals").size() == 2);
}

}  // namespace
}  // namespace medallion::ocpp
