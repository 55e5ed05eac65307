// Small helpers over text that ASCII protocols need.
// Pure: results depend on the arguments alone and refer to them only. Safe from any thread.
#pragma once

#include <string>
#include <string_view>

namespace medallion {

// Without outer blanks (space, tab, CR, LF).
inline std::string_view Trim(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

// ASCII letters only; other bytes stay.
constexpr char AsciiLower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }
constexpr char AsciiUpper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - ('a' - 'A')) : c; }
std::string AsciiUpper(std::string_view text);
// One digit or more, and nothing else.
bool IsDigits(std::string_view text);
bool EqualsFoldedCase(std::string_view a, std::string_view b);

// Equal once ASCII case, `_`, `-` and spaces are left out: "start_transaction", "StartTransaction".
bool EqualsFoldedName(std::string_view a, std::string_view b);

// Appends `text` as a JSON string with its quotes. Each byte that is not UTF-8 becomes U+FFFD, so the output
// is always valid JSON. Control characters are written \u00XX or by their short escapes; `/`, DEL and all
// beyond ASCII stay as they are. Equal texts give equal bytes.
void AppendJsonString(std::string_view text, std::string& out);

}  // namespace medallion
