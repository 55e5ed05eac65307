#include "medallion/gold/data_clock.h"

#include <algorithm>

namespace medallion {

UtcTime Advance(UtcTime clock, UtcTime broker_ts, UtcTime ingest_ts) {
  const bool strange =
      broker_ts != kNoTime && ingest_ts != kNoTime && ingest_ts.us - kMicrosPerDay > broker_ts.us;
  return strange ? clock : std::max(clock, ingest_ts);
}

}  // namespace medallion
