// What people decided is a fact like a record: it may come before the records, among them or after them, in any order, into
// any store, and the tables are the same. And a replay under other options ends in the tables of a new run with them.
#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "medallion/io/quarantine.h"
#include "medallion/ocpp/charging.h"
#include "tests/catch.h"
#include "tests/feed.h"
#include "tests/io/store_suite.h"
#include "tests/laws.h"
#include "tests/stores.h"
#include "tests/toy.h"

namespace medallion::suite {
namespace {

using testing::Random;
using Records = std::vector<BronzeRecord>;

uint64_t Seeds() { return std::max<uint64_t>(12, testing::LawSeeds() / 20); }

size_t Pick(Random& random, size_t below) {
  return static_cast<size_t>(random.Below(static_cast<int64_t>(below)));
}

template <class Pack>
std::vector<Digest> IdsOf(Quarantine<Pack>& quarantine) {
  std::vector<Digest> ids;
  Require(quarantine.List(
      {}, [&](const QuarantineRow& row) { return ids.push_back(row.quarantine_id), absl::OkStatus(); }));
  return ids;
}

// Decides some of what is in quarantine, in rounds, for a decision may bring rows of its own. Repairs are payloads of
// other records, good and bad.
template <class Pack>
void DecideAtRandom(Store<Pack>& store, Tables& tables, const Records& records,
                    const typename Pack::Options& options, Random& random) {
  Quarantine<Pack> quarantine(store, options, {.batch_records = 7});
  for (int round = 0; round < 3; ++round) {
    for (const Digest& id : IdsOf(quarantine)) {
      if (random.Chance(600'000)) continue;
      bool conflict = false;
      const auto look = [&](const QuarantineRow& row) {
        conflict = row.violations == R"(["CONFLICT"])";
        return absl::OkStatus();
      };
      if (!quarantine.Show(id, look).ok()) continue;  // what was decided before took it out
      if (random.Chance(300'000)) {
        static_cast<void>(quarantine.Discard(id, "ann"));  // of what stood contested, an error
      } else if (conflict) {
        static_cast<void>(quarantine.Accept(id, "bob"));
      } else {
        Require(quarantine.Repair(id, records[Pick(random, records.size())].payload, "eve"));
      }
      CHECK(Imbalance(BooksOf(tables)) == 0);
    }
  }
}

// Takes the records and the reviews in pieces, mixed at random.
template <class Pack, class AnyStore>
Picture Mixed(AnyStore& store, const Records& records, std::vector<Review> reviews,
              const typename Pack::Options& options, Random& random) {
  for (size_t i = reviews.size(); i > 1; --i) std::swap(reviews[i - 1], reviews[Pick(random, i)]);
  const bool each = random.Chance(500'000);
  Runner<Pack> runner(store, options, {.refresh = each ? Refresh::kEachBatch : Refresh::kAtEnd});
  const std::span<const BronzeRecord> all = records;
  size_t record = 0, review = 0;
  while (record < all.size() || review < reviews.size()) {
    const bool take = review == reviews.size() || (record < all.size() && random.Chance(500'000));
    if (take) {
      const size_t size = std::min(all.size() - record, 1 + Pick(random, 30));
      Require(runner.Take(all.subspan(record, size), ""));
      record += size;
    } else {
      const size_t size = std::min(reviews.size() - review, 1 + Pick(random, 4));
      Require(runner.Review(std::span(reviews).subspan(review, size)));
      review += size;
    }
  }
  Require(runner.Sweep(Minute(100'000)));
  return Look(store);
}

std::string FirstDifference(const Picture& a, const Picture& b) {
  std::vector<std::pair<std::string, std::vector<std::string>>> tables(a.tables.begin(), a.tables.end());
  std::reverse(tables.begin(), tables.end());  // Silver tells more than Gold
  for (const auto& [name, rows] : tables) {
    const std::vector<std::string>& others = b.tables.at(name);
    for (size_t i = 0; i < std::max(rows.size(), others.size()); ++i) {
      const std::string left = i < rows.size() ? rows[i] : "nothing";
      const std::string right = i < others.size() ? others[i] : "nothing";
      if (left != right) return name + "\n  " + left + "\n  " + right;
    }
  }
  return a.books == b.books ? "" : "the books";
}

template <class Pack>
void ReviewsAreFacts(const Records& records, const typename Pack::Options& options, uint64_t seed) {
  CAPTURE(seed);
  Random random(seed);
  MemoryStore<Pack> first(true);
  Runner<Pack> runner(first, options);
  Require(runner.Take(records, ""));
  DecideAtRandom<Pack>(first, first, records, options, random);
  Require(runner.Sweep(Minute(100'000)));
  const Picture expected = Look(first);
  KnownAnswer<typename Pack::Event> facts;
  Require(first.Known({.all_reviews = true}, facts));

  MemoryStore<Pack> memory(seed % 2 == 0);
  MapStore<Pack> map;
  const auto sqlite = SqliteStore<Pack>::Open(":memory:");
  REQUIRE(sqlite.ok());
  const Records disturbed = testing::Disturbed(records, random);
  // A memory store that keeps no Bronze keeps what is in quarantine, and a repaired row never left.
  CHECK(FirstDifference(expected, Mixed<Pack>(memory, disturbed, facts.reviews, options, random)) == "");
  CHECK(FirstDifference(expected, Mixed<Pack>(map, disturbed, facts.reviews, options, random)) == "");
  CHECK(FirstDifference(expected, Mixed<Pack>(**sqlite, disturbed, facts.reviews, options, random)) == "");
}

TEST_CASE("law: reviews may come before, among and after the records") {
  for (uint64_t seed = 0; seed < 2 * Seeds(); ++seed) {
    const Feed feed = toy::RandomFeed(static_cast<uint32_t>(seed), 60);
    const toy::Options options{.policy = seed % 3 == 1 ? Policy::kContestAll : Policy::kKeepFirst};
    ReviewsAreFacts<Loans>(feed.records(), options, seed);
  }
}

TEST_CASE("law: reviews of charging feeds, frames among them") {
  for (uint64_t seed = 0; seed < Seeds(); ++seed) {
    const testing::Feed feed = seed % 3 == 2 ? testing::MakeFrameFeed(seed) : testing::MakeNastyFeed(seed);
    ocpp::Options options;
    if (seed % 2 == 1) options.policy = Policy::kContestAll;
    ReviewsAreFacts<ocpp::Charging>(feed.records, options, seed);
  }
}

// Another way to read the same feed: stricter, and with names of its own.
ocpp::Options Mapped() {
  ocpp::Options options;
  options.flat_clock = ocpp::ClockPolicy::kKeep;
  options.schemas[0].names.emplace("meterStart", ocpp::Field::kMeterWh);
  options.schemas[0].names.erase("error_code");
  options.schemas.push_back(ocpp::FlatSchema::Version1());
  options.schemas.back().version = 2;
  return options;
}

template <class AnyStore>
void ReplayEqualsNewRun(AnyStore& store, AnyStore& fresh, const Records& records, Random& random) {
  const ocpp::Options before, after = Mapped();
  Runner<ocpp::Charging> runner(store, before);
  Require(runner.Take(records, ""));
  DecideAtRandom<ocpp::Charging>(store, store, records, before, random);
  KnownAnswer<ocpp::ChargingEvent> facts;
  Require(store.Known({.all_reviews = true}, facts));
  Quarantine<ocpp::Charging> quarantine(store, after, {.batch_records = 16});
  const auto report = quarantine.ReplayAll();
  REQUIRE(report.ok());
  CHECK(report->without_payload == 0);
  CHECK(Imbalance(BooksOf(store)) == 0);
  const auto again = quarantine.ReplayAll();
  REQUIRE(again.ok());
  CHECK(again->changed == 0);

  Runner<ocpp::Charging> swept(store, after), of_fresh(fresh, after);
  Require(swept.Sweep(Minute(100'000)));
  Require(of_fresh.Take(records, ""));
  Require(of_fresh.Review(facts.reviews));
  Require(of_fresh.Sweep(Minute(100'000)));
  CHECK(FirstDifference(Look(store), Look(fresh)) == "");
}

TEST_CASE("law: a replay ends in the tables of a new run with the new mapping") {
  for (uint64_t seed = 0; seed < Seeds(); ++seed) {
    CAPTURE(seed);
    const testing::Feed feed = testing::MakeNastyFeed(seed);
    Random random(seed);
    if (seed % 2 == 0) {
      MemoryStore<ocpp::Charging> store(true), fresh(true);
      ReplayEqualsNewRun(store, fresh, feed.records, random);
    } else {
      const auto store = SqliteStore<ocpp::Charging>::Open(":memory:");
      const auto fresh = SqliteStore<ocpp::Charging>::Open(":memory:");
      REQUIRE((store.ok() && fresh.ok()));
      ReplayEqualsNewRun(**store, **fresh, feed.records, random);
    }
  }
}

}  // namespace
}  // namespace medallion::suite
