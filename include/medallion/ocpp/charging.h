// The charging pack: its types and steps under the names that the run loop and the stores ask for.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "medallion/base/text.h"
#include "medallion/gold/derive_entities.h"
#include "medallion/gold/merge.h"
#include "medallion/ocpp/charge_point_health.h"
#include "medallion/ocpp/charging_event.h"
#include "medallion/ocpp/charging_session.h"
#include "medallion/ocpp/charging_stats_daily.h"
#include "medallion/ocpp/connector_status.h"
#include "medallion/ocpp/derive_sessions.h"
#include "medallion/ocpp/meter_intervals.h"
#include "medallion/ocpp/options.h"
#include "medallion/ocpp/resolve_transactions.h"
#include "medallion/silver/settle.h"

namespace medallion::ocpp {

// See io/run.h for what each member means.
struct Charging {
  using Event = ChargingEvent;
  using Gold = std::variant<ChargingSession, ChargingStatsDaily, ConnectorStatusPeriod, ConnectorStatus,
                            ChargePointHealth, MeterIntervals>;
  using Options = ocpp::Options;

  static constexpr std::string_view kName = "ocpp";
  static constexpr std::string_view kSilverTable = "silver_charging_events";
  static constexpr std::array<std::string_view, 6> kGoldTables = {
      "gold_charging_sessions",        "gold_charging_stats_daily", "gold_connector_status_history",
      "gold_connector_current_status", "gold_charge_point_health",  "gold_meter_intervals"};
  // The columns of their keys; and what their rows are compared by: the energy of a session, in thousandths of kWh.
  static constexpr std::array<std::string_view, 6> kGoldKeys = {
      "session_id",
      "charge_point_id stats_date",
      "charge_point_id evse_id connector_id valid_from",
      "charge_point_id evse_id connector_id",
      "charge_point_id",
      "session_id from_ts to_ts"};
  static std::optional<int64_t> MeasureOf(const Gold& row);

  static Refined<Event> Refine(std::span<const BronzeRecord> batch, const Options& options);
  static Policy PolicyOf(const Options& options) { return options.policy; }
  static void Cut(std::span<const ChargingElement* const> unit, std::span<uint32_t> fact,
                  const Options& options);
  static void Fill(Event& row, int value, const Event* from);
  static std::string Difference(const Event& row, const Event& fact, uint8_t differs);
  using Model = SessionRules;
  static Model ModelOf(const Options& options) { return Model(options); }
  // Of a transaction, a connector, a day or a charge point: told by what the facts are.
  using Facts = EntityFacts<Event, Gold>;
  static std::vector<Gold> Derive(const Facts& facts, UtcTime clock, const Model& model,
                                  std::string* summary);
  static std::optional<std::vector<Gold>> Continue(const Facts& facts, UtcTime clock, const Model& model,
                                                   std::string& summary);
  static RowVersion VersionOf(const Gold& row);
  static UtcTime NextDue(const Gold& row);
  // Sessions make up their day, and days their charge point.
  static EntityKey ParentOf(const Gold& row, const Model& model);
  static std::optional<Sighting> SightingOf(const ChargingElement& element, Direction direction) {
    return ocpp::SightingOf(element, direction);
  }
  static EntityKey SightingKey(std::string_view subject) { return HealthKey(subject); }

  static std::string SubjectKey(const Event& row) { return AsciiUpper(row.charge_point_id); }
  static Resolution Resolve(const Timeline<Event>& timeline, const Options& options) {
    return ResolveTransactions(timeline, options);
  }
  static std::string_view Subject(const Event& row) { return row.charge_point_id; }
  static std::string_view WarningsOf(const Options& options) {
    return options.id_tag_key == kPublicIdTagKey ? R"(["PUBLIC_ID_TAG_KEY"])" : "";
  }
  template <class Names>
  static void Forget(Event& row, const Names& names) {
    if (names(row.extra_fields)) row.extra_fields = {};
    if (names(row.detail)) row.detail = {};
  }
  static std::string_view Action(const Event& row) {
    return row.action.empty() ? EventTypeName(row.event_type) : row.action;
  }
};

}  // namespace medallion::ocpp
