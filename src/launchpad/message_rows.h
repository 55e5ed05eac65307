// From a message to its Silver rows.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "medallion/base/arena.h"
#include "medallion/launchpad/launch_event.h"

namespace medallion::launchpad {

// The rows that the message yields, its own first. All but coordinates, flags and identity is set; `content` is the print
// of what copies must agree in, each as often as it occurs. Texts are the message's, or go to `texts`.
std::vector<LaunchEvent> RowsOf(const Message& m, Arena& texts);

// The elements of a message as a JSON array of texts, sorted: what its copies must say.
std::string ElementsJson(const Message& m);

}  // namespace medallion::launchpad
