// A part of a charge point's timeline in the words that resolving needs: starts with their copies, stops, readings,
// results, boots and faults, each in order of time. And what of the timeline is seen.
// Pure. Source: the charging domain, sections 5 and 6.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "medallion/base/columns.h"
#include "medallion/base/time.h"
#include "medallion/gold/resolve.h"
#include "medallion/ocpp/charging_event.h"
#include "medallion/ocpp/options.h"

namespace medallion::ocpp::resolving {

inline constexpr int64_t kAnswerMax = kMicrosPerDay;  // from a call to its result; between copies of a start
inline constexpr int64_t kJoinMax =
    7 * kMicrosPerDay;  // from a start to what is joined to it, or annotates it
// From a start to its stop, and from that to the next start on the connector; from a start to what supersedes it.
inline constexpr int64_t kNeighbourMax = 90 * kMicrosPerDay;

UtcTime Plus(UtcTime time, int64_t us);  // the nearest time there is
inline TimeSpan Around(TimeSpan span, int64_t us) { return {Plus(span.from, -us), Plus(span.to, us)}; }
inline bool Holds(const TimeSpan& span, UtcTime time) { return span.from <= time && time <= span.to; }
void Include(UtcTime time, TimeSpan& span);

// What of the timeline is seen, and what must be. Whoever looks at a stretch asks for it; with an answer missing, what
// is computed is thrown away.
class Sight {
 public:
  // A span that is none: nothing is seen yet.
  Sight(const TimeSpan& seen, bool details) : seen_(seen), need_(seen), details_(details) {}

  const TimeSpan& seen() const { return seen_; }
  const TimeSpan& need() const { return need_; }
  bool need_details() const { return details_ || need_details_; }
  bool sees_all() const { return need_ == seen_; }  // that was asked for but details
  bool enough() const { return sees_all() && (details_ || !need_details_); }

  void Ask(const TimeSpan& span);
  void AskDetails() { need_details_ = true; }
  // Asks for more of the time before or after `from`, up to `us_max` away, where nothing was found so far. Most often
  // there is nothing at all after it, so that is asked for in two steps.
  void AskBack(UtcTime from, int64_t us_max);
  void AskOn(UtcTime from, int64_t us_max);

 private:
  TimeSpan seen_, need_;
  bool details_ = false;
  bool need_details_ = false;
};

// A place to charge at: the EVSE where one is named, else the connector. An EVSE charges one transaction at a time,
// whichever its connector. 0: not named, or the whole station.
struct Line {
  int32_t evse_id = 0, connector_id = 0;
  std::pair<int32_t, int32_t> place() const { return {evse_id, evse_id != 0 ? 0 : connector_id}; }
  bool known() const { return place() != Line{}.place(); }
  bool operator==(const Line& other) const { return place() == other.place(); }
  auto operator<=>(const Line& other) const { return place() <=> other.place(); }
};
Line LineOf(const ChargingEvent& row);
// Whether both can be one connector: what either does not name contradicts nothing.
bool MayShare(const Line& a, const Line& b);

// Whether the start of a 2.x transaction names no place: a later event of it does, as soon as the EVSE is known.
bool IsPlacedLater(const ChargingEvent& start);

using Copies = std::vector<const ChargingElement*>;

// One physical start. What it was answered is found by pairing.
struct Start {
  const ChargingElement* fact = nullptr;  // its first copy
  UtcTime at = kNoTime;
  Line line = {};
  Copies copies = {};  // of a start that names its transaction only the one in Silver
  bool names_transaction = false;
  bool placed_later = false;          // IsPlacedLater; `line` is the first of `lines`
  std::vector<Line> lines = {};       // those that later facts of the transaction name, in order
  std::vector<std::string> ids = {};  // usable ones, ascending
  bool answered = false;              // by a result, with a usable id or not
  bool refused = false;
  UtcTime answered_at = kNoTime;  // the largest ingest_ts of its results

  const EntityKey& entity() const { return fact->entity; }
  // No result names it: its id may be learned.
  bool unanswered() const { return !names_transaction && !answered; }
};

// A stop, or the readings of one entity at one instant.
struct Fact {
  const ChargingElement* fact = nullptr;
  UtcTime at = kNoTime;
  bool is_stop = false;
  std::string_view id = {};  // usable; else empty
  Line line = {};
  std::optional<Thousandths> meter_wh = {};

  const EntityKey& entity() const { return fact->entity; }
};

// The register of a 2.x transaction's begin or end, which is a sample.
struct EndSample {
  const ChargingElement* fact = nullptr;
  UtcTime at = kNoTime;
  bool is_begin = false;
};

struct Result {
  const ChargingElement* element = nullptr;
  bool usable = false;  // its id is
};

// Of what is seen, in order.
struct Milestones {
  std::vector<EndSample> samples;  // by (at, order)
  std::vector<Start> starts;       // by (at, entity)
  std::vector<Fact> facts;         // by (at, kind, order)
  std::vector<Result> results;     // by order
  Copies calls;                    // all copies of starts that do not name their transaction
  Copies boots;                    // by ingest_ts, coordinate
  Copies faults;                   // by event_ts
  absl::flat_hash_map<std::string, std::vector<size_t>>
      named;  // starts by IdKey of each of their ids, ascending
};
Milestones MilestonesOf(const Timeline<ChargingEvent>& timeline, const Options& options);

// The numbers of those with `from` <= at < `to`; T is Start or Fact.
struct Numbers {
  size_t begin = 0, end = 0;
};
template <class T>
Numbers Between(const std::vector<T>& sorted, UtcTime from, UtcTime to) {
  const auto first = [&](UtcTime time) {
    size_t low = 0, high = sorted.size();
    while (low < high) {
      const size_t middle = low + (high - low) / 2;
      sorted[middle].at < time ? low = middle + 1 : high = middle;
    }
    return low;
  };
  const size_t begin = first(from);
  return {begin, std::max(begin, first(to))};
}
// The same with both ends.
template <class T>
Numbers Within(const std::vector<T>& sorted, const TimeSpan& span) {
  return Between(sorted, span.from, Plus(span.to, 1));
}

// Transaction ids as numbers where they are some, else as text without regard to case.
bool IdLess(std::string_view a, std::string_view b);
std::string IdKey(std::string_view id);

}  // namespace medallion::ocpp::resolving
