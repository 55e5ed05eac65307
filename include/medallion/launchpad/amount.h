// Token amounts: integers in base units, 128 bit, and what is told of them as exact fractions. Nothing here passes
// through float or double.
// Pure: results depend on the arguments alone. Safe from any thread. Source: the launchpad domain, introduction and 3.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "absl/numeric/int128.h"
#include "medallion/base/columns.h"

namespace medallion::launchpad {

// Base units of a token: 10^-decimals of it. Null where nobody said how many. Tables show it as a whole number in
// quotes, since readers of JSON would round one of more than 53 bits.
struct Amount {
  absl::int128 units = std::numeric_limits<absl::int128>::min();

  bool known() const { return units != std::numeric_limits<absl::int128>::min(); }
  absl::int128 value_or(absl::int128 other) const { return known() ? units : other; }
  bool operator==(const Amount&) const = default;
};

// A fraction in millionths, rounded half-even: "5705.505412". Null where its denominator is 0 or not known.
struct Millionths {
  absl::int128 units = std::numeric_limits<absl::int128>::min();

  bool known() const { return units != std::numeric_limits<absl::int128>::min(); }
  bool operator==(const Millionths&) const = default;
};

bool AppendCanonical(const Amount& value, std::string& out);
bool AppendCanonical(const Millionths& value, std::string& out);
void AppendInteger(absl::int128 value, std::string& out);

inline constexpr int kTokenDecimals = 6;  // of launchpad tokens

absl::int128 Pow10(int exponent);  // from 0 to 37

struct ParsedAmount {
  Amount amount;                // floored
  bool precision_loss = false;  // the text says more than base units can
};

// Reads a decimal ("1.5", "-3", "2e6") of whole tokens as base units of 10^-decimals. Nothing, if the text is no number
// or has more than 37 digits in base units. Time is linear in the text, whatever its exponent.
std::optional<ParsedAmount> ParseAmount(std::string_view text, int decimals);

// num/den × scale in millionths. Null where either is not known, den is 0, or the result has more than 37 digits. `num` and
// `den` are products of two numbers of at most 126 bits; none of `den` is negative.
struct Product {
  absl::int128 a = 0, b = 1;
};
Millionths Quotient(const Product& num, const Product& den, uint64_t scale = 1);

// Whether |a − b| ≤ b × tolerance_ppm ÷ 10^6, for products that are not negative.
bool IsWithin(const Product& a, const Product& b, uint64_t tolerance_ppm);

// How the stores keep them: see base/pack.h.
template <class T, class Visitor>
  requires std::same_as<std::remove_const_t<T>, Amount> || std::same_as<std::remove_const_t<T>, Millionths>
void VisitFields(T& value, Visitor&& visit) {
  if constexpr (std::is_const_v<T>) {
    const int64_t high = absl::Int128High64(value.units);
    const uint64_t low = absl::Int128Low64(value.units);
    visit(high), visit(low);
  } else {
    int64_t high = 0;
    uint64_t low = 0;
    visit(high), visit(low);
    value.units = absl::MakeInt128(high, low);
  }
}
inline bool IsNull(const Amount& value) { return !value.known(); }
inline bool IsNull(const Millionths& value) { return !value.known(); }

}  // namespace medallion::launchpad
