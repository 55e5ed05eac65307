// medallion ocpp reconcile
#pragma once

#include "tool/command.h"

namespace medallion::tool {

extern const Command kOcppReconcile;

}  // namespace medallion::tool
