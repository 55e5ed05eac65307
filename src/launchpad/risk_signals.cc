#include "medallion/launchpad/risk_signals.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "medallion/base/text.h"
#include "token_rows.h"
#include "wide.h"

namespace medallion::launchpad {
namespace {

constexpr uint64_t kBps = 10'000;
constexpr int64_t kStandardForSale = 793'100'000'000'000;  // base units on a standard curve at its begin
constexpr size_t kTop = 10;

Millionths Bps(absl::int128 part, absl::int128 whole) {
  return whole > 0 ? Quotient({part, 1}, {whole, 1}, kBps) : Millionths{};
}

// Tells one token's signals, one group after the other.
class Finder {
 public:
  Finder(std::span<const LaunchElement> history, UtcTime clock, const RiskParameters& parameters)
      : parameters_(parameters),
        clock_(clock),
        token_(history, clock),
        positions_(token_),
        pools_(PoolsOf(token_, parameters)) {}

  TokenFindings Find() {
    found_.mint = std::string(token_.mint);
    found_.flags.conflict = token_.conflict;
    FindToken();
    FindHolders();
    FindCreator();
    FindLiquidity();
    FindRemoved();
    FindEarly();
    FindConservation();
    FindDue();
    FindEvidence();
    return std::move(found_);
  }

 private:
  bool IsBurn(std::string_view address) const { return IsOneOf(address, parameters_.burn_addresses); }
  static bool IsOneOf(std::string_view text, const std::vector<std::string>& texts) {
    return std::find(texts.begin(), texts.end(), text) != texts.end();
  }
  bool IsPool(std::string_view address) const { return token_.pools.contains(address); }
  bool IsExcluded(std::string_view address) const {
    return IsPool(address) || IsBurn(address) || IsOneOf(address, parameters_.program_accounts);
  }

  void FindToken() {
    std::set<absl::int128> supplies;
    for (const LaunchEvent* row : token_.rows) {
      const TokenFacts& facts = row->token;
      if (facts.supply.known()) supply_ = facts.supply, supplies.insert(facts.supply.units);
      const auto is_active = [](Authority authority) { return authority == Authority::kActive; };
      if (facts.mint_authority != Authority::kUnknown) {
        signals_.mint_authority_active = is_active(facts.mint_authority);
      }
      if (facts.freeze_authority != Authority::kUnknown) {
        signals_.freeze_authority_active = is_active(facts.freeze_authority);
      }
      if (!facts.extensions.empty()) signals_.risky_extension = IsRisky(facts.extensions);
      migrated_ = migrated_ || row->action == LaunchAction::kMigrate;
      is_standard_ = is_standard_ || ((row->family == Family::kPool || row->family == Family::kToken) &&
                                      IsStandardCurve(row->venue, row->quote_mint, parameters_));
    }
    found_.flags.supply_changed = supplies.size() > 1;
    if (supply_.known() && supply_.units <= 0) supply_ = {};
    if (token_.create != nullptr) found_.creator = std::string(token_.create->token.creator);
    found_.flags.trade_before_create = std::any_of(
        token_.rows.begin(), token_.rows.end(), [&](const LaunchEvent* row) { return IsBeforeCreate(*row); });
  }

  bool IsRisky(std::string_view extensions) const {
    const auto has = [&](const std::string& risky) {
      std::string name;
      AppendJsonString(risky, name);
      for (size_t at = 0; at + name.size() <= extensions.size(); ++at) {
        if (EqualsFoldedCase(extensions.substr(at, name.size()), name)) return true;
      }
      return false;
    };
    return std::any_of(parameters_.risky_extensions.begin(), parameters_.risky_extensions.end(), has);
  }

  bool IsBeforeCreate(const LaunchEvent& row) const {
    if (row.family != Family::kTrade) return false;
    if (token_.create == nullptr) return true;
    const bool slots = row.slot.has_value() && token_.create->slot.has_value();
    if (slots && *row.slot != *token_.create->slot) return *row.slot < *token_.create->slot;
    return row.event_ts < token_.create->event_ts;
  }

