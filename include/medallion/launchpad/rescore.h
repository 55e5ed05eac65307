// Scoring again: after parameters were changed, every token whose row is of another model is told anew, quiet ones too.
// At the edge: reads and writes a store. One thread at a time. Source: the launchpad domain, 8.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "medallion/io/store.h"
#include "medallion/io/tables.h"
#include "medallion/launchpad/launches.h"

namespace medallion::launchpad {

// The text of a column of a row as Tables reads it; empty where it is null. For columns whose texts have no escapes.
std::string_view ColumnOf(std::string_view json, std::string_view name);

// Derives those tokens again at the store's data clock, by parts. How many there were. `tables` are of the same store.
inline absl::StatusOr<int64_t> Rescore(Store<Launches>& store, Tables& tables, const Options& options) {
  const std::string version = Hex(ModelVersion(options.risk));
  std::vector<EntityKey> mints;
  const absl::Status read = tables.Read(Launches::kGoldTables[0], [&](std::string_view json) {
    if (ColumnOf(json, "model_version") != version) mints.push_back(MintKey(ColumnOf(json, "mint")));
    return absl::OkStatus();
  });
  if (!read.ok()) return read;
  SeenAnswer seen;
  if (auto status = store.Seen({}, seen); !status.ok()) return status;
  const UtcTime clock = seen.checkpoint.data_clock;
  int64_t part = 0;
  for (std::span<const EntityKey> left = mints; !left.empty();) {
    HistoryAnswer<Launches> history;
    if (auto status = store.History({.entities = left, .whole = true}, history); !status.ok()) return status;
    const auto made = DeriveEntities<Launches>(history.histories(), /*summarize=*/false, clock, options);
    const absl::Status written =
        store.Apply({.data_clock = clock,
                     .gold = made.gold,
                     .derived = made.derived,
                     .log = {.run_id = "rescore", .batch = ++part, .data_clock = clock}});
    if (!written.ok()) return written;
    left = left.subspan(history.entities.size());
  }
  return static_cast<int64_t>(mints.size());
}

}  // namespace medallion::launchpad
