#include "medallion/ocpp/validate.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "medallion/base/text.h"

namespace medallion::ocpp {
namespace {

bool InTransaction(EventType type) {
  return type == EventType::kStartTransaction || type == EventType::kMeterValues ||
         type == EventType::kStopTransaction;
}

bool EventIdGiven(const Draft& draft) { return !draft.event.event_id.empty(); }
bool ChargePointGiven(const Draft& draft) { return !draft.event.charge_point_id.empty(); }
bool EventTypeKnown(const Draft& draft) { return draft.event.event_type != EventType::kUnknown; }

bool TransactionGiven(const Draft& draft) {
  return !InTransaction(draft.event.event_type) || !draft.event.transaction_id.empty() ||
         draft.Has(kNoteTransactionInvalid) || draft.from_frame;
}

// A status is about a connector, and no session runs on connector 0, which is the whole station.
bool ConnectorValid(const Draft& draft) {
  const ChargingEvent& event = draft.event;
  const bool on_station = event.event_type == EventType::kStartTransaction && event.connector_id == 0;
  const bool nowhere = event.event_type == EventType::kStatusNotification && !event.connector_id;
  return !on_station && !nowhere;
}

bool StatusGiven(const Draft& draft) {
  return draft.event.event_type != EventType::kStatusNotification || !draft.event.connector_status.empty();
}

// A rule holds where normalizing left none of the notes and `holds` says so.
struct PackRule {
  const char* code;
  uint32_t notes;
  bool (*holds)(const Draft&);
};
constexpr auto kPackRules = std::to_array<PackRule>({
    {"CORRUPT_PAYLOAD", kNoteCorrupt, nullptr},
    {"SCHEMA_MISMATCH", kNoteSchemaUnknown, nullptr},
    {"AMBIGUOUS_FIELD", kNoteAmbiguous, nullptr},
    {"MISSING_EVENT_ID", 0, EventIdGiven},
    {"MISSING_CHARGE_POINT_ID", 0, ChargePointGiven},
    {"UNKNOWN_EVENT_TYPE", 0, EventTypeKnown},
    {"INVALID_EVENT_TS", kNoteTimeInvalid | kNoteTimeAbsent, nullptr},
    {"MISSING_TRANSACTION_ID", 0, TransactionGiven},
    {"INVALID_TRANSACTION_ID", kNoteTransactionInvalid, nullptr},
    {"MISSING_METER_VALUE", kNoteMeterAbsent, nullptr},
    {"INVALID_METER_VALUE", kNoteMeterInvalid, nullptr},
    {"UNKNOWN_UNIT", kNoteUnitUnknown, nullptr},
    {"INVALID_CONNECTOR_ID", kNoteConnectorInvalid, ConnectorValid},
    {"UNKNOWN_STATUS", 0, StatusGiven},
});
constexpr size_t kReadableRules = 2;  // of what breaks one of the first so many, nothing else can be said

bool Holds(const PackRule& rule, const Draft& draft) {
  return (draft.notes & rule.notes) == 0 && (rule.holds == nullptr || rule.holds(draft));
}

// Whether all rules of the table hold, as they mostly do: quicker than going through it.
bool AllHold(const Draft& draft) {
  return draft.notes == 0 && EventIdGiven(draft) && ChargePointGiven(draft) && EventTypeKnown(draft) &&
         TransactionGiven(draft) && ConnectorValid(draft) && StatusGiven(draft);
}

Severity SeverityOf(const PackRule& rule, const Options& options) {
  const auto severity = options.severities.find(rule.code);
  return severity == options.severities.end() ? Severity::kReject : severity->second;
}

void AddCode(std::string_view code, std::string& codes) {
  codes += codes.empty() ? "[" : ",";
  AppendJsonString(code, codes);
}

}  // namespace

std::vector<Rule<Draft>> RulesOf(const Options& options) {
  std::vector<Rule<Draft>> rules;
  for (const PackRule& rule : kPackRules) {
    const auto check = [rule](const Draft& draft) {
      return Holds(rule, draft) ? Outcome::kPass : Outcome::kFail;
    };
    rules.push_back({.code = rule.code, .severity = SeverityOf(rule, options), .check = check});
  }
  return rules;
}

std::string Validate(Draft& draft, const Options& options, Arena& texts) {
  if (options.host_rules.empty() && AllHold(draft)) return {};
  std::string codes, flags;
  // Without a type or a time there is no row to keep, whatever severity a host would give the rule.
  const bool keepable = draft.event.event_type != EventType::kUnknown && draft.event.event_ts != kNoTime;
  const auto note = [&](std::string_view code, Severity severity) {
    if (severity == Severity::kReject || !keepable) return AddCode(code, codes);
    flags.append(flags.empty() ? "" : ",").append(code);
  };
  const bool readable = !draft.Has(kNoteCorrupt) && !draft.Has(kNoteSchemaUnknown);
  const auto rules = std::span(kPackRules).first(readable ? kPackRules.size() : kReadableRules);
  for (const PackRule& rule : rules) {
    if (Holds(rule, draft)) continue;
    const Severity severity = SeverityOf(rule, options);
    if (severity != Severity::kOff) note(rule.code, severity);
  }
  for (const Rule<ChargingEvent>& rule : options.host_rules) {
    if (readable && Violates(rule, draft.event)) note(rule.code, rule.severity);
  }
  if (!keepable && codes.empty()) {  // the host has switched off the rule that says why
    for (const PackRule& rule : rules) {
      if (!Holds(rule, draft)) AddCode(rule.code, codes);
    }
  }
  if (!flags.empty()) draft.event.host_flags = texts.Copy(flags);
  if (!codes.empty()) codes += "]";
  return codes;
}

}  // namespace medallion::ocpp
