#include "medallion/ocpp/charging_event.h"

#include <array>

#include "medallion/base/text.h"

namespace medallion::ocpp {

std::string_view FlagName(int bit) {
  static constexpr std::array<std::string_view, kFlags> kNames = {
      "TZ_ASSUMED",   "TS_FROM_INGEST", "CLOCK_UNSET",  "FUTURE_TIMESTAMP", "CHARGE_POINT_FROM_KEY",
      "TYPE_COERCED", "SHAPE_COERCED",  "UNKNOWN_ENUM", "UNIT_FOLDED",      "PRECISION_LOST"};
  return kNames[static_cast<size_t>(bit)];
}

std::string FlagsJson(const ChargingEvent& event) {
  std::string json = "[";
  const auto add = [&](std::string_view name) {
    if (json.size() > 1) json += ',';
    AppendJsonString(name, json);
  };
  for (int bit = 0; bit < kFlags; ++bit) {
    if ((event.flags >> bit & 1) != 0) add(FlagName(bit));
  }
  for (std::string_view rest = event.host_flags; !rest.empty();) {
    const size_t end = rest.find(',');
    add(rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  return json + "]";
}

}  // namespace medallion::ocpp
