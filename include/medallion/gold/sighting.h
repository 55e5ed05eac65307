// Sightings: what is known of a subject (a charge point) by the largest of many times or numbers, whatever element they
// came with: when it was last heard of. Kept as a running maximum, never as a history.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "medallion/base/time.h"
#include "medallion/bronze/record.h"
#include "medallion/silver/element.h"

namespace medallion {

struct Sighting {
  static constexpr int64_t kNever = std::numeric_limits<int64_t>::min();

  UtcTime ingest_ts = kNoTime;  // the latest
  std::array<int64_t, 3> most = {kNever, kNever,
                                 kNever};  // what the pack makes of an element; the largest each

  void Take(const Sighting& other) {
    ingest_ts = std::max(ingest_ts, other.ingest_ts);
    for (size_t i = 0; i < most.size(); ++i) most[i] = std::max(most[i], other.most[i]);
  }
  // Whether a maximum may be what it is by `one`, which was taken: without it, the subject must be counted again.
  bool RestsOn(const Sighting& one) const {
    bool rests = ingest_ts == one.ingest_ts;
    for (size_t i = 0; i < most.size(); ++i) {
      rests = rests || (one.most[i] != kNever && most[i] == one.most[i]);
    }
    return rests;
  }
  bool operator==(const Sighting&) const = default;
};

// Whether the pack makes rows of sightings: see SightingOf in io/run.h.
template <class Pack>
concept Sights = requires(const Element<typename Pack::Event>& element) {
  Pack::SightingOf(element, Direction::kIn);
};

}  // namespace medallion
