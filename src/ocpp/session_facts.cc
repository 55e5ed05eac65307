#include "session_facts.h"

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "medallion/base/text.h"
#include "medallion/ocpp/identify.h"
#include "session_context.h"
#include "session_links.h"

namespace medallion::ocpp {
namespace {

bool IsStart(const ChargingElement& e) { return e.row.event_type == EventType::kStartTransaction; }
bool IsStop(const ChargingElement& e) { return e.row.event_type == EventType::kStopTransaction; }

bool Before(const ChargingElement* a, const ChargingElement* b) {
  if (a->row.event_ts != b->row.event_ts) return a->row.event_ts < b->row.event_ts;
  if (const auto order = OrderOf(*a) <=> OrderOf(*b); order != 0) return order < 0;
  return a->identity.order.payload < b->identity.order.payload;
}

void Add(const ChargingElement* element, SessionFacts& session) {
  if (element->standing.fate != Fate::kSilver) {
    session.conflicts.push_back(element);
    return;
  }
  session.silver.push_back(element);
  if (IsStart(*element) && session.start == nullptr) session.start = element;
  if (IsStop(*element) && session.stop == nullptr) session.stop = element;
}

// The sessions of starts and stops by the number of their epoch. Where every start of an epoch is contested,
// the epoch is still there: its number counts.
std::map<uint32_t, SessionFacts> Epochs(const Facts& facts) {
  std::map<uint32_t, SessionFacts> epochs;
  for (const ChargingElement* element : facts) {
    if (IsStart(*element) || IsStop(*element)) Add(element, epochs[element->identity.fact]);
  }
  return epochs;
}

// The start that says when and where the epoch began; a contested one tells that too.
const ChargingElement* OpeningOf(const SessionFacts& epoch) {
  if (epoch.start != nullptr) return epoch.start;
  const auto contested = std::find_if(epoch.conflicts.begin(), epoch.conflicts.end(),
                                      [](const ChargingElement* e) { return IsStart(*e); });
  return contested == epoch.conflicts.end() ? nullptr : *contested;
}

// Of several epochs that began at one instant, the one with the reading's tag, then one whose start's meter
// is not above it; nothing, if that leaves several.
SessionFacts* Narrowed(std::vector<SessionFacts*> tied, const ChargingEvent& reading) {
  const auto narrow = [&](const auto& fits) {
    std::vector<SessionFacts*> kept;
    std::copy_if(tied.begin(), tied.end(), std::back_inserter(kept), fits);
    if (!kept.empty()) tied = std::move(kept);
  };
  if (tied.size() > 1 && !reading.id_tag_hash.empty()) {
    narrow([&](const SessionFacts* s) { return OpeningOf(*s)->row.id_tag_hash == reading.id_tag_hash; });
  }
  if (tied.size() > 1 && reading.meter_wh.has_value()) {
    narrow([&](const SessionFacts* s) {
      const std::optional<Thousandths> start = OpeningOf(*s)->row.meter_wh;
      return start.has_value() && *start <= *reading.meter_wh;
    });
  }
  return tied.size() == 1 ? tied.front() : nullptr;
}

// Finds the epoch that a reading belongs to: among those of its connector if there are any, the one with the
// latest start at or before it, before any start the first.
class ReadingJoin {
 public:
  explicit ReadingJoin(std::map<uint32_t, SessionFacts>& epochs) {
    for (auto& [number, epoch] : epochs) {
      const ChargingElement* opening = OpeningOf(epoch);
      if (opening == nullptr) continue;
      const ChargingEvent& start = opening->row;
      all_[start.event_ts].push_back(&epoch);
      if (start.connector_id.has_value())
        by_connector_[*start.connector_id][start.event_ts].push_back(&epoch);
    }
    if (all_.empty()) all_[kNoTime].push_back(&epochs[epochs.empty() ? 0 : epochs.begin()->first]);
  }

