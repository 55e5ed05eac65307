#include "medallion/io/failing_store.h"

#include <memory>

#include "tests/catch.h"
#include "tests/io/store_suite.h"
#include "tests/stores.h"
#include "tests/toy.h"

namespace medallion::suite {
namespace {

TEST_CASE("failing store: the call that is named fails, before or after it did its work") {
  Feed feed;
  feed.Add("lend|e1|North|1|100|ann", 110);
  Script script(feed);
  for (const bool after : {false, true}) {
    CAPTURE(after);
    MemoryStore<Loans> inner;
    FailingStore<Loans> store(inner,
                              {.call = 3, .after = after, .status = absl::ResourceExhaustedError("full")});
    SeenAnswer seen;
    KnownAnswer<LoanEvent> known;
    HistoryAnswer<Loans> history;
    CHECK(store.Seen({}, seen).ok());
    CHECK(store.Known({}, known).ok());
    CHECK(!store.failed());
    CHECK(store.Apply(script.batch()) == absl::ResourceExhaustedError("full"));
    CHECK(store.failed());
    CHECK(BooksOf(inner).elements == (after ? 1 : 0));
    CHECK(store.History({}, history).ok());
    CHECK(store.Apply(script.batch()).ok());
    CHECK(BooksOf(inner).elements == 1);
    CHECK(store.calls() == 5);
  }
}

TEST_CASE("failing store: a failure that never comes") {
  MemoryStore<Loans> inner;
  FailingStore<Loans> store(inner, {.call = 100});
  SeenAnswer seen;
  CHECK(store.Seen({}, seen).ok());
  CHECK(!store.failed());
}

TEST_CASE("failing store: a run that fails at any call, then goes on, ends in the same tables") {
  const uint32_t seed = GENERATE(range(0u, 8u));
  CAPTURE(seed);
  const Feed feed = toy::RandomFeed(seed, 60);
  const std::span<const BronzeRecord> records = feed.records();
  const toy::Options options;
  const auto run = [&](Store<Loans>& store) -> absl::Status {
    Runner<Loans> runner(store, options);
    for (size_t i = 0; i < records.size(); i += 7) {
      const auto batch = records.subspan(i, std::min<size_t>(7, records.size() - i));
      if (auto status = runner.Take(batch, std::to_string(i)); !status.ok()) return status;
    }
    return runner.Sweep(kNoTime);
  };
  MemoryStore<Loans> whole;
  Require(run(whole));
  const Picture picture = Look(whole);
  bool failed = true;
  for (int64_t call = 1; failed; ++call) {
    for (const bool after : {false, true}) {
      MemoryStore<Loans> inner;
      FailingStore<Loans> store(inner, {.call = call, .after = after});
      const absl::Status status = run(store);
      failed = store.failed();
      CHECK(status.ok() == !failed);
      Require(run(inner));
      CAPTURE(call, after);
      CHECK(Look(inner) == picture);
    }
  }
}

TEST_CASE("memory store: the suite") {
  StoreSuite([] { return std::make_unique<MemoryStore<Loans>>(); });
}

}  // namespace
}  // namespace medallion::suite
