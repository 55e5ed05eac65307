// Nothing vanishes: what became of each record, and why.
#include <iostream>

#include "medallion/ocpp/json.h"
#include "medallion/ocpp/run.h"
using namespace medallion;

int main() {  // NOLINT(bugprone-exception-escape): the JSON read here is our own
  const auto record = [](int64_t offset, std::string_view payload) {
    return BronzeRecord{.payload = payload, .at = {.topic = "ocpp", .offset = offset}};
  };
  const BronzeRecord records[] = {
      // A reading.
      record(1, R"({"event_id": "e2", "event_type": "MeterValues", "charge_point_id": "CP-100",
                    "transaction_id": 501, "event_ts": "2026-03-01T10:10:00Z", "meter_wh": 4000})"),
      // Sent again.
      record(2, R"({"event_id": "e2", "event_type": "MeterValues", "charge_point_id": "CP-100",
                    "transaction_id": 501, "event_ts": "2026-03-01T10:10:00Z", "meter_wh": 4000})"),
      // The same reading in other words.
      record(3, R"({"event_id": "e3", "event_type": "MeterValues", "charge_point_id": "CP-100",
                    "transaction_id": 501, "event_ts": "2026-03-01T10:10:00Z", "meter_kwh": "4.0"})"),
      // Another reading of the same instant: which is right?
      record(4, R"({"event_id": "e4", "event_type": "MeterValues", "charge_point_id": "CP-100",
                    "transaction_id": 501, "event_ts": "2026-03-01T10:10:00Z", "meter_kwh": 4.1})"),
      record(5, R"({"event_type": "MeterValues", "transaction_id": 501, "meter_wh": "1,5"})"),
      record(6, "not even JSON")};

  const ocpp::Options options;
  MemoryStore<ocpp::Charging> store;
  if (!Runner<ocpp::Charging>(store, options).Take(records, "").ok()) return 1;

  std::cout << AccountingLine(*store.Books()) << "\n";
  const auto print = [](std::string_view line) {
    const nlohmann::json row = nlohmann::json::parse(line, nullptr, false);
    std::cout << "offset " << row["offset"];
    if (row.contains("violations")) {
      std::cout << " quarantined " << row["violations"] << " " << row["detail"] << "\n";
    } else {
      std::cout << " " << row["duplicate_type"] << " duplicate of offset " << row["winner_offset"] << "\n";
    }
    return absl::OkStatus();
  };
  for (const char* table : {"silver_duplicate_events_audit", "silver_quarantine_events"}) {
    if (!store.Read(table, print).ok()) return 1;
  }

  // The steps are pure functions, and each can be called by itself: without a store, here on JSON that a host
  // holds.
  const nlohmann::json event = {{"event_id", "e9"}, {"event_type", "Heartbeat"}, {"timestamp", "yesterday"}};
  Arena texts;
  const ocpp::ChargingElement element = ocpp::Refine(event, {.key = "CP-100"}, options, texts);
  std::cout << FateName(element.standing.fate) << " " << element.violations << " " << element.detail << "\n";
}
