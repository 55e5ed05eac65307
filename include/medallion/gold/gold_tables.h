// The Gold tables of a pack. Its Gold type is the struct of its only table, or a std::variant of the structs of several:
// then Pack::kGoldTables names them in the variant's order. Beside VisitColumns a row type offers what its pack's
// VersionOf, NextDue and ParentOf ask; a member row_hash, which HashRows fills where it is empty (see gold/row_hash.h); and
// for stores VisitFields, without what AttachVersion sets (see gold/merge.h).
//
// A row may be a series: its table shows it as many rows, its items, and it grows at its end, so that adding some costs
// what they cost. Such a type offers, where others have their columns,
//
//   using Item = …;                        // with VisitColumns
//   SeriesPlace own_begin() const;         // what comes before it stands already, in the row that it replaces
//   std::string_view own_items() const;    // its items from there on, as bytes to keep. VisitFields leaves them out
//   void Join(std::string_view stood);     // puts the first own_begin().bytes of these before its own
//   void Take(std::string items);          // these are all of them
//   Item before() const;                   // what stands before its own: no row, but what Next goes on from
//   static bool Next(std::string_view& left, Item& item);  // reads the next of `left`; false at the end
//
// The row that stands ends at own_begin() or behind it: what is behind goes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "medallion/base/columns.h"

namespace medallion {

// Where the items of a series are cut: so many before it, in so many bytes.
struct SeriesPlace {
  int64_t items = 0;
  int64_t bytes = 0;
};

template <class Row>
concept IsSeries = requires {
  typename Row::Item;
};

namespace gold {

// What a table shows of a Gold row: itself, or its items.
template <class Row>
struct Shown {
  using Type = Row;
};
template <IsSeries Row>
struct Shown<Row> {
  using Type = typename Row::Item;
};

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
void VisitGold(Gold& row, Use&& use) {
  if constexpr (kGoldTablesOf<std::remove_const_t<Gold>> == 1) {
    use(row);
  } else {
    gold::Rows<std::remove_const_t<Gold>>::Each([&]<class Row>(size_t) {
      if (auto* own = std::get_if<Row>(&row); own != nullptr) use(*own);
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

// Calls use(item) for each of the series' own items.
template <IsSeries Row, class Use>
void ForItems(const Row& row, Use&& use) {
  std::string_view left = row.own_items();
  for (auto item = row.before(); Row::Next(left, item);) use(std::as_const(item));
}

// Calls use(shown) for each row that the table shows of this one, which is whole.
template <class Gold, class Use>
void ForShown(const Gold& row, Use&& use) {
  VisitGold(row, [&]<class Row>(const Row& own) {
    if constexpr (IsSeries<Row>) {
      ForItems(own, use);
    } else {
      use(own);
    }
  });
}

// Appends the row, which is no series, as JSON.
template <class Gold>
void AppendGoldJson(const Gold& row, std::string& out) {
  ForShown(row, [&](const auto& shown) { AppendJson(shown, out); });
}

namespace gold {

// The row, where it is one of this type; else null.
template <class Row, class Gold>
auto* RowOf(Gold& row) {
  if constexpr (std::is_same_v<Row, std::remove_const_t<Gold>>) {
    return &row;
  } else {
    return std::get_if<Row>(&row);
  }
}

}  // namespace gold

// For stores that keep whole rows: puts before a series' items those of the row that it replaces. `stood` is that row.
template <class Gold>
void JoinStanding(const Gold& stood, Gold& row) {
  gold::Rows<Gold>::Each([&]<class Row>(size_t) {
    if constexpr (IsSeries<Row>) {
      const auto* const before = gold::RowOf<Row>(stood);
      auto* const own = gold::RowOf<Row>(row);
      if (before != nullptr && own != nullptr) own->Join(before->own_items());
    }
  });
}

}  // namespace medallion
