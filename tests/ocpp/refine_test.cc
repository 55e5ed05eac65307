#include "medallion/ocpp/refine.h"

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "catch.h"
#include "feed.h"
#include "medallion/base/columns.h"
#include "medallion/ocpp/identify.h"
#include "nlohmann/json.hpp"
#include "ocpp/mutate.h"
#include "ocpp/one_event.h"

namespace medallion::ocpp {
namespace {

using namespace medallion::ocpp::testing;
using namespace std::string_literals;

}  // namespace

TEST_CASE("refine: a batch says of each record what it says of the record alone") {
  const medallion::testing::Feed feed =
      medallion::testing::MakeLawFeed({.seed = 7, .odd_series = true, .disputed = true});
  std::vector<BronzeRecord> records = feed.records;
  records.insert(records.begin() + 3, {.payload = "{", .at = {"t", 0, 1}});
  const Refined<ChargingEvent> all = Refine(records, {});
  REQUIRE(all.elements.size() == records.size());
  REQUIRE(all.payloads.size() == records.size());
  for (size_t i = 0; i < records.size(); ++i) {
    CAPTURE(records[i].payload);
    const Refined<ChargingEvent> alone = Refine(std::span(&records[i], 1), {});
    CHECK(Bytes(all.elements[i]) == Bytes(alone.elements[0]));
    CHECK(all.payloads[i] == Sha256(records[i].payload));
    CHECK(all.ingest_ts[i] == alone.ingest_ts[0]);
    const ChargingEvent& event = all.elements[i].row;
    if (all.elements[i].to_settle()) {
      const Identity identity = Identify(event, all.payloads[i], {});
      CHECK(all.elements[i].identity.business_key == identity.business_key);
      CHECK(all.elements[i].identity.unit == identity.unit);
      CHECK(all.elements[i].entity == EntityOf(event, identity, {}));
    }
  }
}

TEST_CASE("refine: an element for each record, in their order") {
  const std::vector<std::string> payloads = {
      Payload("StartTransaction"), "{", Payload("MeterValues"), "",
      Payload("Heartbeat", {{"event_id", "\"e2\""}, {"x", "1"}, {"y", "2"}})};
  std::vector<BronzeRecord> records;
  for (const std::string& payload : payloads) {
    records.push_back(Received());
    records.back().payload = payload;
    records.back().at.offset = static_cast<int64_t>(records.size());
  }
  records[1].ingest_ts = kNoTime;                         // then the broker's
  records[3].ingest_ts = records[3].broker_ts = kNoTime;  // none at all
  const Refined<ChargingEvent> refined = Refine(records, {});
  REQUIRE(refined.elements.size() == 5);
  REQUIRE(refined.ingest_ts.size() == 5);
  for (size_t i = 0; i < 5; ++i) {
    CHECK(refined.elements[i].row.at == records[i].at);
    CHECK(refined.elements[i].row.ordinal == 0);
    CHECK(refined.ingest_ts[i] == refined.elements[i].row.ingest_ts);
    const bool sound = i % 2 == 0;
    CHECK(refined.elements[i].standing.fate == (sound ? Fate::kSilver : Fate::kQuarantined));
  }
  CHECK(refined.ingest_ts[1] == records[1].broker_ts);
  CHECK(refined.ingest_ts[3] == kNoTime);
  CHECK(refined.unknown_fields == 2);
  CHECK(Refine({}, {}).elements.empty());
}

TEST_CASE("refine: the result keeps what it refers to") {
  auto payload = std::make_unique<std::string>(
      Payload("StartTransaction", {{"event_id", "\"a\\u0062c\""}, {"x", "[1, 2]"}}));
  BronzeRecord record = Received();
  record.payload = *payload;
  Refined<ChargingEvent> refined = Refine({&record, 1}, {});
  std::fill(payload->begin(), payload->end(), '#');
  payload.reset();
  const Refined<ChargingEvent> moved = std::move(refined);
  CHECK(moved.elements[0].row.event_id == "abc");
  CHECK(moved.elements[0].row.charge_point_id == "CP-1");
  CHECK(moved.elements[0].row.extra_fields == R"({"x":[1,2]})");
  CHECK(moved.elements[0].identity.order.event_id == "abc");
}

TEST_CASE("refine: rejected elements say why, with the particulars") {
  struct Case {
    std::string payload;
    std::string_view violations, detail, charge_point, event_id;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"{\"a\":1}}", R"(["CORRUPT_PAYLOAD"])", R"({"problem":"malformed JSON","byte":7})", "KEY", ""},
           {"7", R"(["CORRUPT_PAYLOAD"])", R"({"problem":"not a JSON object","byte":0})", "KEY", ""},
           {"\xFF", R"(["CORRUPT_PAYLOAD"])", R"({"problem":"bad encoding"})", "KEY", ""},
           {Payload("Heartbeat", {{"schema_version", "9"}}), R"(["SCHEMA_MISMATCH"])", "", "KEY", ""},
           {Payload("Heartbeat", {{"x", "1"}, {"\\u0078", "2"}}), R"(["AMBIGUOUS_FIELD"])",
            R"({"ambiguous":"x"})", "CP-1", "e1"},
           {Payload("MeterValues", {{"meter_value", "\"1,5\""}}), R"(["INVALID_METER_VALUE"])",
            R"({"meter_value":"1,5"})", "CP-1", "e1"},
           {Payload("MeterValues", {{"unit", "\"kW\""}}), R"(["UNKNOWN_UNIT"])",
            R"({"unit":"kW","measurand":"absent"})", "CP-1", "e1"},
           {Payload("MeterValues", {{"event_ts", "\"soon\""}}), R"(["INVALID_EVENT_TS"])",
            R"({"event_ts":"soon"})", "CP-1", "e1"},
           {Payload("MeterValues", {{"event_ts", "\"2026-03-02T10:00:00Z\""}}), R"(["INVALID_EVENT_TS"])",
            R"({"event_ts":"2026-03-02T10:00:00.000000Z"})", "CP-1", "e1"},
           {Payload("MeterValues", {{"connector_id", "\"a\\nb\""}}), R"(["INVALID_CONNECTOR_ID"])",
            R"({"connector_id":"a\nb"})", "CP-1", "e1"},
           {Payload("MeterValues", {{"transaction_id", "{}"}}), R"(["INVALID_TRANSACTION_ID"])",
            R"({"transaction_id":"{}"})", "CP-1", "e1"},
           {Payload("MeterValues", {{"event_type", "\"Boot\""}}), R"(["UNKNOWN_EVENT_TYPE"])",
            R"({"event_type":"Boot"})", "CP-1", "e1"},
           {Payload("MeterValues", {{"meter_value", ""}}), R"(["MISSING_METER_VALUE"])", "", "CP-1", "e1"},
       }) {
    CAPTURE(c.payload);
    BronzeRecord record = Received();
    record.key = "KEY";
    const One one = RefineOne(c.payload, {}, record);
    CHECK(one.element().violations == c.violations);
    CHECK(one.element().detail == c.detail);
    CHECK(one.row().charge_point_id == c.charge_point);
    CHECK(one.row().event_id == c.event_id);
    CHECK(one.element().identity.unit == Digest{});
    CHECK(one.element().entity == EntityKey{});
  }
}

