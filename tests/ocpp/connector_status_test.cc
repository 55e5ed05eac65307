#include "medallion/ocpp/connector_status.h"

#include <algorithm>
#include <initializer_list>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "catch.h"
#include "event_builder.h"
#include "medallion/base/columns.h"
#include "medallion/ocpp/identify.h"
#include "repacked.h"

namespace medallion::ocpp {
namespace {

using testing::At;
using testing::History;
using testing::Number;
using testing::Split;

// A notification: "10:00 Available" or "10:00 Faulted OtherError", then name=value: late (seconds from event to receipt,
// else 1), con, evse, cp, at (offset, else its number in the script), is (a fate: T and B duplicates, X conflict, Q
// quarantined, I ignored).
ChargingElement NotificationOf(std::string_view line, int64_t offset) {
  const std::vector<std::string_view> words = Split(line, " ");
  ChargingElement element;
  ChargingEvent& row = element.row;
  row.event_type = EventType::kStatusNotification;
  row.charge_point_id = "CP-100";
  row.connector_id = 1;
  row.event_ts = At(words.at(0));
  row.ingest_ts = {row.event_ts.us + kMicrosPerSecond};
  row.at = {.topic = "ocpp", .partition = 0, .offset = offset};
  for (size_t i = 1; i < words.size(); ++i) {
    const size_t equals = words[i].find('=');
    const std::string_view name = words[i].substr(0, equals), value = words[i].substr(equals + 1);
    if (equals == words[i].npos) (i == 1 ? row.connector_status : row.error_code) = words[i];
    if (name == "late") row.ingest_ts = {row.event_ts.us + Number(value) * kMicrosPerSecond};
    if (name == "con") row.connector_id = static_cast<int32_t>(Number(value));
    if (name == "evse") row.evse_id = static_cast<int32_t>(Number(value));
    if (name == "cp") row.charge_point_id = value;
    if (name == "at") row.at.offset = Number(value);
    if (name != "is") continue;
    element.standing.conflict = value == "X";
    element.standing.fate = value == "T"   ? Fate::kTechnicalDuplicate
                            : value == "B" ? Fate::kBusinessDuplicate
                            : value == "I" ? Fate::kIgnored
                                           : Fate::kQuarantined;
  }
  row.business_key = element.identity.business_key = KeyOf(row, Options());
  element.identity.order = {row.event_ts, row.ingest_ts, row.event_id, row.at, row.ordinal, Sha256(line)};
  return element;
}

History Notifications(std::string_view script) {
  History history;
  for (const std::string_view line : Split(history.texts.Copy(script), " | ")) {
    history.elements.push_back(NotificationOf(line, static_cast<int64_t>(history.elements.size())));
  }
  return history;
}

ConnectorStates Derive(std::span<const ChargingElement> history) {
  static const Options options;
  static const SessionRules rules(options);
  return DeriveConnectorStatus(history, rules);
}
ConnectorStates Derive(std::string_view script) { return Derive(Notifications(script).elements); }

std::string Clock(UtcTime time) {
  if (time == kNoTime) return "";
  const std::string text = FormatTime(time);
  return text.substr(8, 2) == "01" ? text.substr(11, 8) : text.substr(8, 11);
}

// "Available 10:00:00-11:00:00 | Faulted/OtherError 11:00:00-"
std::string Line(const std::vector<ConnectorStatusPeriod>& periods) {
  std::string out;
  for (const ConnectorStatusPeriod& row : periods) {
    out.append(out.empty() ? "" : " | ").append(row.connector_status);
    if (!row.error_code.empty()) out.append("/").append(row.error_code);
    out.append(" ").append(Clock(row.valid_from)).append("-").append(Clock(row.valid_to));
  }
  return out;
}

// "Faulted/OtherError since 11:00:00 confirmed 11:00:01"
std::string Line(const std::optional<ConnectorStatus>& row) {
  if (!row.has_value()) return "";
  std::string out = row->connector_status;
  if (!row->error_code.empty()) out.append("/").append(row->error_code);
  return out.append(" since ")
      .append(Clock(row->since_ts))
      .append(" confirmed ")
      .append(Clock(row->last_confirmed_ts));
}

template <class Row>
std::string Json(Row row) {
  row.row_hash = row.model_version = {};
  std::string json;
  AppendJson(row, json);
  return json;
}

TEST_CASE("connector status: the history is ordered by event time, and equal neighbours are one period") {
  struct Case {
    std::string_view script, periods;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"", ""},
           {"10:00 Available", "Available 10:00:00-"},
           {"10:00 Available | 11:00 Charging", "Available 10:00:00-11:00:00 | Charging 11:00:00-"},
           {"10:00 Available | 11:00 Available | 12:00 Charging | 13:00 Available",
            "Available 10:00:00-12:00:00 | Charging 12:00:00-13:00:00 | Available 13:00:00-"},
           // what comes late takes its own place
           {"09:00 Available | 08:00 Charging late=90000",
            "Charging 08:00:00-09:00:00 | Available 09:00:00-"},
           {"08:00 Available | 10:00 Available | 09:00 Charging late=90000",
            "Available 08:00:00-09:00:00 | Charging 09:00:00-10:00:00 | Available 10:00:00-"},
           // status and error code are one state, and no code is another one than NoError
           {"10:00 Faulted OtherError | 11:00 Faulted GroundFailure | 12:00 Faulted GroundFailure",
            "Faulted/OtherError 10:00:00-11:00:00 | Faulted/GroundFailure 11:00:00-"},
           {"10:00 Available NoError | 11:00 Available",
            "Available/NoError 10:00:00-11:00:00 | Available 11:00:00-"},
           {"10:00 Available GroundFailure | 11:00 Faulted GroundFailure",
            "Available/GroundFailure 10:00:00-11:00:00 | Faulted/GroundFailure 11:00:00-"},
       }) {
    CAPTURE(c.script);
    CHECK(Line(Derive(c.script).periods) == c.periods);
  }
}

