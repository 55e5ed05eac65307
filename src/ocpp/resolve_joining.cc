#include "resolve_joining.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "absl/numeric/int128.h"
#include "medallion/base/text.h"
#include "medallion/ocpp/identify.h"
#include "register_series.h"
#include "resolve_pairing.h"
#include "session_energy.h"

namespace medallion::ocpp::resolving {
namespace {

// Whether the register can be that of a session that began with the start's.
bool MeterFits(const Start& start, const Fact& fact, const Options& options) {
  const std::optional<Thousandths>& begin = start.fact->row.meter_wh;
  if (!begin.has_value() || !fact.meter_wh.has_value() || CannotBe(*begin)) return true;
  if (CannotBe(*fact.meter_wh)) return false;
  return GoesOn({start.at, *begin}, {fact.at, *fact.meter_wh}, LimitsOf(start, options));
}

// What is missing contradicts nothing.
bool TagsAgree(const Fact& fact, const ChargingEvent& other) {
  const std::string_view a = fact.fact->row.id_tag_hash, b = other.id_tag_hash;
  return a.empty() || b.empty() || a == b;
}

// Whether both may be of one place.
bool MayStand(const Line& a, const Line& b) { return a == b || MayShare(a, b); }

bool Fits(const Start& start, const Fact& fact, const Options& options) {
  return fact.at <= Plus(start.at, kJoinMax) && MayStand(start.line, fact.line) &&
         TagsAgree(fact, start.fact->row) && MeterFits(start, fact, options);
}

// What a stop says beside its time.
bool SaysTheSame(const Fact& a, const Fact& b) {
  return a.meter_wh == b.meter_wh && a.fact->row.id_tag_hash == b.fact->row.id_tag_hash;
}

// Whether two stops do not contradict one another.
bool MayBeCopies(const Fact& a, const Fact& b) {
  const bool meters = !a.meter_wh.has_value() || !b.meter_wh.has_value() || a.meter_wh == b.meter_wh;
  return a.is_stop && b.is_stop && meters && MayStand(a.line, b.line) && TagsAgree(a, b.fact->row);
}

}  // namespace

Limits LimitsOf(const Start& start, const Options& options) {
  return LimitsOf(start.fact->row.charge_point_id, start.fact->row.connector_id, options);
}

int64_t BlockOf(UtcTime time) {
  const int64_t block = time.us / kBlock;
  return time.us % kBlock < 0 ? block - 1 : block;
}

TimeSpan SpanOfBlock(int64_t block) {
  const absl::int128 from = absl::int128(block) * kBlock;
  const UtcTime begin = from < INT64_MIN ? UtcTime{INT64_MIN} : UtcTime{static_cast<int64_t>(from)};
  return {begin, Plus(begin, kBlock - 1)};
}

// One pass over a block: the block before it, the block itself, and what may still name the starts of it.
class Joining::Fold {
 public:
  Fold(const Milestones& milestones, const Options& options, const TimeSpan& block)
      : milestones_(milestones), options_(options), block_(block) {}

  Outcome Run(const TimeSpan& whole) {
    const Numbers starts = Within(milestones_.starts, whole), facts = Within(milestones_.facts, whole);
    size_t start = starts.begin;
    for (size_t i = facts.begin; i < facts.end; ++i) {
      const Fact& fact = milestones_.facts[i];
      for (; start < starts.end && milestones_.starts[start].at <= fact.at; ++start) Open(start);
      fact.id.empty() ? TakeLoose(i) : TakeNamed(fact);
    }
    return std::move(outcome_);
  }

 private:
  struct Session {
    size_t start = 0;
    bool learned = false;
  };

  const Start& StartAt(const Session& session) const { return milestones_.starts[session.start]; }

  // A start that is not refused ends what is open on its connector.
  void Open(size_t number) {
    const Start& start = milestones_.starts[number];
    const auto gone = [&](const Session& session) {
      const Start& other = StartAt(session);
      if (Plus(other.at, kJoinMax) < start.at) return true;
      return !start.refused && start.line.known() && other.line == start.line && other.at < start.at;
    };
    open_.erase(std::remove_if(open_.begin(), open_.end(), gone), open_.end());
    open_.push_back({number});
    for (const std::string& id : start.ids) known_[IdKey(id)] = number;
  }

  void Close(size_t start) {
    const auto is = [&](const Session& session) { return session.start == start; };
    open_.erase(std::remove_if(open_.begin(), open_.end(), is), open_.end());
  }

  // The one open session that the fact fits among those that `may` join; else nothing.
  template <class May>
  Session* OneOf(const Fact& fact, const May& may) {
    Session* found = nullptr;
    for (Session& session : open_) {
      if (!may(session) || !Fits(StartAt(session), fact, options_)) continue;
      if (found != nullptr) return nullptr;
      found = &session;
    }
    return found;
  }

  void TakeNamed(const Fact& fact) {
    const std::string id = IdKey(fact.id);
    auto known = known_.find(id);
    if (known == known_.end()) {
      Session* session = OneOf(fact, [&](const Session& s) { return StartAt(s).unanswered() && !s.learned; });
      if (session == nullptr) return;
      session->learned = true;
      known = known_.emplace(id, session->start).first;
      if (Holds(block_, StartAt(*session).at)) {
        outcome_.learned[session->start] = {std::string(fact.id), fact.fact->row.ingest_ts};
      }
    }
    if (fact.is_stop) Close(known->second);
  }

