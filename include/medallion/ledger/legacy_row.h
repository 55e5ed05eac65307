// gold_legacy_rows: a row of a legacy table as it stands, made of all versions of it that are known; and
// gold_source_transactions: whether a transaction of the legacy database came whole.
// Source: the ledger domain, sections 1 and 3.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>

#include "medallion/base/columns.h"
#include "medallion/base/digest.h"
#include "medallion/base/pack.h"
#include "medallion/base/time.h"
#include "medallion/ledger/account_balance.h"
#include "medallion/ledger/ledger_event.h"
#include "medallion/ledger/minor_units.h"
#include "medallion/ledger/options.h"

namespace medallion::ledger {

struct LegacyRow {
  LegacyTable table = LegacyTable::kNone;
  std::string pk;
  std::optional<int64_t> version;
  bool deleted = false;    // a tombstone: an older version cannot bring the row back
  bool contested = false;  // of its versions one has two contents; it counts for nobody
  std::string account_id;
  Side leg = Side::kNone;
  std::optional<MinorUnits> amount_minor;
  std::string asset;
  UtcTime effective_at = kNoTime;
  UtcTime recorded_at = kNoTime;
  std::string reversal_of;
  std::string status;
  std::optional<MinorUnits> balance;
  std::string moved_from, moved_to;
  bool stale_version = false;
  std::optional<MinorUnits> chain_residual;  // CHAIN_BREAK: the minor units that are missing
  std::string detail;                        // JSON: the particulars of its flags
  std::string evidence;                      // JSON, as of account_balance.h
  Digest values_digest;                      // of all that the row says
  Digest model_version;
  Digest row_hash;
  UtcTime updated_at = kNoTime;
  bool operator==(const LegacyRow&) const = default;
};

// The row that the versions make, whatever their order; nothing where none is known. Of a version that does not know a
// column, the latest lower version that does says it.
std::optional<LegacyRow> DeriveLegacyRow(std::span<const LedgerElement> history, const LedgerRules& rules);

Digest RowKey(const LegacyRow& row);

template <class Visitor>
void VisitColumns(const LegacyRow& row, Visitor&& visit) {
  visit("cdc_table", LegacyTableName(row.table));
  visit("pk", row.pk);
  visit("version", row.version);
  visit("deleted", row.deleted);
  visit("contested", row.contested);
  visit("account_id", row.account_id);
  visit("leg", SideName(row.leg));
  visit("amount_minor", row.amount_minor);
  visit("asset", row.asset);
  visit("effective_at", row.effective_at);
  visit("recorded_at", row.recorded_at);
  visit("reversal_of", row.reversal_of);
  visit("status", row.status);
  visit("balance", row.balance);
  visit("moved_from", row.moved_from);
  visit("moved_to", row.moved_to);
  visit("stale_version", row.stale_version);
  visit("chain_residual", row.chain_residual);
  visit("detail", JsonText{row.detail});
  visit("evidence", JsonText{row.evidence});
  visit("values_digest", row.values_digest);
  visit("model_version", row.model_version);
  visit("row_hash", row.row_hash);
  visit("updated_at", row.updated_at);
}

// The fields that a store must keep to give the row back, in a fixed order (see base/pack.h). Row may be const.
template <class Row, class Visitor>
  requires std::same_as<std::remove_const_t<Row>, LegacyRow>
void VisitFields(Row& row, Visitor&& visit) {
  visit(row.table), visit(row.pk), visit(row.version), visit(row.deleted), visit(row.contested);
  visit(row.account_id), visit(row.leg), visit(row.amount_minor), visit(row.asset), visit(row.effective_at);
  visit(row.recorded_at), visit(row.reversal_of), visit(row.status), visit(row.balance),
      visit(row.moved_from);
  visit(row.moved_to), visit(row.stale_version), visit(row.chain_residual), visit(row.detail);
  visit(row.evidence), visit(row.values_digest);
}

struct SourceTransaction {
  std::string tx_id;
  int64_t announced = 0;  // event_count of its end
  int64_t arrived = 0;    // changes of it, whatever became of them
  int64_t missing = 0;
  Digest model_version;
  Digest row_hash;
  UtcTime updated_at = kNoTime;
  bool operator==(const SourceTransaction&) const = default;
};

Digest RowKey(const SourceTransaction& row);

template <class Visitor>
void VisitColumns(const SourceTransaction& row, Visitor&& visit) {
  visit("tx_id", row.tx_id);
  visit("announced", row.announced);
  visit("arrived", row.arrived);
  visit("missing", row.missing);
  visit("model_version", row.model_version);
  visit("row_hash", row.row_hash);
  visit("updated_at", row.updated_at);
}

template <class Row, class Visitor>
  requires std::same_as<std::remove_const_t<Row>, SourceTransaction>
void VisitFields(Row& row, Visitor&& visit) {
  visit(row.tx_id), visit(row.announced), visit(row.arrived), visit(row.missing);
}

}  // namespace medallion::ledger
