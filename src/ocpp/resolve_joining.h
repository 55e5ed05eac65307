// Joining by what facts say: ids learned where no result was recorded, and facts whose id is none.
// Pure. Source: the charging domain, section 5 "Ids that are no ids", section 6.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "medallion/ocpp/options.h"
#include "register_series.h"
#include "resolve_timeline.h"

namespace medallion::ocpp::resolving {

// Blocks of 14 days of UTC, counted from 1970.
inline constexpr int64_t kBlock = 14 * kMicrosPerDay;
int64_t BlockOf(UtcTime time);
TimeSpan SpanOfBlock(int64_t block);

// Of a session that began with the start.
Limits LimitsOf(const Start& start, const Options& options);

// An id that was learned, and when what told it came.
struct Learned {
  std::string id;
  UtcTime ingest_ts = kNoTime;
};

// Folds blocks when they are asked for. Refers to the milestones, whose results are paired.
class Joining {
 public:
  Joining(const Milestones& milestones, Sight& sight, const Options& options)
      : milestones_(milestones), sight_(sight), options_(options) {}

  // The id that an unanswered start was found to have. Nothing for all others.
  std::optional<Learned> LearnedBy(size_t start);
  // The number of the start that a fact without an id joins.
  std::optional<size_t> StartOf(size_t fact);
  // What a start or a fact is derived into; a fact without an id that joins nothing, by itself.
  EntityKey RootOfStart(size_t start);
  EntityKey RootOfFact(size_t fact);

 private:
  struct Join {
    std::optional<size_t> start = {};  // else it repeats a stop:
    EntityKey root = {};
  };
  struct Outcome {
    std::map<size_t, Join> joins;       // by fact, of the block
    std::map<size_t, Learned> learned;  // by start, of the block
  };
  class Fold;

  const Outcome& OutcomeOf(UtcTime time);
  const std::string& RootIdOf(size_t start);
  const Join* JoinOf(size_t fact);

  const Milestones& milestones_;
  Sight& sight_;
  const Options& options_;
  std::map<int64_t, Outcome> outcomes_;  // by block
};

}  // namespace medallion::ocpp::resolving
