// What settling knows of a row: which fact it is about, what it says, and where it stands in order.
// The kernel works on identities, never on a domain's rows.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string_view>

#include "medallion/base/digest.h"
#include "medallion/base/time.h"
#include "medallion/bronze/record.h"

namespace medallion {

// The total order of elements in which the first of a fact wins: each field in turn, texts by their bytes.
// `payload` only tells apart two records at one coordinate.
struct Order {
  UtcTime event_ts = kNoTime;
  UtcTime ingest_ts = kNoTime;
  std::string_view event_id = {};
  Coordinate at = {};
  uint32_t ordinal = 0;
  Digest payload = {};
  auto operator<=>(const Order&) const = default;
};

// One row that a record yields: the record and the row's number in it.
struct ElementId {
  RecordId record;
  uint32_t ordinal = 0;
  auto operator<=>(const ElementId&) const = default;

  template <typename H>
  friend H AbslHashValue(H h, const ElementId& id) {
    return H::combine(std::move(h), id.record, id.ordinal);
  }
};
inline ElementId IdOf(const Order& order) { return {{order.at, order.payload}, order.ordinal}; }

// The values that copies of one fact must agree in, as 64-bit digests. A null agrees with everything.
inline constexpr int kValuesMax = 8;
struct Values {
  std::array<uint64_t, kValuesMax> field{};
  uint8_t known = 0;  // bit i is set where field i is not null; field i is 0 where it is null

  void Set(int i, uint64_t digest) {
    field[static_cast<size_t>(i)] = digest;
    known = static_cast<uint8_t>(known | (1u << i));
  }
  bool operator==(const Values&) const = default;
};

// A row's identity. Refers to the row's texts.
struct Identity {
  Digest unit;          // what is settled together; equal to `business_key` where a fact is settled by itself
  Digest business_key;  // SHA-256 of what the row is about
  // Where the unit must be cut into facts: a digest of all that the cut looks at in this row, never 0.
  // Rows with equal `cut` always land in the same fact. 0: the unit is one fact.
  uint64_t cut = 0;
  uint32_t fact = 0;      // which fact of the unit, as cut
  uint64_t event_id = 0;  // digest of the event id: equal ids, equal digests
  Order order;
  Values values;
};

}  // namespace medallion
