// The quick way into a payload that is plain JSON, as most are. Strict: what it takes is valid, and the same as the full
// reader makes of it; whatever is in the least unusual it leaves to that one.
// Pure. Safe from any thread.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "medallion/ocpp/parse.h"

namespace medallion::ocpp {

// Bytes that must follow a text, all of them blanks.
inline constexpr size_t kPlainPadding = 64;

// Where the number that begins at `at` ends; null where none begins there. RFC 8259, 6. A byte that is part of no number
// must follow; eight bytes from there on may be read.
const char* JsonNumberEnd(const char* at);

// Reads an object of at most 4 KiB of printable ASCII, no escapes, at most one blank between tokens and none in nested
// values, which are at most 8 deep, of at most 16 members, none twice.
class PlainReader {
 public:
  // Blanks must follow `text`, which has no outer ones. `names` is memory to work with.
  PlainReader(std::string_view text, std::vector<std::string_view>& names)
      : begin_(text.data()), end_(begin_ + text.size()), names_(names) {}

  // Hands out the object's members in their order. False for an object that it does not take, valid or not; some members
  // may then have been handed out. Of each member it asks
  //
  //   size_t taker.Expected(const char* at)   // its bytes, where `"name":` stands at `at` as expected; else 0
  //   taker.Name(std::string_view name)       // where it did not
  //   bool taker.Value(FieldValue value)      // whether to go on
  template <class Taker>
  bool Read(Taker& taker);

 private:
  static constexpr size_t kWord = 64;  // bytes that one word of bits stands for
  static constexpr size_t kWordsMax = 64;

  // Finds all quotes. False where the text is too long, or holds a byte that is not plain.
  bool FindQuotes();

  // The functions that read a token or more take where it begins, and return where it ends, or null where it is none. Its
  // end is in the text, or in the padding, where no token goes on.

  // Found by its place alone: going from quote to quote would guess wrong at the end of each word.
  const char* TextEnd(const char* open) const {
    const auto place = static_cast<size_t>(open + 1 - begin_);
    const size_t word = place / kWord, bit = place % kWord;
    const uint64_t bits = quotes_[word] >> bit | quotes_[word + 1] << 1 << (kWord - 1 - bit);
    return bits != 0 ? open + 2 + std::countr_zero(bits) : LongTextEnd(word + 1);
  }
  // The same of a text whose end is in no word before `word`.
  const char* LongTextEnd(size_t word) const;

  template <size_t kSize>
  static const char* WordEnd(const char* at, const char (&word)[kSize]) {
    return std::memcmp(at, word, kSize - 1) == 0 ? at + kSize - 1 : nullptr;
  }

  static const char* AfterBlank(const char* at) { return *at == ' ' ? at + 1 : at; }

  const char* ValueEnd(const char* at, int depth, JsonKind& kind) const {
    switch (*at) {
      case '"': return kind = JsonKind::kText, TextEnd(at);
      case 'n': return kind = JsonKind::kAbsent, WordEnd(at, "null");
      case 't': return kind = JsonKind::kBool, WordEnd(at, "true");
      case 'f': return kind = JsonKind::kBool, WordEnd(at, "false");
      case '{':
      case '[': return kind = JsonKind::kContainer, NestedEnd(at, depth + 1);
      default: return kind = JsonKind::kNumber, JsonNumberEnd(at);
    }
  }

  // A container in its compact form: no blanks, and no name twice.
  const char* NestedEnd(const char* at, int depth) const;
  const char* ObjectEnd(const char* at, int depth) const;
  const char* ArrayEnd(const char* at, int depth) const;
  // Whether a name stands twice among those from `first` on. As good as that: too many of them.
  bool Repeats(size_t first) const;

  const char* const begin_;
  const char* const end_;
  std::array<uint64_t, kWordsMax + 2> quotes_;  // the first words_ + 2 of them: where quotes are
  size_t words_ = 0;
  std::vector<std::string_view>& names_;  // of the nested objects that are being read
};

template <class Taker>
bool PlainReader::Read(Taker& taker) {
  names_.clear();
  if (!FindQuotes() || *begin_ != '{') return false;
  const char* at = AfterBlank(begin_ + 1);
  if (*at == '}') return at + 1 == end_;
  while (true) {
    if (const size_t bytes = taker.Expected(at)) {
      at += bytes;
    } else {
      const char* const name_end = *at == '"' ? TextEnd(at) : nullptr;
      if (name_end == nullptr) return false;
      taker.Name({at + 1, static_cast<size_t>(name_end - at) - 2});
      at = AfterBlank(name_end);
      if (*at++ != ':') return false;
    }
    at = AfterBlank(at);
    JsonKind kind;
    const char* const end = ValueEnd(at, 1, kind);
    if (end == nullptr) return false;
    const size_t quote = kind == JsonKind::kText ? 1 : 0;
    const size_t bytes = kind == JsonKind::kAbsent ? 0 : static_cast<size_t>(end - at) - 2 * quote;
    if (!taker.Value({kind, {at + quote, bytes}})) return false;
    at = AfterBlank(end);
    if (*at == '}') return at + 1 == end_;
    if (*at++ != ',') return false;
    at = AfterBlank(at);
  }
}

}  // namespace medallion::ocpp
