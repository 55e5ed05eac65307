// Metrics: their numbers against the books and the tables, and the format's own rules for the text.
#include "medallion/ocpp/metrics.h"

#include <array>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "catch.h"
#include "medallion/io/quarantine.h"
#include "medallion/ocpp/run_sqlite.h"
#include "nlohmann/json.hpp"
#include "tests/feed.h"

namespace medallion::ocpp {
namespace {

using Series = std::map<std::string, std::string>;  // name with labels -> value

std::vector<Metric> Measured(Tables& tables, UtcTime clock, UtcTime now = kNoTime) {
  auto metrics = MeasureCharging(tables, clock, now);
  REQUIRE(metrics.ok());
  return *std::move(metrics);
}

bool IsName(const std::string& name) {
  return !name.empty() &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789") == std::string::npos &&
         (name[0] < '0' || name[0] > '9');
}

// Reads the text by the rules of the format: each family once, HELP and TYPE before its samples, no series twice.
Series Parsed(const std::string& text) {
  Series series;
  std::set<std::string> families;
  std::string family, line;
  REQUIRE((!text.empty() && text.back() == '\n'));
  for (std::istringstream lines(text); std::getline(lines, line);) {
    CAPTURE(line);
    if (line.starts_with("# HELP ")) {
      family = line.substr(7, line.find(' ', 7) - 7);
      REQUIRE(IsName(family));
      REQUIRE(families.insert(family).second);
      REQUIRE(line.size() > 8 + family.size());
    } else if (line.starts_with("# TYPE ")) {
      REQUIRE(line.starts_with("# TYPE " + family + " "));
      const std::string kind = line.substr(8 + family.size());
      REQUIRE((kind == "gauge" || kind == "counter" || kind == "histogram"));
      REQUIRE((kind == "counter") == family.ends_with("_total"));
    } else {
      REQUIRE(line.starts_with(family));
      const size_t value = line.rfind(' ');
      REQUIRE(line.find_first_not_of("0123456789.+Inf-", value + 1) == std::string::npos);
      REQUIRE(series.emplace(line.substr(0, value), line.substr(value + 1)).second);
    }
  }
  return series;
}

int64_t Number(const Series& series, const std::string& name) {
  const auto found = series.find(name);
  CAPTURE(name);
  REQUIRE(found != series.end());
  return std::stoll(found->second);
}

template <class AnyStore>
void CheckAgainstBooks(AnyStore& store, uint64_t seed) {
  CAPTURE(seed);
  const testing::Feed feed = testing::MakeNastyFeed(seed);
  const Options options;
  Runner<Charging> runner(store, options);
  const std::span<const BronzeRecord> records = feed.records;
  for (size_t i = 0; i < records.size(); i += 20)
    REQUIRE(runner.Take(records.subspan(i, std::min<size_t>(20, records.size() - i)), "").ok());
  REQUIRE(runner.Take(records.first(5), "").ok());  // known
  const UtcTime clock = runner.report().data_clock;
  const auto metrics = Measured(store, clock, {clock.us + 90 * kMicrosPerSecond});
  const Series series = Parsed(PrometheusText(metrics));
  const Accounting books = *store.Books();
  CHECK(Number(series, R"(medallion_records{layer="bronze",fate="kept"})") == books.records);
  for (int i = 0; i < kFates; ++i) {
    const auto fate = static_cast<Fate>(i);
    CHECK(Number(series, R"(medallion_records{layer="silver",fate=")" + std::string(FateName(fate)) +
                             "\"}") == books.fates[fate]);
  }
  CHECK(Number(series, "medallion_accounting_imbalance") == 0);
  CHECK(Number(series, R"(medallion_processed_total{layer="bronze"})") >= books.records);
  CHECK(Number(series, "medallion_redelivered_total") >= 5);
  CHECK(series.at("medallion_freshness_seconds") == "90.000000");
  const int64_t lags = Number(series, "medallion_event_lag_seconds_count");
  CHECK(Number(series, R"(medallion_event_lag_seconds_bucket{le="+Inf"})") == lags);
  CHECK(lags >= books.fates[Fate::kSilver]);
  std::map<std::string, int64_t> quarantined;
  int64_t sessions = 0;
  REQUIRE(store
              .Read(kQuarantineTable,
                    [&](std::string_view row) {
                      const auto parsed = nlohmann::json::parse(row);
                      for (const auto& code : parsed.at("violations")) ++quarantined[code];
                      return absl::OkStatus();
                    })
              .ok());
  REQUIRE(store.Read(Charging::kGoldTables[0], [&](std::string_view) { return ++sessions, absl::OkStatus(); })
              .ok());
  for (const auto& [code, rows] : quarantined) {
    CHECK(Number(series, "medallion_quarantined{code=\"" + code + "\",status=\"NEW\"}") == rows);
    CHECK(Number(series, "medallion_violations_total{code=\"" + code + "\"}") > 0);
  }
  int64_t by_age = 0;
  for (const auto& [name, value] : series) {
    if (name.starts_with("medallion_sessions{")) by_age += std::stoll(value);
    CHECK(name.find("CP-") == std::string::npos);  // no ids as labels
  }
  CHECK(by_age == sessions);

