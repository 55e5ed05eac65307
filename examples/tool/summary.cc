#include "tool/summary.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "medallion/io/element_tables.h"
#include "medallion/ocpp/charging.h"
#include "tool/grid.h"
#include "tool/json_columns.h"
#include "tool/words.h"

namespace medallion::tool {
namespace {

using nlohmann::json;

constexpr size_t kSessionsShown = 20;

// A heading and its counts, the largest first; nothing where there are none.
std::string Counts(std::string_view heading, const std::map<std::string, int64_t>& counts) {
  std::vector<std::pair<std::string, int64_t>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::vector<std::string>> rows;
  for (const auto& [name, count] : sorted) {
    if (count != 0) rows.push_back({Shown(name), std::to_string(count)});
  }
  return rows.empty() ? "" : "\n" + std::string(heading) + "\n" + Grid(rows, {1});
}

std::string DefaultsText(const ocpp::LineDefaults& defaults) {
  std::vector<std::vector<std::string>> rows;
  const auto add = [&](const char* field, int64_t lines, const char* stands_in) {
    if (lines != 0) rows.push_back({field, std::to_string(lines), stands_in});
  };
  add("topic", defaults.topic, "--topic, or the file's name");
  add("offset", defaults.offset, "the line's number");
  add("ingest_ts", defaults.ingest_ts, "broker_ts, else the event's own time");
  return rows.empty() ? "" : "\nlines that left something out, and what stood in\n" + Grid(rows, {1});
}

}  // namespace

void Summary::Add(std::string_view table, std::string_view line) {
  if (table == ocpp::Charging::kGoldTables[0]) return AddSession(line);
  if (table != kQuarantineTable && table != kIgnoredTable) return;
  const json row = json::parse(line, nullptr, false);
  if (table == kIgnoredTable) {
    ++ignored_[TextOf(row, "reason")];
    return;
  }
  if (TextOf(row, "status") == "REPLAYED") return;  // history: it counts under its new fate
  ++quarantined_;
  const auto violations = row.find("violations");
  if (violations == row.end() || !violations->is_array()) return;
  for (const json& code : *violations)
    ++reasons_[code.is_string() ? code.get_ref<const std::string&>() : code.dump()];
}

void Summary::AddSession(std::string_view line) {
  const json row = json::parse(line, nullptr, false);
  const std::string energy = TextOf(row, "energy_kwh");
  const bool is_final = TextOf(row, "energy_is_final") == "true";
  const std::string status = TextOf(row, "session_status");
  ++sessions_;
  StatusSums& sums = by_status_[status];
  ++sums.sessions;
  const std::optional<int64_t> kwh = ThousandthsOf(row, "energy_kwh");
  if (!kwh) {
    ++sums.without_energy;
  } else {
    ++(is_final ? sums.final_sessions : sums.provisional_sessions);
    (is_final ? sums.final_kwh : sums.provisional_kwh) += *kwh;
  }

  SortKey key{TextOf(row, "charge_point_id"), TextOf(row, "start_ts"), TextOf(row, "session_id")};
  if (first_.size() == kSessionsShown && std::prev(first_.end())->first < key) return;
  const std::string start = std::get<1>(key).substr(0, std::string_view("2026-03-01T10:00:00").size());
  Cells cells = {Shown(std::get<0>(key)),
                 Shown(TextOf(row, "transaction_id")),
                 start,
                 TextOf(row, "duration_seconds"),
                 status,
                 energy,
                 energy.empty() ? ""
                 : is_final     ? "final"
                                : "provisional",
                 Joined(row, "quality_flags")};
  for (std::string& cell : cells) {
    if (cell.empty()) cell = "-";
  }
  first_.insert_or_assign(std::move(key), std::move(cells));
  if (first_.size() > kSessionsShown) first_.erase(std::prev(first_.end()));
}

std::string Summary::RunText(const RunFacts& facts) const {
  const RunReport& report = facts.report;
  std::vector<std::vector<std::string>> rows;
  rows.push_back({"records", std::to_string(report.records)});
  rows.push_back({"redelivered", std::to_string(report.redelivered)});
  if (report.beyond != 0) rows.push_back({"beyond --as-of", std::to_string(report.beyond)});
  if (report.unknown_fields != 0)
    rows.push_back({"unknown fields kept", std::to_string(report.unknown_fields)});
  rows.push_back({"batches", std::to_string(report.batches)});
  std::string clock;
  rows.push_back({"data clock", AppendCanonical(report.data_clock, clock) ? clock : "-"});
  rows.push_back({"store", facts.store});
  if (facts.store_lasts) rows.push_back({"records in the store", std::to_string(facts.books.records)});
  if (!facts.out.empty()) rows.push_back({"tables", facts.out});
  std::string text = "\nrun\n" + Grid(rows, {});
  if (facts.store_lasts && report.records == report.redelivered) {
    text += "  nothing new: " + Counted(facts.books.records, "record") + " known already\n";
  }
  return text;
}

std::string Summary::SessionsText(const RunFacts& facts) const {
  if (sessions_ == 0) return "\nsessions\n  none\n";
  std::vector<Cells> rows = {
      {"charge_point", "transaction", "start (UTC)", "seconds", "status", "energy_kwh", "", "flags"}};
  for (const auto& [key, cells] : first_) rows.push_back(cells);
  std::string text = "\nsessions\n" + Grid(rows, {3, 5});
  if (const int64_t more = sessions_ - static_cast<int64_t>(first_.size()); more > 0) {
    text += "  … and " + std::to_string(more) + " more" +
            (facts.out.empty() ? ": see them all by --out DIR" : "") + "\n";
  }
  rows = {{"status", "sessions", "final_kwh", "of", "provisional_kwh", "of", "without energy"}};
  const auto add = [&](const std::string& name, const StatusSums& sums) {
    rows.push_back({name, std::to_string(sums.sessions), Decimal3(sums.final_kwh),
                    std::to_string(sums.final_sessions), Decimal3(sums.provisional_kwh),
                    std::to_string(sums.provisional_sessions), std::to_string(sums.without_energy)});
  };
  StatusSums all;
  for (const auto& [status, sums] : by_status_) {
    add(status, sums);
    all.sessions += sums.sessions;
    all.final_sessions += sums.final_sessions, all.final_kwh += sums.final_kwh;
    all.provisional_sessions += sums.provisional_sessions, all.provisional_kwh += sums.provisional_kwh;
    all.without_energy += sums.without_energy;
  }
  add("all", all);
  return text + "\nsessions by status\n" + Grid(rows, {1, 2, 3, 4, 5, 6});
}

std::string Summary::Text(const RunFacts& facts) const {
  const FateCounts& fates = facts.books.fates;
  std::string text = AccountingLine(facts.books) + "\n" + RunText(facts);
  text += Counts("duplicates", {{"TECHNICAL", fates[Fate::kTechnicalDuplicate]},
                                {"BUSINESS", fates[Fate::kBusinessDuplicate]}});
  text += Counts("quarantined: " + std::to_string(quarantined_) + ", by reason", reasons_);
  text += Counts("ignored, by reason", ignored_);
  text += SessionsText(facts);
  text += DefaultsText(facts.defaults);
  return text;
}

}  // namespace medallion::tool
