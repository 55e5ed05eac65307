#include "medallion/ledger/account_features.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "account.h"
#include "medallion/gold/row_hash.h"
#include "medallion/ledger/assets.h"
#include "medallion/ledger/derive_accounts.h"
#include "reservations.h"

namespace medallion::ledger {
namespace {

using folding::Account;
using folding::Fact;
using folding::Reservation;
using folding::Reservations;
using folding::Reversals;

constexpr int64_t kDay = kMicrosPerDay, kWeek = 7 * kDay, kMonth = 30 * kDay, kQuarter = 90 * kDay;

bool InWindow(UtcTime time, UtcTime at, int64_t window_us) {
  return time <= at && time.us > at.us - window_us;
}

// A leg as a flow: what is left of it after reversals.
struct Flow {
  const Fact* fact = nullptr;
  MinorUnits amount;
};

// The postings of one asset that are known, in the order of their versions.
using Postings = std::vector<const Fact*>;

// The flows as of an instant, and the transfers of the month with those that are reversed.
class Flows {
 public:
  Flows(const Account& account, const Postings& postings, UtcTime at);

  const std::vector<Flow>& all() const { return flows_; }
  std::optional<Millionths> ReversalRatio() const {
    return Fraction(reversed_, static_cast<int64_t>(named_.size()) + nameless_);
  }

 private:
  std::vector<Flow> flows_;
  std::set<std::string_view> named_;  // the month's transfers; one without an id is one by itself
  int64_t nameless_ = 0, reversed_ = 0;
};

Flows::Flows(const Account& account, const Postings& postings, UtcTime at) {
  Reversals reversals(account.facts, at);
  for (const Fact* fact : postings) {
    if (fact->type == EventType::kTransferReversed || fact->effective > at) continue;
    if (InWindow(fact->effective, at, kMonth)) {
      if (fact->transfer.empty()) {
        ++nameless_;
      } else if (named_.insert(fact->transfer).second && reversals.Names(fact->transfer)) {
        ++reversed_;
      }
    }
    const MinorUnits reversed = reversals.TakeFrom(*fact);
    if (reversed.is_zero() || reversed < fact->amount) flows_.push_back({fact, fact->amount - reversed});
  }
}

WindowSums SumOf(const std::vector<Flow>& flows, UtcTime at, int64_t window_us) {
  WindowSums sums;
  for (const Flow& flow : flows) {
    if (!InWindow(flow.fact->effective, at, window_us)) continue;
    ++sums.txn_count;
    (flow.fact->leg == Side::kDebit ? sums.debit_sum : sums.credit_sum) += flow.amount;
  }
  sums.net_flow = sums.credit_sum - sums.debit_sum;
  return sums;
}

// Features of the month's debit legs.
void TellDebits(const std::vector<Flow>& flows, UtcTime at, int exponent, WindowedFeatures& features) {
  const MinorUnits round = PowerOfTen(exponent + 1);  // ten in major units
  int64_t debits = 0, rounds = 0;
  for (const Flow& flow : flows) {
    if (flow.fact->leg != Side::kDebit || !InWindow(flow.fact->effective, at, kMonth)) continue;
    ++debits;
    if (MinorUnits::Divide(flow.amount, round).rest.is_zero()) ++rounds;
    features.max_debit_30d = std::max(features.max_debit_30d.value_or(flow.amount), flow.amount);
  }
  features.avg_debit_30d = Fraction(features.month.debit_sum, debits);
  features.round_amount_ratio_30d = Fraction(rounds, debits);
}

using Names = std::set<std::string_view>;

// The counterparties of the flows in (at - window, at].
Names CounterpartiesIn(const std::vector<Flow>& flows, UtcTime at, int64_t window_us) {
  Names names;
  for (const Flow& flow : flows) {
    if (flow.fact->counterparty.empty() || !InWindow(flow.fact->effective, at, window_us)) continue;
    names.insert(flow.fact->counterparty);
  }
  return names;
}

void TellCounterparties(const std::vector<Flow>& flows, UtcTime at, WindowedFeatures& features) {
  features.distinct_counterparties_30d = static_cast<int64_t>(CounterpartiesIn(flows, at, kMonth).size());
  const Names week = CounterpartiesIn(flows, at, kWeek);
  if (week.empty()) return;
  const Names before = CounterpartiesIn(flows, {at.us - kWeek}, kQuarter);
  const auto fresh =
      std::count_if(week.begin(), week.end(), [&](std::string_view name) { return !before.contains(name); });
  features.new_counterparty_ratio_7d =
      Fraction(static_cast<int64_t>(fresh), static_cast<int64_t>(week.size()));
}

UtcTime LastActivity(const Postings& postings, UtcTime at) {
  UtcTime last = kNoTime;
  for (const Fact* fact : postings) {
    if (fact->effective <= at) last = std::max(last, fact->effective);
  }
  return last;
}

WindowedFeatures Evaluate(const Account& account, const Postings& postings, int exponent, UtcTime at) {
  WindowedFeatures features;
  const Flows of(account, postings, at);
  const std::vector<Flow>& flows = of.all();
  features.day = SumOf(flows, at, kDay);
  features.week = SumOf(flows, at, kWeek);
  features.month = SumOf(flows, at, kMonth);
  TellDebits(flows, at, exponent, features);
  TellCounterparties(flows, at, features);
  features.velocity_ratio = Fraction(features.day.txn_count * 30, features.month.txn_count);
  const auto [less, more] = std::minmax(features.day.credit_sum, features.day.debit_sum);
  features.pass_through_ratio_1d = Fraction(less, more);
  features.reversal_ratio_30d = of.ReversalRatio();
  const UtcTime last = LastActivity(postings, at);
  if (last != kNoTime) features.days_since_last_activity = (at.us - last.us) / kDay;
  return features;
}

// Looks for the first instant at which a windowed feature changes by itself. Until the next fact becomes effective, only
// what is there leaves windows: each question is answered by one pass over it.
class Changes {
 public:
  Changes(const Account& account, const Postings& postings, const WindowedFeatures& features)
      : account_(account), postings_(postings), features_(features) {}

