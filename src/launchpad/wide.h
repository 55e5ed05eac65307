// Whole numbers of up to 512 bits, not negative: as much arithmetic as exact shares of 128-bit amounts need.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/numeric/int128.h"

namespace medallion::launchpad {

class Wide {
 public:
  Wide() = default;
  explicit Wide(absl::uint128 value) : words_{absl::Uint128Low64(value), absl::Uint128High64(value)} {}
  static Wide Product(absl::uint128 a, absl::uint128 b);

  Wide& operator+=(const Wide& other);
  Wide& operator-=(const Wide& other);  // at most *this
  Wide& operator*=(uint64_t factor);
  // Highest word first.
  friend std::strong_ordering operator<=>(const Wide& a, const Wide& b);
  friend bool operator==(const Wide&, const Wide&) = default;

  bool is_zero() const { return bits() == 0; }
  int bits() const;  // without leading zeros
  bool bit(int i) const { return (words_[static_cast<size_t>(i / 64)] >> (i % 64) & 1) != 0; }
  absl::uint128 low128() const { return absl::MakeUint128(words_[1], words_[0]); }

  // num / den rounded half-even; nothing where den is 0 or the result has over 127 bits.
  static std::optional<absl::uint128> Divide(const Wide& num, const Wide& den);

 private:
  void ShiftLeft(bool low);

  std::array<uint64_t, 8> words_{};  // lowest first
};

}  // namespace medallion::launchpad
