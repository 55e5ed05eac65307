#include "session_state.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "medallion/ocpp/enums.h"

namespace medallion::ocpp {
namespace {

using absl::int128;

constexpr int64_t kTimeMax = int64_t{1} << 62;  // sums and differences of times below it fit 64 bits

bool IsSane(UtcTime time) { return -kTimeMax < time.us && time.us < kTimeMax; }

template <class Field>
void Keep(Field& known, const Field& field) {
  if (known == Field{}) known = field;
}

MeterOutcome OutcomeOf(const PlainMeter& meter) {
  const bool has_end = meter.stopped.has_value();
  return {.segments = meter.registers > 0 ? size_t{1} : 0,
          .lone = meter.registers == 1,
          .begin_counts = meter.has_begin,
          .end_counts = has_end,
          .begin_is_header = meter.begin_is_header,
          .end_is_header = has_end,
          .first = meter.first,
          .last = meter.last,
          .milli_wh = std::max(int64_t{0}, meter.last.wh.units - meter.first.wh.units),
          .grew = meter.registers > 1,
          .growth = meter.growth};
}

// Of a meter that has taken its end.
std::optional<SessionEnergy> EnergyOfPlain(const PlainMeter& meter, bool has_stop, const Options& options,
                                           Findings& findings) {
  const MeterOutcome outcome = OutcomeOf(meter);
  SessionEnergy energy = EnergyOf(outcome, options);
  if (!energy.energy_kwh.has_value() && meter.intervals) return std::nullopt;
  if (meter.has_begin) energy.meter_start_wh = meter.first.wh;
  if (meter.stopped.has_value()) energy.meter_stop_wh = meter.stopped->wh;
  energy.shows_energy = energy.shows_energy || meter.shows_power;
  energy.intervals = meter.between;
  if (has_stop && !meter.stopped.has_value()) findings.Note(SessionFlag::kNoEndReading);
  std::optional<std::string> contradiction = Contradiction(meter.power.sum());
  if (contradiction.has_value()) findings.Note(SessionFlag::kUnitSuspect, *std::move(contradiction));
  return energy;
}

// Starts to load a fact that is to be taken soon. Facts are large, and their texts lie elsewhere: a long session's are
// not in the cache, and taking each would begin with waiting for it.
constexpr size_t kAhead = 4;
void Fetch(const ChargingElement& fact) {
  constexpr size_t kLine = 64;
  const auto* bytes = reinterpret_cast<const char*>(&fact);
  for (size_t at = 0; at < sizeof fact; at += kLine) __builtin_prefetch(bytes + at);
  __builtin_prefetch(fact.row.charge_point_id.data());
}

}  // namespace

void Outline::Take(const ChargingEvent& row, const Coordinate* stop_at) {
  const bool starts = row.event_type == EventType::kStartTransaction && !has_start;
  const bool stops = row.event_type == EventType::kStopTransaction && !has_stop;
  if (facts == 0 || row.charge_point_id < charge_point_id) charge_point_id = row.charge_point_id;
  if (facts == 0) transaction_id = row.transaction_id;
  Keep(evse_id, row.evse_id);
  Keep(connector_id, row.connector_id);
  Keep(id_tag_hash, row.id_tag_hash);
  if (!row.id_tag_hash.empty() && row.id_tag_hash != id_tag_hash) tags_differ = true;
  if (starts) has_start = true, start_ts = row.event_ts;
  if (stops) has_stop = true, stop_ts = row.event_ts, stop_reason = row.stop_reason;
  const UtcTime sent = row.message_ts != kNoTime ? row.message_ts : row.event_ts;
  last_event_ts = std::max({last_event_ts, row.event_ts, sent});
  ingest_max = std::max(ingest_max, row.ingest_ts);
  const int128 late = int128(row.ingest_ts.us) - sent.us;
  const bool is_sample = row.event_type == EventType::kMeterValues && stop_at != nullptr;
  if (late > late_us && !(is_sample && row.at == *stop_at)) late_us = late;
  ++facts;
  if (!row.seq_no.has_value()) return;
  const int128 step = int128(*row.seq_no) - seq_no.value_or(*row.seq_no);
  seq_steady = seq_steady && (step == 0 || step == 1);
  seq_no = row.seq_no;
}

void PlainMeter::TakeStart(const ChargingElement& start) {
  if (!start.row.meter_wh.has_value()) return;
  const MeterReading reading{start.row.event_ts, *start.row.meter_wh, PlaceOf(start), start.row.ingest_ts};
  plain = plain && registers == 0 && !CannotBe(reading.wh) && Append(reading, {});
  has_begin = begin_is_header = true;
}

void PlainMeter::TakeStop(const ChargingElement& stop) {
  if (!stop.row.meter_wh.has_value()) return;
  stopped = MeterReading{stop.row.event_ts, *stop.row.meter_wh, PlaceOf(stop), stop.row.ingest_ts};
  plain = plain && !CannotBe(stopped->wh);
}

void PlainMeter::TakeReading(const ChargingElement& reading, const Limits& limits) {
  const ChargingEvent& row = reading.row;
  const int rank = LocationRank(row);
  plain = plain && row.signed_value.empty();
  if (rank == kLocations) return;
  if (row.meter_wh.has_value()) return TakeSample(reading, rank, limits);
  if (row.measurand == kPowerMeasurand) return TakePower(row, rank);
  if (row.measurand == kEnergyRegister && !row.phase.empty()) phases = true;
  if (row.measurand == kIntervalMeasurand) intervals = true;
}

void PlainMeter::TakeSample(const ChargingElement& sample, int rank, const Limits& limits) {
  const MeterReading reading{sample.row.event_ts, *sample.row.meter_wh, PlaceOf(sample),
                             sample.row.ingest_ts};
  const bool at_one_location = !sampled || rank == location;
  const bool is_begin = sample.row.context == kBeginContext;
  sampled = true;
  location = rank;
  end_sampled = end_sampled || sample.row.context == kEndContext;
  plain = plain && at_one_location && sample.row.measurand == kEnergyRegister && !CannotBe(reading.wh);
  if (!plain) return;
  if (is_begin && has_begin && IsSame(reading.wh, first.wh)) return;  // the begin reading once more
  if (is_begin && !has_begin) has_begin = plain = registers == 0;
  plain = plain && Append(reading, limits);
}

void PlainMeter::TakePower(const ChargingEvent& row, int rank) {
  const std::optional<PowerSample> sample = PowerOf(row);
  if (!sample.has_value()) return;
  plain = plain && (power_location == kLocations || power_location == rank);
  power_location = rank;
  power.TakePower(*sample);
}

bool PlainMeter::Append(const MeterReading& next, const Limits& limits) {
  if (registers == 0) {
    first = last = next;
    top = next.wh;
  } else {
    if (!Continues({last.ts, last.wh, top, first.wh}, {next.ts, next.wh}, limits)) return false;
    growth += std::max(int64_t{0}, next.wh.units - last.wh.units);
    if (keeps_intervals) between.Add(last.ForInterval(), next.ForInterval());
    last = next;
    top = std::max(top, next.wh);
  }
  registers = std::min(registers + 1, 2);
  power.TakeRegister(next.ts, next.wh);
  return true;
}

// A zero after readings is no reading, whatever it would continue.
bool PlainMeter::TakeEnd(const Limits& limits) {
  if (registers > 0 && stopped->wh.units == 0 && Below(stopped->wh, top)) return false;
  return Append(*stopped, limits);
}

void SessionState::Take(const ChargingElement& fact, const Options& options) {
  const ChargingEvent& row = fact.row;
  const bool had_connector = outline.connector_id.has_value();
  const bool had_stop = outline.has_stop;
  outline.Take(row, stop_at);
  if (!had_connector && outline.connector_id.has_value()) {
    // Registers were judged by the limits of a connector that was not known yet.
    if (meter.registers > 0 && !options.power_max_w_of.empty()) meter.plain = false;
    limits = LimitsOf(outline.charge_point_id, outline.connector_id, options);
  }
  if (!IsSane(row.event_ts)) meter.plain = false;
  switch (row.event_type) {
    case EventType::kStartTransaction:
      if (outline.facts == 1) return meter.TakeStart(fact);
      meter.plain = false;
      return;
    case EventType::kStopTransaction:
      if (had_stop || row.event_ts < outline.start_ts) meter.plain = false;
      return meter.TakeStop(fact);
    case EventType::kMeterValues: break;
    default: meter.plain = false; return;
  }
  if (!outline.has_start && !outline.has_stop) meter.shows_power = meter.shows_power || ShowsPower(row);
  if (!IsReading(fact)) return;
  if (outline.Holds(row.event_ts)) return meter.TakeReading(fact, limits);
  if (row.meter_wh.has_value() && row.context == kEndContext) meter.end_sampled = true;
  IsOfHeader(row, start_at, stop_at) ? meter.plain = false : outline.reading_outside = true;
}

SessionState StateOf(const SessionFacts& facts, const Options& options) {
  SessionState state;
  state.limits = LimitsOf(facts.silver.front()->row.charge_point_id, std::nullopt, options);
  if (facts.start != nullptr) state.start_at = &facts.start->row.at;
  state.meter.keeps_intervals = options.meter_intervals;
  if (facts.stop != nullptr) state.stop_at = &facts.stop->row.at;
  if (facts.start != nullptr) state.Take(*facts.start, options);
  for (size_t i = 0; i < facts.silver.size(); ++i) {
    if (i + kAhead < facts.silver.size()) Fetch(*facts.silver[i + kAhead]);
    if (facts.silver[i] != facts.start) state.Take(*facts.silver[i], options);
  }
  const bool linked = !facts.transaction_id.empty();
  state.outline.transaction_id = linked ? facts.transaction_id : facts.silver.front()->row.transaction_id;
  return state;
}

std::optional<SessionEnergy> PlainEnergy(const SessionState& state, const Options& options,
                                         Findings& findings) {
  const PlainMeter& meter = state.meter;
  const bool has_stop = state.outline.has_stop;
  if (!meter.plain || (has_stop && meter.end_sampled) || (meter.phases && !meter.sampled))
    return std::nullopt;
  if (!meter.stopped.has_value()) return EnergyOfPlain(meter, has_stop, options, findings);
  PlainMeter ended = meter;
  if (!ended.TakeEnd(state.limits)) return std::nullopt;
  return EnergyOfPlain(ended, has_stop, options, findings);
}

}  // namespace medallion::ocpp
