// Where records come from. A host implements two functions over its broker, table or files.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "medallion/bronze/record.h"

namespace medallion {

// A stretch of a feed, and where it ends.
struct SourceBatch {
  std::span<const BronzeRecord> records;  // and what they refer to: valid until the next call of the source
  std::string position;                   // after the last record; opaque to everyone but the source
  bool at_end = false;                    // nothing more for now
};

// One thread at a time. Errors: Unavailable if trying again may help; any other ends the run.
class Source {
 public:
  virtual ~Source() = default;

  // Goes to a position that this source gave out earlier, or to the beginning for an empty one. A source that can
  // no longer vouch for the position (the file was replaced) goes to the beginning: delivering twice is harmless.
  virtual absl::Status Seek(std::string_view position) = 0;

  // Up to `records_max` records; fewer where they are large. `at_end` may come with the last records or without any.
  virtual absl::StatusOr<SourceBatch> Read(size_t records_max) = 0;
};

}  // namespace medallion
