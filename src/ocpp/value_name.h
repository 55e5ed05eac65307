// The names of the values that settling compares, by their number.
// Pure. Source: the charging domain, section 3.
#pragma once

#include <string_view>

#include "medallion/ocpp/charging_event.h"

namespace medallion::ocpp {

inline std::string_view ValueName(EventType type, int value) {
  switch (type) {
    case EventType::kStartTransaction: return value == 0 ? "meter_wh" : "id_tag_hash";
    case EventType::kStopTransaction: return "meter_wh";
    case EventType::kMeterValues: return "value";
    default: return "error_code";
  }
}

}  // namespace medallion::ocpp
