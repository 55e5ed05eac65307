// Features by hand: windows and their edges, both clocks, what they are valid until.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "medallion/ledger/derive_accounts.h"
#include "medallion/ledger/refine.h"
#include "tests/catch.h"
#include "tests/laws.h"
#include "tests/ledger/ledger_feed.h"

namespace medallion::ledger {
namespace {

// The elements of account A's events, in order of their versions.
class Account {
 public:
  Account& Add(const std::string& type, const std::string& effective, const std::string& more,
               std::string recorded = "") {
    if (recorded.empty()) recorded = effective;
    ++version_;
    feed_.AddLine("{'event_id':'e" + std::to_string(version_) + "','event_type':'" + type +
                      "','ledger':'m','account_id':'A','account_version':" + std::to_string(version_) +
                      ",'effective_at':'" + effective + "','recorded_at':'" + recorded + "'" + more + "}",
                  recorded);
    return *this;
  }
  Account& Leg(const std::string& leg, const std::string& amount, const std::string& effective,
               const std::string& more = "", const std::string& recorded = "") {
    return Add("TransferPosted", effective,
               ",'leg':'" + leg + "','amount_minor':'" + amount + "','asset':'EUR'" + more, recorded);
  }
  AccountFeatures At(std::string_view at, std::string_view known = "") const {
    Options options;
    options.as_of = ParseTime(at)->time;
    if (!known.empty()) options.known_as_of = ParseTime(known)->time;
    const Refined<LedgerEvent> refined = Refine(feed_.records, options);
    const auto rows = DeriveFeatures(refined.elements, kNoTime, LedgerRules(options));
    REQUIRE(rows.size() == 1);
    return rows[0];
  }

