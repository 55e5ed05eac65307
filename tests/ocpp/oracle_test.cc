// The oracle by itself: the golden sample, cases made by hand, and the comparison. The product is compared
// elsewhere.
#include "ocpp/oracle.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "catch.h"
#include "feed.h"
#include "ocpp/oracle_functions.h"

namespace medallion::testing {
namespace {

constexpr int64_t kTen = 1'772'359'200'000'000;  // 2026-03-01T10:00:00Z

// One delivery: seconds after ten o'clock, and the payload without its braces and constant fields.
struct Delivery {
  int64_t offset;
  int64_t ingest_s;
  std::string fields;
};

std::string Payload(const std::string& fields) {
  return R"({"charge_point_id":"CP-100","ocpp_version":"1.6","schema_version":1,)" + fields + "}";
}

Feed Deliver(std::initializer_list<Delivery> deliveries) {
  Feed feed;
  for (const Delivery& delivery : deliveries) {
    const UtcTime ingest{kTen + delivery.ingest_s * kMicrosPerSecond};
    feed.records.push_back({.payload = feed.texts.Copy(Payload(delivery.fields)),
                            .at = {"t", 0, delivery.offset},
                            .key = "CP-100",
                            .broker_ts = ingest,
                            .ingest_ts = ingest,
                            .version = {},
                            .connection_id = {}});
  }
  return feed;
}

std::string Time(int64_t seconds) { return FormatTime({kTen + seconds * kMicrosPerSecond}); }

// Fields of a start, reading or stop of transaction 501 at `seconds` after ten, `meter` as JSON.
std::string Event(const std::string& id, const std::string& type, int64_t seconds, const std::string& meter,
                  const std::string& more = R"("connector_id":1)") {
  return R"("event_id":")" + id + R"(","event_type":")" + type + R"(","transaction_id":501,"event_ts":")" +
         Time(seconds) + R"(","meter_value":)" + meter + "," + more;
}
std::string Start(const std::string& id, int64_t seconds, const std::string& meter,
                  const std::string& more = R"("connector_id":1)") {
  return Event(id, "StartTransaction", seconds, meter, more);
}
std::string Stop(const std::string& id, int64_t seconds, const std::string& meter) {
  return Event(id, "StopTransaction", seconds, meter);
}
std::string Reading(const std::string& id, int64_t seconds, const std::string& meter) {
  return Event(id, "MeterValues", seconds, meter);
}

std::string Cell(const OracleRow& row, const std::string& column) { return row.at(column).value_or("null"); }

// The rows' cells of some columns, rows sorted: "a b|c d".
std::string Cells(const OracleTables& tables, const std::string& table,
                  const std::vector<std::string>& columns) {
  std::vector<std::string> lines;
  for (const OracleRow& row : tables.at(table)) {
    std::string line;
    for (const std::string& column : columns) line += (line.empty() ? "" : " ") + Cell(row, column);
    lines.push_back(line);
  }
  std::sort(lines.begin(), lines.end());
  std::string all;
  for (const std::string& line : lines) all += (all.empty() ? "" : "|") + line;
  return all;
}

std::string Silver(const OracleTables& tables) {
  return Cells(tables, "silver_charging_events", {"event_id"});
}
std::string Audit(const OracleTables& tables) {
  return Cells(tables, "silver_duplicate_events_audit", {"event_id", "duplicate_type", "winner_event_id"});
}
std::string Fates(const OracleTables& tables) {
  return Cells(tables, "accounting_by_fate", {"fate", "count"});
}
std::string Sessions(const OracleTables& tables) {
  return Cells(
      tables, "gold_charging_sessions",
      {"start_ts", "session_status", "energy_kwh", "energy_is_final", "duration_seconds", "quality_flags"});
}

