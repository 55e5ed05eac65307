// A storage of your own behind the same run: the store is in map_store.h, and passes the suite that every
// store passes.
#include <iostream>

#include "map_store.h"
#include "medallion/ocpp/run.h"
using namespace medallion;

int main() {
  const BronzeRecord records[] = {
      {.payload = R"({"event_id": "e5", "event_type": "StopTransaction", "charge_point_id": "CP-100",
                      "transaction_id": 501, "event_ts": "2026-03-01T10:30:00Z", "meter_wh": 8500})",
       .at = {.topic = "ocpp", .offset = 1}},
      {.payload = R"({"event_id": "e1", "event_type": "StartTransaction", "charge_point_id": "CP-100",
                      "transaction_id": 501, "event_ts": "2026-03-01T10:00:00Z", "meter_wh": 1000})",
       .at = {.topic = "ocpp", .offset = 2}}};

  const ocpp::Options options;
  MapStore<ocpp::Charging> store;
  Runner<ocpp::Charging> runner(store, options);
  // The stop comes first, in a batch of its own; then the start; then all of it again.
  const std::span<const BronzeRecord> all(records);
  for (const auto batch : {all.first(1), all.last(1), all}) {
    if (!runner.Take(batch, "").ok()) return 1;
    for (const auto& [key, write] : store.gold()) {
      const auto* session = std::get_if<ocpp::ChargingSession>(&write.row);
      if (session == nullptr) continue;  // a row of another Gold table
      std::string energy_kwh;
      const bool known = AppendCanonical(session->energy_kwh, energy_kwh);
      std::cout << SessionStatusName(session->session_status) << ", " << (known ? energy_kwh : "?")
                << " kWh\n";
    }
  }
  std::cout << runner.report().redelivered << " records were delivered again\n";
}
