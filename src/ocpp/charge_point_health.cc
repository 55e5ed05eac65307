#include "medallion/ocpp/charge_point_health.h"

#include <algorithm>
#include <cstddef>

#include "absl/numeric/int128.h"
#include "detail_member.h"
#include "exact_sum.h"
#include "medallion/base/text.h"
#include "medallion/gold/row_hash.h"

namespace medallion::ocpp {
namespace {

// A result to a BootNotification as a number: the later one is the larger.
constexpr int64_t kIntervals = int64_t{1} << 20;
constexpr int64_t kReceiptMax = int64_t{1} << 42;  // in seconds; further off than any calendar
constexpr int64_t kIntervalDefault = 300;

constexpr size_t kHeartbeat = 0, kBoot = 1;  // in Sighting::most
static_assert(Sighting::kNever == kNoTime.us);

int64_t WholeSeconds(UtcTime time) {
  const int64_t seconds = time.us / kMicrosPerSecond - (time.us % kMicrosPerSecond < 0 ? 1 : 0);
  return std::clamp(seconds, -kReceiptMax, kReceiptMax);
}

struct BootResult {
  UtcTime receipt = kNoTime;
  int64_t interval = 0;  // in seconds

  int64_t Number() const { return WholeSeconds(receipt) * kIntervals + interval; }
  static BootResult Of(int64_t number) {
    if (number == Sighting::kNever) return {};
    const int64_t interval = number & (kIntervals - 1);
    return {{Clamped(absl::int128((number - interval) / kIntervals) * kMicrosPerSecond)}, interval};
  }
};

bool IsAccepted(std::string_view detail) {
  const std::optional<std::string_view> status = MemberOf(detail, "status");
  return !status.has_value() || EqualsFoldedCase(*status, "\"Accepted\"");
}

std::optional<BootResult> BootResultOf(const ChargingElement& element) {
  const bool is_result = element.standing.fate == Fate::kIgnored && element.row.action.empty();
  if (!is_result || !MemberOf(element.detail, "interval").has_value()) return std::nullopt;
  if (!IsAccepted(element.detail) || element.row.ingest_ts == kNoTime) return std::nullopt;
  const std::optional<Decimal> interval = NumberOf(element.detail, "interval");
  const int64_t seconds = interval.has_value() ? interval->Rounded(0).value_or(0) : 0;
  return BootResult{element.row.ingest_ts, std::clamp<int64_t>(seconds, 0, kIntervals - 1)};
}

// When a charge point that was last heard of at `last_seen` is offline.
UtcTime OfflineAt(UtcTime last_seen, const BootResult& boot) {
  const int64_t interval = boot.interval > 0 ? boot.interval : kIntervalDefault;
  return {Clamped(absl::int128(last_seen.us) + 2 * interval * kMicrosPerSecond)};
}

}  // namespace

std::optional<Sighting> SightingOf(const ChargingElement& element, Direction direction) {
  const ChargingEvent& row = element.row;
  if (row.charge_point_id.empty()) return std::nullopt;
  Sighting sighting;
  if (direction == Direction::kOut) {
    const std::optional<BootResult> boot = BootResultOf(element);
    if (!boot.has_value()) return std::nullopt;
    sighting.most[kBoot] = boot->Number();
    return sighting;
  }
  if (row.ingest_ts == kNoTime) return std::nullopt;
  sighting.ingest_ts = row.ingest_ts;
  if (row.event_type == EventType::kHeartbeat) sighting.most[kHeartbeat] = row.ingest_ts.us;
  return sighting;
}

std::optional<ChargePointHealth> DeriveHealth(std::string_view charge_point_id, const Sighting& sighting,
                                              std::span<const ChargingStatsDaily> days, UtcTime data_clock,
                                              const SessionRules& rules) {
  if (sighting.ingest_ts == kNoTime) return std::nullopt;
  const BootResult boot = BootResult::Of(sighting.most[kBoot]);
  const UtcTime due = OfflineAt(sighting.ingest_ts, boot);
  ChargePointHealth row;
  row.charge_point_id = charge_point_id;
  row.last_seen_ts = sighting.ingest_ts;
  row.last_heartbeat_ts = {sighting.most[kHeartbeat]};
  row.is_offline = data_clock >= due;
  if (!row.is_offline) row.next_due_at = due;
  row.updated_at = std::max({row.last_seen_ts, boot.receipt, row.is_offline ? due : kNoTime});
  absl::int128 unattributed_wh = 0;
  for (const ChargingStatsDaily& day : days) {
    unattributed_wh += day.unattributed_energy_wh.units;
    row.updated_at = std::max(row.updated_at, day.updated_at);
  }
  row.unattributed_energy_wh = {Clamped(unattributed_wh)};
  row.model_version = rules.model_version;
  row.row_hash = RowHash(row);
  return row;
}

EntityKey HealthKey(std::string_view charge_point_id) {
  return JoinedFields().Add("charge point").AddUpper(charge_point_id).Sha256();
}

Digest RowKey(const ChargePointHealth& row) { return HealthKey(row.charge_point_id); }

}  // namespace medallion::ocpp
