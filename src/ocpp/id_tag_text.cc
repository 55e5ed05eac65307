#include "medallion/ocpp/id_tag_text.h"

#include <algorithm>
#include <cctype>
#include <string>

#include "medallion/base/text.h"
#include "nlohmann/json.hpp"

namespace medallion::ocpp {
namespace {

using nlohmann::json;

bool IsPartOfWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

std::string Folded(std::string_view text) {
  std::string folded(text);
  std::transform(folded.begin(), folded.end(), folded.begin(), [](char c) { return AsciiLower(c); });
  return folded;
}

// Both folded.
bool HasWord(std::string_view text, std::string_view word) {
  for (size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const bool begins = at == 0 || !IsPartOfWord(text[at - 1]);
    const size_t end = at + word.size();
    if (begins && (end == text.size() || !IsPartOfWord(text[end]))) return true;
  }
  return false;
}

bool NamesTag(std::string_view name) {
  return EqualsFoldedName(name, "idtag") || EqualsFoldedName(name, "idtoken");
}

bool Names(const json& value, std::string_view name, std::string_view folded, int depth) {
  if (depth > 128) return true;  // nobody looks that deep: better forgotten than kept
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    const size_t size = text.find_last_not_of('\0') + 1;  // of a text without its NULs at the end
    const std::string own = Folded(Trim(std::string_view(text).substr(0, size)));
    if (own == folded) return true;
    const bool is_json = own.starts_with('{') || own.starts_with('[');
    return is_json && NamesIdTag(text, folded);
  }
  if (value.is_number()) return NamesTag(name) && value.dump() == folded;
  if (value.is_array()) {
    return std::any_of(value.begin(), value.end(),
                       [&](const json& item) { return Names(item, name, folded, depth + 1); });
  }
  if (!value.is_object()) return false;
  return std::any_of(value.items().begin(), value.items().end(), [&](const auto& member) {
    return Names(member.value(), member.key(), folded, depth + 1);
  });
}

}  // namespace

bool NamesIdTag(std::string_view text, std::string_view tag) {
  const std::string folded = Folded(Trim(tag));
  if (folded.empty()) return false;
  const std::string folded_text = Folded(text);
  const bool stands = folded_text.find(folded) != std::string::npos;
  if (!stands && text.find('\\') == std::string_view::npos) return false;
  const json parsed = json::parse(text, nullptr, false);
  if (parsed.is_discarded()) return HasWord(folded_text, folded);
  return Names(parsed, "", folded, 0);
}

}  // namespace medallion::ocpp
