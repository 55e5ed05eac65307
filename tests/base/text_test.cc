#include "medallion/base/text.h"

#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>
#include <string_view>

#include "../catch.h"

namespace medallion {
namespace {

using namespace std::string_view_literals;

std::string Json(std::string_view text) {
  std::string out;
  AppendJsonString(text, out);
  return out;
}

struct Pair {
  std::string_view a;
  std::string_view b;
};

}  // namespace

TEST_CASE("text: outer blanks are cut, inner ones stay") {
  for (const Pair& row : std::initializer_list<Pair>{
           {"", ""},
           {" \t\r\n", ""},
           {"a", "a"},
           {"  a  b\t\n", "a  b"},
           {"\v a", "\v a"},  // no blank of ours
           {"\xC2\xA0"
            "a",
            "\xC2\xA0"
            "a"},  // nor is the no-break space
           {" \0 "sv, "\0"sv},
       }) {
    CAPTURE(row.a);
    CHECK(Trim(row.a) == row.b);
  }
}

TEST_CASE("text: case is ASCII's alone") {
  for (int i = -128; i < 128; ++i) {
    const auto c = static_cast<char>(i);
    const bool lower = "abcdefghijklmnopqrstuvwxyz"sv.find(c) != std::string_view::npos;
    const bool upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"sv.find(c) != std::string_view::npos;
    CAPTURE(i);
    CHECK(AsciiUpper(c) == (lower ? c - 32 : c));
    CHECK(AsciiLower(c) == (upper ? c + 32 : c));
  }
  CHECK(AsciiUpper(""sv) == "");
  CHECK(AsciiUpper("kWh-9_z\xC3\xA4"sv) == "KWH-9_Z\xC3\xA4");
}

TEST_CASE("text: equal but for case") {
  struct Case {
    std::string_view a;
    std::string_view b;
    bool case_folded;
    bool name_folded;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"", "", true, true},
           {"kWh", "KWH", true, true},
           {"kWh", "kW", false, false},
           {"StartTransaction", "startTRANSACTION", true, true},
           {"start_transaction", "StartTransaction", false, true},
           {"START-TRANSACTION", "Start Transaction", false, true},
           {"_a__b-", "AB", false, true},
           {"_- ", "", false, true},
           {"ab", "abc", false, false},
           {"a_b_", "a_b_c", false, false},
           {"a.b", "ab", false, false},
           {"@", "`", false, false},  // 32 apart, like letters
           {"[", "{", false, false},
           {"\xC3\xA4", "\xC3\x84", false, false},  // ä and Ä
           {"a\0b"sv, "A\0B"sv, true, true},
       }) {
    CAPTURE(c.a, c.b);
    CHECK(EqualsFoldedCase(c.a, c.b) == c.case_folded);
    CHECK(EqualsFoldedCase(c.b, c.a) == c.case_folded);
    CHECK(EqualsFoldedName(c.a, c.b) == c.name_folded);
    CHECK(EqualsFoldedName(c.b, c.a) == c.name_folded);
  }
}

TEST_CASE("text: JSON strings") {
  for (const Pair& row : std::initializer_list<Pair>{
           {"", R"("")"},
           {"CP-100", R"("CP-100")"},
           {R"(a"b\c/d)", R"("a\"b\\c/d")"},
           {"\b\f\n\r\t", R"("\b\f\n\r\t")"},
           {"\0\x01\x1F\x7F"sv, "\"\\u0000\\u0001\\u001f\x7F\""},
           {"ä € 😀", "\"ä € 😀\""},
           {"\xED\x9F\xBF\xEE\x80\x80", "\"\xED\x9F\xBF\xEE\x80\x80\""},  // on both sides of the surrogates
           {"\xF4\x8F\xBF\xBF", "\"\xF4\x8F\xBF\xBF\""},                  // U+10FFFF, the last
       }) {
    CAPTURE(row.a);
    CHECK(Json(row.a) == row.b);
  }
}

