#include "message_rows.h"

#include <algorithm>
#include <map>

#include "medallion/base/digest.h"
#include "medallion/base/text.h"

namespace medallion::launchpad {
namespace {

bool IsTrade(LaunchAction action) { return action == LaunchAction::kBuy || action == LaunchAction::kSell; }
bool MovesLiquidity(LaunchAction action) {
  return action == LaunchAction::kAdd || action == LaunchAction::kRemove;
}

// One element as settling compares it.
std::string ElementText(std::string_view action, std::string_view from, std::string_view to, Amount token,
                        Amount quote, std::string_view quote_mint) {
  const auto text = [](Amount amount) {
    std::string digits;
    AppendCanonical(amount, digits);
    return digits;
  };
  JoinedFields fields;
  fields.Add(action).Add(from).Add(to).Add(text(token)).Add(text(quote)).Add(quote_mint);
  return std::string(fields.text());
}

// Collects the rows of one message, and what each says.
class Rows {
 public:
  Rows(const Message& m, Arena& texts) : m_(m), texts_(texts) {}

  std::vector<LaunchEvent> Take() {
    AddEvent();
    if (m_.action == LaunchAction::kCreate) AddToken();
    AddTrades();
    for (size_t i = 0; i < m_.transfers.size(); ++i) AddTransfer(m_.transfers[i], static_cast<int32_t>(i));
    AddPool();
    AddInitialBuy();
    SetPrints();
    return std::move(rows_);
  }
  std::vector<std::string> Elements() {
    Take();
    return says_;
  }

 private:
  LaunchEvent& Add(Family family, std::string_view mint) {
    LaunchEvent& row = rows_.emplace_back();
    row.family = family, row.action = m_.action, row.generation = m_.generation;
    row.mint = mint, row.slot = m_.slot, row.event_ts = m_.event_ts, row.ingest_ts = m_.ingest_ts;
    texts_of_rows_.emplace_back();
    return row;
  }
  // What the last row says is an element of the message.
  void Says(std::string text) {
    says_.push_back(text);
    texts_of_rows_.back() = std::move(text);
  }

  void AddEvent() {
    LaunchEvent& row = Add(Family::kEvent, m_.mint);
    row.venue = m_.venue, row.pool_address = m_.pool_address, row.raw = m_.raw;
    SetToken(row.token);
    if (m_.action == LaunchAction::kCreate) row.token = {};  // the token's row has them
  }

  void SetToken(TokenFacts& token) const {
    token.supply = m_.supply;
    token.mint_authority = m_.mint_authority, token.freeze_authority = m_.freeze_authority;
    token.extensions = m_.extensions;
  }

  void AddToken() {
    LaunchEvent& row = Add(Family::kToken, m_.mint);
    SetToken(row.token);
    row.venue = m_.venue, row.quote_mint = m_.quote_mint;
    row.token.name = m_.name, row.token.symbol = m_.symbol, row.token.uri = m_.uri;
    row.token.token_program = m_.token_program, row.token.initial_buy = m_.initial_buy;
    row.token.creator = Creator();
    if (!Creator().empty()) {
      row.token.creator_basis = m_.creator.empty() ? CreatorBasis::kTxSigner : CreatorBasis::kCreator;
    }
  }
  // PumpPortal names no signer: there whose message it is stands in its place.
  std::string_view Creator() const {
    if (!m_.creator.empty()) return m_.creator;
    return m_.tx_signer.empty() ? m_.trader_key : m_.tx_signer;
  }

  void AddTrade(const TradePart& part, TradeSource source, int32_t index) {
    LaunchEvent& row = Add(Family::kTrade, m_.mint);
    row.pool_address = m_.pool_address, row.venue = m_.venue, row.quote_mint = m_.quote_mint;
    row.trader = part.trader, row.side = part.action, row.index = index, row.source = source;
    row.token_amount = part.token_amount, row.quote_amount = part.quote_amount;
    row.price = Quotient({part.quote_amount.units, Pow10(m_.decimals)}, {part.token_amount.units, 1});
    if (!part.quote_amount.known()) row.price = {};
    Says(ElementText(ActionName(part.action), part.trader,
                     source == TradeSource::kCreateInitial ? "initial" : "", part.token_amount,
                     part.quote_amount, m_.quote_mint));
  }

