// MeterValues.req of 1.6 and MeterValuesRequest of 2.x: a row a sample, or one row without a reading.
// Source: OCPP 1.6, 6.31; OCPP 2.0.1 part 2, 1.32.1; the charging domain, 1.3 and 6.
#include <array>

#include "frames/messages.h"
#include "frames/sample_fields.h"
#include "medallion/ocpp/identify.h"

namespace medallion::ocpp {
namespace {

constexpr auto kFields16 = std::to_array<FieldSpec>({
    {"connectorId", Shape::kNumber, Slot::kConnectorId},
    {"transactionId", Shape::kNumber, Slot::kTransactionId},
    {"meterValue", Shape::kInstants, Slot::kNone, kInstantFields16, "meterValue."},
});
constexpr auto kFields2 = std::to_array<FieldSpec>({
    {"evseId", Shape::kNumber, Slot::kEvseId},
    {"meterValue", Shape::kInstants, Slot::kNone, kInstantFields2, "meterValue."},
    {"customData"},
});

// Where no row has a register, the first one tells that the transaction was there.
void MarkDetails(FrameContext& context) {
  if (!MarkRegisters(context)) MarkFirst(context);
}

void AddRows(Start& start, FrameContext& context) {
  const FrameFields& fields = context.frame.header;
  if (!MaySplit(start, context)) return;
  if (!fields.listed && fields.problem.empty()) {
    AddMissing(start, "meterValue", context);
  } else {
    AddSamples(start, context);
    if (context.elements.size() == context.begin) AddWithoutReading(start, {}, context);
  }
  KeepExtraFields(context);
}

void Add16(FrameContext& context) {
  const FrameFields& fields = context.frame.header;
  Start start = StartOf(context);
  Draft draft = ReadingOf(start);
  ChargingEvent& row = start.row;
  row.event_type = EventType::kMeterValues;
  ReadFrameTransaction(fields[Slot::kTransactionId], false, draft, context.texts);
  // A transaction says where it is.
  const bool needs_place = !HasTransactionId(row, context.options);
  ReadFrameConnector(fields[Slot::kConnectorId], "connectorId", needs_place, row.connector_id, draft);
  KeepNotes(draft, start);
  AddRows(start, context);
  MarkDetails(context);
}

void Add2(FrameContext& context) {
  Start start = StartOf(context);
  Draft draft = ReadingOf(start);
  start.row.event_type = EventType::kMeterValues;
  ReadFrameConnector(context.frame.header[Slot::kEvseId], "evseId", true, start.row.evse_id, draft);
  KeepNotes(draft, start);
  AddRows(start, context);
}

}  // namespace

constinit const Message kMeterValues16{"MeterValues", kOcpp16, kFields16, Add16};
constinit const Message kMeterValues2{"MeterValues", kOcpp2, kFields2, Add2};

}  // namespace medallion::ocpp
