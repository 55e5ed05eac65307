// Risk signals of one token, from its Silver rows and the data clock.
// Pure. Safe from any thread. Source: the launchpad domain, 5. Where that is silent:
//
// - A row without a slot sorts before all that have one.
// - Pools are all addresses that rows of the mint name as such. A trade that names none is taken to be of any of them.
// - What a pool holds is told by its latest row that tells reserves; one without them (an `add` of a feed that sends none)
//   changes nothing.
// - With removes from several pools liquidity_removed_recently_bps is the largest of their shares.
// - A curve is a pool with virtual reserves, or of a standard venue.
// - The residual is null, too, while no pool of the mint was ever told to hold anything.
// - Supply, authorities and extensions are the latest known, whichever message told them; the creator is that of the first
//   create.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "medallion/launchpad/amount.h"
#include "medallion/launchpad/launch_event.h"
#include "medallion/launchpad/options.h"

namespace medallion::launchpad {

// In the order of the domain page. Amounts in base units; null where the definition gives nothing.
struct RiskSignals {
  Amount net_signed_total = {};
  int64_t holders = 0;
  Amount circulating = {};
  Millionths top1_bps = {}, top10_bps = {};
  Millionths top1_bps_low = {}, top1_bps_high = {};  // where the feed is incomplete
  Millionths top10_bps_low = {}, top10_bps_high = {};
  Millionths top10_supply_bps = {};
  Millionths hhi = {};
  Millionths creator_hold_bps = {};
  Millionths creator_sold_bps = {}, creator_transferred_bps = {};
  std::optional<bool> creator_sold_recently = {};
  Amount liquidity_quote = {};
  Millionths price = {}, mcap_quote = {}, liquidity_to_mcap_bps = {};
  Millionths lp_burned_bps = {};
  Millionths liquidity_removed_recently_bps = {};
  std::optional<bool> mint_authority_active = {}, freeze_authority_active = {}, risky_extension = {};
  Millionths early_block_bps = {};
  std::optional<int64_t> max_slot_buyers = {};
  Millionths unbought_sell_bps = {};
  Amount burned = {};
  Amount conservation_residual = {};
  bool operator==(const RiskSignals&) const = default;
};

struct RiskFlags {
  bool conflict = false;
  bool supply_changed = false;
  bool trade_before_create = false;
  bool incomplete_feed = false;
  bool operator==(const RiskFlags&) const = default;
};

// What is told of a token at an instant.
struct TokenFindings {
  std::string mint, creator;
  RiskSignals signals;
  RiskFlags flags;
  int64_t rows = 0;  // counted
  std::optional<uint64_t> first_slot, last_slot;
  std::vector<std::string> excluded;  // addresses that are no holders, sorted
  std::string deepest_pool;
  const LaunchEvent* first = nullptr;  // of the rows counted; into the history
  const LaunchEvent* last = nullptr;
  UtcTime next_due_at = kNoTime;  // when it is told anew, though nothing comes
  UtcTime updated_at = kNoTime;   // since when it is told so
};

// `history`: Silver rows of one mint and conflicts about it, in any order.
TokenFindings FindRisks(std::span<const LaunchElement> history, UtcTime data_clock,
                        const RiskParameters& parameters);

// The first row of the table that applies; LOW where none does.
RiskLevel RiskLevelOf(const RiskSignals& signals, const RiskFlags& flags, std::span<const RiskRule> table);

// What one address has: for hosts, and for the oracle of the tests. Sorted by address, pools left out.
struct Holding {
  std::string address;
  absl::int128 net = 0;
};
std::vector<Holding> Holdings(std::span<const LaunchElement> history, UtcTime data_clock);

template <class Visitor>
void VisitSignals(const RiskSignals& row, Visitor&& visit) {
  visit("net_signed_total", row.net_signed_total);
  visit("holders", row.holders);
  visit("circulating", row.circulating);
  visit("top1_bps", row.top1_bps);
  visit("top1_bps_low", row.top1_bps_low);
  visit("top1_bps_high", row.top1_bps_high);
  visit("top10_bps", row.top10_bps);
  visit("top10_bps_low", row.top10_bps_low);
  visit("top10_bps_high", row.top10_bps_high);
  visit("top10_supply_bps", row.top10_supply_bps);
  visit("hhi", row.hhi);
  visit("creator_hold_bps", row.creator_hold_bps);
  visit("creator_sold_bps", row.creator_sold_bps);
  visit("creator_transferred_bps", row.creator_transferred_bps);
  visit("creator_sold_recently", row.creator_sold_recently);
  visit("liquidity_quote", row.liquidity_quote);
  visit("price", row.price);
  visit("mcap_quote", row.mcap_quote);
  visit("liquidity_to_mcap_bps", row.liquidity_to_mcap_bps);
  visit("lp_burned_bps", row.lp_burned_bps);
  visit("liquidity_removed_recently_bps", row.liquidity_removed_recently_bps);
  visit("mint_authority_active", row.mint_authority_active);
  visit("freeze_authority_active", row.freeze_authority_active);
  visit("risky_extension", row.risky_extension);
  visit("early_block_bps", row.early_block_bps);
  visit("max_slot_buyers", row.max_slot_buyers);
  visit("unbought_sell_bps", row.unbought_sell_bps);
  visit("burned", row.burned);
  visit("conservation_residual", row.conservation_residual);
}

template <class Row, class Visitor>
  requires std::same_as<std::remove_const_t<Row>, RiskSignals>
void VisitFields(Row& row, Visitor&& visit) {
  visit(row.net_signed_total), visit(row.holders), visit(row.circulating), visit(row.top1_bps),
      visit(row.top10_bps);
  visit(row.top1_bps_low), visit(row.top1_bps_high), visit(row.top10_bps_low), visit(row.top10_bps_high);
  visit(row.top10_supply_bps), visit(row.hhi), visit(row.creator_hold_bps), visit(row.creator_sold_bps);
  visit(row.creator_transferred_bps), visit(row.creator_sold_recently), visit(row.liquidity_quote),
      visit(row.price);
  visit(row.mcap_quote), visit(row.liquidity_to_mcap_bps), visit(row.lp_burned_bps);
  visit(row.liquidity_removed_recently_bps), visit(row.mint_authority_active),
      visit(row.freeze_authority_active);
  visit(row.risky_extension), visit(row.early_block_bps), visit(row.max_slot_buyers),
      visit(row.unbought_sell_bps);
  visit(row.burned), visit(row.conservation_residual);
}

}  // namespace medallion::launchpad
