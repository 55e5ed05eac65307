// medallion launchpad land: events of a file go to envelopes in a directory.
#pragma once

#include "tool/command.h"

namespace medallion::tool {

extern const Command kLaunchpadLand;

}  // namespace medallion::tool
