#include "medallion/ledger/identify.h"

#include "medallion/base/digest.h"

namespace medallion::ledger {
namespace {

void AddPosition(const SourcePosition& position, JoinedFields& fields) {
  const auto add = [&](const auto& number) { number.has_value() ? fields.Add(*number) : fields.AddNull(); };
  add(position.lsn), fields.Add(position.file), add(position.pos), add(position.row);
}

}  // namespace

EntityKey AccountKey(std::string_view ledger, std::string_view account_id) {
  return JoinedFields().AddPlain("account").Add(ledger).Add(account_id).Sha256();
}

EntityKey LegacyAccountKey(std::string_view account_id) {
  return JoinedFields().AddPlain("legacy_account").Add(account_id).Sha256();
}

EntityKey LegacyRowKey(LegacyTable table, std::string_view pk) {
  return JoinedFields().AddPlain("row").AddPlain(LegacyTableName(table)).Add(pk).Sha256();
}

EntityKey TransactionKey(std::string_view tx_id) {
  return JoinedFields().AddPlain("transaction").Add(tx_id).Sha256();
}

Digest BusinessKeyOf(const LedgerEvent& event) {
  JoinedFields key;
  if (!event.change.has_value()) {
    key.AddPlain("native").Add(event.ledger).Add(event.account_id);
    return key.Add(event.account_version.value_or(0)).Sha256();
  }
  const ChangeFacts& change = *event.change;
  key.AddPlain(LegacyTableName(change.table)).Add(change.pk);
  if (change.row_version) {
    key.Add(*change.row_version);
  } else {
    key.AddNull();
  }
  if (change.op == Op::kDelete) key.AddPlain("d");
  if (!change.row_version) AddPosition(change.position, key);
  return key.Sha256();
}

std::string SubjectOf(const LedgerEvent& event) {
  std::string subject;
  if (event.change.has_value()) {
    if (!event.change->tx_id.empty()) subject.append("x").append(event.change->tx_id);
  } else if (!event.transfer_id.empty()) {
    JoinedFields fields;
    subject.append("t").append(fields.Add(event.ledger).Add(event.transfer_id).text());
  }
  return subject;
}

void Identify(LedgerElement& element) {
  LedgerEvent& row = element.row;
  Identity& identity = element.identity;
  identity.business_key = identity.unit = BusinessKeyOf(row);
  identity.values = ValuesOf(row);
  if (row.change.has_value()) {
    element.entity = LegacyRowKey(row.change->table, row.change->pk);
  } else {
    element.entity = AccountKey(row.ledger, row.account_id);
    const bool leg = IsTransfer(row.event_type) && row.leg != Side::kNone && !row.transfer_id.empty();
    if (leg) element.milestone = Milestone::kMilestone;
  }
}

}  // namespace medallion::ledger
