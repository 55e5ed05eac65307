#include "medallion/ledger/ledger.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "medallion/base/text.h"
#include "medallion/gold/row_hash.h"
#include "medallion/ledger/derive_accounts.h"
#include "medallion/ledger/refine.h"

namespace medallion::ledger {
namespace {

template <class Row>
void Append(std::vector<Row> rows, std::vector<Ledger::Gold>& gold) {
  for (Row& row : rows) gold.emplace_back(std::in_place_type<Row>, std::move(row));
}

std::vector<Ledger::Gold> LegacyAccountRows(const Ledger::Facts& facts, UtcTime clock,
                                            const LedgerRules& rules) {
  std::vector<const LegacyRow*> rows;
  for (const Ledger::Gold& child : facts.children) {
    if (const auto* row = std::get_if<LegacyRow>(&child)) rows.push_back(row);
  }
  std::vector<Ledger::Gold> gold;
  Append(DeriveLegacyBalances(rows, rules), gold);
  Append(DeriveLegacyFeatures(rows, clock, rules), gold);
  return gold;
}

std::vector<Ledger::Gold> TransactionRows(Contexts contexts, const LedgerRules& rules) {
  std::vector<Ledger::Gold> gold;
  for (const std::string_view bytes : contexts) {
    const std::optional<LedgerContext> context = UnpackContext(bytes);
    const auto* ended = context.has_value() ? std::get_if<EndedTransaction>(&*context) : nullptr;
    if (ended == nullptr) continue;
    SourceTransaction row;
    row.tx_id = ended->tx_id, row.announced = ended->announced, row.arrived = ended->arrived;
    row.missing = std::max<int64_t>(ended->announced - ended->arrived, 0);
    row.updated_at = ended->ingest_ts;
    row.model_version = rules.model_version;
    row.row_hash = RowHash(row);
    gold.emplace_back(std::in_place_type<SourceTransaction>, std::move(row));
  }
  return gold;
}

}  // namespace

std::vector<Ledger::Gold> Ledger::Derive(const Facts& facts, UtcTime clock, const Model& model) {
  if (!facts.children.empty()) return LegacyAccountRows(facts, clock, model);
  if (facts.history.empty()) return TransactionRows(facts.contexts, model);
  std::vector<Gold> gold;
  if (facts.history[0].row.change.has_value()) {
    std::optional<LegacyRow> row = DeriveLegacyRow(facts.history, model);
    if (row.has_value()) gold.emplace_back(std::in_place_type<LegacyRow>, *std::move(row));
    return gold;
  }
  Append(DeriveBalances(facts.history, facts.contexts, clock, model), gold);
  Append(DeriveFeatures(facts.history, clock, model), gold);
  return gold;
}

RowVersion Ledger::VersionOf(const Gold& row) {
  return std::visit(
      [](const auto& own) {
        return RowVersion{.key = RowKey(own),
                          .hash = own.row_hash,
                          .model_version = own.model_version,
                          .updated_at = own.updated_at};
      },
      row);
}

UtcTime Ledger::NextDue(const Gold& row) {
  return std::visit(
      [](const auto& own) {
        if constexpr (requires { own.next_due_at; }) {
          return own.next_due_at;
        } else {
          return kNoTime;
        }
      },
      row);
}

EntityKey Ledger::ParentOf(const Gold& row, const Model&) {
  const auto* legacy = std::get_if<LegacyRow>(&row);
  if (legacy == nullptr || legacy->account_id.empty()) return {};
  return LegacyAccountKey(legacy->account_id);
}

Refined<LedgerEvent> Ledger::Refine(std::span<const BronzeRecord> batch, const Options& options) {
  return ledger::Refine(batch, options);
}

std::string Ledger::Difference(const Event& row, const Event& fact, uint8_t differs) {
  std::string json = "{";
  for (int value = 0; value < kValuesMax; ++value) {
    if ((differs >> value & 1) == 0) continue;
    if (json.size() > 1) json += ",";
    AppendJsonString(ValueName(row, value), json);
    json += ":{\"accepted\":";
    AppendJsonString(ValueText(fact, value), json);
    json += ",\"rejected\":";
    AppendJsonString(ValueText(row, value), json);
    json += "}";
  }
  return json + "}";
}

}  // namespace medallion::ledger
