// Gold rows as bytes, for stores: the number of the table, where the pack has several, then the row's fields.
// Pure. Safe from any thread.
#pragma once

#include <cstdint>

#include "medallion/base/pack.h"
#include "medallion/gold/gold_tables.h"

namespace medallion {

template <class Gold>
void PackGold(const Gold& row, PackWriter& out) {
  if constexpr (kGoldTablesOf<Gold> != 1) out(static_cast<uint8_t>(GoldTableOf(row)));
  VisitGold(row, [&](const auto& own) { out(own); });
}

template <class Gold>
void UnpackGold(PackReader& in, Gold& row) {
  if constexpr (kGoldTablesOf<Gold> == 1) {
    in(row);
  } else {
    uint8_t table = 0;
    in(table);
    gold::Rows<Gold>::Each([&]<class Row>(size_t number) {
      if (number != table) return;
      Row own;
      in(own);
      row = Gold(std::in_place_type<Row>, std::move(own));
    });
  }
}

}  // namespace medallion
