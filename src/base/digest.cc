#include "medallion/base/digest.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "medallion/base/pack.h"
#include "medallion/base/text.h"
#include "sha256_pair.h"

namespace medallion {
namespace {

constexpr size_t kBlockBytes = 64;  // of SHA-256

struct ContextFree {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

// Looked up once: OpenSSL's lookup takes longer than the hashing. Lives as long as the process.
const EVP_MD* Algorithm() {
#if OPENSSL_VERSION_NUMBER >= 0x30000000L
  static const EVP_MD* const algorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
#else
  static const EVP_MD* const algorithm = EVP_sha256();
#endif
  return algorithm;
}

// One per thread, ready for the algorithm; its memory is used again for each digest.
EVP_MD_CTX* Context() {
  thread_local const std::unique_ptr<EVP_MD_CTX, ContextFree> context(EVP_MD_CTX_new());
  return context.get();
}

// It can fail only where memory, or SHA-256 itself, is missing; then there is no digest to go on with, and a wrong one
// would be a wrong key.
Digest Hash(std::string_view bytes) {
  Digest digest;
  EVP_MD_CTX* const context = Context();
  const bool ok = context != nullptr && EVP_DigestInit_ex(context, Algorithm(), nullptr) == 1 &&
                  EVP_DigestUpdate(context, bytes.data(), bytes.size()) == 1 &&
                  EVP_DigestFinal_ex(context, digest.bytes.data(), nullptr) == 1;
  if (!ok) std::abort();
  return digest;
}

std::string_view AsText(const Digest& digest) {
  return {reinterpret_cast<const char*>(digest.bytes.data()), digest.bytes.size()};
}

constexpr size_t kHexDigits = 2 * sizeof(Digest);

void WriteHex(const Digest& digest, char* to) {
  for (const uint8_t byte : digest.bytes)
    packing::PutDigits(static_cast<char>(byte), std::exchange(to, to + 2));
}

bool NeedsEscape(char c) { return c == '\\' || c == '|'; }

// Whether a byte of the word is `|` or `\`. The two differ in one bit: with it set, both are 0x7C.
bool AnyNeedsEscape(uint64_t word) {
  constexpr uint64_t kEach = 0x0101010101010101u;
  word = (word | kEach * 0x20) ^ kEach * 0x7C;
  return ((word - kEach) & ~word & kEach * 0x80) != 0;  // a byte is zero
}

uint64_t AsItIs(uint64_t word) { return word; }

// With each byte that is a small letter made a capital.
uint64_t Upper(uint64_t word) {
  constexpr uint64_t kEach = 0x0101010101010101u;
  const uint64_t low = word & kEach * 0x7F;  // no sum below carries over
  const uint64_t small =
      (low + kEach * (0x80 - 'a')) & ~(low + kEach * (0x80 - 'z' - 1)) & ~word & kEach * 0x80;
  return word - (small >> 2);
}

// Copies a field of at least as many bytes as a word has, word by word, the last one from its end, each as `Change` makes
// it. Returns whether it needs escapes.
template <class Word, uint64_t (*Change)(uint64_t)>
bool CopyWords(std::string_view field, char* to) {
  bool any = false;
  const auto copy = [&](size_t at) {
    Word word;
    std::memcpy(&word, field.data() + at, sizeof word);
    const Word changed = static_cast<Word>(Change(word));
    std::memcpy(to + at, &changed, sizeof changed);
    any |= AnyNeedsEscape(word);
  };
  for (size_t at = 0; at + sizeof(Word) < field.size(); at += sizeof(Word)) copy(at);
  copy(field.size() - sizeof(Word));
  return any;
}

template <uint64_t (*Change)(uint64_t)>
bool CopyField(std::string_view field, char* to) {
  if (field.size() >= 8) return CopyWords<uint64_t, Change>(field, to);
  if (field.size() >= 4) return CopyWords<uint32_t, Change>(field, to);
  bool any = false;
  for (const char c : field) {
    *to++ = static_cast<char>(Change(static_cast<uint8_t>(c)));
    any |= NeedsEscape(c);
  }
  return any;
}

}  // namespace

Digest Sha256(std::string_view bytes) {
  if (!HasSha256Pair()) return Hash(bytes);
  Digest digest;
  Sha256Single(bytes, digest);
  return digest;
}

// Texts of as many blocks are hashed in pairs; what is left of them in the end, one of each length, too.
void Sha256Each(std::span<const std::string_view> texts, std::span<Digest> out) {
  assert(texts.size() == out.size());
  constexpr size_t kNone = ~size_t{0};
  std::array<size_t, 32> waiting;  // by blocks: the text that has no other yet
  waiting.fill(kNone);
  const auto pair = [&](size_t i, size_t& other) {
    if (other == kNone) {
      other = i;
    } else {
      Sha256Pair(texts[other], texts[i], out[other], out[i]);
      other = kNone;
    }
  };
  const bool in_pairs = HasSha256Pair();
  for (size_t i = 0; i < texts.size(); ++i) {
    if (in_pairs) {
      pair(i, waiting[std::min((texts[i].size() + 8) / kBlockBytes, waiting.size() - 1)]);
    } else {
      out[i] = Sha256(texts[i]);
    }
  }
  size_t left = kNone;
  for (const size_t i : waiting) {
    if (i != kNone) pair(i, left);
  }
  if (left != kNone) out[left] = Sha256(texts[left]);
}

// Source: RFC 2104. Two plain digests over the key padded to one block.
Digest HmacSha256(std::string_view key, std::string_view bytes) {
  const Digest short_key = key.size() > kBlockBytes ? Sha256(key) : Digest{};
  if (key.size() > kBlockBytes) key = AsText(short_key);
  std::string joined;
  joined.reserve(kBlockBytes + std::max(bytes.size(), sizeof(Digest)));
  const auto digest = [&](int pad, std::string_view text) {
    joined.assign(kBlockBytes, static_cast<char>(pad));
    for (size_t i = 0; i < key.size(); ++i) joined[i] = static_cast<char>(key[i] ^ pad);
    return Sha256(joined.append(text));
  };
  const Digest inner = digest(0x36, bytes);
  return digest(0x5c, AsText(inner));
}

void AppendHex(const Digest& digest, std::string& out) {
  std::array<char, kHexDigits> text;
  WriteHex(digest, text.data());
  out.append(text.data(), text.size());
}

std::string Hex(const Digest& digest) {
  std::string text;
  AppendHex(digest, text);
  return text;
}

std::optional<Digest> ParseHex(std::string_view text) {
  const auto value = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    const char lower = static_cast<char>(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
  };
  Digest digest;
  if (text.size() != 2 * digest.bytes.size()) return std::nullopt;
  for (size_t i = 0; i < digest.bytes.size(); ++i) {
    const int high = value(text[2 * i]), low = value(text[2 * i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    digest.bytes[i] = static_cast<uint8_t>(high << 4 | low);
  }
  return digest;
}

void JoinedFields::Grow(size_t room) { buffer_.resize(2 * buffer_.size() + room + 256); }

template <uint64_t (*Change)(uint64_t)>
JoinedFields& JoinedFields::AddChanged(std::string_view field) {
  char* at = Separate(2 * field.size());
  if (!CopyField<Change>(field, at)) {
    Taken(at + field.size());
    return *this;
  }
  for (const char c : field) {
    if (NeedsEscape(c)) *at++ = '\\';
    *at++ = static_cast<char>(Change(static_cast<uint8_t>(c)));
  }
  Taken(at);
  return *this;
}

JoinedFields& JoinedFields::Add(std::string_view field) { return AddChanged<AsItIs>(field); }
JoinedFields& JoinedFields::AddUpper(std::string_view field) { return AddChanged<Upper>(field); }

JoinedFields& JoinedFields::AddPlain(std::string_view field) {
  Taken(std::copy(field.begin(), field.end(), Separate(field.size())));
  return *this;
}

JoinedFields& JoinedFields::Add(int64_t field) {
  constexpr size_t kDigits = 20;
  char* const at = Separate(kDigits);
  Taken(std::to_chars(at, at + kDigits, field).ptr);
  return *this;
}

JoinedFields& JoinedFields::Add(const Digest& field) {
  if (field == Digest{}) return AddNull();
  char* const at = Separate(kHexDigits);
  WriteHex(field, at);
  Taken(at + kHexDigits);
  return *this;
}

JoinedFields& JoinedFields::AddNull() {
  Taken(Separate(0));
  return *this;
}

namespace {

constexpr uint64_t kSpread = 0x9E3779B97F4A7C15u;

// Eight bytes, the first one lowest.
uint64_t LittleEndian(const char* at) {
  uint64_t word = 0;
  for (size_t i = 0; i < 8; ++i) word |= uint64_t{static_cast<uint8_t>(at[i])} << (8 * i);
  return word;
}

void Mix(uint64_t word, uint64_t& print) {
  print = (print ^ word) * kSpread;
  print ^= print >> 32;
}

}  // namespace

uint64_t Fingerprint(std::string_view text) {
  uint64_t print = kSpread ^ text.size();
  for (; text.size() >= 8; text.remove_prefix(8)) Mix(LittleEndian(text.data()), print);
  uint64_t rest = 0;
  for (size_t i = 0; i < text.size(); ++i) rest |= uint64_t{static_cast<uint8_t>(text[i])} << (8 * i);
  Mix(rest, print);
  Mix(kSpread, print);
  return print;
}

void FingerprintStream::Mix(const char* stripe) {
  for (size_t i = 0; i < kLanes; ++i) medallion::Mix(LittleEndian(stripe + 8 * i), lanes_[i]);
}

void FingerprintStream::Update(std::string_view bytes) {
  const size_t held = size_ % rest_.size();
  size_ += bytes.size();
  if (held > 0) {
    const std::string_view first = bytes.substr(0, rest_.size() - held);
    std::copy(first.begin(), first.end(), rest_.data() + held);
    bytes.remove_prefix(first.size());
    if (held + first.size() < rest_.size()) return;
    Mix(rest_.data());
  }
  for (; bytes.size() >= rest_.size(); bytes.remove_prefix(rest_.size())) Mix(bytes.data());
  std::copy(bytes.begin(), bytes.end(), rest_.data());
}

uint64_t FingerprintStream::Value() const {
  uint64_t print = Fingerprint({rest_.data(), size_ % rest_.size()});
  medallion::Mix(size_, print);
  for (const uint64_t lane : lanes_) medallion::Mix(lane, print);
  medallion::Mix(kSpread, print);
  return print;
}

}  // namespace medallion