  // Nothing, if several fit equally: the reading is a fact by itself, and alone opens no session.
  SessionFacts* operator()(const ChargingEvent& reading) const {
    const Starts* starts = &all_;
    if (reading.connector_id.has_value()) {
      const auto own = by_connector_.find(*reading.connector_id);
      if (own != by_connector_.end()) starts = &own->second;
    }
    const auto after = starts->upper_bound(reading.event_ts);
    const std::vector<SessionFacts*>& tied = (after == starts->begin() ? after : std::prev(after))->second;
    return tied.size() == 1 ? tied.front() : Narrowed(tied, reading);
  }

 private:
  using Starts = std::map<UtcTime, std::vector<SessionFacts*>>;
  Starts all_;
  std::map<int32_t, Starts> by_connector_;
};

// A reading in conflict is about the fact it contradicts, so it belongs where that fact's winner does.
class WinnerOf {
 public:
  explicit WinnerOf(const Facts& facts) {
    const auto in_conflict = [](const ChargingElement* e) { return e->standing.conflict; };
    if (std::none_of(facts.begin(), facts.end(), in_conflict)) return;
    for (const ChargingElement* element : facts) winners_.emplace(IdOf(element->identity.order), element);
  }
  const ChargingElement& operator()(const ChargingElement& element) const {
    if (!element.standing.conflict) return element;
    const auto winner = winners_.find(IdOf(element.standing.winner()));
    return winner == winners_.end() ? element : *winner->second;
  }

