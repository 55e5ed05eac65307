#include "medallion/base/text.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace medallion {
namespace {

bool IsNameSeparator(char c) { return c == '_' || c == '-' || c == ' '; }

// Bytes that stand for themselves inside a JSON string: ASCII without controls, `"` and `\`.
constexpr std::array<bool, 256> kPlain = [] {
  std::array<bool, 256> plain{};
  for (size_t c = 0x20; c < 0x80; ++c) plain[c] = c != '"' && c != '\\';
  return plain;
}();

constexpr char kHexDigits[] = "0123456789abcdef";
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

// The well-formed sequences by their lead byte. The second byte's range shuts out overlong forms,
// surrogates and what lies above U+10FFFF; later bytes are 80..BF. Source: Unicode 15, table 3-7.
struct Utf8Form {
  uint8_t lead_min, lead_max;
  uint8_t second_min, second_max;
  size_t length;
};
constexpr Utf8Form kUtf8Forms[] = {
    {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3}, {0xE1, 0xEC, 0x80, 0xBF, 3},
    {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3}, {0xF0, 0xF0, 0x90, 0xBF, 4},
    {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4},
};

bool Fits(const Utf8Form& form, std::string_view text) {
  if (text.size() < form.length) return false;
  const auto second = static_cast<uint8_t>(text[1]);
  if (second < form.second_min || second > form.second_max) return false;
  for (size_t i = 2; i < form.length; ++i) {
    if ((static_cast<uint8_t>(text[i]) & 0xC0) != 0x80) return false;
  }
  return true;
}

// Bytes of the multi-byte sequence that `text` begins with, or 0 if there is none.
size_t Utf8Length(std::string_view text) {
  const auto lead = static_cast<uint8_t>(text[0]);
  for (const Utf8Form& form : kUtf8Forms) {
    if (lead >= form.lead_min && lead <= form.lead_max) return Fits(form, text) ? form.length : 0;
  }
  return 0;
}

void AppendEscaped(char c, std::string& out) {
  constexpr std::string_view kShort = "\"\\\b\f\n\r\t", kShortNames = "\"\\bfnrt";
  out += '\\';
  const size_t named = kShort.find(c);
  if (named != kShort.npos) {
    out += kShortNames[named];
    return;
  }
  const auto byte = static_cast<uint8_t>(c);
  out += "u00";
  out += kHexDigits[byte >> 4];
  out += kHexDigits[byte & 15];
}

size_t PlainLength(std::string_view text) {
  size_t length = 0;
  while (length < text.size() && kPlain[static_cast<uint8_t>(text[length])]) ++length;
  return length;
}

}  // namespace

std::string AsciiUpper(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) c = AsciiUpper(c);
  return upper;
}

bool IsDigits(std::string_view text) {
  // Most numbers have four to eight digits: two words that may overlap, checked together.
  if (text.size() >= 4 && text.size() <= 8) {
    constexpr uint64_t kEach = 0x0101010101010101u;
    uint32_t first = 0, last = 0;
    std::memcpy(&first, text.data(), sizeof first);
    std::memcpy(&last, text.data() + text.size() - sizeof last, sizeof last);
    const uint64_t digits = (uint64_t{first} << 32 | last) ^ kEach * '0';
    return (((digits + kEach * (0x80 - 10)) | digits) & kEach * 0x80) == 0;
  }
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool EqualsFoldedCase(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (AsciiLower(a[i]) != AsciiLower(b[i])) return false;
  }
  return true;
}

bool EqualsFoldedName(std::string_view a, std::string_view b) {
  for (size_t i = 0, j = 0;; ++i, ++j) {
    while (i < a.size() && IsNameSeparator(a[i])) ++i;
    while (j < b.size() && IsNameSeparator(b[j])) ++j;
    if (i == a.size() || j == b.size()) return i == a.size() && j == b.size();
    if (AsciiLower(a[i]) != AsciiLower(b[j])) return false;
  }
}

void AppendJsonString(std::string_view text, std::string& out) {
  out += '"';
  while (!text.empty()) {
    const bool ascii = static_cast<uint8_t>(text[0]) < 0x80;
    const size_t valid = ascii ? PlainLength(text) : Utf8Length(text);
    if (valid > 0) {
      out.append(text.substr(0, valid));
    } else if (ascii) {
      AppendEscaped(text[0], out);
    } else {
      out.append(kReplacement);
    }
    text.remove_prefix(valid > 0 ? valid : 1);
  }
  out += '"';
}

}  // namespace medallion
