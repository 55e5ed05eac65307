#include "tool/ocpp_metrics.h"

#include <chrono>
#include <string>

#include "medallion/ocpp/charging.h"
#include "medallion/ocpp/id_tag_text.h"
#include "medallion/ocpp/metrics.h"
#include "tool/open_store.h"
#include "tool/words.h"

namespace medallion::tool {
namespace {

using ocpp::Charging;

UtcTime Now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return {std::chrono::duration_cast<std::chrono::microseconds>(now).count()};
}

absl::Status Metrics(Words words, const Print& print) {
  constexpr Option kOptions[] = {{"--store", Option::kOne}, {"--format", Option::kOne}};
  const auto given = Given::Collect(words, kOptions);
  if (!given.ok()) return given.status();
  const auto path = given->LastingPath();
  if (!path.ok()) return path.status();
  const std::string& format = given->Text("--format");
  if (!format.empty() && format != "prometheus" && format != "json")
    return Wrong("--format " + format + ": must be prometheus or json");
  const auto store = OpenToRead<Charging>(*path);
  if (!store.ok()) return store.status();
  SeenAnswer seen;
  if (auto status = store->store->Seen({}, seen); !status.ok()) return status;
  const auto metrics = ocpp::MeasureCharging(*store->tables, seen.checkpoint.data_clock, Now());
  if (!metrics.ok()) return metrics.status();
  return print(format == "json" ? MetricsJson(*metrics) : PrometheusText(*metrics));
}

absl::Status Forget(Words words, const Print& print) {
  constexpr Option kOptions[] = {{"--store", Option::kOne}, {"--id-tag", Option::kOne}};
  const auto given = Given::Collect(words, kOptions);
  if (!given.ok()) return given.status();
  const auto path = given->LastingPath();
  if (!path.ok()) return path.status();
  const std::string& tag = given->Text("--id-tag");
  if (tag.find_first_not_of(" \t\r\n") == std::string::npos)
    return Wrong("--id-tag TAG is missing: which one to forget");
#ifdef MEDALLION_WITH_SQLITE
  if (auto opened = OpenExisting<Charging>(*path); !opened.ok()) return opened.status();
  const auto store = SqliteStore<Charging>::Open(*path);
  if (!store.ok()) return store.status();
  const auto forgotten = (*store)->Forget([&](std::string_view text) { return ocpp::NamesIdTag(text, tag); });
  if (!forgotten.ok()) return forgotten.status();
  return print("the texts of " + Counted(*forgotten, "record or repair", "records and repairs") +
               " were removed\n");
#else
  return absl::InvalidArgumentError("this tool was built without SQLite");
#endif
}

}  // namespace

const Command kOcppMetrics = {
    .name = "ocpp metrics",
    .does = "counts, lateness, open sessions, for Prometheus or as JSON",
    .usage = R"(--store sqlite:PATH [--format prometheus|json]

  --format FORMAT        prometheus (the text that it reads; the default) or json
)",
    .run = Metrics,
};
const Command kOcppForget = {
    .name = "ocpp forget",
    .does = "remove all texts that name an id tag; sessions and counts stay",
    .usage = R"(--store sqlite:PATH --id-tag TAG

  --id-tag TAG           in any casing; a text that equals it counts in every field, whatever it means there

Removed are payloads in Bronze and in quarantine, and repairs. What is derived from them stays, with the tag's digest;
the records stay known, so that reading the same input again does not bring the texts back. The file is written anew, so
that nothing is left of them in it; this takes as much room again for a while.
)",
    .run = Forget,
};

}  // namespace medallion::tool