 private:
  absl::flat_hash_map<ElementId, const ChargingElement*> winners_;
};

// The epoch that keeps the unsuffixed id: the first that has a start; a stop that could not be assigned gives
// way.
uint32_t FirstEpoch(const std::map<uint32_t, SessionFacts>& epochs) {
  const auto first = std::find_if(epochs.begin(), epochs.end(),
                                  [](const auto& epoch) { return OpeningOf(epoch.second) != nullptr; });
  return first == epochs.end() ? epochs.begin()->first : first->first;
}

// sha256(charge_point|transaction|start_ts), for the second and later sessions under one id; for a stop that
// could not be assigned its own time. A contested start still tells when the epoch began, so an answer to the conflict
// does not change the id. `again` tells apart sessions that began at one instant on different
// connectors.
Digest LaterSessionId(const SessionFacts& session, std::string_view transaction_id, uint32_t again) {
  const ChargingElement* opening = OpeningOf(session);
  const ChargingEvent& row = opening != nullptr ? opening->row : session.silver.front()->row;
  JoinedFields fields;
  fields.Add(AsciiUpper(row.charge_point_id)).Add(AsciiUpper(transaction_id)).Add(FormatTime(row.event_ts));
  if (again > 0) fields.Add(int64_t{again});
  return fields.Sha256();
}

// How the sessions of a history are named.
struct Naming {
  const Options& options;
  const Root* root;
  std::set<Digest> taken = {};
};

// The id of a session among others of one root: what its start was given.
std::string_view IdOf(const SessionFacts& session, const Root& root) {
  const ChargingElement* const start = session.start;
  const SessionContext* const context =
      start != nullptr ? root.told->Of(start->row.event_ts, start->row.connector_id) : nullptr;
  const bool given = context != nullptr && !context->transaction_id.empty();
  return given ? context->transaction_id : root.transaction_id;
}

void NameSession(const Naming& naming, bool first, SessionFacts& session) {
  const Root* const root = naming.root;
  const ChargingElement& fact =
      *(root != nullptr && session.start != nullptr ? session.start : session.silver.front());
  session.has_id = root != nullptr ? root->has_id : HasTransactionId(fact.row, naming.options);
  session.id_reused = session.has_id && !first && OpeningOf(session) != nullptr;
  if (!session.has_id) {
    session.session_id = fact.identity.business_key;
  } else if (first) {
    session.session_id = root != nullptr ? root->session_id : SessionIdOf(fact);
  } else {
    const std::string_view id = root != nullptr ? IdOf(session, *root) : fact.row.transaction_id;
    for (uint32_t again = 0; again == 0 || naming.taken.contains(session.session_id); ++again) {
      session.session_id = LaterSessionId(session, id, again);
    }
  }
}

// Whether all facts are of one session: every start and stop has the same epoch, and nothing is contested.
bool AreOneSession(const Facts& facts) {
  const ChargingElement* header = nullptr;
  for (const ChargingElement* element : facts) {
    if (element->standing.fate != Fate::kSilver) return false;
    if (!IsStart(*element) && !IsStop(*element)) continue;
    if (header != nullptr && header->identity.fact != element->identity.fact) return false;
    header = element;
  }
  return true;
}

SessionFacts OneSession(Facts facts) {
  const auto first = [&](const auto& is) {
    const auto found = std::find_if(facts.begin(), facts.end(), [&](const auto* e) { return is(*e); });
    return found == facts.end() ? nullptr : *found;
  };
  SessionFacts session;
  session.start = first(IsStart);
  session.stop = first(IsStop);
  session.silver = std::move(facts);
  return session;
}

}  // namespace

FactOrder OrderOf(const ChargingElement& element) {
  const ChargingEvent& row = element.row;
  return {.event_ts = row.event_ts,
          .seq_missing = !row.seq_no.has_value(),
          .seq_no = row.seq_no.value_or(0),
          .meter_wh = row.meter_wh,
          .ingest_ts = row.ingest_ts,
          .at = row.at,
          .ordinal = row.ordinal};
}

Facts InOrder(std::span<const ChargingElement> history, bool& of_one) {
  Facts facts;
  facts.reserve(history.size());
  of_one = true;
  for (const ChargingElement& element : history) {
    if (element.standing.fate != Fate::kSilver && !element.standing.conflict) continue;
    facts.push_back(&element);
    of_one = of_one && element.entity == facts.front()->entity;
  }
  SortFacts(facts);
  return facts;
}

void SortFacts(Facts& facts) {
  if (!std::is_sorted(facts.begin(), facts.end(), Before)) std::sort(facts.begin(), facts.end(), Before);
}

std::vector<SessionFacts> GatherSessions(Facts facts, const Options& options, const Root* root) {
  std::vector<SessionFacts> sessions;
  Naming naming{options, root};
  if (facts.empty()) return sessions;
  if (AreOneSession(facts)) {
    sessions.push_back(OneSession(std::move(facts)));
    NameSession(naming, true, sessions.front());
    return sessions;
  }
  std::map<uint32_t, SessionFacts> epochs = Epochs(facts);
  const ReadingJoin epoch_of(epochs);
  const WinnerOf winner_of(facts);
  for (const ChargingElement* element : facts) {
    if (IsStart(*element) || IsStop(*element)) continue;
    if (SessionFacts* epoch = epoch_of(winner_of(*element).row); epoch != nullptr) Add(element, *epoch);
  }
  const uint32_t first = FirstEpoch(epochs);
  for (auto& [number, epoch] : epochs) {
    if (epoch.silver.empty()) continue;  // only contested copies: there is no row to show
    std::sort(epoch.silver.begin(), epoch.silver.end(), Before);
    NameSession(naming, number == first, epoch);
    naming.taken.insert(epoch.session_id);
    sessions.push_back(std::move(epoch));
  }
  return sessions;
}

Digest SessionIdOf(const ChargingElement& fact) {
  if (fact.entity != EntityKey{}) return fact.entity;
  return SessionId(fact.row.charge_point_id, fact.row.transaction_id);
}

Place PlaceOf(const ChargingElement& element) {
  const bool filled = (element.standing.filled & 1) != 0;
  return filled ? Place{element.standing.value_from(0), 0} : Place{element.row.at, element.row.ordinal};
}

Window WindowOf(const SessionFacts& facts) {
  Window window;
  if (facts.start != nullptr) window.from = facts.start->row.event_ts;
  if (facts.stop != nullptr) window.to = facts.stop->row.event_ts;
  return window;
}

}  // namespace medallion::ocpp
