#include "read_message.h"

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <optional>

#include "medallion/base/text.h"
#include "medallion/launchpad/base58.h"

namespace medallion::launchpad {

using json::Kind;
using json::Node;
using json::Tree;

namespace {

struct TimeUnit {
  const char* name;
  int64_t below;  // a number of this unit; 10^11 seconds is the year 5138
  int power;      // of ten, from the unit to microseconds
};
constexpr std::array<TimeUnit, 4> kTimeUnits = {{{"s", 100'000'000'000, 6},
                                                 {"ms", 100'000'000'000'000, 3},
                                                 {"us", 100'000'000'000'000'000, 0},
                                                 {"ns", std::numeric_limits<int64_t>::max(), -3}}};

struct ReadTime {
  UtcTime time = kNoTime;
  std::string_view unit = {};  // as assumed; empty for a text that is a time
};

// A number of seconds, milliseconds, microseconds or nanoseconds, told by its size; or RFC 3339 text.
ReadTime TimeOf(const Node* node) {
  if (node == nullptr || (node->kind != Kind::kNumber && !node->is_text())) return {};
  const auto whole = ParseAmount(node->text, 0);
  if (!whole.has_value()) {
    const auto parsed = node->is_text() ? ParseTime(node->text) : std::nullopt;
    return parsed.has_value() ? ReadTime{parsed->time, {}} : ReadTime{};
  }
  for (const TimeUnit& unit : kTimeUnits) {
    if (whole->amount.units >= unit.below || whole->amount.units <= -absl::int128(unit.below)) continue;
    const auto us = ParseAmount(node->text, unit.power);
    return {UtcTime{static_cast<int64_t>(us->amount.units)}, unit.name};
  }
  return {};
}

const absl::int128 kMostUnits = Pow10(32);  // that sums of a million such amounts fit 128 bits

// Reads the members of one object.
class Members {
 public:
  Members(const Tree& tree, const Node& object, Arena& texts) : tree_(tree), object_(object), texts_(texts) {}

  const Node* Find(std::initializer_list<std::string_view> names) const {
    for (const std::string_view name : names) {
      const Node* node = tree_.Member(&object_, name);
      if (node != nullptr && node->kind != Kind::kNull) return node;
    }
    return nullptr;
  }
  // Of the first of these members that is a text.
  std::string_view Text(std::initializer_list<std::string_view> names) const {
    const Node* node = Find(names);
    return node != nullptr && node->is_text() ? texts_.Copy(Trim(node->text)) : std::string_view();
  }
  // A number or the text of one.
  std::string_view Number(std::initializer_list<std::string_view> names) const {
    const Node* node = Find(names);
    const bool readable = node != nullptr && (node->kind == Kind::kNumber || node->is_text());
    return readable ? Trim(node->text) : std::string_view();
  }
  Amount Units(std::initializer_list<std::string_view> names, int decimals, bool& precision_loss) const {
    const std::string_view text = Number(names);
    if (text.empty()) return {};
    const auto parsed = ParseAmount(text, decimals);
    if (!parsed.has_value() || parsed->amount.units > kMostUnits || parsed->amount.units < -kMostUnits)
      return {};
    precision_loss = precision_loss || parsed->precision_loss;
    return parsed->amount;
  }
  std::optional<int64_t> Integer(std::initializer_list<std::string_view> names, int64_t least,
                                 int64_t most) const {
    const auto parsed = ParseAmount(Number(names), 0);
    if (!parsed.has_value() || parsed->precision_loss) return std::nullopt;
    if (parsed->amount.units < least || parsed->amount.units > most) return std::nullopt;
    return static_cast<int64_t>(parsed->amount.units);
  }
  // A share of one, in units of 10^-digits: "91%" of a member whose numbers are shares, or percent.
  std::optional<int64_t> Share(std::string_view name, int digits, bool percent) const {
    std::string_view text = Number({name});
    if (text.ends_with('%')) text.remove_suffix(1), percent = true;
    const auto parsed = ParseAmount(text, percent ? digits - 2 : digits);
    if (!parsed.has_value() || parsed->amount.units < 0 || parsed->amount.units > 1'000'000'000)
      return std::nullopt;
    return static_cast<int64_t>(parsed->amount.units);
  }
  Authority AuthorityOf(std::string_view name) const {
    const Node* node = tree_.Member(&object_, name);
    if (node == nullptr) return Authority::kUnknown;
    if (node->kind == Kind::kNull) return Authority::kRevoked;
    return node->is_text() && !Trim(node->text).empty() ? Authority::kActive : Authority::kUnknown;
  }
  template <class Use>
  void Each(std::initializer_list<std::string_view> names, Use&& use) const {
    const Node* node = Find(names);
    if (node == nullptr || (node->kind != Kind::kArray && node->kind != Kind::kObject)) return;
    tree_.Each(*node, use);
  }
  Members Of(const Node& object) const { return {tree_, object, texts_}; }
  Arena& texts() const { return texts_; }

 private:
  const Tree& tree_;
  const Node& object_;
  Arena& texts_;
};

LaunchAction ActionOf(std::string_view text) {
  const auto* const found = std::find(kActionNames.begin() + 1, kActionNames.end(), text);
  return found == kActionNames.end() ? LaunchAction::kUnknown
                                     : static_cast<LaunchAction>(found - kActionNames.begin());
}

int DecimalsOf(std::string_view mint, const Options& options, int other) {
  for (const QuoteMint& quote : options.quote_mints) {
    if (quote.mint == mint) return quote.decimals;
  }
  return other;
}

// `pool` is the address where it is one; else the venue.
void ReadPool(const Members& members, Message& m) {
  const std::string_view pool = members.Text({"pool"});
  if (IsAddress(pool)) {
    m.pool_address = pool, m.venue = members.Text({"protocol"});
  } else {
    m.venue = pool.empty() ? members.Text({"protocol"}) : pool;
    m.pool_address = members.Text({"poolId", "bondingCurveKey"});
  }
}

Generation GenerationOf(const Members& members) {
  if (members.Find({"action"}) != nullptr) return Generation::kGen2;
  return members.Find({"txType"}) != nullptr ? Generation::kGen1 : Generation::kUnknown;
}

void ReadAmounts(const Members& members, Message& m) {
  bool& loss = m.precision_loss;
  m.token_amount = members.Units({"tokenAmount"}, m.decimals, loss);
  m.quote_amount = members.Units({"solAmount", "quoteAmount"}, m.quote_decimals, loss);
  m.virtual_token = members.Units({"vTokensInBondingCurve", "vTokens"}, m.decimals, loss);
  m.virtual_quote =
      members.Units({"vSolInBondingCurve", "vQuoteInBondingCurve", "vSol", "vQuote"}, m.quote_decimals, loss);
  m.real_token = members.Units({"tokensInPool"}, m.decimals, loss);
  m.real_quote = members.Units({"solInPool", "quoteInPool"}, m.quote_decimals, loss);
  m.supply = members.Units({"supply", "totalSupply"}, m.decimals, loss);
  m.initial_buy = members.Units({"initialBuy"}, m.decimals, loss);
}

void ReadTraders(const Members& members, Message& m) {
  members.Each({"tradersInvolved"}, [&](const Node& trader) {
    const std::string_view name = trader.name.empty() && trader.is_text() ? trader.text : trader.name;
    if (!name.empty()) m.traders.push_back(members.texts().Copy(name));
  });
  m.tx_signer = members.Text({"txSigner"});
  m.trader_key = members.Text({"traderPublicKey"});
}

void ReadBreakdown(const Members& members, Message& m) {
  const Node* breakdown = members.Find({"breakdown"});
  m.has_breakdown = breakdown != nullptr && breakdown->kind == Kind::kArray && !breakdown->text.empty();
  bool any = false;
  members.Each({"breakdown"}, [&](const Node& json) {
    const Members part = members.Of(json);
    const std::string_view action = part.Text({"action", "txType"}), trader = part.Text({"trader"});
    any = true;
    m.breakdown.push_back(
        {.trader = trader.empty() ? m.Actor() : trader,
         .action = action.empty() ? m.action : ActionOf(action),
         .token_amount = part.Units({"tokenAmount"}, m.decimals, m.precision_loss),
         .quote_amount = part.Units({"quoteAmount", "solAmount"}, m.quote_decimals, m.precision_loss)});
  });
  m.has_breakdown = m.has_breakdown && any;  // an empty one says nothing
}

bool IsNative(std::string_view mint, const Node* told) {
  return mint == kWrappedSol || EqualsFoldedCase(mint, "SOL") || EqualsFoldedCase(mint, "native") ||
         (told != nullptr && told->kind == Kind::kBool && told->text == "true");
}

void ReadTransfers(const Members& members, const Options& options, Message& m) {
  members.Each({"transfers"}, [&](const Node& json) {
    const Members part = members.Of(json);
    TransferPart transfer{.from = part.Text({"from", "fromUserAccount"}),
                          .to = part.Text({"to", "toUserAccount"}),
                          .mint = part.Text({"mint"}),
                          .subtype = part.Text({"subtype", "type"})};
    transfer.is_native = IsNative(transfer.mint, part.Find({"isNative", "is_native"}));
    if (transfer.is_native) transfer.mint = kWrappedSol;
    if (transfer.mint.empty()) transfer.mint = m.mint;
    const int decimals = static_cast<int>(
        part.Integer({"decimals"}, 0, 18)
            .value_or(transfer.mint == m.mint ? m.decimals
                                              : DecimalsOf(transfer.mint, options, options.token_decimals)));
    transfer.amount = part.Units({"amount", "tokenAmount"}, decimals, m.precision_loss);
    m.transfers.push_back(transfer);
  });
}

// `extensions` as an array of names, whatever form they came in.
void ReadExtensions(const Members& members, Message& m) {
  const Node* node = members.Find({"tokenExtensions", "extensions"});
  if (node == nullptr) return;
  std::string json = "[";
  const auto add = [&](std::string_view name) {
    if (name.empty()) return;
    if (json.size() > 1) json.push_back(',');
    AppendJsonString(name, json);
  };
  if (node->is_text()) add(node->text);
  members.Each({"tokenExtensions", "extensions"}, [&](const Node& extension) {
    const Members part = members.Of(extension);
    const std::string_view named = part.Text({"extension", "name", "type"});
    add(extension.is_text() ? extension.text : !extension.name.empty() ? extension.name : named);
  });
  m.extensions = members.texts().Copy(json + "]");
}

void ReadToken(const Members& members, Message& m) {
  m.creator = members.Text({"creator"});
  m.name = members.Text({"name"}), m.symbol = members.Text({"symbol"}), m.uri = members.Text({"uri"});
  m.mint_authority = members.AuthorityOf("mintAuthority");
  m.freeze_authority = members.AuthorityOf("freezeAuthority");
  m.fee_rate_ppm = members.Share("poolFeeRate", 6, false);
  m.burned_lp_bps = members.Share("burnedLiquidity", 4, true);
  m.token_program = members.Text({"tokenProgram"});
  ReadExtensions(members, m);
}

void SetTimes(const Members& members, UtcTime landed, Message& m) {
  const ReadTime told = TimeOf(members.Find({"timestamp"}));
  m.event_ts = told.time, m.ts_unit = told.unit;
  m.ingest_ts = landed != kNoTime ? landed : m.event_ts;
  if (m.event_ts == kNoTime) m.event_ts = m.ingest_ts, m.ts_from_ingest = true;
  if (m.event_ts == kNoTime) m.corrupt = "no time: neither a timestamp nor when it was ingested";
}

}  // namespace

std::string_view Message::Actor() const {
  if (traders.size() == 1) return traders[0];
  return trader_key.empty() ? tx_signer : trader_key;
}

bool MessageReader::Read(std::string_view line) {
  texts_ = Arena();
  if (!tree_.Parse(json::Padded(line, texts_), texts_)) return problem_ = tree_.problem(), false;
  if (!tree_.has_repeats()) return true;
  return problem_ = "a name twice in one object, with two values", false;
}

bool MessageReader::IsEnvelope(Envelope& envelope) const {
  const Node& root = tree_.root();
  if (root.kind != Kind::kObject || tree_.Member(&root, "event") != nullptr) return false;
  const auto text = [&](std::string_view name) {
    const Node* node = tree_.Member(&root, name);
    return node != nullptr && node->is_text() ? node->text : std::string_view();
  };
  const auto number = [&](std::string_view name) -> std::optional<int64_t> {
    const Node* node = tree_.Member(&root, name);
    if (node == nullptr || node->kind == Kind::kNull) return std::nullopt;
    const auto parsed = ParseAmount(node->text, 0);
    constexpr int64_t kMost = int64_t{1} << 53, kNoNumber = -1;
    const bool whole = parsed.has_value() && !parsed->precision_loss && parsed->amount.units >= 0 &&
                       parsed->amount.units <= kMost;
    if (!whole) return kNoNumber;
    return static_cast<int64_t>(parsed->amount.units);
  };
  envelope = {.source = text("_source"),
              .ingested_at = TimeOf(tree_.Member(&root, "_ingested_at")).time,
              .event_count = number("event_count"),
              .codec = text("codec"),
              .uncompressed_bytes = number("uncompressed_bytes"),
              .data_b64 = text("data_b64")};
  return tree_.Member(&root, "data_b64") != nullptr ||
         (envelope.event_count.has_value() && tree_.Member(&root, "codec") != nullptr);
}

void MessageReader::Messages(UtcTime landed, Arena& texts, std::vector<Message>& out) const {
  Read(tree_.root(), landed, texts, out);
}

void MessageReader::Read(const Node& json, UtcTime landed, Arena& texts, std::vector<Message>& out) const {
  if (out.size() > kMessagesMax) return;
  if (json.kind == Kind::kArray) {
    tree_.Each(json, [&](const Node& element) { Read(element, landed, texts, out); });
    return;
  }
  if (const Node* events = tree_.Member(&json, "events"); events != nullptr && events->kind == Kind::kArray) {
    return Read(*events, landed, texts, out);
  }
  const Node* event = tree_.Member(&json, "event");
  if (event != nullptr && (event->kind == Kind::kObject || event->kind == Kind::kArray)) {
    const UtcTime ingested_at = TimeOf(tree_.Member(&json, "_ingested_at")).time;
    return Read(*event, ingested_at == kNoTime ? landed : ingested_at, texts, out);
  }
  ReadOne(json, landed, texts, out.emplace_back());
}

void MessageReader::ReadOne(const Node& json, UtcTime landed, Arena& texts, Message& m) const {
  const Members members(tree_, json, texts);
  m.raw = texts.Copy(json.text);
  m.ingest_ts = landed;
  if (json.kind != Kind::kObject) {
    m.corrupt = "no JSON object";
    return;
  }
  m.generation = GenerationOf(members);
  m.action_text = members.Text({"action", "txType"});
  m.action = ActionOf(m.action_text);
  m.signature = members.Text({"signature"});
  SetTimes(members, landed, m);
  if (m.action_text.empty() && m.signature.empty()) m.acknowledgement = members.Text({"message"});
  const auto slot = ParseAmount(members.Number({"block", "slot"}), 0);
  constexpr auto kSlotMax = absl::int128(std::numeric_limits<int64_t>::max());  // what databases take
  if (slot.has_value() && !slot->precision_loss && slot->amount.units >= 0 &&
      slot->amount.units <= kSlotMax) {
    m.slot = static_cast<uint64_t>(slot->amount.units);
  }
  m.mint = members.Text({"mint"});
  m.quote_mint = members.Text({"quoteMint"});
  if (m.quote_mint.empty() || EqualsFoldedCase(m.quote_mint, "SOL")) m.quote_mint = kWrappedSol;
  m.decimals = static_cast<int>(members.Integer({"decimals"}, 0, 18).value_or(options_.token_decimals));
  m.quote_decimals = DecimalsOf(m.quote_mint, options_, 6);
  ReadPool(members, m);
  ReadAmounts(members, m);
  m.price = texts.Copy(members.Number({"price"}));
  ReadTraders(members, m);
  ReadBreakdown(members, m);
  ReadTransfers(members, options_, m);
  ReadToken(members, m);
}

}  // namespace medallion::launchpad
