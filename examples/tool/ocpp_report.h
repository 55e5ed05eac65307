// `medallion ocpp report`: what a store holds as a page for people.
#pragma once

#include "tool/command.h"

namespace medallion::tool {

extern const Command kOcppReport;

}  // namespace medallion::tool
