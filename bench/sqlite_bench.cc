// How fast a store on disk takes the generated charging feed, and how that compares with SQLite itself:
//
//   medallion_sqlite_bench 1000000 /tmp        events, and a folder for two files that go in the end
//
//   first run    JSON to all tables, batches of 10,000, Gold at the end; a fresh file
//   bare insert  the same rows, read back from the store's own tables, into another file with the same settings: the
//                public tables with all their columns, and bronze_records with the payloads. One prepared statement a
//                table, all values bound without copying, one transaction for the rows of 10,000 records, rowid tables
//                (INTEGER PRIMARY KEY), and no index but the UNIQUE(topic, partition, offset, digest) by which a host
//                would keep records apart. Gold rows go in once, at the end. Reading the rows back is not on the clock
//   second run   over what is in the store already
//
// Opening and closing is part of each, so is folding the write-ahead log into the file. The answers are checked: what
// the feed is known to hold, equal numbers of rows, balanced books; a second run changes none of them.

#include <sqlite3.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "medallion/ocpp/run_sqlite.h"
#include "tests/feed.h"

namespace medallion::ocpp {
namespace {

constexpr size_t kBatch = 10'000;
constexpr const char* kTables[] = {"bronze_records",
                                   "silver_charging_events",
                                   "silver_quarantine_events",
                                   "silver_ignored",
                                   "silver_duplicate_events_audit",
                                   "gold_charging_sessions",
                                   "gold_charging_stats_daily",
                                   "gold_connector_status_history",
                                   "gold_connector_current_status",
                                   "gold_charge_point_health",
                                   "gold_meter_intervals"};
constexpr size_t kGold = 5;  // the first of the Gold tables, which share their numbers
constexpr std::string_view kSeries = "gold_meter_intervals";  // a row's items are numbered within it

[[noreturn]] void Die(const std::string& what) {
  std::fprintf(stderr, "medallion_sqlite_bench: %s\n", what.c_str());
  std::exit(1);
}
void Require(const absl::Status& status) {
  if (!status.ok()) Die(std::string(status.message()));
}

// Wall and CPU time, while it runs.
class Clock {
 public:
  void Start() { wall_ -= Wall(), user_ -= Cpu(&rusage::ru_utime), system_ -= Cpu(&rusage::ru_stime); }
  void Stop() { wall_ += Wall(), user_ += Cpu(&rusage::ru_utime), system_ += Cpu(&rusage::ru_stime); }
  double wall() const { return wall_; }

  void Print(const char* what, int64_t events) const {
    const auto count = static_cast<double>(events);
    std::printf("%-12s %9.0f events/s wall %8.3f s   user %6.2f us/event   system %5.2f us/event\n", what,
                count / wall_, wall_, user_ / count * 1e6, system_ / count * 1e6);
  }

 private:
  static double Wall() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }
  static double Cpu(timeval rusage::*part) {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const timeval& time = usage.*part;
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  }

  double wall_ = 0, user_ = 0, system_ = 0;
};

// How long a store takes for each of its functions.
class Timed final : public Store<Charging> {
 public:
  explicit Timed(Store<Charging>& store) : store_(store) {}

  absl::Status Seen(std::span<const RecordId> records, SeenAnswer& answer) override {
    return Time(0, [&] { return store_.Seen(records, answer); });
  }
  absl::Status Known(const KnownQuery<ChargingEvent>& query, KnownAnswer<ChargingEvent>& answer) override {
    return Time(1, [&] { return store_.Known(query, answer); });
  }
  absl::Status Bronze(const BronzeQuery& query, BronzeAnswer& answer) override {
    return Time(1, [&] { return store_.Bronze(query, answer); });
  }
  absl::Status Timelines(const TimelineQuery& query, TimelineAnswer<ChargingEvent>& answer) override {
    return Time(2, [&] { return store_.Timelines(query, answer); });
  }
  absl::Status History(const HistoryQuery& query, HistoryAnswer<Charging>& answer) override {
    return Time(2, [&] { return store_.History(query, answer); });
  }
  absl::Status Apply(const Batch<Charging>& batch) override {
    return Time(batch.records.empty() ? 4 : 3, [&] { return store_.Apply(batch); });
  }
  void Print(int64_t events) const {
    const auto of = [&](size_t i) { return seconds_[i] / static_cast<double>(events) * 1e6; };
    std::printf(
        "  in the store, us/event: seen %.2f, known %.2f, apply %.2f; history %.2f, apply of gold %.2f\n",
        of(0), of(1), of(3), of(2), of(4));
  }

 private:
  template <class Call>
  absl::Status Time(size_t which, const Call& call) {
    const auto since = std::chrono::steady_clock::now();
    const absl::Status status = call();
    seconds_[which] += std::chrono::duration<double>(std::chrono::steady_clock::now() - since).count();
    return status;
  }

