#include "power_check.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>

#include "absl/numeric/int128.h"
#include "medallion/base/decimal.h"

namespace medallion::ocpp {
namespace {

using absl::int128;

constexpr int kContradiction = 3;
constexpr int64_t kTimeMin = 10 * kMicrosPerMinute;
constexpr int64_t kEnergyMin = 500'000;                        // mWh
constexpr int64_t kMilliWattMicrosPerMilliWh = 3'600'000'000;  // mW × µs = mWh × this
constexpr int64_t kMilliWattMax = 1'000'000'000'000'000;

// Energy over the time in which both register and power are known.
struct Compared {
  int128 us = 0;
  int128 register_mwh = 0;
  int128 power_low = 0;  // mW × µs
  int128 power_high = 0;
};

// Adds the power's range from `from` to `to`. `at` is the last sample not after `from`, and moves on with it.
void Integrate(std::span<const PowerSample> power, UtcTime from, UtcTime to, size_t& at, Compared& sum) {
  while (at + 1 < power.size() && power[at + 1].ts <= from) ++at;
  for (size_t i = at; i + 1 < power.size() && power[i].ts < to; ++i) {
    const int128 us = int128(std::min(to, power[i + 1].ts).us) - std::max(from, power[i].ts).us;
    const auto [low, high] = std::minmax(power[i].milli_watt, power[i + 1].milli_watt);
    sum.power_low += us * low;
    sum.power_high += us * high;
    at = i;
  }
}

Compared Compare(const RegisterSeries& series, const SeriesVerdict& verdict,
                 std::span<const PowerSample> power) {
  Compared sum;
  size_t at = 0;
  for (size_t i = 1; i < verdict.valid.size(); ++i) {
    if (verdict.segment_of[i] != verdict.segment_of[i - 1]) continue;
    const Register& from = series.registers[verdict.valid[i - 1]];
    const Register& to = series.registers[verdict.valid[i]];
    if (from.ts < power.front().ts || to.ts > power.back().ts || to.ts <= from.ts) continue;
    sum.us += int128(to.ts.us) - from.ts.us;
    sum.register_mwh += int128(to.wh.units) - from.wh.units;
    Integrate(power, from.ts, to.ts, at, sum);
  }
  return sum;
}

Thousandths MilliWh(int128 milli_watt_micros) {
  const int128 value = milli_watt_micros / kMilliWattMicrosPerMilliWh;
  return {static_cast<int64_t>(std::min(value, int128(std::numeric_limits<int64_t>::max())))};
}

}  // namespace

std::optional<PowerSample> PowerOf(const ChargingEvent& event) {
  if (event.measurand != "Power.Active.Import" || !event.phase.empty()) return std::nullopt;
  const bool kilo = event.unit == "kW";
  if (!kilo && event.unit != "W" && !event.unit.empty()) return std::nullopt;
  const std::optional<Decimal> watt = Decimal::Parse(event.value, kilo ? 3 : 0);
  const std::optional<int64_t> milli_watt = watt.has_value() ? watt->Rounded(3) : std::nullopt;
  if (!milli_watt.has_value() || *milli_watt >= kMilliWattMax) return std::nullopt;
  return PowerSample{event.event_ts, std::max(int64_t{0}, *milli_watt)};
}

std::optional<std::string> PowerContradiction(const RegisterSeries& series, const SeriesVerdict& verdict,
                                              std::span<const PowerSample> power) {
  if (power.empty()) return std::nullopt;
  const Compared sum = Compare(series, verdict, power);
  if (sum.us < kTimeMin || sum.power_high == 0) return std::nullopt;
  const int128 register_energy = std::max(int128(0), sum.register_mwh) * kMilliWattMicrosPerMilliWh;
  const int128 enough = int128(kEnergyMin) * kMilliWattMicrosPerMilliWh;
  const bool power_above = sum.power_low >= enough && sum.power_low >= register_energy * kContradiction;
  const bool register_above = register_energy >= enough && register_energy >= sum.power_high * kContradiction;
  if (!power_above && !register_above) return std::nullopt;
  return "{" + Amount("register_wh", MilliWh(register_energy)) + "," +
         Amount("power_wh_min", MilliWh(sum.power_low)) + "," +
         Amount("power_wh_max", MilliWh(sum.power_high)) + "}";
}

}  // namespace medallion::ocpp
