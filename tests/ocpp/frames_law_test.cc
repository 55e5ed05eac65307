// What holds of every frame, whatever its bytes.

#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "catch.h"
#include "medallion/ocpp/identify.h"
#include "medallion/ocpp/refine.h"
#include "ocpp/mutate.h"
#include "ocpp/one_frame.h"

namespace medallion::ocpp {
namespace {

using namespace medallion::ocpp::testing;

struct Seed {
  std::string_view version;
  std::string_view payload;
};
constexpr Seed kSeeds[] = {
    {"1.6",
     R"([2,"a","StartTransaction",{"connectorId":1,"idTag":"TAG01","meterStart":12000,"timestamp":"2026-03-01T10:00:00.000Z"}])"},
    {"1.6",
     R"([2,"a","StopTransaction",{"transactionId":63,"meterStop":19400,"timestamp":"2026-03-01T11:01:40Z","transactionData":[{"timestamp":"2026-03-01T10:00:00Z","sampledValue":[{"value":"1","context":"Transaction.Begin"},{"value":"{\"a\":\"b\"}","format":"SignedData"}]}]}])"},
    {"1.6",
     R"([2,"a","MeterValues",{"connectorId":1,"transactionId":7,"meterValue":[{"timestamp":"2026-03-01T10:00:00Z","sampledValue":[{"value":"1","phase":"L1"},{"value":"2.5","unit":"kWh","phase":"L2"},{"value":"3","phase":"L3"},{"value":"1","measurand":"SoC","unit":"Percent"}]}]}])"},
    {"1.6",
     R"([2,"a","StatusNotification",{"connectorId":1,"errorCode":"NoError","status":"Available","timestamp":"2026-03-01T10:00:00Z","info":"\u00e9\ud83d\ude00"}])"},
    {"1.6", R"([2,"a","Heartbeat",{}])"},
    {"1.6", R"([2,"a","DataTransfer",{"vendorId":"V","data":{"a":[1,2,{"b":null}]}}])"},
    {"1.6", R"([3,"a",{"transactionId":63,"idTagInfo":{"status":"Accepted"}}])"},
    {"1.6", R"([4,"a","InternalError","",{}])"},
    {"2.0.1",
     R"([2,"a","TransactionEvent",{"eventType":"Started","timestamp":"2026-03-01T10:00:00Z","triggerReason":"Authorized","seqNo":0,"transactionInfo":{"transactionId":"tx-1","chargingState":"Charging"},"offline":true,"evse":{"id":1,"connectorId":1},"idToken":{"idToken":"T","type":"ISO14443"},"meterValue":[{"timestamp":"2026-03-01T10:00:00Z","sampledValue":[{"value":1000,"context":"Transaction.Begin","unitOfMeasure":{"unit":"Wh","multiplier":1}}]}]}])"},
    {"2.1",
     R"([2,"a","TransactionEvent",{"eventType":"Updated","timestamp":"2026-03-01T10:00:00Z","seqNo":1,"transactionInfo":{"transactionId":"tx-1"},"meterValue":[{"timestamp":"2026-03-01T10:00:00Z","sampledValue":[{"value":1,"signedMeterValue":{"signedMeterData":"T0NN","encodingMethod":"OCMF"}}]}]}])"},
    {"2.0.1",
     R"([2,"a","StatusNotification",{"timestamp":"2026-03-01T10:00:00Z","connectorStatus":"Occupied","evseId":1,"connectorId":1}])"},
    {"2.1", R"([6,"a","NotifyPeriodicEventStream",{"id":1}])"},
};

BronzeRecord RecordOf(const Seed& seed, std::string_view payload, uint32_t number) {
  BronzeRecord record = FrameReceived(seed.version);
  record.payload = payload;
  record.at.offset = number;
  record.direction = number % 3 == 0 ? Direction::kOut : Direction::kIn;
  return record;
}

// The stop without a usable id that holds the sample, which has no place of its own; else null.
const ChargingElement* StopAround(std::span<const ChargingElement> elements, const ChargingElement& sample) {
  const ChargingEvent& row = sample.row;
  const ChargingElement& first = elements.front();
  const bool without = row.event_type == EventType::kMeterValues && !HasTransactionId(row, {}) &&
                       row.connector_id.value_or(0) == 0 && row.evse_id.value_or(0) <= 0;
  const bool in_stop = first.row.event_type == EventType::kStopTransaction &&
                       first.standing.fate == Fate::kSilver && !HasTransactionId(first.row, {});
  return without && in_stop ? &first : nullptr;
}

// What holds of the elements of any record.
void CheckElements(std::span<const ChargingElement> elements) {
  REQUIRE(!elements.empty());
  for (size_t i = 0; i < elements.size(); ++i) {
    const ChargingElement& element = elements[i];
    const bool silver = element.standing.fate == Fate::kSilver;
    CHECK(element.row.ordinal == i);
    CHECK(element.identity.order.ordinal == i);
    CHECK((element.standing.fate == Fate::kQuarantined) == !element.violations.empty());
    CHECK((element.standing.fate == Fate::kIgnored) == !element.reason.empty());
    if (!silver) CHECK(element.entity == EntityKey{});
    if (element.standing.fate == Fate::kQuarantined) CHECK(element.milestone == Milestone::kNone);
    if (!silver) continue;
    CHECK(element.to_settle());
    CHECK(element.row.event_type != EventType::kUnknown);
    CHECK(element.row.event_ts != kNoTime);
    const ChargingElement* const stop = StopAround(elements, element);
    CHECK(element.identity.business_key == KeyOf(element.row, {}, stop == nullptr ? nullptr : &stop->row));
    CHECK(element.entity == (stop != nullptr ? stop->entity : EntityOf(element.row, element.identity, {})));
    if (element.row.meter_wh && element.row.event_type == EventType::kMeterValues) {
      CHECK(element.row.meter_wh->units >= 0);
    }
  }
}

}  // namespace

