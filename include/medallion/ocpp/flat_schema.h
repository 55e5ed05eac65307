// How a gateway names the fields of its flat events. A host with other names registers a FlatSchema of its own.
// Source: the charging domain, 1.1.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace medallion::ocpp {

// The fields that a flat event may have.
// clang-format off
enum class Field : uint8_t {
  kEventId, kEventType, kChargePointId, kConnectorId, kEvseId, kTransactionId, kEventTs, kIngestTs,
  kMeterValue, kMeterWh, kMeterKwh, kUnit, kMeasurand, kPhase, kLocation, kContext,
  kConnectorStatus, kErrorCode, kStopReason, kIdTag, kSeqNo, kOffline, kTriggerReason, kChargingState,
  kOcppVersion, kSchemaVersion,
};
// clang-format on
inline constexpr int kFields = static_cast<int>(Field::kSchemaVersion) + 1;
std::string_view FieldName(Field field);  // the canonical name: "event_id"

// One version of a gateway's format.
struct FlatSchema {
  int32_t version = 1;
  std::map<std::string, Field, std::less<>>
      names;  // spelling -> field; several spellings of one field are fine

  // The domain page's own: canonical names and their accepted alternatives.
  static FlatSchema Version1();
};

}  // namespace medallion::ocpp
