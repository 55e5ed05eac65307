#include "medallion/ocpp/charging_event.h"

#include <array>

#include "medallion/base/text.h"

namespace medallion::ocpp {

std::string_view FlagName(int bit) {
  static constexpr std::array<std::string_view, kFlags> kNames = {
      "TZ_ASSUMED",   "TS_FROM_INGEST", "CLOCK_UNSET",  "FUTURE_TIMESTAMP", "CHARGE_POINT_FROM_KEY",
      "TYPE_COERCED", "SHAPE_COERCED",  "UNKNOWN_ENUM", "UNIT_FOLDED",      "PRECISION_LOST",
      "PHASE_SUM",    "TX_ID_INFERRED"};
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

// What stores hold depends on the order.
const Vocabulary& StoredWords() {
  static const Vocabulary words = {
      "Energy.Active.Import.Register", "Energy.Active.Export.Register", "Energy.Active.Import.Interval",
      "Energy.Active.Export.Interval", "Energy.Active.Net", "Energy.Active.Setpoint.Interval",
      "Energy.Reactive.Import.Register", "Energy.Reactive.Export.Register", "Energy.Reactive.Import.Interval",
      "Energy.Reactive.Export.Interval", "Energy.Reactive.Net", "Energy.Apparent.Net",
      "Energy.Apparent.Import", "Energy.Apparent.Export", "Energy.Request", "Power.Active.Import",
      "Power.Active.Export", "Power.Active.Setpoint", "Power.Active.Residual", "Power.Reactive.Import",
      "Power.Reactive.Export", "Power.Factor", "Power.Offered", "Power.Import.Offered",
      "Power.Import.Minimum", "Power.Export.Offered", "Power.Export.Minimum", "Current.Import",
      "Current.Export", "Current.Offered", "Current.Import.Offered", "Current.Import.Minimum",
      "Current.Export.Offered", "Current.Export.Minimum", "Voltage", "Voltage.Minimum", "Voltage.Maximum",
      "Frequency", "Temperature", "SoC", "RPM",
      // phases, locations, contexts
      "L1", "L2", "L3", "N", "L1-N", "L2-N", "L3-N", "L1-L2", "L2-L3", "L3-L1", "Outlet", "Cable", "Body",
      "Inlet", "EV", "Upstream", "Sample.Periodic", "Sample.Clock", "Transaction.Begin", "Transaction.End",
      "Interruption.Begin", "Interruption.End", "Trigger", "Other",
      // units
      "Wh", "kWh", "MWh", "varh", "kvarh", "VAh", "kVAh", "W", "kW", "VA", "kVA", "var", "kvar", "A", "V",
      "K", "C", "Celsius", "Celcius", "Fahrenheit", "Percent", "Hertz", "Hz",
      // statuses
      "Available", "Preparing", "Charging", "SuspendedEV", "SuspendedEVSE", "Finishing", "Reserved",
      "Unavailable", "Faulted", "Occupied",
      // reasons
      "DeAuthorized", "EmergencyStop", "EnergyLimitReached", "EVDisconnected", "GroundFault", "HardReset",
      "ImmediateReset", "Local", "LocalOutOfCredit", "MasterPass", "OvercurrentFault", "PowerLoss",
      "PowerQuality", "Reboot", "Remote", "ReqEnergyTransferRejected", "SOCLimitReached", "SoftReset",
      "StoppedByEV", "TimeLimitReached", "Timeout", "UnlockCommand",
      // error codes of 1.6
      "NoError", "ConnectorLockFailure", "EVCommunicationError", "GroundFailure", "HighTemperature",
      "InternalError", "LocalListConflict", "OtherError", "OverCurrentFailure", "OverVoltage",
      "PowerMeterFailure", "PowerSwitchFailure", "ReaderFailure", "ResetFailure", "UnderVoltage",
      "WeakSignal",
      // trigger reasons and charging states of 2.x
      "Authorized", "CablePluggedIn", "ChargingRateChanged", "ChargingStateChanged", "Deauthorized",
      "EVCommunicationLost", "EVConnectTimeout", "EVDeparted", "EVDetected", "MeterValueClock",
      "MeterValuePeriodic", "RemoteStart", "RemoteStop", "ResetCommand", "SignedDataReceived",
      "StopAuthorized", "TimeLimitReachedByEV", "AbnormalCondition", "Idle", "EVConnected",
      // versions
      "1.6", "2.0.1", "2.1",
      // more measurands of 2.1
      "Energy.Active.Import.CableLoss", "Energy.Active.Import.LocalGeneration.Register",
      "EnergyRequest.Target", "EnergyRequest.Minimum", "EnergyRequest.Maximum", "EnergyRequest.Minimum.V2X",
      "EnergyRequest.Maximum.V2X", "EnergyRequest.Bulk",
      // trigger reasons of 2.1
      "CostLimitReached", "LimitSet", "OperationModeChanged", "RunningCost", "SoCLimitReached",
      "TariffChanged", "TariffNotAccepted", "TxResumed",
      // actions that are ignored, and what a result says of a tag
      "BootNotification", "Authorize", "DataTransfer", "FirmwareStatusNotification", "LogStatusNotification",
      "SecurityEventNotification", "NotifyEvent", "NotifyReport", "RemoteStartTransaction",
      "RemoteStopTransaction", "TriggerMessage", "Accepted", "Blocked", "Expired", "Invalid", "ConcurrentTx",
      "NoCredit", "NotAllowedTypeEVSE", "NotAtThisLocation", "NotAtThisTime", "Unknown"};
  return words;
}

}  // namespace medallion::ocpp