  // Kept as a table, in place of what was there.
  for (int times = 0; times < 2; ++times) REQUIRE(KeepMetrics<Charging>(store, metrics, "run").ok());
  size_t rows = 0;
  REQUIRE(
      store
          .Read(kMetricsTable,
                [&](std::string_view row) {
                  CHECK(nlohmann::json::parse(row).at("metric").get<std::string>().starts_with("medallion_"));
                  return ++rows, absl::OkStatus();
                })
          .ok());
  CHECK(rows == series.size());
  CHECK(Number(Parsed(PrometheusText(Measured(store, clock))), "medallion_redelivered_total") ==
        Number(series, "medallion_redelivered_total"));
}

TEST_CASE("metrics: numbers that no type can hold are in nobody's way") {
  MemoryStore<Charging> store;
  const Options options;
  Runner<Charging> runner(store, options);
  const std::array<std::string_view, 3> payloads = {R"([99999999999999999999,"a",{}])", R"([[1e400],"a",{}])",
                                                    R"([[-99999999999999999999],"a",{}])"};
  std::vector<BronzeRecord> records;
  for (const std::string_view payload : payloads) {
    records.push_back({.payload = payload, .at = {"ocpp", 0, static_cast<int64_t>(records.size())}});
  }
  REQUIRE(runner.Take(records, "").ok());
  const Series series = Parsed(PrometheusText(Measured(store, UtcTime{0})));
  CHECK(Number(series, R"(medallion_quarantined{code="CORRUPT_PAYLOAD",status="NEW"})") == 3);
}

TEST_CASE("metrics: they are the books") {
  for (uint64_t seed = 0; seed < 4; ++seed) {
    MemoryStore<Charging> memory;
    CheckAgainstBooks(memory, seed);
    const auto sqlite = SqliteStore<Charging>::Open(":memory:");
    REQUIRE(sqlite.ok());
    CheckAgainstBooks(**sqlite, seed);
  }
}

TEST_CASE("metrics: an empty store has some, too") {
  MemoryStore<Charging> store;
  const Series series = Parsed(PrometheusText(Measured(store, kNoTime)));
  CHECK(series.at("medallion_accounting_imbalance") == "0");
  CHECK(series.at("medallion_event_lag_seconds_count") == "0");
  CHECK(nlohmann::json::parse(MetricsJson(Measured(store, kNoTime))).is_array());
}

TEST_CASE("metrics: unknown fields by name, a bounded number of them") {
  MemoryStore<Charging> store;
  const Options options;
  Runner<Charging> runner(store, options);
  std::vector<std::string> payloads;
  for (int i = 0; i < 200; ++i) {
    payloads.push_back(
        R"({"event_id":"e)" + std::to_string(i) +
        R"(","event_type":"Heartbeat","charge_point_id":"CP","event_ts":"2026-03-01T00:00:00Z",)" +
        R"("signal":1,"extra_)" + std::to_string(i) + R"(":true})");
  }
  payloads.push_back(R"({"event_id":"q","event_type":"Heartbeat","charge_point_id":"CP","a\"b\\":1})");
  std::vector<BronzeRecord> records;
  for (size_t i = 0; i < payloads.size(); ++i) {
    records.push_back({.payload = payloads[i],
                       .at = {"t", 0, static_cast<int64_t>(i)},
                       .ingest_ts = {1'772'323'200'000'000 + static_cast<int64_t>(i)}});
  }
  REQUIRE(runner.Take(std::span(records).last(1), "").ok());
  REQUIRE(runner.Take(std::span(records).first(200), "").ok());
  const Series series = Parsed(PrometheusText(Measured(store, kNoTime)));
  CHECK(Number(series, R"(medallion_unknown_fields_total{field="signal"})") == 200);
  CHECK(Number(series, R"(medallion_unknown_fields_total{field="a\"b\\"})") == 1);
  int64_t names = 0, all = 0;
  for (const auto& [name, value] : series) {
    if (name.starts_with("medallion_unknown_fields_total")) ++names, all += std::stoll(value);
  }
  CHECK(names <= 51);
  CHECK(all == 401);
  CHECK(runner.report().unknown_fields == 401);
}

TEST_CASE("metrics: rows that are late by thousands of years") {
  MemoryStore<Charging> store;
  const Options options;
  Runner<Charging> runner(store, options);
  constexpr UtcTime kYear9999{253'370'764'800'000'000};
  std::vector<std::string> payloads;
  for (int i = 0; i < 100; ++i) {
    payloads.push_back(R"({"event_id":"e)" + std::to_string(i) +
                       R"(","event_type":"Heartbeat","charge_point_id":"CP","event_ts":"2026-03-01T00:00:)" +
                       std::to_string(10 + i % 50) + "." + std::to_string(i) + R"(Z"})");
  }
  std::vector<BronzeRecord> records;
  for (const std::string& payload : payloads) {
    records.push_back(
        {.payload = payload, .at = {"t", 0, static_cast<int64_t>(records.size())}, .ingest_ts = kYear9999});
  }
  for (const size_t half : {size_t{0}, size_t{50}}) {
    REQUIRE(runner.Take(std::span(records).subspan(half, 50), "").ok());
  }
  const Series series = Parsed(PrometheusText(Measured(store, kYear9999)));
  CHECK(series.at("medallion_event_lag_seconds_sum").starts_with("9223372036854."));  // all that is shown
  CHECK(Number(series, "medallion_event_lag_seconds_count") == 100);
}

TEST_CASE("metrics: without a clock no session has an age") {
  MemoryStore<Charging> store;
  const Options options;
  const BronzeRecord start{
      .payload =
          R"({"event_id":"s","event_type":"StartTransaction","charge_point_id":"CP","transaction_id":1,)"
          R"("connector_id":1,"event_ts":"2026-03-01T00:00:00Z","meter_wh":1})",
      .at = {"t", 0, 1},
      .ingest_ts = {1'772'323'200'000'000}};
  REQUIRE(Runner<Charging>(store, options).Take({&start, 1}, "").ok());
  const auto count = [&](UtcTime clock) {
    const auto metrics = MeasureSessions(store, clock);
    REQUIRE(metrics.ok());
    int64_t sessions = 0;
    for (const Metric& metric : *metrics) {
      if (metric.name != "medallion_sessions") continue;
      for (const MetricSample& sample : metric.samples) sessions += std::stoll(sample.value);
    }
    return sessions;
  };
  CHECK(count(start.ingest_ts) == 1);
  CHECK(count(kNoTime) == 0);
}

TEST_CASE("metrics: a warning while id tags can be guessed") {
  MemoryStore<Charging> store;
  Options options;
  const BronzeRecord record{.payload = "{", .at = {"t", 0, 1}, .ingest_ts = {1}};
  const std::string warning = R"(medallion_warnings{code="PUBLIC_ID_TAG_KEY"})";
  REQUIRE(Runner<Charging>(store, options).Take({&record, 1}, "").ok());
  CHECK(Parsed(PrometheusText(Measured(store, kNoTime))).contains(warning));
  options.id_tag_key = "a key of its own";
  const BronzeRecord next{.payload = "{", .at = {"t", 0, 2}, .ingest_ts = {2}};
  REQUIRE(Runner<Charging>(store, options).Take({&next, 1}, "").ok());
  CHECK_FALSE(Parsed(PrometheusText(Measured(store, kNoTime))).contains(warning));
}

}  // namespace
}  // namespace medallion::ocpp
