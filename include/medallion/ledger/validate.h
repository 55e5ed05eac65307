// The rules that judge a ledger event by itself; those that look at several are entity flags, see account_balance.h.
// Pure. Safe from any thread. Source: the ledger domain, section 2.
#pragma once

#include <string_view>
#include <vector>

#include "medallion/ledger/options.h"
#include "medallion/silver/rules.h"

namespace medallion::ledger {

struct RuleOf {
  std::string_view code;
  Severity severity = Severity::kReject;
};

// The pack's own rules, in the order in which codes are reported, with the severities that `options` sets.
std::vector<RuleOf> RulesOf(const Options& options);

}  // namespace medallion::ledger
