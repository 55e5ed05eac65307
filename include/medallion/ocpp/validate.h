// Validating: the reject rules of the charging pack, a table of {code, severity, predicate}.
// Pure. Safe from any thread. Source: the charging domain, section 2.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "medallion/ocpp/normalize.h"
#include "medallion/ocpp/options.h"
#include "medallion/silver/rules.h"

namespace medallion::ocpp {

// The pack's own rules, in the order in which codes are reported, with the severities that `options` sets.
std::vector<Rule<Draft>> RulesOf(const Options& options);

// The codes of all rejecting rules that the draft breaks, the pack's first, then the host's, as a JSON array; empty where
// it breaks none. Flagging rules add their code to the event's host_flags. The same as asking each of RulesOf(options).
std::string Validate(Draft& draft, const Options& options, Arena& texts);

}  // namespace medallion::ocpp