  // The largest of these come first, ties by address: equal holdings make equal sums, so only who they are would differ.
  void FindHolders() {
    absl::int128 total = 0, circulating = 0, burned = positions_.burnt, unbought = 0;
    std::vector<absl::int128> holdings;
    for (const auto& [address, position] : positions_.of) {
      if (IsPool(address)) continue;
      total += position.net;
      if (IsBurn(address)) burned += position.net;
      if (IsExcluded(address)) continue;
      unbought -= position.least;
      if (position.net > 0) holdings.push_back(position.net), circulating += position.net;
    }
    std::sort(holdings.rbegin(), holdings.rend());
    for (size_t i = 0; i < holdings.size() && i < kTop; ++i) top10_ += holdings[i];
    top1_ = holdings.empty() ? 0 : holdings[0];
    signals_.net_signed_total = {total}, signals_.circulating = {circulating}, signals_.burned = {burned};
    signals_.holders = static_cast<int64_t>(holdings.size());
    signals_.top1_bps = Bps(top1_, circulating), signals_.top10_bps = Bps(top10_, circulating);
    signals_.top10_supply_bps = OfSupply(top10_);
    signals_.unbought_sell_bps = OfSupply(unbought);
    FindHhi(holdings, circulating);
  }

  Millionths OfSupply(absl::int128 part) const {
    return supply_.known() ? Bps(part, supply_.units) : Millionths{};
  }

  void FindHhi(const std::vector<absl::int128>& holdings, absl::int128 circulating) {
    Wide squares;
    for (const absl::int128 net : holdings) {
      squares += Wide::Product(static_cast<absl::uint128>(net), static_cast<absl::uint128>(net));
    }
    squares *= 1'000'000;
    const auto all = static_cast<absl::uint128>(circulating);
    const auto hhi = Wide::Divide(squares, Wide::Product(all, all));
    if (hhi.has_value()) signals_.hhi = {static_cast<absl::int128>(*hhi)};
  }

  void FindCreator() {
    if (found_.creator.empty()) return;
    const auto of_creator = positions_.of.find(found_.creator);
    const Position position = of_creator == positions_.of.end() ? Position{} : of_creator->second;
    signals_.creator_hold_bps = OfSupply(position.net);
    const absl::int128 got = position.bought + position.received;
    signals_.creator_sold_bps = Bps(position.sold, got);
    signals_.creator_transferred_bps = Bps(position.sent, got);
    for (const LaunchEvent* row : token_.rows) {
      const bool sell = row->family == Family::kTrade && row->side == LaunchAction::kSell;
      if (sell && row->trader == found_.creator)
        last_creator_sell_ = std::max(last_creator_sell_, row->event_ts);
    }
    signals_.creator_sold_recently =
        last_creator_sell_ != kNoTime && clock_.us - last_creator_sell_.us < parameters_.recent_sell_us;
  }

  // The curve of a token that has left it is empty, whatever its last row says.
  bool Counts(const PoolStates& pool) const { return !(migrated_ && pool.is_curve); }

  void FindLiquidity() {
    const LaunchEvent* deepest = nullptr;
    Wide burned, liquidity;
    for (const auto& [address, pool] : pools_) {
      const LaunchEvent* latest = pool.latest();
      if (latest == nullptr || !latest->pool.real_quote.known() || latest->pool.real_quote.units < 0)
        continue;
      const auto quote = static_cast<absl::uint128>(latest->pool.real_quote.units);
      if (!pool.is_curve && pool.burned_lp_bps.has_value()) {
        burned += Wide::Product(quote, static_cast<absl::uint128>(*pool.burned_lp_bps));
        liquidity += Wide(quote);
      }
      const bool deeper =
          deepest == nullptr || deepest->pool.real_quote.units < latest->pool.real_quote.units;
      if (Counts(pool) && deeper) deepest = latest;  // pools come by address
    }
    burned *= 1'000'000;
    const auto mean = Wide::Divide(burned, liquidity);
    if (mean.has_value()) signals_.lp_burned_bps = {static_cast<absl::int128>(*mean)};
    if (deepest != nullptr) FindPrice(*deepest);
  }

  void FindPrice(const LaunchEvent& row) {
    found_.deepest_pool = std::string(row.pool_address);
    const PoolFacts& pool = row.pool;
    signals_.liquidity_quote = pool.real_quote;
    const bool is_virtual = pool.virtual_quote.known() && pool.virtual_token.known();
    const Amount quote = is_virtual ? pool.virtual_quote : pool.real_quote;
    const Amount token = is_virtual ? pool.virtual_token : pool.real_token;
    if (!token.known() || token.units <= 0 || quote.units < 0) return;
    signals_.price = Quotient({quote.units, Pow10(pool.decimals.value_or(kTokenDecimals))}, {token.units, 1});
    if (!supply_.known()) return;
    signals_.mcap_quote = Quotient({quote.units, supply_.units}, {token.units, 1});
    signals_.liquidity_to_mcap_bps =
        Quotient({pool.real_quote.units, token.units}, {quote.units, supply_.units}, kBps);
  }

