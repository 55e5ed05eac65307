// The golden example of the domain page, section 6, to the last digit, and its variants.
#include "medallion/launchpad/token_risk.h"

#include <algorithm>

#include "medallion/launchpad/rescore.h"
#include "tests/launchpad/launch_run.h"

namespace medallion::launchpad {
namespace {

using nlohmann::json;
using testing::AddressOf;
using testing::At;
using testing::GoldenLines;
using testing::RowsIn;
using testing::TakenLines;

json RiskOf(const std::vector<std::string>& lines, UtcTime clock = kNoTime, const Options& options = {}) {
  const auto store = TakenLines(lines, clock, options);
  const auto rows = RowsIn(*store, "gold_token_risk");
  REQUIRE(rows.size() == 1);
  return rows[0];
}

TEST_CASE("risk: the golden example, to the last digit") {
  const json risk = RiskOf(GoldenLines());
  CHECK(risk["mint"] == testing::GoldenMint());
  CHECK(risk["creator"] == AddressOf("CREATOR"));
  CHECK(risk["net_signed_total"] == "636395947426067");
  CHECK(risk["conservation_residual"] == "0");
  CHECK(risk["holders"] == 5);
  CHECK(risk["circulating"] == "636395947426067");
  CHECK(risk["top1_bps"] == "5705.505454");
  CHECK(risk["top10_bps"] == "10000.000000");
  CHECK(risk["top10_supply_bps"] == "6363.959474");
  CHECK(risk["hhi"] == "0.440109");
  CHECK(risk["creator_sold_bps"] == "5000.000000");
  CHECK(risk["creator_transferred_bps"] == "0.000000");
  CHECK(risk["creator_hold_bps"] == "487.727273");
  CHECK(risk["liquidity_quote"] == "43728129206");
  CHECK(risk["price"] == "168.867258");
  CHECK(risk["mcap_quote"] == "168867258036.994828");
  CHECK(risk["liquidity_to_mcap_bps"] == "2589.497201");
  CHECK(risk["unbought_sell_bps"] == "0.000000");
  CHECK(risk["liquidity_removed_recently_bps"] == "0.000000");
  CHECK(risk["lp_burned_bps"] == nullptr);
  CHECK(risk["mint_authority_active"] == false);
  CHECK(risk["freeze_authority_active"] == false);
  CHECK(risk["risky_extension"] == nullptr);
  CHECK(risk["creator_sold_recently"] == true);
  CHECK(risk["early_block_bps"] == "0.000000");
  CHECK(risk["max_slot_buyers"] == 1);
  CHECK(risk["burned"] == "0");
  CHECK(risk["top1_bps_low"] == nullptr);
  CHECK(risk["risk_level"] == "CRITICAL");
  CHECK(risk["quality_flags"] == nullptr);
  CHECK(risk["evidence"]["rows"] == 17);  // 6 messages, 1 token, 4 trades, 2 transfers, 4 states of the pool
  CHECK(risk["evidence"]["first_slot"] == 1010);
  CHECK(risk["evidence"]["last_slot"] == 1060);
  CHECK(risk["evidence"]["excluded"] == json::array({AddressOf("golden curve")}));
}

TEST_CASE("risk: the rows of the golden example") {
  const auto store = TakenLines(GoldenLines());
  const auto trades = RowsIn(*store, "silver_trades");
  REQUIRE(trades.size() == 4);
  struct Step {
    const char* token;
    const char* quote;
    const char* source;
  };
  const std::vector<Step> steps = {{"97545454545454", "3000000000", "CREATE_INITIAL"},
                                   {"368096054888507", "20000000000", "HEADER"},
                                   {"219527165264833", "30000000000", "HEADER"},
                                   {"48772727272727", "9271870794", "HEADER"}};
  for (size_t i = 0; i < steps.size(); ++i) {
    CAPTURE(i);
    CHECK(trades[i]["token_amount"] == steps[i].token);
    CHECK(trades[i]["quote_amount"] == steps[i].quote);
    CHECK(trades[i]["source"] == steps[i].source);
  }
  const auto pools = RowsIn(*store, "silver_pools");
  REQUIRE(pools.size() == 4);
  const std::vector<std::pair<const char*, const char*>> states = {{"33000000000", "695554545454546"},
                                                                   {"53000000000", "327458490566039"},
                                                                   {"83000000000", "107931325301206"},
                                                                   {"73728129206", "156704052573933"}};
  for (size_t i = 0; i < states.size(); ++i) {
    CHECK(pools[i]["virtual_quote"] == states[i].first);
    CHECK(pools[i]["real_token"] == states[i].second);
    CHECK(pools[i]["flags"] == json::array({"TS_UNIT_ASSUMED:ms"}));  // and no word of a broken curve
  }
  CHECK(RowsIn(*store, "silver_tokens").size() == 1);
  CHECK(RowsIn(*store, "silver_transfers").size() == 2);
  CHECK(RowsIn(*store, "silver_launchpad_events").size() == 6);
  CHECK(RowsIn(*store, "silver_quarantine_events").empty());
}

std::vector<Holding> HoldingsOf(const std::vector<std::string>& lines) {
  const testing::Feed feed = testing::RecordsOf(lines);
  Refined<LaunchEvent> refined = Refine(feed.records, {});
  std::vector<LaunchElement> history;
  for (const LaunchElement& element : refined.elements) {
    if (element.standing.fate == Fate::kSilver) history.push_back(element);
  }
  return Holdings(history, At(1'000'000));
}

TEST_CASE("risk: who holds what in the golden example") {
  std::map<std::string, absl::int128> net;
  for (const Holding& holding : HoldingsOf(GoldenLines())) net[holding.address] = holding.net;
  CHECK(net.size() == 5);
  CHECK(net[AddressOf("W1")] == 363'096'054'888'507);
  CHECK(net[AddressOf("W2")] == 209'527'165'264'833);
  CHECK(net[AddressOf("CREATOR")] == 48'772'727'272'727);
  CHECK(net[AddressOf("W4")] == 10'000'000'000'000);
  CHECK(net[AddressOf("W3")] == 5'000'000'000'000);
}

TEST_CASE("risk: a concentration told from transfers alone is wrong") {
  // Seen elsewhere: transfers give 150 bps of supply; with the trades three wallets have 6213.96 bps of it.
  std::vector<absl::int128> moved, held;
  for (const Holding& holding : HoldingsOf(GoldenLines())) held.push_back(holding.net);
  std::vector<std::string> moves = GoldenLines();
  moves.erase(moves.begin(), moves.begin() + 4);
  for (const Holding& holding : HoldingsOf(moves)) {
    if (holding.net > 0) moved.push_back(holding.net);
  }
  const auto bps = [](std::vector<absl::int128> nets) {
    std::sort(nets.rbegin(), nets.rend());
    absl::int128 sum = 0;
    for (size_t i = 0; i < nets.size() && i < 3; ++i) sum += nets[i];
    std::string text;
    AppendCanonical(Quotient({sum, 1}, {1'000'000'000'000'000, 1}, 10'000), text);
    return text;
  };
  CHECK(bps(moved) == "150.000000");
  CHECK(bps(held) == "6213.959474");
  absl::int128 three = 0, all = 0;
  std::sort(held.rbegin(), held.rend());
  for (size_t i = 0; i < held.size(); ++i) all += held[i], three += i < 3 ? held[i] : 0;
  std::string text;
  AppendCanonical(Quotient({three, 1}, {all, 1}, 10'000), text);
  CHECK(text.substr(0, 8) == "9764.297");
}

TEST_CASE("risk: a lost trade is what is missing, to the unit") {
  const json risk = RiskOf(GoldenLines("w2"));
  CHECK(risk["unbought_sell_bps"] == "100.000000");
  CHECK(risk["conservation_residual"] == "219527165264833");
  CHECK(risk["quality_flags"] == json::array({"INCOMPLETE_FEED"}));
  const absl::int128 circulating = 426'868'782'161'234, missing = 219'527'165'264'833;
  CHECK(risk["circulating"] == "426868782161234");
  const auto bps = [&](absl::int128 top) {
    std::string text;
    AppendCanonical(Quotient({top, 1}, {circulating + missing, 1}, 10'000), text);
    return text;
  };
  CHECK(risk["top1_bps_low"] == bps(363'096'054'888'507));
  CHECK(risk["top1_bps_high"] == bps(363'096'054'888'507 + missing));
  CHECK(risk["top10_bps_low"] == bps(circulating));
  CHECK(risk["top10_bps_high"] == "10000.000000");
}

TEST_CASE("risk: without its create a trade has no token") {
  const json risk = RiskOf(GoldenLines("create"));
  CHECK(risk["quality_flags"] == json::array({"TRADE_BEFORE_CREATE"}));
  CHECK(risk["creator"] == nullptr);
  CHECK(risk["conservation_residual"] == nullptr);  // supply is not known
  CHECK(risk["creator_sold_recently"] == nullptr);
}

TEST_CASE("risk: a creator's sale stops being recent a day later, with no new event") {
  const UtcTime sold = At(4 * 60);
  const UtcTime end{sold.us + kMicrosPerDay};
  const auto store = TakenLines(GoldenLines());
  CHECK(RowsIn(*store, "gold_token_risk")[0]["next_due_at"] == FormatTime(end));
  const Options options;
  Runner<Launches> runner(*store, options);
  const auto recently = [&] { return RowsIn(*store, "gold_token_risk")[0]; };
  CHECK(recently()["creator_sold_recently"] == true);
  REQUIRE(runner.Sweep({end.us - 1}).ok());
  CHECK(recently()["creator_sold_recently"] == true);
  CHECK(recently()["updated_at"] == FormatTime(At(6 * 60 + 1)));
  REQUIRE(runner.Sweep(end).ok());
  CHECK(recently()["creator_sold_recently"] == false);
  CHECK(recently()["next_due_at"] == nullptr);
  CHECK(recently()["updated_at"] == FormatTime(end));
}

TEST_CASE("risk: at the instant of the sale it is recent") {
  // Only what was ingested by then; the sale is of that very instant.
  const testing::Feed feed = testing::RecordsOf(GoldenLines());
  const Refined<LaunchEvent> refined = Refine(feed.records, {});
  std::vector<LaunchElement> history(refined.elements.begin(), refined.elements.end());
  const RiskModel model{RiskParameters{}};
  const auto at = [&](UtcTime time) {
    return DeriveTokenRisk(history, time, model)->signals.creator_sold_recently;
  };
  const UtcTime sold = At(4 * 60);
  CHECK(at({sold.us - 1}) == false);
  CHECK(at(sold) == true);
  CHECK(at({sold.us + kMicrosPerDay - 1}) == true);
  CHECK(at({sold.us + kMicrosPerDay}) == false);
  CHECK(DeriveTokenRisk(history, {sold.us - 1}, model)->next_due_at == sold);
}

TEST_CASE("risk: another parameter is another model") {
  const RiskParameters defaults;
  RiskParameters other;
  other.early_slots = 4;
  CHECK(ModelVersion(defaults) != ModelVersion(other));
  other = defaults;
  other.risk_table[0].at_least = 9'001;
  CHECK(ModelVersion(defaults) != ModelVersion(other));
  other = defaults;
  other.burn_addresses.push_back("x");
  CHECK(ModelVersion(defaults) != ModelVersion(other));
}

TEST_CASE("risk: another model tells every token anew, quiet ones too, and once") {
  const auto store = TakenLines(GoldenLines());
  Options options;
  CHECK(*Rescore(*store, *store, options) == 0);
  const json before = RowsIn(*store, "gold_token_risk")[0];
  options.risk.recent_sell_us = kMicrosPerMinute;
  CHECK(*Rescore(*store, *store, options) == 1);
  const json after = RowsIn(*store, "gold_token_risk")[0];
  CHECK(after["model_version"] == Hex(ModelVersion(options.risk)));
  CHECK(before["creator_sold_recently"] == true);
  CHECK(after["creator_sold_recently"] == false);
  CHECK(after["top1_bps"] == before["top1_bps"]);
  CHECK(*Rescore(*store, *store, options) == 0);
  // What is then told of the token is what a store that never knew the other model tells.
  CHECK(after == RowsIn(*TakenLines(GoldenLines(), kNoTime, options), "gold_token_risk")[0]);
}

TEST_CASE("risk: the level is read from a table, first row first") {
  RiskSignals signals;
  RiskFlags flags;
  const auto level = [&] {
    return kRiskLevelNames[static_cast<size_t>(RiskLevelOf(signals, flags, DefaultRiskTable()))];
  };
  CHECK(level() == "LOW");  // nothing is known
  signals.top10_bps = {4'999'999'999};
  CHECK(level() == "LOW");
  signals.top10_bps = {5'000'000'000};
  CHECK(level() == "MEDIUM");
  signals.top10_bps = {6'999'999'999};
  CHECK(level() == "MEDIUM");
  signals.top10_bps = {7'000'000'000};
  CHECK(level() == "HIGH");
  signals.top10_bps = {9'000'000'000};
  CHECK(level() == "CRITICAL");
  signals.top10_bps = {};
  flags.incomplete_feed = true;
  CHECK(level() == "MEDIUM");
  signals.early_block_bps = {2'000'000'000};
  flags.incomplete_feed = false;
  CHECK(level() == "MEDIUM");
  signals.mint_authority_active = true;
  CHECK(level() == "HIGH");
  signals.mint_authority_active = false, signals.creator_sold_recently = true;
  CHECK(level() == "HIGH");
  signals.unbought_sell_bps = {1'000'000'000};
  CHECK(level() == "CRITICAL");
  signals.unbought_sell_bps = {999'999'999}, signals.liquidity_removed_recently_bps = {5'000'000'000};
  CHECK(level() == "CRITICAL");
}

}  // namespace
}  // namespace medallion::launchpad
