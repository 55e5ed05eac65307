#include "medallion/base/decimal.h"

#include <algorithm>
#include <compare>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <type_traits>

#include "../catch.h"

namespace medallion {
namespace {

// Nothing becomes a decimal by accident, and a float not even on purpose.
static_assert(!std::is_convertible_v<double, Decimal> && !std::is_constructible_v<Decimal, double>);
static_assert(!std::is_convertible_v<float, Decimal> && !std::is_constructible_v<Decimal, float>);
static_assert(!std::is_convertible_v<int64_t, Decimal> && std::is_constructible_v<Decimal, int64_t>);
static_assert(!std::is_convertible_v<std::string, Decimal> && !std::is_constructible_v<Decimal, std::string>);
static_assert(!std::is_convertible_v<Decimal, double> && !std::is_convertible_v<Decimal, int64_t>);
static_assert(Decimal(4) == Decimal(4) && Decimal(0) == Decimal() && Decimal(-4) != Decimal(4));

constexpr std::string_view kNothing = "nothing";

std::string Text(const Decimal& decimal) {
  std::string text;
  decimal.AppendTo(text);
  return text;
}

std::string Read(std::string_view text, int exponent10 = 0) {
  const std::optional<Decimal> decimal = Decimal::Parse(text, exponent10);
  return decimal ? Text(*decimal) : std::string(kNothing);
}

std::string Fixed(int64_t units, int digits) {
  std::string text;
  AppendFixed(units, digits, text);
  return text;
}

const std::string k15 = "123456789012345";
const std::string k30 = "000000000000000000000000000001";
std::string Nines(size_t count) { return std::string(count, '9'); }
std::string Zeros(size_t count) { return std::string(count, '0'); }

struct Row {
  std::string text;
  std::string value;
};

// A random number twice: as anybody might write it, and laid out in 15 and 30 places, whose order and
// equality are those of the magnitude.
struct Sample {
  bool negative = false;
  std::string text;
  std::string places;
};

std::string AnyDigits(size_t count, std::mt19937_64& random) {
  std::string digits;
  for (; count > 0; --count) digits += "0019"[random() % 4];
  return digits;
}

Sample AnySample(std::mt19937_64& random) {
  constexpr size_t kWhole[] = {1, 1, 2, 3, 15}, kFraction[] = {0, 1, 1, 3, 16, 30};
  const std::string whole = AnyDigits(kWhole[random() % 5], random);
  const std::string fraction = AnyDigits(kFraction[random() % 6], random);
  Sample sample;
  sample.places = Zeros(15 - whole.size()) + whole + fraction + Zeros(30 - fraction.size());
  sample.negative = random() % 2 == 0 && sample.places.find_first_not_of('0') != std::string::npos;
  const size_t zeros = random() % 40;
  sample.text = (sample.negative ? "-" : "") + Zeros(random() % 3) + whole;
  switch (random() % 3) {
    case 0: sample.text += "." + fraction + Zeros(zeros); break;
    case 1:  // the point moved to the end
      sample.text += fraction + Zeros(zeros) + "E-" + std::to_string(fraction.size() + zeros);
      break;
    default:  // the point moved to the front
      sample.text.insert(sample.negative ? 1 : 0, "." + Zeros(zeros));
      sample.text += fraction + "e" + std::to_string(sample.text.size() - (sample.negative ? 2 : 1));
      break;
  }
  return sample;
}

}  // namespace

TEST_CASE("decimal: what is a number") {
  for (const Row& row : std::initializer_list<Row>{
           {"0", "0"},
           {"-0", "0"},  // there is one zero
           {"+0.000", "0"},
           {"-.0e-5", "0"},
           {"7", "7"},
           {"+3", "3"},
           {"-1.50", "-1.5"},
           {"4.0", "4"},
           {"4000", "4000"},
           {"007.50", "7.5"},
           {".5", "0.5"},
           {"5.", "5"},
           {"4e3", "4000"},
           {"1E+3", "1000"},
           {"1.5e-3", "0.0015"},
           {"5.e1", "50"},
           {".5e1", "5"},
           {"1e-000001", "0.1"},
           {"7.2", "7.2"},  // no binary fraction in between
           {"0.1", "0.1"},
           {"9007199254740993", kNothing.data()},  // 16 digits, beyond what a double holds
           {"900719925474099.3", "900719925474099.3"},
       }) {
    CAPTURE(row.text);
    CHECK(Read(row.text) == row.value);
  }
}

TEST_CASE("decimal: what is no number") {
  for (const std::string_view text : {
           "",      "+",    "-",     ".",     "+.",    "-.",   "e5",    ".e5",      "E",
           "1e",    "1e+",  "1e-",   "1e5.5", "1e5e5", "1e 5", "1e+-5", "1,5",      "1.5,0",
           "1.2.3", "1..2", "1'000", "1_000", "1 000", " 1",   "1 ",    "\t1",      "1\n",
           "--1",   "+-1",  "-+1",   "1-",    "- 1",   "NaN",  "nan",   "Infinity", "-inf",
           "0x10",  "1f",   "1L",    "$1",    "1%",    "½",    "١",     "null",     "true",
       }) {
    CAPTURE(text);
    CHECK(Read(text) == kNothing);
  }
  CHECK(Read(std::string_view("1\0", 2)) == kNothing);
  CHECK(Read(std::string_view("\0", 1)) == kNothing);
}

TEST_CASE("decimal: 15 digits before the point and 30 after it, zeros at either end not counted") {
  for (const Row& row : std::initializer_list<Row>{
           {k15, k15},
           {"-" + Nines(15), "-" + Nines(15)},
           {"1" + Zeros(14), "1" + Zeros(14)},
           {"1" + Zeros(15), std::string(kNothing)},
           {Nines(16), std::string(kNothing)},
           {"0." + k30, "0." + k30},
           {"0." + k30 + "0", "0." + k30},
           {"0.0" + k30, std::string(kNothing)},
           {Nines(15) + "." + Nines(30), Nines(15) + "." + Nines(30)},
           {Nines(15) + "." + Nines(31), std::string(kNothing)},
           {Nines(16) + "." + Nines(30), std::string(kNothing)},
           {Zeros(400) + k15 + "." + k30 + Zeros(400), k15 + "." + k30},
           {Nines(400), std::string(kNothing)},
           {"0." + Nines(400), std::string(kNothing)},
       }) {
    CAPTURE(row.text);
    CHECK(Read(row.text) == row.value);
  }
}

TEST_CASE("decimal: any exponent") {
  for (const Row& row : std::initializer_list<Row>{
           {"1e14", "1" + Zeros(14)},
           {"1e15", std::string(kNothing)},
           {"10e14", std::string(kNothing)},
           {"999999999999999000e-3", Nines(15)},
           {"9999999999999990000e-4", Nines(15)},  // 19 digits
           {"1e-30", "0." + k30},
           {"1e-31", std::string(kNothing)},
           {"10e-31", "0." + k30},
           {"999999999999999999e-30", "0." + Zeros(12) + Nines(18)},
           {"999999999999999999e-19", "0.0" + Nines(18)},
           {"999999999999999999e-18", "0." + Nines(18)},
           {"999999999999999999e-17", "9." + Nines(17)},
           {"1e400", std::string(kNothing)},
           {"1e-400", std::string(kNothing)},
           {"1" + Zeros(400) + "e-400", "1"},
           {"0." + Zeros(400) + "25e401", "2.5"},
           {Zeros(400) + "1e2", "100"},
           {"0e999999999999", "0"},
           {"-0.0e-999999999999", "0"},
           {"1e999999999999", std::string(kNothing)},
           {"1e-999999999999", std::string(kNothing)},
           {"1e9223372036854775807", std::string(kNothing)},
           {"1e-9223372036854775808", std::string(kNothing)},
           {"1e18446744073709551616", std::string(kNothing)},  // 2^64: must not come out as 1e0
           {"1e-18446744073709551616", std::string(kNothing)},
           {"1e" + Nines(400), std::string(kNothing)},
           {"0e-" + Nines(400), "0"},
           {"1e" + Zeros(400) + "3", "1000"},
       }) {
    CAPTURE(row.text);
    CHECK(Read(row.text) == row.value);
  }
}

TEST_CASE("decimal: scaled while it is read") {
  struct Case {
    std::string text;
    int exponent10;
    std::string_view value;
  };
  constexpr int kMin = std::numeric_limits<int>::min(), kMax = std::numeric_limits<int>::max();
  for (const Case& c : std::initializer_list<Case>{
           {"7.2", 3, "7200"},
           {"1.5e3", 3, "1500000"},
           {"7200", -3, "7.2"},
           {"0.0005", 3, "0.5"},
           {"-1", -1, "-0.1"},
           {k15, 1, kNothing},    // the scaled value counts,
           {k15 + "0", -1, k15},  // and it alone
           {"1e1000", -1000, "1"},
           {"0", kMax, "0"},
           {"0", kMin, "0"},
           {"1", kMax, kNothing},
           {"1", kMin, kNothing},
           {"1e2147483648", kMin, "1"},
           {"1e-2147483647", kMax, "1"},
           {"1e" + Nines(400), kMax, kNothing},
           {"1e-" + Nines(400), kMin, kNothing},
       }) {
    CAPTURE(c.text, c.exponent10);
    CHECK(Read(c.text, c.exponent10) == c.value);
  }
}

TEST_CASE("decimal: ten million digits do no harm") {
  const std::string zeros = Zeros(10'000'000), nines = Nines(10'000'000);
  CHECK(Read(nines) == kNothing);
  CHECK(Read("0." + nines) == kNothing);
  CHECK(Read("1e" + nines) == kNothing);
  CHECK(Read("1" + zeros + "e-10000000") == "1");
  CHECK(Read("0." + zeros + "1e10000001") == "1");
  CHECK(Read(zeros + "." + zeros) == "0");
}

TEST_CASE("decimal: equal by value") {
  CHECK(Decimal::Parse("4.0") == Decimal(4));
  CHECK(Decimal::Parse("4000e-3") == Decimal(4));
  CHECK(Decimal::Parse("-0") == Decimal());
  CHECK(Decimal::Parse("-0.0")->negative() == false);
  CHECK(Decimal::Parse("-0.1")->negative());
  CHECK(Decimal::Parse("-0.1")->is_zero() == false);
  CHECK(Decimal::Parse("0e9")->is_zero());
  CHECK(Text(Decimal(-999'999'999'999'999)) == "-" + Nines(15));
}

TEST_CASE("decimal: rounded half up, away from zero") {
  struct Case {
    std::string text;
    int digits;
    std::optional<int64_t> units;
    bool whole;
  };
  constexpr int64_t k18 = 999'999'999'999'999'999;
  for (const Case& c : std::initializer_list<Case>{
           {"0", 3, 0, true},
           {"7.5", 3, 7500, true},
           {"7.5", 0, 8, false},
           {"-7.5", 0, -8, false},
           {"7.4999", 0, 7, false},
           {"-7.4999", 0, -7, false},
           {"6.5", 0, 7, false},  // not half to even
           {"0.0005", 3, 1, false},
           {"-0.0005", 3, -1, false},
           {"0.00049", 3, 0, false},
           {"-0.00049", 3, 0, false},
           {"0.000" + Nines(27), 3, 1, false},
           {"0.0004" + Nines(26), 3, 0, false},  // just below half
           {"0." + k30, 6, 0, false},
           {"0.9999995", 6, 1'000'000, false},
           {"1.234567", 6, 1'234'567, true},
           {"1.2345670000", 6, 1'234'567, true},
           {"1.2345674", 6, 1'234'567, false},
           {"1.2345", 3, 1'235, false},
           {"1.2345", 4, 12'345, true},
           {Nines(15) + ".999", 3, k18, true},
           {"-" + Nines(15) + ".999", 3, -k18, true},
           {Nines(15) + ".9994", 3, k18, false},
           {Nines(15) + ".9995", 3, std::nullopt, false},  // 19 digits once rounded
           {Nines(14) + ".9999", 4, k18, true},
           {Nines(15), 4, std::nullopt, true},
           {Nines(12) + "." + Nines(6), 6, k18, true},
           {"1" + Zeros(12), 6, std::nullopt, true},
           {"-1" + Zeros(12), 6, std::nullopt, true},
           {Nines(15), 0, 999'999'999'999'999, true},
           {Nines(15) + ".5", 0, 1'000'000'000'000'000, false},
       }) {
    CAPTURE(c.text, c.digits);
    const std::optional<Decimal> decimal = Decimal::Parse(c.text);
    REQUIRE(decimal);
    CHECK(decimal->Rounded(c.digits) == c.units);
    CHECK(decimal->IsWhole(c.digits) == c.whole);
  }
}

TEST_CASE("decimal: units with a fixed number of digits") {
  struct Case {
    int64_t units;
    int digits;
    std::string_view text;
  };
  for (const Case& c : std::initializer_list<Case>{
           {7500, 3, "7.500"},
           {0, 3, "0.000"},
           {0, 1, "0.0"},
           {5, 3, "0.005"},
           {-5, 3, "-0.005"},
           {-500, 3, "-0.500"},
           {1234, 2, "12.34"},
           {1, 6, "0.000001"},
           {999'999'999'999'999'999, 3, "999999999999999.999"},
           {std::numeric_limits<int64_t>::min(), 6, "-9223372036854.775808"},
           {std::numeric_limits<int64_t>::max(), 1, "922337203685477580.7"},
       }) {
    CAPTURE(c.units, c.digits);
    CHECK(Fixed(c.units, c.digits) == c.text);
  }
}

TEST_CASE("decimal: appending leaves what is there") {
  std::string text = "100";
  Decimal(0).AppendTo(text);
  Decimal::Parse("0.10")->AppendTo(text);
  AppendFixed(-10, 1, text);
  CHECK(text == "10000.1-1.0");
}

TEST_CASE("decimal: sums are exact, and as large as any decimal") {
  const auto sum = [](std::string_view a, std::string_view b) {
    const auto both = Decimal::Sum(Decimal::Parse(a).value(), Decimal::Parse(b).value());
    return both ? Text(*both) : std::string(kNothing);
  };
  CHECK(sum("1", "2") == "3");
  CHECK(sum("0.1", "0.2") == "0.3");
  CHECK(sum("0", "-0") == "0");
  CHECK(sum("0.7", "0.3") == "1");
  CHECK(sum("1.999999999999999999999999999999", "0.000000000000000000000000000001") == "2");
  CHECK(sum("999999999999999", "0.5") == "999999999999999.5");
  CHECK(sum("999999999999999", "1") == kNothing);
  CHECK(sum("999999999999999.5", "0.5") == kNothing);
  CHECK(sum("-1", "2") == kNothing);
  CHECK(sum("1", "-2") == kNothing);
}

TEST_CASE("decimal: ordered by value") {
  const std::string in_order[] = {
      "-" + Nines(15) + "." + Nines(30),
      "-" + Nines(15),
      "-10",
      "-2.5",
      "-2",
      "-1.000001",
      "-1",
      "-0." + k30,
      "0",
      "0." + k30,
      "0.09",
      "0.1",
      "0.10001",
      "1",
      "1." + k30,
      "9.99",
      "10",
      Nines(15),
      Nines(15) + "." + Nines(30),
  };
  const size_t count = std::size(in_order);
  for (size_t i = 0; i < count; ++i) {
    for (size_t j = 0; j < count; ++j) {
      CAPTURE(in_order[i], in_order[j]);
      CHECK((*Decimal::Parse(in_order[i]) <=> *Decimal::Parse(in_order[j])) == (i <=> j));
      CHECK((Decimal::Parse(in_order[i]) == Decimal::Parse(in_order[j])) == (i == j));
    }
  }
}

TEST_CASE("decimal: what is written reads back as the same value") {
  const uint32_t seed = GENERATE(range(0u, 100u));
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  for (int i = 0; i < 50; ++i) {
    const Sample sample = AnySample(random);
    CAPTURE(sample.text, sample.places);
    const std::optional<Decimal> decimal = Decimal::Parse(sample.text);
    REQUIRE(decimal);

    std::string plain = sample.places.substr(0, 15) + "." + sample.places.substr(15);
    plain.erase(plain.find_last_not_of('0') + 1);
    if (plain.back() == '.') plain.pop_back();
    plain.erase(0, std::min(plain.find_first_not_of('0'), plain.size()));
    if (plain.empty() || plain[0] == '.') plain.insert(0, "0");
    if (sample.negative) plain.insert(0, "-");
    CHECK(Text(*decimal) == plain);
    CHECK(Decimal::Parse(plain) == decimal);
  }
}

TEST_CASE("decimal: the order is that of the written digits") {
  const uint32_t seed = GENERATE(range(0u, 100u));
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  for (int i = 0; i < 50; ++i) {
    const Sample a = AnySample(random), b = AnySample(random);
    CAPTURE(a.text, b.text);
    std::strong_ordering order = a.negative ? b.places <=> a.places : a.places <=> b.places;
    if (a.negative != b.negative) order = b.negative <=> a.negative;
    CHECK((*Decimal::Parse(a.text) <=> *Decimal::Parse(b.text)) == order);
    CHECK((Decimal::Parse(a.text) == Decimal::Parse(b.text)) == (order == 0));
  }
}

TEST_CASE("decimal: rounding looks at the first digit it drops") {
  const uint32_t seed = GENERATE(range(0u, 100u));
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  for (int i = 0; i < 50; ++i) {
    const int digits = 1 + static_cast<int>(random() % 6);
    const int64_t units = static_cast<int64_t>(random() % 200'000'000'000'000) - 100'000'000'000'000;
    std::string dropped;
    for (size_t n = random() % 25; n > 0; --n) dropped += static_cast<char>('0' + random() % 10);
    const std::string text = Fixed(units, digits) + dropped;
    CAPTURE(text, digits);
    const bool up = !dropped.empty() && dropped[0] >= '5';
    const int64_t away = text[0] == '-' ? -1 : 1;
    CHECK(Decimal::Parse(text)->Rounded(digits) == units + (up ? away : 0));
    CHECK(Decimal::Parse(text)->IsWhole(digits) == (dropped.find_first_not_of('0') == std::string::npos));
    CHECK(Read(Fixed(units, digits)) == Text(*Decimal::Parse(std::to_string(units), -digits)));
  }
}

}  // namespace medallion
