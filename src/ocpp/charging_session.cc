#include "medallion/ocpp/charging_session.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "medallion/base/text.h"

namespace medallion::ocpp {
namespace {

constexpr std::array<std::string_view, kSessionFlags> kFlagNames = {
    "CONFLICT",
    "METER_ANOMALY",
    "METER_DECREASED",
    "METER_RESET",
    "METER_START_INVALID",
    "METER_STOP_INVALID",
    "NO_END_READING",
    "UNIT_SUSPECT",
    "TXDATA_MISMATCH",
    "SIGNED_RAW_MISMATCH",
    "START_MISSING",
    "STOP_MISSING",
    "SUPERSEDED",
    "LATE_ARRIVAL",
    "ZERO_ENERGY",
    "UNATTRIBUTED_ENERGY",
    "METER_NON_MONOTONIC",
    "METER_GLITCH",
    "METER_REBASED",
    "MIXED_REGISTER_REFERENCE",
    "SINGLE_PHASE",
    "READING_OUTSIDE_SESSION",
    "NEGATIVE_DURATION",
    "DURATION_IMPLAUSIBLE",
    "TX_ID_REUSED",
    "TX_ID_INFERRED",
    "TX_ID_ALIASED",
    "SEQ_GAP",
    "ID_TAG_MISMATCH",
    "AUTH_REJECTED",
    "REBOOT_DURING_SESSION",
    "FAULT_DURING_SESSION",
};
static_assert(!kFlagNames.back().empty());

void AppendEvidence(const std::optional<Evidence>& evidence, std::string& out) {
  if (!evidence.has_value()) {
    out.append("null");
    return;
  }
  out.append("{\"topic\":");
  AppendJsonString(evidence->topic, out);
  AppendCanonical(evidence->partition, out.append(",\"partition\":"));
  AppendCanonical(evidence->offset, out.append(",\"offset\":"));
  AppendCanonical(evidence->ordinal, out.append(",\"ordinal\":"));
  out.append("}");
}

}  // namespace

std::string_view SessionStatusName(SessionStatus status) {
  switch (status) {
    case SessionStatus::kInProgress: return "IN_PROGRESS";
    case SessionStatus::kCompleted: return "COMPLETED";
    case SessionStatus::kTimedOut: return "TIMED_OUT";
    case SessionStatus::kStartMissing: return "START_MISSING";
  }
  return {};
}

std::string_view EnergyBasisName(EnergyBasis basis) {
  switch (basis) {
    case EnergyBasis::kNone: return {};
    case EnergyBasis::kStartStop: return "START_STOP";
    case EnergyBasis::kTransactionBeginEnd: return "TRANSACTION_BEGIN_END";
    case EnergyBasis::kStartLast: return "START_LAST";
    case EnergyBasis::kIntervalSum: return "INTERVAL_SUM";
    case EnergyBasis::kBaselineInferred: return "BASELINE_INFERRED";
    case EnergyBasis::kSegmentSum: return "SEGMENT_SUM";
  }
  return {};
}

std::string_view SessionFlagName(SessionFlag flag) { return kFlagNames[static_cast<size_t>(flag)]; }

bool IsBlocking(SessionFlag flag) { return flag <= SessionFlag::kSignedRawMismatch; }

bool SessionFlags::AnyBlocking() const {
  constexpr uint64_t kBlocking = (uint64_t{1} << (static_cast<int>(SessionFlag::kSignedRawMismatch) + 1)) - 1;
  return (bits_ & kBlocking) != 0;
}

std::string SessionFlags::Json() const {
  std::string out;
  for (int i = 0; i < kSessionFlags; ++i) {
    const auto flag = static_cast<SessionFlag>(i);
    if (!Has(flag)) continue;
    out.append(out.empty() ? "[\"" : ",\"").append(SessionFlagName(flag)).append("\"");
  }
  return out.empty() ? "[]" : out + "]";
}

std::string EvidenceJson(const ChargingSession& row) {
  std::string out;
  out.reserve(256);
  out.append("{\"begin\":");
  AppendEvidence(row.begin, out);
  out.append(",\"end\":");
  AppendEvidence(row.end, out);
  out.append("}");
  return out;
}

std::string AliasesJson(const ChargingSession& row) {
  std::string out;
  for (const std::string& alias : row.transaction_aliases) {
    out.append(out.empty() ? "[" : ",");
    AppendJsonString(alias, out);
  }
  return out.empty() ? out : out + "]";
}

}  // namespace medallion::ocpp
