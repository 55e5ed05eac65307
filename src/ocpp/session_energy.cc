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
#include "medallion/ocpp/enums.h"
#include "power_check.h"
#include "register_series.h"
#include "session_context.h"
#include "signed_value.h"

namespace medallion::ocpp {
namespace {

using absl::int128;
using Registers = std::vector<Register>;

Limits LimitsOfSession(const SessionFacts& facts, const Options& options) {
  Limits limits = LimitsOf(facts.silver.front()->row.charge_point_id,
                           FirstKnown(facts, &ChargingEvent::connector_id), options);
  const Window window = WindowOf(facts);
  limits.times_known = window.from <= window.to;
  return limits;
}

// An energy reading in Wh; an absent unit means Wh.
std::optional<Decimal> WattHours(const ChargingEvent& reading) {
  const UnitScale scale = ScaleOf(reading.unit.empty() ? std::string_view("Wh") : reading.unit);
  return scale.base == "Wh" ? Decimal::Parse(reading.value, scale.exponent10) : std::nullopt;
}

// Whether the row is a reading inside the session.
bool IsInside(const SessionFacts& facts, const Window& window, const ChargingElement& element) {
  const auto at = [](const ChargingElement* header) { return header == nullptr ? nullptr : &header->row.at; };
  return IsReading(element) &&
         (window.Holds(element.row.event_ts) || IsOfHeader(element.row, at(facts.start), at(facts.stop)));
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
    if (rank == kLocations || !IsInside(facts, window, *element)) continue;
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
        if (element.row.measurand != kEnergyRegister || element.row.phase.empty()) return std::nullopt;
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

// The samples of the register; those that cannot be are set aside.
struct Samples {
  Registers registers, set_aside;
};

Samples RegisterSamples(const SessionFacts& facts, Findings& findings) {
  Samples samples{.registers = TotalRegisters(facts), .set_aside = {}};
  Registers& registers = samples.registers;
  if (registers.empty()) {
    registers = SinglePhaseRegisters(facts);
    if (!registers.empty()) findings.Note(SessionFlag::kSinglePhase);
  }
  const auto garbage = std::stable_partition(registers.begin(), registers.end(),
                                             [](const Register& r) { return !CannotBe(r.wh); });
  samples.set_aside.assign(garbage, registers.end());
  registers.erase(garbage, registers.end());
  return samples;
}

// Where the session's first and last reading come from, by source.
struct Ends {
  std::optional<Register> begin_header, begin_sample, end_header, end_sample;
  std::optional<Register> begin, end;  // the ones chosen
};

bool HasMeter(const ChargingElement* header) { return header != nullptr && header->row.meter_wh.has_value(); }

void NoteSetAside(SessionFlag flag, const Register& reading, Findings& findings) {
  findings.Note(flag, "{" + Amount("set_aside_wh", reading.wh) + "}");
}

// The reading of a start or stop. One that cannot be is set aside.
std::optional<Register> HeaderReading(const ChargingElement* element, SessionFlag invalid,
                                      Findings& findings) {
  if (!HasMeter(element)) return std::nullopt;
  const Register reading{element->row.event_ts, *element->row.meter_wh, element};
  if (!CannotBe(reading.wh)) return reading;
  NoteSetAside(invalid, reading, findings);
  return std::nullopt;
}

// Says what the samples that cannot be would have been: the begin or end where nothing else tells it. Of several the first
// is shown.
void NoteSetAside(const SessionFacts& facts, const Ends& ends, const Registers& set_aside,
                  Findings& findings) {
  const bool no_begin = !HasMeter(facts.start) && !ends.begin_sample.has_value();
  const bool no_end = facts.stop != nullptr && !HasMeter(facts.stop) && !ends.end_sample.has_value();
  for (auto sample = set_aside.rbegin(); sample != set_aside.rend(); ++sample) {
    const std::string_view context = sample->from->row.context;
    const SessionFlag flag = no_begin && context == kBeginContext ? SessionFlag::kMeterStartInvalid
                             : no_end && context == kEndContext   ? SessionFlag::kMeterStopInvalid
                                                                  : SessionFlag::kMeterGlitch;
    NoteSetAside(flag, *sample, findings);
  }
}

// Each end from its header, else from a sample; one that was set aside has no substitute. An end needs a
// stop: before it the last sample is only the last so far.
Ends ChooseEnds(const SessionFacts& facts, const Samples& samples, Findings& findings) {
  Ends ends;
  ends.begin_header = HeaderReading(facts.start, SessionFlag::kMeterStartInvalid, findings);
  ends.end_header = HeaderReading(facts.stop, SessionFlag::kMeterStopInvalid, findings);
  for (const Register& sample : samples.registers) {
    if (sample.from->row.context == kBeginContext && !ends.begin_sample.has_value())
      ends.begin_sample = sample;
    if (sample.from->row.context == kEndContext) ends.end_sample = sample;
  }
  NoteSetAside(facts, ends, samples.set_aside, findings);
  ends.begin = HasMeter(facts.start) ? ends.begin_header : ends.begin_sample;
  ends.end = HasMeter(facts.stop) ? ends.end_header : ends.end_sample;
  if (facts.stop == nullptr) ends.end.reset();
  return ends;
}

// A sample of the transaction's begin or end that repeats the reading chosen there is no second register.
bool Repeats(const Register& sample, std::string_view context, const std::optional<Register>& chosen) {
  return sample.from->row.context == context && chosen.has_value() && IsSame(sample.wh, chosen->wh);
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
    if (Repeats(sample, kBeginContext, ends.begin) || Repeats(sample, kEndContext, ends.end)) continue;
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

EnergyBasis BasisOf(const MeterOutcome& outcome) {
  if (outcome.segments == 0) return EnergyBasis::kNone;
  if (outcome.segments > 1) return EnergyBasis::kSegmentSum;
  if (outcome.from_zero) return EnergyBasis::kBaselineInferred;  // the baseline is zero
  if (outcome.lone) return EnergyBasis::kNone;                   // nothing but a start, or one reading
  if (!outcome.begin_counts) return EnergyBasis::kBaselineInferred;
  if (!outcome.end_counts) return EnergyBasis::kStartLast;
  const bool headers = outcome.begin_is_header && outcome.end_is_header;
  return headers ? EnergyBasis::kStartStop : EnergyBasis::kTransactionBeginEnd;
}

MeterReading ReadingOf(const Register& reading) {
  return {reading.ts, reading.wh, PlaceOf(*reading.from), reading.from->row.ingest_ts};
}

// What lies between one register that counts and the next.
IntervalsWriter IntervalsOf(const RegisterSeries& series, const SeriesVerdict& verdict) {
  IntervalsWriter intervals;
  const auto reading = [&](size_t i) {
    const Register& at = series.registers[verdict.valid[i]];
    return IntervalsWriter::Reading{at.ts, at.wh, at.from->row.ingest_ts};
  };
  for (size_t i = 1; i < verdict.valid.size(); ++i) {
    IntervalFlags flags;
    const size_t segment = verdict.segment_of[i];
    if (segment != verdict.segment_of[i - 1]) {
      const bool from_zero = verdict.segments[segment].from_zero;
      flags.Set(from_zero ? IntervalFlag::kMeterReset : IntervalFlag::kReferenceChanged);
    }
    if (verdict.valid[i] != verdict.valid[i - 1] + 1) flags.Set(IntervalFlag::kReadingSetAside);
    intervals.Add(reading(i - 1), reading(i), flags);
  }
  return intervals;
}

MeterOutcome OutcomeOf(const RegisterSeries& series, const SeriesVerdict& verdict, const Ends& ends) {
  MeterOutcome outcome;
  outcome.begin_is_header = ends.begin_header.has_value();
  outcome.end_is_header = ends.end_header.has_value();
  if (verdict.segments.empty()) return outcome;
  const Segment& first = verdict.segments.front();
  outcome.segments = verdict.segments.size();
  outcome.from_zero = first.from_zero;
  outcome.lone = first.first == first.last;
  outcome.begin_counts = verdict.begin_counts;
  outcome.end_counts = verdict.end_counts;
  outcome.first = ReadingOf(series.registers[first.first]);
  outcome.last = ReadingOf(series.registers[verdict.segments.back().last]);
  for (const Segment& segment : verdict.segments) outcome.milli_wh += SegmentMilliWh(series, segment);
  for (size_t i = 1; i < verdict.valid.size(); ++i) {
    if (verdict.segment_of[i] != verdict.segment_of[i - 1]) continue;
    const int128 delta =
        int128(series.registers[verdict.valid[i]].wh.units) - series.registers[verdict.valid[i - 1]].wh.units;
    outcome.growth += std::max(int128(0), delta);
    outcome.grew = true;
  }
  return outcome;
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
    if (row.measurand != kIntervalMeasurand || !row.phase.empty() || rank == kLocations) continue;
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
  energy.begin = PlaceOf(*intervals.first);
  energy.end = PlaceOf(*intervals.last);
  if (intervals.micro_wh > 0) energy.shows_energy = true;
}

// Two sources of one reading may differ by 10 Wh or 1 % of the session's energy.
bool Agree(Thousandths a, Thousandths b, const SessionEnergy& energy) {
  int128 difference = int128(a.units) - b.units;
  if (difference < 0) difference = -difference;
  const int128 one_percent = int128(energy.energy_kwh.value_or(Thousandths{}).units) * 1000 / 100;
  return difference <= std::max(int128(10'000), one_percent);
}

// Begin and end as the session's signed values have them.
SignedRegisters SignedOf(const SessionFacts& facts) {
  SignedRegisters all;
  const Window window = WindowOf(facts);
  for (const ChargingElement* fact : facts.silver) {
    if (fact->row.signed_value.empty() || !IsInside(facts, window, *fact)) continue;
    const SignedRegisters own = ReadSigned(fact->row.signed_value);
    if (own.begin.has_value() && !all.begin.has_value()) all.begin = own.begin;
    if (own.end.has_value()) all.end = own.end;
  }
  return all;
}

// Against the readings that decide, as far as they were not set aside.
void CheckSigned(const SessionFacts& facts, const SessionEnergy& energy, Findings& findings) {
  const SignedRegisters told = SignedOf(facts);
  const auto check = [&](const std::optional<Thousandths>& raw, const std::optional<Thousandths>& own) {
    if (!raw.has_value() || !own.has_value() || Agree(*raw, *own, energy)) return;
    findings.Note(SessionFlag::kSignedRawMismatch,
                  "{" + Amount("raw_wh", *raw) + "," + Amount("signed_wh", *own) + "}");
  };
  check(energy.meter_start_wh, told.begin);
  check(energy.meter_stop_wh, told.end);
}

// The end reading against every sample of the transaction's end inside the session. Where it is one of them, against those
// of any time: of 2.x a second Ended tells another one that way. One that was set aside is not compared.
void CheckTransactionData(const SessionFacts& facts, const Registers& samples, const SessionEnergy& energy,
                          Findings& findings) {
  if (facts.stop == nullptr || !energy.meter_stop_wh.has_value()) return;
  const int rank = samples.empty() ? 0 : LocationRank(samples.front().from->row);
  const Window window = WindowOf(facts);
  for (const ChargingElement* element : facts.silver) {
    const ChargingEvent& row = element->row;
    if (row.context != kEndContext || !row.meter_wh.has_value() || LocationRank(row) != rank) continue;
    if (HasMeter(facts.stop) && !IsInside(facts, window, *element)) continue;
    if (CannotBe(*row.meter_wh) || Agree(*energy.meter_stop_wh, *row.meter_wh, energy)) continue;
    return findings.Note(SessionFlag::kTxdataMismatch, "{" + Amount("stop_wh", *energy.meter_stop_wh) + "," +
                                                           Amount("sample_wh", *row.meter_wh) + "}");
  }
}

// Where the start's reading was set aside, the stop reading of the session before is the baseline, if the first register
// that counts can be reached from it.
void TakePreviousStop(const SessionFacts& facts, const Limits& limits, MeterOutcome& outcome) {
  const bool told = facts.context != nullptr && facts.context->previous_stop_wh.has_value();
  if (!told || outcome.segments == 0 || outcome.from_zero || outcome.begin_counts) return;
  const Thousandths previous = *facts.context->previous_stop_wh;
  const MeterReading& first = outcome.first;
  if (!GoesOn({facts.start->row.event_ts, previous}, {first.ts, first.wh}, limits)) return;
  const int128 growth = std::max(int128(0), int128(first.wh.units) - previous.units);
  outcome.milli_wh += growth;
  outcome.growth += growth;
  outcome.grew = true;
  outcome.lone = false;
  outcome.before_first = true;
}

void CheckPower(const SessionFacts& facts, const RegisterSeries& series, const SeriesVerdict& verdict,
                Findings& findings) {
  const std::vector<PowerSample> power =
      AtBestLocation(facts, [](const ChargingElement& element) { return PowerOf(element.row); });
  std::optional<std::string> contradiction = PowerContradiction(series, verdict, power);
  if (contradiction.has_value()) findings.Note(SessionFlag::kUnitSuspect, *std::move(contradiction));
}

bool AnyPower(const SessionFacts& facts) {
  return std::any_of(facts.silver.begin(), facts.silver.end(),
                     [](const ChargingElement* element) { return ShowsPower(element->row); });
}

std::optional<Thousandths> Meter(const std::optional<Register>& reading, bool set_aside) {
  return reading.has_value() && !set_aside ? std::optional(reading->wh) : std::nullopt;
}

// One that was set aside was one.
bool HasEndReading(const SessionFacts& facts, const Ends& ends, const Findings& findings) {
  return HasMeter(facts.stop) || ends.end_sample.has_value() ||
         findings.flags.Has(SessionFlag::kMeterStopInvalid);
}

}  // namespace

Limits LimitsOf(std::string_view charge_point_id, const std::optional<int32_t>& connector_id,
                const Options& options) {
  Limits limits{.power_max_w = options.power_max_w, .session_energy_max_wh = options.session_energy_max_wh};
  if (!connector_id.has_value() || options.power_max_w_of.empty()) return limits;
  const auto own = options.power_max_w_of.find({AsciiUpper(charge_point_id), *connector_id});
  if (own != options.power_max_w_of.end()) limits.power_max_w = own->second;
  return limits;
}

bool IsSame(Thousandths a, Thousandths b) { return !Below(a, b) && !Below(b, a); }

bool ShowsPower(const ChargingEvent& row) {
  if (row.measurand != kPowerMeasurand) return false;
  const std::optional<Decimal> power = Decimal::Parse(row.value);
  return power.has_value() && !power->negative() && !power->is_zero();
}

SessionEnergy EnergyOf(const MeterOutcome& outcome, const Options& options) {
  SessionEnergy energy;
  if (outcome.grew) energy.estimate_kwh = KiloWattHours(outcome.growth, 1'000, options);
  energy.shows_energy = outcome.growth >= kNoiseMilliWh;
  if (outcome.segments == 0) return energy;
  energy.last_meter_wh = outcome.last.wh;
  energy.basis = BasisOf(outcome);
  if (energy.basis != EnergyBasis::kNone) {
    energy.energy_kwh = KiloWattHours(outcome.milli_wh, 1'000, options);
  }
  const bool known = energy.energy_kwh.has_value();
  if (!known) energy.basis = EnergyBasis::kNone;
  if ((known || outcome.begin_counts) && !outcome.before_first) energy.begin = outcome.first.from;
  if (known || outcome.end_counts) energy.end = outcome.last.from;
  energy.readings_final = known && outcome.segments == 1 && outcome.begin_counts && outcome.end_counts &&
                          outcome.begin_is_header == outcome.end_is_header;
  return energy;
}

SessionEnergy FindEnergy(const SessionFacts& facts, const Options& options, Findings& findings) {
  const Samples samples = RegisterSamples(facts, findings);
  const Ends ends = ChooseEnds(facts, samples, findings);
  const RegisterSeries series = SeriesOf(samples.registers, ends);
  const Limits limits = LimitsOfSession(facts, options);
  const SeriesVerdict verdict = JudgeRegisters(series, limits, findings);
  MeterOutcome outcome = OutcomeOf(series, verdict, ends);
  if (findings.flags.Has(SessionFlag::kMeterStartInvalid)) TakePreviousStop(facts, limits, outcome);

  SessionEnergy energy = EnergyOf(outcome, options);
  energy.meter_start_wh = Meter(ends.begin, verdict.begin_set_aside);
  energy.meter_stop_wh = Meter(ends.end, verdict.end_set_aside);
  EnergyFromIntervals(facts, options, energy);
  energy.shows_energy = energy.shows_energy || AnyPower(facts);
  if (options.meter_intervals) energy.intervals = IntervalsOf(series, verdict);

  if (facts.stop != nullptr && !HasEndReading(facts, ends, findings))
    findings.Note(SessionFlag::kNoEndReading);
  CheckTransactionData(facts, samples.registers, energy, findings);
  CheckSigned(facts, energy, findings);
  CheckPower(facts, series, verdict, findings);
  return energy;
}

}  // namespace medallion::ocpp