  // After `at`, before the next fact; kNoTime: none.
  UtcTime After(UtcTime at) {
    const Flows flows(account_, postings_, at);
    first_ = kNoTime, at_ = at;
    OfferCounts(flows.all());
    OfferReversals();
    OfferCounterparties(flows.all());
    return first_;
  }

  // When the next fact after `at` becomes effective; kNoTime: none does.
  UtcTime NextFact(UtcTime at) const {
    UtcTime next = kNoTime;
    for (const Fact& fact : account_.facts) {
      if (IsPosting(fact.type) && fact.effective > at && (next == kNoTime || fact.effective < next))
        next = fact.effective;
    }
    return next;
  }

 private:
  void Offer(int64_t us) {
    if (us > at_.us && (first_ == kNoTime || us < first_.us)) first_ = {us};
  }

  // A flow that leaves a window is one less; a day that passes is one more.
  void OfferCounts(const std::vector<Flow>& flows) {
    for (const Flow& flow : flows) {
      for (const int64_t window_us : {kDay, kWeek, kMonth}) Offer(flow.fact->effective.us + window_us);
    }
    const UtcTime last = LastActivity(postings_, at_);
    if (last != kNoTime) Offer(last.us + ((at_.us - last.us) / kDay + 1) * kDay);
  }

  // By when the names are gone, in order.
  using Leaving = std::vector<std::pair<UtcTime, std::string_view>>;
  static Leaving Sorted(const std::map<std::string_view, UtcTime>& last, int64_t window_us) {
    Leaving leaving;
    for (const auto& [name, time] : last) leaving.push_back({{time.us + window_us}, name});
    std::sort(leaving.begin(), leaving.end());
    return leaving;
  }
  // Takes the names away one after the other: the ratio is told where all of an instant are gone.
  template <class Take, class Ratio>
  void OfferFirst(const Leaving& leaving, const Take& take, const Ratio& differs) {
    for (size_t i = 0; i < leaving.size(); ++i) {
      const UtcTime at = leaving[i].first;
      if (first_ != kNoTime && at >= first_) return;
      take(leaving[i].second);
      const bool last = i + 1 == leaving.size() || leaving[i + 1].first != at;
      if (last && differs()) return Offer(at.us);
    }
  }