  void AddTrades() {
    for (size_t i = 0; i < m_.breakdown.size(); ++i) {
      const TradePart& part = m_.breakdown[i];
      if (IsTrade(part.action)) {
        AddTrade(part, TradeSource::kBreakdown, static_cast<int32_t>(i));
      } else {
        says_.push_back(
            ElementText("other", part.trader, "", part.token_amount, part.quote_amount, m_.quote_mint));
      }
    }
    if (m_.has_breakdown || !IsTrade(m_.action)) return;
    AddTrade({m_.Actor(), m_.action, m_.token_amount, m_.quote_amount}, TradeSource::kHeader, 0);
  }

  void AddTransfer(const TransferPart& part, int32_t index) {
    LaunchEvent& row = Add(Family::kTransfer, part.mint);
    row.from = part.from, row.to = part.to, row.token_amount = part.amount, row.index = index;
    row.is_native = part.is_native, row.subtype = part.subtype;
    Says(ElementText("transfer", part.from, part.to, part.amount, {}, part.mint));
  }

  void AddPool() {
    PoolFacts pool{m_.virtual_token, m_.virtual_quote, m_.real_token,
                   m_.real_quote,    m_.burned_lp_bps, m_.fee_rate_ppm};
    if (m_.decimals != kTokenDecimals) pool.decimals = m_.decimals;
    const bool reserves = m_.virtual_token.known() || m_.virtual_quote.known() || m_.real_token.known() ||
                          m_.real_quote.known();
    if (!reserves && !MovesLiquidity(m_.action)) return;
    LaunchEvent& row = Add(Family::kPool, m_.mint);
    row.pool = pool;
    row.pool_address = m_.pool_address, row.venue = m_.venue, row.quote_mint = m_.quote_mint;
    row.trader = m_.Actor(), row.token_amount = m_.token_amount, row.quote_amount = m_.quote_amount;
    if (!MovesLiquidity(m_.action)) return;
    Says(ElementText(ActionName(m_.action), row.trader, "", m_.token_amount, m_.quote_amount, m_.quote_mint));
  }

  void AddInitialBuy() {
    if (m_.action != LaunchAction::kCreate || m_.initial_buy.value_or(0) <= 0) return;
    const Amount quote = m_.has_breakdown ? Amount{} : m_.quote_amount;
    AddTrade({Creator(), LaunchAction::kBuy, m_.initial_buy, quote}, TradeSource::kCreateInitial, -1);
  }

  // The prints that rows are told apart and compared by, and the id that tells copies in one order from others.
  void SetPrints() {
    JoinedFields in_order, sorted;
    in_order.Add(ActionName(m_.action)), sorted.Add(ActionName(m_.action));
    for (const std::string& text : says_) in_order.Add(text);
    std::sort(says_.begin(), says_.end());
    for (const std::string& text : says_) sorted.Add(text);
    const uint64_t said = Fingerprint(sorted.text()) | 1;
    std::string id(m_.signature);
    AppendPrint(Fingerprint(in_order.text()), id.append("/"));
    const std::string_view event_id = texts_.Copy(id);
    std::map<std::pair<Family, std::string_view>, int64_t> seen;
    for (size_t i = 0; i < rows_.size(); ++i) {
      LaunchEvent& row = rows_[i];
      const bool initial = row.source == TradeSource::kCreateInitial;
      row.said = said;
      row.event_id = initial ? texts_.Copy(id + "/initial") : event_id;
      row.signature = event_id.substr(0, m_.signature.size());
      JoinedFields content;
      content.Add(ActionName(m_.action))
          .Add(static_cast<int64_t>(row.family))
          .Add(static_cast<int64_t>(said));
      content.Add(texts_of_rows_[i]).Add(seen[{row.family, texts_of_rows_[i]}]++);
      row.content = Fingerprint(content.text()) | 1;
    }
  }

  static void AppendPrint(uint64_t print, std::string& out) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    for (int shift = 60; shift >= 0; shift -= 4) out.push_back(kDigits[print >> shift & 15]);
  }

  const Message& m_;
  Arena& texts_;
  std::vector<LaunchEvent> rows_;
  std::vector<std::string> texts_of_rows_;  // what each says, or nothing
  std::vector<std::string> says_;           // the elements
};

}  // namespace

std::vector<LaunchEvent> RowsOf(const Message& m, Arena& texts) { return Rows(m, texts).Take(); }

std::string ElementsJson(const Message& m) {
  Arena texts;
  std::string json = "[";
  for (const std::string& element : Rows(m, texts).Elements()) {
    if (json.size() > 1) json.push_back(',');
    AppendJsonString(element, json);
  }
  return json + "]";
}

}  // namespace medallion::launchpad
