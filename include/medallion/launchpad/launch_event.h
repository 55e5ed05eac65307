// A Silver row of the launchpad. One struct for all families; which columns a row shows, its family says.
// Source: the launchpad domain, 4.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "medallion/base/columns.h"
#include "medallion/base/pack.h"
#include "medallion/launchpad/amount.h"
#include "medallion/launchpad/message.h"
#include "medallion/silver/element.h"

namespace medallion::launchpad {

enum class Family : uint8_t { kEvent, kToken, kTrade, kTransfer, kPool };
inline constexpr std::array<std::string_view, 5> kFamilyTables = {
    "silver_launchpad_events", "silver_tokens", "silver_trades", "silver_transfers", "silver_pools"};

// Where a trade is from.
enum class TradeSource : uint8_t { kNone, kBreakdown, kHeader, kCreateInitial };
inline constexpr std::array<std::string_view, 4> kTradeSourceNames = {"", "BREAKDOWN", "HEADER",
                                                                      "CREATE_INITIAL"};

enum class CreatorBasis : uint8_t { kNone, kCreator, kTxSigner };
inline constexpr std::array<std::string_view, 3> kCreatorBasisNames = {"", "CREATOR", "TX_SIGNER"};

// What a message says of its token. On a token's own row, and, for what may change later, on the row of any message.
struct TokenFacts {
  std::string_view creator = {};
  CreatorBasis creator_basis = CreatorBasis::kNone;
  std::string_view name = {}, symbol = {}, uri = {};
  Amount supply = {}, initial_buy = {};
  Authority mint_authority = Authority::kUnknown, freeze_authority = Authority::kUnknown;
  std::string_view token_program = {};
  std::string_view extensions = {};  // JSON
  bool operator==(const TokenFacts&) const = default;
};

// What a message says of its pool, after it.
struct PoolFacts {
  Amount virtual_token = {}, virtual_quote = {}, real_token = {}, real_quote = {};
  std::optional<int64_t> burned_lp_bps = {};
  std::optional<int64_t> fee_rate_ppm = {};
  std::optional<int32_t> decimals = {};  // of the token, where they are not 6
  bool operator==(const PoolFacts&) const = default;
};

// Texts refer to the arena or store that the row came from; empty where absent.
struct LaunchEvent {
  std::string_view event_id =
      {};  // signature '/' print of the message's elements in their order ('/' "initial")
  std::string_view signature = {};  // the beginning of event_id, or empty
  Family family = Family::kEvent;
  LaunchAction action = LaunchAction::kUnknown;  // of the message
  Generation generation = Generation::kUnknown;
  std::string_view mint = {};  // that the row is about
  std::optional<uint64_t> slot = {};
  UtcTime event_ts = kNoTime;
  UtcTime ingest_ts = kNoTime;
  std::string_view flags = {};  // JSON array of codes
  Coordinate at = {};
  uint32_t ordinal = 0;
  int64_t line = 0;      // within its envelope, from 1
  uint64_t said = 0;     // print of the multiset of the message's elements: what copies must agree in
  uint64_t content = 0;  // print of what settling looks at in this row
  std::string_view venue = {}, pool_address = {}, quote_mint = {};
  std::string_view trader = {};
  Amount token_amount = {}, quote_amount = {};
  Millionths price = {};  // quote base units for a whole token
  int32_t index = 0;      // in its array; -1: the initial buy
  LaunchAction side = LaunchAction::kUnknown;
  TradeSource source = TradeSource::kNone;
  std::string_view from = {}, to = {};
  bool is_native = false;
  std::string_view subtype = {};
  TokenFacts token = {};
  PoolFacts pool = {};
  std::string_view raw = {};  // JSON
  bool operator==(const LaunchEvent&) const = default;
};
using LaunchElement = Element<LaunchEvent>;

// An initial buy stands behind everything else of its unit, so that it is measured against explicit buys, whenever they
// come: its place in the order is moved by so much.
inline constexpr int64_t kBehindAllUs = int64_t{1} << 61;

inline void AttachIdentity(LaunchEvent& row, Identity& identity) {
  row.at = identity.order.at;
  row.ordinal = identity.order.ordinal;
  row.ingest_ts = identity.order.ingest_ts;
  row.event_ts = identity.order.event_ts;
  if (row.source == TradeSource::kCreateInitial) row.event_ts.us -= kBehindAllUs;
  row.signature = row.event_id.substr(0, row.event_id.find('/'));
  identity.order.event_id = row.event_id;
}

// What copies must agree in. Value 0 is the message's elements. An initial buy is measured as part of its create against
// the create's own row, value 1, and as a trade against an explicit buy, value 2.
inline Values ValuesOf(const LaunchEvent& row) {
  Values values;
  const bool initial = row.source == TradeSource::kCreateInitial;
  if (!initial) values.Set(0, row.said);
  if (initial || row.family == Family::kEvent) values.Set(1, row.said);
  if (row.family == Family::kTrade) {
    std::string amount;
    AppendCanonical(row.token_amount, amount);
    values.Set(2, Fingerprint(amount) | 1);
  }
  return values;
}

// ---- Columns ----

template <class Visitor>
void VisitHead(const LaunchEvent& row, Visitor& visit) {
  visit("signature", row.signature);
  visit("slot", row.slot.has_value() ? std::optional(static_cast<int64_t>(*row.slot)) : std::nullopt);
  visit("event_ts", row.event_ts);
  visit("ingest_ts", row.ingest_ts);
}
template <class Visitor>
void VisitTail(const LaunchEvent& row, Visitor& visit) {
  visit("flags", JsonText{row.flags});
  visit("bronze_topic", row.at.topic);
  visit("bronze_partition", row.at.partition);
  visit("bronze_offset", row.at.offset);
  visit("bronze_line", row.line);
  visit("ordinal", row.ordinal);
}

inline std::string_view AuthorityName(Authority authority) {
  constexpr std::array<std::string_view, 3> kNames = {"", "REVOKED", "ACTIVE"};
  return kNames[static_cast<size_t>(authority)];
}

template <class Visitor>
void VisitEventColumns(const LaunchEvent& row, Visitor& visit) {
  visit("action", ActionName(row.action));
  visit("mint", row.mint);
  visit("pool_address", row.pool_address);
  visit("venue", row.venue);
  visit("generation", row.generation == Generation::kUnknown
                          ? std::nullopt
                          : std::optional(static_cast<int32_t>(row.generation)));
  visit("raw", JsonText{row.raw});
}
template <class Visitor>
void VisitTokenColumns(const LaunchEvent& row, Visitor& visit) {
  visit("mint", row.mint);
  visit("creator", row.token.creator);
  visit("creator_basis", kCreatorBasisNames[static_cast<size_t>(row.token.creator_basis)]);
  visit("name", row.token.name);
  visit("symbol", row.token.symbol);
  visit("uri", row.token.uri);
  visit("supply", row.token.supply);
  visit("initial_buy", row.token.initial_buy);
  visit("mint_authority", AuthorityName(row.token.mint_authority));
  visit("freeze_authority", AuthorityName(row.token.freeze_authority));
  visit("token_program", row.token.token_program);
  visit("extensions", JsonText{row.token.extensions});
}
template <class Visitor>
void VisitTradeColumns(const LaunchEvent& row, Visitor& visit) {
  visit("breakdown_index", row.index);
  visit("mint", row.mint);
  visit("pool_address", row.pool_address);
  visit("trader", row.trader);
  visit("side", ActionName(row.side));
  visit("token_amount", row.token_amount);
  visit("quote_amount", row.quote_amount);
  visit("quote_mint", row.quote_mint);
  visit("price", row.price);
  visit("source", kTradeSourceNames[static_cast<size_t>(row.source)]);
}
template <class Visitor>
void VisitTransferColumns(const LaunchEvent& row, Visitor& visit) {
  visit("transfer_index", row.index);
  visit("from", row.from);
  visit("to", row.to);
  visit("mint", row.mint);
  visit("amount", row.token_amount);
  visit("is_native", row.is_native);
  visit("subtype", row.subtype);
}
template <class Visitor>
void VisitPoolColumns(const LaunchEvent& row, Visitor& visit) {
  visit("pool_address", row.pool_address);
  visit("venue", row.venue);
  visit("mint", row.mint);
  visit("action", ActionName(row.action));
  visit("trader", row.trader);
  visit("token_amount", row.token_amount);
  visit("quote_amount", row.quote_amount);
  visit("virtual_token", row.pool.virtual_token);
  visit("virtual_quote", row.pool.virtual_quote);
  visit("real_token", row.pool.real_token);
  visit("real_quote", row.pool.real_quote);
  visit("quote_mint", row.quote_mint);
  visit("burned_lp_bps", row.pool.burned_lp_bps);
  visit("fee_rate_ppm", row.pool.fee_rate_ppm);
}

template <class Visitor>
void VisitColumns(const LaunchEvent& row, Visitor&& visit) {
  VisitHead(row, visit);
  switch (row.family) {
    case Family::kEvent: VisitEventColumns(row, visit); break;
    case Family::kToken: VisitTokenColumns(row, visit); break;
    case Family::kTrade: VisitTradeColumns(row, visit); break;
    case Family::kTransfer: VisitTransferColumns(row, visit); break;
    case Family::kPool: VisitPoolColumns(row, visit); break;
  }
  VisitTail(row, visit);
}

// ---- Fields, see base/pack.h ----

// Words are only ever added at the end.
inline const Vocabulary& LaunchWords() {
  static const Vocabulary words{kWrappedSol, "pump",     "pump-amm", "bonk",
                                "PUMPFUN",   "PUMPSWAP", "BONK",     "raydium-cpmm"};
  return words;
}

template <class Row, class Visitor>
  requires std::same_as<std::remove_const_t<Row>, TokenFacts>
void VisitFields(Row& row, Visitor&& visit) {
  visit(row.creator), visit(row.creator_basis), visit(row.name), visit(row.symbol), visit(row.uri);
  visit(row.supply), visit(row.initial_buy), visit(row.mint_authority), visit(row.freeze_authority);
  visit(row.token_program), visit(row.extensions);
}
template <class Row, class Visitor>
  requires std::same_as<std::remove_const_t<Row>, PoolFacts>
void VisitFields(Row& row, Visitor&& visit) {
  visit(row.virtual_token), visit(row.virtual_quote), visit(row.real_token), visit(row.real_quote);
  visit(row.burned_lp_bps), visit(row.fee_rate_ppm), visit(row.decimals);
}
template <class Row, class Visitor>
  requires std::same_as<std::remove_const_t<Row>, LaunchEvent>
void VisitFields(Row& row, Visitor&& visit) {
  const auto word = [](auto& text) {
    return Word<std::remove_reference_t<decltype(text)>>{text, LaunchWords()};
  };
  visit(row.event_id), visit(row.family), visit(row.action), visit(row.generation), visit(row.mint);
  visit(row.slot), visit(row.flags), visit(row.line), visit(row.said), visit(row.content);
  visit(word(row.venue)), visit(row.pool_address), visit(word(row.quote_mint)), visit(row.trader);
  visit(row.token_amount), visit(row.quote_amount), visit(row.price), visit(row.index), visit(row.side);
  visit(row.source), visit(row.from), visit(row.to), visit(row.is_native), visit(row.subtype);
  visit(row.token), visit(row.pool), visit(row.raw);
}
inline bool IsNull(const TokenFacts& facts) { return facts == TokenFacts{}; }
inline bool IsNull(const PoolFacts& facts) { return facts == PoolFacts{}; }

}  // namespace medallion::launchpad
