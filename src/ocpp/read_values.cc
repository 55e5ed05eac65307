#include "read_values.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <system_error>

#include "absl/time/civil_time.h"
#include "absl/time/time.h"
#include "medallion/base/decimal.h"
#include "medallion/base/digest.h"
#include "medallion/ocpp/enums.h"

namespace medallion::ocpp {
namespace {

constexpr UtcTime kClockSet{1'262'304'000 *
                            kMicrosPerSecond};  // 2010-01-01: a device's time before it was never set

UtcTime InZone(UtcTime as_if_utc, const absl::TimeZone& zone) {
  if (zone == absl::UTCTimeZone()) return as_if_utc;
  const absl::Time time = absl::FromUnixMicros(as_if_utc.us);
  const absl::CivilSecond civil = absl::ToCivilSecond(time, absl::UTCTimeZone());
  const int64_t micros = as_if_utc.us - absl::ToUnixMicros(absl::FromCivil(civil, absl::UTCTimeZone()));
  return {absl::ToUnixMicros(absl::FromCivil(civil, zone)) + micros};
}

// What a reading that cannot be used said.
void AddReading(JsonKind kind, std::string_view text, Draft& draft) {
  AddDetail(draft, "meter_value", text);
  if (kind == JsonKind::kBinaryFloat) AddDetail(draft, "problem", "binary_float");
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

}  // namespace

void AddDetail(Draft& draft, std::string_view name, std::string_view text) {
  std::string key;
  AppendJsonString(name, key);
  if (draft.detail.find(key + ":") != std::string::npos) return;
  if (!draft.detail.empty()) draft.detail += ',';
  draft.detail += key;
  draft.detail += ':';
  AppendJsonString(text, draft.detail);
}

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

std::string_view CanonicalInteger(std::string_view text, Arena& texts) {
  const bool negative = text.starts_with('-');
  std::string_view digits = text.substr(negative);
  if (!IsDigits(digits)) return {};
  while (digits.size() > 1 && digits.front() == '0') digits.remove_prefix(1);
  if (!negative || digits == "0") return digits;
  return digits.size() + 1 == text.size() ? text : texts.Copy("-" + std::string(digits));
}

std::string_view IntegerText(const FieldValue& value, Draft& draft, Arena& texts) {
  if (value.kind != JsonKind::kNumber) return {};
  const std::string_view plain = CanonicalInteger(value.text, texts);
  if (!plain.empty()) return plain;
  const std::optional<int64_t> integer = Integer(value, draft);
  return integer ? texts.Copy(std::to_string(*integer)) : std::string_view();
}

void ReadConnector(const FieldValue& value, std::string_view name, std::optional<int32_t>& connector,
                   Draft& draft) {
  if (!IsPresent(value)) return;
  const std::optional<int64_t> number = Integer(value, draft);
  if (number && *number >= 0 && *number <= std::numeric_limits<int32_t>::max()) {
    connector = static_cast<int32_t>(*number);
    return;
  }
  draft.notes |= kNoteConnectorInvalid;
  AddDetail(draft, name, value.text);
}

void ReadSeqNo(const FieldValue& value, Draft& draft) {
  if (!IsPresent(value)) return;
  ChargingEvent& event = draft.event;
  event.seq_no = Integer(value, draft);
  if (event.seq_no && value.kind == JsonKind::kText) event.flags |= kTypeCoerced;
  if (!event.seq_no) AddDetail(draft, "seq_no", value.text);
}

void ReadOffline(const FieldValue& value, Draft& draft) {
  if (!IsPresent(value)) return;
  ChargingEvent& event = draft.event;
  const std::string_view text = Trim(value.text);
  if (EqualsFoldedCase(text, "true")) event.offline = true;
  if (EqualsFoldedCase(text, "false")) event.offline = false;
  if (event.offline && value.kind == JsonKind::kText) event.flags |= kTypeCoerced;
  if (!event.offline) AddDetail(draft, "offline", value.text);
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

void JudgeClock(ClockPolicy policy, const Options& options, Draft& draft) {
  ChargingEvent& event = draft.event;
  const bool unset = event.event_ts < kClockSet;
  const bool future =
      event.ingest_ts != kNoTime && event.event_ts.us - options.future_max_us > event.ingest_ts.us;
  if (!unset && !future) return;
  if (policy == ClockPolicy::kQuarantine || event.ingest_ts == kNoTime) {
    draft.notes |= kNoteTimeInvalid;
    AddDetail(draft, "event_ts", FormatTime(event.event_ts));
    return;
  }
  if (event.event_ts != event.ingest_ts) event.reported_ts = event.event_ts;
  event.event_ts = event.ingest_ts;
  event.flags |= unset ? kClockUnset : kFutureTimestamp;
}

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
  ReadSampleUnit(written, event.measurand.starts_with("Energy"), measurand_given, draft);
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

}  // namespace medallion::ocpp
