#include "medallion/ocpp/enums.h"

#include <algorithm>
#include <array>
#include <span>

#include "medallion/base/text.h"

namespace medallion::ocpp {
namespace {

using Names = std::span<const EnumMember>;

constexpr auto kMeasurands = std::to_array<EnumMember>({
    {"Energy.Active.Import.Register", kOcppAll},
    {"Energy.Active.Export.Register", kOcppAll},
    {"Energy.Active.Import.Interval", kOcppAll},
    {"Energy.Active.Export.Interval", kOcppAll},
    {"Energy.Active.Net", kOcpp2},
    {"Energy.Active.Setpoint.Interval", kOcpp21},
    {"Energy.Reactive.Import.Register", kOcppAll},
    {"Energy.Reactive.Export.Register", kOcppAll},
    {"Energy.Reactive.Import.Interval", kOcppAll},
    {"Energy.Reactive.Export.Interval", kOcppAll},
    {"Energy.Reactive.Net", kOcpp2},
    {"Energy.Apparent.Net", kOcpp2},
    {"Energy.Apparent.Import", kOcpp2},
    {"Energy.Apparent.Export", kOcpp2},
    {"Power.Active.Import", kOcppAll},
    {"Power.Active.Export", kOcppAll},
    {"Power.Active.Setpoint", kOcpp21},
    {"Power.Active.Residual", kOcpp21},
    {"Power.Reactive.Import", kOcppAll},
    {"Power.Reactive.Export", kOcppAll},
    {"Power.Factor", kOcppAll},
    {"Power.Offered", kOcppAll},
    {"Power.Import.Offered", kOcpp21},
    {"Power.Import.Minimum", kOcpp21},
    {"Power.Export.Offered", kOcpp21},
    {"Power.Export.Minimum", kOcpp21},
    {"Current.Import", kOcppAll},
    {"Current.Export", kOcppAll},
    {"Current.Offered", kOcppAll},
    {"Current.Import.Offered", kOcpp21},
    {"Current.Import.Minimum", kOcpp21},
    {"Current.Export.Offered", kOcpp21},
    {"Current.Export.Minimum", kOcpp21},
    {"Voltage", kOcppAll},
    {"Voltage.Minimum", kOcpp21},
    {"Voltage.Maximum", kOcpp21},
    {"Frequency", kOcppAll},
    {"Temperature", kOcpp16},
    {"SoC", kOcppAll},
    {"RPM", kOcpp16},
    {"Display.PresentSOC", kOcpp21},
    {"Display.MinimumSOC", kOcpp21},
    {"Display.TargetSOC", kOcpp21},
    {"Display.MaximumSOC", kOcpp21},
    {"Display.RemainingTimeToMinimumSOC", kOcpp21},
    {"Display.RemainingTimeToTargetSOC", kOcpp21},
    {"Display.RemainingTimeToMaximumSOC", kOcpp21},
    {"Display.ChargingComplete", kOcpp21},
    {"Display.BatteryEnergyCapacity", kOcpp21},
    {"Display.InletHot", kOcpp21},
    {"Energy.Active.Import.CableLoss", kOcpp21},
    {"Energy.Active.Import.LocalGeneration.Register", kOcpp21},
    {"EnergyRequest.Target", kOcpp21},
    {"EnergyRequest.Minimum", kOcpp21},
    {"EnergyRequest.Maximum", kOcpp21},
    {"EnergyRequest.Minimum.V2X", kOcpp21},
    {"EnergyRequest.Maximum.V2X", kOcpp21},
    {"EnergyRequest.Bulk", kOcpp21},
});
constexpr auto kPhases = std::to_array<EnumMember>({
    {"L1", kOcppAll},
    {"L2", kOcppAll},
    {"L3", kOcppAll},
    {"N", kOcppAll},
    {"L1-N", kOcppAll},
    {"L2-N", kOcppAll},
    {"L3-N", kOcppAll},
    {"L1-L2", kOcppAll},
    {"L2-L3", kOcppAll},
    {"L3-L1", kOcppAll},
});
constexpr auto kLocations = std::to_array<EnumMember>({
    {"Outlet", kOcppAll},
    {"Cable", kOcppAll},
    {"Body", kOcppAll},
    {"Inlet", kOcppAll},
    {"EV", kOcppAll},
    {"Upstream", kOcpp21},
});
constexpr auto kContexts = std::to_array<EnumMember>({
    {"Sample.Periodic", kOcppAll},
    {"Sample.Clock", kOcppAll},
    {"Transaction.Begin", kOcppAll},
    {"Transaction.End", kOcppAll},
    {"Interruption.Begin", kOcppAll},
    {"Interruption.End", kOcppAll},
    {"Trigger", kOcppAll},
    {"Other", kOcppAll},
});
constexpr auto kUnits = std::to_array<EnumMember>({
    {"Wh", kOcppAll},      {"kWh", kOcppAll},     {"MWh", kOcppAll},     {"varh", kOcppAll},
    {"kvarh", kOcppAll},   {"VAh", kOcppAll},     {"kVAh", kOcppAll},    {"W", kOcppAll},
    {"kW", kOcppAll},      {"VA", kOcppAll},      {"kVA", kOcppAll},     {"var", kOcppAll},
    {"kvar", kOcppAll},    {"A", kOcppAll},       {"V", kOcppAll},       {"K", kOcppAll},
    {"C", kOcppAll},       {"Celsius", kOcppAll}, {"Celcius", kOcppAll}, {"Fahrenheit", kOcppAll},
    {"Percent", kOcppAll}, {"Hertz", kOcppAll},   {"Hz", kOcppAll},      {"RPM", kOcppAll},
});
constexpr auto kStopReasons = std::to_array<EnumMember>({
    {"DeAuthorized", kOcppAll},
    {"EmergencyStop", kOcppAll},
    {"EnergyLimitReached", kOcpp2},
    {"EVDisconnected", kOcppAll},
    {"GroundFault", kOcpp2},
    {"HardReset", kOcpp16},
    {"ImmediateReset", kOcpp2},
    {"Local", kOcppAll},
    {"LocalOutOfCredit", kOcpp2},
    {"MasterPass", kOcpp2},
    {"Other", kOcppAll},
    {"OvercurrentFault", kOcpp2},
    {"PowerLoss", kOcppAll},
    {"PowerQuality", kOcpp2},
    {"Reboot", kOcppAll},
    {"Remote", kOcppAll},
    {"ReqEnergyTransferRejected", kOcpp21},
    {"SOCLimitReached", kOcpp2},
    {"SoftReset", kOcpp16},
    {"StoppedByEV", kOcpp2},
    {"TimeLimitReached", kOcpp2},
    {"Timeout", kOcpp2},
    {"UnlockCommand", kOcpp16},
});
constexpr auto kErrorCodes = std::to_array<EnumMember>({
    {"ConnectorLockFailure", kOcpp16},
    {"EVCommunicationError", kOcpp16},
    {"GroundFailure", kOcpp16},
    {"HighTemperature", kOcpp16},
    {"InternalError", kOcpp16},
    {"LocalListConflict", kOcpp16},
    {"NoError", kOcpp16},
    {"OtherError", kOcpp16},
    {"OverCurrentFailure", kOcpp16},
    {"PowerMeterFailure", kOcpp16},
    {"PowerSwitchFailure", kOcpp16},
    {"ReaderFailure", kOcpp16},
    {"ResetFailure", kOcpp16},
    {"UnderVoltage", kOcpp16},
    {"OverVoltage", kOcpp16},
    {"WeakSignal", kOcpp16},
});
constexpr auto kTriggerReasons = std::to_array<EnumMember>({
    {"Authorized", kOcpp2},           {"CablePluggedIn", kOcpp2},     {"ChargingRateChanged", kOcpp2},
    {"ChargingStateChanged", kOcpp2}, {"Deauthorized", kOcpp2},       {"EnergyLimitReached", kOcpp2},
    {"EVCommunicationLost", kOcpp2},  {"EVConnectTimeout", kOcpp2},   {"MeterValueClock", kOcpp2},
    {"MeterValuePeriodic", kOcpp2},   {"TimeLimitReached", kOcpp2},   {"Trigger", kOcpp2},
    {"UnlockCommand", kOcpp2},        {"StopAuthorized", kOcpp2},     {"EVDeparted", kOcpp2},
    {"EVDetected", kOcpp2},           {"RemoteStop", kOcpp2},         {"RemoteStart", kOcpp2},
    {"AbnormalCondition", kOcpp2},    {"SignedDataReceived", kOcpp2}, {"ResetCommand", kOcpp2},
    {"CostLimitReached", kOcpp21},    {"LimitSet", kOcpp21},          {"OperationModeChanged", kOcpp21},
    {"RunningCost", kOcpp21},         {"SoCLimitReached", kOcpp21},   {"TariffChanged", kOcpp21},
    {"TariffNotAccepted", kOcpp21},   {"TxResumed", kOcpp21},
});
constexpr auto kChargingStates = std::to_array<EnumMember>({
    {"Charging", kOcpp2},
    {"EVConnected", kOcpp2},
    {"SuspendedEV", kOcpp2},
    {"SuspendedEVSE", kOcpp2},
    {"Idle", kOcpp2},
});
constexpr auto kStatuses16 = std::to_array<EnumMember>({
    {"Available", kOcpp16},
    {"Preparing", kOcpp16},
    {"Charging", kOcpp16},
    {"SuspendedEV", kOcpp16},
    {"SuspendedEVSE", kOcpp16},
    {"Finishing", kOcpp16},
    {"Reserved", kOcpp16},
    {"Unavailable", kOcpp16},
    {"Faulted", kOcpp16},
});
constexpr auto kStatuses2 = std::to_array<EnumMember>({
    {"Available", kOcpp2},
    {"Occupied", kOcpp2},
    {"Reserved", kOcpp2},
    {"Unavailable", kOcpp2},
    {"Faulted", kOcpp2},
});

// By the numbers of EventType.
constexpr auto kEventTypes = std::to_array<EnumMember>({
    {"", 0},
    {"StartTransaction", kOcpp16},
    {"MeterValues", kOcppAll},
    {"StopTransaction", kOcpp16},
    {"StatusNotification", kOcppAll},
    {"Heartbeat", kOcppAll},
});

// By the numbers of Enumeration.
constexpr std::array<Names, 9> kTables = {kMeasurands,  kPhases,     kLocations,      kContexts,      kUnits,
                                          kStopReasons, kErrorCodes, kTriggerReasons, kChargingStates};

// The first member whose name equals `text` exactly, else the first whose name does so by `folded`; else one without a
// name.
template <class Equal>
const EnumMember& Find(Names names, std::string_view text, Equal folded) {
  static constexpr EnumMember kNone;
  for (const EnumMember& member : names) {
    if (member.name.size() == text.size() && SameText(member.name, text)) return member;
  }
  for (const EnumMember& member : names) {
    if (folded(member.name, text)) return member;
  }
  return kNone;
}

}  // namespace

EnumMember MemberOf(Enumeration enumeration, std::string_view text) {
  if (enumeration == Enumeration::kUnit && text == "mWh") return {};  // not MWh: a thousandth, not a million
  return Find(kTables[static_cast<size_t>(enumeration)], text, EqualsFoldedCase);
}

std::string_view Canonical(Enumeration enumeration, std::string_view text) {
  return MemberOf(enumeration, text).name;
}

std::string_view CanonicalStatus(std::string_view version, std::string_view text) {
  if (IsVersion2(version)) return Find(kStatuses2, text, EqualsFoldedName).name;
  const std::string_view status = Find(kStatuses16, text, EqualsFoldedName).name;
  return status.empty() && version.empty() ? Find(kStatuses2, text, EqualsFoldedName).name : status;
}

std::string_view EventTypeName(EventType type) { return kEventTypes[static_cast<size_t>(type)].name; }

EventType CanonicalEventType(std::string_view text) {
  const EnumMember& member = Find(Names(kEventTypes).subspan(1), text, EqualsFoldedName);
  return member.name.empty() ? EventType::kUnknown : static_cast<EventType>(&member - kEventTypes.data());
}

uint8_t VersionsOf(std::string_view version) {
  if (version.empty()) return kOcppAll;
  if (!IsVersion2(version)) return kOcpp16;
  return version.starts_with("2.1") ? kOcpp21 : kOcpp201;
}

std::string_view CanonicalVersion(std::string_view text) {
  if (text.size() > 4 && EqualsFoldedCase(text.substr(0, 4), "ocpp")) text = Trim(text.substr(4));
  return EqualsFoldedCase(text, "1.6J") ? "1.6" : text;
}

bool IsVersion2(std::string_view version) { return version.starts_with("2."); }

UnitScale ScaleOf(std::string_view unit) {
  struct Row {
    std::string_view unit;
    UnitScale scale;
  };
  static constexpr auto kRows = std::to_array<Row>({
      {"Wh", {"Wh", 0}},
      {"kWh", {"Wh", 3}},
      {"MWh", {"Wh", 6}},
      {"kvarh", {"varh", 3}},
      {"kVAh", {"VAh", 3}},
      {"kW", {"W", 3}},
      {"kVA", {"VA", 3}},
      {"kvar", {"var", 3}},
      {"C", {"Celsius", 0}},
      {"Celcius", {"Celsius", 0}},
      {"Hz", {"Hertz", 0}},
  });
  const auto* found =
      std::find_if(kRows.begin(), kRows.end(), [&](const Row& row) { return row.unit == unit; });
  return found == kRows.end() ? UnitScale{unit, 0} : found->scale;
}

}  // namespace medallion::ocpp
