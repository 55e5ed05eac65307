// From OCPP-J frames to elements: the envelope, each message, what is lossless and what is not.

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "catch.h"
#include "medallion/ocpp/identify.h"
#include "medallion/ocpp/refine.h"
#include "ocpp/one_frame.h"

namespace medallion::ocpp {
namespace {

using namespace medallion::ocpp::testing;
using namespace std::string_literals;

struct Case {
  std::string payload;
  std::string said;
};

void CheckAll(std::string_view version, std::initializer_list<Case> cases) {
  for (const Case& c : cases) {
    CAPTURE(c.payload);
    CHECK(Said(RefineFrame(c.payload, version)) == c.said);
  }
}

std::string Call(std::string_view action, std::string_view fields) {
  return "[2,\"m1\",\"" + std::string(action) + "\",{" + std::string(fields) + "}]";
}
// With the time that Said() leaves out.
std::string Timed(std::string_view action, std::string_view fields) {
  return Call(action, R"("timestamp":"2026-03-01T10:00:00Z",)" + std::string(fields));
}
// Samples of one instant, of a transaction on a connector.
std::string Readings(std::string_view samples) {
  return Call(
      "MeterValues",
      R"("connectorId":1,"transactionId":7,"meterValue":[{"timestamp":"2026-03-01T10:00:00Z","sampledValue":)" +
          std::string(samples) + "}]");
}
// A transaction event with what every one has.
std::string Event(std::string_view type, std::string_view fields) {
  return Timed("TransactionEvent",
               R"("eventType":")" + std::string(type) +
                   R"(","triggerReason":"Trigger","seqNo":3,"transactionInfo":{"transactionId":"tx-1"})" +
                   std::string(fields));
}
// Said() of a corrupt one shows no time.
std::string Broken(std::string_view problem) {
  return R"(quarantined:CORRUPT_PAYLOAD detail={"problem":)" + std::string(problem) + "}";
}
std::string NotFrame(std::string_view because, std::string_view type) {
  return Broken(R"("not an OCPP frame","because":")" + std::string(because) + R"(","message_type":)" +
                std::string(type));
}

}  // namespace

// ---- the envelope -------------------------------------------------------------------------------------------

TEST_CASE("frames: what is no frame says why") {
  const std::string beat = "silver Heartbeat ts=2026-03-01T12:00:00.000000Z flags=TS_FROM_INGEST";
  const std::string coerced =
      "silver Heartbeat ts=2026-03-01T12:00:00.000000Z flags=TS_FROM_INGEST,TYPE_COERCED";
  const std::string reshaped =
      "silver Heartbeat ts=2026-03-01T12:00:00.000000Z flags=TS_FROM_INGEST,SHAPE_COERCED";
  CheckAll(
      "1.6",
      {
          {R"([2,"a","Heartbeat",{}])", beat},
          {" \n[ 2 , \"a\" , \"Heartbeat\" , { } ]\r\n", beat},
          {"\xEF\xBB\xBF[2,\"a\",\"Heartbeat\",{}]", beat},
          {"[2,\"a\",\"Heartbeat\",{}]\0\0"s, beat},
          {R"([2,"a","Heartbeat",null])", beat},  // 1.6 has it
          {R"([2,"a","Heartbeat",[]])", reshaped},
          {R"(["2","a","Heartbeat",{}])", coerced},
          {R"([2,17,"Heartbeat",{}])", coerced},
          {R"([2,"a","heart_beat",{}])", reshaped},
          {R"([2,"a","Heartbeat\u0000",{}])", beat},
          // Malformed, with the byte.
          {R"([2,"a","Heartbeat",{}]])", Broken(R"("malformed JSON","byte":22)")},
          {R"([2,"a","Heartbeat",{})", Broken(R"("malformed JSON","byte":21)")},
          {R"([2,"a","Heartbeat",{"x":}])", Broken(R"("malformed JSON","byte":24)")},
          {"[", Broken(R"("malformed JSON","byte":1)")},
          {"[2,\"a\n\",\"Heartbeat\",{}]", Broken(R"("malformed JSON","byte":5)")},
          {"[2,\"a\0\",\"Heartbeat\",{}]"s, Broken(R"("malformed JSON","byte":5)")},
          {"\xEF\xBB\xBF[2,]", Broken(R"("malformed JSON","byte":6)")},
          {R"([9,"a","b",{},])", Broken(R"("malformed JSON","byte":14)")},  // malformed before unknown
          {"[2,\"a\",\"Heartbeat\",{\"x\":\"\xB0\"}]", Broken(R"("bad encoding")")},
          // JSON, but no frame.
          {"[]", NotFrame("it has too few elements", "null")},
          {R"([1,"a","StartTransaction",{}])", NotFrame("its message type is none of the version", "1")},
          {R"([6,"a","NotifyPeriodicEventStream",{}])",
           NotFrame("its message type is none of the version", "6")},
          {R"([5,"a","FormatViolation","",{}])", NotFrame("its message type is none of the version", "5")},
          {R"([22,"a","Heartbeat",{}])", NotFrame("its message type is none of the version", "22")},
          {R"(["x",{"y":[1, 2]}])", NotFrame("its message type is none of the version", "\"x\"")},
          {R"([null])", NotFrame("its message type is none of the version", "null")},
          // A number that readers of JSON may not hold.
          {R"([99999999999999999999,"a",{}])",
           NotFrame("its message type is none of the version", R"("99999999999999999999")")},
          {R"([1e400,"a",{}])", NotFrame("its message type is none of the version", R"("1e400")")},
          {R"([2,"a","Heartbeat"])", NotFrame("it has too few elements", "2")},
          {R"([2,"a","Heartbeat",{},1])", NotFrame("it has too many elements", "2")},
          {R"([2,"a","Heartbeat","{}"])", NotFrame("its payload is no object", "2")},
          {R"([2,"a","Heartbeat",[1]])", NotFrame("its payload is no object", "2")},
          {R"([2,"a",{},{}])", NotFrame("its third element is no text", "2")},
          {R"([2,"a"," ",{}])", NotFrame("its third element is no text", "2")},
          {R"([2,{},"Heartbeat",{}])", NotFrame("its id is no text", "2")},
          {R"([3,"a"])", NotFrame("it has too few elements", "3")},
          {R"([3,"a",{},{}])", NotFrame("it has too many elements", "3")},
          {R"([3,"a",7])", NotFrame("its payload is no object", "3")},
          {R"([4,"a",7,"",{}])", NotFrame("its third element is no text", "4")},
          {R"([4,"a","X","",{},1])", NotFrame("it has too many elements", "4")},
          // Without an id.
          {R"([2,"","Heartbeat",{}])",
           "quarantined:MISSING_EVENT_ID Heartbeat ts=2026-03-01T12:00:00.000000Z flags=TS_FROM_INGEST"},
          {R"([2,null,"Heartbeat",{}])",
           "quarantined:MISSING_EVENT_ID Heartbeat ts=2026-03-01T12:00:00.000000Z flags=TS_FROM_INGEST"},
      });
  CheckAll("2.1", {
                      {R"([5,"a","FormatViolation","",{}])", "ignored ts=2026-03-01T12:00:00.000000Z"},
                      {R"([6,"a","NotifyPeriodicEventStream",{"id":1}])",
                       "ignored NotifyPeriodicEventStream ts=2026-03-01T12:00:00.000000Z"},
                      {R"([7,"a","b",{}])", NotFrame("its message type is none of the version", "7")},
                      {R"([2,"a","Heartbeat",null])", reshaped},
                  });
}

