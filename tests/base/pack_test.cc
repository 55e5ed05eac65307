#include "medallion/base/pack.h"

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "../catch.h"
#include "medallion/base/decimal.h"

namespace medallion {
namespace {

const Vocabulary& Words() {
  static const Vocabulary words = {"Wh", "kWh", "Outlet"};
  return words;
}

struct Row {
  std::string hex = {}, word = {};
  std::optional<int32_t> number = {};
  UtcTime time = kNoTime;
  std::vector<std::string> list = {};
  int32_t version = 1;
  std::string reading = {};
  std::array<std::string, 24> after = {};  // so many that the last is of a third group
  std::string last = {};
  bool operator==(const Row&) const = default;
};
template <class R, class Visitor>
  requires std::same_as<std::remove_const_t<R>, Row>
void VisitFields(R& row, Visitor&& visit) {
  using Text = std::remove_reference_t<decltype((row.hex))>;
  visit(Hexadecimal<Text>{row.hex}), visit(Word<Text>{row.word, Words()});
  visit(row.number), visit(row.time), visit(row.list);
  visit(Usually<std::remove_reference_t<decltype((row.version))>>{row.version, 1});
  visit(DecimalOf<Text>{row.reading, row.number ? std::optional<int64_t>(*row.number) : std::nullopt, 3});
  for (auto& text : row.after) visit(text);
  visit(row.last);
}

std::string Packed(const Row& row) {
  PackWriter writer;
  writer(row);
  return std::string(writer.bytes());
}

TEST_CASE("pack: what was written is read, in as few bytes as its kind allows") {
  constexpr size_t kMask = 2;
  struct Case {
    Row row;
    size_t bytes;
  };
  for (const Case& c : std::initializer_list<Case>{
           {{}, kMask},
           {{.hex = "00ff"}, kMask + 1 + 2},
           {{.hex = "0ff"}, kMask + 1 + 3},   // an odd number of digits
           {{.hex = "00FF"}, kMask + 1 + 4},  // upper case would be lost
           {{.hex = "00fg"}, kMask + 1 + 4},
           {{.hex = "a"}, kMask + 1 + 1},
           {{.hex = "0123abcd-0123-4567-89ab-0123456789ab"}, kMask + 1 + 16},
           {{.hex = "0123abcd-0123-4567-89ab-0123456789aB"}, kMask + 1 + 36},
           {{.hex = "0123abcd+0123-4567-89ab-0123456789ab"}, kMask + 1 + 36},
           {{.hex = "0123abcd00123045670890ab00123456789ab"}, kMask + 1 + 37},
           {{.word = "kWh"}, kMask + 1},
           {{.word = "kwh"}, kMask + 2 + 3},  // no word of the vocabulary
           {{.number = 0}, kMask + 1},        // a zero that is there is no null
           {{.number = -65}, kMask + 2},
           {{.time = {0}}, kMask + 1},
           {{.list = {"x", ""}}, kMask + 1 + 2 + 1},
           {{.version = 2}, kMask + 1},
           {{.version = 0}, kMask + 1},  // null would be what it usually is
           {{.number = 12345, .reading = "12.345"}, kMask + 3 + 1},
           {{.number = -1500, .reading = "-1.5"}, kMask + 2 + 1},
           {{.number = 64000, .reading = "64"}, kMask + 3 + 1},
           {{.number = 0, .reading = "0"}, kMask + 1 + 1},
           {{.number = 64000, .reading = "64.0"}, kMask + 3 + 5},  // its zeros would be lost
           {{.number = 5, .reading = "0.05"}, kMask + 1 + 5},
           {{.reading = "12"}, kMask + 3},
           {{.last = "x"}, 3 * kMask + 2},  // of the third group: the first is empty, the second, too
           {{.word = "kWh", .last = "x"}, 3 * kMask + 1 + 2},
       }) {
    CAPTURE(c.row.hex, c.row.word, c.bytes);
    const std::string bytes = Packed(c.row);
    CHECK(bytes.size() == c.bytes);
    Arena texts;
    PackReader reader(bytes, texts);
    Row read{.hex = "old", .word = "old", .number = 7, .time = {7}, .list = {}, .version = 7, .last = "old"};
    reader(read);
    CHECK(reader.ok());
    CHECK(reader.at_end());
    CHECK(read == c.row);
  }
}

TEST_CASE("pack: bytes that are cut short are not taken for a row") {
  const std::string bytes = Packed({.hex = "0123abcd-0123-4567-89ab-0123456789ab",
                                    .word = "kwh",
                                    .number = 1'000'000,
                                    .time = {1},
                                    .list = {"one", "two"}});
  for (size_t size = 0; size < bytes.size(); ++size) {
    CAPTURE(size);
    Arena texts;
    PackReader reader(std::string_view(bytes).substr(0, size), texts);
    Row read;
    reader(read);
    CHECK_FALSE(reader.ok());
  }
}

TEST_CASE("vocabulary: codes are given in order, and only to its words") {
  CHECK(Words().CodeOf("Wh") == 1);
  CHECK(Words().CodeOf("Outlet") == 3);
  CHECK(Words().CodeOf("outlet") == 0);
  CHECK(Words().CodeOf("") == 0);
  CHECK(Words().WordOf(2) == "kWh");
  CHECK(Words().WordOf(0).empty());
  CHECK(Words().WordOf(4).empty());
}

TEST_CASE("pack: a decimal is told from every other text of its number") {
  std::array<char, packing::kDecimalSize> room;
  std::minstd_rand random(7);
  for (int round = 0; round < 20'000; ++round) {
    const int places = static_cast<int>(random() % 10);
    const auto magnitude =
        static_cast<int64_t>((uint64_t{random()} << 32 ^ random()) % kPowersOfTen[random() % 16]);
    const int64_t units = random() % 2 == 0 ? magnitude : -magnitude;
    const std::string text(packing::DecimalText(units, places, room));
    INFO(units << " in " << places << " places is " << text);
    CHECK(Decimal::Parse(text, places)->Rounded(0) == units);
    const bool is_short = text.size() + static_cast<size_t>(places) <= 18;
    if (is_short) CHECK(packing::IsDecimalText(text, units, places));
    CHECK_FALSE(packing::IsDecimalText(text, units - 1, places));
    const std::string end = text.find('.') == text.npos ? ".0" : "0";
    for (const std::string& other : {text + end, "0" + text, "+" + text, text + ".", text + " ", " " + text,
                                     "-" + text, text + "e0", text.substr(0, text.size() - 1)}) {
      INFO(other);
      CHECK_FALSE(packing::IsDecimalText(other, units, places));
    }
  }
  for (const std::string_view none : {"", "-", ".", "-.", "1.", ".5", "-0", "00", "1.5.0"}) {
    INFO(none);
    CHECK_FALSE(packing::IsDecimalText(none, 0, 3));
  }
  CHECK(packing::IsDecimalText("0", 0, 3));
  CHECK(packing::IsDecimalText("-0.5", -500, 3));
}

}  // namespace
}  // namespace medallion
