// Differences: the oracle's tables against the product's JSON lines.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>

#include "ocpp/oracle.h"
#include "ocpp/oracle_functions.h"

namespace medallion::testing {
namespace {

using Names = std::set<std::string, std::less<>>;

constexpr size_t kReportedMax = 20;

const std::map<std::string, std::vector<std::string>, std::less<>>& Keys() {
  static const std::map<std::string, std::vector<std::string>, std::less<>> keys = {
      {"silver_charging_events",
       {"bronze_topic", "bronze_partition", "bronze_offset", "bronze_ordinal", "event_id", "business_key"}},
      {"silver_quarantine_events", {"quarantine_id"}},
      {"silver_duplicate_events_audit",
       {"topic", "partition", "offset", "ordinal", "event_id", "business_key"}},
      {"silver_ignored", {"topic", "partition", "offset", "ordinal"}},
      {"gold_charging_sessions", {"session_id"}},
      {"accounting_by_fate", {"fate"}},
      {"accounting_by_hour", {"hour", "fate"}},
  };
  return keys;
}

const Names& NeverCompared() {
  static const Names names = {"pipeline_version", "model_version", "row_hash", "detail"};
  return names;
}

// Columns and flags of a session that rest on the analysis of its register series.
const Names& SeriesColumns() {
  static const Names names = {"meter_start_wh",  "meter_stop_wh", "last_meter_wh",       "energy_kwh",
                              "energy_is_final", "energy_basis",  "energy_estimate_kwh", "evidence"};
  return names;
}

const Names& SeriesFlags() {
  static const Names names = {"METER_ANOMALY",
                              "METER_DECREASED",
                              "METER_RESET",
                              "METER_START_INVALID",
                              "METER_STOP_INVALID",
                              "NO_END_READING",
                              "UNIT_SUSPECT",
                              "TXDATA_MISMATCH",
                              "SIGNED_RAW_MISMATCH",
                              "ZERO_ENERGY",
                              "METER_NON_MONOTONIC",
                              "METER_GLITCH",
                              "MIXED_REGISTER_REFERENCE",
                              "SINGLE_PHASE",
                              "BASELINE_INFERRED"};
  return names;
}

bool IsJson(std::string_view column) {
  return column == "flags" || column == "quality_flags" || column == "violations" ||
         column == "extra_fields" || column == "evidence" || column == "transaction_aliases";
}

// Canonical text of a JSON column: objects by sorted name, sets sorted, and an empty list or object is a
// null.
std::optional<std::string> CanonicalJson(std::string_view column, const std::string& text, bool odd) {
  nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (json.is_discarded()) return text;
  if (column == "flags" || column == "quality_flags") {
    std::vector<std::string> codes;
    for (const nlohmann::json& code : json) {
      const std::string name = code.is_string() ? code.get<std::string>() : code.dump();
      if (name == "DURATION_IMPLAUSIBLE" || (odd && SeriesFlags().contains(name))) continue;
      codes.push_back(name);
    }
    std::sort(codes.begin(), codes.end());
    json = codes;
  }
  if (json.empty()) return std::nullopt;
  return json.dump();
}

OracleRow ReadProductRow(const std::string& line) {
  OracleRow row;
  const nlohmann::json json = nlohmann::json::parse(line, nullptr, false);
  if (!json.is_object()) return {{"(not a JSON object)", line}};
  for (const auto& [name, value] : json.items()) {
    std::optional<std::string>& cell = row[name];
    if (value.is_string()) {
      cell = value.get<std::string>();
    } else if (!value.is_null()) {
      cell = value.dump();
    }
  }
  return row;
}

std::string Show(const std::optional<std::string>& cell) {
  if (!cell.has_value()) return "null";
  return cell->size() > 120 ? cell->substr(0, 120) + "…" : *cell;
}

std::string KeyOf(const std::vector<std::string>& columns, const OracleRow& row) {
  std::string key;
  for (const std::string& column : columns) {
    const auto cell = row.find(column);
    key.append(key.empty() ? "" : "/").append(cell == row.end() ? "?" : Show(cell->second));
  }
  return key;
}

using Grouped = std::map<std::string, std::vector<OracleRow>>;

Grouped Group(const std::vector<std::string>& key, const std::vector<OracleRow>& rows) {
  Grouped grouped;
  for (const OracleRow& row : rows) grouped[KeyOf(key, row)].push_back(row);
  for (auto& [name, same] : grouped) std::sort(same.begin(), same.end());
  return grouped;
}

// One table's comparison.
class Comparison {
 public:
  Comparison(std::string table, std::vector<std::string>& report)
      : table_(std::move(table)), report_(report) {}

