#include "medallion/gold/data_clock.h"

#include "catch.h"

namespace medallion {
namespace {

TEST_CASE("data clock: moves with ingest_ts, never back, and not by records that lie about the day") {
  constexpr UtcTime kNoon{12 * kMicrosPerHour};
  const UtcTime later{kNoon.us + 1};
  CHECK(Advance(kNoTime, kNoon, kNoon) == kNoon);
  CHECK(Advance(kNoon, kNoon, later) == later);
  CHECK(Advance(later, kNoon, kNoon) == later);
  CHECK(Advance(kNoon, kNoTime, later) == later);
  CHECK(Advance(kNoon, kNoon, kNoTime) == kNoon);
  const UtcTime next_day{kNoon.us + kMicrosPerDay};
  CHECK(Advance(kNoon, kNoon, next_day) == next_day);               // a day later is still believed
  CHECK(Advance(kNoon, kNoon, UtcTime{next_day.us + 1}) == kNoon);  // over a day is not
}

}  // namespace
}  // namespace medallion
