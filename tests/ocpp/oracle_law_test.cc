// The product against the oracle, table by table, over random feeds.

#include <map>
#include <string>
#include <vector>

#include "catch.h"
#include "medallion/ocpp/run.h"
#include "tests/feed.h"
#include "tests/laws.h"
#include "tests/ocpp/oracle.h"

namespace medallion::ocpp {
namespace {

// The charging pack without its timelines: the oracle tells each transaction by its own facts. What charge points'
// timelines add has a law of its own.
struct Alone : Charging {
  static Resolution Resolve(const Timeline<ChargingEvent>&, const Options&) = delete;
};

std::string ProductAgainstOracle(const std::vector<BronzeRecord>& records, uint64_t seed) {
  Options options;
  testing::OracleOptions oracle;
  oracle.contest_all = seed % 3 == 1;
  oracle.keep_bad_clock = seed % 2 == 1;
  options.policy = oracle.contest_all ? Policy::kContestAll : Policy::kKeepFirst;
  options.flat_clock = oracle.keep_bad_clock ? ClockPolicy::kKeep : ClockPolicy::kQuarantine;
  UtcTime last{0};
  for (const BronzeRecord& record : records) last = std::max(last, record.ingest_ts);
  oracle.sweep_at = {last.us + static_cast<int64_t>(seed % 40) * kMicrosPerHour};

  static_assert(!Resolves<Alone>);
  MemoryStore<Alone> store;
  Runner<Alone> runner(store, options);
  REQUIRE(runner.Take(records, "").ok());
  REQUIRE(runner.Sweep(oracle.sweep_at).ok());
  std::map<std::string, std::vector<std::string>> product;
  for (const std::string& name : store.Names()) {
    if (TellsOfRuns(name)) continue;
    auto& rows = product[name];
    REQUIRE(store.Read(name, [&](std::string_view row) { return rows.emplace_back(row), absl::OkStatus(); })
                .ok());
  }
  return testing::Differences(testing::AskOracle(records, oracle), product);
}

TEST_CASE("oracle: the product's tables equal those that SQL derives from the same records") {
  for (uint64_t seed = 0; seed < testing::LawSeeds(); ++seed) {
    const testing::Feed feed = testing::MakeLawFeed({.seed = seed});
    if (ProductAgainstOracle(feed.records, seed).empty()) continue;
    const auto smallest = testing::Shrunk(feed.records, [&](const std::vector<BronzeRecord>& fewer) {
      return !ProductAgainstOracle(fewer, seed).empty();
    });
    FAIL("seed " << seed << "\n" << testing::WrappedLines(smallest) << ProductAgainstOracle(smallest, seed));
  }
  SUCCEED();
}

}  // namespace
}  // namespace medallion::ocpp
