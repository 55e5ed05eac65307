#include "medallion/ledger/minor_units.h"

#include <algorithm>
#include <charconv>

#include "medallion/base/text.h"

namespace medallion::ledger {
namespace {

constexpr uint64_t kDigitsStep = 10'000'000'000'000'000'000u;  // 10^19, the largest power within 64 bits
constexpr size_t kStepDigits = 19;
constexpr size_t kDigitsMax = 76;  // each number of so many is below 2^255

using Words = std::array<uint64_t, 4>;

// words = words * by + add.
void MultiplyAdd(Words& words, uint64_t by, uint64_t add) {
  absl::uint128 carry = add;
  for (uint64_t& word : words) {
    carry += absl::uint128(word) * by;
    word = absl::Uint128Low64(carry);
    carry = absl::Uint128High64(carry);
  }
}

// words = words / by; returns the rest.
uint64_t DivideBy(Words& words, uint64_t by) {
  absl::uint128 rest = 0;
  for (size_t i = words.size(); i-- > 0;) {
    rest = rest << 64 | words[i];
    words[i] = absl::Uint128Low64(rest / by);
    rest %= by;
  }
  return absl::Uint128Low64(rest);
}

bool FitsWord(const Words& words) { return (words[1] | words[2] | words[3]) == 0; }
bool FitsTwo(const Words& words) { return (words[2] | words[3]) == 0; }
absl::uint128 TwoOf(const Words& words) { return absl::MakeUint128(words[1], words[0]); }
void SetTwo(absl::uint128 value, Words& words) {
  words[0] = absl::Uint128Low64(value), words[1] = absl::Uint128High64(value);
}

// Neither is negative. Bit by bit, for the rare numbers over 128 bits.
MinorUnits::Division DivideLong(const MinorUnits& a, const MinorUnits& b) {
  MinorUnits::Division made;
  for (size_t bit = 256; bit-- > 0;) {
    made.rest += made.rest;
    made.rest.words()[0] |= a.words()[bit / 64] >> (bit % 64) & 1;
    if (made.rest < b) continue;
    made.rest -= b;
    made.quotient.words()[bit / 64] |= uint64_t{1} << (bit % 64);
  }
  return made;
}

MinorUnits::Division DivideMagnitudes(const MinorUnits& a, const MinorUnits& b) {
  MinorUnits::Division made;
  if (FitsTwo(a.words()) && FitsTwo(b.words())) {
    const absl::uint128 over = TwoOf(a.words()), under = TwoOf(b.words());
    SetTwo(over / under, made.quotient.words()), SetTwo(over % under, made.rest.words());
    return made;
  }
  if (!FitsWord(b.words())) return DivideLong(a, b);
  made.quotient = a;
  made.rest.words()[0] = DivideBy(made.quotient.words(), b.words()[0]);
  return made;
}

}  // namespace

MinorUnits operator*(const MinorUnits& a, int64_t b) {
  MinorUnits product = a.magnitude();
  const uint64_t by = b < 0 ? ~static_cast<uint64_t>(b) + 1 : static_cast<uint64_t>(b);
  MultiplyAdd(product.words_, by, 0);
  return a.negative() != (b < 0) ? -product : product;
}

MinorUnits::Division MinorUnits::Divide(const MinorUnits& a, const MinorUnits& b) {
  Division made = DivideMagnitudes(a.magnitude(), b.magnitude());
  if (a.negative() != b.negative()) made.quotient = -made.quotient;
  if (a.negative()) made.rest = -made.rest;
  return made;
}

void MinorUnits::AppendTo(std::string& out) const {
  Words words = magnitude().words_;
  std::array<uint64_t, 5> parts;  // of 19 digits each, the lowest first
  size_t count = 0;
  do {
    parts[count++] = DivideBy(words, kDigitsStep);
  } while (words != Words{});
  if (negative()) out.push_back('-');
  std::array<char, kStepDigits + 1> text;
  for (bool first = true; count > 0; first = false) {
    const char* const end = std::to_chars(text.data(), text.data() + text.size(), parts[--count]).ptr;
    const auto size = static_cast<size_t>(end - text.data());
    if (!first) out.append(kStepDigits - size, '0');
    out.append(text.data(), size);
  }
}

std::string MinorUnits::ToText() const {
  std::string text;
  AppendTo(text);
  return text;
}

MinorUnits PowerOfTen(int exponent) {
  MinorUnits power = 1;
  for (; exponent > 0; --exponent) MultiplyAdd(power.words(), 10, 0);
  return power;
}

const MinorUnits& LargestAmount() {
  static const MinorUnits largest = PowerOfTen(36);
  return largest;
}

std::optional<MinorUnits> ParseWhole(std::string_view digits) {
  if (!IsDigits(digits)) return std::nullopt;
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
  if (digits.size() > kDigitsMax) return std::nullopt;
  MinorUnits value;
  while (!digits.empty()) {
    const std::string_view part = digits.substr(0, std::min(digits.size(), kStepDigits - 1));
    uint64_t number = 0, scale = 1;
    std::from_chars(part.data(), part.data() + part.size(), number);
    for (size_t i = 0; i < part.size(); ++i) scale *= 10;
    MultiplyAdd(value.words(), scale, number);
    digits.remove_prefix(part.size());
  }
  return value;
}

namespace {

// A plain decimal taken apart: sign, the digits without the point, and how many of them stood behind it.
struct Plain {
  bool negative = false;
  std::string digits;
  int64_t behind = 0;
};

std::optional<int64_t> ExponentOf(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  int64_t exponent = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), exponent);
  constexpr int64_t kFar = 1'000'000;
  if (error != std::errc() || end != text.data() + text.size() || exponent > kFar || exponent < -kFar) {
    return std::nullopt;
  }
  return exponent;
}

