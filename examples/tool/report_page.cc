#include "tool/report_page.h"

#include <algorithm>
#include <optional>

#include "medallion/silver/fate.h"
#include "tool/json_columns.h"

namespace medallion::tool {
namespace {

using nlohmann::json;

constexpr size_t kSessionsShown = 200, kIntervalsShown = 2'000, kDaysShown = 60;
constexpr size_t kConnectorsShown = 50, kPeriodsShown = 500;
constexpr int64_t kTimelineMicros = 7 * kMicrosPerDay;

constexpr std::string_view kStyle = R"(<style>
body{font:14px/1.45 system-ui,sans-serif;max-width:1100px;margin:2em auto;padding:0 1em;color:#1d2733;background:#fff}
h1{font-size:1.5em}h2{font-size:1.15em;margin:2em 0 .5em;border-bottom:1px solid #ccd4dc}
table{border-collapse:collapse}td{padding:.15em .9em .15em 0;text-align:left}td+td{overflow-wrap:anywhere}td.n{text-align:right}
svg{width:100%;display:block;background:#f4f6f8}
.final,.power{fill:#0b6fb8}.provisional{fill:#e6a100}rect:hover{opacity:.7}
summary{cursor:pointer;list-style:none;position:relative;padding-left:1.1em}
summary::before{content:"▸";position:absolute;left:0}details[open]>summary::before{content:"▾"}
.row{display:grid;grid-template-columns:14em 7em 11em 4em 8em 10em 1fr;gap:.6em;padding:.2em 0}
.row>*{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}.head{font-weight:600;padding-left:1.1em}
details{border-bottom:1px solid #e6eaee}details[open]{background:#fafbfc}details>div{padding:.4em 1em 1em}
.flag{color:#a03500;white-space:normal;overflow-wrap:anywhere}.note{color:#5b6875;margin:.3em 0}
.line{display:grid;grid-template-columns:18em 1fr;gap:.8em;align-items:center;margin:.25em 0}
.key{display:inline-block;margin-right:1.2em}.key svg{display:inline-block;width:1em;height:1em;vertical-align:-.15em}
.s-Available{fill:#9fcf8f}.s-Preparing,.s-Finishing,.s-Reserved{fill:#f0d36b}.s-Charging,.s-Occupied{fill:#0b6fb8}
.s-SuspendedEV,.s-SuspendedEVSE{fill:#7fb4de}.s-Unavailable{fill:#9aa5b1}.s-Faulted{fill:#c8321f}rect{fill:#c9b7dd}
</style>)";

std::optional<UtcTime> TimeOf(const json& row, std::string_view column) {
  const std::optional<ParsedTime> time = ParseTime(TextOf(row, column));
  return time ? std::optional(time->time) : std::nullopt;
}

// A square in the colour of a class, and what it stands for.
std::string Key(const std::string& style, const std::string& name) {
  return "<span class=\"key\"><svg viewBox=\"0 0 1 1\"><rect width=\"1\" height=\"1\" class=\"" + style +
         "\"/></svg> " + name + "</span>";
}

// Keeps the `most` with the largest keys.
template <class Map>
void DropFirst(Map& map, size_t most) {
  if (map.size() > most) map.erase(map.begin());
}

std::string Section(std::string_view title, std::string_view content) {
  return "<h2>" + std::string(title) + "</h2>\n" + std::string(content) + "\n";
}

std::string Note(const std::string& text) { return "<p class=\"note\">" + Escaped(text) + "</p>"; }

std::string Cell(const std::string& text) {
  return "<span>" + Escaped(text.empty() ? "-" : text) + "</span>";
}

// Numbers stand to the right.
std::string Row(const std::string& name, const std::string& value, const char* style = "n") {
  return "<tr><td>" + Escaped(name) + "</td><td class=\"" + style + "\">" + Escaped(value) + "</td></tr>";
}

std::string Line(const std::string& name, const std::string& chart) {
  return "<div class=\"line\"><span>" + Escaped(name) + "</span>" + chart + "</div>\n";
}

std::string Second(UtcTime time) { return FormatTime(time).substr(0, 19) + "Z"; }

std::string Counts(const std::map<std::string, int64_t>& counts) {
  std::string rows;
  for (const auto& [name, count] : counts) rows += Row(name, std::to_string(count));
  return rows.empty() ? Note("none") : "<table>" + rows + "</table>";
}

std::string Books(const Accounting& books) {
  std::string rows = Row("records", std::to_string(books.records));
  rows += Row("elements", std::to_string(books.elements));
  for (int fate = 0; fate < kFates; ++fate) {
    rows += Row(std::string(FateName(static_cast<Fate>(fate))),
                std::to_string(books.fates[static_cast<Fate>(fate)]));
  }
  rows += Row("imbalance", std::to_string(Imbalance(books)));
  return Note(AccountingLine(books)) + "<table>" + rows + "</table>";
}

}  // namespace

void ReportPage::Add(std::string_view table, std::string_view line) {
  json row = json::parse(line, nullptr, false);
  if (table == "gold_charging_sessions") return AddSession(std::move(row));
  if (table == "gold_meter_intervals") return AddInterval(row);
  if (table == "gold_charging_stats_daily") return AddDay(row);
  if (table == "gold_connector_status_history") return AddStatus(row);
  if (TextOf(row, "status") == "REPLAYED") return;  // history
  for (const json& code : row["violations"]) ++reasons_[code.get<std::string>()];
}

void ReportPage::AddSession(json row) {
  ++all_sessions_;
  sessions_.insert_or_assign({TextOf(row, "last_event_ts"), TextOf(row, "session_id")}, std::move(row));
  DropFirst(sessions_, kSessionsShown);
}

void ReportPage::AddInterval(const json& row) {
  if (intervals_.empty()) {  // all sessions are known by now
    for (const auto& [key, session] : sessions_) intervals_[key.second];
  }
  const auto shown = intervals_.find(TextOf(row, "session_id"));
  const std::optional<UtcTime> from = TimeOf(row, "from_ts"), to = TimeOf(row, "to_ts");
  if (shown == intervals_.end() || !from || !to) return;
  const int64_t power = ThousandthsOf(row, "avg_power_w").value_or(0);
  shown->second[*from] = {
      *to, power, "power",
      Second(*from) + " to " + Second(*to) + ": " + Decimal3(power) + " W " + Joined(row, "flags")};
  DropFirst(shown->second, kIntervalsShown);
}

void ReportPage::AddDay(const json& row) {
  Energy& day = days_[TextOf(row, "stats_date")];
  day.final += ThousandthsOf(row, "energy_kwh_final").value_or(0);
  day.provisional += ThousandthsOf(row, "energy_kwh_provisional").value_or(0);
  DropFirst(days_, kDaysShown);
}

void ReportPage::AddStatus(const json& row) {
  const std::optional<UtcTime> from = TimeOf(row, "valid_from");
  if (!from) return;
  const UtcTime to = TimeOf(row, "valid_to").value_or(UtcTime{INT64_MAX});
  latest_status_ = std::max({latest_status_, *from, to.us == INT64_MAX ? *from : to});
  std::string name = TextOf(row, "charge_point_id");
  for (const char* part : {"evse_id", "connector_id"}) {
    if (const std::string number = TextOf(row, part); !number.empty()) name += " / " + number;
  }
  const std::string status = TextOf(row, "connector_status");
  Periods& periods = connectors_[name];
  periods[*from] = {to, 1, "s-" + status, status + " from " + Second(*from)};
  DropFirst(periods, kPeriodsShown);
  if (connectors_.size() <= kConnectorsShown) return;
  connectors_.erase(std::prev(connectors_.end()));
  connectors_left_out_ = true;
}

std::string ReportPage::EnergyByDay() const {
  if (days_.empty()) return Note("none");
  int64_t most = 0;
  for (const auto& [date, day] : days_) most = std::max(most, day.final + day.provisional);
  std::string html = Key("final", "kWh final") + Key("provisional", "kWh provisional");
  for (const auto& [date, day] : days_) {
    html += Line(date + ": " + Decimal3(day.final) + " + " + Decimal3(day.provisional),
                 SplitBar(day.final, day.provisional, most));
  }
  return html;
}

std::string ReportPage::Session(const json& row) const {
  const std::string final_word = TextOf(row, "energy_is_final") == "true" ? "final" : "provisional";
  const std::string energy = TextOf(row, "energy_kwh");
  std::string html = "<details><summary><div class=\"row\">" + Cell(TextOf(row, "charge_point_id")) +
                     Cell(TextOf(row, "transaction_id")) + Cell(TextOf(row, "start_ts").substr(0, 19)) +
                     Cell(TextOf(row, "duration_seconds")) + Cell(TextOf(row, "session_status")) +
                     Cell(energy.empty() ? "" : energy + " " + final_word) + "<span class=\"flag\">" +
                     Escaped(Joined(row, "quality_flags")) + "</span></div></summary><div>";
  const auto found = intervals_.find(TextOf(row, "session_id"));
  if (found != intervals_.end() && !found->second.empty()) {
    const UtcTime from = found->second.begin()->first, to = found->second.rbegin()->second.to;
    int64_t most = 0;
    for (const auto& [begin, period] : found->second) most = std::max(most, period.value);
    html += Note(Second(from) + " to " + Second(to) + ", up to " + Decimal3(most) + " W") +
            TimeChart(found->second, from, to, 90);
  }
  std::string rows;
  for (const char* column :
       {"session_id", "connector_id", "stop_ts", "stop_reason", "energy_basis", "meter_start_wh",
        "meter_stop_wh", "energy_estimate_kwh", "detail", "evidence"}) {
    if (const std::string text = TextOf(row, column); !text.empty()) rows += Row(column, text, "");
  }
  return html + "<table>" + rows + "</table></div></details>\n";
}

std::string ReportPage::Sessions() const {
  if (sessions_.empty()) return Note("none");
  std::string html = "<div class=\"row head\">";
  for (const char* name :
       {"charge point", "transaction", "start (UTC)", "seconds", "status", "energy kWh", "flags"}) {
    html += Cell(name);
  }
  html += "</div>";
  for (auto entry = sessions_.rbegin(); entry != sessions_.rend(); ++entry) html += Session(entry->second);
  const auto shown = static_cast<int64_t>(sessions_.size());
  if (all_sessions_ > shown) {
    html = Note("the latest " + std::to_string(shown) + " of " + std::to_string(all_sessions_)) + html;
  }
  return html;
}

std::string ReportPage::Connectors() const {
  if (connectors_.empty()) return Note("none");
  UtcTime to = latest_status_, from = to;
  for (const auto& [name, periods] : connectors_) from = std::min(from, periods.begin()->first);
  from = std::max(from, {to.us - kTimelineMicros});
  std::string html =
      Note(Second(from) + " to " + Second(to) +
           (connectors_left_out_ ? ", the first " + std::to_string(kConnectorsShown) + " connectors" : ""));
  for (const char* status : {"Available", "Preparing", "Charging", "SuspendedEV", "Unavailable", "Faulted"}) {
    html += Key("s-" + std::string(status), status);
  }
  for (const auto& [name, periods] : connectors_) html += Line(name, TimeChart(periods, from, to, 18));
  return html;
}

std::string ReportPage::Html(const Accounting& books, const std::string& store) const {
  return "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>medallion: " +
         Escaped(store) + "</title>" + std::string(kStyle) + "</head><body>\n<h1>Charging sessions of " +
         Escaped(store) + "</h1>\n" + Section("Energy by day", EnergyByDay()) +
         Section("Connectors", Connectors()) + Section("Accounting", Books(books)) +
         Section("Quarantine by reason", Counts(reasons_)) + Section("Sessions", Sessions()) +
         "</body></html>\n";
}

}  // namespace medallion::tool
