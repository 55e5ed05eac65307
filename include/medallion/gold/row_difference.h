// Which columns of two rows differ, for people to read. Rows are told by their JSON, as AppendJson writes it: what a table
// shows, whatever a hand did to it.
// Pure. Safe from any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace medallion {

struct ColumnDifference {
  std::string column = {};
  std::optional<std::string> gold =
      {};  // what stands: its text, or its JSON if it is no text; nothing for a null
  std::optional<std::string> derived = {};  // what should
  bool operator==(const ColumnDifference&) const = default;
};

// In the order of `derived`; columns that only one of them has come as nulls of the other. Both have each column once.
std::vector<ColumnDifference> DifferingColumns(std::string_view gold, std::string_view derived);

// The values of the columns that are named, with blanks between the names, joined by `|`: a row's key. A null is empty.
std::string KeyText(std::string_view row, std::string_view columns);

}  // namespace medallion
