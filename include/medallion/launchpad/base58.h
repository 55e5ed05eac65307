// Base58, as Solana writes addresses and signatures.
// Pure. Safe from any thread.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace medallion::launchpad {

// Whether the text is base58 of exactly so many bytes, at most 64.
bool IsBase58(std::string_view text, size_t bytes);

inline bool IsAddress(std::string_view text) { return IsBase58(text, 32); }
inline bool IsSignature(std::string_view text) {
  return text.size() >= 86 && text.size() <= 88 && IsBase58(text, 64);
}

std::string Base58(std::span<const unsigned char> bytes);

}  // namespace medallion::launchpad
