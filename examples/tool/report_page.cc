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
table{border-collapse:collapse}td,th{padding:.15em .9em .15em 0;text-align:left}td.n,th.n{text-align:right}
svg{width:100%;display:block;background:#f4f6f8}
.final,.power{fill:#0b6fb8}.provisional{fill:#e6a100}rect:hover{opacity:.7}
summary{cursor:pointer;list-style:none;position:relative;padding-left:1.1em}
summary::before{content:"▸";position:absolute;left:0}details[open]>summary::before{content:"▾"}
.row{display:grid;grid-template-columns:11em 9em 11em 5em 8.5em 10em 1fr;gap:.6em;padding:.2em 0}
.row>*{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}.head{font-weight:600;padding-left:1.1em}
details{border-bottom:1px solid #e6eaee}details[open]{background:#fafbfc}details>div{padding:.4em 1em 1em}
.flag{color:#a03500;white-space:normal}.axis,.note{color:#5b6875;margin:.3em 0}
.line{display:grid;grid-template-columns:14em 1fr;gap:.8em;align-items:center;margin:.25em 0}
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

std::string Row(const std::string& name, const std::string& value) {
  return "<tr><td>" + Escaped(name) + "</td><td class=\"n\">" + Escaped(value) + "</td></tr>";
}

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
  for (const json& code : row["violations"]) ++reasons_[code.get<std::string>()];
}

void ReportPage::AddSession(json row) {
  ++all_sessions_;
  sessions_.insert_or_assign({TextOf(row, "last_event_ts"), TextOf(row, "session_id")}, std::move(row));
  DropFirst(sessions_, kSessionsShown);
}

void ReportPage::AddInterval(const json& row) {
  const std::string session = TextOf(row, "session_id");
  const bool shown = std::any_of(sessions_.begin(), sessions_.end(),
                                 [&](const auto& entry) { return entry.first.second == session; });
  const std::optional<UtcTime> from = TimeOf(row, "from_ts"), to = TimeOf(row, "to_ts");
  if (!shown || !from || !to) return;
  auto& periods = intervals_[session];
  const int64_t power = ThousandthsOf(row, "avg_power_w").value_or(0);
  periods[*from] = {.from = *from, .to = *to, .value = power, .name = Joined(row, "flags")};
  DropFirst(periods, kIntervalsShown);
}

void ReportPage::AddDay(const json& row) {
  Bar& bar = days_[TextOf(row, "stats_date")];
  bar.label = TextOf(row, "stats_date");
  bar.lower += ThousandthsOf(row, "energy_kwh_final").value_or(0);
  bar.upper += ThousandthsOf(row, "energy_kwh_provisional").value_or(0);
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
  auto& periods = connectors_[name];
  periods[*from] = {.from = *from, .to = to, .name = TextOf(row, "connector_status")};
  DropFirst(periods, kPeriodsShown);
  if (connectors_.size() <= kConnectorsShown) return;
  connectors_.erase(std::prev(connectors_.end()));
  connectors_left_out_ = true;
}

std::string ReportPage::EnergyByDay() const {
  if (days_.empty()) return Note("none");
  std::vector<Bar> bars;
  int64_t most = 0;
  std::string rows =
      "<tr><th>day</th><th class=\"n\">final kWh</th><th class=\"n\">provisional kWh</th></tr>";
  for (const auto& [date, bar] : days_) {
    bars.push_back(bar);
    most = std::max(most, bar.lower + bar.upper);
    rows += "<tr><td>" + Escaped(date) + "</td><td class=\"n\">" + Decimal3(bar.lower) +
            "</td><td class=\"n\">" + Decimal3(bar.upper) + "</td></tr>";
  }
  return Note(bars.front().label + " to " + bars.back().label + ", up to " + Decimal3(most) + " kWh") +
         BarChart(bars, "kWh final", "kWh provisional") + Key("final", "final") +
         Key("provisional", "provisional") + "<details><summary>in numbers</summary><table>" + rows +
         "</table></details>";
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
  if (found != intervals_.end()) {
    std::vector<Period> periods;
    for (const auto& [from, period] : found->second) periods.push_back(period);
    html += StepChart(periods, "W");
  }
  std::string rows;
  for (const char* column :
       {"session_id", "connector_id", "stop_ts", "stop_reason", "energy_basis", "meter_start_wh",
        "meter_stop_wh", "energy_estimate_kwh", "detail", "evidence"}) {
    if (const std::string text = TextOf(row, column); !text.empty()) rows += Row(column, text);
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
  const UtcTime to = latest_status_, from = {to.us - kTimelineMicros};
  std::string html =
      Note("seven days to " + FormatTime(to).substr(0, 19) + "Z" +
           (connectors_left_out_ ? ", the first " + std::to_string(kConnectorsShown) + " connectors" : ""));
  for (const char* status : {"Available", "Preparing", "Charging", "SuspendedEV", "Unavailable", "Faulted"}) {
    html += Key("s-" + std::string(status), status);
  }
  for (const auto& [name, connector] : connectors_) {
    std::vector<Period> periods;
    for (const auto& [since, period] : connector) periods.push_back(period);
    html +=
        "<div class=\"line\"><span>" + Escaped(name) + "</span>" + StateLine(periods, from, to) + "</div>\n";
  }
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