  bool IsRecent(const LaunchEvent& remove) const {
    return clock_.us - remove.event_ts.us < parameters_.recent_remove_us;
  }

  void FindRemoved() {
    const UtcTime before{clock_.us - parameters_.recent_remove_us};
    bool any = false;
    for (const auto& [address, pool] : pools_) {
      absl::int128 quote = 0;
      bool removed = false;
      for (const LaunchEvent* remove : pool.removes) {
        if (IsRecent(*remove)) quote += remove->quote_amount.value_or(0), removed = true;
      }
      if (!removed) continue;
      any = true;
      const LaunchEvent* state = pool.At(before);
      const Amount held = state == nullptr ? Amount{} : state->pool.real_quote;
      const Millionths share = held.known() ? Bps(quote, held.units) : Millionths{};
      Millionths& largest = signals_.liquidity_removed_recently_bps;
      if (share.known() && (!largest.known() || largest.units < share.units)) largest = share;
    }
    if (!any) signals_.liquidity_removed_recently_bps = {0};
  }

  void FindEarly() {
    if (token_.create == nullptr || !token_.create->slot.has_value()) return;
    const uint64_t first = *token_.create->slot;
    absl::int128 early = 0;
    std::map<uint64_t, std::set<std::string_view>> buyers;
    for (const LaunchEvent* row : token_.rows) {
      const bool buy = row->family == Family::kTrade && row->side == LaunchAction::kBuy;
      if (!buy || !row->slot.has_value() || *row->slot < first) continue;
      const uint64_t after = *row->slot - first;
      if (after <= static_cast<uint64_t>(parameters_.early_slots) && row->trader != found_.creator) {
        early += row->token_amount.value_or(0);
      }
      if (after <= static_cast<uint64_t>(parameters_.crowd_slots)) buyers[*row->slot].insert(row->trader);
    }
    signals_.early_block_bps = OfSupply(early);
    size_t most = 0;
    for (const auto& [slot, of_slot] : buyers) most = std::max(most, of_slot.size());
    signals_.max_slot_buyers = static_cast<int64_t>(most);
  }

  void FindConservation() {
    if (!is_standard_ || !supply_.known()) return;
    absl::int128 held = 0;
    bool told = false;
    for (const auto& [address, pool] : pools_) {
      const LaunchEvent* latest = pool.latest();
      const Amount tokens = latest == nullptr ? Amount{} : latest->pool.real_token;
      told = told || tokens.known();
      if (Counts(pool)) held += tokens.value_or(0);
    }
    if (!told) return;
    const absl::int128 whole = migrated_ ? supply_.units : absl::int128(kStandardForSale);
    const absl::int128 residual = whole - (signals_.net_signed_total.units + positions_.burnt + held);
    signals_.conservation_residual = {residual};
    const auto size = static_cast<absl::uint128>(residual < 0 ? -residual : residual);
    const auto supply = static_cast<absl::uint128>(supply_.units);
    const auto ppm = static_cast<absl::uint128>(parameters_.incomplete_ppm);
    found_.flags.incomplete_feed = Wide::Product(size, 1'000'000) > Wide::Product(supply, ppm);
    if (!found_.flags.incomplete_feed) return;
    const absl::int128 missing = std::max(residual, absl::int128(0));
    const absl::int128 all = signals_.circulating.units + missing;
    signals_.top1_bps_low = Bps(top1_, all), signals_.top1_bps_high = Bps(top1_ + missing, all);
    signals_.top10_bps_low = Bps(top10_, all), signals_.top10_bps_high = Bps(top10_ + missing, all);
  }

  // Instants at which the signals change by themselves: those to come make it due, those that were, updated.
  void Changes(UtcTime at) {
    if (at > clock_) {
      found_.next_due_at = found_.next_due_at == kNoTime ? at : std::min(found_.next_due_at, at);
    } else {
      found_.updated_at = std::max(found_.updated_at, at);
    }
  }

