// The charging pack: its types and steps under the names that the run loop and the stores ask for.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "medallion/base/text.h"
#include "medallion/gold/derive_entities.h"
#include "medallion/gold/merge.h"
#include "medallion/ocpp/charging_event.h"
#include "medallion/ocpp/charging_session.h"
#include "medallion/ocpp/derive_sessions.h"
#include "medallion/ocpp/options.h"
#include "medallion/ocpp/resolve_transactions.h"
#include "medallion/silver/settle.h"

namespace medallion::ocpp {

// See io/run.h for what each member means.
struct Charging {
  using Event = ChargingEvent;
  using Gold = ChargingSession;
  using Options = ocpp::Options;

  static constexpr std::string_view kName = "ocpp";
  static constexpr std::string_view kSilverTable = "silver_charging_events";
  static constexpr std::array<std::string_view, 1> kGoldTables = {"gold_charging_sessions"};

  static Refined<Event> Refine(std::span<const BronzeRecord> batch, const Options& options);
  static Policy PolicyOf(const Options& options) { return options.policy; }
  static void Cut(std::span<const ChargingElement* const> unit, std::span<uint32_t> fact,
                  const Options& options);
  static void Fill(Event& row, int value, const Event* from);
  static std::string Difference(const Event& row, const Event& fact, uint8_t differs);
  using Model = SessionRules;
  static Model ModelOf(const Options& options) { return Model(options); }
  using Facts = EntityFacts<ChargingEvent, ChargingSession>;
  static std::vector<Gold> Derive(const Facts& facts, UtcTime clock, const Model& model,
                                  std::string* summary) {
    return DeriveSessions(facts.history, facts.contexts, clock, model, summary);
  }
  static std::optional<std::vector<Gold>> Continue(std::string& summary, const Facts& added, UtcTime clock,
                                                   const Model& model) {
    return ContinueSessions(summary, added.history, added.contexts, clock, model);
  }

  static RowVersion VersionOf(const Gold& row) {
    return {.key = row.session_id,
            .hash = row.row_hash,
            .model_version = row.model_version,
            .updated_at = row.updated_at};
  }
  static UtcTime NextDue(const Gold& row) { return row.next_due_at; }
  static std::string SubjectKey(const Event& row) { return AsciiUpper(row.charge_point_id); }
  static Resolution Resolve(const Timeline<Event>& timeline, const Options& options) {
    return ResolveTransactions(timeline, options);
  }
  static std::string_view Subject(const Event& row) { return row.charge_point_id; }
  static std::string_view Action(const Event& row) {
    return row.action.empty() ? EventTypeName(row.event_type) : row.action;
  }
};

}  // namespace medallion::ocpp
