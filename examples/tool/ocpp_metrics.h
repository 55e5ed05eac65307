// `medallion ocpp metrics` and `medallion ocpp forget`.
#pragma once

#include "tool/command.h"

namespace medallion::tool {

extern const Command kOcppMetrics, kOcppForget;

}  // namespace medallion::tool
