// A whole file.
#pragma once

#include <string>

#include "absl/status/statusor.h"

namespace medallion::tool {

// Errors name the file and what the system said.
absl::StatusOr<std::string> ReadFile(const std::string& path);

}  // namespace medallion::tool
