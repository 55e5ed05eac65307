// `medallion ledger run`: from the inputs through the run loop into a store, then the quality report, balances, features
// and tables out.
#pragma once

#include "tool/command.h"

namespace medallion::tool {

extern const Command kLedgerRun;

}  // namespace medallion::tool
