// How a host wants its charging feed read. Everything here is data; every default is the domain page's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "medallion/base/digest.h"
#include "medallion/base/time.h"
#include "medallion/ocpp/charging_event.h"
#include "medallion/ocpp/flat_schema.h"
#include "medallion/silver/rules.h"
#include "medallion/silver/settle.h"

namespace medallion::ocpp {

// What becomes of a time that cannot be: before 2010-01-01, or over `future_max_us` after ingest_ts.
enum class ClockPolicy : uint8_t {
  kQuarantine,  // INVALID_EVENT_TS: for gateways, whose clock is right
  kKeep,        // reported_ts keeps it, event_ts becomes ingest_ts, with a flag: for stations
};

// The HMAC key that stands in where a host gives none. It is public: digests made with it can be guessed.
inline constexpr char kPublicIdTagKey[] = "medallion: no key was given";

struct Options {
  // Reading.
  std::vector<FlatSchema> schemas = {FlatSchema::Version1()};
  std::string id_tag_key = kPublicIdTagKey;
  absl::TimeZone assumed_zone = absl::UTCTimeZone();  // what a time without an offset means
  bool missing_offset_rejected = false;               // quarantine such a time instead
  ClockPolicy flat_clock = ClockPolicy::kQuarantine;
  ClockPolicy frame_clock = ClockPolicy::kKeep;
  int64_t future_max_us = 5 * kMicrosPerMinute;
  size_t payload_bytes_max = size_t{1} << 20;
  std::set<std::string> not_an_id;  // transaction ids that are no ids, beside -1, 0 and 1.6 ids over 32 bit

  // Judging. Severities by code, for the pack's own rules; then rules of the host's own.
  std::map<std::string, Severity> severities;
  std::vector<Rule<ChargingEvent>> host_rules;
  Policy policy = Policy::kKeepFirst;

  // Deriving sessions.
  int64_t session_timeout_us = 24 * kMicrosPerHour;
  int64_t epoch_gap_us = 24 * kMicrosPerHour;  // a start this long after the last opens a session of its own
  int64_t late_us = kMicrosPerHour;
  int64_t power_max_w = 500'000;
  std::map<std::pair<std::string, int32_t>, int64_t>
      power_max_w_of;  // by (charge point in upper case, connector)
  int64_t session_energy_max_wh = 1'000'000;
  int64_t duration_max_us = 7 * 24 * kMicrosPerHour;  // longer: DURATION_IMPLAUSIBLE
  // Whether to keep gold_meter_intervals. They take about 13 bytes a reading in memory, and a row a reading in SQLite.
  bool meter_intervals = true;

  // Deriving daily figures: whose midnight parts the days.
  absl::TimeZone site_zone = absl::UTCTimeZone();
  std::map<std::string, absl::TimeZone> site_zone_of;  // by charge point in upper case; the others: site_zone
};

// Digest of everything in the options that bears on derived rows, and of the version of the rules themselves.
Digest ModelVersion(const Options& options);

// Options made ready for deriving: their version takes a digest, which a host that derives many entities makes once.
// Refers to the options.
struct SessionRules {
  explicit SessionRules(const Options& all) : options(all), model_version(ModelVersion(all)) {}
  explicit SessionRules(Options&&) = delete;

  const Options& options;
  Digest model_version;
};

}  // namespace medallion::ocpp
