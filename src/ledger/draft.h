// An event while it is read: the row as far as it is understood, and what was found wrong with it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "medallion/base/text.h"
#include "medallion/ledger/ledger_event.h"

namespace medallion::ledger::reading {

// The pack's own rules, in the order of the domain page, section 2.
enum class Code : uint8_t {
  kCorruptPayload,
  kMissingEventId,
  kMissingAccountId,
  kMissingVersion,
  kMissingAmount,
  kMissingTime,
  kUnknownEventType,
  kSchemaMismatch,
  kTruncateUnsupported,
  kAmountNotIntegerMinor,
  kAmountNegative,
  kAmountOverflow,
  kAssetUnknown,
  kAssetExponentMismatch,
  kSelfTransfer,
  kEffectiveInFuture,
  kRecordedBeforeEffectiveLimit,
};
inline constexpr int kCodes = static_cast<int>(Code::kRecordedBeforeEffectiveLimit) + 1;

struct Draft {
  LedgerEvent event;
  std::string_view ignored;     // the reason; then nothing is judged
  uint32_t broken = 0;          // bit i: Code i
  std::string detail;           // an open JSON object: the findings' particulars
  UtcTime marker_ts = kNoTime;  // of what is ignored: when it was recorded

  bool Breaks(Code code) const { return (broken >> static_cast<int>(code) & 1) != 0; }

  // Notes the finding, and the field and its text where one is to blame.
  void Find(Code code, std::string_view field = {}, std::string_view value = {}) {
    broken |= 1u << static_cast<int>(code);
    if (!field.empty()) Note(field, value);
  }
  void Note(std::string_view name, std::string_view value) {
    constexpr size_t kShownMax = 200;
    detail += detail.empty() ? "{" : ",";
    AppendJsonString(name, detail);
    detail += ":";
    AppendJsonString(value.substr(0, kShownMax), detail);
  }
};

}  // namespace medallion::ledger::reading
