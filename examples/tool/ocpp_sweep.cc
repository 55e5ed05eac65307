#include "tool/ocpp_sweep.h"

#include <cstdio>
#include <string>
#include <vector>

#include "medallion/io/forwarding_store.h"
#include "medallion/io/run.h"
#include "medallion/ocpp/charging.h"
#include "tool/ocpp_options.h"
#include "tool/open_store.h"
#include "tool/run_inputs.h"
#include "tool/words.h"

namespace medallion::tool {
namespace {

using ocpp::Charging;

constexpr std::string_view kUsage = R"(--store sqlite:PATH [OPTION…]

Lets time pass where no records come: sessions time out, charge points go offline. Looks at due rows only.

  --store sqlite:PATH    the store
  --as-of TIME           until then; else, and where TIME is earlier, until the store's own data clock, which never goes back
  --config FILE          the configuration of the runs
)";

// Counts the rows that change.
class CountingStore final : public ForwardingStore<Charging> {
 public:
  using ForwardingStore::ForwardingStore;
  absl::Status Apply(const Batch<Charging>& batch) override {
    rows += batch.gold.size();
    return ForwardingStore::Apply(batch);
  }
  size_t rows = 0;
};

absl::Status OcppSweep(Words words, const Print& print) {
  std::vector<Option> known(std::begin(kOcppOptions), std::end(kOcppOptions));
  known.insert(known.end(), {{"--store", Option::kOne}, {"--as-of", Option::kOne}});
  const auto given = Given::Collect(words, known);
  if (!given.ok()) return given.status();
  const auto path = given->LastingPath();
  if (!path.ok()) return path.status();
  const auto as_of = given->Time("--as-of");
  if (!as_of.ok()) return as_of.status();
  const auto options = ReadOcppOptions(given->Text("--config"), given->Text("--id-tag-key-env"));
  if (!options.ok()) return options.status();
  const auto opened = OpenExisting<Charging>(*path);
  if (!opened.ok()) return opened.status();
  CountingStore store(*opened->store);
  Runner<Charging> runner(store, *options, {.run_id = RunId()});
  if (auto status = runner.Sweep(*as_of); !status.ok()) {
    return With(status, "", "\nSweep again: what was done stands.");
  }
  const UtcTime clock = runner.report().data_clock;
  if (*as_of != kNoTime && *as_of < clock) {
    std::fprintf(stderr,
                 "note: --as-of %s is before the store's data clock, which never goes back: swept as of %s\n",
                 FormatTime(*as_of).c_str(), FormatTime(clock).c_str());
  }
  std::string text = "swept\n  data clock    ";
  if (!AppendCanonical(clock, text)) text += "none: the store is empty";
  return print(text + "\n  rows changed  " + std::to_string(store.rows) + "\n");
}

}  // namespace

const Command kOcppSweep = {
    .name = "ocpp sweep",
    .does = "let time pass: sessions time out, charge points go offline",
    .usage = kUsage,
    .run = OcppSweep,
};

}  // namespace medallion::tool
