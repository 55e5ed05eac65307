// StopTransaction.req of 1.6, with the samples of its transactionData.
// Source: OCPP 1.6, 6.49; the charging domain, 6.
#include <array>

#include "frames/messages.h"
#include "frames/sample_fields.h"

namespace medallion::ocpp {
namespace {

constexpr auto kSpecs = std::to_array<FieldSpec>({
    {"idTag", Shape::kText, Slot::kIdTag},
    {"meterStop", Shape::kInteger, Slot::kMeter},
    {"timestamp", Shape::kText, Slot::kTimestamp},
    {"transactionId", Shape::kNumber, Slot::kTransactionId},
    {"reason", Shape::kText, Slot::kReason},
    {"transactionData", Shape::kInstants, Slot::kNone, kInstantFields16, "transactionData."},
});

void Add(FrameContext& context) {
  const FrameFields& fields = context.frame.header;
  Start samples = StartOf(context);
  Draft shared = ReadingOf(samples);
  ReadFrameTransaction(fields[Slot::kTransactionId], false, shared, context.texts);
  KeepNotes(shared, samples);

  Start stop = samples;
  Draft draft = ReadingOf(stop);
  ChargingEvent& row = stop.row;
  row.event_type = EventType::kStopTransaction;
  row.stop_reason = "Local";
  ReadFrameEnum(fields[Slot::kReason], Enumeration::kStopReason, row.stop_reason, draft);
  ReadFrameTime(fields[Slot::kTimestamp], context.options, draft);
  if (fields.Has(Slot::kMeter)) ReadHeaderMeter({&fields[Slot::kMeter], {}}, draft);
  ReadFrameTag(fields[Slot::kIdTag], context.options, draft, context.texts);
  KeepNotes(draft, stop);
  const bool sound = AddHeader(stop, context);

  samples.row.event_type = EventType::kMeterValues;
  if (sound || IsSound(samples)) AddSamples(samples, context);
  MarkRegisters(context);
}

}  // namespace

constinit const Message kStopTransaction{"StopTransaction", kOcpp16, kSpecs, Add};

}  // namespace medallion::ocpp
