#include "medallion/ocpp/normalize.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <span>
#include <system_error>
#include <utility>

#include "absl/time/civil_time.h"
#include "absl/time/time.h"
#include "medallion/base/decimal.h"
#include "medallion/base/digest.h"
#include "medallion/base/text.h"
#include "medallion/ocpp/enums.h"

namespace medallion::ocpp {
namespace {

constexpr UtcTime kClockSet{1'262'304'000 *
                            kMicrosPerSecond};  // 2010-01-01: a device's time before it was never set

// The first word on a matter stands.
void AddDetail(Draft& draft, std::string_view name, std::string_view text) {
  std::string key;
  AppendJsonString(name, key);
  if (draft.detail.find(key + ":") != std::string::npos) return;
  if (!draft.detail.empty()) draft.detail += ',';
  draft.detail += key;
  draft.detail += ':';
  AppendJsonString(text, draft.detail);
}

// A field whose type is text: trimmed; a number is taken as its token.
std::string_view Text(const FieldValue& value, Draft& draft) {
  if (value.kind == JsonKind::kText) return Trim(value.text);
  if (value.kind != JsonKind::kNumber) return {};
  draft.event.flags |= kTypeCoerced;
  return value.text;
}

// The same where the event has the field; else `text` is left alone.
void ReadText(const FlatFields& fields, Field field, std::string_view& text, Draft& draft) {
  if (fields.Has(field)) text = Text(fields[field], draft);
}

bool IsPresent(const FieldValue& value) {
  return value.kind != JsonKind::kAbsent && !(value.kind == JsonKind::kText && Trim(value.text).empty());
}

// An integer, as a number or as digits in text; the number 501.0 is one too, and noted as coerced. Nothing where the
// field is present but is no integer.
std::optional<int64_t> Integer(const FieldValue& value, Draft& draft) {
  if (value.kind != JsonKind::kText && value.kind != JsonKind::kNumber) return std::nullopt;
  const std::string_view text = Trim(value.text);
  int64_t plain = 0;
  const std::from_chars_result end = std::from_chars(text.data(), text.data() + text.size(), plain);
  if (end.ec == std::errc() && end.ptr == text.data() + text.size()) return plain;
  if (value.kind == JsonKind::kText) return std::nullopt;
  const std::optional<Decimal> number = Decimal::Parse(text);
  if (!number || !number->IsWhole(0)) return std::nullopt;
  draft.event.flags |= kTypeCoerced;
  return number->Rounded(0);
}

// An integer of any length in canonical decimal; empty where `text` is more than a sign and digits.
std::string_view CanonicalInteger(std::string_view text, Arena& texts) {
  const bool negative = text.starts_with('-');
  std::string_view digits = text.substr(negative);
  if (!IsDigits(digits)) return {};
  while (digits.size() > 1 && digits.front() == '0') digits.remove_prefix(1);
  if (!negative || digits == "0") return digits;
  return digits.size() + 1 == text.size() ? text : texts.Copy("-" + std::string(digits));
}

void ReadConnector(const FlatFields& fields, Field field, std::optional<int32_t>& connector, Draft& draft) {
  if (!IsPresent(fields[field])) return;
  const std::optional<int64_t> number = Integer(fields[field], draft);
  if (number && *number >= 0 && *number <= std::numeric_limits<int32_t>::max()) {
    connector = static_cast<int32_t>(*number);
    return;
  }
  draft.notes |= kNoteConnectorInvalid;
  AddDetail(draft, FieldName(field), fields[field].text);
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

// A number that is an integer, in canonical decimal; else empty.
std::string_view IntegerText(const FieldValue& value, Draft& draft, Arena& texts) {
  if (value.kind != JsonKind::kNumber) return {};
  const std::string_view plain = CanonicalInteger(value.text, texts);
  if (!plain.empty()) return plain;
  const std::optional<int64_t> integer = Integer(value, draft);
  return integer ? texts.Copy(std::to_string(*integer)) : std::string_view();
}

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
  ReadConnector(fields, Field::kConnectorId, event.connector_id, draft);
  ReadConnector(fields, Field::kEvseId, event.evse_id, draft);
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

void ReadIdTag(const FieldValue& value, const Options& options, Draft& draft, Arena& texts) {
  const std::string_view tag = Text(value, draft);
  if (tag.empty()) return;
  std::string text(tag);
  std::transform(text.begin(), text.end(), text.begin(), [](char c) { return AsciiLower(c); });
  const Digest digest = HmacSha256(options.id_tag_key, text);
  text.clear();
  AppendHex(digest, text);
  draft.event.id_tag_hash = texts.Copy(text);
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
  const FieldValue& seq_no = fields[Field::kSeqNo];
  if (IsPresent(seq_no)) {
    event.seq_no = Integer(seq_no, draft);
    if (event.seq_no && seq_no.kind == JsonKind::kText) event.flags |= kTypeCoerced;
    if (!event.seq_no) AddDetail(draft, "seq_no", seq_no.text);
  }
  const FieldValue& offline = fields[Field::kOffline];
  if (IsPresent(offline)) {
    const std::string_view text = Trim(offline.text);
    if (EqualsFoldedCase(text, "true")) event.offline = true;
    if (EqualsFoldedCase(text, "false")) event.offline = false;
    if (event.offline && offline.kind == JsonKind::kText) event.flags |= kTypeCoerced;
    if (!event.offline) AddDetail(draft, "offline", offline.text);
  }
  ReadText(fields, Field::kTriggerReason, event.trigger_reason, draft);
  ReadText(fields, Field::kChargingState, event.charging_state, draft);
}

// ---- when ---------------------------------------------------------------------------------------------------

UtcTime InZone(UtcTime as_if_utc, const absl::TimeZone& zone) {
  if (zone == absl::UTCTimeZone()) return as_if_utc;
  const absl::Time time = absl::FromUnixMicros(as_if_utc.us);
  const absl::CivilSecond civil = absl::ToCivilSecond(time, absl::UTCTimeZone());
  const int64_t micros = as_if_utc.us - absl::ToUnixMicros(absl::FromCivil(civil, absl::UTCTimeZone()));
  return {absl::ToUnixMicros(absl::FromCivil(civil, zone)) + micros};
}

// The reported time; kNoTime where none was reported or none can be read.
UtcTime ReadReported(const FieldValue& value, const Options& options, Draft& draft) {
  if (!IsPresent(value)) return kNoTime;
  const std::optional<ParsedTime> parsed =
      value.kind == JsonKind::kText ? ParseTime(value.text) : std::nullopt;
  if (!parsed || (parsed->offset_missing && options.missing_offset_rejected)) {
    draft.notes |= kNoteTimeInvalid;
    AddDetail(draft, "event_ts", value.text);
    return kNoTime;
  }
  if (!parsed->offset_missing) return parsed->time;
  draft.event.flags |= kTzAssumed;
  return InZone(parsed->time, options.assumed_zone);
}

UtcTime ReadIngest(const FlatFields& fields, const BronzeRecord& record, UtcTime reported) {
  if (record.ingest_ts != kNoTime) return record.ingest_ts;
  if (record.broker_ts != kNoTime) return record.broker_ts;
  const FieldValue& given = fields[Field::kIngestTs];
  const std::optional<ParsedTime> parsed =
      given.kind == JsonKind::kText ? ParseTime(given.text) : std::nullopt;
  return parsed ? parsed->time : reported;
}

// A time that cannot be: from a clock that was never set, or from the future.
void JudgeClock(const Options& options, Draft& draft) {
  ChargingEvent& event = draft.event;
  const bool unset = event.event_ts < kClockSet;
  const bool future =
      event.ingest_ts != kNoTime && event.event_ts.us - options.future_max_us > event.ingest_ts.us;
  if (!unset && !future) return;
  if (options.flat_clock == ClockPolicy::kQuarantine || event.ingest_ts == kNoTime) {
    draft.notes |= kNoteTimeInvalid;
    AddDetail(draft, "event_ts", FormatTime(event.event_ts));
    return;
  }
  if (event.event_ts != event.ingest_ts) event.reported_ts = event.event_ts;
  event.event_ts = event.ingest_ts;
  event.flags |= unset ? kClockUnset : kFutureTimestamp;
}

void ReadTimes(const FlatFields& fields, const BronzeRecord& record, const Options& options, Draft& draft) {
  ChargingEvent& event = draft.event;
  const FieldValue& given = fields[Field::kEventTs];
  event.event_ts = ReadReported(given, options, draft);
  event.ingest_ts = ReadIngest(fields, record, event.event_ts);
  if (event.event_ts != kNoTime) return JudgeClock(options, draft);
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

// A reading as it was written: its digits, and its unit (given, or implied by the field's name).
struct Written {
  const FieldValue* value = nullptr;
  std::string_view unit;
};

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

// What a reading that cannot be used said.
void AddReading(JsonKind kind, std::string_view text, Draft& draft) {
  AddDetail(draft, "meter_value", text);
  if (kind == JsonKind::kBinaryFloat) AddDetail(draft, "problem", "binary_float");
}

// The reading of a start or stop: a register. Never a reason to refuse the event.
void ReadHeaderMeter(const Written& written, Draft& draft) {
  ChargingEvent& event = draft.event;
  const std::string_view text = Trim(written.value->text);
  const std::string_view unit = written.unit.empty() ? std::string_view("Wh") : written.unit;
  const UnitScale scale = ScaleOf(unit);
  const bool scalar = written.value->kind == JsonKind::kText || written.value->kind == JsonKind::kNumber;
  const auto value = scalar && scale.base == "Wh" ? Decimal::Parse(text, scale.exponent10) : std::nullopt;
  const auto wh = value ? value->Rounded(3) : std::nullopt;
  if (!wh) {
    AddReading(written.value->kind, text, draft);
    if (scale.base != "Wh") AddDetail(draft, "unit", unit);
    return;
  }
  if (!value->IsWhole(3)) event.flags |= kPrecisionLost;
  event.value = text;
  event.unit = unit;
  event.meter_wh = Thousandths{*wh};
}

// A sample of the energy register. One phase, or a place beyond the outlet, is not what was charged in all.
void SetRegister(const Decimal& value, Draft& draft) {
  ChargingEvent& event = draft.event;
  const std::optional<int64_t> wh = value.Rounded(3);
  if (value.negative() || !wh) {
    draft.notes |= kNoteMeterInvalid;
    return;
  }
  const bool at_station = event.location == "Outlet" || event.location == "Cable" || event.location == "Body";
  if (!event.phase.empty() || !at_station) return;
  if (!value.IsWhole(3)) event.flags |= kPrecisionLost;
  event.meter_wh = Thousandths{*wh};
}

// Whether `unit` is one that an energy of this kind is measured in.
bool IsUnitOf(std::string_view measurand, std::string_view unit) {
  const std::string_view base = ScaleOf(unit).base;
  return base == "Wh" || (base == "varh" && measurand.starts_with("Energy.Reactive.")) ||
         (base == "VAh" && measurand.starts_with("Energy.Apparent."));
}

// The unit of a sample: the default where none is written and the measurand is an energy.
void ReadSampleUnit(const Written& written, bool energy, bool measurand_given, Draft& draft) {
  ChargingEvent& event = draft.event;
  event.unit = written.unit.empty() && energy ? std::string_view("Wh") : written.unit;
  if (event.unit.empty()) return;
  const bool known = !Canonical(Enumeration::kUnit, event.unit).empty();
  if (energy && !IsUnitOf(event.measurand, event.unit)) {
    draft.notes |= kNoteUnitUnknown;
    AddDetail(draft, "unit", event.unit);
    if (!measurand_given) AddDetail(draft, "measurand", "absent");
  } else if (!known) {
    event.flags |= kUnknownEnum;
  }
}

// The reading of a MeterValues event: a sample of any measurand.
void ReadSample(const Written& written, Draft& draft) {
  ChargingEvent& event = draft.event;
  const bool measurand_given = !event.measurand.empty();
  if (!measurand_given) event.measurand = kEnergyRegister;
  if (event.location.empty()) event.location = "Outlet";
  if (event.context.empty()) event.context = "Sample.Periodic";
  if (written.value == nullptr) {
    draft.notes |= kNoteMeterAbsent;
    return;
  }
  ReadSampleUnit(written, event.measurand.starts_with("Energy."), measurand_given, draft);
  const bool scalar = written.value->kind == JsonKind::kText || written.value->kind == JsonKind::kNumber;
  event.value = scalar ? Trim(written.value->text) : std::string_view();
  const auto value = Decimal::Parse(event.value, ScaleOf(event.unit).exponent10);
  const bool percent = event.unit == "Percent";
  if (!value || (percent && (value->negative() || *value > Decimal(100)))) {
    draft.notes |= kNoteMeterInvalid;
  } else if (event.measurand == kEnergyRegister && !draft.Has(kNoteUnitUnknown)) {
    SetRegister(*value, draft);
  }
  if (draft.Has(kNoteMeterInvalid)) AddReading(written.value->kind, written.value->text, draft);
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
