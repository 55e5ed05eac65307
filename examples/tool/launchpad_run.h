// medallion launchpad run: envelopes or lines in, risk of tokens out.
#pragma once

#include "tool/command.h"

namespace medallion::tool {

extern const Command kLaunchpadRun;

}  // namespace medallion::tool
