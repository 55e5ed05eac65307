// Rows as bytes: how the stores that come with the library keep them. A row type offers VisitFields(row, visit), which
// shows its own fields in a fixed order: to a writer as const, to a reader as it is filled.
//
//   row      := groups of 15 fields, up to the last that has any: mask, the fields that it has a bit for, in order; a field
//               without one is empty (null, 0, "")
//   mask     := 2 bytes, the lowest first; bit i belongs to field i of the group, bit 15: another group follows
//   integer  := LEB128, signed ones in zigzag
//   time     := signed integer
//   text     := length, bytes
//   word     := code, from 1; or 0 and a text          a text that a Vocabulary may have
//   usual    := value; empty is what it usually is
//   decimal  := 0; or a text                            a text that is mostly the decimal of another field
//   hex      := length * 2, bytes; or (number of bytes) * 2 + 1, the bytes that the hexadecimal digits stand for; or 1 and
//               the 16 bytes of a UUID
//   digest   := 32 bytes
//   optional := value
//   list     := length, values
//   struct   := row
//
// Pure. Safe from any thread.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <charconv>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "medallion/base/arena.h"
#include "medallion/base/columns.h"
#include "medallion/base/decimal.h"
#include "medallion/base/digest.h"
#include "medallion/base/text.h"
#include "medallion/base/time.h"

// For functions whose caller keeps its place in a register.
#if defined(__GNUC__)
#define MEDALLION_INLINE __attribute__((always_inline))
#else
#define MEDALLION_INLINE
#endif

namespace medallion {

// Texts that rows have again and again, each with a code of one byte. What is stored depends on the order: words are
// only ever added at the end. At most 255.
class Vocabulary {
 public:
  Vocabulary(std::initializer_list<std::string_view> words);  // must outlive the vocabulary; each once

  // The word's code, from 1; 0 for any other text.
  uint8_t CodeOf(std::string_view text) const {
    if (text.empty()) return 0;
    for (size_t at = Place(text);; ++at) {
      const uint8_t code = places_[at % places_.size()];
      if (code == 0 || Same(words_[code - 1u], text)) return code;
    }
  }
  // The word; empty for a code that is none.
  std::string_view WordOf(uint8_t code) const {
    return code == 0 || code > words_.size() ? std::string_view() : words_[code - 1u];
  }

 private:
  static size_t Place(std::string_view text) {
    const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
    return text.size() * 31 + byte(0) + byte(text.size() / 2) * 17u + byte(text.size() - 1) * 5u;
  }

  // Most texts that are looked for are the very words.
  static bool Same(std::string_view a, std::string_view b) {
    return a.size() == b.size() && (a.data() == b.data() || SameText(a, b));
  }

