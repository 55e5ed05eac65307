#include "judge.h"

#include <array>
#include <string>

#include "medallion/ledger/validate.h"

namespace medallion::ledger {
namespace reading {
namespace {

constexpr std::array<RuleOf, kCodes> kRules = {{
    {"CORRUPT_PAYLOAD", Severity::kReject},
    {"MISSING_EVENT_ID", Severity::kReject},
    {"MISSING_ACCOUNT_ID", Severity::kReject},
    {"MISSING_VERSION", Severity::kReject},
    {"MISSING_AMOUNT", Severity::kReject},
    {"MISSING_TIME", Severity::kReject},
    {"UNKNOWN_EVENT_TYPE", Severity::kReject},
    {"SCHEMA_MISMATCH", Severity::kReject},
    {"TRUNCATE_UNSUPPORTED", Severity::kReject},
    {"AMOUNT_NOT_INTEGER_MINOR", Severity::kReject},
    {"AMOUNT_NEGATIVE", Severity::kReject},
    {"AMOUNT_OVERFLOW", Severity::kReject},
    {"ASSET_UNKNOWN", Severity::kReject},
    {"ASSET_EXPONENT_MISMATCH", Severity::kReject},
    {"SELF_TRANSFER", Severity::kReject},
    {"EFFECTIVE_IN_FUTURE", Severity::kFlag},
    {"RECORDED_BEFORE_EFFECTIVE_LIMIT", Severity::kFlag},
}};

Severity SeverityOf(const RuleOf& rule, const Options& options) {
  if (options.severities.empty()) return rule.severity;
  const auto own = options.severities.find(std::string(rule.code));
  return own == options.severities.end() ? rule.severity : own->second;
}

// The rules that look at the row as it was read. Each applies only where its inputs are.
void Compare(const Options& options, Draft& draft) {
  const LedgerEvent& event = draft.event;
  if (!event.account_id.empty() && event.account_id == event.counterparty_account_id) {
    draft.Find(Code::kSelfTransfer, "counterparty_account_id", event.counterparty_account_id);
  }
  if (event.effective_at == kNoTime || event.recorded_at == kNoTime) return;
  const int64_t ahead_us = event.effective_at.us - event.recorded_at.us;
  if (ahead_us > options.future_max_us && !options.value_dated_bookings) draft.Find(Code::kEffectiveInFuture);
  if (-ahead_us > options.backdated_max_us) draft.Find(Code::kRecordedBeforeEffectiveLimit);
}

// Whether there is enough of a row to be kept, whatever severity a host gives to what is wrong with it.
bool Keepable(const LedgerEvent& event) {
  if (event.recorded_at == kNoTime || event.event_id.empty()) return false;
  if (!event.change.has_value()) {
    return event.account_version.has_value() && !event.account_id.empty() && !event.ledger.empty();
  }
  const ChangeFacts& change = *event.change;
  return change.table != LegacyTable::kNone && !change.pk.empty() &&
         (change.row_version.has_value() || change.op == Op::kDelete);
}

void AddCode(std::string_view code, std::string& codes) {
  codes += codes.empty() ? "[" : ",";
  AppendJsonString(code, codes);
}

void Raise(Code code, std::string_view name, LedgerEvent& event, std::string& host_flags) {
  if (code == Code::kEffectiveInFuture) {
    event.flags |= kEffectiveInFuture;
  } else if (code == Code::kRecordedBeforeEffectiveLimit) {
    event.flags |= kRecordedBeforeEffectiveLimit;
  } else {
    host_flags.append(host_flags.empty() ? "" : ",").append(name);
  }
}

}  // namespace

std::string Judge(Draft& draft, const Options& options, Arena& texts) {
  LedgerEvent& event = draft.event;
  std::string codes, host_flags, every;
  const bool corrupt = draft.Breaks(Code::kCorruptPayload);
  if (!corrupt) Compare(options, draft);
  for (size_t i = 0; draft.broken != 0 && i < kRules.size(); ++i) {
    if (!draft.Breaks(static_cast<Code>(i))) continue;
    AddCode(kRules[i].code, every);
    const Severity severity = SeverityOf(kRules[i], options);
    if (severity == Severity::kReject) AddCode(kRules[i].code, codes);
    if (severity == Severity::kFlag) Raise(static_cast<Code>(i), kRules[i].code, event, host_flags);
  }
  for (const Rule<LedgerEvent>& rule : options.host_rules) {
    if (corrupt || !Violates(rule, event)) continue;
    AddCode(rule.code, every);
    if (rule.severity == Severity::kReject) AddCode(rule.code, codes);
    if (rule.severity == Severity::kFlag) host_flags.append(host_flags.empty() ? "" : ",").append(rule.code);
  }
  if (codes.empty() && !every.empty() && !Keepable(event)) codes = every;
  if (!codes.empty()) codes += "]";
  if (!host_flags.empty()) event.host_flags = texts.Copy(host_flags);
  if (!draft.detail.empty()) event.detail = texts.Copy(draft.detail += "}");
  return codes;
}

}  // namespace reading

std::vector<RuleOf> RulesOf(const Options& options) {
  std::vector<RuleOf> rules(reading::kRules.begin(), reading::kRules.end());
  for (RuleOf& rule : rules) rule.severity = reading::SeverityOf(rule, options);
  return rules;
}

}  // namespace medallion::ledger
