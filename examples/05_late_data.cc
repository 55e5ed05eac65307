// A store that lasts, in one SQLite file: run again and nothing changes; a stop that comes days late mends
// its session.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

#include "medallion/io/line_source.h"
#include "medallion/ocpp/record_lines.h"
#include "medallion/ocpp/run_sqlite.h"
#include "nlohmann/json.hpp"
using namespace medallion;

// What a process does each time it is started: open the store, read the feed on from where it was left, show
// sessions.
absl::Status RunOnce(const std::string& feed, const std::string& path) {
  const ocpp::Options options;
  ocpp::RecordLines lines;
  auto source =
      LineSource::Open(feed, "feed", [&](std::string_view line, const Coordinate& at, Arena& texts) {
        return lines.Decode(line, at, texts);
      });
  if (!source.ok()) return source.status();
  auto store = SqliteStore<ocpp::Charging>::Open(path);
  if (!store.ok()) return store.status();
  const auto report = Run<ocpp::Charging>(**source, **store, options, {.source = "feed"});
  if (!report.ok()) return report.status();
  std::cout << report->records << " records read, the data clock is at " << FormatTime(report->data_clock)
            << "\n";
  return (*store)->Read("gold_charging_sessions", [](std::string_view line) {
    const nlohmann::json row = nlohmann::json::parse(line, nullptr, false);
    std::cout << "  " << row["session_status"] << " " << row["energy_kwh"] << "\n";
    return absl::OkStatus();
  });
}

int main() {
  const auto directory =
      std::filesystem::temp_directory_path() / ("medallion_05_" + std::to_string(::getpid()));
  std::filesystem::create_directories(directory);
  const std::string feed = directory / "feed.jsonl", path = directory / "charging.sqlite";
  std::ofstream file(feed);
  const auto run = [&] {
    file.flush();
    const absl::Status status = RunOnce(feed, path);
    if (!status.ok()) std::cout << status.message() << "\n";
  };

  file << R"({"event_id":"e1","event_type":"StartTransaction","charge_point_id":"CP-100",)"
       << R"("transaction_id":501,"event_ts":"2026-03-01T10:00:00Z","meter_wh":1000})"
       << "\n"
       << R"({"event_id":"h1","event_type":"Heartbeat","charge_point_id":"CP-200",)"
       << R"("event_ts":"2026-03-03T10:00:00Z"})"
       << "\n";
  run();  // two days later there still is no stop: timed out
  run();  // nothing new
  file << R"({"event_id":"e5","event_type":"StopTransaction","charge_point_id":"CP-100",)"
       << R"("transaction_id":501,"event_ts":"2026-03-01T10:30:00Z","ingest_ts":"2026-03-04T08:00:00Z",)"
       << R"("meter_wh":8500})"
       << "\n";
  run();  // the station was offline, and now sends its stop
  std::filesystem::remove_all(directory);
}
