// Makers of flat charging feeds for tests and benchmarks. Seeded, and the same bytes on every platform: all
// randomness is a splitmix64 of our own, all numbers are integers.
//
// Two mixes. The benchmark mix is large and mostly well: sessions of a start, readings and a stop on many
// charge points, with given shares of duplicates, conflicts, broken and late events, whose numbers are known
// by construction. The law mix is small and nasty: every shape that the domain page speaks of, on few charge
// points, so that rules meet each other.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "medallion/base/arena.h"
#include "medallion/bronze/record.h"

namespace medallion::testing {

// Random numbers, the same everywhere.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t Next() { return Mix(state_ += 0x9E3779B97F4A7C15u); }
  // From 0 to below - 1; `below` at least 1. The slight bias of the remainder does not matter here.
  int64_t Below(int64_t below) { return static_cast<int64_t>(Next() % static_cast<uint64_t>(below)); }
  bool Chance(int64_t ppm) { return Below(1'000'000) < ppm; }
  static uint64_t Mix(uint64_t value);  // a good hash of 64 bits

 private:
  uint64_t state_;
};

// Records and the memory that they refer to. Movable.
struct Feed {
  Arena texts;
  std::vector<BronzeRecord> records;  // in order of arrival
};

// ---- Benchmark mix ----

struct FeedOptions {
  uint64_t seed = 1;
  int64_t events = 1'000'000;  // records in all, whatever they are
  int64_t charge_points = 100'000;
  int32_t partitions = 8;
  std::string topic = "ocpp-events";
  int64_t begin_us = 1'772'323'200'000'000;  // 2026-03-01T00:00:00Z, in steps of days
  int64_t span_hours = 72;                   // over which sessions begin
  // Shares, in parts per million of `events`.
  int64_t technical_ppm = 20'000;  // same event again, same id
  int64_t business_ppm = 10'000;   // same fact again, new id, often in another unit
  int64_t conflict_ppm = 500;      // same fact, other value
  int64_t invalid_ppm = 5'000;
  int64_t late_ppm = 50'000;  // arrive up to 6 h late, so after the stop
  // Shares of sessions.
  int64_t stop_missing_ppm = 10'000;
  int64_t start_missing_ppm = 5'000;
  // Shares of events that are written unusually: unit kWh, names and units in other casing, an unknown field,
  // a time with an offset.
  int64_t unusual_ppm = 150'000;
};

// What was planted. Every technical and business duplicate, conflict and invalid event ends with just that
// fate, under default options: silver = events - technical - business - conflicts - invalid.
struct FeedCounts {
  int64_t events = 0;
  int64_t starts = 0, readings = 0, stops = 0, statuses = 0,
          heartbeats = 0;  // without copies and broken ones
  int64_t technical = 0, business = 0, conflicts = 0, invalid = 0;
  int64_t late = 0;               // of those before
  int64_t sessions = 0;           // rows of gold_charging_sessions
  int64_t sessions_complete = 0;  // with start and stop
  auto operator<=>(const FeedCounts&) const = default;
};

// A feed of the benchmark mix, given out piece by piece in order of arrival.
class FeedStream {
 public:
  explicit FeedStream(const FeedOptions& options);
  ~FeedStream();
  FeedStream(FeedStream&&) noexcept;

  const FeedCounts& counts() const;

  // The next `records` events as lines; false when none was left. Wrapped records carry topic, partition,
  // offset, key, broker_ts, ingest_ts and the payload as a JSON string. Flat lines are the payloads alone,
  // about 265 bytes each; their gateway's times are lost with the wrapping.
  bool AppendWrappedLines(size_t records, std::string& out);
  bool AppendFlatLines(size_t records, std::string& out);

  // The next `records` events as OCPP 1.6 frames, a line each, and after each start the answer that names its
  // transaction.
  bool AppendFrameLines(size_t records, std::string& out);

  // The next `records` events as records.
  bool AppendRecords(size_t records, Feed& out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// All of it at once. `counts`, if given, receives what was planted.
Feed MakeFeed(const FeedOptions& options, FeedCounts* counts = nullptr);

// ---- Law mix ----

struct LawOptions {
  uint64_t seed = 1;
  int64_t events = 0;         // 0: from 20 to 200, by the seed
  int64_t charge_points = 0;  // 0: from 1 to 4, by the seed
  // Off by default, so that a comparison with the oracle means something. Tests that compare the product with
  // itself turn both on.
  // Register series that need judgement: glitches, resets, phases, other locations, impossible begins.
  bool odd_series = false;
  // Shapes with two readings of the domain page: starts without connector and copies of a start on another
  // one, 1.6 ids that are no number or negative, power under an id that is no id, one key twice as null and
  // as text.
  bool disputed = false;
};

// A feed of the law mix: in order of arrival, redeliveries as records of their own.
Feed MakeLawFeed(const LawOptions& options);

// All shapes of the law mix, disputed ones too, under one seed: for laws that compare the product with
// itself.
inline Feed MakeNastyFeed(uint64_t seed) {
  return MakeLawFeed({.seed = seed, .odd_series = true, .disputed = true});
}

// OCPP-J frames of one or two stations, 1.6 or 2.x, and of their back end, both directions: retries with old and new
// message ids, results late, lost or refused, ids that are none, used again or learned, offline queues, boots, several
// transactions on one connector. In order of receipt.
Feed MakeFrameFeed(uint64_t seed);

// `records` as JSON lines of wrapped records, for files. A payload that is not UTF-8 is written as
// `value_b64`.
std::string WrappedLines(const std::vector<BronzeRecord>& records);

}  // namespace medallion::testing
