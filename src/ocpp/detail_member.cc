#include "detail_member.h"

#include <cstddef>

namespace medallion::ocpp {
namespace {

// Where the text whose opening quote is at `at` ends; npos where it does not. So too below.
size_t TextEnd(std::string_view json, size_t at) {
  for (++at; at < json.size(); ++at) {
    if (json[at] == '"') return at + 1;
    if (json[at] == '\\') ++at;
  }
  return json.npos;
}

// Where the value that begins at `at` ends: before the comma or bracket that follows it.
size_t ValueEnd(std::string_view json, size_t at) {
  int depth = 0;
  while (at < json.size()) {
    const char c = json[at];
    const bool closes = c == '}' || c == ']';
    if (depth == 0 && (closes || c == ',')) return at;
    if (c == '{' || c == '[') ++depth;
    if (closes) --depth;
    at = c == '"' ? TextEnd(json, at) : at + 1;
  }
  return json.npos;
}

}  // namespace

std::optional<std::string_view> MemberOf(std::string_view object, std::string_view name) {
  if (!object.starts_with("{\"")) return std::nullopt;
  size_t at = 1;
  while (at < object.size() && object[at] == '"') {
    const size_t colon = TextEnd(object, at);
    if (colon >= object.size() || object[colon] != ':') return std::nullopt;
    const size_t end = ValueEnd(object, colon + 1);
    if (end == object.npos) return std::nullopt;
    const std::string_view quoted = object.substr(at, colon - at);
    if (quoted.substr(1, quoted.size() - 2) == name) return object.substr(colon + 1, end - colon - 1);
    at = end + 1;
  }
  return std::nullopt;
}

std::optional<Decimal> NumberOf(std::string_view object, std::string_view name) {
  std::string_view json = MemberOf(object, name).value_or(std::string_view());
  if (json.size() >= 2 && json.front() == '"') json = json.substr(1, json.size() - 2);
  return Decimal::Parse(json);
}

}  // namespace medallion::ocpp
