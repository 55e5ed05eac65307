// Makers of launchpad feeds: a curve without fee that trades exactly, messages in both generations, random feeds.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/numeric/int128.h"
#include "medallion/bronze/record.h"
#include "tests/feed.h"

namespace medallion::testing {

// An address, a signature: base58 of 32 and of 64 bytes made of the name.
std::string AddressOf(std::string_view name);
std::string SignatureOf(std::string_view name);

// "1234.500000" of 1234500000 with 6 decimals; zeros at the end are left out.
std::string Whole(absl::int128 units, int decimals);

inline constexpr int64_t kFeedBegin = 1'772'323'200;  // 2026-03-01T00:00:00Z, in seconds

// The standard curve: 30 SOL × 1,073,000,000 tokens, without fee.
struct Curve {
  int64_t vt = 1'073'000'000'000'000, vq = 30'000'000'000;
  int64_t rt() const { return vt - 279'900'000'000'000; }
  int64_t rq() const { return vq - 30'000'000'000; }
  int64_t Buy(int64_t quote);   // the tokens that come out
  int64_t Sell(int64_t token);  // the lamports
};

// Members of a message, in order, as JSON texts.
class Json {
 public:
  Json& Text(std::string_view name, std::string_view text);
  Json& Raw(std::string_view name, std::string_view json);
  Json& Number(std::string_view name, int64_t number) { return Raw(name, std::to_string(number)); }
  std::string Str() const { return json_.empty() ? "{}" : json_ + "}"; }

 private:
  std::string json_;
};

struct Trade {
  std::string trader = {};
  bool buy = true;
  int64_t token = 0, quote = 0;
};

// What most messages have, in the spelling of a generation.
struct Head {
  int generation = 1;
  std::string action = {}, signature = {}, mint = {}, pool = "pump", pool_address = {}, signer = {};
  uint64_t slot = 0;
  int64_t second = 0;  // after kFeedBegin
};
Json MessageOf(const Head& head);
// Reserves after the message.
Json& AddCurve(const Head& head, const Curve& curve, Json& json);
Json& AddAmounts(const Head& head, int64_t token, int64_t quote, Json& json);
std::string BreakdownOf(const std::vector<Trade>& trades);
std::string TransferOf(std::string_view from, std::string_view to, std::string_view mint, int64_t amount);

// {"_source","_ingested_at","event"}: ingested so many seconds after kFeedBegin.
std::string LineOf(std::string_view event, int64_t ingest_second);

// Records of lines, each at the next offset of "feed".
Feed RecordsOf(const std::vector<std::string>& lines, std::string_view topic = "feed");

// The golden example of the domain page, section 6, as lines. `without`: leaves out the event with this name: "create",
// "w1", "w2", "sell", "move1", "move2".
std::vector<std::string> GoldenLines(std::string_view without = "");
std::string GoldenMint();

// Trades on a few tokens, with everything that a feed does: copies in other orders, contradictions, both generations,
// creates after their buys, initial buys told twice or otherwise, swap legs repeated as transfers, burns, pools with adds
// and removes, migrations, junk, envelopes whole and broken. In order of arrival. `pools_named`: each trade names its pool.
Feed MakeLaunchFeed(uint64_t seed, bool pools_named = false);

// One token's life on its curve, nothing lost: trades and transfers as lines. `trades` tells each trade's tokens and the
// line it is in.
struct TradeLine {
  size_t line = 0;
  absl::int128 token = 0;  // that a buy gives; of a sell negative
};
std::vector<std::string> CurveLines(uint64_t seed, std::vector<TradeLine>* trades = nullptr);

// Messages for benchmarks, one after the other: creates, buys and sells of so many tokens, nothing lost.
class BenchFeed {
 public:
  BenchFeed(uint64_t seed, int64_t tokens);
  std::string Next();

 private:
  struct Token {
    std::string mint, pool;
    Curve curve;
    bool created = false;
  };
  Random random_;
  std::vector<Token> tokens_;
  std::vector<std::string> wallets_;
  int64_t next_ = 0;
};

}  // namespace medallion::testing
