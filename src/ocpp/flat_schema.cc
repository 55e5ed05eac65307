#include "medallion/ocpp/flat_schema.h"

#include <array>

namespace medallion::ocpp {
namespace {

constexpr std::array<std::string_view, kFields> kNames = {
    "event_id",     "event_type",     "charge_point_id", "connector_id", "evse_id",          "transaction_id",
    "event_ts",     "ingest_ts",      "meter_value",     "meter_wh",     "meter_kwh",        "unit",
    "measurand",    "phase",          "location",        "context",      "connector_status", "error_code",
    "stop_reason",  "id_tag",         "seq_no",          "offline",      "trigger_reason",   "charging_state",
    "ocpp_version", "schema_version",
};

}  // namespace

std::string_view FieldName(Field field) { return kNames[static_cast<size_t>(field)]; }

FlatSchema FlatSchema::Version1() {
  FlatSchema schema{.version = 1, .names = {}};
  for (int i = 0; i < kFields; ++i) {
    schema.names.emplace(kNames[static_cast<size_t>(i)], static_cast<Field>(i));
  }
  schema.names.emplace("message_id", Field::kEventId);
  schema.names.emplace("action", Field::kEventType);
  schema.names.emplace("timestamp", Field::kEventTs);
  schema.names.emplace("status", Field::kConnectorStatus);
  schema.names.emplace("reason", Field::kStopReason);
  return schema;
}

}  // namespace medallion::ocpp
