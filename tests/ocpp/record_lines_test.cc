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

}  // namespace medallion::ocpp
