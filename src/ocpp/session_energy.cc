#include "session_energy.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/numeric/int128.h"
#include "medallion/base/decimal.h"
#include "medallion/base/text.h"
#include "power_check.h"
#include "register_series.h"

namespace medallion::ocpp {
namespace {

using absl::int128;
using Registers = std::vector<Register>;

constexpr std::string_view kRegister = "Energy.Active.Import.Register";
constexpr std::string_view kInterval = "Energy.Active.Import.Interval";
constexpr std::string_view kPower = "Power.Active.Import";
constexpr std::string_view kBegin = "Transaction.Begin";
constexpr std::string_view kEnd = "Transaction.End";

Limits LimitsOf(const SessionFacts& facts, const Options& options) {
  Limits limits{.power_max_w = options.power_max_w, .session_energy_max_wh = options.session_energy_max_wh};
  const std::optional<int32_t> connector = FirstKnown(facts, &ChargingEvent::connector_id);
  const auto own = options.power_max_w_of.find(
      {AsciiUpper(facts.silver.front()->row.charge_point_id), connector.value_or(0)});
  if (connector.has_value() && own != options.power_max_w_of.end()) limits.power_max_w = own->second;
  const Window window = WindowOf(facts);
  limits.times_known = window.from <= window.to;
  return limits;
}

// An energy reading in Wh; an absent unit means Wh.
std::optional<Decimal> WattHours(const ChargingEvent& reading) {
  if (reading.unit.empty() || reading.unit == "Wh") return Decimal::Parse(reading.value);
  if (reading.unit == "kWh") return Decimal::Parse(reading.value, 3);
  if (reading.unit == "MWh") return Decimal::Parse(reading.value, 6);
  return std::nullopt;
}

// The rows' readings inside the session, at the best location that has any.
// `of` gives a row's reading, or nothing if it is not one of those looked for.
template <class Of>
auto AtBestLocation(const SessionFacts& facts, const Of& of) {
  using Reading = typename decltype(of(*facts.silver.front()))::value_type;
  std::array<std::vector<Reading>, kLocations> readings;
  const Window window = WindowOf(facts);
  for (const ChargingElement* element : facts.silver) {
    const ChargingEvent& row = element->row;
    const int rank = LocationRank(row);
    if (!IsReading(*element) || rank == kLocations || !window.Holds(row.event_ts)) continue;
    if (auto reading = of(*element); reading.has_value())
      readings[static_cast<size_t>(rank)].push_back(*reading);
  }
  const auto best =
      std::find_if(readings.begin(), readings.end(), [](const auto& at) { return !at.empty(); });
  return best == readings.end() ? std::vector<Reading>{} : std::move(*best);
}

Registers TotalRegisters(const SessionFacts& facts) {
  return AtBestLocation(facts, [](const ChargingElement& element) -> std::optional<Register> {
    if (!element.row.meter_wh.has_value()) return std::nullopt;
    return Register{element.row.event_ts, *element.row.meter_wh, &element};
  });
}

// A lone phase is the register where the session shows no other, and where it goes on from the start's
// reading: one phase of a three-phase total does not.
Registers SinglePhaseRegisters(const SessionFacts& facts) {
  const Registers phases =
      AtBestLocation(facts, [](const ChargingElement& element) -> std::optional<Register> {
        if (element.row.measurand != kRegister || element.row.phase.empty()) return std::nullopt;
        const std::optional<Decimal> wh = WattHours(element.row);
        const std::optional<int64_t> units = wh.has_value() ? wh->Rounded(3) : std::nullopt;
        if (!units.has_value()) return std::nullopt;
        return Register{element.row.event_ts, {*units}, &element};
      });
  const bool several = std::any_of(phases.begin(), phases.end(), [&](const Register& r) {
    return r.from->row.phase != phases.front().from->row.phase;
  });
  const bool below_start = !phases.empty() && facts.start != nullptr &&
                           facts.start->row.meter_wh.has_value() &&
                           phases.front().wh < *facts.start->row.meter_wh;
  return several || below_start ? Registers{} : phases;
}

Registers RegisterSamples(const SessionFacts& facts, Findings& findings) {
  Registers samples = TotalRegisters(facts);
  if (samples.empty()) {
    samples = SinglePhaseRegisters(facts);
    if (!samples.empty()) findings.Note(SessionFlag::kSinglePhase);
  }
  const auto garbage = std::stable_partition(samples.begin(), samples.end(),
                                             [](const Register& r) { return !CannotBe(r.wh); });
  if (garbage != samples.end()) {
    findings.Note(SessionFlag::kMeterGlitch, "{" + Amount("set_aside_wh", garbage->wh) + "}");
  }
  samples.erase(garbage, samples.end());
  return samples;
}

// Where the session's first and last reading come from, by source.
struct Ends {
  std::optional<Register> begin_header, begin_sample, end_header, end_sample;
  std::optional<Register> begin, end;  // the ones chosen
};

bool HasMeter(const ChargingElement* header) { return header != nullptr && header->row.meter_wh.has_value(); }

// The reading of a start or stop. One that cannot be is set aside.
std::optional<Register> HeaderReading(const ChargingElement* element, SessionFlag invalid,
                                      Findings& findings) {
  if (!HasMeter(element)) return std::nullopt;
  const Register reading{element->row.event_ts, *element->row.meter_wh, element};
  if (!CannotBe(reading.wh)) return reading;
  findings.Note(invalid, "{" + Amount("set_aside_wh", reading.wh) + "}");
  return std::nullopt;
}

// Each end from its header, else from a sample; one that was set aside has no substitute. An end needs a
// stop: before it the last sample is only the last so far.
Ends ChooseEnds(const SessionFacts& facts, const Registers& samples, Findings& findings) {
  Ends ends;
  ends.begin_header = HeaderReading(facts.start, SessionFlag::kMeterStartInvalid, findings);
  ends.end_header = HeaderReading(facts.stop, SessionFlag::kMeterStopInvalid, findings);
  for (const Register& sample : samples) {
    if (sample.from->row.context == kBegin && !ends.begin_sample.has_value()) ends.begin_sample = sample;
    if (sample.from->row.context == kEnd) ends.end_sample = sample;
  }
  ends.begin = HasMeter(facts.start) ? ends.begin_header : ends.begin_sample;
  ends.end = HasMeter(facts.stop) ? ends.end_header : ends.end_sample;
  if (facts.stop == nullptr) ends.end.reset();
  return ends;
}

// A sample of the transaction's begin or end that repeats the reading chosen there is no second register.
bool Repeats(const Register& sample, std::string_view context, const std::optional<Register>& chosen) {
  if (sample.from->row.context != context || !chosen.has_value()) return false;
  const int128 difference = int128(sample.wh.units) - chosen->wh.units;
  return difference < kNoiseMilliWh && -difference < kNoiseMilliWh;
}

RegisterSeries SeriesOf(const Registers& samples, const Ends& ends) {
  RegisterSeries series{
      .registers = {}, .has_begin = ends.begin.has_value(), .has_end = ends.end.has_value()};
  series.registers.reserve(samples.size() + 2);
  if (series.has_begin) series.registers.push_back(*ends.begin);
  for (const Register& sample : samples) {
    const bool is_end = (series.has_begin && sample.from == ends.begin->from) ||
                        (series.has_end && sample.from == ends.end->from);
    if (is_end) continue;
    if (Repeats(sample, kBegin, ends.begin) || Repeats(sample, kEnd, ends.end)) continue;
    series.registers.push_back(sample);
  }
  if (series.has_end) series.registers.push_back(*ends.end);
  return series;
}

// An energy given in parts of a Wh, not negative, in thousandths of kWh. An implausible one is not shown.
std::optional<Thousandths> KiloWattHours(int128 amount, int64_t parts_per_wh, const Options& options) {
  constexpr int64_t kDecimal18 = 999'999'999'999'999'999;
  if (amount > int128(options.session_energy_max_wh) * parts_per_wh) return std::nullopt;
  const int128 rounded = (amount + parts_per_wh / 2) / parts_per_wh;
  if (rounded > kDecimal18) return std::nullopt;
  return Thousandths{static_cast<int64_t>(rounded)};
}

EnergyBasis BasisOf(const SeriesVerdict& verdict, const Ends& ends) {
  if (verdict.segments.empty()) return EnergyBasis::kNone;
  if (verdict.segments.size() > 1) return EnergyBasis::kSegmentSum;
  const Segment& segment = verdict.segments.front();
  if (segment.from_zero) return EnergyBasis::kBaselineInferred;  // the baseline is zero
  if (segment.first == segment.last) return EnergyBasis::kNone;  // nothing but a start, or one reading
  if (!verdict.begin_counts) return EnergyBasis::kBaselineInferred;
  if (!verdict.end_counts) return EnergyBasis::kStartLast;
  const bool headers = ends.begin_header.has_value() && ends.end_header.has_value();
  return headers ? EnergyBasis::kStartStop : EnergyBasis::kTransactionBeginEnd;
}

void EnergyFromRegisters(const RegisterSeries& series, const SeriesVerdict& verdict, const Ends& ends,
                         const Options& options, SessionEnergy& energy) {
  if (verdict.segments.empty()) return;
  const ChargingElement* first = series.registers[verdict.segments.front().first].from;
  const Register& last = series.registers[verdict.segments.back().last];
  energy.last_meter_wh = last.wh;
  energy.basis = BasisOf(verdict, ends);
  if (energy.basis != EnergyBasis::kNone) {
    int128 milli_wh = 0;
    for (const Segment& segment : verdict.segments) milli_wh += SegmentMilliWh(series, segment);
    energy.energy_kwh = KiloWattHours(milli_wh, 1'000, options);
  }
  const bool known = energy.energy_kwh.has_value();
  if (!known) energy.basis = EnergyBasis::kNone;
  if (known || verdict.begin_counts) energy.begin = first;
  if (known || verdict.end_counts) energy.end = last.from;
  const bool same_source = ends.begin_header.has_value() == ends.end_header.has_value();
  energy.readings_final =
      known && verdict.segments.size() == 1 && verdict.begin_counts && verdict.end_counts && same_source;
}

// Sum of what the registers that count grew by.
void Estimate(const RegisterSeries& series, const SeriesVerdict& verdict, const Options& options,
              SessionEnergy& energy) {
  int128 growth = 0;
  bool known = false;
  for (size_t i = 1; i < verdict.valid.size(); ++i) {
    if (verdict.segment_of[i] != verdict.segment_of[i - 1]) continue;
    const int128 delta =
        int128(series.registers[verdict.valid[i]].wh.units) - series.registers[verdict.valid[i - 1]].wh.units;
    growth += std::max(int128(0), delta);
    known = true;
  }
  if (known) energy.estimate_kwh = KiloWattHours(growth, 1'000, options);
  energy.shows_energy = growth >= kNoiseMilliWh;
}

// Amounts of energy reported for intervals: summed where nothing else gives the energy.
struct Intervals {
  int128 micro_wh = 0;
  const ChargingElement* first = nullptr;
  const ChargingElement* last = nullptr;
};

// Periodic and clock-aligned intervals cover the same time, so do two locations: one kind is summed, periodic
// ones and the better location first. An interval that ends at the start lies before it. Digits past 10^-6 Wh
// are rounded.
Intervals SumOfIntervals(const SessionFacts& facts) {
  std::array<Intervals, 2 * kLocations> kinds;
  const Window window = WindowOf(facts);
  for (const ChargingElement* element : facts.silver) {
    const ChargingEvent& row = element->row;
    const int rank = LocationRank(row);
    if (row.measurand != kInterval || !row.phase.empty() || rank == kLocations) continue;
    if (!IsReading(*element) || !window.Holds(row.event_ts) || row.event_ts == window.from) continue;
    const std::optional<Decimal> wh = WattHours(row);
    const std::optional<int64_t> micro_wh = wh.has_value() ? wh->Rounded(6) : std::nullopt;
    if (!micro_wh.has_value() || *micro_wh < 0) continue;
    Intervals& sum = kinds[2 * static_cast<size_t>(rank) + (row.context == "Sample.Clock" ? 1u : 0u)];
    sum.micro_wh += *micro_wh;
    sum.last = element;
    if (sum.first == nullptr) sum.first = element;
  }
  const auto best =
      std::find_if(kinds.begin(), kinds.end(), [](const Intervals& k) { return k.first != nullptr; });
  return best == kinds.end() ? Intervals{} : *best;
}

void EnergyFromIntervals(const SessionFacts& facts, const Options& options, SessionEnergy& energy) {
  if (energy.energy_kwh.has_value()) return;
  const Intervals intervals = SumOfIntervals(facts);
  if (intervals.first == nullptr) return;
  energy.energy_kwh = KiloWattHours(intervals.micro_wh, 1'000'000, options);
  if (!energy.energy_kwh.has_value()) return;
  energy.basis = EnergyBasis::kIntervalSum;
  energy.begin = intervals.first;
  energy.end = intervals.last;
  if (intervals.micro_wh > 0) energy.shows_energy = true;
}

// The header's and the sample's end reading may differ by 10 Wh or 1 % of the session's energy. One that was
// set aside is not compared.
void CheckTransactionData(const Ends& ends, const SessionEnergy& energy, Findings& findings) {
  if (!ends.end_header.has_value() || !ends.end_sample.has_value()) return;
  if (findings.flags.Has(SessionFlag::kMeterStopInvalid) || findings.flags.Has(SessionFlag::kMeterDecreased))
    return;
  int128 difference = int128(ends.end_header->wh.units) - ends.end_sample->wh.units;
  if (difference < 0) difference = -difference;
  const int128 one_percent = int128(energy.energy_kwh.value_or(Thousandths{}).units) * 1000 / 100;
  if (difference <= std::max(int128(10'000), one_percent)) return;
  findings.Note(SessionFlag::kTxdataMismatch, "{" + Amount("stop_wh", ends.end_header->wh) + "," +
                                                  Amount("sample_wh", ends.end_sample->wh) + "}");
}

void CheckPower(const SessionFacts& facts, const RegisterSeries& series, const SeriesVerdict& verdict,
                Findings& findings) {
  const std::vector<PowerSample> power =
      AtBestLocation(facts, [](const ChargingElement& element) { return PowerOf(element.row); });
  std::optional<std::string> contradiction = PowerContradiction(series, verdict, power);
  if (contradiction.has_value()) findings.Note(SessionFlag::kUnitSuspect, *std::move(contradiction));
}

// A meter that starts at zero for every session; whether it did before is not known here.
bool IsRebased(const RegisterSeries& series, const SeriesVerdict& verdict, const SessionEnergy& energy) {
  return verdict.begin_counts && series.registers.front().wh == Thousandths{} &&
         energy.last_meter_wh.value_or(Thousandths{}).units >= kNoiseMilliWh;
}

bool AnyPower(const SessionFacts& facts) {
  return std::any_of(facts.silver.begin(), facts.silver.end(), [](const ChargingElement* element) {
    if (element->row.measurand != kPower) return false;
    const std::optional<Decimal> power = Decimal::Parse(element->row.value);
    return power.has_value() && !power->negative() && !power->is_zero();
  });
}

std::optional<Thousandths> Meter(const std::optional<Register>& reading, bool set_aside) {
  return reading.has_value() && !set_aside ? std::optional(reading->wh) : std::nullopt;
}

bool HasEndReading(const SessionFacts& facts, const Ends& ends) {
  return HasMeter(facts.stop) || ends.end_sample.has_value();
}

}  // namespace

SessionEnergy FindEnergy(const SessionFacts& facts, const Options& options, Findings& findings) {
  const Registers samples = RegisterSamples(facts, findings);
  const Ends ends = ChooseEnds(facts, samples, findings);
  const RegisterSeries series = SeriesOf(samples, ends);
  const SeriesVerdict verdict = JudgeRegisters(series, LimitsOf(facts, options), findings);

  SessionEnergy energy;
  energy.meter_start_wh = Meter(ends.begin, verdict.begin_set_aside);
  energy.meter_stop_wh = Meter(ends.end, verdict.end_set_aside);
  EnergyFromRegisters(series, verdict, ends, options, energy);
  Estimate(series, verdict, options, energy);
  EnergyFromIntervals(facts, options, energy);
  energy.shows_energy = energy.shows_energy || AnyPower(facts);

  if (facts.stop != nullptr && !HasEndReading(facts, ends)) findings.Note(SessionFlag::kNoEndReading);
  if (IsRebased(series, verdict, energy)) findings.Note(SessionFlag::kMeterRebased);
  CheckTransactionData(ends, energy, findings);
  CheckPower(facts, series, verdict, findings);
  return energy;
}

}  // namespace medallion::ocpp
