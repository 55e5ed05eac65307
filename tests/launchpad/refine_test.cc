#include "medallion/launchpad/refine.h"

#include <functional>
#include <initializer_list>

#include "tests/launchpad/launch_run.h"

namespace medallion::launchpad {
namespace {

using nlohmann::json;
using testing::AddressOf;
using testing::At;
using testing::LineOf;
using testing::RowsIn;
using testing::SignatureOf;
using testing::TakenLines;
using Tables = std::unique_ptr<MemoryStore<Launches>>;

// A buy of generation 1 that nothing is wrong with.
json Buy() {
  return {{"txType", "buy"},  {"signature", SignatureOf("s")},  {"mint", AddressOf("m")},
          {"pool", "pump"},   {"poolId", AddressOf("p")},       {"txSigner", AddressOf("payer")},
          {"block", 42},      {"timestamp", 1'772'323'200'000}, {"tokenAmount", 1.5},
          {"solAmount", 0.25}};
}
json With(json message, const std::function<void(json&)>& change) {
  change(message);
  return message;
}
Tables Take(const std::vector<json>& messages, const Options& options = {}) {
  std::vector<std::string> lines;
  for (const json& message : messages)
    lines.push_back(LineOf(message.dump(), 60 + static_cast<int64_t>(lines.size())));
  return TakenLines(lines, kNoTime, options);
}
json Only(Tables& store, std::string_view table) {
  const auto rows = RowsIn(*store, table);
  REQUIRE(rows.size() == 1);
  return rows[0];
}

TEST_CASE("refine: both generations say the same") {
  const json gen1 = With(Buy(), [](json& m) {
    m["solInPool"] = 3.0, m["tokensInPool"] = 5, m["vTokensInBondingCurve"] = 7, m["vSolInBondingCurve"] = 9;
    m["tradersInvolved"] = {{AddressOf("w"), json::object()}};
  });
  const json gen2 = {{"action", "buy"},
                     {"signature", SignatureOf("s")},
                     {"mint", AddressOf("m")},
                     {"pool", AddressOf("p")},
                     {"protocol", "pump"},
                     {"quoteMint", std::string(kWrappedSol)},
                     {"block", "42"},
                     {"timestamp", 1'772'323'200},
                     {"tokenAmount", "1.5"},
                     {"quoteAmount", "0.25"},
                     {"quoteInPool", "3"},
                     {"tokensInPool", 5},
                     {"vTokensInBondingCurve", 7},
                     {"vQuoteInBondingCurve", 9},
                     {"tradersInvolved", {AddressOf("w")}}};
  for (const auto& [message, generation] : {std::pair(gen1, 1), std::pair(gen2, 2)}) {
    Tables store = Take({message});
    const json event = Only(store, "silver_launchpad_events"), trade = Only(store, "silver_trades");
    CHECK(event["generation"] == generation);
    CHECK(event["action"] == "buy");
    CHECK(event["slot"] == 42);
    CHECK(event["event_ts"] == "2026-03-01T00:00:00.000000Z");
    CHECK(event["flags"][0] == (generation == 1 ? "TS_UNIT_ASSUMED:ms" : "TS_UNIT_ASSUMED:s"));
    CHECK(event["raw"] == message);
    CHECK(trade["trader"] == AddressOf("w"));
    CHECK(event["venue"] == "pump");
    CHECK(trade["pool_address"] == AddressOf("p"));
    CHECK(trade["token_amount"] == "1500000");
    CHECK(trade["quote_amount"] == "250000000");
    CHECK(trade["quote_mint"] == kWrappedSol);
    CHECK(trade["price"] == "166666666.666667");
    CHECK(trade["source"] == "HEADER");
    const json pool = Only(store, "silver_pools");
    CHECK(pool["real_quote"] == "3000000000");
    CHECK(pool["virtual_token"] == "7000000");
  }
  // One is the other's copy, though it writes all of it otherwise.
  Tables both = Take({gen1, gen2});
  CHECK(RowsIn(*both, "silver_trades").size() == 1);
  CHECK(RowsIn(*both, "silver_duplicate_events_audit").size() == 3);
  CHECK(RowsIn(*both, "silver_quarantine_events").empty());
}

TEST_CASE("refine: the unit of a timestamp is told by its size") {
  struct Case {
    const char* timestamp;
    const char* time;
    const char* flag;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"99999999999", "5138-11-16T09:46:39.000000Z", "TS_UNIT_ASSUMED:s"},
           {"100000000000", "1973-03-03T09:46:40.000000Z", "TS_UNIT_ASSUMED:ms"},
           {"99999999999999", "5138-11-16T09:46:39.999000Z", "TS_UNIT_ASSUMED:ms"},
           {"100000000000000", "1973-03-03T09:46:40.000000Z", "TS_UNIT_ASSUMED:us"},
           {"100000000000000000", "1973-03-03T09:46:40.000000Z", "TS_UNIT_ASSUMED:ns"},
           {"1772323200.25", "2026-03-01T00:00:00.250000Z", "TS_UNIT_ASSUMED:s"},
           {"\"1772323200\"", "2026-03-01T00:00:00.000000Z", "TS_UNIT_ASSUMED:s"},
           {"\"2026-03-01T01:00:00+01:00\"", "2026-03-01T00:00:00.000000Z", nullptr},
           {"null", "2026-03-01T00:01:00.000000Z", "TS_FROM_INGEST"},
       }) {
    CAPTURE(c.timestamp);
    Tables store = Take({With(Buy(), [&](json& m) { m["timestamp"] = json::parse(c.timestamp); })});
    const json event = Only(store, "silver_launchpad_events");
    CHECK(event["event_ts"] == c.time);
    CHECK(event["flags"] == (c.flag == nullptr ? json() : json::array({c.flag})));
  }
}

TEST_CASE("refine: times come from the line, the envelope, the event") {
  const std::string message = Buy().dump();
  Tables wrapped = TakenLines({LineOf(message, 7)});
  CHECK(Only(wrapped, "silver_trades")["ingest_ts"] == FormatTime(At(7)));
  Tables plain = TakenLines({message});
  CHECK(Only(plain, "silver_trades")["ingest_ts"] == "2026-03-01T00:00:00.000000Z");
  Tables enveloped = TakenLines(
      {R"({"_ingested_at":1772323290,"event_count":1,"codec":"none","data_b64":")" +
       json::parse(EncodeEnvelope(std::vector<LandedEvent>{{message}}, {.codec = "none"}).json)["data_b64"]
           .get<std::string>() +
       "\"}"});
  CHECK(Only(enveloped, "silver_trades")["ingest_ts"] == FormatTime(At(90)));
  Tables none = TakenLines({With(Buy(), [](json& m) { m.erase("timestamp"); }).dump()});
  CHECK(Only(none, "silver_quarantine_events")["violations"] == json::array({"CORRUPT_PAYLOAD"}));
}

