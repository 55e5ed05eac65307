#include "medallion/ocpp/derive_sessions.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/numeric/int128.h"
#include "medallion/gold/row_hash.h"
#include "session_energy.h"
#include "session_facts.h"
#include "session_findings.h"
#include "session_state.h"
#include "value_name.h"

namespace medallion::ocpp {
namespace {

using absl::int128;

constexpr int64_t kMissingListed = 100;  // of the numbers missing in a sequence so many are named

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

// Numbers between the smallest and the largest that came which did not. What comes before the first number is
// the start's business: START_MISSING.
void CheckSequence(const SessionFacts& facts, Findings& findings) {
  std::vector<int64_t> numbers;
  for (const ChargingElement* element : facts.silver) {
    if (element->row.seq_no.has_value()) numbers.push_back(*element->row.seq_no);
  }
  std::sort(numbers.begin(), numbers.end());
  int128 missing = 0;
  std::string listed;
  int64_t named = 0;
  for (size_t i = 1; i < numbers.size(); ++i) {
    const int128 gap = int128(numbers[i]) - numbers[i - 1] - 1;
    if (gap <= 0) continue;
    missing += gap;
    for (int64_t n = numbers[i - 1] + 1; n < numbers[i] && named < kMissingListed; ++n, ++named) {
      listed.append(listed.empty() ? "" : ",").append(std::to_string(n));
    }
  }
  if (missing == 0) return;
  const int128 count = std::min(missing, int128(std::numeric_limits<int64_t>::max()));
  findings.Note(SessionFlag::kSeqGap, "{\"missing\":[" + listed +
                                          "],\"count\":" + std::to_string(static_cast<int64_t>(count)) + "}");
}

// Lateness of messages; samples inside a session count like any other message.
void CheckLateness(const Outline& outline, const Options& options, Findings& findings) {
  if (outline.late_us <= options.late_us) return;
  const auto seconds = static_cast<int64_t>(outline.late_us / kMicrosPerSecond);
  findings.Note(SessionFlag::kLateArrival, "{\"seconds_max\":" + std::to_string(seconds) + "}");
}

void CheckConflicts(const SessionFacts& facts, Findings& findings) {
  if (facts.conflicts.empty()) return;
  std::set<std::string_view> fields;
  for (const ChargingElement* element : facts.conflicts) {
    for (int bit = 0; bit < kValuesMax; ++bit) {
      if ((element->standing.differs >> bit & 1) != 0) fields.insert(ValueName(element->row.event_type, bit));
    }
  }
  std::string names;
  for (const std::string_view field : fields) {
    names.append(names.empty() ? "\"" : ",\"").append(field).append("\"");
  }
  findings.Note(SessionFlag::kConflict,
                "{\"rows\":" + std::to_string(facts.conflicts.size()) + ",\"fields\":[" + names + "]}");
}

// Status, and what time does to it: only a session with a start and without a stop waits, and is given up
// once nothing was heard of it for the timeout.
void Judge(const Outline& outline, UtcTime data_clock, const Options& options, ChargingSession& row,
           Findings& findings) {
  row.updated_at = outline.ingest_max;
  if (!outline.has_start) {
    row.session_status = SessionStatus::kStartMissing;
    return findings.Note(SessionFlag::kStartMissing);
  }
  if (outline.has_stop) {
    row.session_status = SessionStatus::kCompleted;
    return;
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

// The row, but for its id. `findings` are those that take more than the outline to tell.
ChargingSession RowOf(const Outline& outline, const SessionEnergy& energy, UtcTime data_clock,
                      const Options& options, Findings findings) {
  ChargingSession row;
  Describe(outline, row);
  Time(outline, options, row, findings);
  Judge(outline, data_clock, options, row, findings);
  CheckLateness(outline, options, findings);
  if (outline.reading_outside) findings.Note(SessionFlag::kReadingOutsideSession);
  if (outline.tags_differ) findings.Note(SessionFlag::kIdTagMismatch);
  ShowEnergy(outline, energy, findings, row);
  const bool ended = outline.has_stop || row.session_status == SessionStatus::kTimedOut;
  if (ended && row.energy_kwh == Thousandths{}) findings.Note(SessionFlag::kZeroEnergy);
  row.quality_flags = findings.flags;
  row.detail = DetailJson(findings);
  return row;
}

// The session of these facts; nothing, if they are readings that show no energy.
std::optional<ChargingSession> Derive(const SessionFacts& facts, UtcTime data_clock, const Options& options) {
  Findings findings;
  SessionState state = StateOf(facts, options);
  std::optional<SessionEnergy> energy = PlainEnergy(state, options, findings);
  if (!energy.has_value()) energy = FindEnergy(facts, options, findings);
  Outline& outline = state.outline;
  if (!outline.has_start && !outline.has_stop && !energy->shows_energy) return std::nullopt;

  if (!outline.seq_steady) CheckSequence(facts, findings);
  CheckConflicts(facts, findings);
  if (facts.id_reused) findings.Note(SessionFlag::kTxIdReused);
  for (const ChargingElement* contested : facts.conflicts) {
    outline.ingest_max = std::max(outline.ingest_max, contested->row.ingest_ts);
  }
  if (!facts.has_id) outline.transaction_id = {};  // an id that is none is not shown
  return RowOf(outline, *energy, data_clock, options, std::move(findings));
}

}  // namespace

std::vector<ChargingSession> DeriveSessions(std::span<const ChargingElement> history, UtcTime data_clock,
                                            const SessionRules& rules) {
  std::vector<ChargingSession> rows;
  for (const SessionFacts& facts : GatherSessions(InOrder(history), rules.options)) {
    std::optional<ChargingSession> row = Derive(facts, data_clock, rules.options);
    if (!row.has_value()) continue;
    row->session_id = facts.session_id;
    row->model_version = rules.model_version;
    row->row_hash = RowHash(*row);
    rows.push_back(*std::move(row));
  }
  std::sort(rows.begin(), rows.end(),
            [](const ChargingSession& a, const ChargingSession& b) { return a.session_id < b.session_id; });
  return rows;
}

std::vector<ChargingSession> DeriveSessions(std::span<const ChargingElement> history, UtcTime data_clock,
                                            const Options& options) {
  return DeriveSessions(history, data_clock, SessionRules(options));
}

}  // namespace medallion::ocpp
