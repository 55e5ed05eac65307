// What a host can set: rules, decoders, and all parameters that the risk signals depend on.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "medallion/launchpad/envelope.h"
#include "medallion/launchpad/message.h"
#include "medallion/silver/rules.h"
#include "medallion/silver/settle.h"

namespace medallion::launchpad {

enum class RiskLevel : uint8_t { kLow, kMedium, kHigh, kCritical };
inline constexpr std::array<std::string_view, 4> kRiskLevelNames = {"LOW", "MEDIUM", "HIGH", "CRITICAL"};

// The signals that the level can be told from. A flag is at least 1 where it is true.
enum class RiskSignal : uint8_t {
  kTop10Bps,
  kUnboughtSellBps,
  kLiquidityRemovedRecentlyBps,
  kEarlyBlockBps,
  kCreatorSoldRecently,
  kMintAuthorityActive,
  kFreezeAuthorityActive,
  kRiskyExtension,
  kIncompleteFeed,
};

// A row of the table that levels are read from: the level, where the signal is known and at least so much.
struct RiskRule {
  RiskLevel level = RiskLevel::kLow;
  RiskSignal signal = RiskSignal::kTop10Bps;
  int64_t at_least = 1;
};
std::vector<RiskRule> DefaultRiskTable();

// Everything that Gold depends on beside the rows. Another value of any of them is another model.
struct RiskParameters {
  std::vector<std::string> burn_addresses = {"1nc1nerator11111111111111111111111111111111"};
  std::vector<std::string> program_accounts = {};  // hold for others: no holders
  // Venues, in any case, whose curves begin with 30 SOL × 1,073,000,000 tokens, 793,100,000 of them for sale.
  std::vector<std::string> standard_venues = {"pump", "pumpfun", "pump.fun"};
  // Extensions, in any case, by which an issuer can take, stop or tax what holders have.
  std::vector<std::string> risky_extensions = {
      "permanentDelegate", "transferHook",        "transferFeeConfig",
      "transferFee",       "nonTransferable",     "pausable",
      "pausableConfig",    "defaultAccountState", "confidentialTransferMint"};
  int64_t recent_sell_us = 24 * kMicrosPerHour;
  int64_t recent_remove_us = kMicrosPerHour;
  int64_t early_slots = 3;         // after the create's
  int64_t crowd_slots = 99;        // likewise, for max_slot_buyers
  int64_t incomplete_ppm = 1'000;  // |residual| over so much of supply: INCOMPLETE_FEED
  std::vector<RiskRule> risk_table = DefaultRiskTable();
};

// The digest of all parameters, and of the version of the definitions.
Digest ModelVersion(const RiskParameters& parameters);

// Whether the message's pool is a curve whose constants are known.
bool IsStandardCurve(std::string_view venue, std::string_view quote_mint, const RiskParameters& parameters);

using MessageRule = Rule<Message>;
// The rules of the domain page, section 3, in its order; a host may append its own.
std::vector<MessageRule> DefaultRules(const RiskParameters& parameters = {});

struct Options {
  Policy policy = Policy::kKeepFirst;
  std::vector<Decoder> decoders = DefaultDecoders();
  int64_t envelope_bytes_max = int64_t{64} << 20;  // decoded
  int64_t envelope_lines_max = 1'000'000;          // tiny lines make large tables
  int64_t rows_max = 500'000;                      // of one envelope or line: likewise
  // Quotes and their decimals.
  std::vector<QuoteMint> quote_mints = {{kWrappedSol, 9},
                                        {"EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v", 6},  // USDC
                                        {"Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB", 6},  // USDT
                                        {"USD1ttGY1N17NEEHLmELoaybftRBUSErhqYiQzvEmuB", 6}};  // USD1
  int token_decimals = kTokenDecimals;  // where the message names none
  RiskParameters risk = {};
  std::vector<MessageRule> rules = DefaultRules(risk);
};

}  // namespace medallion::launchpad
