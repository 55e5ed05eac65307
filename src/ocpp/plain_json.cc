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

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

bool PlainReader::FindQuotes() {
  words_ = (static_cast<size_t>(end_ - begin_) + kWord - 1) / kWord;
  if (words_ == 0 || words_ > kWordsMax) return false;
  Unusual unusual{};
  for (size_t i = 0; i < words_; ++i) quotes_[i] = Look(begin_ + i * kWord, unusual);
  return !Any(unusual);
}

bool PlainReader::Inside(int depth, Cursor& cursor) const {
  FieldValue value;
  return *cursor.at == '{' || *cursor.at == '[' ? Nested(depth + 1, cursor) : Scalar(cursor, value);
}

bool PlainReader::Object(int depth, Cursor& cursor) const {
  if (*++cursor.at == '}') return ++cursor.at, true;
  while (true) {
    std::string_view name;
    if (!Text(cursor, name) || *cursor.at++ != ':') return false;
    names_.push_back(name);
    if (!Inside(depth, cursor)) return false;
    if (*cursor.at == '}') return ++cursor.at, true;
    if (*cursor.at++ != ',') return false;
  }
}

bool PlainReader::Array(int depth, Cursor& cursor) const {
  if (*++cursor.at == ']') return ++cursor.at, true;
  while (true) {
    if (!Inside(depth, cursor)) return false;
    if (*cursor.at == ']') return ++cursor.at, true;
    if (*cursor.at++ != ',') return false;
  }
}

bool PlainReader::Nested(int depth, Cursor& cursor) const {
  if (depth > kPlainDepthMax) return false;
  const size_t first = names_.size();
  if (!(*cursor.at == '{' ? Object(depth, cursor) : Array(depth, cursor))) return false;
  const bool repeats = Repeats(first);
  names_.resize(first);
  return !repeats;
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
  const auto digits = [&] {
    const char* const begin = at;
    while (IsDigit(*at)) ++at;
    return at - begin;
  };
  if (*at == '-') ++at;
  const bool leading_zero = *at == '0';
  const auto whole = digits();
  if (whole == 0 || (leading_zero && whole > 1)) return nullptr;
  if (*at == '.' && (++at, digits() == 0)) return nullptr;
  if (*at == 'e' || *at == 'E') {
    ++at;
    if (*at == '+' || *at == '-') ++at;
    if (digits() == 0) return nullptr;
  }
  return at;
}

}  // namespace medallion::ocpp
