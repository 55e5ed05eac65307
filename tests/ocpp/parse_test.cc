#include "medallion/ocpp/parse.h"

#include <algorithm>
#include <chrono>
#include <initializer_list>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "catch.h"
#include "medallion/base/arena.h"
#include "medallion/ocpp/flat_schema.h"
#include "ocpp/one_event.h"

namespace medallion::ocpp {
namespace {

using namespace std::string_literals;

constexpr size_t kBytesMax = size_t{1} << 20;

// What was read, as text: each field with its kind (t text, n number, b true or false, c object or array), then what was
// noticed; or the reason why nothing was read.
std::string Shown(const FlatFields& fields) {
  if (!fields.corrupt.empty()) return std::string(fields.corrupt);
  std::string shown;
  const auto add = [&](const std::string& part) { shown += (shown.empty() ? "" : " ") + part; };
  if (!fields.schema_known) add("schema?");
  if (!fields.ambiguous.empty()) add("ambiguous(" + std::string(fields.ambiguous) + ")");
  for (int i = 0; i < kFields; ++i) {
    const auto field = static_cast<Field>(i);
    const FieldValue& value = fields[field];
    if (value.kind == JsonKind::kAbsent) continue;
    add(std::string(FieldName(field)) + "=" + "-tnbcf"[static_cast<int>(value.kind)] + ":" +
        std::string(value.text));
  }
  if (fields.name_folded) add("folded");
  if (fields.version_coerced) add("coerced");
  if (fields.schema_version != 1) add("version=" + std::to_string(fields.schema_version));
  if (fields.unknown_fields != 0) add("unknown=" + std::to_string(fields.unknown_fields));
  if (!fields.extra_fields.empty()) add(std::string(fields.extra_fields));
  return shown;
}

std::string Read(std::string_view payload,
                 const std::vector<FlatSchema>& schemas = {FlatSchema::Version1()}) {
  Arena texts;
  FlatParser parser(schemas, kBytesMax);
  return Shown(parser.Parse(payload, texts));
}

std::string Malformed(int byte) {
  return R"({"problem":"malformed JSON","byte":)" + std::to_string(byte) + "}";
}

// {"x": `depth` - 1 arrays in each other, `inside` in the last}: `depth` containers, one in the other.
std::string Nested(int depth, std::string_view inside) {
  const auto arrays = static_cast<size_t>(depth - 1);
  return R"({"x":)" + std::string(arrays, '[') + std::string(inside) + std::string(arrays, ']') + "}";
}

struct Case {
  std::string payload;
  std::string read;
};

void Check(std::initializer_list<Case> cases) {
  for (const Case& c : cases) {
    CAPTURE(c.payload.substr(0, 200));
    CHECK(Read(c.payload) == c.read);
  }
}

const std::string kNotAnObject = R"({"problem":"not a JSON object","byte":0})";
const std::string kEmpty = R"({"problem":"empty"})";
const std::string kBadEncoding = R"({"problem":"bad encoding"})";
const std::string kTooDeep = R"({"problem":"nested deeper than 64","byte":68})";

}  // namespace

TEST_CASE("parse: fields come as they were written") {
  Check({
      {R"({})", ""},
      {R"({"event_id":"a","connector_id":1})", "event_id=t:a connector_id=n:1"},
      {R"({"event_id":5,"meter_value":4.0,"offline":true})", "event_id=n:5 meter_value=n:4.0 offline=b:true"},
      {R"({"meter_value":-0.10e+3})", "meter_value=n:-0.10e+3"},
      {R"({"event_id":" a "})", "event_id=t: a "},    // trimming is normalising
      {R"({"event_id":null,"unit":""})", "unit=t:"},  // null is absent, an empty text is not
      {R"({"unit":{"a": [1, "b"]}})", R"(unit=c:{"a":[1,"b"]})"},
      {R"({"event_id":"a\"\\\/\n\u00e9\ud83d\ude00"})", "event_id=t:a\"\\/\n\u00e9\U0001F600"},
      {R"({"event_id":"71 )"
       "\xC2\xB0"
       R"(C"})",
       "event_id=t:71 \xC2\xB0"
       "C"},
      {R"({"event_id":"a\u0000\u0000"})", "event_id=t:a"},  // escaped NULs at the end of a text
      {R"({"event_id":"a\u0000b"})", "event_id=t:a\0b"s},   // inside it they are kept
      {R"({"event_id":"\u0000"})", "event_id=t:"},
      {"{\"event_id\":\"a\x7f\"}", "event_id=t:a\x7f"},  // DEL is no control character to JSON
      {R"({ "event_id" : "a" ,)"
       "\r\n\t"
       R"("connector_id" : 1 })",
       "event_id=t:a connector_id=n:1"},
      {R"({"\u0065vent_id":"a"})", "event_id=t:a"},
  });
}

