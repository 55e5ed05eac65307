// Small helpers over text that ASCII protocols need.
// Pure: results depend on the arguments alone and refer to them only. Safe from any thread.
#pragma once

#include <cstdint>
#include <cstring>
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

// a == b, where most are short and a call of memcmp would take longer than comparing: as two words that may overlap.
inline bool SameText(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  const auto same = [&](auto word) {
    auto other = word, last = word, other_last = word;
    std::memcpy(&word, a.data(), sizeof word), std::memcpy(&other, b.data(), sizeof word);
    std::memcpy(&last, a.data() + a.size() - sizeof word, sizeof word);
    std::memcpy(&other_last, b.data() + b.size() - sizeof word, sizeof word);
    return ((word ^ other) | (last ^ other_last)) == 0;
  };
  if (a.size() > 16) return a == b;
  if (a.size() >= 8) return same(uint64_t{});
  if (a.size() >= 4) return same(uint32_t{});
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
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