TEST_CASE("refine: every flag that a flat event can set, together") {
  Options options;
  options.flat_clock = ClockPolicy::kKeep;
  BronzeRecord record = Received();
  record.key = "KEY";
  const One unset = RefineOne(
      R"({"Event_ID":"a","event_type":"MeterValues","connector_id":1,"transaction_id":501.0,)"
      R"("event_ts":"1970-01-01 00:00:10","meter_value":"0.0000005","unit":"kwh","context":"Lunch"})",
      options, record);
  CHECK(Codes(unset).empty());
  CHECK(Flags(unset) ==
        "TZ_ASSUMED,CLOCK_UNSET,CHARGE_POINT_FROM_KEY,TYPE_COERCED,SHAPE_COERCED,UNKNOWN_ENUM,UNIT_FOLDED,"
        "PRECISION_LOST");
  CHECK(Flags(RefineOne(Payload("Heartbeat", {{"event_ts", "\"2026-03-02T00:00:00Z\""}}), options)) ==
        "FUTURE_TIMESTAMP");
  CHECK(Flags(RefineOne(Payload("Heartbeat", {{"event_ts", ""}}), options)) == "TS_FROM_INGEST");
}

TEST_CASE("refine: the same record gives the same bytes, alone or among others") {
  const uint32_t seed = GENERATE(range(0u, 40u));
  CAPTURE(seed);
  const medallion::testing::Feed feed = medallion::testing::MakeNastyFeed(seed);
  const Options options;
  const Refined<ChargingEvent> all = Refine(feed.records, options);
  REQUIRE(all.elements.size() == feed.records.size());
  for (size_t i = 0; i < feed.records.size(); ++i) {
    CAPTURE(feed.records[i].payload);
    const Refined<ChargingEvent> alone = Refine({&feed.records[i], 1}, options);
    CHECK(Bytes(all.elements[i]) == Bytes(alone.elements[0]));
  }
}

