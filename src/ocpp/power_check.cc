#include "power_check.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>

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
  return power.empty() ? std::nullopt : Contradiction(Compare(series, verdict, power));
}

std::optional<std::string> Contradiction(const Compared& sum) {
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

// All registers up to the one at `to` are between power samples.
void PowerComparison::Count(UtcTime to) {
  sum_.us += int128(to.us) - counted_->us;
  sum_.register_mwh += waiting_mwh_;
  sum_.power_low += since_low_;
  sum_.power_high += since_high_;
  counted_ = to;
  waiting_.reset();
  waiting_mwh_ = since_low_ = since_high_ = 0;
}

void PowerComparison::TakeRegister(UtcTime ts, Thousandths wh) {
  const std::optional<Reading> before = std::exchange(last_, Reading{ts, wh});
  if (!power_.has_value()) return;
  if (!counted_.has_value()) {
    counted_ = ts;
    return;
  }
  if (ts <= before->ts) return;  // no time went by
  waiting_mwh_ += int128(wh.units) - before->wh.units;
  waiting_ = ts;
  if (ts <= power_->ts) Count(ts);
}

void PowerComparison::TakePower(const PowerSample& sample) {
  const std::optional<PowerSample> before = std::exchange(power_, sample);
  if (!before.has_value() && last_.has_value() && last_->ts == sample.ts) counted_ = sample.ts;
  if (!before.has_value() || !counted_.has_value()) return;
  const int64_t low = std::min(before->milli_watt, sample.milli_watt);
  const int64_t high = std::max(before->milli_watt, sample.milli_watt);
  const auto add = [&](UtcTime to) {
    const int128 us = int128(to.us) - std::max(before->ts, *counted_).us;
    since_low_ += us * low;
    since_high_ += us * high;
  };
  if (waiting_.has_value()) {
    add(*waiting_);
    Count(*waiting_);
  }
  add(sample.ts);
}

}  // namespace medallion::ocpp
