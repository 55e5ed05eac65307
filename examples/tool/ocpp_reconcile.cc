#include "tool/ocpp_reconcile.h"

#include <string>
#include <vector>

#include "medallion/io/reconcile.h"
#include "medallion/ocpp/charging.h"
#include "tool/ocpp_options.h"
#include "tool/open_store.h"
#include "tool/words.h"

namespace medallion::tool {
namespace {

using ocpp::Charging;

constexpr std::string_view kUsage = R"(--store sqlite:PATH [--days N] [OPTION…]

Derives the Gold rows again that were touched in the last days, compares them with the tables, writes each difference to
ops_reconciliation_log and repairs it. Counts duplicate facts, and the rows of the Silver tables of each hour: where some
are missing or too many, that is reported, not repaired, and the exit code is 1.

  --store sqlite:PATH    the store
  --days N               how far back, by the data clock, 1 to 100000; else 7
  --config FILE          the configuration of the runs: with another one, use medallion ocpp rederive first
)";

std::string TextOf(const ReconcileReport& report) {
  std::string text = "reconciled\n  since             ";
  if (!AppendCanonical(report.since, text)) text += "never: the store is empty";
  const auto add = [&](const char* name, int64_t count) { text += name + std::to_string(count) + "\n"; };
  add("\n  entities          ", report.entities);
  add("  rows              ", report.rows);
  add("  differences       ", report.differences);
  add("  duplicate facts   ", report.duplicate_facts);
  add("  hours amiss       ", report.hours_amiss);
  if (report.differences > 0) text += "The differences were repaired; ops_reconciliation_log names them.\n";
  return text;
}

// What was found and cannot be repaired from Silver.
absl::Status Verdict(const ReconcileReport& report) {
  if (report.duplicate_facts == 0 && report.hours_amiss == 0) return absl::OkStatus();
  return absl::DataLossError(
      "the tables of Silver do not hold what the store counts; see ops_reconciliation_log. Run all events "
      "into a new"
      " store, or restore this one");
}

absl::Status OcppReconcile(Words words, const Print& print) {
  std::vector<Option> known(std::begin(kOcppOptions), std::end(kOcppOptions));
  known.insert(known.end(), {{"--store", Option::kOne}, {"--days", Option::kOne}});
  const auto given = Given::Collect(words, known);
  if (!given.ok()) return given.status();
  const auto path = given->LastingPath();
  if (!path.ok()) return path.status();
  const auto days = given->Number("--days", 100'000, 7);
  if (!days.ok()) return days.status();
  const auto options = ReadOcppOptions(given->Text("--config"), given->Text("--id-tag-key-env"));
  if (!options.ok()) return options.status();
  const auto opened = OpenExisting<Charging>(*path);
  if (!opened.ok()) return opened.status();
  const auto report =
      Reconcile<Charging>(*opened->store, *opened->keeper, *options, static_cast<int64_t>(*days));
  if (absl::IsFailedPrecondition(report.status()))
    return With(report.status(), "", ", by `medallion ocpp rederive`");
  if (!report.ok()) return With(report.status(), "", "\nReconcile again: what was repaired stands.");
  const absl::Status printed = print(TextOf(*report));
  return printed.ok() ? Verdict(*report) : printed;
}

}  // namespace

const Command kOcppReconcile = {
    .name = "ocpp reconcile",
    .does = "derive the last days again, compare, log and repair",
    .usage = kUsage,
    .run = OcppReconcile,
};

}  // namespace medallion::tool
