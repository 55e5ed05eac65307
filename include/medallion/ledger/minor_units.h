// Money: whole numbers of minor units (cents of EUR), and exact fractions of them. Never float or double.
// Pure: results depend on the arguments alone. Safe from any thread.
#pragma once

#include <array>
#include <compare>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "absl/numeric/int128.h"

namespace medallion::ledger {

// A signed whole number of 256 bits. An amount is at most 10^36 (about 120 bits); sums of amounts, and amounts times
// microseconds, need more, and no feed is long enough to need more than this.
class MinorUnits {
 public:
  constexpr MinorUnits() = default;
  template <std::signed_integral T>
  constexpr MinorUnits(T value)  // NOLINT(google-explicit-constructor): a whole number is one
      : words_{static_cast<uint64_t>(static_cast<int64_t>(value)), value < 0 ? ~uint64_t{0} : 0,
               value < 0 ? ~uint64_t{0} : 0, value < 0 ? ~uint64_t{0} : 0} {}
  MinorUnits(std::floating_point auto) = delete;

  friend MinorUnits operator+(const MinorUnits& a, const MinorUnits& b);
  friend MinorUnits operator-(const MinorUnits& a, const MinorUnits& b);
  MinorUnits operator-() const { return MinorUnits() - *this; }
  MinorUnits& operator+=(const MinorUnits& other) { return *this = *this + other; }
  MinorUnits& operator-=(const MinorUnits& other) { return *this = *this - other; }
  friend MinorUnits operator*(const MinorUnits& a, int64_t b);

  bool negative() const { return static_cast<int64_t>(words_[3]) < 0; }
  bool is_zero() const { return *this == MinorUnits(); }
  MinorUnits magnitude() const { return negative() ? -*this : *this; }

  friend bool operator==(const MinorUnits&, const MinorUnits&) = default;
  friend std::strong_ordering operator<=>(const MinorUnits& a, const MinorUnits& b);

  // The quotient towards zero and what is left, which has the sign of `a`. `b` is not zero.
  struct Division;
  static Division Divide(const MinorUnits& a, const MinorUnits& b);

  // Appends the decimal digits: "-15000".
  void AppendTo(std::string& out) const;
  std::string ToText() const;

  // The four words of 64 bits of the two's complement, the lowest first; for codecs.
  std::array<uint64_t, 4>& words() { return words_; }
  const std::array<uint64_t, 4>& words() const { return words_; }

 private:
  std::array<uint64_t, 4> words_{};
};
struct MinorUnits::Division {
  MinorUnits quotient, rest;
};

inline MinorUnits operator+(const MinorUnits& a, const MinorUnits& b) {
  MinorUnits sum;
  absl::uint128 carry = 0;
  for (size_t i = 0; i < 4; ++i) {
    carry += absl::uint128(a.words_[i]) + b.words_[i];
    sum.words_[i] = absl::Uint128Low64(carry);
    carry >>= 64;
  }
  return sum;
}
inline MinorUnits operator-(const MinorUnits& a, const MinorUnits& b) {
  MinorUnits difference;
  uint64_t borrow = 0;
  for (size_t i = 0; i < 4; ++i) {
    const absl::uint128 word = absl::uint128(a.words_[i]) - b.words_[i] - borrow;
    difference.words_[i] = absl::Uint128Low64(word);
    borrow = absl::Uint128High64(word) != 0 ? 1 : 0;
  }
  return difference;
}
inline std::strong_ordering operator<=>(const MinorUnits& a, const MinorUnits& b) {
  const auto high = static_cast<int64_t>(a.words_[3]) <=> static_cast<int64_t>(b.words_[3]);
  if (high != 0) return high;
  for (size_t i = 3; i-- > 0;) {
    if (a.words_[i] != b.words_[i]) return a.words_[i] <=> b.words_[i];
  }
  return std::strong_ordering::equal;
}

// The largest amount of one event.
MinorUnits LargestAmount();  // 10^36

// 10^exponent, 0 to 36.
MinorUnits PowerOfTen(int exponent);

// The whole number that `digits` writes: one decimal digit or more, nothing else, at most 76 after leading zeros.
// Nothing for any other text.
std::optional<MinorUnits> ParseWhole(std::string_view digits);

// The whole number of 10^-exponent in a plain decimal ("12.50", "-3", "1e3"): exact, so none where a digit would be lost.
struct ScaledAmount {
  enum class Problem : uint8_t { kNone, kNoNumber, kTooManyDigits, kOverflow } problem = Problem::kNone;
  MinorUnits units = {};
};
ScaledAmount ParseScaled(std::string_view decimal, int exponent);

// The shortest plain form of a decimal: "12.50" and "1250e-2" are both "12.5". Nothing for text that is none, or that has
// over 76 digits. And of an unscaled number and how many of its digits stand behind the point, which may be negative.
std::optional<std::string> CanonicalDecimal(std::string_view decimal);
std::optional<std::string> CanonicalDecimal(const MinorUnits& unscaled, int64_t behind);

// The signed number whose two's complement the bytes are, the highest first: at most 32 of them.
std::optional<MinorUnits> FromBigEndian(std::string_view bytes);

// A fraction, shown with six digits after the point, ties to the even digit: 2/3 is "0.666667". Made of whole numbers;
// nothing is rounded before the end.
struct Millionths {
  MinorUnits units = {};
  bool operator==(const Millionths&) const = default;
};
// Nothing where the denominator is zero.
std::optional<Millionths> Fraction(const MinorUnits& numerator, const MinorUnits& denominator);

// Columns of tables and fields of stores, see base/columns.h and base/pack.h. Amounts are written as text.
inline bool AppendCanonical(const MinorUnits& value, std::string& out) { return value.AppendTo(out), true; }
bool AppendCanonical(const Millionths& value, std::string& out);

template <class Row, class Visitor>
  requires std::same_as<std::remove_const_t<Row>, MinorUnits>
void VisitFields(Row& row, Visitor&& visit) {
  // As signed numbers, so that a small negative one takes few bytes, too.
  for (auto& word : row.words()) {
    if constexpr (std::is_const_v<Row>) {
      visit(static_cast<int64_t>(word));
    } else {
      int64_t number = 0;
      visit(number);
      word = static_cast<uint64_t>(number);
    }
  }
}
template <class Row, class Visitor>
  requires std::same_as<std::remove_const_t<Row>, Millionths>
void VisitFields(Row& row, Visitor&& visit) { visit(row.units); }

}  // namespace medallion::ledger
