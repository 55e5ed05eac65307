// gold_token_risk: one row a mint. It holds from updated_at until next_due_at.
// Source: the launchpad domain, 8.
#pragma once

#include <concepts>
#include <optional>
#include <span>
#include <string>
#include <type_traits>

#include "medallion/base/columns.h"
#include "medallion/launchpad/risk_signals.h"

namespace medallion::launchpad {

struct TokenRisk {
  std::string mint, creator;
  RiskSignals signals;
  RiskLevel risk_level = RiskLevel::kLow;
  std::string quality_flags;  // JSON array: CONFLICT, SUPPLY_CHANGED, TRADE_BEFORE_CREATE, INCOMPLETE_FEED
  std::string detail;         // JSON object: the pool that prices are of
  std::string evidence;  // JSON object: rows, slots, first and last record, excluded addresses, model version
  UtcTime next_due_at = kNoTime;
  Digest model_version;
  Digest row_hash;
  UtcTime updated_at = kNoTime;
  bool operator==(const TokenRisk&) const = default;
};

template <class Visitor>
void VisitColumns(const TokenRisk& row, Visitor&& visit) {
  visit("mint", row.mint);
  visit("creator", row.creator);
  VisitSignals(row.signals, visit);
  visit("risk_level", kRiskLevelNames[static_cast<size_t>(row.risk_level)]);
  visit("quality_flags", JsonText{row.quality_flags});
  visit("detail", JsonText{row.detail});
  visit("evidence", JsonText{row.evidence});
  visit("next_due_at", row.next_due_at);
  visit("model_version", row.model_version);
  visit("row_hash", row.row_hash);
  visit("updated_at", row.updated_at);
}

template <class Row, class Visitor>
  requires std::same_as<std::remove_const_t<Row>, TokenRisk>
void VisitFields(Row& row, Visitor&& visit) {
  visit(row.mint), visit(row.creator), visit(row.signals), visit(row.risk_level), visit(row.quality_flags);
  visit(row.detail), visit(row.evidence), visit(row.next_due_at);
}

// The parameters with their digest, made once for many tokens.
struct RiskModel {
  explicit RiskModel(const RiskParameters& given) : parameters(given), version(ModelVersion(given)) {}
  RiskParameters parameters;
  Digest version;
};

// The token's row at the clock. Nothing where there is no history.
std::optional<TokenRisk> DeriveTokenRisk(std::span<const LaunchElement> history, UtcTime data_clock,
                                         const RiskModel& model);

}  // namespace medallion::launchpad
