// Refining frames: from a record to elements, before they are identified.
// One thread at a time; keeps memory only. Source: the charging domain, 6.
#pragma once

#include <cstdint>
#include <vector>

#include "frames/reader.h"
#include "medallion/base/arena.h"
#include "medallion/bronze/record.h"
#include "medallion/ocpp/charging_event.h"
#include "medallion/ocpp/options.h"

namespace medallion::ocpp {

class FrameRefiner {
 public:
  // `options` must outlive it.
  explicit FrameRefiner(const Options& options) : options_(options), reader_(options.payload_bytes_max) {}

  // Adds the elements of a record whose payload is a frame (see IsFrame): at least one.
  void Refine(const BronzeRecord& record, Arena& texts, std::vector<ChargingElement>& elements);

  // Of all frames so far: fields that were kept though the tables do not name them.
  uint64_t unknown_fields() const { return unknown_fields_; }

 private:
  const Options& options_;
  FrameReader reader_;
  uint64_t unknown_fields_ = 0;
};

}  // namespace medallion::ocpp
