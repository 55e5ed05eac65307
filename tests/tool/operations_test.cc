// The tool's commands for people who run a store: quarantine, replay, metrics, forget.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "catch.h"
#include "nlohmann/json.hpp"

namespace medallion {
namespace {

namespace fs = std::filesystem;

struct Result {
  int code = -1;
  std::string out, err;
};

// A folder with a store in it.
class Shop {
 public:
  Shop() : path_(fs::temp_directory_path() / ("medallion_operations_" + std::to_string(::getpid()))) {
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  ~Shop() { fs::remove_all(path_); }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

  void Write(const std::string& name, std::string_view text) const {
    std::ofstream(*this / name, std::ios::binary) << text;
  }
  std::string Read(const std::string& name) const {
    std::ifstream file(*this / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  Result Tool(const std::string& arguments, const std::string& key = "k") const {
    const std::string command = "MEDALLION_ID_TAG_KEY=" + key + " " MEDALLION_TOOL " ocpp " + arguments;
    const int status =
        std::system(("( " + command + " ) >" + *this / "stdout" + " 2>" + *this / "stderr").c_str());
    const Result result{WIFEXITED(status) ? WEXITSTATUS(status) : -1, Read("stdout"), Read("stderr")};
    all_ += result.out + result.err;
    return result;
  }
  // On the store.
  Result Store(const std::string& command, const std::string& more = "") const {
    return Tool(command + " --store sqlite:" + *this / "store.db" + " " + more);
  }
  // The lines of the list, each by its cells.
  std::vector<std::vector<std::string>> List(const std::string& filter = "") const {
    std::vector<std::vector<std::string>> rows;
    std::istringstream lines(Store("quarantine list", filter).out);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream cells(line);
      rows.emplace_back();
      for (std::string cell; std::getline(cells, cell, '\t');) rows.back().push_back(cell);
    }
    REQUIRE_FALSE(rows.empty());
    rows.erase(rows.begin());
    return rows;
  }
  const std::string& all() const { return all_; }  // that was ever printed

 private:
  fs::path path_;
  mutable std::string all_;
};

std::string Event(const char* type, const char* id, const char* time, const char* meter,
                  const char* more = "") {
  return std::string(R"({"event_id":")") + id + R"(","event_type":")" + type +
         R"(","charge_point_id":"CP-1","connector_id":1,"transaction_id":7,"event_ts":"2026-03-01T0)" + time +
         R"(:00Z",)" + meter + R"(,"id_tag":"RAW-TAG-1")" + more + "}";
}

std::string Feed() {
  return Event("StartTransaction", "e1", "0:01", R"("meter_wh":1000)") + "\n" +
         Event("StopTransaction", "e2", "0:05", R"("meter_wh":4000)") + "\n" +
         Event("StopTransaction", "e3", "0:05", R"("meter_wh":4400)") + "\n" +
         Event("MeterValues", "e4", "0:03", R"("register":2000)", R"(,"schema_version":2)") + "\n" +
         "{\"id_tag\":\"RAW-TAG-1\",\n";
}

TEST_CASE("tool: quarantine, from the list to the replay") {
  const Shop shop;
  shop.Write("feed.jsonl", Feed());
  REQUIRE(shop.Store("run --quiet", "--input " + shop / "feed.jsonl").code == 0);
  const auto rows = shop.List();
  REQUIRE(rows.size() == 3);
  CHECK(rows[0][1] == "NEW");
  CHECK(rows[0][2] == "CONFLICT");
  CHECK(rows[1][2] == "SCHEMA_MISMATCH");
  CHECK(rows[2][2] == "CORRUPT_PAYLOAD");
  CHECK(shop.List("--reason CONFLICT --charge-point cp-1").size() == 1);
  CHECK(shop.List("--from 2026-03-01T00:04:00Z --to 2026-03-01T00:04:01Z").empty());

  CHECK(shop.Store("quarantine accept", "--id " + rows[2][0] + " --by ann").code == 1);
  CHECK(shop.Store("quarantine accept", "--id " + rows[0][0]).code == 2);
  CHECK(shop.Store("quarantine show", "--id 12").code == 2);
  CHECK(shop.Store("quarantine show", "--id " + std::string(64, '0')).code == 1);
  CHECK(shop.Store("quarantine accept", "--id " + rows[0][0] + " --by ann").code == 0);
  CHECK(shop.List().size() == 2);

  shop.Write("mapping.json",
             R"({"schemas":[{"version":2,"names":{"event_id":"event_id","event_type":"event_type",)"
             R"("charge_point_id":"charge_point_id","connector_id":"connector_id",)"
             R"("transaction_id":"transaction_id","event_ts":"event_ts","id_tag":"id_tag",)"
             R"("register":"meter_wh"}}]})");
  const std::string config = "--config " + shop / "mapping.json";
  CHECK(shop.List("--would-pass").empty());
  CHECK(shop.List("--would-pass " + config).size() == 1);
  const Result replayed = shop.Store("quarantine replay", "--reason SCHEMA_MISMATCH " + config);
  CHECK(replayed.code == 0);
  CHECK(replayed.out.starts_with("1 row in quarantine read again, 1 record changed\n"));
  CHECK(shop.Store("replay", config).out.starts_with("5 records read again, 0 records changed\n"));

  const std::string payload = Event("Heartbeat", "e5", "0:06", R"("meter_wh":null)");
  shop.Write("payload.json", payload);
  const Result repaired = shop.Store("quarantine repair", "--id " + rows[2][0] + " --by bob --payload-file " +
                                                              shop / "payload.json" + " " + config);
  CHECK(repaired.code == 0);
  CHECK(repaired.out.find("\tREPLAYED\tCORRUPT_PAYLOAD\t") != std::string::npos);
  CHECK(shop.all().find("RAW-TAG-1") == std::string::npos);  // nothing so far has shown one
  const auto row = nlohmann::json::parse(shop.Store("quarantine show", "--id " + rows[2][0]).out);
  CHECK(row.at("repaired_payload") == payload);
  CHECK(row.at("reviewed_by") == "bob");
  CHECK(shop.Store("quarantine discard", "--id " + rows[2][0] + " --by eve " + config).code == 0);
  CHECK(shop.List("--status DISCARDED").size() == 1);
}

TEST_CASE("tool: a repair that is broken again, and one of a row that was discarded") {
  const Shop shop;
  shop.Write("feed.jsonl", Feed());
  REQUIRE(shop.Store("run --quiet", "--input " + shop / "feed.jsonl").code == 0);
  const std::string row = "--by bob --id " + shop.List("--reason CORRUPT_PAYLOAD")[0][0];
  const auto repair = [&](const std::string& payload) {
    shop.Write("payload.json", payload);
    return shop.Store("quarantine repair", row + " --payload-file " + shop / "payload.json");
  };
  const Result broken = repair(Event("Hartbeat", "e5", "0:06", R"("meter_wh":null)"));
  CHECK(broken.code == 1);
  CHECK(broken.out.find("\tREPAIRED\tUNKNOWN_EVENT_TYPE\t") != std::string::npos);
  CHECK(broken.err.find("it breaks rules as well, UNKNOWN_EVENT_TYPE, so the row stays") !=
        std::string::npos);
  CHECK(shop.List("--status REPAIRED").size() == 1);
  CHECK(repair(Event("Heartbeat", "e5", "0:06", R"("meter_wh":null)")).code == 0);
  CHECK(shop.Store("quarantine discard", row).code == 0);
  const Result late = repair(Event("Heartbeat", "e6", "0:06", R"("meter_wh":null)"));
  CHECK(late.code == 2);
  CHECK(late.err.find("it was discarded, so it stays in quarantine for good") != std::string::npos);
  CHECK(shop.List("--status DISCARDED").size() == 1);
}

// A row that was replayed is history: the page counts what is in quarantine still.
TEST_CASE("tool: a report counts what waits in quarantine") {
  const Shop shop;
  shop.Write("feed.jsonl", Feed());
  REQUIRE(shop.Store("run --quiet", "--input " + shop / "feed.jsonl").code == 0);
  REQUIRE(shop.Store("report", "--html " + shop / "before.html").code == 0);
  CHECK(shop.Read("before.html").find("<td>CORRUPT_PAYLOAD</td>") != std::string::npos);
  shop.Write("payload.json", Event("Heartbeat", "e5", "0:06", R"("meter_wh":null)"));
  REQUIRE(shop.Store("quarantine repair", "--id " + shop.List("--reason CORRUPT_PAYLOAD")[0][0] +
                                              " --by bob --payload-file " + shop / "payload.json")
              .code == 0);
  REQUIRE(shop.Store("report", "--html " + shop / "after.html").code == 0);
  CHECK(shop.Read("after.html").find("<td>CORRUPT_PAYLOAD</td>") == std::string::npos);
  CHECK(shop.Read("after.html").find("<td>CONFLICT</td>") != std::string::npos);
}

TEST_CASE("tool: operations, used wrongly") {
  const Shop shop;
  shop.Write("feed.jsonl", Feed());
  REQUIRE(shop.Store("run --quiet", "--input " + shop / "feed.jsonl").code == 0);
  const std::string id = shop.List()[0][0];
  shop.Write("other.json", R"({"power_max_w":5000})");
  CHECK(shop.Store("quarantine list", "--reason CONFLICT --status REPAIRED")
            .err.empty());  // there are such rows
  shop.Write("empty.db", "");
  struct Case {
    std::string command, more;
    int code;
    const char* says;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"quarantine list", "--status BROKEN", 2, "must be NEW, REPAIRED, REPLAYED or DISCARDED"},
           {"quarantine replay", "--status new", 2, "must be NEW"},
           {"quarantine list", "--from 2026-03-02T00:00:00Z --to 2026-03-01T00:00:00Z", 2, "must be after"},
           {"quarantine list", "--from 2026-03-02", 2, "must be a time with an offset"},
           {"quarantine repair", "--by a --payload {} --payload-file x --id " + id, 2, "one of them"},
           {"quarantine repair", "--by a --payload {} --id " + id, 1, "accept or discard it"},
           {"quarantine show", "", 2, "--id ID is missing"},
           {"quarantine show", "--id deadbeef", 2,
            "--id deadbeef: a quarantine_id has 64 hexadecimal digits"},
           {"quarantine show", "--id " + std::string(64, '0'), 1,
            "0: `medallion ocpp quarantine list` shows"},
           {"quarantine discard", "--by a --id " + std::string(64, '0'), 1, "quarantine list` shows them"},
           {"quarantine list", "--reason NOSUCH", 0,
            "no row has the reason NOSUCH; reasons here: CONFLICT, CORRUPT_PAYLOAD, SCHEMA_MISMATCH\n"},
           {"quarantine replay", "--reason NOSUCH", 0, "no row has the reason NOSUCH; reasons here: CONF"},
           {"reconcile", "--config " + shop / "other.json", 1, "by `medallion ocpp rederive`"},
           {"reconcile", "--days 0", 2, "must be a whole number from 1"},
       }) {
    CAPTURE(c.command, c.more);
    const Result result = shop.Store(c.command, c.more);
    CHECK(result.code == c.code);
    CHECK(result.err.find(c.says) != std::string::npos);
  }
  for (const char* command : {"sweep", "metrics", "reconcile", "quarantine list", "forget --id-tag x"}) {
    CAPTURE(command);  // it was not made a store
    const Result result = shop.Tool(std::string(command) + " --store sqlite:" + shop / "empty.db");
    CHECK(result.code == 1);
    CHECK(result.err.find("there is no store") != std::string::npos);
    CHECK(shop.Read("empty.db").empty());
  }
}