  void Compare(const std::vector<OracleRow>& oracle, const std::vector<OracleRow>& product) {
    const std::vector<std::string>& key = Keys().at(table_);
    const Grouped ours = Group(key, oracle), theirs = Group(key, product);
    for (const auto& [name, rows] : ours) {
      const auto other = theirs.find(name);
      const size_t count = other == theirs.end() ? 0 : other->second.size();
      if (count != rows.size() && !IsMarked(rows[0], "_opened_by_odd_series")) {
        Report(name, "rows", std::to_string(rows.size()) + " as " + Summary(rows[0]), std::to_string(count));
      }
      for (size_t i = 0; i < std::min(count, rows.size()); ++i) CompareRow(name, rows[i], other->second[i]);
    }
    for (const auto& [name, rows] : theirs) {
      if (!ours.contains(name))
        Report(name, "rows", "0", std::to_string(rows.size()) + " as " + Summary(rows[0]));
    }
  }

 private:
  static bool IsMarked(const OracleRow& row, const char* mark) {
    const auto cell = row.find(mark);
    return cell != row.end() && cell->second == "1";
  }

  static std::string Summary(const OracleRow& row) {
    std::string summary;
    for (const char* column : {"event_type", "event_id", "event_ts", "transaction_id", "charge_point_id",
                               "violations", "duplicate_type", "session_status", "count"}) {
      const auto cell = row.find(column);
      if (cell != row.end()) summary.append(summary.empty() ? "" : " ").append(Show(cell->second));
    }
    return summary;
  }

  void CompareRow(const std::string& key, const OracleRow& ours, const OracleRow& theirs) {
    const bool odd = IsMarked(ours, "_odd_series");
    for (const auto& [column, cell] : ours) {
      if (column.starts_with('_') || NeverCompared().contains(column)) continue;
      if (odd && SeriesColumns().contains(column)) continue;
      if (column == "raw_payload" && (!cell.has_value() || !OracleIsUtf8(*cell))) continue;
      const auto other = theirs.find(column);
      if (other == theirs.end()) {
        Report(key, column, Show(cell), "no such column");
        continue;
      }
      CompareCell(key, column, cell, other->second, odd);
    }
  }

  void CompareCell(const std::string& key, const std::string& column, std::optional<std::string> ours,
                   std::optional<std::string> theirs, bool odd) {
    if (IsJson(column)) {
      if (ours.has_value()) ours = CanonicalJson(column, *ours, odd);
      if (theirs.has_value()) theirs = CanonicalJson(column, *theirs, odd);
    }
    if (ours != theirs) Report(key, column, Show(ours), Show(theirs));
  }

  void Report(const std::string& key, const std::string& column, const std::string& ours,
              const std::string& theirs) {
    report_.push_back(table_ + " " + key + " " + column + ": oracle " + ours + ", product " + theirs);
  }

  std::string table_;
  std::vector<std::string>& report_;
};

}  // namespace

std::string Differences(const OracleTables& oracle,
                        const std::map<std::string, std::vector<std::string>>& product_json_lines) {
  std::vector<std::string> report;
  for (const auto& [table, lines] : product_json_lines) {
    const auto ours = oracle.find(table);
    if (ours == oracle.end()) continue;
    std::vector<OracleRow> rows;
    for (const std::string& line : lines) rows.push_back(ReadProductRow(line));
    Comparison(table, report).Compare(ours->second, rows);
  }
  std::string text;
  for (size_t i = 0; i < std::min(report.size(), kReportedMax); ++i) text += report[i] + "\n";
  if (report.size() > kReportedMax)
    text += "… and " + std::to_string(report.size() - kReportedMax) + " more\n";
  return text;
}

}  // namespace medallion::testing
