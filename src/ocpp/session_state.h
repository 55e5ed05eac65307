// A session folded fact by fact: all that its row tells, and its registers as long as they are plain. What a fold of
// all facts but the last ones became goes on with those, so a session need not be derived from its whole history.
// Pure. Source: the charging domain, section 5.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/numeric/int128.h"
#include "medallion/base/columns.h"
#include "medallion/base/time.h"
#include "medallion/ocpp/charging_event.h"
#include "medallion/ocpp/options.h"
#include "power_check.h"
#include "register_series.h"
#include "session_energy.h"
#include "session_facts.h"
#include "session_findings.h"

namespace medallion::ocpp {

// What the row tells beside the energy. Texts refer to the facts.
struct Outline {
  std::string_view charge_point_id;  // the spelling that sorts first by bytes
  std::string_view transaction_id;   // of the first fact in order
  std::optional<int32_t> evse_id, connector_id;
  std::string_view id_tag_hash, stop_reason;
  bool has_start = false;
  bool has_stop = false;
  UtcTime start_ts = kNoTime;
  UtcTime stop_ts = kNoTime;
  UtcTime last_event_ts = kNoTime;
  UtcTime ingest_max = kNoTime;
  absl::int128 late_us = 0;  // the largest time from event to receipt
  int64_t facts = 0;
  std::optional<int64_t> seq_no;  // the last
  bool seq_steady = true;         // none is missing: each number is the last one or the next
  bool tags_differ = false;
  bool reading_outside = false;  // before the start or after the stop

  void Take(const ChargingEvent& row, const Coordinate* stop_at);
  bool Holds(UtcTime time) const { return start_ts <= time && (!has_stop || time <= stop_ts); }
};

// The registers of a plain session: all at one location, each continuing the one before it, of which the row needs
// the first and the last; and its power. `plain` is false once that does not hold, or cannot be told yet: then only
// the whole history gives the energy.
struct PlainMeter {
  bool plain = true;
  bool has_begin = false;        // the first register is the session's begin reading
  bool begin_is_header = false;  // and that of its start
  bool sampled = false;          // there was a register sample
  bool end_sampled = false;      // and one of Transaction.End
  bool phases = false;           // registers of single phases, which count only where there is no other
  bool intervals = false;        // energies of intervals, the same
  bool shows_power = false;      // noted only while there is neither start nor stop
  int location = kLocations;     // of the register samples
  int power_location = kLocations;
  int registers = 0;  // 2: two or more
  MeterReading first, last;
  Thousandths top;
  int64_t growth = 0;                   // the sum of all that was positive
  std::optional<MeterReading> stopped;  // the stop's reading: not yet one of the registers
  PowerComparison power;

  void TakeStart(const ChargingElement& start);
  void TakeStop(const ChargingElement& stop);
  void TakeReading(const ChargingElement& reading, const Limits& limits);
  bool TakeEnd(const Limits& limits);  // the stop's reading as the last register, if it continues the others

 private:
  void TakeSample(const ChargingElement& sample, int rank, const Limits& limits);
  void TakePower(const ChargingEvent& row, int rank);
  bool Append(const MeterReading& next, const Limits& limits);
};

// Takes a session's facts: its start first if it has one, then the others in order.
struct SessionState {
  Outline outline;
  PlainMeter meter;
  Limits limits;
  // Of the start and the stop, once they are among the facts: a stop's message holds earlier samples.
  const Coordinate* start_at = nullptr;
  const Coordinate* stop_at = nullptr;

  void Take(const ChargingElement& fact, const Options& options);
};

SessionState StateOf(const SessionFacts& facts, const Options& options);

// What FindEnergy would say, and the same findings; nothing, and no findings, if it takes the whole history to tell.
std::optional<SessionEnergy> PlainEnergy(const SessionState& state, const Options& options,
                                         Findings& findings);

}  // namespace medallion::ocpp
