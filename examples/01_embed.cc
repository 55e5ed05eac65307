// Records in, sessions out, in memory.
#include <iostream>

#include "medallion/ocpp/identify.h"
#include "medallion/ocpp/run.h"
using namespace medallion;

int main() {
  const BronzeRecord records[] = {
      {.payload = R"({"event_id": "e1", "event_type": "StartTransaction", "charge_point_id": "CP-100",
                      "transaction_id": 501, "event_ts": "2026-03-01T10:00:00Z", "meter_wh": 1000})",
       .at = {.topic = "ocpp", .offset = 1}},
      {.payload = R"({"event_id": "e5", "event_type": "StopTransaction", "charge_point_id": "CP-100",
                      "transaction_id": 501, "event_ts": "2026-03-01T10:30:00Z", "meter_kwh": "8.5"})",
       .at = {.topic = "ocpp", .offset = 2}}};

  const ocpp::Options options;
  MemoryStore<ocpp::Charging> store;
  Runner<ocpp::Charging> runner(store, options);
  if (!runner.Take(records, /*position=*/"").ok()) return 1;

  const auto session = store.Find<ocpp::ChargingSession>(ocpp::SessionId("CP-100", "501"));
  std::string energy_kwh;
  AppendCanonical(session->energy_kwh, energy_kwh);
  std::cout << SessionStatusName(session->session_status) << ", " << energy_kwh << " kWh"
            << (session->energy_is_final ? ", final" : "") << '\n';
}
