#include "medallion/io/metrics.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "absl/numeric/int128.h"
#include "medallion/base/decimal.h"
#include "medallion/base/text.h"
#include "medallion/io/element_tables.h"
#include "medallion/io/tally.h"
#include "simdjson.h"

namespace medallion {
namespace {

using simdjson::dom::element;
using Counts = NameCounts;

constexpr size_t kFieldsShown = 50;

// What the run log adds up to.
struct Sums {
  uint64_t batches = 0, records = 0, redelivered = 0, elements = 0;
  Counts violations, unknown_fields;
  std::array<uint64_t, kLagSeconds.size() + 1> lags{};
  absl::int128 lag_us = 0;
  std::vector<std::string> warnings;  // of the last batch
};

uint64_t NumberOf(const element& row, std::string_view name) {
  uint64_t number = 0;
  return row[name].get(number) == simdjson::SUCCESS ? number : 0;
}

void AddCounts(const element& row, std::string_view name, Counts& counts) {
  simdjson::dom::object object;
  if (row[name].get(object)) return;
  for (const auto [key, value] : object) {
    uint64_t count = 0;
    if (!value.get(count)) counts[std::string(key)] += count;
  }
}

void AddLags(const element& row, Sums& sums) {
  simdjson::dom::array lags;
  if (row["lags"].get(lags)) return;
  size_t at = 0;
  for (const element lag : lags) {
    int64_t number = 0;
    if (lag.get(number)) return;
    if (at < sums.lags.size()) {
      sums.lags[at++] += static_cast<uint64_t>(number);
    } else {
      sums.lag_us += number;
    }
  }
}

void AddRow(const element& row, Sums& sums) {
  const uint64_t records = NumberOf(row, "records"), redelivered = NumberOf(row, "redelivered");
  if (records + redelivered > 0) ++sums.batches;
  sums.records += records, sums.redelivered += redelivered;
  for (int fate = 0; fate < kFates; ++fate) sums.elements += NumberOf(row, FateName(static_cast<Fate>(fate)));
  AddCounts(row, "violations", sums.violations);
  AddCounts(row, "unknown_fields", sums.unknown_fields);
  AddLags(row, sums);
  simdjson::dom::array warnings;
  if (records == 0) return;
  sums.warnings.clear();
  if (row["warnings"].get(warnings)) return;
  for (const element warning : warnings) {
    std::string_view code;
    if (!warning.get(code)) sums.warnings.emplace_back(code);
  }
}

absl::Status NoJson(std::string_view table) {
  return absl::DataLossError("measure " + std::string(table) + ": a row is no JSON");
}

// Calls use(row) for each row of a table.
template <class Use>
absl::Status ForRows(Tables& tables, std::string_view table, const Use& use) {
  simdjson::dom::parser parser;
  return tables.Read(table, [&](std::string_view line) {
    element row;
    if (parser.parse(line.data(), line.size()).get(row)) return NoJson(table);
    return use(row), absl::OkStatus();
  });
}

MetricSample Sample(std::vector<std::pair<std::string, std::string>> labels, uint64_t value) {
  return {.labels = std::move(labels), .value = std::to_string(value)};
}

// Microseconds as seconds: "12.345678".
std::string Seconds(int64_t us) {
  std::string text;
  AppendFixed(us, 6, text);
  return text;
}

Metric Records(const Accounting& books) {
  Metric metric{.name = "medallion_records", .help = "Records and elements by what became of them."};
  const auto count = [](int64_t value) { return static_cast<uint64_t>(value); };
  metric.samples.push_back(Sample({{"layer", "bronze"}, {"fate", "kept"}}, count(books.records)));
  for (int i = 0; i < kFates; ++i) {
    const auto fate = static_cast<Fate>(i);
    metric.samples.push_back(
        Sample({{"layer", "silver"}, {"fate", std::string(FateName(fate))}}, count(books.fates[fate])));
  }
  return metric;
}

Metric Counted(std::string name, std::string help, const std::string& label, const Counts& counts) {
  Metric metric{.name = std::move(name), .help = std::move(help), .kind = MetricKind::kCounter};
  for (const auto& [value, count] : counts) metric.samples.push_back(Sample({{label, value}}, count));
  return metric;
}

Metric Total(std::string name, std::string help, uint64_t value) {
  return {.name = std::move(name),
          .help = std::move(help),
          .kind = MetricKind::kCounter,
          .samples = {Sample({}, value)}};
}

Metric Lags(const Sums& sums) {
  Metric metric{.name = "medallion_event_lag_seconds",
                .help = "From an event to its receipt, of rows in Silver.",
                .kind = MetricKind::kHistogram};
  uint64_t below = 0;
  for (size_t i = 0; i < sums.lags.size(); ++i) {
    below += sums.lags[i];
    const std::string end = i < kLagSeconds.size() ? std::to_string(kLagSeconds[i]) : "+Inf";
    metric.samples.push_back({"_bucket", {{"le", end}}, std::to_string(below)});
  }
  metric.samples.push_back({"_sum", {}, Seconds(Bounded(sums.lag_us))});
  metric.samples.push_back({"_count", {}, std::to_string(below)});
  return metric;
}

Metric Lateness(const Sums& sums) {
  Metric metric{.name = "medallion_event_lateness_seconds",
                .help = "Upper ends of the lag histogram's classes that hold these percentiles."};
  uint64_t all = 0;
  for (const uint64_t count : sums.lags) all += count;
  for (const auto& [name, per_mille] :
       std::initializer_list<std::pair<const char*, uint64_t>>{{"50", 500}, {"95", 950}, {"99", 990}}) {
    size_t at = 0;
    for (uint64_t below = sums.lags[0]; at < kLagSeconds.size() && below * 1000 < all * per_mille;) {
      below += sums.lags[++at];
    }
    const std::string value = at < kLagSeconds.size() ? std::to_string(kLagSeconds[at]) : "+Inf";
    if (all > 0) metric.samples.push_back({.labels = {{"percentile", name}}, .value = value});
  }
  return metric;
}

// By code and status. What else a row holds is passed over, for it came from outside: a number in it may be one that no
// number type can hold.
absl::StatusOr<Metric> Quarantined(Tables& tables) {
  std::map<std::pair<std::string, std::string>, uint64_t> counts;
  simdjson::ondemand::parser parser;
  const absl::Status status = tables.Read(kQuarantineTable, [&](std::string_view line) {
    const simdjson::padded_string padded(line);
    simdjson::ondemand::document row;
    simdjson::ondemand::array codes;
    std::string_view state;
    if (parser.iterate(padded).get(row) || row["status"].get(state)) return NoJson(kQuarantineTable);
    const simdjson::error_code none = row["violations"].get(codes);
    if (none == simdjson::INCORRECT_TYPE) return absl::OkStatus();  // null
    if (none != simdjson::SUCCESS) return NoJson(kQuarantineTable);
    for (auto code : codes) {
      std::string_view text;
      if (!code.get(text)) ++counts[{std::string(text), std::string(state)}];
    }
    return absl::OkStatus();
  });
  if (!status.ok()) return status;
  Metric metric{.name = "medallion_quarantined", .help = "Rows in quarantine that break a rule."};
  for (const auto& [key, count] : counts) {
    metric.samples.push_back(Sample({{"code", key.first}, {"status", key.second}}, count));
  }
  return metric;
}

// A label's value: backslash, quote and line end are escaped.
std::string Escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\\' || c == '"') escaped += '\\';
    c == '\n' ? escaped += "\\n" : escaped += c;
  }
  return escaped;
}

