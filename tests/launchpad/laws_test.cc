// The laws of the design, section 1, over random launchpad feeds.
#include "tests/laws.h"

#include <algorithm>
#include <set>
#include <span>
#include <tuple>

#include "medallion/io/failing_store.h"
#include "medallion/io/forwarding_store.h"
#include "medallion/launchpad/run_sqlite.h"
#include "tests/launchpad/launch_run.h"

namespace medallion::launchpad {
namespace {

using testing::Feed;
using testing::MakeLaunchFeed;
using testing::Random;
using Records = std::vector<BronzeRecord>;
using TableTexts = std::map<std::string, std::string>;

TableTexts TextsOf(Tables& tables) {
  TableTexts texts;
  for (const std::string& name : tables.Names()) {
    if (TellsOfRuns(name) || name == kReviewsTable) continue;
    std::string& text = texts[name];
    REQUIRE(
        tables.Read(name, [&](std::string_view row) { return text.append(row) += '\n', absl::OkStatus(); })
            .ok());
  }
  const Accounting books = *tables.Books();
  std::string& text = texts["accounting"];
  for (const auto& [hour, counts] : books.by_hour) {
    AppendCanonical(hour, text);
    for (const int64_t count : counts.of) text += " " + std::to_string(count);
    text += "\n";
  }
  text += AccountingLine(books) + " of " + std::to_string(books.records) + " records";
  return texts;
}

Options OptionsFor(uint64_t seed) {
  Options options;
  if (seed % 3 == 1) options.policy = Policy::kContestAll;
  return options;
}

UtcTime SweepTime(uint64_t seed) { return testing::At(Random(seed ^ 0xABCD).Below(400'000)); }

void TakeAll(Store<Launches>& store, const Records& records, const Options& options, UtcTime sweep,
             Random* cuts) {
  const bool each = cuts != nullptr && cuts->Chance(700'000);
  Runner<Launches> runner(store, options, {.refresh = each ? Refresh::kEachBatch : Refresh::kAtEnd});
  for (size_t begin = 0; begin < records.size();) {
    const size_t most = records.size() - begin;
    const size_t size = cuts == nullptr ? most : std::min(most, static_cast<size_t>(1 + cuts->Below(12)));
    REQUIRE(runner.Take(std::span(records).subspan(begin, size), "").ok());
    begin += size;
  }
  REQUIRE(runner.Sweep(sweep).ok());
}

template <class AnyStore>
TableTexts Fill(AnyStore& store, const Records& records, const Options& options, UtcTime sweep,
                Random* cuts) {
  TakeAll(store, records, options, sweep, cuts);
  return TextsOf(store);
}

std::string FirstDifference(const TableTexts& a, const TableTexts& b) {
  for (const auto& [name, text] : a) {
    if (text != b.at(name)) return name + ":\n" + text + "\nbut\n" + b.at(name);
  }
  return "";
}

// The difference between taking the records at once and disturbed, cut, into a memory or an SQLite store.
std::string OrderDifference(const Records& records, uint64_t seed) {
  const Options options = OptionsFor(seed);
  const UtcTime sweep = SweepTime(seed);
  Random random(seed);
  const Records disturbed = testing::Disturbed(records, random);
  MemoryStore<Launches> at_once;
  const TableTexts expected = Fill(at_once, records, options, sweep, nullptr);
  if (seed % 4 != 3) {
    MemoryStore<Launches> memory;
    return FirstDifference(expected, Fill(memory, disturbed, options, sweep, &random));
  }
  auto sqlite = SqliteStore<Launches>::Open(":memory:");
  REQUIRE(sqlite.ok());
  TableTexts in_sqlite = Fill(**sqlite, disturbed, options, sweep, &random);
  // Only this store keeps payloads of its own accord.
  TableTexts without = expected;
  without.erase("silver_quarantine_events");
  return FirstDifference(without, in_sqlite);
}

TEST_CASE("launchpad law: neither order, nor repeats, nor batch cuts change a table") {
  for (uint64_t seed = 0; seed < testing::LawSeeds(); ++seed) {
    const Feed feed = MakeLaunchFeed(seed);
    if (OrderDifference(feed.records, seed).empty()) continue;
    const Records smallest = testing::Shrunk(
        feed.records, [&](const Records& fewer) { return !OrderDifference(fewer, seed).empty(); });
    std::string lines;
    for (const BronzeRecord& record : smallest) lines.append(record.payload).append("\n");
    FAIL("seed " << seed << "\n" << lines << OrderDifference(smallest, seed));
  }
  SUCCEED();
}

TEST_CASE("launchpad law: every element has one fate, and stands in one table") {
  for (uint64_t seed = 0; seed < testing::LawSeeds(); ++seed) {
    CAPTURE(seed);
    const Feed feed = MakeLaunchFeed(seed);
    MemoryStore<Launches> store;
    Random cuts(seed);
    Fill(store, feed.records, OptionsFor(seed), kNoTime, &cuts);
    const Accounting books = *store.Books();
    int64_t rows = 0;
    for (const std::string& name : store.Names()) {
      if (TellsOfRuns(name) || name == kReviewsTable || name == Launches::kGoldTables[0]) continue;
      REQUIRE(store.Read(name, [&](std::string_view) { return ++rows, absl::OkStatus(); }).ok());
    }
    REQUIRE(Imbalance(books) == 0);
    REQUIRE(books.records == static_cast<int64_t>(feed.records.size()));
    REQUIRE(rows == books.elements);
  }
}

TEST_CASE("launchpad law: random feeds meet every fate and every table") {
  FateCounts fates;
  std::map<std::string, int64_t> rows;
  std::set<std::string> codes;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const Feed feed = MakeLaunchFeed(seed);
    const auto store = testing::Taken(feed.records, kNoTime, OptionsFor(seed));
    const Accounting books = *store->Books();
    for (int fate = 0; fate < kFates; ++fate)
      fates[static_cast<Fate>(fate)] += books.fates[static_cast<Fate>(fate)];
    for (const std::string& name : store->Names()) {
      if (TellsOfRuns(name)) continue;
      for (const auto& row : testing::RowsIn(*store, name)) {
        ++rows[name];
        if (row.contains("violations")) codes.insert(row["violations"].begin(), row["violations"].end());
        if (row.contains("quality_flags") && row["quality_flags"].is_array()) {
          codes.insert(row["quality_flags"].begin(), row["quality_flags"].end());
        }
      }
    }
  }
  for (const int64_t count : fates.of) CHECK(count > 0);
  for (const auto& table : Launches::kSilverTables) CHECK(rows[std::string(table)] > 20);
  for (const char* code :
       {"CORRUPT_PAYLOAD", "SIGNATURE_MISSING", "MINT_INVALID", "AMOUNT_NONPOSITIVE", "UNKNOWN_ACTION",
        "CONFLICT", "UNSUPPORTED_CODEC", "ENVELOPE_CORRUPT", "ENVELOPE_COUNT_MISMATCH",
        "ENVELOPE_SIZE_MISMATCH", "SUPPLY_CHANGED", "TRADE_BEFORE_CREATE", "INCOMPLETE_FEED"}) {
    CAPTURE(code);
    CHECK(codes.contains(code));
  }
}

class CountingStore final : public ForwardingStore<Launches> {
 public:
  using ForwardingStore::ForwardingStore;
  absl::Status Apply(const Batch<Launches>& batch) override {
    written += batch.records.size() + batch.elements.size() + batch.gold.size() + batch.withdrawn.size() +
               batch.derived.size();
    return ForwardingStore::Apply(batch);
  }
  size_t written = 0;
};

TEST_CASE("launchpad law: taking everything again writes nothing") {
  for (uint64_t seed = 0; seed < testing::LawSeeds() / 2 + 1; ++seed) {
    CAPTURE(seed);
    const Feed feed = MakeLaunchFeed(seed);
    const Options options = OptionsFor(seed);
    MemoryStore<Launches> memory;
    CountingStore store(memory);
    Random random(seed);
    TakeAll(store, feed.records, options, kNoTime, &random);
    const TableTexts first = TextsOf(memory);
    store.written = 0;
    TakeAll(store, testing::Disturbed(feed.records, random), options, kNoTime, &random);
    REQUIRE(store.written == 0);
    REQUIRE(TextsOf(memory) == first);
  }
}

TEST_CASE("launchpad law: deriving touched mints only equals deriving everything from scratch") {
  for (uint64_t seed = 0; seed < testing::LawSeeds() / 2 + 1; ++seed) {
    CAPTURE(seed);
    const Feed feed = MakeLaunchFeed(seed);
    const Options options = OptionsFor(seed);
    MemoryStore<Launches> store;
    Random random(seed);
    const UtcTime sweep = SweepTime(seed);
    Fill(store, testing::Disturbed(feed.records, random), options, sweep, &random);
    SeenAnswer seen;
    REQUIRE(store.Seen({}, seen).ok());
    std::set<EntityKey> mints;
    for (const LaunchElement& element : Refine(feed.records, options).elements) {
      if (element.entity != EntityKey{}) mints.insert(element.entity);
    }
    const RiskModel model(options.risk);
    std::string text;
    for (const EntityKey& mint : mints) {
      HistoryAnswer<Launches> history;
      REQUIRE(store.History({.entities = {&mint, 1}, .whole = true}, history).ok());
      const auto row = DeriveTokenRisk(history.elements, seen.checkpoint.data_clock, model);
      if (!row.has_value()) continue;
      AppendJson(*row, text);
      text += "\n";
    }
    REQUIRE(TextsOf(store).at("gold_token_risk") == text);
  }
}

// A source over records in memory; its position is the number of the next one.
class RecordSource final : public Source {
 public:
  explicit RecordSource(const Records& records) : records_(records) {}
  absl::Status Seek(std::string_view position) override {
    next_ = position.empty() ? 0 : static_cast<size_t>(std::stoul(std::string(position)));
    return absl::OkStatus();
  }
  absl::StatusOr<SourceBatch> Read(size_t records_max) override {
    const size_t size = std::min(records_max, records_.size() - next_);
    const auto batch = std::span(records_).subspan(next_, size);
    next_ += size;
    return SourceBatch{.records = {batch.begin(), batch.end()},
                       .position = std::to_string(next_),
                       .at_end = next_ == records_.size()};
  }

 private:
  const Records& records_;
  size_t next_ = 0;
};

TEST_CASE("launchpad law: the number of threads changes no table") {
  for (uint64_t seed = 0; seed < testing::LawSeeds() / 10 + 1; ++seed) {
    CAPTURE(seed);
    const Feed feed = MakeLaunchFeed(seed);
    const Options options = OptionsFor(seed);
    TableTexts of_one;
    for (const size_t threads : std::initializer_list<size_t>{1, 3}) {
      MemoryStore<Launches> store;
      RecordSource source(feed.records);
      REQUIRE(
          Run<Launches>(source, store, options, {.batch_records = 1 + seed % 7, .threads = threads}).ok());
      const TableTexts tables = TextsOf(store);
      if (threads == 1) of_one = tables;
      REQUIRE(tables == of_one);
    }
  }
}

TEST_CASE("launchpad law: stopping at any call of the store, then resuming, ends in the same tables") {
  for (uint64_t seed = 0; seed < testing::LawSeeds() / 20 + 1; ++seed) {
    const Feed feed = MakeLaunchFeed(seed);
    const Options options = OptionsFor(seed);
    const RunOptions run{.batch_records = 1 + seed % 7,
                         .refresh = seed % 2 == 0 ? Refresh::kEachBatch : Refresh::kAtEnd};
    MemoryStore<Launches> whole;
    RecordSource source(feed.records);
    REQUIRE(Run<Launches>(source, whole, options, run).ok());
    const TableTexts expected = TextsOf(whole);
    bool failed = true;
    for (int call = 1; failed; call += 1 + static_cast<int>(seed % 5)) {
      for (const bool after : {false, true}) {
        CAPTURE(seed, call, after);
        MemoryStore<Launches> memory;
        FailingStore<Launches> store(memory, {.call = call, .after = after});
        RecordSource again(feed.records);
        failed = !Run<Launches>(again, store, options, run).ok();
        REQUIRE(Run<Launches>(again, memory, options, run).ok());
        REQUIRE(TextsOf(memory) == expected);
      }
    }
  }
}

TEST_CASE("launchpad law: every row names Bronze coordinates that exist") {
  for (uint64_t seed = 0; seed < testing::LawSeeds() / 4 + 1; ++seed) {
    CAPTURE(seed);
    const Feed feed = MakeLaunchFeed(seed);
    std::set<std::tuple<std::string, int64_t, int64_t>> known;
    for (const BronzeRecord& record : feed.records) {
      known.emplace(std::string(record.at.topic), record.at.partition, record.at.offset);
    }
    const auto store = testing::Taken(feed.records, kNoTime, OptionsFor(seed));
    const auto exists = [&](const nlohmann::json& at, const std::string& prefix) {
      return known.contains({at.at(prefix + "topic"), at.at(prefix + "partition"), at.at(prefix + "offset")});
    };
    for (const std::string& name : store->Names()) {
      if (TellsOfRuns(name) || name == kReviewsTable) continue;
      for (const auto& row : testing::RowsIn(*store, name)) {
        if (name == Launches::kGoldTables[0]) {
          const auto& first = row["evidence"]["first_record"];
          REQUIRE((first.is_null() || exists(first, "")));
          REQUIRE((first.is_null() || exists(row["evidence"]["last_record"], "")));
        } else {
          REQUIRE(exists(row, row.contains("bronze_topic") ? "bronze_" : ""));
        }
      }
    }
  }
}

std::string ResidualOf(const std::vector<std::string>& lines) {
  const auto store = testing::TakenLines(lines, testing::At(1'000));
  const auto rows = testing::RowsIn(*store, "gold_token_risk");
  REQUIRE(rows.size() == 1);
  REQUIRE(rows[0]["conservation_residual"].is_string());
  return rows[0]["conservation_residual"];
}

TEST_CASE("launchpad law: on a curve that loses nothing the residual is 0; one lost trade is the residual") {
  int64_t dropped = 0;
  for (uint64_t seed = 0; seed < testing::LawSeeds() / 2 + 1; ++seed) {
    CAPTURE(seed);
    std::vector<testing::TradeLine> trades;
    std::vector<std::string> lines = testing::CurveLines(seed, &trades);
    REQUIRE(ResidualOf(lines) == "0");
    if (trades.empty()) continue;
    const testing::TradeLine lost =
        trades[static_cast<size_t>(Random(seed).Below(static_cast<int64_t>(trades.size())))];
    // The last state of the pool must still be told, else the pool has the tokens that nobody says were bought.
    const bool is_last_state = lost.line == trades.back().line;
    if (is_last_state) continue;
    lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(lost.line));
    std::string text;
    AppendInteger(lost.token, text);
    REQUIRE(ResidualOf(lines) == text);
    ++dropped;
  }
  CHECK(dropped > static_cast<int64_t>(testing::LawSeeds()) / 8);
}

}  // namespace
}  // namespace medallion::launchpad
