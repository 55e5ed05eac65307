// TransactionEventRequest of 2.x: Started and Ended are a start and a stop, Updated is a reading.
// Source: OCPP 2.0.1 part 2, 1.60.1; the charging domain, 6.
#include <array>

#include "frames/messages.h"
#include "frames/sample_fields.h"
#include "medallion/base/text.h"

namespace medallion::ocpp {
namespace {

constexpr auto kInfoFields = std::to_array<FieldSpec>({
    {"transactionId", Shape::kText, Slot::kTransactionId},
    {"chargingState", Shape::kText, Slot::kChargingState},
    {"timeSpentCharging"},
    {"stoppedReason", Shape::kText, Slot::kReason},
    {"remoteStartId"},
    {"operationMode"},
    {"tariffId"},
    {"transactionLimit"},
    {"customData"},
});
constexpr auto kEvseFields = std::to_array<FieldSpec>({
    {"id", Shape::kNumber, Slot::kEvseId},
    {"connectorId", Shape::kNumber, Slot::kConnectorId},
    {"customData"},
});
constexpr auto kTokenFields = std::to_array<FieldSpec>({
    {"idToken", Shape::kText, Slot::kIdTag},
    {"type"},
    {"additionalInfo", Shape::kPrivate},
    {"customData"},
});
constexpr auto kSpecs = std::to_array<FieldSpec>({
    {"eventType", Shape::kText, Slot::kEventType},
    {"meterValue", Shape::kInstants, Slot::kNone, kInstantFields2, "meterValue."},
    {"timestamp", Shape::kText, Slot::kTimestamp},
    {"triggerReason", Shape::kText, Slot::kTriggerReason},
    {"seqNo", Shape::kNumber, Slot::kSeqNo},
    {"offline", Shape::kBool, Slot::kOffline},
    {"numberOfPhasesUsed"},
    {"cableMaxCurrent"},
    {"reservationId"},
    {"preconditioningStatus"},
    {"evseSleep"},
    {"costDetails"},
    {"transactionInfo", Shape::kObject, Slot::kTransactionId, kInfoFields, "transactionInfo."},
    {"evse", Shape::kObject, Slot::kEvseId, kEvseFields, "evse."},
    {"idToken", Shape::kObject, Slot::kIdTag, kTokenFields, "idToken.", false, true},
    {"customData"},
});

EventType TypeOf(const FieldValue& event_type) {
  const std::string_view text =
      event_type.kind == JsonKind::kText ? Trim(event_type.text) : std::string_view();
  if (EqualsFoldedCase(text, "Started")) return EventType::kStartTransaction;
  if (EqualsFoldedCase(text, "Updated")) return EventType::kMeterValues;
  if (EqualsFoldedCase(text, "Ended")) return EventType::kStopTransaction;
  return EventType::kUnknown;
}

// What every row of the message has, its samples too.
Start SharedBy(const FrameContext& context) {
  const FrameFields& fields = context.frame.header;
  Start start = StartOf(context);
  Draft draft = ReadingOf(start);
  ChargingEvent& row = start.row;
  row.event_type = EventType::kMeterValues;
  ReadFrameTransaction(fields[Slot::kTransactionId], true, draft, context.texts);
  ReadConnector(fields[Slot::kEvseId], "evse.id", row.evse_id, draft);
  ReadConnector(fields[Slot::kConnectorId], "evse.connectorId", row.connector_id, draft);
  draft.notes &= ~uint32_t{kNoteConnectorInvalid};  // the transaction says where it is
  ReadSeqNo(fields[Slot::kSeqNo], draft);
  ReadOffline(fields[Slot::kOffline], draft);
  KeepNotes(draft, start);
  return start;
}

// What the message itself says beside.
void ReadEvent(Start& start, const FrameContext& context) {
  const FrameFields& fields = context.frame.header;
  Draft draft = ReadingOf(start);
  ChargingEvent& row = start.row;
  ReadFrameEnum(fields[Slot::kTriggerReason], Enumeration::kTriggerReason, row.trigger_reason, draft);
  ReadFrameEnum(fields[Slot::kChargingState], Enumeration::kChargingState, row.charging_state, draft);
  if (row.event_type == EventType::kStopTransaction) row.stop_reason = "Local";
  ReadFrameEnum(fields[Slot::kReason], Enumeration::kStopReason, row.stop_reason, draft);
  ReadFrameTag(fields[Slot::kIdTag], context.options, draft, context.texts);
  KeepNotes(draft, start);
}

// What the message's samples have, which may be older than it is. Where it has no time that can be read, theirs are all
// there is.
Start SamplesOf(const Start& shared, const FrameContext& context) {
  Start samples = shared, timed = shared;
  const FieldValue& time = context.frame.header[Slot::kTimestamp];
  Draft draft = ReadingOf(timed);
  ReadFrameTime(time, context.options, draft);
  const bool told = (timed.row.flags & kTsFromIngest) == 0 && draft.notes == shared.notes;
  if (told) samples.row.message_ts = timed.row.event_ts;
  return samples;
}

// An update is its readings; where none is sound, it is a row without one. It may tell where its transaction is.
void AddUpdate(const Start& update, FrameContext& context) {
  if (!MaySplit(update, context)) return;
  if (AddSamples(SamplesOf(update, context), context) == 0) {
    AddWithoutReading(update, context.frame.header[Slot::kTimestamp], context);
  }
  if (update.row.evse_id.has_value() || update.row.connector_id.has_value()) MarkFirst(context);
  KeepExtraFields(context);
}

void Add(FrameContext& context) {
  const Start shared = SharedBy(context);
  Start event = shared;
  event.row.event_type = TypeOf(context.frame.header[Slot::kEventType]);
  ReadEvent(event, context);
  if (event.row.event_type == EventType::kMeterValues) return AddUpdate(event, context);
  Draft draft = ReadingOf(event);
  if (event.row.event_type == EventType::kUnknown) {
    AddDetail(draft, "eventType", context.frame.header[Slot::kEventType].text);
  }
  ReadFrameTime(context.frame.header[Slot::kTimestamp], context.options, draft);
  KeepNotes(draft, event);
  const bool sound = AddHeader(event, context);
  const bool known = event.row.event_type != EventType::kUnknown;
  if (sound || (known && IsSound(shared))) AddSamples(SamplesOf(shared, context), context);
}

}  // namespace

constinit const Message kTransactionEvent{"TransactionEvent", kOcpp2, kSpecs, Add};

}  // namespace medallion::ocpp
