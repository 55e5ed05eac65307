// Resolving transactions: which session the facts of a charge point belong to where their own keys do not tell, and what
// a session must know of its neighbours on the connector. Reads a bounded part of the charge point's timeline, see
// gold/resolve.h. Source: the charging domain, section 5 "Continuity" and "Ids that are no ids", section 6.
//
// T(id) is SessionId(charge point, id); U is the business key of a start or stop without a usable id, or what the samples
// of one message instant without one share. A start is all copies of one business key within 24 h; it stands where its
// first copy does. The rules, each with its bound in time:
//
//   pairing     A result answers the latest call of its message id that came (ingest_ts) at or before it, at most 24 h
//               earlier; one on the same connection before any other, never one on another (where both name theirs), and
//               never one with a BootNotification in between. Results to any copy are results to the start.
//   ids         Of the usable ids of a start's results the smallest is its own (numbers by value): U -> T(smallest), with
//               the context; T(another) -> T(smallest). A start is refused where results tell a status and none is
//               Accepted.
//               Where that own id is an alias of another start, not over 7 days away, both are derived under the
//               other's own id, and cut into epochs.
//   order       The rest is folded in the order of event_ts; at one instant starts, stops, readings, those with an id
//               first. A session is open from its start until a stop, one joined by this fold included, or until the
//               next start on its connector that is not refused. The fold goes by blocks of 14 days of UTC: the outcome
//               of a fact is that of the fold over its own block and the one before it. A start answers for 7 days.
//   learned     A stop or reading (not on connector 0) under a usable id that no start so far has, given that exactly one
//               open start without any result fits: U -> T(id). Of the starts of a block the first facts up to 7 days
//               after its end tell.
//   joined      A stop or reading without a usable id, given that exactly one open session fits: U -> that start's root.
//               A reading never joins a refused start. A stop that repeats one under an id goes where that one does:
//               one of the same instant with the same reading and tag, else the only one there that has no other
//               reading, tag or connector and whose start, if it is known, fits.
//   fits        The place is the same, or connector and EVSE are equal where both name one; so is the tag; the start is
//               at most 7 days earlier; the register is not below the start's and can be reached from it: within the
//               power limit and the energy of a session.
//   place       The EVSE where one is named, which charges one transaction at a time, else the connector. A start of 2.x
//               that names neither stands where the first fact of its transaction says, in the 7 days after it.
//   neighbours  Of starts whose place is known, among those of the same one. The nearest later start that is not
//               refused, at most 90 days away, supersedes a session without a stop up to then. A stop is of the latest
//               start with its id in the 90 days before it, in the 7 days where the stop names another connector.
//               The previous stop is the last one between the nearest earlier start that is not refused and this one, at
//               most 90 days before this one: of that session, or one that names the connector itself. Its register
//               tells something if it is above zero, can be, and can be reached from that start's. Of 2.x the registers
//               are samples: the last of Transaction.End in the day before the stop, the first of Transaction.Begin in
//               the day after the start.
//   annotations The first boot, and the first Faulted on the connector, within 7 days after the start, before its stop
//               and before the next start.
//
// Refused starts are nobody's neighbours. Conflicts stand for their fact only as stops that close a session.
#pragma once

#include "medallion/gold/resolve.h"
#include "medallion/ocpp/charging_event.h"
#include "medallion/ocpp/options.h"

namespace medallion::ocpp {

// The links of all places that what happened within `timeline.touched` can bear on, or what must be seen for that.
// Equal for any order of the elements, and for any larger `seen`. Pure. Safe from any thread.
Resolution ResolveTransactions(const Timeline<ChargingEvent>& timeline, const Options& options);

// Whether an element of a timeline leaves open what it is derived into or where it stands, or tells it of others: a result,
// a start, stop or reading without a usable id, a start of 2.x without a place. Without any, `Timeline::loose` may be false.
bool IsLoose(const ChargingElement& element, const Options& options);

}  // namespace medallion::ocpp
