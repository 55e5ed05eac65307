// gold_charging_sessions: one physical charging session a row.
// Source: the charging domain, sections 4 and 5.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "medallion/base/columns.h"
#include "medallion/base/digest.h"
#include "medallion/base/pack.h"
#include "medallion/base/time.h"
#include "medallion/bronze/record.h"
#include "medallion/gold/merge.h"

namespace medallion::ocpp {

enum class SessionStatus : uint8_t { kInProgress, kCompleted, kTimedOut, kStartMissing };
std::string_view SessionStatusName(SessionStatus status);  // "IN_PROGRESS", "COMPLETED", …

// How energy_kwh was found.
enum class EnergyBasis : uint8_t {
  kNone,                 // there is no energy
  kStartStop,            // header readings of start and stop; may be final
  kTransactionBeginEnd,  // samples of Transaction.Begin or Transaction.End; final only with both
  kStartLast,            // last valid register - start (header, or sample of Transaction.Begin)
  kIntervalSum,          // only interval energy is reported
  kBaselineInferred,     // last - first register, the start unknown or set aside; or a count from zero
  kSegmentSum,           // the meter was reset, or its reference changed: sum over the segments
};
std::string_view EnergyBasisName(EnergyBasis basis);  // "START_STOP", …; empty for kNone

// quality_flags; in the table in this order. Blocking ones keep the energy from being final.
// clang-format off
enum class SessionFlag : uint8_t {
  // blocking
  kConflict,            // messages contradict each other: rows of the session are in quarantine for it
  kMeterAnomaly,        // stands beside the next four
  kMeterDecreased,      // the end reading is below the start's
  kMeterReset,          // the register dropped and grew on from there
  kMeterStartInvalid,   // the begin reading cannot be, and is set aside
  kMeterStopInvalid,    // the end reading, likewise
  kNoEndReading,        // a stop without a register
  kUnitSuspect,         // the reported power contradicts the register by a factor of 3
  kTxdataMismatch,      // the stop's register and its sample of Transaction.End differ
  kSignedRawMismatch,   // a signed value and the register differ
  // informational
  kStartMissing,
  kStopMissing,
  kSuperseded,          // a later start on the connector ended it
  kLateArrival,         // a message came over an hour late
  kZeroEnergy,
  kUnattributedEnergy,  // the meter moved since the session before; `detail` says by how much
  kMeterNonMonotonic,   // a register dropped, and neither a reset nor a glitch explains it
  kMeterGlitch,         // a sample was set aside
  kMeterRebased,        // the meter starts at zero for each session
  kMixedRegisterReference,  // registers of the lifetime and of the transaction; each series by itself
  kSinglePhase,         // the register of one phase is all there is
  kReadingOutsideSession,
  kNegativeDuration,
  kDurationImplausible,
  kTxIdReused,          // the id was that of an earlier session
  kTxIdInferred,        // facts without a usable id joined by what they say
  kTxIdAliased,         // the session has several ids
  kSeqGap,              // numbers are missing in the sequence of 2.x messages
  kIdTagMismatch,       // facts name different id tags
  kAuthRejected,        // the start was refused
  kRebootDuringSession,
  kFaultDuringSession,
};
// clang-format on
inline constexpr int kSessionFlags = static_cast<int>(SessionFlag::kFaultDuringSession) + 1;
std::string_view SessionFlagName(SessionFlag flag);  // "METER_RESET"
bool IsBlocking(SessionFlag flag);

// A set of flags.
class SessionFlags {
 public:
  void Set(SessionFlag flag) { bits_ |= uint64_t{1} << static_cast<int>(flag); }
  bool Has(SessionFlag flag) const { return (bits_ >> static_cast<int>(flag) & 1) != 0; }
  bool AnyBlocking() const;
  std::string Json() const;  // ["CONFLICT","LATE_ARRIVAL"]
  uint64_t bits() const { return bits_; }
  static SessionFlags FromBits(uint64_t bits) {
    SessionFlags flags;
    flags.bits_ = bits;
    return flags;
  }
  bool operator==(const SessionFlags&) const = default;

