// What one value says, whatever message it stands in: shared by flat events and frames. Each function notes in the draft
// what it could not make sense of.
// Pure. Safe from any thread. Source: the charging domain, 1.1 to 1.3.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "medallion/base/arena.h"
#include "medallion/base/text.h"
#include "medallion/base/time.h"
#include "medallion/ocpp/charging_event.h"
#include "medallion/ocpp/normalize.h"
#include "medallion/ocpp/options.h"
#include "medallion/ocpp/parse.h"

namespace medallion::ocpp {

// Adds to the draft's particulars. The first word on a matter stands.
void AddDetail(Draft& draft, std::string_view name, std::string_view text);

// A field whose type is text: trimmed; a number is taken as its token.
inline std::string_view Text(const FieldValue& value, Draft& draft) {
  if (value.kind == JsonKind::kText) return Trim(value.text);
  if (value.kind != JsonKind::kNumber) return {};
  draft.event.flags |= kTypeCoerced;
  return value.text;
}

// A text from a buffer of fixed size, without what fills it up.
inline std::string_view WithoutNuls(std::string_view text) {
  while (!text.empty() && text.back() == '\0') text.remove_suffix(1);
  return text;
}

inline bool IsPresent(const FieldValue& value) {
  return value.kind != JsonKind::kAbsent && !(value.kind == JsonKind::kText && Trim(value.text).empty());
}

// An integer, as a number or as digits in text; the number 501.0 is one too, and noted as coerced. Nothing where the
// field is present but is no integer.
std::optional<int64_t> Integer(const FieldValue& value, Draft& draft);

// An integer of any length in canonical decimal; empty where `text` is more than a sign and digits.
std::string_view CanonicalInteger(std::string_view text, Arena& texts);
// The same of a number that is an integer; else empty.
std::string_view IntegerText(const FieldValue& value, Draft& draft, Arena& texts);

// A connector's or EVSE's number; `name` is what the particulars call it.
void ReadConnector(const FieldValue& value, std::string_view name, std::optional<int32_t>& connector,
                   Draft& draft);
void ReadSeqNo(const FieldValue& value, Draft& draft);
void ReadOffline(const FieldValue& value, Draft& draft);
void ReadIdTag(const FieldValue& value, const Options& options, Draft& draft, Arena& texts);

// The reported time; kNoTime where none was reported or none can be read.
UtcTime ReadReported(const FieldValue& value, const Options& options, Draft& draft);
// What becomes of the draft's event_ts where it cannot be: from a clock that was never set, or from the future.
void JudgeClock(ClockPolicy policy, const Options& options, Draft& draft);

// A reading as it was written: its digits, and its unit (given, or implied by the field's name).
struct Written {
  const FieldValue* value = nullptr;
  std::string_view unit;
};

// The reading of a start or stop: a register. Never a reason to refuse the event.
void ReadHeaderMeter(const Written& written, Draft& draft);
// The reading of a sample of any measurand; fills in the defaults.
void ReadSample(const Written& written, Draft& draft);

}  // namespace medallion::ocpp
