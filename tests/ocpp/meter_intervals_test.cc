#include "medallion/ocpp/meter_intervals.h"

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "catch.h"
#include "event_builder.h"
#include "medallion/base/columns.h"
#include "medallion/ocpp/derive_sessions.h"

namespace medallion::ocpp {
namespace {

using testing::At;
using testing::Facts;

std::vector<MeterIntervals> SeriesOf(std::string_view script, const Options& options = {}) {
  const testing::History history = Facts(script);
  std::vector<MeterIntervals> intervals;
  const SessionRules rules(options);
  DeriveSessions(history.elements, {}, At("2/00:00"), rules, nullptr, &intervals);
  return intervals;
}

// "10:00", "10:00:07"
std::string Clock(UtcTime time) {
  return FormatTime(time).substr(11, time.us % kMicrosPerMinute == 0 ? 5 : 8);
}

// "10:00-10:10 3000.000 Wh 18000.000 W FLAG", joined by " | ".
std::string Line(const MeterIntervals& series) {
  std::string line;
  ForItems(series, [&](const MeterInterval& item) {
    line += line.empty() ? "" : " | ";
    line += Clock(item.from_ts) + "-" + Clock(item.to_ts) + " ";
    if (!AppendCanonical(item.energy_wh, line)) line += "?";
    line += " Wh ";
    if (!AppendCanonical(item.avg_power_w, line)) line += "?";
    line += " W";
    if (item.flags != IntervalFlags()) line += " " + item.flags.Json();
  });
  return line;
}

TEST_CASE("meter intervals: what lies between the registers of a session") {
  struct Case {
    std::string_view script, line;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"S 10:00 1000", ""},
           {"S 10:00 1000 | E 10:30 8500", "10:00-10:30 7500.000 Wh 15000.000 W"},
           {"S 10:00 1000 | R 10:10 4000 | E 10:30 8500",
            "10:00-10:10 3000.000 Wh 18000.000 W | 10:10-10:30 4500.000 Wh 13500.000 W"},
           // HALF_UP: 1 Wh in 7 s is 514.2857… W.
           {"S 10:00 1000 | R 10:00:07 1001", "10:00-10:00:07 1.000 Wh 514.286 W"},
           // An idle car.
           {"S 10:00 1000 | R 10:10 1000", "10:00-10:10 0.000 Wh 0.000 W"},
           // Late readings change nothing.
           {"S 10:00 1000 | E 10:30 8500 late=9 | R 10:10 4000 late=90000",
            "10:00-10:10 3000.000 Wh 18000.000 W | 10:10-10:30 4500.000 Wh 13500.000 W"},
           // The stop says what the last reading said, at the same time.
           {"S 10:00 1000 | R 10:30 8500 | E 10:30 8500", "10:00-10:30 7500.000 Wh 15000.000 W"},
           // At the same time, and says more: no power can be told.
           {"S 10:00 1000 | R 10:30 8000 | E 10:30 8500",
            "10:00-10:30 7000.000 Wh 14000.000 W | 10:30-10:30 500.000 Wh ? W"},
           // Noise of an integer beside a decimal.
           {"S 10:00 1000 | R 10:10 1000.4 | R 10:20 1000 | E 10:30 2000",
            "10:00-10:10 0.400 Wh 2.400 W | 10:10-10:20 ? Wh ? W [\"NEGATIVE_DELTA\"] | "
            "10:20-10:30 1000.000 Wh 6000.000 W"},
           // A glitch is set aside.
           {"S 10:00 1000 | R 10:10 4000 | R 10:15 500 | E 10:30 8500",
            "10:00-10:10 3000.000 Wh 18000.000 W | "
            "10:10-10:30 4500.000 Wh 13500.000 W [\"READING_SET_ASIDE\"]"},
           // After a reset the register counts from zero.
           {"S 10:00 91000 | R 10:10 94000 | R 10:20 1000 | R 10:30 2200 | E 10:40 2800",
            "10:00-10:10 3000.000 Wh 18000.000 W | "
            "10:10-10:20 1000.000 Wh 6000.000 W [\"NEGATIVE_DELTA\",\"METER_RESET\"] | "
            "10:20-10:30 1200.000 Wh 7200.000 W | 10:30-10:40 600.000 Wh 3600.000 W"},
           // Without a start.
           {"R 10:10 4000 | R 10:20 5000", "10:10-10:20 1000.000 Wh 6000.000 W"},
           // No session, no intervals.
           {"R 10:10 4000 | R 10:20 4000", ""},
           // Power, and energy of intervals, are no registers.
           {"S 10:00 1000 | P 10:05 11000 | I 10:06 10 | E 10:30 8500",
            "10:00-10:30 7500.000 Wh 15000.000 W"},
           // The stop's reading cannot be.
           {"S 10:00 1000 | R 10:10 4000 | E 10:30 -1", "10:00-10:10 3000.000 Wh 18000.000 W"},
       }) {
    CAPTURE(c.script);
    const std::vector<MeterIntervals> all = SeriesOf(c.script);
    CHECK(all.size() == (c.line.empty() ? 0 : 1));
    if (all.size() == 1) CHECK(Line(all[0]) == c.line);
  }
}

