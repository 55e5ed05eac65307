#include "medallion/ocpp/json.h"

#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>

#include "catch.h"
#include "medallion/ocpp/identify.h"
#include "medallion/ocpp/refine.h"

namespace medallion::ocpp {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::string_view kMeterValues =
    R"({"event_id":"e2","event_type":"MeterValues","charge_point_id":"CP-100",)"
    R"("transaction_id":501,)"
    R"("event_ts":"2026-03-01T10:10:00Z","meter_value":)";

json Parsed(std::string_view text) { return json::parse(text, nullptr, false); }

ChargingElement RefinedFrom(const json& event, Arena& texts) {
  static const Options kOptions;
  return Refine(event, {.at = {.topic = "t", .offset = 1}}, kOptions, texts);
}

TEST_CASE("json: a number is read as its shortest decimal while a double is sure to hold it") {
  struct Case {
    std::string_view number;
    std::string_view value;  // of the row; empty: INVALID_METER_VALUE
    std::string_view detail;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"4000", "4000", ""},
           {"4.0", "4", ""},
           {"0.1", "0.1", ""},
           {"-0.0", "-0", ""},
           {"123456789.123456", "123456789.123456", ""},  // 15 digits
           {"1.5e3", "1500", ""},
           {"1e-7", "1e-07", ""},
           {"0.1000000000000000055", "0.1", ""},  // a host's parser makes 0.1 of it
           {"1234567890.123456", "", R"({"meter_value":"1234567890.123456","problem":"binary_float"})"},
           {"0.30000000000000004", "", R"({"meter_value":"0.30000000000000004","problem":"binary_float"})"},
           {"12345678901234567890123", "",
            R"({"meter_value":"1.2345678901234568e+22","problem":"binary_float"})"},
           {"\"0.30000000000000004\"", "0.30000000000000004", ""},  // a text keeps all its digits
       }) {
    CAPTURE(c.number);
    Arena texts;
    const ChargingElement element =
        RefinedFrom(Parsed(std::string(kMeterValues) + std::string(c.number) + "}"), texts);
    CHECK((element.standing.fate == Fate::kSilver) == !c.value.empty());
    CHECK(element.row.detail == c.detail);
    if (c.value.empty()) {
      CHECK(element.violations == R"(["INVALID_METER_VALUE"])");
    } else {
      CHECK(element.row.value == c.value);
    }
  }
}

TEST_CASE("json: no number at all") {
  for (const double number :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    json event = Parsed(std::string(kMeterValues) + "0}");
    event["meter_value"] = number;
    Arena texts;
    CHECK(RefinedFrom(event, texts).violations == R"(["INVALID_METER_VALUE"])");
  }
}

TEST_CASE("json: a start is kept whatever its reading, and a float is no id") {
  Arena texts;
  const ChargingElement start =
      RefinedFrom(Parsed(R"({"event_id":"e1","event_type":"StartTransaction","charge_point_id":"CP-100",)"
                         R"("transaction_id":501,)"
                         R"("event_ts":"2026-03-01T10:00:00Z","meter_value":0.30000000000000004})"),
                  texts);
  CHECK(start.standing.fate == Fate::kSilver);
  CHECK(!start.row.meter_wh);
  CHECK(start.row.detail == R"({"meter_value":"0.30000000000000004","problem":"binary_float"})");

  json event = Parsed(std::string(kMeterValues) + "1}");
  event["transaction_id"] = 12345678901234567890.0;
  CHECK(RefinedFrom(event, texts).violations == R"(["INVALID_TRANSACTION_ID"])");
}

