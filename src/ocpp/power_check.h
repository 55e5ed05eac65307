// Whether the power that a station reports contradicts its register: one of them has the wrong unit.
// Pure. Source: the charging domain, section 5, "Plausibility".
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "medallion/base/time.h"
#include "medallion/ocpp/charging_event.h"
#include "register_series.h"

namespace medallion::ocpp {

// The active import power that a row reports, in mW; an absent unit means W. Nothing, if the row is no such
// reading of all phases, or no power below 10^12 W.
struct PowerSample {
  UtcTime ts;
  int64_t milli_watt = 0;
};
std::optional<PowerSample> PowerOf(const ChargingEvent& event);

// Compares the growth of the registers that count with the integral of the power, where both are known: from
// the first power sample to the last. Between two samples power may run anywhere between the two, so the
// integral is a range; a contradiction is a factor of 3 against all of it, over 10 min and 0.5 kWh by either.
// Power that is zero throughout is no wrong unit: such a station does not measure it. `power` in order of
// time. The particulars as JSON; nothing, if there is no contradiction. Cost: linear.
std::optional<std::string> PowerContradiction(const RegisterSeries& series, const SeriesVerdict& verdict,
                                              std::span<const PowerSample> power);

}  // namespace medallion::ocpp
