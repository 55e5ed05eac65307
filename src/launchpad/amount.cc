#include "medallion/launchpad/amount.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "wide.h"

namespace medallion::launchpad {
namespace {

constexpr int kDigitsMax = 37;                   // as many always fit 127 bits
constexpr int64_t kExponentMax = 1'000'000'000;  // far beyond the length of any text
constexpr uint64_t kMillion = 1'000'000;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

std::string_view TakeDigits(std::string_view& text) {
  size_t size = 0;
  while (size < text.size() && IsDigit(text[size])) ++size;
  const std::string_view digits = text.substr(0, size);
  text.remove_prefix(size);
  return digits;
}

// `text` is what follows the number, an exponent or nothing.
std::optional<int64_t> ReadExponent(std::string_view text) {
  if (text.empty()) return 0;
  if (text[0] != 'e' && text[0] != 'E') return std::nullopt;
  text.remove_prefix(1);
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  const std::string_view digits = TakeDigits(text);
  if (digits.empty() || !text.empty()) return std::nullopt;
  int64_t exponent = 0;
  for (const char c : digits) exponent = std::min(exponent * 10 + (c - '0'), kExponentMax);
  return negative ? -exponent : exponent;
}

// The digits of whole and fraction read as one number whose last digit has this power of ten.
std::optional<ParsedAmount> FromDigits(std::string_view whole, std::string_view fraction, int64_t power) {
  const size_t size = whole.size() + fraction.size();
  const auto digit = [&](size_t i) {
    return (i < whole.size() ? whole[i] : fraction[i - whole.size()]) - '0';
  };
  size_t begin = 0;
  while (begin < size && digit(begin) == 0) ++begin;
  const auto left = static_cast<int64_t>(size - begin);
  const int64_t kept = std::clamp(left + std::min<int64_t>(power, 0), int64_t{0}, left);
  if (left == 0) return ParsedAmount{.amount = {0}};
  if (kept + std::max<int64_t>(power, 0) > kDigitsMax) return std::nullopt;
  ParsedAmount parsed{.amount = {0}};
  for (size_t i = begin; i < size; ++i) {
    if (static_cast<int64_t>(i - begin) < kept) {
      parsed.amount.units = parsed.amount.units * 10 + digit(i);
    } else {
      parsed.precision_loss = parsed.precision_loss || digit(i) != 0;
    }
  }
  for (; power > 0; --power) parsed.amount.units *= 10;
  return parsed;
}

absl::uint128 Magnitude(absl::int128 value) {
  return value < 0 ? absl::uint128(0) - static_cast<absl::uint128>(value) : static_cast<absl::uint128>(value);
}

}  // namespace

absl::int128 Pow10(int exponent) {
  absl::int128 power = 1;
  for (int i = 0; i < exponent; ++i) power *= 10;
  return power;
}

std::optional<ParsedAmount> ParseAmount(std::string_view text, int decimals) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const std::string_view whole = TakeDigits(text);
  std::string_view fraction;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    fraction = TakeDigits(text);
  }
  if (whole.empty() && fraction.empty()) return std::nullopt;
  const std::optional<int64_t> exponent = ReadExponent(text);
  if (!exponent.has_value()) return std::nullopt;
  auto parsed = FromDigits(whole, fraction, *exponent + decimals - static_cast<int64_t>(fraction.size()));
  if (parsed.has_value() && negative) {
    parsed->amount.units = -parsed->amount.units - (parsed->precision_loss ? 1 : 0);
  }
  return parsed;
}

void AppendInteger(absl::int128 value, std::string& out) {
  std::array<char, 40> digits;
  size_t at = digits.size();
  absl::uint128 left = Magnitude(value);
  do {
    digits[--at] = static_cast<char>('0' + static_cast<int>(left % 10));
    left /= 10;
  } while (left != 0);
  if (value < 0) digits[--at] = '-';
  out.append(digits.data() + at, digits.size() - at);
}

bool AppendCanonical(const Amount& value, std::string& out) {
  if (!value.known()) return false;
  return AppendInteger(value.units, out), true;
}

bool AppendCanonical(const Millionths& value, std::string& out) {
  if (!value.known()) return false;
  if (value.units < 0) out.push_back('-');
  const absl::uint128 units = Magnitude(value.units);
  AppendInteger(static_cast<absl::int128>(units / kMillion), out);
  const std::string fraction = std::to_string(static_cast<uint64_t>(units % kMillion) + kMillion);
  return out.append(".").append(fraction, 1), true;
}

Millionths Quotient(const Product& num, const Product& den, uint64_t scale) {
  for (const absl::int128 factor : {num.a, num.b, den.a, den.b}) {
    if (!Amount{factor}.known()) return {};
  }
  Wide over = Wide::Product(Magnitude(num.a), Magnitude(num.b));
  over *= scale;
  over *= kMillion;
  const auto quotient = Wide::Divide(over, Wide::Product(Magnitude(den.a), Magnitude(den.b)));
  if (!quotient.has_value()) return {};
  const auto value = static_cast<absl::int128>(*quotient);
  return {(num.a < 0) != (num.b < 0) ? -value : value};
}

bool IsWithin(const Product& a, const Product& b, uint64_t tolerance_ppm) {
  Wide left = Wide::Product(Magnitude(a.a), Magnitude(a.b)),
       right = Wide::Product(Magnitude(b.a), Magnitude(b.b));
  Wide tolerance = right;
  tolerance *= tolerance_ppm;
  if (left < right) std::swap(left, right);
  left -= right;
  left *= kMillion;
  return left <= tolerance;
}

}  // namespace medallion::launchpad