TEST_CASE("frames: deep, long and many") {
  const auto nested = [](size_t depth) {
    return Call("Heartbeat", R"("x":)" + std::string(depth, '[') + std::string(depth, ']'));
  };
  CHECK(RefineFrame(nested(62)).element().standing.fate == Fate::kSilver);  // the array and its payload count
  CHECK(RefineFrame(nested(63)).element().detail == R"({"problem":"nested deeper than 64","byte":87})");
  CHECK(Codes(RefineFrame(std::string(100'000, '['))) == "CORRUPT_PAYLOAD");
  CHECK(RefineFrame(Call("Heartbeat", R"("x":")" + std::string((1 << 20) - 30, 'x') + "\""))
            .element()
            .standing.fate == Fate::kSilver);
  CHECK(RefineFrame(Call("Heartbeat", R"("x":")" + std::string(1 << 20, 'x') + "\"")).element().detail ==
        R"({"problem":"longer than 1048576 bytes"})");
  std::string many, names;
  for (int i = 0; i < 40'000; ++i) {
    many += R"({"value":"1"},)";
    names += "\"" + std::to_string(i) + "\":0,";
  }
  const One readings = RefineFrame(Readings("[" + many + R"({"value":"2"}])"));
  REQUIRE(readings.refined.elements.size() == 40'001);
  CHECK(readings.refined.elements.back().row.reading == 40'000);
  CHECK(RefineFrame(Call("Heartbeat", names + R"("x":1)")).refined.unknown_fields == 40'001);
}

TEST_CASE("frames: actions") {
  const std::string at = " ts=2026-03-01T12:00:00.000000Z";
  CheckAll(
      "1.6",
      {
          {Call("Authorize", R"("idTag":"TAG")"), "ignored Authorize" + at},
          {Call("DataTransfer", R"("vendorId":"V","data":{"energy":9999})"), "ignored DataTransfer" + at},
          {Call("authorize", R"("idTag":"TAG")"), "ignored Authorize" + at + " flags=SHAPE_COERCED"},
          {Call("NotifyReport", ""), "ignored NotifyReport" + at},  // another version knows it
          {Call("TransactionEventz", ""),
           R"(quarantined:UNKNOWN_EVENT_TYPE)" + at + R"( detail={"action":"TransactionEventz"})"},
          {Call("DataTransfer", R"("x":1,"x":2)"),
           "quarantined:AMBIGUOUS_FIELD DataTransfer" + at + R"( detail={"ambiguous":"x"})"},
          {Call("DataTransfer", R"("x":{"y":1,"y":2})"),
           "quarantined:AMBIGUOUS_FIELD DataTransfer" + at + R"( detail={"ambiguous":"y"})"},
          {Call("DataTransfer", R"("x":1,"x":1.0)"), "ignored DataTransfer" + at},
      });
  // A call from the back end is never a charging fact.
  CHECK(Said(RefineAnswer(Call("MeterValues", R"("connectorId":1,"meterValue":[])"))) ==
        "ignored MeterValues" + at);
  CHECK(Said(RefineAnswer(Call("RemoteStartTransaction", R"("idTag":"T")"))) ==
        "ignored RemoteStartTransaction" + at);
  const One boot = RefineFrame(Call("BootNotification", R"("chargePointVendor":"V","x":1)"));
  CHECK(boot.element().reason == "NOT_A_CHARGING_FACT");
  CHECK(boot.row().event_id == "m1");
  CHECK(boot.row().charge_point_id == "CP-1");
  CHECK(boot.refined.unknown_fields == 0);  // nothing of it is kept
  CHECK(RefineFrame(Call("BootNotification", R"("reason":"PowerUp","chargingStation":{})"), "2.0.1")
            .element()
            .detail == R"({"reason":"PowerUp"})");
  BronzeRecord nowhere = FrameReceived();
  nowhere.key = {};
  CHECK(Codes(RefineOne(Call("Authorize", ""), {}, nowhere)) == "MISSING_CHARGE_POINT_ID");
  CHECK(Codes(RefineOne(Call("Heartbeat", ""), {}, nowhere)) == "MISSING_CHARGE_POINT_ID");
}

// ---- 1.6 ----------------------------------------------------------------------------------------------------

TEST_CASE("frames: StartTransaction") {
  const auto start = [](std::string_view fields) { return Timed("StartTransaction", fields); };
  CheckAll(
      "1.6",
      {
          {start(R"("connectorId":1,"idTag":"T","meterStart":1000,"reservationId":0)"),
           R"(silver StartTransaction con=1 value=1000 unit=Wh meter=1000.000 extra={"reservationId":0} tagged)"},
          {start(R"("connectorId":"1","idTag":7,"meterStart":"1000")"),
           "silver StartTransaction con=1 value=1000 unit=Wh meter=1000.000 tagged flags=TYPE_COERCED"},
          {start(R"("ConnectorID":1,"idtag":" T ","meterStart":1000.5)"),
           "silver StartTransaction con=1 value=1000.5 unit=Wh meter=1000.500 tagged "
           "flags=TYPE_COERCED,SHAPE_COERCED"},
          // The header's reading, the tag and the time are no reasons to refuse it.
          {start(R"("connectorId":1,"meterStart":-1)"),
           "silver StartTransaction con=1 value=-1 unit=Wh meter=-1.000"},
          {start(R"("connectorId":1,"meterStart":"1,5")"),
           R"(silver StartTransaction con=1 detail={"meter_value":"1,5"} flags=TYPE_COERCED)"},
          {start(R"("connectorId":1,"meterStart":{"a":1})"),
           R"(silver StartTransaction con=1 detail={"meter_value":"{\"a\":1}"})"},
          {start(R"("connectorId":1,"meterStart":null,"idTag":null)"), "silver StartTransaction con=1"},
          {Call("StartTransaction", R"("connectorId":1,"timestamp":"")"),
           "silver StartTransaction con=1 ts=2026-03-01T12:00:00.000000Z flags=TS_FROM_INGEST"},
          {Call("StartTransaction", R"("connectorId":1,"timestamp":"2026-03-01T10:00:00")"),
           "silver StartTransaction con=1 flags=TZ_ASSUMED"},
          {Call("StartTransaction", R"("connectorId":1,"timestamp":"1970-01-01T00:00:10Z")"),
           "silver StartTransaction con=1 ts=2026-03-01T12:00:00.000000Z "
           "reported=1970-01-01T00:00:10.000000Z flags=CLOCK_UNSET"},
          {Call("StartTransaction", R"("connectorId":1,"timestamp":"2026-03-01T14:00:00Z")"),
           "silver StartTransaction con=1 ts=2026-03-01T12:00:00.000000Z "
           "reported=2026-03-01T14:00:00.000000Z flags=FUTURE_TIMESTAMP"},
          {start(R"("connectorId":1,"meterStart":5,"connectorId":1)"),
           "silver StartTransaction con=1 value=5 unit=Wh meter=5.000"},
          {start(R"("connectorId":1,"Connectorid":null)"),
           "silver StartTransaction con=1 flags=SHAPE_COERCED"},
          {start(R"("connectorId":1,"vendor":{"a":[1, 2]},"x":"\u00e9")"),
           R"(silver StartTransaction con=1 extra={"vendor":{"a":[1,2]},"x":"é"})"},
          // What is.
          {start(R"("idTag":"T")"),
           R"(quarantined:INVALID_CONNECTOR_ID StartTransaction detail={"missing":"connectorId"} tagged)"},
          {start(R"("connectorId":-1)"),
           R"(quarantined:INVALID_CONNECTOR_ID StartTransaction detail={"connectorId":"-1"})"},
          {start(R"("connectorId":0)"),
           R"(quarantined:INVALID_CONNECTOR_ID StartTransaction con=0 detail={"connectorId":"0"})"},
          {start(R"("connectorId":1,"meterStart":5,"meterStart":6)"),
           R"(quarantined:AMBIGUOUS_FIELD StartTransaction con=1 value=5 unit=Wh meter=5.000 detail={"ambiguous":"meterStart"})"},
          {start(R"("connectorId":1,"ConnectorId":2)"),
           R"(quarantined:AMBIGUOUS_FIELD StartTransaction con=1 detail={"ambiguous":"connectorId"} flags=SHAPE_COERCED)"},
          {start(R"("connectorId":null,"ConnectorId":1,"CONNECTORID":1.0)"),
           "silver StartTransaction con=1 flags=SHAPE_COERCED"},
          {start(R"("connectorId":null,"ConnectorId":1,"CONNECTORID":2)"),
           R"(quarantined:AMBIGUOUS_FIELD StartTransaction con=1 detail={"ambiguous":"connectorId"} flags=SHAPE_COERCED)"},
          {start(R"("connectorId":1,"connectorId":null)"),
           R"(quarantined:AMBIGUOUS_FIELD StartTransaction con=1 detail={"ambiguous":"connectorId"})"},
          {Call("StartTransaction", R"("connectorId":1,"timestamp":"soon")"),
           R"(quarantined:INVALID_EVENT_TS StartTransaction con=1 detail={"event_ts":"soon"})"},
      });
  const One one = RefineFrame(start(R"("connectorId":1,"x":1,"y":2)"));
  CHECK(one.row().event_id == "m1");
  CHECK(one.row().connection_id == "c1");
  CHECK(one.row().transaction_id.empty());
  CHECK(one.row().ocpp_version == "1.6");
  CHECK(one.refined.unknown_fields == 2);
  Options strict;
  strict.frame_clock = ClockPolicy::kQuarantine;
  CHECK(Codes(RefineFrame(Call("StartTransaction", R"("connectorId":1,"timestamp":"1970-01-01T00:00:10Z")"),
                          "1.6", strict)) == "INVALID_EVENT_TS");
}

TEST_CASE("frames: StopTransaction") {
  const auto stop = [](std::string_view fields) { return Timed("StopTransaction", fields); };
  const std::string row = "silver StopTransaction tx=7";
  CheckAll(
      "1.6",
      {
          {stop(R"("transactionId":7,"meterStop":8500)"),
           row + " value=8500 unit=Wh meter=8500.000 reason=Local"},
          {stop(R"("transactionId":7,"reason":"EVDisconnected")"), row + " reason=EVDisconnected"},
          {stop(R"("transactionId":7,"Reason":"EVDisconnected")"),
           row + " reason=EVDisconnected flags=SHAPE_COERCED"},
          {stop(R"("transactionId":7,"reason":"evdisconnected")"), row + " reason=EVDisconnected"},
          {stop(R"("transactionId":7,"reason":"Bored")"), row + " reason=Bored flags=UNKNOWN_ENUM"},
          {stop(R"("transactionId":7,"reason":"StoppedByEV")"),
           row + " reason=StoppedByEV flags=UNKNOWN_ENUM"},  // of 2.x
          {stop(R"("transactionId":7,"reason":null)"), row + " reason=Local"},
          {stop(R"("transactionId":7,"meterStop":26008.333)"),
           row + " value=26008.333 unit=Wh meter=26008.333 reason=Local flags=TYPE_COERCED"},
          // Ids, and what are none, as they came.
          {stop(R"("transactionId":"007")"), row + " reason=Local flags=TYPE_COERCED"},
          {stop(R"("transactionId":7.0)"), row + " reason=Local flags=TYPE_COERCED"},
          {stop(R"("transactionId":-1)"), "silver StopTransaction tx=-1 reason=Local flags=TX_ID_INFERRED"},
          {stop(R"("transactionId":null)"), "silver StopTransaction reason=Local flags=TX_ID_INFERRED"},
          {stop(R"("meterStop":1)"),
           "silver StopTransaction value=1 unit=Wh meter=1.000 reason=Local flags=TX_ID_INFERRED"},
          {stop(R"("transactionId":99999999999999999999)"),
           "silver StopTransaction tx=99999999999999999999 reason=Local flags=TX_ID_INFERRED"},
          {stop(R"("transactionId":"0123456789012345678901234567890123456789")"),
           "silver StopTransaction tx=123456789012345678901234567890123456789 reason=Local "
           "flags=TYPE_COERCED,TX_ID_INFERRED"},
          {stop(R"("transactionId":true)"),
           R"(silver StopTransaction reason=Local detail={"transaction_id":"true"} flags=TX_ID_INFERRED)"},
          // Its samples follow, and a bad one does not take it along.
          {stop(
               R"("transactionId":7,"transactionData":[{"timestamp":"2026-03-01T09:00:00Z","sampledValue":[{"value":"1","context":"Transaction.Begin"}]},)"
               R"({"timestamp":"2026-03-01T10:00:00Z","sampledValue":[{"value":"x"},{"value":"9.5","unit":"kWh","context":"Transaction.End"}]}])"),
           row +
               " reason=Local\n"
               "silver MeterValues ts=2026-03-01T09:00:00.000000Z tx=7 ctx=Transaction.Begin value=1 unit=Wh "
               "meter=1.000\n"
               R"(quarantined:INVALID_METER_VALUE MeterValues tx=7 value=x unit=Wh detail={"meter_value":"x"})"
               "\nsilver MeterValues tx=7 ctx=Transaction.End value=9.5 unit=kWh meter=9500.000"},
          {stop(R"("transactionId":7,"transactionData":[])"), row + " reason=Local"},
          {stop(R"("transactionId":7,"transactionData":null)"), row + " reason=Local"},
          {stop(R"("transactionId":7,"transactionData":{"values":[{"value":"1"}]})"),
           row +
               " reason=Local flags=SHAPE_COERCED\n"
               R"(quarantined:MISSING_METER_VALUE MeterValues ts=2026-03-01T12:00:00.000000Z tx=7 extra={"transactionData.values":[{"value":"1"}]} detail={"missing":"sampledValue"} flags=TS_FROM_INGEST,SHAPE_COERCED)"},
          {stop(R"("transactionId":7,"transactionData":"x")"),
           row +
               " reason=Local\n"
               R"(quarantined:MISSING_METER_VALUE MeterValues ts=2026-03-01T12:00:00.000000Z tx=7 detail={"missing":"transactionData"})"},
          // An unreadable time is the stop's alone; an ambiguous id is that of all.
          {Call(
               "StopTransaction",
               R"("transactionId":7,"timestamp":"soon","transactionData":[{"timestamp":"2026-03-01T10:00:00Z","sampledValue":[{"value":"1"}]}])"),
           R"(quarantined:INVALID_EVENT_TS StopTransaction tx=7 reason=Local detail={"event_ts":"soon"})"
           "\nsilver MeterValues tx=7 value=1 unit=Wh meter=1.000"},
          {stop(
               R"("transactionId":7,"transactionId":8,"transactionData":[{"timestamp":"2026-03-01T10:00:00Z","sampledValue":[{"value":"1"}]}])"),
           R"(quarantined:AMBIGUOUS_FIELD StopTransaction tx=7 reason=Local detail={"ambiguous":"transactionId"})"},
      });
  CHECK(Column(RefineFrame(stop(R"("transactionId":7,"idTag":"04abCD1f")")).row(), "id_tag_hash") ==
        Column(RefineFrame(stop(R"("transactionId":7,"idTag":" 04ABCD1F\u0000")")).row(), "id_tag_hash"));
}

TEST_CASE("frames: MeterValues of 1.6") {
  const std::string row = "silver MeterValues con=1 tx=7";
  CheckAll(
      "1.6",
      {
          {Readings(R"([{"value":"611.437"}])"), row + " value=611.437 unit=Wh meter=611.437"},
          {Readings(R"([{"value":611.437}])"),
           row + " value=611.437 unit=Wh meter=611.437 flags=TYPE_COERCED"},
          {Readings(R"([{"value":" 1.2345E4 ","unit":"wh"}])"),
           row + " value=1.2345E4 unit=Wh meter=12345.000 flags=UNIT_FOLDED"},
          {Readings(R"({"value":"1"})"), row + " value=1 unit=Wh meter=1.000 flags=SHAPE_COERCED"},
          {Readings(R"([{"value":"1","context":"sample.clock","location":"Body"}])"),
           row + " loc=Body ctx=Sample.Clock value=1 unit=Wh meter=1.000"},
          {Readings(R"([{"value":"42"},{"value":"512.25830078125","measurand":"Power.Active.Import"}])"),
           row + " value=42 unit=Wh meter=42.000\n" + row +
               " measurand=Power.Active.Import value=512.25830078125"},
          {Readings(
               R"([{"value":"1","measurand":"Joy","unit":"bananas"},{"value":"1","measurand":"Energy.Active.Net"}])"),
           row + " measurand=Joy value=1 unit=bananas flags=UNKNOWN_ENUM\n" + row +
               " measurand=Energy.Active.Net value=1 unit=Wh flags=UNKNOWN_ENUM"},  // of 2.x
          // Bad samples, each by itself.
          {Readings(
               R"([{"value":"33","unit":"kW"},{"value":"3.1","unit":"kW","measurand":"Power.Active.Import"}])"),
           R"(quarantined:UNKNOWN_UNIT MeterValues con=1 tx=7 value=33 unit=kW detail={"unit":"kW","measurand":"absent"})"
           "\n" +
               row + " measurand=Power.Active.Import value=3.1 unit=kW"},
          {Readings(
               R"([{"value":""},{"value":"NaN"},{"value":"12,5"},{"value":"-5"},{"value":null},{"unit":"Wh"},{"value":{"a":1}},7,"x"])"),
           R"(quarantined:INVALID_METER_VALUE MeterValues con=1 tx=7 unit=Wh detail={"meter_value":""})"
           "\n"
           R"(quarantined:INVALID_METER_VALUE MeterValues con=1 tx=7 value=NaN unit=Wh detail={"meter_value":"NaN"} reading=1)"
           "\n"
           R"(quarantined:INVALID_METER_VALUE MeterValues con=1 tx=7 value=12,5 unit=Wh detail={"meter_value":"12,5"} reading=2)"
           "\n"
           R"(quarantined:INVALID_METER_VALUE MeterValues con=1 tx=7 value=-5 unit=Wh detail={"meter_value":"-5"} reading=3)"
           "\n"
           R"(quarantined:MISSING_METER_VALUE MeterValues con=1 tx=7 reading=4)"
           "\n"
           R"(quarantined:MISSING_METER_VALUE MeterValues con=1 tx=7 reading=5)"
           "\n"
           R"(quarantined:INVALID_METER_VALUE MeterValues con=1 tx=7 unit=Wh detail={"meter_value":"{\"a\":1}"} reading=6)"
           "\n"
           R"(quarantined:MISSING_METER_VALUE MeterValues con=1 tx=7 detail={"missing":"value"})"
           "\n"
           R"(quarantined:MISSING_METER_VALUE MeterValues con=1 tx=7 detail={"missing":"value"})"},
          {Readings(R"([{"value":"1","value":"2"},{"value":"3"},{"value":"4","x":{"a":1,"a":2}}])"),
           R"(quarantined:AMBIGUOUS_FIELD MeterValues con=1 tx=7 value=1 unit=Wh meter=1.000 detail={"ambiguous":"value"})"
           "\n" +
               row +
               " value=3 unit=Wh meter=3.000 reading=1\n"
               R"(quarantined:AMBIGUOUS_FIELD MeterValues con=1 tx=7 value=4 unit=Wh meter=4.000 extra={"sampledValue.x":{"a":1}} detail={"ambiguous":"a"} reading=2)"},
          {Readings(
               R"([{"value":"101","unit":"Percent","measurand":"SoC"},{"value":"64.0","unit":"Percent","measurand":"SoC","location":"EV"}])"),
           R"(quarantined:INVALID_METER_VALUE MeterValues con=1 tx=7 measurand=SoC value=101 unit=Percent detail={"meter_value":"101"})"
           "\n" +
               row + " measurand=SoC loc=EV value=64.0 unit=Percent"},
          // Signed data is kept byte for byte.
          {Readings(
               R"([{"value":" OCMF|{\"a\":1} ","format":"SignedData"},{"value":"5","format":"Raw"},{"value":"6","format":"Odd"}])"),
           row +
               R"( signed= OCMF|{"a":1} )"
               "\n" +
               row + " value=5 unit=Wh meter=5.000 reading=1\n" + row +
               R"( value=6 unit=Wh meter=6.000 detail={"format":"Odd"} reading=2 flags=UNKNOWN_ENUM)"},
          // A unit as 2.x writes it: what is written is never overruled by a default.
          {Readings(R"([{"value":"1","unitOfMeasure":{"unit":"kWh","multiplier":1}}])"),
           row + " value=10 unit=kWh meter=10000.000 flags=SHAPE_COERCED"},
          // Nothing to read.
          {Readings("[]"), row},
          {Call("MeterValues", R"("connectorId":1,"transactionId":7,"meterValue":[])"),
           "silver MeterValues con=1 ts=2026-03-01T12:00:00.000000Z tx=7 flags=TS_FROM_INGEST"},
          {Call("MeterValues", R"("connectorId":1,"transactionId":7,"meterValue":[null])"),
           "silver MeterValues con=1 ts=2026-03-01T12:00:00.000000Z tx=7 flags=TS_FROM_INGEST"},
      });
}

TEST_CASE("frames: a reading needs a place, or a transaction") {
  const auto reading = [](std::string_view fields) {
    return Call(
        "MeterValues",
        std::string(fields) +
            R"("meterValue":[{"timestamp":"2026-03-01T10:00:00Z","sampledValue":[{"value":"1"},{"value":"2"}]}])");
  };
  const std::string one = " value=1 unit=Wh meter=1.000\n", two = " value=2 unit=Wh meter=2.000 reading=1";
  CheckAll(
      "1.6",
      {
          {reading(R"("connectorId":1,)"),
           "silver MeterValues con=1" + one + "silver MeterValues con=1" + two},
          {reading(R"("connectorId":0,"transactionId":0,)"),
           "silver MeterValues con=0 tx=0" + one + "silver MeterValues con=0 tx=0" + two},
          {reading(R"("transactionId":7,)"),
           "silver MeterValues tx=7" + one + "silver MeterValues tx=7" + two},
          // The message as a whole is unsound: one element.
          {reading(R"("transactionId":0,)"),
           R"(quarantined:INVALID_CONNECTOR_ID MeterValues ts=2026-03-01T12:00:00.000000Z tx=0 detail={"missing":"connectorId"})"},
          {reading(R"("connectorId":-2,"transactionId":7,)"),
           R"(quarantined:INVALID_CONNECTOR_ID MeterValues ts=2026-03-01T12:00:00.000000Z tx=7 detail={"connectorId":"-2"})"},
          // An older dialect: its readings alone are lost.
          {Call(
               "MeterValues",
               R"("connectorId":1,"transactionId":5,"values":[{"timestamp":"2025-12-31T15:00:00Z","values":[{"value":"2142300"}]}])"),
           R"(quarantined:MISSING_METER_VALUE MeterValues con=1 ts=2026-03-01T12:00:00.000000Z tx=5 extra={"values":[{"timestamp":"2025-12-31T15:00:00Z","values":[{"value":"2142300"}]}]} detail={"missing":"meterValue"})"},
          {Call(
               "MeterValues",
               R"("connectorId":1,"meterValue":[{"timestamp":"2026-03-01T10:00:00Z","values":[]},{"timestamp":"2026-03-01T10:00:00Z","sampledValue":[{"value":"1"}]}])"),
           R"(quarantined:MISSING_METER_VALUE MeterValues con=1 extra={"meterValue.values":[]} detail={"missing":"sampledValue"})"
           "\nsilver MeterValues con=1 value=1 unit=Wh meter=1.000"},
          {Call("MeterValues",
                R"("connectorId":1,"meterValue":["x",{"timestamp":"soon","sampledValue":[{"value":"1"}]}])"),
           R"(quarantined:MISSING_METER_VALUE MeterValues con=1 ts=2026-03-01T12:00:00.000000Z detail={"missing":"sampledValue"})"
           "\n"
           R"(quarantined:INVALID_EVENT_TS MeterValues con=1 value=1 unit=Wh meter=1.000 detail={"event_ts":"soon"})"},
          {Call("MeterValues", R"("connectorId":1,"meterValue":{"sampledValue":{"value":"1"}})"),
           "silver MeterValues con=1 ts=2026-03-01T12:00:00.000000Z value=1 unit=Wh meter=1.000 "
           "flags=TS_FROM_INGEST,SHAPE_COERCED"},
      });
}

TEST_CASE("frames: three phases make a register, and never fewer") {
  const auto phase = [](std::string_view name, std::string_view value, std::string_view more = "") {
    return R"({"value":")" + std::string(value) + R"(","phase":")" + std::string(name) + "\"" +
           std::string(more) + "}";
  };
  const auto sum_of = [](const std::string& samples) {
    const One one = RefineFrame(Readings("[" + samples + "]"));
    const ChargingElement& last = one.refined.elements.back();
    CHECK(last.row.ordinal == one.refined.elements.size() - 1);
    return (last.row.flags & kPhaseSum) != 0 ? Said(last) : "none";
  };
  const std::string row = "silver MeterValues con=1 tx=7 value=";
  const std::string l1 = phase("L1", "11100"), l2 = phase("L2", "11000"), l3 = phase("L3", "10900");
  const auto list = [](const std::string& a, const std::string& b, const std::string& c) {
    return a + "," + b + "," + c;
  };
  CHECK(sum_of(list(l1, l2, l3)) == row + "33000 unit=Wh meter=33000.000 flags=PHASE_SUM");
  CHECK(sum_of(list(l3, l1, l2)) == row + "33000 unit=Wh meter=33000.000 flags=PHASE_SUM");
  CHECK(sum_of(list(phase("L1-N", "1"), phase("L2-N", "2"), phase("L3-N", "3"))) ==
        row + "6 unit=Wh meter=6.000 flags=PHASE_SUM");
  CHECK(
      sum_of(list(phase("L1", "0.0004", R"(,"unit":"kWh")"), phase("L2", "0.0001"), phase("L3", "0.0004"))) ==
      row + "0.4005 unit=Wh meter=0.401 flags=PRECISION_LOST,PHASE_SUM");
  CHECK(sum_of(list(l1, l2, l3) + "," + list(l1, l2, phase("L3", "10901"))) ==
        row + "33001 unit=Wh meter=33001.000 reading=1 flags=PHASE_SUM");  // the second set
  CHECK(sum_of(list(phase("L1", "1", R"(,"location":"Cable")"), phase("L2", "1", R"(,"location":"Cable")"),
                    phase("L3", "1", R"(,"location":"Cable")"))) ==
        "silver MeterValues con=1 tx=7 loc=Cable value=3 unit=Wh meter=3.000 flags=PHASE_SUM");
  CHECK(sum_of(l1) == "none");
  CHECK(sum_of(l1 + "," + l2) == "none");
  CHECK(sum_of(list(l1, l2, phase("L3-N", "1"))) == "none");
  CHECK(sum_of(list(l1, l2, phase("N", "1"))) == "none");
  CHECK(sum_of(list(l1, l2, phase("L3", "x"))) == "none");
  CHECK(sum_of(list(l1, l2, phase("L3", "1", R"(,"context":"Trigger")"))) == "none");
  CHECK(sum_of(list(l1, l2, l3) + R"(,{"value":"33000"})") == "none");  // the total was sent
  CHECK(sum_of(R"({"value":"33000"},)" + list(l1, l2, l3)) == "none");
  CHECK(sum_of(list(l1, l2, l3) + R"(,{"value":"33000","context":"Trigger"})") != "none");
  const std::string current = R"(,"measurand":"Current.Import","unit":"A")";
  CHECK(sum_of(list(phase("L1", "1", current), phase("L2", "1", current), phase("L3", "1", current))) ==
        "none");
  const auto instants = [&](std::string_view second) {
    return RefineFrame(
               Call(
                   "MeterValues",
                   R"("connectorId":1,"transactionId":7,"meterValue":[{"timestamp":"2026-03-01T10:00:00Z","sampledValue":[)" +
                       l1 + "," + l2 + R"(]},{"timestamp":")" + std::string(second) +
                       R"(","sampledValue":[)" + l3 + "]}]"))
        .refined.elements.size();
  };
  CHECK(instants("2026-03-01T11:00:00+01:00") == 4);  // the same instant
  CHECK(instants("2026-03-01T10:00:01Z") == 3);
}

TEST_CASE("frames: StatusNotification") {
  const auto status = [](std::string_view fields) { return Timed("StatusNotification", fields); };
  CheckAll(
      "1.6",
      {
          {status(
               R"("connectorId":0,"errorCode":"OtherError","status":"Faulted","vendorErrorCode":"207","vendorId":"com.vendor","info":"71 \u00b0C")"),
           R"(silver StatusNotification con=0 status=Faulted error=OtherError extra={"vendorErrorCode":"207","vendorId":"com.vendor","info":"71 °C"})"},
          {Call(
               "StatusNotification",
               R"("connectorId":1,"errorCode":"NoError","status":"Preparing","info":"null","vendorErrorCode":"0x0000")"),
           R"(silver StatusNotification con=1 ts=2026-03-01T12:00:00.000000Z status=Preparing error=NoError extra={"vendorErrorCode":"0x0000"} flags=TS_FROM_INGEST)"},
          {status(R"("connectorId":1,"errorCode":"Error","status":"Charging","info":"")"),
           "silver StatusNotification con=1 status=Charging error=Error flags=UNKNOWN_ENUM"},
          {status(R"("connectorId":1,"errorCode":"noerror","status":"suspended_ev")"),
           "silver StatusNotification con=1 status=SuspendedEV error=NoError"},
          {status(R"("connectorId":1,"status":"Occupied")"),
           "silver StatusNotification con=1 status=Occupied flags=UNKNOWN_ENUM"},
          {status(R"("connectorId":1,"errorCode":"NoError")"),
           R"(quarantined:UNKNOWN_STATUS StatusNotification con=1 error=NoError detail={"missing":"status"})"},
          {status(R"("connectorId":1,"status":" ")"),
           R"(quarantined:UNKNOWN_STATUS StatusNotification con=1 detail={"missing":"status"})"},
          {status(R"("status":"Charging")"),
           R"(quarantined:INVALID_CONNECTOR_ID StatusNotification status=Charging detail={"missing":"connectorId"})"},
          {Call("StatusNotification",
                R"("connectorId":1,"status":"Charging","timestamp":"2026-03-01T12:00:00+02")"),
           "silver StatusNotification con=1 status=Charging"},
          {Call("StatusNotification",
                R"("connectorId":1,"status":"Charging","timestamp":"2026-13-01T12:00:00Z")"),
           R"(quarantined:INVALID_EVENT_TS StatusNotification con=1 status=Charging detail={"event_ts":"2026-13-01T12:00:00Z"})"},
      });
  CHECK(RefineFrame(status(R"("connectorId":1,"status":"Charging","vendorId":"V","info":"i")"))
            .refined.unknown_fields == 0);
  CheckAll(
      "2.0.1",
      {
          {status(R"("connectorStatus":"Occupied","evseId":1,"connectorId":2)"),
           "silver StatusNotification evse=1 con=2 status=Occupied"},
          {status(R"("connectorStatus":"Charging","evseId":1,"connectorId":2)"),
           "silver StatusNotification evse=1 con=2 status=Charging flags=UNKNOWN_ENUM"},
          {status(R"("connectorStatus":"Occupied","evseId":"1","connectorId":2,"status":"x")"),
           R"(silver StatusNotification evse=1 con=2 status=Occupied extra={"status":"x"} flags=TYPE_COERCED)"},
      });
}

// ---- 2.x ----------------------------------------------------------------------------------------------------

TEST_CASE("frames: TransactionEvent") {
  const std::string id = " seq=3 ", at = "2026-03-01T10:00:00Z";
  const std::string samples =
      R"(,"meterValue":[{"timestamp":"2026-03-01T10:00:00Z","sampledValue":[{"value":1000,"context":"Transaction.Begin"}]}])";
  CheckAll(
      "2.0.1",
      {
          {Event("Started", R"(,"evse":{"id":2},"offline":true)"),
           "silver StartTransaction evse=2 tx=tx-1 seq=3 trigger=Trigger offline=true"},
          {Event(
               "Started",
               R"(,"evse":{"id":1,"connectorId":2},"idToken":{"idToken":"T","type":"ISO14443","additionalInfo":[{"additionalIdToken":"private","type":"x"}],"tag":"private"})" +
                   samples),
           R"(silver StartTransaction evse=1 con=2 tx=tx-1 seq=3 trigger=Trigger extra={"idToken.type":"ISO14443"} tagged)"
           "\nsilver MeterValues evse=1 con=2 tx=tx-1 seq=3 ctx=Transaction.Begin value=1000 unit=Wh "
           "meter=1000.000"},
          {Event("Ended", samples),
           "silver StopTransaction tx=tx-1 seq=3 trigger=Trigger reason=Local\n"
           "silver MeterValues tx=tx-1 seq=3 ctx=Transaction.Begin value=1000 unit=Wh meter=1000.000"},
          {Event("Updated", ""), "silver MeterValues tx=tx-1 seq=3 trigger=Trigger"},
          {Event("updated", R"(,"meterValue":[])"), "silver MeterValues tx=tx-1 seq=3 trigger=Trigger"},
          {Event("Updated", R"(,"idToken":{"idToken":"T","type":"ISO14443"})" + samples),
           R"(silver MeterValues tx=tx-1 seq=3 trigger=Trigger ctx=Transaction.Begin value=1000 unit=Wh meter=1000.000 extra={"idToken.type":"ISO14443"} tagged)"},
          // Where no sample is sound, the update itself is.
          {Event("Updated",
                 R"(,"meterValue":[{"timestamp":"2026-03-01T09:00:00Z","sampledValue":[{"value":"x"}]}])"),
           R"(quarantined:INVALID_METER_VALUE MeterValues ts=2026-03-01T09:00:00.000000Z tx=tx-1 seq=3 trigger=Trigger value=x unit=Wh detail={"meter_value":"x"} flags=TYPE_COERCED)"
           "\nsilver MeterValues tx=tx-1 seq=3 trigger=Trigger"},
          {Timed(
               "TransactionEvent",
               R"("eventType":"Ended","triggerReason":"SomethingNew","seqNo":"4","offline":"true","transactionInfo":{"transactionId":"tx-1","stoppedReason":"ReqEnergyTransferRejected","chargingState":"EVConnected","timeSpentCharging":9,"x":1})"),
           R"(silver StopTransaction tx=tx-1 seq=4 trigger=SomethingNew state=EVConnected reason=ReqEnergyTransferRejected offline=true extra={"transactionInfo.timeSpentCharging":9,"transactionInfo.x":1} flags=TYPE_COERCED,UNKNOWN_ENUM)"},
          // Ids are texts, and never a reason to reject.
          {Timed("TransactionEvent", R"("eventType":"Ended","transactionInfo":{"transactionId":7})"),
           "silver StopTransaction tx=7 reason=Local flags=TYPE_COERCED"},
          {Timed("TransactionEvent",
                 R"("eventType":"Ended","transactionInfo":"tx-1","evse":2,"idToken":"T")"),
           "silver StopTransaction evse=2 tx=tx-1 reason=Local tagged flags=SHAPE_COERCED"},
          {Timed("TransactionEvent", R"("eventType":"Ended","evse":{"id":-1},"seqNo":1.5)"),
           R"(silver StopTransaction reason=Local detail={"evse.id":"-1","seq_no":"1.5"} flags=TX_ID_INFERRED)"},
          {Timed("TransactionEvent", R"("eventType":"Begun")"),
           R"(quarantined:UNKNOWN_EVENT_TYPE detail={"eventType":"Begun"})"},
          {Timed("TransactionEvent", R"("seqNo":null)"),
           R"(quarantined:UNKNOWN_EVENT_TYPE detail={"eventType":""})"},
          {Event("Updated", R"(,"seqNo":4)"),
           R"(quarantined:AMBIGUOUS_FIELD MeterValues ts=2026-03-01T12:00:00.000000Z tx=tx-1 seq=3 trigger=Trigger detail={"ambiguous":"seqNo"})"},
      });
  // 2.1 has more: RunningCost is none of 2.0.1.
  const std::string cost = Timed(
      "TransactionEvent",
      R"("eventType":"Updated","triggerReason":"RunningCost","costDetails":{"totalUsage":{"energy":1.2}})");
  CHECK(Said(RefineFrame(cost, "2.1")) ==
        R"(silver MeterValues trigger=RunningCost extra={"costDetails":{"totalUsage":{"energy":1.2}}})");
  CHECK(
      Said(RefineFrame(cost, "2.0.1")) ==
      R"(silver MeterValues trigger=RunningCost extra={"costDetails":{"totalUsage":{"energy":1.2}}} flags=UNKNOWN_ENUM)");
  CHECK(RefineFrame(cost, "ocpp2.0.1").row().ocpp_version == "2.0.1");
  CHECK(RefineFrame(cost, "").row().ocpp_version == "2.0.1");  // it is no message of 1.6
  CHECK(RefineFrame(Call("Heartbeat", ""), "").row().ocpp_version == "1.6");
}

TEST_CASE("frames: MeterValues of 2.x") {
  const auto reading = [](std::string_view sample) {
    return Call("MeterValues",
                R"("evseId":1,"meterValue":[{"timestamp":"2026-03-01T10:00:00Z","sampledValue":[)" +
                    std::string(sample) + "]}]");
  };
  const std::string row = "silver MeterValues evse=1";
  CheckAll(
      "2.0.1",
      {
          {reading(R"({"value":1200.5,"unitOfMeasure":{"unit":"Wh","multiplier":1}})"),
           row + " value=12005 unit=Wh meter=12005.000"},
          {reading(R"({"value":0.01825,"unitOfMeasure":{"unit":"kWh","multiplier":3}})"),
           row + " value=18.25 unit=kWh meter=18250.000"},
          {reading(R"({"value":15000,"unitOfMeasure":{"multiplier":0}})"),
           row + " value=15000 unit=Wh meter=15000.000"},
          {reading(R"({"value":15000,"unitOfMeasure":{"unit":"Wh","multiplier":-3}})"),
           row + " value=15 unit=Wh meter=15.000"},
          {reading(R"({"value":"7.2","unit":"kWh"})"),
           row + " value=7.2 unit=kWh meter=7200.000 flags=TYPE_COERCED,SHAPE_COERCED"},
          {reading(R"({"value":7.2,"unitOfMeasure":"kWh"})"),
           row + " value=7.2 unit=kWh meter=7200.000 flags=SHAPE_COERCED"},
          {reading(R"({"value":1,"unitOfMeasure":{"unit":"Wh","multiplier":1.5}})"),
           R"(quarantined:INVALID_METER_VALUE MeterValues evse=1 value=1 unit=Wh detail={"multiplier":"1.5"})"},
          {reading(R"({"value":1,"unitOfMeasure":{"unit":"Wh","multiplier":99999999999}})"),
           R"(quarantined:INVALID_METER_VALUE MeterValues evse=1 value=1 unit=Wh detail={"multiplier":"99999999999"})"},
          {reading(R"({"value":1,"unitOfMeasure":{"unit":"Wh","multiplier":40}})"),
           R"(quarantined:INVALID_METER_VALUE MeterValues evse=1 value=1 unit=Wh detail={"multiplier":"40"})"},
          {reading(
               R"({"value":9000,"signedMeterValue":{"signedMeterData":"T0NN\/Rg==","signingMethod":"","encodingMethod":"OCMF","publicKey":"QUJD"}})"),
           row +
               R"( value=9000 unit=Wh meter=9000.000 signed=T0NN/Rg== extra={"sampledValue.signedMeterValue.signingMethod":"","sampledValue.signedMeterValue.encodingMethod":"OCMF","sampledValue.signedMeterValue.publicKey":"QUJD"})"},
          // Two units must agree.
          {reading(R"({"value":7.2,"unit":"kWh","unitOfMeasure":{"unit":"kWh"}})"),
           row + " value=7.2 unit=kWh meter=7200.000 flags=SHAPE_COERCED"},
          {reading(R"({"value":7.2,"unitOfMeasure":{"unit":""},"unit":"kWh"})"),
           row + " value=7.2 unit=kWh meter=7200.000 flags=SHAPE_COERCED"},
          {reading(R"({"value":7.2,"unitOfMeasure":{"unit":"Wh"},"unit":"kWh"})"),
           R"(quarantined:AMBIGUOUS_FIELD MeterValues evse=1 value=7.2 unit=Wh meter=7.200 detail={"ambiguous":"unit"} flags=SHAPE_COERCED)"},
          {Call("MeterValues", R"("meterValue":[])"),
           R"(quarantined:INVALID_CONNECTOR_ID MeterValues ts=2026-03-01T12:00:00.000000Z detail={"missing":"evseId"})"},
      });
}

// ---- answers ------------------------------------------------------------------------------------------------

TEST_CASE("frames: results and errors are ignored, with what later steps need") {
  struct Answer {
    std::string payload;
    std::string_view transaction, authorization, detail;
    Milestone milestone = Milestone::kNone;
  };
  constexpr Milestone kYes = Milestone::kMilestone;
  for (const Answer& c : std::initializer_list<Answer>{
           {R"([3,"m1",{"transactionId":63,"idTagInfo":{"status":"Accepted","parentIdTag":"secret"}}])", "63",
            "Accepted", R"({"transaction_id":"63","status":"Accepted"})", kYes},
           {R"([3,"m1",{"idTagInfo":{"status":"Blocked"},"transactionId":0}])", "0", "Blocked",
            R"({"transaction_id":"0","status":"Blocked"})", kYes},
           {R"([3,"m1",{"transactionId":"063"}])", "63", "", R"({"transaction_id":"63"})", kYes},
           {R"([3,"m1",{"transactionId":null}])", "", "", "", Milestone::kNone},
           {R"([3,"m1",{"status":"Accepted","currentTime":"2026-03-01T10:00:00Z","interval":300}])", "", "",
            R"({"status":"Accepted","interval":300,"currentTime":"2026-03-01T10:00:00Z"})"},
           {R"([3,"m1",{"idTokenInfo":{"status":"Invalid","groupIdToken":{"idToken":"secret"}}}])", "",
            "Invalid", R"({"status":"Invalid"})", kYes},
           {R"([3,"m1",{"idTagInfo":{"status":"Blocked"}}])", "", "Blocked", R"({"status":"Blocked"})", kYes},
           {R"([3,"m1",{"idTagInfo":{"status":"Accepted"}}])", "", "Accepted", R"({"status":"Accepted"})"},
           {R"([3,"m1",{}])", "", "", ""},
           {R"([3,"m1",null])", "", "", ""},
           {R"([3,"m1",{"idTagInfo":"x","transactionId":[1]}])", "", "", ""},
           {R"([4,"m1","InternalError","",{}])", "", "", R"({"code":"InternalError"})"},
           {R"([4,"m1","InternalError"])", "", "", R"({"code":"InternalError"})"},
       }) {
    CAPTURE(c.payload);
    const One one = RefineAnswer(c.payload);
    const ChargingElement& element = one.element();
    CHECK(element.standing.fate == Fate::kIgnored);
    CHECK(element.reason == "NOT_A_CHARGING_FACT");
    CHECK(one.row().event_id == "m1");
    CHECK(one.row().connection_id == "c1");
    CHECK(one.row().event_ts == one.row().ingest_ts);
    CHECK(one.row().transaction_id == c.transaction);
    CHECK(one.row().authorization == c.authorization);
    CHECK(element.detail == c.detail);
    CHECK(element.milestone == c.milestone);
    CHECK(one.refined.unknown_fields == 0);
    // Only one that names a transaction bears on a unit.
    const bool usable = c.transaction == "63";
    CHECK(element.identity.unit == (usable ? SessionId("CP-1", "63") : Digest{}));
    CHECK((element.identity.cut != 0) == usable);
    CHECK(element.entity == EntityKey{});
    if (usable)
      CHECK(element.identity.business_key == Sha256("CallResult|CP-1|m1|2026-03-01T12:00:00.000000Z"));
  }
  // The station's own answers name no transaction that it began.
  CHECK(RefineFrame(R"([3,"m1",{"status":"Accepted","transactionId":"tx-1"}])", "2.0.1")
            .row()
            .transaction_id.empty());
}

// ---- standing on the timeline -------------------------------------------------------------------------------

TEST_CASE("frames: milestones and details") {
  const auto shown = [](const One& one) {
    std::string text;
    for (const ChargingElement& element : one.refined.elements) {
      text += element.milestone == Milestone::kNone     ? '-'
              : element.milestone == Milestone::kDetail ? 'd'
                                                        : 'M';
    }
    return text;
  };
  const std::string begin = R"("meterValue":[{"timestamp":"2026-03-01T10:00:00Z","sampledValue":[)";
  const std::string power = R"({"value":"1","measurand":"Power.Active.Import"})", wh = R"({"value":"1"})",
                    bad = R"({"value":"x"})";
  for (
      const auto& [payload, expected] : std::initializer_list<std::pair<std::string, std::string_view>>{
          {Timed("StartTransaction", R"("connectorId":1)"), "M"},
          {Timed("StartTransaction", R"("connectorId":0)"), "-"},  // quarantined
          {Timed("StopTransaction", R"("transactionId":7)"), "M"},
          {Timed(
               "StopTransaction",
               R"("transactionId":7,"transactionData":[{"timestamp":"2026-03-01T10:00:00Z","sampledValue":[)" +
                   power + "," + wh + "]}]"),
           "M-d"},
          {Timed("StatusNotification", R"("connectorId":1,"status":"Faulted")"), "M"},
          {Timed("StatusNotification", R"("connectorId":1,"status":"Charging")"), "-"},
          {Call("Heartbeat", ""), "-"},
          {Call("BootNotification", ""), "M"},
          {Call("Authorize", ""), "-"},
          {Readings("[" + power + "," + wh + "," + wh + "]"), "-dd"},
          {Readings("[" + bad + "," + power + "," + power + "]"), "-d-"},
          {Readings("[]"), "d"},
          {Call("MeterValues", R"("connectorId":1,)" + begin + wh + "," + power + "," + bad + "]}]"), "MM-"},
          {Call("MeterValues", R"("connectorId":1,"transactionId":0,)" + begin + power + "]}]"), "M"},
          {Call("MeterValues", R"("connectorId":0,)" + begin + wh + "," + power + "]}]"), "--"},
      }) {
    CAPTURE(payload);
    CHECK(shown(RefineFrame(payload)) == expected);
  }
  CHECK(shown(RefineAnswer(Call("BootNotification", ""))) == "-");
  CHECK(shown(RefineFrame(Call("MeterValues", R"("evseId":1,)" + begin + wh + "]}]"), "2.0.1")) == "M");
  CHECK(shown(RefineFrame(Call("MeterValues", R"("evseId":0,)" + begin + wh + "]}]"), "2.0.1")) == "-");
  CHECK(shown(RefineFrame(Event("Started", "," + begin + wh + "]}]"), "2.0.1")) == "M-");
  CHECK(shown(RefineFrame(Event("Updated", "," + begin + wh + "]}]"), "2.0.1")) == "-");
  // The registers of begin and end are for the next session to know.
  const std::string end =
      R"({"value":1,"context":"Transaction.End"},{"value":1,"context":"Transaction.Begin"})";
  CHECK(shown(RefineFrame(Event("Ended", "," + begin + end + "," + wh + "]}]"), "2.0.1")) == "MMM-");
  CHECK(shown(RefineFrame(Event("Updated", "," + begin + end + "]}]"), "2.1")) == "MM");
  // Flat events have milestones alone.
  const auto flat = [&](std::string_view type, const Changes& changes = {}) {
    return shown(RefineOne(Payload(type, changes)));
  };
  CHECK(flat("StartTransaction") == "M");
  CHECK(flat("StopTransaction", {{"transaction_id", "0"}}) == "M");
  CHECK(flat("StopTransaction", {{"event_ts", ""}}) == "-");
  CHECK(flat("MeterValues") == "-");
  CHECK(flat("MeterValues", {{"transaction_id", "0"}}) == "M");
  CHECK(flat("MeterValues", {{"transaction_id", "0"}, {"connector_id", "0"}}) == "-");
  CHECK(flat("StatusNotification") == "-");
  CHECK(flat("StatusNotification", {{"connector_status", "\"faulted\""}}) == "M");
  CHECK(flat("Heartbeat") == "-");
}

TEST_CASE("frames: a resent message meets its first copy") {
  const auto key = [](const std::string& payload, std::string_view ingest_ts,
                      std::string_view version = "1.6") {
    BronzeRecord record = FrameReceived(version);
    record.ingest_ts = ParseTime(ingest_ts)->time;
    return RefineOne(payload, {}, record).element().identity.business_key;
  };
  const auto same = [&](const std::string& a, const std::string& b, std::string_view version = "1.6") {
    return key(a, "2026-03-01T12:00:00Z", version) == key(b, "2026-03-01T12:01:00Z", version);
  };
  const auto start = [](std::string_view id, std::string_view fields) {
    return "[2,\"" + std::string(id) +
           R"(","StartTransaction",{"connectorId":1,"idTag":"T","meterStart":5,)" + std::string(fields) +
           "}]";
  };
  const std::string time = R"("timestamp":"2026-03-01T10:00:00Z")",
                    unset = R"("timestamp":"1970-01-01T00:00:00Z")";
  CHECK(same(start("a", time), start("b", time)));
  CHECK(same(start("a", unset), start("b", unset)));            // by the reported time
  CHECK(same(start("a", R"("x":1)"), start("a", R"("x":1)")));  // without one by the message id
  CHECK_FALSE(same(start("a", R"("x":1)"), start("b", R"("x":1)")));
  CHECK_FALSE(same(start("a", time), start("a", R"("timestamp":"2026-03-01T10:00:01Z")")));
  CHECK_FALSE(
      same(R"([2,"a","Heartbeat",{}])", R"([2,"a","Heartbeat",{}])"));  // observations of their receipt
  // 2.x: ids without regard to case, an update without samples by its number.
  const auto event = [](std::string_view id, int seq) {
    return Timed("TransactionEvent", R"("eventType":"Updated","seqNo":)" + std::to_string(seq) +
                                         R"(,"transactionInfo":{"transactionId":")" + std::string(id) +
                                         "\"}");
  };
  CHECK(same(event("tx-a", 1), event("TX-A", 1), "2.0.1"));
  CHECK_FALSE(same(event("tx-a", 1), event("tx-a", 2), "2.0.1"));
  // Readings of one key are told apart by their number, and again in the copy.
  const One one = RefineFrame(Readings(R"([{"value":"1"},{"value":"1"}])"));
  CHECK(one.refined.elements[0].identity.business_key != one.refined.elements[1].identity.business_key);
  CHECK(one.refined.elements[0].entity == SessionId("CP-1", "7"));
}

