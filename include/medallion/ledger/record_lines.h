// Lines of the command-line tool and the examples: Bronze records as JSON lines.
// Source: the ledger domain, section 1.
#pragma once

#include <memory>
#include <string_view>

#include "medallion/base/arena.h"
#include "medallion/bronze/record.h"

namespace medallion::ledger {

// Decodes lines. A line is a value (a native event, a change record, `null` for a tombstone), or
//
//   {"key":…,"value":…,"headers":{…},"topic":…,"partition":…,"offset":…,"broker_ts":…,"ingest_ts":…}
//
// of which only the value is required. The payload is the value's own text; with headers it is an object of `headers`,
// `key` and `value`, for a record keeps no headers beside its payload. Never fails: a line that is no JSON is a payload
// by itself, and refining says what is wrong with it. One thread at a time.
class RecordLines {
 public:
  RecordLines();
  ~RecordLines();
  RecordLines(RecordLines&&) noexcept;
  RecordLines& operator=(RecordLines&&) noexcept;

  // A LineDecoder, see io/line_source.h.
  BronzeRecord Decode(std::string_view line, const Coordinate& at, Arena& texts);

 private:
  struct Scratch;
  std::unique_ptr<Scratch> scratch_;
};

}  // namespace medallion::ledger
