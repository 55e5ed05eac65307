// The charging pack for hosts that hold nlohmann::json: events in, rows out, options from a configuration.
// Nothing here throws. Pure. Safe from any thread. Source: the design, section 6; the charging domain, 1.1
// and 1.3.
#pragma once

#include <span>

#include "absl/status/statusor.h"
#include "medallion/base/arena.h"
#include "medallion/bronze/record.h"
#include "medallion/ocpp/charge_point_health.h"
#include "medallion/ocpp/charging_event.h"
#include "medallion/ocpp/charging_session.h"
#include "medallion/ocpp/charging_stats_daily.h"
#include "medallion/ocpp/connector_status.h"
#include "medallion/ocpp/flat_schema.h"
#include "medallion/ocpp/options.h"
#include "medallion/ocpp/parse.h"
#include "medallion/silver/tables.h"
#include "nlohmann/json.hpp"

namespace medallion {

// A row as a JSON object: columns in the table's order, an absent value as null. The same JSON as the line
// that AppendJson writes, save that nlohmann::json keeps a fraction inside extra_fields or detail as a
// double. Readings and energies are texts, with all their digits.
nlohmann::ordered_json ToJson(const QuarantineRow& row);
nlohmann::ordered_json ToJson(const AuditRow& row);
nlohmann::ordered_json ToJson(const IgnoredRow& row);

// `nlohmann::ordered_json json = row;` does the same, and so does nlohmann::json, which sorts the columns by
// name.
template <class Json>
void to_json(Json& json, const QuarantineRow& row) {
  json = ToJson(row);
}
template <class Json>
void to_json(Json& json, const AuditRow& row) {
  json = ToJson(row);
}
template <class Json>
void to_json(Json& json, const IgnoredRow& row) {
  json = ToJson(row);
}

namespace ocpp {

nlohmann::ordered_json ToJson(const ChargingEvent& row);
nlohmann::ordered_json ToJson(const ChargingSession& row);
nlohmann::ordered_json ToJson(const ChargingStatsDaily& row);
nlohmann::ordered_json ToJson(const ConnectorStatusPeriod& row);
nlohmann::ordered_json ToJson(const ConnectorStatus& row);
nlohmann::ordered_json ToJson(const ChargePointHealth& row);

template <class Json>
void to_json(Json& json, const ChargingEvent& row) {
  json = ToJson(row);
}
template <class Json>
void to_json(Json& json, const ChargingSession& row) {
  json = ToJson(row);
}
template <class Json>
void to_json(Json& json, const ChargingStatsDaily& row) {
  json = ToJson(row);
}
template <class Json>
void to_json(Json& json, const ConnectorStatusPeriod& row) {
  json = ToJson(row);
}
template <class Json>
void to_json(Json& json, const ConnectorStatus& row) {
  json = ToJson(row);
}
template <class Json>
void to_json(Json& json, const ChargePointHealth& row) {
  json = ToJson(row);
}

// The fields of an event that a host has parsed by itself, as FlatParser gives them; texts are copied to
// `texts`. What nlohmann::json has lost cannot be told: of a key given twice it holds the last value, and of
// a fraction, or an integer over 64 bit, a double. Such a number is read as its shortest decimal if that has
// at most 15 significant digits, which a double is sure to hold; else it is of kind kBinaryFloat, and a
// reading ends as INVALID_METER_VALUE with {"problem":"binary_float"}. A host whose readings have more digits
// hands over the text instead.
FlatFields FieldsOf(const nlohmann::json& event, std::span<const FlatSchema> schemas, Arena& texts);

// A flat event as an element: what ocpp::Refine makes of its text; frames are read from their text alone.
// `record` says where the event came from and when. Its payload, by whose digest the record is known, is the text that
// the event was parsed from; where it is empty, the event as compact JSON stands in. The element refers to `texts` and,
// for coordinate, key and version, to `record`.
ChargingElement Refine(const nlohmann::json& event, const BronzeRecord& record, const Options& options,
                       Arena& texts);

// Options from a configuration: everything in Options that is data. Every key is optional:
//
//   {
//     "id_tag_key": "a secret",
//     "schemas": [{"version": 2, "names": {"evt": "event_type", "cp": "charge_point_id"}}],
//     "assumed_zone": "Europe/Berlin",
//     "missing_offset": "accept",              or "quarantine"
//     "flat_clock": "quarantine",              or "keep"
//     "frame_clock": "keep",                   or "quarantine"
//     "not_an_id": ["1", 7],
//     "policy": "keep_first",                  or "contest_all"
//     "severities": {"UNKNOWN_UNIT": "flag"},  or "reject", "off"
//     "future_max_seconds": 300, "payload_bytes_max": 1048576,
//     "session_timeout_seconds": 86400, "epoch_gap_seconds": 86400, "late_seconds": 3600,
//     "duration_max_seconds": 604800, "power_max_w": 500000, "session_energy_max_wh": 1000000,
//     "power_max_w_of": [{"charge_point_id": "CP-1", "connector_id": 2, "power_max_w": 22000}],
//     "site_zone": "Europe/Berlin", "site_zones": {"CP-1": "Europe/Lisbon"},
//     "meter_intervals": true
//   }
//
// Names of version 1 are added to the domain page's own. Another version has only its own names, and
// "schema_version", without which no event could be of it. InvalidArgument, naming the key and what is
// allowed, for an unknown key, code or field and for a value of the wrong type or range.
absl::StatusOr<Options> OptionsFromJson(const nlohmann::json& config);

}  // namespace ocpp
}  // namespace medallion