TEST_CASE("connector status: of several at one instant the last received counts, then the last in place") {
  struct Case {
    std::string_view script, periods;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"10:00 Preparing late=1 | 10:00 Charging late=2", "Charging 10:00:00-"},
           {"10:00 Preparing late=2 | 10:00 Charging late=1", "Preparing 10:00:00-"},
           {"10:00 Preparing at=7 | 10:00 Charging at=6", "Preparing 10:00:00-"},
           // first one an instant, then the merging: what did not count parts nothing
           {"09:00 Available | 10:00 Charging late=1 | 10:00 Available late=2", "Available 09:00:00-"},
           {"09:00 Available | 10:00 Available late=1 | 10:00 Charging late=2 | 11:00 Available",
            "Available 09:00:00-10:00:00 | Charging 10:00:00-11:00:00 | Available 11:00:00-"},
       }) {
    CAPTURE(c.script);
    CHECK(Line(Derive(c.script).periods) == c.periods);
  }
}

TEST_CASE("connector status: only Silver notifications with a status and a time tell a state") {
  struct Case {
    std::string_view script, periods;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"09:00 Available | 10:00 Charging is=T", "Available 09:00:00-"},
           {"09:00 Available | 10:00 Charging is=B", "Available 09:00:00-"},
           {"09:00 Available | 10:00 Charging is=X", "Available 09:00:00-"},
           {"09:00 Available | 10:00 Charging is=Q", "Available 09:00:00-"},
           {"09:00 Available | 10:00 Charging is=I", "Available 09:00:00-"},
           {"09:00 Available | 10:00", "Available 09:00:00-"},          // a host lets it through
           {"09:00 Available is=X | 09:00 Available is=X late=9", ""},  // every copy is contested
       }) {
    CAPTURE(c.script);
    CHECK(Line(Derive(c.script).periods) == c.periods);
  }
  History history = Notifications("09:00 Available | 10:00 Charging");
  history.elements[1].row.event_ts = kNoTime;
  CHECK(Line(Derive(history.elements).periods) == "Available 09:00:00-");
  history = Notifications("09:00 Available | 10:00 Charging");
  history.elements[1].row.event_type = EventType::kMeterValues;
  CHECK(Line(Derive(history.elements).periods) == "Available 09:00:00-");
}

