// Elements as bytes, for stores: base/pack.h says how values are written. Beside VisitFields a row type offers
// AttachIdentity(row, identity), which sets both sides of what the two share (an event id, a coordinate) after reading,
// and ValuesOf(row), the values that settling compares.
//
//   element  := shape, ingest_ts - event_ts, event_ts
//               business_key?, unit?          only where `shape` says so
//               cut, fact                     only where `shape` says so
//               standing?                     only where it is not that of a plain Silver row:
//                 fate, conflict, differs, filled, winner order, since
//                 a coordinate for each bit of `filled`; then the row's own values: a mask, those that it has a bit for
//               texts?                        only where there are any: violations, reason, detail, review?
//               milestone, confirms?          only where it is one, or does
//               the row
//   whole    := element, entity?, topic, partition, offset, payload digest, ordinal
//
// A store that knows an element's record, ordinal and entity by its own means writes the first, others the whole.
// Pure. Safe from any thread.
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>

#include "medallion/base/pack.h"
#include "medallion/silver/element.h"

namespace medallion {

namespace codec {

// Bits of `shape`: what is there, and which digests are copies.
inline constexpr uint8_t kHasUnit = 1, kUnitIsKey = 2, kHasEntity = 4, kUnitIsEntity = 8, kHasCut = 16,
                         kHasStanding = 32, kHasTexts = 64, kHasMilestone = 128;

template <class Row>
uint8_t ShapeOf(const Element<Row>& element) {
  const Identity& identity = element.identity;
  const Standing& standing = element.standing;
  unsigned shape = element.entity != EntityKey{} ? kHasEntity : 0u;
  if (element.to_settle()) {
    shape |= kHasUnit;
    if (identity.unit == identity.business_key) shape |= kUnitIsKey;
    if (identity.unit == element.entity) shape |= kUnitIsEntity;
  }
  if (identity.cut != 0 || identity.fact != 0) shape |= kHasCut;
  if (standing.fate != Fate::kSilver || standing.filled != 0) shape |= kHasStanding;
  const bool texts = !element.violations.empty() || !element.reason.empty() || !element.detail.empty();
  if (texts || element.review != nullptr) shape |= kHasTexts;
  if (element.milestone != Milestone::kNone || element.confirms) shape |= kHasMilestone;
  return static_cast<uint8_t>(shape);
}

template <class Coordinate, class Io>
void VisitCoordinate(Coordinate& at, Io& io) {
  io(at.topic), io(at.partition), io(at.offset);
}

template <class Element, class Io>
void VisitStanding(Element& element, Io& io) {
  auto& standing = element.standing;
  Others others = *standing.others;
  io(standing.fate), io(standing.conflict), io(standing.differs), io(standing.filled);
  auto& winner = others.winner;
  io(winner.event_id), io(winner.event_ts), io(winner.ingest_ts);
  VisitCoordinate(winner.at, io);
  io(winner.ordinal), io(winner.payload), io(standing.since);
  for (size_t i = 0; i < kValuesMax; ++i) {
    if ((standing.filled >> i & 1) != 0) VisitCoordinate(others.value_from[i], io);
  }
  if constexpr (!std::is_const_v<Element> && requires { io.texts; }) standing.others = io.texts.Keep(others);
  io(element.identity.values.known);
  for (size_t i = 0; i < kValuesMax; ++i) {
    if ((element.identity.values.known >> i & 1) != 0) io(element.identity.values.field[i]);
  }
}

template <class Element, class Io>
void VisitReview(Element& element, Io& io) {
  bool reviewed = element.review != nullptr;
  io(reviewed);
  if (!reviewed) return;
  Reviewed review = element.review != nullptr ? *element.review : Reviewed{};
  io(review);
  if constexpr (!std::is_const_v<Element> && requires { io.texts; }) element.review = io.texts.Keep(review);
}

// Shows all but the shape, the lag, the record and the entity to `io`, which writes, reads or measures.
template <class Element, class Io>
MEDALLION_INLINE inline void VisitElement(Element& element, uint8_t shape, Io& io) {
  auto& identity = element.identity;
  io(identity.order.event_ts);
  if ((shape & kHasUnit) != 0) io(identity.business_key);
  if ((shape & (kHasUnit | kUnitIsKey | kUnitIsEntity)) == kHasUnit) io(identity.unit);
  if ((shape & kHasCut) != 0) io(identity.cut), io(identity.fact);
  if ((shape & kHasStanding) != 0) VisitStanding(element, io);
  if ((shape & kHasTexts) != 0) {
    io(element.violations), io(element.reason), io(element.detail);
    VisitReview(element, io);
  }
  if ((shape & kHasMilestone) != 0) io(element.milestone), io(element.confirms);
  io(element.row);
}

struct Writer {
  char* to;
  template <class T>
  MEDALLION_INLINE void operator()(const T& value) {
    to = packing::Write(to, value);
  }
};

struct Reader {
  packing::Place from;
  Arena& texts;
  template <class T>
  MEDALLION_INLINE void operator()(T& value) {
    from = packing::Read<true>(from, value, texts);
  }
};

// Restores what the row and the shape say of the identity.
template <class Row>
void Complete(uint8_t shape, Element<Row>& element) {
  Identity& identity = element.identity;
  if ((shape & kUnitIsKey) != 0) identity.unit = identity.business_key;
  if ((shape & kUnitIsEntity) != 0) identity.unit = element.entity;
  AttachIdentity(element.row, identity);
}

// The difference of two instants, whatever they are; undone by Plus.
inline int64_t Minus(UtcTime a, UtcTime b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a.us) - static_cast<uint64_t>(b.us));
}
inline UtcTime Plus(UtcTime a, int64_t by) {
  return {static_cast<int64_t>(static_cast<uint64_t>(a.us) + static_cast<uint64_t>(by))};
}

}  // namespace codec

