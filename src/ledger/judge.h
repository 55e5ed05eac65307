// Judging a draft by the rules of the domain page, section 2. Pure.
#pragma once

#include "draft.h"
#include "medallion/base/arena.h"
#include "medallion/ledger/options.h"

namespace medallion::ledger::reading {

// The codes of all rejecting rules that the draft breaks, as a JSON array; empty where it breaks none. Flagging rules add
// their flag or code to the event. Closes the draft's detail, which the event refers to then.
std::string Judge(Draft& draft, const Options& options, Arena& texts);

}  // namespace medallion::ledger::reading