TEST_CASE("connector status: the current state is the last one, confirmed by every copy of what says it") {
  struct Case {
    std::string_view script, current;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"", ""},
           {"10:00 Available is=X", ""},
           {"10:00 Available", "Available since 10:00:00 confirmed 10:00:01"},
           // said again, later
           {"10:00 Available | 11:00 Available", "Available since 10:00:00 confirmed 11:00:01"},
           // repeated after a reconnect, with the time of the change
           {"10:00 Faulted OtherError | 10:00 Faulted OtherError is=B late=172800",
            "Faulted/OtherError since 10:00:00 confirmed 03T10:00:00"},
           {"10:00 Faulted OtherError | 10:00 Faulted is=T late=60",  // a null differs from nothing
            "Faulted/OtherError since 10:00:00 confirmed 10:01:00"},
           // an older event never replaces a newer state, and a copy of one says nothing of now
           {"09:00 Available | 08:00 Charging late=172800", "Available since 09:00:00 confirmed 09:00:01"},
           {"08:00 Available | 09:00 Charging | 10:00 Available | 08:00 Available is=B late=172800",
            "Available since 10:00:00 confirmed 10:00:01"},
           {"08:00 Available | 09:00 Charging | 08:00 Available is=B late=172800",
            "Charging since 09:00:00 confirmed 09:00:01"},
           // neither does one that lost its instant, nor a conflict
           {"10:00 Available late=9 | 10:00 Charging late=1 | 10:00 Charging is=B late=60",
            "Available since 10:00:00 confirmed 10:00:09"},
           {"10:00 Faulted OtherError | 10:00 Faulted GroundFailure is=X late=60",
            "Faulted/OtherError since 10:00:00 confirmed 10:00:01"},
       }) {
    CAPTURE(c.script);
    CHECK(Line(Derive(c.script).current) == c.current);
  }
}

TEST_CASE("connector status: updated_at follows what a row was derived from") {
  struct Case {
    std::string_view script;
    std::vector<std::string_view> updated;  // of the periods, then of the current state
  };
  for (const Case& c : std::initializer_list<Case>{
           {"08:00 Available", {"08:00:01", "08:00:01"}},
           {"08:00 Available | 09:00 Charging", {"09:00:01", "09:00:01", "09:00:01"}},
           // a late row parts a period: all three are of now
           {"08:00 Available | 10:00 Available | 09:00 Charging late=18000",
            {"14:00:00", "14:00:00", "14:00:00", "14:00:00"}},
           // but not what lies further off
           {"06:00 Faulted | 07:00 Available | 08:00 Charging | 09:00 Finishing late=18000",
            {"07:00:01", "08:00:01", "14:00:00", "14:00:00", "14:00:00"}},
           // a copy confirms the current state alone
           {"08:00 Available | 08:00 Available is=T late=60", {"08:00:01", "08:01:00"}},
       }) {
    CAPTURE(c.script);
    const ConnectorStates states = Derive(c.script);
    std::vector<std::string> updated;
    for (const ConnectorStatusPeriod& row : states.periods) updated.push_back(Clock(row.updated_at));
    updated.push_back(Clock(states.current->updated_at));
    CHECK(updated == std::vector<std::string>(c.updated.begin(), c.updated.end()));
  }
}

