#include "medallion/base/decimal.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "absl/numeric/int128.h"

namespace medallion {
namespace {

constexpr int kWholeDigits = 15;
constexpr int kFractionDigits = 30;
constexpr int kHalfFraction = 15;  // digits of half a fraction, which fits 64 bits
constexpr int kShortDigits = 18;   // a number of so many digits fits 64 bits, as do its sums
constexpr int64_t kExponentMax = 1'000'000'000'000'000'000;  // far beyond the length of any text

// 10^exponent; exponent from 0 to 30.
absl::uint128 Pow10(int exponent) {
  const int low = exponent < kHalfFraction ? exponent : kHalfFraction;
  return absl::uint128(kPowersOfTen[static_cast<size_t>(low)]) *
         kPowersOfTen[static_cast<size_t>(exponent - low)];
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// The value of at most 19 digits.
uint64_t ReadDigits(std::string_view digits, uint64_t before = 0) {
  for (const char c : digits) before = before * 10 + static_cast<uint64_t>(c - '0');
  return before;
}

// A number as it is written: whole.fraction × 10^exponent.
struct Written {
  bool negative = false;
  std::string_view whole;     // digits, perhaps none
  std::string_view fraction;  // digits, perhaps none
  int64_t exponent = 0;       // at most kExponentMax either way
};

bool TakeSign(std::string_view& text) {
  if (text.empty() || (text[0] != '-' && text[0] != '+')) return false;
  const bool negative = text[0] == '-';
  text.remove_prefix(1);
  return negative;
}

std::string_view TakeDigits(std::string_view& text) {
  size_t length = 0;
  while (length < text.size() && IsDigit(text[length])) ++length;
  const std::string_view digits = text.substr(0, length);
  text.remove_prefix(length);
  return digits;
}

// `text` is what follows the `e`. An exponent too large for its type is as good as kExponentMax.
std::optional<int64_t> ReadExponent(std::string_view text) {
  const bool negative = TakeSign(text);
  std::string_view digits = TakeDigits(text);
  if (digits.empty() || !text.empty()) return std::nullopt;
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
  const bool fits = digits.size() <= kShortDigits;
  const int64_t exponent = fits ? static_cast<int64_t>(ReadDigits(digits)) : kExponentMax;
  return negative ? -exponent : exponent;
}

std::optional<Written> Scan(std::string_view text) {
  Written number;
  number.negative = TakeSign(text);
  number.whole = TakeDigits(text);
  if (!text.empty() && text[0] == '.') {
    text.remove_prefix(1);
    number.fraction = TakeDigits(text);
  }
  if (number.whole.empty() && number.fraction.empty()) return std::nullopt;
  if (text.empty()) return number;
  if (text[0] != 'e' && text[0] != 'E') return std::nullopt;
  const std::optional<int64_t> exponent = ReadExponent(text.substr(1));
  if (!exponent) return std::nullopt;
  number.exponent = *exponent;
  return number;
}

struct Magnitude {
  uint64_t whole = 0;
  absl::uint128 fraction = 0;  // of 10^30
};

// The usual case: coefficient × 10^power with a coefficient below 10^18, and a power from -30 to 14.
std::optional<Magnitude> FromShort(uint64_t coefficient, int power) {
  constexpr uint64_t kWholeMax = kPowersOfTen[kWholeDigits] - 1;
  if (power >= 0) {
    const uint64_t unit = kPowersOfTen[static_cast<size_t>(power)];
    if (coefficient > kWholeMax / unit) return std::nullopt;
    return Magnitude{.whole = coefficient * unit};
  }
  const absl::uint128 scale = Pow10(kFractionDigits + power);
  if (power < -kShortDigits) return Magnitude{.fraction = coefficient * scale};
  const uint64_t unit = kPowersOfTen[static_cast<size_t>(-power)];
  if (coefficient / unit > kWholeMax) return std::nullopt;
  return Magnitude{.whole = coefficient / unit, .fraction = coefficient % unit * scale};
}

// Any case: lays the digits out in the 45 places that there are. `power` is that of the last digit.
std::optional<Magnitude> FromLong(const Written& number, int64_t power) {
  std::array<char, kWholeDigits + kFractionDigits> places;
  places.fill('0');
  const auto digits = static_cast<int64_t>(number.whole.size() + number.fraction.size());
  int64_t place = kWholeDigits - power - digits;
  for (const std::string_view run : {number.whole, number.fraction}) {
    for (const char c : run) {
      if (c != '0') {
        if (place < 0 || place >= std::ssize(places)) return std::nullopt;
        places[static_cast<size_t>(place)] = c;
      }
      ++place;
    }
  }
  const std::string_view all(places.data(), places.size());
  const absl::uint128 high = ReadDigits(all.substr(kWholeDigits, kHalfFraction));
  return Magnitude{
      .whole = ReadDigits(all.substr(0, kWholeDigits)),
      .fraction = high * kPowersOfTen[kHalfFraction] + ReadDigits(all.substr(kWholeDigits + kHalfFraction))};
}

std::optional<Magnitude> Scale(const Written& number, int exponent10) {
  const size_t digits = number.whole.size() + number.fraction.size();
  const int64_t power = number.exponent + exponent10 - static_cast<int64_t>(number.fraction.size());
  if (digits <= kShortDigits && power >= -kFractionDigits && power < kWholeDigits) {
    return FromShort(ReadDigits(number.fraction, ReadDigits(number.whole)), static_cast<int>(power));
  }
  return FromLong(number, power);
}

void AppendNumber(uint64_t value, std::string& out) {
  std::array<char, 20> text;
  out.append(text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr);
}

// Appends `value` as exactly `digits` digits, zeros in front.
void AppendPadded(uint64_t value, int digits, std::string& out) {
  std::array<char, 20> text;
  char* const end = text.data() + digits;
  for (char* at = end; at != text.data(); value /= 10) *--at = static_cast<char>('0' + value % 10);
  out.append(text.data(), end);
}

}  // namespace

std::optional<Decimal> Decimal::Parse(std::string_view text, int exponent10) {
  const std::optional<Written> number = Scan(text);
  if (!number) return std::nullopt;
  const std::optional<Magnitude> magnitude = Scale(*number, exponent10);
  if (!magnitude) return std::nullopt;
  Decimal decimal;
  decimal.whole_ = magnitude->whole;
  decimal.fraction_ = magnitude->fraction;
  decimal.negative_ = number->negative && !decimal.is_zero();
  return decimal;
}

std::optional<Decimal> Decimal::Sum(const Decimal& a, const Decimal& b) {
  if (a.negative_ || b.negative_) return std::nullopt;
  Decimal sum;
  const absl::uint128 one = Pow10(kFractionDigits);
  const bool carries = a.fraction_ + b.fraction_ >= one;
  sum.fraction_ = a.fraction_ + b.fraction_ - (carries ? one : 0);
  sum.whole_ = a.whole_ + b.whole_ + (carries ? 1 : 0);
  if (sum.whole_ >= kPowersOfTen[kWholeDigits]) return std::nullopt;
  return sum;
}

std::optional<int64_t> Decimal::Rounded(int digits) const {
  assert(digits >= 0 && digits <= 6);
  constexpr uint64_t kUnitsMax = kPowersOfTen[18] - 1;
  const uint64_t scale = kPowersOfTen[static_cast<size_t>(digits)];
  if (whole_ > kUnitsMax / scale) return std::nullopt;
  uint64_t units = whole_ * scale;
  if (fraction_ != 0) {
    const absl::uint128 unit = Pow10(kFractionDigits - digits);
    const absl::uint128 steps = fraction_ / unit;
    const bool up = fraction_ - steps * unit >= unit / 2;
    units += absl::Uint128Low64(steps) + up;
  }
  if (units > kUnitsMax) return std::nullopt;
  return negative_ ? -static_cast<int64_t>(units) : static_cast<int64_t>(units);
}

bool Decimal::IsWhole(int digits) const {
  assert(digits >= 0 && digits <= 6);
  return fraction_ == 0 || fraction_ % Pow10(kFractionDigits - digits) == 0;
}

void Decimal::AppendTo(std::string& out) const {
  if (negative_) out += '-';
  AppendNumber(whole_, out);
  if (fraction_ == 0) return;
  const absl::uint128 high = fraction_ / kPowersOfTen[kHalfFraction];
  const absl::uint128 low = fraction_ - high * kPowersOfTen[kHalfFraction];
  out += '.';
  AppendPadded(absl::Uint128Low64(high), kHalfFraction, out);
  if (low != 0) AppendPadded(absl::Uint128Low64(low), kHalfFraction, out);
  out.resize(out.find_last_not_of('0') + 1);  // the fraction is not 0, so this ends inside it
}

std::strong_ordering operator<=>(const Decimal& a, const Decimal& b) {
  if (a.negative_ != b.negative_) return b.negative_ <=> a.negative_;
  const Decimal& small = a.negative_ ? b : a;  // of two negative ones, the larger magnitude is less
  const Decimal& large = a.negative_ ? a : b;
  if (small.whole_ != large.whole_) return small.whole_ <=> large.whole_;
  if (small.fraction_ == large.fraction_) return std::strong_ordering::equal;
  return small.fraction_ < large.fraction_ ? std::strong_ordering::less : std::strong_ordering::greater;
}

void AppendFixed(int64_t units, int digits, std::string& out) {
  assert(digits >= 1 && digits <= 6);
  auto magnitude = static_cast<uint64_t>(units);
  if (units < 0) magnitude = 0 - magnitude;  // also where -units would not fit int64_t
  std::array<char, 24> text;                 // any number, a point, a sign
  char* at = text.data();
  if (units < 0) *at++ = '-';
  const uint64_t one = kPowersOfTen[static_cast<size_t>(digits)];
  at = std::to_chars(at, text.data() + text.size(), magnitude / one).ptr;
  *at++ = '.';
  uint64_t rest = magnitude % one;
  for (char* place = at + digits; place != at; rest /= 10) *--place = static_cast<char>('0' + rest % 10);
  out.append(text.data(), at + digits);
}

}  // namespace medallion
