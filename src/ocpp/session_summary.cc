#include "session_summary.h"

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/numeric/int128.h"
#include "medallion/base/pack.h"

namespace medallion::ocpp {
namespace {

// The bytes:
//
//   summary   = version:1  rules:8  field*      rules: the first bytes of the model version, each exclusive-or one of
//                                               the print of the contexts, its lowest first
//
// The fields are those of VisitSummary, in its order; one that is not there was not said.
//
//   flag      = 0 | 1
//   number    = LEB128 of (n << 1) ^ (n >> 63)  so small ones of either sign are short
//   time      = number: its distance from the time before, modulo 2^64
//   128 bits  = number: the upper half    number: the lower
//   text      = LEB128 of its length + 1  bytes; the length 0 and no bytes: the text before it that had the same role
//   optional  = flag  its value, if there is one
constexpr char kVersion = 4;

// Calls `visit` for each field that says something, in a fixed order. Summary is SessionSummary or const
// SessionSummary. What a plain session implies is left out.
template <class Summary, class Visitor>
void VisitSummary(Summary& summary, Visitor& visit) {
  auto& outline = summary.state.outline;
  visit(outline.has_start), visit(outline.has_stop), visit(outline.tags_differ),
      visit(outline.reading_outside);
  visit(outline.charge_point_id), visit(outline.transaction_id), visit(outline.id_tag_hash);
  visit(outline.evse_id), visit(outline.connector_id);
  visit(outline.facts), visit(outline.seq_no), visit(outline.late_us), visit(outline.last_event_ts);
  visit(summary.last.event_ts);
  if (outline.has_start) visit(outline.start_ts);
  if (outline.has_stop) visit(outline.stop_ts), visit(outline.stop_reason);
  if (outline.has_start || outline.has_stop) visit(summary.epoch);

  auto& meter = summary.state.meter;
  visit(meter.has_begin), visit(meter.begin_is_header), visit(meter.sampled), visit(meter.end_sampled);
  visit(meter.phases), visit(meter.intervals), visit(meter.shows_power);
  visit(meter.location), visit(meter.power_location), visit(meter.registers);
  if (meter.registers > 0) visit(meter.first), visit(meter.last), visit(meter.top), visit(meter.growth);
  visit(meter.stopped);
  if (meter.keeps_intervals) visit(meter.between);
  PowerComparison::VisitFields(meter.power, visit);

  auto& last = summary.last;
  visit(last.seq_missing), visit(last.seq_no), visit(last.meter_wh);
  visit(last.ingest_ts), visit(outline.ingest_max), visit(last.at), visit(last.ordinal);
}

// How many bytes a summary takes at most.
class Room {
 public:
  size_t bytes() const { return bytes_; }

  template <std::integral T>
  void operator()(T) {
    Add(1);
  }
  void operator()(UtcTime) { Add(1); }
  void operator()(Thousandths) { Add(1); }
  void operator()(const absl::int128&) { Add(2); }
  void operator()(const PowerSample&) { Add(2); }
  void operator()(std::string_view text) { Add(1, text); }
  void operator()(const Coordinate& at) { Add(3, at.topic); }
  void operator()(const MeterReading& reading) { Add(7, reading.from.at.topic); }
  void operator()(const IntervalsWriter&) { Add(6); }
  template <class T>
  void operator()(const std::optional<T>& value) {
    Add(1);
    if (value.has_value()) (*this)(*value);
  }

 private:
  void Add(size_t numbers, std::string_view text = {}) {
    bytes_ += numbers * packing::kNumberBytesMax + text.size();
  }

  size_t bytes_ = 0;
};

// Writes to where there is room for all.
class Writer {
 public:
  explicit Writer(char* to) : to_(to) {}
  char* end() const { return to_; }

  void operator()(bool value) { Leb(value ? 1 : 0); }
  template <std::integral T>
  void operator()(T value) {
    const auto wide = static_cast<int64_t>(value);
    Leb(static_cast<uint64_t>(wide) << 1 ^ static_cast<uint64_t>(wide >> 63));
  }
  void operator()(const absl::int128& value) {
    (*this)(absl::Int128High64(value));
    (*this)(static_cast<int64_t>(absl::Int128Low64(value)));
  }
  void operator()(UtcTime value) {
    (*this)(static_cast<int64_t>(static_cast<uint64_t>(value.us) - before_));
    before_ = static_cast<uint64_t>(value.us);
  }
  void operator()(Thousandths value) { (*this)(value.units); }
  void operator()(std::string_view text) {
    Leb(text.size() + 1);
    to_ = packing::WriteBytes(to_, text);
  }
  void operator()(const Coordinate& at) {
    if (at.topic == topic_) {
      Leb(0);
    } else {
      (*this)(at.topic);
    }
    topic_ = at.topic;
    (*this)(at.partition), (*this)(at.offset);
  }
  void operator()(const MeterReading& reading) {
    (*this)(reading.ts), (*this)(reading.wh), (*this)(reading.from.at), (*this)(reading.from.ordinal);
    (*this)(reading.received);
  }
  void operator()(const IntervalsWriter& intervals) {
    const IntervalsEnd& end = intervals.end();
    (*this)(end.items), (*this)(end.bytes), (*this)(end.to), (*this)(end.received);
    (*this)(end.print[0]), (*this)(end.print[1]);
  }
  void operator()(const PowerSample& sample) { (*this)(sample.ts), (*this)(sample.milli_watt); }
  template <class T>
  void operator()(const std::optional<T>& value) {
    (*this)(value.has_value());
    if (value.has_value()) (*this)(*value);
  }

