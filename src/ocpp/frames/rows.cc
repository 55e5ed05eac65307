#include "frames/rows.h"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "medallion/base/text.h"
#include "medallion/ocpp/identify.h"

namespace medallion::ocpp {
namespace {

// The ingest time of a record that brings none: the message's own time, else the latest of its instants.
UtcTime OwnTime(const Frame& frame) {
  const auto time_of = [](const FrameFields& fields) {
    const FieldValue& given = fields[Slot::kTimestamp];
    const auto parsed = given.kind == JsonKind::kText ? ParseTime(given.text) : std::nullopt;
    return parsed ? parsed->time : kNoTime;
  };
  UtcTime latest = time_of(frame.header);
  if (latest != kNoTime) return latest;
  for (const FrameFields& instant : frame.instants.All()) latest = std::max(latest, time_of(instant));
  return latest;
}

}  // namespace

Start StartOf(const FrameContext& context) {
  const Frame& frame = context.frame;
  const BronzeRecord& record = context.record;
  Start start;
  ChargingEvent& row = start.row;
  Draft draft = ReadingOf(start);
  row.at = record.at;
  row.ingest_ts = record.ingest_ts != kNoTime ? record.ingest_ts : record.broker_ts;
  if (row.ingest_ts == kNoTime) row.ingest_ts = OwnTime(frame);
  row.charge_point_id = Trim(record.key);
  row.ocpp_version = CanonicalVersion(Trim(record.version));
  if (row.ocpp_version.empty()) row.ocpp_version = "1.6";
  if (context.version2 && !IsVersion2(row.ocpp_version)) row.ocpp_version = "2.0.1";
  row.event_id = IntegerText(frame.id, draft, context.texts);
  if (row.event_id.empty()) row.event_id = Text(frame.id, draft);
  if (frame.coerced || frame.header.coerced || frame.id.kind == JsonKind::kNumber) row.flags |= kTypeCoerced;
  if (frame.reshaped || frame.header.reshaped) row.flags |= kShapeCoerced;
  if (!frame.header.ambiguous.empty()) {
    draft.notes |= kNoteAmbiguous;
    AddDetail(draft, "ambiguous", frame.header.ambiguous);
  }
  KeepNotes(draft, start);
  return start;
}

Draft ReadingOf(Start& start) {
  return {.event = start.row, .notes = start.notes, .detail = std::move(start.detail), .from_frame = true};
}

void KeepNotes(Draft& draft, Start& start) {
  start.notes = draft.notes;
  start.detail = std::move(draft.detail);
}

ChargingElement& AddElement(const Start& start, FrameContext& context) {
  ChargingElement& element = context.elements.emplace_back();
  element.row = start.row;
  element.row.ordinal = static_cast<uint32_t>(context.elements.size() - 1 - context.begin);
  return element;
}

Draft DraftOf(const Start& start, ChargingElement& element) {
  return {.event = element.row, .notes = start.notes, .detail = start.detail, .from_frame = true};
}

bool AddHeader(const Start& start, FrameContext& context) {
  ChargingElement& element = AddElement(start, context);
  const bool ends = element.row.event_type == EventType::kStopTransaction;
  if (ends && !HasTransactionId(element.row, context.options)) element.row.flags |= kTxIdInferred;
  Draft draft = DraftOf(start, element);
  Conclude(draft, context.options, context.texts, element);
  AddExtraFields(context.frame.header.extra_fields, element.row, context.texts);
  return element.standing.fate == Fate::kSilver;
}

bool IsSound(const Start& shared) {
  return shared.notes == 0 && !shared.row.event_id.empty() && !shared.row.charge_point_id.empty();
}

bool MaySplit(const Start& shared, FrameContext& context) {
  if (IsSound(shared)) return true;
  ChargingElement& element = AddElement(shared, context);
  element.row.event_ts = element.row.ingest_ts;
  Draft draft = DraftOf(shared, element);
  Conclude(draft, context.options, context.texts, element);
  if (element.standing.fate == Fate::kQuarantined) return false;
  context.elements.pop_back();  // the host lets it pass
  return true;
}

ChargingElement& AddIgnored(std::string_view detail, FrameContext& context) {
  Start start = StartOf(context);
  ChargingElement& element = AddElement(start, context);
  element.row.event_ts = element.row.ingest_ts;
  if (!IsSound(start)) {
    element.row.event_type = EventType::kHeartbeat;  // any that is known, for the rules
    Draft draft = DraftOf(start, element);
    Conclude(draft, context.options, context.texts, element);
    element.row.event_type = EventType::kUnknown;
    if (element.standing.fate == Fate::kQuarantined) return element;
  }
  element.standing.fate = Fate::kIgnored;
  element.reason = "NOT_A_CHARGING_FACT";
  element.detail = detail;
  return element;
}

void AddIgnoredCall(std::string_view detail, FrameContext& context) {
  ChargingElement& element = AddIgnored(detail, context);
  element.row.action = context.frame.action;
  const bool boot = context.frame.action == "BootNotification" && context.record.direction == Direction::kIn;
  if (boot && element.standing.fate == Fate::kIgnored) element.milestone = Milestone::kMilestone;
}

void ReadFrameTransaction(const FieldValue& value, bool version2, Draft& draft, Arena& texts) {
  ChargingEvent& event = draft.event;
  if (!IsPresent(value)) return;
  event.transaction_id = IntegerText(value, draft, texts);
  if (!event.transaction_id.empty()) return;
  if (value.kind != JsonKind::kText && value.kind != JsonKind::kNumber) {
    return AddDetail(draft, "transaction_id", value.text);
  }
  event.transaction_id = version2 ? value.text : Trim(value.text);
  const std::string_view integer =
      version2 ? std::string_view() : CanonicalInteger(event.transaction_id, texts);
  if (!integer.empty()) event.transaction_id = integer;
}

void ReadFrameTime(const FieldValue& value, const Options& options, Draft& draft) {
  ChargingEvent& event = draft.event;
  event.event_ts = ReadReported(value, options, draft);
  if (event.event_ts != kNoTime) return JudgeClock(options.frame_clock, options, draft);
  if (draft.Has(kNoteTimeInvalid)) return;
  if (event.ingest_ts == kNoTime) draft.notes |= kNoteTimeAbsent;
  event.event_ts = event.ingest_ts;
  event.flags |= kTsFromIngest;
}

void ReadFrameEnum(const FieldValue& value, Enumeration enumeration, std::string_view& member, Draft& draft) {
  if (!IsPresent(value)) return;
  member = Text(value, draft);
  const EnumMember known = MemberOf(enumeration, member);
  if ((known.versions & VersionsOf(draft.event.ocpp_version)) == 0) draft.event.flags |= kUnknownEnum;
  if (!known.name.empty()) member = known.name;
}

void ReadFrameConnector(const FieldValue& value, std::string_view name, bool needed,
                        std::optional<int32_t>& connector, Draft& draft) {
  if (!needed || IsPresent(value)) return ReadConnector(value, name, connector, draft);
  draft.notes |= kNoteConnectorInvalid;
  AddDetail(draft, "missing", name);
}

void ReadFrameTag(const FieldValue& value, const Options& options, Draft& draft, Arena& texts) {
  const uint8_t version = VersionsOf(draft.event.ocpp_version);
  const size_t longest = version == kOcpp16 ? 20 : version == kOcpp201 ? 36 : 255;
  const bool scalar = value.kind == JsonKind::kText || value.kind == JsonKind::kNumber;
  ReadIdTag(value, options, draft, texts);
  if (!scalar || Trim(value.text).size() <= longest) return;
  draft.event.flags |= kShapeCoerced;
  AddDetail(draft, "id_tag", "longer than " + std::to_string(longest));
}

void ReadStatus(const FieldValue& value, Draft& draft) {
  const std::string_view status = Text(value, draft);
  ChargingEvent& event = draft.event;
  event.connector_status = CanonicalStatus(event.ocpp_version, status);
  if (!event.connector_status.empty() || status.empty()) return;
  event.connector_status = status;
  event.flags |= kUnknownEnum;
}

void AddWithoutReading(const Start& start, const FieldValue& time, FrameContext& context) {
  ChargingElement& element = AddElement(start, context);
  Draft draft = DraftOf(start, element);
  const bool own = time.kind == JsonKind::kAbsent && context.frame.instants.size() > 0;
  ReadFrameTime(own ? context.frame.instants[0][Slot::kTimestamp] : time, context.options, draft);
  Conclude(draft, context.options, context.texts, element);
}

bool MarkRegisters(FrameContext& context) {
  bool any = false;
  for (size_t i = context.begin; i < context.elements.size(); ++i) {
    ChargingElement& element = context.elements[i];
    const bool reading = element.row.event_type == EventType::kMeterValues && element.row.meter_wh;
    if (!reading || element.standing.fate != Fate::kSilver) continue;
    element.milestone = Milestone::kDetail;
    any = true;
  }
  return any;
}

void MarkFirst(FrameContext& context) {
  const auto rows = std::span(context.elements).subspan(context.begin);
  const auto first = std::find_if(rows.begin(), rows.end(), [](const ChargingElement& element) {
    return element.standing.fate == Fate::kSilver;
  });
  if (first != rows.end()) first->milestone = Milestone::kDetail;
}

void AddExtraFields(std::string_view extra, ChargingEvent& row, Arena& texts) {
  if (extra.empty() || row.extra_fields.empty()) {
    if (!extra.empty()) row.extra_fields = extra;
    return;
  }
  std::string both(extra.substr(0, extra.size() - 1));
  row.extra_fields = texts.Copy(both.append(",").append(row.extra_fields.substr(1)));
}

void KeepExtraFields(FrameContext& context) {
  AddExtraFields(context.frame.header.extra_fields, context.elements[context.begin].row, context.texts);
}

}  // namespace medallion::ocpp
