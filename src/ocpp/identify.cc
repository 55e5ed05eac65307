#include "medallion/ocpp/identify.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <system_error>

#include "medallion/base/columns.h"
#include "medallion/base/decimal.h"
#include "medallion/base/text.h"
#include "medallion/ocpp/enums.h"

namespace medallion::ocpp {
namespace {

// Memory for the text of a key, used again and again: no content outlives the function that fills it.
struct Scratch {
  JoinedFields key;
  std::string text;
};
Scratch& EmptyScratch() {
  thread_local Scratch scratch;
  scratch.key.Clear();
  return scratch;
}

// Adds a text in ASCII upper case.
void AddUpper(std::string_view text, JoinedFields& key) {
  char buffer[64];
  if (text.size() > sizeof buffer) {
    key.Add(AsciiUpper(text));
    return;
  }
  std::transform(text.begin(), text.end(), buffer, [](char c) { return AsciiUpper(c); });
  key.Add({buffer, text.size()});
}

void AddNumber(const std::optional<int32_t>& number, JoinedFields& key) {
  number ? key.Add(int64_t{*number}) : key.AddNull();
}

void AddTime(UtcTime time, Scratch& scratch) {
  scratch.text.clear();
  AppendTime(time, scratch.text);
  scratch.key.Add(scratch.text);
}

// The reported time; where none was, what tells the fact apart: the id that a resent message has again, or for an
// observation the time of its receipt.
void AddReportedTime(const ChargingEvent& event, Scratch& scratch) {
  const bool observation =
      event.event_type == EventType::kStatusNotification || event.event_type == EventType::kHeartbeat;
  if ((event.flags & kTsFromIngest) == 0) {
    AddTime(event.reported_ts != kNoTime ? event.reported_ts : event.event_ts, scratch);
  } else if (observation) {
    AddTime(event.ingest_ts, scratch);
  } else {
    scratch.key.Add(event.event_id);
  }
}

// A start or stop without a usable id is told apart by all that it says.
void AddHeader(const ChargingEvent& event, Scratch& scratch) {
  AddNumber(event.connector_id, scratch.key);
  AddReportedTime(event, scratch);
  scratch.text.clear();
  AppendCanonical(event.meter_wh, scratch.text);  // nothing where there is no reading
  scratch.key.Add(scratch.text).Add(event.id_tag_hash);
}

void AddReading(const ChargingEvent& event, bool has_id, Scratch& scratch) {
  if (has_id) {
    AddUpper(event.transaction_id, scratch.key);
  } else {
    AddNumber(event.evse_id, scratch.key);
    AddNumber(event.connector_id, scratch.key);
  }
  AddReportedTime(event, scratch);
  if (event.measurand.empty()) {
    event.seq_no ? scratch.key.Add(*event.seq_no) : scratch.key.AddNull();
    return;
  }
  scratch.key.Add(event.measurand).Add(event.phase).Add(event.location).Add(event.context);
  scratch.key.Add(int64_t{event.reading});
}

void AddStatus(const ChargingEvent& event, Scratch& scratch) {
  AddNumber(event.evse_id, scratch.key);
  AddNumber(event.connector_id, scratch.key);
  scratch.key.Add(event.connector_status);
  AddReportedTime(event, scratch);
}

// Adds the fields of the event's key.
void JoinKey(const ChargingEvent& event, bool has_id, Scratch& scratch) {
  scratch.key.Add(EventTypeName(event.event_type));
  AddUpper(event.charge_point_id, scratch.key);
  switch (event.event_type) {
    case EventType::kStartTransaction:
      if (!has_id) return AddHeader(event, scratch);
      AddNumber(event.connector_id, scratch.key);
      return AddUpper(event.transaction_id, scratch.key);
    case EventType::kStopTransaction:
      if (!has_id) return AddHeader(event, scratch);
      return AddUpper(event.transaction_id, scratch.key);
    case EventType::kMeterValues: return AddReading(event, has_id, scratch);
    case EventType::kStatusNotification: return AddStatus(event, scratch);
    case EventType::kHeartbeat: return AddReportedTime(event, scratch);
    case EventType::kUnknown: return;
  }
}

// A reading in its canonical unit: equal readings, equal digests.
uint64_t ReadingDigest(const ChargingEvent& event) {
  if (event.meter_wh) return static_cast<uint64_t>(event.meter_wh->units);
  const UnitScale scale = ScaleOf(event.unit);
  std::string& text = EmptyScratch().text;
  text.clear();
  if (const auto value = Decimal::Parse(event.value, scale.exponent10)) {
    value->AppendTo(text);
  } else {
    text = event.value;
  }
  return Fingerprint(text.append("|").append(scale.base));
}

Values ValuesOf(const ChargingEvent& event) {
  Values values;
  switch (event.event_type) {
    case EventType::kStartTransaction:
      if (!event.id_tag_hash.empty()) values.Set(1, Fingerprint(event.id_tag_hash));
      [[fallthrough]];
    case EventType::kStopTransaction:
      if (event.meter_wh) values.Set(0, static_cast<uint64_t>(event.meter_wh->units));
      break;
    case EventType::kMeterValues:
      if (!event.value.empty()) values.Set(0, ReadingDigest(event));
      break;
    case EventType::kStatusNotification:
      if (!event.error_code.empty()) values.Set(0, Fingerprint(event.error_code));
      break;
    default: break;
  }
  return values;
}

// Of all that CutEpochs looks at; never 0.
uint64_t CutDigest(const ChargingEvent& event) {
  JoinedFields& fields = EmptyScratch().key;
  fields.Add(EventTypeName(event.event_type)).Add(event.event_ts.us);
  AddNumber(event.connector_id, fields);
  event.meter_wh ? fields.Add(event.meter_wh->units) : fields.AddNull();
  fields.Add(event.id_tag_hash);
  return Fingerprint(fields.text()) | 1;
}

bool IsHeader(EventType type) {
  return type == EventType::kStartTransaction || type == EventType::kStopTransaction;
}

}  // namespace

bool HasTransactionId(const ChargingEvent& event, const Options& options) {
  const std::string_view id = event.transaction_id;
  if (id.empty() || id == "-1" || id == "0") return false;
  if (!options.not_an_id.empty() && options.not_an_id.contains(std::string(id))) return false;
  if (IsVersion2(event.ocpp_version)) return true;
  const std::string_view digits = id.substr(id.starts_with('-'));
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos)
    return true;  // a text
  int32_t number = 0;
  return std::from_chars(id.data(), id.data() + id.size(), number).ec == std::errc();
}

