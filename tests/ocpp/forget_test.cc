// Id tags: nowhere in clear but where Bronze text is shown, and gone from the file once they are forgotten.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "catch.h"
#include "medallion/base/text.h"
#include "medallion/io/quarantine.h"
#include "medallion/ocpp/id_tag_text.h"
#include "medallion/ocpp/metrics.h"
#include "medallion/ocpp/run_sqlite.h"
#include "nlohmann/json.hpp"

namespace medallion::ocpp {
namespace {

namespace fs = std::filesystem;

const std::string kTag = "SeCret-Tag-7", kOther = "OTHER-TAG-9";

bool Holds(std::string text, std::string part) {
  const auto fold = [](std::string& of) {
    std::transform(of.begin(), of.end(), of.begin(), [](char c) { return AsciiLower(c); });
  };
  fold(text), fold(part);
  return text.find(part) != std::string::npos;
}

// A tag in every place where one may stand.
std::vector<std::string> Payloads() {
  const auto event = [](const char* type, const char* id, const char* time, const std::string& more) {
    return std::string(R"({"event_id":")") + id + R"(","event_type":")" + type +
           R"(","charge_point_id":"CP-1","connector_id":1,"transaction_id":7,"event_ts":"2026-03-01T0)" +
           time + R"(:00Z",)" + more + "}";
  };
  std::string escaped = kTag;
  escaped.replace(0, 1, "\\u0053");
  return {
      event("StartTransaction", "e1", "0:01", R"("meter_wh":1000,"id_tag":")" + kTag + "\""),
      event("MeterValues", "e2", "0:02", R"("meter_wh":1500,"idTag":"secret-tag-7")"),
      event("StopTransaction", "e3", "0:05", R"("meter_wh":4000,"id_tag":" )" + kTag + " \""),
      event("StopTransaction", "e4", "0:05", R"("meter_wh":4400,"id_tag":")" + kTag + "\""),
      event("Stoop", "e5", "0:05", R"("meter_wh":4400,"id_tag":")" + kTag + "\""),
      R"({"event_id":"e6","id_tag":")" + kTag + "\"",
      R"([2,"1","Authorize",{"idTag":")" + kTag + R"("}])",
      R"([2,"2","StartTransaction",{"connectorId":2,"idTag":")" + escaped +
          R"(","meterStart":5,"timestamp":"2026-03-01T01:00:00Z"}])",
      R"([2,"3","StatusNotification",{"connectorId":2,"errorCode":"NoError","status":"Charging","idTag":")" +
          kTag + "\"}]",
      event("StartTransaction", "e7", "2:01",
            R"("meter_wh":9000,"note":"card )" + kTag + R"( x","id_tag":")" + kOther + "\"")};
}

