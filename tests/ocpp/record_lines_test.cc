#include "medallion/ocpp/record_lines.h"

#include <string>
#include <string_view>

#include "catch.h"

namespace medallion::ocpp {
namespace {

const Coordinate kAt{"file", 0, 7};

struct Decoded {
  BronzeRecord record;
  LineDefaults defaults;
};

Decoded Decode(std::string_view line, Arena& texts) {
  RecordLines lines;
  Decoded decoded{.record = lines.Decode(line, kAt, texts), .defaults = {}};
  decoded.defaults = lines.defaults();
  return decoded;
}

}  // namespace

TEST_CASE("record lines: a line without a wrapper's names is a payload by itself") {
  for (const std::string_view line : {
           R"({"event_id":"a","event_type":"MeterValues","phase":"L1","timestamp":"t","offline":true})",
           R"({"event_id":"a","unit":"value","key":"CP-1"})",            // a value is no name
           R"({"event_id":"a","gateway":{"offset":1,"payload":"{}"}})",  // nor is a nested one
           R"({"event_type":"Heartbeat","topic":"t","payload":"{}"})",   // an event's own fields
           R"({"event_id":"a","action":"Heartbeat","payload":"{}","offset":1})",
           R"({"a":"b","event_type":"Heartbeat","payload":"{}",)",  // seen before it is no JSON object
           R"({"payload_":1,"values":2})", "[2,\"17\",\"Heartbeat\",{}]", "{", "", "\"", "\"payload\"",
           R"({"payload":"{}")",  // no JSON object to its end
       }) {
    CAPTURE(line);
    Arena texts;
    const Decoded decoded = Decode(line, texts);
    CHECK(decoded.record.payload == line);
    CHECK(decoded.record.at == kAt);
    CHECK(decoded.defaults.topic == 1);
  }
}

TEST_CASE("record lines: a wrapper is seen wherever its names stand") {
  for (const std::string name : {"payload", "value_text", R"(\u0070ayload)"}) {
    for (size_t before = 0; before < 40; ++before) {
      const std::string line =
          R"({"k)" + std::string(before, 'x') + R"(":1,")" + name + R"(":"{}","offset":17})";
      CAPTURE(line);
      Arena texts;
      const Decoded decoded = Decode(line, texts);
      CHECK(decoded.record.payload == "{}");
      CHECK(decoded.record.at == Coordinate{"file", 0, 17});
    }
  }
  Arena texts;
  CHECK(Decode(R"({"value":{"a":1}})", texts).record.payload == R"({"a":1})");
  // An event's name that is not the line's own.
  CHECK(Decode(R"({"payload":"{}","key":"event_type"})", texts).record.payload == "{}");
  CHECK(Decode(R"({"payload":"{}","key":"\",\"event_type\":","x":1})", texts).record.payload == "{}");
  CHECK(Decode(R"({"payload":"{}","ke\"event_type":1})", texts).record.payload == "{}");
  CHECK(Decode(R"({"value_b64":"e30="})", texts).record.payload == "{}");
  CHECK(Decode(R"({"topic":"t"})", texts).record.at == Coordinate{"t", 0, 7});
  CHECK(Decode(R"({"partition":3})", texts).record.at == Coordinate{"file", 3, 7});
  CHECK(Decode(R"({"broker_ts":"2026-03-01T10:00:00Z"})", texts).record.ingest_ts != kNoTime);
}

TEST_CASE("record lines: recorded frames have names of their own") {
  Arena texts;
  const BronzeRecord record =
      Decode(
          R"({"ts":"2026-03-01T10:00:00Z","charge_point_id":"CP-100","direction":"out","protocol":"ocpp2.0.1",)"
          R"("connection_id":"c1","frame":[3, "17", {"a": [1]}]})",
          texts)
          .record;
  CHECK(record.payload == R"([3, "17", {"a": [1]}])");
  CHECK(record.key == "CP-100");
  CHECK(record.ingest_ts == ParseTime("2026-03-01T10:00:00Z")->time);
  CHECK(record.direction == Direction::kOut);
  CHECK(record.version == "2.0.1");
  CHECK(record.connection_id == "c1");
  CHECK(record.at == kAt);
  CHECK(Decode(R"({"frame":"[2,\"1\",\"Heartbeat\",{}]"})", texts).record.payload ==
        R"([2,"1","Heartbeat",{}])");
  // The usual names come first, whatever the order.
  for (
      const std::string_view line :
      {R"({"frame":[],"charge_point_id":"A","key":"B","ts":"2026-03-01T09:00:00Z","ingest_ts":"2026-03-01T10:00:00Z"})",
       R"({"ingest_ts":"2026-03-01T10:00:00Z","ts":"2026-03-01T09:00:00Z","key":"B","charge_point_id":"A","frame":[]})"}) {
    CHECK(Decode(line, texts).record.key == "B");
    CHECK(Decode(line, texts).record.ingest_ts == ParseTime("2026-03-01T10:00:00Z")->time);
  }
  // An event that has such a field is an event.
  const std::string_view event = R"({"event_type":"Heartbeat","charge_point_id":"A","frame":1})";
  CHECK(Decode(event, texts).record.payload == event);
}

}  // namespace medallion::ocpp
