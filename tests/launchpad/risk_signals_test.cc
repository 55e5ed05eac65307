// Each signal by rows made for it.
#include "medallion/launchpad/risk_signals.h"

#include <deque>
#include <initializer_list>

#include "tests/catch.h"

namespace medallion::launchpad {
namespace {

constexpr int64_t kMinute = kMicrosPerMinute;

// Silver rows of one mint. Chained: each call adds a row to what is told; a row's own members follow.
class History {
 public:
  LaunchEvent& Add(Family family, LaunchAction action, uint64_t slot) {
    LaunchElement& element = elements_.emplace_back();
    LaunchEvent& row = element.row;
    row.family = family, row.action = action, row.mint = "mint", row.slot = slot;
    row.event_ts = {static_cast<int64_t>(slot) * kMinute}, row.ingest_ts = row.event_ts;
    row.signature = Keep("s" + std::to_string(elements_.size()));
    row.at.offset = static_cast<int64_t>(elements_.size());
    row.quote_mint = kWrappedSol;
    return row;
  }
  LaunchEvent& Create(uint64_t slot, int64_t supply = 1'000'000) {
    LaunchEvent& row = Add(Family::kToken, LaunchAction::kCreate, slot);
    row.token.supply = {supply}, row.token.creator = "creator", row.venue = "pump";
    return row;
  }
  LaunchEvent& Trade(bool buy, std::string_view trader, int64_t amount, uint64_t slot) {
    const LaunchAction side = buy ? LaunchAction::kBuy : LaunchAction::kSell;
    LaunchEvent& row = Add(Family::kTrade, side, slot);
    row.side = side, row.trader = trader, row.token_amount = {amount}, row.pool_address = "pool";
    return row;
  }
  LaunchEvent& Move(std::string_view from, std::string_view to, int64_t amount, uint64_t slot) {
    LaunchEvent& row = Add(Family::kTransfer, LaunchAction::kTransfer, slot);
    row.from = from, row.to = to, row.token_amount = {amount};
    return row;
  }
  LaunchEvent& Pool(std::string_view pool, LaunchAction action, int64_t token, int64_t quote, uint64_t slot) {
    LaunchEvent& row = Add(Family::kPool, action, slot);
    row.pool_address = pool, row.venue = "amm";
    row.pool.real_token = {token}, row.pool.real_quote = {quote};
    return row;
  }

  TokenFindings At(int64_t minute, const RiskParameters& parameters = {}) const {
    return FindRisks(elements_, {minute * kMinute}, parameters);
  }
  RiskSignals Signals(const RiskParameters& parameters = {}) const {
    return At(1'000'000, parameters).signals;
  }
  std::vector<LaunchElement>& elements() { return elements_; }

