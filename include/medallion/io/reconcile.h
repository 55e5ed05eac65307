// Reconciling: Gold derived again from what it is made of, compared with what its tables show, and repaired.
// Source: the design, section 4, "Reconciliation".
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "medallion/gold/derive_entities.h"
#include "medallion/gold/row_difference.h"
#include "medallion/io/gold_keeper.h"
#include "medallion/io/rederive.h"
#include "medallion/io/run.h"

namespace medallion {

struct ReconcileReport {
  UtcTime since = kNoTime;
  UtcTime data_clock = kNoTime;
  int64_t entities = 0;         // derived again
  int64_t rows = 0;             // that their tables should show
  int64_t differences = 0;      // columns, and rows that were missing or too many: in the log, and repaired
  int64_t duplicate_facts = 0;  // Silver rows that state what another of their entity states: not repaired
  int64_t hours_amiss =
      0;  // in the log, not repaired: Silver, audit, quarantine or ignored rows are missing or too many
};

namespace reconciling {

// What one row should be, or two: the rows of one Gold row that a table should show and does.
struct Pair {
  std::vector<std::string> derived = {}, shown = {};
};

// Appends what differs between the rows of one table, in their order.
inline void AppendDifferences(const Pair& rows, ReconciliationRow row, std::string_view key_columns,
                              std::vector<ReconciliationRow>& log) {
  const auto add = [&](std::string_view json, std::string_view column, std::optional<std::string> gold,
                       std::optional<std::string> derived) {
    row.row_key = KeyText(json, key_columns);
    row.column_name = column;
    row.gold_value = std::move(gold);
    row.derived_value = std::move(derived);
    log.push_back(row);
  };
  std::multiset<std::string> left(rows.shown.begin(), rows.shown.end());
  std::vector<const std::string*> missing;
  for (const std::string& json : rows.derived) {
    const auto found = left.find(json);
    found == left.end() ? missing.push_back(&json) : static_cast<void>(left.erase(found));
  }
  for (const std::string* json : missing) {  // one with its key was changed, else it is gone
    const std::string key = KeyText(*json, key_columns);
    auto changed = left.begin();
    while (changed != left.end() && rows.derived.size() > 1 && KeyText(*changed, key_columns) != key)
      ++changed;
    if (changed == left.end()) {
      add(*json, "*", std::nullopt, *json);
      continue;
    }
    for (ColumnDifference& each : DifferingColumns(*changed, *json)) {
      add(*json, each.column, std::move(each.gold), std::move(each.derived));
    }
    left.erase(changed);
  }
  for (const std::string& json : left) add(json, "*", json, std::nullopt);
}

// One part of the entities.
template <class Pack>
class Part {
 public:
  using Gold = typename Pack::Gold;

  Part(const HistoryAnswer<Pack>& history, UtcTime clock, const typename Pack::Options& options)
      : clock_(clock), history_(history) {
    std::vector<EntityHistory> bare = history.entities;  // as if no row stood: then all are derived
    for (EntityHistory& entity : bare) entity.versions_end = 0;
    const Histories<Pack> all{bare, history.elements, {}, history.contexts, history.children};
    made_ = DeriveEntities<Pack>(all, /*summarize=*/false, clock, options);
    for (const GoldVersion& row : history.versions) stand_.emplace(row.version.key, row);
    for (const auto& write : made_.gold) {
      std::vector<std::string>& lines = rows_[{GoldTableOf(write.row), write.version.key}].derived;
      ForShown(write.row, [&](const auto& row) { AppendJson(row, lines.emplace_back()); });
    }
  }

  absl::Status Compare(GoldKeeper<Pack>& keeper, std::vector<ReconciliationRow>& log) {
    std::vector<EntityKey> entities;
    for (const EntityHistory& entity : history_.entities) entities.push_back(entity.entity);
    std::vector<ShownRow> shown;
    if (auto status = keeper.Shown(entities, shown); !status.ok()) return status;
    for (ShownRow& row : shown) rows_[{row.table, row.key}].shown.push_back(std::move(row.json));
    for (const auto& [place, rows] : rows_) {
      if (rows.derived == rows.shown) continue;
      wrong_.insert(place.second);
      AppendDifferences(rows, {.found_at = clock_, .table_name = std::string(Pack::kGoldTables[place.first])},
                        Pack::kGoldKeys[place.first], log);
    }
    return absl::OkStatus();
  }

