// The data clock: how far the data has come. Never the wall clock, and never goes back.
// Pure. Source: the design, section 2.
#pragma once

#include "medallion/base/time.h"
#include "medallion/bronze/record.h"

namespace medallion {

// The clock after a record that was ingested at `ingest_ts` and reached the broker at `broker_ts`.
// A record whose ingest_ts lies over a day after its broker_ts does not move it.
UtcTime Advance(UtcTime clock, UtcTime broker_ts, UtcTime ingest_ts);

}  // namespace medallion
