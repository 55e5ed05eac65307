// gold_meter_intervals: what went through the meter of a session between one register reading and the next; for power
// curves and load profiles.
// Pure. Safe from any thread. Source: the charging domain, section 4.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "medallion/base/columns.h"
#include "medallion/base/digest.h"
#include "medallion/base/pack.h"
#include "medallion/base/time.h"
#include "medallion/gold/gold_tables.h"

namespace medallion::ocpp {

// In the table in this order.
enum class IntervalFlag : uint8_t {
  kNegativeDelta,     // the register fell: no energy, save after a reset
  kNegativeDuration,  // the station's clock ran backwards: no power
  kMeterReset,        // the register began again from zero in between: the energy is counted from there
  kReferenceChanged,  // the readings count from different places: no energy
  kReadingSetAside,   // a reading in between cannot be believed (METER_GLITCH and its like)
};
inline constexpr int kIntervalFlags = static_cast<int>(IntervalFlag::kReadingSetAside) + 1;
std::string_view IntervalFlagName(IntervalFlag flag);  // "NEGATIVE_DELTA"

// A set of flags.
class IntervalFlags {
 public:
  void Set(IntervalFlag flag) { bits_ = static_cast<uint8_t>(bits_ | 1u << static_cast<int>(flag)); }
  bool Has(IntervalFlag flag) const { return (bits_ >> static_cast<int>(flag) & 1) != 0; }
  std::string Json() const;  // ["NEGATIVE_DELTA"]
  uint8_t bits() const { return bits_; }
  static IntervalFlags FromBits(uint8_t bits) {
    IntervalFlags flags;
    flags.bits_ = bits;
    return flags;
  }
  bool operator==(const IntervalFlags&) const = default;

 private:
  uint8_t bits_ = 0;
};

// A row.
struct MeterInterval {
  Digest session_id = {};
  UtcTime from_ts = kNoTime;
  UtcTime to_ts = kNoTime;
  std::optional<Thousandths> energy_wh = {};    // never negative; null where it cannot be told
  std::optional<Thousandths> avg_power_w = {};  // HALF_UP; null without energy or duration
  IntervalFlags flags = {};
  Digest model_version = {};
  UtcTime updated_at = kNoTime;  // the later receipt of both readings
  bool operator==(const MeterInterval&) const = default;
};

// The intervals of a session so far: all that adding to them takes. `print` is one of all of them.
struct IntervalsEnd {
  int64_t items = 0;
  int64_t bytes = 0;
  UtcTime to = kNoTime;        // of the last
  UtcTime received = kNoTime;  // the latest of all
  uint64_t print[2] = {1, 2};
  bool operator==(const IntervalsEnd&) const = default;
};

// The intervals of one session, in order of time: a series, see gold/gold_tables.h. A row may hold only those that come
// behind others, which stand in the row that it replaces: so that a session that goes on adds what is new.
//
//   items    = item*
//   item     = from:signed  to:signed  energy:unsigned  flags:1  received:signed     LEB128, signed ones in zigzag
//
// `from` counts from the end of the interval before it, most often 0, `to` from `from`, and `received` from `to`, in
// microseconds; the first `from` counts from 1970. The energy is in thousandths of a Wh, plus 1; 0 where there is none.
struct MeterIntervals {
  using Item = MeterInterval;

  Digest session_id = {};
  IntervalsEnd after = {};  // the end of those that stand already
  IntervalsEnd end = {};    // of all
  std::string items = {};   // what comes behind `after`
  Digest model_version = {};
  Digest row_hash = {};  // of all, wherever they are cut
  UtcTime updated_at = kNoTime;
  bool operator==(const MeterIntervals&) const = default;

  SeriesPlace own_begin() const { return {after.items, after.bytes}; }
  std::string_view own_items() const { return items; }
  // Puts the others before its own: `stood` begins with them.
  void Join(std::string_view stood);
  void Take(std::string all) { items = std::move(all), after = {}; }
  MeterInterval before() const {
    return {.session_id = session_id, .to_ts = after.to, .model_version = model_version};
  }
  // Reads the interval behind `item` into it. False at the end.
  static bool Next(std::string_view& left, MeterInterval& item);
};

// Makes a series, or what is to go behind one.
class IntervalsWriter {
 public:
  IntervalsWriter() = default;
  explicit IntervalsWriter(const IntervalsEnd& after) : after_(after), end_(after) {}

  struct Reading {
    UtcTime ts = kNoTime;
    Thousandths wh = {};
    UtcTime received = kNoTime;
  };
  // From one reading to the next, and what is known of what was between them. Two readings of one instant that say the
  // same make no interval.
  void Add(const Reading& from, const Reading& to, IntervalFlags flags = {});

  const IntervalsEnd& end() const { return end_; }
  // The row; nothing where there are no intervals.
  std::optional<MeterIntervals> Row(const Digest& session_id, const Digest& model_version) const;
  bool operator==(const IntervalsWriter&) const = default;

 private:
  IntervalsEnd after_, end_;
  std::string items_;
};

// sha256("intervals"|session_id), the id in hexadecimal.
Digest RowKey(const MeterIntervals& row);

template <class Visitor>
void VisitColumns(const MeterInterval& row, Visitor&& visit) {
  const std::string flags = row.flags.Json();
  visit("session_id", row.session_id);
  visit("from_ts", row.from_ts);
  visit("to_ts", row.to_ts);
  visit("energy_wh", row.energy_wh);
  visit("avg_power_w", row.avg_power_w);
  visit("flags", JsonText{flags});
  visit("model_version", row.model_version);
  visit("updated_at", row.updated_at);
}

// The fields that a store must keep to give the row back, beside its items. Row may be const.
template <class Row, class Visitor>
  requires std::same_as<std::remove_const_t<Row>, IntervalsEnd>
void VisitFields(Row& row, Visitor&& visit) {
  visit(row.items), visit(row.bytes), visit(row.to), visit(row.received);
  visit(row.print[0]), visit(row.print[1]);
}
template <class Row, class Visitor>
  requires std::same_as<std::remove_const_t<Row>, MeterIntervals>
void VisitFields(Row& row, Visitor&& visit) { visit(row.session_id), visit(row.end); }

}  // namespace medallion::ocpp
