// Which facts of a transaction belong to which of its sessions.
// Pure. Source: the charging domain, section 3 and section 5, "Order" and "Reused ids".
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "medallion/base/columns.h"
#include "medallion/base/digest.h"
#include "medallion/base/time.h"
#include "medallion/bronze/record.h"
#include "medallion/ocpp/charging_event.h"
#include "medallion/ocpp/options.h"

namespace medallion::ocpp {

using Facts = std::vector<const ChargingElement*>;

// Where a fact stands inside its transaction: each field in turn, nulls of seq_no last and of meter_wh first. Two
// records at one coordinate are then told apart by their payload.
struct FactOrder {
  UtcTime event_ts = kNoTime;
  bool seq_missing = true;
  int64_t seq_no = 0;
  std::optional<Thousandths> meter_wh;
  UtcTime ingest_ts = kNoTime;
  Coordinate at;
  uint32_t ordinal = 0;
  auto operator<=>(const FactOrder&) const = default;
};
FactOrder OrderOf(const ChargingElement& element);

// What a session can be made of, in order: Silver rows, and what contradicts them. `of_one` is false where they are of
// several entities.
Facts InOrder(std::span<const ChargingElement> history, bool& of_one);
void SortFacts(Facts& facts);

struct Root;            // see session_links.h
struct SessionContext;  // see session_context.h

// The facts of one physical session. Refers to the history it was gathered from.
struct SessionFacts {
  Digest session_id;
  bool id_reused = false;  // another session began before it under the same transaction id
  bool has_id = true;      // the transaction id is one
  const ChargingElement* start = nullptr;
  const ChargingElement* stop = nullptr;
  Facts silver;     // start and stop included, in the order of section 5
  Facts conflicts;  // in the same order

  // Of a history with links only.
  const SessionContext* context = nullptr;
  std::string_view transaction_id = {};  // to show; empty: that of the first fact
  bool joined = false;                   // a fact without an id is among the others
};

// The sessions of one transaction, each with at least one Silver row; `facts` in order. `root`, where given, is what the
// facts are linked to; else their own ids name the sessions.
std::vector<SessionFacts> GatherSessions(Facts facts, const Options& options, const Root* root = nullptr);

// sha256(charge_point|transaction) of a fact whose transaction id is one. It is the key of the fact's entity too, and
// taken from there where the fact was given one.
Digest SessionIdOf(const ChargingElement& fact);

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

// Where the row's reading came from. A winner may show the reading of a later copy: the copy is named, of which only
// the record is known. (In all facts of a transaction the reading is the first value compared.)
struct Place {
  Coordinate at;
  uint32_t ordinal = 0;
  bool operator==(const Place&) const = default;
};
Place PlaceOf(const ChargingElement& element);

inline bool IsReading(const ChargingElement& element) {
  return element.row.event_type == EventType::kMeterValues && !element.row.measurand.empty();
}

inline constexpr std::string_view kBeginContext = "Transaction.Begin";
inline constexpr std::string_view kEndContext = "Transaction.End";

// Whether the reading is a begin or end in the message of the session's start or stop, whose coordinates are given: then it
// is of the session whatever time it names, for a station's clock moves between the two.
inline bool IsOfHeader(const ChargingEvent& reading, const Coordinate* start_at, const Coordinate* stop_at) {
  if (reading.context != kBeginContext && reading.context != kEndContext) return false;
  return (start_at != nullptr && *start_at == reading.at) || (stop_at != nullptr && *stop_at == reading.at);
}

}  // namespace medallion::ocpp
