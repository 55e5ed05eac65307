// gold_charge_point_health: whether a charge point is heard of, and the energy that no session of its explains.
// Pure. Safe from any thread. Source: the charging domain, section 4.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "medallion/base/columns.h"
#include "medallion/base/digest.h"
#include "medallion/base/time.h"
#include "medallion/bronze/record.h"
#include "medallion/gold/sighting.h"
#include "medallion/ocpp/charging_event.h"
#include "medallion/ocpp/charging_stats_daily.h"
#include "medallion/ocpp/options.h"
#include "medallion/silver/element.h"

namespace medallion::ocpp {

// A row. Owns its texts; an absent time is kNoTime.
struct ChargePointHealth {
  std::string charge_point_id = {};
  UtcTime last_seen_ts = kNoTime;       // the latest receipt of anything that it sent
  UtcTime last_heartbeat_ts = kNoTime;  // the latest receipt of a Heartbeat
  bool is_offline = false;
  Thousandths unattributed_energy_wh = {};  // of all its days
  UtcTime next_due_at = kNoTime;            // when it will be offline, unless it is heard of; null once it is
  Digest model_version = {};
  Digest row_hash = {};
  UtcTime updated_at = kNoTime;
  bool operator==(const ChargePointHealth&) const = default;
};

// What an element adds to what is known of its charge point (Sighting::Take); nothing for most that it was sent.
//
//   ingest_ts   the receipt, of whatever came from it (direction in): duplicates, quarantined and ignored ones count
//   most[0]     the same of a Heartbeat, in microseconds. Its own clock does not count: it may be wrong
//   most[1]     of the back end's result to a BootNotification: the receipt in whole seconds * 2^20 + the heartbeat
//               interval in seconds, at most 2^20 - 1, 0 where it names none. A result is an ignored element with
//               {"interval":300} in `detail`, direction out, and moves nothing else. One with a status that is not
//               Accepted is passed over: its interval is the time until the next attempt.
std::optional<Sighting> SightingOf(const ChargingElement& element, Direction direction);

// The row, complete. `charge_point_id` is the spelling to show, which `sighting` does not know: the one that sorts first
// by bytes among its rows. `days` are all its rows of gold_charging_stats_daily, in any order. Nothing where nothing ever
// came from it.
//
// It is offline once nothing came for two heartbeat intervals of `data_clock`: the interval of the latest result to a
// BootNotification, else of 5 min. updated_at is the latest of last_seen_ts, that result, its days, and the due instant
// that put it offline.
std::optional<ChargePointHealth> DeriveHealth(std::string_view charge_point_id, const Sighting& sighting,
                                              std::span<const ChargingStatsDaily> days, UtcTime data_clock,
                                              const SessionRules& rules);

// sha256("charge point"|charge_point), the charge point in ASCII upper case: the key of the charge point, and of its row.
EntityKey HealthKey(std::string_view charge_point_id);
Digest RowKey(const ChargePointHealth& row);

template <class Visitor>
void VisitColumns(const ChargePointHealth& row, Visitor&& visit) {
  visit("charge_point_id", row.charge_point_id);
  visit("last_seen_ts", row.last_seen_ts);
  visit("last_heartbeat_ts", row.last_heartbeat_ts);
  visit("is_offline", row.is_offline);
  visit("unattributed_energy_wh", row.unattributed_energy_wh);
  visit("next_due_at", row.next_due_at);
  visit("model_version", row.model_version);
  visit("row_hash", row.row_hash);
  visit("updated_at", row.updated_at);
}

// The fields that a store must keep to give the row back, in a fixed order (see base/pack.h). Row may be const.
template <class Row, class Visitor>
  requires std::same_as<std::remove_const_t<Row>, ChargePointHealth>
void VisitFields(Row& row, Visitor&& visit) {
  visit(row.charge_point_id), visit(row.last_seen_ts), visit(row.last_heartbeat_ts), visit(row.is_offline);
  visit(row.unattributed_energy_wh), visit(row.next_due_at);
}

}  // namespace medallion::ocpp