TEST_CASE("text: bytes that are not UTF-8 are replaced one by one in JSON") {
  for (const Pair& row : std::initializer_list<Pair>{
           {"a\xFF"
            "b",
            "\"a\uFFFDb\""},
           {"\x80", "\"\uFFFD\""},
           {"\xC3", "\"\uFFFD\""},        // cut off
           {"\xC3\"", "\"\uFFFD\\\"\""},  // the quote is no part of it
           {"\xE2\x82", "\"\uFFFD\uFFFD\""},
           {"\xE2\x82\xC3\xA4", "\"\uFFFD\uFFFDä\""},
           {"\xC0\x80", "\"\uFFFD\uFFFD\""},  // overlong NUL
           {"\xC1\xBF", "\"\uFFFD\uFFFD\""},
           {"\xE0\x9F\xBF", "\"\uFFFD\uFFFD\uFFFD\""},  // overlong
           {"\xED\xA0\x80", "\"\uFFFD\uFFFD\uFFFD\""},  // a surrogate
           {"\xF0\x8F\xBF\xBF", "\"\uFFFD\uFFFD\uFFFD\uFFFD\""},
           {"\xF4\x90\x80\x80", "\"\uFFFD\uFFFD\uFFFD\uFFFD\""},  // above U+10FFFF
           {"\xF5\x80", "\"\uFFFD\uFFFD\""},
       }) {
    CAPTURE(row.b);
    CHECK(Json(row.a) == row.b);
  }
}

TEST_CASE("text: every code point beyond ASCII stays as it is in JSON, but surrogates do not") {
  const auto byte = [](uint32_t value) { return static_cast<char>(value); };
  uint32_t wrong = 0;
  for (uint32_t point = 0x80; point < 0x11'0000; ++point) {
    std::string utf8{byte(0x80 | (point & 0x3F))};
    if (point < 0x800) {
      utf8.insert(0, {byte(0xC0 | point >> 6)});
    } else if (point < 0x1'0000) {
      utf8.insert(0, {byte(0xE0 | point >> 12), byte(0x80 | (point >> 6 & 0x3F))});
    } else {
      utf8.insert(0, {byte(0x80 | (point >> 6 & 0x3F))});
      utf8.insert(0, {byte(0xF0 | point >> 18), byte(0x80 | (point >> 12 & 0x3F))});
    }
    const bool surrogate = point >= 0xD800 && point < 0xE000;
    wrong += (Json(utf8) == '"' + utf8 + '"') == surrogate;
  }
  CHECK(wrong == 0);
}

TEST_CASE("text: any bytes give a JSON string that is UTF-8 and ends where it should") {
  const uint32_t seed = GENERATE(range(0u, 100u));
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  std::string bytes(random() % 64, '\0');
  for (char& c : bytes) c = static_cast<char>(random());
  const std::string once = Json(bytes);
  const std::string_view inside = std::string_view(once).substr(1, once.size() - 2);
  CHECK(inside.find_first_of("\n\r\t\0"sv) == std::string_view::npos);
  for (size_t i = 0; i < inside.size(); ++i) {
    CHECK(inside[i] != '"');
    if (inside[i] == '\\') ++i;  // what follows is escaped
    CHECK(i < inside.size());
  }
  // Nothing is left to replace: written again, only the escapes change.
  std::string escapes_doubled;
  for (const char c : once) {
    if (c == '"' || c == '\\') escapes_doubled += '\\';
    escapes_doubled += c;
  }
  CHECK(Json(once) == '"' + escapes_doubled + '"');
}

TEST_CASE("text: digits and nothing else, in a text of any length") {
  CHECK(!IsDigits(""));
  for (size_t size = 1; size < 20; ++size) {
    CHECK(IsDigits(std::string(size, '0')));
    CHECK(IsDigits(std::string(size, '9')));
    for (size_t at = 0; at < size; ++at) {
      for (int byte = 0; byte < 256; ++byte) {
        std::string text(size, '5');
        text[at] = static_cast<char>(byte);
        if (IsDigits(text) != (byte >= '0' && byte <= '9')) FAIL(size << " " << at << " " << byte);
      }
    }
  }
}

TEST_CASE("text: short texts are equal if all their bytes are") {
  for (size_t size = 0; size < 40; ++size) {
    CAPTURE(size);
    const std::string text(size, 'x');
    CHECK(SameText(text, std::string(size, 'x')));
    CHECK_FALSE(SameText(text, text + 'x'));
    for (size_t at = 0; at < size; ++at) {
      std::string other = text;
      other[at] = 'y';
      CHECK_FALSE(SameText(text, other));
    }
  }
}

}  // namespace medallion