  void TakeLoose(size_t number) {
    const Fact& fact = milestones_.facts[number];
    Join join;
    if (fact.is_stop && Repeats(number, join)) {
      if (Holds(block_, fact.at)) outcome_.joins[number] = join;
      return;
    }
    const Session* session =
        OneOf(fact, [&](const Session& s) { return fact.is_stop || !StartAt(s).refused; });
    if (session == nullptr) return;
    join.start = session->start;
    if (fact.is_stop) Close(session->start);
    if (Holds(block_, fact.at)) outcome_.joins[number] = join;
  }

  // Whether the stop is a copy of one under an id: of one that says the same, else of the only one that does not
  // contradict it, nor does its start. Stops with an id stand before it at its instant.
  bool Repeats(size_t number, Join& join) const {
    const Fact& stop = milestones_.facts[number];
    std::set<EntityKey> roots;
    for (size_t i = number; i-- > 0 && milestones_.facts[i].at == stop.at;) {
      const Fact& other = milestones_.facts[i];
      if (other.id.empty() || !MayBeCopies(stop, other)) continue;
      if (SaysTheSame(stop, other)) return join.root = RootOfNamed(other), true;
      const Start* const start = StartNamedBy(other);
      if (start != nullptr && !Fits(*start, stop, options_)) continue;
      roots.insert(RootOfNamed(other));
    }
    if (roots.size() == 1) join.root = *roots.begin();
    return roots.size() == 1;
  }

  // The start that has the fact's id, where one is known.
  const Start* StartNamedBy(const Fact& fact) const {
    const auto known = known_.find(IdKey(fact.id));
    return known == known_.end() ? nullptr : &milestones_.starts[known->second];
  }

  EntityKey RootOfNamed(const Fact& fact) const {
    const Start* const start = StartNamedBy(fact);
    const bool aliased = start != nullptr && !start->ids.empty();
    return SessionId(fact.fact->row.charge_point_id, aliased ? start->ids.front() : fact.id);
  }

  const Milestones& milestones_;
  const Options& options_;
  const TimeSpan block_;
  std::vector<Session> open_;
  std::map<std::string, size_t> known_;  // the latest start with that id
  Outcome outcome_;
};

const Joining::Outcome& Joining::OutcomeOf(UtcTime time) {
  const int64_t number = BlockOf(time);
  const auto [found, is_new] = outcomes_.try_emplace(number);
  if (!is_new) return found->second;
  const TimeSpan block = SpanOfBlock(number);
  const TimeSpan whole{Plus(block.from, -kBlock), Plus(block.to, kJoinMax)};
  sight_.Ask(whole);
  const Numbers starts = Within(milestones_.starts, whole);
  for (size_t i = starts.begin; i < starts.end; ++i) AskAbout(milestones_.starts[i], sight_);
  for (size_t i = starts.begin; sight_.sees_all() && i < starts.end; ++i) {
    if (milestones_.starts[i].unanswered()) sight_.AskDetails();
  }
  if (sight_.enough()) found->second = Fold(milestones_, options_, block).Run(whole);
  return found->second;
}

std::optional<Learned> Joining::LearnedBy(size_t start) {
  if (!milestones_.starts[start].unanswered()) return std::nullopt;
  const Outcome& outcome = OutcomeOf(milestones_.starts[start].at);
  const auto learned = outcome.learned.find(start);
  return learned == outcome.learned.end() ? std::nullopt : std::optional(learned->second);
}

const Joining::Join* Joining::JoinOf(size_t fact) {
  if (!milestones_.facts[fact].id.empty()) return nullptr;
  const Outcome& outcome = OutcomeOf(milestones_.facts[fact].at);
  const auto join = outcome.joins.find(fact);
  return join == outcome.joins.end() ? nullptr : &join->second;
}

std::optional<size_t> Joining::StartOf(size_t fact) {
  const Join* join = JoinOf(fact);
  return join == nullptr ? std::nullopt : join->start;
}

// The id of a start's results under which its facts are derived: its own, but where another start not over 7 days away
// has that one as an alias, the other's own. What the alias stands for cannot be told fact by fact, so both are derived
// together and cut into epochs.
const std::string& Joining::RootIdOf(size_t number) {
  const Start& start = milestones_.starts[number];
  const std::string key = IdKey(start.ids.front());
  const TimeSpan reach = Around({start.at, start.at}, kJoinMax);
  sight_.Ask(reach);
  const Numbers near = Within(milestones_.starts, reach);
  for (size_t i = near.begin; i < near.end; ++i) AskAbout(milestones_.starts[i], sight_);
  const std::vector<size_t>& named = milestones_.named.at(key);  // ascending
  for (auto i = std::lower_bound(named.begin(), named.end(), near.begin); i != named.end() && *i < near.end;
       ++i) {
    const std::string& own = milestones_.starts[*i].ids.front();
    if (!EqualsFoldedCase(own, key)) return own;
  }
  return start.ids.front();
}

EntityKey Joining::RootOfStart(size_t number) {
  const Start& start = milestones_.starts[number];
  if (start.names_transaction) return start.entity();
  const std::optional<Learned> learned = LearnedBy(number);
  if (!learned.has_value() && start.ids.empty()) return start.entity();
  return SessionId(start.fact->row.charge_point_id, learned.has_value() ? learned->id : RootIdOf(number));
}

EntityKey Joining::RootOfFact(size_t fact) {
  const Join* join = JoinOf(fact);
  if (join == nullptr) return milestones_.facts[fact].entity();
  return join->start.has_value() ? RootOfStart(*join->start) : join->root;
}

}  // namespace medallion::ocpp::resolving
