// Rows of cells for people. Pure. Safe from any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace medallion::tool {

// A text from the feed, made harmless for a terminal: escapes for control characters, not too long.
std::string Shown(std::string_view text);

// Rows of cells in columns, indented; columns named in `right` have their cells to the right.
std::string Grid(const std::vector<std::vector<std::string>>& rows, const std::vector<size_t>& right);

}  // namespace medallion::tool