 private:
  void Leb(uint64_t value) { to_ = packing::WriteUnsigned(to_, value); }

  char* to_;             // where the next byte goes
  uint64_t before_ = 0;  // the time before
  std::string_view topic_;
};

// The same the other way. Past a damage all is zero.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : place_{bytes.data(), bytes.data() + bytes.size()} {}
  bool AtEnd() const { return place_.ok() && place_.left() == 0; }

  void operator()(bool& value) { value = Leb() != 0; }
  template <std::integral T>
  void operator()(T& value) {
    const uint64_t folded = Leb();
    value = static_cast<T>(static_cast<int64_t>(folded >> 1 ^ (0 - (folded & 1))));
  }
  void operator()(absl::int128& value) {
    int64_t high = 0, low = 0;
    (*this)(high), (*this)(low);
    value = absl::MakeInt128(high, static_cast<uint64_t>(low));
  }
  void operator()(UtcTime& value) {
    int64_t distance = 0;
    (*this)(distance);
    before_ += static_cast<uint64_t>(distance);
    value.us = static_cast<int64_t>(before_);
  }
  void operator()(Thousandths& value) { (*this)(value.units); }
  void operator()(std::string_view& text) { text = Text({}); }
  void operator()(Coordinate& at) {
    at.topic = topic_ = Text(topic_);
    (*this)(at.partition), (*this)(at.offset);
  }
  void operator()(MeterReading& reading) {
    (*this)(reading.ts), (*this)(reading.wh), (*this)(reading.from.at), (*this)(reading.from.ordinal);
    (*this)(reading.received);
  }
  void operator()(IntervalsWriter& intervals) {
    IntervalsEnd end;
    (*this)(end.items), (*this)(end.bytes), (*this)(end.to), (*this)(end.received);
    (*this)(end.print[0]), (*this)(end.print[1]);
    intervals = IntervalsWriter(end);
  }
  void operator()(PowerSample& sample) { (*this)(sample.ts), (*this)(sample.milli_watt); }
  template <class T>
  void operator()(std::optional<T>& value) {
    bool known = false;
    (*this)(known);
    if (known) (*this)(value.emplace());
  }

 private:
  uint64_t Leb() {
    uint64_t value = 0;
    place_ = packing::ReadUnsigned(place_, value);
    return place_.ok() ? value : 0;
  }
  std::string_view Text(std::string_view same) {
    const uint64_t length = Leb();
    std::string_view text;
    if (length == 0) return same;
    place_ = packing::ReadBytes(place_, length - 1, text);
    return text;
  }

  packing::Place place_;
  uint64_t before_ = 0;
  std::string_view topic_;
};

constexpr size_t kHeadBytes = 9;

std::array<char, kHeadBytes> HeadOf(const SessionRules& rules, uint64_t contexts) {
  std::array<char, kHeadBytes> head{kVersion};
  for (size_t i = 0; i < 8; ++i) {
    head[i + 1] = static_cast<char>(rules.model_version.bytes[i] ^ static_cast<uint8_t>(contexts >> (8 * i)));
  }
  return head;
}

}  // namespace

void PackSummary(const SessionSummary& summary, const SessionRules& rules, uint64_t contexts,
                 std::string& bytes) {
  Room room;
  VisitSummary(summary, room);
  bytes.resize(kHeadBytes + room.bytes());
  const std::array<char, kHeadBytes> head = HeadOf(rules, contexts);
  Writer writer(std::copy(head.begin(), head.end(), bytes.data()));
  VisitSummary(summary, writer);
  bytes.resize(static_cast<size_t>(writer.end() - bytes.data()));
}

std::optional<SessionSummary> UnpackSummary(std::string_view bytes, const SessionRules& rules,
                                            uint64_t contexts) {
  const std::array<char, kHeadBytes> head = HeadOf(rules, contexts);
  if (!bytes.starts_with(std::string_view(head.data(), head.size()))) return std::nullopt;
  SessionSummary summary;
  summary.state.meter.keeps_intervals = rules.options.meter_intervals;
  Reader reader(bytes.substr(head.size()));
  VisitSummary(summary, reader);
  if (!reader.AtEnd()) return std::nullopt;
  SessionState& state = summary.state;
  const PlainMeter& meter = state.meter;
  state.limits = LimitsOf(state.outline.charge_point_id, state.outline.connector_id, rules.options);
  if (meter.registers > 0) state.meter.power.SetLast(meter.last.ts, meter.last.wh);
  return summary;
}

}  // namespace medallion::ocpp