std::string_view KindName(MetricKind kind) {
  switch (kind) {
    case MetricKind::kGauge: return "gauge";
    case MetricKind::kCounter: return "counter";
    case MetricKind::kHistogram: return "histogram";
  }
  return "";
}

std::string LabelsJson(const MetricSample& sample) {
  std::string json = "{";
  for (const auto& [name, value] : sample.labels) {
    if (json.size() > 1) json += ',';
    AppendJsonString(name, json);
    json += ':';
    AppendJsonString(value, json);
  }
  return json + "}";
}

// JSON has no infinity.
std::string ValueJson(const std::string& value) { return value == "+Inf" ? "\"+Inf\"" : value; }

}  // namespace

absl::StatusOr<std::vector<Metric>> Measure(Tables& tables, UtcTime data_clock, UtcTime now) {
  const absl::StatusOr<Accounting> books = tables.Books();
  if (!books.ok()) return books.status();
  Sums sums;
  const auto add = [&](const element& row) { AddRow(row, sums); };
  if (auto status = ForRows(tables, kRunLogTable, add); !status.ok()) return status;
  absl::StatusOr<Metric> quarantined = Quarantined(tables);
  if (!quarantined.ok()) return quarantined.status();

  std::vector<Metric> metrics;
  metrics.push_back(Records(*books));
  metrics.push_back({.name = "medallion_accounting_imbalance",
                     .help = "Elements that have no fate or more than one: 0, or the books are wrong.",
                     .samples = {{.value = std::to_string(Imbalance(*books))}}});
  metrics.push_back(*std::move(quarantined));
  if (data_clock != kNoTime) {
    metrics.push_back({.name = "medallion_data_clock_seconds",
                       .help = "The data clock, in seconds since 1970.",
                       .samples = {{.value = Seconds(data_clock.us)}}});
  }
  if (data_clock != kNoTime && now != kNoTime) {
    metrics.push_back({.name = "medallion_freshness_seconds",
                       .help = "From the data clock to the host's.",
                       .samples = {{.value = Seconds(now.us - data_clock.us)}}});
  }
  metrics.push_back(Total("medallion_batches_total", "Batches of records taken.", sums.batches));
  Metric processed{.name = "medallion_processed_total",
                   .help = "Records read and elements written by all runs.",
                   .kind = MetricKind::kCounter};
  processed.samples = {Sample({{"layer", "bronze"}}, sums.records),
                       Sample({{"layer", "silver"}}, sums.elements)};
  metrics.push_back(std::move(processed));
  metrics.push_back(
      Total("medallion_redelivered_total", "Records delivered that were known.", sums.redelivered));
  metrics.push_back(Counted("medallion_violations_total", "Rows that broke a rule when they came.", "code",
                            sums.violations));
  metrics.push_back(Counted("medallion_unknown_fields_total", "Fields kept though no schema names them.",
                            "field", MostFrequent(sums.unknown_fields, kFieldsShown)));
  metrics.push_back(Lags(sums));
  metrics.push_back(Lateness(sums));
  Metric warnings{.name = "medallion_warnings", .help = "What is amiss with the options of the last run."};
  for (const std::string& code : sums.warnings) warnings.samples.push_back(Sample({{"code", code}}, 1));
  metrics.push_back(std::move(warnings));
  return metrics;
}