TEST_CASE("refine: fields that a host parsed itself end as the same element") {
  const Options options;
  for (const std::string& payload : {Payload("StartTransaction"), Payload("MeterValues", {{"unit", "\"J\""}}),
                                     "{"s, Payload("Heartbeat")}) {
    const One one = RefineOne(payload);
    BronzeRecord record = Received();
    record.payload = payload;
    Arena texts;
    FlatParser parser(options.schemas, options.payload_bytes_max);
    const FlatFields fields = parser.Parse(payload, texts);
    CHECK(Bytes(RefineFields(fields, record, Sha256(payload), options, texts)) == Bytes(one.element()));
  }
}

TEST_CASE("refine: a payload as it would be refined once more") {
  // What was normalised, written as an event again, changes no further.
  for (const std::string_view type :
       {"StartTransaction", "MeterValues", "StopTransaction", "StatusNotification"}) {
    const Changes odd = {{"event_type", "\"" + std::string(type) + " \""},
                         {"event_ts", "\"2026-03-01 12:00:00+02\""},
                         {"transaction_id", "\" 0501\""},
                         {"unit", "\"wh\""},
                         {"connector_status", "\"charging \""}};
    const One once = RefineOne(Payload(type, odd));
    const auto quoted = [&](std::string_view column) {
      const std::string text = Column(once.row(), column);
      return text == "-" ? std::string() : "\"" + text + "\"";
    };
    const One twice = RefineOne(Payload(type, {{"event_ts", quoted("event_ts")},
                                               {"event_type", quoted("event_type")},
                                               {"transaction_id", quoted("transaction_id")},
                                               {"meter_value", quoted("value")},
                                               {"unit", quoted("unit")},
                                               {"measurand", quoted("measurand")},
                                               {"location", quoted("location")},
                                               {"context", quoted("context")},
                                               {"connector_status", quoted("connector_status")}}));
    CAPTURE(once.payload, twice.payload);
    CHECK(once.element().identity.business_key == twice.element().identity.business_key);
    CHECK(once.element().identity.values == twice.element().identity.values);
    ChargingEvent expected = once.row();
    expected.flags = 0;
    CHECK(twice.row() == expected);
  }
}

TEST_CASE("refine: whatever the bytes, there is one element, twice the same") {
  const uint32_t seed = GENERATE(range(0u, 60u));
  CAPTURE(seed);
  std::mt19937 random(seed);
  const Options options;
  static constexpr std::string_view kTypes[] = {"StartTransaction", "MeterValues", "StopTransaction",
                                                "StatusNotification", "Heartbeat"};
  for (int i = 0; i < 200; ++i) {
    const Changes more = {{"x", R"({"a":[1,{"b":"c\u0041"}],"d":null})"},
                          {"ingest_ts", R"("2026-03-01T11:00:00Z")"}};
    const std::string payload = Mutated(Payload(kTypes[random() % 5], more), random);
    // A buffer of exactly that size: a sanitizer sees what is read beyond it.
    const std::unique_ptr<char[]> exact(new char[payload.size()]);
    std::memcpy(exact.get(), payload.data(), payload.size());
    BronzeRecord record = Received();
    record.payload = {exact.get(), payload.size()};
    const Refined<ChargingEvent> first = Refine({&record, 1}, options),
                                 second = Refine({&record, 1}, options);
    CAPTURE(payload);
    REQUIRE(first.elements.size() == 1);
    const ChargingElement& element = first.elements[0];
    CHECK(Bytes(element) == Bytes(second.elements[0]));
    CHECK(element.violations.empty() == element.to_settle());
    const bool corrupt = element.violations == R"(["CORRUPT_PAYLOAD"])";
    if (const std::optional<bool> is_object = IsObject(record.payload)) CHECK(corrupt == !*is_object);
    if (element.violations.empty()) {
      CHECK(element.row.event_type != EventType::kUnknown);
      CHECK(element.row.event_ts != kNoTime);
      CHECK(element.identity.business_key != Digest{});
    }
  }
}

}  // namespace medallion::ocpp