  // Transfers of which nothing is left leave the month without being counted.
  void OfferReversals() {
    const Reversals reversals(account_.facts, at_);
    std::map<std::string_view, UtcTime> last;
    int64_t all = 0, reversed = 0;
    for (const Fact* fact : postings_) {
      if (fact->type == EventType::kTransferReversed || !InWindow(fact->effective, at_, kMonth)) continue;
      if (fact->transfer.empty()) {
        ++all;
        continue;
      }
      const auto [named, added] = last.try_emplace(fact->transfer, fact->effective);
      if (added) ++all, reversed += reversals.Names(fact->transfer) ? 1 : 0;
      named->second = std::max(named->second, fact->effective);
    }
    OfferFirst(
        Sorted(last, kMonth),
        [&](std::string_view transfer) { --all, reversed -= reversals.Names(transfer) ? 1 : 0; },
        [&] { return Fraction(reversed, all) != features_.reversal_ratio_30d; });
  }

  // A counterparty of the week that was last seen too long before is new again.
  void OfferCounterparties(const std::vector<Flow>& flows) {
    const Names week = CounterpartiesIn(flows, at_, kWeek);
    std::map<std::string_view, UtcTime> last;
    for (const Flow& flow : flows) {
      const Fact& fact = *flow.fact;
      if (!week.contains(fact.counterparty) || !InWindow(fact.effective, {at_.us - kWeek}, kQuarter))
        continue;
      UtcTime& time = last.try_emplace(fact.counterparty, fact.effective).first->second;
      time = std::max(time, fact.effective);
    }
    const auto all = static_cast<int64_t>(week.size());
    int64_t fresh = all - static_cast<int64_t>(last.size());
    OfferFirst(
        Sorted(last, kWeek + kQuarter), [&](std::string_view) { ++fresh; },
        [&] { return Fraction(fresh, all) != features_.new_counterparty_ratio_7d; });
  }