TEST_CASE("frames: a long tag is kept, and told without being shown") {
  const auto flags = [](std::string_view tag, std::string_view version) {
    const std::string text(tag);
    const bool first = version == "1.6";
    const One one =
        RefineFrame(first ? Timed("StopTransaction", R"("transactionId":7,"idTag":")" + text + "\"")
                          : Event("Ended", R"(,"idToken":{"idToken":")" + text + R"(","type":"ISO14443"})"),
                    version);
    CHECK_FALSE(one.row().id_tag_hash.empty());
    CHECK(Column(one.row(), "detail").find(text) == std::string::npos);
    return Flags(one);
  };
  const std::string tag20(20, 'T');
  CHECK(flags(tag20, "1.6").empty());
  CHECK(flags(" " + tag20 + " ", "1.6").empty());
  CHECK(flags(tag20 + "-7", "1.6") == "SHAPE_COERCED");
  CHECK(flags(tag20 + "-7", "2.0.1").empty());
  CHECK(flags(tag20 + tag20, "2.0.1") == "SHAPE_COERCED");
  CHECK(flags(tag20 + tag20, "2.1").empty());
}

TEST_CASE("frames: a sample of a TransactionEvent keeps its message's time where that is another") {
  const auto sent = [](const std::string& timestamp, const std::string& type, const std::string& samples) {
    const One one = RefineFrame(
        Call("TransactionEvent", timestamp + R"("eventType":")" + type +
                                     R"(","transactionInfo":{"transactionId":"t"},"meterValue":[)"
                                     R"({"timestamp":"2026-03-01T10:00:00Z","sampledValue":[{"value":1}]},)"
                                     R"({"timestamp":"2026-03-01T08:00:00Z","sampledValue":[)" +
                                     samples + "]}]"),
        "2.0.1");
    std::string times;
    for (const ChargingElement& element : one.refined.elements) {
      const UtcTime time = element.row.message_ts;
      times += (times.empty() ? "" : " ") + (time == kNoTime ? "-" : FormatTime(time).substr(11, 5));
    }
    return times;
  };
  const std::string at10 = R"("timestamp":"2026-03-01T10:00:00Z",)", one = R"({"value":1})";
  CHECK(sent(at10, "Updated", one) == "- 10:00");
  CHECK(sent(at10, "Started", one) == "- - 10:00");
  CHECK(sent(at10, "Ended", one + "," + one) == "- - 10:00 10:00");
  // A sum of phases is a sample.
  CHECK(sent(at10, "Updated",
             R"({"value":1,"phase":"L1"},{"value":1,"phase":"L2"},{"value":1,"phase":"L3"})") ==
        "- 10:00 10:00 10:00 10:00");
  // It has none, or none that can be read.
  CHECK(sent("", "Updated", one) == "- -");
  CHECK(sent(R"("timestamp":"ten",)", "Updated", one) == "- -");
}

TEST_CASE("frames: a record without a time of receipt has its own") {
  const auto ingest = [](std::string payload) {
    BronzeRecord record = FrameReceived();
    record.ingest_ts = record.broker_ts = kNoTime;
    const One one = RefineOne(std::move(payload), {}, record);
    return Codes(one).empty() ? FormatTime(one.refined.ingest_ts[0]) : Codes(one);
  };
  CHECK(ingest(Timed("StatusNotification", R"("connectorId":1,"status":"Charging")")) ==
        "2026-03-01T10:00:00.000000Z");
  CHECK(
      ingest(Call(
          "MeterValues",
          R"("connectorId":1,"meterValue":[{"timestamp":"2026-03-01T10:00:00Z","sampledValue":[{"value":"1"}]},{"timestamp":"2026-03-01T10:05:00Z","sampledValue":[]}])")) ==
      "2026-03-01T10:05:00.000000Z");
  CHECK(ingest(Call("Heartbeat", "")) == "INVALID_EVENT_TS");
}

}  // namespace medallion::ocpp
