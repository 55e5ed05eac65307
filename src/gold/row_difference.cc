#include "medallion/gold/row_difference.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace medallion {
namespace {

using Member = std::pair<std::string_view, std::string_view>;  // name and JSON

// Where the text that begins before `at` ends, its quote included.
size_t EndOfText(std::string_view json, size_t at) {
  for (; at < json.size() && json[at] != '"'; ++at) at += json[at] == '\\' ? 1 : 0;
  return std::min(at + 1, json.size());
}

// Where the value that begins at `at` ends.
size_t EndOfValue(std::string_view json, size_t at) {
  int depth = 0;
  for (; at < json.size(); ++at) {
    const char c = json[at];
    if (c == '"') {
      at = EndOfText(json, at + 1) - 1;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      if (depth-- == 0) break;
    } else if (c == ',' && depth == 0) {
      break;
    }
  }
  return at;
}

// The members of an object without white space, in their order.
std::vector<Member> MembersOf(std::string_view json) {
  std::vector<Member> members;
  for (size_t at = 1; at < json.size() && json[at] == '"';) {
    const size_t name_end = EndOfText(json, at + 1);
    const size_t value_end = EndOfValue(json, std::min(name_end + 1, json.size()));
    members.emplace_back(json.substr(at + 1, name_end - at - 2),
                         json.substr(std::min(name_end + 1, json.size()), value_end - name_end - 1));
    at = value_end + 1;
  }
  return members;
}

std::optional<std::string> ValueOf(std::string_view json) {
  if (json == "null") return std::nullopt;
  const bool is_text = json.size() >= 2 && json.front() == '"';
  return std::string(is_text ? json.substr(1, json.size() - 2) : json);
}

const Member* Find(const std::vector<Member>& members, std::string_view name) {
  const auto found = std::find_if(members.begin(), members.end(),
                                  [&](const Member& member) { return member.first == name; });
  return found == members.end() ? nullptr : &*found;
}

}  // namespace

std::vector<ColumnDifference> DifferingColumns(std::string_view gold, std::string_view derived) {
  std::vector<ColumnDifference> differences;
  if (gold == derived) return differences;
  const std::vector<Member> before = MembersOf(gold), after = MembersOf(derived);
  for (const Member& member : after) {
    const Member* const stood = Find(before, member.first);
    if (stood != nullptr && stood->second == member.second) continue;
    differences.push_back({std::string(member.first),
                           stood == nullptr ? std::nullopt : ValueOf(stood->second), ValueOf(member.second)});
  }
  for (const Member& member : before) {
    if (Find(after, member.first) != nullptr) continue;
    differences.push_back({std::string(member.first), ValueOf(member.second), std::nullopt});
  }
  return differences;
}

std::string KeyText(std::string_view row, std::string_view columns) {
  const std::vector<Member> members = MembersOf(row);
  std::string key;
  while (!columns.empty()) {
    const size_t end = std::min(columns.find(' '), columns.size());
    const Member* const member = Find(members, columns.substr(0, end));
    if (member != nullptr) key += ValueOf(member->second).value_or("");
    columns.remove_prefix(std::min(end + 1, columns.size()));
    if (!columns.empty()) key += '|';
  }
  return key;
}

}  // namespace medallion