  std::vector<std::string_view> words_;
  std::array<uint8_t, 1024> places_{};
};

// How VisitFields shows a text that is best kept another way. Text is std::string_view or std::string, or const.
template <class Text>
struct Word {
  Text& text;
  const Vocabulary& words;
};
template <class T>
struct Usually {  // a number that is `usual` in most rows
  T& value;
  std::remove_const_t<T> usual;
};
template <class Text>
struct DecimalOf {  // mostly the decimal of `units` in so many places, without zeros at its end
  Text& text;
  std::optional<int64_t> units;
  int places;
};
template <class Text>
struct
    Hexadecimal {  // lower-case digits, an even number of them, or a UUID of such; any other text is kept as it is
  Text& text;
};

namespace packing {

template <class Row>
bool IsNull(const Row&) {
  return false;
}
inline bool IsNull(const std::string& text) { return text.empty(); }
inline bool IsNull(const std::string_view& text) { return text.empty(); }
inline bool IsNull(const Digest& digest) { return digest == Digest{}; }
inline bool IsNull(const UtcTime& time) { return time == kNoTime; }
template <class T>
  requires std::integral<T> || std::is_enum_v<T>
bool IsNull(const T& value) { return value == T{}; }
template <class T>
bool IsNull(const std::optional<T>& value) {
  return !value.has_value();
}
template <class T>
bool IsNull(const std::vector<T>& values) {
  return values.empty();
}
template <class Text>
bool IsNull(const Word<Text>& word) {
  return word.text.empty();
}
template <class Text>
bool IsNull(const DecimalOf<Text>& decimal) {
  return decimal.text.empty();
}
template <class Text>
bool IsNull(const Hexadecimal<Text>& hex) {
  return hex.text.empty();
}

template <class T>
bool IsNull(const Usually<T>& usually) {
  return usually.value == usually.usual;
}

// The values of lower-case hexadecimal digits; 16 for all other characters.
inline constexpr std::array<uint8_t, 256> kDigits = [] {
  std::array<uint8_t, 256> digits{};
  digits.fill(16);
  for (uint8_t i = 0; i < 10; ++i) digits[static_cast<size_t>('0' + i)] = i;
  for (uint8_t i = 10; i < 16; ++i) digits[static_cast<size_t>('a' + i - 10)] = i;
  return digits;
}();

inline constexpr size_t kMaskBytes = 2;
inline constexpr int kGroupFields = 15, kGroupsMax = 4;
inline constexpr unsigned kMoreGroups = 1u << kGroupFields;
inline constexpr size_t kNumberBytesMax = 10;

// Shows nothing; tells a row type from others.
struct Nobody {
  template <class T>
  void operator()(T&&) const {}
};
template <class T>
concept HasFields = requires(T& row, const Nobody& nobody) {
  VisitFields(row, nobody);
};

// Adds up how many bytes the values it is shown may take.
struct SizeOf {
  size_t bytes = 0;