 private:
  std::string_view Keep(std::string text) { return texts_.emplace_back(std::move(text)); }
  std::deque<std::string> texts_;
  std::vector<LaunchElement> elements_;
};

std::string Text(const auto& value) {
  std::string text;
  return AppendCanonical(value, text) ? text : "null";
}

TEST_CASE(
    "signals: pools, burn and program addresses hold nothing as holders, but stay in the sum, pools aside") {
  History h;
  h.Create(1);
  h.Trade(true, "a", 600, 2), h.Trade(true, "b", 400, 2);
  h.Move("a", "1nc1nerator11111111111111111111111111111111", 100, 3);
  h.Move("a", "locker", 50, 3);
  h.Move("b", "", 30, 3);      // burnt
  h.Move("b", "pool", 20, 3);  // given away
  const RiskParameters parameters{.program_accounts = {"locker"}};
  const RiskSignals s = h.Signals(parameters);
  CHECK(s.holders == 2);
  CHECK(Text(s.circulating) == "800");       // a 450, b 350
  CHECK(Text(s.net_signed_total) == "950");  // and the incinerator 100, the locker 50
  CHECK(Text(s.burned) == "130");
  CHECK(Text(s.top1_bps) == "5625.000000");
  CHECK(Text(s.hhi) == "0.507812");  // 0.5078125: half, to the even
  CHECK(h.At(9, parameters).excluded ==
        std::vector<std::string>{"1nc1nerator11111111111111111111111111111111", "locker", "pool"});
}

TEST_CASE("signals: a transfer that repeats a leg of its signature is left out, once a leg") {
  struct Case {
    const char* name;
    bool buy;
    std::vector<std::tuple<const char*, const char*, int64_t>> moves;  // from, to, amount
    const char* net;                                                   // of a
  };
  for (const Case& c : std::initializer_list<Case>{
           {"none", true, {}, "100"},
           {"the leg", true, {{"pool", "a", 100}}, "100"},
           {"the leg twice", true, {{"pool", "a", 100}, {"pool", "a", 100}}, "200"},
           {"another amount", true, {{"pool", "a", 99}}, "199"},
           {"another wallet", true, {{"pool", "b", 100}}, "100"},
           {"another pool", true, {{"other", "a", 100}}, "200"},
           {"the other direction", true, {{"a", "pool", 100}}, "0"},
           {"of a sell", false, {{"a", "pool", 100}}, "-100"},
           {"of a sell, the other direction", false, {{"pool", "a", 100}}, "0"},
       }) {
    CAPTURE(c.name);
    History h;
    h.Trade(c.buy, "a", 100, 2).signature = "same";
    for (const auto& [from, to, amount] : c.moves) h.Move(from, to, amount, 2).signature = "same";
    std::string net = "0";
    for (const Holding& holding : Holdings(h.elements(), {9 * kMinute})) {
      if (holding.address == "a") net.clear(), AppendInteger(holding.net, net);
    }
    CHECK(net == c.net);
  }
  History h;  // under another signature it is a transfer
  h.Trade(true, "a", 100, 2), h.Move("pool", "a", 100, 2);
  CHECK(Text(h.Signals().circulating) == "200");
  History nameless;  // a trade that names no pool is of any
  nameless.Trade(true, "a", 100, 2).signature = "x";
  nameless.Trade(true, "a", 100, 2).signature = "same";
  nameless.elements().back().row.pool_address = {};
  nameless.Move("pool", "a", 100, 2).signature = "same";
  CHECK(Text(nameless.Signals().circulating) == "200");
  History liquidity;
  liquidity.Pool("pool", LaunchAction::kRemove, 1, 1, 2).trader = "a";
  liquidity.elements().back().row.token_amount = {40}, liquidity.elements().back().row.signature = "same";
  liquidity.Move("pool", "a", 40, 2).signature = "same";
  CHECK(Text(liquidity.Signals().circulating) == "40");
}

TEST_CASE(
    "signals: unbought sells count the deepest a wallet was below nothing, after all credits of a slot") {
  struct Step {
    bool buy;
    int64_t amount;
    uint64_t slot;
  };
  struct Case {
    const char* name;
    std::vector<Step> steps;
    const char* bps;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"bought first", {{true, 100, 2}, {false, 100, 3}}, "0.000000"},
           {"never bought", {{false, 100, 3}}, "1.000000"},
           {"bought later", {{false, 100, 3}, {true, 100, 4}}, "1.000000"},
           {"sold before it was bought in one slot", {{false, 100, 3}, {true, 100, 3}}, "0.000000"},
           {"the deepest counts",
            {{false, 100, 3}, {true, 300, 4}, {false, 250, 5}, {false, 50, 6}},
            "1.000000"},
           {"deeper later", {{false, 100, 3}, {true, 50, 4}, {false, 250, 5}}, "3.000000"},
       }) {
    CAPTURE(c.name);
    History h;
    h.Create(1);
    for (const Step& step : c.steps) h.Trade(step.buy, "a", step.amount, step.slot);
    CHECK(Text(h.Signals().unbought_sell_bps) == c.bps);
  }
}

