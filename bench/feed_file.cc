// Writes the generated feed of the benchmarks to standard output, as JSON lines for the tool:
//
//   medallion_feed [--flat | --frames | --wrapped] EVENTS [SEED] > feed.jsonl
//   medallion_feed --sessions-of READINGS EVENTS > feed.jsonl
//
// --flat: the events alone; --frames: as OCPP 1.6 frames; --wrapped, or nothing: each is wrapped in a record. What was planted goes to standard error.
// --sessions-of: flat events of sessions that are all alike and run side by side, so that as few neighbours as can be are
// of one session.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "medallion/base/time.h"
#include "tests/feed.h"

namespace {

bool Put(std::string& lines) {
  const bool put = std::fwrite(lines.data(), 1, lines.size(), stdout) == lines.size();
  if (!put) std::perror("medallion_feed: cannot write");
  lines.clear();
  return put;
}

int WriteMix(std::string_view form, const medallion::testing::FeedOptions& options) {
  medallion::testing::FeedStream stream(options);
  std::string lines;
  const auto append = [&] {
    if (form == "--flat") return stream.AppendFlatLines(10'000, lines);
    if (form == "--frames") return stream.AppendFrameLines(10'000, lines);
    return stream.AppendWrappedLines(10'000, lines);
  };
  while (append()) {
    if (!Put(lines)) return 1;
  }
  const medallion::testing::FeedCounts& counts = stream.counts();
  std::fprintf(stderr,
               "%lld events: %lld technical and %lld business duplicates, %lld conflicts, %lld invalid; %lld "
               "sessions\n",
               static_cast<long long>(counts.events), static_cast<long long>(counts.technical),
               static_cast<long long>(counts.business), static_cast<long long>(counts.conflicts),
               static_cast<long long>(counts.invalid), static_cast<long long>(counts.sessions));
  return 0;
}

// The event of a step of a session: its start, readings of 100 Wh each half minute, its stop.
void AppendEvent(int64_t step, int64_t readings, int64_t session, std::string& lines) {
  const char* type = step == 0 ? "StartTransaction" : step > readings ? "StopTransaction" : "MeterValues";
  const int64_t at_us = 1'772'323'200'000'000 + step * 30 * medallion::kMicrosPerSecond + session % 1000;
  lines.append("{\"event_id\":\"").append(std::to_string(session)).append("-").append(std::to_string(step));
  lines.append("\",\"event_type\":\"").append(type).append("\",\"charge_point_id\":\"CP-");
  lines.append(std::to_string(session)).append("\",\"connector_id\":1,\"transaction_id\":");
  lines.append(std::to_string(session + 1)).append(",\"event_ts\":\"");
  medallion::AppendTime({at_us}, lines);
  lines.append("\",\"meter_value\":").append(std::to_string(1'000 + 100 * std::min(step, readings)));
  lines.append(",\"unit\":\"Wh\",\"ocpp_version\":\"1.6\",\"schema_version\":1}\n");
}

int WriteSessions(int64_t readings, int64_t events) {
  const int64_t sessions = std::max<int64_t>(1, events / (readings + 2));
  // Side by side: so many that a batch of 100 rarely has two events of one.
  const int64_t group = std::min<int64_t>(sessions, std::max<int64_t>(100, 10'000 / (readings + 2)));
  std::string lines;
  for (int64_t first = 0; first < sessions; first += group) {
    const int64_t last = std::min(sessions, first + group);
    for (int64_t step = 0; step <= readings + 1; ++step) {
      for (int64_t session = first; session < last; ++session) AppendEvent(step, readings, session, lines);
      if (!Put(lines)) return 1;
    }
  }
  std::fprintf(stderr, "%lld sessions\n", static_cast<long long>(sessions));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view option = argc > 1 ? argv[1] : "";
  const auto number = [&](int at) { return argc > at ? std::atol(argv[at]) : 0L; };
  if (option == "--sessions-of") return WriteSessions(std::max(1L, number(2)), std::max(1L, number(3)));
  const int first = option.starts_with("--") ? 2 : 1;
  medallion::testing::FeedOptions options;
  if (number(first) > 0) options.events = number(first);
  if (argc > first + 1) options.seed = static_cast<uint64_t>(number(first + 1));
  options.charge_points = std::max<int64_t>(1, options.events / 10);
  return WriteMix(option, options);
}
