// Pairing results with calls: which ids a start was given, and whether it was refused.
// Pure. Source: the charging domain, section 6.
#pragma once

#include "resolve_timeline.h"

namespace medallion::ocpp::resolving {

// Sets ids, answered, refused and answered_at of each start that does not name its transaction, and `named`.
void PairResults(Milestones& milestones);

// Asks for all that tells what the start was answered, and where it is.
void AskAbout(const Start& start, Sight& sight);

}  // namespace medallion::ocpp::resolving
