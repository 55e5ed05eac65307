// What a record has beside its value, where both are in one JSON object. Pure.
#pragma once

#include "base/json_tree.h"

namespace medallion::ledger::reading {

// Whether the object only wraps a value: it has one, and each other member is one that a record has beside it.
bool Wraps(const json::Tree& tree, const json::Node& object);

}  // namespace medallion::ledger::reading