TEST_CASE("parse: what stands around the object") {
  Check({
      {"\xEF\xBB\xBF"
       R"({"event_id":"a"})",
       "event_id=t:a"},
      {" \r\n\t"
       R"({"event_id":"a"})"
       " \r\n\t",
       "event_id=t:a"},
      {"\xEF\xBB\xBF "
       R"({"event_id":"a"})"
       "\n",
       "event_id=t:a"},
      {R"({"event_id":"a"})"
       "\0"s,
       "event_id=t:a"},
      {R"({"event_id":"a"})"
       " \0\r\n\0\0"s,
       "event_id=t:a"},
      {"\xEF\xBB\xBF\xEF\xBB\xBF"
       R"({"event_id":"a"})",
       Malformed(3)},  // one mark, not two
      {" \xEF\xBB\xBF"
       R"({"event_id":"a"})",
       Malformed(1)},  // at the very start
      {"\0"s
       R"({"event_id":"a"})",
       Malformed(0)},  // NULs after the end, not before
      {R"({"event_id":"a"})"
       "\0x"s,
       Malformed(16)},
      {"", kEmpty},
      {" \t\r\n", kEmpty},
      {"\0\0"s, kEmpty},
      {"\xEF\xBB\xBF", kEmpty},
  });
}

TEST_CASE("parse: what is no object") {
  Check({
      {"not JSON", kNotAnObject},
      {"null", kNotAnObject},
      {"true", kNotAnObject},
      {"12", kNotAnObject},
      {R"("{}")", kNotAnObject},
      {"[]", kNotAnObject},
      {"[1 2]", kNotAnObject},
      {R"([{"event_id":"a"}])", kNotAnObject},
      {"hello", Malformed(0)},
      {"}", Malformed(0)},
      {std::string(100'000, '['), kNotAnObject},
      {std::string(100'000, '{'), Malformed(100'000)},
  });
}

TEST_CASE("parse: nearly JSON is not JSON, wherever it stands") {
  Check({
      {R"({)", Malformed(1)},
      {R"({"a":1}})", Malformed(7)},
      {R"({"a":1} x)", Malformed(8)},
      {R"({"a":1}trailing)", Malformed(7)},
      {R"({"a":1}])", Malformed(7)},
      {R"({"a":1}{"b":2})", Malformed(7)},
      {R"({"a":1,})", Malformed(7)},
      {R"({,"a":1})", Malformed(1)},
      {R"({"a"})", Malformed(4)},
      {R"({"a":})", Malformed(5)},
      {R"({"a" 1})", Malformed(5)},
      {R"({"a":"b":1})", Malformed(8)},  // On-Demand by itself takes "b" for a name
      {R"({"a":1:2})", Malformed(5)},
      {R"({"a":1 "b":2})", Malformed(5)},
      {R"({"a":"x""b":2})", Malformed(8)},
      {R"({"a":1 2})", Malformed(5)},
      {R"({a:1})", Malformed(1)},
      {R"({'a':1})", Malformed(1)},
      {R"({1:1})", Malformed(1)},
      {R"({"a":1/**/})", Malformed(5)},
      {R"({"x":tru})", Malformed(5)},
      {R"({"x":tru,"event_id":"a"})", Malformed(5)},
      {R"({"x":True})", Malformed(5)},
      {R"({"x":truefalse})", Malformed(5)},
      {R"({"x":nul})", Malformed(5)},
      {R"({"x":NaN})", Malformed(5)},
      {R"({"x":Infinity})", Malformed(5)},
      {R"({"x":undefined})", Malformed(5)},
      {R"({"x":[1 2]})", Malformed(6)},
      {R"({"x":[1,]})", Malformed(8)},
      {R"({"x":[,1]})", Malformed(6)},
      {R"({"x":[1})", Malformed(7)},
      {R"({"x":[1)", Malformed(7)},
      {R"({"x":{"a":1})", Malformed(12)},
      {R"({"x":{"a":1]})", Malformed(11)},
      {R"({"x":{"a":tru}})", Malformed(10)},
      {R"({"x":{"a":1,}})", Malformed(12)},
      {R"({"x":[[1]]]})", Malformed(10)},
      {R"({"x":{{"a":1}}})", Malformed(6)},
      {R"({"event_id":"unterminated)", Malformed(25)},
      {R"({"event_id":"unterminated})", Malformed(26)},
      {R"({"event_id":"a\"})", Malformed(17)},
  });
}

TEST_CASE("parse: numbers are RFC 8259's") {
  for (const std::string_view token : {"0", "-0", "1", "-1", "10", "0.5", "1.50", "1e3", "1E3", "1e+3",
                                       "1e-03", "-1.5e9", "0e0", "123456789012345678901234567890"}) {
    CAPTURE(token);
    CHECK(Read("{\"meter_value\":" + std::string(token) + "}") == "meter_value=n:" + std::string(token));
  }
  for (const std::string_view token :
       {"01",   "-01",  "00",    "+1",   "-",   "1.", ".5",    "-.5",   "1e", "1e+",
        "1.e3", "0x10", "1_000", "1,5.", "--1", "1-", "1e3.5", "1.5.6", "1f", "\xD9\xA1"}) {
    CAPTURE(token);
    CHECK(Read("{\"meter_value\":" + std::string(token) + "}").starts_with(R"({"problem":"malformed JSON")"));
    CHECK(Read("{\"x\":[{\"y\":" + std::string(token) + "}]}").starts_with(R"({"problem":"malformed JSON")"));
  }
  const std::string digits(400, '9');
  CHECK(Read("{\"meter_value\":" + digits + "}") == "meter_value=n:" + digits);
  CHECK(Read("{\"x\":1e" + digits + "}") == "unknown=1 {\"x\":1e" + digits + "}");
}

TEST_CASE("parse: texts hold no control characters, no bad escapes and only UTF-8, in skipped fields too") {
  Check({
      {"{\"event_id\":\"a\nb\"}", Malformed(14)},
      {"{\"event_id\":\"a\tb\"}", Malformed(14)},
      {"{\"event_id\":\"SN1\0\0\"}"s, Malformed(16)},
      {"{\"x\":{\"y\":\"a\x01\"}}", Malformed(12)},
      {"{\"event_id\":\"a\"\x0b}", Malformed(15)},
      {"{\"event_id\":\"a\"\0}"s, Malformed(15)},
      {R"({"x":"\q"})", Malformed(5)},
      {R"({"x":"\u12"})", Malformed(5)},
      {R"({"x":"\u00zz"})", Malformed(5)},
      {R"({"x":"\ud800"})", Malformed(5)},  // half of a surrogate pair
      {R"({"x":"\ud800\u0041"})", Malformed(5)},
      {R"({"x":"\udc00"})", Malformed(5)},
      {R"({"x":"\udc00\ud800"})", Malformed(5)},  // in the wrong order
      {R"({"x":["\ud800"]})", Malformed(6)},
      {R"({"\ud800":1})", Malformed(1)},
      {R"({"x\q":1})", Malformed(1)},
      {"{\"event_id\":\"a\",\"x\":\"\xFF\"}", kBadEncoding},
      {"{\"event_id\":\"71 \xB0"
       "C\"}",
       kBadEncoding},  // Latin-1
      {"{\"event_id\":\"a\",\"x\":[{\"y\":\"\xC3\"}]}", kBadEncoding},
      {"{\"event_id\":\"a\",\"x\":\"\xED\xA0\x80\"}", kBadEncoding},  // a surrogate as UTF-8
      {"{\"event_id\":\"a\",\"x\":\"\xC0\xAF\"}", kBadEncoding},      // overlong
      {"{\"event_id\":\"a\",\"x\":\"\xF4\x90\x80\x80\"}", kBadEncoding},
      {"{\"\xFF\":1}", kBadEncoding},
      {"{\"a\":1}\xFF", kBadEncoding},
  });
}

TEST_CASE("parse: 64 deep and no deeper") {
  const std::string deepest = Nested(64, "1");
  Check({
      {deepest, "unknown=1 " + deepest},
      {Nested(64, ""), "unknown=1 " + Nested(64, "")},
      {Nested(63, R"({"y":[]})"), R"({"problem":"nested deeper than 64","byte":72})"},
      {Nested(63, R"({"y":1})"), "unknown=1 " + Nested(63, R"({"y":1})")},
      {Nested(65, ""), kTooDeep},
      {Nested(65, "1"), kTooDeep},
      {Nested(64, "{}"), kTooDeep},
      {Nested(5'000, "1"), kTooDeep},
  });
}

TEST_CASE("parse: a payload may have a mebibyte") {
  const auto padded = [](size_t size) {
    const std::string head = R"({"event_id":"a","x":")";
    return head + std::string(size - head.size() - 2, 'x') + "\"}";
  };
  CHECK(Read(padded(kBytesMax)).starts_with("event_id=t:a unknown=1"));
  CHECK(Read(padded(kBytesMax + 1)) == R"({"problem":"longer than 1048576 bytes"})");
  CHECK(Read(padded(10 * kBytesMax)) == R"({"problem":"longer than 1048576 bytes"})");
  CHECK(Read(std::string(kBytesMax + 1, ' ')) ==
        R"({"problem":"longer than 1048576 bytes"})");  // blanks count
}

TEST_CASE("parse: one key twice") {
  Check({
      {R"({"event_id":"a","event_id":"a"})", "event_id=t:a"},
      {R"({"event_id":"a","event_id":"b"})", "ambiguous(event_id) event_id=t:a"},
      {R"({"event_id":"a","event_id":"b","event_id":"a"})", "ambiguous(event_id) event_id=t:a"},
      {R"({"event_id":"a","event_id":null})",
       "ambiguous(event_id) event_id=t:a"},  // readers differ in which they take
      {R"({"event_id":null,"event_id":null})", ""},
      {R"({"event_id":"a","event_id":" a"})", "ambiguous(event_id) event_id=t:a"},
      {R"({"connector_id":1,"connector_id":"1"})", "ambiguous(connector_id) connector_id=n:1"},
      {R"({"meter_value":4,"meter_value":4.0})", "meter_value=n:4"},  // one number, written twice
      {R"({"event_id":"a","\u0065vent_id":"b"})", "ambiguous(event_id) event_id=t:a"},
      {R"({"x":1,"x":1})", R"(unknown=1 {"x":1})"},
      {R"({"x":1,"x":2})", R"(ambiguous(x) unknown=1 {"x":1})"},
      {R"({"x":[1, 2],"x":[1,2]})", R"(unknown=1 {"x":[1,2]})"},
      {R"({"x":{"a":1,"b":2},"x":{"b":2,"a":1}})", R"(ambiguous(x) unknown=1 {"x":{"a":1,"b":2}})"},
      {R"({"x":1,"X":2})", R"(unknown=2 {"x":1,"X":2})"},  // unknown names are not folded
      {R"({"":1,"":2})", R"x(ambiguous("") unknown=1 {"":1})x"},
      {R"({"x":{"a":1,"a":1}})", R"(unknown=1 {"x":{"a":1}})"},
      {R"({"x":{"a":1,"a":2}})", R"(ambiguous(a) unknown=1 {"x":{"a":1}})"},
      {R"({"x":[{"y":{"a":[1],"a":[1,2]}}]})", R"(ambiguous(a) unknown=1 {"x":[{"y":{"a":[1]}}]})"},
      {R"({"x":[{"a":1},{"a":2}]})", R"(unknown=1 {"x":[{"a":1},{"a":2}]})"},  // two objects, one key each
  });
}

TEST_CASE("parse: two spellings of one field") {
  Check({
      {R"({"message_id":"a"})", "event_id=t:a"},
      {R"({"action":"Heartbeat"})", "event_type=t:Heartbeat"},
      {R"({"timestamp":"t"})", "event_ts=t:t"},
      {R"({"status":"Charging"})", "connector_status=t:Charging"},
      {R"({"reason":"Local"})", "stop_reason=t:Local"},
      {R"({"event_id":"a","message_id":"a"})", "event_id=t:a"},
      {R"({"event_id":"a","message_id":"b"})", "ambiguous(event_id) event_id=t:a"},
      {R"({"event_id":"5","message_id":5})", "event_id=t:5"},
      {R"({"message_id":null,"event_id":"a"})", "event_id=t:a"},  // a null differs from nothing
      {R"({"message_id":" ","event_id":"a"})", "event_id=t:a"},
      {R"({"event_id":"a","message_id":""})", "event_id=t:a"},
      {R"({"event_type":"Heartbeat","action":"heart_beat"})", "event_type=t:Heartbeat"},
      {R"({"event_type":"Heartbeat","action":"MeterValues"})",
       "ambiguous(event_type) event_type=t:Heartbeat"},
      {R"({"status":"SuspendedEV","connector_status":"suspended-ev"})", "connector_status=t:SuspendedEV"},
      {R"({"reason":"Local","stop_reason":"LOCAL"})", "stop_reason=t:Local"},
      {R"({"event_ts":"2026-03-01T10:00:00Z","timestamp":"2026-03-01T12:00:00.000+02:00"})",
       "event_ts=t:2026-03-01T10:00:00Z"},  // instants are compared
      {R"({"event_ts":"2026-03-01T10:00:00Z","timestamp":"2026-03-01T10:00:01Z"})",
       "ambiguous(event_ts) event_ts=t:2026-03-01T10:00:00Z"},
      {R"({"meter_value":1,"meter_wh":2})",
       "meter_value=n:1 meter_wh=n:2"},  // different fields: Normalize compares
      {R"({"Reason":"Local"})", "stop_reason=t:Local folded"},
      {R"({"EVENT_ID":"a"})", "event_id=t:a folded"},
      {R"({"EVENT_ID":"a","event_id":"b"})", "ambiguous(event_id) event_id=t:a folded"},
      {R"({"event id":"a","eventId":"b"})", R"(unknown=2 {"event id":"a","eventId":"b"})"},  // casing only
  });
}

TEST_CASE("parse: anything else is kept and counted") {
  Check({
      {R"({"gateway":{"node":"gw-1", "rssi":-61},"event_id":"a","z":null,"t":true,"s":"q\"","n":1.50})",
       R"(event_id=t:a unknown=5 {"gateway":{"node":"gw-1","rssi":-61},"z":null,"t":true,"s":"q\"","n":1.50})"},
      {R"({"":1})", R"(unknown=1 {"":1})"},
      {R"({"x":"\u0041\u0000"})", R"(unknown=1 {"x":"A"})"},
      {R"({"x":{}, "y":[]})", R"(unknown=2 {"x":{},"y":[]})"},
      {R"({"a|b\\c":1})", R"(unknown=1 {"a|b\\c":1})"},
  });
}

TEST_CASE("parse: the schema's version") {
  Check({
      {R"({"schema_version":1})", "schema_version=n:1"},
      {R"({"schema_version":null})", ""},
      {R"({"schema_version":" "})", "schema_version=t: "},
      {R"({"schema_version":"1"})", "schema_version=t:1 coerced"},
      {R"({"schema_version":1.0})", "schema_version=n:1.0 coerced"},
      {R"({"schema_version":2,"event_id":"a"})", "schema?"},
      {R"({"schema_version":-1})", "schema?"},
      {R"({"schema_version":1.5})", "schema? coerced"},
      {R"({"schema_version":"one"})", "schema? coerced"},
      {R"({"schema_version":true})", "schema? coerced"},
      {R"({"schema_version":1,"schema_version":2})", "ambiguous(schema_version) schema_version=n:1"},
  });
}

TEST_CASE("parse: a host's own names") {
  FlatSchema second{.version = 2, .names = {}};
  second.names = {{"v", Field::kSchemaVersion},
                  {"id", Field::kEventId},
                  {"kind", Field::kEventType},
                  {"status", Field::kConnectorStatus},
                  {"Status", Field::kErrorCode}};
  const std::vector<FlatSchema> both = {FlatSchema::Version1(), second};
  for (const Case& c : std::initializer_list<Case>{
           {R"({"v":2,"id":"a","kind":"Heartbeat"})",
            "event_id=t:a event_type=t:Heartbeat schema_version=n:2 version=2"},
           {R"({"id":"a","v":2})", "event_id=t:a schema_version=n:2 version=2"},
           {R"({"v":2,"event_id":"a"})", R"(schema_version=n:2 version=2 unknown=1 {"event_id":"a"})"},
           {R"({"v":2,"KIND":"x"})", "event_type=t:x schema_version=n:2 folded version=2"},
           {R"({"v":2,"status":"x","Status":"y"})",
            "connector_status=t:x error_code=t:y schema_version=n:2 version=2"},
           {R"({"schema_version":1,"event_id":"a","id":"b"})",
            R"(event_id=t:a schema_version=n:1 unknown=1 {"id":"b"})"},
           {R"({"event_id":"a"})", "event_id=t:a"},
           {R"({"v":3,"id":"a"})", "schema?"},
           {R"({"v":1,"event_id":"a"})", R"(event_id=t:a unknown=1 {"v":1})"},  // version 1 has no field "v"
           {R"({"schema_version":2,"id":"a"})", R"(event_id=t:a version=2 unknown=1 {"schema_version":2})"},
       }) {
    CAPTURE(c.payload);
    CHECK(Read(c.payload, both) == c.read);
  }
  CHECK(Read(R"({"id":"a"})", {second}) ==
        "schema?");  // no version named is version 1, which is not registered
  CHECK(Read(R"({})", {}) == "schema?");
}

TEST_CASE("parse: one parser reads payload after payload as a new one would") {
  const std::vector<FlatSchema> schemas = {FlatSchema::Version1()};
  std::vector<std::string> payloads = {R"({"event_id":"a","x":1})",
                                       R"({"x":1,"event_id":"a"})",
                                       R"({"Event_id":"a"})",
                                       R"({"event_id":"b"})",
                                       "{",
                                       "",
                                       R"({"x":{"a":1,"a":2}})",
                                       R"({"x":1,"y":2,"x":1})",
                                       R"({"y":2})",
                                       Nested(70, ""),
                                       "\xFF",
                                       R"({")" + std::string(500, 'n') + R"(":1})"};
  for (int i = 0; i < 600; ++i)
    payloads.push_back("{\"n" + std::to_string(i) + "\":1,\"event_id\":\"a\",\"unit\":\"W\"}");
  Arena texts;
  FlatParser parser(schemas, kBytesMax);
  for (int round = 0; round < 2; ++round) {
    for (const std::string& payload : payloads) {
      CAPTURE(payload, round);
      CHECK(Shown(parser.Parse(payload, texts)) == Read(payload));
    }
    std::reverse(payloads.begin(), payloads.end());
  }
}

TEST_CASE("parse: the quick way into plain JSON takes nothing that the strict reader does not") {
  const std::vector<std::string> seeds = {
      R"({"event_id":"a1","event_type":"MeterValues","connector_id":1,"meter_value":-0.5e3,"offline":true,"unit":"Wh"})",
      R"({"event_id":7, "gateway":{"node":"gw","rssi":[-61,{"a":null}],"f":false},"unit":null})",
      R"({"a":[],"b":{},"c":[1.0,"x",[true]],"d":{"a":1,"b":{"a":2}},"event_id":"/\u007f"})",
  };
  const std::string_view bytes = "\"\"\\{}[],,:: 0123.-+eEtruefalsnul\t\x01\x80\xC3\xA9/";
  std::mt19937_64 random(20260301);
  for (int i = 0; i < 60'000; ++i) {
    std::string payload = seeds[random() % seeds.size()];
    for (size_t change = random() % 3; change > 0; --change) {
      const size_t at = 1 + random() % (payload.size() - 1);
      const size_t from = random() % payload.size();
      switch (random() % 4) {
        case 0: payload[at] = bytes[random() % bytes.size()]; break;
        case 1: payload.insert(at, 1, bytes[random() % bytes.size()]); break;
        case 2: payload.erase(at, 1 + random() % 3); break;
        default: payload.insert(at, payload.substr(from, random() % 20)); break;
      }
    }
    std::string strictly = payload;
    strictly.insert(1, "\n");  // which the quick way does not take
    const std::string quick = Read(payload), strict = Read(strictly);
    const bool same =
        quick.starts_with("{\"problem\":") ? strict.starts_with("{\"problem\":") : quick == strict;
    if (!same) FAIL(payload << ": " << quick << " but strictly " << strict);
  }
}

TEST_CASE("parse: the quick way finds the end of texts and numbers of any length") {
  for (size_t size = 0; size < 200; ++size) {
    for (size_t before = 0; before < 70; before += size < 80 ? 1 : 7) {
      const std::string id(size, 'x'), digits = "1" + std::string(size, '0'), unit(before, 'u');
      const std::string read = "event_id=t:" + id + " meter_value=n:-" + digits + " unit=t:" + unit;
      const std::string quick =
          R"({"unit":")" + unit + R"(","event_id":")" + id + R"(","meter_value":-)" + digits + "}";
      if (Read(quick) != read) FAIL(quick << ": " << Read(quick));
    }
  }
}

TEST_CASE("parse: fields that a host parsed itself are sorted in the same way") {
  const std::vector<FlatSchema> schemas = {FlatSchema::Version1()};
  Arena texts;
  const std::vector<Member> members = {{"message_id", {JsonKind::kText, "a"}},
                                       {"x", {JsonKind::kNumber, "1"}},
                                       {"Unit", {JsonKind::kText, "Wh"}},
                                       {"x", {JsonKind::kNumber, "1"}}};
  CHECK(Shown(FieldsOf(members, schemas, texts)) == R"(event_id=t:a unit=t:Wh folded unknown=1 {"x":1})");
}

// Quadratic work would take minutes here.
TEST_CASE("parse: a mebibyte of names takes no long time") {
  for (const bool same : {false, true}) {
    std::string payload = "{\"x\":0";
    for (int i = 0; payload.size() < kBytesMax - 20; ++i)
      payload += ",\"" + (same ? "y" : std::to_string(i)) + "\":0";
    const std::string nested = "{\"x\":" + payload.substr(0, kBytesMax - 20);
    payload += "}";
    const auto begin = std::chrono::steady_clock::now();
    CHECK(Read(payload).starts_with(same ? "unknown=2 " : "unknown=1"));
    CHECK(Read(nested.substr(0, nested.rfind(',')) + "}}").starts_with("unknown=1 "));
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(20));  // sanitizers are slow
  }
}

}  // namespace medallion::ocpp