  const Account& account_;
  const Postings& postings_;
  const WindowedFeatures& features_;
  UtcTime at_, first_;
};

UtcTime ValidUntil(const Account& account, const Postings& postings, int exponent, UtcTime at,
                   const WindowedFeatures& features) {
  Changes changes(account, postings, features);
  while (true) {
    const UtcTime change = changes.After(at), fact = changes.NextFact(at);
    if (fact == kNoTime || (change != kNoTime && change < fact)) return change;
    if (Evaluate(account, postings, exponent, fact) != features) return fact;
    at = fact;
  }
}

// The balance over the month that ends at `at`, by effective_at.
void TellBalance(const Account& account, Postings postings, UtcTime at, AccountFeatures& row) {
  std::erase_if(postings, [&](const Fact* fact) { return fact->effective > at; });
  std::sort(postings.begin(), postings.end(),
            [](const Fact* a, const Fact* b) { return a->effective < b->effective; });
  MinorUnits balance, weighted;
  int64_t overdraft_us = 0;
  UtcTime since{at.us - kMonth};
  size_t next = 0;
  const auto advance = [&](UtcTime to) {  // takes in all legs up to `to`
    for (; next < postings.size() && postings[next]->effective <= to; ++next) {
      balance += account.Shown(postings[next]->signed_amount());
    }
  };
  advance(since);
  row.min_balance_30d = balance;
  while (since < at) {
    const UtcTime until = next < postings.size() ? postings[next]->effective : at;
    weighted += balance * (until.us - since.us);
    if (balance.negative()) overdraft_us += until.us - since.us;
    advance(since = until);
    row.min_balance_30d = std::min(row.min_balance_30d, balance);
  }
  row.twab_30d = *Fraction(weighted, kMonth);
  row.overdraft_seconds_30d = {overdraft_us};
}

std::optional<Millionths> OldestPending(const Account& account, std::string_view asset, UtcTime at) {
  Reservations reservations;
  for (const Fact& fact : account.facts) {
    if (fact.effective <= at) reservations.Take(fact, nullptr);
  }
  std::optional<Millionths> oldest;
  reservations.EachOpen([&](const Reservation& reservation) {
    if (reservation.asset != asset) return;
    const MinorUnits age = at.us - reservation.effective.us;
    if (!oldest || oldest->units < age) oldest = Millionths{age};
  });
  return oldest;
}

Digest InputDigest(const Account& account, const AccountFeatures& row) {
  JoinedFields text;
  text.Add(row.as_of.us).Add(row.known_as_of.us).Add(int64_t{row.feature_set_version});
  text.Add(row.ledger).Add(row.account_id).Add(row.asset).Add(account.digest_text);
  return text.Sha256();
}

AccountFeatures FeaturesOf(const Account& account, std::string_view asset, const AccountFeatures& of_all) {
  AccountFeatures row = of_all;
  row.asset = asset;
  Postings postings;
  for (const Fact& fact : account.facts) {
    if (IsPosting(fact.type) && fact.asset == asset) postings.push_back(&fact);
  }
  const int exponent = AssetExponent(asset).value_or(0);
  row.windowed = Evaluate(account, postings, exponent, row.as_of);
  row.valid_until = ValidUntil(account, postings, exponent, row.as_of, row.windowed);
  TellBalance(account, postings, row.as_of, row);
  row.pending_age_max_s = OldestPending(account, asset, row.as_of);
  if (account.versions) row.completeness = Fraction(account.versions->contiguous, account.versions->max);
  row.input_digest = InputDigest(account, row);
  row.row_hash = RowHash(row);
  return row;
}

// The two clocks that features are told at.
std::pair<UtcTime, UtcTime> ClocksOf(UtcTime data_clock, const Options& options) {
  const UtcTime at = options.as_of != kNoTime ? options.as_of : data_clock;
  return {at, options.known_as_of != kNoTime ? options.known_as_of : at};
}

std::vector<AccountFeatures> Features(const Account& account, std::pair<UtcTime, UtcTime> clocks,
                                      const LedgerRules& rules) {
  const auto [at, known] = clocks;
  if (account.id.empty()) return {};
  AccountFeatures row;
  row.ledger = account.ledger, row.account_id = account.id;
  row.as_of = at, row.known_as_of = known;
  row.next_due_at =
      rules.options.as_of != kNoTime ? kNoTime : UtcTime{at.us + 1};  // with each move of the clock
  row.model_version = rules.model_version;
  row.updated_at = std::max(account.updated_at, at);
  std::vector<AccountFeatures> rows;
  for (const std::string_view asset : account.Assets()) rows.push_back(FeaturesOf(account, asset, row));
  return rows;
}

}  // namespace

Digest RowKey(const AccountFeatures& row) {
  JoinedFields key;
  key.AddPlain(row.completeness.has_value() ? "features" : "legacy_features");
  key.Add(row.ledger).Add(row.account_id).Add(row.asset).Add(row.as_of.us).Add(row.known_as_of.us);
  return key.Sha256();
}

std::vector<AccountFeatures> DeriveFeatures(std::span<const LedgerElement> history, UtcTime data_clock,
                                            const LedgerRules& rules) {
  const auto clocks = ClocksOf(data_clock, rules.options);
  if (clocks.first == kNoTime) return {};
  return Features(folding::ReadAccount(history, clocks.second), clocks, rules);
}

std::vector<AccountFeatures> DeriveLegacyFeatures(std::span<const LegacyRow* const> rows, UtcTime data_clock,
                                                  const LedgerRules& rules) {
  const auto clocks = ClocksOf(data_clock, rules.options);
  if (clocks.first == kNoTime) return {};
  return Features(folding::ReadLegacyAccount(rows, clocks.second), clocks, rules);
}

}  // namespace medallion::ledger