// What a text says and what its JSON says must be one and the same.
TEST_CASE("json: an event refines as its text does") {
  for (const std::string_view text : std::initializer_list<std::string_view>{
           R"({"event_id":"e1","event_type":"start_transaction","charge_point_id":"CP-100",)"
           R"("transaction_id":"501",)"
           R"("event_ts":"2026-03-01 10:00:00+01","meter_kwh":"1.0005","id_tag":" Tag ","Connector_Id":1,)"
           R"("vendor":{"a":[1,2,{"b":null}],"c":"\u00e9"},"also":true})",
           R"({"event_id":7,"event_type":"Heartbeat","charge_point_id":"CP\u0000\u0000"})",
           R"({"event_id":"e","event_type":"StatusNotification","charge_point_id":"CP","connector_id":1,)"
           R"("connector_status":"charging ","event_ts":null,"ingest_ts":"2026-03-01T10:00:00Z"})",
           R"({"event_id":"a","message_id":"b","action":"Heartbeat","charge_point_id":"CP",)"
           R"("timestamp":"2026-03-01T00:00:00Z"})",
           R"({"schema_version":9,"event_id":"e"})",
           R"({})",
           R"([1,2])",
           R"("text")",
           R"(null)",
       }) {
    CAPTURE(text);
    const Options options;
    const BronzeRecord record{.payload = text, .at = {.topic = "t", .offset = 1}, .key = "K"};
    const Refined<ChargingEvent> from_text = Refine(std::span(&record, 1), options);
    Arena texts;
    const ChargingElement from_json = Refine(Parsed(text), record, options, texts);
    const ChargingElement& expected = from_text.elements[0];
    CHECK(from_json.standing.fate == expected.standing.fate);
    CHECK(from_json.violations == expected.violations);
    CHECK(from_json.identity.order == expected.identity.order);
    CHECK(from_json.identity.unit == expected.identity.unit);
    ChargingEvent row = from_json.row;
    // The keys of an object are sorted in nlohmann::json; where the payload is corrupt, only a text has a
    // byte to name.
    CHECK(Parsed(row.extra_fields).dump() == Parsed(expected.row.extra_fields).dump());
    row.extra_fields = expected.row.extra_fields;
    if (expected.violations == R"(["CORRUPT_PAYLOAD"])") row.detail = expected.row.detail;
    CHECK(row == expected.row);
  }
}

