// `medallion ocpp run`: from the inputs through the run loop into a store, then tables and summary out.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "tool/arguments.h"

namespace medallion::tool {

// Puts the summary into `summary`. InvalidArgument: the configuration or the arguments are wrong. Any other
// error says what failed, where, and in its last sentence how to go on.
absl::Status RunOcpp(const Arguments& arguments, std::string& summary);

}  // namespace medallion::tool
