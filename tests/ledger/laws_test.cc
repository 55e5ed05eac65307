// The laws of the design, section 1, over random ledger feeds. A failure names its seed and the smallest feed that still
// fails.

#include "tests/laws.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "medallion/io/failing_store.h"
#include "medallion/io/forwarding_store.h"
#include "medallion/ledger/derive_accounts.h"
#include "medallion/ledger/refine.h"
#include "medallion/ledger/run_sqlite.h"
#include "nlohmann/json.hpp"
#include "tests/catch.h"
#include "tests/ledger/ledger_feed.h"

namespace medallion::ledger {
namespace {

using testing::LedgerFeed;
using testing::MakeLedgerFeed;
using testing::Random;
using Records = std::vector<BronzeRecord>;
using TableTexts = std::map<std::string, std::string>;

// All tables as text, and the books. The run log tells of runs and is no table of the laws.
TableTexts TextsOf(Tables& tables) {
  TableTexts texts;
  for (const std::string& name : tables.Names()) {
    if (TellsOfRuns(name)) continue;
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

UtcTime LastIngest(const Records& records) {
  UtcTime last{0};
  for (const BronzeRecord& record : records) last = std::max(last, record.ingest_ts);
  return last;
}

// A host's policies and clocks vary with the seed, so that every law is tried under each.
Options OptionsFor(uint64_t seed) {
  Options options;
  constexpr int64_t kBegin = 1'772'323'200'000'000;
  if (seed % 3 == 1) options.as_of = {kBegin + static_cast<int64_t>(seed % 7) * kMicrosPerDay};
  if (seed % 5 == 2) options.known_as_of = {kBegin + static_cast<int64_t>(seed % 11) * kMicrosPerDay};
  return options;
}

// Sweeps once everything was taken, some time after the last record: transfers are judged or not, by the seed.
UtcTime SweepTime(const Records& records, uint64_t seed) {
  return {LastIngest(records).us + Random(seed ^ 0xABCD).Below(40) * kMicrosPerMinute};
}

void TakeAll(Runner<Ledger>& runner, const Records& records, Random* cuts) {
  for (size_t begin = 0; begin < records.size();) {
    const size_t most = records.size() - begin;
    const size_t size = cuts == nullptr ? most : std::min(most, static_cast<size_t>(1 + cuts->Below(40)));
    REQUIRE(runner.Take(std::span(records).subspan(begin, size), "").ok());
    begin += size;
  }
}

// The tables of `records` taken in this order: at once, or cut at random where `cuts` is given, and then Gold is
// refreshed after each batch or at the end.
template <class AnyStore>
TableTexts TablesOf(AnyStore& store, const Records& records, const Options& options, UtcTime sweep,
                    Random* cuts) {
  const bool each = cuts != nullptr && cuts->Chance(700'000);
  Runner<Ledger> runner(store, options, {.refresh = each ? Refresh::kEachBatch : Refresh::kAtEnd});
  TakeAll(runner, records, cuts);
  REQUIRE(runner.Sweep(sweep).ok());
  return TextsOf(store);
}

std::string FirstDifference(const TableTexts& a, const TableTexts& b) {
  for (const auto& [name, text] : a) {
    if (text != b.at(name)) return name + ":\n" + text + "\nbut\n" + b.at(name);
  }
  return "";
}

// What differs between the records in order, at once, and disturbed, in pieces.
std::string OrderMatters(const Records& records, uint64_t seed, bool sqlite) {
  const Options options = OptionsFor(seed);
  const UtcTime sweep = SweepTime(records, seed);
  Random random(seed);
  const Records disturbed = testing::Disturbed(records, random);
  MemoryStore<Ledger> at_once, memory;
  const TableTexts expected = TablesOf(at_once, records, options, sweep, nullptr);
  if (!sqlite) return FirstDifference(expected, TablesOf(memory, disturbed, options, sweep, &random));
  const auto store = SqliteStore<Ledger>::Open(":memory:");
  REQUIRE(store.ok());
  return FirstDifference(expected, TablesOf(**store, disturbed, options, sweep, &random));
}

TEST_CASE("ledger law: neither order, nor repeats, nor batch cuts change a table, in any store") {
  for (uint64_t seed = 0; seed < testing::LawSeeds(); ++seed) {
    const LedgerFeed feed = MakeLedgerFeed(seed);
    const bool sqlite = seed % 4 == 3;
    if (OrderMatters(feed.records, seed, sqlite).empty()) continue;
    const Records smallest = testing::Shrunk(
        feed.records, [&](const Records& fewer) { return !OrderMatters(fewer, seed, sqlite).empty(); });
    std::string lines;
    for (const BronzeRecord& record : smallest) lines.append(record.payload).append("\n");
    FAIL("seed " << seed << "\n" << lines << OrderMatters(smallest, seed, sqlite));
  }
  SUCCEED();
}

TEST_CASE("ledger law: every element has one fate, in total and by the hour") {
  for (uint64_t seed = 0; seed < testing::LawSeeds(); ++seed) {
    CAPTURE(seed);
    const LedgerFeed feed = MakeLedgerFeed(seed);
    std::set<std::tuple<std::string, int64_t, Digest>> distinct;
    for (const BronzeRecord& record : feed.records) {
      distinct.emplace(std::string(record.at.topic), record.at.offset, IdOf(record).payload);
    }
    MemoryStore<Ledger> store;
    const Options options = OptionsFor(seed);
    Runner<Ledger> runner(store, options);
    Random cuts(seed);
    TakeAll(runner, feed.records, &cuts);
    const Accounting books = *store.Books();
    int64_t rows = 0;
    for (const std::string& name : store.Names()) {
      if (TellsOfRuns(name) || name.starts_with("gold_")) continue;
      REQUIRE(store.Read(name, [&](std::string_view) { return ++rows, absl::OkStatus(); }).ok());
    }
    REQUIRE(Imbalance(books) == 0);
    REQUIRE(books.records == static_cast<int64_t>(distinct.size()));
    REQUIRE(books.elements == books.records);
    REQUIRE(rows == books.elements);  // each stands in exactly one table
  }
}

// Counts what is written.
class CountingStore final : public ForwardingStore<Ledger> {
 public:
  using ForwardingStore::ForwardingStore;
  absl::Status Apply(const Batch<Ledger>& batch) override {
    written += batch.records.size() + batch.elements.size() + batch.gold.size() + batch.withdrawn.size() +
               batch.derived.size() + batch.links.size() + batch.resolved.size();
    return ForwardingStore::Apply(batch);
  }
  size_t written = 0;
};

TEST_CASE("ledger law: taking everything again writes nothing") {
  for (uint64_t seed = 0; seed < testing::LawSeeds(); ++seed) {
    CAPTURE(seed);
    const LedgerFeed feed = MakeLedgerFeed(seed);
    const Options options = OptionsFor(seed);
    MemoryStore<Ledger> memory;
    CountingStore store(memory);
    Runner<Ledger> runner(store, options);
    Random random(seed);
    TakeAll(runner, feed.records, &random);
    REQUIRE(runner.Sweep(kNoTime).ok());
    const TableTexts first = TextsOf(memory);
    store.written = 0;
    TakeAll(runner, testing::Disturbed(feed.records, random), &random);
    REQUIRE(runner.Sweep(kNoTime).ok());
    REQUIRE(store.written == 0);
    REQUIRE(TextsOf(memory) == first);
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

TEST_CASE("ledger law: stopping at any call of the store, then resuming, ends in the same tables") {
  for (uint64_t seed = 0; seed < testing::LawSeeds() / 20 + 1; ++seed) {
    const LedgerFeed feed = MakeLedgerFeed(seed);
    const Options options = OptionsFor(seed);
    const RunOptions run{.batch_records = 1 + seed % 17,
                         .as_of = LastIngest(feed.records),
                         .refresh = seed % 2 == 0 ? Refresh::kEachBatch : Refresh::kAtEnd};
    MemoryStore<Ledger> whole;
    RecordSource source(feed.records);
    REQUIRE(Run<Ledger>(source, whole, options, run).ok());
    const TableTexts expected = TextsOf(whole);
    bool failed = true;
    for (int call = 1; failed; call += 1 + static_cast<int>(seed % 5)) {
      for (const bool after : {false, true}) {
        CAPTURE(seed, call, after);
        MemoryStore<Ledger> memory;
        FailingStore<Ledger> store(memory, {.call = call, .after = after});
        RecordSource again(feed.records);
        failed = !Run<Ledger>(again, store, options, run).ok();
        REQUIRE(Run<Ledger>(again, memory, options, run).ok());
        REQUIRE(TextsOf(memory) == expected);
      }
    }
  }
}

TEST_CASE("ledger law: deriving touched keys only equals deriving everything from scratch") {
  for (uint64_t seed = 0; seed < testing::LawSeeds(); ++seed) {
    CAPTURE(seed);
    const LedgerFeed feed = MakeLedgerFeed(seed);
    const Options options = OptionsFor(seed);
    MemoryStore<Ledger> store;
    Runner<Ledger> runner(store, options);
    Random random(seed);
    TakeAll(runner, testing::Disturbed(feed.records, random), &random);
    REQUIRE(runner.Sweep(SweepTime(feed.records, seed)).ok());
    std::set<EntityKey> entities;
    for (const LedgerElement& element : Refine(feed.records, options).elements) {
      if (element.entity != EntityKey{}) entities.insert(element.entity);
    }
    std::map<Digest, std::string> scratch;
    const LedgerRules rules(options);
    for (const EntityKey& entity : entities) {
      HistoryAnswer<Ledger> history;
      REQUIRE(store.History({.entities = {&entity, 1}, .whole = true}, history).ok());
      if (history.elements.empty() || history.elements[0].row.change.has_value()) continue;
      const UtcTime clock = runner.report().data_clock;
      for (const AccountBalance& row : DeriveBalances(history.elements, history.contexts, clock, rules)) {
        AppendJson(row, scratch[RowKey(row)]);
      }
    }
    std::string text;
    for (const auto& [key, row] : scratch) text += row + "\n";
    std::string kept;
    REQUIRE(store
                .Read("gold_account_balances",
                      [&](std::string_view row) {
                        if (row.find("\"max_version\":null") == std::string_view::npos)
                          kept.append(row).append("\n");
                        return absl::OkStatus();
                      })
                .ok());
    REQUIRE(kept == text);
  }
}

TEST_CASE("ledger law: every row names Bronze coordinates that exist") {
  for (uint64_t seed = 0; seed < testing::LawSeeds() / 4 + 1; ++seed) {
    CAPTURE(seed);
    const LedgerFeed feed = MakeLedgerFeed(seed);
    std::set<std::pair<std::string, int64_t>> known;
    for (const BronzeRecord& record : feed.records) {
      known.emplace(std::string(record.at.topic) + "/0", record.at.offset);
    }
    MemoryStore<Ledger> store;
    const Options options = OptionsFor(seed);
    Runner<Ledger> runner(store, options);
    TakeAll(runner, feed.records, nullptr);
    for (const char* table : {"gold_account_balances", "gold_legacy_rows"}) {
      REQUIRE(store
                  .Read(table,
                        [&](std::string_view line) {
                          const auto row = nlohmann::json::parse(line);
                          REQUIRE(row["evidence"].is_object());
                          for (const auto& [place, runs] : row["evidence"].items()) {
                            if (place == "gold_legacy_rows") continue;
                            for (const auto& run : runs) {
                              for (int64_t at = run[0]; at <= run[1]; ++at)
                                REQUIRE(known.contains({place, at}));
                            }
                          }
                          return absl::OkStatus();
                        })
                  .ok());
    }
  }
}

}  // namespace
}  // namespace medallion::ledger
