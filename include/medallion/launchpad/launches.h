// The launchpad pack: its types and steps under the names that the run loop and the stores ask for.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "medallion/gold/derive_entities.h"
#include "medallion/launchpad/launch_event.h"
#include "medallion/launchpad/options.h"
#include "medallion/launchpad/refine.h"
#include "medallion/launchpad/token_risk.h"

namespace medallion::launchpad {

// See io/run.h for what each member means.
struct Launches {
  using Event = LaunchEvent;
  using Gold = TokenRisk;
  using Options = launchpad::Options;

  static constexpr std::string_view kName = "launchpad";
  static constexpr std::array<std::string_view, 5> kSilverTables = kFamilyTables;
  static constexpr std::array<std::string_view, 1> kGoldTables = {"gold_token_risk"};
  static size_t SilverTableOf(const Event& row) { return static_cast<size_t>(row.family); }
  static Event SilverSample(size_t table) {
    Event row;
    row.family = static_cast<Family>(table);
    return row;
  }

  static Refined<Event> Refine(std::span<const BronzeRecord> batch, const Options& options) {
    return launchpad::Refine(batch, options);
  }
  static Policy PolicyOf(const Options& options) { return options.policy; }
  static void Cut(std::span<const LaunchElement* const> unit, std::span<uint32_t> fact,
                  const Options& options) {
    CutMessages(unit, fact, options);
  }
  // Copies agree in all values or are none; a row is never filled up.
  static void Fill(Event&, int, const Event*) {}
  static std::string Difference(const Event& row, const Event& fact, uint8_t differs) {
    return DescribeConflict(row, fact, differs);
  }
  using Model = RiskModel;
  static Model ModelOf(const Options& options) { return Model(options.risk); }
  static std::vector<Gold> Derive(const EntityFacts<Event, Gold>& facts, UtcTime clock, const Model& model) {
    auto row = DeriveTokenRisk(facts.history, clock, model);
    if (!row.has_value()) return {};
    return {*std::move(row)};
  }
  static RowVersion VersionOf(const Gold& row) {
    return {.key = MintKey(row.mint),
            .hash = row.row_hash,
            .model_version = row.model_version,
            .updated_at = row.updated_at};
  }
  static UtcTime NextDue(const Gold& row) { return row.next_due_at; }
  static std::string_view Subject(const Event& row) { return row.mint; }
  static std::string_view Action(const Event& row) { return ActionName(row.action); }
  // Of a line of an envelope the line itself, not the whole envelope.
  static std::string_view PayloadPart(const Event& row) { return row.raw; }
};

}  // namespace medallion::launchpad
