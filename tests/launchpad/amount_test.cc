#include "medallion/launchpad/amount.h"

#include <initializer_list>

#include "medallion/base/pack.h"
#include "tests/catch.h"
#include "wide.h"

namespace medallion::launchpad {
namespace {

std::string Text(const auto& value) {
  std::string text;
  return AppendCanonical(value, text) ? text : "null";
}

TEST_CASE("amount: number text becomes base units, exactly") {
  struct Case {
    const char* text;
    int decimals;
    const char* units;
    bool loss = false;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"97545454.545454", 6, "97545454545454"},
           {"9.271870794", 9, "9271870794"},
           {"1", 6, "1000000"},
           {"0", 6, "0"},
           {"0.0000019", 6, "1", true},    // more digits than base units: floored
           {"-0.0000019", 6, "-2", true},  // floored, not cut
           {"1.5000000", 6, "1500000"},    // zeros lose nothing
           {"1e3", 6, "1000000000"},
           {"1.5E-5", 6, "15"},
           {"1e-7", 6, "0", true},
           {"0e999999999999", 6, "0"},
           {"1e-999999999999", 6, "0", true},
           {"0001", 0, "1"},
           {"9999999999999999999999999999999999999", 0, "9999999999999999999999999999999999999"},
           {"340282366920938463463374607431768211456", 0, "null"},  // 2^128
           {"1e38", 0, "null"},
           {"1e99999999999999999999", 0, "null"},
           {".5", 6, "500000"},
           {"5.", 0, "5"},
           {"", 6, "null"},
           {"-", 6, "null"},
           {".", 6, "null"},
           {"1x", 6, "null"},
           {"1e", 6, "null"},
           {"1 ", 6, "null"},
           {"+1", 6, "null"},
           {"NaN", 6, "null"},
       }) {
    CAPTURE(c.text, c.decimals);
    const auto parsed = ParseAmount(c.text, c.decimals);
    CHECK(Text(parsed.has_value() ? parsed->amount : Amount{}) == c.units);
    CHECK((parsed.has_value() && parsed->precision_loss) == c.loss);
  }
}

TEST_CASE("amount: quotients are exact fractions, rounded half-even") {
  const absl::int128 large = Pow10(37);
  struct Case {
    Product num, den;
    uint64_t scale;
    const char* quotient;
  };
  for (const Case& c : std::initializer_list<Case>{
           {{1, 3}, {4, 1}, 1, "0.750000"},
           {{1, 1}, {3, 1}, 10'000, "3333.333333"},
           {{2, 1}, {3, 1}, 1, "0.666667"},
           {{5, 1}, {10'000'000, 1}, 1, "0.000000"},   // half of a millionth: to the even
           {{15, 1}, {10'000'000, 1}, 1, "0.000002"},  // and a half: to the even
           {{-15, 1}, {10'000'000, 1}, 1, "-0.000002"},
           {{0, 1}, {7, 1}, 1, "0.000000"},
           {{7, 1}, {0, 1}, 1, "null"},
           {{large, large}, {large, large}, 10'000, "10000.000000"},
           {{large, large}, {large, 3}, 1, "null"},  // does not fit
           {{large, 1}, {3, large}, 1, "0.333333"},
           {{Amount{}.units, 1}, {3, 1}, 1, "null"},
       }) {
    CHECK(Text(Quotient(c.num, c.den, c.scale)) == c.quotient);
  }
}

TEST_CASE("amount: division of wide numbers agrees with multiplication") {
  absl::uint128 state = 88172645463325252u;
  const auto next = [&] {
    state = state * absl::MakeUint128(2549297995355413924u, 4865540595714422341u) + 1;
    return state >> static_cast<int>(state % 100);
  };
  for (int i = 0; i < 3'000; ++i) {
    const absl::uint128 den = next() + 1, quotient = next() >> 2, rest = next() % den;
    Wide num = Wide::Product(den, quotient);
    num += Wide(rest);
    const auto got = Wide::Divide(num, Wide(den));
    REQUIRE(got.has_value());
    const absl::uint128 left = den - rest;
    const bool up = rest > left || (rest == left && quotient % 2 == 1);
    REQUIRE(*got == quotient + (up ? 1 : 0));
  }
}

TEST_CASE("amount: within a tolerance, both ends included") {
  CHECK(IsWithin({1'001, 1}, {1'000, 1}, 1'000));
  CHECK(IsWithin({999, 1}, {1'000, 1}, 1'000));
  CHECK_FALSE(IsWithin({1'002, 1}, {1'000, 1}, 1'000));
  CHECK_FALSE(IsWithin({998, 1}, {1'000, 1}, 1'000));
  CHECK(IsWithin({0, 1}, {0, 1}, 1));
}

struct Holder {
  Amount amount;
  Millionths share;
};
template <class Row, class Visitor>
  requires std::same_as<std::remove_const_t<Row>, Holder>
void VisitFields(Row& row, Visitor&& visit) { visit(row.amount), visit(row.share); }

TEST_CASE("amount: the stores give back what they were given") {
  for (const absl::int128 units : {absl::int128(0), absl::int128(1), absl::int128(-1), Pow10(37), -Pow10(37),
                                   absl::int128(1) << 64, Amount{}.units}) {
    const bool known = Amount{units}.known();
    const Holder holder{{units}, {known ? -units : units}};
    PackWriter writer;
    writer(holder);
    Arena texts;
    PackReader reader(writer.bytes(), texts);
    Holder back{{77}, {77}};
    reader(back);
    CHECK((reader.ok() && reader.at_end()));
    CHECK(back.amount.units == holder.amount.units);
    CHECK(back.share.units == holder.share.units);
  }
}

}  // namespace
}  // namespace medallion::launchpad
