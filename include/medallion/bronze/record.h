// What arrives: a payload as it was received, where it came from, and when.
#pragma once

#include <compare>
#include <cstdint>
#include <string_view>

#include "medallion/base/digest.h"
#include "medallion/base/text.h"
#include "medallion/base/time.h"

namespace medallion {

// Where a record was read from. A file is a topic, a line number an offset.
struct Coordinate {
  std::string_view topic;
  int32_t partition = 0;
  int64_t offset = 0;
  bool operator==(const Coordinate& other) const {
    return offset == other.offset && partition == other.partition && SameText(topic, other.topic);
  }
  // By topic, partition, offset; most that are compared are of one topic.
  std::strong_ordering operator<=>(const Coordinate& other) const {
    if (!SameText(topic, other.topic)) return topic <=> other.topic;
    return partition != other.partition ? partition <=> other.partition : offset <=> other.offset;
  }
};

enum class Direction : uint8_t {
  kIn,   // from the device to the host
  kOut,  // from the host to the device
};

// One record of a feed. Refers to the memory of whoever read it; absent texts are empty.
struct BronzeRecord {
  std::string_view payload = {};
  Coordinate at = {};
  std::string_view key = {};    // the broker's key
  UtcTime broker_ts = kNoTime;  // when the broker took it
  UtcTime ingest_ts = kNoTime;  // when the host received it, by the host's own clock
  Direction direction = Direction::kIn;
  std::string_view version = {};  // of the protocol the payload is written in
  std::string_view connection_id = {};
};

// A record is its coordinate and its payload: the same coordinate with another payload (a topic was made anew)
// is another record.
struct RecordId {
  Coordinate at;
  Digest payload;  // SHA-256 of the payload's bytes
  auto operator<=>(const RecordId&) const = default;

  template <typename H>
  friend H AbslHashValue(H h, const RecordId& id) {
    return H::combine(std::move(h), id.at.offset, id.payload);
  }
};

inline RecordId IdOf(const BronzeRecord& record) { return {record.at, Sha256(record.payload)}; }

// What may differ between two deliveries of one record.
struct Arrival {
  UtcTime broker_ts = kNoTime;
  UtcTime ingest_ts = kNoTime;
  std::string_view key = {};
  std::string_view version = {};
  std::string_view connection_id = {};
  Direction direction = Direction::kIn;
  auto operator<=>(const Arrival&) const = default;
};
Arrival ArrivalOf(const BronzeRecord& record);
void SetArrival(const Arrival& arrival, BronzeRecord& record);

// The arrival that stands for a record delivered as `a` and as `b`: the smallest of each that was given.
Arrival Earliest(const Arrival& a, const Arrival& b);

}  // namespace medallion