TEST_CASE("frames: whatever the bytes, every record has elements, twice the same") {
  const uint32_t seed = GENERATE(range(0u, 60u));
  CAPTURE(seed);
  std::mt19937 random(seed);
  for (uint32_t i = 0; i < 200; ++i) {
    const Seed& from = kSeeds[random() % std::size(kSeeds)];
    const std::string payload = Mutated(std::string(from.payload), random);
    // A buffer of exactly that size: a sanitizer sees what is read beyond it.
    const std::unique_ptr<char[]> exact(new char[payload.size()]);
    std::memcpy(exact.get(), payload.data(), payload.size());
    const BronzeRecord record = RecordOf(from, {exact.get(), payload.size()}, i);
    const Refined<ChargingEvent> first = Refine({&record, 1}, {}), second = Refine({&record, 1}, {});
    CAPTURE(payload);
    CheckElements(first.elements);
    REQUIRE(second.elements.size() == first.elements.size());
    for (size_t j = 0; j < first.elements.size(); ++j) {
      CHECK(Bytes(first.elements[j]) == Bytes(second.elements[j]));
    }
  }
}

TEST_CASE("frames: cut anywhere, a frame is malformed at its end") {
  for (const Seed& seed : kSeeds) {
    for (size_t size = 1; size < seed.payload.size(); ++size) {
      const std::string payload(seed.payload.substr(0, size));
      CAPTURE(payload);
      const One one = RefineFrame(payload, seed.version);
      CHECK(Codes(one) == "CORRUPT_PAYLOAD");
      CHECK(one.refined.elements.size() == 1);
    }
  }
}

TEST_CASE("frames: strict as another parser is") {
  const uint32_t seed = GENERATE(range(0u, 40u));
  CAPTURE(seed);
  std::mt19937 random(seed);
  for (int i = 0; i < 300; ++i) {
    // In an object, so that any bytes are looked at as a frame.
    std::string inner(kSeeds[random() % std::size(kSeeds)].payload);
    const std::string payload = R"([2,"a","DataTransfer",{"x":)" + Mutated(inner, random) + "}]";
    const auto valid = IsObject("{\"x\":" + payload + "}");
    if (!valid) continue;
    CAPTURE(payload);
    const std::string detail(RefineFrame(payload).element().detail);
    const bool malformed = detail.find("malformed") != detail.npos ||
                           detail.find("encoding") != detail.npos || detail.find("deeper") != detail.npos;
    CHECK(malformed == !*valid);
  }
}

// Any value anywhere: no shape takes the record out of the books.
TEST_CASE("frames: wrong types everywhere") {
  constexpr std::string_view kValues[] = {"null", "true",      "-1",          "1e999",
                                          "\"\"", "\"null\"",  "{}",          "[]",
                                          "[[]]", "{\"a\":1}", "\"\\u0000\"", "99999999999999999999999",
                                          "[{}]", "[null,1]",  "\"x|y\\\\\""};
  for (const Seed& seed : kSeeds) {
    const std::string_view text = seed.payload;
    for (size_t at = text.find(':'); at != text.npos; at = text.find(':', at + 1)) {
      if (text[at - 1] != '"') continue;  // the colon of a time
      size_t end = at + 1;                // of the value: a text, or up to the next separator
      if (text[end] == '"') {
        end = text.find('"', end + 1) + 1;
      } else {
        end = text.find_first_of(",}]", end);
      }
      for (const std::string_view value : kValues) {
        const std::string payload =
            std::string(text.substr(0, at + 1)) + std::string(value) + std::string(text.substr(end));
        CAPTURE(payload);
        const One one = RefineFrame(payload, seed.version);
        CheckElements(one.refined.elements);
      }
    }
  }
}

TEST_CASE("frames: a batch says of each record what it says of the record alone") {
  std::vector<std::string> payloads;
  std::mt19937 random(7);
  for (uint32_t i = 0; i < 700; ++i) {
    const std::string payload(kSeeds[i % std::size(kSeeds)].payload);
    payloads.push_back(i % 5 == 4 ? Payload("MeterValues") : i % 7 == 6 ? Mutated(payload, random) : payload);
  }
  std::vector<BronzeRecord> records;
  for (uint32_t i = 0; i < payloads.size(); ++i) {
    records.push_back(RecordOf(kSeeds[i % std::size(kSeeds)], payloads[i], i));
  }
  const Refined<ChargingEvent> all = Refine(records, {});
  REQUIRE(all.ends.size() == records.size());
  REQUIRE(all.ends.back() == all.elements.size());
  for (size_t i = 0, at = 0; i < records.size(); ++i) {
    const Refined<ChargingEvent> alone = Refine({&records[i], 1}, {});
    REQUIRE(all.ends[i] - at == alone.elements.size());
    CHECK(all.ingest_ts[i] == alone.ingest_ts[0]);
    for (const ChargingElement& element : alone.elements) CHECK(Bytes(all.elements[at++]) == Bytes(element));
  }
}

}  // namespace medallion::ocpp
