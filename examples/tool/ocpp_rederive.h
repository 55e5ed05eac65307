// medallion ocpp rederive
#pragma once

#include "tool/command.h"

namespace medallion::tool {

extern const Command kOcppRederive;

}  // namespace medallion::tool
