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
// must follow.
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
  // Where the reader is. A value of its own, so that it stays in registers.
  struct Cursor {
    const char* at;       // behind the last token: in the text, or in the padding, where no token goes on
    uint64_t quotes = 0;  // bits of the quotes that are still to come in word `word`
    size_t word = 0;
  };
  static constexpr size_t kWord = 64;  // bytes that one word of bits stands for
  static constexpr size_t kWordsMax = 64;

  // Finds all quotes. False where the text is too long, or holds a byte that is not plain.
  bool FindQuotes();

  // The next quote, or the end of the text.
  const char* Quote(Cursor& cursor) const {
    while (cursor.quotes == 0) {
      if (++cursor.word >= words_) return end_;
      cursor.quotes = quotes_[cursor.word];
    }
    const char* const quote = begin_ + cursor.word * kWord + std::countr_zero(cursor.quotes);
    cursor.quotes &= cursor.quotes - 1;
    return quote;
  }

  static void Blank(Cursor& cursor) {
    if (*cursor.at == ' ') ++cursor.at;
  }

  bool Text(Cursor& cursor, std::string_view& text) const {
    const char* const open = Quote(cursor);
    const char* const close = Quote(cursor);
    if (open != cursor.at || close == end_) return false;
    text = {open + 1, static_cast<size_t>(close - open - 1)};
    cursor.at = close + 1;
    return true;
  }

  template <size_t kSize>
  static bool Word(Cursor& cursor, const char (&word)[kSize]) {
    cursor.at += kSize - 1;
    return std::memcmp(cursor.at - (kSize - 1), word, kSize - 1) == 0;
  }

  // A value that is no container; its kind is known.
  bool Scalar(Cursor& cursor, FieldValue& value) const {
    const char* const begin = cursor.at;
    switch (*begin) {
      case '"': return value.kind = JsonKind::kText, Text(cursor, value.text);
      case 'n': return value = FieldValue(), Word(cursor, "null");
      case 't': value.kind = JsonKind::kBool; return Word(cursor, "true") && Since(begin, cursor, value);
      case 'f': value.kind = JsonKind::kBool; return Word(cursor, "false") && Since(begin, cursor, value);
      default: break;
    }
    value.kind = JsonKind::kNumber;
    cursor.at = JsonNumberEnd(begin);
    return cursor.at != nullptr && Since(begin, cursor, value);
  }

  static bool Since(const char* begin, const Cursor& cursor, FieldValue& value) {
    value.text = {begin, static_cast<size_t>(cursor.at - begin)};
    return true;
  }

  // A container in its compact form: no blanks, and no name twice.
  bool Nested(int depth, Cursor& cursor) const;
  bool Object(int depth, Cursor& cursor) const;
  bool Array(int depth, Cursor& cursor) const;
  bool Inside(int depth, Cursor& cursor) const;  // any value in a container at that depth
  // Whether a name stands twice among those from `first` on. As good as that: too many of them.
  bool Repeats(size_t first) const;

  const char* const begin_;
  const char* const end_;
  std::array<uint64_t, kWordsMax> quotes_;  // the first words_ of them: where quotes are
  size_t words_ = 0;
  std::vector<std::string_view>& names_;  // of the nested objects that are being read
};

template <class Taker>
bool PlainReader::Read(Taker& taker) {
  if (!FindQuotes() || *begin_ != '{') return false;
  names_.clear();
  Cursor cursor{.at = begin_ + 1, .quotes = quotes_[0]};
  Blank(cursor);
  if (*cursor.at == '}') return cursor.at + 1 == end_;
  while (true) {
    if (const size_t bytes = taker.Expected(cursor.at)) {
      Quote(cursor), Quote(cursor);
      cursor.at += bytes;
    } else {
      std::string_view name;
      if (!Text(cursor, name)) return false;
      Blank(cursor);
      if (*cursor.at++ != ':') return false;
      taker.Name(name);
    }
    Blank(cursor);
    FieldValue value;
    if (*cursor.at == '{' || *cursor.at == '[') {
      const char* const begin = cursor.at;
      Cursor inside = cursor;
      if (!Nested(2, inside)) return false;
      cursor = inside;
      value.kind = JsonKind::kContainer;
      Since(begin, cursor, value);
    } else if (!Scalar(cursor, value)) {
      return false;
    }
    if (!taker.Value(value)) return false;
    Blank(cursor);
    if (*cursor.at == '}') return cursor.at + 1 == end_;
    if (*cursor.at++ != ',') return false;
    Blank(cursor);
  }
}

}  // namespace medallion::ocpp
