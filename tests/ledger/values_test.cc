// Small values of the ledger: money, assets.
#include <string>
#include <string_view>
#include <utility>

#include "medallion/ledger/assets.h"
#include "medallion/ledger/minor_units.h"
#include "tests/catch.h"
#include "tests/feed.h"

namespace medallion::ledger {
namespace {

using testing::Random;

static_assert(!std::is_constructible_v<MinorUnits, double>);

std::string Text(const std::optional<Millionths>& value) {
  std::string text;
  return value && AppendCanonical(*value, text) ? text : "null";
}

TEST_CASE("ledger money: whole numbers of 256 bits") {
  const std::string large(70, '9');
  CHECK(ParseWhole(large)->ToText() == large);
  CHECK((*ParseWhole(large) + 1).ToText() == "1" + std::string(70, '0'));
  CHECK((-*ParseWhole(large)).ToText() == "-" + large);
  CHECK(MinorUnits(0).ToText() == "0");
  CHECK(MinorUnits(-1).ToText() == "-1");
  CHECK(MinorUnits(std::numeric_limits<int64_t>::min()).ToText() == "-9223372036854775808");
  CHECK(ParseWhole("10000000000000000000")->ToText() == "10000000000000000000");  // 10^19
  CHECK(ParseWhole("100000000000000000000000000000000000001")->ToText() ==
        "100000000000000000000000000000000000001");
  CHECK(LargestAmount().ToText() == "1" + std::string(36, '0'));
  CHECK((MinorUnits(-3) * -7).ToText() == "21");
  CHECK((LargestAmount() * -1'000'000).ToText() == "-1" + std::string(42, '0'));
  for (const char* none : {"", "-1", "+1", "1.0", "1e3", " 1", "x"})
    CHECK_FALSE(ParseWhole(none).has_value());
  CHECK_FALSE(ParseWhole(std::string(77, '9')).has_value());
  CHECK(ParseWhole(std::string(200, '0') + "5")->ToText() == "5");
}

TEST_CASE("ledger money: arithmetic equals that of 128 bits where that suffices") {
  Random random(1);
  const auto number = [&] {
    const auto high = static_cast<int64_t>(random.Next()) >> random.Below(64);
    return random.Chance(300'000) ? absl::int128(high) : absl::int128(high) * 1'000'003;
  };
  const auto units = [](absl::int128 value) {
    const bool negative = value < 0;
    absl::uint128 rest = absl::uint128(negative ? -value : value);
    std::string digits;
    do {
      digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(rest % 10)));
    } while ((rest /= 10) != 0);
    return negative ? -*ParseWhole(digits) : *ParseWhole(digits);
  };
  for (int i = 0; i < 20'000; ++i) {
    const absl::int128 a = number(), b = number();
    REQUIRE(units(a) + units(b) == units(a + b));
    REQUIRE(units(a) - units(b) == units(a - b));
    REQUIRE((units(a) < units(b)) == (a < b));
    if (b == 0) continue;
    const MinorUnits::Division made = MinorUnits::Divide(units(a), units(b));
    REQUIRE(made.quotient == units(a / b));
    REQUIRE(made.rest == units(a % b));
    // By numbers over 128 bits, where the quotient is known beforehand.
    const MinorUnits wide = units(b) * 1'000'000'000'000'000'000 * 1'000'000'000'000'000'000;
    const MinorUnits times = *ParseWhole("3000000007");
    MinorUnits product;
    for (int j = 0; j < 7; ++j) product += wide;
    REQUIRE(MinorUnits::Divide(product, wide).quotient == MinorUnits(7));
    REQUIRE(MinorUnits::Divide(product + times.magnitude(), wide.magnitude()).quotient.magnitude() <=
            MinorUnits(7));
  }
}

TEST_CASE("ledger money: fractions have six places, ties to the even digit") {
  struct Case {
    int64_t over, under;
    const char* text;
  };
  for (const Case& c : std::initializer_list<Case>{
           {2, 3, "0.666667"},
           {1, 3, "0.333333"},
           {-2, 3, "-0.666667"},
           {2, -3, "-0.666667"},
           {1, 2'000'000, "0.000000"},  // 0.0000005: a tie, to the even zero
           {3, 2'000'000, "0.000002"},  // 0.0000015
           {5, 2'000'000, "0.000002"},  // 0.0000025
           {-3, 2'000'000, "-0.000002"},
           {30, 1, "30.000000"},
           {0, 5, "0.000000"},
           {1, 0, "null"},
       }) {
    CAPTURE(c.over, c.under);
    CHECK(Text(Fraction(c.over, c.under)) == c.text);
  }
  CHECK(Text(Fraction(LargestAmount() * 1'000'000'000, LargestAmount() * 3)) == "333333333.333333");
}

TEST_CASE("ledger money: decimals in major units lose nothing") {
  using Problem = ScaledAmount::Problem;
  struct Case {
    const char* decimal;
    int exponent;
    Problem problem;
    const char* units;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"12.50", 2, Problem::kNone, "1250"},
           {"12.5", 2, Problem::kNone, "1250"},
           {"12.500", 2, Problem::kNone, "1250"},
           {"12.505", 2, Problem::kTooManyDigits, "0"},
           {"-3", 0, Problem::kNone, "-3"},
           {"1e3", 0, Problem::kNone, "1000"},
           {"1.5e-1", 2, Problem::kNone, "15"},
           {"0.00", 0, Problem::kNone, "0"},
           {"-0", 2, Problem::kNone, "0"},
           {"1e999999", 2, Problem::kOverflow, "0"},
           {"1e99999999999999999999", 2, Problem::kNoNumber, "0"},
           {"", 2, Problem::kNoNumber, "0"},
           {".", 2, Problem::kNoNumber, "0"},
           {"NaN", 2, Problem::kNoNumber, "0"},
           {"1.2.3", 2, Problem::kNoNumber, "0"},
           {"--1", 2, Problem::kNoNumber, "0"},
       }) {
    CAPTURE(c.decimal);
    const ScaledAmount scaled = ParseScaled(c.decimal, c.exponent);
    CHECK(scaled.problem == c.problem);
    CHECK(scaled.units.ToText() == c.units);
  }
  CHECK(CanonicalDecimal("12.50") == "12.5");
  CHECK(CanonicalDecimal("1250e-2") == "12.5");
  CHECK(CanonicalDecimal("-0.050") == "-0.05");
  CHECK(CanonicalDecimal("000") == "0");
  CHECK(CanonicalDecimal("1e2") == "100");
  CHECK_FALSE(CanonicalDecimal("1e999999").has_value());
  CHECK(FromBigEndian(std::string_view("\x04\xE2", 2)) == MinorUnits(1250));
  CHECK(FromBigEndian(std::string_view("\xFF", 1)) == MinorUnits(-1));
  CHECK(FromBigEndian(std::string_view("\x00\xFF", 2)) == MinorUnits(255));
  CHECK_FALSE(FromBigEndian("").has_value());
  CHECK_FALSE(FromBigEndian(std::string(33, 'x')).has_value());
}

TEST_CASE("ledger assets: ISO codes and symbols with a scale") {
  for (const auto& [asset, exponent] : std::initializer_list<std::pair<const char*, int>>{
           {"EUR", 2},       {"USD", 2},    {"JPY", 0},     {"KWD", 3},       {"BHD", 3},
           {"CLF", 4},       {"AED", 2},    {"ZWL", 2},     {"XPF", 0},       {"XCG", 2},
           {"ZWG", 2},       {"SLE", 2},    {"BIF", 0},     {"USDC/6", 6},    {"XAU/4", 4},
           {"a.b-c_1/0", 0}, {"X/36", 36},  {"XAU", -1},    {"eur", -1},      {"EU", -1},
           {"", -1},         {"EUR/2", -1}, {"EUR/3", -1},  {"USDC/", -1},    {"USDC/06", -1},
           {"USDC/37", -1},  {"/2", -1},    {"U SD/2", -1}, {"USDC/6/1", -1}, {"ABCDEFGHIJKLMNOPQ/2", -1},
       }) {
    CAPTURE(asset);
    CHECK(AssetExponent(asset).value_or(-1) == exponent);
  }
  CHECK(ContradictsIso("EUR/3"));
  CHECK_FALSE(ContradictsIso("EUR/2"));
  CHECK_FALSE(ContradictsIso("USDC/6"));
}

}  // namespace
}  // namespace medallion::ledger
