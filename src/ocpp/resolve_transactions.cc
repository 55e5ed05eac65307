#include "medallion/ocpp/resolve_transactions.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "medallion/ocpp/identify.h"
#include "resolve_joining.h"
#include "resolve_neighbours.h"
#include "resolve_pairing.h"
#include "resolve_timeline.h"
#include "session_context.h"

namespace medallion::ocpp {
namespace resolving {
namespace {

class Resolver {
 public:
  Resolver(const Timeline<ChargingEvent>& timeline, const Options& options)
      : timeline_(timeline),
        milestones_(MilestonesOf(timeline, options)),
        sight_(timeline.seen, timeline.details),
        joining_(milestones_, sight_, options),
        neighbours_(milestones_, sight_, joining_, options) {}

  Resolution Run() {
    PairResults(milestones_);
    Resolution answer;
    answer.span = AffectedSpan();
    if (sight_.sees_all()) TellLinks(answer);
    answer.settled = sight_.enough();
    if (answer.settled) return answer;
    return {.settled = false,
            .need = sight_.need(),
            .need_details = sight_.need_details(),
            .span = {},
            .links = {},
            .watch = false};
  }

 private:
  TimeSpan AffectedSpan() {
    TimeSpan span = timeline_.touched;
    sight_.Ask(span);
    if (timeline_.loose) {
      sight_.Ask(Around(span, kJoinMax + 3 * kAnswerMax));  // the least that the rest comes to, at once
      AddPaired(span);
      AddPlaced(span);
      AddJoined(span);
    }
    AddSampled(span);
    AddNeighbours(span);
    sight_.Ask(span);
    return span;
  }

  // Places of starts that a result, a boot or a copy within `span` may bear on.
  void AddPaired(TimeSpan& span) {
    const TimeSpan around = Around(span, kAnswerMax);
    sight_.Ask(around);
    const auto near = [&](const ChargingElement* copy) {
      return Holds(around, copy->row.event_ts) || Holds(around, copy->row.ingest_ts);
    };
    for (const Start& start : milestones_.starts) {
      if (start.names_transaction) continue;
      if (std::none_of(start.copies.begin(), start.copies.end(), near)) continue;
      for (const ChargingElement* copy : start.copies) Include(copy->row.event_ts, span);
    }
  }

  // Places of starts that what is within `span` may place.
  void AddPlaced(TimeSpan& span) {
    const TimeSpan reach{Plus(span.from, -kJoinMax), span.to};
    sight_.Ask(reach);
    const Numbers starts = Within(milestones_.starts, reach);
    for (size_t i = starts.begin; i < starts.end; ++i) {
      if (!milestones_.starts[i].placed_later) continue;
      AskAbout(milestones_.starts[i], sight_);
      Include(milestones_.starts[i].at, span);
    }
  }

  // Places of unanswered starts, and of facts without an id, whose fold what is within `span` may bear on.
  void AddJoined(TimeSpan& span) {
    // The fold of the block after looks back here; what joins a start of that block, up to 7 days later, follows it.
    const UtcTime last = SpanOfBlock(BlockOf(span.to) + 1).to;
    const TimeSpan reach{Plus(span.from, -kJoinMax), Plus(last, kJoinMax)};
    sight_.Ask(Around(reach, kAnswerMax));
    const TimeSpan own = span;
    const std::set<std::string> told = IdsToldIn(Around(own, kAnswerMax));
    UtcTime earliest = span.from;
    const Numbers starts = Within(milestones_.starts, reach);
    for (size_t i = starts.begin; i < starts.end; ++i) {
      const Start& start = milestones_.starts[i];
      AskAbout(start, sight_);
      if (SharesId(start, own, told)) Include(start.at, span);
      if (!start.unanswered()) continue;
      earliest = std::min(earliest, start.at);
      Include(start.at, span);
    }
    const Numbers facts = Within(milestones_.facts, {earliest, reach.to});
    for (size_t i = facts.begin; i < facts.end; ++i) {
      if (milestones_.facts[i].id.empty()) Include(milestones_.facts[i].at, span);
    }
  }

  // Of the results within the span, which may be of other starts now than they were.
  std::set<std::string> IdsToldIn(const TimeSpan& span) const {
    std::set<std::string> ids;
    if (timeline_.went) return ids;  // nobody asks
    for (const Result& result : milestones_.results) {
      const ChargingEvent& row = result.element->row;
      if (result.usable && Holds(span, row.ingest_ts)) ids.insert(IdKey(row.transaction_id));
    }
    return ids;
  }

