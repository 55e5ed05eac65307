#include "medallion/ledger/legacy_row.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "account.h"
#include "evidence.h"
#include "medallion/base/text.h"
#include "medallion/gold/row_hash.h"
#include "medallion/ledger/identify.h"

namespace medallion::ledger {
namespace {

// One version of the row: its copies, merged.
struct VersionOfRow {
  LedgerEvent event;
  std::optional<int64_t> version;  // of a row's end that does not know it: the one it takes
  bool contested = false;
  const ChangeFacts& change() const { return *event.change; }
  bool deletes() const { return change().op == Op::kDelete; }
};

bool ComesBefore(const VersionOfRow& a, const VersionOfRow& b) {
  if (a.version != b.version) return a.version < b.version;
  if (const auto order = Compare(a.change().position, b.change().position); order != 0) return order < 0;
  return std::tie(a.change().total_order, a.change().op, a.event.business_key) <
         std::tie(b.change().total_order, b.change().op, b.event.business_key);
}

// The copies of one fact as one version.
VersionOfRow Merge(std::vector<const LedgerElement*>& copies) {
  std::sort(copies.begin(), copies.end(), [](const LedgerElement* a, const LedgerElement* b) {
    return a->identity.order < b->identity.order;
  });
  VersionOfRow merged{.event = copies.front()->row, .version = copies.front()->row.change->row_version};
  for (int value = 0; value < kValuesMax && copies.size() > 1; ++value) {
    std::string first;
    for (const LedgerElement* copy : copies) {
      std::string text = ValueText(copy->row, value);
      if (text.empty()) continue;
      if (first.empty()) {
        FillValue(merged.event, value, &copy->row);
        first = std::move(text);
      } else if (text != first) {
        merged.contested = true;
      }
    }
  }
  return merged;
}

// A row's end without a version takes the largest one at smaller positions.
void TakeVersions(std::vector<VersionOfRow>& versions) {
  for (VersionOfRow& end : versions) {
    if (end.change().row_version.has_value()) continue;
    for (const VersionOfRow& other : versions) {
      const bool before = Compare(other.change().position, end.change().position) < 0;
      if (before && other.change().row_version > end.version) end.version = other.change().row_version;
    }
  }
}

std::vector<VersionOfRow> VersionsOf(std::span<const LedgerElement> history, UtcTime known,
                                     Evidence& evidence, UtcTime& updated_at) {
  std::map<Digest, std::vector<const LedgerElement*>> facts;
  for (const LedgerElement& element : history) {
    if (!folding::Within(element.row.recorded_at, known)) continue;
    facts[element.identity.business_key].push_back(&element);
    evidence.Add(element.row.at);
    updated_at = std::max(updated_at, element.row.ingest_ts);
  }
  std::vector<VersionOfRow> versions;
  versions.reserve(facts.size());
  for (auto& [key, copies] : facts) versions.push_back(Merge(copies));
  TakeVersions(versions);
  std::sort(versions.begin(), versions.end(), ComesBefore);
  return versions;
}

// What a version knows of a column stands until a later one knows it.
struct Columns {
  LedgerEvent event;  // texts and times as last known
  void Take(const VersionOfRow& version);
};

void Columns::Take(const VersionOfRow& version) {
  const LedgerEvent& from = version.event;
  const ChangeFacts& change = version.change();
  const auto take = [&](LegacyColumn column, auto& mine, const auto& theirs, bool is_null) {
    if (change.Knows(column) || !is_null) mine = theirs;
  };
  take(LegacyColumn::kAccountNo, event.account_id, from.account_id, from.account_id.empty());
  take(LegacyColumn::kCurrency, event.asset, from.asset, from.asset.empty());
  if (change.table == LegacyTable::kEntry) {
    take(LegacyColumn::kDrCr, event.leg, from.leg, from.leg == Side::kNone);
    take(LegacyColumn::kAmount, event.change->amount_text, change.amount_text, change.amount_text.empty());
    take(LegacyColumn::kValueDate, event.effective_at, from.effective_at, from.effective_at == kNoTime);
    take(LegacyColumn::kReversalOf, event.reverses_transfer_id, from.reverses_transfer_id,
         from.reverses_transfer_id.empty());
    return;
  }
  event.effective_at = from.effective_at;
  take(LegacyColumn::kStatus, event.change->status, change.status, change.status.empty());
  take(LegacyColumn::kBalance, event.change->balance, change.balance, !change.balance.has_value());
}

// The version that stands, with what lower versions knew.
void ShowColumns(const std::vector<VersionOfRow>& versions, LegacyRow& row) {
  Columns columns;
  columns.event.change.emplace();
  for (const VersionOfRow& version : versions) {
    if (version.contested) {
      row.contested = true;
      continue;
    }
    row.version = version.version;
    row.deleted = version.deletes();
    row.recorded_at = version.event.recorded_at;
    if (!version.change().moved_from.empty()) row.moved_from = version.change().moved_from;
    if (!version.change().moved_to.empty()) row.moved_to = version.change().moved_to;
    if (!version.deletes()) columns.Take(version);
  }
  SetMinorUnits(columns.event);
  const LedgerEvent& event = columns.event;
  row.account_id = event.account_id, row.leg = event.leg, row.amount_minor = event.amount_minor;
  row.asset = event.asset, row.effective_at = event.effective_at,
  row.reversal_of = event.reverses_transfer_id;
  row.status = event.change->status, row.balance = event.change->balance;
  for (const VersionOfRow& version : versions) {  // all that is known of whose it is may be contested
    if (row.account_id.empty()) row.account_id = version.event.account_id;
  }
  if (row.recorded_at == kNoTime) row.recorded_at = versions.back().event.recorded_at;
}

bool HasPosition(const SourcePosition& position) {
  return position.lsn.has_value() || position.pos.has_value();
}

// Whether a lower version stands at a larger position.
bool IsStale(const std::vector<VersionOfRow>& versions) {
  const VersionOfRow* largest = nullptr;  // by position, of the lower versions
  for (size_t begin = 0, end = 0; begin < versions.size(); begin = end) {
    for (end = begin; end < versions.size() && versions[end].version == versions[begin].version; ++end) {
      const VersionOfRow& version = versions[end];
      const bool told = HasPosition(version.change().position) && version.change().row_version.has_value();
      if (!told || largest == nullptr) continue;
      if (Compare(version.change().position, largest->change().position) < 0) return true;
    }
    for (size_t i = begin; i < end; ++i) {
      const VersionOfRow& version = versions[i];
      if (!HasPosition(version.change().position) || !version.change().row_version) continue;
      const bool larger =
          largest == nullptr || Compare(largest->change().position, version.change().position) < 0;
      if (larger) largest = &version;
    }
  }
  return false;
}

// What is missing between the balance after one version and that before the next: the sum where it is missing twice.
void FindChainBreaks(const std::vector<VersionOfRow>& versions, LegacyRow& row) {
  std::optional<MinorUnits> before;
  for (const VersionOfRow& version : versions) {
    if (version.contested || version.deletes()) continue;
    const std::optional<MinorUnits>& claimed = version.change().before_balance;
    if (before.has_value() && claimed.has_value() && *claimed != *before) {
      row.chain_residual = row.chain_residual.value_or(MinorUnits()) + (*claimed - *before);
      row.detail += row.detail.empty() ? "{\"CHAIN_BREAK\":[" : ",";
      row.detail += "{\"version\":" + std::to_string(version.version.value_or(0)) + ",\"residual\":\"" +
                    (*claimed - *before).ToText() + "\"}";
    }
    if (version.change().balance.has_value()) before = version.change().balance;
  }
  if (!row.detail.empty()) row.detail += "]}";
}

Digest ValuesDigest(const LegacyRow& row) {
  std::string text;
  JoinedFields fields;
  const auto add = [&](const auto& value) {
    text.clear();
    medallion::AppendCanonical(value, text);
    fields.Add(text);
  };
  add(row.version), add(row.deleted), add(row.contested), add(row.account_id), add(SideName(row.leg));
  add(row.amount_minor), add(row.asset), add(row.effective_at), add(row.recorded_at), add(row.reversal_of);
  add(row.status), add(row.balance);
  return fields.Sha256();
}

}  // namespace

std::optional<LegacyRow> DeriveLegacyRow(std::span<const LedgerElement> history, const LedgerRules& rules) {
  LegacyRow row;
  Evidence evidence;
  const std::vector<VersionOfRow> versions =
      VersionsOf(history, rules.options.known_as_of, evidence, row.updated_at);
  if (versions.empty()) return std::nullopt;
  row.table = versions.front().change().table;
  row.pk = versions.front().change().pk;
  ShowColumns(versions, row);
  row.stale_version = IsStale(versions);
  FindChainBreaks(versions, row);
  row.evidence = evidence.Json();
  row.values_digest = ValuesDigest(row);
  row.model_version = rules.model_version;
  row.row_hash = RowHash(row);
  return row;
}

Digest RowKey(const LegacyRow& row) { return LegacyRowKey(row.table, row.pk); }
Digest RowKey(const SourceTransaction& row) { return TransactionKey(row.tx_id); }

}  // namespace medallion::ledger