  template <class T>
  MEDALLION_INLINE void operator()(const T& value) {
    if constexpr (std::convertible_to<const T&, std::string_view>) {
      bytes += kNumberBytesMax + std::string_view(value).size();
    } else if constexpr (std::same_as<T, Digest>) {
      bytes += sizeof value.bytes;
    } else if constexpr (requires { value.text; }) {
      bytes += 1 + kNumberBytesMax + value.text.size();
    } else if constexpr (requires { value.has_value(); }) {
      if constexpr (HasFields<const typename T::value_type>) {
        if (value.has_value()) (*this)(*value);
      } else {
        bytes +=
            kNumberBytesMax;  // a constant is quicker than a look; an optional that is no row is a number
      }
    } else if constexpr (requires { value.begin(); }) {
      bytes += kNumberBytesMax;
      for (const auto& element : value) (*this)(element);
    } else if constexpr (HasFields<const T>) {
      bytes += kMaskBytes * kGroupsMax;
      VisitFields(value, [&](const auto& field) MEDALLION_INLINE { (*this)(field); });
    } else {
      bytes += kNumberBytesMax;
    }
  }
};

// Each writes a value at `to`, where there is room for it, and returns the end. The place is passed on by value, since a
// store through a char pointer might else change it.
inline char* WriteUnsigned(char* to, uint64_t value) {
  for (; value >= 0x80; value >>= 7) *to++ = static_cast<char>(value | 0x80);
  *to++ = static_cast<char>(value);
  return to;
}
// Short texts as two words that may overlap: most are, and a call of memcpy takes longer.
inline char* WriteBytes(char* to, std::string_view text) {
  const auto copy = [&](auto word) {
    const char* const last = text.data() + text.size() - sizeof word;
    auto end = word;
    std::memcpy(&word, text.data(), sizeof word);
    std::memcpy(&end, last, sizeof end);
    std::memcpy(to, &word, sizeof word);
    std::memcpy(to + text.size() - sizeof end, &end, sizeof end);
    return to + text.size();
  };
  if (text.size() > 16) return static_cast<char*>(std::memcpy(to, text.data(), text.size())) + text.size();
  if (text.size() >= 8) return copy(uint64_t{});
  if (text.size() >= 4) return copy(uint32_t{});
  for (const char c : text) *to++ = c;
  return to;
}
inline char* WriteText(char* to, std::string_view text) {
  return WriteBytes(WriteUnsigned(to, text.size()), text);
}
inline char* WriteAsText(char* to, std::string_view text) {
  return WriteBytes(WriteUnsigned(to, text.size() * 2), text);
}

// Eight digits, or four bytes, are looked at as one number: each of its bytes is a digit. Text and memory begin with its
// lowest byte.
inline constexpr uint64_t kEachByte = 0x0101010101010101u;
inline constexpr uint64_t DigitsOf(uint64_t values) {  // 0 to 15 each, or what looks like digits and is none
  const uint64_t letters = (values + kEachByte * (0x80 - 10)) >> 7 & kEachByte;
  return values + kEachByte * '0' + letters * ('a' - '0' - 10);
}
inline uint32_t LowestFirst(uint32_t four) {
  if constexpr (std::endian::native == std::endian::little) return four;
  return four >> 24 | (four >> 8 & 0xFF00) | (four & 0xFF00) << 8 | four << 24;
}
inline uint64_t LoadFour(const char* from) {
  uint32_t four = 0;
  std::memcpy(&four, from, sizeof four);
  return LowestFirst(four);
}
inline char* StoreFour(char* to, uint64_t value) {
  const uint32_t four = LowestFirst(static_cast<uint32_t>(value));
  std::memcpy(to, &four, sizeof four);
  return to + sizeof four;
}
// Writes the four bytes that stand as four digits at `first` and four at `second`; `bad` is not 0 if they are none.
inline char* WriteDigits(char* to, const char* first, const char* second, uint64_t& bad) {
  const uint64_t digits = LoadFour(first) | LoadFour(second) << 32;
  const uint64_t values = (digits & kEachByte * 0x0F) + (digits >> 6 & kEachByte) * 9;
  bad |= (DigitsOf(values) ^ digits) | (values & kEachByte * 0x10);
  uint64_t bytes = (values << 4 | values >> 8) & 0x00FF00FF00FF00FFu;
  bytes = (bytes | bytes >> 8) & 0x0000FFFF0000FFFFu;
  return StoreFour(to, bytes | bytes >> 16);
}
// The other way.
inline void ReadDigits(const char* from, char* first, char* second) {
  uint64_t bytes = LoadFour(from);
  bytes = (bytes | bytes << 16) & 0x0000FFFF0000FFFFu;
  bytes = (bytes | bytes << 8) & 0x00FF00FF00FF00FFu;
  const uint64_t digits = DigitsOf((bytes >> 4 & kEachByte * 0x0F) | (bytes & 0x000F000F000F000Fu) << 8);
  StoreFour(first, digits), StoreFour(second, digits >> 32);
}

// Where every four digits of a UUID are in its text.
inline constexpr size_t kUuidSize = 36, kUuidBytes = 16;
inline constexpr std::array<uint8_t, 8> kUuidPlaces = {0, 4, 9, 14, 19, 24, 28, 32};
inline bool HasUuidShape(std::string_view text) {
  return text.size() == kUuidSize && text[8] == '-' && text[13] == '-' && text[18] == '-' && text[23] == '-';
}
inline char* WriteUuid(char* const begin, std::string_view text) {
  char* to = WriteUnsigned(begin, 1);
  uint64_t bad = 0;
  for (size_t i = 0; i < kUuidPlaces.size(); i += 2) {
    to = WriteDigits(to, text.data() + kUuidPlaces[i], text.data() + kUuidPlaces[i + 1], bad);
  }
  return bad == 0 ? to : WriteAsText(begin, text);
}
inline char* WriteHex(char* const begin, std::string_view text) {
  if (HasUuidShape(text)) return WriteUuid(begin, text);
  char* to = WriteUnsigned(begin, text.size() / 2 * 2 + 1);
  uint64_t bad = text.size() % 2;
  size_t i = 0;
  for (; i + 8 <= text.size() && bad == 0; i += 8)
    to = WriteDigits(to, text.data() + i, text.data() + i + 4, bad);
  for (; i + 1 < text.size(); i += 2) {
    const unsigned high = kDigits[static_cast<uint8_t>(text[i])];
    const unsigned low = kDigits[static_cast<uint8_t>(text[i + 1])];
    bad |= (high | low) & 16;
    *to++ = static_cast<char>(high << 4 | low);
  }
  return bad == 0 ? to : WriteAsText(begin, text);
}
// The decimal of a number in so many places, 0 to 9, without zeros at its end; `room` is where it is made.
inline constexpr size_t kDecimalSize = 32;
inline std::string_view DecimalText(int64_t units, int places, std::array<char, kDecimalSize>& room) {
  const uint64_t one = kPowersOfTen[static_cast<size_t>(places)];
  const auto magnitude = units < 0 ? 0 - static_cast<uint64_t>(units) : static_cast<uint64_t>(units);
  char* at = room.data();
  if (units < 0) *at++ = '-';
  at = std::to_chars(at, room.data() + room.size(), magnitude / one).ptr;
  uint64_t rest = magnitude % one;
  if (rest != 0) *at++ = '.';
  for (uint64_t place = one / 10; rest != 0; rest %= place, place /= 10) {
    *at++ = static_cast<char>('0' + rest / place);
  }
  return {room.data(), at};
}
// Whether DecimalText makes this text of the number; of very long ones it is not said.
inline bool IsDecimalText(std::string_view text, int64_t units, int places) {
  constexpr size_t kDigitsMax = 18;  // whose number fits
  const bool negative = text.starts_with('-');
  const std::string_view digits = text.substr(negative ? 1 : 0);
  if (digits.empty() || digits.size() + static_cast<size_t>(places) > kDigitsMax) return false;
  int64_t value = 0;
  size_t point = digits.size();
  for (size_t i = 0; i < digits.size(); ++i) {
    const unsigned digit = static_cast<uint8_t>(digits[i]) - unsigned{'0'};
    if (digit > 9 && (digits[i] != '.' || point != digits.size())) return false;
    if (digit > 9) {
      point = i;
    } else {
      value = 10 * value + static_cast<int64_t>(digit);
    }
  }
  const bool whole = point == digits.size();
  const size_t decimals = whole ? 0 : digits.size() - point - 1;
  const bool extra = point == 0 || (point > 1 && digits[0] == '0') || (!whole && digits.back() == '0');
  if (extra || (!whole && decimals == 0) || decimals > static_cast<size_t>(places)) return false;
  value *= static_cast<int64_t>(kPowersOfTen[static_cast<size_t>(places) - decimals]);
  return (negative ? -value : value) == units && !(negative && value == 0);
}
template <class Text>
bool IsDecimal(const DecimalOf<Text>& decimal) {
  return decimal.units.has_value() && IsDecimalText(decimal.text, *decimal.units, decimal.places);
}

template <class Row>
char* WriteRow(char* to, const Row& row);

template <class T>
MEDALLION_INLINE inline char* Write(char* to, const T& value) {
  if constexpr (std::convertible_to<const T&, std::string_view>) {
    return WriteText(to, value);
  } else if constexpr (std::same_as<T, Digest>) {
    std::memcpy(to, value.bytes.data(), sizeof value.bytes);
    return to + sizeof value.bytes;
  } else if constexpr (std::same_as<T, UtcTime>) {
    return Write(to, value.us);
  } else if constexpr (std::same_as<T, Thousandths>) {
    return Write(to, value.units);
  } else if constexpr (std::is_enum_v<T>) {
    return WriteUnsigned(to, static_cast<uint64_t>(value));
  } else if constexpr (std::signed_integral<T>) {
    const auto wide = static_cast<int64_t>(value);
    return WriteUnsigned(to, (static_cast<uint64_t>(wide) << 1) ^ static_cast<uint64_t>(wide >> 63));
  } else if constexpr (std::unsigned_integral<T>) {
    return WriteUnsigned(to, value);
  } else if constexpr (requires { value.usual; }) {
    return Write(to, value.value);
  } else if constexpr (requires { value.places; }) {
    return IsDecimal(value) ? WriteUnsigned(to, 0) : WriteText(to, value.text);
  } else if constexpr (requires { value.words; }) {
    const uint8_t code = value.words.CodeOf(value.text);
    *to++ = static_cast<char>(code);
    return code == 0 ? WriteText(to, value.text) : to;
  } else if constexpr (requires { value.text; }) {
    return WriteHex(to, value.text);
  } else if constexpr (requires { value.has_value(); }) {
    return value.has_value() ? Write(to, *value) : to;
  } else if constexpr (requires { value.begin(); }) {
    to = WriteUnsigned(to, value.size());
    for (const auto& element : value) to = Write(to, element);
    return to;
  } else {
    return WriteRow(to, value);
  }
}

inline void StoreMask(char* at, unsigned mask) {
  at[0] = static_cast<char>(mask), at[1] = static_cast<char>(mask >> 8);
}

// A group without fields that none follows is not written.
template <class Row>
char* WriteRow(char* to, const Row& row) {
  std::array<char*, kGroupsMax> masks_at{};
  uint64_t present = 0;
  int field = 0;
  VisitFields(row, [&](const auto& value) MEDALLION_INLINE {
    if (field % kGroupFields == 0) masks_at[static_cast<size_t>(field / kGroupFields)] = to, to += kMaskBytes;
    if (!IsNull(value)) {
      present |= uint64_t{1} << field;
      to = Write(to, value);
    }
    ++field;
  });
  assert(field <= kGroupsMax * kGroupFields);  // a field beyond the masks would be lost
  const int last = present == 0 ? 0 : static_cast<int>(std::bit_width(present)) - 1;
  const int groups = last / kGroupFields + 1;
  if (groups * kGroupFields < field) to = masks_at[static_cast<size_t>(groups)];
  for (int group = 0; group < groups; ++group) {
    const auto mask = static_cast<unsigned>(present >> (group * kGroupFields)) & (kMoreGroups - 1);
    StoreMask(masks_at[static_cast<size_t>(group)], group + 1 < groups ? mask | kMoreGroups : mask);
  }
  return to;
}

}  // namespace packing

// Collects bytes; the memory is used again after Clear.
class PackWriter {
 public:
  std::string_view bytes() const { return {data_.get(), size_}; }
  void Clear() { size_ = 0; }

