// Deriving an account's balances and features from its facts; each is a function of their set.
// Pure. Safe from any thread. Source: the ledger domain, sections 3 and 4.
#pragma once

#include <span>
#include <vector>

#include "medallion/base/time.h"
#include "medallion/gold/derive_entities.h"
#include "medallion/ledger/account_balance.h"
#include "medallion/ledger/account_features.h"
#include "medallion/ledger/ledger_event.h"
#include "medallion/ledger/legacy_row.h"
#include "medallion/ledger/options.h"

namespace medallion::ledger {

// Of a native account: its events in Silver and in conflict, in any order, and what its transfers' timelines tell of it
// (see resolve_transfers.h). One row an asset, sorted by it; none without facts.
std::vector<AccountBalance> DeriveBalances(std::span<const LedgerElement> history, Contexts contexts,
                                           UtcTime data_clock, const LedgerRules& rules);

// As of the options' `as_of`, else of the data clock; knowing what was recorded by `known_as_of`, else by then. Later
// facts may be in the history: they are passed over.
//
// Where the domain page leaves room: a transfer is reversed, for an account, by the account's own leg of the reversal,
// and what is reversed is taken from its legs on the other side in the order of their versions; a fold at an instant takes
// in all legs of that instant; activity is any posting, reversals among them.
std::vector<AccountFeatures> DeriveFeatures(std::span<const LedgerElement> history, UtcTime data_clock,
                                            const LedgerRules& rules);

// The same of a legacy account, from its rows. Its balances have no version facts, and features count only entries whose
// standing version was recorded by then.
std::vector<AccountBalance> DeriveLegacyBalances(std::span<const LegacyRow* const> rows,
                                                 const LedgerRules& rules);
std::vector<AccountFeatures> DeriveLegacyFeatures(std::span<const LegacyRow* const> rows, UtcTime data_clock,
                                                  const LedgerRules& rules);

}  // namespace medallion::ledger
