#include "medallion/ocpp/charging_stats_daily.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/numeric/int128.h"
#include "absl/time/time.h"
#include "detail_member.h"
#include "exact_sum.h"
#include "medallion/base/text.h"
#include "medallion/gold/row_hash.h"

namespace medallion::ocpp {
namespace {

using absl::int128;

// What the sessions of a day add up to.
struct Sums {
  int128 final_kwh = 0, provisional_kwh = 0, unattributed_wh = 0;  // in thousandths
  int128 completed_seconds = 0;
  int64_t completed = 0;  // that have a duration
  int128 occupied_seconds = 0;
  std::set<std::pair<std::optional<int32_t>, std::optional<int32_t>>> connectors = {};
};

const absl::TimeZone& ZoneOf(std::string_view charge_point_id, const Options& options) {
  if (options.site_zone_of.empty()) return options.site_zone;
  const auto own = options.site_zone_of.find(AsciiUpper(charge_point_id));
  return own == options.site_zone_of.end() ? options.site_zone : own->second;
}

int64_t SecondsOf(absl::CivilDay day, const absl::TimeZone& zone) {
  return absl::ToInt64Seconds(absl::FromCivil(day + 1, zone) - absl::FromCivil(day, zone));
}

UtcTime FirstTime(const ChargingSession& session) {
  if (session.start_ts != kNoTime) return session.start_ts;
  if (session.stop_ts == kNoTime || session.last_event_ts == kNoTime) {
    return std::max(session.stop_ts, session.last_event_ts);
  }
  return std::min(session.stop_ts, session.last_event_ts);
}

// "2026-03-01"; a day outside of the years 0000 to 9999 is written as the nearest one inside.
std::string DateText(absl::CivilDay day) {
  constexpr absl::CivilDay kFirst(0, 1, 1), kLast(9999, 12, 31);
  const int64_t days = std::clamp(day, kFirst, kLast) - absl::CivilDay(1970, 1, 1);
  std::string text;
  AppendDate({days * kMicrosPerDay}, text);
  return text;
}

void Count(const ChargingSession& session, ChargingStatsDaily& row) {
  if (session.start_ts != kNoTime) ++row.sessions_started;
  if (session.session_status == SessionStatus::kCompleted) ++row.sessions_completed;
  if (session.session_status == SessionStatus::kTimedOut) ++row.sessions_timed_out;
  if (session.session_status == SessionStatus::kStartMissing) ++row.sessions_start_missing;
}

void Add(const ChargingSession& session, Sums& sums) {
  const int64_t kwh = session.energy_kwh.value_or(Thousandths{}).units;
  (session.energy_is_final ? sums.final_kwh : sums.provisional_kwh) += kwh;
  sums.unattributed_wh += UnattributedOf(session).units;
  if (session.evse_id.has_value() || session.connector_id.has_value()) {
    sums.connectors.emplace(session.evse_id, session.connector_id);
  }
  if (!session.duration_seconds.has_value()) return;
  sums.occupied_seconds += *session.duration_seconds;
  if (session.session_status != SessionStatus::kCompleted) return;
  sums.completed_seconds += *session.duration_seconds;
  ++sums.completed;
}

void Show(const Sums& sums, int64_t day_seconds, ChargingStatsDaily& row) {
  row.energy_kwh_final = {Clamped(sums.final_kwh)};
  row.energy_kwh_provisional = {Clamped(sums.provisional_kwh)};
  row.unattributed_energy_wh = {Clamped(sums.unattributed_wh)};
  if (sums.completed > 0) {
    row.avg_duration_seconds = Thousandths{Quotient(sums.completed_seconds * 1000, sums.completed)};
  }
  const int128 connectors = std::max<size_t>(sums.connectors.size(), 1);
  row.utilization = {Quotient(sums.occupied_seconds * 1'000'000, connectors * day_seconds)};
}

Digest KeyOfDay(std::string_view charge_point_id, std::string_view date) {
  return JoinedFields().Add("day").AddUpper(charge_point_id).AddPlain(date).Sha256();
}

}  // namespace

absl::CivilDay DayOf(const ChargingSession& session, const Options& options) {
  return absl::ToCivilDay(absl::FromUnixMicros(FirstTime(session).us),
                          ZoneOf(session.charge_point_id, options));
}

bool IsRefused(const ChargingSession& session) {
  return session.quality_flags.Has(SessionFlag::kAuthRejected);
}

Thousandths UnattributedOf(const ChargingSession& session) {
  const auto told = MemberOf(session.detail, "UNATTRIBUTED_ENERGY");
  const auto wh = told.has_value() ? NumberOf(*told, "wh") : std::nullopt;
  return {wh.has_value() ? wh->Rounded(3).value_or(0) : 0};
}

std::optional<ChargingStatsDaily> DeriveDaily(std::span<const ChargingSession> sessions,
                                              const SessionRules& rules) {
  ChargingStatsDaily row;
  Sums sums;
  const ChargingSession* first = nullptr;  // by its spelling of the charge point
  for (const ChargingSession& session : sessions) {
    row.updated_at = std::max(row.updated_at, session.updated_at);
    if (IsRefused(session)) continue;
    if (first == nullptr || session.charge_point_id < first->charge_point_id) first = &session;
    Count(session, row);
    Add(session, sums);
  }
  if (first == nullptr) return std::nullopt;
  const absl::CivilDay day = DayOf(*first, rules.options);
  row.charge_point_id = first->charge_point_id;
  row.stats_date = DateText(day);
  Show(sums, SecondsOf(day, ZoneOf(first->charge_point_id, rules.options)), row);
  row.model_version = rules.model_version;
  row.row_hash = RowHash(row);
  return row;
}

EntityKey DayKey(std::string_view charge_point_id, absl::CivilDay day) {
  return KeyOfDay(charge_point_id, DateText(day));
}

Digest RowKey(const ChargingStatsDaily& row) { return KeyOfDay(row.charge_point_id, row.stats_date); }

}  // namespace medallion::ocpp