// The golden sample (../shared/golden/ocpp), row by row; the charge point of row 7 is null and has no key.
Feed Golden(const std::vector<int>& rows, const std::string& fourth = R"("meter_value":4.0,"unit":"kWh")") {
  struct Row {
    int64_t ingest_s;
    std::string fields;
  };
  const std::string tx = R"(,"connector_id":1,"transaction_id":501)";
  const auto at = [](int64_t seconds) { return R"(,"event_ts":")" + Time(seconds) + R"(")"; };
  const std::vector<Row> all = {
      {2, R"("event_id":"e1","event_type":"StartTransaction","meter_value":1000,"unit":"Wh",)"
          R"("id_tag":"TAG-0001")" +
              tx + at(0)},
      {602, R"("event_id":"e2","event_type":"MeterValues","meter_value":"4000","unit":"Wh")" + tx + at(600)},
      {609, R"("event_id":"e2","event_type":"MeterValues","meter_value":"4000","unit":"Wh")" + tx + at(600)},
      {660, R"("event_id":"e3","event_type":"MeterValues",)" + fourth + tx + at(600)},
      {1802,
       R"("event_id":"e5","event_type":"StopTransaction","meter_value":8500,"unit":"Wh")" + tx + at(1800)},
      {2520, R"("event_id":"e4","event_type":"MeterValues","meter_value":7200,"unit":"wh")" + tx + at(900)},
      {2525, R"("event_id":"e6","event_type":"MeterValues","meter_value":7900,"unit":"Wh")" + tx + at(1200)},
      {2526, R"("event_id":"e7","event_type":"StatusNotification","connector_id":1,)"
             R"("connector_status":"charging ")" +
                 at(1)},
      {2701, R"("event_id":"e8","event_type":"Heartbeat")" + at(2700)},
  };
  Feed feed;
  for (const int number : rows) {
    const Row& row = all[static_cast<size_t>(number - 1)];
    const UtcTime ingest{kTen + row.ingest_s * kMicrosPerSecond};
    const std::string head = number == 7 ? R"({"charge_point_id":null,)" : R"({"charge_point_id":"CP-100",)";
    feed.records.push_back({.payload = feed.texts.Copy(head + row.fields + "}"),
                            .at = {"ocpp-events", 0, number - 1},
                            .key = number == 7 ? "" : "CP-100",
                            .broker_ts = ingest,
                            .ingest_ts = ingest,
                            .version = "1.6",
                            .connection_id = {}});
  }
  return feed;
}

}  // namespace

TEST_CASE("oracle: the golden sample") {
  const OracleTables all = AskOracle(Golden({1, 2, 3, 4, 5, 6, 7, 8, 9}).records);
  CHECK(Silver(all) == "e1|e2|e4|e5|e7|e8");
  CHECK(Audit(all) == "e2 TECHNICAL e2|e3 BUSINESS e2");
  CHECK(Cells(all, "silver_quarantine_events", {"offset", "violations"}) ==
        R"(6 ["MISSING_CHARGE_POINT_ID"])");
  CHECK(Fates(all) == "business_duplicate 1|quarantined 1|silver 6|technical_duplicate 1");
  CHECK(Sessions(all) == "2026-03-01T10:00:00.000000Z COMPLETED 7.500 true 1800 []");
  CHECK(Cells(all, "gold_charging_sessions", {"session_id", "event_count"}) ==
        "e6569db5f8c72ac05a7fac9215a3a66e345197b187ba0c8311cab4339395545d 4");
  CHECK(Cells(all, "silver_ignored", {}).empty());
}

TEST_CASE("oracle: the golden sample's variants") {
  CHECK(Sessions(AskOracle(Golden({1, 2, 3, 4}).records)) ==
        "2026-03-01T10:00:00.000000Z IN_PROGRESS 3.000 false 600 []");
  CHECK(Sessions(AskOracle(Golden({1, 2, 3, 4, 5}).records)) ==
        "2026-03-01T10:00:00.000000Z COMPLETED 7.500 true 1800 []");
  CHECK(Sessions(AskOracle(Golden({1, 2, 3, 4, 6, 7, 8, 9}).records)) ==
        "2026-03-01T10:00:00.000000Z IN_PROGRESS 6.200 false 900 []");
  const OracleTables conflict =
      AskOracle(Golden({1, 2, 3, 4, 5, 6, 7, 8, 9}, R"("meter_value":4.1,"unit":"kWh")").records);
  CHECK(Fates(conflict) == "quarantined 2|silver 6|technical_duplicate 1");
  CHECK(Sessions(conflict) == R"(2026-03-01T10:00:00.000000Z COMPLETED 7.500 false 1800 ["CONFLICT"])");
}

