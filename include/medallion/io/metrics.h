// Metrics, from the books and the run log, so that a dashboard and the invariant cannot differ: Prometheus text, JSON and
// the table ops_dq_metrics. What stands is a gauge; what runs did are counters. No ids as labels.
// Pure, save for the reading. Safe from any thread, a store one thread at a time.
// Source: the design, section 4, "Metrics".
//
//   medallion_records{layer,fate}                gauge: Bronze records (fate "kept"), elements by fate
//   medallion_accounting_imbalance               gauge: always 0
//   medallion_quarantined{code,status}           gauge: rows in quarantine that break this rule
//   medallion_data_clock_seconds                 gauge: since 1970
//   medallion_freshness_seconds                  gauge: from the data clock to `now`, where that is given
//   medallion_batches_total, medallion_processed_total{layer}, medallion_redelivered_total   counters
//   medallion_violations_total{code}             counter
//   medallion_unknown_fields_total{field}        counter: fields that no schema names; at most 50 names, "(other)"
//   medallion_event_lag_seconds                  histogram: from an event to its receipt, of rows in Silver
//   medallion_event_lateness_seconds{percentile} gauge: upper ends of the histogram's classes; "+Inf" beyond the last
//   medallion_warnings{code}                     gauge: of the last run, 1 each
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "medallion/base/time.h"
#include "medallion/io/store.h"
#include "medallion/io/tables.h"

namespace medallion {

enum class MetricKind : uint8_t { kGauge, kCounter, kHistogram };

struct MetricSample {
  std::string suffix = {};  // of a histogram: "_bucket", "_sum", "_count"
  std::vector<std::pair<std::string, std::string>> labels = {};  // name, value
  std::string value;                                             // a decimal number, or "+Inf"
};

struct Metric {
  std::string name;
  std::string help;
  MetricKind kind = MetricKind::kGauge;
  std::vector<MetricSample> samples = {};
};

// Reads what every pack shares. `now` is the host's clock; kNoTime: no freshness. Errors are those of `tables`; DataLoss
// where a row of the run log is no JSON.
absl::StatusOr<std::vector<Metric>> Measure(Tables& tables, UtcTime data_clock, UtcTime now = kNoTime);

// The text that Prometheus reads, version 0.0.4.
std::string PrometheusText(const std::vector<Metric>& metrics);

// An array of {"name","kind","help","samples":[{"suffix","labels","value"}]}.
std::string MetricsJson(const std::vector<Metric>& metrics);

// The rows of ops_dq_metrics, which refer to what this keeps.
class MetricRows {
 public:
  MetricRows(const std::vector<Metric>& metrics, UtcTime data_clock);
  const std::vector<MetricRow>& rows() const { return rows_; }

 private:
  struct Texts {
    std::string metric, labels, value;
  };
  std::vector<Texts> texts_;
  std::vector<MetricRow> rows_;
};

// Keeps the metrics as the store's ops_dq_metrics.
template <class Pack>
absl::Status KeepMetrics(Store<Pack>& store, const std::vector<Metric>& metrics, std::string_view run_id) {
  SeenAnswer seen;
  if (auto status = store.Seen({}, seen); !status.ok()) return status;
  const UtcTime clock = seen.checkpoint.data_clock;
  const MetricRows rows(metrics, clock);
  return store.Apply({.metrics = rows.rows(), .log = {.run_id = run_id, .data_clock = clock}});
}

}  // namespace medallion
