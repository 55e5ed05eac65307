// However records are cut into batches, and whatever they are delivered again with, every store ends in the same tables.
#include <memory>
#include <random>
#include <span>

#include "medallion/ocpp/charging.h"
#include "tests/catch.h"
#include "tests/feed.h"
#include "tests/io/store_suite.h"
#include "tests/laws.h"
#include "tests/stores.h"
#include "tests/toy.h"

namespace medallion::suite {
namespace {

// Some of the records come again: received earlier or later, or with another key.
Feed Redelivered(uint32_t seed, size_t records) {
  Feed feed = toy::RandomFeed(seed, records);
  std::mt19937 random(seed);
  const std::vector<BronzeRecord> once = feed.records();
  for (const BronzeRecord& record : once) {
    if (random() % 3 != 0) continue;
    BronzeRecord again = record;
    again.ingest_ts.us += (static_cast<int64_t>(random() % 7) - 3) * 7 * kMicrosPerHour;
    again.broker_ts = again.ingest_ts;
    if (random() % 5 == 0) again.key = "Aast";
    const auto at = static_cast<std::ptrdiff_t>(random() % feed.records().size());
    feed.records().insert(feed.records().begin() + at, again);
  }
  return feed;
}

template <class Pack, class AnyStore>
Picture After(AnyStore& store, std::span<const BronzeRecord> records, size_t batch,
              const typename Pack::Options& options) {
  Runner<Pack> runner(store, options);
  for (size_t i = 0; i < records.size(); i += batch) {
    Require(runner.Take(records.subspan(i, std::min(batch, records.size() - i)), ""));
  }
  Require(runner.Sweep(Minute(100'000)));
  return Look(store);
}

TEST_CASE("stores: all end in the same tables, however records come and come again") {
  for (uint32_t seed = 0; seed < 40; ++seed) {
    CAPTURE(seed);
    const Feed feed = Redelivered(seed, seed % 3 == 0 ? 12 : 80);
    const toy::Options options{.policy = seed % 3 == 1 ? Policy::kContestAll : Policy::kKeepFirst};
    MemoryStore<Loans> at_once, memory;
    MapStore<Loans> map;
    const auto sqlite = SqliteStore<Loans>::Open(":memory:");
    REQUIRE(sqlite.ok());
    const std::span<const BronzeRecord> records = feed.records();
    const Picture expected = After<Loans>(at_once, records, records.size(), options);
    CHECK(After<Loans>(memory, records, 1 + seed % 9, options) == expected);
    CHECK(After<Loans>(map, records, 1 + seed % 7, options) == expected);
    CHECK(After<Loans>(**sqlite, records, 1 + seed % 5, options) == expected);
  }
}

TEST_CASE("stores: charging feeds, frames among them, end in the same tables in each") {
  for (uint64_t seed = 0; seed < 24; ++seed) {
    CAPTURE(seed);
    const testing::Feed feed = seed % 2 == 0 ? testing::MakeFrameFeed(seed) : testing::MakeNastyFeed(seed);
    testing::Random random(seed);
    const std::vector<BronzeRecord> disturbed = testing::Disturbed(feed.records, random);
    const ocpp::Options options;
    MemoryStore<ocpp::Charging> at_once;
    MapStore<ocpp::Charging> map;
    const auto sqlite = SqliteStore<ocpp::Charging>::Open(":memory:");
    REQUIRE(sqlite.ok());
    const Picture expected = After<ocpp::Charging>(at_once, feed.records, feed.records.size(), options);
    CHECK(After<ocpp::Charging>(map, disturbed, 3 + seed % 17, options) == expected);
    CHECK(After<ocpp::Charging>(**sqlite, disturbed, 3 + seed % 11, options) == expected);
  }
}

}  // namespace
}  // namespace medallion::suite
