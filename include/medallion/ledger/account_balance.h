// gold_account_balances: what an account holds of one asset, how far it can be trusted, and why not further.
// Source: the ledger domain, sections 2, 3 and 5.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "medallion/base/columns.h"
#include "medallion/base/digest.h"
#include "medallion/base/pack.h"
#include "medallion/base/time.h"
#include "medallion/ledger/ledger_event.h"
#include "medallion/ledger/minor_units.h"

namespace medallion::ledger {

// What is noticed of an account, which depends on more than one row; in the order in which they are shown.
enum class AccountFlag : uint8_t {
  kAssetChanged,
  kRepeatedTransferLeg,
  kUnbalancedTransfer,
  kCaptureWithoutReserve,
  kDoubleCapture,
  kCaptureExceedsReserve,
  kCaptureAfterRelease,
  kPartialReversal,
  kVersionGap,
  kVersionConflict,
  kConflict,  // of legacy rows
  kStaleVersion,
  kChainBreak,
  kClosedAccountActivity,
  kNormalSideAssumed,
};
inline constexpr int kAccountFlags = static_cast<int>(AccountFlag::kNormalSideAssumed) + 1;
std::string_view AccountFlagName(AccountFlag flag);  // "ASSET_CHANGED"
bool IsNotFinal(AccountFlag flag);                   // a balance with it is not final

// A set of flags, with the particulars of each.
class AccountFindings {
 public:
  // `particulars` is a JSON object, or empty.
  void Add(AccountFlag flag, std::string_view particulars = {});
  void Add(const AccountFindings& others);
  bool Has(AccountFlag flag) const { return (bits_ >> static_cast<int>(flag) & 1) != 0; }
  bool IsFinal() const;
  std::string FlagsJson() const;   // ["VERSION_GAP"]; "[]" where there are none
  std::string DetailJson() const;  // {"CHAIN_BREAK":[{…}]}; empty where there is nothing to tell

 private:
  uint32_t bits_ = 0;
  std::string particulars_[kAccountFlags];  // objects separated by commas
};

struct AccountBalance {
  std::string ledger;
  std::string account_id;
  std::string asset;  // empty: nothing was posted or reserved
  Side normal_side = Side::kCredit;
  MinorUnits debits_posted, credits_posted, debits_pending, credits_pending;
  MinorUnits posted;     // credits - debits for normal side C, else the other way round
  MinorUnits available;  // posted - what is pending on the side that spends
  // Of the account's versions; of a legacy account there are none.
  std::optional<int64_t> max_version;
  std::optional<int64_t> contiguous_version;  // 1 to this are there and uncontested
  std::string missing_versions;               // JSON: [[3,3]]
  std::string contested;                      // JSON: [{"version":2,"differs":{"asset":["EUR","USD"]}}]
  std::optional<MinorUnits> balance_contiguous;
  MinorUnits balance_known;
  bool balance_is_final = false;
  std::optional<MinorUnits> min_balance;  // after the postings of the contiguous versions, in their order
  std::optional<int64_t> overdraft_events;
  std::string quality_flags;  // JSON
  std::string detail;         // JSON
  UtcTime last_effective_at = kNoTime;
  std::string evidence;  // JSON: {"topic/partition":[[first,last],…]}, offsets
  UtcTime next_due_at = kNoTime;
  Digest model_version;
  Digest row_hash;
  UtcTime updated_at = kNoTime;
  bool operator==(const AccountBalance&) const = default;
};

// The key of a row: one a (ledger, account_id, asset), told apart by whether it is of the legacy database.
Digest RowKey(const AccountBalance& row);

template <class Visitor>
void VisitColumns(const AccountBalance& row, Visitor&& visit) {
  visit("ledger", row.ledger);
  visit("account_id", row.account_id);
  visit("asset", row.asset);
  visit("normal_side", SideName(row.normal_side));
  visit("debits_posted", row.debits_posted);
  visit("credits_posted", row.credits_posted);
  visit("debits_pending", row.debits_pending);
  visit("credits_pending", row.credits_pending);
  visit("posted", row.posted);
  visit("available", row.available);
  visit("max_version", row.max_version);
  visit("contiguous_version", row.contiguous_version);
  visit("missing_versions", JsonText{row.missing_versions});
  visit("contested", JsonText{row.contested});
  visit("balance_contiguous", row.balance_contiguous);
  visit("balance_known", row.balance_known);
  visit("balance_is_final", row.balance_is_final);
  visit("min_balance", row.min_balance);
  visit("overdraft_events", row.overdraft_events);
  visit("quality_flags", JsonText{row.quality_flags});
  visit("detail", JsonText{row.detail});
  visit("last_effective_at", row.last_effective_at);
  visit("evidence", JsonText{row.evidence});
  visit("next_due_at", row.next_due_at);
  visit("model_version", row.model_version);
  visit("row_hash", row.row_hash);
  visit("updated_at", row.updated_at);
}

// The fields that a store must keep to give the row back, in a fixed order (see base/pack.h). Row may be const.
template <class Row, class Visitor>
  requires std::same_as<std::remove_const_t<Row>, AccountBalance>
void VisitFields(Row& row, Visitor&& visit) {
  visit(row.ledger), visit(row.account_id), visit(row.asset), visit(row.normal_side);
  visit(row.debits_posted), visit(row.credits_posted), visit(row.debits_pending), visit(row.credits_pending);
  visit(row.posted), visit(row.available), visit(row.max_version), visit(row.contiguous_version);
  visit(row.missing_versions), visit(row.contested), visit(row.balance_contiguous), visit(row.balance_known);
  visit(row.balance_is_final), visit(row.min_balance), visit(row.overdraft_events), visit(row.quality_flags);
  visit(row.detail), visit(row.last_effective_at), visit(row.evidence), visit(row.next_due_at);
}

}  // namespace medallion::ledger
