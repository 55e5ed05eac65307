// What a charging dashboard shows beside the metrics of all packs (io/metrics.h).
//
//   medallion_entities_open{state}             gauge: sessions that are not completed
//   medallion_sessions{age,final}              gauge: sessions by the time from their start, or last event, to the data clock
//   medallion_sessions_not_final_ratio{age}    gauge: the share of them whose energy is not final
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "medallion/base/time.h"
#include "medallion/io/metrics.h"
#include "medallion/io/tables.h"

namespace medallion::ocpp {

// Reads every session. Errors are those of `tables`.
absl::StatusOr<std::vector<Metric>> MeasureSessions(Tables& tables, UtcTime data_clock);

// Of the store's tables: the metrics of all packs, then these.
absl::StatusOr<std::vector<Metric>> MeasureCharging(Tables& tables, UtcTime data_clock,
                                                    UtcTime now = kNoTime);

}  // namespace medallion::ocpp
