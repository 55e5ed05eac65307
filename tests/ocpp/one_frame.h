// One frame through the steps, for tables of cases, and what became of it as text.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "medallion/silver/fate.h"
#include "ocpp/one_event.h"

namespace medallion::ocpp::testing {

// Received at noon from CP-1 on connection c1.
inline BronzeRecord FrameReceived(std::string_view version = "1.6") {
  BronzeRecord record = Received();
  record.key = "CP-1";
  record.version = version;
  record.connection_id = "c1";
  return record;
}

inline One RefineFrame(std::string payload, std::string_view version = "1.6", const Options& options = {}) {
  return RefineOne(std::move(payload), options, FrameReceived(version));
}
inline One RefineAnswer(std::string payload, std::string_view version = "1.6") {
  BronzeRecord record = FrameReceived(version);
  record.direction = Direction::kOut;
  return RefineOne(std::move(payload), {}, record);
}

// "silver StopTransaction tx=7 reason=Local meter=8500.000 flags=TZ_ASSUMED", or "quarantined:UNKNOWN_UNIT …". Left out is
// what is null, and what is a default: times at 10:00 on 2026-03-01, the register, Outlet, Sample.Periodic.
inline std::string Said(const ChargingElement& element) {
  const ChargingEvent& row = element.row;
  std::string said(FateName(element.standing.fate));
  if (!element.violations.empty()) said += ":" + Bare(element.violations);
  if (!row.action.empty()) said += " " + std::string(row.action);
  said += (row.event_type == EventType::kUnknown ? "" : " ") + std::string(EventTypeName(row.event_type));
  static constexpr std::pair<std::string_view, std::string_view> kShown[] = {{"evse_id", "evse"},
                                                                             {"connector_id", "con"},
                                                                             {"event_ts", "ts"},
                                                                             {"reported_ts", "reported"},
                                                                             {"transaction_id", "tx"},
                                                                             {"seq_no", "seq"},
                                                                             {"trigger_reason", "trigger"},
                                                                             {"charging_state", "state"},
                                                                             {"measurand", "measurand"},
                                                                             {"phase", "phase"},
                                                                             {"location", "loc"},
                                                                             {"context", "ctx"},
                                                                             {"value", "value"},
                                                                             {"unit", "unit"},
                                                                             {"meter_wh", "meter"},
                                                                             {"signed_value", "signed"},
                                                                             {"connector_status", "status"},
                                                                             {"error_code", "error"},
                                                                             {"stop_reason", "reason"},
                                                                             {"offline", "offline"},
                                                                             {"extra_fields", "extra"},
                                                                             {"detail", "detail"}};
  for (const auto& [column, name] : kShown) {
    const std::string text = Column(row, column);
    const bool is_default = text == "2026-03-01T10:00:00.000000Z" || text == "Outlet" ||
                            text == "Sample.Periodic" || text == "Energy.Active.Import.Register";
    if (text != "-" && !is_default) said += " " + std::string(name) + "=" + text;
  }
  if (row.reading != 0) said += " reading=" + std::to_string(row.reading);
  if (!row.id_tag_hash.empty()) said += " tagged";
  if (row.flags != 0) said += " flags=" + Bare(FlagsJson(row));
  return said;
}

// Of all elements, one a line.
inline std::string Said(const One& one) {
  std::string said;
  for (const ChargingElement& element : one.refined.elements)
    said += (said.empty() ? "" : "\n") + Said(element);
  return said;
}

}  // namespace medallion::ocpp::testing