TEST_CASE("oracle: keys and the hash of a tag") {
  const OracleTables tables =
      AskOracle(Deliver({{0, 5, Start("a", 0, "1000", R"("connector_id":1,"id_tag":" Tag-1 ")")}}).records);
  const OracleRow& row = tables.at("silver_charging_events").at(0);
  CHECK(Cell(row, "business_key") == OracleSha256("StartTransaction|CP-100|1|501"));
  CHECK(Cell(row, "meter_wh") == "1000.000");
  // printf 'tag-1' | openssl dgst -sha256 -hmac 'medallion: no key was given'
  CHECK(Cell(row, "id_tag_hash") == "d987dae669fb245ce9013127f7f4d9c861552b2c636c8dd08986af4723630596");
}

TEST_CASE("oracle: a late, earlier copy overturns the winner among four") {
  // By arrival a wins, b and c differ from it. Then d comes, received before a: now b and c are its copies.
  const OracleTables before = AskOracle(
      Deliver(
          {{1, 20, Start("a", 0, "1000")}, {2, 30, Start("b", 0, "2000")}, {3, 40, Start("b", 0, "2000")}})
          .records);
  CHECK(Silver(before) == "a");
  CHECK(Fates(before) == "quarantined 2|silver 1");
  const OracleTables after = AskOracle(Deliver({{1, 20, Start("a", 0, "1000")},
                                                {2, 30, Start("b", 0, "2000")},
                                                {3, 40, Start("b", 0, "2000")},
                                                {4, 10, Start("d", 0, "2000")}})
                                           .records);
  CHECK(Silver(after) == "d");
  CHECK(Audit(after) == "b BUSINESS d|b TECHNICAL d");
  CHECK(Cells(after, "silver_quarantine_events", {"offset", "violations"}) == R"(1 ["CONFLICT"])");
}

TEST_CASE("oracle: a winner without a value shows its copy's") {
  const OracleTables tables = AskOracle(
      Deliver(
          {{1, 10, Start("a", 0, "null")}, {2, 20, Start("b", 0, "2000")}, {3, 30, Start("c", 0, "3000")}})
          .records);
  CHECK(Cells(tables, "silver_charging_events", {"event_id", "meter_wh"}) == "a 2000.000");
  CHECK(Audit(tables) == "b BUSINESS a");
  CHECK(Fates(tables) == "business_duplicate 1|quarantined 1|silver 1");
  CHECK(Cells(tables, "gold_charging_sessions", {"meter_start_wh", "evidence"}) ==
        R"(2000.000 {"begin":{"topic":"t","partition":0,"offset":2,"ordinal":0},"end":null})");
}

TEST_CASE("oracle: contest_all moves every member of a fact") {
  const Feed feed = Deliver({{1, 10, Start("a", 0, "1000")},
                             {2, 20, Start("b", 0, "2000")},
                             {3, 30, Start("c", 0, "1000")},
                             {4, 700, Stop("d", 600, "5000")}});
  const OracleTables tables = AskOracle(feed.records, {.contest_all = true});
  CHECK(Silver(tables) == "d");
  CHECK(Fates(tables) == "quarantined 3|silver 1");
  CHECK(Sessions(tables) == R"(null START_MISSING null false null ["CONFLICT","START_MISSING"])");
}

