// How a host wants its ledger feed read. Everything here is data; every default is the domain page's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "medallion/base/digest.h"
#include "medallion/base/time.h"
#include "medallion/ledger/ledger_event.h"
#include "medallion/silver/rules.h"

namespace medallion::ledger {

// The fields that a native event may have.
// clang-format off
enum class Field : uint8_t {
  kEventId, kEventType, kSchemaVersion, kLedger, kAccountId, kAccountVersion, kTransferId, kLeg,
  kCounterpartyAccountId, kAmountMinor, kAsset, kReservedTransferId, kReversesTransferId, kNormalSide,
  kEffectiveAt, kRecordedAt, kCorrelationId, kCausationId, kIngestedAt,
};
// clang-format on
inline constexpr int kFields = static_cast<int>(Field::kIngestedAt) + 1;
std::string_view FieldName(Field field);  // "event_id"; of kIngestedAt "_ingested_at"

// One version of the native format. An event whose schema_version no schema has is a SCHEMA_MISMATCH.
struct EventSchema {
  int32_t version = 1;
  std::map<std::string, Field, std::less<>> names;  // spelling -> field

  static EventSchema Version1();  // the domain page's own names
};

struct Options {
  // Reading. An event without schema_version is of the first schema.
  std::vector<EventSchema> schemas = {EventSchema::Version1()};
  size_t payload_bytes_max = size_t{1} << 20;
  std::string unavailable_value = "__debezium_unavailable_value";  // Debezium's unavailable.value.placeholder
  // Where change records come without their schema, a text is a plain decimal ("12.50"): decimal.handling.mode=string.
  // For feeds of mode `precise` without schemas, the scale that its base64 bytes do not tell.
  std::optional<int> decimal_scale;

  // Judging. Severities by code, for the pack's own rules; then rules of the host's own.
  std::map<std::string, Severity> severities;
  std::vector<Rule<LedgerEvent>> host_rules;
  int64_t future_max_us =
      5 * kMicrosPerMinute;           // effective_at so long after recorded_at: EFFECTIVE_IN_FUTURE
  bool value_dated_bookings = false;  // bookings in advance are in order: that rule is off
  int64_t backdated_max_us = 35 * kMicrosPerDay;  // recorded_at longer after effective_at

  // Deriving. A transfer is judged so long after its latest leg was recorded.
  int64_t legs_wait_us = 15 * kMicrosPerMinute;
  // Folds amounts of events with effective_at <= as_of, and knows only what was recorded_at <= known_as_of; kNoTime: no
  // bound. Features are told at as_of, else at the data clock, and know what was recorded until then.
  UtcTime as_of = kNoTime, known_as_of = kNoTime;
};

// Digest of everything in the options that bears on derived rows, and of the version of the rules themselves.
Digest ModelVersion(const Options& options);

// Options made ready for deriving. Refers to the options.
struct LedgerRules {
  explicit LedgerRules(const Options& all) : options(all), model_version(ModelVersion(all)) {}
  explicit LedgerRules(Options&&) = delete;

  const Options& options;
  Digest model_version;
};

}  // namespace medallion::ledger
