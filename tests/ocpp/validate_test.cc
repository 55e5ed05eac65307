#include "medallion/ocpp/validate.h"

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "catch.h"
#include "ocpp/one_event.h"

namespace medallion::ocpp {
namespace {

using namespace medallion::ocpp::testing;

struct Case {
  std::string payload;
  std::string_view codes;  // in the order of the rules; empty for the counter-examples
};

void Check(std::initializer_list<Case> cases, const Options& options = {}) {
  for (const Case& c : cases) {
    const One one = RefineOne(c.payload, options);
    CAPTURE(c.payload);
    CHECK(Codes(one) == c.codes);
    CHECK((one.element().standing.fate == Fate::kQuarantined) == !c.codes.empty());
    CHECK(one.element().to_settle() == c.codes.empty());
  }
}

constexpr std::string_view kTransactional[] = {"StartTransaction", "MeterValues", "StopTransaction"};

}  // namespace

TEST_CASE("validate: sound events pass") {
  for (const std::string_view type :
       {"StartTransaction", "MeterValues", "StopTransaction", "StatusNotification", "Heartbeat"}) {
    const One one = RefineOne(Payload(type));
    CAPTURE(one.payload);
    CHECK(Codes(one).empty());
    CHECK(Flags(one).empty());
    CHECK(one.row().detail.empty());
    CHECK(one.element().violations.empty());
  }
}

TEST_CASE("validate: what cannot be read says that and nothing else") {
  Check({{"", "CORRUPT_PAYLOAD"},
         {"[]", "CORRUPT_PAYLOAD"},
         {"{\"a\":1", "CORRUPT_PAYLOAD"},
         {R"({"schema_version":2})", "SCHEMA_MISMATCH"},
         {R"({"schema_version":2,"x":1,"x":2})", "SCHEMA_MISMATCH"},
         {Payload("Heartbeat", {{"schema_version", "2"}}), "SCHEMA_MISMATCH"},
         {Payload("Heartbeat", {{"schema_version", "1"}}), ""}});
}

TEST_CASE("validate: each code, and what comes near it") {
  Check({
      {Payload("Heartbeat", {{"message_id", "\"e2\""}}), "AMBIGUOUS_FIELD"},
      {Payload("Heartbeat", {{"message_id", "\"e1\""}}), ""},
      {Payload("Heartbeat", {{"x", "{\"a\":1,\"a\":2}"}}), "AMBIGUOUS_FIELD"},
      {Payload("Heartbeat", {{"x", "{\"a\":1,\"a\":1}"}}), ""},
      {Payload("MeterValues", {{"meter_kwh", "5"}}), "AMBIGUOUS_FIELD"},
      {Payload("MeterValues", {{"meter_kwh", "4"}}), ""},
      {Payload("Heartbeat", {{"meter_kwh", "4"}, {"meter_wh", "5"}}),
       "AMBIGUOUS_FIELD"},  // whatever the type
      {Payload("Heartbeat", {{"meter_kwh", "4"}, {"unit", "\"Wh\""}}), "AMBIGUOUS_FIELD"},
      {Payload("Heartbeat", {{"meter_value", "\"1,5\""}, {"unit", "\"J\""}}),
       ""},  // it has no reading to judge

      {Payload("Heartbeat", {{"event_id", ""}}), "MISSING_EVENT_ID"},
      {Payload("Heartbeat", {{"event_id", "null"}}), "MISSING_EVENT_ID"},
      {Payload("Heartbeat", {{"event_id", "\" \""}}), "MISSING_EVENT_ID"},
      {Payload("Heartbeat", {{"event_id", "{}"}}), "MISSING_EVENT_ID"},
      {Payload("Heartbeat", {{"event_id", "0"}}), ""},

      {Payload("Heartbeat", {{"charge_point_id", "null"}}),
       "MISSING_CHARGE_POINT_ID"},  // and the record has no key
      {Payload("Heartbeat", {{"charge_point_id", "\"\""}}), "MISSING_CHARGE_POINT_ID"},

      {Payload("Heartbeat", {{"event_type", ""}}), "UNKNOWN_EVENT_TYPE"},
      {Payload("Heartbeat", {{"event_type", "\"BootNotification\""}}), "UNKNOWN_EVENT_TYPE"},
      {Payload("Heartbeat", {{"event_type", "5"}}), "UNKNOWN_EVENT_TYPE"},

      {Payload("MeterValues", {{"event_ts", "\"soon\""}}), "INVALID_EVENT_TS"},
      {Payload("MeterValues", {{"event_ts", ""}}), "INVALID_EVENT_TS"},

      {Payload("MeterValues", {{"transaction_id", "\"" + std::string(37, 'x') + "\""}}),
       "INVALID_TRANSACTION_ID"},
      {Payload("MeterValues", {{"transaction_id", "\"" + std::string(36, 'x') + "\""}}), ""},

      {Payload("MeterValues", {{"meter_value", ""}}), "MISSING_METER_VALUE"},
      {Payload("StopTransaction", {{"meter_value", ""}}), ""},
      {Payload("StartTransaction", {{"meter_value", ""}}), ""},

      {Payload("MeterValues", {{"meter_value", "\"1,5\""}}), "INVALID_METER_VALUE"},
      {Payload("StopTransaction", {{"meter_value", "\"1,5\""}}),
       ""},  // a stop is never refused for its reading

      {Payload("MeterValues", {{"unit", "\"kW\""}}), "UNKNOWN_UNIT"},
      {Payload("StopTransaction", {{"unit", "\"kW\""}}), ""},
      {Payload("MeterValues", {{"unit", "\"kW\""}, {"measurand", "\"Power.Offered\""}}), ""},

      {Payload("StartTransaction", {{"connector_id", "0"}}),
       "INVALID_CONNECTOR_ID"},                               // no session on the station
      {Payload("MeterValues", {{"connector_id", "0"}}), ""},  // its main meter
      {Payload("StatusNotification", {{"connector_id", "0"}}), ""},
      {Payload("StatusNotification", {{"connector_id", ""}}), "INVALID_CONNECTOR_ID"},
      {Payload("StartTransaction", {{"connector_id", ""}}), ""},
      {Payload("Heartbeat", {{"evse_id", "-1"}}), "INVALID_CONNECTOR_ID"},

      {Payload("StatusNotification", {{"connector_status", ""}}), "UNKNOWN_STATUS"},
      {Payload("StatusNotification", {{"connector_status", "\" \""}}), "UNKNOWN_STATUS"},
      {Payload("StatusNotification", {{"connector_status", "1"}}), ""},  // kept raw, with a flag
      {Payload("Heartbeat", {{"connector_status", ""}}), ""},
  });
  for (const std::string_view type : kTransactional) {
    Check({{Payload(type, {{"transaction_id", ""}}), "MISSING_TRANSACTION_ID"},
           {Payload(type, {{"transaction_id", "null"}}), "MISSING_TRANSACTION_ID"},
           {Payload(type, {{"transaction_id", "\"\""}}), "MISSING_TRANSACTION_ID"},
           {Payload(type, {{"transaction_id", "{}"}}), "INVALID_TRANSACTION_ID"},  // there is one; it is none
           {Payload(type, {{"transaction_id", "0"}}), ""},  // kept, though it is no key
           {Payload(type, {{"transaction_id", "-1"}}), ""},
           {Payload(type, {{"transaction_id", "99999999999"}}), ""}});
  }
  Check({{Payload("StatusNotification", {{"transaction_id", ""}}), ""}});
}

TEST_CASE("validate: all broken rules are named, in the order of the table") {
  Check(
      {{"{}", "MISSING_EVENT_ID,MISSING_CHARGE_POINT_ID,UNKNOWN_EVENT_TYPE,INVALID_EVENT_TS"},
       {R"({"event_type":"MeterValues","connector_id":-1,"unit":"J","x":1,"x":2})",
        "AMBIGUOUS_FIELD,MISSING_EVENT_ID,MISSING_CHARGE_POINT_ID,INVALID_EVENT_TS,MISSING_TRANSACTION_ID,"
        "MISSING_METER_VALUE,INVALID_CONNECTOR_ID"},
       {Payload("MeterValues", {{"meter_value", "\"x\""}, {"unit", "\"J\""}, {"transaction_id", "true"}}),
        "INVALID_TRANSACTION_ID,INVALID_METER_VALUE,UNKNOWN_UNIT"},
       {R"({"event_type":"StatusNotification"})",
        "MISSING_EVENT_ID,MISSING_CHARGE_POINT_ID,INVALID_CONNECTOR_ID,UNKNOWN_STATUS"}});  // its time is its receipt's
}

TEST_CASE("validate: every rule has its place") {
  std::vector<std::string> codes;
  for (const Rule<Draft>& rule : RulesOf({})) {
    codes.push_back(rule.code);
    CHECK(rule.severity == Severity::kReject);
  }
  CHECK(codes == std::vector<std::string>{
                     "CORRUPT_PAYLOAD", "SCHEMA_MISMATCH", "AMBIGUOUS_FIELD", "MISSING_EVENT_ID",
                     "MISSING_CHARGE_POINT_ID", "UNKNOWN_EVENT_TYPE", "INVALID_EVENT_TS",
                     "MISSING_TRANSACTION_ID", "INVALID_TRANSACTION_ID", "MISSING_METER_VALUE",
                     "INVALID_METER_VALUE", "UNKNOWN_UNIT", "INVALID_CONNECTOR_ID", "UNKNOWN_STATUS"});
}

TEST_CASE("validate: a host may flag what the pack rejects, or let it pass") {
  struct Row {
    std::string code;
    Severity severity;
    std::string payload;
    std::string_view codes, flags;
  };
  const Severity flag = Severity::kFlag, off = Severity::kOff;
  for (const Row& row : std::initializer_list<Row>{
           {"UNKNOWN_UNIT", flag, Payload("MeterValues", {{"unit", "\"J\""}}), "", "UNKNOWN_UNIT"},
           {"UNKNOWN_UNIT", off, Payload("MeterValues", {{"unit", "\"J\""}}), "", ""},
           {"UNKNOWN_UNIT", flag, Payload("MeterValues"), "", ""},
           {"MISSING_TRANSACTION_ID", flag, Payload("MeterValues", {{"transaction_id", ""}}), "",
            "MISSING_TRANSACTION_ID"},
           {"MISSING_EVENT_ID", flag,
            Payload("Heartbeat", {{"event_id", ""}, {"x", "1"}, {"charge_point_id", ""}}),
            "MISSING_CHARGE_POINT_ID", "MISSING_EVENT_ID"},
           // An impossible time is a time; no time is none, and no severity makes a row of it.
           {"INVALID_EVENT_TS", flag, Payload("MeterValues", {{"event_ts", "\"1970-01-01T00:00:10Z\""}}), "",
            "INVALID_EVENT_TS"},
           {"INVALID_EVENT_TS", flag, Payload("MeterValues", {{"event_ts", "\"soon\""}}), "INVALID_EVENT_TS",
            ""},
           {"INVALID_EVENT_TS", off, Payload("MeterValues", {{"event_ts", "\"soon\""}}), "INVALID_EVENT_TS",
            ""},
           {"INVALID_EVENT_TS", off, Payload("MeterValues", {{"event_ts", "\"1970-01-01T00:00:10Z\""}}), "",
            ""},
           {"UNKNOWN_EVENT_TYPE", flag, Payload("MeterValues", {{"event_type", "\"x\""}}),
            "UNKNOWN_EVENT_TYPE", ""},
           {"UNKNOWN_EVENT_TYPE", off, Payload("MeterValues", {{"event_type", "\"x\""}}),
            "UNKNOWN_EVENT_TYPE", ""},
           {"CORRUPT_PAYLOAD", flag, "{", "CORRUPT_PAYLOAD", ""},
           {"CORRUPT_PAYLOAD", off, "{", "CORRUPT_PAYLOAD", ""},
           {"SCHEMA_MISMATCH", off, R"({"schema_version":9})", "SCHEMA_MISMATCH", ""},
       }) {
    Options options;
    options.severities[row.code] = row.severity;
    const One one = RefineOne(row.payload, options);
    CAPTURE(row.code, row.payload);
    CHECK(Codes(one) == row.codes);
    CHECK(Flags(one) == row.flags);
  }
}

TEST_CASE("validate: a host's own rules") {
  const auto no_roaming = [](const ChargingEvent& event) {
    return event.charge_point_id == "CP-1" ? Outcome::kFail : Outcome::kPass;
  };
  const auto needs_evse = [](const ChargingEvent& event) {
    if (!event.evse_id) return Outcome::kUnknown;
    return *event.evse_id == 1 ? Outcome::kPass : Outcome::kFail;
  };
  const auto refine = [](const std::string& payload, Rule<ChargingEvent> first, Rule<ChargingEvent> second) {
    Options options;
    options.host_rules = {std::move(first), std::move(second)};
    const One one = RefineOne(payload, options);
    return Codes(one) + " / " + Flags(one);
  };
  const Rule<ChargingEvent> roaming{.code = "NO_ROAMING", .severity = Severity::kFlag, .check = no_roaming};
  const Rule<ChargingEvent> evse{.code = "WRONG_EVSE", .severity = Severity::kReject, .check = needs_evse};
  Rule<ChargingEvent> lenient = evse, flagging = evse, off = evse;
  lenient.unknown_passes = true;
  flagging.severity = Severity::kFlag;
  off.severity = Severity::kOff;

  CHECK(refine(Payload("Heartbeat"), roaming, lenient) == " / NO_ROAMING");
  CHECK(refine(Payload("Heartbeat"), roaming, evse) ==
        "WRONG_EVSE / NO_ROAMING");  // unknown counts as failed
  CHECK(refine(Payload("Heartbeat", {{"evse_id", "1"}}), roaming, evse) == " / NO_ROAMING");
  CHECK(refine(Payload("Heartbeat", {{"evse_id", "2"}}), roaming, lenient) == "WRONG_EVSE / NO_ROAMING");
  CHECK(refine(Payload("Heartbeat"), roaming, flagging) == " / NO_ROAMING,WRONG_EVSE");
  CHECK(refine(Payload("Heartbeat"), roaming, off) == " / NO_ROAMING");
  CHECK(refine(Payload("Heartbeat", {{"event_id", ""}}), roaming, evse) ==
        "MISSING_EVENT_ID,WRONG_EVSE / NO_ROAMING");
  CHECK(refine(Payload("Heartbeat", {{"event_ts", "\"2026-03-01T10:00:00\""}}), roaming, off) ==
        " / TZ_ASSUMED,NO_ROAMING");
  CHECK(refine("{", roaming, evse) == "CORRUPT_PAYLOAD / ");  // not asked of what cannot be read
}

}  // namespace medallion::ocpp
