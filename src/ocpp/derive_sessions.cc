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
#include "medallion/ocpp/identify.h"
#include "session_energy.h"
#include "session_facts.h"
#include "session_findings.h"
#include "session_links.h"
#include "session_row.h"
#include "session_state.h"
#include "session_summary.h"
#include "value_name.h"

namespace medallion::ocpp {
namespace {

using absl::int128;

constexpr int64_t kMissingListed = 100;  // of the numbers missing in a sequence so many are named

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

// Readings alone are a session only where they show energy, and only under a transaction id.
bool IsSession(const SessionFacts& facts, const SessionEnergy& energy) {
  return facts.start != nullptr || facts.stop != nullptr || (facts.has_id && energy.shows_energy);
}

// Where rows go, and with the only session of a history its summary, if it is plain.
struct Output {
  std::vector<ChargingSession>& rows;
  std::vector<MeterIntervals>* intervals = nullptr;
  std::string* summary = nullptr;
  uint64_t contexts = 0;  // their print
};

void PutIntervals(const Digest& session_id, const SessionEnergy& energy, const SessionRules& rules,
                  std::vector<MeterIntervals>* intervals) {
  if (intervals == nullptr) return;
  std::optional<MeterIntervals> row = energy.intervals.Row(session_id, rules.model_version);
  if (row.has_value()) intervals->push_back(*std::move(row));
}

// Appends the row of a session, if it is one.
void Derive(const SessionFacts& facts, UtcTime data_clock, const SessionRules& rules, const Output& output) {
  Findings findings;
  SessionState state = StateOf(facts, rules.options);
  std::optional<SessionEnergy> energy = PlainEnergy(state, rules.options, findings);
  Outline& outline = state.outline;
  if (output.summary != nullptr && energy.has_value() && facts.has_id && !facts.joined &&
      outline.seq_steady) {
    const ChargingElement* header = facts.start != nullptr ? facts.start : facts.stop;
    const uint32_t epoch = header == nullptr ? 0 : header->identity.fact;
    PackSummary({state, OrderOf(*facts.silver.back()), epoch}, rules, output.contexts, *output.summary);
  }
  if (!energy.has_value()) energy = FindEnergy(facts, rules.options, findings);
  if (!IsSession(facts, *energy)) return;

  if (!outline.seq_steady) CheckSequence(facts, findings);
  CheckConflicts(facts, findings);
  if (facts.id_reused) findings.Note(SessionFlag::kTxIdReused);
  if (facts.joined) findings.Note(SessionFlag::kTxIdInferred);
  for (const ChargingElement* contested : facts.conflicts) {
    outline.ingest_max = std::max(outline.ingest_max, contested->row.ingest_ts);
  }
  if (!facts.has_id) outline.transaction_id = {};  // an id that is none is not shown
  PutIntervals(facts.session_id, *energy, rules, output.intervals);
  output.rows.push_back(
      RowOf(facts.session_id, outline, *energy, facts.context, data_clock, rules, std::move(findings)));
}

// Rows are large: their order is made before they are.
std::vector<const SessionFacts*> ById(const std::vector<SessionFacts>& sessions) {
  std::vector<const SessionFacts*> sorted;
  sorted.reserve(sessions.size());
  for (const SessionFacts& facts : sessions) sorted.push_back(&facts);
  std::sort(sorted.begin(), sorted.end(),
            [](const SessionFacts* a, const SessionFacts* b) { return a->session_id < b->session_id; });
  return sorted;
}

// Readings alone.
bool IsAlone(const Outline& outline) { return !outline.has_start && !outline.has_stop; }

bool ShowsEnergy(const SessionState& state, const Options& options) {
  Findings findings;
  const std::optional<SessionEnergy> energy = PlainEnergy(state, options, findings);
  return energy.has_value() && energy->shows_energy;
}

// Takes facts that all sort after those of the summary. False, if it takes the whole history to tell what they mean.
bool Extend(SessionSummary& summary, const Facts& added, bool told, const Options& options) {
  Outline& outline = summary.state.outline;
  for (const ChargingElement* fact : added) {
    if (!HasTransactionId(fact->row, options)) return false;
    if (fact->row.event_type != EventType::kStopTransaction) continue;
    if (told) return false;  // it may be of another unit than the start
    summary.state.stop_at = &fact->row.at;
  }
  for (const ChargingElement* fact : added) {
    const FactOrder order = OrderOf(*fact);
    const bool is_stop = fact->row.event_type == EventType::kStopTransaction;
    if (fact->standing.fate != Fate::kSilver || order <= summary.last) return false;
    if (fact->row.event_type == EventType::kStartTransaction)
      return false;  // what came before is judged by it
    if (is_stop && outline.has_start && fact->identity.fact != summary.epoch) return false;
    if (is_stop) summary.epoch = fact->identity.fact;
    summary.state.Take(*fact, options);
    summary.last = order;
  }
  return outline.seq_steady;
}

}  // namespace

std::vector<ChargingSession> DeriveSessions(std::span<const ChargingElement> history,
                                            std::span<const std::string_view> contexts, UtcTime data_clock,
                                            const SessionRules& rules, std::string* summary,
                                            std::vector<MeterIntervals>* intervals) {
  const Options& options = rules.options;
  if (summary != nullptr) summary->clear();
  std::vector<ChargingSession> rows;
  bool of_one = true;
  Facts all = InOrder(history, of_one);
  if (all.empty()) return rows;
  const size_t count = all.size();
  const bool linked = !of_one || !contexts.empty();
  const Told told(contexts);
  const Root root = linked ? RootOf(all, told, options) : Root();
  const std::vector<ChargingElement> settled =
      linked ? SettleUnits(all, told, options) : std::vector<ChargingElement>();
  std::vector<SessionFacts> sessions = GatherSessions(std::move(all), options, linked ? &root : nullptr);
  if (linked) {
    for (SessionFacts& facts : sessions) Complete(root, told, options, facts);
  }
  const bool one = sessions.size() == 1 && sessions.front().silver.size() == count;
  const Output output{rows, intervals, one ? summary : nullptr, PrintOf(contexts)};
  for (const SessionFacts* facts : ById(sessions)) {
    if (!facts->silver.empty()) Derive(*facts, data_clock, rules, output);
  }
  return rows;
}

std::vector<ChargingSession> DeriveSessions(std::span<const ChargingElement> history,
                                            std::span<const std::string_view> contexts, UtcTime data_clock,
                                            const Options& options) {
  std::vector<ChargingSession> rows = DeriveSessions(history, contexts, data_clock, SessionRules(options));
  HashRows(rows.size(), [&](size_t i) -> ChargingSession& { return rows[i]; });
  return rows;
}

std::optional<std::vector<ChargingSession>> ContinueSessions(std::string_view summary,
                                                             std::span<const ChargingElement> added,
                                                             std::span<const std::string_view> contexts,
                                                             UtcTime data_clock, const SessionRules& rules,
                                                             std::string& next,
                                                             std::vector<MeterIntervals>* intervals) {
  const uint64_t print = PrintOf(contexts);
  const bool told = !contexts.empty();
  bool of_one = true;
  std::optional<SessionSummary> known = UnpackSummary(summary, rules, print);
  if (!known.has_value()) return std::nullopt;
  const bool alone = IsAlone(known->state.outline);
  const bool was_none =
      alone && known->state.meter.between.end().items > 0 && !ShowsEnergy(known->state, rules.options);
  if (!Extend(*known, InOrder(added, of_one), told, rules.options)) return std::nullopt;
  Findings findings;
  const std::optional<SessionEnergy> energy = PlainEnergy(known->state, rules.options, findings);
  if (!energy.has_value()) return std::nullopt;
  const Outline& outline = known->state.outline;
  std::vector<ChargingSession> rows;
  if (!IsAlone(outline) || energy->shows_energy) {
    if (was_none) return std::nullopt;  // the intervals of before do not stand
    const Digest id = added.empty() || told ? SessionId(outline.charge_point_id, outline.transaction_id)
                                            : SessionIdOf(added.front());
    const Told all(contexts);
    const SessionContext* context =
        outline.has_start ? all.Of(outline.start_ts, outline.connector_id) : nullptr;
    PutIntervals(id, *energy, rules, intervals);
    rows.push_back(RowOf(id, outline, *energy, context, data_clock, rules, std::move(findings)));
  }
  PackSummary(*known, rules, print, next);
  return rows;
}

}  // namespace medallion::ocpp