  Store<Charging>& store_;
  double seconds_[5] = {};
};

// SQLite as a host that does without the library would use it.
class Database {
 public:
  explicit Database(const std::string& path) {
    Check(sqlite3_open_v2(path.c_str(), &handle_,
                          SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr));
    const SqliteOptions options;
    Execute(
        "PRAGMA page_size=16384; PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-" +
        std::to_string(options.cache_bytes >> 10) +
        "; PRAGMA mmap_size=" + std::to_string(options.mapped_bytes) +
        "; PRAGMA wal_autocheckpoint=" + std::to_string(options.log_bytes / 16384));
  }
  ~Database() { sqlite3_close(handle_); }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void Check(int code) const {
    if (code != SQLITE_OK && code != SQLITE_ROW && code != SQLITE_DONE) Die(sqlite3_errmsg(handle_));
  }
  void Execute(const std::string& sql) const {
    Check(sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr));
  }
  sqlite3_stmt* Prepare(const std::string& sql) const {
    sqlite3_stmt* statement = nullptr;
    Check(sqlite3_prepare_v2(handle_, sql.c_str(), -1, &statement, nullptr));
    return statement;
  }
  std::string Ask(const std::string& sql) const {
    sqlite3_stmt* statement = Prepare(sql);
    Check(sqlite3_step(statement));
    const std::string answer = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
    return answer;
  }

 private:
  sqlite3* handle_ = nullptr;
};

// A table on its way from one file into the other, a stretch at a time.
class Copied {
 public:
  Copied(const Database& from, const Database& to, const std::string& table)
      : to_(to), bits_(table.starts_with("silver") || table == kSeries ? 24 : 0) {
    std::string sql = from.Ask("SELECT sql FROM sqlite_master WHERE name = '" + table + "'");
    if (table == "bronze_records") {
      sql.back() = ',';
      sql += "UNIQUE(topic, \"partition\", \"offset\", digest))";
    }
    to.Execute(sql);
    key_ = table == "bronze_records" ? "record" : table.starts_with("gold") ? "row" : "element";
    read_ = from.Prepare("SELECT * FROM " + table + " WHERE " + key_ + " BETWEEN ? AND ? ORDER BY " + key_);
    columns_ = sqlite3_column_count(read_);
    sql = "INSERT INTO " + table + " VALUES(?";
    for (int i = 1; i < columns_; ++i) sql += ",?";
    put_ = to.Prepare(sql + ")");
  }
  ~Copied() { sqlite3_finalize(read_), sqlite3_finalize(put_); }
  Copied(const Copied&) = delete;
  Copied& operator=(const Copied&) = delete;

  // Rows of these records; of Gold, rows with these numbers.
  void Read(int64_t first, int64_t last) {
    values_.clear();
    texts_ = Arena();
    sqlite3_bind_int64(read_, 1, first << bits_);
    sqlite3_bind_int64(read_, 2, ((last + 1) << bits_) - 1);
    while (sqlite3_step(read_) == SQLITE_ROW) {
      for (int i = 0; i < columns_; ++i) {
        Value value{.type = sqlite3_column_type(read_, i), .number = sqlite3_column_int64(read_, i)};
        if (value.type == SQLITE_TEXT || value.type == SQLITE_BLOB) {
          const auto* bytes = static_cast<const char*>(sqlite3_column_blob(read_, i));
          value.text = texts_.Copy({bytes, static_cast<size_t>(sqlite3_column_bytes(read_, i))});
        }
        values_.push_back(value);
      }
    }
    sqlite3_reset(read_);
  }

  void Insert() {
    const auto columns = static_cast<size_t>(columns_);
    for (size_t at = 0; at < values_.size(); at += columns) {
      for (size_t i = 0; i < columns; ++i) Bind(static_cast<int>(i) + 1, values_[at + i]);
      to_.Check(sqlite3_step(put_));
      sqlite3_reset(put_);
    }
  }

 private:
  struct Value {
    int type = SQLITE_NULL;
    int64_t number = 0;
    std::string_view text = {};
  };
  void Bind(int at, const Value& value) {
    switch (value.type) {
      case SQLITE_INTEGER: sqlite3_bind_int64(put_, at, value.number); break;
      case SQLITE_TEXT:
        sqlite3_bind_text64(put_, at, value.text.data(), value.text.size(), SQLITE_STATIC, SQLITE_UTF8);
        break;
      case SQLITE_BLOB:
        sqlite3_bind_blob64(put_, at, value.text.data(), value.text.size(), SQLITE_STATIC);
        break;
      default: sqlite3_bind_null(put_, at);
    }
  }

  const Database& to_;
  int bits_;  // of a number, below that of the record or of the Gold row
  std::string key_;
  int columns_ = 0;
  sqlite3_stmt* read_ = nullptr;
  sqlite3_stmt* put_ = nullptr;
  Arena texts_;
  std::vector<Value> values_;
};

using Counts = std::map<std::string, std::string>;
Counts RowsOf(const std::string& path) {
  const Database database(path);
  Counts counts;
  for (const char* table : kTables)
    counts[table] = database.Ask(std::string("SELECT count(*) FROM ") + table);
  return counts;
}

