#include "medallion/launchpad/envelope.h"

#include <initializer_list>

#include "absl/strings/escaping.h"
#include "medallion/launchpad/base58.h"
#include "tests/launchpad/launch_run.h"
#include "zstd_codec.h"

namespace medallion::launchpad {
namespace {

using nlohmann::json;
using testing::At;
using testing::RowsIn;

std::vector<LandedEvent> EventsOf(const std::vector<std::string>& jsons) {
  std::vector<LandedEvent> events;
  for (const std::string& text : jsons) events.push_back({text, At(static_cast<int64_t>(events.size()))});
  return events;
}

json EnvelopeJson(const std::vector<std::string>& jsons, const EnvelopeOptions& options = {}) {
  return json::parse(EncodeEnvelope(EventsOf(jsons), options).json);
}

Envelope EnvelopeOf(const json& from) {
  static std::vector<json> kept;  // the envelope refers to it
  const json& at = kept.emplace_back(from);
  return {.codec = at["codec"].get_ref<const std::string&>(),
          .data_b64 = at["data_b64"].get_ref<const std::string&>()};
}

EnvelopeContent Check(std::string_view codec, const std::string& data, int64_t bytes_max = 1 << 20) {
  const std::string b64 = absl::Base64Escape(data);
  return CheckEnvelope({.codec = codec, .data_b64 = b64}, DefaultDecoders(), {.bytes_max = bytes_max});
}

TEST_CASE("envelope: what is written is what is read") {
  for (const char* codec : {"zstd", "none"}) {
    for (const size_t count : {size_t{1}, size_t{2}, size_t{3}, size_t{700}}) {
      CAPTURE(codec, count);
      std::vector<std::string> events;
      for (size_t i = 0; i < count; ++i)
        events.push_back("{\"n\":" + std::to_string(i) + ",\n \"t\":\"\\n|\"}");
      const json envelope = EnvelopeJson(events, {.source = "s\"1", .codec = codec});
      CHECK(envelope["event_count"] == count);
      const Envelope read = EnvelopeOf(envelope);
      const EnvelopeContent content = CheckEnvelope(read, DefaultDecoders(), {});
      CHECK(content.code.empty());
      CHECK(content.lines == static_cast<int64_t>(count));
      CHECK(content.bytes == envelope["uncompressed_bytes"]);
      size_t line = 0;
      ReadLines(read, DefaultDecoders(), [&](std::string_view text) {
        const json wrapped = json::parse(text);
        CHECK(wrapped["event"] == json::parse(events[line]));
        CHECK(wrapped["_source"] == "s\"1");
        CHECK(wrapped["_ingested_at"] == FormatTime(At(static_cast<int64_t>(line))));
        ++line;
      });
      CHECK(line == count);
    }
  }
}

TEST_CASE("envelope: a name is a function of the content") {
  const std::vector<LandedEvent> events = EventsOf({"{\"a\":1}", "{\"a\":2}"});
  const std::string name = EncodeEnvelope(events, {}).name;
  CHECK(name.substr(0, 24) == "20260301T000000.000000Z-");
  CHECK(name == EncodeEnvelope(events, {.level = 19}).name);  // however it is compressed
  CHECK(name != EncodeEnvelope(EventsOf({"{\"a\":1}", "{\"a\":3}"}), {}).name);
  CHECK(name != EncodeEnvelope(events, {.source = "other"}).name);
  CHECK(EncodeEnvelope(std::vector<LandedEvent>{{"{}"}}, {}).name.size() == 32);  // no time is known
}

TEST_CASE("envelope: an envelope is full, or due, by times that are data") {
  EnvelopeWriter writer({.events_max = 3, .flush_us = 10 * kMicrosPerSecond});
  CHECK(writer.Ready(At(100)) == 0);
  writer.Add({"{}", At(5)}), writer.Add({"{}", At(6)});
  CHECK(writer.Ready(At(14)) == 0);
  CHECK(writer.Ready(At(15)) == 2);  // ten seconds after the first
  CHECK(writer.Ready(kNoTime) == 0);
  CHECK(writer.Ready(kNoTime, true) == 2);
  writer.Add({"{}", At(7)}), writer.Add({"{}", At(8)});
  CHECK(writer.Ready(At(8)) == 3);
  writer.Drop(3);
  CHECK(writer.size() == 1);
}

TEST_CASE("envelope: broken content is found before a line of it counts") {
  const std::string content = "{\"a\":1}\n{\"a\":2}\n", packed = CompressZstd(content, 3);
  CHECK(Check("zstd", packed).lines == 2);
  CHECK(Check("none", content).lines == 2);
  CHECK(Check("none", "{}").lines == 1);                // the last line has no end
  CHECK(Check("none", "\n\r\n  \n{}\n\n").lines == 1);  // blank lines are none
  CHECK(Check("gzip", content).code == "UNSUPPORTED_CODEC");
  CHECK(Check("", content).code == "UNSUPPORTED_CODEC");
  CHECK(Check("zstd", content).code == "ENVELOPE_CORRUPT");
  CHECK(Check("zstd", "").code == "ENVELOPE_CORRUPT");
  CHECK(Check("zstd", packed + "x").code == "ENVELOPE_CORRUPT");
  for (size_t size = 1; size < packed.size(); ++size) {
    CAPTURE(size);
    CHECK(Check("zstd", packed.substr(0, size)).code == "ENVELOPE_CORRUPT");  // cut short
  }
  CHECK(Check("zstd", packed + packed).lines == 4);  // frames one after the other are one content
  std::string large;
  for (int i = 0; i < 40'000; ++i) large += "{\"n\":" + std::to_string(i * 7919 % 40'000) + "}\n";
  std::string cut = CompressZstd(large, 3);
  CHECK(Check("zstd", cut).lines == 40'000);
  cut[cut.size() / 2] = static_cast<char>(cut[cut.size() / 2] ^ 0x40);
  CHECK(Check("zstd", cut).lines == 0);
}

TEST_CASE("envelope: base64 is strict") {
  const auto check = [](std::string_view b64) {
    return CheckEnvelope({.codec = "none", .data_b64 = b64}, DefaultDecoders(), {}).code.empty();
  };
  CHECK(check("e30="));
  CHECK(check("e30K"));
  CHECK(check(""));
  for (const char* bad :
       {"e30", "e3", "e", "e30==", "=e30", "e3=0", "e30 ", "e3\n0", "e3-_", "e3==", "e30=e30=", "e31="}) {
    CAPTURE(bad);
    CHECK(check(bad) == (std::string_view(bad) == "none"));
  }
}

TEST_CASE("envelope: a bomb is not unpacked") {
  const std::string bomb = CompressZstd(std::string(size_t{80} << 20, ' '), 19);
  CHECK(bomb.size() < 20'000);
  CHECK(Check("zstd", bomb, int64_t{64} << 20).code == "ENVELOPE_TOO_LARGE");
  CHECK(Check("none", std::string(11, 'x'), 10).code == "ENVELOPE_TOO_LARGE");
  CHECK(Check("none", std::string(10, 'x'), 10).code.empty());
  std::string lines;
  for (int i = 0; i < 1'000'001; ++i) lines += "1\n";
  CHECK(Check("none", lines, 1 << 24).code == "ENVELOPE_TOO_LARGE");
}

// ---- In the flow --------------------------------------------------------------------------------------------------

std::vector<std::string> ThreeBuys() {
  std::vector<std::string> events;
  for (int64_t i = 0; i < 3; ++i) {
    const testing::Head head{.action = "buy",
                             .signature = testing::SignatureOf(std::to_string(i)),
                             .mint = testing::AddressOf("m"),
                             .signer = testing::AddressOf("w"),
                             .second = i};
    testing::Json message = testing::MessageOf(head);
    events.push_back(testing::AddAmounts(head, 1'000'000, 5, message).Str());
  }
  return events;
}

TEST_CASE("envelope: faults are one quarantined element each, and the declared loss is told") {
  struct Case {
    const char* name;
    std::function<void(json&)> change;
    const char* code;
    size_t trades;
    int64_t loss;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"whole", [](json&) {}, "", 3, 0},
           {"codec", [](json& e) { e["codec"] = "brotli"; }, "UNSUPPORTED_CODEC", 0, 3},
           {"no codec", [](json& e) { e.erase("codec"); }, "UNSUPPORTED_CODEC", 0, 3},
           {"broken", [](json& e) { e["data_b64"] = "AAAA"; }, "ENVELOPE_CORRUPT", 0, 3},
           {"cut", [](json& e) { e["data_b64"] = e["data_b64"].get<std::string>().substr(0, 40); },
            "ENVELOPE_CORRUPT", 0, 3},
           {"too few", [](json& e) { e["event_count"] = 5; }, "ENVELOPE_COUNT_MISMATCH", 3, 2},
           {"too many", [](json& e) { e["event_count"] = 2; }, "ENVELOPE_COUNT_MISMATCH", 3, 0},
           {"no count", [](json& e) { e.erase("event_count"); }, "", 3, 0},
           {"negative", [](json& e) { e["event_count"] = -3; }, "ENVELOPE_COUNT_MISMATCH", 3, 0},
           {"no number", [](json& e) { e["event_count"] = "all"; }, "ENVELOPE_COUNT_MISMATCH", 3, 0},
           {"a fraction", [](json& e) { e["event_count"] = 3.5; }, "ENVELOPE_COUNT_MISMATCH", 3, 0},
           {"no size", [](json& e) { e["uncompressed_bytes"] = -1; }, "ENVELOPE_SIZE_MISMATCH", 3, 0},
           {"size", [](json& e) { e["uncompressed_bytes"] = 1; }, "ENVELOPE_SIZE_MISMATCH", 3, 0},
       }) {
    CAPTURE(c.name);
    json envelope = EnvelopeJson(ThreeBuys());
    c.change(envelope);
    const auto store = testing::TakenLines({envelope.dump()});
    const auto faults = RowsIn(*store, "silver_quarantine_events");
    CHECK(RowsIn(*store, "silver_trades").size() == c.trades);
    REQUIRE(faults.size() == (*c.code == '\0' ? 0 : 1));
    if (faults.empty()) continue;
    CHECK(faults[0]["violations"] == json::array({c.code}));
    CHECK(DeclaredLossOf(faults[0]["detail"].dump()) == c.loss);
  }
}

TEST_CASE("envelope: one that holds nothing, and says so, is ignored") {
  const auto store = testing::TakenLines({EncodeEnvelope({}, {}).json});
  CHECK(RowsIn(*store, "silver_quarantine_events").empty());
  CHECK(RowsIn(*store, "silver_ignored").at(0)["reason"] == "EMPTY_ENVELOPE");
}

TEST_CASE("envelope: lines that make more rows than are taken of one are none") {
  Options options;
  options.rows_max = 5;
  const auto store = testing::TakenLines({EnvelopeJson(ThreeBuys()).dump()}, kNoTime, options);
  CHECK(RowsIn(*store, "silver_trades").empty());
  const auto rows = RowsIn(*store, "silver_quarantine_events");
  REQUIRE(rows.size() == 1);
  CHECK(rows[0]["violations"] == json::array({"ENVELOPE_TOO_LARGE"}));
  CHECK(DeclaredLossOf(rows[0]["detail"].dump()) == 3);
  options.rows_max = 6;  // an event and a trade each
  const auto all = testing::TakenLines({EnvelopeJson(ThreeBuys()).dump()}, kNoTime, options);
  CHECK(RowsIn(*all, "silver_trades").size() == 3);
}

TEST_CASE("envelope: two faults of one count what is lost once") {
  json envelope = EnvelopeJson(ThreeBuys());
  envelope["event_count"] = 10, envelope["uncompressed_bytes"] = 1;
  const auto store = testing::TakenLines({envelope.dump()});
  int64_t loss = 0;
  for (const json& row : RowsIn(*store, "silver_quarantine_events"))
    loss += DeclaredLossOf(row["detail"].dump());
  CHECK(loss == 7);
}

TEST_CASE("envelope: a line that cannot be read is quarantined by itself, with its own text") {
  std::vector<LandedEvent> events = EventsOf(ThreeBuys());
  events[1].json = "{\"broken\":True}";
  const auto store = testing::TakenLines({EncodeEnvelope(events, {}).json});
  const auto rows = RowsIn(*store, "silver_quarantine_events");
  REQUIRE(rows.size() == 1);
  CHECK(rows[0]["violations"] == json::array({"CORRUPT_PAYLOAD"}));
  CHECK(rows[0]["raw_payload"].get<std::string>().find("{\"broken\":True}") != std::string::npos);
  CHECK(RowsIn(*store, "silver_trades").size() == 2);
  CHECK(RowsIn(*store, "silver_trades")[1]["bronze_line"] == 3);
}

TEST_CASE("base58: exactly so many bytes") {
  CHECK(IsAddress("So11111111111111111111111111111111111111112"));
  CHECK(IsAddress("1nc1nerator11111111111111111111111111111111"));
  CHECK(IsAddress("11111111111111111111111111111111"));         // 32 zeros
  CHECK_FALSE(IsAddress("111111111111111111111111111111111"));  // 33
  CHECK_FALSE(IsAddress("So1111111111111111111111111111111111111112"));
  CHECK_FALSE(IsAddress("So1111111111111111111111111111111111111111O"));  // no digit
  CHECK_FALSE(IsAddress(""));
  CHECK_FALSE(IsAddress("EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1vv"));
  CHECK(IsAddress("EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"));
  CHECK(IsSignature(testing::SignatureOf("x")));
  CHECK_FALSE(IsSignature(testing::SignatureOf("x") + "1"));
  for (int i = 0; i < 300; ++i) {
    const Digest digest = Sha256(std::to_string(i));
    CHECK(IsBase58(Base58(digest.bytes), 32));
    CHECK_FALSE(IsBase58(Base58(digest.bytes), 31));
  }
}

}  // namespace
}  // namespace medallion::launchpad
