// Native events: from JSON to a draft. Pure. Source: the ledger domain, section 1.
#pragma once

#include "base/json_tree.h"
#include "draft.h"
#include "medallion/base/arena.h"
#include "medallion/ledger/options.h"

namespace medallion::ledger::reading {

// Fills the draft's event, and notes what is missing or cannot be read. Texts refer to the tree's. Returns how many
// fields no schema names.
int ReadNative(const json::Tree& tree, const json::Node& object, const Options& options, Draft& draft);

}  // namespace medallion::ledger::reading
