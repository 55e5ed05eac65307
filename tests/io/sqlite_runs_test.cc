#include "medallion/io/sqlite_runs.h"

#include <map>
#include <set>
#include <vector>

#include "tests/catch.h"
#include "tests/feed.h"

namespace medallion::sqlite {
namespace {

void Require(const absl::Status& status) {
  INFO(std::string(status.message()));
  REQUIRE(status.ok());
}

// An index beside a map that must always answer the same.
struct Pair {
  explicit Pair(int bits) : low_bits(bits), index("numbers", bits) {
    Require(connection.Open(":memory:", {}));
    Require(connection.OfferRows(2));
    Require(connection.Execute(index.CreateSql(), "make the table"));
    Require(index.Prepare(connection));
    Require(index.Load());
  }

  void Add(std::vector<Entry> entries) {
    expected.insert(entries.begin(), entries.end());
    Require(index.Add(entries));
  }

  void Check(std::vector<Entry> asked, int low) {
    std::set<Hit> hits;
    int missed = 0;  // by the filter
    for (const Entry& ask : asked) {
      const uint64_t first = ask.key >> low << low, last = first + (uint64_t{1} << low) - 1;
      for (auto at = expected.lower_bound({first, INT64_MIN}); at != expected.end() && at->key <= last;
           ++at) {
        hits.insert({ask.value, at->value});
        missed += low_bits < low || index.MayHold(ask.key) ? 0 : 1;
      }
    }
    CHECK(missed == 0);
    std::vector<Hit> found;
    Require(index.Find(asked, low, found));
    CHECK(found == std::vector<Hit>(hits.begin(), hits.end()));
  }

  int64_t runs() {
    const auto runs = connection.Ask("SELECT count(DISTINCT page >> 24) FROM numbers", "count");
    Require(runs.status());
    return *runs;
  }

  int low_bits;
  Connection connection;
  RunIndex index;
  std::set<Entry> expected;
};

TEST_CASE("sqlite runs: found is what was added, however it was cut into batches") {
  const uint32_t seed = GENERATE(range(0u, 12u));
  CAPTURE(seed);
  testing::Random random(seed);
  Pair pair(seed % 2 == 0 ? 16 : 0);
  const int64_t keys = seed % 3 == 0 ? 50 : 100'000;  // few keys: pages and runs full of one
  const auto key = [&] { return static_cast<uint64_t>(random.Below(keys)) << 15 | 0xf000'0000'0000'0000; };
  for (int batch = 0; batch < 40; ++batch) {
    std::vector<Entry> entries;
    for (int64_t i = random.Below(batch % 5 == 0 ? 2'000 : 20); i >= 0; --i) {
      entries.push_back({key(), random.Below(1'000)});
    }
    pair.Add(entries);
    if (batch % 7 == 0) Require(pair.index.Load());  // as after a start
    std::vector<Entry> asked;
    for (int64_t i = 0; i < 30; ++i) asked.push_back({key(), i});
    pair.Check(asked, 0);
    pair.Check(asked, 16);
  }
  CHECK(pair.runs() < 30);
}

TEST_CASE("sqlite runs: the ends of the number range") {
  Pair pair(0);
  pair.Check({{0, 1}, {UINT64_MAX, 2}}, 0);
  pair.Add({{0, 7}, {UINT64_MAX, 8}, {UINT64_MAX, -9}});
  pair.Check({{0, 1}, {UINT64_MAX, 2}, {1, 3}}, 0);
  pair.Check({{0, 1}, {UINT64_MAX, 2}}, 16);
}

TEST_CASE("sqlite runs: the filter lets few others pass") {
  Pair pair(0);
  testing::Random random(1);
  for (int batch = 0; batch < 20; ++batch) {  // it grows on the way
    std::vector<Entry> entries;
    for (int64_t i = 0; i < 1'000; ++i) entries.push_back({random.Next(), i});
    pair.Add(entries);
  }
  int passed = 0;
  for (int i = 0; i < 10'000; ++i) passed += pair.index.MayHold(random.Next()) ? 1 : 0;
  CHECK(passed < 200);
}

TEST_CASE("sqlite runs: pages that are gone or cut short are damage") {
  Pair pair(0);
  std::vector<Entry> entries;
  for (uint64_t i = 0; i < 1'000; ++i) entries.push_back({i, 1});
  pair.Add(entries);
  std::vector<Entry> asked = {{600, 1}};
  std::vector<Hit> hits;
  const char* const harm =
      GENERATE("UPDATE numbers SET entries = substr(entries, 1, 17) WHERE page = 2",
               "UPDATE numbers SET entries = '' WHERE page = 2", "DELETE FROM numbers WHERE page = 2");
  CAPTURE(harm);
  Require(pair.connection.Execute(harm, "damage"));
  CHECK(pair.index.Find(asked, 0, hits).code() == absl::StatusCode::kDataLoss);
  CHECK(pair.index.Load().code() == absl::StatusCode::kDataLoss);
}

}  // namespace
}  // namespace medallion::sqlite
