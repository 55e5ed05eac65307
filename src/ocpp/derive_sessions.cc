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
#include <vector>

#include "absl/numeric/int128.h"
#include "medallion/gold/row_hash.h"
#include "session_energy.h"
#include "session_facts.h"
#include "session_findings.h"

namespace medallion::ocpp {
namespace {

using absl::int128;

constexpr int64_t kMissingListed = 100;  // of the numbers missing in a sequence so many are named

int128 Between(UtcTime from, UtcTime to) { return int128(to.us) - from.us; }

UtcTime Later(UtcTime time, int64_t by) {
  const int128 us = int128(time.us) + by;
  return {static_cast<int64_t>(std::min(us, int128(std::numeric_limits<int64_t>::max())))};
}

// Who and where. A charge point under several spellings shows the one that sorts first by bytes; an id that
// is no id is not shown.
void Describe(const SessionFacts& facts, ChargingSession& row) {
  row.session_id = facts.session_id;
  const auto spelling = [](const ChargingElement* a, const ChargingElement* b) {
    return a->row.charge_point_id < b->row.charge_point_id;
  };
  row.charge_point_id =
      (*std::min_element(facts.silver.begin(), facts.silver.end(), spelling))->row.charge_point_id;
  row.evse_id = FirstKnown(facts, &ChargingEvent::evse_id);
  row.connector_id = FirstKnown(facts, &ChargingEvent::connector_id);
  if (facts.has_id) row.transaction_id = facts.silver.front()->row.transaction_id;
  row.id_tag_hash = FirstKnown(facts, &ChargingEvent::id_tag_hash);
  row.event_count = static_cast<int64_t>(facts.silver.size());
}

// When it began, ended and was last heard of.
void Time(const SessionFacts& facts, const Options& options, ChargingSession& row, Findings& findings) {
  row.last_event_ts = facts.silver.back()->row.event_ts;
  if (facts.stop != nullptr) {
    row.stop_ts = facts.stop->row.event_ts;
    row.stop_reason = facts.stop->row.stop_reason;
  }
  if (facts.start == nullptr) return;
  row.start_ts = facts.start->row.event_ts;
  const int128 us = Between(row.start_ts, facts.stop != nullptr ? row.stop_ts : row.last_event_ts);
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
void CheckLateness(const SessionFacts& facts, const Options& options, Findings& findings) {
  int128 latest = 0;
  for (const ChargingElement* element : facts.silver) {
    latest = std::max(latest, Between(element->row.event_ts, element->row.ingest_ts));
  }
  if (latest <= options.late_us) return;
  const auto seconds = static_cast<int64_t>(latest / kMicrosPerSecond);
  findings.Note(SessionFlag::kLateArrival, "{\"seconds_max\":" + std::to_string(seconds) + "}");
}

void CheckReadingTimes(const SessionFacts& facts, Findings& findings) {
  const Window window = WindowOf(facts);
  const bool outside = std::any_of(facts.silver.begin(), facts.silver.end(), [&](const ChargingElement* e) {
    return IsReading(*e) && !window.Holds(e->row.event_ts);
  });
  if (outside) findings.Note(SessionFlag::kReadingOutsideSession);
}

void CheckTags(const SessionFacts& facts, const ChargingSession& row, Findings& findings) {
  const bool differ = std::any_of(facts.silver.begin(), facts.silver.end(), [&](const ChargingElement* e) {
    return !e->row.id_tag_hash.empty() && e->row.id_tag_hash != row.id_tag_hash;
  });
  if (differ) findings.Note(SessionFlag::kIdTagMismatch);
}

// Names of the values that settling compares, by the bit of Standing::differs.
std::string_view ValueName(EventType type, int bit) {
  if (type == EventType::kMeterValues) return "value";
  return bit == 0 ? "meter_wh" : "id_tag_hash";
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

UtcTime LargestIngest(const SessionFacts& facts) {
  UtcTime largest = kNoTime;
  for (const auto* elements : {&facts.silver, &facts.conflicts}) {
    for (const ChargingElement* element : *elements) largest = std::max(largest, element->row.ingest_ts);
  }
  return largest;
}

// Status, and what time does to it: only a session with a start and without a stop waits, and is given up
// once nothing was heard of it for the timeout.
void Judge(const SessionFacts& facts, UtcTime data_clock, const Options& options, ChargingSession& row,
           Findings& findings) {
  row.updated_at = LargestIngest(facts);
  if (facts.start == nullptr) {
    row.session_status = SessionStatus::kStartMissing;
    return findings.Note(SessionFlag::kStartMissing);
  }
  if (facts.stop != nullptr) {
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

Evidence Coordinates(const Coordinate& at, uint32_t ordinal) {
  return {.topic = std::string(at.topic), .partition = at.partition, .offset = at.offset, .ordinal = ordinal};
}

// Where a reading came from. A winner may show the reading of a later copy: the copy is named, of which only
// the record is known. (In all facts of a transaction the reading is the first value compared.)
std::optional<Evidence> EvidenceOf(const ChargingElement* element) {
  if (element == nullptr) return std::nullopt;
  const bool filled = (element->standing.filled & 1) != 0;
  return filled ? Coordinates(element->standing.value_from[0], 0)
                : Coordinates(element->row.at, element->row.ordinal);
}

void ShowEnergy(const SessionFacts& facts, const SessionEnergy& energy, const Findings& findings,
                ChargingSession& row) {
  row.meter_start_wh = energy.meter_start_wh;
  row.meter_stop_wh = energy.meter_stop_wh;
  row.last_meter_wh = energy.last_meter_wh;
  row.energy_kwh = energy.energy_kwh;
  row.energy_basis = energy.basis;
  row.energy_is_final = facts.start != nullptr && facts.stop != nullptr && energy.readings_final &&
                        !findings.flags.AnyBlocking();
  if (!row.energy_is_final) row.energy_estimate_kwh = energy.estimate_kwh;
  row.begin = EvidenceOf(energy.begin);
  row.end = EvidenceOf(energy.end);
}

// The session of these facts; nothing, if they are readings that show no energy.
std::optional<ChargingSession> Derive(const SessionFacts& facts, UtcTime data_clock, const Options& options) {
  ChargingSession row;
  Findings findings;
  const SessionEnergy energy = FindEnergy(facts, options, findings);
  if (facts.start == nullptr && facts.stop == nullptr && !energy.shows_energy) return std::nullopt;

  Describe(facts, row);
  Time(facts, options, row, findings);
  Judge(facts, data_clock, options, row, findings);
  CheckConflicts(facts, findings);
  CheckSequence(facts, findings);
  CheckLateness(facts, options, findings);
  CheckReadingTimes(facts, findings);
  CheckTags(facts, row, findings);
  if (facts.id_reused) findings.Note(SessionFlag::kTxIdReused);
  ShowEnergy(facts, energy, findings, row);
  const bool ended = facts.stop != nullptr || row.session_status == SessionStatus::kTimedOut;
  if (ended && row.energy_kwh == Thousandths{}) findings.Note(SessionFlag::kZeroEnergy);

  row.quality_flags = findings.flags;
  row.detail = DetailJson(findings);
  return row;
}

}  // namespace

std::vector<ChargingSession> DeriveSessions(std::span<const ChargingElement> history, UtcTime data_clock,
                                            const SessionRules& rules) {
  std::vector<ChargingSession> rows;
  for (const SessionFacts& facts : GatherSessions(history, rules.options)) {
    std::optional<ChargingSession> row = Derive(facts, data_clock, rules.options);
    if (!row.has_value()) continue;
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
