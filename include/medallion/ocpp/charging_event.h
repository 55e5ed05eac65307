// silver_charging_events: one normalised charging fact a row.
// Source: the charging domain, sections 1.1, 2 and 4. "1.6", "2.0.1" and "2.1" are OCPP versions.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "medallion/base/columns.h"
#include "medallion/base/digest.h"
#include "medallion/base/pack.h"
#include "medallion/base/time.h"
#include "medallion/bronze/record.h"
#include "medallion/silver/element.h"

namespace medallion::ocpp {

enum class EventType : uint8_t {
  kUnknown,
  kStartTransaction,  // 2.x: TransactionEvent Started
  kMeterValues,       // 2.x: Updated
  kStopTransaction,   // 2.x: Ended
  kStatusNotification,
  kHeartbeat,
};
std::string_view EventTypeName(EventType type);  // "StartTransaction"; empty for kUnknown

// What was noticed and kept; bits of ChargingEvent::flags.
enum Flag : uint32_t {
  kTzAssumed = 1u << 0,           // the time named no offset
  kTsFromIngest = 1u << 1,        // no time was reported: event_ts is ingest_ts
  kClockUnset = 1u << 2,          // reported before 2010: event_ts is ingest_ts
  kFutureTimestamp = 1u << 3,     // reported over 5 min after ingest_ts: event_ts is ingest_ts
  kChargePointFromKey = 1u << 4,  // the charge point is the broker's key
  kTypeCoerced = 1u << 5,    // text as number, number as text; in a frame a decimal where an integer belongs
  kShapeCoerced = 1u << 6,   // a name in other casing, one object for a list of one, a tag too long
  kUnknownEnum = 1u << 7,    // a value outside its enumeration, kept as it came
  kUnitFolded = 1u << 8,     // the unit in other casing
  kPrecisionLost = 1u << 9,  // meter_wh was rounded
  kPhaseSum = 1u << 10,      // meter_wh is the sum of three phases' registers
  kTxIdInferred = 1u << 11,  // a frame's stop without a usable id: only what it says can tell its session
};
inline constexpr int kFlags = 12;
std::string_view FlagName(int bit);  // "TZ_ASSUMED"

// A row. Texts refer to whoever gave the row out; an absent text is empty, an absent time kNoTime.
struct ChargingEvent {
  std::string_view event_id;
  Digest business_key;
  std::string_view charge_point_id;  // as written; keys use its ASCII upper case
  std::optional<int32_t> evse_id;
  std::optional<int32_t> connector_id;  // 0: the whole station
  EventType event_type = EventType::kUnknown;
  UtcTime event_ts = kNoTime;
  UtcTime reported_ts = kNoTime;  // as the device reported it, where event_ts is not that
  UtcTime ingest_ts = kNoTime;
  std::string_view transaction_id;  // integers in canonical decimal
  std::optional<int64_t> seq_no;
  std::string_view trigger_reason;
  std::string_view charging_state;
  std::string_view measurand;  // for a reading never empty
  std::string_view phase;
  std::string_view location;
  std::string_view context;
  std::string_view value;  // the reading's own digits
  std::string_view unit;
  std::optional<Thousandths> meter_wh;  // the energy register in Wh, HALF_UP; only where the reading is one
  std::string_view signed_value;
  std::string_view connector_status;
  std::string_view error_code;
  std::string_view stop_reason;
  std::string_view id_tag_hash;  // 64 hexadecimal digits of HMAC-SHA-256
  std::optional<bool> offline;
  std::string_view ocpp_version;  // empty: unknown
  int32_t schema_version = 1;
  std::string_view extra_fields;  // JSON object: name -> the field's own JSON
  uint32_t flags = 0;             // Flag
  std::string_view host_flags;    // codes of the host's flagging rules, separated by commas
  Coordinate at;
  uint32_t ordinal = 0;
  uint32_t reading = 0;     // number among readings of equal key in one message
  std::string_view detail;  // JSON object with the particulars of a flag, or empty
  // Of frames, for pairing a result with its call, and for when a session was last heard of; no columns of the table.
  std::string_view connection_id = {};  // of a call or result; empty: unknown
  std::string_view action = {};         // of an ignored call: "BootNotification"; of a result empty
  std::string_view authorization = {};  // of a result: idTagInfo.status
  // Of a 2.x transaction's sample: its message's time, where event_ts is not that.
  UtcTime message_ts = kNoTime;
  bool operator==(const ChargingEvent&) const = default;
};

// An event with its identity and its standing.
using ChargingElement = Element<ChargingEvent>;

// ["TZ_ASSUMED","UNIT_FOLDED"], the host's codes last.
std::string FlagsJson(const ChargingEvent& event);

template <class Visitor>
void VisitColumns(const ChargingEvent& row, Visitor&& visit) {
  std::string date;
  if (row.event_ts != kNoTime) AppendDate(row.event_ts, date);
  const std::string flags = FlagsJson(row);
  visit("event_id", row.event_id);
  visit("business_key", row.business_key);
  visit("charge_point_id", row.charge_point_id);
  visit("evse_id", row.evse_id);
  visit("connector_id", row.connector_id);
  visit("event_type", EventTypeName(row.event_type));
  visit("event_ts", row.event_ts);
  visit("reported_ts", row.reported_ts);
  visit("event_date", date);
  visit("ingest_ts", row.ingest_ts);
  visit("transaction_id", row.transaction_id);
  visit("seq_no", row.seq_no);
  visit("trigger_reason", row.trigger_reason);
  visit("charging_state", row.charging_state);
  visit("measurand", row.measurand);
  visit("phase", row.phase);
  visit("location", row.location);
  visit("context", row.context);
  visit("value", row.value);
  visit("unit", row.unit);
  visit("meter_wh", row.meter_wh);
  visit("signed_value", row.signed_value);
  visit("connector_status", row.connector_status);
  visit("error_code", row.error_code);
  visit("stop_reason", row.stop_reason);
  visit("id_tag_hash", row.id_tag_hash);
  visit("offline", row.offline);
  visit("ocpp_version", row.ocpp_version);
  visit("schema_version", row.schema_version);
  visit("extra_fields", JsonText{row.extra_fields});
  visit("flags", JsonText{flags});
  visit("bronze_topic", row.at.topic);
  visit("bronze_partition", row.at.partition);
  visit("bronze_offset", row.at.offset);
  visit("bronze_ordinal", row.ordinal);
  visit("detail", JsonText{row.detail});
}

// Texts that stores keep as one byte: the enumerations of all versions. Only ever added to at the end.
const Vocabulary& StoredWords();

// In how many places of the reading's unit meter_wh counts; of a reading in another unit nothing is sure.
inline int PlacesOf(const ChargingEvent& row) { return row.unit == "kWh" ? 6 : 3; }

// The fields that a store must keep to give the row back, in a fixed order (see base/pack.h): first those that most rows
// have. Row is ChargingEvent or const ChargingEvent. ingest_ts, event_ts, business_key, coordinate and ordinal are kept
// with the identity.
template <class Row, class Visitor>
requires std::same_as<std::remove_const_t<Row>, ChargingEvent> MEDALLION_INLINE inline void VisitFields(
    Row& row, Visitor&& visit) {
  const Vocabulary& words = StoredWords();
  const auto word = [&](auto& text) { return Word<std::remove_reference_t<decltype(text)>>{text, words}; };
  const auto hex = [](auto& text) { return Hexadecimal<std::remove_reference_t<decltype(text)>>{text}; };
  const auto reading = [&](auto& text) {
    const auto units = row.meter_wh ? std::optional(row.meter_wh->units) : std::nullopt;
    return DecimalOf<std::remove_reference_t<decltype(text)>>{text, units, PlacesOf(row)};
  };
  const auto usually = [](auto& number) {
    return Usually<std::remove_reference_t<decltype(number)>>{number, 1};
  };
  visit(hex(row.event_id)), visit(row.charge_point_id), visit(row.connector_id), visit(row.event_type);
  visit(row.transaction_id), visit(word(row.measurand)), visit(word(row.location)), visit(word(row.context));
  visit(word(row.unit)), visit(row.meter_wh), visit(reading(row.value)), visit(word(row.ocpp_version));
  visit(hex(row.id_tag_hash)), visit(word(row.connector_status)), visit(word(row.stop_reason));

  visit(row.evse_id), visit(row.seq_no), visit(word(row.trigger_reason)), visit(word(row.charging_state));
  visit(word(row.phase)), visit(row.signed_value), visit(word(row.error_code)), visit(row.reported_ts);
  visit(row.offline), visit(usually(row.schema_version)), visit(row.extra_fields), visit(row.flags);
  visit(row.host_flags), visit(row.reading), visit(row.detail);

  visit(row.connection_id), visit(word(row.action)), visit(word(row.authorization)), visit(row.message_ts);
}

// The values that copies of one fact must agree in. Source: the charging domain, section 3.
Values ValuesOf(const ChargingEvent& event);

// Sets what the row and its identity share, after a codec has read the fields of both.
inline void AttachIdentity(ChargingEvent& row, Identity& identity) {
  row.business_key = identity.business_key;
  row.at = identity.order.at;
  row.ordinal = identity.order.ordinal;
  row.event_ts = identity.order.event_ts;
  row.ingest_ts = identity.order.ingest_ts;
  identity.order.event_id = row.event_id;
}

}  // namespace medallion::ocpp
