// `medallion ocpp quarantine list|show|repair|discard|accept|replay` and `medallion ocpp replay`: what was refused, and what
// becomes of it. Rows go to standard output, one a line.
#pragma once

#include "tool/command.h"

namespace medallion::tool {

extern const Command kOcppQuarantineList, kOcppQuarantineShow, kOcppQuarantineRepair, kOcppQuarantineDiscard,
    kOcppQuarantineAccept, kOcppQuarantineReplay, kOcppReplay;

}  // namespace medallion::tool
