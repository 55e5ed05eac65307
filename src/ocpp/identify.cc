#include "medallion/ocpp/identify.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <string>
#include <system_error>

#include "medallion/base/columns.h"
#include "medallion/base/decimal.h"
#include "medallion/base/text.h"
#include "medallion/ocpp/connector_status.h"
#include "medallion/ocpp/enums.h"

namespace medallion::ocpp {
namespace {

void AddNumber(const std::optional<int32_t>& number, JoinedFields& key) {
  number ? key.Add(int64_t{*number}) : key.AddNull();
}

// The fields of a key, and what writes its time.
struct KeyText {
  JoinedFields& fields;
  TimeWriter& times;
};

void AddTime(UtcTime time, KeyText key) {
  std::array<char, kTimeBytes> text;
  key.times.Write(time, text);
  key.fields.AddPlain({text.data(), text.size()});
}

// The reported time; where none was, what tells the fact apart: the id that a resent message has again, or for an
// observation the time of its receipt.
void AddReportedTime(const ChargingEvent& event, KeyText key) {
  const bool observation =
      event.event_type == EventType::kStatusNotification || event.event_type == EventType::kHeartbeat;
  if ((event.flags & kTsFromIngest) == 0) {
    AddTime(event.reported_ts != kNoTime ? event.reported_ts : event.event_ts, key);
  } else if (observation) {
    AddTime(event.ingest_ts, key);
  } else {
    key.fields.Add(event.event_id);
  }
}

// A start or stop without a usable id is told apart by all that it says.
void AddHeader(const ChargingEvent& event, KeyText key) {
  AddNumber(event.connector_id, key.fields);
  AddReportedTime(event, key);
  std::string meter;
  AppendCanonical(event.meter_wh, meter);  // nothing where there is no reading
  key.fields.Add(meter).Add(event.id_tag_hash);
}

// Of a reading without a transaction its place first, or the stop that holds it.
void AddReading(const ChargingEvent& event, bool has_id, const ChargingEvent* stop, KeyText key) {
  if (stop != nullptr) {
    AddHeader(*stop, key);
  } else if (!has_id) {
    AddNumber(event.evse_id, key.fields);
    AddNumber(event.connector_id, key.fields);
  }
  AddReportedTime(event, key);
  if (event.measurand.empty()) {
    event.seq_no ? key.fields.Add(*event.seq_no) : key.fields.AddNull();
    return;
  }
  key.fields.Add(event.measurand).Add(event.phase).Add(event.location).Add(event.context);
  key.fields.Add(int64_t{event.reading});
}

void AddStatus(const ChargingEvent& event, KeyText key) {
  AddNumber(event.evse_id, key.fields);
  AddNumber(event.connector_id, key.fields);
  key.fields.Add(event.connector_status);
  AddReportedTime(event, key);
}

// Whether the key names the transaction right behind the charge point, as a session's text does.
bool NamesTransactionFirst(const ChargingEvent& event, bool has_id) {
  return has_id &&
         (event.event_type == EventType::kStopTransaction || event.event_type == EventType::kMeterValues);
}

// Adds the fields that every key begins with, and the transaction where it comes first.
void JoinHead(const ChargingEvent& event, bool has_id, JoinedFields& fields) {
  fields.AddPlain(EventTypeName(event.event_type)).AddUpper(event.charge_point_id);
  if (NamesTransactionFirst(event, has_id)) fields.AddUpper(event.transaction_id);
}

// Adds the others. `stop` holds the event, a sample without a transaction; else null.
void JoinRest(const ChargingEvent& event, bool has_id, const ChargingEvent* stop, KeyText key) {
  switch (event.event_type) {
    case EventType::kStartTransaction:
      if (!has_id) return AddHeader(event, key);
      AddNumber(event.connector_id, key.fields);
      key.fields.AddUpper(event.transaction_id);
      return;
    case EventType::kStopTransaction:
      if (!has_id) AddHeader(event, key);
      return;
    case EventType::kMeterValues: return AddReading(event, has_id, stop, key);
    case EventType::kStatusNotification: return AddStatus(event, key);
    case EventType::kHeartbeat: return AddReportedTime(event, key);
    case EventType::kUnknown: return;
  }
}

void JoinSession(std::string_view charge_point_id, std::string_view transaction_id, JoinedFields& key) {
  key.AddUpper(charge_point_id).AddUpper(transaction_id);
}

// A reading in its canonical unit: equal readings, equal digests.
uint64_t ReadingDigest(const ChargingEvent& event) {
  if (event.meter_wh) return static_cast<uint64_t>(event.meter_wh->units);
  const UnitScale scale = ScaleOf(event.unit);
  std::string text;
  if (const auto value = Decimal::Parse(event.value, scale.exponent10)) {
    value->AppendTo(text);
  } else {
    text = event.value;
  }
  return Fingerprint(text.append("|").append(scale.base));
}

constexpr std::string_view kCallResult = "CallResult";

// A call's result that names a transaction: it bears on how the transaction's unit is cut.
bool IsResult(const ChargingElement& element) {
  return element.standing.fate == Fate::kIgnored && !element.row.transaction_id.empty();
}

// Of all that CutEpochs looks at; never 0.
uint64_t CutDigest(const ChargingEvent& event, JoinedFields& fields) {
  fields.Clear();
  if (event.event_type == EventType::kUnknown) {  // a result
    fields.AddPlain(kCallResult).Add(event.ingest_ts.us);
    return Fingerprint(fields.text()) | 1;
  }
  fields.AddPlain(EventTypeName(event.event_type)).Add(event.event_ts.us);
  AddNumber(event.connector_id, fields);
  event.meter_wh ? fields.Add(event.meter_wh->units) : fields.AddNull();
  fields.Add(event.id_tag_hash);
  return Fingerprint(fields.text()) | 1;
}

bool IsHeader(EventType type) {
  return type == EventType::kStartTransaction || type == EventType::kStopTransaction;
}

void SetOrder(const ChargingEvent& event, const Digest& payload, Order& order) {
  order.event_ts = event.event_ts;
  order.ingest_ts = event.ingest_ts;
  order.event_id = event.event_id;
  order.at = event.at;
  order.ordinal = event.ordinal;
  order.payload = payload;
}

// What an identity is made of beside the event itself.
struct Keys {
  bool has_id = false;  // a transaction's
  Digest business_key;
  Digest session;  // all zeros: the event is of none
};

// Whether a reading without a transaction is of one connector or EVSE, not of the whole station or of nothing.
bool HasPlace(const ChargingEvent& event) {
  return event.connector_id != 0 && (event.connector_id || event.evse_id.value_or(0) > 0);
}
bool IsOfPlace(const ChargingEvent& event, bool has_id) {
  return event.event_type == EventType::kMeterValues && !has_id && HasPlace(event);
}

// Finds the stop without a usable id whose message holds a sample, which then has neither a transaction nor a place of
// its own. The elements of a message stand together, the stop first.
class StopAround {
 public:
  const ChargingElement* operator()(const ChargingElement& element, bool has_id) {
    const ChargingEvent& row = element.row;
    if (row.event_type == EventType::kStopTransaction) {
      stop_ = !has_id && element.standing.fate == Fate::kSilver ? &element : nullptr;
    }
    const bool sample =
        stop_ != nullptr && row.event_type == EventType::kMeterValues && !has_id && !HasPlace(row);
    return sample && row.at == stop_->row.at ? stop_ : nullptr;
  }