 private:
  testing::LedgerFeed feed_;
  int64_t version_ = 0;
};

std::string Text(const std::optional<Millionths>& value) {
  std::string text;
  return value && AppendCanonical(*value, text) ? text : "null";
}

TEST_CASE("ledger features: a window is open at its beginning and closed at its end") {
  Account account;
  account.Leg("C", "100", "2026-03-01T12:00:00Z");
  CHECK(account.At("2026-03-01T11:59:59.999999Z", "2026-03-09T00:00:00Z").windowed.day.txn_count == 0);
  CHECK(account.At("2026-03-01T12:00:00Z").windowed.day.txn_count == 1);
  CHECK(account.At("2026-03-02T11:59:59.999999Z").windowed.day.txn_count == 1);
  CHECK(account.At("2026-03-02T12:00:00Z").windowed.day.txn_count == 0);
  CHECK(account.At("2026-03-02T12:00:00Z").windowed.week.txn_count == 1);
  CHECK(account.At("2026-03-08T12:00:00Z").windowed.week.txn_count == 0);
  CHECK(account.At("2026-03-31T11:59:59.999999Z").windowed.month.txn_count == 1);
  CHECK(account.At("2026-03-31T12:00:00Z").windowed.month.txn_count == 0);
}

TEST_CASE("ledger features: ratios and averages are exact fractions") {
  Account account;
  account.Leg("C", "1000", "2026-03-10T10:00:00Z", ",'counterparty_account_id':'X'");
  account.Leg("D", "500", "2026-03-10T11:00:00Z", ",'counterparty_account_id':'Y'");
  account.Leg("D", "1000", "2026-03-01T10:00:00Z", ",'counterparty_account_id':'Y'");
  account.Leg("D", "2", "2026-03-02T10:00:00Z");
  const AccountFeatures row = account.At("2026-03-10T12:00:00Z");
  CHECK(row.windowed.day.txn_count == 2);
  CHECK(row.windowed.month.txn_count == 4);
  CHECK(row.windowed.month.net_flow == MinorUnits(-502));
  CHECK(Text(row.windowed.avg_debit_30d) == "500.666667");
  CHECK(row.windowed.max_debit_30d == MinorUnits(1000));
  CHECK(row.windowed.distinct_counterparties_30d == 2);
  CHECK(Text(row.windowed.new_counterparty_ratio_7d) == "0.500000");  // Y was there before, X was not
  CHECK(Text(row.windowed.velocity_ratio) == "15.000000");            // 2 / (4 / 30)
  CHECK(Text(row.windowed.pass_through_ratio_1d) == "0.500000");
  CHECK(Text(row.windowed.round_amount_ratio_30d) == "0.333333");  // only 10.00
  CHECK(row.windowed.days_since_last_activity == 0);
  CHECK(Text(row.completeness) == "1.000000");
  const AccountFeatures later = account.At("2026-06-10T12:00:00Z");
  CHECK(Text(later.windowed.avg_debit_30d) == "null");
  CHECK(Text(later.windowed.velocity_ratio) == "null");
  CHECK_FALSE(later.windowed.max_debit_30d.has_value());
  CHECK(later.windowed.days_since_last_activity == 92);
}

TEST_CASE("ledger features: what was reversed leaves the flows, by its amount") {
  Account account;
  account.Leg("D", "100", "2026-03-10T10:00:00Z", ",'transfer_id':'t1'");
  account.Leg("D", "70", "2026-03-10T10:30:00Z", ",'transfer_id':'t2'");
  account.Add("TransferReversed", "2026-03-10T11:00:00Z",
              ",'leg':'C','amount_minor':'100','asset':'EUR','reverses_transfer_id':'t1'");
  account.Add("TransferReversed", "2026-03-10T11:30:00Z",
              ",'leg':'C','amount_minor':'20','asset':'EUR','reverses_transfer_id':'t2'");
  const AccountFeatures row = account.At("2026-03-10T12:00:00Z");
  CHECK(row.windowed.day.txn_count == 1);  // t1 is gone, and reversals are never flows
  CHECK(row.windowed.day.debit_sum == MinorUnits(50));
  CHECK(row.windowed.day.credit_sum == MinorUnits(0));
  CHECK(Text(row.windowed.reversal_ratio_30d) == "1.000000");
  const AccountFeatures before = account.At("2026-03-10T10:59:59Z");
  CHECK(before.windowed.day.debit_sum == MinorUnits(170));
  CHECK(Text(before.windowed.reversal_ratio_30d) == "0.000000");
}

TEST_CASE("ledger features: the time-weighted balance, in microseconds") {
  Account account;
  account.Leg("C", "3000", "2026-03-02T00:00:00Z");
  account.Leg("D", "6000", "2026-03-21T00:00:00Z");
  const AccountFeatures row = account.At("2026-03-31T00:00:00Z");  // from March 1 on
  CHECK(Text(row.twab_30d) == "900.000000");                       // 1 day of 0, 19 of 3000, 10 of -3000
  CHECK(row.min_balance_30d == MinorUnits(-3000));
  CHECK(Text(row.overdraft_seconds_30d) == "864000.000000");
  CHECK(account.At("2026-03-20T00:00:00Z").min_balance_30d == MinorUnits(0));
}

TEST_CASE("ledger features: what is pending is told by its age") {
  Account account;
  account.Add("TransferReserved", "2026-03-01T10:00:00Z",
              ",'transfer_id':'r','leg':'D','amount_minor':'5','asset':'EUR'");
  CHECK(Text(account.At("2026-03-01T10:00:01.5Z").pending_age_max_s) == "1.500000");
  account.Add("TransferReleased", "2026-03-01T11:00:00Z", ",'reserved_transfer_id':'r'");
  CHECK(Text(account.At("2026-03-01T12:00:00Z").pending_age_max_s) == "null");
  CHECK(Text(account.At("2026-03-01T10:30:00Z").pending_age_max_s) == "1800.000000");
}

TEST_CASE("ledger features: nothing is known before it was recorded") {
  Account account;
  account.Leg("C", "100", "2026-03-01T10:00:00Z");
  account.Leg("C", "50", "2026-03-01T11:00:00Z", "", "2026-03-05T00:00:00Z");
  CHECK(account.At("2026-03-01T12:00:00Z").windowed.day.credit_sum == MinorUnits(100));
  CHECK(account.At("2026-03-01T12:00:00Z", "2026-03-05T00:00:00Z").windowed.day.credit_sum ==
        MinorUnits(150));
}

TEST_CASE("ledger features: valid_until is the first instant at which a windowed feature changes by itself") {
  const int64_t begin = ParseTime("2026-01-01T00:00:00Z")->time.us;
  for (uint64_t seed = 0; seed < testing::LawSeeds() * 5 + 50; ++seed) {
    CAPTURE(seed);
    testing::Random random(seed);
    Account account;
    std::vector<int64_t> chances;
    const int64_t legs = 1 + random.Below(8);
    for (int64_t leg = 0; leg < legs; ++leg) {
      const UtcTime at{begin + random.Below(120) * kMicrosPerDay + random.Below(5) * kMicrosPerHour};
      const bool reversal = leg > 0 && random.Chance(400'000);
      const std::string transfer = "'t" + std::to_string(random.Below(leg + 1)) + "'";
      account.Add(reversal ? "TransferReversed" : "TransferPosted", FormatTime(at),
                  ",'asset':'EUR','leg':'" + std::string(reversal ? "D" : "C") + "','amount_minor':'" +
                      std::to_string(1 + random.Below(2)) + "','counterparty_account_id':'P" +
                      std::to_string(random.Below(3)) + "'," +
                      (reversal ? "'reverses_transfer_id':" : "'transfer_id':") + transfer,
                  "2026-01-01T00:00:00Z");
      for (int64_t days = 0; days < 100; ++days) chances.push_back(at.us + days * kMicrosPerDay);
    }
    const UtcTime at{begin + random.Below(150) * kMicrosPerDay};
    const AccountFeatures row = account.At(FormatTime(at), "2027-01-01T00:00:00Z");
    const auto windowed = [&](int64_t us) {
      return account.At(FormatTime({us}), "2027-01-01T00:00:00Z").windowed;
    };
    std::sort(chances.begin(), chances.end());
    const auto first = std::find_if(chances.begin(), chances.end(), [&](int64_t us) {
      return us > at.us && (row.valid_until == kNoTime || us < row.valid_until.us) &&
             windowed(us) != row.windowed;
    });
    CHECK(first == chances.end());
    if (row.valid_until == kNoTime) continue;
    REQUIRE(row.valid_until > at);
    CHECK(windowed(row.valid_until.us) != row.windowed);
  }
}

// None of a day's transfers is left, and none that leaves a window changes anything: each is looked at once.
TEST_CASE("ledger features: an account of which everything was reversed") {
  Account account;
  for (int i = 0; i < 5'000; ++i) {
    const std::string id = "'t" + std::to_string(i) + "'";
    const std::string at = FormatTime({ParseTime("2026-03-01T00:00:00Z")->time.us + i * kMicrosPerSecond});
    account.Leg("C", "5", at, ",'transfer_id':" + id);
    account.Add("TransferReversed", at,
                ",'leg':'D','amount_minor':'5','asset':'EUR','reverses_transfer_id':" + id);
  }
  const AccountFeatures row = account.At("2026-03-01T12:00:00Z");
  CHECK(row.windowed.month.txn_count == 0);
  CHECK(Text(row.windowed.reversal_ratio_30d) == "1.000000");
  CHECK(FormatTime(row.valid_until) == "2026-03-02T01:23:19.000000Z");  // a day after the last
}

TEST_CASE("ledger features: equal input digests mean equal features, and any fact changes the digest") {
  Account one, two, other;
  one.Leg("C", "100", "2026-03-01T10:00:00Z");
  two.Leg("C", "100", "2026-03-01T10:00:00Z");
  other.Leg("C", "101", "2026-03-01T10:00:00Z");
  const auto digest = [](const Account& account, std::string_view at) { return account.At(at).input_digest; };
  CHECK(digest(one, "2026-03-02T00:00:00Z") == digest(two, "2026-03-02T00:00:00Z"));
  CHECK(digest(one, "2026-03-02T00:00:00Z") != digest(other, "2026-03-02T00:00:00Z"));
  CHECK(digest(one, "2026-03-02T00:00:00Z") != digest(one, "2026-03-03T00:00:00Z"));
}

}  // namespace
}  // namespace medallion::ledger
