// StatusNotification of 1.6 and 2.x.
// Source: OCPP 1.6, 6.47; OCPP 2.0.1 part 2, 1.57.1; the charging domain, 6.
#include <array>

#include "frames/messages.h"

namespace medallion::ocpp {
namespace {

constexpr auto kFields16 = std::to_array<FieldSpec>({
    {"connectorId", Shape::kNumber, Slot::kConnectorId},
    {"errorCode", Shape::kText, Slot::kErrorCode},
    {"info", Shape::kRemark},
    {"status", Shape::kText, Slot::kStatus},
    {"timestamp", Shape::kText, Slot::kTimestamp},
    {"vendorId", Shape::kRemark},
    {"vendorErrorCode", Shape::kRemark},
});
constexpr auto kFields2 = std::to_array<FieldSpec>({
    {"timestamp", Shape::kText, Slot::kTimestamp},
    {"connectorStatus", Shape::kText, Slot::kStatus},
    {"evseId", Shape::kNumber, Slot::kEvseId},
    {"connectorId", Shape::kNumber, Slot::kConnectorId},
    {"customData"},
});

void Add(FrameContext& context) {
  const FrameFields& fields = context.frame.header;
  Start start = StartOf(context);
  Draft draft = ReadingOf(start);
  ChargingEvent& row = start.row;
  row.event_type = EventType::kStatusNotification;
  ReadFrameConnector(fields[Slot::kConnectorId], "connectorId", true, row.connector_id, draft);
  ReadFrameConnector(fields[Slot::kEvseId], "evseId", false, row.evse_id, draft);
  ReadFrameTime(fields[Slot::kTimestamp], context.options, draft);
  ReadStatus(fields[Slot::kStatus], draft);
  const std::string_view status = IsVersion2(row.ocpp_version) ? "connectorStatus" : "status";
  if (row.connector_status.empty()) AddDetail(draft, "missing", status);
  ReadFrameEnum(fields[Slot::kErrorCode], Enumeration::kErrorCode, row.error_code, draft);
  KeepNotes(draft, start);
  AddHeader(start, context);
}

}  // namespace

constinit const Message kStatusNotification16{"StatusNotification", kOcpp16, kFields16, Add};
constinit const Message kStatusNotification2{"StatusNotification", kOcpp2, kFields2, Add};

}  // namespace medallion::ocpp
