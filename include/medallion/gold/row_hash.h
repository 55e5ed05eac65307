// The hash by which merging tells whether a derived row changed.
// Pure. Source: the design, section 4, "Merge".
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "medallion/base/columns.h"
#include "medallion/base/digest.h"
#include "medallion/base/time.h"

namespace medallion {

// Whether a column's canonical text never holds `\` or `|`.
template <class T>
inline constexpr bool kNeedsNoEscape =
    std::integral<T> || std::same_as<T, UtcTime> || std::same_as<T, Digest> || std::same_as<T, Thousandths>;
template <class T>
inline constexpr bool kNeedsNoEscape<std::optional<T>> = kNeedsNoEscape<T>;

// Escapes `\` and `|` from `begin` on, as JoinedFields does inside a field.
inline void EscapeField(size_t begin, std::string& text) {
  if (text.find('\\', begin) == text.npos && text.find('|', begin) == text.npos) return;
  for (size_t at = begin; at < text.size(); ++at) {
    if (text[at] == '\\' || text[at] == '|') text.insert(at++, 1, '\\');
  }
}

// Appends the canonical text of a time.
inline void AppendTime(UtcTime time, TimeWriter& times, std::string& text) {
  if (time == kNoTime) return;
  std::array<char, kTimeBytes> written;
  times.Write(time, written);
  text.append(written.data(), written.size());
}

// SHA-256 over the row's business columns, joined by the recipe of JoinedFields in the table's order. Left out:
// model_version, row_hash, updated_at. Columns are written into the one text as they come, for a row is hashed each
// time it is derived: joining them through a text for each took longer than the digest.
template <class Row>
Digest RowHash(const Row& row) {
  std::string text;
  text.reserve(768);
  TimeWriter times;  // most are of one day
  VisitColumns(row, [&]<class T>(std::string_view name, const T& value) {
    if (name == "model_version" || name == "row_hash" || name == "updated_at") return;
    const size_t begin = text.size();
    if constexpr (std::same_as<T, UtcTime>) {
      AppendTime(value, times, text);
    } else {
      AppendCanonical(value, text);  // a null is empty
    }
    if constexpr (!kNeedsNoEscape<T>) EscapeField(begin, text);
    text.push_back('|');
  });
  if (!text.empty()) text.pop_back();
  return Sha256(text);
}

}  // namespace medallion
