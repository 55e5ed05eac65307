#include "resolve_neighbours.h"

#include <algorithm>
#include <string>

#include "resolve_pairing.h"
#include "session_facts.h"

namespace medallion::ocpp::resolving {
namespace {

bool Names(const Start& start, std::string_view id) {
  const std::string key = IdKey(id);
  return std::any_of(start.ids.begin(), start.ids.end(),
                     [&](const std::string& own) { return IdKey(own) == key; });
}

void Tell(const ChargingElement& element, SessionContext& context) {
  context.ingest_max = std::max(context.ingest_max, element.row.ingest_ts);
}

// The time of the first that is meant, of elements in order.
template <class Is>
UtcTime TellFirst(const Copies& elements, const Is& is_meant, SessionContext& context) {
  const auto first = std::find_if(elements.begin(), elements.end(), is_meant);
  if (first == elements.end()) return kNoTime;
  Tell(**first, context);
  return (*first)->row.event_ts;
}

}  // namespace

bool Neighbours::Counts(size_t number, const Line& line) {
  const Start& start = milestones_.starts[number];
  if (start.placed_later) AskAbout(start, sight_);
  if (start.line != line) return false;
  AskAbout(start, sight_);
  return !start.refused;
}

std::optional<size_t> Neighbours::Before(const Line& line, UtcTime time) {
  const UtcTime from = Plus(time, -2 * kNeighbourMax);
  const Numbers numbers = Between(milestones_.starts, from, time);
  for (size_t i = numbers.end; i-- > numbers.begin;) {
    if (!Counts(i, line)) continue;
    sight_.Ask({milestones_.starts[i].at, time});  // it may stand here for when it came
    return i;
  }
  if (from < sight_.seen().from) sight_.AskBack(time, 2 * kNeighbourMax);
  return std::nullopt;
}

std::optional<size_t> Neighbours::After(const Line& line, UtcTime time) {
  const UtcTime to = Plus(time, 2 * kNeighbourMax);
  const Numbers numbers = Within(milestones_.starts, {Plus(time, 1), to});
  for (size_t i = numbers.begin; i < numbers.end; ++i) {
    if (!Counts(i, line)) continue;
    sight_.Ask({time, milestones_.starts[i].at});
    return i;
  }
  if (sight_.seen().to < to) sight_.AskOn(time, 2 * kNeighbourMax);
  return std::nullopt;
}

std::optional<size_t> Neighbours::StartNamed(std::string_view id, UtcTime time) {
  const auto named = milestones_.named.find(IdKey(id));
  if (named == milestones_.named.end()) return std::nullopt;
  const auto after =
      std::upper_bound(named->second.begin(), named->second.end(), time,
                       [&](UtcTime at, size_t start) { return at < milestones_.starts[start].at; });
  if (after == named->second.begin()) return std::nullopt;
  const UtcTime at = milestones_.starts[after[-1]].at;
  if (at < Plus(time, -kNeighbourMax)) return std::nullopt;
  sight_.Ask({at, time});
  return after[-1];
}

// From a start to a stop with its id: a stop that names another connector is not looked for as far.
int64_t ReachOf(const Line& stop, const Line& start) {
  return stop.known() && stop != start ? kJoinMax : kNeighbourMax;
}

// Whether the stop ends the session that began with the start, which is at or before it: no later start has its id. All
// that tells the start's own ids was asked for.
bool Neighbours::IsOf(size_t stop, size_t start) {
  const Fact& fact = milestones_.facts[stop];
  const UtcTime began = milestones_.starts[start].at;
  if (fact.id.empty()) return joining_.StartOf(stop) == start;
  if (!milestones_.starts[start].unanswered() && !Names(milestones_.starts[start], fact.id)) return false;
  if (Plus(began, ReachOf(fact.line, milestones_.starts[start].line)) < fact.at) return false;
  const Numbers between = Within(milestones_.starts, {Plus(began, 1), fact.at});
  for (size_t i = between.begin; i < between.end; ++i) AskAbout(milestones_.starts[i], sight_);
  if (const std::optional<size_t> named = StartNamed(fact.id, fact.at);
      named.has_value() && milestones_.starts[*named].at >= began)
    return named == start;
  const std::optional<Learned> learned = joining_.LearnedBy(start);
  return learned.has_value() && IdKey(learned->id) == IdKey(fact.id);
}

std::optional<size_t> Neighbours::StopOf(size_t start, UtcTime until) {
  const Numbers numbers = Within(milestones_.facts, {milestones_.starts[start].at, until});
  for (size_t i = numbers.begin; i < numbers.end; ++i) {
    if (milestones_.facts[i].is_stop && IsOf(i, start)) return i;
  }
  return std::nullopt;
}

void Neighbours::TellIds(size_t number, SessionContext& context) {
  const Start& start = milestones_.starts[number];
  AskAbout(start, sight_);
  if (start.names_transaction) return;
  context.rejected = start.refused;
  if (start.answered) context.ingest_max = start.answered_at;
  if (!start.ids.empty()) {
    context.transaction_id = start.ids.front();
    context.aliases.assign(start.ids.begin() + 1, start.ids.end());
  } else if (const std::optional<Learned> learned = joining_.LearnedBy(number)) {
    context.transaction_id = learned->id;
    context.inferred = true;
    context.ingest_max = std::max(context.ingest_max, learned->ingest_ts);
  }
}

// What comes after the start: what supersedes it, and boots and faults as long as it may go on.
void Neighbours::TellEnd(size_t number, SessionContext& context) {
  const Start& start = milestones_.starts[number];
  const UtcTime far = Plus(start.at, kNeighbourMax);
  const Numbers later = Within(milestones_.starts, {Plus(start.at, 1), far});
  std::optional<size_t> next;
  for (size_t i = later.begin; i < later.end && !next; ++i) {
    if (start.line.known() && Counts(i, start.line)) next = i;
  }
  if (next) sight_.Ask({start.at, milestones_.starts[*next].at});
  const UtcTime until = next ? milestones_.starts[*next].at : std::min(far, sight_.seen().to);
  const std::optional<size_t> stop = StopOf(number, until);
  if (!next && !stop && sight_.seen().to < far) sight_.AskOn(start.at, kNeighbourMax);
  // A copy that stands apart is no other session; an id that is used again is.
  const bool other =
      next && (start.names_transaction || milestones_.starts[*next].entity() != start.entity());
  if (other && !stop) {
    context.superseded_by = until;
    Tell(*milestones_.starts[*next].fact, context);
  }
  const UtcTime end = std::min(stop ? milestones_.facts[*stop].at : until, Plus(start.at, kJoinMax));
  const auto within = [&](const ChargingElement* e) {
    return start.at < e->row.event_ts && e->row.event_ts < end;
  };
  const auto on_line = [&](const ChargingElement* e) {
    const Line line = LineOf(e->row);
    return line.known() && start.line.known() && MayShare(line, start.line) && within(e);
  };
  context.rebooted_at = TellFirst(milestones_.boots, within, context);
  context.faulted_at = TellFirst(milestones_.faults, on_line, context);
}

std::optional<Neighbours::Ended> Neighbours::Previous(size_t number) {
  const Start& start = milestones_.starts[number];
  const std::optional<size_t> before = Before(start.line, start.at);
  UtcTime from = Plus(start.at, -kNeighbourMax);
  if (before) from = std::max(from, milestones_.starts[*before].at);
  sight_.Ask({from, start.at});
  const Numbers numbers = Within(milestones_.facts, {from, start.at});
  for (size_t i = numbers.end; i-- > numbers.begin;) {
    const Fact& fact = milestones_.facts[i];
    if (!fact.is_stop || fact.fact->standing.fate != Fate::kSilver) continue;
    if (before && IsOf(i, *before)) return Ended{i, before};
    if (fact.line != start.line || fact.id.empty() || Names(start, fact.id)) continue;
    return Ended{i};
  }
  return std::nullopt;
}

// The first sample of the transaction's begin within the span, or the last of its end; at one instant the best location's.
const ChargingElement* Neighbours::SampleOf(std::string_view id, const TimeSpan& span, bool begin) {
  sight_.Ask(span);
  const std::string key = IdKey(id);
  const Numbers numbers = Within(milestones_.samples, span);
  const EndSample* best = nullptr;
  for (size_t i = numbers.begin; i < numbers.end; ++i) {
    const EndSample& sample = milestones_.samples[i];
    if (sample.is_begin != begin || IdKey(sample.fact->row.transaction_id) != key) continue;
    const bool further = best != nullptr && sample.at != best->at;
    const bool better = best != nullptr && LocationRank(sample.fact->row) < LocationRank(best->fact->row);
    if (best == nullptr || (further ? !begin : better)) best = &sample;
  }
  return best == nullptr ? nullptr : best->fact;
}

// What holds the register of the start or stop: itself, or a sample not over a day away.
const ChargingElement* Neighbours::BeginOf(const Start& start) {
  if (start.fact->row.meter_wh.has_value()) return start.fact;
  if (!start.names_transaction) return nullptr;
  return SampleOf(start.ids.front(), {start.at, Plus(start.at, kAnswerMax)}, true);
}
const ChargingElement* Neighbours::EndOf(const Fact& stop) {
  if (stop.meter_wh.has_value()) return stop.fact;
  if (stop.id.empty()) return nullptr;
  return SampleOf(stop.id, {Plus(stop.at, -kAnswerMax), stop.at}, false);
}

// What holds the register that the session ended with; nothing where it set that one aside. A zero is none: a meter that
// did not count shows it, and one that failed.
const ChargingElement* Neighbours::RegisterOf(const Ended& ended) {
  const Fact& stop = milestones_.facts[ended.stop];
  const ChargingElement* const end = EndOf(stop);
  if (end == nullptr || CannotBe(*end->row.meter_wh) || *end->row.meter_wh == Thousandths{}) return nullptr;
  if (!ended.start.has_value()) return end;
  const Start& start = milestones_.starts[*ended.start];
  const ChargingElement* const begin = BeginOf(start);
  if (begin == nullptr || CannotBe(*begin->row.meter_wh)) return end;
  const Register from{start.at, *begin->row.meter_wh}, to{stop.at, *end->row.meter_wh};
  return GoesOn(from, to, LimitsOf(start, options_)) ? end : nullptr;
}

void Neighbours::TellPrevious(size_t number, SessionContext& context) {
  const Start& start = milestones_.starts[number];
  if (start.refused) return;
  const std::optional<Ended> ended = Previous(number);
  const ChargingElement* const previous = ended ? RegisterOf(*ended) : nullptr;
  if (previous == nullptr) return;
  const ChargingElement* const begin = BeginOf(start);
  if (begin != nullptr && begin->row.meter_wh == previous->row.meter_wh) return;
  context.previous_stop_wh = previous->row.meter_wh;
  Tell(*previous, context);
}

SessionContext Neighbours::ContextOf(size_t number) {
  const Start& start = milestones_.starts[number];
  SessionContext context;
  context.start_ts = start.at;
  context.connector_id = start.fact->row.connector_id;
  TellIds(number, context);
  TellEnd(number, context);
  if (start.line.known()) TellPrevious(number, context);
  return context;
}

}  // namespace medallion::ocpp::resolving
