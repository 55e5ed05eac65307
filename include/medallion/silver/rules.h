// Rules: a table of {code, severity, predicate} rows over a domain's struct.
// Pure. Source: the design, section 4, "Rules".
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace medallion {

enum class Severity : uint8_t {
  kReject,  // the row is quarantined
  kFlag,    // the row is kept with a flag of the rule's code
  kOff,     // the rule is not asked
};

enum class Outcome : uint8_t {
  kPass,
  kFail,
  kUnknown,  // counts as a failure, unless the rule says otherwise
};

template <class Row>
struct Rule {
  std::string code;  // stable; upper case with underscores
  Severity severity = Severity::kReject;
  std::function<Outcome(const Row&)> check;
  bool unknown_passes = false;
};

template <class Row>
bool Violates(const Rule<Row>& rule, const Row& row) {
  if (rule.severity == Severity::kOff) return false;
  const Outcome outcome = rule.check(row);
  return outcome == Outcome::kFail || (outcome == Outcome::kUnknown && !rule.unknown_passes);
}

}  // namespace medallion