TEST_CASE("json: what no text could say is corrupt") {
  json deep = 1;
  for (int i = 0; i < 63; ++i) deep = json::array({deep});
  const auto problem = [](const json& event) {
    Arena texts;
    const ChargingElement element = RefinedFrom(event, texts);
    CHECK(element.standing.fate == Fate::kQuarantined);
    return std::string(element.detail);
  };
  Arena texts;
  json event = Parsed(std::string(kMeterValues) + "1}");
  event["x"] = deep;
  CHECK(RefinedFrom(event, texts).standing.fate == Fate::kSilver);  // 64 deep
  event["x"] = json::array({deep});
  CHECK(problem(event) == R"({"problem":"nested deeper than 64"})");
  CHECK(problem({{"a", "\xff"}}) == R"({"problem":"bad encoding"})");
  CHECK(problem({{"\xff", 1}}) == R"({"problem":"bad encoding"})");
  CHECK(problem(json(json::value_t::discarded)) == R"({"problem":"malformed JSON"})");
  CHECK(problem({{"a", json::binary({1, 2})}}) == R"({"problem":"malformed JSON"})");
  CHECK(problem(5) == R"({"problem":"not a JSON object"})");
  for (int i = 0; i < 100'000; ++i) deep = json::array({std::move(deep)});
  CHECK(problem(deep) == R"({"problem":"nested deeper than 64"})");
}

TEST_CASE("json: the payload limit holds where the payload is given") {
  Options options;
  options.payload_bytes_max = 10;
  Arena texts;
  const ChargingElement element = Refine(json::object(), {.payload = "{         }"}, options, texts);
  CHECK(element.violations == R"(["CORRUPT_PAYLOAD"])");
  CHECK(element.detail == R"({"problem":"longer than 10 bytes"})");
}

// Every row type as JSON is the line that the stores write.
template <class Row>
void CheckRow(const Row& row) {
  std::string line;
  AppendJson(row, line);
  const ordered_json by_function = ToJson(row);
  const ordered_json by_conversion = row;
  const json sorted = row;
  CHECK(by_function.dump() == line);
  CHECK(by_conversion == by_function);
  CHECK(sorted == json::parse(line));
}

TEST_CASE("json: rows") {
  CheckRow(ChargingEvent{});
  CheckRow(ChargingSession{});
  CheckRow(QuarantineRow{});
  CheckRow(AuditRow{});
  CheckRow(IgnoredRow{});
  ChargingEvent event;
  event.event_id = "e \xff \x01 \"";
  event.connector_id = 1;
  event.offline = false;
  event.meter_wh = Thousandths{7'500'000};
  event.event_ts = {1'772'359'200'000'000};
  event.extra_fields = R"({"b":[1,2],"a":null})";
  event.flags = kTzAssumed | kUnitFolded;
  CheckRow(event);
  ChargingSession session;
  session.energy_kwh = Thousandths{7'500};
  session.quality_flags.Set(SessionFlag::kConflict);
  session.begin = Evidence{.topic = "t", .partition = 3, .offset = 17, .ordinal = 0};
  CheckRow(session);
  CHECK(ToJson(session)["energy_kwh"] == "7.500");
}

TEST_CASE("json: a number that no double holds does not spoil its row") {
  ChargingEvent event;
  event.extra_fields = R"({"a":1e999})";
  CHECK(ToJson(event)["extra_fields"] == R"({"a":1e999})");
}

TEST_CASE("config: everything that is data") {
  const absl::StatusOr<Options> options = OptionsFromJson(Parsed(R"({
      "id_tag_key": "secret", "policy": "contest_all", "assumed_zone": "Europe/Berlin",
      "missing_offset": "quarantine", "flat_clock": "keep",
      "frame_clock": "quarantine",
      "schemas": [{"version": 1, "names": {"cp": "charge_point_id", "status": "stop_reason"}},
                  {"version": 2, "names": {"evt": "event_type"}}],
      "severities": {"UNKNOWN_UNIT": "flag", "SCHEMA_MISMATCH": "off", "CORRUPT_PAYLOAD": "reject"},
      "not_an_id": ["1", 7, -1],
      "future_max_seconds": 1, "payload_bytes_max": 100, "session_timeout_seconds": 2, "epoch_gap_seconds": 3,
      "late_seconds": 4, "duration_max_seconds": 5, "power_max_w": 6, "session_energy_max_wh": 7,
      "power_max_w_of": [{"charge_point_id": "cp-1", "connector_id": 2, "power_max_w": 8}],
      "site_zone": "Europe/Lisbon", "site_zones": {"cp-1": "Asia/Tokyo"}})"));
  REQUIRE(options.ok());
  CHECK(options->id_tag_key == "secret");
  CHECK(options->policy == Policy::kContestAll);
  CHECK(options->assumed_zone.name() == "Europe/Berlin");
  CHECK(options->missing_offset_rejected);
  CHECK(options->flat_clock == ClockPolicy::kKeep);
  CHECK(options->frame_clock == ClockPolicy::kQuarantine);
  REQUIRE(options->schemas.size() == 2);
  CHECK(options->schemas[0].names.at("cp") == Field::kChargePointId);
  CHECK(options->schemas[0].names.at("status") == Field::kStopReason);
  CHECK(options->schemas[0].names.at("event_id") == Field::kEventId);
  CHECK(options->schemas[1].version == 2);
  CHECK(options->schemas[1].names.size() == 2);
  CHECK(options->schemas[1].names.at("schema_version") == Field::kSchemaVersion);
  CHECK(options->severities.at("UNKNOWN_UNIT") == Severity::kFlag);
  CHECK(options->severities.at("SCHEMA_MISMATCH") == Severity::kOff);
  CHECK(options->severities.at("CORRUPT_PAYLOAD") == Severity::kReject);
  CHECK(options->not_an_id == std::set<std::string>{"-1", "1", "7"});
  CHECK(options->future_max_us == 1'000'000);
  CHECK(options->payload_bytes_max == 100);
  CHECK(options->session_timeout_us == 2'000'000);
  CHECK(options->epoch_gap_us == 3'000'000);
  CHECK(options->late_us == 4'000'000);
  CHECK(options->duration_max_us == 5'000'000);
  CHECK(options->power_max_w == 6);
  CHECK(options->session_energy_max_wh == 7);
  CHECK(options->power_max_w_of.at({"CP-1", 2}) == 8);
  CHECK(options->site_zone.name() == "Europe/Lisbon");
  CHECK(options->site_zone_of.at("CP-1").name() == "Asia/Tokyo");
  CHECK(OptionsFromJson(json::object()).ok());
}

TEST_CASE("config: an error names the key and what is allowed") {
  struct Case {
    std::string_view config;
    std::string_view says;  // part of the message
  };
  for (const Case& c : std::initializer_list<Case>{
           {R"([])", "the configuration must be an object with id_tag_key, schemas"},
           {R"(no json)", "the configuration must be an object"},
           {R"({"polcy":"keep_first"})", "unknown key \"polcy\"; known are id_tag_key, schemas"},
           {R"({"policy":"first"})", "policy must be one of \"keep_first\", \"contest_all\""},
           {R"({"policy":1})", "policy must be one of"},
           {R"({"id_tag_key":""})", "id_tag_key must be a text that is not empty"},
           {R"({"id_tag_key":null})", "id_tag_key must be a text"},
           {R"({"schemas":{}})", "schemas must be a list"},
           {R"({"schemas":[7]})", "schemas[0] must be an object with version, names"},
           {R"({"schemas":[{"version":2}]})", "schemas[0].names must be an object"},
           {R"({"schemas":[{"version":2,"names":{}}]})", "schemas[0].names must be an object"},
           {R"({"schemas":[{"version":"2","names":{"a":"event_id"}}]})",
            "schemas[0].version must be a whole number from 1"},
           {R"({"schemas":[{"names":{"a":"event_id"}}]})", "schemas[0].version must be a whole number"},
           {R"({"schemas":[{"version":2,"names":{"a":"eventid"}}]})",
            "schemas[0].names.a must be one of event_id, event_type"},
           {R"({"schemas":[{"version":2,"names":{"a":7}}]})", "schemas[0].names.a must be one of"},
           {R"({"schemas":[{"version":2,"nam":{}}]})",
            "schemas[0]: unknown key \"nam\"; known are version, names"},
           {R"({"assumed_zone":"Europe/Atlantis"})", "assumed_zone must be a time zone"},
           {R"({"missing_offset":true})", "missing_offset must be one of \"accept\", \"quarantine\""},
           {R"({"flat_clock":"drop"})", "flat_clock must be one of \"quarantine\", \"keep\""},
           {R"({"frame_clock":1})", "frame_clock must be one of \"quarantine\", \"keep\""},
           {R"({"severities":{"NO_SUCH":"flag"}})",
            "severities: unknown key \"NO_SUCH\"; known are CORRUPT_PAYLOAD"},
           {R"({"severities":{"UNKNOWN_UNIT":"warn"}})",
            "severities.UNKNOWN_UNIT must be one of \"reject\", \"flag\", \"off\""},
           {R"({"severities":[]})", "severities must be an object with CORRUPT_PAYLOAD"},
           {R"({"not_an_id":"1"})", "not_an_id must be a list"},
           {R"({"not_an_id":[1.5]})", "not_an_id must be a list"},
           {R"({"late_seconds":0})", "late_seconds must be a whole number from 1 to"},
           {R"({"late_seconds":1.5})", "late_seconds must be a whole number"},
           {R"({"late_seconds":18446744073709551615})", "late_seconds must be a whole number"},
           {R"({"late_seconds":99999999999999999999999})", "late_seconds must be a whole number"},
           {R"({"power_max_w_of":[{"charge_point_id":"A","power_max_w":1}]})",
            "power_max_w_of[0].connector_id must be"},
           {R"({"power_max_w_of":[{"connector_id":1,"power_max_w":1}]})",
            "power_max_w_of[0].charge_point_id must be"},
           {R"({"site_zone":"Europe/Atlantis"})", "site_zone must be a time zone"},
           {R"({"site_zones":"Europe/Berlin"})", "site_zones must be an object: charge point -> time zone"},
           {R"({"site_zones":{"CP-1":"Europe/Atlantis"}})", "site_zones.CP-1 must be a time zone"},
           {R"({"site_zones":{"CP-1":60}})", "site_zones.CP-1 must be a time zone"},
       }) {
    CAPTURE(c.config);
    const absl::Status status = OptionsFromJson(Parsed(c.config)).status();
    const std::string message(status.message());
    CAPTURE(message);
    CHECK(absl::IsInvalidArgument(status));
    CHECK(message.find(c.says) != std::string::npos);
  }
}

}  // namespace
}  // namespace medallion::ocpp