  // Whether an id of the start is one of another start in `span`, 7 days around included; or may have been.
  bool SharesId(const Start& start, const TimeSpan& span, const std::set<std::string>& told) const {
    if (start.ids.empty() || !Around(span, kJoinMax).Holds(start.at)) return false;
    const Numbers near = Within(milestones_.starts, span);
    return timeline_.went || std::any_of(start.ids.begin(), start.ids.end(), [&](const std::string& id) {
             if (told.contains(IdKey(id))) return true;
             const std::vector<size_t>& named = milestones_.named.at(IdKey(id));  // ascending
             const auto first = std::lower_bound(named.begin(), named.end(), near.begin);
             return first != named.end() && *first < near.end;
           });
  }

  // Places of starts whose begin, and of stops whose end, a sample within `span` may be.
  void AddSampled(TimeSpan& span) {
    if (timeline_.went) span = Around(span, kAnswerMax);
    const Numbers samples = Within(milestones_.samples, span);
    for (size_t i = samples.begin; i < samples.end; ++i) {
      const EndSample& sample = milestones_.samples[i];
      const std::string id = IdKey(sample.fact->row.transaction_id);
      const TimeSpan near = sample.is_begin ? TimeSpan{Plus(sample.at, -kAnswerMax), sample.at}
                                            : TimeSpan{sample.at, Plus(sample.at, kAnswerMax)};
      sight_.Ask(near);
      sample.is_begin ? AddNamed(milestones_.starts, near, id, span)
                      : AddNamed(milestones_.facts, near, id, span);
    }
  }

  static bool IsNamed(const Start& start, const std::string& id) {
    return start.names_transaction && IdKey(start.ids.front()) == id;
  }
  static bool IsNamed(const Fact& fact, const std::string& id) {
    return fact.is_stop && IdKey(fact.id) == id;
  }
  template <class T>
  static void AddNamed(const std::vector<T>& sorted, const TimeSpan& near, const std::string& id,
                       TimeSpan& span) {
    const Numbers numbers = Within(sorted, near);
    for (size_t i = numbers.begin; i < numbers.end; ++i) {
      if (IsNamed(sorted[i], id)) Include(sorted[i].at, span);
    }
  }

  // Places of the nearest starts before and after, on every line that what is within `span` may bear on.
  void AddNeighbours(TimeSpan& span) {
    const TimeSpan own = span;
    const Affected affected = AffectedBy(own);
    // A start without a line has no neighbours, but a boot may lie in it, or a stop end it before that.
    for (const size_t start : affected.without_line) Include(milestones_.starts[start].at, span);
    for (const Line& line : affected.lines) {
      const std::optional<size_t> before = neighbours_.Before(line, own.from);
      const std::optional<size_t> after = neighbours_.After(line, own.to);
      if (after) Include(milestones_.starts[*after].at, span);
      const UtcTime from = before ? milestones_.starts[*before].at : Plus(own.from, -kNeighbourMax);
      const Numbers numbers = Between(milestones_.starts, from, own.from);
      for (size_t i = numbers.begin; i < numbers.end; ++i) {
        if (milestones_.starts[i].line == line) Include(milestones_.starts[i].at, span);
      }
    }
  }

  // What lies around a span and may depend on it.
  struct Affected {
    std::set<Line> lines;
    std::set<size_t> without_line;  // starts
    void Add(size_t number, const Start& start, Sight& sight) {
      if (start.placed_later) AskAbout(start, sight);
      lines.insert(start.lines.begin(), start.lines.end());
      start.line.known() ? void(lines.insert(start.line)) : void(without_line.insert(number));
    }
  };

  Affected AffectedBy(const TimeSpan& span) {
    TimeSpan reach = span;
    const bool others = timeline_.loose || BearsOnOthers(span);
    if (others) reach.from = Plus(span.from, -kJoinMax);
    if (timeline_.went) reach = {Plus(span.from, -kNeighbourMax), Plus(span.to, 2 * kNeighbourMax)};
    sight_.Ask(reach);
    Affected affected;
    const Numbers starts = Within(milestones_.starts, reach);
    for (size_t i = starts.begin; i < starts.end; ++i) affected.Add(i, milestones_.starts[i], sight_);
    if (!timeline_.went && (timeline_.loose || UsesIdAgain(span))) AddLater(span.to, affected);
    const Numbers facts = Within(milestones_.facts, span);
    for (size_t i = facts.begin; i < facts.end; ++i) {
      const Fact& fact = milestones_.facts[i];
      if (fact.is_stop && !fact.id.empty()) AddLinesOf({fact.id, fact.at, fact.line}, affected);
    }
    const Numbers samples = Within(milestones_.samples, span);
    for (size_t i = samples.begin; i < samples.end; ++i) {
      const EndSample& sample = milestones_.samples[i];
      AddLinesOf({sample.fact->row.transaction_id, sample.at, LineOf(sample.fact->row)}, affected);
    }
    return affected;
  }