  void FindDue() {
    found_.updated_at = std::max(token_.last_ingest, token_.last_event);
    for (const UtcTime later : token_.later) Changes(later);
    if (last_creator_sell_ != kNoTime) Changes({last_creator_sell_.us + parameters_.recent_sell_us});
    for (const auto& [address, pool] : pools_) FindRemoveDue(pool);
  }

  // While a remove is recent, what the pool held an hour ago changes as the hour goes on.
  void FindRemoveDue(const PoolStates& pool) {
    std::vector<UtcTime> removes;
    for (const LaunchEvent* remove : pool.removes) {
      removes.push_back(remove->event_ts);
      Changes({remove->event_ts.us + parameters_.recent_remove_us});
    }
    std::sort(removes.begin(), removes.end());
    for (const LaunchEvent* state : pool.rows) {
      const auto next = std::upper_bound(removes.begin(), removes.end(), state->event_ts);
      if (next == removes.end() || next->us - state->event_ts.us > parameters_.recent_remove_us) continue;
      Changes({state->event_ts.us + parameters_.recent_remove_us});
    }
  }

  void FindEvidence() {
    found_.rows = static_cast<int64_t>(token_.rows.size());
    for (const LaunchEvent* row : token_.rows) {
      if (!row->slot.has_value()) continue;
      if (!found_.first_slot.has_value()) found_.first_slot = row->slot;
      found_.last_slot = row->slot;
    }
    if (!token_.rows.empty()) found_.first = token_.rows.front(), found_.last = token_.rows.back();
    std::set<std::string> excluded(token_.pools.begin(), token_.pools.end());
    excluded.insert(parameters_.program_accounts.begin(), parameters_.program_accounts.end());
    for (const auto& [address, position] : positions_.of) {
      if (IsBurn(address)) excluded.emplace(address);
    }
    found_.excluded.assign(excluded.begin(), excluded.end());
    found_.signals = signals_;
  }

  const RiskParameters& parameters_;
  UtcTime clock_;
  TokenRows token_;
  Positions positions_;
  std::map<std::string_view, PoolStates> pools_;
  RiskSignals signals_;
  TokenFindings found_;
  Amount supply_;
  bool migrated_ = false, is_standard_ = false;
  absl::int128 top1_ = 0, top10_ = 0;
  UtcTime last_creator_sell_ = kNoTime;
};

// The signal in millionths; null where it is not known.
Millionths SignalOf(RiskSignal signal, const RiskSignals& signals, const RiskFlags& flags) {
  const auto flag = [](std::optional<bool> value) {
    return value.has_value() ? Millionths{*value ? 1'000'000 : 0} : Millionths{};
  };
  switch (signal) {
    case RiskSignal::kTop10Bps: return signals.top10_bps;
    case RiskSignal::kUnboughtSellBps: return signals.unbought_sell_bps;
    case RiskSignal::kLiquidityRemovedRecentlyBps: return signals.liquidity_removed_recently_bps;
    case RiskSignal::kEarlyBlockBps: return signals.early_block_bps;
    case RiskSignal::kCreatorSoldRecently: return flag(signals.creator_sold_recently);
    case RiskSignal::kMintAuthorityActive: return flag(signals.mint_authority_active);
    case RiskSignal::kFreezeAuthorityActive: return flag(signals.freeze_authority_active);
    case RiskSignal::kRiskyExtension: return flag(signals.risky_extension);
    case RiskSignal::kIncompleteFeed: return flag(flags.incomplete_feed);
  }
  return {};
}

}  // namespace

TokenFindings FindRisks(std::span<const LaunchElement> history, UtcTime data_clock,
                        const RiskParameters& parameters) {
  return Finder(history, data_clock, parameters).Find();
}

RiskLevel RiskLevelOf(const RiskSignals& signals, const RiskFlags& flags, std::span<const RiskRule> table) {
  for (const RiskRule& rule : table) {
    const Millionths value = SignalOf(rule.signal, signals, flags);
    if (value.known() && value.units >= absl::int128(rule.at_least) * 1'000'000) return rule.level;
  }
  return RiskLevel::kLow;
}

std::vector<Holding> Holdings(std::span<const LaunchElement> history, UtcTime data_clock) {
  const TokenRows token(history, data_clock);
  std::vector<Holding> holdings;
  for (const auto& [address, position] : Positions(token).of) {
    if (!token.pools.contains(address)) holdings.push_back({std::string(address), position.net});
  }
  return holdings;
}

}  // namespace medallion::launchpad
