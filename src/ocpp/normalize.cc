#include "medallion/ocpp/normalize.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "medallion/base/decimal.h"
#include "medallion/base/text.h"
#include "medallion/ocpp/enums.h"
#include "read_values.h"

namespace medallion::ocpp {
namespace {

// A text field, where the event has it; else `text` is left alone.
void ReadText(const FlatFields& fields, Field field, std::string_view& text, Draft& draft) {
  if (fields.Has(field)) text = Text(fields[field], draft);
}

// A member of an enumeration in its canonical spelling; an unknown one as it came, noted.
void ReadEnum(const FlatFields& fields, Field field, Enumeration enumeration, std::string_view& member,
              Draft& draft) {
  if (!fields.Has(field)) return;
  member = Text(fields[field], draft);
  if (member.empty()) return;
  const std::string_view canonical = Canonical(enumeration, member);
  if (!canonical.empty()) {
    member = canonical;
  } else {
    draft.event.flags |= kUnknownEnum;
  }
}

// ---- who and what -------------------------------------------------------------------------------------------

void ReadNames(const FlatFields& fields, const BronzeRecord& record, Draft& draft, Arena& texts) {
  ChargingEvent& event = draft.event;
  const FieldValue& event_id = fields[Field::kEventId];
  event.event_id = IntegerText(event_id, draft, texts);
  if (event.event_id.empty()) event.event_id = Text(event_id, draft);
  const std::string_view type = Text(fields[Field::kEventType], draft);
  event.event_type = CanonicalEventType(type);
  if (event.event_type == EventType::kUnknown && !type.empty()) AddDetail(draft, "event_type", type);
  event.charge_point_id = Text(fields[Field::kChargePointId], draft);
  if (event.charge_point_id.empty() && !Trim(record.key).empty()) {
    event.charge_point_id = Trim(record.key);
    event.flags |= kChargePointFromKey;
  }
  event.ocpp_version = CanonicalVersion(Text(fields[Field::kOcppVersion], draft));
  if (event.ocpp_version.empty()) event.ocpp_version = CanonicalVersion(Trim(record.version));
  event.schema_version = fields.schema_version;
  ReadConnector(fields[Field::kConnectorId], "connector_id", event.connector_id, draft);
  ReadConnector(fields[Field::kEvseId], "evse_id", event.evse_id, draft);
}

size_t Characters(std::string_view utf8) {
  return static_cast<size_t>(std::count_if(utf8.begin(), utf8.end(),
                                           [](char c) { return (static_cast<uint8_t>(c) & 0xC0) != 0x80; }));
}

// Integers and 1.6 digit strings in canonical decimal, 2.x texts exactly as they are.
std::string_view TransactionId(const FieldValue& value, Draft& draft, Arena& texts) {
  if (value.kind != JsonKind::kText) return IntegerText(value, draft, texts);
  if (IsVersion2(draft.event.ocpp_version)) return value.text;
  const std::string_view text = Trim(value.text);
  const std::string_view integer = CanonicalInteger(text, texts);
  return integer.empty() ? text : integer;
}

void ReadTransaction(const FieldValue& value, Draft& draft, Arena& texts) {
  constexpr size_t kCharactersMax = 36;
  if (!IsPresent(value)) return;
  const std::string_view id = TransactionId(value, draft, texts);
  if (!id.empty() && (id.size() <= kCharactersMax || Characters(id) <= kCharactersMax)) {
    draft.event.transaction_id = id;
  } else {
    draft.notes |= kNoteTransactionInvalid;
    AddDetail(draft, "transaction_id", value.text);
  }
}

// The names that any type of event may carry; a reading's get their defaults later.
void ReadEnums(const FlatFields& fields, Draft& draft) {
  ChargingEvent& event = draft.event;
  ReadEnum(fields, Field::kMeasurand, Enumeration::kMeasurand, event.measurand, draft);
  ReadEnum(fields, Field::kPhase, Enumeration::kPhase, event.phase, draft);
  ReadEnum(fields, Field::kLocation, Enumeration::kLocation, event.location, draft);
  ReadEnum(fields, Field::kContext, Enumeration::kContext, event.context, draft);
  ReadEnum(fields, Field::kStopReason, Enumeration::kStopReason, event.stop_reason, draft);
  ReadText(fields, Field::kErrorCode, event.error_code, draft);
  if (!fields.Has(Field::kConnectorStatus)) return;
  const std::string_view status = Text(fields[Field::kConnectorStatus], draft);
  if (status.empty()) return;
  event.connector_status = CanonicalStatus(event.ocpp_version, status);
  if (!event.connector_status.empty()) return;
  event.connector_status = status;
  event.flags |= kUnknownEnum;
}

void ReadVersion2(const FlatFields& fields, Draft& draft) {
  constexpr uint32_t kAll = FlatFields::Bit(Field::kSeqNo) | FlatFields::Bit(Field::kOffline) |
                            FlatFields::Bit(Field::kTriggerReason) | FlatFields::Bit(Field::kChargingState);
  if ((fields.present & kAll) == 0) return;
  ChargingEvent& event = draft.event;
  ReadSeqNo(fields[Field::kSeqNo], draft);
  ReadOffline(fields[Field::kOffline], draft);
  ReadText(fields, Field::kTriggerReason, event.trigger_reason, draft);
  ReadText(fields, Field::kChargingState, event.charging_state, draft);
}

// ---- when ---------------------------------------------------------------------------------------------------

UtcTime ReadIngest(const FlatFields& fields, const BronzeRecord& record, UtcTime reported) {
  if (record.ingest_ts != kNoTime) return record.ingest_ts;
  if (record.broker_ts != kNoTime) return record.broker_ts;
  const FieldValue& given = fields[Field::kIngestTs];
  const std::optional<ParsedTime> parsed =
      given.kind == JsonKind::kText ? ParseTime(given.text) : std::nullopt;
  return parsed ? parsed->time : reported;
}

void ReadTimes(const FlatFields& fields, const BronzeRecord& record, const Options& options, Draft& draft) {
  ChargingEvent& event = draft.event;
  const FieldValue& given = fields[Field::kEventTs];
  event.event_ts = ReadReported(given, options, draft);
  event.ingest_ts = ReadIngest(fields, record, event.event_ts);
  if (event.event_ts != kNoTime) return JudgeClock(options.flat_clock, options, draft);
  if (draft.Has(kNoteTimeInvalid)) return;
  const bool may_lack =
      event.event_type == EventType::kStatusNotification || event.event_type == EventType::kHeartbeat;
  if (!may_lack || event.ingest_ts == kNoTime) {
    draft.notes |= kNoteTimeAbsent;
    return;
  }
  event.event_ts = event.ingest_ts;
  event.flags |= kTsFromIngest;
}

// ---- how much -----------------------------------------------------------------------------------------------

// Whether the meter fields say the same where more than one is given. A unit beside meter_wh or meter_kwh must be theirs.
bool MetersAgree(std::span<const Written> given) {
  const auto in_wh = [](const Written& written) {
    return Decimal::Parse(Trim(written.value->text), ScaleOf(written.unit).exponent10);
  };
  return std::all_of(given.begin(), given.end(), [&](const Written& other) {
    if (Trim(other.value->text) == Trim(given[0].value->text) && other.unit == given[0].unit) return true;
    const auto first = in_wh(given[0]), second = in_wh(other);
    return first && first == second && ScaleOf(other.unit).base == ScaleOf(given[0].unit).base;
  });
}

Written ReadWritten(const FlatFields& fields, std::string_view unit, Draft& draft) {
  constexpr uint32_t kMeters = FlatFields::Bit(Field::kMeterValue) | FlatFields::Bit(Field::kMeterWh) |
                               FlatFields::Bit(Field::kMeterKwh);
  if ((fields.present & kMeters) == 0) return {};
  if ((fields.present & kMeters) == FlatFields::Bit(Field::kMeterValue)) {
    return {&fields[Field::kMeterValue], unit};
  }
  Written given[3];
  size_t count = 0;
  const std::string_view plain_unit = unit.empty() ? std::string_view("Wh") : unit;
  for (const auto& [field, implied] :
       {std::pair{Field::kMeterValue, std::string_view()}, std::pair{Field::kMeterWh, std::string_view("Wh")},
        std::pair{Field::kMeterKwh, std::string_view("kWh")}}) {
    if (fields[field].kind == JsonKind::kAbsent) continue;
    const bool contradicts = !implied.empty() && !unit.empty() && unit != implied &&
                             fields[Field::kMeterValue].kind == JsonKind::kAbsent;
    if (contradicts) draft.notes |= kNoteAmbiguous, AddDetail(draft, "ambiguous", "unit");
    given[count++] = {&fields[field], implied.empty() ? plain_unit : implied};
  }
  if (count > 1 && !MetersAgree({given, count})) {
    draft.notes |= kNoteAmbiguous;
    AddDetail(draft, "ambiguous", "meter_value");
  }
  Written written = given[0];
  if (fields[Field::kMeterValue].kind != JsonKind::kAbsent) written.unit = unit;
  return written;
}

// Spellings that disagree are ambiguous in any event; starts, stops and samples have a reading.
void ReadMeter(const FlatFields& fields, Draft& draft) {
  const EventType type = draft.event.event_type;
  const std::string_view text = Text(fields[Field::kUnit], draft);
  const std::string_view canonical = text.empty() ? text : Canonical(Enumeration::kUnit, text);
  const Written written = ReadWritten(fields, canonical.empty() ? text : canonical, draft);
  if (type == EventType::kStatusNotification || type == EventType::kHeartbeat || type == EventType::kUnknown)
    return;
  if (!canonical.empty() && canonical != text && written.value != nullptr) draft.event.flags |= kUnitFolded;
  if (type == EventType::kMeterValues) return ReadSample(written, draft);
  if (written.value != nullptr) ReadHeaderMeter(written, draft);
}

// The fields that have no column. An ingest_ts inside the event is one of them where the record has its own.
std::string_view ExtraFields(const FlatFields& fields, const BronzeRecord& record, Arena& texts) {
  const bool unused = record.ingest_ts != kNoTime || record.broker_ts != kNoTime;
  if (!fields.Has(Field::kIngestTs) || !unused) return fields.extra_fields;
  const FieldValue& given = fields[Field::kIngestTs];
  std::string extra(fields.extra_fields);
  if (!extra.empty()) extra.pop_back();
  extra += extra.empty() ? "{\"ingest_ts\":" : ",\"ingest_ts\":";
  if (given.kind == JsonKind::kText) {
    AppendJsonString(given.text, extra);
  } else {
    extra += given.text;
  }
  return texts.Copy(extra += "}");
}

}  // namespace

Draft Normalize(const FlatFields& fields, const BronzeRecord& record, const Options& options, Arena& texts,
                ChargingEvent& event) {
  Draft draft{.event = event};
  event.at = record.at;
  event.ingest_ts = record.ingest_ts != kNoTime ? record.ingest_ts : record.broker_ts;
  if (!fields.corrupt.empty() || !fields.schema_known) {
    draft.notes |= fields.corrupt.empty() ? kNoteSchemaUnknown : kNoteCorrupt;
    event.charge_point_id = Trim(record.key);
    if (!fields.corrupt.empty()) draft.detail = fields.corrupt.substr(1, fields.corrupt.size() - 2);
    return draft;
  }
  if (fields.name_folded) event.flags |= kShapeCoerced;
  if (fields.version_coerced) event.flags |= kTypeCoerced;
  if (!fields.ambiguous.empty()) {
    draft.notes |= kNoteAmbiguous;
    AddDetail(draft, "ambiguous", fields.ambiguous);
  }
  event.extra_fields = ExtraFields(fields, record, texts);
  ReadNames(fields, record, draft, texts);
  ReadTransaction(fields[Field::kTransactionId], draft, texts);
  ReadTimes(fields, record, options, draft);
  ReadEnums(fields, draft);
  ReadMeter(fields, draft);
  if (fields.Has(Field::kIdTag)) ReadIdTag(fields[Field::kIdTag], options, draft, texts);
  ReadVersion2(fields, draft);
  return draft;
}

}  // namespace medallion::ocpp
