// What keeping Gold asks of the tables, see io/gold_keeper.h.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "medallion/io/sqlite_core.h"

namespace medallion::sqlite {
namespace {

// "t.row, t.first_column, …"
std::string ColumnsSql(const TableShape& shape) {
  std::string sql = "t.row";
  for (const Column& column : shape.columns) sql += ", t." + Quoted(column.name);
  return sql;
}

bool HasColumn(const TableShape& shape, std::string_view name) {
  for (const Column& column : shape.columns) {
    if (column.name == name) return true;
  }
  return false;
}

// "2026-03-01T10"; empty for what has no time.
std::string HourText(UtcTime time) {
  constexpr size_t kSize = 13;
  return time == kNoTime ? "" : FormatTime(time).substr(0, kSize);
}

}  // namespace

absl::Status Core::FindEntities(const EntityQuery& query, EntityAnswer& answer) {
  const bool any = !query.other_model.has_value();
  Statement find;
  const std::string sql = std::string("SELECT number, entity FROM medallion_entities WHERE number > ?1") +
                          (any ? "" : " AND model <> ?3") + " ORDER BY number LIMIT ?2";
  if (auto status = connection_.Prepare(sql, "find entities", find); !status.ok()) return status;
  const auto read = [&](Query& found) {
    while (found.Next()) {
      answer.last = found.Int(0);
      answer.entities.push_back(DigestFrom(found.Text(1)));
    }
    return found.status();
  };
  if (any) {
    Query found(find, query.after, query.most);
    return read(found);
  }
  Query found(find, query.after, query.most, static_cast<int64_t>(Short(*query.other_model)));
  return read(found);
}

absl::Status Core::ForTouched(UtcTime since, absl::FunctionRef<void(const EntityKey&, bool)> use) {
  Statement rows, sightings;
  absl::Status status = connection_.Prepare(
      "SELECT entity_key, parent, entity_key IN (SELECT parent FROM medallion_gold"
      " WHERE parent IS NOT NULL) FROM medallion_gold WHERE updated_at >= ?",
      "find what was touched", rows);
  if (status.ok()) {
    status = connection_.Prepare("SELECT entity FROM medallion_sightings WHERE ingest_ts >= ?",
                                 "find what was touched", sightings);
  }
  if (!status.ok()) return status;
  Query touched(rows, since);
  while (touched.Next()) {
    if (!touched.IsNull(1)) use(DigestFrom(touched.Text(1)), true);
    use(DigestFrom(touched.Text(0)), touched.Int(2) != 0);
  }
  if (!touched.status().ok()) return touched.status();
  Query seen(sightings, since);
  while (seen.Next()) use(DigestFrom(seen.Text(0)), true);
  for (const KeptSighting* kept : NewSightings()) {
    if (kept->sighting.ingest_ts >= since) use(kept->entity, true);
  }
  return seen.status();
}

absl::Status Core::FindShown(std::span<const EntityKey> entities, std::vector<ShownRow>& rows) {
  std::vector<KeptGold> stood;
  if (auto status = FindGold(entities, stood); !status.ok()) return status;
  for (size_t table = 0; GoldTable(table) < static_cast<Table>(gold_end()); ++table) {
    const TableShape& shape = At(GoldTable(table)).shape;
    Statement read;
    const std::string sql = "SELECT " + ColumnsSql(shape) + " FROM " + Quoted(shape.name) +
                            " t WHERE t.row >= ? AND t.row < ? ORDER BY t.row";
    if (auto status = connection_.Prepare(sql, "read a table", read); !status.ok()) return status;
    const int bits = shape.series ? kItemBits : 0;
    for (const KeptGold& gold : stood) {
      if (gold.table != table) continue;
      Query query(read, gold.number << bits, (gold.number + 1) << bits);
      while (query.Next()) {
        ShownRow& row = rows.emplace_back();
        row = {.table = table, .row = query.Int(0), .key = gold.version.version.key};
        AppendJsonRow(query, 1, shape.columns, row.json);
      }
      if (!query.status().ok()) return query.status();
    }
  }
  return absl::OkStatus();
}

absl::Status Core::FindStrays(std::vector<ShownRow>& rows) {
  for (size_t table = 0; GoldTable(table) < static_cast<Table>(gold_end()); ++table) {
    const TableShape& shape = At(GoldTable(table)).shape;
    const std::string number = shape.series ? "t.row >> " + std::to_string(kItemBits) : "t.row";
    Statement find;
    const std::string sql = "SELECT " + ColumnsSql(shape) + " FROM " + Quoted(shape.name) +
                            " t LEFT JOIN medallion_gold g ON g.row = " + number +
                            " WHERE g.row IS NULL OR g.table_number <> ? ORDER BY t.row";
    if (auto status = connection_.Prepare(sql, "read a table", find); !status.ok()) return status;
    Query query(find, table);
    while (query.Next()) {
      ShownRow& row = rows.emplace_back();
      row = {.table = table, .row = query.Int(0)};
      AppendJsonRow(query, 1, shape.columns, row.json);
    }
    if (!query.status().ok()) return query.status();
  }
  return absl::OkStatus();
}

// Takes what the table shows of each hour from what the books count.
absl::Status Core::CountShown(Table table, UtcTime since, std::map<std::string, int64_t>& hours) {
  const TableShape& shape = At(table).shape;
  if (!HasColumn(shape, "ingest_ts")) return hours.clear(), absl::OkStatus();
  // A row that was replayed, or answered and audited, counts under its new fate.
  const std::string elsewhere =
      " AND NOT EXISTS (SELECT 1 FROM medallion_elements e WHERE e.element = t.element AND e.fate <> " +
      std::to_string(static_cast<int>(Fate::kQuarantined)) + " AND t.status IN ('REPLAYED', 'DISCARDED'))";
  const std::string sql = "SELECT substr(ingest_ts, 1, 13), count(*) FROM " + Quoted(shape.name) +
                          " t WHERE (ingest_ts >= ? OR ingest_ts IS NULL)" +
                          (table == Table::kQuarantine ? elsewhere : "") + " GROUP BY 1";
  Statement count;
  if (auto status = connection_.Prepare(sql, "count a table", count); !status.ok()) return status;
  const std::string from = FormatTime(HourOf(since));
  Query query(count, std::string_view(from));
  while (query.Next()) hours[std::string(query.Text(0))] -= query.Int(1);
  return query.status();
}

absl::Status Core::FindHoursAmiss(UtcTime since, std::vector<ReconciliationRow>& rows) {
  Statement books;
  if (auto status = connection_.Prepare("SELECT fate, hour, count(*) FROM medallion_elements"
                                        " WHERE hour >= ? OR hour IS NULL GROUP BY fate, hour",
                                        "count the elements", books);
      !status.ok()) {
    return status;
  }
  std::map<Table, std::map<std::string, int64_t>> counted;
  Query query(books, HourOf(since).us / kMicrosPerHour);
  while (query.Next()) {
    const UtcTime hour = query.IsNull(1) ? kNoTime : UtcTime{query.Int(1) * kMicrosPerHour};
    counted[TableOf(static_cast<Fate>(query.Int(0)))][HourText(hour)] += query.Int(2);
  }
  if (!query.status().ok()) return query.status();
  for (size_t i = 0; i < kElementTables; ++i) {
    const auto table = static_cast<Table>(i);
    std::map<std::string, int64_t> missing = counted[table];
    if (auto status = CountShown(table, since, missing); !status.ok()) return status;
    for (size_t silver = 1; table == Table::kSilver && silver < silver_tables_; ++silver) {
      if (auto status = CountShown(SilverTable(silver), since, missing); !status.ok()) return status;
    }
    for (const auto& [hour, count] : missing) {
      if (count == 0) continue;
      const int64_t should = counted[table][hour];
      rows.push_back({.table_name = At(table).shape.name,
                      .row_key = hour,
                      .column_name = "count",
                      .gold_value = std::to_string(should - count),
                      .derived_value = std::to_string(should)});
    }
  }
  return absl::OkStatus();
}

absl::Status Core::DropShown(std::span<const ShownRow> rows) {
  for (const ShownRow& row : rows) {
    PublicTable& table = At(GoldTable(row.table));
    const absl::Status status =
        table.shape.series ? Query(table.drop, row.row, row.row + 1).Run() : Query(table.drop, row.row).Run();
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status Core::PutReconciled(std::span<const ReconciliationRow> rows) {
  Cells cells;
  for (const ReconciliationRow& row : rows) {
    cells.Clear();
    cells.PutColumns(row);
    const absl::Status status = Query(At(Table::kReconciliation).put, std::optional<int64_t>(), cells).Run();
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace medallion::sqlite
