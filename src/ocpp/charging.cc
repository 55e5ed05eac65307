#include "medallion/ocpp/charging.h"

#include "medallion/base/text.h"
#include "medallion/ocpp/derive_sessions.h"
#include "medallion/ocpp/epochs.h"
#include "medallion/ocpp/refine.h"
#include "value_name.h"

namespace medallion::ocpp {
namespace {

std::string ValueText(const ChargingEvent& event, std::string_view name) {
  std::string text;
  if (name == "meter_wh" || (name == "value" && event.meter_wh)) {
    AppendCanonical(event.meter_wh, text);
  } else if (name == "value") {
    text.append(event.value).append(event.unit.empty() ? "" : " ").append(event.unit);
  } else {
    text = name == "id_tag_hash" ? event.id_tag_hash : event.error_code;
  }
  return text;
}

}  // namespace

Refined<ChargingEvent> Charging::Refine(std::span<const BronzeRecord> batch, const Options& options) {
  return ocpp::Refine(batch, options);
}

void Charging::Cut(std::span<const ChargingElement* const> unit, std::span<uint32_t> fact,
                   const Options& options) {
  CutEpochs(unit, fact, options);
}

void Charging::Fill(Event& row, int value, const Event* from) {
  static const Event nothing;
  const Event& source = from != nullptr ? *from : nothing;
  const std::string_view name = ValueName(row.event_type, value);
  if (name == "meter_wh") {
    row.meter_wh = source.meter_wh;
  } else if (name == "id_tag_hash") {
    row.id_tag_hash = source.id_tag_hash;
  } else if (name == "error_code") {
    row.error_code = source.error_code;
  }
}

std::string Charging::Difference(const Event& row, const Event& fact, uint8_t differs) {
  std::string json = "{";
  for (int value = 0; value < kValuesMax; ++value) {
    if ((differs >> value & 1) == 0) continue;
    const std::string_view name = ValueName(row.event_type, value);
    json += json.size() > 1 ? "," : "";
    AppendJsonString(name, json);
    json += ":{\"accepted\":";
    AppendJsonString(ValueText(fact, name), json);
    json += ",\"rejected\":";
    AppendJsonString(ValueText(row, name), json);
    json += "}";
  }
  return json + "}";
}

}  // namespace medallion::ocpp
