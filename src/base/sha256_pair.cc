#include "sha256_pair.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__) && defined(__GNUC__)
#include <cpuid.h>
#include <immintrin.h>

namespace medallion {
namespace {

#define MEDALLION_SHA __attribute__((target("sha,sse4.1,ssse3"), always_inline)) inline

constexpr size_t kBlockBytes = 64;

// FIPS 180-4, 4.2.2.
alignas(16) constexpr std::array<uint32_t, 64> kRounds = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

// A text as blocks, the last one or two of them padded: a one bit, zeros, the length in bits. FIPS 180-4, 5.1.1.
class Blocks {
 public:
  explicit Blocks(std::string_view text) : text_(text), whole_(text.size() / kBlockBytes) {
    const size_t rest = text.size() % kBlockBytes;
    const size_t padded = rest < kBlockBytes - 8 ? kBlockBytes : 2 * kBlockBytes;
#pragma GCC unroll 8  // else it becomes a slow string instruction
    for (size_t i = 0; i < sizeof last_; i += 16) {
      _mm_store_si128(reinterpret_cast<__m128i*>(last_ + i), _mm_setzero_si128());
    }
    if (rest > 0) std::memcpy(last_, text.data() + whole_ * kBlockBytes, rest);
    last_[rest] = 0x80;
    const uint64_t bits = __builtin_bswap64(uint64_t{text.size()} * 8);
    std::memcpy(last_ + padded - 8, &bits, 8);
    count = whole_ + padded / kBlockBytes;
  }
  const void* operator[](size_t i) const {
    return i < whole_ ? static_cast<const void*>(text_.data() + i * kBlockBytes)
                      : last_ + (i - whole_) * kBlockBytes;
  }
  size_t count;

 private:
  std::string_view text_;
  size_t whole_;
  alignas(16) uint8_t last_[2 * kBlockBytes];
};

// The state a to h in the order that the instructions want, and the message schedule's last 16 words.
struct Lane {
  __m128i abef, cdgh;
  __m128i words[4];
};

MEDALLION_SHA void Load(const void* block, Lane& lane) {
  const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  for (int i = 0; i < 4; ++i) {
    lane.words[i] = _mm_shuffle_epi8(_mm_loadu_si128(static_cast<const __m128i*>(block) + i), big_endian);
  }
}

// Rounds 4i to 4i + 3, and the words of four rounds that follow sixteen later. FIPS 180-4, 6.2.2.
MEDALLION_SHA void FourRounds(int i, Lane& lane) {
  __m128i* const w = lane.words;
  const __m128i constants = _mm_load_si128(reinterpret_cast<const __m128i*>(kRounds.data()) + i);
  const __m128i sum = _mm_add_epi32(w[i % 4], constants);
  lane.cdgh = _mm_sha256rnds2_epu32(lane.cdgh, lane.abef, sum);
  lane.abef = _mm_sha256rnds2_epu32(lane.abef, lane.cdgh, _mm_shuffle_epi32(sum, 0x0E));
  if (i >= 12) return;
  const __m128i seven_before = _mm_alignr_epi8(w[(i + 3) % 4], w[(i + 2) % 4], 4);
  const __m128i partial = _mm_add_epi32(_mm_sha256msg1_epu32(w[i % 4], w[(i + 1) % 4]), seven_before);
  w[i % 4] = _mm_sha256msg2_epu32(partial, w[(i + 3) % 4]);
}

// One block of each lane.
template <size_t kLanes>
MEDALLION_SHA void Compress(const std::array<const void*, kLanes>& blocks, Lane* lanes) {
  __m128i abef[kLanes], cdgh[kLanes];
  for (size_t l = 0; l < kLanes; ++l) {
    abef[l] = lanes[l].abef, cdgh[l] = lanes[l].cdgh;
    Load(blocks[l], lanes[l]);
  }
#pragma GCC unroll 16
  for (int i = 0; i < 16; ++i) {
    for (size_t l = 0; l < kLanes; ++l) FourRounds(i, lanes[l]);
  }
  for (size_t l = 0; l < kLanes; ++l) {
    lanes[l].abef = _mm_add_epi32(lanes[l].abef, abef[l]);
    lanes[l].cdgh = _mm_add_epi32(lanes[l].cdgh, cdgh[l]);
  }
}

// FIPS 180-4, 5.3.3: a to h before the first block.
MEDALLION_SHA Lane Begin() {
  Lane lane;
  lane.abef =
      _mm_set_epi32(0x6a09e667, static_cast<int>(0xbb67ae85), 0x510e527f, static_cast<int>(0x9b05688c));
  lane.cdgh = _mm_set_epi32(0x3c6ef372, static_cast<int>(0xa54ff53a), 0x1f83d9ab, 0x5be0cd19);
  return lane;
}

MEDALLION_SHA void Store(const Lane& lane, Digest& digest) {
  const __m128i reversed = _mm_set_epi64x(0x0001020304050607, 0x08090a0b0c0d0e0f);
  auto* const out = reinterpret_cast<__m128i*>(digest.bytes.data());
  _mm_storeu_si128(out, _mm_shuffle_epi8(_mm_unpackhi_epi64(lane.cdgh, lane.abef), reversed));
  _mm_storeu_si128(out + 1, _mm_shuffle_epi8(_mm_unpacklo_epi64(lane.cdgh, lane.abef), reversed));
}

}  // namespace

bool HasSha256Pair() {
  static const bool has = [] {
    uint32_t a = 0, b = 0, c = 0, d = 0;
    const bool sha = __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & bit_SHA) != 0;
    return sha && __builtin_cpu_supports("sse4.1") != 0 && __builtin_cpu_supports("ssse3") != 0;
  }();
  return has;
}

__attribute__((target("sha,sse4.1,ssse3"))) void Sha256Pair(std::string_view a, std::string_view b,
                                                            Digest& first, Digest& second) {
  const Blocks blocks[2] = {Blocks(a), Blocks(b)};
  Lane lanes[2] = {Begin(), Begin()};
  const size_t together = std::min(blocks[0].count, blocks[1].count);
  for (size_t i = 0; i < together; ++i) Compress<2>({blocks[0][i], blocks[1][i]}, lanes);
  const size_t longer = blocks[0].count > together ? 0 : 1;
  for (size_t i = together; i < blocks[longer].count; ++i) Compress<1>({blocks[longer][i]}, lanes + longer);
  Store(lanes[0], first);
  Store(lanes[1], second);
}

__attribute__((target("sha,sse4.1,ssse3"))) void Sha256Single(std::string_view text, Digest& digest) {
  const Blocks blocks(text);
  Lane lane = Begin();
  for (size_t i = 0; i < blocks.count; ++i) Compress<1>({blocks[i]}, &lane);
  Store(lane, digest);
}

}  // namespace medallion

#else

namespace medallion {
bool HasSha256Pair() { return false; }
// Never called.
void Sha256Pair(std::string_view, std::string_view, Digest&, Digest&) {}
void Sha256Single(std::string_view, Digest&) {}
}  // namespace medallion

#endif