 private:
  uint64_t bits_ = 0;
};

// Where a reading that decided the energy came from: enough to find its Bronze record.
struct Evidence {
  std::string topic;
  int32_t partition = 0;
  int64_t offset = 0;
  uint32_t ordinal = 0;
  bool operator==(const Evidence&) const = default;
};

// A row. Owns its texts; an absent text is empty, an absent time kNoTime.
struct ChargingSession {
  Digest session_id;
  std::string charge_point_id;  // the spelling that sorts first by bytes among the session's rows
  std::optional<int32_t> evse_id;
  std::optional<int32_t> connector_id;
  std::string transaction_id;
  std::vector<std::string> transaction_aliases;
  std::string id_tag_hash;
  UtcTime start_ts = kNoTime;  // of the start; without one null
  UtcTime stop_ts = kNoTime;
  UtcTime last_event_ts = kNoTime;
  std::optional<int64_t> duration_seconds;
  std::optional<Thousandths> meter_start_wh;  // null where it was set aside; `detail` has it
  std::optional<Thousandths> meter_stop_wh;   // the same
  std::optional<Thousandths> last_meter_wh;   // the last register that counts
  std::optional<Thousandths> energy_kwh;
  bool energy_is_final = false;
  EnergyBasis energy_basis = EnergyBasis::kNone;
  std::optional<Thousandths> energy_estimate_kwh;
  SessionStatus session_status = SessionStatus::kInProgress;
  std::string stop_reason;
  int64_t event_count = 0;
  SessionFlags quality_flags;
  std::string detail;  // JSON object: the particulars of flags, or empty
  std::optional<Evidence> begin, end;
  UtcTime next_due_at = kNoTime;
  Digest model_version;
  Digest row_hash;
  UtcTime updated_at = kNoTime;
  bool operator==(const ChargingSession&) const = default;
};

std::string EvidenceJson(const ChargingSession& row);  // {"begin":{"topic":…},"end":null}
std::string AliasesJson(const ChargingSession& row);   // ["502","503"], or empty

template <class Visitor>
void VisitColumns(const ChargingSession& row, Visitor&& visit) {
  const std::string aliases = AliasesJson(row);
  const std::string flags = row.quality_flags.Json();
  const std::string evidence = EvidenceJson(row);
  visit("session_id", row.session_id);
  visit("charge_point_id", row.charge_point_id);
  visit("evse_id", row.evse_id);
  visit("connector_id", row.connector_id);
  visit("transaction_id", row.transaction_id);
  visit("transaction_aliases", JsonText{aliases});
  visit("id_tag_hash", row.id_tag_hash);
  visit("start_ts", row.start_ts);
  visit("stop_ts", row.stop_ts);
  visit("last_event_ts", row.last_event_ts);
  visit("duration_seconds", row.duration_seconds);
  visit("meter_start_wh", row.meter_start_wh);
  visit("meter_stop_wh", row.meter_stop_wh);
  visit("last_meter_wh", row.last_meter_wh);
  visit("energy_kwh", row.energy_kwh);
  visit("energy_is_final", row.energy_is_final);
  visit("energy_basis", EnergyBasisName(row.energy_basis));
  visit("energy_estimate_kwh", row.energy_estimate_kwh);
  visit("session_status", SessionStatusName(row.session_status));
  visit("stop_reason", row.stop_reason);
  visit("event_count", row.event_count);
  visit("quality_flags", JsonText{flags});
  visit("detail", JsonText{row.detail});
  visit("evidence", JsonText{evidence});
  visit("next_due_at", row.next_due_at);
  visit("model_version", row.model_version);
  visit("row_hash", row.row_hash);
  visit("updated_at", row.updated_at);
}

// The fields that a store must keep to give the row back, in a fixed order (see base/pack.h). Row may be const.
template <class Row, class Visitor>
  requires std::same_as<std::remove_const_t<Row>, Evidence>
void VisitFields(Row& row, Visitor&& visit) {
  visit(row.topic), visit(row.partition), visit(row.offset), visit(row.ordinal);
}
template <class Row, class Visitor>
  requires std::same_as<std::remove_const_t<Row>, SessionFlags>
void VisitFields(Row& row, Visitor&& visit) {
  uint64_t bits = row.bits();
  visit(bits);
  if constexpr (!std::is_const_v<Row>) row = SessionFlags::FromBits(bits);
}
template <class Row, class Visitor>
  requires std::same_as<std::remove_const_t<Row>, ChargingSession>
void VisitFields(Row& row, Visitor&& visit) {
  visit(row.charge_point_id), visit(row.evse_id), visit(row.connector_id);
  visit(row.transaction_id), visit(row.transaction_aliases);
  visit(Hexadecimal<std::remove_reference_t<decltype((row.id_tag_hash))>>{row.id_tag_hash});
  visit(row.start_ts), visit(row.stop_ts), visit(row.last_event_ts), visit(row.duration_seconds);
  visit(row.meter_start_wh), visit(row.meter_stop_wh), visit(row.last_meter_wh), visit(row.energy_kwh);
  visit(row.energy_is_final), visit(row.energy_basis), visit(row.energy_estimate_kwh),
      visit(row.session_status);
  visit(row.stop_reason), visit(row.event_count), visit(row.quality_flags), visit(row.detail);
  visit(row.begin), visit(row.end), visit(row.next_due_at);
}
inline void AttachVersion(ChargingSession& row, const RowVersion& version) {
  row.session_id = version.key;
  medallion::AttachVersion<ChargingSession>(row, version);
}

}  // namespace medallion::ocpp
