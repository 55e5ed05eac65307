// One thing that the tool can do. medallion.cc has the table of all of them; each stands in a file of its name.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "absl/status/status.h"

namespace medallion::tool {

using Words = std::span<const std::string_view>;

// Writes to standard output. An error: it cannot be written to.
using Print = std::function<absl::Status(std::string_view text)>;

struct Command {
  std::string_view name;   // its words: "ocpp run"
  std::string_view does;   // a line for the overview
  std::string_view usage;  // what follows its name, and its options, for --help
  // `words` are those after the name. InvalidArgument: they or the configuration make no sense. Any other error says
  // what failed, where, and in its last sentence how to go on.
  absl::Status (*run)(Words words, const Print& print);
};

}  // namespace medallion::tool