TEST_CASE("connector status: rows are complete") {
  const ConnectorStates states = Derive(
      "10:00 Occupied evse=2 con=1 cp=cp-a | 11:00 Occupied evse=2 con=1 cp=CP-A | "
      "12:00 Available NoError evse=2 con=1 cp=cp-a");
  REQUIRE(states.periods.size() == 2);
  // Of two spellings a row shows the one that sorts first among its own.
  CHECK(Json(states.periods[0]) ==
        R"({"charge_point_id":"CP-A","evse_id":2,"connector_id":1,"connector_status":"Occupied",)"
        R"("error_code":null,"valid_from":"2026-03-01T10:00:00.000000Z",)"
        R"("valid_to":"2026-03-01T12:00:00.000000Z","model_version":null,"row_hash":null,)"
        R"("updated_at":"2026-03-01T12:00:01.000000Z"})");
  CHECK(Json(*states.current) ==
        R"({"charge_point_id":"cp-a","evse_id":2,"connector_id":1,"connector_status":"Available",)"
        R"("error_code":"NoError","since_ts":"2026-03-01T12:00:00.000000Z",)"
        R"("last_confirmed_ts":"2026-03-01T12:00:01.000000Z","model_version":null,"row_hash":null,)"
        R"("updated_at":"2026-03-01T12:00:01.000000Z"})");
  CHECK(states.periods[0].model_version == ModelVersion(Options()));
  CHECK(states.current->model_version == ModelVersion(Options()));

  JoinedFields columns;
  columns.Add("CP-A").Add("2").Add("1").Add("Occupied").AddNull();
  columns.Add("2026-03-01T10:00:00.000000Z").Add("2026-03-01T12:00:00.000000Z");
  CHECK(states.periods[0].row_hash == columns.Sha256());

  for (const ConnectorStatusPeriod& row : states.periods) CHECK(Repacked(row) == row);
  CHECK(Repacked(*states.current) == *states.current);
  CHECK(Repacked(ConnectorStatusPeriod()) == ConnectorStatusPeriod());
}

TEST_CASE("connector status: keys are of the place, whatever its spelling") {
  CHECK(ConnectorKey("CP-A", std::nullopt, 1) == Sha256("connector|CP-A||1"));
  CHECK(ConnectorKey("cp-a", std::nullopt, 1) == Sha256("connector|CP-A||1"));
  CHECK(ConnectorKey("CP-A", 1, std::nullopt) == Sha256("connector|CP-A|1|"));
  CHECK(ConnectorKey("CP-A", std::nullopt, 0) == Sha256("connector|CP-A||0"));  // the whole station
  CHECK(ConnectorKey("CP-A", std::nullopt, std::nullopt) == Sha256("connector|CP-A||"));
  CHECK(ConnectorKey("CP|A", 3, 2) == Sha256("connector|CP\\|A|3|2"));

  const ConnectorStates states = Derive("10:00 Available evse=2 cp=cp-a");
  CHECK(RowKey(states.periods[0]) == Sha256("status|CP-A|2|1|2026-03-01T10:00:00.000000Z"));
  CHECK(RowKey(*states.current) == Sha256("current|CP-A|2|1"));
}

TEST_CASE("connector status: neither order nor repeats matter") {
  const uint32_t seed = GENERATE(range(0u, 50u));
  CAPTURE(seed);
  const History history = Notifications(
      "08:00 Available NoError | 08:00 Available is=T late=500 | 08:30 Preparing NoError cp=cp-100 | "
      "08:30 Charging NoError late=1 | 08:30 Charging is=X late=7 | 09:00 Charging NoError | "
      "09:00 Charging is=B late=90000 | 09:30 Finishing | 10:00 Available NoError | 10:00 Faulted OtherError "
      "| "
      "10:30 Faulted OtherError late=3 | 10:30 Faulted is=B late=4 | 10:30 is=Q");
  std::vector<ChargingElement> elements = history.elements;
  std::shuffle(elements.begin(), elements.end(), std::mt19937(seed));
  CHECK(Derive(elements) == Derive(history.elements));
  elements.insert(elements.end(), history.elements.begin(), history.elements.end());
  CHECK(Derive(elements) == Derive(history.elements));
}

}  // namespace
}  // namespace medallion::ocpp
