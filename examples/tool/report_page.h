// What a store holds as one page that a person can look at: plain HTML with inline SVG, no script, no network.
// Of large stores it shows the latest, and says so. Pure. One thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "medallion/silver/accounting.h"
#include "nlohmann/json.hpp"
#include "tool/report_charts.h"

namespace medallion::tool {

class ReportPage {
 public:
  // What it wants to see, in this order.
  static constexpr std::string_view kTables[] = {"gold_charging_sessions", "gold_meter_intervals",
                                                 "gold_charging_stats_daily", "gold_connector_status_history",
                                                 "silver_quarantine_events"};
  void Add(std::string_view table, std::string_view line);

  std::string Html(const Accounting& books, const std::string& store) const;

 private:
  struct Energy {
    int64_t final = 0, provisional = 0;  // thousandths of kWh
  };
  using Rows = std::map<std::pair<std::string, std::string>, nlohmann::json>;  // by last event and session id
  void AddSession(nlohmann::json row);
  void AddInterval(const nlohmann::json& row);
  void AddDay(const nlohmann::json& row);
  void AddStatus(const nlohmann::json& row);
  std::string EnergyByDay() const;
  std::string Sessions() const;
  std::string Session(const nlohmann::json& row) const;
  std::string Connectors() const;

  int64_t all_sessions_ = 0;
  Rows sessions_;                              // the latest
  std::map<std::string, Periods> intervals_;   // of those, by session id; power in thousandths of W
  std::map<std::string, Energy> days_;         // by date, the latest
  std::map<std::string, Periods> connectors_;  // by name, the first
  std::map<std::string, int64_t> reasons_;     // of rows that are in quarantine still
  bool connectors_left_out_ = false;
  UtcTime latest_status_ = kNoTime;
};

}  // namespace medallion::tool