TEST_CASE("tool: a replay of all records leaves the tables of a new run with its configuration") {
  const Shop shop;
  shop.Write("other.json", R"({"power_max_w": 1000, "meter_intervals": false, "site_zone": "Asia/Tokyo"})");
  const std::string feed = "--quiet --input tests/golden/ocpp/recorded/microocpp-excerpt.jsonl";
  const std::string other = "--config " + shop / "other.json";
  REQUIRE(shop.Store("run", feed).code == 0);
  const Result replayed = shop.Store("replay", other);
  REQUIRE(replayed.code == 0);
  CHECK(replayed.out.find("of another configuration derived again") != std::string::npos);
  REQUIRE(shop.Store("run", feed + " --out " + shop / "a " + other).code == 0);
  REQUIRE(shop.Tool("run " + feed + " --out " + shop / "b " + other).code == 0);
  for (const std::string table : {"charging_sessions", "charging_stats_daily", "meter_intervals"}) {
    INFO(table);
    CHECK(shop.Read("a/gold_" + table + ".jsonl") == shop.Read("b/gold_" + table + ".jsonl"));
  }
  CHECK(shop.Read("b/gold_meter_intervals.jsonl").empty());
}

TEST_CASE("tool: a report does not replace the store that it shows") {
  const Shop shop;
  REQUIRE(shop.Store("run", "--quiet --input tests/golden/ocpp/bronze.jsonl").code == 0);
  CHECK(shop.Store("report", "--html " + shop / "store.db").code == 2);
  CHECK(shop.Read("store.db").starts_with("SQLite format 3"));
}