TEST_CASE("signals: what the creator did") {
  History h;
  h.Create(1);
  h.Trade(true, "creator", 300, 1), h.Move("a", "creator", 100, 2), h.Move("creator", "b", 50, 3);
  h.Trade(false, "creator", 100, 4);
  const RiskSignals s = h.Signals();
  CHECK(Text(s.creator_hold_bps) == "2.500000");
  CHECK(Text(s.creator_sold_bps) == "2500.000000");
  CHECK(Text(s.creator_transferred_bps) == "1250.000000");
  CHECK(s.creator_sold_recently == false);
  History idle;
  idle.Create(1);
  CHECK(Text(idle.Signals().creator_sold_bps) == "null");  // it never had any
  CHECK(Text(idle.Signals().creator_hold_bps) == "0.000000");
  CHECK(idle.Signals().creator_sold_recently == false);
}

TEST_CASE("signals: early buyers, in slots counted from the create's") {
  History h;
  h.Create(100);
  h.Trade(true, "creator", 1'000, 100);
  h.Trade(true, "a", 10, 100), h.Trade(true, "b", 20, 103), h.Trade(true, "c", 40, 104),
      h.Trade(true, "d", 80, 99);
  for (const char* wallet : {"a", "b", "c", "a"}) h.Trade(true, wallet, 1, 199);
  for (const char* wallet : {"a", "b", "c", "d", "e"}) h.Trade(true, wallet, 1, 200);
  const RiskSignals s = h.Signals();
  CHECK(Text(s.early_block_bps) == "0.300000");
  CHECK(s.max_slot_buyers == 3);
  History unknown;
  unknown.Create(5).slot.reset();
  CHECK(Text(unknown.Signals().early_block_bps) == "null");
  CHECK_FALSE(unknown.Signals().max_slot_buyers.has_value());
}

TEST_CASE("signals: price and depth are of the deepest pool") {
  History h;
  h.Create(1, 1'000'000'000);
  h.Pool("b", LaunchAction::kBuy, 400, 50, 2);
  h.Pool("c", LaunchAction::kBuy, 100, 90, 2);
  h.Pool("c", LaunchAction::kBuy, 200, 40, 3);  // its latest row counts
  h.Pool("a", LaunchAction::kBuy, 500, 50, 2);  // as deep as b: the first by address
  TokenFindings found = h.At(9);
  CHECK(found.deepest_pool == "a");
  CHECK(Text(found.signals.liquidity_quote) == "50");
  CHECK(Text(found.signals.price) == "100000.000000");          // 50 / 500, for 10^6
  CHECK(Text(found.signals.mcap_quote) == "100000000.000000");  // of 10^9 base units
  CHECK(Text(found.signals.liquidity_to_mcap_bps) == "0.005000");
  LaunchEvent& curve = h.Pool("curve", LaunchAction::kBuy, 10, 70, 4);
  curve.pool.virtual_token = {1'000}, curve.pool.virtual_quote = {30};
  found = h.At(9);
  CHECK(found.deepest_pool == "curve");
  CHECK(Text(found.signals.price) == "30000.000000");  // of virtual reserves where there are any
  h.Add(Family::kEvent, LaunchAction::kMigrate, 5);
  CHECK(h.At(9).deepest_pool == "a");  // the curve is empty now
  CHECK(h.At(4).deepest_pool == "curve");
}

TEST_CASE("signals: rows of one slot follow the chain of reserves") {
  History h;
  const auto state = [&](LaunchAction action, int64_t amount, int64_t after, const char* signature) {
    LaunchEvent& row = h.Pool("p", action, after, after, 7);
    row.token_amount = {amount}, row.signature = signature;
  };
  state(LaunchAction::kBuy, 10, 70, "a");    // 80 -> 70: the last
  state(LaunchAction::kBuy, 20, 80, "b");    // 100 -> 80
  state(LaunchAction::kSell, 30, 100, "c");  // 70' -> 100: the first, from 70
  CHECK(Text(h.Signals().liquidity_quote) ==
        "100");  // c follows a as b follows c: a circle, so the order of rows holds
  h.elements().pop_back();
  CHECK(Text(h.Signals().liquidity_quote) == "70");
  state(LaunchAction::kSell, 31, 100, "c");  // from 69
  CHECK(Text(h.Signals().liquidity_quote) == "70");
}

TEST_CASE("signals: where only virtual reserves are told, the chain is theirs") {
  History h;
  const auto state = [&](int64_t bought, int64_t after, const char* signature) {
    LaunchEvent& row = h.Pool("p", LaunchAction::kBuy, 0, after, 7);
    row.pool.real_token = {}, row.pool.virtual_token = {after + 1'000};
    row.token_amount = {bought}, row.signature = signature;
  };
  state(10, 70, "a");  // the last
  state(20, 80, "c");
  state(5, 100, "b");  // the first
  CHECK(Text(h.Signals().liquidity_quote) == "70");
}

TEST_CASE("signals: liquidity removed, of what the pool held an hour before") {
  History h;
  h.Pool("p", LaunchAction::kCreatePool, 1, 1'000, 10);
  h.Pool("p", LaunchAction::kBuy, 1, 2'000, 60);
  LaunchEvent& remove = h.Pool("p", LaunchAction::kRemove, 1, 100, 100);
  remove.quote_amount = {900};
  struct Case {
    int64_t minute;
    const char* bps;
    int64_t due;
  };
  for (const Case& c : std::initializer_list<Case>{
           {99, "0.000000", 100},      // it is still to come
           {100, "9000.000000", 120},  // of 1,000: the pool's state an hour before
           {119, "9000.000000", 120},
           {120, "4500.000000", 160},  // of 2,000
           {159, "4500.000000", 160},
           {160, "0.000000", -1},
       }) {
    CAPTURE(c.minute);
    const TokenFindings found = h.At(c.minute);
    CHECK(Text(found.signals.liquidity_removed_recently_bps) == c.bps);
    CHECK(found.next_due_at == (c.due < 0 ? kNoTime : UtcTime{c.due * kMinute}));
    CHECK(found.updated_at.us / kMinute == (c.minute < 100   ? 100
                                            : c.minute < 120 ? 100
                                            : c.minute < 160 ? 120
                                                             : 160));
  }
  History young;  // there was no pool an hour before
  young.Pool("p", LaunchAction::kCreatePool, 1, 1'000, 90);
  young.Pool("p", LaunchAction::kRemove, 1, 0, 100).quote_amount = {900};
  CHECK(Text(young.At(110).signals.liquidity_removed_recently_bps) == "null");
}

TEST_CASE("signals: burnt liquidity is a mean over pools that are no curve") {
  History h;
  CHECK(Text(h.Signals().lp_burned_bps) == "null");
  h.Pool("a", LaunchAction::kCreatePool, 1, 300, 1).pool.burned_lp_bps = 10'000;
  h.Pool("b", LaunchAction::kCreatePool, 1, 100, 1).pool.burned_lp_bps = 0;
  h.Pool("c", LaunchAction::kCreatePool, 1, 500, 1);  // nobody said
  LaunchEvent& curve = h.Pool("d", LaunchAction::kBuy, 1, 900, 1);
  curve.pool.burned_lp_bps = 1, curve.pool.virtual_quote = {1};
  CHECK(Text(h.Signals().lp_burned_bps) == "7500.000000");
}

TEST_CASE("signals: authorities and extensions by the latest that is known") {
  History h;
  h.Create(1);
  CHECK_FALSE(h.Signals().mint_authority_active.has_value());
  CHECK_FALSE(h.Signals().risky_extension.has_value());
  h.Add(Family::kEvent, LaunchAction::kBuy, 2).token.mint_authority = Authority::kActive;
  h.Add(Family::kEvent, LaunchAction::kBuy, 3);
  CHECK(h.Signals().mint_authority_active == true);
  h.Add(Family::kEvent, LaunchAction::kBuy, 4).token.mint_authority = Authority::kRevoked;
  CHECK(h.Signals().mint_authority_active == false);
  h.Add(Family::kEvent, LaunchAction::kBuy, 5).token.extensions = R"(["metadataPointer"])";
  CHECK(h.Signals().risky_extension == false);
  h.Add(Family::kEvent, LaunchAction::kBuy, 6).token.extensions = R"(["PermanentDelegate"])";
  CHECK(h.Signals().risky_extension == true);
}

TEST_CASE("signals: what is missing, before and after a migration") {
  constexpr int64_t kForSale = 793'100'000'000'000, kSupply = 1'000'000'000'000'000;
  History h;
  h.Create(1, kSupply);
  const auto curve = [&](int64_t token, uint64_t slot) {
    LaunchEvent& row = h.Pool("pool", LaunchAction::kBuy, token, 5, slot);
    row.venue = "pump", row.pool.virtual_token = {token}, row.pool.virtual_quote = {1};
  };
  h.Trade(true, "a", kForSale - 5'000, 2), curve(5'000, 2);
  CHECK(Text(h.Signals().conservation_residual) == "0");
  h.Move("a", "", 1'000, 3);
  CHECK(Text(h.Signals().conservation_residual) == "0");  // burnt is not lost
  h.Add(Family::kEvent, LaunchAction::kMigrate, 4);
  CHECK(Text(h.Signals().conservation_residual) == std::to_string(kSupply - kForSale + 5'000));
  CHECK(h.At(9).flags.incomplete_feed);
  h.Pool("amm", LaunchAction::kCreatePool, kSupply - kForSale + 5'000, 9, 5);
  CHECK(Text(h.Signals().conservation_residual) == "0");
  CHECK_FALSE(h.At(9).flags.incomplete_feed);
  h.Create(6, kSupply + 2'000);
  CHECK(Text(h.Signals().conservation_residual) == "2000");
  CHECK(h.At(9).flags.supply_changed);
  CHECK_FALSE(h.At(9).flags.incomplete_feed);  // within 0.1 %
  History other;
  other.Create(1, kSupply).venue = "bonk";
  other.Pool("p", LaunchAction::kBuy, 1, 1, 2);
  CHECK(Text(other.Signals().conservation_residual) == "null");
}

TEST_CASE("signals: a surplus widens no interval") {
  History h;
  h.Create(1, 1'000'000'000'000'000);
  h.Trade(true, "a", 600'000'000'000'000, 2), h.Trade(true, "b", 400'000'000'000'000, 2);
  LaunchEvent& row = h.Pool("pool", LaunchAction::kBuy, 0, 5, 2);
  row.venue = "pump";
  const TokenFindings found = h.At(9);
  CHECK(Text(found.signals.conservation_residual) == "-206900000000000");
  CHECK(found.flags.incomplete_feed);
  CHECK(Text(found.signals.top1_bps_low) == "6000.000000");
  CHECK(Text(found.signals.top1_bps_high) == "6000.000000");
}

TEST_CASE("signals: a trade before its create") {
  struct Case {
    uint64_t slot;
    int64_t earlier_us;
    bool flag;
  };
  for (const Case& c :
       std::initializer_list<Case>{{100, 0, false}, {101, 0, false}, {99, 0, true}, {100, 1, true}}) {
    CAPTURE(c.slot, c.earlier_us);
    History h;
    h.Create(100);
    h.Trade(true, "a", 1, c.slot).event_ts = {100 * kMinute - c.earlier_us};
    CHECK(h.At(200).flags.trade_before_create == c.flag);
  }
}

TEST_CASE("signals: rows of the future count when they come, and make the token due") {
  History h;
  h.Create(1);
  h.Trade(true, "a", 5, 2), h.Trade(true, "b", 7, 50);
  CHECK(Text(h.At(49).signals.circulating) == "5");
  CHECK(h.At(49).next_due_at == UtcTime{50 * kMinute});
  CHECK(Text(h.At(50).signals.circulating) == "12");
  CHECK(h.At(50).next_due_at == kNoTime);
}

}  // namespace
}  // namespace medallion::launchpad
