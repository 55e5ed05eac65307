#include "medallion/ocpp/meter_intervals.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>

#include "absl/numeric/int128.h"
#include "exact_sum.h"

namespace medallion::ocpp {
namespace {

using absl::int128;
using packing::ReadUnsigned;
using packing::WriteUnsigned;

constexpr size_t kItemBytesMax = 4 * packing::kNumberBytesMax + 1;

// Differences of times wrap around, and back when they are added.
int64_t Since(UtcTime from, UtcTime to) {
  return static_cast<int64_t>(static_cast<uint64_t>(to.us) - static_cast<uint64_t>(from.us));
}
UtcTime Later(UtcTime from, int64_t us) {
  return {static_cast<int64_t>(static_cast<uint64_t>(from.us) + static_cast<uint64_t>(us))};
}

uint64_t Folded(int64_t value) {
  return static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63);
}
int64_t Unfolded(uint64_t value) { return static_cast<int64_t>(value >> 1 ^ (0 - (value & 1))); }

// A print that goes on from an earlier one: of each item, wherever the series is cut. Stored: must stay as it is.
void Print(uint64_t value, uint64_t (&print)[2]) {
  constexpr uint64_t kFactors[2] = {0x9e3779b97f4a7c15, 0xd6e8feb86659fd93};
  for (size_t i = 0; i < 2; ++i) {
    uint64_t mixed = (print[i] ^ value) * kFactors[i];
    print[i] = (mixed ^ mixed >> 32) + i;
  }
}

// In thousandths of a watt.
std::optional<Thousandths> PowerOf(const MeterInterval& item) {
  const int128 us = int128(item.to_ts.us) - item.from_ts.us;
  if (us <= 0 || !item.energy_wh.has_value()) return std::nullopt;
  return Thousandths{Quotient(int128(item.energy_wh->units) * kMicrosPerHour, us)};
}

// What can be told of the energy between two readings.
std::optional<Thousandths> EnergyOf(Thousandths from, Thousandths to, IntervalFlags flags) {
  if (flags.Has(IntervalFlag::kMeterReset)) return to;
  if (flags.Has(IntervalFlag::kReferenceChanged)) return std::nullopt;
  const int128 delta = int128(to.units) - from.units;
  return delta < 0 ? std::nullopt : std::optional(Thousandths{Clamped(delta)});
}

Digest HashOf(const IntervalsEnd& end) {
  JoinedFields fields;
  fields.Add(end.items);
  for (const uint64_t print : end.print) fields.Add(static_cast<int64_t>(print));
  return fields.Sha256();
}

}  // namespace

std::string_view IntervalFlagName(IntervalFlag flag) {
  constexpr std::array<std::string_view, kIntervalFlags> kNames = {
      "NEGATIVE_DELTA", "NEGATIVE_DURATION", "METER_RESET", "REFERENCE_CHANGED", "READING_SET_ASIDE"};
  return kNames[static_cast<size_t>(flag)];
}

std::string IntervalFlags::Json() const {
  std::string out;
  for (int i = 0; i < kIntervalFlags; ++i) {
    const auto flag = static_cast<IntervalFlag>(i);
    if (!Has(flag)) continue;
    out.append(out.empty() ? "[\"" : ",\"").append(IntervalFlagName(flag)).append("\"");
  }
  return out.empty() ? "[]" : out + "]";
}

void MeterIntervals::Join(std::string_view stood) {
  items.insert(0, stood.substr(0, static_cast<size_t>(after.bytes)));
  after = {};
}

bool MeterIntervals::Next(std::string_view& left, MeterInterval& item) {
  if (left.empty()) return false;
  std::array<uint64_t, 4> numbers{};
  packing::Place at{left.data(), left.data() + left.size()};
  for (size_t i = 0; i < 3; ++i) at = ReadUnsigned(at, numbers[i]);
  if (at.left() == 0) return left = {}, false;  // no writer's bytes
  const auto bits = static_cast<uint8_t>(*at.next++);
  at = ReadUnsigned(at, numbers[3]);
  if (!at.ok()) return left = {}, false;
  item.from_ts = Later(item.to_ts == kNoTime ? UtcTime{0} : item.to_ts, Unfolded(numbers[0]));
  item.to_ts = Later(item.from_ts, Unfolded(numbers[1]));
  item.energy_wh =
      numbers[2] == 0 ? std::nullopt : std::optional(Thousandths{static_cast<int64_t>(numbers[2] - 1)});
  item.avg_power_w = PowerOf(item);
  item.flags = IntervalFlags::FromBits(bits);
  item.updated_at = Later(item.to_ts, Unfolded(numbers[3]));
  left.remove_prefix(left.size() - at.left());
  return true;
}

void IntervalsWriter::Add(const Reading& from, const Reading& to, IntervalFlags flags) {
  if (from.ts == to.ts && from.wh == to.wh) return;
  if (to.wh < from.wh) flags.Set(IntervalFlag::kNegativeDelta);
  if (to.ts < from.ts) flags.Set(IntervalFlag::kNegativeDuration);
  const std::optional<Thousandths> wh = EnergyOf(from.wh, to.wh, flags);
  const UtcTime received = std::max(from.received, to.received);
  const std::array<uint64_t, 4> numbers = {
      Folded(Since(end_.to == kNoTime ? UtcTime{0} : end_.to, from.ts)), Folded(Since(from.ts, to.ts)),
      wh.has_value() ? static_cast<uint64_t>(wh->units) + 1 : 0, Folded(Since(to.ts, received))};
  std::array<char, kItemBytesMax> bytes;
  char* at = bytes.data();
  for (size_t i = 0; i < 3; ++i) at = WriteUnsigned(at, numbers[i]);
  *at++ = static_cast<char>(flags.bits());
  at = WriteUnsigned(at, numbers[3]);
  const auto size = static_cast<size_t>(at - bytes.data());
  items_.append(bytes.data(), size);
  for (const uint64_t number : numbers) Print(number, end_.print);
  Print(flags.bits(), end_.print);
  end_.to = to.ts;
  end_.received = std::max(end_.received, received);
  end_.bytes += static_cast<int64_t>(size);
  ++end_.items;
}

std::optional<MeterIntervals> IntervalsWriter::Row(const Digest& session_id,
                                                   const Digest& model_version) const {
  if (end_.items == 0) return std::nullopt;
  return MeterIntervals{.session_id = session_id,
                        .after = after_,
                        .end = end_,
                        .items = items_,
                        .model_version = model_version,
                        .row_hash = HashOf(end_),
                        .updated_at = end_.received};
}

Digest RowKey(const MeterIntervals& row) {
  return JoinedFields().Add("intervals").AddPlain(Hex(row.session_id)).Sha256();
}

}  // namespace medallion::ocpp
