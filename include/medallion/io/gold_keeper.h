// What keeping Gold true over versions, and after damage, asks of a store beside Store: to name its entities, and to tell
// what its Gold tables show, whatever a hand did to them. The SQLite store offers it; nobody can reach into the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "medallion/base/digest.h"
#include "medallion/base/time.h"
#include "medallion/gold/merge.h"
#include "medallion/io/store.h"

namespace medallion {

// Which of the entities that were derived once.
struct EntityQuery {
  int64_t after = 0;  // those behind this number: of the last one that was answered
  size_t most = 256;
  std::optional<Digest> other_model = std::nullopt;  // only those that were derived by another model version
};

struct EntityAnswer {
  std::vector<EntityKey> entities = {};
  int64_t last = 0;  // number of the last one; there are no more once `entities` is empty
};

// A row of a Gold table, as it is shown.
struct ShownRow {
  size_t table = 0;  // of the pack's
  int64_t row = 0;   // its number there
  Digest key = {};   // of the Gold row that it is of; all zeros where it is of none
  std::string json = {};
};

// ops_reconciliation_log: a row for each difference between Gold and what is derived again; or, with a column `count`,
// between a table and the books of an hour.
struct ReconciliationRow {
  UtcTime found_at = kNoTime;  // the data clock
  std::string table_name = {};
  std::string row_key = {};                    // the values of the key's columns, joined by |
  std::string column_name = {};                // "*": the row was missing, or there was one too many
  std::optional<std::string> gold_value = {};  // a row as JSON, for "*"
  std::optional<std::string> derived_value = {};
  bool operator==(const ReconciliationRow&) const = default;
};

template <class Visitor>
void VisitColumns(const ReconciliationRow& row, Visitor&& visit) {
  visit("found_at", row.found_at);
  visit("table_name", row.table_name);
  visit("row_key", row.row_key);
  visit("column_name", row.column_name);
  visit("gold_value", row.gold_value);
  visit("derived_value", row.derived_value);
}

// One thread at a time. Errors as those of Store.
template <class Pack>
class GoldKeeper {
 public:
  virtual ~GoldKeeper() = default;

  virtual absl::Status Entities(const EntityQuery& query, EntityAnswer& answer) = 0;

  // All timelines are to be resolved again.
  virtual absl::Status TouchTimelines() = 0;

  // The entities whose history or Gold rows were touched since: each once; those that are made of rows or sightings last.
  virtual absl::Status TouchedSince(UtcTime since, std::vector<EntityKey>& entities) = 0;

  // What the Gold tables show of these entities' rows, in any order; of a series in its own.
  virtual absl::Status Shown(std::span<const EntityKey> entities, std::vector<ShownRow>& rows) = 0;

  // Rows of the Gold tables that are of no Gold row.
  virtual absl::Status Strays(std::vector<ShownRow>& rows) = 0;

  // Hours since then in which the tables of Silver do not show what the books count: column_name is "count".
  virtual absl::Status HoursAmiss(UtcTime since, std::vector<ReconciliationRow>& rows) = 0;

  // Applies the batch, takes the strays away, and adds to the log: all or nothing.
  virtual absl::Status Repair(const Batch<Pack>& batch, std::span<const ShownRow> strays,
                              std::span<const ReconciliationRow> log) = 0;
};

}  // namespace medallion
