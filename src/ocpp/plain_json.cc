#include "plain_json.h"

#include <algorithm>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace medallion::ocpp {
namespace {

constexpr int kPlainDepthMax = 8;
constexpr size_t kNestedMax = 16;

#ifdef __SSE2__
// What was seen that is not plain: escapes, controls, and what is not ASCII.
using Unusual = __m128i;

// The quotes among 64 bytes: bit i for byte i.
uint64_t Look(const char* bytes, Unusual& unusual) {
  uint64_t found = 0;
  for (int i = 0; i < 4; ++i) {
    const __m128i part = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes) + i);
    const __m128i quotes = _mm_cmpeq_epi8(part, _mm_set1_epi8('"'));
    unusual =
        _mm_or_si128(unusual, _mm_or_si128(_mm_cmpeq_epi8(part, _mm_set1_epi8('\\')),
                                           _mm_cmplt_epi8(part, _mm_set1_epi8(' '))));  // bytes have a sign
    found |= uint64_t{static_cast<uint32_t>(_mm_movemask_epi8(quotes))} << (16 * i);
  }
  return found;
}
bool Any(Unusual unusual) { return _mm_movemask_epi8(unusual) != 0; }
#else
using Unusual = uint64_t;

uint64_t Look(const char* bytes, Unusual& unusual) {
  uint64_t found = 0;
  for (size_t i = 0; i < 64; ++i) {
    found |= uint64_t{bytes[i] == '"'} << i;
    unusual |= bytes[i] == '\\' || static_cast<int8_t>(bytes[i]) < ' ' ? 1u : 0u;
  }
  return found;
}
bool Any(Unusual unusual) { return unusual != 0; }
#endif

// Where the digits that begin at `at` end. Eight at once: a loop would guess wrong at each number's end.
const char* DigitsEnd(const char* at) {
  constexpr uint64_t kEach = 0x0101010101010101u;
  while (true) {
    uint64_t word = 0;
    for (size_t i = 0; i < 8; ++i) word |= uint64_t{static_cast<uint8_t>(at[i])} << (8 * i);
    word ^= kEach * '0';
    // Of a byte that is no digit the first bit is set; what its sum carries over falls on later bytes alone.
    const uint64_t others = ((word + kEach * (0x80 - 10)) | word) & kEach * 0x80;
    if (others != 0) return at + std::countr_zero(others) / 8;
    at += 8;
  }
}

}  // namespace

bool PlainReader::FindQuotes() {
  words_ = (static_cast<size_t>(end_ - begin_) + kWord - 1) / kWord;
  if (words_ == 0 || words_ > kWordsMax) return false;
  Unusual unusual{};
  for (size_t i = 0; i < words_; ++i) quotes_[i] = Look(begin_ + i * kWord, unusual);
  quotes_[words_] = quotes_[words_ + 1] = 0;
  return !Any(unusual);
}

const char* PlainReader::LongTextEnd(size_t word) const {
  const auto* const begin = quotes_.begin();
  const auto* const found =
      std::find_if(begin + std::min(word, words_), begin + words_, [](uint64_t bits) { return bits != 0; });
  if (found == begin + words_) return nullptr;
  return begin_ + static_cast<size_t>(found - begin) * kWord + std::countr_zero(*found) + 1;
}

const char* PlainReader::ObjectEnd(const char* at, int depth) const {
  JsonKind kind;
  if (*++at == '}') return at + 1;
  for (;; ++at) {
    const char* const end = *at == '"' ? TextEnd(at) : nullptr;
    if (end == nullptr || *end != ':') return nullptr;
    names_.emplace_back(at + 1, static_cast<size_t>(end - at) - 2);
    at = ValueEnd(end + 1, depth, kind);
    if (at == nullptr || *at == '}') return at == nullptr ? at : at + 1;
    if (*at != ',') return nullptr;
  }
}

const char* PlainReader::ArrayEnd(const char* at, int depth) const {
  JsonKind kind;
  if (*++at == ']') return at + 1;
  for (;; ++at) {
    at = ValueEnd(at, depth, kind);
    if (at == nullptr || *at == ']') return at == nullptr ? at : at + 1;
    if (*at != ',') return nullptr;
  }
}

const char* PlainReader::NestedEnd(const char* at, int depth) const {
  if (depth > kPlainDepthMax) return nullptr;
  const size_t first = names_.size();
  const char* const end = *at == '{' ? ObjectEnd(at, depth) : ArrayEnd(at, depth);
  if (end == nullptr || Repeats(first)) return nullptr;
  names_.resize(first);
  return end;
}

bool PlainReader::Repeats(size_t first) const {
  if (names_.size() - first > kNestedMax) return true;
  for (size_t i = first; i < names_.size(); ++i) {
    const auto before = names_.begin() + static_cast<std::ptrdiff_t>(first);
    const auto here = names_.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::find(before, here, *here) != here) return true;
  }
  return false;
}

const char* JsonNumberEnd(const char* at) {
  if (*at == '-') ++at;
  const char* const whole = at;
  at = DigitsEnd(at);
  if (at == whole || (*whole == '0' && at != whole + 1)) return nullptr;
  if (*at == '.') {
    const char* const fraction = ++at;
    at = DigitsEnd(at);
    if (at == fraction) return nullptr;
  }
  if (*at != 'e' && *at != 'E') return at;
  ++at;
  if (*at == '+' || *at == '-') ++at;
  const char* const exponent = at;
  at = DigitsEnd(at);
  return at == exponent ? nullptr : at;
}

}  // namespace medallion::ocpp
