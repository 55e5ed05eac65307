// Exact decimals: no reading passes through float or double.
// Pure: results depend on the arguments alone. Safe from any thread.
#pragma once

#include <array>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/numeric/int128.h"

namespace medallion {

// 10 to the power of 0 to 19.
inline constexpr std::array<uint64_t, 20> kPowersOfTen = [] {
  std::array<uint64_t, 20> powers{1};
  for (size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * 10;
  return powers;
}();

// A decimal number of at most 15 digits before the point and 30 after it.
// Two decimals are equal when their values are: 4.0 == 4. There is one zero, and it is not negative.
class Decimal {
 public:
  constexpr Decimal() = default;
  constexpr explicit Decimal(int64_t whole);  // |whole| < 10^15
  explicit Decimal(std::floating_point auto) = delete;

  // Reads `text`, times 10 to the power of `exponent10`. A sign, a point and an exponent are allowed
  // ("-1.50", "+3", ".5", "5.", "4e3"); blanks are not. Nothing, if the text is no number, or if the
  // scaled value has more than 15 digits before the point or more than 30 after it, zeros at either end
  // not counted. Takes time linear in the text, whatever the exponent.
  static std::optional<Decimal> Parse(std::string_view text, int exponent10 = 0);

  // Nothing, if the sum has more than 15 digits before the point, or if a summand is negative.
  static std::optional<Decimal> Sum(const Decimal& a, const Decimal& b);

  // The value in units of 10^-digits, ties away from zero (HALF_UP); digits from 0 to 6.
  // Nothing, if it does not fit 18 digits (DECIMAL(18, digits)).
  std::optional<int64_t> Rounded(int digits) const;

  // True where Rounded(digits) has nothing to round away; digits from 0 to 6.
  bool IsWhole(int digits) const;

  // Appends the shortest plain form: "-1.5", "0", "4000". Equal decimals give equal bytes.
  void AppendTo(std::string& out) const;

  bool negative() const { return negative_; }
  bool is_zero() const { return whole_ == 0 && fraction_ == 0; }

  friend bool operator==(const Decimal&, const Decimal&) = default;
  friend std::strong_ordering operator<=>(const Decimal& a, const Decimal& b);

 private:
  // value = (negative ? -1 : 1) * (whole + fraction / 10^30)
  bool negative_ = false;
  uint64_t whole_ = 0;
  absl::uint128 fraction_ = 0;
};

constexpr Decimal::Decimal(int64_t whole)
    : negative_(whole < 0), whole_(static_cast<uint64_t>(whole < 0 ? -whole : whole)) {}

// Appends `units` of 10^-digits as a decimal with exactly `digits` digits after the point:
// AppendFixed(7500, 3) writes "7.500". digits from 1 to 6.
void AppendFixed(int64_t units, int digits, std::string& out);

}  // namespace medallion
