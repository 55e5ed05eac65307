// StartTransaction.req of 1.6. It names no transaction: the result does.
// Source: OCPP 1.6, 6.45; the charging domain, 6.
#include <array>

#include "frames/messages.h"

namespace medallion::ocpp {
namespace {

constexpr auto kSpecs = std::to_array<FieldSpec>({
    {"connectorId", Shape::kNumber, Slot::kConnectorId},
    {"idTag", Shape::kText, Slot::kIdTag},
    {"meterStart", Shape::kInteger, Slot::kMeter},
    {"reservationId"},
    {"timestamp", Shape::kText, Slot::kTimestamp},
});

void Add(FrameContext& context) {
  const FrameFields& fields = context.frame.header;
  Start start = StartOf(context);
  Draft draft = ReadingOf(start);
  ChargingEvent& row = start.row;
  row.event_type = EventType::kStartTransaction;
  row.connection_id = context.record.connection_id;
  ReadFrameConnector(fields[Slot::kConnectorId], "connectorId", true, row.connector_id, draft);
  if (row.connector_id == 0) AddDetail(draft, "connectorId", "0");  // no session runs on the whole station
  ReadFrameTime(fields[Slot::kTimestamp], context.options, draft);
  if (fields.Has(Slot::kMeter)) ReadHeaderMeter({&fields[Slot::kMeter], {}}, draft);
  ReadFrameTag(fields[Slot::kIdTag], context.options, draft, context.texts);
  KeepNotes(draft, start);
  AddHeader(start, context);
}

}  // namespace

constinit const Message kStartTransaction{"StartTransaction", kOcpp16, kSpecs, Add};

}  // namespace medallion::ocpp
