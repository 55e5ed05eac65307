// Instants as UTC microseconds, from and to RFC 3339 text.
// Pure: results depend on the arguments alone. Safe from any thread.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace medallion {

// An instant: microseconds since 1970-01-01T00:00:00Z, leap seconds not counted.
// Ordered by time. Text exists for the years 0000 to 9999 only.
struct UtcTime {
  int64_t us = 0;
  auto operator<=>(const UtcTime&) const = default;
};

// A time that nobody gave. Sorts before every other; tables show it as null.
inline constexpr UtcTime kNoTime{std::numeric_limits<int64_t>::min()};

inline constexpr int64_t kMicrosPerSecond = 1'000'000;
inline constexpr int64_t kMicrosPerMinute = 60 * kMicrosPerSecond;
inline constexpr int64_t kMicrosPerHour = 60 * kMicrosPerMinute;
inline constexpr int64_t kMicrosPerDay = 24 * kMicrosPerHour;

struct ParsedTime {
  UtcTime time;                 // as if the text were UTC, where it names no offset
  bool offset_missing = false;  // the text names no offset: the caller decides what it meant
  auto operator<=>(const ParsedTime&) const = default;
};

// Reads an RFC 3339 instant with any offset and any number of fraction digits; digits past the
// microsecond are cut off. Outer blanks are ignored. Also taken, since stations send them: a blank
// or `t` for `T`, `z` for `Z`, offsets `+02`, `+0200` and none at all. Second 60 is
// 59.999999 of the same minute. Nothing, if the text is no such instant.
// Source: RFC 3339, 5.6; the charging domain, 1.2.
std::optional<ParsedTime> ParseTime(std::string_view text);

// Appends "2026-03-01T10:00:00.000000Z", always 27 bytes for a time within the years 0000 to 9999;
// a time outside is written as the nearest one inside.
void AppendTime(UtcTime time, std::string& out);
inline constexpr size_t kTimeBytes = 27;
void WriteTime(UtcTime time, std::span<char, kTimeBytes> out);  // the same bytes
std::string FormatTime(UtcTime time);

// Writes the same bytes, quicker where many times in a row fall on one day or the next: it keeps these days' texts.
class TimeWriter {
 public:
  void Write(UtcTime time, std::span<char, kTimeBytes> out);

 private:
  struct Day {
    int64_t number = std::numeric_limits<int64_t>::min();  // since 1970-01-01; none yet
    std::array<char, 10> text{};
  };
  std::array<Day, 2> days_{};  // the last even one and the last odd one
};

// Appends the UTC calendar day, "2026-03-01".
void AppendDate(UtcTime time, std::string& out);

// The start of the UTC hour that `time` falls in, also before 1970.
UtcTime HourOf(UtcTime time);

}  // namespace medallion
