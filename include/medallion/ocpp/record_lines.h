// Lines of the command-line tool and the examples: Bronze records as JSON lines.
// Source: the charging domain, section 1.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "medallion/base/arena.h"
#include "medallion/bronze/record.h"

namespace medallion::ocpp {

enum class LineFormat : uint8_t {
  kAuto,  // told from each line
  kWrapped,  // {"topic":…,"partition":…,"offset":…,"key":…,"broker_ts":…,"ingest_ts":…,"payload":…}
  kBare,  // the line is the payload
};

// How often a line left something out, and what stood in for it.
struct LineDefaults {
  int64_t topic = 0;      // the topic given to the source
  int64_t offset = 0;     // the number of the line
  int64_t ingest_ts = 0;  // broker_ts, else the event's own
};

// Decodes lines. Of a wrapped record only the payload is required: `payload` or `value_text` as text, `value` as JSON, whose
// own text is the payload, or `value_b64`. Recorded frames may have other names:
// {"ts":…,"charge_point_id":…,"direction":…,"protocol":"ocpp1.6","frame":[…]}. Never fails: a line that is no JSON is a
// payload by itself, and refining says what is wrong with it. One thread at a time.
class RecordLines {
 public:
  explicit RecordLines(LineFormat format = LineFormat::kAuto);
  ~RecordLines();
  RecordLines(RecordLines&&) noexcept;
  RecordLines& operator=(RecordLines&&) noexcept;

  // A LineDecoder, see io/line_source.h.
  BronzeRecord Decode(std::string_view line, const Coordinate& at, Arena& texts);

  const LineDefaults& defaults() const;

 private:
  struct Scratch;
  std::unique_ptr<Scratch> scratch_;
};

}  // namespace medallion::ocpp
