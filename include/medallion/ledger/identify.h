// What a ledger event is about: its business key, and whose it is.
// Pure. Safe from any thread. Source: the ledger domain, sections 1 and 2.
#pragma once

#include <string>
#include <string_view>

#include "medallion/ledger/ledger_event.h"
#include "medallion/silver/element.h"

namespace medallion::ledger {

// The account of native events, and that of legacy rows, which is told by its rows.
EntityKey AccountKey(std::string_view ledger, std::string_view account_id);
EntityKey LegacyAccountKey(std::string_view account_id);
// A row of a legacy table, and a transaction of the legacy database.
EntityKey LegacyRowKey(LegacyTable table, std::string_view pk);
EntityKey TransactionKey(std::string_view tx_id);

// Native: (`native`, ledger, account_id, account_version). A change: (table, pk, version), of a row's end with `d`; one
// that does not know its version has its source position in its place, since a copy of it stands at the same one.
Digest BusinessKeyOf(const LedgerEvent& event);

// Whose timeline the event is on: its transfer's, for the legs must be compared, or its transaction's, which must be
// complete; empty for neither.
std::string SubjectOf(const LedgerEvent& event);

// Fills the element's identity, entity and milestone from its row, for one that is to be settled.
void Identify(LedgerElement& element);

}  // namespace medallion::ledger
