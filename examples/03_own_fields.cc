// Field names of your own gateway, and a rule of your own.
#include <iostream>

#include "medallion/ocpp/options.h"
#include "medallion/ocpp/refine.h"
using namespace medallion;

int main() {
  ocpp::Options options;
  // Events that say "schema_version": 2 are read by these names; all others by the domain page's.
  options.schemas.push_back({.version = 2,
                             .names = {{"schema_version", ocpp::Field::kSchemaVersion},
                                       {"uuid", ocpp::Field::kEventId},
                                       {"kind", ocpp::Field::kEventType},
                                       {"station", ocpp::Field::kChargePointId},
                                       {"plug", ocpp::Field::kConnectorId},
                                       {"session", ocpp::Field::kTransactionId},
                                       {"at", ocpp::Field::kEventTs},
                                       {"kwh", ocpp::Field::kMeterKwh}}});
  // A reading from a station that is not ours is kept, with a flag. kReject would quarantine it.
  options.host_rules.push_back(
      {.code = "FOREIGN_STATION", .severity = Severity::kFlag, .check = [](const ocpp::ChargingEvent& event) {
         const bool ours = event.charge_point_id.starts_with("NL-");
         return ours ? Outcome::kPass : Outcome::kFail;
       }});

  const BronzeRecord records[] = {
      {.payload =
           R"({"schema_version": 2, "uuid": "a1", "kind": "start_transaction", "station": "NL-7", "plug": 1,
                      "session": "77", "at": "2026-03-01 10:00:00+01:00", "kwh": "120.25",
                      "firmware": "1.4.2"})",
       .at = {.topic = "gateway", .offset = 1}},
      {.payload =
           R"({"schema_version": 2, "uuid": "a2", "kind": "METER-VALUES", "station": "BE-3", "session": "78",
                      "at": "2026-03-01T10:05:00+01:00", "kwh": "9.5"})",
       .at = {.topic = "gateway", .offset = 2}}};

  // Refining is a pure function: no store is needed to see what becomes of a record.
  const Refined<ocpp::ChargingEvent> refined = ocpp::Refine(records, options);
  for (const ocpp::ChargingElement& element : refined.elements) {
    const ocpp::ChargingEvent& event = element.row;
    std::string meter_wh;
    AppendCanonical(event.meter_wh, meter_wh);
    std::cout << EventTypeName(event.event_type) << " at " << event.charge_point_id << ", "
              << FormatTime(event.event_ts) << ": " << meter_wh << " Wh, flags " << FlagsJson(event)
              << (event.extra_fields.empty() ? "" : ", also ") << event.extra_fields << "\n";
  }
}