TEST_CASE("tool: who replays without a key is warned") {
  const Shop shop;
  shop.Write("feed.jsonl", Feed());
  REQUIRE(shop.Store("run --quiet", "--input " + shop / "feed.jsonl").code == 0);
  const std::string store = " --store sqlite:" + shop / "store.db";
  for (const std::string command : {"quarantine replay", "replay"}) {
    CAPTURE(command);
    CHECK(shop.Tool(command + store).err.empty());
    CHECK(shop.Tool(command + store, "").err.starts_with("warning: no key for id tags"));
  }
}

TEST_CASE("tool: help on a group of commands is a list of them") {
  const Shop shop;
  const std::string list = "  medallion ocpp quarantine list     ", sweep = "  medallion ocpp sweep   ",
                    ledger = "  medallion ledger run   ";
  struct Case {
    const char* words;
    int code;
    bool has_list, has_sweep, has_ledger;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"--help", 0, true, true, false},
           {"help", 0, true, true, false},
           {"", 2, true, true, false},
           {"nonsense", 2, true, true, false},
           {"quarantine --help", 0, true, false, false},
           {"quarantine help", 0, true, false, false},
           {"quarantine", 2, true, false, false},
           {"quarantine nonsense", 2, true, false, false},
           {"quarantine list --help", 0, false, false, false},
       }) {
    CAPTURE(c.words);
    const Result result = shop.Tool(c.words);
    CHECK(result.code == c.code);
    const std::string& text = c.code == 0 ? result.out : result.err;
    CHECK((c.code == 0 ? result.err : result.out).empty());
    CHECK((text.find(list) != std::string::npos) == c.has_list);
    CHECK((text.find(sweep) != std::string::npos) == c.has_sweep);
    CHECK((text.find(ledger) != std::string::npos) == c.has_ledger);
  }
}

