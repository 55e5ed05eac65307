#include "medallion/ocpp/validate.h"

#include <utility>

#include "medallion/base/text.h"

namespace medallion::ocpp {
namespace {

Outcome Passes(bool passes) { return passes ? Outcome::kPass : Outcome::kFail; }

// A rule that fails where normalizing left the note.
Rule<Draft> Noted(const char* code, uint32_t notes) {
  return {.code = code, .check = [notes](const Draft& draft) { return Passes((draft.notes & notes) == 0); }};
}

bool InTransaction(EventType type) {
  return type == EventType::kStartTransaction || type == EventType::kMeterValues ||
         type == EventType::kStopTransaction;
}

Outcome EventIdGiven(const Draft& draft) { return Passes(!draft.event.event_id.empty()); }
Outcome ChargePointGiven(const Draft& draft) { return Passes(!draft.event.charge_point_id.empty()); }
Outcome EventTypeKnown(const Draft& draft) { return Passes(draft.event.event_type != EventType::kUnknown); }

Outcome TransactionGiven(const Draft& draft) {
  return Passes(!InTransaction(draft.event.event_type) || !draft.event.transaction_id.empty() ||
                draft.Has(kNoteTransactionInvalid));
}

// A status is about a connector, and no session runs on connector 0, which is the whole station.
Outcome ConnectorValid(const Draft& draft) {
  const ChargingEvent& event = draft.event;
  const bool on_station = event.event_type == EventType::kStartTransaction && event.connector_id == 0;
  const bool nowhere = event.event_type == EventType::kStatusNotification && !event.connector_id;
  return Passes(!draft.Has(kNoteConnectorInvalid) && !on_station && !nowhere);
}

Outcome StatusGiven(const Draft& draft) {
  return Passes(draft.event.event_type != EventType::kStatusNotification ||
                !draft.event.connector_status.empty());
}

void AddCode(std::string_view code, std::string& codes) {
  codes += codes.empty() ? "[" : ",";
  AppendJsonString(code, codes);
}

}  // namespace

std::vector<Rule<Draft>> RulesOf(const Options& options) {
  std::vector<Rule<Draft>> rules = {
      Noted("CORRUPT_PAYLOAD", kNoteCorrupt),
      Noted("SCHEMA_MISMATCH", kNoteSchemaUnknown),
      Noted("AMBIGUOUS_FIELD", kNoteAmbiguous),
      {.code = "MISSING_EVENT_ID", .check = EventIdGiven},
      {.code = "MISSING_CHARGE_POINT_ID", .check = ChargePointGiven},
      {.code = "UNKNOWN_EVENT_TYPE", .check = EventTypeKnown},
      Noted("INVALID_EVENT_TS", kNoteTimeInvalid | kNoteTimeAbsent),
      {.code = "MISSING_TRANSACTION_ID", .check = TransactionGiven},
      Noted("INVALID_TRANSACTION_ID", kNoteTransactionInvalid),
      Noted("MISSING_METER_VALUE", kNoteMeterAbsent),
      Noted("INVALID_METER_VALUE", kNoteMeterInvalid),
      Noted("UNKNOWN_UNIT", kNoteUnitUnknown),
      {.code = "INVALID_CONNECTOR_ID", .check = ConnectorValid},
      {.code = "UNKNOWN_STATUS", .check = StatusGiven},
  };
  for (Rule<Draft>& rule : rules) {
    const auto severity = options.severities.find(rule.code);
    if (severity != options.severities.end()) rule.severity = severity->second;
  }
  return rules;
}

std::string Validate(Draft& draft, std::span<const Rule<Draft>> rules, const Options& options, Arena& texts) {
  std::string codes, flags;
  // Without a type or a time there is no row to keep, whatever severity a host would give the rule.
  const bool keepable = draft.event.event_type != EventType::kUnknown && draft.event.event_ts != kNoTime;
  const auto note = [&](const std::string& code, Severity severity) {
    if (severity == Severity::kReject || !keepable) return AddCode(code, codes);
    flags += (flags.empty() ? "" : ",") + code;
  };
  // Of what cannot be read nothing else can be said.
  const bool readable = !draft.Has(kNoteCorrupt) && !draft.Has(kNoteSchemaUnknown);
  if (!readable) rules = rules.first(2);
  for (const Rule<Draft>& rule : rules) {
    if (Violates(rule, draft)) note(rule.code, rule.severity);
  }
  for (const Rule<ChargingEvent>& rule : options.host_rules) {
    if (readable && Violates(rule, draft.event)) note(rule.code, rule.severity);
  }
  if (!keepable && codes.empty()) {  // the host has switched off the rule that says why
    for (const Rule<Draft>& rule : rules) {
      if (rule.check(draft) == Outcome::kFail) AddCode(rule.code, codes);
    }
  }
  if (!flags.empty()) draft.event.host_flags = texts.Copy(flags);
  if (!codes.empty()) codes += "]";
  return codes;
}

}  // namespace medallion::ocpp
