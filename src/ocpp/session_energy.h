// The energy of a session: which readings decide it, and on what basis.
// Pure. Source: the charging domain, section 5, "energy_kwh" and "Plausibility".
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "absl/numeric/int128.h"
#include "medallion/base/columns.h"
#include "medallion/ocpp/charging_event.h"
#include "medallion/ocpp/charging_session.h"
#include "medallion/ocpp/meter_intervals.h"
#include "medallion/ocpp/options.h"
#include "register_series.h"
#include "session_facts.h"
#include "session_findings.h"

namespace medallion::ocpp {

inline constexpr std::string_view kIntervalMeasurand = "Energy.Active.Import.Interval";
inline constexpr std::string_view kPowerMeasurand = "Power.Active.Import";

struct SessionEnergy {
  std::optional<Thousandths> meter_start_wh;  // nothing, if it was set aside
  std::optional<Thousandths> meter_stop_wh;
  std::optional<Thousandths> last_meter_wh;  // the last register that counts
  std::optional<Thousandths> energy_kwh;
  std::optional<Thousandths> estimate_kwh;  // sum of the growth between registers that count
  EnergyBasis basis = EnergyBasis::kNone;
  bool readings_final = false;      // both readings are valid and come from the same source
  bool shows_energy = false;        // a register grows, or power or interval energy is above zero
  std::optional<Place> begin, end;  // where the readings came from that decide energy_kwh, or will
  IntervalsWriter intervals;        // between the registers that count, where the options ask for them
  bool operator==(const SessionEnergy&) const = default;
};

SessionEnergy FindEnergy(const SessionFacts& facts, const Options& options, Findings& findings);

// What follows serves those who find the energy of plain sessions without their history.

// A register at an instant, and where it came from.
struct MeterReading {
  UtcTime ts;
  Thousandths wh;
  Place from;
  UtcTime received = kNoTime;

  IntervalsWriter::Reading ForInterval() const { return {ts, wh, received}; }
};

// What judging a session's registers came to.
struct MeterOutcome {
  size_t segments = 0;
  bool from_zero = false;     // the first segment counts from zero
  bool lone = false;          // it has one register
  bool before_first = false;  // its energy counts from the stop of the session before
  bool begin_counts = false;
  bool end_counts = false;
  bool begin_is_header = false;  // the start's reading can be one
  bool end_is_header = false;    // the stop's can
  MeterReading first, last;      // of the first and of the last segment
  absl::int128 milli_wh = 0;     // the sum of the segments
  bool grew = false;             // two registers follow one another in a segment
  absl::int128 growth = 0;       // the sum of what they grew by
};

// The energy by registers; all but the readings of start and stop.
SessionEnergy EnergyOf(const MeterOutcome& outcome, const Options& options);

// Equal but for noise.
bool IsSame(Thousandths a, Thousandths b);

// Whether the row reports a power above zero.
bool ShowsPower(const ChargingEvent& row);

Limits LimitsOf(std::string_view charge_point_id, const std::optional<int32_t>& connector_id,
                const Options& options);

}  // namespace medallion::ocpp
