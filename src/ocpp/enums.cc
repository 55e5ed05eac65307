#include "medallion/ocpp/enums.h"

#include <algorithm>
#include <array>
#include <span>

#include "medallion/base/text.h"

namespace medallion::ocpp {
namespace {

using Names = std::span<const std::string_view>;

constexpr auto kMeasurands = std::to_array<std::string_view>({
    "Energy.Active.Import.Register",
    "Energy.Active.Export.Register",
    "Energy.Active.Import.Interval",
    "Energy.Active.Export.Interval",
    "Energy.Active.Net",
    "Energy.Active.Setpoint.Interval",
    "Energy.Reactive.Import.Register",
    "Energy.Reactive.Export.Register",
    "Energy.Reactive.Import.Interval",
    "Energy.Reactive.Export.Interval",
    "Energy.Reactive.Net",
    "Energy.Apparent.Net",
    "Energy.Apparent.Import",
    "Energy.Apparent.Export",
    "Energy.Request",
    "Power.Active.Import",
    "Power.Active.Export",
    "Power.Active.Setpoint",
    "Power.Active.Residual",
    "Power.Reactive.Import",
    "Power.Reactive.Export",
    "Power.Factor",
    "Power.Offered",
    "Power.Import.Offered",
    "Power.Import.Minimum",
    "Power.Export.Offered",
    "Power.Export.Minimum",
    "Current.Import",
    "Current.Export",
    "Current.Offered",
    "Current.Import.Offered",
    "Current.Import.Minimum",
    "Current.Export.Offered",
    "Current.Export.Minimum",
    "Voltage",
    "Voltage.Minimum",
    "Voltage.Maximum",
    "Frequency",
    "Temperature",
    "SoC",
    "RPM",
    "Display.PresentSOC",
    "Display.MinimumSOC",
    "Display.TargetSOC",
    "Display.MaximumSOC",
    "Display.RemainingTimeToMinimumSOC",
    "Display.RemainingTimeToTargetSOC",
    "Display.RemainingTimeToMaximumSOC",
    "Display.ChargingComplete",
    "Display.BatteryEnergyCapacity",
    "Display.InletHot",
});
constexpr auto kPhases = std::to_array<std::string_view>(
    {"L1", "L2", "L3", "N", "L1-N", "L2-N", "L3-N", "L1-L2", "L2-L3", "L3-L1"});
constexpr auto kLocations =
    std::to_array<std::string_view>({"Outlet", "Cable", "Body", "Inlet", "EV", "Upstream"});
constexpr auto kContexts = std::to_array<std::string_view>({
    "Sample.Periodic",
    "Sample.Clock",
    "Transaction.Begin",
    "Transaction.End",
    "Interruption.Begin",
    "Interruption.End",
    "Trigger",
    "Other",
});
constexpr auto kUnits = std::to_array<std::string_view>({
    "Wh", "kWh",     "MWh",     "varh",       "kvarh",   "VAh",   "kVAh", "W",
    "kW", "VA",      "kVA",     "var",        "kvar",    "A",     "V",    "K",
    "C",  "Celsius", "Celcius", "Fahrenheit", "Percent", "Hertz", "Hz",   "RPM",
});
constexpr auto kStopReasons = std::to_array<std::string_view>({
    "DeAuthorized",
    "EmergencyStop",
    "EnergyLimitReached",
    "EVDisconnected",
    "GroundFault",
    "HardReset",
    "ImmediateReset",
    "Local",
    "LocalOutOfCredit",
    "MasterPass",
    "Other",
    "OvercurrentFault",
    "PowerLoss",
    "PowerQuality",
    "Reboot",
    "Remote",
    "ReqEnergyTransferRejected",
    "SOCLimitReached",
    "SoftReset",
    "StoppedByEV",
    "TimeLimitReached",
    "Timeout",
    "UnlockCommand",
});
constexpr auto kStatuses16 = std::to_array<std::string_view>({
    "Available",
    "Preparing",
    "Charging",
    "SuspendedEV",
    "SuspendedEVSE",
    "Finishing",
    "Reserved",
    "Unavailable",
    "Faulted",
});
constexpr auto kStatuses2 =
    std::to_array<std::string_view>({"Available", "Occupied", "Reserved", "Unavailable", "Faulted"});

// By the numbers of EventType.
constexpr auto kEventTypes = std::to_array<std::string_view>(
    {"", "StartTransaction", "MeterValues", "StopTransaction", "StatusNotification", "Heartbeat"});

constexpr std::array<Names, 6> kTables = {kMeasurands, kPhases, kLocations, kContexts, kUnits, kStopReasons};

// Where the first name is that equals `text` exactly, else the first that does so by `folded`; else the end.
template <class Equal>
Names::iterator Place(Names names, std::string_view text, Equal folded) {
  const auto found =
      std::find_if(names.begin(), names.end(), [&](std::string_view name) { return SameText(name, text); });
  if (found != names.end()) return found;
  return std::find_if(names.begin(), names.end(), [&](std::string_view name) { return folded(name, text); });
}

// That name; empty where there is none.
template <class Equal>
std::string_view Find(Names names, std::string_view text, Equal folded) {
  const auto found = Place(names, text, folded);
  return found == names.end() ? std::string_view() : *found;
}

}  // namespace

std::string_view Canonical(Enumeration enumeration, std::string_view text) {
  return Find(kTables[static_cast<size_t>(enumeration)], text, EqualsFoldedCase);
}

std::string_view CanonicalStatus(std::string_view version, std::string_view text) {
  if (IsVersion2(version)) return Find(kStatuses2, text, EqualsFoldedName);
  const std::string_view status = Find(kStatuses16, text, EqualsFoldedName);
  return status.empty() && version.empty() ? Find(kStatuses2, text, EqualsFoldedName) : status;
}

std::string_view EventTypeName(EventType type) { return kEventTypes[static_cast<size_t>(type)]; }

EventType CanonicalEventType(std::string_view text) {
  const Names names = Names(kEventTypes).subspan(1);
  const auto found = Place(names, text, EqualsFoldedName);
  return found == names.end() ? EventType::kUnknown : static_cast<EventType>(1 + (found - names.begin()));
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
