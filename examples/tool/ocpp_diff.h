// medallion ocpp diff
#pragma once

#include "tool/command.h"

namespace medallion::tool {

extern const Command kOcppDiff;

}  // namespace medallion::tool