TEST_CASE("oracle: a reused transaction id is cut into epochs") {
  const int64_t day = 86400;
  struct Case {
    std::initializer_list<Delivery> deliveries;
    std::string sessions;
  };
  const std::string at0 = Time(0) + " ", at1200 = Time(1200) + " ", at_day = Time(day) + " ";
  for (const Case& c : std::initializer_list<Case>{
           // A start after a stop that has a start before it.
           {{{1, 1, Start("a", 0, "1000")},
             {2, 601, Stop("b", 600, "2000")},
             {3, 1201, Start("c", 1200, "3000")}},
            at0 + "COMPLETED 1.000 true 600 []|" + at1200 + R"(IN_PROGRESS null false 0 ["TX_ID_REUSED"])"},
           // Without the stop it is the same start with another reading.
           {{{1, 1, Start("a", 0, "1000")}, {3, 1201, Start("c", 1200, "3000")}},
            at0 + R"(IN_PROGRESS null false 0 ["CONFLICT"])"},
           // A day later it is another one.
           {{{1, 1, Start("a", 0, "1000")}, {3, day + 1, Start("c", day, "3000")}},
            at0 + R"(TIMED_OUT null false 0 ["STOP_MISSING"]|)" + at_day +
                R"(IN_PROGRESS null false 0 ["TX_ID_REUSED"])"},
           // So it is on another connector.
           {{{1, 1, Start("a", 0, "1000")}, {3, 1201, Start("c", 1200, "3000", R"("connector_id":2)")}},
            at0 + "IN_PROGRESS null false 0 []|" + at1200 + R"(IN_PROGRESS null false 0 ["TX_ID_REUSED"])"},
           // At one instant a start goes first …
           {{{1, 1202, Start("a", 1200, "1000")}, {2, 1201, Stop("b", 1200, "1000")}},
            at1200 + R"(COMPLETED 0.000 true 0 ["ZERO_ENERGY"])"},
           // … unless its epoch already has one.
           {{{1, 1, Start("a", 0, "1000")},
             {2, 1201, Stop("b", 1200, "2000")},
             {3, 1202, Start("c", 1200, "2000")}},
            at0 + "COMPLETED 1.000 true 1200 []|" + at1200 + R"(IN_PROGRESS null false 0 ["TX_ID_REUSED"])"},
           // A stop below its start belongs to it all the same.
           {{{1, 1, Start("a", 0, "9000")}, {2, 601, Stop("b", 600, "2000")}},
            at0 + R"(COMPLETED null false 600 ["METER_ANOMALY","METER_DECREASED"])"},
           {{{1, 1, Start("a", 0, "9000")},
             {2, 301, Reading("m", 300, "9500")},
             {3, 601, Stop("b", 600, "-1")}},
            at0 + R"(COMPLETED 0.500 false 600 ["METER_ANOMALY","METER_STOP_INVALID"])"},
       }) {
    const OracleTables tables = AskOracle(Deliver(c.deliveries).records);
    CHECK(Sessions(tables) == c.sessions);
  }
}

TEST_CASE("oracle: noise, baselines and readings that cannot be") {
  const std::string at0 = Time(0) + " ";
  struct Case {
    std::initializer_list<Delivery> deliveries;
    std::string sessions;
  };
  for (const Case& c : std::initializer_list<Case>{
           // Less than 1 Wh below the start is no decrease.
           {{{1, 1, Start("a", 0, "1000")}, {2, 601, Stop("b", 600, "999.6")}},
            at0 + R"(COMPLETED 0.000 true 600 ["ZERO_ENERGY"])"},
           // A sample that repeats the start's reading is no energy.
           {{{1, 1, Start("a", 0, "1000")}, {2, 2, Reading("m", 0, R"(1000,"context":"Transaction.Begin")")}},
            at0 + "IN_PROGRESS null false 0 []"},
           // No energy is worth a flag only at the end.
           {{{1, 1, Start("a", 0, "1000")}, {2, 301, Reading("m", 300, "1000")}},
            at0 + "IN_PROGRESS 0.000 false 300 []"},
           {{{1, 1, Start("a", 0, "1000")}, {2, 601, Stop("b", 600, "2147483647")}},
            at0 + R"(COMPLETED null false 600 ["METER_ANOMALY","METER_STOP_INVALID"])"},
           {{{1, 1, Start("a", 0, "0")}, {2, 601, Stop("b", 600, "5000")}},
            at0 + R"(COMPLETED 5.000 true 600 [])"},
           // Growth below 1 Wh opens no session.
           {{{1, 1, Reading("a", 0, "1000")}, {2, 301, Reading("m", 300, "1000.9")}}, ""},
       }) {
    CHECK(Sessions(AskOracle(Deliver(c.deliveries).records)) == c.sessions);
  }
}

TEST_CASE("oracle: a stop before every start joins the first one and closes nothing") {
  const OracleTables tables = AskOracle(
      Deliver(
          {{1, 1, Stop("b", 0, "3000")}, {2, 61, Start("a", 60, "1000")}, {3, 121, Start("c", 120, "1000")}})
          .records);
  CHECK(Sessions(tables) == Time(60) + R"( COMPLETED 2.000 true null ["NEGATIVE_DURATION"])");
  CHECK(Audit(tables) == "c BUSINESS a");
}