void CheckAnswer(Tables& store, const testing::FeedCounts& counts) {
  const absl::StatusOr<Accounting> books = store.Books();
  Require(books.status());
  if (Imbalance(*books) != 0 || books->elements != counts.events) Die("the books do not balance");
  if (books->fates[Fate::kTechnicalDuplicate] != counts.technical) Die("technical duplicates are wrong");
  if (books->fates[Fate::kBusinessDuplicate] != counts.business) Die("business duplicates are wrong");
  if (books->fates[Fate::kQuarantined] != counts.invalid + counts.conflicts) Die("quarantine is wrong");
}

Clock RunStore(const std::string& path, const testing::Feed& feed, const testing::FeedCounts& counts) {
  const Options options;
  Clock clock;
  clock.Start();
  auto store = SqliteStore<Charging>::Open(path);
  Require(store.status());
  Timed timed(**store);
  Runner<Charging> runner(timed, options, {.refresh = Refresh::kAtEnd});
  const std::span<const BronzeRecord> records = feed.records;
  for (size_t at = 0; at < records.size(); at += kBatch) {
    Require(runner.Take(records.subspan(at, std::min(kBatch, records.size() - at)), std::to_string(at)));
  }
  Require(runner.Sweep(kNoTime));
  clock.Stop();
  CheckAnswer(**store, counts);
  clock.Start();
  store->reset();
  clock.Stop();
  timed.Print(counts.events);
  return clock;
}

Clock RunBare(const std::string& from_path, const std::string& to_path, int64_t records) {
  Clock clock;
  const Database from(from_path);
  const int64_t gold = std::stoll(from.Ask("SELECT ifnull(max(row), 0) FROM medallion_gold"));
  clock.Start();
  {
    const Database to(to_path);
    std::vector<std::unique_ptr<Copied>> tables;
    for (const char* table : kTables) tables.push_back(std::make_unique<Copied>(from, to, table));
    const auto copy = [&](size_t begin, size_t end, int64_t first) {
      clock.Stop();
      for (size_t i = begin; i < end; ++i) tables[i]->Read(first, first + static_cast<int64_t>(kBatch) - 1);
      clock.Start();
      to.Execute("BEGIN IMMEDIATE");
      for (size_t i = begin; i < end; ++i) tables[i]->Insert();
      to.Execute("COMMIT");
    };
    for (int64_t first = 1; first <= records; first += kBatch) copy(0, kGold, first);
    for (int64_t first = 1; first <= gold; first += kBatch) copy(kGold, std::size(kTables), first);
  }
  clock.Stop();
  return clock;
}

int Main(int64_t events, const std::string& folder) {
  testing::FeedCounts counts;
  const testing::FeedOptions made{.events = events, .charge_points = std::max<int64_t>(1, events / 10)};
  const testing::Feed feed = testing::MakeFeed(made, &counts);
  const std::string store = folder + "/medallion_bench.db", bare = folder + "/medallion_bench_bare.db";
  for (const char* tail : {"", "-wal", "-shm"})
    std::filesystem::remove(store + tail), std::filesystem::remove(bare + tail);

  const Clock first = RunStore(store, feed, counts);
  first.Print("first run", events);
  const auto bytes = static_cast<double>(std::filesystem::file_size(store)) / static_cast<double>(events);
  const Counts rows = RowsOf(store);
  if (rows.at(kTables[kGold]) != std::to_string(counts.sessions)) Die("the number of sessions is wrong");

  const Clock plain = RunBare(store, bare, events);
  plain.Print("bare insert", events);
  if (RowsOf(bare) != rows) Die("the bare insert wrote other rows");
  const auto bare_bytes = static_cast<double>(std::filesystem::file_size(bare)) / static_cast<double>(events);

  const Clock second = RunStore(store, feed, counts);
  second.Print("second run", events);
  if (RowsOf(store) != rows) Die("the second run changed the tables");
  std::printf(
      "the first run takes %.2f times the bare insert, and %.2f times the second; %.0f bytes an event, bare "
      "%.0f\n",
      first.wall() / plain.wall(), first.wall() / second.wall(), bytes, bare_bytes);
  std::printf("{\"events\":%lld,\"first_s\":%.3f,\"bare_s\":%.3f,\"second_s\":%.3f}\n",
              static_cast<long long>(events), first.wall(), plain.wall(), second.wall());
  std::filesystem::remove(store), std::filesystem::remove(bare);
  return 0;
}

}  // namespace
}  // namespace medallion::ocpp

int main(int argc, char** argv) {
  const int64_t events = argc > 1 ? std::atoll(argv[1]) : 1'000'000;
  if (events < 1) medallion::ocpp::Die("usage: medallion_sqlite_bench [EVENTS [FOLDER]]");
  return medallion::ocpp::Main(events, argc > 2 ? argv[2] : std::filesystem::temp_directory_path().string());
}
