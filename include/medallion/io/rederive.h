// Deriving again what another version of the rules, or other options, derived. It changes Gold only: options that bear on
// how records are read and judged (and which ids are none) take a new store, and all records again.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "medallion/gold/derive_entities.h"
#include "medallion/io/gold_keeper.h"
#include "medallion/io/run.h"

namespace medallion {

struct RederiveReport {
  int64_t entities = 0;  // derived again
  int64_t rows = 0;      // of theirs written or deleted
};

namespace rederiving {

// Calls use(history) with whole histories until all entities were in one.
template <class Pack, class Use>
absl::Status ForHistories(Store<Pack>& store, std::span<const EntityKey> entities, Use&& use) {
  while (!entities.empty()) {
    HistoryAnswer<Pack> history;
    if (auto status = store.History({.entities = entities, .whole = true}, history); !status.ok())
      return status;
    if (auto status = use(std::as_const(history)); !status.ok()) return status;
    entities = entities.subspan(history.entities.size());
  }
  return absl::OkStatus();
}

}  // namespace rederiving

// Resolves all timelines and derives all entities that were derived by another model version than that of `options`; then
// there are none. May be stopped at any time, and goes on where it stood. `keeper` is of the same store.
template <class Pack>
absl::StatusOr<RederiveReport> Rederive(Store<Pack>& store, GoldKeeper<Pack>& keeper,
                                        const typename Pack::Options& options,
                                        const std::function<void(const RederiveReport&)>& on_part = {}) {
  Runner<Pack> runner(store, options, {.run_id = "rederive"});
  RederiveReport report;
  EntityQuery query{.other_model = Pack::ModelOf(options).model_version};
  UtcTime clock = kNoTime;
  for (;;) {
    EntityAnswer found;
    if (auto status = keeper.Entities(query, found); !status.ok()) return status;
    if (found.entities.empty()) break;
    if (query.after == 0) {  // links may be others, too
      absl::Status status = keeper.TouchTimelines();
      if (status.ok()) status = runner.RefreshGold();
      if (!status.ok()) return status;
      clock = runner.report().data_clock;
    }
    query.after = found.last;
    const auto derive = [&](const HistoryAnswer<Pack>& history) {
      const auto made = DeriveEntities<Pack>(history.histories(), /*summarize=*/true, clock, options);
      report.entities += static_cast<int64_t>(made.derived.size());
      report.rows += static_cast<int64_t>(made.gold.size());
      return store.Apply({.data_clock = clock,
                          .gold = made.gold,
                          .derived = made.derived,
                          .log = {.run_id = "rederive", .data_clock = clock}});
    };
    if (auto status = rederiving::ForHistories<Pack>(store, found.entities, derive); !status.ok())
      return status;
    if (on_part) on_part(report);
  }
  if (auto status = runner.RefreshGold(); !status.ok()) return status;
  return report;
}

}  // namespace medallion