std::vector<BronzeRecord> Records(const std::vector<std::string>& payloads) {
  std::vector<BronzeRecord> records;
  for (size_t i = 0; i < payloads.size(); ++i) {
    records.push_back({.payload = payloads[i],
                       .at = {"desk", 0, static_cast<int64_t>(i)},
                       .key = "CP-1",
                       .ingest_ts = {1'772'330'400'000'000 + static_cast<int64_t>(i)}});
  }
  return records;
}

using Pictures = std::map<std::string, std::vector<nlohmann::json>>;

// All tables, without the columns that show Bronze text.
Pictures Shown(Tables& tables) {
  Pictures shown;
  for (const std::string& name : tables.Names()) {
    REQUIRE(tables
                .Read(name,
                      [&](std::string_view row) {
                        nlohmann::json json = nlohmann::json::parse(row);
                        for (const char* text : {"raw_payload", "repaired_payload"}) json.erase(text);
                        return shown[name].push_back(json), absl::OkStatus();
                      })
                .ok());
  }
  return shown;
}

std::string Difference(const Pictures& a, const Pictures& b) {
  for (const auto& [name, rows] : a) {
    const auto& others = b.at(name);
    if (rows.size() != others.size()) return name + " has other rows";
    for (size_t i = 0; i < rows.size(); ++i) {
      if (rows[i] != others[i]) return name + "\n" + rows[i].dump() + "\n" + others[i].dump();
    }
  }
  return a.size() == b.size() ? "" : "other tables";
}

std::string Everything(const Pictures& shown) {
  std::string all;
  for (const auto& [name, rows] : shown) {
    for (const auto& row : rows) all += row.dump() + "\n";
  }
  return all;
}

std::string Files(const std::string& path) {
  std::string all;
  for (const char* suffix : {"", "-wal", "-shm", "-journal"}) {
    std::ifstream file(path + suffix, std::ios::binary);
    all.append(std::istreambuf_iterator<char>(file), {});
  }
  return all;
}

TEST_CASE("forget: the texts of a tag are gone, sessions and books stay") {
  const std::string path =
      (fs::temp_directory_path() / ("medallion_forget_" + std::to_string(::getpid()))).string();
  for (const char* suffix : {"", "-wal", "-shm"}) fs::remove(path + suffix);
  auto opened = SqliteStore<Charging>::Open(path);
  REQUIRE(opened.ok());
  SqliteStore<Charging>& store = **opened;
  Options options;
  options.id_tag_key = "a key";
  const std::vector<std::string> payloads = Payloads();
  const std::vector<BronzeRecord> records = Records(payloads);
  Runner<Charging> runner(store, options);
  REQUIRE(runner.Take(records, "").ok());
  Quarantine<Charging> quarantine(store, options);
  Digest refused;
  REQUIRE(quarantine
              .List({.reason = "UNKNOWN_EVENT_TYPE"},
                    [&](const QuarantineRow& row) { return refused = row.quarantine_id, absl::OkStatus(); })
              .ok());
  REQUIRE(quarantine.Repair(refused, payloads[3], "ann").ok());

  // Before: only where Bronze text is shown.
  CHECK(Holds(Files(path), kTag));
  const Pictures before = Shown(store);
  CHECK_FALSE(Holds(Everything(before), "secret-tag-7\""));
  CHECK_FALSE(Holds(Everything(before), kOther));
  const auto metrics = MeasureCharging(store, runner.report().data_clock);
  REQUIRE(metrics.ok());
  CHECK_FALSE(Holds(PrometheusText(*metrics) + MetricsJson(*metrics), kTag));
  CHECK_FALSE(Holds(std::string(quarantine.Repair(refused, payloads[0], "ann").message()), kTag));

  const auto names = [](std::string_view text) { return NamesIdTag(text, " secret-TAG-7 "); };
  const auto forgotten = store.Forget(names);
  INFO(std::string(forgotten.status().message()));
  REQUIRE(forgotten.ok());
  CHECK(*forgotten == 10);  // nine records and a repair
  const Accounting books = *store.Books();
  CHECK(Imbalance(books) == 0);
  CHECK(Difference(before, Shown(store)) == "");  // what else the rows show is as it was
  const std::string left = Files(path);
  // The note of another's start names it within a longer text: that is its own text, and stays.
  CHECK(Holds(left, kOther));
  CHECK_FALSE(Holds(left, "\"" + kTag));
  CHECK_FALSE(Holds(left, "u0053ecret"));
  CHECK_FALSE(Holds(left, ":\" " + kTag));

  // Delivered again, also earlier: known, and nothing comes back.
  REQUIRE(runner.Take(records, "").ok());
  std::vector<BronzeRecord> earlier = records;
  for (BronzeRecord& record : earlier) record.ingest_ts.us -= kMicrosPerMinute;
  earlier.pop_back();
  REQUIRE(runner.Take(earlier, "").ok());
  const auto replayed = quarantine.ReplayAll();
  REQUIRE(replayed.ok());
  CHECK((replayed->changed == 0 && replayed->without_payload == 9));
  CHECK(*store.Books() == books);
  CHECK_FALSE(Holds(Files(path), "\"" + kTag));
  Pictures after = Shown(store);
  after[std::string(kRunLogTable)] = before.at(std::string(kRunLogTable));
  CHECK(Difference(before, after) == "");
  CHECK(quarantine.Repair(refused, "{}", "ann").code() == absl::StatusCode::kFailedPrecondition);
  opened->reset();
  for (const char* suffix : {"", "-wal", "-shm"}) fs::remove(path + suffix);
}

TEST_CASE("forget: which texts name a tag") {
  struct Case {
    std::string text, tag;
    bool names;
  };
  for (const Case& c : std::initializer_list<Case>{
           {R"({"id_tag":"AB"})", "ab", true},
           {R"({"a":[{"idToken":{"idToken":" ab "}}]})", "AB", true},
           {R"({"id_tag":"\u0041b"})", "ab", true},
           {R"({"id_tag":"ab\u0000"})", "ab", true},
           {R"({"data":"{\"idTag\":\"AB\"}"})", "ab", true},
           {R"({"id_tag":"abc"})", "ab", false},
           {R"({"note":"ab cd"})", "ab", false},
           {R"({"id_tag":12})", "12", true},
           {R"({"connector_id":12})", "12", false},
           {R"({"id_tag":"ab")", "ab", true},
           {R"({"id_tag":"abc")", "ab", false},
           {"AB", "ab", true},
           {R"({"id_tag":""})", " ", false},
           {"", "ab", false},
       }) {
    CAPTURE(c.text, c.tag);
    CHECK(NamesIdTag(c.text, c.tag) == c.names);
  }
}

}  // namespace
}  // namespace medallion::ocpp
