#include "tests/launchpad/launch_feed.h"

#include <algorithm>

#include "medallion/base/digest.h"
#include "medallion/base/text.h"
#include "medallion/base/time.h"
#include "medallion/launchpad/amount.h"
#include "medallion/launchpad/base58.h"
#include "medallion/launchpad/envelope.h"
#include "medallion/launchpad/message.h"

namespace medallion::testing {
namespace {

using launchpad::AppendInteger;
using launchpad::Base58;

constexpr int64_t kSupply = 1'000'000'000'000'000;

std::string Quoted(std::string_view text) {
  std::string quoted;
  AppendJsonString(text, quoted);
  return quoted;
}

std::string TokenText(int64_t units) { return Whole(units, 6); }
std::string SolText(int64_t units) { return Whole(units, 9); }

}  // namespace

std::string AddressOf(std::string_view name) {
  Digest digest = Sha256(name);
  digest.bytes[0] |= 0x40;  // so that it has 43 or 44 characters
  return Base58(digest.bytes);
}

std::string SignatureOf(std::string_view name) {
  const Digest a = Sha256(name), b = Sha256("second " + std::string(name));
  std::vector<unsigned char> bytes(a.bytes.begin(), a.bytes.end());
  bytes.insert(bytes.end(), b.bytes.begin(), b.bytes.end());
  bytes[0] |= 0x40;
  return Base58(bytes);
}

std::string Whole(absl::int128 units, int decimals) {
  std::string digits;
  AppendInteger(units < 0 ? -units : units, digits);
  const auto places = static_cast<size_t>(decimals);
  if (digits.size() <= places) digits.insert(0, places + 1 - digits.size(), '0');
  digits.insert(digits.size() - places, ".");
  while (digits.ends_with('0')) digits.pop_back();
  if (digits.ends_with('.')) digits.pop_back();
  return (units < 0 ? "-" : "") + digits;
}

int64_t Curve::Buy(int64_t quote) {
  const auto out = static_cast<int64_t>(absl::int128(vt) * quote / (absl::int128(vq) + quote));
  vt -= out, vq += quote;
  return out;
}

int64_t Curve::Sell(int64_t token) {
  const auto out = static_cast<int64_t>(absl::int128(vq) * token / (absl::int128(vt) + token));
  vt += token, vq -= out;
  return out;
}

Json& Json::Text(std::string_view name, std::string_view text) { return Raw(name, Quoted(text)); }
Json& Json::Raw(std::string_view name, std::string_view json) {
  json_.append(json_.empty() ? "{" : ",").append(Quoted(name)).append(":").append(json);
  return *this;
}

Json MessageOf(const Head& head) {
  const bool first = head.generation == 1;
  Json json;
  json.Text(first ? "txType" : "action", head.action)
      .Text("signature", head.signature)
      .Text("mint", head.mint);
  if (!head.signer.empty()) json.Text("txSigner", head.signer);
  if (first) {
    json.Text("pool", head.pool);
    if (!head.pool_address.empty()) json.Text("poolId", head.pool_address);
  } else {
    json.Text("quoteMint", launchpad::kWrappedSol);
    json.Text("pool", head.pool_address.empty() ? head.pool : head.pool_address).Text("protocol", head.pool);
  }
  json.Raw("block", std::to_string(head.slot));
  json.Number("timestamp", first ? (kFeedBegin + head.second) * 1000 : kFeedBegin + head.second);
  return json;
}

Json& AddCurve(const Head& head, const Curve& curve, Json& json) {
  const bool first = head.generation == 1;
  json.Raw("vTokensInBondingCurve", TokenText(curve.vt));
  json.Raw(first ? "vSolInBondingCurve" : "vQuoteInBondingCurve", SolText(curve.vq));
  json.Raw("tokensInPool", TokenText(curve.rt()));
  return json.Raw(first ? "solInPool" : "quoteInPool", SolText(curve.rq()));
}

Json& AddAmounts(const Head& head, int64_t token, int64_t quote, Json& json) {
  json.Raw("tokenAmount", TokenText(token));
  return json.Raw(head.generation == 1 ? "solAmount" : "quoteAmount", SolText(quote));
}

std::string BreakdownOf(const std::vector<Trade>& trades) {
  std::string json = "[";
  for (const Trade& trade : trades) {
    if (json.size() > 1) json += ",";
    json += Json()
                .Text("trader", trade.trader)
                .Text("action", trade.buy ? "buy" : "sell")
                .Raw("tokenAmount", TokenText(trade.token))
                .Raw("quoteAmount", SolText(trade.quote))
                .Str();
  }
  return json + "]";
}

std::string TransferOf(std::string_view from, std::string_view to, std::string_view mint, int64_t amount) {
  Json json;
  json.Text("from", from);
  if (!to.empty()) json.Text("to", to);
  return json.Text("mint", mint).Raw("amount", TokenText(amount)).Str();
}

std::string LineOf(std::string_view event, int64_t ingest_second) {
  return Json()
      .Text("_source", "test")
      .Text("_ingested_at", FormatTime({(kFeedBegin + ingest_second) * kMicrosPerSecond}))
      .Raw("event", event)
      .Str();
}

Feed RecordsOf(const std::vector<std::string>& lines, std::string_view topic) {
  Feed feed;
  const std::string_view name = feed.texts.Copy(topic);
  for (const std::string& line : lines) {
    feed.records.push_back(
        {.payload = feed.texts.Copy(line), .at = {name, 0, static_cast<int64_t>(feed.records.size()) + 1}});
  }
  return feed;
}

// ---- Golden -----------------------------------------------------------------------------------------------------

std::string GoldenMint() { return AddressOf("golden mint"); }

std::vector<std::string> GoldenLines(std::string_view without) {
  const std::string mint = GoldenMint(), pool = AddressOf("golden curve");
  const std::string creator = AddressOf("CREATOR"), w1 = AddressOf("W1"), w2 = AddressOf("W2");
  Curve curve;
  std::vector<std::string> lines;
  int64_t at = 0;
  const auto head = [&](std::string_view action, std::string_view signer) {
    ++at;
    return Head{.action = std::string(action),
                .signature = SignatureOf("golden " + std::to_string(at)),
                .mint = mint,
                .pool_address = pool,
                .signer = std::string(signer),
                .slot = static_cast<uint64_t>(1'000 + at * 10),
                .second = at * 60};
  };
  const auto add = [&](std::string_view name, const Json& json) {
    if (name != without) lines.push_back(LineOf(json.Str(), at * 60 + 1));
  };
  const auto trade = [&](std::string_view name, const std::string& trader, bool buy, int64_t amount) {
    const Head of = head(buy ? "buy" : "sell", trader);
    const int64_t out = buy ? curve.Buy(amount) : curve.Sell(amount);
    Json json = MessageOf(of);
    AddAmounts(of, buy ? out : amount, buy ? amount : out, json);
    add(name, AddCurve(of, curve, json));
  };
  const auto move = [&](std::string_view name, const std::string& from, std::string_view to, int64_t amount) {
    const Head of = head("transfer", from);
    add(name, MessageOf(of).Raw("transfers", "[" + TransferOf(from, AddressOf(to), mint, amount) + "]"));
  };
  const Head of = head("create", creator);
  const int64_t initial = curve.Buy(3'000'000'000);
  Json json = MessageOf(of);
  json.Text("name", "Golden").Text("symbol", "GLD").Raw("supply", "1000000000");
  json.Raw("mintAuthority", "null").Raw("freezeAuthority", "null");
  json.Raw("initialBuy", TokenText(initial)).Raw("solAmount", "3");
  add("create", AddCurve(of, curve, json));
  trade("w1", w1, true, 20'000'000'000);
  trade("w2", w2, true, 30'000'000'000);
  trade("sell", creator, false, initial / 2);
  move("move1", w1, "W3", 5'000'000'000'000);
  move("move2", w2, "W4", 10'000'000'000'000);
  return lines;
}

// ---- A curve's life ---------------------------------------------------------------------------------------------

std::vector<std::string> CurveLines(uint64_t seed, std::vector<TradeLine>* trades) {
  Random random(seed);
  const std::string mint = AddressOf("curve mint " + std::to_string(seed));
  const std::string pool = AddressOf("curve pool " + std::to_string(seed));
  std::vector<std::string> wallets;
  for (int i = 0; i < 8; ++i) wallets.push_back(AddressOf("wallet " + std::to_string(i)));
  std::map<std::string, int64_t> has;
  Curve curve;
  std::vector<std::string> lines;
  const int64_t events = 5 + random.Below(60);
  for (int64_t i = 0; i < events; ++i) {
    const std::string& wallet = wallets[static_cast<size_t>(random.Below(8))];
    const auto head = [&](std::string_view action) {
      return Head{.generation = random.Chance(500'000) ? 1 : 2,
                  .action = std::string(action),
                  .signature = SignatureOf(std::to_string(seed) + " curve " + std::to_string(i)),
                  .mint = mint,
                  .pool_address = pool,
                  .signer = wallet,
                  .slot = static_cast<uint64_t>(500 + i / 3),
                  .second = i};
    };
    Json json;
    if (i == 0) {
      const Head of = head("create");
      json = MessageOf(of);
      json.Raw("supply", "1000000000").Text("creator", wallets[0]);
      if (random.Chance(700'000)) {
        const int64_t quote = 1 + random.Below(4'000'000'000), bought = curve.Buy(quote);
        has[wallets[0]] += bought;
        json.Raw("initialBuy", TokenText(bought));
      }
      AddCurve(of, curve, json);
    } else if (const int64_t kind = random.Below(10); kind < 5 || has[wallet] < 2) {
      const Head of = head("buy");
      const int64_t quote = 1'000'000 + random.Below(2'000'000'000), bought = curve.Buy(quote);
      has[wallet] += bought;
      json = MessageOf(of);
      AddCurve(of, curve, AddAmounts(of, bought, quote, json));
      if (trades != nullptr) trades->push_back({lines.size(), bought});
    } else if (kind < 8) {
      const Head of = head("sell");
      const int64_t sold = 1 + random.Below(has[wallet]), quote = curve.Sell(sold);
      has[wallet] -= sold;
      json = MessageOf(of);
      AddCurve(of, curve, AddAmounts(of, sold, quote, json));
      if (trades != nullptr) trades->push_back({lines.size(), -sold});
    } else {
      const std::string& to = wallets[static_cast<size_t>(random.Below(8))];
      const int64_t moved = 1 + random.Below(has[wallet]);
      const bool burns = random.Chance(200'000);
      has[wallet] -= moved;
      if (!burns) has[to] += moved;
      json = MessageOf(head("transfer"));
      json.Raw("transfers", "[" + TransferOf(wallet, burns ? "" : to, mint, moved) + "]");
    }
    lines.push_back(LineOf(json.Str(), i + 1));
  }
  return lines;
}

// ---- A random feed ----------------------------------------------------------------------------------------------

namespace {

class Maker {
 public:
  Maker(uint64_t seed, bool pools_named) : random_(seed * 7919 + 3), pools_named_(pools_named) {
    for (int64_t i = 0; i < 2; ++i) mints_.push_back(AddressOf("mint " + std::to_string(i)));
    for (int64_t i = 0; i < 5; ++i) wallets_.push_back(AddressOf("wallet " + std::to_string(i)));
    wallets_.push_back("1nc1nerator11111111111111111111111111111111");
  }

  Feed Make() {
    const int64_t events = 6 + random_.Below(50);
    for (int64_t i = 0; i < events; ++i) AddEvent();
    Feed feed;
    const std::string_view topics[] = {feed.texts.Copy("a"), feed.texts.Copy("b")};
    int64_t next[] = {1, 1};
    for (size_t i = 0; i < lines_.size();) {
      const size_t topic = static_cast<size_t>(random_.Below(2));
      const size_t most = lines_.size() - i;
      std::string payload = lines_[i];
      size_t taken = 1;
      if (Chance(25)) {
        taken = std::min(most, static_cast<size_t>(1 + random_.Below(12)));
        payload = EnvelopeOf(i, taken);
      }
      i += taken;
      feed.records.push_back({.payload = feed.texts.Copy(payload), .at = {topics[topic], 0, next[topic]++}});
      if (Chance(15))
        feed.records.back().ingest_ts = {(kFeedBegin + second_ + random_.Below(7'200)) * kMicrosPerSecond};
    }
    return feed;
  }

 private:
  bool Chance(int64_t percent) { return random_.Below(100) < percent; }
  const std::string& Wallet() {
    return wallets_[static_cast<size_t>(random_.Below(static_cast<int64_t>(wallets_.size())))];
  }

  Head HeadOf(std::string_view action) {
    const size_t mint = static_cast<size_t>(random_.Below(2));
    second_ += random_.Below(Chance(5) ? 40'000 : 900);
    const int64_t shift = Chance(10) ? random_.Below(100'000) : 0;  // some tell of what is to come
    const bool amm = Chance(25);
    return {.generation = Chance(50) ? 1 : 2,
            .action = std::string(action),
            .signature = SignatureOf("s" + std::to_string(random_.Below(30))),
            .mint = mints_[mint],
            .pool = amm ? "pump-amm" : "pump",
            .pool_address = Chance(10) && !pools_named_
                                ? ""
                                : AddressOf((amm ? "amm " : "curve ") + std::to_string(mint)),
            .signer = Wallet(),
            .slot = static_cast<uint64_t>(second_ / 400 + (Chance(10) ? random_.Below(5) : 0)),
            .second = second_ + shift};
  }

  int64_t Tokens() { return Chance(30) ? 1'000'000 : 1 + random_.Below(50'000'000'000'000); }
  Curve SomeCurve() {
    Curve curve;
    curve.Buy(1 + random_.Below(60'000'000'000));
    return curve;
  }

  void AddEvent() {
    const int64_t kind = random_.Below(100);
    std::string event;
    if (kind < 10) {
      event = Create();
    } else if (kind < 60) {
      event = SomeTrade();
    } else if (kind < 75) {
      event = Transfers();
    } else if (kind < 88) {
      event = Liquidity();
    } else if (kind < 91) {
      event = MessageOf(HeadOf("migrate")).Str();
    } else {
      event = Junk();
    }
    if (!events_.empty() && Chance(18))
      event = events_[static_cast<size_t>(random_.Below(static_cast<int64_t>(events_.size())))];
    events_.push_back(event);
    if (Chance(5)) event = "[" + event + "," + events_.front() + "]";
    if (Chance(5)) event = "{\"events\":[" + event + "]}";
    lines_.push_back(Chance(10) ? event : LineOf(event, second_ + random_.Below(400)));
  }

  std::string Create() {
    const Head of = HeadOf("create");
    Json json = MessageOf(of);
    json.Text("name", "T\"oken").Raw("supply", Chance(20) ? "999999992" : "1000000000");
    if (Chance(60)) json.Text("creator", wallets_[0]);
    if (Chance(50)) json.Raw("mintAuthority", Chance(50) ? "null" : Quoted(wallets_[1]));
    if (Chance(20)) json.Raw("tokenExtensions", R"(["transferHook"])");
    const int64_t initial = Tokens();
    if (Chance(60)) json.Raw("initialBuy", TokenText(initial));
    if (Chance(20)) json.Raw("breakdown", BreakdownOf({{wallets_[0], true, initial + random_.Below(3), 5}}));
    if (Chance(70)) AddCurve(of, SomeCurve(), json);
    // The buy that it repeats, as a message of its own, under the same signature.
    if (Chance(40)) {
      Head buy = of;
      buy.action = "buy", buy.signer = wallets_[0];
      Json other = MessageOf(buy);
      AddAmounts(buy, Chance(60) ? initial : Tokens(), 7, other);
      lines_.push_back(LineOf(other.Str(), second_));
      events_.push_back(other.Str());
    }
    return json.Str();
  }

  std::string SomeTrade() {
    const Head of = HeadOf(Chance(60) ? "buy" : "sell");
    Json json = MessageOf(of);
    const bool several = Chance(30);
    std::vector<Trade> trades;
    for (int64_t i = 0; several && i <= random_.Below(3); ++i) {
      trades.push_back({Wallet(), Chance(60), Tokens(), random_.Below(1'000'000'000)});
    }
    if (several) {
      json.Raw("breakdown", BreakdownOf(trades));
      if (Chance(40)) {  // the same, in another order
        std::reverse(trades.begin(), trades.end());
        const std::string again = MessageOf(of).Raw("breakdown", BreakdownOf(trades)).Str();
        lines_.push_back(LineOf(again, second_));
        events_.push_back(again);
      }
    } else {
      const int64_t tokens = Chance(3) ? 0 : Tokens();
      AddAmounts(of, tokens, random_.Below(1'000'000'000), json);
      if (Chance(30)) json.Raw("tradersInvolved", "{" + Quoted(Wallet()) + ":{}}");
      if (Chance(25)) {  // the leg of the swap again, or nearly
        const bool buy = of.action == "buy";
        const int64_t moved = tokens + (Chance(25) ? 1 : 0);
        json.Raw("transfers", "[" +
                                  TransferOf(buy ? of.pool_address : of.signer,
                                             buy ? of.signer : of.pool_address, of.mint, moved) +
                                  "]");
      }
    }
    if (Chance(60)) AddCurve(of, SomeCurve(), json);
    return json.Str();
  }

  std::string Transfers() {
    const Head of = HeadOf("transfer");
    std::string transfers = "[";
    for (int64_t i = 0; i <= random_.Below(3); ++i) {
      if (i > 0) transfers += ",";
      const std::string& mint = Chance(15)   ? std::string(launchpad::kWrappedSol)
                                : Chance(15) ? mints_[0]
                                             : of.mint;
      transfers +=
          TransferOf(Chance(20) ? of.pool_address : Wallet(), Chance(10) ? "" : Wallet(), mint, Tokens());
    }
    return MessageOf(of).Raw("transfers", transfers + "]").Str();
  }

  std::string Liquidity() {
    Head of = HeadOf(Chance(50) ? "remove" : "add");
    if (Chance(20)) of.action = "createPool";
    of.pool = "pump-amm", of.pool_address = AddressOf("amm " + of.mint);
    Json json = MessageOf(of);
    AddAmounts(of, Tokens(), random_.Below(20'000'000'000), json);
    if (Chance(30)) json.Raw("burnedLiquidity", "\"91%\"");
    if (Chance(80)) {
      json.Raw("tokensInPool", TokenText(Tokens()));
      json.Raw(of.generation == 1 ? "solInPool" : "quoteInPool", SolText(random_.Below(90'000'000'000)));
    }
    return json.Str();
  }

  std::string Junk() {
    switch (random_.Below(6)) {
      case 0: return R"({"message":"Successfully subscribed to keys."})";
      case 1: return MessageOf(HeadOf("explode")).Str();
      case 2: return R"({"txType":"buy","signature":"short","mint":"no"})";
      case 3: return R"({"True":[1,2)";
      case 4: return "17";
      default: return "{}";
    }
  }

  // Some lines as one envelope; not each of them is whole.
  std::string EnvelopeOf(size_t begin, size_t count) {
    std::string content;
    for (size_t i = begin; i < begin + count; ++i) content += lines_[i] + "\n";
    const int64_t fault = Chance(30) ? random_.Below(4) : 9;
    std::vector<launchpad::LandedEvent> events;
    for (size_t i = begin; i < begin + count; ++i) {
      events.push_back({.json = lines_[i], .ingested_at = {(kFeedBegin + second_) * kMicrosPerSecond}});
    }
    std::string json =
        launchpad::EncodeEnvelope(events, {.source = "test", .codec = Chance(50) ? "zstd" : "none"}).json;
    const auto replace = [&](std::string_view from, std::string_view to) {
      const size_t at = json.find(from);
      if (at != json.npos) json.replace(at, from.size(), to);
    };
    if (fault == 0) replace("\"codec\":\"", "\"codec\":\"x");
    if (fault == 1) replace("\"event_count\":", "\"event_count\":9");
    if (fault == 2) replace("\"uncompressed_bytes\":", "\"uncompressed_bytes\":1");
    if (fault == 3) replace("\"data_b64\":\"", "\"data_b64\":\"AAAA");
    return json;
  }

  Random random_;
  bool pools_named_;
  int64_t second_ = 0;
  std::vector<std::string> mints_, wallets_, events_, lines_;
};

}  // namespace

Feed MakeLaunchFeed(uint64_t seed, bool pools_named) { return Maker(seed, pools_named).Make(); }

BenchFeed::BenchFeed(uint64_t seed, int64_t tokens) : random_(seed) {
  for (int64_t i = 0; i < tokens; ++i) {
    const std::string number = std::to_string(i);
    tokens_.push_back({AddressOf("bench mint " + number), AddressOf("bench pool " + number), {}, false});
  }
  for (int i = 0; i < 1'000; ++i) wallets_.push_back(AddressOf("bench wallet " + std::to_string(i)));
}

std::string BenchFeed::Next() {
  Token& token = tokens_[static_cast<size_t>(random_.Below(static_cast<int64_t>(tokens_.size())))];
  const std::string& wallet = wallets_[static_cast<size_t>(random_.Below(1'000))];
  const bool buy =
      token.curve.vq < 31'000'000'000 || (token.curve.vq < 100'000'000'000 && random_.Chance(600'000));
  const int64_t i = next_++;
  const Head of{.generation = 2,
                .action = !token.created ? "create"
                          : buy          ? "buy"
                                         : "sell",
                .signature = SignatureOf("bench " + std::to_string(i)),
                .mint = token.mint,
                .pool_address = token.pool,
                .signer = wallet,
                .slot = static_cast<uint64_t>(1'000 + i / 20),
                .second = i / 50};
  Json json = MessageOf(of);
  if (!token.created) {
    json.Raw("supply", TokenText(kSupply));
    token.created = true;
  } else {
    const int64_t amount = 1 + random_.Below(buy ? 1'000'000'000 : 1'000'000'000'000);
    const int64_t out = buy ? token.curve.Buy(amount) : token.curve.Sell(amount);
    json.Text("creatorFeeAddress", wallet).Raw("price", "0.0000000281").Raw("marketCapQuote", "28.1");
    json.Raw("tradersInvolved", "[" + Quoted(wallet) + "]");
    json.Raw("breakdown", BreakdownOf({{wallet, buy, buy ? out : amount, buy ? amount : out}}));
    AddAmounts(of, buy ? out : amount, buy ? amount : out, json);
  }
  return AddCurve(of, token.curve, json).Str();
}

}  // namespace medallion::testing