  // The rows that must be written.
  std::vector<GoldWrite<Gold>> Writes() {
    std::vector<GoldWrite<Gold>> writes;
    for (auto& write : made_.gold) {
      const auto stood = stand_.find(write.version.key);
      const bool same = stood != stand_.end() && stood->second.version == write.version &&
                        stood->second.entity == write.entity;
      if (stood != stand_.end()) write.write = Write::kUpdate, stand_.erase(stood);
      if (!same || wrong_.contains(write.version.key)) writes.push_back(std::move(write));
    }
    for (const auto& [key, row] : stand_) {
      writes.push_back({.write = Write::kDelete, .entity = row.entity, .version = row.version});
    }
    return writes;
  }

  // How many rows of Silver state a fact that another states.
  int64_t Duplicates() const {
    std::set<std::tuple<Digest, Digest, uint64_t>> facts;
    int64_t duplicates = 0;
    for (const auto& element : history_.elements) {
      const Identity& identity = element.identity;
      if (element.standing.fate != Fate::kSilver || !element.to_settle()) continue;
      duplicates += facts.emplace(identity.unit, identity.business_key, identity.fact).second ? 0 : 1;
    }
    return duplicates;
  }

  int64_t rows() const { return static_cast<int64_t>(made_.gold.size()); }

 private:
  UtcTime clock_;
  const HistoryAnswer<Pack>& history_;
  Derivation<Gold> made_;
  std::map<std::pair<size_t, Digest>, Pair> rows_;
  std::map<Digest, GoldVersion> stand_;
  std::set<Digest> wrong_;
};

}  // namespace reconciling

// First the store is brought up to its data clock, as a sweep does. Then derives all entities again that were touched in
// the last `days` days of that clock, compares with what the tables show, logs each difference and repairs it; rows of
// Gold tables that belong to no entity go, whenever they came. A healthy store: no differences, and nothing is written
// but the sweep's log. `keeper` is of the same store. FailedPrecondition where rows of another model version stand, see
// io/rederive.h.
template <class Pack>
absl::StatusOr<ReconcileReport> Reconcile(Store<Pack>& store, GoldKeeper<Pack>& keeper,
                                          const typename Pack::Options& options, int64_t days) {
  EntityAnswer others;
  if (auto status = keeper.Entities({.most = 1, .other_model = Pack::ModelOf(options).model_version}, others);
      !status.ok()) {
    return status;
  }
  if (!others.entities.empty()) {
    return absl::FailedPreconditionError(
        "reconcile: there are rows of another version or configuration, which would all differ: derive them "
        "again first");
  }
  Runner<Pack> runner(store, options, {.run_id = "reconcile"});
  if (auto status = runner.Sweep(kNoTime); !status.ok()) return status;
  const UtcTime clock = runner.report().data_clock;
  ReconcileReport report{.data_clock = clock};
  if (clock == kNoTime) return report;
  report.since = {clock.us - days * kMicrosPerDay};
  const RunLogRow logged{.run_id = "reconcile", .data_clock = clock};

  std::vector<EntityKey> entities;
  if (auto status = keeper.TouchedSince(report.since, entities); !status.ok()) return status;
  report.entities = static_cast<int64_t>(entities.size());
  const auto check = [&](const HistoryAnswer<Pack>& history) {
    reconciling::Part<Pack> part(history, clock, options);
    std::vector<ReconciliationRow> log;
    if (auto status = part.Compare(keeper, log); !status.ok()) return status;
    report.rows += part.rows();
    report.duplicate_facts += part.Duplicates();
    report.differences += static_cast<int64_t>(log.size());
    const auto writes = part.Writes();
    if (log.empty() && writes.empty()) return absl::OkStatus();
    return keeper.Repair({.data_clock = clock, .gold = writes, .log = logged}, {}, log);
  };
  if (auto status = rederiving::ForHistories<Pack>(store, entities, check); !status.ok()) return status;

  std::vector<ShownRow> strays;
  if (auto status = keeper.Strays(strays); !status.ok()) return status;
  std::vector<ReconciliationRow> log;
  log.reserve(strays.size());
  for (const ShownRow& row : strays) {
    log.push_back({.found_at = clock,
                   .table_name = std::string(Pack::kGoldTables[row.table]),
                   .row_key = KeyText(row.json, Pack::kGoldKeys[row.table]),
                   .column_name = "*",
                   .gold_value = row.json});
  }
  report.differences += static_cast<int64_t>(log.size());
  std::vector<ReconciliationRow> amiss;
  if (auto status = keeper.HoursAmiss(report.since, amiss); !status.ok()) return status;
  report.hours_amiss = static_cast<int64_t>(amiss.size());
  for (ReconciliationRow& row : amiss) row.found_at = clock, log.push_back(std::move(row));
  if (!log.empty()) {
    if (auto status = keeper.Repair({.data_clock = clock, .log = logged}, strays, log); !status.ok())
      return status;
  }
  if (auto status = runner.RefreshGold(); !status.ok()) return status;
  return report;
}

}  // namespace medallion
