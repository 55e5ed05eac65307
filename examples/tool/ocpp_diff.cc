#include "tool/ocpp_diff.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "medallion/gold/version_diff.h"
#include "medallion/io/rederive.h"
#include "medallion/ocpp/charging.h"
#include "tool/ocpp_options.h"
#include "tool/open_store.h"
#include "tool/words.h"

namespace medallion::tool {
namespace {

using ocpp::Charging;

constexpr std::string_view kUsage = R"(--store sqlite:PATH [--config FILE] [--config-b FILE] [OPTION…]

Derives the Gold rows of a store under two configurations and says what differs. Writes nothing. Only what bears on
deriving counts: events are not read again, and facts without a transaction id stay in the sessions that they joined.

  --store sqlite:PATH    the store
  --config FILE          the first configuration, as of the runs; else the defaults
  --config-b FILE        the second; else the defaults
  --worst N              how many sessions to name whose energy changes most; else 10
)";

absl::Status AddAll(Store<Charging>& store, GoldKeeper<Charging>& keeper, DiffVersions<Charging>& diff) {
  EntityQuery query;
  for (;;) {
    EntityAnswer found;
    if (auto status = keeper.Entities(query, found); !status.ok()) return status;
    if (found.entities.empty()) return absl::OkStatus();
    query.after = found.last;
    const auto add = [&](const HistoryAnswer<Charging>& history) {
      diff.Add(history.histories());
      return absl::OkStatus();
    };
    if (auto status = rederiving::ForHistories<Charging>(store, found.entities, add); !status.ok())
      return status;
  }
}

std::string Padded(std::string text, size_t size) {
  text.insert(0, size - std::min(size, text.size()), ' ');
  return text;
}

// An energy in thousandths of kWh.
std::string Energy(absl::int128 amount) {
  std::string text;
  AppendFixed(static_cast<int64_t>(amount), 3, text);
  return text;
}
std::string Energy(const std::optional<int64_t>& amount) {
  return amount.has_value() ? Energy(absl::int128(*amount)) : "-";
}

std::string TextOf(const VersionDiff& diff) {
  std::string text = "rows under both configurations";
  text.resize(34, ' ');
  for (const char* name : {"same", "changed", "added", "gone"}) text += Padded(name, 10);
  for (const TableDiff& table : diff.tables) {
    std::string line = "  " + table.table;
    line.resize(34, ' ');
    for (const int64_t count : {table.same, table.changed, table.added, table.gone}) {
      line += Padded(std::to_string(count), 10);
    }
    text += "\n" + line;
  }
  text += "\n\nenergy of sessions: " + Energy(diff.measure_change_sum) + " kWh changed\n";
  if (diff.worst.empty()) return text;
  text += "  before kWh   after kWh  session\n";
  for (const WorstRow& row : diff.worst) {
    text += Padded(Energy(row.before), 12) + Padded(Energy(row.after), 12) + "  " + row.key + "\n";
  }
  return text;
}

absl::Status OcppDiff(Words words, const Print& print) {
  std::vector<Option> known(std::begin(kOcppOptions), std::end(kOcppOptions));
  known.insert(known.end(),
               {{"--store", Option::kOne}, {"--config-b", Option::kOne}, {"--worst", Option::kOne}});
  const auto given = Given::Collect(words, known);
  if (!given.ok()) return given.status();
  const auto path = given->LastingPath();
  if (!path.ok()) return path.status();
  const auto worst = given->Number("--worst", 1'000'000, 10);
  if (!worst.ok()) return worst.status();
  const auto before = ReadOcppOptions(given->Text("--config"), given->Text("--id-tag-key-env"));
  if (!before.ok()) return before.status();
  const auto after = ReadOcppOptions(given->Text("--config-b"), given->Text("--id-tag-key-env"));
  if (!after.ok()) return after.status();
  const auto opened = OpenToRead<Charging>(*path);
  if (!opened.ok()) return opened.status();
  SeenAnswer seen;
  if (auto status = opened->store->Seen({}, seen); !status.ok()) return status;
  DiffVersions<Charging> diff(*before, *after, seen.checkpoint.data_clock, *worst);
  if (auto status = AddAll(*opened->store, *opened->keeper, diff); !status.ok()) return status;
  return print(TextOf(diff.Finish()));
}

}  // namespace

const Command kOcppDiff = {
    .name = "ocpp diff",
    .does = "say what another configuration would change; write nothing",
    .usage = kUsage,
    .run = OcppDiff,
};

}  // namespace medallion::tool