// Appends the element without its record, ordinal and entity.
template <class Row>
void PackElement(const Element<Row>& element, PackWriter& out) {
  const uint8_t shape = codec::ShapeOf(element);
  packing::SizeOf size{2 * packing::kNumberBytesMax};
  codec::VisitElement(element, shape, size);
  codec::Writer io{out.Room(size.bytes)};
  const Order& order = element.identity.order;
  io(shape), io(codec::Minus(order.ingest_ts, order.event_ts));  // the second is short in most feeds
  codec::VisitElement(element, shape, io);
  out.Finish(io.to);
}

// Appends all of it.
template <class Row>
void PackWhole(const Element<Row>& element, PackWriter& out) {
  PackElement(element, out);
  if (element.entity != EntityKey{}) out(element.entity);
  codec::VisitCoordinate(element.identity.order.at, out);
  out(element.identity.order.payload), out(element.identity.order.ordinal);
}

// What the store knows of an element by its own means.
struct Owner {
  ElementId id;
  EntityKey entity;
};

namespace codec {

template <class Row>
uint8_t Unpack(Reader& io, Element<Row>& element) {
  uint8_t shape = 0;
  int64_t lag = 0;
  io(shape), io(lag);
  VisitElement(element, shape, io);
  Order& order = element.identity.order;
  order.ingest_ts = Plus(order.event_ts, lag);
  return shape;
}

}  // namespace codec

// Sets what settling looks at and deriving does not.
template <class Row>
void RestoreValues(Element<Row>& element) {
  if (!element.to_settle()) return;
  element.identity.event_id = Fingerprint(element.identity.order.event_id);
  const bool plain = element.standing.fate == Fate::kSilver && element.standing.filled == 0;
  if (plain) element.identity.values = ValuesOf(element.row);
}

// False if the bytes are not what PackElement wrote of an element of `owner`; the element is a new one. Its texts refer
// to `bytes`, `texts` and `owner`. Its event id's digest and values are left to RestoreValues.
template <class Row>
bool UnpackElement(std::string_view bytes, const Owner& owner, Element<Row>& element, Arena& texts) {
  codec::Reader io{{bytes.data(), bytes.data() + bytes.size()}, texts};
  const uint8_t shape = codec::Unpack(io, element);
  element.identity.order.at = owner.id.record.at;
  element.identity.order.payload = owner.id.record.payload;
  element.identity.order.ordinal = owner.id.ordinal;
  if ((shape & codec::kHasEntity) != 0) element.entity = owner.entity;
  codec::Complete(shape, element);
  return io.from.ok() && io.from.left() == 0;
}

// The same for PackWhole, values restored.
template <class Row>
bool UnpackWhole(std::string_view bytes, Element<Row>& element, Arena& texts) {
  codec::Reader io{{bytes.data(), bytes.data() + bytes.size()}, texts};
  const uint8_t shape = codec::Unpack(io, element);
  if ((shape & codec::kHasEntity) != 0) io(element.entity);
  codec::VisitCoordinate(element.identity.order.at, io);
  io(element.identity.order.payload), io(element.identity.order.ordinal);
  codec::Complete(shape, element);
  RestoreValues(element);
  return io.from.ok() && io.from.left() == 0;
}

// The business key of an element that was written by PackElement and is to be settled, without reading the rest.
inline Digest UnpackKey(std::string_view bytes) {
  Arena none;
  PackReader io(bytes, none);
  uint8_t shape = 0;
  int64_t lag = 0;
  UtcTime event_ts;
  Digest business_key;
  io(shape), io(lag), io(event_ts), io(business_key);
  return business_key;
}

// The unit, likewise.
inline Digest UnpackUnit(std::string_view bytes, const EntityKey& entity) {
  Arena none;
  PackReader io(bytes, none);
  uint8_t shape = 0;
  int64_t lag = 0;
  UtcTime event_ts;
  Digest business_key, unit;
  io(shape), io(lag), io(event_ts);
  if ((shape & codec::kUnitIsEntity) != 0) return entity;
  io(business_key);
  if ((shape & codec::kUnitIsKey) != 0) return business_key;
  return io(unit), unit;
}

}  // namespace medallion
