// medallion ocpp sweep
#pragma once

#include "tool/command.h"

namespace medallion::tool {

extern const Command kOcppSweep;

}  // namespace medallion::tool
