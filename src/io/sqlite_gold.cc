// Gold rows on their way into the tables.
#include <span>
#include <vector>

#include "medallion/io/sqlite_core.h"

namespace medallion::sqlite {

// Each row as it stands; its number is 0 where it is not there.
absl::StatusOr<std::vector<KeptGold>> Core::FindGold(std::span<const GoldVersion> rows) {
  std::vector<EntityKey> entities;
  for (const GoldVersion& row : rows) entities.push_back(row.entity);
  std::vector<KeptGold> kept;
  if (auto status = FindGold(entities, kept); !status.ok()) return status;
  std::vector<KeptGold> stood(rows.size());
  for (const KeptGold& gold : kept) {
    const auto at = static_cast<size_t>(gold.asked);
    if (rows[at].version.key == gold.version.version.key) stood[at] = gold;
  }
  return stood;
}

// What is derived from the rows that stood, and from those that come, is stale.
absl::Status Core::PutVersions(std::span<const GoldEntry> entries, std::span<const KeptGold> stood) {
  std::vector<EntityKey> parents;
  std::vector<Entry> added;
  for (size_t i = 0; i < entries.size(); ++i) {
    const EntityKey &before = stood[i].parent, &parent = entries[i].parent;
    if (before != EntityKey{}) parents.push_back(before);
    if (parent == before || parent == EntityKey{}) continue;
    parents.push_back(parent);
    added.push_back({Short(parent), stood[i].number});
  }
  if (auto status = MarkStale(Stale::kRollups, parents); !status.ok()) return status;
  if (auto status = children_.Add(added); !status.ok()) return status;
  size_t next = 0;
  const auto put = [&](Cells& cells) {
    if (next == entries.size()) return false;
    const GoldEntry& entry = entries[next];
    const RowVersion& version = entry.version.version;
    cells.Put(stood[next].number).Put(entry.next_due_at).Put(version.updated_at).Put(version.key);
    cells.Put(entry.version.entity).Put(version.hash).Put(version.model_version);
    cells.Put(static_cast<int64_t>(entry.table));
    entry.parent == EntityKey{} ? cells.PutNull().PutNull() : cells.Put(entry.parent).Put(Blob{entry.body});
    return ++next, true;
  };
  Feed versions = put;
  return Query(put_gold_, versions).Run();
}

absl::Status Core::PutGold(std::span<const GoldEntry> entries,
                           absl::FunctionRef<void(size_t, Cells&)> columns) {
  if (entries.empty()) return absl::OkStatus();
  std::vector<GoldVersion> rows;
  for (const GoldEntry& entry : entries) rows.push_back(entry.version);
  absl::StatusOr<std::vector<KeptGold>> stood = FindGold(rows);
  if (!stood.ok()) return stood.status();
  std::vector<Entry> added;
  for (size_t i = 0; i < rows.size(); ++i) {
    if ((*stood)[i].number != 0) continue;
    (*stood)[i].number = next_gold_++;
    added.push_back({Short(rows[i].entity), (*stood)[i].number});
  }
  if (auto status = PutVersions(entries, *stood); !status.ok()) return status;
  for (size_t table = 0; GoldTable(table) < static_cast<Table>(gold_end()); ++table) {
    if (auto status = PutShown(table, entries, *stood, columns); !status.ok()) return status;
  }
  return gold_.Add(added);
}

// What the table shows of those entries that are of it.
absl::Status Core::PutShown(size_t table, std::span<const GoldEntry> entries, std::span<const KeptGold> stood,
                            absl::FunctionRef<void(size_t, Cells&)> columns) {
  if (At(GoldTable(table)).shape.series) return PutItems(table, entries, stood, columns);
  size_t shown = 0;
  const auto is_here = [&] {
    while (shown < entries.size() && entries[shown].table != table) ++shown;
    return shown < entries.size();
  };
  const auto show = [&](Cells& cells) {
    if (!is_here()) return false;
    cells.Put(stood[shown].number);
    return columns(shown++, cells), true;
  };
  return PutRows(GoldTable(table), show);
}

// The items of the series that the table shows. Of a new row there is nothing to take away.
absl::Status Core::PutItems(size_t table, std::span<const GoldEntry> entries, std::span<const KeptGold> stood,
                            absl::FunctionRef<void(size_t, Cells&)> columns) {
  constexpr int64_t kItemsMax = int64_t{1} << kItemBits;
  PublicTable& at = At(GoldTable(table));
  std::vector<size_t> shown;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].table != table) continue;
    shown.push_back(i);
    if (entries[i].items_end > kItemsMax) {
      return absl::OutOfRangeError(path() + ": write " + at.shape.name +
                                   ": more than 16777216 rows of one series");
    }
    if (stood[i].number >= first_new_gold_) continue;
    const int64_t first = stood[i].number << kItemBits;
    const auto drop = Query(at.drop, first + entries[i].items_begin, first + kItemsMax).Run();
    if (!drop.ok()) return drop;
  }
  auto next = shown.begin();
  int64_t item = next == shown.end() ? 0 : entries[*next].items_begin;
  const auto show = [&](Cells& cells) {
    while (next != shown.end() && item == entries[*next].items_end) {
      if (++next != shown.end()) item = entries[*next].items_begin;
    }
    if (next == shown.end()) return false;
    cells.Put((stood[*next].number << kItemBits) + item++);
    return columns(*next, cells), true;
  };
  Feed feed = show;
  return Query(at.feed, feed).Run();
}

absl::Status Core::DropStood(const KeptGold& stood) {
  if (stood.number == 0) return absl::OkStatus();
  if (auto status = Query(drop_gold_, stood.number).Run(); !status.ok()) return status;
  PublicTable& table = At(GoldTable(stood.table));
  if (!table.shape.series) return Query(table.drop, stood.number).Run();
  return Query(table.drop, stood.number << kItemBits, (stood.number + 1) << kItemBits).Run();
}

absl::Status Core::DropGold(std::span<const GoldVersion> rows) {
  const absl::StatusOr<std::vector<KeptGold>> stood = FindGold(rows);
  if (!stood.ok()) return stood.status();
  std::vector<EntityKey> parents;
  for (const KeptGold& row : *stood) {
    if (row.parent != EntityKey{}) parents.push_back(row.parent);
    if (auto status = DropStood(row); !status.ok()) return status;
  }
  return MarkStale(Stale::kRollups, parents);
}

}  // namespace medallion::sqlite