Digest SessionId(std::string_view charge_point_id, std::string_view transaction_id) {
  JoinedFields& key = EmptyScratch().key;
  AddUpper(charge_point_id, key);
  AddUpper(transaction_id, key);
  return key.Sha256();
}

Digest KeyOf(const ChargingEvent& event, const Options& options) {
  Scratch& scratch = EmptyScratch();
  JoinKey(event, HasTransactionId(event, options), scratch);
  return scratch.key.Sha256();
}

EntityKey EntityOf(const ChargingEvent& event, const Identity& identity, const Options& options) {
  if (IsHeader(event.event_type)) return identity.unit;
  const bool in_session = event.event_type == EventType::kMeterValues && event.connector_id != 0;
  if (!in_session || !HasTransactionId(event, options)) return {};
  return SessionId(event.charge_point_id, event.transaction_id);
}

Order OrderOf(const ChargingEvent& event, const Digest& payload) {
  return {.event_ts = event.event_ts,
          .ingest_ts = event.ingest_ts,
          .event_id = event.event_id,
          .at = event.at,
          .ordinal = event.ordinal,
          .payload = payload};
}

Identity Identify(const ChargingEvent& event, const Digest& payload, const Options& options) {
  Identity identity;
  identity.business_key = KeyOf(event, options);
  identity.unit = identity.business_key;
  if (IsHeader(event.event_type) && HasTransactionId(event, options)) {
    identity.unit = SessionId(event.charge_point_id, event.transaction_id);
    identity.cut = CutDigest(event);
  }
  identity.event_id = Fingerprint(event.event_id);
  identity.order = OrderOf(event, payload);
  identity.values = ValuesOf(event);
  return identity;
}

}  // namespace medallion::ocpp
