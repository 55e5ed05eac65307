// `medallion ocpp run`: from the inputs through the run loop into a store, then tables and summary out.
#pragma once

#include "tool/command.h"

namespace medallion::tool {

extern const Command kOcppRun;

}  // namespace medallion::tool
