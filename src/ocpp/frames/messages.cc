// All actions of all versions.
// Source: OCPP 1.6, sections 4 and 5, and the security whitepaper, edition 3; OCPP 2.0.1 and 2.1 part 2, section 1.
#include "frames/messages.h"

#include <algorithm>
#include <array>

#include "medallion/base/text.h"

namespace medallion::ocpp {
namespace {

constexpr Message Other(std::string_view action, uint8_t versions) { return {action, versions, {}, nullptr}; }

// The frequent ones first.
constexpr std::array<const Message*, 10> kWithFields = {
    &kMeterValues16, &kTransactionEvent, &kHeartbeat,       &kStatusNotification16, &kStatusNotification2,
    &kMeterValues2,  &kStartTransaction, &kStopTransaction, &kBootNotification16,   &kBootNotification2,
};
constexpr auto kOthers = std::to_array<Message>({
    Other("AFRRSignal", kOcpp21),
    Other("AdjustPeriodicEventStream", kOcpp21),
    Other("Authorize", kOcppAll),
    Other("BatterySwap", kOcpp21),
    Other("CancelReservation", kOcppAll),
    Other("CertificateSigned", kOcppAll),
    Other("ChangeAvailability", kOcppAll),
    Other("ChangeConfiguration", kOcpp16),
    Other("ChangeTransactionTariff", kOcpp21),
    Other("ClearCache", kOcppAll),
    Other("ClearChargingProfile", kOcppAll),
    Other("ClearDERControl", kOcpp21),
    Other("ClearDisplayMessage", kOcpp2),
    Other("ClearTariffs", kOcpp21),
    Other("ClearVariableMonitoring", kOcpp2),
    Other("ClearedChargingLimit", kOcpp2),
    Other("ClosePeriodicEventStream", kOcpp21),
    Other("CostUpdated", kOcpp2),
    Other("CustomerInformation", kOcpp2),
    Other("DataTransfer", kOcppAll),
    Other("DeleteCertificate", kOcppAll),
    Other("DiagnosticsStatusNotification", kOcpp16),
    Other("ExtendedTriggerMessage", kOcpp16),
    Other("FirmwareStatusNotification", kOcppAll),
    Other("Get15118EVCertificate", kOcpp2),
    Other("GetBaseReport", kOcpp2),
    Other("GetCertificateChainStatus", kOcpp21),
    Other("GetCertificateStatus", kOcpp2),
    Other("GetChargingProfiles", kOcpp2),
    Other("GetCompositeSchedule", kOcppAll),
    Other("GetConfiguration", kOcpp16),
    Other("GetDERControl", kOcpp21),
    Other("GetDiagnostics", kOcpp16),
    Other("GetDisplayMessages", kOcpp2),
    Other("GetInstalledCertificateIds", kOcppAll),
    Other("GetLocalListVersion", kOcppAll),
    Other("GetLog", kOcppAll),
    Other("GetMonitoringReport", kOcpp2),
    Other("GetPeriodicEventStream", kOcpp21),
    Other("GetReport", kOcpp2),
    Other("GetTariffs", kOcpp21),
    Other("GetTransactionStatus", kOcpp2),
    Other("GetVariables", kOcpp2),
    Other("InstallCertificate", kOcppAll),
    Other("LogStatusNotification", kOcppAll),
    Other("NotifyAllowedEnergyTransfer", kOcpp21),
    Other("NotifyChargingLimit", kOcpp2),
    Other("NotifyCustomerInformation", kOcpp2),
    Other("NotifyDERAlarm", kOcpp21),
    Other("NotifyDERStartStop", kOcpp21),
    Other("NotifyDisplayMessages", kOcpp2),
    Other("NotifyEVChargingNeeds", kOcpp2),
    Other("NotifyEVChargingSchedule", kOcpp2),
    Other("NotifyEvent", kOcpp2),
    Other("NotifyMonitoringReport", kOcpp2),
    Other("NotifyPeriodicEventStream", kOcpp21),
    Other("NotifyPriorityCharging", kOcpp21),
    Other("NotifyReport", kOcpp2),
    Other("NotifySettlement", kOcpp21),
    Other("NotifyWebPaymentStarted", kOcpp21),
    Other("OpenPeriodicEventStream", kOcpp21),
    Other("PublishFirmware", kOcpp2),
    Other("PublishFirmwareStatusNotification", kOcpp2),
    Other("PullDynamicScheduleUpdate", kOcpp21),
    Other("RemoteStartTransaction", kOcpp16),
    Other("RemoteStopTransaction", kOcpp16),
    Other("ReportChargingProfiles", kOcpp2),
    Other("ReportDERControl", kOcpp21),
    Other("RequestBatterySwap", kOcpp21),
    Other("RequestStartTransaction", kOcpp2),
    Other("RequestStopTransaction", kOcpp2),
    Other("ReservationStatusUpdate", kOcpp2),
    Other("ReserveNow", kOcppAll),
    Other("Reset", kOcppAll),
    Other("SecurityEventNotification", kOcppAll),
    Other("SendLocalList", kOcppAll),
    Other("SetChargingProfile", kOcppAll),
    Other("SetDERControl", kOcpp21),
    Other("SetDefaultTariff", kOcpp21),
    Other("SetDisplayMessage", kOcpp2),
    Other("SetMonitoringBase", kOcpp2),
    Other("SetMonitoringLevel", kOcpp2),
    Other("SetNetworkProfile", kOcpp2),
    Other("SetVariableMonitoring", kOcpp2),
    Other("SetVariables", kOcpp2),
    Other("SignCertificate", kOcppAll),
    Other("SignedFirmwareStatusNotification", kOcpp16),
    Other("SignedUpdateFirmware", kOcpp16),
    Other("TriggerMessage", kOcppAll),
    Other("UnlockConnector", kOcppAll),
    Other("UnpublishFirmware", kOcpp2),
    Other("UpdateDynamicSchedule", kOcpp21),
    Other("UpdateFirmware", kOcppAll),
    Other("UsePriorityCharging", kOcpp21),
    Other("VatNumberValidation", kOcpp21),
});

// The first message of those `is` holds for: one that has the version, else any.
template <class Predicate>
const Message* First(uint8_t version, Predicate is) {
  const Message* other = nullptr;
  const auto look = [&](const Message& message) {
    if (!is(message)) return false;
    if ((message.versions & version) != 0) return true;
    if (other == nullptr) other = &message;
    return false;
  };
  for (const Message* message : kWithFields) {
    if (look(*message)) return message;
  }
  const auto* const found = std::find_if(kOthers.begin(), kOthers.end(), look);
  return found == kOthers.end() ? other : found;
}

}  // namespace

const Message* FindMessage(std::string_view action, std::string_view version, bool& folded) {
  const uint8_t versions = VersionsOf(version);
  const Message* const exact =
      First(versions, [&](const Message& message) { return message.action == action; });
  if (exact != nullptr) return exact;
  const Message* const found =
      First(versions, [&](const Message& message) { return EqualsFoldedName(message.action, action); });
  folded = found != nullptr;
  return found;
}

std::vector<const Message*> AllMessages() {
  std::vector<const Message*> all(kWithFields.begin(), kWithFields.end());
  for (const Message& message : kOthers) all.push_back(&message);
  return all;
}

}  // namespace medallion::ocpp
