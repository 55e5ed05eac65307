// The golden sequence of the ledger domain, section 3, at each stage.
#include <map>
#include <string>

#include "medallion/ledger/run.h"
#include "nlohmann/json.hpp"
#include "tests/catch.h"
#include "tests/ledger/ledger_feed.h"

namespace medallion::ledger {
namespace {

using nlohmann::json;

// e1, e2, e4, e2b, e3: in the order of arrival.
testing::LedgerFeed Golden() {
  testing::LedgerFeed feed;
  const auto add = [&](std::string id, int version, std::string leg, std::string amount,
                       std::string effective, std::string recorded) {
    feed.AddLine("{'event_id':'" + id +
                     "','event_type':'TransferPosted','schema_version':1,'ledger':'main'," +
                     "'account_id':'A-1','account_version':" + std::to_string(version) + ",'leg':'" + leg +
                     "','amount_minor':'" + amount + "','asset':'EUR','effective_at':'2026-" + effective +
                     "Z','recorded_at':'2026-" + recorded + "Z'}",
                 "2026-" + recorded + "Z");
  };
  add("e1", 1, "C", "100000", "03-01T09:00:00", "03-01T09:00:01");
  add("e2", 2, "D", "25000", "03-01T10:00:00", "03-01T10:00:01");
  add("e4", 4, "D", "90000", "03-01T12:00:00", "03-01T12:00:01");
  add("e2b", 2, "D", "25000", "03-01T10:00:00", "03-01T12:30:00");
  add("e3", 3, "C", "30000", "03-01T11:00:00", "03-02T08:00:00");
  return feed;
}

std::vector<json> Rows(Tables& tables, std::string_view table) {
  std::vector<json> rows;
  REQUIRE(tables
              .Read(table,
                    [&](std::string_view line) {
                      rows.push_back(json::parse(line));
                      return absl::OkStatus();
                    })
              .ok());
  return rows;
}

// What is told of the account after the first records.
json BalanceAfter(size_t records, const Options& options, MemoryStore<Ledger>& store) {
  const testing::LedgerFeed feed = Golden();
  Runner<Ledger> runner(store, options, {.as_of = options.known_as_of});
  REQUIRE(runner.Take(std::span(feed.records).first(records), "").ok());
  REQUIRE(runner.Sweep(options.as_of).ok());
  const auto rows = Rows(store, "gold_account_balances");
  REQUIRE(rows.size() == 1);
  return rows[0];
}

TEST_CASE("ledger: the golden sequence, event by event") {
  struct Stage {
    size_t records;
    int contiguous, max;
    const char *balance_contiguous, *balance_known, *missing, *min;
    bool is_final;
    int overdrafts;
  };
  for (const Stage& stage : std::initializer_list<Stage>{
           {1, 1, 1, "100000", "100000", "[]", "100000", true, 0},
           {2, 2, 2, "75000", "75000", "[]", "75000", true, 0},
           {3, 2, 4, "75000", "-15000", "[[3,3]]", "75000", false, 0},
           {4, 2, 4, "75000", "-15000", "[[3,3]]", "75000", false, 0},
           {5, 4, 4, "15000", "15000", "[]", "15000", true,
            0},  // the order of arrival would have shown -15000
       }) {
    CAPTURE(stage.records);
    MemoryStore<Ledger> store;
    const json row = BalanceAfter(stage.records, Options(), store);
    CHECK(row["contiguous_version"] == stage.contiguous);
    CHECK(row["max_version"] == stage.max);
    CHECK(row["balance_contiguous"] == stage.balance_contiguous);
    CHECK(row["balance_known"] == stage.balance_known);
    CHECK(row["missing_versions"] == json::parse(stage.missing));
    CHECK(row["min_balance"] == stage.min);
    CHECK(row["balance_is_final"] == stage.is_final);
    CHECK(row["overdraft_events"] == stage.overdrafts);
    CHECK(row["normal_side"] == "C");
  }
}

TEST_CASE("ledger: the golden sequence's copy is a business duplicate") {
  MemoryStore<Ledger> store;
  BalanceAfter(5, Options(), store);
  CHECK(AccountingLine(*store.Books()) == "5 = 4 silver + 1 duplicate");
  const auto audit = Rows(store, "silver_duplicate_events_audit");
  REQUIRE(audit.size() == 1);
  CHECK(audit[0]["duplicate_type"] == "BUSINESS");
  CHECK(audit[0]["event_id"] == "e2b");
  CHECK(audit[0]["winner_event_id"] == "e2");
}

TEST_CASE("ledger: the golden sequence on both clocks") {
  const UtcTime night = ParseTime("2026-03-01T23:59:59Z")->time;
  Options options;
  options.as_of = options.known_as_of = night;
  MemoryStore<Ledger> then;
  CHECK(BalanceAfter(5, options, then)["balance_known"] == "-15000");
  options.known_as_of = kNoTime;
  MemoryStore<Ledger> now;
  CHECK(BalanceAfter(5, options, now)["balance_known"] == "15000");
}

}  // namespace
}  // namespace medallion::ledger
