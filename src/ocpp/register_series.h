// Judging the registers of one session: which of them can be believed, and how they hang together.
// Pure. Source: the charging domain, section 5, "Plausibility".
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "absl/numeric/int128.h"
#include "medallion/base/columns.h"
#include "medallion/base/time.h"
#include "medallion/ocpp/charging_event.h"
#include "session_findings.h"

namespace medallion::ocpp {

// An energy register at an instant, and the row it came from.
struct Register {
  UtcTime ts;
  Thousandths wh;
  const ChargingElement* from = nullptr;
};

// The registers of a session in order: its begin reading first if it has one, its end reading last.
struct RegisterSeries {
  std::vector<Register> registers;
  bool has_begin = false;
  bool has_end = false;
};

struct Limits {
  int64_t power_max_w = 0;
  int64_t session_energy_max_wh = 0;
  bool times_known = true;  // false: the session's clock ran backwards, so power cannot be judged
};

// What differs by less is the same: integer fields stand beside decimals.
inline constexpr int64_t kNoiseMilliWh = 1'000;
inline bool Below(Thousandths a, Thousandths b) { return absl::int128(b.units) - a.units >= kNoiseMilliWh; }

// A reading that no meter shows: below zero, or where 31 and 32 bits end.
bool CannotBe(Thousandths wh);

// How far registers that continue one another have come.
struct SeriesTip {
  UtcTime ts;        // of the last one
  Thousandths wh;    // its reading
  Thousandths top;   // the largest
  Thousandths base;  // what their energy is counted from
};
// Whether `next` can be the register after them.
bool Continues(const SeriesTip& tip, const Register& next, const Limits& limits);
// The same after one register.
bool GoesOn(const Register& from, const Register& next, const Limits& limits);

// Registers that count by one reference, `first` to `last` of the session's; set-aside ones in between do not
// count.
struct Segment {
  size_t first = 0;
  size_t last = 0;
  bool from_zero =
      false;  // the reference was zero within the session: after a reset, or a counter of its own
  bool operator==(const Segment&) const = default;
};

struct SeriesVerdict {
  std::vector<Segment> segments;   // in order of time; more than one after a reset or a change of reference
  std::vector<size_t> valid;       // registers that count, ascending
  std::vector<size_t> segment_of;  // for each of `valid`
  bool begin_counts = false;       // the begin reading is the first segment's first register
  bool end_counts = false;         // the end reading is the last segment's last register
  bool begin_set_aside = false;
  bool end_set_aside = false;
};

// Notes METER_START_INVALID, METER_STOP_INVALID, METER_DECREASED, METER_RESET, METER_GLITCH,
// METER_NON_MONOTONIC and MIXED_REGISTER_REFERENCE; METER_ANOMALY beside the first four. Cost: linear.
SeriesVerdict JudgeRegisters(const RegisterSeries& series, const Limits& limits, Findings& findings);

// The energy of a segment in thousandths of Wh; a difference that is noise is zero.
absl::int128 SegmentMilliWh(const RegisterSeries& series, const Segment& segment);

}  // namespace medallion::ocpp