TEST_CASE("oracle: a redelivered record is one, another payload at its place is another") {
  const OracleTables tables = AskOracle(
      Deliver(
          {{1, 90, Start("a", 0, "1000")}, {1, 30, Start("a", 0, "1000")}, {1, 60, Stop("b", 10, "1000")}})
          .records);
  CHECK(Cells(tables, "silver_charging_events", {"event_id", "bronze_offset", "ingest_ts"}) ==
        "a 1 2026-03-01T10:00:30.000000Z|b 1 2026-03-01T10:01:00.000000Z");
  CHECK(Fates(tables) == "silver 2");
}

TEST_CASE("oracle: the data clock decides who timed out") {
  Feed feed =
      Deliver({{1, 1, Start("a", 0, "1000")}, {2, 90'000, R"("event_id":"h","event_type":"Heartbeat")"}});
  CHECK(Cells(AskOracle(feed.records), "gold_charging_sessions", {"session_status", "next_due_at"}) ==
        "TIMED_OUT null");
  CHECK(Cells(AskOracle(feed.records, {.as_of = {kTen + kMicrosPerHour}}), "gold_charging_sessions",
              {"session_status", "next_due_at"}) == "IN_PROGRESS 2026-03-02T10:00:00.000000Z");
  // A record received over a day after the broker had it does not move the clock.
  feed.records[1].broker_ts = {kTen};
  CHECK(Cells(AskOracle(feed.records), "gold_charging_sessions", {"session_status"}) == "IN_PROGRESS");
  CHECK(Cells(AskOracle(feed.records, {.sweep_at = {kTen + kMicrosPerDay}}), "gold_charging_sessions",
              {"session_status", "updated_at"}) == "TIMED_OUT 2026-03-02T10:00:00.000000Z");
}

TEST_CASE("oracle: neither order nor repeats matter") {
  const uint64_t seed = GENERATE(range(uint64_t{1}, uint64_t{9}));
  CAPTURE(seed);
  Feed feed = MakeLawFeed({.seed = seed, .events = 60, .odd_series = true, .disputed = true});
  const OracleTables once = AskOracle(feed.records);
  std::reverse(feed.records.begin(), feed.records.end());
  feed.records.insert(feed.records.end(), feed.records.begin(), feed.records.begin() + 20);
  const OracleTables again = AskOracle(feed.records);
  for (const auto& [table, rows] : once) {
    std::vector<OracleRow> a = rows, b = again.at(table);
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    CHECK(a == b);
  }
}

TEST_CASE("differences: none from itself, and each is named") {
  const OracleTables oracle = AskOracle(Golden({1, 2, 3, 4, 5, 6, 7, 8, 9}).records);
  std::map<std::string, std::vector<std::string>> lines;
  for (const auto& [table, rows] : oracle) {
    for (const OracleRow& row : rows) {
      nlohmann::json json;
      for (const auto& [column, cell] : row) {
        if (column[0] == '_') continue;
        json[column] = cell.has_value() ? nlohmann::json(*cell) : nlohmann::json();
      }
      lines[table].push_back(json.dump());
    }
  }
  CHECK(Differences(oracle, lines).empty());
  std::string& session = lines["gold_charging_sessions"][0];
  session.replace(session.find("7.500"), 5, "7.501");
  lines["silver_duplicate_events_audit"].pop_back();
  CHECK(Differences(oracle, lines) ==
        "gold_charging_sessions e6569db5f8c72ac05a7fac9215a3a66e345197b187ba0c8311cab4339395545d energy_kwh: "
        "oracle 7.500, product 7.501\n" +
            ("silver_duplicate_events_audit ocpp-events/0/3/0/e3/" +
             OracleSha256(
                 "MeterValues|CP-100|501|2026-03-01T10:10:00.000000Z|Energy.Active.Import.Register||Outlet|"
                 "Sample.Periodic|0") +
             " rows: oracle 1 as e3 CP-100 BUSINESS, product 0\n"));
}

}  // namespace medallion::testing