  // Appends the value, field or row.
  template <class T>
  void operator()(const T& value) {
    packing::SizeOf size;
    size(value);
    char* const to = Room(size.bytes);
    Finish(packing::Write(to, value));
  }

  // For writing many values in a row: room for so many bytes, and where they ended.
  char* Room(size_t bytes) {
    if (capacity_ - size_ < bytes) Grow(bytes);
    return data_.get() + size_;
  }
  void Finish(const char* end) { size_ = static_cast<size_t>(end - data_.get()); }

 private:
  void Grow(size_t size) {
    capacity_ = std::max(2 * capacity_, size_ + size + 1024);
    auto larger = std::make_unique_for_overwrite<char[]>(capacity_);
    if (size_ != 0) std::memcpy(larger.get(), data_.get(), size_);
    data_ = std::move(larger);
  }

  std::unique_ptr<char[]> data_;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

namespace packing {

// Where a reader stands: in two registers, passed on by value and returned, as the writer's place is. Bytes that no
// writer wrote lead to a place without any left.
struct Place {
  const char* next;  // null once something was wrong
  const char* end;   // never before `next`

  size_t left() const { return static_cast<size_t>(end - next); }
  bool ok() const { return next != nullptr; }
};
inline constexpr Place kWrong{nullptr, nullptr};

MEDALLION_INLINE inline Place ReadUnsigned(Place from, uint64_t& value) {
  value = 0;
  for (int shift = 0; shift < 64 && from.next != from.end; shift += 7) {
    const auto byte = static_cast<uint8_t>(*from.next++);
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return from;
  }
  return kWrong;
}

MEDALLION_INLINE inline Place ReadBytes(Place from, uint64_t size, std::string_view& bytes) {
  if (size > from.left()) return bytes = {}, kWrong;
  bytes = {from.next, static_cast<size_t>(size)};
  from.next += size;
  return from;
}

MEDALLION_INLINE inline Place ReadText(Place from, std::string_view& text) {
  uint64_t size = 0;
  from = ReadUnsigned(from, size);
  return ReadBytes(from, size, text);
}

// The two digits of each byte.
inline constexpr std::array<char, 512> kDigitPairs = [] {
  constexpr char kHexDigits[] = "0123456789abcdef";
  std::array<char, 512> pairs{};
  for (size_t i = 0; i < 256; ++i) pairs[2 * i] = kHexDigits[i / 16], pairs[2 * i + 1] = kHexDigits[i % 16];
  return pairs;
}();
inline void PutDigits(char byte, char* to) {
  std::memcpy(to, &kDigitPairs[2 * static_cast<uint8_t>(byte)], 2);
}

inline Place ReadUuid(Place from, std::string_view& text, Arena& texts) {
  std::string_view bytes;
  from = ReadBytes(from, kUuidBytes, bytes);
  if (!from.ok()) return from;
  char* const digits = texts.Allocate(kUuidSize);
  for (size_t i = 0; i < kUuidPlaces.size(); i += 2) {
    ReadDigits(bytes.data() + 2 * i, digits + kUuidPlaces[i], digits + kUuidPlaces[i + 1]);
  }
  digits[8] = digits[13] = digits[18] = digits[23] = '-';
  text = {digits, kUuidSize};
  return from;
}

inline Place ReadHex(Place from, std::string_view& text, Arena& texts) {
  uint64_t head = 0;
  std::string_view bytes;
  from = ReadUnsigned(from, head);
  if (head == 1) return ReadUuid(from, text, texts);
  from = ReadBytes(from, head / 2, bytes);
  if (head % 2 == 0) return text = bytes, from;
  char* const digits = texts.Allocate(bytes.size() * 2);
  size_t i = 0;
  for (; i + 4 <= bytes.size(); i += 4) ReadDigits(bytes.data() + i, digits + 2 * i, digits + 2 * i + 4);
  for (; i < bytes.size(); ++i) PutDigits(bytes[i], digits + 2 * i);
  text = {digits, bytes.size() * 2};
  return from;
}

// `kNew`: the row is as it was made, so that what is not there need not be cleared.
template <bool kNew, class Row>
Place ReadRow(Place from, Row& row, Arena& texts);

template <bool kNew = false, class T>
MEDALLION_INLINE inline Place Read(Place from, T& value, Arena& texts) {
  if constexpr (std::same_as<T, std::string_view>) {
    return ReadText(from, value);
  } else if constexpr (std::same_as<T, std::string>) {
    std::string_view text;
    from = ReadText(from, text);
    return value = text, from;
  } else if constexpr (std::same_as<T, Digest>) {
    std::string_view bytes;
    from = ReadBytes(from, value.bytes.size(), bytes);
    if (!bytes.empty()) std::memcpy(value.bytes.data(), bytes.data(), bytes.size());
    return from;
  } else if constexpr (std::same_as<T, UtcTime>) {
    return Read(from, value.us, texts);
  } else if constexpr (std::same_as<T, Thousandths>) {
    return Read(from, value.units, texts);
  } else if constexpr (std::is_enum_v<T> || std::unsigned_integral<T>) {
    uint64_t bits = 0;
    from = ReadUnsigned(from, bits);
    return value = static_cast<T>(bits), from;
  } else if constexpr (std::signed_integral<T>) {
    uint64_t bits = 0;
    from = ReadUnsigned(from, bits);
    return value = static_cast<T>((bits >> 1) ^ (~(bits & 1) + 1)), from;
  } else if constexpr (requires { value.usual; }) {
    return Read(from, value.value, texts);
  } else if constexpr (requires { value.places; }) {
    std::string_view text;
    std::array<char, kDecimalSize> room;
    from = ReadText(from, text);
    if (text.empty() && value.units.has_value())
      text = texts.Copy(DecimalText(*value.units, value.places, room));
    return value.text = text, from;
  } else if constexpr (requires { value.words; }) {
    uint64_t code = 0;
    std::string_view byte;
    from = ReadBytes(from, 1, byte);
    if (!byte.empty()) code = static_cast<uint8_t>(byte[0]);
    if (code == 0) return Read(from, value.text, texts);
    value.text = value.words.WordOf(static_cast<uint8_t>(code));
    return value.text.empty() ? kWrong : from;
  } else if constexpr (requires { value.text; }) {
    std::string_view text;
    from = ReadHex(from, text, texts);
    return value.text = text, from;
  } else if constexpr (requires { value.emplace(); }) {
    return Read(from, value.emplace(), texts);
  } else if constexpr (requires { value.emplace_back(); }) {
    uint64_t size = 0;
    from = ReadUnsigned(from, size);
    for (; size > 0 && from.ok(); --size) from = Read(from, value.emplace_back(), texts);
    return from;
  } else {
    return ReadRow<kNew>(from, value, texts);
  }
}

template <class T>
void SetNull(T& field) {
  if constexpr (std::same_as<T, UtcTime>) {
    field = kNoTime;
  } else if constexpr (requires { field.usual; }) {
    field.value = field.usual;
  } else if constexpr (requires { field.text; }) {
    field.text = {};
  } else {
    field = T{};
  }
}

MEDALLION_INLINE inline Place ReadMask(Place from, unsigned& mask) {
  std::string_view bytes;
  from = ReadBytes(from, kMaskBytes, bytes);
  mask = bytes.empty() ? 0 : static_cast<uint8_t>(bytes[0]) | unsigned{static_cast<uint8_t>(bytes[1])} << 8;
  return from;
}

template <bool kNew, class Row>
Place ReadRow(Place from, Row& row, Arena& texts) {
  unsigned mask = kMoreGroups;
  int field = 0;
  VisitFields(row, [&](auto&& value) MEDALLION_INLINE {
    if (field++ % kGroupFields == 0 && mask != 0) from = ReadMask(from, mask);
    if ((mask & 1) != 0) {
      from = Read<kNew>(from, value, texts);
    } else if constexpr (!kNew) {
      SetNull(value);
    }
    mask >>= 1;
  });
  return from;
}

}  // namespace packing

// Fills each value it is shown, field or row; texts refer to the bytes read or to `texts`. Bytes that no writer wrote
// leave `ok` false and the values anyhow.
class PackReader {
 public:
  PackReader(std::string_view bytes, Arena& texts)
      : place_{bytes.data(), bytes.data() + bytes.size()}, texts_(texts) {}

  template <class T>
  void operator()(T&& value) {
    place_ = packing::Read(place_, value, texts_);
  }
  uint64_t Number() {
    uint64_t number = 0;
    (*this)(number);
    return number;
  }

  std::string_view rest() const { return {place_.next, place_.left()}; }
  bool ok() const { return place_.ok(); }
  bool at_end() const { return place_.next == place_.end; }

 private:
  packing::Place place_;
  Arena& texts_;
};

}  // namespace medallion