TEST_CASE("refine: each rule, by a message that breaks it") {
  struct Case {
    const char* name;
    std::function<void(json&)> change;
    json violations, flags;  // without the unit of time
  };
  const auto curve = [](json& m) {
    m["vTokensInBondingCurve"] = "608695652.173913", m["vSolInBondingCurve"] = "52.884";
    m["tokensInPool"] = "328795652.173913", m["solInPool"] = "22.884";
  };
  for (const Case& c : std::initializer_list<Case>{
           {"fine", [](json&) {}, nullptr, json::array()},
           {"no signature", [](json& m) { m.erase("signature"); }, {"SIGNATURE_MISSING"}, nullptr},
           {"no base58",
            [](json& m) { m["signature"] = std::string(88, '0'); },
            {"SIGNATURE_MISSING"},
            nullptr},
           {"an address", [](json& m) { m["signature"] = AddressOf("x"); }, {"SIGNATURE_MISSING"}, nullptr},
           {"no mint", [](json& m) { m.erase("mint"); }, {"MINT_INVALID"}, nullptr},
           {"mint", [](json& m) { m["mint"] = "pump"; }, {"MINT_INVALID"}, nullptr},
           {"zero", [](json& m) { m["tokenAmount"] = 0; }, {"AMOUNT_NONPOSITIVE"}, nullptr},
           {"negative", [](json& m) { m["tokenAmount"] = -1; }, {"AMOUNT_NONPOSITIVE"}, nullptr},
           {"no amount", [](json& m) { m.erase("tokenAmount"); }, {"AMOUNT_NONPOSITIVE"}, nullptr},
           {"in the breakdown",
            [](json& m) {
              m["breakdown"] = {{{"trader", "a"}, {"action", "buy"}, {"tokenAmount", 0}}};
            },
            {"AMOUNT_NONPOSITIVE"},
            nullptr},
           {"in a transfer",
            [](json& m) {
              m["transfers"] = {{{"from", "a"}, {"to", "b"}, {"amount", 0}}};
            },
            {"AMOUNT_NONPOSITIVE"},
            nullptr},
           {"action", [](json& m) { m["txType"] = "swap"; }, {"UNKNOWN_ACTION"}, nullptr},
           {"casing", [](json& m) { m["txType"] = "Buy"; }, {"UNKNOWN_ACTION"}, nullptr},
           {"all",
            [](json& m) {
              m = {{"action", "x"}, {"timestamp", 1'772'323'200}};
            },
            {"SIGNATURE_MISSING", "MINT_INVALID", "UNKNOWN_ACTION"},
            nullptr},
           {"precision", [](json& m) { m["tokenAmount"] = "1.0000001"; }, nullptr, {"PRECISION_LOSS"}},
           {"sum",
            [](json& m) {
              m["breakdown"] = {{{"trader", "a"}, {"action", "buy"}, {"tokenAmount", "1.500002"}}};
            },
            nullptr,
            {"BREAKDOWN_SUM_MISMATCH"}},
           {"sum within a unit",
            [](json& m) {
              m["breakdown"] = {{{"trader", "a"}, {"action", "buy"}, {"tokenAmount", "1.500001"}}};
            },
            nullptr, json::array()},
           {"sum of the header's side",
            [](json& m) {
              m["breakdown"] = {{{"trader", "a"}, {"action", "buy"}, {"tokenAmount", 1.5}},
                                {{"trader", "b"}, {"action", "sell"}, {"tokenAmount", 9}}};
            },
            nullptr, json::array()},
           {"a curve", [&](json& m) { curve(m), m["price"] = "0.0000000868808"; }, nullptr, json::array()},
           {"price 10^6 off",
            [&](json& m) { curve(m), m["price"] = "0.0868808"; },
            nullptr,
            {"PRICE_RESERVE_MISMATCH"}},
           {"price of nothing",
            [&](json& m) { curve(m), m["price"] = 0; },
            nullptr,
            {"PRICE_RESERVE_MISMATCH"}},
           {"price 0.2 % off",
            [&](json& m) { curve(m), m["price"] = "0.0000000870546"; },
            nullptr,
            {"PRICE_RESERVE_MISMATCH"}},
           {"product",
            [&](json& m) { curve(m), m["vSolInBondingCurve"] = "52.90", m["solInPool"] = "22.90"; },
            nullptr,
            {"RESERVE_PRODUCT_MISMATCH"}},
           {"offset of the tokens",
            [&](json& m) { curve(m), m["tokensInPool"] = "328795652.173914"; },
            nullptr,
            {"CURVE_OFFSET_MISMATCH"}},
           {"offset of the quote",
            [&](json& m) { curve(m), m["solInPool"] = "22.883999999"; },
            nullptr,
            {"CURVE_OFFSET_MISMATCH"}},
           {"another venue", [&](json& m) { curve(m), m["pool"] = "bonk", m["tokensInPool"] = 1; }, nullptr,
            json::array()},
           {"another quote",
            [&](json& m) { curve(m), m["quoteMint"] = AddressOf("usd"), m["tokensInPool"] = 1; }, nullptr,
            json::array()},
       }) {
    CAPTURE(c.name);
    Tables store = Take({With(Buy(), c.change)});
    if (!c.violations.is_null()) {
      CHECK(Only(store, "silver_quarantine_events")["violations"] == c.violations);
      CHECK(RowsIn(*store, "silver_trades").empty());
    } else {
      json flags = Only(store, "silver_launchpad_events")["flags"];
      flags.erase(flags.begin());
      CHECK(flags == c.flags);
    }
  }
}

TEST_CASE("refine: a host sets severities and adds rules") {
  Options options;
  for (MessageRule& rule : options.rules) {
    if (rule.code == "PRECISION_LOSS") rule.severity = Severity::kReject;
  }
  options.rules.push_back({"TOO_SMALL", Severity::kFlag, [](const Message& m) {
                             return m.quote_amount.value_or(0) < 1'000'000'000 ? Outcome::kFail
                                                                               : Outcome::kPass;
                           }});
  Tables store = Take(
      {Buy(), With(Buy(), [](json& m) { m["signature"] = SignatureOf("t"), m["tokenAmount"] = "1e-7"; })},
      options);
  CHECK(Only(store, "silver_trades")["flags"] == json::array({"TS_UNIT_ASSUMED:ms", "TOO_SMALL"}));
  CHECK(Only(store, "silver_quarantine_events")["violations"] ==
        json::array({"AMOUNT_NONPOSITIVE", "PRECISION_LOSS"}));
}

TEST_CASE("refine: JSON is strict, and whatever comes is one element at least") {
  for (const char* payload : {"",
                              " ",
                              "{",
                              "[",
                              "nonsense",
                              "True",
                              "{\"a\":True}",
                              "{\"a\":1,}",
                              "[1 2]",
                              "{\"a\":01}",
                              "{\"a\":1}}",
                              "{\"a\":1} x",
                              "{\"a\":1:2}",
                              "{\"a\" 1}",
                              "{\"a\":1,\"a\":2}",
                              "{\"a\":\"\\ud800\"}",
                              "{\"a\":\"\x01\"}",
                              "{\"a\":\"\xff\"}",
                              "{'a':1}",
                              "{\"a\":.5}",
                              "{\"a\":+1}",
                              "{\"a\":nul}",
                              "{\"a\":1.}",
                              "17",
                              "\"text\"",
                              "null",
                              "[17]",
                              "[]",
                              "{\"events\":[]}"}) {
    CAPTURE(payload);
    const BronzeRecord record{.payload = payload, .at = {"t", 0, 1}, .ingest_ts = At(1)};
    const auto refined = Refine({&record, 1}, {});
    REQUIRE(refined.elements.size() == 1);
    CHECK(refined.elements[0].standing.fate == Fate::kQuarantined);
    CHECK(refined.elements[0].violations.find("CORRUPT_PAYLOAD") != std::string_view::npos);
  }
  std::string many = "[{}";
  for (int i = 0; i < 100'000; ++i) many += ",{}";
  many += "]";
  const BronzeRecord crowd{.payload = many, .at = {"t", 0, 1}, .ingest_ts = At(1)};
  CHECK(Refine({&crowd, 1}, {}).elements.size() == 1);
  std::string deep = "{\"a\":";
  for (int i = 0; i < 100; ++i) deep += "[";
  for (int i = 0; i < 100; ++i) deep += "]";
  deep += "}";
  const BronzeRecord record{.payload = deep, .at = {"t", 0, 1}, .ingest_ts = At(1)};
  CHECK(Refine({&record, 1}, {}).elements[0].violations == R"(["CORRUPT_PAYLOAD"])");
}

TEST_CASE("refine: amounts and prices beyond all measure overflow nothing") {
  const std::string large(31, '9'), larger(33, '9');
  Tables store = Take({With(Buy(), [&](json& m) {
    m["decimals"] = 0, m["tokenAmount"] = large, m["price"] = 1;
    m["vTokensInBondingCurve"] = large, m["vSolInBondingCurve"] = large.substr(9);
  })});
  CHECK(Only(store, "silver_trades")["token_amount"] == large);
  Tables none = Take({With(Buy(), [&](json& m) { m["decimals"] = 0, m["tokenAmount"] = larger; })});
  CHECK(Only(none, "silver_quarantine_events")["violations"] == json::array({"AMOUNT_NONPOSITIVE"}));
  Options options;
  options.rows_max = 1;
  Tables crowd = Take({Buy()}, options);  // an event and a trade
  CHECK(Only(crowd, "silver_quarantine_events")["violations"] == json::array({"CORRUPT_PAYLOAD"}));
}

TEST_CASE("refine: arrays, wrapped events and acknowledgements") {
  const std::string a = Buy().dump(),
                    b = With(Buy(), [](json&m) { m["signature"] = SignatureOf("b"); }).dump();
  for (const std::string& line : {"[" + a + "," + b + "]", "{\"events\":[" + a + "," + b + "]}",
                                  "{\"_ingested_at\":1772323260,\"event\":[" + a + "," + b + "]}"}) {
    Tables store = TakenLines({line});
    CHECK(RowsIn(*store, "silver_trades").size() == 2);
  }
  Tables store =
      TakenLines({LineOf(R"({"message":"Successfully subscribed to token creation events."})", 5)});
  CHECK(Only(store, "silver_ignored")["reason"] == "ACKNOWLEDGEMENT");
}

TEST_CASE("refine: PumpPortal's frames, which tell no time") {
  Tables store = TakenLines({LineOf(json({{"txType", "buy"},
                                          {"signature", SignatureOf("s")},
                                          {"mint", AddressOf("m")},
                                          {"traderPublicKey", AddressOf("w")},
                                          {"bondingCurveKey", AddressOf("p")},
                                          {"tokenAmount", 10},
                                          {"solAmount", 1},
                                          {"pool", "pump"}})
                                        .dump(),
                                    5)});
  const json trade = Only(store, "silver_trades");
  CHECK(trade["trader"] == AddressOf("w"));
  CHECK(trade["pool_address"] == AddressOf("p"));
  CHECK(trade["event_ts"] == FormatTime(At(5)));
  CHECK(trade["flags"] == json::array({"TS_FROM_INGEST"}));
  CHECK(trade["slot"] == nullptr);
}

TEST_CASE("refine: PumpPortal's create is its trader's, and so is the initial buy") {
  Tables store = TakenLines({LineOf(json({{"txType", "create"},
                                          {"signature", SignatureOf("s")},
                                          {"mint", AddressOf("m")},
                                          {"traderPublicKey", AddressOf("w")},
                                          {"bondingCurveKey", AddressOf("p")},
                                          {"initialBuy", 10},
                                          {"solAmount", 1},
                                          {"pool", "pump"}})
                                        .dump(),
                                    5)});
  const json token = Only(store, "silver_tokens");
  CHECK(token["creator"] == AddressOf("w"));
  CHECK(token["creator_basis"] == "TX_SIGNER");
  CHECK(Only(store, "silver_trades")["trader"] == AddressOf("w"));
  CHECK(Only(store, "gold_token_risk")["net_signed_total"] == "10000000");
}

json Create() {
  return With(Buy(), [](json& m) {
    m["txType"] = "create", m["tokenAmount"] = nullptr, m["initialBuy"] = 100, m["creator"] = AddressOf("c");
    m["supply"] = 1'000'000'000;
  });
}
json BuyOf(const char* trader, const json& amount) {
  return With(Buy(), [&](json& m) { m["txSigner"] = AddressOf(trader), m["tokenAmount"] = amount; });
}

TEST_CASE("refine: a create's row, and who is its creator") {
  Tables store = Take({With(Create(), [](json& m) {
    m["name"] = "T\"o", m["symbol"] = "T", m["uri"] = "u", m["mintAuthority"] = nullptr;
    m["freezeAuthority"] = AddressOf("f"), m["tokenProgram"] = "spl-token-2022";
    m["tokenExtensions"] = {"transferHook", {{"extension", "metadataPointer"}}};
    m["creatorFeeAddress"] = AddressOf("fee");
  })});
  const json token = Only(store, "silver_tokens");
  CHECK(token["creator"] == AddressOf("c"));
  CHECK(token["creator_basis"] == "CREATOR");
  CHECK(token["name"] == "T\"o");
  CHECK(token["supply"] == "1000000000000000");
  CHECK(token["initial_buy"] == "100000000");
  CHECK(token["mint_authority"] == "REVOKED");
  CHECK(token["freeze_authority"] == "ACTIVE");
  CHECK(token["extensions"] == json::array({"transferHook", "metadataPointer"}));
  store = Take({With(Create(), [](json& m) { m.erase("creator"); })});
  CHECK(Only(store, "silver_tokens")["creator"] == AddressOf("payer"));
  CHECK(Only(store, "silver_tokens")["creator_basis"] == "TX_SIGNER");
  CHECK(Only(store, "silver_tokens")["mint_authority"] == nullptr);
}

TEST_CASE("settle: an initial buy against the explicit buys of its signature") {
  struct Case {
    const char* name;
    std::vector<json> messages;
    std::vector<std::string> trades;  // sources of the trades that stand
    const char* initial;              // what became of the initial buy
  };
  const auto breakdown = [](json amounts) {
    return With(Create(), [&](json& m) {
      for (const json& amount : amounts) {
        m["breakdown"].push_back({{"trader", AddressOf("c")}, {"action", "buy"}, {"tokenAmount", amount}});
      }
    });
  };
  for (const Case& c : std::initializer_list<Case>{
           {"alone", {Create()}, {"CREATE_INITIAL"}, "silver"},
           {"the same buy after it", {Create(), BuyOf("c", 100)}, {"HEADER"}, "BUSINESS"},
           {"the same buy before it", {BuyOf("c", 100), Create()}, {"HEADER"}, "BUSINESS"},
           {"within a unit", {Create(), BuyOf("c", "100.000001")}, {"HEADER"}, "BUSINESS"},
           {"two units off", {Create(), BuyOf("c", "100.000002")}, {"HEADER"}, "CONFLICT"},
           {"another sum", {BuyOf("c", 99), Create()}, {"HEADER"}, "CONFLICT"},
           {"somebody else's", {Create(), BuyOf("w", 100)}, {"CREATE_INITIAL", "HEADER"}, "silver"},
           {"its own breakdown", {breakdown({60, 40})}, {"BREAKDOWN", "BREAKDOWN"}, "BUSINESS"},
           {"its own breakdown, otherwise", {breakdown({100, 40})}, {"BREAKDOWN", "BREAKDOWN"}, "CONFLICT"},
           {"breakdown and buy", {breakdown({60}), BuyOf("c", 40)}, {"BREAKDOWN", "HEADER"}, "BUSINESS"},
       }) {
    CAPTURE(c.name);
    Tables store = Take(c.messages);
    std::vector<std::string> sources;
    for (const json& row : RowsIn(*store, "silver_trades")) sources.push_back(row["source"]);
    std::sort(sources.begin(), sources.end());
    CHECK(sources == c.trades);
    const auto audit = RowsIn(*store, "silver_duplicate_events_audit"),
               faults = RowsIn(*store, "silver_quarantine_events");
    const std::string initial = !audit.empty()    ? audit[0]["duplicate_type"].get<std::string>()
                                : !faults.empty() ? faults[0]["violations"][0].get<std::string>()
                                                  : "silver";
    CHECK(initial == c.initial);
    CHECK(audit.size() + faults.size() == (std::string_view(c.initial) == "silver" ? 0 : 1));
  }
}

TEST_CASE("settle: a contradicted initial buy shows both amounts, and flags its token") {
  Tables store = Take({Create(), BuyOf("c", 99)});
  CHECK(Only(store, "silver_quarantine_events")["detail"] ==
        json({{"token_amount", {{"accepted", "99000000"}, {"rejected", "100000000"}}}}));
  CHECK(Only(store, "gold_token_risk")["quality_flags"] == json::array({"CONFLICT"}));
  store = Take({Create(), BuyOf("c", 99)}, {.policy = Policy::kContestAll});
  CHECK(RowsIn(*store, "silver_trades").empty());  // billing grade: neither stands
}

json Breakdown(std::vector<std::pair<const char*, int>> parts) {
  return With(Buy(), [&](json& m) {
    m.erase("tokenAmount");
    for (const auto& [trader, amount] : parts) {
      m["breakdown"].push_back(
          {{"trader", AddressOf(trader)}, {"action", "buy"}, {"tokenAmount", amount}, {"quoteAmount", 1}});
    }
  });
}

TEST_CASE("settle: copies of a message, whatever the order of their array") {
  struct Case {
    const char* name;
    std::vector<json> messages;
    size_t technical, business, conflicts, trades;
  };
  const json ab = Breakdown({{"a", 1}, {"b", 2}}), ba = Breakdown({{"b", 2}, {"a", 1}});
  for (const Case& c : std::initializer_list<Case>{
           {"again", {ab, ab}, 3, 0, 0, 2},
           {"another order", {ab, ba}, 0, 3, 0, 2},
           {"another order, twice", {ab, ba, ba}, 3, 3, 0, 2},
           {"time and price are no values",
            {ab,
             With(ab, [](json& m) { m["timestamp"] = 1'772'323'209'000, m["price"] = 3, m["block"] = 43; })},
            3,
            0,
            0,
            2},
           {"another amount", {ab, Breakdown({{"a", 1}, {"b", 3}})}, 0, 0, 3, 2},
           {"one more", {ab, Breakdown({{"a", 1}, {"b", 2}, {"c", 3}})}, 0, 0, 4, 2},
           {"one less", {ab, Breakdown({{"a", 1}})}, 0, 0, 2, 2},
           {"the same twice is another multiset",
            {Breakdown({{"a", 1}}), Breakdown({{"a", 1}, {"a", 1}})},
            0,
            0,
            3,
            1},
           {"the same twice", {Breakdown({{"a", 1}, {"a", 1}}), Breakdown({{"a", 1}, {"a", 1}})}, 3, 0, 0, 2},
           {"another action is another message",
            {ab, With(ab, [](json& m) { m["txType"] = "sell"; })},
            0,
            0,
            0,
            4},
       }) {
    CAPTURE(c.name);
    Tables store = Take(c.messages);
    size_t technical = 0, business = 0;
    for (const json& row : RowsIn(*store, "silver_duplicate_events_audit")) {
      ++(row["duplicate_type"] == "TECHNICAL" ? technical : business);
    }
    CHECK(technical == c.technical);
    CHECK(business == c.business);
    CHECK(RowsIn(*store, "silver_quarantine_events").size() == c.conflicts);
    CHECK(RowsIn(*store, "silver_trades").size() == c.trades);
  }
}

TEST_CASE("settle: a late copy that sorts first overturns the message that stood, as a whole") {
  const json late =
      With(Breakdown({{"a", 1}, {"b", 2}, {"c", 4}}), [](json& m) { m["timestamp"] = 1'772'323'100'000; });
  const json first = Breakdown({{"a", 1}, {"b", 3}});
  for (const bool at_once : {true, false}) {
    MemoryStore<Launches> store;
    const Options options;
    Runner<Launches> runner(store, options);
    const testing::Feed feed =
        testing::RecordsOf({LineOf(first.dump(), 1), LineOf(first.dump(), 2), LineOf(late.dump(), 3)});
    const std::span<const BronzeRecord> records = feed.records;
    for (size_t i = 0; i < 3; i += at_once ? 3 : 1)
      REQUIRE(runner.Take(records.subspan(i, at_once ? 3 : 1), "").ok());
    const auto trades = RowsIn(store, "silver_trades");
    REQUIRE(trades.size() == 3);
    CHECK(trades[2]["trader"] == AddressOf("c"));
    CHECK(RowsIn(store, "silver_quarantine_events").size() == 6);
    CHECK(RowsIn(store, "silver_duplicate_events_audit").empty());
  }
}

TEST_CASE("settle: billing grade contests a contradicted message as a whole") {
  Tables store =
      Take({Breakdown({{"a", 1}, {"b", 2}}), Breakdown({{"a", 1}})}, {.policy = Policy::kContestAll});
  CHECK(RowsIn(*store, "silver_trades").empty());
  CHECK(RowsIn(*store, "silver_launchpad_events").empty());
  CHECK(RowsIn(*store, "silver_quarantine_events").size() == 5);
}

TEST_CASE("settle: a conflict shows what each message says") {
  Tables store = Take({Breakdown({{"a", 1}}), Breakdown({{"a", 2}})});
  const auto rows = RowsIn(*store, "silver_quarantine_events");
  REQUIRE(rows.size() == 2);
  const json elements = rows[0]["detail"]["elements"];
  REQUIRE(elements["accepted"].size() == 1);
  CHECK(elements["accepted"][0] != elements["rejected"][0]);
  CHECK(elements["accepted"][0].get<std::string>().find("|1000000|") != std::string::npos);
  CHECK(elements["rejected"][0].get<std::string>().find("|2000000|") != std::string::npos);
}

TEST_CASE("refine: transfers, in the spellings of two sources") {
  Tables store = Take(
      {{{"action", "transfer"},
        {"signature", SignatureOf("s")},
        {"timestamp", 1'772'323'200},
        {"transfers",
         {{{"from", "a"}, {"to", "b"}, {"mint", AddressOf("m")}, {"amount", 2.5}},
          {{"fromUserAccount", "a"}, {"toUserAccount", "b"}, {"mint", AddressOf("n")}, {"tokenAmount", 1}},
          {{"from", "a"}, {"mint", AddressOf("m")}, {"amount", 1}},
          {{"from", "a"}, {"to", "b"}, {"mint", std::string(kWrappedSol)}, {"amount", "0.000000001"}}}}}});
  const auto rows = RowsIn(*store, "silver_transfers");
  REQUIRE(rows.size() == 4);
  CHECK(rows[0]["amount"] == "2500000");
  CHECK(rows[1]["from"] == "a");
  CHECK(rows[1]["mint"] == AddressOf("n"));
  CHECK(rows[2]["to"] == nullptr);
  CHECK(rows[3]["is_native"] == true);
  CHECK(rows[3]["amount"] == "1");
  CHECK(rows[3]["transfer_index"] == 3);
  // Each token's risk is told, a quote's is not.
  CHECK(RowsIn(*store, "gold_token_risk").size() == 2);
}

TEST_CASE("refine: pools, their rates and their decimals") {
  Tables store = Take({With(Buy(), [](json& m) {
    m["txType"] = "add", m["decimals"] = 9, m["poolFeeRate"] = 0.0025, m["burnedLiquidity"] = "91%",
    m["pool"] = "raydium-cpmm";
  })});
  const json pool = Only(store, "silver_pools");
  CHECK(pool["token_amount"] == "1500000000");
  CHECK(pool["fee_rate_ppm"] == 2500);
  CHECK(pool["burned_lp_bps"] == 9100);
  CHECK(pool["action"] == "add");
  CHECK(pool["real_quote"] == nullptr);
  CHECK(RowsIn(*store, "silver_trades").empty());
}

}  // namespace
}  // namespace medallion::launchpad
