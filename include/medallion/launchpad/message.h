// One feed message in canonical form: what both schema generations say, in one spelling and in base units.
// Pure. Safe from any thread. Source: the launchpad domain, 1 to 3.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "medallion/base/arena.h"
#include "medallion/base/time.h"
#include "medallion/launchpad/amount.h"

namespace medallion::launchpad {

enum class LaunchAction : uint8_t {
  kUnknown,
  kCreate,
  kBuy,
  kSell,
  kMigrate,
  kCreatePool,
  kAdd,
  kRemove,
  kTransfer
};
inline constexpr std::array<std::string_view, 9> kActionNames = {
    "", "create", "buy", "sell", "migrate", "createPool", "add", "remove", "transfer"};
inline std::string_view ActionName(LaunchAction action) { return kActionNames[static_cast<size_t>(action)]; }

// Which schema the message is written in.
enum class Generation : uint8_t { kUnknown, kGen1, kGen2 };

// What is known of an authority over a token: an explicit null says that it was given up.
enum class Authority : uint8_t { kUnknown, kRevoked, kActive };

inline constexpr std::string_view kWrappedSol = "So11111111111111111111111111111111111111112";

// An element of `breakdown`, or the header of a message that has none.
struct TradePart {
  std::string_view trader = {};
  LaunchAction action = LaunchAction::kUnknown;
  Amount token_amount = {};
  Amount quote_amount = {};
};

// An element of `transfers`. Without `to` the tokens were burnt.
struct TransferPart {
  std::string_view from = {}, to = {}, mint = {};
  Amount amount = {};
  bool is_native = false;  // of the chain's own coin
  std::string_view subtype = {};
};

// Texts refer to the arena that the message was read with; empty where absent.
struct Message {
  Generation generation = Generation::kUnknown;
  LaunchAction action = LaunchAction::kUnknown;
  std::string_view action_text = {};
  std::string_view signature = {};
  std::optional<uint64_t> slot = {};
  UtcTime event_ts = kNoTime;     // from `timestamp`, else ingest_ts
  UtcTime ingest_ts = kNoTime;    // of its line, else of its envelope, else the event's own time
  std::string_view ts_unit = {};  // "s", "ms", "us" or "ns", as assumed
  bool ts_from_ingest = false;
  std::string_view mint = {};
  std::string_view venue = {}, pool_address = {};
  std::string_view quote_mint = {};
  int decimals = 6, quote_decimals = 9;
  Amount token_amount = {}, quote_amount = {};
  Amount virtual_token = {}, virtual_quote = {}, real_token = {}, real_quote = {};
  std::string_view price = {};  // as written: whole quote for a whole token
  std::vector<std::string_view> traders = {};
  bool has_breakdown = false;
  std::vector<TradePart> breakdown = {};
  std::vector<TransferPart> transfers = {};
  std::string_view tx_signer = {}, trader_key = {};
  std::string_view creator = {};
  std::string_view name = {}, symbol = {}, uri = {};
  Amount supply = {}, initial_buy = {};
  Authority mint_authority = Authority::kUnknown, freeze_authority = Authority::kUnknown;
  std::optional<int64_t> fee_rate_ppm = {};
  std::optional<int64_t> burned_lp_bps = {};
  std::string_view token_program = {};
  std::string_view extensions = {};       // JSON array of names
  bool precision_loss = false;            // an amount had more digits than base units have
  std::string_view raw = {};              // its JSON text
  std::string_view corrupt = {};          // why it cannot be read; or empty
  std::string_view acknowledgement = {};  // it is no event, but an answer to a subscription

  // Who acted: the only one involved, else the named trader, else the fee payer.
  std::string_view Actor() const;
};

// A quote that is no SOL, and its decimals. Others are taken to have six.
struct QuoteMint {
  std::string_view mint;
  int decimals = 6;
};

}  // namespace medallion::launchpad
