// What a session must know of its neighbours: the context of a start.
// Pure. Source: the charging domain, section 5 "Status", "Continuity".
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "resolve_joining.h"
#include "resolve_timeline.h"
#include "session_context.h"

namespace medallion::ocpp::resolving {

// Looks around when asked to. Refers to the milestones, whose results are paired.
class Neighbours {
 public:
  Neighbours(const Milestones& milestones, Sight& sight, Joining& joining, const Options& options)
      : milestones_(milestones), sight_(sight), joining_(joining), options_(options) {}

  // The nearest start on the line that is not refused, strictly before `time` or after it: up to 180 days away, for a stop
  // may come 90 days after its start, and the next start 90 days after that.
  std::optional<size_t> Before(const Line& line, UtcTime time);
  std::optional<size_t> After(const Line& line, UtcTime time);
  // The start whose transaction has that id: the latest of the 90 days before that time.
  std::optional<size_t> StartNamed(std::string_view id, UtcTime at);

  SessionContext ContextOf(size_t start);

 private:
  bool Counts(size_t start, const Line& line);
  bool IsOf(size_t stop, size_t start);
  std::optional<size_t> StopOf(size_t start, UtcTime until);
  // A stop, and the start of its session where that is known.
  struct Ended {
    size_t stop = 0;
    std::optional<size_t> start = {};
  };
  std::optional<Ended> Previous(size_t start);
  const ChargingElement* BeginOf(const Start& start);
  const ChargingElement* EndOf(const Fact& stop);
  const ChargingElement* RegisterOf(const Ended& ended);
  const ChargingElement* SampleOf(std::string_view id, const TimeSpan& span, bool begin);
  void TellIds(size_t start, SessionContext& context);
  void TellEnd(size_t start, SessionContext& context);
  void TellPrevious(size_t start, SessionContext& context);

  const Milestones& milestones_;
  Sight& sight_;
  Joining& joining_;
  const Options& options_;
};

}  // namespace medallion::ocpp::resolving
