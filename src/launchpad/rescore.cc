#include "medallion/launchpad/rescore.h"

namespace medallion::launchpad {

std::string_view ColumnOf(std::string_view json, std::string_view name) {
  const std::string begin = "\"" + std::string(name) + "\":\"";
  size_t at = 0;
  // The row's own member: one inside another value (evidence has the version, too) stands behind an open brace.
  for (int depth = 0; at < json.size(); ++at) {
    if (json[at] == '{') ++depth;
    if (json[at] == '}') --depth;
    if (depth == 1 && json.substr(at).starts_with(begin)) break;
  }
  if (at == json.size()) return {};
  json.remove_prefix(at + begin.size());
  return json.substr(0, json.find('"'));
}

}  // namespace medallion::launchpad
