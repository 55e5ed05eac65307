#include "session_row.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "absl/numeric/int128.h"

namespace medallion::ocpp {
namespace {

using absl::int128;

int128 Between(UtcTime from, UtcTime to) { return int128(to.us) - from.us; }

UtcTime Later(UtcTime time, int64_t by) {
  const int128 us = int128(time.us) + by;
  return {static_cast<int64_t>(std::min(us, int128(std::numeric_limits<int64_t>::max())))};
}

// Who and where. A charge point under several spellings shows the one that sorts first by bytes.
void Describe(const Outline& outline, ChargingSession& row) {
  row.charge_point_id = outline.charge_point_id;
  row.evse_id = outline.evse_id;
  row.connector_id = outline.connector_id;
  row.transaction_id = outline.transaction_id;
  row.id_tag_hash = outline.id_tag_hash;
  row.event_count = outline.facts;
}

// When it began, ended and was last heard of.
void Time(const Outline& outline, const Options& options, ChargingSession& row, Findings& findings) {
  row.last_event_ts = outline.last_event_ts;
  row.start_ts = outline.start_ts;
  row.stop_ts = outline.stop_ts;
  row.stop_reason = outline.stop_reason;
  if (!outline.has_start) return;
  const int128 us = Between(row.start_ts, outline.has_stop ? row.stop_ts : row.last_event_ts);
  if (us < 0) return findings.Note(SessionFlag::kNegativeDuration);
  row.duration_seconds = static_cast<int64_t>(us / kMicrosPerSecond);
  if (us > options.duration_max_us) findings.Note(SessionFlag::kDurationImplausible);
}

// Lateness of messages: a sample in one that is not late is not late, however old it is.
void CheckLateness(const Outline& outline, const Options& options, Findings& findings) {
  if (outline.late_us <= options.late_us) return;
  const auto seconds = static_cast<int64_t>(outline.late_us / kMicrosPerSecond);
  findings.Note(SessionFlag::kLateArrival, "{\"seconds_max\":" + std::to_string(seconds) + "}");
}

// Status, and what time does to it: only a session with a start and without a stop waits, and is given up
// once nothing was heard of it for the timeout, or another began on its connector.
void Judge(const Outline& outline, const SessionContext& context, UtcTime data_clock, const Options& options,
           ChargingSession& row, Findings& findings) {
  row.updated_at = outline.ingest_max;
  if (!outline.has_start) {
    row.session_status = SessionStatus::kStartMissing;
    return findings.Note(SessionFlag::kStartMissing);
  }
  if (outline.has_stop) {
    row.session_status = SessionStatus::kCompleted;
    return;
  }
  if (context.superseded_by != kNoTime) {
    row.session_status = SessionStatus::kTimedOut;
    findings.Note(SessionFlag::kSuperseded);
    return findings.Note(SessionFlag::kStopMissing);
  }
  const UtcTime due = Later(row.last_event_ts, options.session_timeout_us);
  if (data_clock < due) {
    row.session_status = SessionStatus::kInProgress;
    row.next_due_at = due;
    return;
  }
  row.session_status = SessionStatus::kTimedOut;
  row.updated_at = std::max(row.updated_at, due);
  findings.Note(SessionFlag::kStopMissing);
}

std::optional<Evidence> EvidenceOf(const std::optional<Place>& place) {
  if (!place.has_value()) return std::nullopt;
  return Evidence{.topic = std::string(place->at.topic),
                  .partition = place->at.partition,
                  .offset = place->at.offset,
                  .ordinal = place->ordinal};
}

void ShowEnergy(const Outline& outline, const SessionEnergy& energy, const Findings& findings,
                ChargingSession& row) {
  row.meter_start_wh = energy.meter_start_wh;
  row.meter_stop_wh = energy.meter_stop_wh;
  row.last_meter_wh = energy.last_meter_wh;
  row.energy_kwh = energy.energy_kwh;
  row.energy_basis = energy.basis;
  row.energy_is_final =
      outline.has_start && outline.has_stop && energy.readings_final && !findings.flags.AnyBlocking();
  if (!row.energy_is_final) row.energy_estimate_kwh = energy.estimate_kwh;
  row.begin = EvidenceOf(energy.begin);
  row.end = EvidenceOf(energy.end);
}

// Energy that went through the meter since the stop of the session before, above 50 Wh; or a meter that starts at zero
// for every session.
void CheckContinuity(const SessionContext& context, const SessionEnergy& energy, Findings& findings) {
  constexpr int64_t kToleranceMilliWh = 50'000;
  const Thousandths zero;
  if (context.rejected || !context.previous_stop_wh.has_value() || !energy.meter_start_wh.has_value()) return;
  const int128 gap = int128(energy.meter_start_wh->units) - context.previous_stop_wh->units;
  const bool grew = Below(zero, energy.last_meter_wh.value_or(zero));
  if (*energy.meter_start_wh == zero && grew && Below(zero, *context.previous_stop_wh))
    findings.Note(SessionFlag::kMeterRebased);
  if (gap <= kToleranceMilliWh) return;
  findings.Note(SessionFlag::kUnattributedEnergy, "{" + Amount("wh", {static_cast<int64_t>(gap)}) + "}");
}

// What the timeline told of ids and of what happened meanwhile.
void Annotate(const Outline& outline, const SessionContext& context, ChargingSession& row,
              Findings& findings) {
  row.transaction_aliases = context.aliases;
  const auto within = [&](UtcTime time) {
    return time != kNoTime && (!outline.has_stop || time < outline.stop_ts);
  };
  if (context.inferred) findings.Note(SessionFlag::kTxIdInferred);
  if (!context.aliases.empty()) findings.Note(SessionFlag::kTxIdAliased);
  if (context.rejected) findings.Note(SessionFlag::kAuthRejected);
  if (within(context.rebooted_at)) findings.Note(SessionFlag::kRebootDuringSession);
  if (within(context.faulted_at)) findings.Note(SessionFlag::kFaultDuringSession);
}

// Whether the row would be another one without the context.
bool Changes(const SessionContext& context, const Findings& findings) {
  constexpr std::array kTold = {SessionFlag::kSuperseded,          SessionFlag::kUnattributedEnergy,
                                SessionFlag::kRebootDuringSession, SessionFlag::kFaultDuringSession,
                                SessionFlag::kAuthRejected,        SessionFlag::kMeterStartInvalid,
                                SessionFlag::kMeterRebased};
  return !context.transaction_id.empty() ||
         std::any_of(kTold.begin(), kTold.end(), [&](SessionFlag flag) { return findings.flags.Has(flag); });
}

}  // namespace

ChargingSession RowOf(const Digest& session_id, const Outline& outline, const SessionEnergy& energy,
                      const SessionContext* told, UtcTime data_clock, const SessionRules& rules,
                      Findings findings) {
  static const SessionContext nothing;
  const SessionContext& context = told != nullptr ? *told : nothing;
  const Options& options = rules.options;
  ChargingSession row;
  row.session_id = session_id;
  Describe(outline, row);
  Time(outline, options, row, findings);
  Judge(outline, context, data_clock, options, row, findings);
  CheckLateness(outline, options, findings);
  if (outline.reading_outside) findings.Note(SessionFlag::kReadingOutsideSession);
  if (outline.tags_differ) findings.Note(SessionFlag::kIdTagMismatch);
  if (told != nullptr) CheckContinuity(context, energy, findings), Annotate(outline, context, row, findings);
  ShowEnergy(outline, energy, findings, row);
  const bool ended = outline.has_stop || row.session_status == SessionStatus::kTimedOut;
  if (ended && row.energy_kwh == Thousandths{}) findings.Note(SessionFlag::kZeroEnergy);
  if (told != nullptr && Changes(context, findings))
    row.updated_at = std::max(row.updated_at, context.ingest_max);
  row.quality_flags = findings.flags;
  row.detail = DetailJson(findings);
  row.model_version = rules.model_version;
  return row;
}

}  // namespace medallion::ocpp