TEST_CASE("tool: metrics, and a tag that is forgotten") {
  const Shop shop;
  shop.Write("feed.jsonl", Feed());
  REQUIRE(shop.Store("run --quiet", "--input " + shop / "feed.jsonl" + " --out " + shop / "out").code == 0);
  const Result text = shop.Store("metrics");
  CHECK(text.code == 0);
  CHECK(text.out.find("medallion_records{layer=\"bronze\",fate=\"kept\"} 5\n") != std::string::npos);
  CHECK(text.out.find("\nmedallion_accounting_imbalance 0\n") != std::string::npos);
  CHECK(nlohmann::json::parse(shop.Store("metrics", "--format json").out).is_array());
  CHECK(shop.Store("metrics", "--format xml").code == 2);
  CHECK(shop.Tool("metrics --store sqlite:" + shop / "none.db").code == 1);
  CHECK_FALSE(shop.Read("out/ops_dq_metrics.jsonl").empty());

  // Every output: what was printed, the page, and the tables, save for the columns that show Bronze text.
  CHECK(shop.Store("report", "--html " + shop / "page.html").code == 0);
  CHECK(shop.Store("sweep", "--as-of 2026-03-09T00:00:00Z").code == 0);
  CHECK(shop.Store("reconcile").code == 0);
  CHECK(shop.List().size() == 3);
  CHECK(shop.Read("page.html").find("CP-1") != std::string::npos);
  CHECK(shop.Read("page.html").find("RAW-TAG-1") == std::string::npos);
  CHECK(shop.all().find("RAW-TAG-1") == std::string::npos);
  for (const auto& file : fs::directory_iterator(shop / "out")) {
    std::ifstream lines(file.path());
    for (std::string line; std::getline(lines, line);) {
      auto row = nlohmann::json::parse(line);
      for (const char* column : {"raw_payload", "repaired_payload"}) row.erase(column);
      CHECK(row.dump().find("RAW-TAG-1") == std::string::npos);
    }
  }
  CHECK(shop.Store("forget").code == 2);
  const Result forgotten = shop.Store("forget", "--id-tag raw-tag-1");
  CHECK(forgotten.code == 0);
  CHECK(forgotten.out == "the texts of 5 records and repairs were removed\n");
  for (const char* file : {"store.db", "store.db-wal", "store.db-shm"}) {
    CHECK(shop.Read(file).find("RAW-TAG-1") == std::string::npos);
  }
  REQUIRE(shop.Store("run --quiet", "--input " + shop / "feed.jsonl").code == 0);
  CHECK(shop.Read("store.db").find("RAW-TAG-1") == std::string::npos);
  CHECK(shop.List().size() == 3);
}

}  // namespace
}  // namespace medallion