std::string PrometheusText(const std::vector<Metric>& metrics) {
  std::string text;
  for (const Metric& metric : metrics) {
    if (metric.samples.empty()) continue;
    text += "# HELP " + metric.name + " " + metric.help + "\n";
    text += "# TYPE " + metric.name + " " + std::string(KindName(metric.kind)) + "\n";
    for (const MetricSample& sample : metric.samples) {
      text += metric.name + sample.suffix;
      for (const auto& [name, value] : sample.labels) {
        text += (&name == &sample.labels[0].first ? "{" : ",") + name + "=\"" + Escaped(value) + "\"";
      }
      text += (sample.labels.empty() ? " " : "} ") + sample.value + "\n";
    }
  }
  return text;
}

std::string MetricsJson(const std::vector<Metric>& metrics) {
  std::string json = "[";
  for (const Metric& metric : metrics) {
    json += json.size() == 1 ? "" : ",\n";
    json +=
        "{\"name\":\"" + metric.name + "\",\"kind\":\"" + std::string(KindName(metric.kind)) + "\",\"help\":";
    AppendJsonString(metric.help, json);
    json += ",\"samples\":[";
    for (const MetricSample& sample : metric.samples) {
      if (&sample != &metric.samples[0]) json += ',';
      json += "{\"suffix\":\"" + sample.suffix + "\",\"labels\":" + LabelsJson(sample) +
              ",\"value\":" + ValueJson(sample.value) + "}";
    }
    json += "]}";
  }
  return json + "]\n";
}

MetricRows::MetricRows(const std::vector<Metric>& metrics, UtcTime data_clock) {
  for (const Metric& metric : metrics) {
    for (const MetricSample& sample : metric.samples) {
      texts_.push_back({metric.name + sample.suffix, LabelsJson(sample), ValueJson(sample.value)});
    }
  }
  for (const Texts& texts : texts_) {
    rows_.push_back(
        {.metric = texts.metric, .labels = texts.labels, .value = texts.value, .data_clock = data_clock});
  }
}

}  // namespace medallion
