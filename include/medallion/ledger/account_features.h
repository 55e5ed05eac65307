// gold_account_features: what a model may know of an account at one instant, and no later. One row an account and asset,
// as of the data clock or the host's `as_of`.
// Source: the ledger domain, section 4.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

#include "medallion/base/columns.h"
#include "medallion/base/digest.h"
#include "medallion/base/pack.h"
#include "medallion/base/time.h"
#include "medallion/ledger/minor_units.h"

namespace medallion::ledger {

inline constexpr int32_t kFeatureSetVersion = 1;

// Flows are the legs that were posted, without reversals, less what was reversed of them; a leg of which nothing is left
// is none. A window of W days at T is (T - W, T] by effective_at.
struct WindowSums {
  int64_t txn_count = 0;
  MinorUnits credit_sum, debit_sum, net_flow;
  bool operator==(const WindowSums&) const = default;
};

// What only changes when an event enters or leaves a window, or a day passes.
struct WindowedFeatures {
  WindowSums day, week, month;  // 1, 7 and 30 days
  std::optional<Millionths> avg_debit_30d;
  std::optional<MinorUnits> max_debit_30d;
  int64_t distinct_counterparties_30d = 0;
  std::optional<Millionths> new_counterparty_ratio_7d;
  std::optional<Millionths> velocity_ratio;
  std::optional<Millionths> pass_through_ratio_1d;
  std::optional<Millionths> reversal_ratio_30d;
  std::optional<Millionths> round_amount_ratio_30d;
  std::optional<int64_t> days_since_last_activity;
  bool operator==(const WindowedFeatures&) const = default;
};

struct AccountFeatures {
  std::string ledger;
  std::string account_id;
  std::string asset;
  UtcTime as_of = kNoTime, known_as_of = kNoTime;
  int32_t feature_set_version = kFeatureSetVersion;
  WindowedFeatures windowed;
  Millionths twab_30d;         // time-weighted average balance
  MinorUnits min_balance_30d;  // by effective_at, from T - 30 days to T
  Millionths overdraft_seconds_30d;
  std::optional<Millionths> pending_age_max_s;
  std::optional<Millionths> completeness;  // null for a legacy account
  UtcTime valid_until = kNoTime;  // when one of `windowed` changes without a new event; kNoTime: never
  Digest input_digest;
  UtcTime next_due_at = kNoTime;
  Digest model_version;
  Digest row_hash;
  UtcTime updated_at = kNoTime;
  bool operator==(const AccountFeatures&) const = default;
};

// The key of a row: (ledger, account_id, asset, as_of, known_as_of), told apart by whether it is of the legacy database.
Digest RowKey(const AccountFeatures& row);

template <class Visitor>
void VisitColumns(const AccountFeatures& row, Visitor&& visit) {
  const WindowedFeatures& windowed = row.windowed;
  visit("ledger", row.ledger);
  visit("account_id", row.account_id);
  visit("asset", row.asset);
  visit("as_of", row.as_of);
  visit("known_as_of", row.known_as_of);
  visit("feature_set_version", row.feature_set_version);
  visit("txn_count_1d", windowed.day.txn_count);
  visit("txn_count_7d", windowed.week.txn_count);
  visit("txn_count_30d", windowed.month.txn_count);
  visit("credit_sum_1d", windowed.day.credit_sum);
  visit("credit_sum_7d", windowed.week.credit_sum);
  visit("credit_sum_30d", windowed.month.credit_sum);
  visit("debit_sum_1d", windowed.day.debit_sum);
  visit("debit_sum_7d", windowed.week.debit_sum);
  visit("debit_sum_30d", windowed.month.debit_sum);
  visit("net_flow_1d", windowed.day.net_flow);
  visit("net_flow_7d", windowed.week.net_flow);
  visit("net_flow_30d", windowed.month.net_flow);
  visit("avg_debit_30d", windowed.avg_debit_30d);
  visit("max_debit_30d", windowed.max_debit_30d);
  visit("distinct_counterparties_30d", windowed.distinct_counterparties_30d);
  visit("new_counterparty_ratio_7d", windowed.new_counterparty_ratio_7d);
  visit("velocity_ratio", windowed.velocity_ratio);
  visit("pass_through_ratio_1d", windowed.pass_through_ratio_1d);
  visit("reversal_ratio_30d", windowed.reversal_ratio_30d);
  visit("round_amount_ratio_30d", windowed.round_amount_ratio_30d);
  visit("twab_30d", row.twab_30d);
  visit("min_balance_30d", row.min_balance_30d);
  visit("overdraft_seconds_30d", row.overdraft_seconds_30d);
  visit("days_since_last_activity", windowed.days_since_last_activity);
  visit("pending_age_max_s", row.pending_age_max_s);
  visit("completeness", row.completeness);
  visit("valid_until", row.valid_until);
  visit("input_digest", row.input_digest);
  visit("next_due_at", row.next_due_at);
  visit("model_version", row.model_version);
  visit("row_hash", row.row_hash);
  visit("updated_at", row.updated_at);
}

// The fields that a store must keep to give the row back, in a fixed order (see base/pack.h). Row may be const.
template <class Row, class Visitor>
  requires std::same_as<std::remove_const_t<Row>, WindowSums>
void VisitFields(Row& row, Visitor&& visit) {
  visit(row.txn_count), visit(row.credit_sum), visit(row.debit_sum), visit(row.net_flow);
}
template <class Row, class Visitor>
  requires std::same_as<std::remove_const_t<Row>, WindowedFeatures>
void VisitFields(Row& row, Visitor&& visit) {
  visit(row.day), visit(row.week), visit(row.month), visit(row.avg_debit_30d), visit(row.max_debit_30d);
  visit(row.distinct_counterparties_30d), visit(row.new_counterparty_ratio_7d), visit(row.velocity_ratio);
  visit(row.pass_through_ratio_1d), visit(row.reversal_ratio_30d), visit(row.round_amount_ratio_30d);
  visit(row.days_since_last_activity);
}
template <class Row, class Visitor>
  requires std::same_as<std::remove_const_t<Row>, AccountFeatures>
void VisitFields(Row& row, Visitor&& visit) {
  visit(row.ledger), visit(row.account_id), visit(row.asset), visit(row.as_of), visit(row.known_as_of);
  visit(row.feature_set_version), visit(row.windowed), visit(row.twab_30d), visit(row.min_balance_30d);
  visit(row.overdraft_seconds_30d), visit(row.pending_age_max_s), visit(row.completeness);
  visit(row.valid_until), visit(row.input_digest), visit(row.next_due_at);
}

}  // namespace medallion::ledger