 private:
  const ChargingElement* stop_ = nullptr;
};
const ChargingEvent* RowOf(const ChargingElement* stop) { return stop == nullptr ? nullptr : &stop->row; }

// The readings of one place at one instant, of a transaction that is not named.
void JoinPlace(const ChargingEvent& event, KeyText key) {
  key.fields.AddPlain(EventTypeName(event.event_type)).AddUpper(event.charge_point_id);
  AddNumber(event.evse_id, key.fields);
  AddNumber(event.connector_id, key.fields);
  AddReportedTime(event, key);
}

void JoinResult(const ChargingEvent& result, KeyText key) {
  key.fields.AddPlain(kCallResult).AddUpper(result.charge_point_id).Add(result.event_id);
  AddTime(result.ingest_ts, key);
}

// In 2.x the registers of begin and end are samples, and a session must know that of the one before it.
bool IsTransactionEnd(const ChargingEvent& event) {
  return event.meter_wh && IsVersion2(event.ocpp_version) &&
         (event.context == "Transaction.Begin" || event.context == "Transaction.End");
}

Milestone MilestoneOf(const ChargingElement& element, bool has_id) {
  const ChargingEvent& event = element.row;
  switch (event.event_type) {
    case EventType::kMeterValues:
      if (has_id && IsTransactionEnd(event)) return Milestone::kMilestone;
      if (has_id) return element.milestone;  // set where a frame was read
      return HasPlace(event) ? Milestone::kMilestone : Milestone::kNone;
    case EventType::kStartTransaction:
    case EventType::kStopTransaction: return Milestone::kMilestone;
    case EventType::kStatusNotification:
      return event.connector_status == "Faulted" ? Milestone::kMilestone : Milestone::kNone;
    default: return Milestone::kNone;
  }
}

// Whether the event is settled or derived together with its transaction.
bool IsOfSession(const ChargingEvent& event, bool has_id) {
  const bool in_session = event.event_type == EventType::kMeterValues && event.connector_id != 0;
  return has_id && (IsHeader(event.event_type) || in_session);
}

// Sets each field where it stays: identities are large.
void SetIdentity(const ChargingEvent& event, const Digest& payload, const Keys& keys, JoinedFields& scratch,
                 Identity& identity) {
  const bool cut = IsHeader(event.event_type) && keys.has_id;
  identity.unit = cut ? keys.session : keys.business_key;
  identity.business_key = keys.business_key;
  identity.cut = cut ? CutDigest(event, scratch) : 0;
  identity.event_id = Fingerprint(event.event_id);
  SetOrder(event, payload, identity.order);
  identity.values = ValuesOf(event);
}

}  // namespace

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

bool HasTransactionId(const ChargingEvent& event, const Options& options) {
  const std::string_view id = event.transaction_id;
  if (id.empty() || id == "-1" || id == "0") return false;
  if (!options.not_an_id.empty() && options.not_an_id.contains(std::string(id))) return false;
  if (IsVersion2(event.ocpp_version)) return true;
  if (!IsDigits(id.substr(id.starts_with('-')))) return true;  // a text
  int32_t number = 0;
  return std::from_chars(id.data(), id.data() + id.size(), number).ec == std::errc();
}

bool IsRefusal(const ChargingEvent& result) {
  const std::string_view status = result.authorization;
  return !status.empty() && !IsVersion2(result.ocpp_version) && !EqualsFoldedCase(status, "Accepted");
}

Digest SessionId(std::string_view charge_point_id, std::string_view transaction_id) {
  JoinedFields key;
  JoinSession(charge_point_id, transaction_id, key);
  return key.Sha256();
}

Digest KeyOf(const ChargingEvent& event, const Options& options, const ChargingEvent* stop) {
  JoinedFields key;
  TimeWriter times;
  const bool has_id = HasTransactionId(event, options);
  JoinHead(event, has_id, key);
  JoinRest(event, has_id, stop, {key, times});
  return key.Sha256();
}

EntityKey EntityOf(const ChargingEvent& event, const Identity& identity, const Options& options) {
  if (IsHeader(event.event_type)) return identity.unit;
  if (event.event_type == EventType::kStatusNotification) {
    return ConnectorKey(event.charge_point_id, event.evse_id, event.connector_id);
  }
  const bool has_id = HasTransactionId(event, options);
  if (IsOfSession(event, has_id)) return SessionId(event.charge_point_id, event.transaction_id);
  if (!IsOfPlace(event, has_id)) return {};
  JoinedFields key;
  TimeWriter times;
  JoinPlace(event, {key, times});
  return key.Sha256();
}

Identity Identify(const ChargingEvent& event, const Digest& payload, const Options& options) {
  Keys keys{.has_id = HasTransactionId(event, options), .business_key = KeyOf(event, options), .session = {}};
  if (IsHeader(event.event_type) && keys.has_id) {
    keys.session = SessionId(event.charge_point_id, event.transaction_id);
  }
  Identity identity;
  JoinedFields scratch;
  SetIdentity(event, payload, keys, scratch, identity);
  return identity;
}

void Identifier::Identify(std::span<ChargingElement> elements, std::span<const Digest> payloads,
                          const Options& options) {
  JoinKeys(elements, options);
  digests_.resize(texts_.size());
  Sha256Each(texts_, digests_);
  const Digest* next = digests_.data();
  StopAround stop_around;
  for (size_t i = 0; i < elements.size(); ++i) {
    ChargingElement& element = elements[i];
    ChargingEvent& event = element.row;
    if (element.standing.fate != Fate::kSilver) {
      SetOrder(event, payloads[i], element.identity.order);
      if (has_id_[i] == 0 || !IsResult(element)) continue;
      element.identity.business_key = event.business_key = *next++;
      element.identity.unit = *next++;
      element.identity.cut = CutDigest(event, joined_);
      element.identity.event_id = Fingerprint(event.event_id);
      continue;
    }
    Keys keys{.has_id = has_id_[i] != 0, .business_key = *next++, .session = {}};
    element.milestone = MilestoneOf(element, keys.has_id);
    const bool of_session = IsOfSession(event, keys.has_id) || IsOfPlace(event, keys.has_id);
    if (of_session) keys.session = *next++;
    SetIdentity(event, payloads[i], keys, joined_, element.identity);  // the keys are hashed
    event.business_key = keys.business_key;
    element.entity = IsHeader(event.event_type) ? element.identity.unit : keys.session;
    if (const ChargingElement* stop = stop_around(element, keys.has_id)) element.entity = stop->entity;
    if (event.event_type != EventType::kStatusNotification) continue;
    element.entity = ConnectorKey(event.charge_point_id, event.evse_id, event.connector_id);
    element.confirms = true;
  }
}

// The text of the event's session, behind that of its key.
void Identifier::AddSession(const ChargingEvent& event) {
  joined_.StartList();
  JoinSession(event.charge_point_id, event.transaction_id, joined_);
  pieces_.push_back({pieces_.back().end, joined_.text().size()});
}

// Each event's key and, where it is of one, its session's, which may be a part of the key.
void Identifier::JoinKeys(std::span<const ChargingElement> elements, const Options& options) {
  joined_.Clear(), pieces_.clear(), has_id_.clear();
  const auto size = [&] { return joined_.text().size(); };
  StopAround stop_around;
  for (const ChargingElement& element : elements) {
    const ChargingEvent& event = element.row;
    const bool has_id = HasTransactionId(event, options);
    has_id_.push_back(has_id);
    if (element.standing.fate != Fate::kSilver && !(has_id && IsResult(element))) continue;
    const size_t begin = size();
    joined_.StartList();
    if (element.standing.fate != Fate::kSilver) {
      JoinResult(event, {joined_, times_});
      pieces_.push_back({begin, size()});
      AddSession(event);
      continue;
    }
    JoinHead(event, has_id, joined_);
    const size_t head_end = size();
    JoinRest(event, has_id, RowOf(stop_around(element, has_id)), {joined_, times_});
    pieces_.push_back({begin, size()});
    if (IsOfPlace(event, has_id)) {
      joined_.StartList();
      JoinPlace(event, {joined_, times_});
      pieces_.push_back({pieces_.back().end, size()});
      continue;
    }
    if (!IsOfSession(event, has_id)) continue;
    if (NamesTransactionFirst(event, has_id)) {
      pieces_.push_back({begin + EventTypeName(event.event_type).size() + 1, head_end});
      continue;
    }
    AddSession(event);
  }
  texts_.clear();
  for (const Piece& piece : pieces_) {
    texts_.push_back(joined_.text().substr(piece.begin, piece.end - piece.begin));
  }
}

}  // namespace medallion::ocpp
