#include "medallion/base/time.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "medallion/base/text.h"

namespace medallion {
namespace {

struct CivilDay {
  uint32_t year = 0;   // 0 to 9999
  uint32_t month = 1;  // 1 to 12
  uint32_t day = 1;    // 1 to 31
};

// Days between civil days and 1970-01-01, proleptic Gregorian. A year is taken to begin in March, so the
// leap day is its last, and 400 years are added, so nothing is negative.
// Source: H. Hinnant, "chrono-Compatible Low-Level Date Algorithms".
constexpr uint32_t kYearsPerEra = 400;
constexpr uint32_t kDaysPerEra = 146'097;
constexpr int64_t kEpochDay = 719'468 + kDaysPerEra;  // 1970-01-01, counted from March of the year -400

constexpr int64_t DaysFromCivil(CivilDay civil) {
  const uint32_t year = civil.year + kYearsPerEra - (civil.month <= 2);
  const uint32_t month_from_march = civil.month > 2 ? civil.month - 3 : civil.month + 9;
  const uint32_t day_of_year = (153 * month_from_march + 2) / 5 + civil.day - 1;
  return int64_t{365 * year + year / 4 - year / 100 + year / 400 + day_of_year} - kEpochDay;
}

constexpr CivilDay CivilFromDays(int64_t days) {
  const auto day = static_cast<uint32_t>(days + kEpochDay);
  const uint32_t era = day / kDaysPerEra;
  const uint32_t day_of_era = day % kDaysPerEra;
  const uint32_t year_of_era =
      (day_of_era - day_of_era / 1'460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const uint32_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const uint32_t month_from_march = (5 * day_of_year + 2) / 153;
  const uint32_t month = month_from_march < 10 ? month_from_march + 3 : month_from_march - 9;
  return {.year = era * kYearsPerEra + year_of_era + (month <= 2) - kYearsPerEra,
          .month = month,
          .day = day_of_year - (153 * month_from_march + 2) / 5 + 1};
}

constexpr int64_t kTextMin = DaysFromCivil({0, 1, 1}) * kMicrosPerDay;
constexpr int64_t kTextMax = (DaysFromCivil({9999, 12, 31}) + 1) * kMicrosPerDay - 1;
static_assert(DaysFromCivil({1970, 1, 1}) == 0);

uint32_t DaysInMonth(uint32_t year, uint32_t month) {
  constexpr uint8_t kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return kDays[month - 1] + (month == 2 && leap);
}

// Reading.

constexpr uint32_t kNoNumber = 1'000'000;  // larger than what any field may hold

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// The number at `at`, or kNoNumber.
uint32_t TwoDigits(const char* at) {
  if (!IsDigit(at[0]) || !IsDigit(at[1])) return kNoNumber;
  return static_cast<uint32_t>((at[0] - '0') * 10 + (at[1] - '0'));
}

// Eight bytes, the first one lowest. In one load where that can be: put together byte by byte, it stays eight.
constexpr uint64_t LittleEndian(const char* at) {
  uint64_t word = 0;
  if (std::endian::native == std::endian::little && !std::is_constant_evaluated()) {
    std::memcpy(&word, at, sizeof word);
    return word;
  }
  for (size_t i = 0; i < 8; ++i) word |= uint64_t{static_cast<uint8_t>(at[i])} << (8 * i);
  return word;
}

// Eight bytes that are like `kForm`: digits where it has a 0, else the same. All are checked together, and byte i of the
// result is the number whose first digit is byte i.
template <const char* kForm>
std::optional<uint64_t> ReadNumbers(const char* at) {
  constexpr uint64_t kEach = 0x0101010101010101u, kForms = LittleEndian(kForm);
  constexpr uint64_t kSeparators = [] {
    uint64_t separators = 0;
    for (size_t i = 0; i < 8; ++i) separators |= kForm[i] == '0' ? 0 : uint64_t{0xFF} << (8 * i);
    return separators;
  }();
  const uint64_t digits = LittleEndian(at) ^ kForms;  // 0 to 9, and 0 for a separator
  // Of what is no digit the first bit is set, here or in the sum; nothing is lost by what the sum carries over.
  const uint64_t others = ((digits + kEach * (0x80 - 10)) | digits) & kEach * 0x80;
  if ((others | (digits & kSeparators)) != 0) return std::nullopt;
  return digits * 10 + (digits >> 8);
}

constexpr uint32_t ByteOf(uint64_t word, int i) { return static_cast<uint32_t>(word >> (8 * i)) & 0xFF; }

// Days since 1970-01-01 of "2026-03-01", the ten bytes at `at`.
std::optional<int64_t> ReadDate(const char* at) {
  static constexpr char kForm[] = "0000-00-";
  const std::optional<uint64_t> numbers = ReadNumbers<kForm>(at);
  if (!numbers) return std::nullopt;
  const CivilDay civil{ByteOf(*numbers, 0) * 100 + ByteOf(*numbers, 2), ByteOf(*numbers, 5),
                       TwoDigits(at + 8)};
  if (civil.month < 1 || civil.month > 12) return std::nullopt;
  if (civil.day < 1 || civil.day > DaysInMonth(civil.year, civil.month)) return std::nullopt;
  return DaysFromCivil(civil);
}

// Seconds since midnight of "10:00:00", the eight bytes at `at`. Second 60 gives that of the next minute.
std::optional<int64_t> ReadClock(const char* at) {
  static constexpr char kForm[] = "00:00:00";
  const std::optional<uint64_t> numbers = ReadNumbers<kForm>(at);
  if (!numbers) return std::nullopt;
  const uint32_t hour = ByteOf(*numbers, 0), minute = ByteOf(*numbers, 3), second = ByteOf(*numbers, 6);
  if (hour > 23 || minute > 59 || second > 60) return std::nullopt;
  return int64_t{(hour * 60 + minute) * 60 + second};
}

// Takes ".25" off the front of `text`: 250000. No point: 0. A point without a digit: nothing.
std::optional<int64_t> TakeFraction(std::string_view& text) {
  if (text.empty() || text[0] != '.') return 0;
  size_t end = 1;
  int64_t micros = 0;
  for (int64_t unit = kMicrosPerSecond / 10; end < text.size() && IsDigit(text[end]); ++end, unit /= 10) {
    micros += unit * (text[end] - '0');  // past the microsecond, unit is 0
  }
  if (end == 1) return std::nullopt;
  text.remove_prefix(end);
  return micros;
}

// Microseconds that "Z", "+02", "+0200" or "+02:00" lies ahead of UTC. `text` is not empty.
std::optional<int64_t> ReadOffset(std::string_view text) {
  if (text.size() == 1 && AsciiLower(text[0]) == 'z') return 0;
  if (text[0] != '+' && text[0] != '-') return std::nullopt;
  if (text.size() != 3 && text.size() != 5 && text.size() != 6) return std::nullopt;
  if (text.size() == 6 && text[3] != ':') return std::nullopt;
  const uint32_t hours = TwoDigits(text.data() + 1);
  const uint32_t minutes = text.size() == 3 ? 0 : TwoDigits(text.data() + text.size() - 2);
  if (hours > 23 || minutes > 59) return std::nullopt;
  const int64_t ahead = hours * kMicrosPerHour + minutes * kMicrosPerMinute;
  return text[0] == '-' ? -ahead : ahead;
}

// Writing.

struct DayAndRest {
  int64_t day = 0;   // since 1970-01-01
  int64_t rest = 0;  // microseconds since that day's midnight
};

// Of the nearest time that has a text.
DayAndRest Split(UtcTime time) {
  const int64_t since_min = std::clamp(time.us, kTextMin, kTextMax) - kTextMin;
  return {kTextMin / kMicrosPerDay + since_min / kMicrosPerDay, since_min % kMicrosPerDay};
}

constexpr std::array<char, 200> kTwoDigits = [] {
  std::array<char, 200> digits{};
  for (size_t i = 0; i < 100; ++i) {
    digits[2 * i] = static_cast<char>('0' + i / 10);
    digits[2 * i + 1] = static_cast<char>('0' + i % 10);
  }
  return digits;
}();

void WriteTwo(uint32_t value, char* at) { std::memcpy(at, kTwoDigits.data() + 2 * value, 2); }

// "2026-03-01": ten bytes.
void WriteDate(int64_t day, char* at) {
  const CivilDay civil = CivilFromDays(day);
  WriteTwo(civil.year / 100, at);
  WriteTwo(civil.year % 100, at + 2);
  at[4] = '-';
  WriteTwo(civil.month, at + 5);
  at[7] = '-';
  WriteTwo(civil.day, at + 8);
}

// "T10:00:00.000000Z": seventeen bytes.
void WriteClock(int64_t rest, char* at) {
  const auto second = static_cast<uint32_t>(rest / kMicrosPerSecond);
  const auto micros = static_cast<uint32_t>(rest % kMicrosPerSecond);
  at[0] = 'T';
  WriteTwo(second / 3'600, at + 1);
  at[3] = ':';
  WriteTwo(second / 60 % 60, at + 4);
  at[6] = ':';
  WriteTwo(second % 60, at + 7);
  at[9] = '.';
  WriteTwo(micros / 10'000, at + 10);
  WriteTwo(micros / 100 % 100, at + 12);
  WriteTwo(micros % 100, at + 14);
  at[16] = 'Z';
}

}  // namespace

std::optional<ParsedTime> ParseTime(std::string_view text) {
  constexpr size_t kClockAt = 11, kRestAt = 19;  // in "2026-03-01T10:00:00"
  text = Trim(text);
  if (text.size() < kRestAt) return std::nullopt;
  const char separator = text[kClockAt - 1];
  if (separator != 'T' && separator != 't' && separator != ' ') return std::nullopt;
  const std::optional<int64_t> days = ReadDate(text.data());
  const std::optional<int64_t> seconds = ReadClock(text.data() + kClockAt);
  if (!days || !seconds) return std::nullopt;
  const bool leap_second = text[kRestAt - 2] == '6';  // no other second begins with 6
  text.remove_prefix(kRestAt);
  const std::optional<int64_t> fraction = TakeFraction(text);
  if (!fraction) return std::nullopt;
  const bool offset_missing = text.empty();
  const std::optional<int64_t> ahead = offset_missing ? 0 : ReadOffset(text);
  if (!ahead) return std::nullopt;
  const int64_t us_of_day = *seconds * kMicrosPerSecond + (leap_second ? -1 : *fraction);
  return ParsedTime{UtcTime{*days * kMicrosPerDay + us_of_day - *ahead}, offset_missing};
}

void WriteTime(UtcTime time, std::span<char, kTimeBytes> out) {
  const DayAndRest split = Split(time);
  WriteDate(split.day, out.data());
  WriteClock(split.rest, out.data() + 10);
}

void TimeWriter::Write(UtcTime time, std::span<char, kTimeBytes> out) {
  const DayAndRest split = Split(time);
  Day& day = days_[static_cast<size_t>(split.day & 1)];
  if (split.day != day.number) WriteDate(day.number = split.day, day.text.data());
  std::memcpy(out.data(), day.text.data(), day.text.size());
  WriteClock(split.rest, out.data() + day.text.size());
}

void AppendTime(UtcTime time, std::string& out) {
  std::array<char, kTimeBytes> text;
  WriteTime(time, text);
  out.append(text.data(), text.size());
}

std::string FormatTime(UtcTime time) {
  std::string text;
  AppendTime(time, text);
  return text;
}

void AppendDate(UtcTime time, std::string& out) {
  std::array<char, 10> text;
  WriteDate(Split(time).day, text.data());
  out.append(text.data(), text.size());
}

UtcTime HourOf(UtcTime time) {
  // The very first hour of the number range has no start in it: the next one stands for it.
  const int64_t us = std::max(time.us, std::numeric_limits<int64_t>::min() + kMicrosPerHour);
  const int64_t rest = us % kMicrosPerHour;
  return UtcTime{us - (rest < 0 ? rest + kMicrosPerHour : rest)};
}

}  // namespace medallion
