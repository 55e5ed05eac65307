#include "account.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "medallion/base/text.h"

namespace medallion::ledger::folding {
namespace {

// The copies of one version that settling left in history: one, or all of a conflict.
using Copies = std::vector<const LedgerElement*>;

// What the copies of one version say together.
struct Settled {
  LedgerEvent row;      // the first, with what only later ones know
  std::string differs;  // JSON object of the values in which they differ; empty: the fact is uncontested
};

void AppendTexts(const std::set<std::string>& texts, std::string& json) {
  std::string_view separator = "[";
  for (const std::string& text : texts) {
    json += separator;
    AppendJsonString(text, json);
    separator = ",";
  }
  json += "]";
}

// Copies are settled once more, since some of them may be recorded later than what is to be known.
Settled Settle(Copies& copies) {
  std::sort(copies.begin(), copies.end(), [](const LedgerElement* a, const LedgerElement* b) {
    return a->identity.order < b->identity.order;
  });
  Settled settled{.row = copies.front()->row, .differs = {}};
  if (copies.size() == 1) return settled;
  for (int value = 0; value < kValuesMax; ++value) {
    std::set<std::string> texts;
    for (const LedgerElement* copy : copies) {
      std::string text = ValueText(copy->row, value);
      if (text.empty()) continue;
      if (texts.empty()) FillValue(settled.row, value, &copy->row);
      texts.insert(std::move(text));
    }
    if (texts.size() < 2) continue;
    settled.differs += settled.differs.empty() ? "{" : ",";
    AppendJsonString(ValueName(settled.row, value), settled.differs);
    settled.differs += ":";
    AppendTexts(texts, settled.differs);
  }
  if (!settled.differs.empty()) settled.differs += "}";
  return settled;
}

Fact FactOf(const LedgerEvent& row) {
  return {.version = row.account_version.value_or(0),
          .type = row.event_type,
          .leg = row.leg,
          .amount = row.amount_minor.value_or(MinorUnits()),
          .asset = row.asset,
          .transfer = row.transfer_id,
          .counterparty = row.counterparty_account_id,
          .reserved = row.reserved_transfer_id,
          .reverses = row.reverses_transfer_id,
          .normal_side = row.normal_side,
          .effective = row.effective_at,
          .recorded = row.recorded_at};
}

void AddToDigest(const Fact& fact, JoinedFields& text) {
  text.StartList();
  text.Add(fact.version).AddPlain(EventTypeName(fact.type)).AddPlain(SideName(fact.leg));
  text.AddPlain(fact.amount.ToText()).Add(fact.asset).Add(fact.transfer).Add(fact.counterparty);
  text.Add(fact.reserved).Add(fact.reverses).AddPlain(SideName(fact.normal_side)).Add(fact.effective.us);
  text.Add(fact.recorded.us);
}

// Adds versions, which come in order, to a list of ranges.
class Ranges {
 public:
  void Add(int64_t first, int64_t last) {
    json_.append(json_.size() == 1 ? "[" : ",[").append(std::to_string(first));
    json_.append(",").append(std::to_string(last)).append("]");
  }
  std::string Json() { return json_ += "]"; }

 private:
  std::string json_ = "[";
};

// Takes versions in order.
class VersionReader {
 public:
  void Take(int64_t version, const std::string& differs) {
    if (version > versions_.max + 1) missing_.Add(versions_.max + 1, version - 1);
    if (versions_.contiguous == version - 1 && differs.empty()) versions_.contiguous = version;
    versions_.max = version;
    if (differs.empty()) return;
    contested_ += contested_.empty() ? "[" : ",";
    contested_.append("{\"version\":").append(std::to_string(version)).append(",\"differs\":");
    contested_.append(differs).append("}");
  }
  Versions Finish() {
    versions_.missing = missing_.Json();
    versions_.contested = contested_.empty() ? "[]" : contested_ + "]";
    return std::move(versions_);
  }

