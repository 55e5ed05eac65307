// SHA-256 digests, keyed digests, and the one recipe by which fields are joined before hashing.
// Pure: results depend on the arguments alone. Safe from any thread.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace medallion {

// 32 bytes of SHA-256. Computed from content, never made from any string at hand.
struct Digest {
  std::array<uint8_t, 32> bytes{};
  // Word by word: most digests that are compared differ in the first.
  bool operator==(const Digest& other) const {
    for (size_t at = 0; at < bytes.size(); at += sizeof(uint64_t)) {
      uint64_t a = 0, b = 0;
      std::memcpy(&a, bytes.data() + at, sizeof a);
      std::memcpy(&b, other.bytes.data() + at, sizeof b);
      if (a != b) return false;
    }
    return true;
  }
  std::strong_ordering operator<=>(const Digest& other) const {
    if (const auto order = bytes[0] <=> other.bytes[0]; order != 0) return order;
    return std::memcmp(bytes.data(), other.bytes.data(), bytes.size()) <=> 0;
  }

  // The first eight bytes: evenly spread, so a table in memory may use them as its hash.
  uint64_t Prefix() const {
    uint64_t prefix = 0;
    std::memcpy(&prefix, bytes.data(), sizeof prefix);
    return prefix;
  }
  template <typename H>
  friend H AbslHashValue(H h, const Digest& digest) {
    return H::combine(std::move(h), digest.Prefix());
  }
};

Digest Sha256(std::string_view bytes);
// The digest of each text, out[i] of texts[i]. Faster than one by one where the processor has SHA instructions.
void Sha256Each(std::span<const std::string_view> texts, std::span<Digest> out);
Digest HmacSha256(std::string_view key, std::string_view bytes);

// 64 bits of a text: equal texts, equal prints, on every machine and in every run. For telling apart what is already
// keyed by a digest; two texts made on purpose may share one.
uint64_t Fingerprint(std::string_view text);

// 64 bits of bytes that come piece by piece, several times quicker than a digest: equal bytes, equal prints, however they
// are cut and on every machine. For noticing that something was replaced; not a Fingerprint of the same bytes.
class FingerprintStream {
 public:
  void Update(std::string_view bytes);
  uint64_t Value() const;  // of all bytes so far; more may follow

 private:
  static constexpr size_t kLanes = 4;
  using Stripe = std::array<char, 8 * kLanes>;
  void Mix(const char* stripe);

  std::array<uint64_t, kLanes> lanes_{1, 2, 3, 4};  // one does not wait for the other
  Stripe rest_{};      // bytes that do not fill a stripe yet: size_ modulo its size of them
  uint64_t size_ = 0;  // of all bytes
};

// 64 lower-case hexadecimal digits.
void AppendHex(const Digest& digest, std::string& out);
std::string Hex(const Digest& digest);
// From 64 hexadecimal digits in any casing; nothing for any other text.
std::optional<Digest> ParseHex(std::string_view text);

// Fields joined for hashing. The bytes, once and for all:
//
//   field ('|' field)*        a null field is empty; inside a field `\` is written `\\` and `|` is `\|`
//
// So two different lists of fields never share an encoding (save that a null and an empty text are one),
// and without those two characters the digest equals Spark's sha2(concat_ws('|', …), 256).
class JoinedFields {
 public:
  JoinedFields& Add(std::string_view field);
  JoinedFields& Add(int64_t field);
  JoinedFields& Add(const Digest& field);          // 64 hexadecimal digits; a null where it is all zeros
  JoinedFields& AddUpper(std::string_view field);  // in ASCII upper case
  JoinedFields& AddPlain(std::string_view field);  // known to hold neither `|` nor `\`
  JoinedFields& AddNull();

  // What is added from now on is a list of its own, right behind the one before: for hashing many of them.
  void StartList() { empty_ = true; }

  std::string_view text() const { return {buffer_.data(), size_}; }  // of all lists
  Digest Sha256() const { return medallion::Sha256(text()); }
  void Clear() { size_ = 0, empty_ = true; }  // keeps the memory for the next list

 private:
  // Separates the next field from the one before. Returns where it goes: at least `room` bytes.
  char* Separate(size_t room) {
    if (buffer_.size() - size_ <= room) Grow(room + 1);
    char* const at = buffer_.data() + size_;
    *at = '|';
    return at + (std::exchange(empty_, false) ? 0 : 1);
  }
  template <uint64_t (*Change)(uint64_t)>
  JoinedFields& AddChanged(std::string_view field);  // `Change` takes eight bytes at once
  void Grow(size_t room);
  void Taken(const char* end) { size_ = static_cast<size_t>(end - buffer_.data()); }

  std::string buffer_;  // memory that is written once: its first size_ bytes are the text
  size_t size_ = 0;
  bool empty_ = true;
};

}  // namespace medallion