std::optional<Plain> TakeApart(std::string_view text) {
  Plain plain;
  if (text.starts_with('-') || text.starts_with('+')) {
    plain.negative = text.front() == '-';
    text.remove_prefix(1);
  }
  const size_t e = std::min(text.find_first_of("eE"), text.size());
  if (e != text.size()) {
    const std::optional<int64_t> exponent = ExponentOf(text.substr(e + 1));
    if (!exponent) return std::nullopt;
    plain.behind = -*exponent;
    text = text.substr(0, e);
  }
  const size_t point = std::min(text.find('.'), text.size());
  plain.digits = text.substr(0, point);
  if (point != text.size()) {
    plain.digits += text.substr(point + 1);
    plain.behind += static_cast<int64_t>(text.size() - point - 1);
  }
  if (!IsDigits(plain.digits)) return std::nullopt;
  return plain;
}

}  // namespace

ScaledAmount ParseScaled(std::string_view decimal, int exponent) {
  using Problem = ScaledAmount::Problem;
  std::optional<Plain> plain = TakeApart(decimal);
  if (!plain) return {.problem = Problem::kNoNumber};
  std::string& digits = plain->digits;
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  if (digits.empty()) return {};
  int64_t zeros = exponent - plain->behind;  // to be added, or if negative to be taken away
  for (; zeros < 0 && digits.back() == '0'; ++zeros) digits.pop_back();
  if (zeros < 0) return {.problem = Problem::kTooManyDigits};
  if (static_cast<int64_t>(digits.size()) + zeros > static_cast<int64_t>(kDigitsMax)) {
    return {.problem = Problem::kOverflow};
  }
  digits.append(static_cast<size_t>(zeros), '0');
  const MinorUnits units = *ParseWhole(digits);
  return {.units = plain->negative ? -units : units};
}

namespace {

std::optional<std::string> Canonical(Plain plain) {
  std::string& digits = plain.digits;
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  if (digits.empty()) return "0";
  for (; plain.behind > 0 && digits.back() == '0'; --plain.behind) digits.pop_back();
  const auto max = static_cast<int64_t>(kDigitsMax);
  if (plain.behind > max || static_cast<int64_t>(digits.size()) - std::min<int64_t>(plain.behind, 0) > max) {
    return std::nullopt;
  }
  if (plain.behind < 0) digits.append(static_cast<size_t>(-plain.behind), '0');
  if (plain.behind > 0) {
    const auto behind = static_cast<size_t>(plain.behind);
    if (digits.size() <= behind) digits.insert(0, behind + 1 - digits.size(), '0');
    digits.insert(digits.size() - behind, 1, '.');
  }
  return (plain.negative ? "-" : "") + digits;
}

}  // namespace

std::optional<std::string> CanonicalDecimal(std::string_view decimal) {
  std::optional<Plain> plain = TakeApart(decimal);
  if (!plain) return std::nullopt;
  return Canonical(*std::move(plain));
}

std::optional<std::string> CanonicalDecimal(const MinorUnits& unscaled, int64_t behind) {
  return Canonical(
      {.negative = unscaled.negative(), .digits = unscaled.magnitude().ToText(), .behind = behind});
}

std::optional<MinorUnits> FromBigEndian(std::string_view bytes) {
  if (bytes.empty() || bytes.size() > 4 * sizeof(uint64_t)) return std::nullopt;
  const bool negative = static_cast<int8_t>(bytes.front()) < 0;
  MinorUnits value = negative ? -1 : 0;
  for (const char byte : bytes) {
    Words& words = value.words();
    for (size_t i = words.size() - 1; i > 0; --i) words[i] = words[i] << 8 | words[i - 1] >> 56;
    words[0] = words[0] << 8 | static_cast<uint8_t>(byte);
  }
  return value;
}

std::optional<Millionths> Fraction(const MinorUnits& numerator, const MinorUnits& denominator) {
  constexpr int64_t kMillion = 1'000'000;
  if (denominator.is_zero()) return std::nullopt;
  const MinorUnits::Division made = MinorUnits::Divide(numerator * kMillion, denominator);
  const MinorUnits twice = made.rest.magnitude() + made.rest.magnitude(), whole = denominator.magnitude();
  const bool odd = (made.quotient.words()[0] & 1) != 0;
  if (twice < whole || (twice == whole && !odd)) return Millionths{made.quotient};
  return Millionths{made.quotient + (numerator.negative() == denominator.negative() ? 1 : -1)};
}

bool AppendCanonical(const Millionths& value, std::string& out) {
  constexpr size_t kPlaces = 6;
  std::string digits = value.units.magnitude().ToText();
  if (digits.size() <= kPlaces) digits.insert(0, kPlaces + 1 - digits.size(), '0');
  if (value.units.negative()) out.push_back('-');
  out.append(digits, 0, digits.size() - kPlaces).append(".").append(digits, digits.size() - kPlaces);
  return true;
}

}  // namespace medallion::ledger
