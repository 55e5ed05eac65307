#include "medallion/ocpp/metrics.h"

#include <array>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "medallion/base/decimal.h"
#include "medallion/ocpp/charging.h"
#include "simdjson.h"

namespace medallion::ocpp {
namespace {

struct Age {
  std::string_view name;
  int64_t below_us;
};
constexpr Age kAges[] = {{"under_1h", kMicrosPerHour},
                         {"under_1d", kMicrosPerDay},
                         {"under_7d", 7 * kMicrosPerDay},
                         {"under_30d", 30 * kMicrosPerDay},
                         {"older", INT64_MAX}};

struct Found {
  std::map<std::string, int64_t> open;                              // by state
  std::array<std::array<int64_t, 2>, std::size(kAges)> sessions{};  // by age; not final, final
};

void Count(const simdjson::dom::element& row, UtcTime clock, Found& found) {
  std::string_view state, time;
  bool is_final = false;
  if (row["session_status"].get(state) || row["energy_is_final"].get(is_final)) return;
  if (state != "COMPLETED") ++found.open[std::string(state)];
  if (clock == kNoTime || (row["start_ts"].get(time) && row["last_event_ts"].get(time))) return;
  const std::optional<ParsedTime> parsed = ParseTime(time);
  if (!parsed.has_value()) return;
  size_t age = 0;
  while (clock.us - parsed->time.us >= kAges[age].below_us) ++age;
  ++found.sessions[age][is_final ? 1 : 0];
}

}  // namespace

absl::StatusOr<std::vector<Metric>> MeasureSessions(Tables& tables, UtcTime data_clock) {
  Found found;
  simdjson::dom::parser parser;
  const absl::Status status = tables.Read(Charging::kGoldTables[0], [&](std::string_view line) {
    simdjson::dom::element row;
    if (!parser.parse(line.data(), line.size()).get(row)) Count(row, data_clock, found);
    return absl::OkStatus();
  });
  if (!status.ok()) return status;
  Metric open{.name = "medallion_entities_open", .help = "Sessions that are not completed, by state."};
  for (const auto& [state, count] : found.open) {
    open.samples.push_back({.labels = {{"state", state}}, .value = std::to_string(count)});
  }
  Metric sessions{.name = "medallion_sessions",
                  .help = "Sessions by age, and whether their energy is final."};
  Metric ratio{.name = "medallion_sessions_not_final_ratio",
               .help = "The share of sessions whose energy is not final, by age."};
  for (size_t age = 0; age < std::size(kAges); ++age) {
    const auto& [provisional, final_ones] = found.sessions[age];
    const std::string name(kAges[age].name);
    sessions.samples.push_back(
        {.labels = {{"age", name}, {"final", "false"}}, .value = std::to_string(provisional)});
    sessions.samples.push_back(
        {.labels = {{"age", name}, {"final", "true"}}, .value = std::to_string(final_ones)});
    if (provisional + final_ones == 0) continue;
    std::string share;
    AppendFixed(provisional * 10'000 / (provisional + final_ones), 4, share);
    ratio.samples.push_back({.labels = {{"age", name}}, .value = share});
  }
  std::vector<Metric> metrics;
  for (Metric* metric : {&open, &sessions, &ratio}) metrics.push_back(std::move(*metric));
  return metrics;
}

absl::StatusOr<std::vector<Metric>> MeasureCharging(Tables& tables, UtcTime data_clock, UtcTime now) {
  absl::StatusOr<std::vector<Metric>> metrics = Measure(tables, data_clock, now);
  if (!metrics.ok()) return metrics;
  absl::StatusOr<std::vector<Metric>> sessions = MeasureSessions(tables, data_clock);
  if (!sessions.ok()) return sessions;
  std::move(sessions->begin(), sessions->end(), std::back_inserter(*metrics));
  return metrics;
}

}  // namespace medallion::ocpp
