// Sums that no input can make wrong: taken in 128 bit, and clamped where a row has no room for them.
// Pure. Safe from any thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "absl/numeric/int128.h"

namespace medallion::ocpp {

inline int64_t Clamped(absl::int128 value) {
  constexpr auto kMin = std::numeric_limits<int64_t>::min(), kMax = std::numeric_limits<int64_t>::max();
  return static_cast<int64_t>(std::clamp(value, absl::int128(kMin), absl::int128(kMax)));
}

// The quotient of two numbers that are not negative, the lower one not zero, HALF_UP.
inline int64_t Quotient(absl::int128 upper, absl::int128 lower) {
  return Clamped((2 * upper + lower) / (2 * lower));
}

}  // namespace medallion::ocpp
