// The Gold tables of a pack. Its Gold type is the struct of its only table, or a std::variant of the structs of several:
// then Pack::kGoldTables names them in the variant's order. Beside VisitColumns a row type offers what its pack's
// VersionOf, NextDue and ParentOf ask.
#pragma once

#include <cstddef>
#include <string>
#include <variant>

#include "medallion/base/columns.h"

namespace medallion {

namespace gold {

template <class Gold>
struct Rows {
  static constexpr size_t kTables = 1;
  // Calls use.template operator()<Row>(table) for each table.
  template <class Use>
  static void Each(Use&& use) {
    use.template operator()<Gold>(0);
  }
};
template <class... Types>
struct Rows<std::variant<Types...>> {
  static constexpr size_t kTables = sizeof...(Types);
  template <class Use>
  static void Each(Use&& use) {
    size_t table = 0;
    (use.template operator()<Types>(table++), ...);
  }
};

}  // namespace gold

template <class Gold>
inline constexpr size_t kGoldTablesOf = gold::Rows<Gold>::kTables;

// Calls use(row) with the row's own struct.
template <class Gold, class Use>
void VisitGold(const Gold& row, Use&& use) {
  if constexpr (kGoldTablesOf<Gold> == 1) {
    use(row);
  } else {
    gold::Rows<Gold>::Each([&]<class Row>(size_t) {
      if (const Row* own = std::get_if<Row>(&row); own != nullptr) use(*own);
    });
  }
}

// The number of the table that the row is of.
template <class Gold>
size_t GoldTableOf(const Gold& row) {
  if constexpr (kGoldTablesOf<Gold> == 1) {
    return 0;
  } else {
    return row.index();
  }
}

template <class Gold>
void AppendGoldJson(const Gold& row, std::string& out) {
  VisitGold(row, [&](const auto& own) { AppendJson(own, out); });
}

}  // namespace medallion
