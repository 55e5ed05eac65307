// The ledger pack: its types and steps under the names that the run loop and the stores ask for.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "medallion/gold/derive_entities.h"
#include "medallion/gold/merge.h"
#include "medallion/ledger/account_balance.h"
#include "medallion/ledger/account_features.h"
#include "medallion/ledger/identify.h"
#include "medallion/ledger/ledger_event.h"
#include "medallion/ledger/legacy_row.h"
#include "medallion/ledger/options.h"
#include "medallion/ledger/resolve_transfers.h"
#include "medallion/silver/settle.h"

namespace medallion::ledger {

// See io/run.h for what each member means.
struct Ledger {
  using Event = LedgerEvent;
  using Gold = std::variant<AccountBalance, AccountFeatures, LegacyRow, SourceTransaction>;
  using Options = ledger::Options;

  static constexpr std::string_view kName = "ledger";
  static constexpr std::string_view kSilverTable = "silver_ledger_events";
  static constexpr std::array<std::string_view, 4> kGoldTables = {
      "gold_account_balances", "gold_account_features", "gold_legacy_rows", "gold_source_transactions"};

  static Refined<Event> Refine(std::span<const BronzeRecord> batch, const Options& options);
  static Policy PolicyOf(const Options&) {
    return Policy::kContestAll;
  }  // a contested version counts for nobody
  // A unit is a fact: nothing is cut.
  static void Cut(std::span<const LedgerElement* const>, std::span<uint32_t>, const Options&) {}
  static void Fill(Event& row, int value, const Event* from) { FillValue(row, value, from); }
  static std::string Difference(const Event& row, const Event& fact, uint8_t differs);
  using Model = LedgerRules;
  static Model ModelOf(const Options& options) { return Model(options); }
  // Of an account, a legacy account, a legacy row or a transaction: told by what the facts are.
  using Facts = EntityFacts<Event, Gold>;
  static std::vector<Gold> Derive(const Facts& facts, UtcTime clock, const Model& model);
  static RowVersion VersionOf(const Gold& row);
  static UtcTime NextDue(const Gold& row);
  // Legacy rows make up their account.
  static EntityKey ParentOf(const Gold& row, const Model& model);

  static std::string SubjectKey(const Event& row) { return SubjectOf(row); }
  static Resolution Resolve(const Timeline<Event>& timeline, const Options& options) {
    return ResolveTransfers(timeline, options);
  }
  static std::string_view Subject(const Event& row) { return row.account_id; }
  static std::string_view Action(const Event& row) {
    return row.change.has_value() && row.change->table != LegacyTable::kNone
               ? LegacyTableName(row.change->table)
               : EventTypeName(row.event_type);
  }
};

}  // namespace medallion::ledger
