#include "feed.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "catch.h"
#include "ocpp/oracle.h"
#include "ocpp/oracle_functions.h"

namespace medallion::testing {
namespace {

int64_t Count(const OracleTables& tables, const std::string& fate) {
  for (const OracleRow& row : tables.at("accounting_by_fate")) {
    if (row.at("fate") == fate) return std::stoll(row.at("count").value());
  }
  return 0;
}

void Collect(const OracleTables& tables, const std::string& table, const std::string& column,
             std::set<std::string>& codes) {
  for (const OracleRow& row : tables.at(table)) {
    for (const auto& code : nlohmann::json::parse(row.at(column).value()))
      codes.insert(code.get<std::string>());
  }
}

}  // namespace

TEST_CASE("feed: the same seed gives the same bytes, here and everywhere") {
  const auto bench = [](uint64_t seed) {
    return WrappedLines(MakeFeed({.seed = seed, .events = 500}).records);
  };
  const auto law = [](uint64_t seed) {
    return WrappedLines(MakeLawFeed({.seed = seed, .events = 100}).records);
  };
  CHECK(OracleSha256(bench(1)) == "e4576bc016841b4ab46dacbd56e909f871b8248d27b39ce62884cc474afe1d99");
  CHECK(OracleSha256(law(1)) == "e355d4d9aaa3b479a8631f5641129c6183077f0c0fc5c16f11eb4047a9b22189");
  CHECK(bench(1) != bench(2));
  CHECK(law(1) != law(2));
}

TEST_CASE("feed: what was planted is found") {
  FeedCounts counts;
  const FeedOptions options{.events = 1500, .charge_points = 60, .conflict_ppm = 5000, .invalid_ppm = 20'000};
  const Feed feed = MakeFeed(options, &counts);
  const OracleTables tables = AskOracle(feed.records);
  CHECK(counts.events == static_cast<int64_t>(feed.records.size()));
  CHECK(counts.technical == 30);
  CHECK(counts.business == 15);
  CHECK(counts.conflicts == 7);
  CHECK(counts.invalid == 30);
  CHECK(counts.late > 40);
  CHECK(Count(tables, "technical_duplicate") == counts.technical);
  CHECK(Count(tables, "business_duplicate") == counts.business);
  CHECK(Count(tables, "quarantined") == counts.conflicts + counts.invalid);
  CHECK(Count(tables, "silver") ==
        counts.starts + counts.readings + counts.stops + counts.statuses + counts.heartbeats);
  CHECK(static_cast<int64_t>(tables.at("gold_charging_sessions").size()) == counts.sessions);
}

TEST_CASE("feed: lines and records say the same") {
  const FeedOptions options{.events = 300, .charge_points = 20};
  const Feed feed = MakeFeed(options);
  FeedStream wrapped_stream(options), flat_stream(options);
  std::string wrapped, flat, expected;
  while (wrapped_stream.AppendWrappedLines(7, wrapped)) {
  }
  while (flat_stream.AppendFlatLines(64, flat)) {
  }
  for (const BronzeRecord& record : feed.records) expected.append(record.payload).append("\n");
  CHECK(wrapped == WrappedLines(feed.records));
  CHECK(flat == expected);
  const std::string first = wrapped.substr(0, wrapped.find('\n'));
  CHECK(nlohmann::json::parse(first).at("payload") == std::string(feed.records[0].payload));
  const size_t average = flat.size() / feed.records.size();
  CHECK(average > 245);
  CHECK(average < 290);
}

TEST_CASE("feed: the law mix meets every code that flat events can have") {
  std::set<std::string> codes, statuses;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    const OracleTables tables =
        AskOracle(MakeLawFeed({.seed = seed}).records, {.keep_bad_clock = seed % 2 == 0});
    Collect(tables, "silver_quarantine_events", "violations", codes);
    Collect(tables, "silver_charging_events", "flags", codes);
    Collect(tables, "gold_charging_sessions", "quality_flags", codes);
    for (const OracleRow& row : tables.at("gold_charging_sessions"))
      statuses.insert(row.at("session_status").value());
  }
  for (const char* code : {"CORRUPT_PAYLOAD",
                           "SCHEMA_MISMATCH",
                           "AMBIGUOUS_FIELD",
                           "MISSING_EVENT_ID",
                           "MISSING_CHARGE_POINT_ID",
                           "UNKNOWN_EVENT_TYPE",
                           "INVALID_EVENT_TS",
                           "MISSING_TRANSACTION_ID",
                           "INVALID_TRANSACTION_ID",
                           "MISSING_METER_VALUE",
                           "INVALID_METER_VALUE",
                           "UNKNOWN_UNIT",
                           "INVALID_CONNECTOR_ID",
                           "UNKNOWN_STATUS",
                           "CONFLICT",
                           "TZ_ASSUMED",
                           "TS_FROM_INGEST",
                           "CLOCK_UNSET",
                           "FUTURE_TIMESTAMP",
                           "CHARGE_POINT_FROM_KEY",
                           "TYPE_COERCED",
                           "SHAPE_COERCED",
                           "UNKNOWN_ENUM",
                           "UNIT_FOLDED",
                           "PRECISION_LOST",
                           "METER_DECREASED",
                           "METER_STOP_INVALID",
                           "METER_ANOMALY",
                           "NO_END_READING",
                           "START_MISSING",
                           "STOP_MISSING",
                           "LATE_ARRIVAL",
                           "ZERO_ENERGY",
                           "READING_OUTSIDE_SESSION",
                           "NEGATIVE_DURATION",
                           "TX_ID_REUSED",
                           "SEQ_GAP",
                           "ID_TAG_MISMATCH"}) {
    CAPTURE(code);
    CHECK(codes.contains(code));
  }
  CHECK(statuses.size() == 4);
}

}  // namespace medallion::testing
