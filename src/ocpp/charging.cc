#include "medallion/ocpp/charging.h"

#include <iterator>
#include <utility>

#include "medallion/base/text.h"
#include "medallion/ocpp/derive_sessions.h"
#include "medallion/ocpp/epochs.h"
#include "medallion/ocpp/refine.h"
#include "value_name.h"

namespace medallion::ocpp {
namespace {

std::string ValueText(const ChargingEvent& event, std::string_view name) {
  std::string text;
  if (name == "meter_wh" || (name == "value" && event.meter_wh)) {
    AppendCanonical(event.meter_wh, text);
  } else if (name == "value") {
    text.append(event.value).append(event.unit.empty() ? "" : " ").append(event.unit);
  } else {
    text = name == "id_tag_hash" ? event.id_tag_hash : event.error_code;
  }
  return text;
}

std::vector<Charging::Gold> Rows(std::vector<ChargingSession> sessions,
                                 std::vector<MeterIntervals> intervals) {
  std::vector<Charging::Gold> rows;
  rows.reserve(sessions.size() + intervals.size());
  for (ChargingSession& session : sessions) rows.emplace_back(std::move(session));
  for (MeterIntervals& series : intervals) rows.emplace_back(std::move(series));
  return rows;
}

// The children that are rows of this table.
template <class Row>
std::vector<Row> Children(const Charging::Facts& facts) {
  std::vector<Row> rows;
  for (const Charging::Gold& child : facts.children) {
    if (const Row* row = std::get_if<Row>(&child)) rows.push_back(*row);
  }
  return rows;
}

std::vector<Charging::Gold> ConnectorRows(const Charging::Facts& facts, const SessionRules& rules) {
  ConnectorStates states = DeriveConnectorStatus(facts.history, rules);
  std::vector<Charging::Gold> rows(std::make_move_iterator(states.periods.begin()),
                                   std::make_move_iterator(states.periods.end()));
  if (states.current.has_value()) rows.emplace_back(*std::move(states.current));
  return rows;
}

std::vector<Charging::Gold> DayRows(const Charging::Facts& facts, const SessionRules& rules) {
  std::optional<ChargingStatsDaily> day = DeriveDaily(Children<ChargingSession>(facts), rules);
  if (!day.has_value()) return {};
  return {*std::move(day)};
}

std::vector<Charging::Gold> ChargePointRows(const Charging::Facts& facts, UtcTime clock,
                                            const SessionRules& rules) {
  const auto days = Children<ChargingStatsDaily>(facts);
  auto health = DeriveHealth(facts.subject, facts.sighting, days, clock, rules);
  if (!health.has_value()) return {};
  return {*std::move(health)};
}

}  // namespace

std::vector<Charging::Gold> Charging::Derive(const Facts& facts, UtcTime clock, const Model& model,
                                             std::string* summary) {
  if (!facts.subject.empty()) return ChargePointRows(facts, clock, model);
  if (!facts.children.empty()) return DayRows(facts, model);
  const bool connector =
      !facts.history.empty() && facts.history[0].row.event_type == EventType::kStatusNotification;
  if (connector) return ConnectorRows(facts, model);
  std::vector<MeterIntervals> intervals;
  auto sessions = DeriveSessions(facts.history, facts.contexts, clock, model, summary, &intervals);
  return Rows(std::move(sessions), std::move(intervals));
}

std::optional<std::vector<Charging::Gold>> Charging::Continue(const Facts& facts, UtcTime clock,
                                                              const Model& model, std::string& summary) {
  std::vector<MeterIntervals> intervals;
  auto sessions =
      ContinueSessions(facts.summary, facts.history, facts.contexts, clock, model, summary, &intervals);
  if (!sessions.has_value()) return std::nullopt;
  return Rows(*std::move(sessions), std::move(intervals));
}

RowVersion Charging::VersionOf(const Gold& row) {
  const auto key = [](const auto& own) {
    if constexpr (requires { RowKey(own); }) {
      return RowKey(own);
    } else {
      return own.session_id;
    }
  };
  return std::visit(
      [&](const auto& own) {
        return RowVersion{.key = key(own),
                          .hash = own.row_hash,
                          .model_version = own.model_version,
                          .updated_at = own.updated_at};
      },
      row);
}

std::optional<int64_t> Charging::MeasureOf(const Gold& row) {
  const auto* session = std::get_if<ChargingSession>(&row);
  if (session == nullptr || !session->energy_kwh.has_value()) return std::nullopt;
  return session->energy_kwh->units;
}

UtcTime Charging::NextDue(const Gold& row) {
  return std::visit(
      [](const auto& own) {
        if constexpr (requires { own.next_due_at; }) {
          return own.next_due_at;
        } else {
          return kNoTime;
        }
      },
      row);
}

EntityKey Charging::ParentOf(const Gold& row, const Model& model) {
  if (const auto* session = std::get_if<ChargingSession>(&row)) {
    return DayKey(session->charge_point_id, DayOf(*session, model.options));
  }
  if (const auto* day = std::get_if<ChargingStatsDaily>(&row)) return HealthKey(day->charge_point_id);
  return {};
}

Refined<ChargingEvent> Charging::Refine(std::span<const BronzeRecord> batch, const Options& options) {
  return ocpp::Refine(batch, options);
}

void Charging::Cut(std::span<const ChargingElement* const> unit, std::span<uint32_t> fact,
                   const Options& options) {
  CutEpochs(unit, fact, options);
}

void Charging::Fill(Event& row, int value, const Event* from) {
  static const Event nothing;
  const Event& source = from != nullptr ? *from : nothing;
  const std::string_view name = ValueName(row.event_type, value);
  if (name == "meter_wh") {
    row.meter_wh = source.meter_wh;
  } else if (name == "id_tag_hash") {
    row.id_tag_hash = source.id_tag_hash;
  } else if (name == "error_code") {
    row.error_code = source.error_code;
  }
}

std::string Charging::Difference(const Event& row, const Event& fact, uint8_t differs) {
  std::string json = "{";
  for (int value = 0; value < kValuesMax; ++value) {
    if ((differs >> value & 1) == 0) continue;
    const std::string_view name = ValueName(row.event_type, value);
    json += json.size() > 1 ? "," : "";
    AppendJsonString(name, json);
    json += ":{\"accepted\":";
    AppendJsonString(ValueText(fact, name), json);
    json += ",\"rejected\":";
    AppendJsonString(ValueText(row, name), json);
    json += "}";
  }
  return json + "}";
}

}  // namespace medallion::ocpp