  // A stop, or the sample of a begin or end.
  struct Named {
    std::string_view id;
    UtcTime at;
    Line line;
  };
  void AddLinesOf(const Named& fact, Affected& affected) {
    if (fact.line.known()) affected.lines.insert(fact.line);
    if (const std::optional<size_t> start = neighbours_.StartNamed(fact.id, fact.at)) {
      affected.Add(*start, milestones_.starts[*start], sight_);
    } else {
      sight_.Ask({Plus(fact.at, -kJoinMax), fact.at});
      if (!fact.line.known()) sight_.AskBack(fact.at, kNeighbourMax);
    }
  }

  // Where an id is used again, a start takes the stop of the one that had it before. Of one more than 7 days before only
  // the next start on its line tells, and that comes after the stop.
  void AddLater(UtcTime time, Affected& affected) {
    const TimeSpan later{time, Plus(time, 2 * kNeighbourMax)};
    sight_.Ask(later);
    const Numbers starts = Within(milestones_.starts, later);
    for (size_t i = starts.begin; i < starts.end; ++i) {
      const Start& start = milestones_.starts[i];
      if (start.placed_later) AskAbout(start, sight_);
      if (start.line.known()) affected.lines.insert(start.line);
    }
  }

  // Whether something within the span bears on starts of other lines: a boot, a fault, an id that is used again.
  bool BearsOnOthers(const TimeSpan& span) const {
    const auto within = [&](const ChargingElement* e) { return Holds(span, e->row.event_ts); };
    return UsesIdAgain(span) || std::any_of(milestones_.boots.begin(), milestones_.boots.end(), within) ||
           std::any_of(milestones_.faults.begin(), milestones_.faults.end(), within);
  }

  bool UsesIdAgain(const TimeSpan& span) const {
    const Numbers starts = Within(milestones_.starts, span);
    for (size_t i = starts.begin; i < starts.end; ++i) {
      if (milestones_.starts[i].fact->identity.fact > 0) return true;
    }
    return false;
  }

  void TellLinks(Resolution& answer) {
    const Numbers starts = Within(milestones_.starts, answer.span);
    for (size_t i = starts.begin; i < starts.end; ++i) {
      answer.watch = answer.watch || milestones_.starts[i].unanswered() || milestones_.starts[i].placed_later;
      TellStart(i, answer.links);
    }
    const Numbers facts = Within(milestones_.facts, answer.span);
    for (size_t i = facts.begin; i < facts.end; ++i) TellFact(i, answer.links);
    SortLinks(answer.links);
  }

  void TellStart(size_t number, std::vector<Link>& links) {
    const Start& start = milestones_.starts[number];
    const SessionContext context = neighbours_.ContextOf(number);
    const EntityKey root = joining_.RootOfStart(number);
    if (root == start.entity() && context.empty()) return;
    links.push_back({start.at, start.entity(), root, context.empty() ? std::string() : PackContext(context)});
    for (const std::string& alias : context.aliases) {
      links.push_back({start.at, SessionId(start.fact->row.charge_point_id, alias), root, {}});
    }
  }

  void TellFact(size_t number, std::vector<Link>& links) {
    const Fact& fact = milestones_.facts[number];
    if (!fact.id.empty()) return;
    const EntityKey root = joining_.RootOfFact(number);
    if (root != fact.entity()) links.push_back({fact.at, fact.entity(), root, {}});
  }

  const Timeline<ChargingEvent>& timeline_;
  Milestones milestones_;
  Sight sight_;
  Joining joining_;
  Neighbours neighbours_;
};

}  // namespace
}  // namespace resolving

Resolution ResolveTransactions(const Timeline<ChargingEvent>& timeline, const Options& options) {
  return resolving::Resolver(timeline, options).Run();
}

bool IsLoose(const ChargingElement& element, const Options& options) {
  if (element.milestone == Milestone::kNone) return false;
  switch (element.row.event_type) {
    case EventType::kStartTransaction:
      return !HasTransactionId(element.row, options) || resolving::IsPlacedLater(element.row);
    case EventType::kStopTransaction:
    case EventType::kMeterValues: return !HasTransactionId(element.row, options);
    case EventType::kUnknown: return element.row.action.empty();
    default: return false;
  }
}

}  // namespace medallion::ocpp
