#include "medallion/base/time.h"

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "../catch.h"

namespace medallion {
namespace {

static_assert(!std::is_convertible_v<int64_t, UtcTime>);
static_assert(!std::is_convertible_v<UtcTime, int64_t>);
static_assert(!std::is_convertible_v<UtcTime, ParsedTime>);  // somebody has to say what the offset was
static_assert(UtcTime{1} < UtcTime{2});

constexpr std::string_view kNothing = "nothing";

// The instant that `text` names, formatted; "?" behind it where it names no offset.
std::string Read(std::string_view text) {
  const std::optional<ParsedTime> parsed = ParseTime(text);
  if (!parsed) return std::string(kNothing);
  return FormatTime(parsed->time) + (parsed->offset_missing ? "?" : "");
}

std::string Date(UtcTime time) {
  std::string text;
  AppendDate(time, text);
  return text;
}

struct Row {
  std::string_view text;
  std::string_view time;
};

}  // namespace

TEST_CASE("time: RFC 3339 and what stations make of it") {
  for (const Row& row : std::initializer_list<Row>{
           {"2026-03-01T10:00:00Z", "2026-03-01T10:00:00.000000Z"},
           {"2026-03-01t10:00:00z", "2026-03-01T10:00:00.000000Z"},
           {"2026-03-01 10:00:00Z", "2026-03-01T10:00:00.000000Z"},
           {" \t2026-03-01T10:00:00Z\r\n", "2026-03-01T10:00:00.000000Z"},
           {"2026-03-01T10:00:00.1Z", "2026-03-01T10:00:00.100000Z"},
           {"2026-03-01T10:00:00.000001Z", "2026-03-01T10:00:00.000001Z"},
           {"2026-03-01T10:00:00.9999999Z", "2026-03-01T10:00:00.999999Z"},  // cut, not rounded
           {"1969-12-31T23:59:59.9999999Z", "1969-12-31T23:59:59.999999Z"},  // before 1970 too
           {"2026-03-01T10:00:00.123456789012345678Z", "2026-03-01T10:00:00.123456Z"},
           {"2026-03-01T10:00:00+02:00", "2026-03-01T08:00:00.000000Z"},
           {"2026-03-01T10:00:00+0200", "2026-03-01T08:00:00.000000Z"},
           {"2026-03-01T10:00:00+02", "2026-03-01T08:00:00.000000Z"},
           {"2026-03-01T10:00:00.5-05:30", "2026-03-01T15:30:00.500000Z"},
           {"2026-03-01T00:30:00+01:00", "2026-02-28T23:30:00.000000Z"},  // a month earlier
           {"2026-03-01T10:00:00+23:59", "2026-02-28T10:01:00.000000Z"},
           {"2026-03-01T10:00:00+00:00", "2026-03-01T10:00:00.000000Z"},
           {"2026-03-01T10:00:00-00:00", "2026-03-01T10:00:00.000000Z"},  // UTC, place unknown
           {"2026-03-01T10:00:00", "2026-03-01T10:00:00.000000Z?"},
           {"2026-03-01 10:00:00.25", "2026-03-01T10:00:00.250000Z?"},
           {"2016-12-31T23:59:60Z", "2016-12-31T23:59:59.999999Z"},
           {"2016-12-31T23:59:60.25Z", "2016-12-31T23:59:59.999999Z"},
           {"2026-03-01T10:00:60+02:00", "2026-03-01T08:00:59.999999Z"},
           {"2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000000Z"},
           {"2000-02-29T00:00:00Z", "2000-02-29T00:00:00.000000Z"},
           {"0000-01-01T00:00:00Z", "0000-01-01T00:00:00.000000Z"},
           {"9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999Z"},
       }) {
    CAPTURE(row.text);
    CHECK(Read(row.text) == row.time);
  }
}

TEST_CASE("time: what is no instant") {
  for (const std::string_view text : {
           "",
           " ",
           "Z",
           "now",
           "infinite-future",
           "infinite-past",
           "1772359200",
           "null",
           "2026-03-01",  // a day is no instant
           "2026-03-01Z",
           "2026-03-01T",
           "2026-03-01T10",
           "2026-03-01T10:00",
           "2026-03-01T10:00Z",
           "2026-00-01T10:00:00Z",
           "2026-13-01T10:00:00Z",
           "2026-03-00T10:00:00Z",
           "2026-03-32T10:00:00Z",
           "2026-04-31T10:00:00Z",
           "2026-02-29T10:00:00Z",
           "1900-02-29T10:00:00Z",
           "2024-02-30T10:00:00Z",
           "2026-03-01T24:00:00Z",
           "2026-03-01T10:60:00Z",
           "2026-03-01T10:00:61Z",
           "2026-03-01T10:00:00.Z",
           "2026-03-01T10:00:00.",
           "2026-03-01T10:00:00,5Z",
           "2026-03-01T10:00:00.5.5Z",
           "2026-03-01T10:00:00.-5Z",
           "2026-03-01T10:00:00+",
           "2026-03-01T10:00:00+2",
           "2026-03-01T10:00:00+020",
           "2026-03-01T10:00:00+2:00",
           "2026-03-01T10:00:00+02:0",
           "2026-03-01T10:00:00+02:",
           "2026-03-01T10:00:00+02.00",
           "2026-03-01T10:00:00+02:000",
           "2026-03-01T10:00:00+24:00",
           "2026-03-01T10:00:00+02:60",
           "2026-03-01T10:00:00+-2:00",
           "2026-03-01T10:00:00 02:00",
           "2026-03-01T10:00:00ZZ",
           "2026-03-01T10:00:00Z+02:00",
           "2026-03-01T10:00:00 Z",
           "2026-03-01T10:00:00 UTC",
           "2026-03-01  10:00:00Z",
           "2026-03-01_10:00:00Z",
           "2026/03/01T10:00:00Z",
           "2026-03-01T10.00.00Z",
           "20260301T100000Z",
           "26-03-01T10:00:00Z",
           "-026-03-01T10:00:00Z",
           "+2026-03-01T10:00:00Z",
           "12026-03-01T10:00:00Z",
           "2026-3-01T10:00:00Z",
           "2026- 3-01T10:00:00Z",
           "2026-+3-01T10:00:00Z",
           "2026-03-01T1a:00:00Z",
       }) {
    CAPTURE(text);
    CHECK(Read(text) == kNothing);
  }
  CHECK(Read(std::string_view("2026-03-01T10:00:00Z\0", 21)) == kNothing);
  CHECK(Read(std::string_view("2026-03-01T10:00:00\0", 20)) == kNothing);
}

TEST_CASE("time: a cut text is an instant only where it ends between two parts") {
  const std::string_view whole = "2026-03-01T10:00:00.123+02:00";
  for (size_t length = 0; length <= whole.size(); ++length) {
    const std::string_view text = whole.substr(0, length);
    const bool named_whole = length == 19 || (length >= 21 && length <= 23) || length == 26 || length == 29;
    CAPTURE(text);
    CHECK(ParseTime(text).has_value() == named_whole);
  }
}

TEST_CASE("time: ten million fraction digits do no harm") {
  const std::string digits(10'000'000, '7');
  CHECK(Read("2026-03-01T10:00:00." + digits + "Z") == "2026-03-01T10:00:00.777777Z");
  CHECK(Read("2026-03-01T10:00:00." + digits + "x") == kNothing);
  CHECK(Read(digits) == kNothing);
}

TEST_CASE("time: known instants") {
  struct Case {
    std::string_view text;
    int64_t second;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"0000-01-01T00:00:00Z", -62'167'219'200},
           {"1969-12-31T23:59:59Z", -1},
           {"1970-01-01T00:00:00Z", 0},
           {"2000-03-01T00:00:00Z", 951'868'800},
           {"2026-03-01T10:00:00Z", 1'772'359'200},
           {"9999-12-31T23:59:59Z", 253'402'300'799},
       }) {
    CAPTURE(c.text);
    CHECK(ParseTime(c.text) == ParsedTime{UtcTime{c.second * kMicrosPerSecond}, false});
  }
}

TEST_CASE("time: an instant beyond the years with a text is kept, and written as the nearest one") {
  CHECK(ParseTime("0000-01-01T00:00:00+00:01")->time.us == (-62'167'219'200 - 60) * kMicrosPerSecond);
  CHECK(ParseTime("9999-12-31T23:59:59-00:01")->time.us == (253'402'300'799 + 60) * kMicrosPerSecond);
  for (const int64_t us : {std::numeric_limits<int64_t>::min(), -62'167'219'200 * kMicrosPerSecond - 1}) {
    CHECK(FormatTime(UtcTime{us}) == "0000-01-01T00:00:00.000000Z");
    CHECK(Date(UtcTime{us}) == "0000-01-01");
  }
  for (const int64_t us : {std::numeric_limits<int64_t>::max(), 253'402'300'800 * kMicrosPerSecond}) {
    CHECK(FormatTime(UtcTime{us}) == "9999-12-31T23:59:59.999999Z");
    CHECK(Date(UtcTime{us}) == "9999-12-31");
  }
}

TEST_CASE("time: appending leaves what is there") {
  std::string text = "at ";
  AppendTime(UtcTime{-1}, text);
  text += " on ";
  AppendDate(UtcTime{-1}, text);
  CHECK(text == "at 1969-12-31T23:59:59.999999Z on 1969-12-31");
}

TEST_CASE("time: a writer that keeps two days' texts writes what a new one would") {
  TimeWriter times;
  for (const int64_t us : {int64_t{0}, int64_t{1}, kMicrosPerDay - 1, kMicrosPerDay, int64_t{0}, int64_t{-1},
                           2 * kMicrosPerDay, kMicrosPerDay, int64_t{0}, 3 * kMicrosPerDay, -kMicrosPerDay,
                           std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()}) {
    std::string text(kTimeBytes, ' ');
    times.Write(UtcTime{us}, std::span<char, kTimeBytes>(text));
    CHECK(text == FormatTime(UtcTime{us}));
  }
}

TEST_CASE("time: any other byte in place of a digit or separator makes it no instant") {
  const std::string sound = "2026-03-01T10:00:00Z";
  for (size_t at = 0; at < 19; ++at) {
    for (int byte = 0; byte < 256; ++byte) {
      std::string text = sound;
      text[at] = static_cast<char>(byte);
      const bool digit = byte >= '0' && byte <= '9', expected = sound[at] >= '0' && sound[at] <= '9';
      CAPTURE(text);
      if (at == 10 || text == sound || (digit && expected)) continue;  // the `T` may be others
      CHECK(Read(text) == kNothing);
    }
  }
}

TEST_CASE("time: the hour begins at or before the instant, also before 1970") {
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  for (const Row& row : std::initializer_list<Row>{
           {"2026-03-01T10:59:59.999999Z", "2026-03-01T10:00:00.000000Z"},
           {"2026-03-01T10:00:00.000000Z", "2026-03-01T10:00:00.000000Z"},
           {"2026-03-01T10:00:00+05:45", "2026-03-01T04:00:00.000000Z"},
           {"1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000000Z"},
           {"1969-12-31T23:59:59Z", "1969-12-31T23:00:00.000000Z"},
           {"1969-12-31T23:00:00Z", "1969-12-31T23:00:00.000000Z"},
           {"1969-12-31T22:59:59Z", "1969-12-31T22:00:00.000000Z"},
       }) {
    CAPTURE(row.text);
    CHECK(FormatTime(HourOf(ParseTime(row.text)->time)) == row.time);
  }
  CHECK(HourOf(UtcTime{kMin}).us % kMicrosPerHour == 0);
  CHECK(HourOf(UtcTime{kMin}).us - kMin < kMicrosPerHour);
}

TEST_CASE("time: every day of the years 0000 to 9999 agrees with the standard library") {
  using std::chrono::sys_days;
  using std::chrono::year;
  int wrong = 0;
  std::string first_wrong;
  for (sys_days day = year{0} / 1 / 1; day <= sys_days(year{9999} / 12 / 31); day += std::chrono::days(1)) {
    const std::chrono::year_month_day civil(day);
    std::string text = std::to_string(10'000 + static_cast<int>(civil.year())) + "-" +
                       std::to_string(100 + static_cast<unsigned>(civil.month())) + "-" +
                       std::to_string(100 + static_cast<unsigned>(civil.day()));
    text.erase(10, 1).erase(6, 1).erase(0, 1);  // the leading ones, there to keep the zeros
    const UtcTime noon{(day.time_since_epoch().count() * 24 + 12) * kMicrosPerHour};
    const bool same = Date(noon) == text && ParseTime(text + "T12:00:00Z") == ParsedTime{noon, false};
    if (!same && wrong++ == 0) first_wrong = text;
  }
  CAPTURE(first_wrong);
  CHECK(wrong == 0);
}

TEST_CASE("time: what is written reads back as the same instant, in any offset") {
  const uint32_t seed = GENERATE(range(0u, 50u));
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  std::uniform_int_distribution<int64_t> any_us(-62'167'219'200 * kMicrosPerSecond,
                                                253'402'300'800 * kMicrosPerSecond - 1);
  std::uniform_int_distribution<int64_t> any_minutes(0, 23 * 60 + 59);
  for (int i = 0; i < 100; ++i) {
    const UtcTime time{any_us(random)};
    const std::string text = FormatTime(time);
    CHECK(text.size() == 27);
    CHECK(text.substr(0, 10) == Date(time));
    CHECK(ParseTime(text) == ParsedTime{time, false});

    const int64_t ahead = any_minutes(random);
    const std::string clock = FormatTime(UtcTime{ahead * kMicrosPerMinute}).substr(11, 5);  // "02:00"
    const std::string local = text.substr(0, 26);
    CHECK(ParseTime(local + "+" + clock)->time.us == time.us - ahead * kMicrosPerMinute);
    CHECK(ParseTime(local + "-" + clock)->time.us == time.us + ahead * kMicrosPerMinute);
    CHECK(ParseTime(local) == ParsedTime{time, true});
  }
}

TEST_CASE("time: one changed byte never leads outside the text") {
  const uint32_t seed = GENERATE(range(0u, 20u));
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  for (int i = 0; i < 1'000; ++i) {
    std::string text = "2026-03-01T10:00:00.123456+02:00";
    text[random() % text.size()] = static_cast<char>(random() % 256);
    const std::optional<ParsedTime> parsed = ParseTime(text.substr(0, random() % (text.size() + 1)));
    if (parsed) CHECK(ParseTime(FormatTime(parsed->time))->time == parsed->time);
  }
}

}  // namespace medallion
