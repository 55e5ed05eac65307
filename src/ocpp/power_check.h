// Whether the power that a station reports contradicts its register: one of them has the wrong unit.
// Pure. Source: the charging domain, section 5, "Plausibility".
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "absl/numeric/int128.h"
#include "medallion/base/columns.h"
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

// Energy over the time in which both register and power are known.
struct Compared {
  absl::int128 us = 0;
  absl::int128 register_mwh = 0;
  absl::int128 power_low = 0;  // mW × µs
  absl::int128 power_high = 0;
  bool operator==(const Compared&) const = default;
};

// Compares the growth of the registers that count with the integral of the power, where both are known: from
// the first power sample to the last. Between two samples power may run anywhere between the two, so the
// integral is a range; a contradiction is a factor of 3 against all of it, over 10 min and 0.5 kWh by either.
// Power that is zero throughout is no wrong unit: such a station does not measure it. `power` in order of
// time. The particulars as JSON; nothing, if there is no contradiction. Cost: linear.
std::optional<std::string> PowerContradiction(const RegisterSeries& series, const SeriesVerdict& verdict,
                                              std::span<const PowerSample> power);
std::optional<std::string> Contradiction(const Compared& sum);

// The same comparison for registers that all continue one another, with both taken one by one in order of time.
// A register counts from the one before it once a power sample at or after it is known; until then it waits.
class PowerComparison {
 public:
  void TakeRegister(UtcTime ts, Thousandths wh);
  void TakePower(const PowerSample& sample);
  const Compared& sum() const { return sum_; }

  // For codecs. `last` is what TakeRegister took last.
  template <class Self, class Visitor>
  static void VisitFields(Self& self, Visitor&& visit) {
    visit(self.power_);
    if (!self.power_.has_value()) return;
    visit(self.counted_), visit(self.waiting_), visit(self.waiting_mwh_);
    visit(self.since_low_), visit(self.since_high_);
    visit(self.sum_.us), visit(self.sum_.register_mwh), visit(self.sum_.power_low),
        visit(self.sum_.power_high);
  }
  void SetLast(UtcTime ts, Thousandths wh) { last_ = {ts, wh}; }

 private:
  struct Reading {
    UtcTime ts;
    Thousandths wh;
  };
  void Count(UtcTime to);

  std::optional<Reading> last_;       // register
  std::optional<PowerSample> power_;  // the last sample
  std::optional<UtcTime>
      counted_;  // up to this register all is in the sum; the first is at or after the first power
  std::optional<UtcTime> waiting_;  // the last register after the last power sample
  absl::int128 waiting_mwh_ = 0;    // growth since the one counted
  absl::int128 since_low_ = 0;      // power from the register counted to the last sample
  absl::int128 since_high_ = 0;
  Compared sum_;
};

}  // namespace medallion::ocpp
