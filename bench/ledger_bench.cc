// The ledger: events a second from JSON to balances in memory, and features a second; seconds of one core.
//
//   medallion_ledger_bench [ACCOUNTS [DAYS]]     100000 accounts, 30 days, an event of each a day
//
// Each account pays another once a day and is paid by a third, so that transfers balance; the sums are checked.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "medallion/ledger/derive_accounts.h"
#include "medallion/ledger/refine.h"
#include "medallion/ledger/run.h"

namespace medallion {
namespace {

using ledger::Ledger;

constexpr int64_t kBegin = 1'772'323'200'000'000;  // 2026-03-01T00:00:00Z

// One leg of account `account` on `day`: it pays on even days, and is paid on odd ones.
std::string LegOf(int64_t account, int64_t day, int64_t accounts) {
  const bool pays = (account + day) % 2 == 0;
  const int64_t other = pays ? account + 1 : account - 1;  // neighbours: even ones pay up on even days
  const int64_t from = pays ? account : other, cents = 100 + (from * 7919 + day * 104'729) % 100'000;
  const int64_t at = kBegin + day * kMicrosPerDay + (1 + from % 80'000) * kMicrosPerSecond;
  const std::string time = FormatTime({at});
  std::string json = "{\"event_id\":\"e" + std::to_string(account) + "-" + std::to_string(day);
  json += "\",\"event_type\":\"TransferPosted\",\"schema_version\":1,\"ledger\":\"main\",\"account_id\":\"A" +
          std::to_string(account);
  json += "\",\"account_version\":" + std::to_string(day + 1) + ",\"transfer_id\":\"t" +
          std::to_string(from) + "-" + std::to_string(day);
  json += std::string("\",\"leg\":\"") + (pays ? "D" : "C") + "\",\"counterparty_account_id\":\"A" +
          std::to_string((other + accounts) % accounts);
  json +=
      "\",\"amount_minor\":\"" + std::to_string(cents) + "\",\"asset\":\"EUR\",\"effective_at\":\"" + time;
  return json + "\",\"recorded_at\":\"" + time + "\"}";
}

struct Feed {
  std::vector<std::string> texts;
  std::vector<BronzeRecord> records;
};

// The accounts' legs, day by day; an even number of accounts, so that each has a neighbour.
Feed MakeFeed(int64_t first, int64_t count, int64_t accounts, int64_t days) {
  Feed feed;
  feed.texts.reserve(static_cast<size_t>(count * days));
  for (int64_t day = 0; day < days; ++day) {
    for (int64_t account = first; account < first + count; ++account) {
      const std::string& text = feed.texts.emplace_back(LegOf(account, day, accounts));
      feed.records.push_back({.payload = text,
                              .at = {.topic = "ledger", .offset = static_cast<int64_t>(feed.records.size())},
                              .ingest_ts = {kBegin + day * kMicrosPerDay + kMicrosPerDay}});
    }
  }
  return feed;
}

// Of this process: one thread does the work, and others on the machine do not count.
double CpuSeconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// From JSON to balances. Features are told with them.
bool RunBalances(int64_t accounts, int64_t days) {
  const Feed feed = MakeFeed(0, accounts, accounts, days);
  const ledger::Options options;
  MemoryStore<Ledger> store;
  Runner<Ledger> runner(store, options, {.refresh = Refresh::kAtEnd});
  constexpr size_t kBatch = 10'000;
  const auto begin = CpuSeconds();
  for (size_t i = 0; i < feed.records.size(); i += kBatch) {
    const auto batch = std::span(feed.records).subspan(i, std::min(kBatch, feed.records.size() - i));
    if (!runner.Take(batch, "").ok()) return false;
  }
  const double silver = CpuSeconds() - begin;
  if (!runner.Sweep(kNoTime).ok()) return false;
  const double all = CpuSeconds() - begin;
  const auto events = static_cast<double>(feed.records.size());
  ledger::AccountBalance last;
  last.ledger = "main", last.account_id = "A" + std::to_string(accounts - 1), last.asset = "EUR",
  last.max_version = 1;
  const auto row = store.Find<ledger::AccountBalance>(ledger::RowKey(last));
  if (!row.has_value() || row->contiguous_version != days) return false;
  std::printf("%-52s %10.0f events/s\n", "ledger: JSON to Silver", events / silver);
  std::printf("%-52s %10.0f events/s\n", "ledger: JSON to balances and features", events / all);
  return true;
}

// Features alone, of histories in memory: made block by block, for they take more room than the result.
bool RunFeatures(int64_t accounts, int64_t days) {
  constexpr int64_t kBlock = 1'000;
  ledger::Options options;
  options.as_of = {kBegin + days * kMicrosPerDay};
  const ledger::LedgerRules rules(options);
  double seconds = 0;
  int64_t rows = 0, legs = 0;
  for (int64_t first = 0; first < accounts; first += kBlock) {
    const int64_t count = std::min(kBlock, accounts - first);
    const Feed feed = MakeFeed(first, count, accounts, days);
    Refined<ledger::LedgerEvent> refined = ledger::Refine(feed.records, options);
    std::vector<ledger::LedgerElement> history;
    for (int64_t account = 0; account < count; ++account) {
      history.clear();
      for (int64_t day = 0; day < days; ++day) {
        history.push_back(refined.elements[static_cast<size_t>(day * count + account)]);
      }
      const auto begin = CpuSeconds();
      const auto features = ledger::DeriveFeatures(history, kNoTime, rules);
      seconds += CpuSeconds() - begin;
      for (const ledger::AccountFeatures& row : features) ++rows, legs += row.windowed.month.txn_count;
    }
  }
  const bool right = rows == accounts && legs == accounts * std::min<int64_t>(days, 30);
  constexpr double kFeatures = 26;  // columns of a row that are features
  std::printf("%-52s %10.0f rows/s\n", "ledger: feature rows, 30 events each",
              static_cast<double>(rows) / seconds);
  std::printf("%-52s %10.0f features/s\n", "ledger: features",
              static_cast<double>(rows) * kFeatures / seconds);
  return right;
}

}  // namespace
}  // namespace medallion

int main(int argc, char** argv) {
  const int64_t accounts = argc > 1 ? std::atol(argv[1]) / 2 * 2 : 100'000,
                days = argc > 2 ? std::atol(argv[2]) : 30;
  if (accounts < 2 || days < 1) {
    std::fprintf(stderr, "usage: medallion_ledger_bench [ACCOUNTS, 2 or more [DAYS]]\n");
    return 2;
  }
  const bool right = medallion::RunBalances(accounts, days) && medallion::RunFeatures(accounts, days);
  if (!right) std::puts("ledger: wrong result");
  return right ? 0 : 1;
}
