// Gold rows as bytes, for stores: the number of the table, where the pack has several, then the row's version, without its
// key, then the row's fields (see base/pack.h). A store that merges reads the version alone. What a row shows of its version
// is no field of VisitFields: AttachVersion sets it (see gold/merge.h).
// Pure. Safe from any thread.
#pragma once

#include <cstdint>

#include "medallion/base/pack.h"
#include "medallion/gold/gold_tables.h"
#include "medallion/gold/merge.h"

namespace medallion {

template <class Gold>
void PackGold(const RowVersion& version, const Gold& row, PackWriter& out) {
  if constexpr (kGoldTablesOf<Gold> != 1) out(static_cast<uint8_t>(GoldTableOf(row)));
  out(version.hash), out(version.model_version), out(version.updated_at);
  VisitGold(row, [&](const auto& own) { out(own); });
}

// The version of the row with this key, and the table that the row is of: the beginning of what PackGold wrote.
template <class Gold>
RowVersion UnpackVersion(PackReader& in, const Digest& key, uint8_t& table) {
  if constexpr (kGoldTablesOf<Gold> != 1) in(table);
  RowVersion version{.key = key, .hash = {}, .model_version = {}, .updated_at = {}};
  in(version.hash), in(version.model_version), in(version.updated_at);
  return version;
}

// The row with this key.
template <class Gold>
void UnpackGold(PackReader& in, const Digest& key, Gold& row) {
  uint8_t table = 0;
  const RowVersion version = UnpackVersion<Gold>(in, key, table);
  if constexpr (kGoldTablesOf<Gold> == 1) {
    in(row);
    AttachVersion(row, version);
  } else {
    gold::Rows<Gold>::Each([&]<class Row>(size_t number) {
      if (number != table) return;
      Row own;
      in(own);
      AttachVersion(own, version);
      row = Gold(std::in_place_type<Row>, std::move(own));
    });
  }
}

}  // namespace medallion
