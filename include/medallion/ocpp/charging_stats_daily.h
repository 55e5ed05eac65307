// gold_charging_stats_daily: a charge point's day in figures. A day is the civil day of the site, UTC if the host says
// nothing.
// Pure. Safe from any thread. Source: the charging domain, section 4.
#pragma once

#include <compare>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "absl/time/civil_time.h"
#include "medallion/base/columns.h"
#include "medallion/base/decimal.h"
#include "medallion/base/digest.h"
#include "medallion/base/time.h"
#include "medallion/ocpp/charging_session.h"
#include "medallion/ocpp/options.h"
#include "medallion/silver/element.h"

namespace medallion::ocpp {

// A fraction in millionths, shown with six digits: "0.312500".
struct Millionths {
  int64_t units = 0;
  auto operator<=>(const Millionths&) const = default;
  // A column's text; see base/columns.h. A friend, so that it hides none of those.
  friend bool AppendCanonical(Millionths value, std::string& out) {
    return AppendFixed(value.units, 6, out), true;
  }
};

// A row. Owns its texts. A sum of nothing is zero; a sum that is too large for its column is the largest there.
struct ChargingStatsDaily {
  std::string charge_point_id = {};  // the spelling that sorts first by bytes among the day's sessions
  std::string stats_date = {};       // "2026-03-01"
  int64_t sessions_started = 0;      // with a start
  int64_t sessions_completed = 0;
  int64_t sessions_timed_out = 0;
  int64_t sessions_start_missing = 0;
  Thousandths energy_kwh_final = {};        // of sessions whose energy is final
  Thousandths energy_kwh_provisional = {};  // of the others, open ones too; never mixed with final energy
  std::optional<Thousandths> avg_duration_seconds =
      {};  // of completed sessions, HALF_UP; null if none has one
  Thousandths unattributed_energy_wh = {};
  Millionths utilization = {};  // HALF_UP; see DeriveDaily
  Digest model_version = {};
  Digest row_hash = {};
  UtcTime updated_at = kNoTime;
  bool operator==(const ChargingStatsDaily&) const = default;
};

// The day that a session is booked on, whole: of its start_ts; without a start, of the first time that the row has.
absl::CivilDay DayOf(const ChargingSession& session, const Options& options);

// Whether the start was refused (AUTH_REJECTED): such an attempt is no charging session and counts nowhere.
bool IsRefused(const ChargingSession& session);

// The amount of UNATTRIBUTED_ENERGY that the session's row tells; zero for most.
Thousandths UnattributedOf(const ChargingSession& session);

// The row of one day, complete. `sessions` are all those of one charge point that DayOf books on it, in any order. Nothing
// where no session counts.
//
// utilization = occupied seconds / seconds of that civil day (of 23, 24 or 25 hours) / connectors seen. Occupied is what
// the sessions of the day lasted, open ones until their last message. A session that goes on past midnight is not parted:
// it counts whole on the day that it is booked on, so a row may show more than 1, and the days together show what was.
// Seen are the pairs of EVSE and connector that the sessions name; where none names any, one connector.
//
// A session that counts is derived from, and so is one that was refused: updated_at is the latest of both.
std::optional<ChargingStatsDaily> DeriveDaily(std::span<const ChargingSession> sessions,
                                              const SessionRules& rules);

// sha256("day"|charge_point|day), the charge point in ASCII upper case and the day as in tables: the key of what is
// derived from a day's sessions, and of its row.
EntityKey DayKey(std::string_view charge_point_id, absl::CivilDay day);
Digest RowKey(const ChargingStatsDaily& row);

template <class Visitor>
void VisitColumns(const ChargingStatsDaily& row, Visitor&& visit) {
  visit("charge_point_id", row.charge_point_id);
  visit("stats_date", row.stats_date);
  visit("sessions_started", row.sessions_started);
  visit("sessions_completed", row.sessions_completed);
  visit("sessions_timed_out", row.sessions_timed_out);
  visit("sessions_start_missing", row.sessions_start_missing);
  visit("energy_kwh_final", row.energy_kwh_final);
  visit("energy_kwh_provisional", row.energy_kwh_provisional);
  visit("avg_duration_seconds", row.avg_duration_seconds);
  visit("unattributed_energy_wh", row.unattributed_energy_wh);
  visit("utilization", row.utilization);
  visit("model_version", row.model_version);
  visit("row_hash", row.row_hash);
  visit("updated_at", row.updated_at);
}

// The fields that a store must keep to give the row back, in a fixed order (see base/pack.h). Row may be const.
template <class Row, class Visitor>
  requires std::same_as<std::remove_const_t<Row>, ChargingStatsDaily>
void VisitFields(Row& row, Visitor&& visit) {
  visit(row.charge_point_id), visit(row.stats_date);
  visit(row.sessions_started), visit(row.sessions_completed), visit(row.sessions_timed_out);
  visit(row.sessions_start_missing), visit(row.energy_kwh_final), visit(row.energy_kwh_provisional);
  visit(row.avg_duration_seconds), visit(row.unattributed_energy_wh), visit(row.utilization.units);
}

}  // namespace medallion::ocpp
