#include "resolve_pairing.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

#include "medallion/ocpp/identify.h"

namespace medallion::ocpp::resolving {
namespace {

// When and where a message came.
auto Came(const ChargingElement& element) { return std::tie(element.row.ingest_ts, element.row.at); }
bool CameBefore(const ChargingElement* a, const ChargingElement* b) { return Came(*a) < Came(*b); }

// The copies of starts by message id, each list in the order in which they came.
using Calls = std::map<std::string_view, Copies>;

Calls CallsOf(const Copies& copies) {
  Calls calls;
  for (const ChargingElement* copy : copies) calls[copy->row.event_id].push_back(copy);
  for (auto& [id, list] : calls) {
    std::sort(list.begin(), list.end(), CameBefore);
  }
  return calls;
}

// The last boot before the message; nothing, if none is seen.
const ChargingElement* BootBefore(const Copies& boots, const ChargingElement& message) {
  const auto after = std::lower_bound(boots.begin(), boots.end(), &message, CameBefore);
  return after == boots.begin() ? nullptr : *std::prev(after);
}

bool MayAnswer(const ChargingElement& call, const ChargingElement& result) {
  const UtcTime asked = call.row.ingest_ts, told = result.row.ingest_ts;
  const std::string_view a = call.row.connection_id, b = result.row.connection_id;
  return asked <= told && told <= Plus(asked, kAnswerMax) && (a.empty() || b.empty() || a == b);
}

// The call that the result answers; nothing, if none is known.
const ChargingElement* CallOf(const Calls& calls, const Copies& boots, const ChargingElement& result) {
  const auto same_id = calls.find(result.row.event_id);
  if (same_id == calls.end()) return nullptr;
  const ChargingElement* const boot = BootBefore(boots, result);
  const std::string_view connection = result.row.connection_id;
  const auto is_on_it = [&](const ChargingElement& call) {
    return !connection.empty() && call.row.connection_id == connection;
  };
  const ChargingElement* best = nullptr;
  for (const ChargingElement* call : same_id->second) {
    if (!MayAnswer(*call, result) || (boot != nullptr && Came(*call) < Came(*boot))) continue;
    if (best == nullptr || is_on_it(*call) || !is_on_it(*best)) best = call;
  }
  return best;
}

struct IdOrder {
  bool operator()(const std::string& a, const std::string& b) const { return IdLess(a, b); }
};

struct Answers {
  std::set<std::string, IdOrder> ids;
  bool accepted = false;
  bool refused = false;
  UtcTime ingest_max = kNoTime;
};

void Take(const Result& result, Answers& answers) {
  const ChargingEvent& row = result.element->row;
  if (result.usable) answers.ids.emplace(row.transaction_id);
  (IsRefusal(row) ? answers.refused : answers.accepted) = true;
  answers.ingest_max = std::max(answers.ingest_max, row.ingest_ts);
}

}  // namespace

void PairResults(Milestones& milestones) {
  std::map<const ChargingElement*, Start*> start_of;
  for (Start& start : milestones.starts) {
    for (const ChargingElement* copy : start.copies) start_of.emplace(copy, &start);
  }
  const Calls calls = CallsOf(milestones.calls);
  std::map<Start*, Answers> answers;
  for (const Result& result : milestones.results) {
    const auto start = start_of.find(CallOf(calls, milestones.boots, *result.element));
    if (start != start_of.end()) Take(result, answers[start->second]);
  }
  for (auto& [start, told] : answers) {
    start->answered = true;
    start->ids.assign(told.ids.begin(), told.ids.end());
    start->refused = told.refused && !told.accepted;
    start->answered_at = told.ingest_max;
  }
  for (size_t i = 0; i < milestones.starts.size(); ++i) {
    for (const std::string& id : milestones.starts[i].ids) milestones.named[IdKey(id)].push_back(i);
  }
}

void AskAbout(const Start& start, Sight& sight) {
  if (start.placed_later) {
    sight.Ask({start.at, Plus(start.at, kJoinMax)});
    sight.AskDetails();
  }
  if (start.names_transaction) return;
  sight.Ask(Around({start.at, start.at}, kAnswerMax));  // its copies
  for (const ChargingElement* copy : start.copies) {
    sight.Ask(Around({copy->row.ingest_ts, copy->row.ingest_ts}, kAnswerMax));
  }
}

}  // namespace medallion::ocpp::resolving
