#include "medallion/base/digest.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <vector>

#include "../catch.h"
#include "medallion/base/text.h"

namespace medallion {
namespace {

// A digest is computed from content, never made from any string at hand.
static_assert(!std::is_convertible_v<std::string, Digest>);
static_assert(!std::is_convertible_v<std::string_view, Digest>);
static_assert(!std::is_convertible_v<const char*, Digest>);
static_assert(!std::is_constructible_v<Digest, std::string>);
static_assert(!std::is_convertible_v<Digest, std::string>);
static_assert(std::is_trivially_copyable_v<Digest> && sizeof(Digest) == 32);

using Field = std::optional<std::string>;
using Fields = std::vector<Field>;

JoinedFields Join(const Fields& fields) {
  JoinedFields joined;
  for (const Field& field : fields) field ? joined.Add(*field) : joined.AddNull();
  return joined;
}

std::string Text(const Fields& fields) { return std::string(Join(fields).text()); }

}  // namespace

TEST_CASE("digest: SHA-256 vectors") {
  struct Case {
    std::string bytes;
    std::string_view hex;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
           {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
           {"CP-100|501", "e6569db5f8c72ac05a7fac9215a3a66e345197b187ba0c8311cab4339395545d"},
           {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",  // FIPS 180-2, B.2: two blocks
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
           {std::string(1'000'000, 'a'), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
       }) {
    CAPTURE(c.bytes.substr(0, 80));
    CHECK(Hex(Sha256(c.bytes)) == c.hex);
  }
}

TEST_CASE("digest: many texts at once have the digests that each has by itself") {
  constexpr size_t kLongest = 300;
  std::string bytes;
  for (size_t i = 0; i < 2 * kLongest; ++i) bytes.push_back(static_cast<char>(i * 7 + i / 256));
  const auto each = [](const std::vector<std::string_view>& texts) {
    std::vector<Digest> digests(texts.size());
    Sha256Each(texts, digests);
    return digests;
  };
  std::vector<Digest> alone;
  std::vector<std::string_view> texts;
  for (size_t size = 0; size <= kLongest; ++size) {
    texts.push_back(std::string_view(bytes).substr(kLongest - size, size));
    alone.push_back(Sha256(texts.back()));
  }
  CHECK(each(texts) == alone);
  CHECK(each({}).empty());
  for (size_t a = 0; a <= kLongest; ++a) {  // two texts of any two lengths are hashed as a pair
    for (size_t b = 0; b <= kLongest; b += 1 + a % 5) {
      if (each({texts[a], texts[b]}) != std::vector{alone[a], alone[b]}) FAIL(a << " and " << b << " bytes");
    }
  }
  const std::string longer(100'000, 'x'), longest(100'077, 'y');  // more blocks than are told apart
  CHECK(each({longer, "x", longest}) == std::vector{Sha256(longer), Sha256("x"), Sha256(longest)});
}

TEST_CASE("digest: HMAC-SHA-256 vectors of RFC 4231") {
  struct Case {
    std::string key;
    std::string bytes;
    std::string_view hex;
  };
  for (const Case& c : std::initializer_list<Case>{
           {std::string(20, '\x0b'), "Hi There",
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
           {"Jefe", "what do ya want for nothing?",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
           {std::string(20, '\xaa'), std::string(50, '\xdd'),
            "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"},
           {std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"},
           {std::string(131, '\xaa'),
            "This is a test using a larger than block-size key and a larger than block-size data. The key "
            "needs to be hashed before being used by the HMAC algorithm.",
            "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"},
           {"", "", "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"},  // no key at all
       }) {
    CAPTURE(c.bytes);
    CHECK(Hex(HmacSha256(c.key, c.bytes)) == c.hex);
  }
}

TEST_CASE("digest: a key of one block is used as it is, a longer one by its digest") {
  const std::string block(64, 'k'), longer(65, 'k');
  const Digest digest = Sha256(longer);
  const std::string digest_bytes(digest.bytes.begin(), digest.bytes.end());
  CHECK(HmacSha256(longer, "x") == HmacSha256(digest_bytes, "x"));
  CHECK(HmacSha256(block, "x") != HmacSha256(longer, "x"));
  CHECK(HmacSha256(std::string(63, 'k') + '\0', "x") == HmacSha256(std::string(63, 'k'), "x"));  // RFC 2104
}

TEST_CASE("digest: hexadecimal is appended, in lower case") {
  Digest digest;
  for (size_t i = 0; i < digest.bytes.size(); ++i) digest.bytes[i] = static_cast<uint8_t>(i * 8 + 7);
  std::string text = "id=";
  AppendHex(digest, text);
  CHECK(text == "id=070f171f272f373f474f575f676f777f878f979fa7afb7bfc7cfd7dfe7eff7ff");
}

TEST_CASE("digest: ordered by bytes") {
  CHECK(Digest{{0x00, 0xff}} < Digest{{0x01, 0x00}});
  CHECK(Digest{{0x7f}} < Digest{{0x80}});  // bytes have no sign
  CHECK(Digest{} == Digest{});
  CHECK(Sha256("a").Prefix() != Sha256("b").Prefix());
}

TEST_CASE("digest: fingerprint vectors, the same on every machine") {
  struct Case {
    std::string_view text;
    uint64_t print;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"", 0x113d'2544'f3d2'5ee2},
           {"a", 0xb325'6f5e'c960'e748},
           {"CP-100|501", 0x36b3'326e'211a'4b0c},
           {"12345678", 0x1f5e'4b1d'4910'f280},         // one word, nothing left over
           {"\xFF\x80", 0xe443'd7fd'035d'c213},         // bytes have no sign
           {{"12345678\0", 9}, 0x5d72'1ff1'ef30'9219},  // a NUL at the end counts
       }) {
    CAPTURE(c.text);
    CHECK(Fingerprint(c.text) == c.print);
  }
}

TEST_CASE("digest: a stream's fingerprint, however it is cut, the same on every machine") {
  std::string bytes;
  for (int i = 0; i < 300; ++i) bytes.push_back(static_cast<char>(i * 11 + i / 64));
  const auto whole = [](std::string_view text) {
    FingerprintStream stream;
    stream.Update(text);
    return stream.Value();
  };
  CHECK(whole("") == 0x858f'da69'16f8'4c58);
  CHECK(whole("CP-100|501") == 0x8e22'3d0a'fc3d'04f5);
  CHECK(whole(bytes) == 0x7a0b'28d9'5913'66db);
  std::mt19937_64 random(1);
  for (int round = 0; round < 500; ++round) {
    FingerprintStream stream;
    for (size_t at = 0; at < bytes.size();) {
      const size_t size =
          std::min<size_t>(random() % static_cast<uint64_t>(round % 100 + 2), bytes.size() - at);
      stream.Update(std::string_view(bytes).substr(at, size));
      at += size;
      if (stream.Value() != whole(std::string_view(bytes).substr(0, at))) FAIL("cut at " << at);
    }
  }
  std::set<uint64_t> prints;  // one byte less, one byte changed
  for (size_t i = 0; i < bytes.size(); ++i) {
    prints.insert(whole(std::string_view(bytes).substr(0, i)));
    bytes[i] ^= 1;
    prints.insert(whole(bytes));
    bytes[i] ^= 1;
  }
  CHECK(prints.size() == 2 * bytes.size());
  std::string swapped = bytes;
  std::swap_ranges(swapped.begin(), swapped.begin() + 8, swapped.begin() + 32);  // two words of one lane
  CHECK(whole(swapped) != whole(bytes));
  CHECK(whole(std::string(31, '\0')) != whole(std::string(32, '\0')));
}

TEST_CASE("digest: threads do not disturb each other") {
  std::vector<std::thread> threads;
  std::vector<int> wrong(8);
  for (size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&wrong, t] {
      const std::string bytes(t * 37, 'x');
      const Digest expected = Sha256(bytes);
      for (int i = 0; i < 2'000; ++i) {
        wrong[t] += HmacSha256("k", bytes) == expected || Sha256(bytes) != expected;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == std::vector<int>(8));
}

TEST_CASE("digest: the bytes of joined fields") {
  struct Case {
    Fields fields;
    std::string_view text;
  };
  for (const Case& c : std::initializer_list<Case>{
           {{"CP-100", "501"}, "CP-100|501"},
           {{"CP-100"}, "CP-100"},
           {{}, ""},
           {{std::nullopt}, ""},
           {{std::nullopt, std::nullopt}, "|"},
           {{std::nullopt, "501"}, "|501"},
           {{"CP-100", std::nullopt}, "CP-100|"},
           {{"CP", std::nullopt, "501"}, "CP||501"},
           {{"a|b"}, R"(a\|b)"},
           {{R"(a\b)"}, R"(a\\b)"},
           {{R"(a\|b)"}, R"(a\\\|b)"},
           {{"|", R"(\)"}, R"(\||\\)"},
           {{R"(a\)", "b"}, R"(a\\|b)"},
           {{std::string(2, '\0'), "é"}, std::string_view("\0\0|é", 5)},
       }) {
    CAPTURE(c.text);
    CHECK(Text(c.fields) == c.text);
    CHECK(Join(c.fields).Sha256() == Sha256(c.text));
  }
  CHECK(Hex(Join({"CP-100", "501"}).Sha256()) ==
        "e6569db5f8c72ac05a7fac9215a3a66e345197b187ba0c8311cab4339395545d");
}

TEST_CASE("digest: upper case is ASCII's, whatever a field's length") {
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) {
    if (byte != '|' && byte != '\\') bytes.push_back(static_cast<char>(byte));
  }
  for (size_t size = 0; size < 20; ++size) {
    for (size_t at = 0; at + size <= bytes.size(); ++at) {
      const std::string field = bytes.substr(at, size);
      JoinedFields plain, escaped;
      CHECK(plain.AddUpper(field).text() == AsciiUpper(field));
      CHECK(escaped.AddUpper(field + "|").text() == AsciiUpper(field) + "\\|");
    }
  }
}

TEST_CASE("digest: integers are joined as decimal text") {
  JoinedFields joined;
  joined.Add("StartTransaction").Add(int64_t{0}).Add(int64_t{-17}).Add(std::numeric_limits<int64_t>::min());
  CHECK(joined.text() == "StartTransaction|0|-17|-9223372036854775808");
  joined.Clear();
  CHECK(joined.text().empty());
  joined.Add(std::numeric_limits<int64_t>::max()).AddNull();  // no separator is left over
  CHECK(joined.text() == "9223372036854775807|");
  joined.StartList();
  joined.Add("a|b").Add("c");  // no separator before the first field of a list
  CHECK(joined.text() == "9223372036854775807|a\\|b|c");
  joined.StartList();
  joined.Add("long enough | for a word").Add("eight\\\\..");
  CHECK(joined.text().ends_with(R"(clong enough \| for a word|eight\\\\..)"));
}

TEST_CASE("digest: a null does not let its neighbours move") {
  CHECK(Text({"a", std::nullopt, "b"}) != Text({"a", "b", std::nullopt}));
  CHECK(Text({"a", std::nullopt, "b"}) != Text({"a", "b"}));
  CHECK(Text({std::nullopt, "a"}) != Text({"a", std::nullopt}));
  CHECK(Text({"a", std::nullopt}) == Text({"a", ""}));  // the one exception
}

TEST_CASE("digest: two lists of fields never share their bytes") {
  // All lists of one to three fields of up to two bytes out of these.
  const std::string_view alphabet = "a|\\";
  std::vector<std::string> values{""};
  for (const char c : alphabet) values.push_back({c});
  for (const char c : alphabet) {
    for (const char d : alphabet) values.push_back({c, d});
  }
  std::vector<Fields> lists;
  for (const std::string& a : values) {
    lists.push_back({a});
    for (const std::string& b : values) {
      lists.push_back({a, b});
      for (const std::string& c : values) lists.push_back({a, b, c});
    }
  }
  std::map<std::string, Fields> by_text;
  std::map<uint64_t, Fields> by_print;
  for (const Fields& fields : lists) {
    by_text.emplace(Text(fields), fields);
    by_print.emplace(Fingerprint(Text(fields)), fields);
  }
  CHECK(by_text.size() == lists.size());
  CHECK(by_print.size() == lists.size());  // likely rather than promised, but these texts are fixed
}

TEST_CASE("digest: joined fields can be taken apart again") {
  const uint32_t seed = GENERATE(range(0u, 100u));
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  Fields fields(1 + random() % 6);
  for (Field& field : fields) {
    field = "";
    for (size_t n = random() % 12; n > 0; --n) *field += "|\\ab"[random() % 4];
  }
  Fields apart{""};
  const std::string text = Text(fields);
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '|') {
      apart.push_back("");
    } else {
      *apart.back() += text[i] == '\\' ? text[++i] : text[i];
    }
  }
  CHECK(apart == fields);
}

}  // namespace medallion
