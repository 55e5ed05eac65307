#include "medallion/launchpad/options.h"

#include <algorithm>

#include "medallion/base/text.h"
#include "medallion/launchpad/base58.h"

namespace medallion::launchpad {
namespace {

// Of the standard curve, in base units of token and SOL.
constexpr int64_t kOffsetToken = 279'900'000'000'000, kOffsetQuote = 30'000'000'000;
constexpr int64_t kProductToken = 1'073'000'000'000'000, kProductQuote = 30'000'000'000;
constexpr uint64_t kProductPpm = 100, kPricePpm = 1'000;
constexpr int kPriceDigits = 18;

Outcome Fails(bool fails) { return fails ? Outcome::kFail : Outcome::kPass; }

bool IsTrade(const Message& m) { return m.action == LaunchAction::kBuy || m.action == LaunchAction::kSell; }

Outcome CheckSignature(const Message& m) { return Fails(!IsSignature(m.signature)); }

// A transfer may name mints in its elements alone.
Outcome CheckMint(const Message& m) {
  const bool own = IsAddress(m.mint);
  if (!own && (!m.mint.empty() || m.action != LaunchAction::kTransfer || m.transfers.empty()))
    return Outcome::kFail;
  return Fails(std::any_of(m.transfers.begin(), m.transfers.end(),
                           [](const TransferPart& part) { return !IsAddress(part.mint); }));
}

bool IsPositive(Amount amount) { return amount.known() && amount.units > 0; }

Outcome CheckAmounts(const Message& m) {
  if (IsTrade(m) && !m.has_breakdown && !IsPositive(m.token_amount)) return Outcome::kFail;
  if (IsTrade(m) && m.token_amount.known() && m.token_amount.units <= 0) return Outcome::kFail;
  for (const TradePart& part : m.breakdown) {
    const bool trade = part.action == LaunchAction::kBuy || part.action == LaunchAction::kSell;
    if (trade && !IsPositive(part.token_amount)) return Outcome::kFail;
  }
  const bool transfers = std::all_of(m.transfers.begin(), m.transfers.end(),
                                     [](const TransferPart& part) { return IsPositive(part.amount); });
  if (m.action == LaunchAction::kTransfer && m.transfers.empty()) return Fails(!IsPositive(m.token_amount));
  return Fails(!transfers);
}

Outcome CheckAction(const Message& m) { return Fails(m.action == LaunchAction::kUnknown); }

Outcome CheckBreakdownSum(const Message& m) {
  if (!m.has_breakdown || !IsTrade(m) || !m.token_amount.known()) return Outcome::kUnknown;
  absl::int128 sum = 0;
  for (const TradePart& part : m.breakdown) {
    if (part.action == m.action) sum += part.token_amount.value_or(0);
  }
  const absl::int128 off = sum - m.token_amount.units;
  return Fails(off > 1 || off < -1);
}

// price = P / 10^18 against (vq / 10^quote_decimals) / (vt / 10^decimals). No quote has more than 18 decimals.
Outcome CheckPrice(const Message& m) {
  const auto price = ParseAmount(m.price, kPriceDigits);
  if (!price.has_value() || !IsPositive(m.virtual_token) || !IsPositive(m.virtual_quote))
    return Outcome::kUnknown;
  if (price->amount.units < 0) return Outcome::kFail;
  const Product told{price->amount.units, m.virtual_token.units};
  const Product reserves{m.virtual_quote.units, Pow10(m.decimals + kPriceDigits - m.quote_decimals)};
  return Fails(!IsWithin(told, reserves, kPricePpm));
}

Outcome CheckProduct(const Message& m, const RiskParameters& parameters) {
  if (!IsStandardCurve(m.venue, m.quote_mint, parameters)) return Outcome::kPass;
  if (!m.virtual_token.known() || !m.virtual_quote.known()) return Outcome::kUnknown;
  if (m.virtual_token.units < 0 || m.virtual_quote.units < 0) return Outcome::kFail;
  return Fails(
      !IsWithin({m.virtual_token.units, m.virtual_quote.units}, {kProductToken, kProductQuote}, kProductPpm));
}

Outcome CheckOffset(const Message& m, const RiskParameters& parameters) {
  if (!IsStandardCurve(m.venue, m.quote_mint, parameters)) return Outcome::kPass;
  const bool token = m.virtual_token.known() && m.real_token.known();
  const bool quote = m.virtual_quote.known() && m.real_quote.known();
  if (!token && !quote) return Outcome::kUnknown;
  return Fails((token && m.virtual_token.units - m.real_token.units != kOffsetToken) ||
               (quote && m.virtual_quote.units - m.real_quote.units != kOffsetQuote));
}

void AddAll(const std::vector<std::string>& texts, JoinedFields& fields) {
  fields.Add(static_cast<int64_t>(texts.size()));
  for (const std::string& text : texts) fields.Add(text);
}

}  // namespace

std::vector<RiskRule> DefaultRiskTable() {
  return {{RiskLevel::kCritical, RiskSignal::kTop10Bps, 9'000},
          {RiskLevel::kCritical, RiskSignal::kUnboughtSellBps, 1'000},
          {RiskLevel::kCritical, RiskSignal::kLiquidityRemovedRecentlyBps, 5'000},
          {RiskLevel::kHigh, RiskSignal::kTop10Bps, 7'000},
          {RiskLevel::kHigh, RiskSignal::kCreatorSoldRecently, 1},
          {RiskLevel::kHigh, RiskSignal::kMintAuthorityActive, 1},
          {RiskLevel::kMedium, RiskSignal::kTop10Bps, 5'000},
          {RiskLevel::kMedium, RiskSignal::kEarlyBlockBps, 2'000},
          {RiskLevel::kMedium, RiskSignal::kIncompleteFeed, 1}};
}

Digest ModelVersion(const RiskParameters& parameters) {
  JoinedFields fields;
  fields.Add("launchpad 1");
  AddAll(parameters.burn_addresses, fields);
  AddAll(parameters.program_accounts, fields);
  AddAll(parameters.standard_venues, fields);
  AddAll(parameters.risky_extensions, fields);
  fields.Add(parameters.recent_sell_us).Add(parameters.recent_remove_us).Add(parameters.early_slots);
  fields.Add(parameters.crowd_slots).Add(parameters.incomplete_ppm);
  for (const RiskRule& rule : parameters.risk_table) {
    fields.Add(kRiskLevelNames[static_cast<size_t>(rule.level)]).Add(static_cast<int64_t>(rule.signal));
    fields.Add(rule.at_least);
  }
  return fields.Sha256();
}

bool IsStandardCurve(std::string_view venue, std::string_view quote_mint, const RiskParameters& parameters) {
  const auto& venues = parameters.standard_venues;
  return quote_mint == kWrappedSol &&
         std::any_of(venues.begin(), venues.end(),
                     [&](const std::string& standard) { return EqualsFoldedCase(standard, venue); });
}

std::vector<MessageRule> DefaultRules(const RiskParameters& parameters) {
  const auto flag = [](std::string code, std::function<Outcome(const Message&)> check) {
    return MessageRule{std::move(code), Severity::kFlag, std::move(check), /*unknown_passes=*/true};
  };
  return {
      {"SIGNATURE_MISSING", Severity::kReject, CheckSignature},
      {"MINT_INVALID", Severity::kReject, CheckMint},
      {"AMOUNT_NONPOSITIVE", Severity::kReject, CheckAmounts},
      {"UNKNOWN_ACTION", Severity::kReject, CheckAction},
      flag("PRECISION_LOSS", [](const Message& m) { return Fails(m.precision_loss); }),
      flag("BREAKDOWN_SUM_MISMATCH", CheckBreakdownSum),
      flag("PRICE_RESERVE_MISMATCH", CheckPrice),
      flag("RESERVE_PRODUCT_MISMATCH",
           [parameters](const Message& m) { return CheckProduct(m, parameters); }),
      flag("CURVE_OFFSET_MISMATCH", [parameters](const Message& m) { return CheckOffset(m, parameters); })};
}

}  // namespace medallion::launchpad
