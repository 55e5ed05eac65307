// However records are cut into batches, and whatever they are delivered again with, every store ends in the same tables.
#include <memory>
#include <random>
#include <span>

#include "examples/map_store.h"
#include "medallion/io/memory_store.h"
#include "medallion/io/run.h"
#include "medallion/io/sqlite_store.h"
#include "tests/catch.h"
#include "tests/io/store_suite.h"
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

template <class AnyStore>
Picture After(AnyStore& store, const Feed& feed, size_t batch, const toy::Options& options) {
  Runner<Loans> runner(store, options);
  const std::span<const BronzeRecord> records = feed.records();
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
    const Picture expected = After(at_once, feed, feed.records().size(), options);
    CHECK(After(memory, feed, 1 + seed % 9, options) == expected);
    CHECK(After(map, feed, 1 + seed % 7, options) == expected);
    CHECK(After(**sqlite, feed, 1 + seed % 5, options) == expected);
  }
}

}  // namespace
}  // namespace medallion::suite
