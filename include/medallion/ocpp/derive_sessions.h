// Deriving sessions: from the facts of one charging transaction to rows of gold_charging_sessions. Pure: a
// function of the set of facts and the data clock; neither arrival nor order of the span plays a part. Safe
// from any thread. Source: the charging domain, section 5.
#pragma once

#include <span>
#include <vector>

#include "medallion/base/time.h"
#include "medallion/ocpp/charging_event.h"
#include "medallion/ocpp/charging_session.h"
#include "medallion/ocpp/options.h"

namespace medallion::ocpp {

// The sessions of one entity. `history` holds every fact of one (charge point, transaction) that is in Silver
// or in quarantine for a CONFLICT (these only flag the session), in any order; `identity.fact` of starts and
// stops names their epoch. Most often one session; one an epoch where a transaction id was used again; none
// where only readings are known and none of them shows energy. Rows are complete: row_hash, model_version,
// updated_at and next_due_at included, sorted by session_id.
std::vector<ChargingSession> DeriveSessions(std::span<const ChargingElement> history, UtcTime data_clock,
                                            const SessionRules& rules);
std::vector<ChargingSession> DeriveSessions(std::span<const ChargingElement> history, UtcTime data_clock,
                                            const Options& options);

}  // namespace medallion::ocpp
