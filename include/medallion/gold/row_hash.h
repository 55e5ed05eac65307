// The hash by which merging tells whether a derived row changed.
// Pure. Source: the design, section 4, "Merge".
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "medallion/base/columns.h"
#include "medallion/base/digest.h"
#include "medallion/base/time.h"
#include "medallion/gold/gold_tables.h"

namespace medallion {

// Adds the row's business columns to `fields`, in the table's order. Left out: model_version, row_hash, updated_at.
template <class Row>
void JoinRow(const Row& row, TimeWriter& times, JoinedFields& fields) {
  std::string text;
  const auto add = [&]<class T>(const T& value) {
    if constexpr (std::convertible_to<const T&, std::string_view>) {
      fields.Add(std::string_view(value));
    } else if constexpr (std::same_as<T, JsonText>) {
      fields.Add(value.text);
    } else if constexpr (std::same_as<T, Digest>) {
      fields.Add(value);
    } else if constexpr (std::same_as<T, UtcTime>) {
      if (value == kNoTime) return void(fields.AddNull());
      std::array<char, kTimeBytes> written;
      times.Write(value, written);
      fields.AddPlain({written.data(), written.size()});
    } else if constexpr (std::signed_integral<T>) {
      fields.Add(int64_t{value});
    } else {  // another number, or none
      text.clear();
      AppendCanonical(value, text);
      fields.Add(text);
    }
  };
  VisitColumns(row, [&](std::string_view name, const auto& value) {
    if (name != "model_version" && name != "row_hash" && name != "updated_at") add(value);
  });
}

// SHA-256 over what JoinRow joins.
template <class Row>
Digest RowHash(const Row& row) {
  JoinedFields fields;
  TimeWriter times;
  JoinRow(row, times, fields);
  return fields.Sha256();
}

// Gives the rows that have no row_hash theirs. Many are hashed at once: two take little longer than one. `row_at(i)` is the
// i-th of `rows` rows, each of any table of a pack; a series has a hash of its own making.
template <class RowAt>
void HashRows(size_t rows, const RowAt& row_at) {
  constexpr size_t kAtOnce = 64;  // while the cache holds their texts
  JoinedFields fields;
  TimeWriter times;  // most are of one day
  std::vector<size_t> ends;
  std::vector<Digest*> hashes;
  std::vector<std::string_view> texts;
  std::vector<Digest> digests;
  for (size_t begin = 0; begin < rows; begin += kAtOnce) {
    fields.Clear(), ends.clear(), hashes.clear(), texts.clear();
    for (size_t i = begin; i < std::min(rows, begin + kAtOnce); ++i) {
      VisitGold(row_at(i), [&]<class Row>(Row& row) {
        if constexpr (!IsSeries<Row>) {
          if (row.row_hash != Digest{}) return;
          fields.StartList();
          JoinRow(row, times, fields);
          ends.push_back(fields.text().size()), hashes.push_back(&row.row_hash);
        }
      });
    }
    size_t at = 0;
    for (const size_t end : ends) texts.push_back(fields.text().substr(at, end - at)), at = end;
    digests.resize(texts.size());
    Sha256Each(texts, digests);
    for (size_t i = 0; i < hashes.size(); ++i) *hashes[i] = digests[i];
  }
}

}  // namespace medallion
