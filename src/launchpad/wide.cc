#include "wide.h"

#include <bit>

namespace medallion::launchpad {

Wide Wide::Product(absl::uint128 a, absl::uint128 b) {
  const auto times = [](uint64_t x, uint64_t y) { return absl::uint128(x) * y; };
  const uint64_t a0 = absl::Uint128Low64(a), a1 = absl::Uint128High64(a);
  const uint64_t b0 = absl::Uint128Low64(b), b1 = absl::Uint128High64(b);
  Wide product(times(a0, b0));
  const auto add_at = [&](absl::uint128 part, size_t word) {
    Wide shifted;
    shifted.words_[word] = absl::Uint128Low64(part), shifted.words_[word + 1] = absl::Uint128High64(part);
    product += shifted;
  };
  add_at(times(a0, b1), 1), add_at(times(a1, b0), 1), add_at(times(a1, b1), 2);
  return product;
}

Wide& Wide::operator+=(const Wide& other) {
  absl::uint128 carry = 0;
  for (size_t i = 0; i < words_.size(); ++i) {
    carry += words_[i];
    carry += other.words_[i];
    words_[i] = absl::Uint128Low64(carry);
    carry >>= 64;
  }
  return *this;
}

Wide& Wide::operator-=(const Wide& other) {
  uint64_t borrow = 0;
  for (size_t i = 0; i < words_.size(); ++i) {
    const uint64_t before = words_[i], less = other.words_[i];
    words_[i] = before - less - borrow;
    borrow = before < less || (before == less && borrow != 0) ? 1 : 0;
  }
  return *this;
}

Wide& Wide::operator*=(uint64_t factor) {
  absl::uint128 carry = 0;
  for (uint64_t& word : words_) {
    carry += absl::uint128(word) * factor;
    word = absl::Uint128Low64(carry);
    carry >>= 64;
  }
  return *this;
}

std::strong_ordering operator<=>(const Wide& a, const Wide& b) {
  for (size_t i = a.words_.size(); i-- > 0;) {
    if (a.words_[i] != b.words_[i]) return a.words_[i] <=> b.words_[i];
  }
  return std::strong_ordering::equal;
}

int Wide::bits() const {
  for (size_t i = words_.size(); i-- > 0;) {
    if (words_[i] != 0) return static_cast<int>(i) * 64 + 64 - std::countl_zero(words_[i]);
  }
  return 0;
}

void Wide::ShiftLeft(bool low) {
  for (size_t i = words_.size(); i-- > 1;) words_[i] = words_[i] << 1 | words_[i - 1] >> 63;
  words_[0] = words_[0] << 1 | (low ? 1u : 0u);
}

std::optional<absl::uint128> Wide::Divide(const Wide& num, const Wide& den) {
  const int bits = num.bits(), by = den.bits();
  if (by == 0 || bits - by > 126) return std::nullopt;
  absl::uint128 quotient = 0;
  Wide rest;
  if (bits <= 128 && by <= 128) {  // most shares
    quotient = num.low128() / den.low128();
    rest = Wide(num.low128() % den.low128());
  } else {
    for (int i = bits; i-- > 0;) {
      rest.ShiftLeft(num.bit(i));
      quotient <<= 1;
      if (rest >= den) rest -= den, quotient |= 1;
    }
  }
  Wide twice = rest;
  twice += rest;
  const auto half = twice <=> den;
  if (half > 0 || (half == 0 && (quotient & 1) != 0)) quotient += 1;
  return quotient;
}

}  // namespace medallion::launchpad
