// BootNotification: no charging fact, but it opens an epoch of message ids and annotates sessions.
// Source: OCPP 1.6, 6.3; OCPP 2.0.1 part 2, 1.6.1; the charging domain, 6.
#include <array>
#include <string>

#include "frames/messages.h"
#include "json_walk.h"
#include "medallion/base/text.h"

namespace medallion::ocpp {
namespace {

constexpr auto kFields16 = std::to_array<FieldSpec>({
    {"chargePointVendor"},
    {"chargePointModel"},
    {"chargePointSerialNumber"},
    {"chargeBoxSerialNumber"},
    {"firmwareVersion"},
    {"iccid"},
    {"imsi"},
    {"meterType"},
    {"meterSerialNumber"},
});
constexpr auto kFields2 = std::to_array<FieldSpec>({
    {"reason", Shape::kText, Slot::kBootReason},
    {"chargingStation"},
    {"customData"},
});

void Add(FrameContext& context) {
  const FieldValue& reason = context.frame.header[Slot::kBootReason];
  std::string detail;
  if (reason.kind == JsonKind::kText) AppendMember({"reason", reason}, detail);
  if (!detail.empty()) detail += "}";
  AddIgnoredCall(context.texts.Copy(detail), context);
}

}  // namespace

constinit const Message kBootNotification16{"BootNotification", kOcpp16, kFields16, Add};
constinit const Message kBootNotification2{"BootNotification", kOcpp2, kFields2, Add};

}  // namespace medallion::ocpp
