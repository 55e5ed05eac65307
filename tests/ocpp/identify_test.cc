#include "medallion/ocpp/identify.h"

#include <initializer_list>
#include <string>
#include <string_view>

#include "catch.h"
#include "medallion/ocpp/connector_status.h"
#include "medallion/ocpp/enums.h"
#include "ocpp/one_event.h"

// The digests were computed by another program (Python's hashlib) over the written recipes.
namespace medallion::ocpp {
namespace {

using namespace medallion::ocpp::testing;

struct Case {
  std::string_view type;
  Changes changes;
  std::string_view key;
};

std::string KeyHex(const One& one) {
  CHECK(Codes(one).empty());
  return Hex(one.element().identity.business_key);
}

Options FrameLike() {  // as frames are read: a station's clock is kept, a time may lack
  Options options;
  options.flat_clock = ClockPolicy::kKeep;
  return options;
}

// An event as if it came from a frame, by its fields.
ChargingEvent Frame(EventType type) {
  ChargingEvent event;
  event.event_id = "e1";
  event.charge_point_id = "CP-1";
  event.event_type = type;
  event.event_ts = event.ingest_ts = ParseTime("2026-03-01T10:00:00Z")->time;
  event.ocpp_version = "2.0.1";
  return event;
}

}  // namespace

TEST_CASE("identify: business keys, fixed once and for all") {
  for (
      const Case& c : std::initializer_list<Case>{
          // StartTransaction|CP-1|1|501
          {"StartTransaction", {}, "5419a57b7fcb64aac314d824b68e773a69d7f19616022f7f4c28a4639b97b705"},
          {"StartTransaction",
           {{"charge_point_id", "\"cp-1\""}},
           "5419a57b7fcb64aac314d824b68e773a69d7f19616022f7f4c28a4639b97b705"},
          {"StartTransaction",
           {{"transaction_id", "\"0501\""}},
           "5419a57b7fcb64aac314d824b68e773a69d7f19616022f7f4c28a4639b97b705"},
          {"StartTransaction",
           {{"event_ts", "\"2026-03-01T11:00:00Z\""}, {"meter_value", "7"}, {"evse_id", "9"}},
           "5419a57b7fcb64aac314d824b68e773a69d7f19616022f7f4c28a4639b97b705"},  // none of these is of the key
          // StartTransaction|CP-1||501
          {"StartTransaction",
           {{"connector_id", ""}},
           "ef228b3ef5e3677cdad71fdab8f85749ea676c5606afba9720bf151629b4c0f1"},
          // StartTransaction|CP-1|1|TX-A: ids are compared without regard to case
          {"StartTransaction",
           {{"transaction_id", "\"tx-a\""}},
           "3e89ab4784004ed85942c29826a2a49a58efae229993aa3c4f4a6743989a315b"},
          // StartTransaction|CP-1|1|2026-03-01T10:00:00.000000Z|1000.000|<id_tag_hash>
          {"StartTransaction",
           {{"transaction_id", "0"}},
           "9798cf7b148229c69b53c4e0fd5843cfacb1825cf0c6ba5c83d3c53dcd5cdb0e"},
          {"StartTransaction",
           {{"transaction_id", "-1"}},
           "9798cf7b148229c69b53c4e0fd5843cfacb1825cf0c6ba5c83d3c53dcd5cdb0e"},
          {"StartTransaction",
           {{"transaction_id", "0"}, {"meter_value", "1.0"}, {"unit", "\"kWh\""}},
           "9798cf7b148229c69b53c4e0fd5843cfacb1825cf0c6ba5c83d3c53dcd5cdb0e"},
          {"StartTransaction",
           {{"transaction_id", "0"}, {"meter_value", ""}},
           "311331cfc4e0da610b31bd13511fde17a54c8888880819d453d204aab1d5583a"},  // …|<time>||<id_tag_hash>
          {"StartTransaction",
           {{"transaction_id", "0"}, {"id_tag", ""}},
           "758e324f4bae4c535ee72dc1b497fa8eff6db859510b92f03d06aee135d1af80"},  // …|1000.000|
          // StopTransaction|CP-1|501
          {"StopTransaction", {}, "3ac74fd5993f75be24d3536f6eb6a720a9da02245986d355dba7a1d16f813b65"},
          {"StopTransaction",
           {{"connector_id", "1"}},
           "3ac74fd5993f75be24d3536f6eb6a720a9da02245986d355dba7a1d16f813b65"},
          // StopTransaction|CP-1||2026-03-01T10:00:00.000000Z|8500.000|
          {"StopTransaction",
           {{"transaction_id", "-1"}},
           "9a81e54c40085d1b8191def918687fb79200437c1949128e272cfbdecdaf3aea"},
          // MeterValues|CP-1|501|2026-03-01T10:00:00.000000Z|Energy.Active.Import.Register||Outlet|Sample.Periodic|0
          {"MeterValues", {}, "b7b3e0359dfc02d667420315819764f69d470aba7f02a0fa1060045cd2d2121d"},
          {"MeterValues",
           {{"connector_id", "2"}, {"meter_value", "7"}},
           "b7b3e0359dfc02d667420315819764f69d470aba7f02a0fa1060045cd2d2121d"},
          {"MeterValues",
           {{"event_ts", "\"2026-03-01T12:00:00.0000009+02:00\""}},
           "b7b3e0359dfc02d667420315819764f69d470aba7f02a0fa1060045cd2d2121d"},  // the same microsecond
          // …|Power.Active.Import|L1-N|Body|Trigger|0
          {"MeterValues",
           {{"measurand", "\"power.active.import\""},
            {"phase", "\"l1-n\""},
            {"location", "\"Body\""},
            {"context", "\"Trigger\""}},
           "f037533359fe98b8622e0449c76ee4c93b5425aeee49bebebf82ea08fd50242a"},
          // MeterValues|CP-1||1|2026-…|…: evse and connector in the transaction's place
          {"MeterValues",
           {{"transaction_id", "0"}},
           "c5cf3c79cc9330964df056e32051f940e47e3735e6d0843ec34264a11d8d0b6a"},
          {"MeterValues",
           {{"transaction_id", "0"}, {"connector_id", ""}, {"evse_id", "2"}},
           "a2034e8b525b35c4cb1481044bb059597763460ddec6050504d415654a0ec325"},
          // StatusNotification|CP-1||1|Charging|2026-03-01T10:00:00.000000Z
          {"StatusNotification", {}, "43b8125f99f03ee2dba53d3c899ec273943692971f8a5acdb3fb7b9df453b2f4"},
          {"StatusNotification",
           {{"connector_status", "\"charging \""}, {"error_code", "\"Other\""}},
           "43b8125f99f03ee2dba53d3c899ec273943692971f8a5acdb3fb7b9df453b2f4"},
          {"StatusNotification",
           {{"evse_id", "2"}},
           "6a1498f51a5a06779c1fd36181d8037987d305cdeb60209b83c1e8f244250ace"},
          // …|2026-03-01T12:00:00.000000Z: an observation without a time is one of its receipt
          {"StatusNotification",
           {{"event_ts", ""}},
           "cdc7a08fc123c28945d048e2a007434c658a8911a840df5b32fc07a598a3c317"},
          // Heartbeat|CP-1|2026-03-01T10:00:00.000000Z
          {"Heartbeat", {}, "f84cd6f3d262a4ca7181435565ca707bdfce16e13519c1bfab3c387b8a4a7975"},
          {"Heartbeat",
           {{"event_ts", ""}},
           "360bb3248128a07566dd2fbd781eb42eb649237f6fd32684a5d6d605fbc0f9cc"},
          // The reported time, not its replacement: Heartbeat|CP-1|1970-01-01T00:00:10.000000Z
          {"Heartbeat",
           {{"event_ts", "\"1970-01-01T00:00:10Z\""}},
           "3dd751b072bac25a6d62ed31702ab2887d29e0c0f8068c371564d790d639052b"},
          // StartTransaction|A\|B|1|501
          {"StartTransaction",
           {{"charge_point_id", "\"A|B\""}},
           "e3bd8b7969cbf6a9f9e54fa730c8f255a177c49a26ff41cbf560c02fc492bd77"},
          // StopTransaction|CP\\|5\|1
          {"StopTransaction",
           {{"charge_point_id", R"("CP\\")"}, {"transaction_id", "\"5|1\""}},
           "f2dd704cb85d68e4aafdd1a26899ca45a01b9fc76cae832b4855a94acaf2fb97"},
          {"StopTransaction",
           {{"charge_point_id", "\"cp-" + std::string(70, 'x') + "\""}},
           "08c68bde17ad367576172020de97df46d1a63b68867c1a818496448db9fd0688"},
      }) {
    const One one = RefineOne(Payload(c.type, c.changes), FrameLike());
    CAPTURE(one.payload);
    CHECK(KeyHex(one) == c.key);
    CHECK(one.row().business_key == one.element().identity.business_key);
    CHECK(KeyOf(one.row(), FrameLike()) == one.element().identity.business_key);
  }
}

TEST_CASE("identify: facts from frames without a time go by their event id") {
  ChargingEvent start = Frame(EventType::kStartTransaction);
  start.ocpp_version = "1.6";
  start.connector_id = 1;
  start.meter_wh = Thousandths{1'000'000};
  start.id_tag_hash = "d987dae669fb245ce9013127f7f4d9c861552b2c636c8dd08986af4723630596";
  start.flags = kTsFromIngest;
  CHECK(Hex(KeyOf(start, {})) ==
        "4edfd81ac3a5eb56c267b516da05aa7254fdb4f21fbb6c06dbba5fcf5b8bf0cf");  // …|1|e1|1000.000|…
  ChargingEvent reading = Frame(EventType::kMeterValues);
  reading.transaction_id = "501";
  reading.measurand = kEnergyRegister;
  reading.location = "Outlet";
  reading.context = "Sample.Periodic";
  reading.flags = kTsFromIngest;
  CHECK(Hex(KeyOf(reading, {})) ==
        "803cb32c467e0e9146cbcd50218089f4188edd8d0adff19483060c5b6e3414f8");  // …|501|e1|…
  reading.flags = 0;
  reading.reading = 3;  // the fourth of equal readings in one message
  CHECK(Hex(KeyOf(reading, {})) == "0e869c886765f0f840e125f28f01884ffad18866f8ba7b0eafb3169dc253e58e");
  ChargingEvent update = Frame(EventType::kMeterValues);  // an Updated without samples
  update.transaction_id = "tx-a";
  CHECK(Hex(KeyOf(update, {})) ==
        "550bbfe881c6e96a0161e9b2e6dc62873d5c5abd3790843d9093c899fc68c256");  // …|TX-A|<time>|
  update.seq_no = 7;
  CHECK(Hex(KeyOf(update, {})) ==
        "cd213c28ac456df780ac7a9e2ba406f3003f506b0602b8ab9faf6461feffeafe");  // …|TX-A|<time>|7
}

TEST_CASE("identify: a session's id") {
  CHECK(Hex(SessionId("CP-100", "501")) ==
        "e6569db5f8c72ac05a7fac9215a3a66e345197b187ba0c8311cab4339395545d");
  CHECK(SessionId("cp-100", "501") == SessionId("CP-100", "501"));
  CHECK(SessionId("CP-1", "tx-a") == SessionId("CP-1", "TX-A"));
  CHECK(SessionId("A|B", "C") != SessionId("A", "B|C"));
  CHECK(Hex(SessionId("CP\\", "5|1")) == "01cc26f4580ce2d52ff43b6ec415e389cb10696862cac51094313ad2c6d32e2f");
  // ASCII only: é stays é.
  CHECK(Hex(SessionId("cp-\xC3\xA9", "501")) ==
        "9abe4c225490253e01330dfc47c919e41d35cddcc572a64813dcbd33d8090bd9");
}

TEST_CASE("identify: ids that are no ids") {
  Options options;
  options.not_an_id = {"1", "UNKNOWN"};
  struct Row {
    std::string_view version, id;
    bool usable;
  };
  for (const Row& row : std::initializer_list<Row>{
           {"1.6", "501", true},
           {"1.6", "", false},
           {"1.6", "0", false},
           {"1.6", "-1", false},
           {"1.6", "-2", true},
           {"1.6", "1", false},  // the host's list
           {"1.6", "10", true},
           {"1.6", "UNKNOWN", false},
           {"1.6", "2147483647", true},
           {"1.6", "2147483648", false},
           {"1.6", "-2147483648", true},
           {"1.6", "-2147483649", false},
           {"1.6", "99999999999999999999", false},
           {"1.6", "-99999999999999999999", false},
           {"1.6", "TX-A", true},
           {"1.6", "-", true},         // a text
           {"1.6", "1e30", true},      // a text
           {"", "2147483648", false},  // version unknown: as 1.6
           {"2.0.1", "2147483648", true},
           {"2.1", "99999999999999999999", true},
           {"2.0.1", "0", false},
           {"2.0.1", "-1", false},
           {"2.0.1", "", false},
       }) {
    CAPTURE(row.version, row.id);
    ChargingEvent event;
    event.ocpp_version = row.version;
    event.transaction_id = row.id;
    CHECK(HasTransactionId(event, options) == row.usable);
  }
}

TEST_CASE("identify: what is settled and derived together") {
  const auto identity = [](std::string_view type, const Changes& changes = {}) {
    return RefineOne(Payload(type, changes)).element();
  };
  const Digest session = SessionId("CP-1", "501");
  // Starts and stops of one transaction are cut together; everything else is a unit by itself.
  for (const std::string_view type : {"StartTransaction", "StopTransaction"}) {
    const ChargingElement header = identity(type);
    CHECK(header.identity.unit == session);
    CHECK(header.identity.cut != 0);
    CHECK(header.entity == session);
    const ChargingElement nameless = identity(type, {{"transaction_id", "0"}});
    CHECK(nameless.identity.unit == nameless.identity.business_key);
    CHECK(nameless.identity.cut == 0);
    CHECK(nameless.entity == nameless.identity.business_key);
  }
  const ChargingElement reading = identity("MeterValues");
  CHECK(reading.identity.unit == reading.identity.business_key);
  CHECK(reading.identity.cut == 0);
  CHECK(reading.entity == session);
  // Readings without a transaction share what they are derived into by place and instant.
  const auto at_place = [&](const Changes& more) {
    Changes changes = {{"transaction_id", "0"}};
    changes.insert(changes.end(), more.begin(), more.end());
    return identity("MeterValues", changes).entity;
  };
  CHECK(at_place({}) == Sha256("MeterValues|CP-1||1|2026-03-01T10:00:00.000000Z"));
  CHECK(at_place({{"measurand", "\"SoC\""}, {"event_id", "\"e2\""}}) == at_place({}));
  CHECK(at_place({{"event_ts", "\"2026-03-01T10:00:01Z\""}}) != at_place({}));
  CHECK(at_place({{"connector_id", "2"}}) != at_place({}));
  CHECK(at_place({{"connector_id", ""}, {"evse_id", "1"}}) ==
        Sha256("MeterValues|CP-1|1||2026-03-01T10:00:00.000000Z"));
  CHECK(at_place({{"connector_id", "0"}}) == EntityKey{});
  CHECK(at_place({{"connector_id", "0"}, {"evse_id", "1"}}) == EntityKey{});
  CHECK(at_place({{"connector_id", ""}, {"evse_id", "0"}}) == EntityKey{});
  CHECK(at_place({{"connector_id", ""}}) == EntityKey{});
  CHECK(identity("MeterValues", {{"connector_id", "0"}}).entity ==
        EntityKey{});  // the whole station has no session
  CHECK(identity("MeterValues", {{"connector_id", ""}}).entity == session);
  for (const std::string_view type : {"StatusNotification", "Heartbeat"}) {
    const ChargingElement observation = identity(type, {{"transaction_id", "501"}});
    CHECK(observation.identity.unit == observation.identity.business_key);
    const bool status = type == "StatusNotification";
    CHECK(observation.entity == (status ? ConnectorKey("CP-1", std::nullopt, 1) : EntityKey{}));
  }
}

TEST_CASE("identify: the cut's digest tells all that epochs look at") {
  const auto cut = [](const Changes& changes) {
    return RefineOne(Payload("StartTransaction", changes)).element().identity.cut;
  };
  const uint64_t sound = cut({});
  CHECK(cut({{"event_id", "\"e2\""}, {"x", "1"}, {"offline", "true"}, {"seq_no", "4"}}) == sound);
  CHECK(cut({{"meter_value", "\"1.0\""}, {"unit", "\"kWh\""}, {"id_tag", "\"tag-1\""}}) == sound);
  CHECK(cut({{"event_ts", "\"2026-03-01T10:00:01Z\""}}) != sound);
  CHECK(cut({{"connector_id", "2"}}) != sound);
  CHECK(cut({{"meter_value", "1001"}}) != sound);
  CHECK(cut({{"meter_value", ""}}) != sound);
  CHECK(cut({{"id_tag", "\"TAG-2\""}}) != sound);
}

TEST_CASE("identify: values that copies must agree in") {
  struct Row {
    std::string_view type;
    Changes one, other;
    uint8_t known = 1;  // of `one`
    bool equal = true;
  };
  const auto unit = [](const std::string& value, const std::string& name, const std::string& measurand) {
    return Changes{
        {"meter_value", value}, {"unit", "\"" + name + "\""}, {"measurand", "\"" + measurand + "\""}};
  };
  const std::string power = "Power.Active.Import", register_ = "Energy.Active.Import.Register";
  for (const Row& row : std::initializer_list<Row>{
           {"StartTransaction", {}, {{"meter_value", "1.0"}, {"unit", "\"kWh\""}}, 3},
           {"StartTransaction", {}, {{"meter_value", "1001"}}, 3, false},
           {"StartTransaction", {}, {{"id_tag", "\"tag-1\""}}, 3},
           {"StartTransaction", {}, {{"id_tag", "\"TAG-2\""}}, 3, false},
           {"StartTransaction", {{"id_tag", ""}}, {{"id_tag", "null"}}, 1},
           {"StartTransaction", {{"meter_value", ""}}, {{"meter_value", "\"n/a\""}}, 2},
           {"StopTransaction", {}, {{"stop_reason", "\"Remote\""}, {"id_tag", "\"X\""}, {"offline", "true"}}},
           {"StopTransaction", {}, {{"meter_value", "8500.0004"}}},  // compared after rounding
           {"StopTransaction", {}, {{"meter_value", "8500.0005"}}, 1, false},
           {"MeterValues", unit("7200", "Wh", register_), unit("7.2", "kWh", register_)},
           {"MeterValues", unit("7200", "Wh", register_), unit("7.3", "kWh", register_), 1, false},
           {"MeterValues", unit("7200", "W", power), unit("7.20", "kW", power)},
           {"MeterValues", unit("7200", "W", power), unit("7200", "VA", power), 1, false},
           {"MeterValues", unit("7200.0000000001", "W", power), unit("7200", "W", power), 1,
            false},  // nothing is rounded
           {"MeterValues", unit("33", "C", "Temperature"), unit("33.0", "Celsius", "Temperature")},
           {"MeterValues", unit("33", "K", "Temperature"), unit("33", "Celsius", "Temperature"), 1, false},
           {"MeterValues", unit("50", "Hz", "Frequency"), unit("5e1", "Hertz", "Frequency")},
           {"MeterValues", unit("5", "bananas", "Power.Factor"), unit("5", "apples", "Power.Factor"), 1,
            false},
           {"StatusNotification", {}, {{"vendor_error", "\"x\""}}},
           {"StatusNotification", {}, {{"error_code", "\"GroundFailure\""}}, 1, false},
           {"StatusNotification", {{"error_code", ""}}, {{"error_code", "null"}}, 0},
           {"Heartbeat", {}, {{"x", "1"}}, 0},
       }) {
    const One one = RefineOne(Payload(row.type, row.one)), other = RefineOne(Payload(row.type, row.other));
    CAPTURE(one.payload, other.payload);
    CHECK(one.element().identity.values.known == row.known);
    CHECK((one.element().identity.values == other.element().identity.values) == row.equal);
    CHECK(one.element().identity.business_key == other.element().identity.business_key);
  }
}

TEST_CASE("identify: where an event stands in order") {
  const One one = RefineOne(Payload("MeterValues"));
  const Order& order = one.element().identity.order;
  CHECK(order.event_ts == ParseTime("2026-03-01T10:00:00Z")->time);
  CHECK(order.ingest_ts == ParseTime("2026-03-01T12:00:00Z")->time);
  CHECK(order.event_id == "e1");
  CHECK(order.at == Coordinate{"ocpp", 0, 7});
  CHECK(order.ordinal == 0);
  CHECK(order.payload == Sha256(one.payload));
  CHECK(one.element().identity.event_id == Fingerprint("e1"));
  const One broken = RefineOne("{");  // what is rejected has its place too
  CHECK(broken.element().identity.order.at == Coordinate{"ocpp", 0, 7});
  CHECK(broken.element().identity.order.ingest_ts == ParseTime("2026-03-01T12:00:00Z")->time);
  CHECK(broken.element().identity.order.payload == Sha256("{"));
}

}  // namespace medallion::ocpp
