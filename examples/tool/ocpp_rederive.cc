#include "tool/ocpp_rederive.h"

#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "medallion/io/rederive.h"
#include "medallion/ocpp/charging.h"
#include "tool/ocpp_options.h"
#include "tool/open_store.h"
#include "tool/words.h"

namespace medallion::tool {
namespace {

using ocpp::Charging;

constexpr std::string_view kUsage = R"(--store sqlite:PATH [OPTION…]

Derives the Gold rows again that another version of medallion, or another configuration, derived: those with another
model_version. See before what would change: medallion ocpp diff. How events are read and judged, and which transaction
ids are none, cannot be changed so: run all events into a new store.

  --store sqlite:PATH    the store
  --config FILE          the configuration from now on
  --quiet                no progress line
)";

absl::Status OcppRederive(Words words, const Print& print) {
  std::vector<Option> known(std::begin(kOcppOptions), std::end(kOcppOptions));
  known.insert(known.end(), {{"--store", Option::kOne}, {"--quiet", Option::kNone}});
  const auto given = Given::Collect(words, known);
  if (!given.ok()) return given.status();
  const auto path = given->LastingPath();
  if (!path.ok()) return path.status();
  const auto options = ReadOcppOptions(given->Text("--config"), given->Text("--id-tag-key-env"));
  if (!options.ok()) return options.status();
  const auto opened = OpenExisting<Charging>(*path);
  if (!opened.ok()) return opened.status();
  const bool shows = !given->Has("--quiet") && ::isatty(STDERR_FILENO) == 1;
  const auto progress = [&](const RederiveReport& report) {
    if (shows) std::fprintf(stderr, "\r\033[K%lld entities", static_cast<long long>(report.entities));
  };
  const auto report = Rederive<Charging>(*opened->store, *opened->keeper, *options, progress);
  if (shows) std::fputs("\r\033[K", stderr);
  if (!report.ok()) return With(report.status(), "", "\nDerive again: it goes on where it stood.");
  return print("derived again\n  entities      " + std::to_string(report->entities) + "\n  rows changed  " +
               std::to_string(report->rows) + "\n");
}

}  // namespace

const Command kOcppRederive = {
    .name = "ocpp rederive",
    .does = "derive the rows of another version or configuration again",
    .usage = kUsage,
    .run = OcppRederive,
};

}  // namespace medallion::tool
