// What a batch brought, counted for the run log; the metrics are sums of these (io/metrics.h). Pure.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "absl/numeric/int128.h"
#include "medallion/base/text.h"
#include "medallion/base/time.h"
#include "medallion/silver/element.h"
#include "medallion/silver/name_counts.h"

namespace medallion {

// The upper ends, in seconds, of what times from an event to its receipt are counted in; a last one has none.
inline constexpr std::array<int64_t, 9> kLagSeconds = {1,      10,     60,      300,      3'600,
                                                       21'600, 86'400, 604'800, 2'592'000};

// The largest number in place of a larger one: of many rows that are late by years.
inline int64_t Bounded(const absl::int128& number) {
  return static_cast<int64_t>(std::min(number, absl::int128(std::numeric_limits<int64_t>::max())));
}

// JSON, or empty; see RunLogRow.
struct Tally {
  std::string violations, unknown_fields, lags;
};

// `{"name":count}`, or empty.
inline std::string CountsJson(const NameCounts& counts) {
  std::string json;
  for (const auto& [name, count] : counts) {
    json += json.empty() ? '{' : ',';
    AppendJsonString(name, json);
    json += ':' + std::to_string(count);
  }
  return json.empty() ? json : json + '}';
}

// Counts each text of a JSON array of codes.
inline void CountCodes(std::string_view codes, NameCounts& counts) {
  for (size_t begin = codes.find('"'); begin != std::string_view::npos;) {
    const size_t end = codes.find('"', begin + 1);
    if (end == std::string_view::npos) return;
    ++counts[std::string(codes.substr(begin + 1, end - begin - 1))];
    begin = codes.find('"', end + 1);
  }
}

// Of elements that were refined and settled.
template <class Row>
Tally TallyOf(std::span<const Element<Row>> elements, const NameCounts& unknown_names) {
  NameCounts codes;
  std::array<uint64_t, kLagSeconds.size() + 1> lags{};
  absl::int128 sum = 0;
  bool any = false;
  for (const Element<Row>& element : elements) {
    if (element.standing.fate == Fate::kQuarantined) {
      CountCodes(element.standing.conflict ? R"(["CONFLICT"])" : element.violations, codes);
      continue;
    }
    const Order& order = element.identity.order;
    if (element.standing.fate != Fate::kSilver || order.ingest_ts == kNoTime || order.event_ts == kNoTime)
      continue;
    const int64_t lag = std::max<int64_t>(0, order.ingest_ts.us - order.event_ts.us);  // clocks may differ
    size_t bucket = 0;
    while (bucket < kLagSeconds.size() && lag > kLagSeconds[bucket] * kMicrosPerSecond) ++bucket;
    ++lags[bucket];
    sum += lag;
    any = true;
  }
  Tally tally{.violations = CountsJson(codes), .unknown_fields = CountsJson(unknown_names), .lags = {}};
  if (!any) return tally;
  for (const uint64_t count : lags) tally.lags += (tally.lags.empty() ? "[" : ",") + std::to_string(count);
  tally.lags += ',' + std::to_string(Bounded(sum)) + ']';
  return tally;
}

}  // namespace medallion
