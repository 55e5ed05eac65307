// Deriving sessions: from the facts of one charging transaction to rows of gold_charging_sessions. Pure: a
// function of the set of facts and the data clock; neither arrival nor order of the span plays a part. Safe
// from any thread. Source: the charging domain, section 5.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "medallion/base/time.h"
#include "medallion/ocpp/charging_event.h"
#include "medallion/ocpp/charging_session.h"
#include "medallion/ocpp/meter_intervals.h"
#include "medallion/ocpp/options.h"

namespace medallion::ocpp {

// The sessions of one entity. `history` holds every fact of one (charge point, transaction) that is in Silver
// or in quarantine for a CONFLICT (these only flag the session), in any order; `identity.fact` of starts and
// stops names their epoch. Most often one session; one an epoch where a transaction id was used again; none
// where only readings are known and none of them shows energy. Rows are complete: model_version,
// updated_at and next_due_at included, sorted by session_id; and row_hash, save under SessionRules: who derives many
// histories lets many rows be hashed at once, see HashRows in gold/row_hash.h. So it is with ContinueSessions.
//
// Where links of the timeline name the entity as their root (see resolve_transactions.h), the history holds the facts of
// all linked entities too, and `contexts` is what those links tell, in any order. Starts and stops of several units are
// then cut and settled here. Readings without a transaction id alone are never a session.
//
// `summary`, where given, becomes what ContinueSessions goes on from: bytes to keep, about 200 of them. It is empty where
// the history is not that of one plain session, whose every register goes on from the one before it.
//
// `intervals`, where given, gets the meter intervals of the sessions (see meter_intervals.h), in no order; none where the
// options do not ask for them. Between the registers that count towards the energy, one location's, those of start and
// stop included.
std::vector<ChargingSession> DeriveSessions(std::span<const ChargingElement> history,
                                            std::span<const std::string_view> contexts, UtcTime data_clock,
                                            const SessionRules& rules, std::string* summary = nullptr,
                                            std::vector<MeterIntervals>* intervals = nullptr);
std::vector<ChargingSession> DeriveSessions(std::span<const ChargingElement> history,
                                            std::span<const std::string_view> contexts, UtcTime data_clock,
                                            const Options& options);

// The same rows, and as `next` the same summary, as DeriveSessions gives for the whole history, from the summary of it
// without `added`: what came since, if all that came before stands as it did. Without anything added, the rows at another
// data clock. `next` must not be where `summary` is. Cost: of `added` and of one row, however long the history is.
//
// Nothing, and `next` as it was, if that cannot be told from the summary, or if it is empty or was made under other rules
// or contexts: then derive from the whole history. So it is
// - where an added fact does not sort after all that the summary has seen, is contested, is a start, or has no
//   transaction id; or is a stop under contexts;
// - where the session is no longer plain: a register that does not go on from the last one, at another location, or of
//   Transaction.Begin after others; Transaction.End before the stop; only single phases or intervals tell the energy;
//   a number missing in the sequence; a second stop, or one of another epoch;
// - where what were readings without energy is a session from now on.
//
// `intervals` gets those behind the ones that the summary has seen, which stand.
std::optional<std::vector<ChargingSession>> ContinueSessions(
    std::string_view summary, std::span<const ChargingElement> added,
    std::span<const std::string_view> contexts, UtcTime data_clock, const SessionRules& rules,
    std::string& next, std::vector<MeterIntervals>* intervals = nullptr);

}  // namespace medallion::ocpp
