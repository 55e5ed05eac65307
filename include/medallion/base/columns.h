// Tables are described once: for each row type a function
//
//   template <class Visitor> void VisitColumns(const Row& row, Visitor&& visit);   // visit("name", value), in order
//
// and every edge (JSON lines, row hash, SQL binding) is a visitor over it. A column's value is one of the types of
// AppendCanonical below; what is absent is an empty text, kNoTime or an empty optional, and a null in every edge.
// Pure. Safe from any thread.
#pragma once

#include <array>
#include <charconv>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "medallion/base/decimal.h"
#include "medallion/base/digest.h"
#include "medallion/base/text.h"
#include "medallion/base/time.h"

namespace medallion {

// An amount in thousandths, shown with three digits: "7.500".
struct Thousandths {
  int64_t units = 0;
  auto operator<=>(const Thousandths&) const = default;
};

// Text that is JSON already (an object or an array), or empty.
struct JsonText {
  std::string_view text;
  bool operator==(const JsonText&) const = default;
};

// A column's canonical text: times as RFC 3339 with six fraction digits, digests in hexadecimal, amounts with their
// digits, integers in decimal, booleans as true and false. Returns false, and appends nothing, for a null.
inline bool AppendCanonical(std::string_view value, std::string& out) {
  return out.append(value), !value.empty();
}
inline bool AppendCanonical(const std::string& value, std::string& out) {
  return out.append(value), !value.empty();
}
inline bool AppendCanonical(JsonText value, std::string& out) { return AppendCanonical(value.text, out); }
inline bool AppendCanonical(UtcTime value, std::string& out) {
  if (value == kNoTime) return false;
  return AppendTime(value, out), true;
}
inline bool AppendCanonical(const Digest& value, std::string& out) {
  if (value == Digest{}) return false;
  return AppendHex(value, out), true;
}
inline bool AppendCanonical(Thousandths value, std::string& out) {
  return AppendFixed(value.units, 3, out), true;
}
template <std::integral T>
bool AppendCanonical(T value, std::string& out) {
  if constexpr (std::same_as<T, bool>) {
    out.append(value ? "true" : "false");
  } else {
    std::array<char, 20> text;  // any 64-bit number
    out.append(text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr);
  }
  return true;
}
template <class T>
bool AppendCanonical(const std::optional<T>& value, std::string& out) {
  return value.has_value() && AppendCanonical(*value, out);
}

// Whether the JSON form of a column is its canonical text without quotes.
template <class T>
inline constexpr bool kBareInJson = std::integral<T> || std::same_as<T, JsonText>;
template <class T>
inline constexpr bool kBareInJson<std::optional<T>> = kBareInJson<T>;

// Appends the row as one JSON object, columns in the table's order, absent values as null. No line end.
template <class Row>
void AppendJson(const Row& row, std::string& out) {
  char separator = '{';
  std::string text;
  VisitColumns(row, [&]<class T>(std::string_view name, const T& value) {
    out.push_back(separator);
    separator = ',';
    out.append("\"").append(name).append("\":");
    text.clear();
    if (!AppendCanonical(value, text)) {
      out.append("null");
    } else if constexpr (kBareInJson<T>) {
      out.append(text);
    } else {
      AppendJsonString(text, out);
    }
  });
  out.push_back('}');
}

}  // namespace medallion
