#include "plain_json.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace medallion::ocpp {
namespace {

constexpr size_t kWord = 64;  // bytes that one word of bits stands for
constexpr size_t kWordsMax = 64;
constexpr int kPlainDepthMax = 8;
constexpr size_t kNestedMax = 16;

// What 64 bytes hold: bit i for byte i.
struct Found {
  uint64_t quotes = 0;
  uint64_t unusual = 0;  // escapes, controls, and what is not ASCII
};

#ifdef __SSE2__
Found Look(const char* bytes) {
  Found found;
  for (int i = 0; i < 4; ++i) {
    const __m128i part = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes) + i);
    const __m128i quotes = _mm_cmpeq_epi8(part, _mm_set1_epi8('"'));
    const __m128i unusual = _mm_or_si128(_mm_cmpeq_epi8(part, _mm_set1_epi8('\\')),
                                         _mm_cmplt_epi8(part, _mm_set1_epi8(' ')));  // bytes have a sign
    found.quotes |= uint64_t{static_cast<uint32_t>(_mm_movemask_epi8(quotes))} << (16 * i);
    found.unusual |= static_cast<uint32_t>(_mm_movemask_epi8(unusual));
  }
  return found;
}
#else
Found Look(const char* bytes) {
  Found found;
  for (size_t i = 0; i < kWord; ++i) {
    found.quotes |= uint64_t{bytes[i] == '"'} << i;
    found.unusual |= bytes[i] == '\\' || static_cast<int8_t>(bytes[i]) < ' ' ? 1u : 0u;
  }
  return found;
}
#endif

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

class PlainReader {
 public:
  PlainReader(std::string_view text, std::vector<Member>& members)
      : begin_(text.data()), end_(begin_ + text.size()), at_(begin_), members_(members) {}

  bool Read() {
    if (!FindQuotes() || *at_ != '{') return false;
    members_.clear();
    return Object(1) && at_ == end_;
  }

 private:
  // Finds all quotes. False where the text is too long, or holds a byte that is not plain.
  bool FindQuotes() {
    words_ = (static_cast<size_t>(end_ - begin_) + kWord - 1) / kWord;
    if (words_ == 0 || words_ > kWordsMax) return false;
    uint64_t unusual = 0;
    for (size_t i = 0; i < words_; ++i) {
      const Found found = Look(begin_ + i * kWord);
      quotes_[i] = found.quotes;
      unusual |= found.unusual;
    }
    bits_ = quotes_[0];
    return unusual == 0;
  }

  // The next quote, or the end of the text.
  const char* Quote() {
    while (bits_ == 0) {
      if (++word_ >= words_) return end_;
      bits_ = quotes_[word_];
    }
    const char* const quote = begin_ + word_ * kWord + std::countr_zero(bits_);
    bits_ &= bits_ - 1;
    return quote;
  }

  // All that read a token leave `at_` behind it: in the text, or in the padding, where no token goes on.

  void Blank() {
    if (*at_ != ' ') return;
    ++at_;
    blanks_ = true;
  }

  bool Text(std::string_view& text) {
    const char* const open = Quote();
    const char* const close = Quote();
    if (open != at_ || close == end_) return false;
    text = {open + 1, static_cast<size_t>(close - open - 1)};
    at_ = close + 1;
    return true;
  }

  bool Word(std::string_view word) {
    const bool equal = std::memcmp(at_, word.data(), word.size()) == 0;
    at_ += word.size();
    return equal;
  }

  bool Number() {
    at_ = JsonNumberEnd(at_);
    return at_ != nullptr;
  }

  // Takes a value. Its text follows from its kind and where it begins: see TextSince.
  bool Value(int depth, JsonKind& kind) {
    std::string_view text;
    switch (*at_) {
      case '"': return kind = JsonKind::kText, Text(text);
      case 'n': return kind = JsonKind::kAbsent, Word("null");
      case 't': return kind = JsonKind::kBool, Word("true");
      case 'f': return kind = JsonKind::kBool, Word("false");
      case '{':
      case '[': return kind = JsonKind::kContainer, Nested(depth + 1);
      default: return kind = JsonKind::kNumber, Number();
    }
  }

  std::string_view TextSince(const char* begin, JsonKind kind) const {
    if (kind == JsonKind::kAbsent) return {};
    const size_t quote = kind == JsonKind::kText ? 1 : 0;
    return {begin + quote, static_cast<size_t>(at_ - begin) - 2 * quote};
  }

  // Adds the members of an object at depth `depth`.
  bool Object(int depth) {
    ++at_;
    Blank();
    if (*at_ == '}') return ++at_, true;
    while (true) {
      std::string_view name;
      JsonKind kind;
      if (!Text(name)) return false;
      Blank();
      if (*at_++ != ':') return false;
      Blank();
      const char* const begin = at_;
      if (!Value(depth, kind)) return false;
      members_.push_back({name, {kind, TextSince(begin, kind)}});
      Blank();
      if (*at_ == '}') return ++at_, true;
      if (*at_++ != ',') return false;
      Blank();
    }
  }

  bool Array(int depth) {
    ++at_;
    if (*at_ == ']') return ++at_, true;
    while (true) {
      JsonKind kind;
      if (!Value(depth, kind)) return false;
      if (*at_ == ']') return ++at_, true;
      if (*at_++ != ',') return false;
    }
  }

  // A container whose text is its compact form: no blanks, and no name twice.
  bool Nested(int depth) {
    if (depth > kPlainDepthMax) return false;
    const size_t first = members_.size();
    const bool blanks_before = std::exchange(blanks_, false);
    if (!(*at_ == '{' ? Object(depth) : Array(depth)) || blanks_) return false;
    blanks_ = blanks_before;
    const bool repeats = Repeats(first);
    members_.resize(first);
    return !repeats;
  }

  // Whether a name stands twice among the members from `first` on. As good as that: too many of them.
  bool Repeats(size_t first) const {
    if (members_.size() - first > kNestedMax) return true;
    for (size_t i = first; i < members_.size(); ++i) {
      for (size_t j = first; j < i; ++j) {
        if (members_[i].name == members_[j].name) return true;
      }
    }
    return false;
  }

  const char* const begin_;
  const char* const end_;
  const char* at_;
  std::array<uint64_t, kWordsMax> quotes_;  // the first words_ of them
  size_t words_ = 0;
  size_t word_ = 0;
  uint64_t bits_ = 0;  // quotes of word_ that are still to come
  bool blanks_ = false;
  std::vector<Member>& members_;
};

}  // namespace

bool ReadPlain(std::string_view text, std::vector<Member>& members) {
  return PlainReader(text, members).Read();
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
