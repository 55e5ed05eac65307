// Where records come from. A host implements two functions over its broker, table or files.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "medallion/bronze/record.h"

namespace medallion {

// A stretch of a feed, and where it ends.
struct SourceBatch {
  std::vector<BronzeRecord> records = {};
  // Keeps what the records refer to, so that a batch can be worked on while the next is read. Null where that is the
  // source's for as long as it lives.
  std::shared_ptr<const void> owner = {};
  std::string position = {};  // after the last record; opaque to everyone but the source
  bool at_end = false;        // nothing more for now
  // Where the source left something to do: makes the records what they are. Once, on any thread. The source must live.
  std::function<void(std::vector<BronzeRecord>& records)> finish = {};
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

  // The same for a caller with many threads: the batch may have something left to `finish`. Of the records only their
  // number is certain before.
  virtual absl::StatusOr<SourceBatch> ReadAhead(size_t records_max) { return Read(records_max); }
};

}  // namespace medallion
