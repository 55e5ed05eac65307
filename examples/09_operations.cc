// What keeps a pipeline honest: a contradiction and a format that nobody mapped yet wait in quarantine, until somebody
// answers the one and maps the other; time passes where no records come; Gold that a hand changed is found and repaired.
#include <sqlite3.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "medallion/io/quarantine.h"
#include "medallion/io/reconcile.h"
#include "medallion/ocpp/metrics.h"
#include "medallion/ocpp/run_sqlite.h"
#include "nlohmann/json.hpp"
using namespace medallion;
using ocpp::Charging;

void Check(const absl::Status& status) {
  if (!status.ok()) std::cout << status.message() << "\n", std::exit(1);
}

std::string Event(const char* id, const char* type, const char* minute, const char* more) {
  return std::string(R"({"event_id":")") + id + R"(","event_type":")" + type +
         R"(","charge_point_id":"CP-100","transaction_id":501,"event_ts":"2026-03-01T10:)" + minute +
         R"(:00Z",)" + more + "}";
}

void Operate(const std::string& path) {
  const auto opened = SqliteStore<Charging>::Open(path);
  Check(opened.status());
  SqliteStore<Charging>& store = **opened;
  ocpp::Options options;
  const std::string feed[] = {Event("e1", "StartTransaction", "00", R"("meter_wh":1000)"),
                              Event("e2", "MeterValues", "15", R"("register":5000,"schema_version":2)"),
                              Event("e3", "StopTransaction", "30", R"("meter_wh":8500)"),
                              Event("e4", "StopTransaction", "30", R"("meter_wh":8800)")};
  std::vector<BronzeRecord> records;
  for (const std::string& payload : feed) {
    records.push_back({.payload = payload, .at = {.topic = "ocpp", .offset = std::ssize(records)}});
  }
  Check(Runner<Charging>(store, options).Take(records, /*position=*/""));

  options.schemas.push_back(ocpp::FlatSchema::Version1());  // and the mapping that was missing
  options.schemas.back().version = 2;
  options.schemas.back().names["register"] = ocpp::Field::kMeterWh;
  Quarantine<Charging> quarantine(store, options);
  Digest contradiction;
  Check(quarantine.List({}, [&](const QuarantineRow& row) {
    std::cout << row.violations << row.detail << "\n";
    if (row.detail.find("rejected") != std::string::npos) contradiction = row.quarantine_id;
    return absl::OkStatus();
  }));
  Check(quarantine.Replay({.reason = "SCHEMA_MISMATCH"}).status());
  Check(quarantine.Accept(contradiction, "ann"));
  const UtcTime next_day = ParseTime("2026-03-02T12:00:00Z")->time;
  Check(Runner<Charging>(store, options).Sweep(next_day));
  Check(store.Read("gold_charge_point_health", [](std::string_view row) {
    std::cout << "offline: " << nlohmann::json::parse(row, nullptr, false)["is_offline"] << "\n";
    return absl::OkStatus();
  }));

  sqlite3* hand = nullptr;
  sqlite3_open(path.c_str(), &hand);
  sqlite3_exec(hand, "UPDATE gold_charging_sessions SET energy_kwh = '99.000'", nullptr, nullptr, nullptr);
  sqlite3_close(hand);
  Check(Reconcile<Charging>(store, store, options, /*days=*/7).status());
  Check(store.Read("ops_reconciliation_log", [](std::string_view row) {
    std::cout << row << "\n";
    return absl::OkStatus();
  }));

  const auto metrics = ocpp::MeasureCharging(store, /*data_clock=*/next_day);
  Check(metrics.status());
  std::cout << PrometheusText({metrics->begin(), metrics->begin() + 2});  // and many more
}

int main() {
  const auto path = std::filesystem::temp_directory_path() / ("medallion_09_" + std::to_string(::getpid()));
  Operate(path);
  std::filesystem::remove(path);
}
