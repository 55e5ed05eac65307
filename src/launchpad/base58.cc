#include "medallion/launchpad/base58.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "absl/numeric/int128.h"

namespace medallion::launchpad {
namespace {

constexpr std::string_view kAlphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
constexpr size_t kNone = 58;
constexpr size_t kBytesMax = 64;

constexpr std::array<uint8_t, 256> kDigits = [] {
  std::array<uint8_t, 256> digits{};
  digits.fill(kNone);
  for (size_t i = 0; i < kAlphabet.size(); ++i) {
    digits[static_cast<uint8_t>(kAlphabet[i])] = static_cast<uint8_t>(i);
  }
  return digits;
}();

}  // namespace

// Ten digits at once fit a word.
bool IsBase58(std::string_view text, size_t bytes) {
  constexpr size_t kStep = 10, kWords = kBytesMax / 8;
  if (text.empty() || text.size() > kBytesMax * 138 / 100 + 1) return false;
  const size_t zeros = std::min(text.find_first_not_of('1'), text.size());
  std::array<uint64_t, kWords + 1> words{};  // lowest first; one more shows that it is too long
  for (size_t at = zeros; at < text.size();) {
    uint64_t factor = 1, value = 0;
    for (const size_t end = std::min(at + kStep, text.size()); at < end; ++at) {
      const uint8_t digit = kDigits[static_cast<uint8_t>(text[at])];
      if (digit == kNone) return false;
      value = value * 58 + digit, factor *= 58;
    }
    absl::uint128 carry = value;
    for (uint64_t& word : words) {
      carry += absl::uint128(word) * factor;
      word = absl::Uint128Low64(carry);
      carry >>= 64;
    }
  }
  size_t used = words.size();
  while (used > 0 && words[used - 1] == 0) --used;
  const size_t top = used == 0 ? 0 : (static_cast<size_t>(std::bit_width(words[used - 1])) + 7) / 8;
  return zeros + (used == 0 ? 0 : (used - 1) * 8 + top) == bytes;
}

std::string Base58(std::span<const unsigned char> bytes) {
  std::vector<uint8_t> digits;  // lowest first
  for (const unsigned char byte : bytes) {
    uint32_t carry = byte;
    for (uint8_t& digit : digits) {
      carry += uint32_t{digit} << 8;
      digit = static_cast<uint8_t>(carry % 58);
      carry /= 58;
    }
    for (; carry > 0; carry /= 58) digits.push_back(static_cast<uint8_t>(carry % 58));
  }
  std::string text;
  for (size_t i = 0; i < bytes.size() && bytes[i] == 0; ++i) text.push_back(kAlphabet[0]);
  for (size_t i = digits.size(); i-- > 0;) text.push_back(kAlphabet[digits[i]]);
  return text;
}

}  // namespace medallion::launchpad
