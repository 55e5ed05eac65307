// Which facts of a transaction belong to which of its sessions.
// Pure. Source: the charging domain, section 3 and section 5, "Order" and "Reused ids".
#pragma once

#include <span>
#include <vector>

#include "medallion/base/digest.h"
#include "medallion/base/time.h"
#include "medallion/ocpp/charging_event.h"
#include "medallion/ocpp/options.h"

namespace medallion::ocpp {

// The facts of one physical session. Refers to the history it was gathered from.
struct SessionFacts {
  Digest session_id;
  bool id_reused = false;  // another session began before it under the same transaction id
  bool has_id = true;      // the transaction id is one
  const ChargingElement* start = nullptr;
  const ChargingElement* stop = nullptr;
  std::vector<const ChargingElement*> silver;     // start and stop included, in the order of section 5
  std::vector<const ChargingElement*> conflicts;  // in the same order
};

// The sessions of one transaction, each with at least one Silver row. Cost: O(n log n).
std::vector<SessionFacts> GatherSessions(std::span<const ChargingElement> history, const Options& options);

// Time in which the session's readings must lie. A session without a start has no lower end, one that is open
// no upper one.
struct Window {
  UtcTime from = kNoTime;
  UtcTime to{INT64_MAX};
  bool Holds(UtcTime time) const { return from <= time && time <= to; }
};
Window WindowOf(const SessionFacts& facts);

// A field of the session: as the start has it, else the first row in order that has it. A missing field never
// clears a known one.
template <class Field>
Field FirstKnown(const SessionFacts& facts, Field ChargingEvent::*field) {
  if (facts.start != nullptr && facts.start->row.*field != Field{}) return facts.start->row.*field;
  for (const ChargingElement* element : facts.silver) {
    if (element->row.*field != Field{}) return element->row.*field;
  }
  return {};
}

// Where a reading counts: Outlet, else Cable, else Body; nowhere else. An absent location means Outlet.
inline constexpr int kLocations = 3;
inline int LocationRank(const ChargingEvent& reading) {
  if (reading.location.empty() || reading.location == "Outlet") return 0;
  if (reading.location == "Cable") return 1;
  return reading.location == "Body" ? 2 : kLocations;
}

inline bool IsReading(const ChargingElement& element) {
  return element.row.event_type == EventType::kMeterValues && !element.row.measurand.empty();
}

}  // namespace medallion::ocpp