 private:
  Versions versions_;
  Ranges missing_;
  std::string contested_;
};

// What the account's facts say of it as a whole.
void Conclude(Account& account) {
  bool opened = false;
  for (const Fact& fact : account.facts) {
    if (fact.type == EventType::kAccountOpened && fact.normal_side != Side::kNone && !opened) {
      opened = true;
      account.normal_side = fact.normal_side;
    }
  }
  if (!account.legacy && !opened) account.findings.Add(AccountFlag::kNormalSideAssumed);
  if (account.Assets().size() > 1) account.findings.Add(AccountFlag::kAssetChanged);
}

}  // namespace

std::vector<std::string_view> Account::Assets() const {
  std::vector<std::string_view> assets;
  for (const Fact& fact : facts) {
    if (!IsTransfer(fact.type) || fact.asset.empty()) continue;
    if (assets.empty() || assets.back() != fact.asset) assets.push_back(fact.asset);
  }
  std::sort(assets.begin(), assets.end());
  assets.erase(std::unique(assets.begin(), assets.end()), assets.end());
  if (assets.empty()) assets.emplace_back();
  return assets;
}

Account ReadAccount(std::span<const LedgerElement> history, UtcTime known) {
  Account account;
  std::vector<const LedgerElement*> sorted;
  sorted.reserve(history.size());
  for (const LedgerElement& element : history) {
    if (Within(element.row.recorded_at, known)) sorted.push_back(&element);
  }
  std::sort(sorted.begin(), sorted.end(), [](const LedgerElement* a, const LedgerElement* b) {
    return std::tie(a->row.account_version, a->identity.order) <
           std::tie(b->row.account_version, b->identity.order);
  });
  account.facts.reserve(sorted.size());
  VersionReader versions;
  JoinedFields digest;
  Evidence evidence;
  for (size_t begin = 0, end = 0; begin < sorted.size(); begin = end) {
    const int64_t version = sorted[begin]->row.account_version.value_or(0);
    Copies copies;
    for (; end < sorted.size() && sorted[end]->row.account_version == version; ++end) {
      copies.push_back(sorted[end]);
      evidence.Add(sorted[end]->row.at);
      account.updated_at = std::max(account.updated_at, sorted[end]->row.ingest_ts);
    }
    const Settled settled = Settle(copies);
    versions.Take(version, settled.differs);
    if (settled.differs.empty()) {
      account.facts.push_back(FactOf(settled.row));
      AddToDigest(account.facts.back(), digest);
    } else {
      digest.StartList();
      digest.Add(version).AddPlain("contested");
    }
  }
  if (!sorted.empty()) account.ledger = sorted[0]->row.ledger, account.id = sorted[0]->row.account_id;
  account.versions = versions.Finish();
  account.digest_text = digest.text();
  account.evidence = evidence.Json();
  if (account.versions->missing != "[]") {
    account.findings.Add(AccountFlag::kVersionGap, "{\"missing\":" + account.versions->missing + "}");
  }
  if (account.versions->contested != "[]") account.findings.Add(AccountFlag::kVersionConflict);
  Conclude(account);
  return account;
}

namespace {

std::string Particulars(const LegacyRow& row, std::string_view name, std::string_view text) {
  std::string json = "{\"table\":";
  AppendJsonString(LegacyTableName(row.table), json);
  json += ",\"pk\":";
  AppendJsonString(row.pk, json);
  if (!name.empty()) {
    json.append(",\"").append(name).append("\":");
    AppendJsonString(text, json);
  }
  return json += "}";
}

void AddFindings(const LegacyRow& row, AccountFindings& findings) {
  if (row.contested) findings.Add(AccountFlag::kConflict, Particulars(row, "", ""));
  if (row.stale_version) findings.Add(AccountFlag::kStaleVersion, Particulars(row, "", ""));
  if (!row.chain_residual.has_value()) return;
  findings.Add(AccountFlag::kChainBreak, Particulars(row, "residual", row.chain_residual->ToText()));
}

// The rows themselves name their coordinates.
std::string EvidenceOf(std::span<const LegacyRow* const> rows) {
  constexpr size_t kRowsMax = 256;
  if (rows.size() > kRowsMax) return "{\"gold_legacy_rows\":" + std::to_string(rows.size()) + "}";
  std::string json;
  for (const LegacyRow* row : rows) {
    json += json.empty() ? "{\"gold_legacy_rows\":[" : ",";
    AppendJsonString(std::string(LegacyTableName(row->table)).append(":").append(row->pk), json);
  }
  return json.empty() ? json : json += "]}";
}

Fact FactOf(const LegacyRow& row) {
  return {.type = row.reversal_of.empty() ? EventType::kTransferPosted : EventType::kTransferReversed,
          .leg = row.leg,
          .amount = *row.amount_minor,
          .asset = row.asset,
          .transfer = row.pk,
          .reverses = row.reversal_of,
          .effective = row.effective_at,
          .recorded = row.recorded_at};
}

}  // namespace

Account ReadLegacyAccount(std::span<const LegacyRow* const> rows, UtcTime known) {
  Account account{.ledger = "legacy", .id = {}, .legacy = true};
  std::vector<const LegacyRow*> sorted(rows.begin(), rows.end());
  std::sort(sorted.begin(), sorted.end(), [](const LegacyRow* a, const LegacyRow* b) {
    return std::tie(a->effective_at, a->recorded_at, a->table, a->pk) <
           std::tie(b->effective_at, b->recorded_at, b->table, b->pk);
  });
  JoinedFields digest;
  for (const LegacyRow* row : sorted) {
    account.id = row->account_id;
    account.updated_at = std::max(account.updated_at, row->updated_at);
    if (!Within(row->recorded_at, known)) continue;
    AddFindings(*row, account.findings);
    digest.StartList();
    digest.Add(LegacyTableName(row->table)).Add(row->pk).AddPlain(Hex(row->values_digest));
    const bool counts = row->table == LegacyTable::kEntry && !row->deleted && row->amount_minor.has_value() &&
                        row->leg != Side::kNone && row->effective_at != kNoTime;
    if (counts) account.facts.push_back(FactOf(*row));
    if (counts || row->deleted || row->contested || row->table != LegacyTable::kEntry) continue;
    account.unknown_rows += account.unknown_rows.empty() ? "[" : ",";
    AppendJsonString(row->pk, account.unknown_rows);
  }
  if (!account.unknown_rows.empty()) account.unknown_rows += "]";
  account.digest_text = digest.text();
  account.evidence = EvidenceOf(sorted);
  Conclude(account);
  return account;
}

}  // namespace medallion::ledger::folding
