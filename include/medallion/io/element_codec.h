// Elements as bytes: how the stores that come with the library keep a row with its identity and standing.
// A row type offers VisitFields(row, visit), which shows its own fields in a fixed order, and AttachIdentity(row,
// identity), which sets both sides of what the two share (an event id, a coordinate) after reading.
//
//   element  := shape, fate, conflict, differs, filled
//               unit?, business_key?, entity?          32 bytes each, only where `shape` says so
//               cut, fact, event_id, values            values: a mask, then 8 bytes for each known one
//               event_ts, ingest_ts, topic, partition, offset, ordinal, payload digest
//               winner order, since?                   only of duplicates and conflicts
//               value_from?                            a coordinate for each bit of `filled`
//               violations, reason, detail
//               the row's own fields
//   integer  := LEB128, signed ones in zigzag
//   time     := signed integer
//   text     := length, bytes
//   optional := 0 | 1, value
//
// Pure. Safe from any thread.
#pragma once

#include <concepts>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "medallion/base/columns.h"
#include "medallion/silver/element.h"

namespace medallion {

// Writes each field it is shown.
class PackWriter {
 public:
  explicit PackWriter(std::string& out) : out_(out) {}

  void operator()(std::string_view text) {
    Unsigned(text.size());
    out_.append(text);
  }
  void operator()(const Digest& digest) {
    out_.append(reinterpret_cast<const char*>(digest.bytes.data()), digest.bytes.size());
  }
  void operator()(UtcTime time) { (*this)(time.us); }
  void operator()(Thousandths amount) { (*this)(amount.units); }
  template <std::integral T>
  void operator()(T value) {
    if constexpr (std::is_signed_v<T>) {
      Unsigned((static_cast<uint64_t>(value) << 1) ^
               static_cast<uint64_t>(static_cast<int64_t>(value) >> 63));
    } else {
      Unsigned(value);
    }
  }
  template <class T>
    requires std::is_enum_v<T>
  void operator()(T value) { Unsigned(static_cast<uint64_t>(value)); }
  template <class T>
  void operator()(const std::optional<T>& value) {
    (*this)(value.has_value());
    if (value) (*this)(*value);
  }

 private:
  void Unsigned(uint64_t value) {
    while (value >= 0x80) {
      out_.push_back(static_cast<char>(value | 0x80));
      value >>= 7;
    }
    out_.push_back(static_cast<char>(value));
  }
  std::string& out_;
};

// Fills each field it is shown; texts refer to the bytes read. Bytes that are no packed element leave `ok` false and the
// fields anyhow.
class PackReader {
 public:
  explicit PackReader(std::string_view bytes) : next_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  void operator()(std::string_view& text) {
    const uint64_t size = Unsigned();
    text = Take(size) ? std::string_view(next_ - size, size) : std::string_view();
  }
  void operator()(Digest& digest) {
    if (Take(digest.bytes.size()))
      std::memcpy(digest.bytes.data(), next_ - digest.bytes.size(), digest.bytes.size());
  }
  void operator()(UtcTime& time) { (*this)(time.us); }
  void operator()(Thousandths& amount) { (*this)(amount.units); }
  template <std::integral T>
  void operator()(T& value) {
    const uint64_t bits = Unsigned();
    if constexpr (std::is_signed_v<T>) {
      value = static_cast<T>((bits >> 1) ^ (~(bits & 1) + 1));
    } else {
      value = static_cast<T>(bits);
    }
  }
  template <class T>
    requires std::is_enum_v<T>
  void operator()(T& value) { value = static_cast<T>(Unsigned()); }
  template <class T>
  void operator()(std::optional<T>& value) {
    bool present = false;
    (*this)(present);
    if (!present) return value.reset();
    T inner{};
    (*this)(inner);
    value = inner;
  }

  bool ok() const { return ok_; }
  bool at_end() const { return next_ == end_; }

 private:
  bool Take(uint64_t size) {
    ok_ = ok_ && size <= static_cast<uint64_t>(end_ - next_);
    if (ok_) next_ += size;
    return ok_;
  }
  uint64_t Unsigned() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64 && Take(1); shift += 7) {
      const auto byte = static_cast<uint8_t>(next_[-1]);
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    ok_ = false;
    return 0;
  }
  const char* next_;
  const char* end_;
  bool ok_ = true;
};

namespace codec {

// Bits of `shape`: which digests are written, and which are copies.
inline constexpr uint8_t kHasUnit = 1, kUnitIsKey = 2, kHasEntity = 4, kEntityIsUnit = 8;

template <class Row>
uint8_t ShapeOf(const Element<Row>& element) {
  const Identity& identity = element.identity;
  unsigned shape = 0;
  if (element.to_settle()) shape |= identity.unit == identity.business_key ? kHasUnit | kUnitIsKey : kHasUnit;
  if (element.entity != EntityKey{})
    shape |= element.entity == identity.unit ? kHasEntity | kEntityIsUnit : kHasEntity;
  return static_cast<uint8_t>(shape);
}

template <class Order, class Io>
void VisitOrder(Order& order, Io& io) {
  io(order.event_ts), io(order.ingest_ts), io(order.at.topic), io(order.at.partition), io(order.at.offset);
  io(order.ordinal), io(order.payload);
}

// Shows every field to `io`, a PackWriter or a PackReader. Element may be const.
template <class Element, class Io>
void VisitElement(Element& element, uint8_t shape, Io& io) {
  auto& identity = element.identity;
  auto& standing = element.standing;
  io(standing.fate), io(standing.conflict), io(standing.differs), io(standing.filled);
  if ((shape & kHasUnit) != 0) io(identity.business_key);
  if ((shape & (kHasUnit | kUnitIsKey)) == kHasUnit) io(identity.unit);
  if ((shape & (kHasEntity | kEntityIsUnit)) == kHasEntity) io(element.entity);
  io(identity.cut), io(identity.fact), io(identity.event_id), io(identity.values.known);
  for (int i = 0; i < kValuesMax; ++i) {
    if ((identity.values.known >> i & 1) != 0) io(identity.values.field[static_cast<size_t>(i)]);
  }
  VisitOrder(identity.order, io);
  if (standing.conflict || standing.fate == Fate::kTechnicalDuplicate ||
      standing.fate == Fate::kBusinessDuplicate) {
    io(standing.winner.event_id);
    VisitOrder(standing.winner, io);
    io(standing.since);
  }
  for (size_t i = 0; i < kValuesMax; ++i) {
    if ((standing.filled >> i & 1) == 0) continue;
    io(standing.value_from[i].topic), io(standing.value_from[i].partition), io(standing.value_from[i].offset);
  }
  io(element.violations), io(element.reason), io(element.detail);
  VisitFields(element.row, io);
}

}  // namespace codec

template <class Row>
void PackElement(const Element<Row>& element, std::string& out) {
  PackWriter io(out);
  const uint8_t shape = codec::ShapeOf(element);
  io(shape);
  codec::VisitElement(element, shape, io);
}

// False if the bytes are not what PackElement wrote. The element's texts refer to `bytes`.
template <class Row>
bool UnpackElement(std::string_view bytes, Element<Row>& element) {
  PackReader io(bytes);
  uint8_t shape = 0;
  io(shape);
  codec::VisitElement(element, shape, io);
  Identity& identity = element.identity;
  if ((shape & codec::kUnitIsKey) != 0) identity.unit = identity.business_key;
  if ((shape & codec::kEntityIsUnit) != 0) element.entity = identity.unit;
  AttachIdentity(element.row, identity);
  return io.ok() && io.at_end();
}

}  // namespace medallion