TEST_CASE("meter intervals: a row in the table's columns") {
  const std::vector<MeterIntervals> all = SeriesOf("S 10:00 1000 late=5 | R 10:10 4000 late=60");
  REQUIRE(all.size() == 1);
  std::string row;
  ForItems(all[0], [&](const MeterInterval& item) { AppendJson(item, row); });
  const std::string id = Hex(all[0].session_id), version = Hex(ModelVersion({}));
  CHECK(row ==
        "{\"session_id\":\"" + id +
            "\",\"from_ts\":\"2026-03-01T10:00:00.000000Z\",\"to_ts\":\"2026-03-01T10:10:00.000000Z\","
            "\"energy_wh\":\"3000.000\",\"avg_power_w\":\"18000.000\",\"flags\":[],\"model_version\":\"" +
            version + "\",\"updated_at\":\"2026-03-01T10:11:00.000000Z\"}");
}

TEST_CASE("meter intervals: only where the options ask for them") {
  Options options;
  options.meter_intervals = false;
  CHECK(SeriesOf("S 10:00 1000 | R 10:10 4000", options).empty());
  CHECK(SeriesOf("S 10:00 91000 | R 10:10 94000 | R 10:20 1000 | R 10:30 2200", options).empty());
  CHECK(ModelVersion(options) != ModelVersion({}));
}

TEST_CASE("meter intervals: what goes behind a series equals the series made at once") {
  const IntervalsWriter::Reading readings[] = {{At("10:00"), {1'000}, At("10:01")},
                                               {At("10:10"), {4'000}, At("10:10")},
                                               {At("10:20"), {3'999}, At("11:00")},
                                               {At("10:15"), {9'000'000}, At("10:30")}};
  const Digest id = Sha256("session"), version = Sha256("version");
  for (size_t cut = 1; cut < 3; ++cut) {
    IntervalsWriter whole, first;
    for (size_t i = 1; i < 4; ++i) whole.Add(readings[i - 1], readings[i]);
    for (size_t i = 1; i <= cut; ++i) first.Add(readings[i - 1], readings[i]);
    IntervalsWriter rest(first.end());
    for (size_t i = cut + 1; i < 4; ++i) rest.Add(readings[i - 1], readings[i]);
    MeterIntervals added = *rest.Row(id, version);
    CHECK(Line(added).size() < Line(*whole.Row(id, version)).size());
    CHECK(added.own_begin().items == static_cast<int64_t>(cut));
    added.Join(std::string(first.Row(id, version)->own_items()) + "what goes");
    CHECK(added == *whole.Row(id, version));
    CHECK(first.Row(id, version)->row_hash != added.row_hash);
  }
  CHECK(!IntervalsWriter().Row(id, version).has_value());
}

}  // namespace
}  // namespace medallion::ocpp
