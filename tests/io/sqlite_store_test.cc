#include <fcntl.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "medallion/io/failing_store.h"
#include "tests/catch.h"
#include "tests/io/store_suite.h"
#include "tests/stores.h"
#include "tests/toy.h"

namespace medallion::suite {
namespace {

namespace fs = std::filesystem;
using Sqlite = SqliteStore<Loans>;
using absl::StatusCode;

// A folder of its own, gone with all that is in it.
class Folder {
 public:
  explicit Folder(const fs::path& base = Quick()) {
    std::string name = (base / "medallion-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  // In memory where that can be had: most tests wait for the disk and nothing else.
  static fs::path Quick() { return fs::exists("/dev/shm") ? "/dev/shm" : fs::temp_directory_path(); }

  fs::path path_;
};

std::unique_ptr<Sqlite> Open(const std::string& path, const SqliteOptions& options = {}) {
  absl::StatusOr<std::unique_ptr<Sqlite>> store = Sqlite::Open(path, options);
  Require(store.status());
  return std::move(*store);
}

absl::Status OpenFails(const std::string& path, const SqliteOptions& options = {}) {
  const absl::Status status = Sqlite::Open(path, options).status();
  REQUIRE(!status.ok());
  return status;
}

std::string Bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void WriteBytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

bool Has(const absl::Status& status, const std::string& text) {
  return std::string(status.message()).find(text) != std::string::npos;
}

// SQLite as anyone else uses it.
class Sql {
 public:
  explicit Sql(const std::string& path) { REQUIRE(sqlite3_open(path.c_str(), &handle_) == SQLITE_OK); }
  ~Sql() { sqlite3_close(handle_); }
  Sql(const Sql&) = delete;
  Sql& operator=(const Sql&) = delete;

  // Rows by lines, columns by `|`.
  std::string operator()(const std::string& sql) {
    std::string out;
    char* error = nullptr;
    const auto add = [](void* to, int columns, char** values, char**) {
      auto& text = *static_cast<std::string*>(to);
      if (!text.empty()) text += "\n";
      for (int i = 0; i < columns; ++i)
        text.append(i == 0 ? "" : "|").append(values[i] == nullptr ? "" : values[i]);
      return 0;
    };
    sqlite3_exec(handle_, sql.c_str(), add, &out, &error);
    INFO((error == nullptr ? "" : error));
    REQUIRE(error == nullptr);
    return out;
  }

 private:
  sqlite3* handle_ = nullptr;
};
std::string Execute(const std::string& path, const std::string& statement) {
  Sql sql(path);
  return sql(statement);
}

// Takes the feed in batches of seven, from where the store stands, and sweeps.
absl::Status RunFeed(Store<Loans>& store, const Feed& feed, size_t at_once = 7) {
  const toy::Options options;
  const std::span<const BronzeRecord> records = feed.records();
  SeenAnswer seen;
  if (auto status = store.Seen({}, seen); !status.ok()) return status;
  const auto position = seen.checkpoint.positions.find("source");
  Runner<Loans> runner(store, options);
  size_t i = position == seen.checkpoint.positions.end() ? 0 : std::stoul(position->second);
  while (i < records.size()) {
    const size_t end = std::min(i + at_once, records.size());
    if (auto status = runner.Take(records.subspan(i, end - i), std::to_string(end)); !status.ok())
      return status;
    i = end;
  }
  return runner.Sweep(kNoTime);
}

Picture Expected(const Feed& feed) {
  MemoryStore<Loans> memory;
  Require(RunFeed(memory, feed, 1000));
  return Look(memory);
}

// What a process of its own returned, or 1000 + the signal that ended it.
template <class Do>
int InProcess(const Do& run) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) _exit(run());
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return WIFSIGNALED(status) ? 1000 + WTERMSIG(status) : WEXITSTATUS(status);
}

void LimitFiles(size_t bytes) {
  const rlimit none{.rlim_cur = 0, .rlim_max = 0};
  setrlimit(RLIMIT_CORE, &none);
  const rlimit limit{.rlim_cur = bytes, .rlim_max = bytes};
  setrlimit(RLIMIT_FSIZE, &limit);
}

// In files on the disk, since that is what will be used.
TEST_CASE("sqlite store: the suite") {
  Folder folder(fs::temp_directory_path());
  int stores = 0;
  StoreSuite([&] { return Open(folder / std::to_string(stores++)); });
}

// -----------------------------------------------------------------------------------------------------------
// Lasting

TEST_CASE("sqlite store: ends in the tables of the memory store, however often it is closed") {
  const uint32_t seed = GENERATE(range(0u, 25u));
  CAPTURE(seed);
  const Feed feed = toy::RandomFeed(seed, 80);
  Folder folder;
  const toy::Options options;
  const std::span<const BronzeRecord> records = feed.records();
  const size_t at_once = 1 + seed % 9;
  for (size_t i = 0; i < records.size(); i += at_once) {
    const auto store = Open(folder / "store.db");
    Runner<Loans> runner(*store, options);
    Require(runner.Take(records.subspan(i, std::min(at_once, records.size() - i)), ""));
  }
  const auto store = Open(folder / "store.db");
  Runner<Loans> runner(*store, options);
  Require(runner.Sweep(kNoTime));
  CHECK(Look(*store) == Expected(feed));
}

TEST_CASE("sqlite store: both policies end in the tables of the memory store") {
  const uint32_t seed = GENERATE(range(100u, 110u));
  CAPTURE(seed);
  const Feed feed = toy::RandomFeed(seed, 80);
  const toy::Options options{.policy = Policy::kContestAll};
  MemoryStore<Loans> memory;
  const auto store = Open(":memory:");
  for (Store<Loans>* each : {static_cast<Store<Loans>*>(&memory), static_cast<Store<Loans>*>(store.get())}) {
    Runner<Loans> runner(*each, options);
    const std::span<const BronzeRecord> records = feed.records();
    for (size_t i = 0; i < records.size(); i += 5) Require(runner.Take(records.subspan(i, 5), ""));
    Require(runner.Sweep(Minute(100'000)));
  }
  CHECK(Look(*store) == Look(memory));
}

TEST_CASE("sqlite store: stale marks and summaries last") {
  Folder folder;
  const std::string path = folder / "store.db";
  Feed feed;
  feed.Add("lend|e1|North|1|100|ann", 110);
  feed.Add("lend|e2|North|2|100|ann", 110);
  Script script(feed);
  std::vector<EntityKey> both = {script[0].entity, script[1].entity};
  std::sort(both.begin(), both.end());
  Require(Open(path)->Apply(script.batch()));
  CHECK(Stale(*Open(path)) == both);
  const std::vector<Derived> derived = {{both[0], "sum"}};
  Batch<Loans> refresh = Empty();
  refresh.derived = derived;
  Require(Open(path)->Apply(refresh));
  CHECK(Stale(*Open(path)) == std::vector<EntityKey>{both[1]});
  const auto history = History(*Open(path), {.entities = both});
  CHECK(history.entities[0].summary == "sum");
  CHECK(history.entities[0].elements_end == 0);
  CHECK(history.entities[1].elements_end == 1);
}

// Its number lies below the elements that the summary covers, but it is none of them.
TEST_CASE("sqlite store: a summary goes when a known record yields a row it did not yield before") {
  const auto store = Open(":memory:");
  Feed feed;
  feed.Add("lend|e1|North|1|100|ann\nnote|e2|North|1|150|ann", 160);
  Script script(feed);
  const LoanElement later = script[1];
  script.elements().pop_back();
  Require(store->Apply(script.batch()));
  const std::vector<EntityKey> entities = {script[0].entity};
  const std::vector<Derived> derived = {{entities[0], "sum"}};
  Batch<Loans> refresh = Empty();
  refresh.derived = derived;
  Require(store->Apply(refresh));
  CHECK(History(*store, {.entities = entities}).elements.empty());
  const std::vector<LoanElement> anew = {later};
  Batch<Loans> batch = Empty();
  batch.elements = anew;
  Require(store->Apply(batch));
  const auto history = History(*store, {.entities = entities});
  CHECK(history.entities[0].summary.empty());
  CHECK(EventIds(history.elements) == std::vector<std::string>{"e1", "e2"});
  CHECK(Stale(*store) == entities);
}

// What a failed batch left in memory must not be believed.
TEST_CASE("sqlite store: a batch that fails half-way leaves nothing to be found") {
  const auto store = Open(":memory:");
  Feed feed;
  feed.Add("lend|e1|North|1|100|ann", 110);
  feed.Add("lend|e2|North|2|100|ann", 110);
  Script script(feed);
  script[1].identity.order.ordinal = 1u << 24;
  CHECK(!store->Apply(script.batch()).ok());
  const std::vector<RecordId> ids = {script.writes()[0].id};
  CHECK(!Seen(*store, ids).arrivals[0].has_value());
  CHECK(Known(*store, {.arrived = script.elements(), .records = ids}).glances.empty());
  CHECK(Stale(*store).empty());
  script[1].identity.order.ordinal = 0;
  Require(store->Apply(script.batch()));
  CHECK(Seen(*store, ids).arrivals[0].has_value());
  CHECK(Stale(*store).size() == 2);
}

// -----------------------------------------------------------------------------------------------------------
// Crashes

TEST_CASE("sqlite store: a run that fails at any call, then goes on from the file, ends in the same tables") {
  const Feed feed = toy::RandomFeed(5, 40);
  const Picture expected = Expected(feed);
  bool failed = true;
  for (int64_t call = 1; failed; ++call) {
    for (const bool after : {false, true}) {
      CAPTURE(call, after);
      Folder folder;
      {
        const auto inner = Open(folder / "store.db");
        FailingStore<Loans> store(*inner, {.call = call, .after = after});
        const absl::Status status = RunFeed(store, feed);
        failed = store.failed();
        CHECK(status.ok() == !failed);
      }
      const auto store = Open(folder / "store.db");
      Require(RunFeed(*store, feed));
      CHECK(Look(*store) == expected);
    }
  }
}

// The kernel ends the process in the middle of whichever write would make a file larger than so many bytes:
// while the tables are made, in the middle of a batch, between two of them.
TEST_CASE("sqlite store: a process killed in the middle of a write") {
  const Feed feed = toy::RandomFeed(6, 60);
  const Picture expected = Expected(feed);
  int killed = 0;
  for (size_t bytes = 1'000; bytes < 1'500'000; bytes += bytes / 5 + 777) {
    CAPTURE(bytes);
    Folder folder;
    const int code = InProcess([&] {
      LimitFiles(bytes);
      const auto store = Sqlite::Open(folder / "store.db");
      return store.ok() && RunFeed(**store, feed).ok() ? 0 : 1;
    });
    if (code == 1000 + SIGXFSZ) ++killed;
    const auto store = Open(folder / "store.db");
    const Accounting books = BooksOf(*store);
    CHECK(books.elements >= books.records);
    Require(RunFeed(*store, feed));
    CHECK(Look(*store) == expected);
    CHECK(Execute(folder / "store.db", "PRAGMA integrity_check") == "ok");
  }
  CHECK(killed >= 10);
}

// As above, but the write fails and the process lives: a full disk, or a quota.
TEST_CASE("sqlite store: a write that fails leaves whole batches, and the store can go on") {
  const Feed feed = toy::RandomFeed(6, 60);
  const Picture expected = Expected(feed);
  int full = 0;
  for (size_t bytes = 200'000; bytes < 1'500'000; bytes += bytes / 4) {
    CAPTURE(bytes);
    Folder folder;
    const int code = InProcess([&] {
      std::signal(SIGXFSZ, SIG_IGN);
      LimitFiles(bytes);
      const auto store = Sqlite::Open(folder / "store.db");
      if (!store.ok()) return store.status().code() == StatusCode::kResourceExhausted ? 2 : 3;
      const absl::Status status = RunFeed(**store, feed);
      if (status.ok()) return 0;
      if (!(*store)->Books().ok()) return 4;  // it can still be read
      return status.code() == StatusCode::kResourceExhausted ? 2 : 5;
    });
    CHECK((code == 0 || code == 2));
    if (code == 2) ++full;
    const auto store = Open(folder / "store.db");
    Require(RunFeed(*store, feed));
    CHECK(Look(*store) == expected);
  }
  CHECK(full >= 2);
}

TEST_CASE("sqlite store: a file that may not grow") {
  const Feed feed = toy::RandomFeed(7, 400);
  Folder folder;
  Picture before;
  {
    const auto store = Open(folder / "store.db", {.bytes_max = 700'000});
    const absl::Status status = RunFeed(*store, feed, 40);
    CHECK(status.code() == StatusCode::kResourceExhausted);
    CHECK(Has(status, folder / "store.db"));
    CHECK(Has(status, "make room"));
    before = Look(*store);
    CHECK(before.books.records % 40 == 0);  // whole batches
    CHECK(before.books.records > 0);
    CHECK(RunFeed(*store, feed, 40).code() == StatusCode::kResourceExhausted);
    CHECK(Look(*store) == before);
  }
  const auto store = Open(folder / "store.db");
  CHECK(Look(*store) == before);
  Require(RunFeed(*store, feed, 40));
  CHECK(Look(*store) == Expected(feed));
}

TEST_CASE("sqlite store: another process holds it") {
  const Feed feed = OneOfEach();
  Folder folder;
  const auto store = Open(folder / "store.db", {.busy_timeout_ms = 20});
  Script script = OneOfEachSettled(feed);
  {
    Sql other(folder / "store.db");
    other("BEGIN IMMEDIATE; INSERT INTO medallion_positions VALUES('x', 'y')");
    const absl::Status status = store->Apply(script.batch());
    CHECK(status.code() == StatusCode::kUnavailable);
    CHECK(Has(status, "another process holds it: try again"));
    CHECK(Has(status, folder / "store.db"));
    CHECK(Seen(*store, {}).checkpoint.positions.empty());  // reading goes on meanwhile
    CHECK(BooksOf(*store).elements == 0);
    other("ROLLBACK");
  }
  Require(store->Apply(script.batch()));
  CHECK(BooksOf(*store).elements == 9);
}

TEST_CASE("sqlite store: a batch computed from tables that another process changed since is refused") {
  Folder folder;
  const Feed feed = toy::RandomFeed(8, 40);
  const auto a = Open(folder / "store.db"), b = Open(folder / "store.db");
  Script script(feed);
  Seen(*a, {});
  Batch<Loans> other = Empty();
  other.source = "b", other.position = "1";
  Require(b->Apply(other));
  const absl::Status status = a->Apply(script.batch());
  CHECK(status.code() == StatusCode::kAborted);
  CHECK(Has(status, "another process wrote"));
  CHECK(BooksOf(*a).elements == 0);
  // Computed anew it goes in; and each may run while the other rests.
  Require(RunFeed(*a, feed));
  Require(RunFeed(*b, feed));
  CHECK(Look(*a) == Expected(feed));
  CHECK(Look(*b) == Look(*a));
}

// -----------------------------------------------------------------------------------------------------------
// Opening

TEST_CASE("sqlite store: a store of a newer schema is left as it is") {
  Folder folder;
  const std::string path = folder / "store.db";
  { Open(path); }
  SECTION("its version in the file") {
    Execute(path, "PRAGMA user_version = 99");
    const std::string bytes = Bytes(path);
    const absl::Status status = OpenFails(path);
    CHECK(status.code() == StatusCode::kFailedPrecondition);
    CHECK(Has(status, path));
    CHECK(Has(status, "schema version 99"));
    CHECK(Has(status, "writes version " + std::to_string(sqlite::kSchemaVersion)));
    CHECK(Has(status, "run into a new file"));
    CHECK(Bytes(path) == bytes);
    CHECK(!fs::exists(path + "-wal"));
  }
  SECTION("its version in the write-ahead log of a process that was killed") {
    const std::string copy = folder / "copy.db";
    {
      Sql newer(path);
      newer("PRAGMA user_version = 99");
      WriteBytes(copy, Bytes(path));
      WriteBytes(copy + "-wal", Bytes(path + "-wal"));
    }
    const std::string bytes = Bytes(copy), log = Bytes(copy + "-wal");
    REQUIRE(!log.empty());
    CHECK(Has(OpenFails(copy), "schema version 99"));
    CHECK(Bytes(copy) == bytes);
    CHECK(Bytes(copy + "-wal") == log);
  }
}

struct OtherPack : Loans {
  static constexpr std::string_view kName = "other";
};

TEST_CASE("sqlite store: what is no store of ours") {
  Folder folder;
  const std::string path = folder / "store.db";
  const auto untouched = [&](StatusCode code, const std::string& text) {
    const std::string bytes = Bytes(path);
    const absl::Status status = OpenFails(path);
    CAPTURE(std::string(status.message()));
    CHECK(status.code() == code);
    CHECK(Has(status, text));
    CHECK(Has(status, path));
    CHECK(Bytes(path) == bytes);
  };
  SECTION("a text") {
    WriteBytes(path, std::string(5'000, 'x') + "\n");
    untouched(StatusCode::kDataLoss, "not a database");
  }
  SECTION("a short text") {
    WriteBytes(path, "hello\n");
    untouched(StatusCode::kDataLoss, "not a database");
  }
  SECTION("the database of another program") {
    Execute(path, "CREATE TABLE books(title)");
    untouched(StatusCode::kFailedPrecondition, "another program");
  }
  SECTION("a database with the mark of another program") {
    Execute(path, "PRAGMA application_id = 7");
    untouched(StatusCode::kFailedPrecondition, "another program");
  }
  SECTION("another pack's") {
    REQUIRE(SqliteStore<OtherPack>::Open(path).ok());
    untouched(StatusCode::kFailedPrecondition, "pack other, not to toy");
  }
  SECTION("tables without a column that this version has") {
    { Open(path); }
    Execute(path, "ALTER TABLE gold_loans DROP COLUMN fine");
    const absl::Status status = OpenFails(path);
    CHECK(status.code() == StatusCode::kFailedPrecondition);
    CHECK(Has(status, "fine"));
  }
  SECTION("an empty file becomes one") {
    WriteBytes(path, "");
    CHECK(BooksOf(*Open(path)).elements == 0);
  }
}

TEST_CASE("sqlite store: a path that cannot be opened") {
  Folder folder;
  CHECK(OpenFails("").code() == StatusCode::kInvalidArgument);
  const absl::Status missing = OpenFails(folder / "no/such/store.db");
  CHECK(missing.code() == StatusCode::kNotFound);
  CHECK(Has(missing, "No such file or directory"));
  CHECK(Has(missing, folder / "no/such/store.db"));
  fs::create_directory(folder / "dir");
  CHECK(OpenFails(folder / "dir").code() == StatusCode::kNotFound);
}

TEST_CASE("sqlite store: a path that may not be written to") {
  Folder folder;
  fs::permissions(fs::path(folder / "x").parent_path(), fs::perms(0755));
  { Open(folder / "store.db"); }
  const std::string bytes = Bytes(folder / "store.db");
  fs::permissions(folder / "store.db", fs::perms(0444));
  fs::create_directory(folder / "dir");
  { Open(folder / "dir/secret.db"); }
  fs::permissions(folder / "dir/secret.db", fs::perms(0000));
  fs::permissions(folder / "dir", fs::perms(0555));
  for (const char* name : {"store.db", "dir/new.db", "dir/secret.db"}) {
    CAPTURE(name);
    const std::string path = folder / name;
    const int code = InProcess([&] {
      if (geteuid() == 0 && setuid(65'534) != 0) return 90;  // root may do everything
      return static_cast<int>(Sqlite::Open(path).status().code());
    });
    CHECK(code == static_cast<int>(StatusCode::kPermissionDenied));
  }
  CHECK(Bytes(folder / "store.db") == bytes);
  fs::permissions(folder / "dir", fs::perms(0755));
}

TEST_CASE("sqlite store: a damaged file") {
  Folder folder;
  const std::string path = folder / "store.db";
  const Feed feed = toy::RandomFeed(9, 300);
  { Require(RunFeed(*Open(path), feed, 50)); }
  const std::string whole = Bytes(path);
  int noticed = 0;
  constexpr size_t kPage = 16'384;
  for (size_t page = 1; page < whole.size() / kPage; ++page) {
    CAPTURE(page);
    std::string bytes = whole;
    bytes.replace(page * kPage, kPage, std::string(kPage, '\x5a'));
    WriteBytes(path, bytes);
    const auto store = Sqlite::Open(path);
    absl::Status status = store.status();
    if (status.ok()) {
      for (const std::string& name : (*store)->Names()) {
        status.Update((*store)->Read(name, [](std::string_view) { return absl::OkStatus(); }));
      }
      status.Update((*store)->Books().status());
      SeenAnswer seen;
      status.Update((*store)->Seen({}, seen));
      Script script(feed);
      std::vector<Digest> units;
      std::vector<EntityKey> entities;
      for (const LoanElement& element : script.elements()) {
        units.push_back(element.identity.unit), entities.push_back(element.entity);
      }
      KnownAnswer<LoanEvent> known;
      status.Update((*store)->Known({.units = units}, known));
      HistoryAnswer<Loans> history;
      status.Update((*store)->History({.entities = entities, .due_by = Minute(1'000'000)}, history));
      status.Update((*store)->Apply(script.batch()));
    }
    if (status.ok()) continue;
    CAPTURE(std::string(status.message()));
    CHECK(status.code() == StatusCode::kDataLoss);
    CHECK(Has(status, path));
    ++noticed;
  }
  CHECK(noticed >= 20);
}

TEST_CASE("sqlite store: an element's bytes that are not what was written") {
  Folder folder;
  const std::string path = folder / "store.db";
  const Feed feed = OneOfEach();
  Script script = OneOfEachSettled(feed);
  { Require(Open(path)->Apply(script.batch())); }
  Execute(path, "UPDATE medallion_elements SET body = x'00ff' WHERE fate = 0");
  const auto store = Open(path);
  const std::vector<LoanElement> arrived = {script[0]};
  const std::vector<EntityKey> entities = {script[0].entity};
  KnownAnswer<LoanEvent> known;
  const absl::Status status = store->Known({.arrived = arrived}, known);
  CHECK(status.code() == StatusCode::kDataLoss);
  CHECK(Has(status, path));
  HistoryAnswer<Loans> history;
  CHECK(store->History({.entities = entities}, history).code() == StatusCode::kDataLoss);
}

TEST_CASE("sqlite store: a Gold row's table and bytes that are not what was written") {
  Folder folder;
  const std::string path = folder / "store.db";
  const Feed feed = toy::RandomFeed(9, 60);
  { Require(RunFeed(*Open(path), feed)); }
  Script script(feed);
  std::vector<EntityKey> loans, branches;
  for (const LoanElement& element : script.elements()) {
    loans.push_back(element.entity), branches.push_back(toy::BranchKey(element.row.branch));
  }
  HistoryAnswer<Loans> history;
  Require(Open(path)->History({.entities = branches}, history));
  REQUIRE(!history.children.empty());
  // The byte behind the key is the row's table.
  for (const char* body : {"CAST(substr(body, 1, 32) || x'63' || substr(body, 34) AS BLOB)", "x'00ff'"}) {
    Execute(path, std::string("UPDATE medallion_gold SET body = ") + body + " WHERE parent IS NOT NULL");
    CHECK(Open(path)->History({.entities = branches}, history).code() == StatusCode::kDataLoss);
  }
  Execute(path, "UPDATE medallion_gold SET table_number = 99");
  CHECK(Open(path)->History({.entities = loans}, history).code() == StatusCode::kDataLoss);
}

// -----------------------------------------------------------------------------------------------------------
// Tables for everyone

TEST_CASE("sqlite store: the tables can be read by anyone") {
  Folder folder;
  const Feed feed = OneOfEach();
  Script script = OneOfEachSettled(feed);
  const std::vector<GoldWrite<Loans::Gold>> gold = {GoldOf(script[0], "1", Minute(900), Minute(210))};
  Batch<Loans> batch = script.batch(Minute(302));
  batch.gold = gold;
  batch.log = {.run_id = "r", .batch = 1};
  const auto store = Open(folder / "store.db");
  Require(store->Apply(batch));

  Sql sql(folder / "store.db");
  CHECK(sql("SELECT group_concat(name) FROM pragma_table_info('silver_loan_events')") ==
        "element,event_id,business_key,kind,branch,loan,event_ts,event_date,ingest_ts,member,shelf,days,"
        "renewed,remark,"
        "topic,partition,offset,ordinal");
  // Times and digests as text, booleans as 0 and 1, integers as integers, what is absent as null.
  CHECK(sql("SELECT event_ts, event_date, member, days, renewed, remark, typeof(days), typeof(renewed), "
            "typeof(event_ts)"
            " FROM silver_loan_events WHERE event_id = 'e1'") ==
        "1970-01-01T01:40:00.000000Z|1970-01-01|ann|7|1|{\"remark\":\"says "
        "\\\"hi\\\"\\\\\"}|integer|integer|text");
  CHECK(sql("SELECT count(*), count(days), count(renewed), sum(renewed), min(length(business_key))"
            " FROM silver_loan_events") == "3|1|2|1|64");
  CHECK(sql("SELECT event_id, branch, member FROM silver_visits") == "e4|South|bob");
  CHECK(sql("SELECT fine, conflict, typeof(fine), json_valid(flags), next_due_at FROM gold_loans") ==
        "-1.250|0|text|1|1970-01-01T15:00:00.000000Z");
  CHECK(sql("SELECT violations FROM silver_quarantine_events ORDER BY violations") ==
        "[\"CONFLICT\"]\n[\"UNKNOWN_KIND\",\"NO_EVENT_ID\",\"NO_BRANCH\",\"NO_LOAN\",\"BAD_TIME\",\"BAD_"
        "DAYS\"]");
  CHECK(sql("SELECT duplicate_type FROM silver_duplicate_events_audit ORDER BY element") ==
        "BUSINESS\nTECHNICAL");
  CHECK(sql("SELECT run_id, batch, duration_us FROM ops_run_log") == "r|1|0");
  // Evidence: the record that a row came from.
  CHECK(sql("SELECT b.payload FROM silver_ignored i JOIN bronze_records b USING (topic, \"partition\", "
            "\"offset\")") == "ping|e5|South||190");
  CHECK(sql("SELECT count(*) FROM bronze_records") == "9");
  CHECK(sql("PRAGMA user_version") == std::to_string(sqlite::kSchemaVersion));
}

TEST_CASE("sqlite store: due rows are found by an index") {
  Folder folder;
  { Open(folder / "store.db"); }
  Sql sql(folder / "store.db");
  const std::string plan = sql(std::string("EXPLAIN QUERY PLAN ") + sqlite::kFindDue);
  CHECK(plan.find("medallion_gold_due") != std::string::npos);
  CHECK(plan.find("SCAN") == std::string::npos);
}

TEST_CASE("sqlite store: Gold rows made or deleted by hand are in nobody's way") {
  Folder folder;
  const auto store = Open(folder / "store.db");
  const Feed feed = toy::RandomFeed(3, 80);
  Require(RunFeed(*store, feed));
  {
    Sql sql(folder / "store.db");
    sql("INSERT INTO gold_loans(loan_id, branch) SELECT loan_id, 'by hand' FROM gold_loans");
    sql("DELETE FROM gold_loans WHERE row = (SELECT max(row) FROM medallion_gold)");
  }
  Feed later;
  later.Add("lend|z|West|99|100|ann", 90'000, "later");
  later.Add("lend|z|West|98|100|ann", 90'000, "later");
  const toy::Options options;
  Runner<Loans> runner(*store, options);
  Require(runner.Take(later.records(), ""));
  CHECK(Lines(*store, "gold_loans").size() > 2);
  Sql sql(folder / "store.db");
  CHECK(sql("SELECT count(*) FROM gold_loans WHERE branch = 'West'") == "2");
  CHECK(sql("SELECT count(*) FROM gold_loans g JOIN medallion_gold m USING (row) WHERE branch = 'by hand'") ==
        "0");
}

TEST_CASE("sqlite store: what a batch may not hold") {
  const auto store = Open(":memory:");
  Feed feed;
  feed.Add("lend|e1|North|1|100", 110);
  SECTION("more elements of one record than have numbers") {
    Script script(feed);
    script[0].identity.order.ordinal = 1u << 24;
    CHECK(store->Apply(script.batch()).code() == StatusCode::kOutOfRange);
  }
  SECTION("an element without its record") {
    Script script(feed);
    script.writes().clear();
    CHECK(store->Apply(script.batch()).code() == StatusCode::kInvalidArgument);
  }
  CHECK(Look(*store) == Look(*Open(":memory:")));
}

}  // namespace
}  // namespace medallion::suite
