// Two sets of options over one history: which Gold rows would be others, and by how much. For a look before switching.
// Pure: nothing is written. Safe from any thread, each object from one at a time. The Pack is described in io/run.h;
// here it offers two things more:
//
//   static constexpr std::array<std::string_view, …> kGoldKeys;  // of each table the columns of its key, by blanks
//   static std::optional<int64_t> MeasureOf(const Gold&);        // what its rows are compared by: an energy, an amount
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/numeric/int128.h"
#include "medallion/base/columns.h"
#include "medallion/gold/derive_entities.h"
#include "medallion/gold/gold_tables.h"
#include "medallion/gold/row_difference.h"

namespace medallion {

struct TableDiff {
  std::string table = {};
  int64_t same = 0;
  int64_t changed = 0;  // rows with one key and other columns
  int64_t added = 0;    // only under the second options
  int64_t gone = 0;     // only under the first
};

// A row whose measure differs.
struct WorstRow {
  std::string table = {};
  std::string key = {};
  std::optional<int64_t> before = {},
                         after = {};  // in the measure's unit; nothing where there is no row or none of it
  absl::int128 change() const { return absl::int128(after.value_or(0)) - before.value_or(0); }
};

struct VersionDiff {
  std::vector<TableDiff> tables = {};   // in the pack's order
  absl::int128 measure_change_sum = 0;  // of all rows, without their signs
  std::vector<WorstRow> worst = {};     // the largest change first, then by key
};

// Feed it histories of all entities, in any order and in pieces, then Finish. Links between entities (see gold/resolve.h)
// are taken as they stand in the histories: what only other links would change does not show. Rows are compared as they
// are at one data clock. It keeps the rows that others are made of (the sessions of a day) and the worst; not the
// histories.
template <class Pack>
class DiffVersions {
 public:
  using Gold = typename Pack::Gold;
  using Options = typename Pack::Options;

  // Both must outlive it.
  DiffVersions(const Options& before, const Options& after, UtcTime data_clock, size_t worst_max = 10)
      : before_(Pack::ModelOf(before)),
        after_(Pack::ModelOf(after)),
        clock_(data_clock),
        worst_max_(worst_max) {
    for (const std::string_view table : Pack::kGoldTables)
      diff_.tables.push_back({.table = std::string(table)});
  }
  DiffVersions(const DiffVersions&) = delete;
  DiffVersions& operator=(const DiffVersions&) = delete;

  // Whole histories: those that a store gives without summaries.
  void Add(const Histories<Pack>& histories) {
    EachEntity<Pack> each(histories);
    for (const EntityHistory& entity : histories.entities) {
      const Facts facts = each.Next(entity);
      if (facts.subject.empty() && facts.children.empty()) {
        Compare(Derive(facts, before_), Derive(facts, after_));
      } else {  // made of rows, which differ too
        Parent& parent = parents_[facts.entity];
        parent.subject = facts.subject;
        parent.sighting = facts.sighting;
      }
    }
  }

  // What was added, and the rows that are made of its rows: first those that only rows make, then those that sightings
  // make too. No more after this.
  VersionDiff Finish() {
    for (const bool sighted : {false, true}) {
      const auto parents = parents_;
      for (const auto& [entity, parent] : parents) {
        if (parent.subject.empty() == sighted) continue;
        Parent& now = parents_[entity];
        Compare(Derive(FactsOf(entity, now, now.before), before_),
                Derive(FactsOf(entity, now, now.after), after_));
      }
    }
    Trim();
    return std::move(diff_);
  }

 private:
  using Facts = EntityFacts<typename Pack::Event, Gold>;
  using Model = typename Pack::Model;
  struct Parent {
    std::string subject = {};
    Sighting sighting = {};
    std::vector<Gold> before = {}, after = {};  // its children
  };

  static Facts FactsOf(const EntityKey& entity, const Parent& parent, const std::vector<Gold>& children) {
    return {.entity = entity, .children = children, .subject = parent.subject, .sighting = parent.sighting};
  }

  std::vector<Gold> Derive(const Facts& facts, const Model& model) const {
    std::string none;
    auto rows = deriving::Rows<Pack>(facts, /*summarize=*/false, clock_, model, none);
    if (!rows.has_value()) return {};
    HashRows(rows->size(), [&](size_t i) -> Gold& { return (*rows)[i]; });
    return *std::move(rows);
  }

  void Compare(std::vector<Gold> before, std::vector<Gold> after) {
    std::map<Digest, std::pair<const Gold*, const Gold*>> rows;
    for (const Gold& row : before) rows[Pack::VersionOf(row).key].first = &row;
    for (const Gold& row : after) rows[Pack::VersionOf(row).key].second = &row;
    for (const auto& entry : rows) Count(entry.second.first, entry.second.second);
    for (Gold& row : before) Keep(std::move(row), before_, &Parent::before);
    for (Gold& row : after) Keep(std::move(row), after_, &Parent::after);
  }

  void Count(const Gold* before, const Gold* after) {
    const Gold& any = before != nullptr ? *before : *after;
    TableDiff& table = diff_.tables[GoldTableOf(any)];
    if (before == nullptr) {
      ++table.added;
    } else if (after == nullptr) {
      ++table.gone;
    } else if (Pack::VersionOf(*before).hash == Pack::VersionOf(*after).hash) {
      ++table.same;
      return;
    } else {
      ++table.changed;
    }
    WorstRow worst{.before = before == nullptr ? std::nullopt : Pack::MeasureOf(*before),
                   .after = after == nullptr ? std::nullopt : Pack::MeasureOf(*after)};
    const absl::int128 change = worst.change();
    if (change == 0) return;
    diff_.measure_change_sum += change < 0 ? -change : change;
    worst.table = table.table;
    std::string json;
    AppendGoldJson(any, json);
    worst.key = KeyText(json, Pack::kGoldKeys[GoldTableOf(any)]);
    diff_.worst.push_back(std::move(worst));
    if (diff_.worst.size() > 2 * worst_max_ + 100) Trim();
  }

  void Trim() {
    const auto size = [](const WorstRow& row) { return row.change() < 0 ? -row.change() : row.change(); };
    std::sort(diff_.worst.begin(), diff_.worst.end(), [&](const WorstRow& a, const WorstRow& b) {
      if (size(a) != size(b)) return size(a) > size(b);
      return std::pair(a.table, a.key) < std::pair(b.table, b.key);
    });
    if (diff_.worst.size() > worst_max_) diff_.worst.resize(worst_max_);
  }

  void Keep(Gold row, const Model& model, std::vector<Gold> Parent::*side) {
    const EntityKey parent = deriving::ParentOf<Pack>(row, model);
    if (parent != EntityKey{}) (parents_[parent].*side).push_back(std::move(row));
  }

  const Model before_, after_;
  UtcTime clock_;
  size_t worst_max_;
  VersionDiff diff_;
  std::map<EntityKey, Parent> parents_;
};

}  // namespace medallion
