// The row of a session, from what its facts were folded into.
// Pure. Source: the charging domain, sections 4 and 5.
#pragma once

#include "medallion/base/digest.h"
#include "medallion/base/time.h"
#include "medallion/ocpp/charging_session.h"
#include "medallion/ocpp/options.h"
#include "session_context.h"
#include "session_energy.h"
#include "session_findings.h"
#include "session_state.h"

namespace medallion::ocpp {

// `findings` are those that take more than the outline to tell; `context` is what the timeline told of it, or null.
ChargingSession RowOf(const Digest& session_id, const Outline& outline, const SessionEnergy& energy,
                      const SessionContext* context, UtcTime data_clock, const SessionRules& rules,
                      Findings findings);

}  // namespace medallion::ocpp
