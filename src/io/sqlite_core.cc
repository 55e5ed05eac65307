#include "medallion/io/sqlite_core.h"

#include <algorithm>
#include <initializer_list>

#include "absl/container/flat_hash_set.h"

namespace medallion::sqlite {
namespace {

// 64 bits, evenly spread. Stored: must stay as it is.
uint64_t Mix(uint64_t a, uint64_t b) {
  a ^= b + 0x9e3779b97f4a7c15 + (a << 6) + (a >> 2);
  a = (a ^ (a >> 30)) * 0xbf58476d1ce4e5b9;
  a = (a ^ (a >> 27)) * 0x94d049bb133111eb;
  return a ^ (a >> 31);
}

// As many bits as SQLite keeps in six bytes; never 0.
int64_t ProbeFrom(uint64_t mixed) {
  const int64_t probe = static_cast<int64_t>(mixed << 16) >> 16;
  return probe == 0 ? 1 : probe;
}

uint64_t KeyBits(const Identity& identity) { return static_cast<uint64_t>(Short(identity.business_key)); }

constexpr const char* kCreate = R"sql(
CREATE TABLE medallion_meta(name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE medallion_positions(source TEXT PRIMARY KEY, position TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE bronze_records(
  record INTEGER PRIMARY KEY,
  topic TEXT NOT NULL, "partition" INTEGER NOT NULL, "offset" INTEGER NOT NULL, digest BLOB NOT NULL,
  "key" TEXT, broker_ts INTEGER, ingest_ts INTEGER, direction INTEGER NOT NULL, version TEXT,
  connection_id TEXT, payload TEXT NOT NULL,
  UNIQUE(topic, "partition", "offset", digest));
CREATE TABLE medallion_elements(
  element INTEGER PRIMARY KEY,
  fate INTEGER NOT NULL, hour INTEGER, unit INTEGER, probe INTEGER, entity INTEGER, body BLOB NOT NULL);
CREATE INDEX medallion_elements_unit ON medallion_elements(unit, probe) WHERE unit IS NOT NULL;
CREATE INDEX medallion_elements_entity ON medallion_elements(entity) WHERE entity IS NOT NULL;
CREATE TABLE medallion_gold(
  row INTEGER PRIMARY KEY,
  entity INTEGER NOT NULL, due INTEGER, updated_at INTEGER,
  row_key BLOB NOT NULL, entity_key BLOB NOT NULL, hash BLOB NOT NULL, model_version BLOB NOT NULL);
CREATE INDEX medallion_gold_entity ON medallion_gold(entity);
CREATE INDEX medallion_gold_due ON medallion_gold(due) WHERE due IS NOT NULL;
)sql";

// "element" where the rows are views of elements, else "row".
const char* NumberOf(Table table) { return table < Table::kGold ? "element" : "row"; }

std::string CreateSql(Table table, const TableShape& shape) {
  std::string sql = "CREATE TABLE " + Quoted(shape.name) + "(" + NumberOf(table) + " INTEGER PRIMARY KEY";
  for (const Column& column : shape.columns) {
    const bool number = column.kind == ColumnKind::kInteger || column.kind == ColumnKind::kBoolean;
    sql += ", " + Quoted(column.name) + (number ? " INTEGER" : " TEXT");
  }
  return sql + ");";
}

std::string PutSql(Table table, const TableShape& shape) {
  std::string names = NumberOf(table), values = "?";
  for (const Column& column : shape.columns) {
    names += ", " + Quoted(column.name);
    values += ",?";
  }
  return "INSERT OR REPLACE INTO " + Quoted(shape.name) + "(" + names + ") VALUES(" + values + ")";
}

Table TableOfFate(Fate fate) {
  switch (fate) {
    case Fate::kSilver: return Table::kSilver;
    case Fate::kTechnicalDuplicate:
    case Fate::kBusinessDuplicate: return Table::kAudit;
    case Fate::kQuarantined: return Table::kQuarantine;
    case Fate::kIgnored: return Table::kIgnored;
  }
  return Table::kSilver;
}

// The rows of a table in the order of its key. Elements are reached by way of their records, whose index is
// sorted already: no sort of the whole table.
std::string ReadSql(Table table, const TableShape& shape) {
  std::string sql = "SELECT 0";
  for (const Column& column : shape.columns) sql += ", t." + Quoted(column.name);
  const std::string name = Quoted(shape.name);
  switch (table) {
    case Table::kGold:
      return sql + " FROM " + name +
             " t LEFT JOIN medallion_gold g ON g.row = t.row ORDER BY g.row_key, t.row";
    case Table::kRunLog: return sql + " FROM " + name + " t ORDER BY t.row";
    default: break;
  }
  return sql + " FROM bronze_records b CROSS JOIN " + name +
         " t ON t.element BETWEEN b.record << 24 AND (b.record << 24) + 16777215"
         R"( ORDER BY b.topic, b."partition", b."offset", t.element & 16777215, b.digest)";
}

Digest DigestFrom(std::string_view bytes) {
  Digest digest;
  if (bytes.size() == digest.bytes.size()) std::copy(bytes.begin(), bytes.end(), digest.bytes.begin());
  return digest;
}

}  // namespace

int64_t Short(const Digest& digest) {
  uint64_t bits = 0;
  for (size_t i = 0; i < 6; ++i) bits = bits << 8 | digest.bytes[i];
  return static_cast<int64_t>(bits << 16) >> 16;
}

int64_t WinnerProbe(const Identity& identity) {
  if (identity.cut == 0 && identity.unit == identity.business_key) return 0;
  return ProbeFrom(Mix(Mix(1, KeyBits(identity)), identity.cut));
}

int64_t EventProbe(const Identity& winner, uint64_t event_id) {
  return ProbeFrom(Mix(Mix(Mix(2, KeyBits(winner)), winner.fact), event_id));
}

// -----------------------------------------------------------------------------------------------------------
// Opening

absl::Status Core::Open(const std::string& path, const StoreShape& shape, const SqliteOptions& options) {
  pack_ = shape.pack;
  for (size_t i = 0; i < kTables; ++i) tables_[i].shape = shape.tables[i];
  if (auto status = connection_.Open(path, options); !status.ok()) return status;
  const absl::StatusOr<bool> fresh = IsFresh();
  if (!fresh.ok()) return fresh.status();
  if (!*fresh) {
    if (auto status = CheckOurs(); !status.ok()) return status;
  }
  if (auto status = connection_.Allow(options); !status.ok()) return status;
  if (*fresh) {
    if (auto status = Create(); !status.ok()) return status;
  }
  absl::Status status = Prepare();
  if (status.code() != absl::StatusCode::kInternal) return status;
  return absl::FailedPreconditionError(std::string(status.message()) +
                                       "; its tables are not those of this version: run into a new file");
}

absl::StatusOr<bool> Core::IsFresh() {
  const auto tables = connection_.Ask("SELECT count(*) FROM sqlite_master", "look at the store");
  if (!tables.ok()) return tables.status();
  const auto id = connection_.Ask("PRAGMA application_id", "look at the store");
  if (!id.ok()) return id.status();
  return *tables == 0 && *id == 0;
}

absl::Status Core::CheckOurs() {
  const auto id = connection_.Ask("PRAGMA application_id", "look at the store");
  if (!id.ok()) return id.status();
  const auto version = connection_.Ask("PRAGMA user_version", "look at the store");
  if (!version.ok()) return version.status();
  const std::string& path = connection_.path();
  if (*id != kApplicationId) {
    return absl::FailedPreconditionError(
        path + ": open the store: it is the database of another program: name another file");
  }
  if (*version != kSchemaVersion) {
    return absl::FailedPreconditionError(
        path + ": open the store: it has schema version " + std::to_string(*version) +
        ", this program writes version " + std::to_string(kSchemaVersion) +
        ": use the version of medallion that made it, or run into a new file");
  }
  Statement statement;
  if (auto status = connection_.Prepare("SELECT value FROM medallion_meta WHERE name = 'pack'",
                                        "look at the store", statement);
      !status.ok()) {
    return status;
  }
  Query query(statement);
  const std::string pack(query.Next() ? query.Text(0) : "");
  if (!query.status().ok() || pack == pack_) return query.status();
  return absl::FailedPreconditionError(path + ": open the store: it belongs to the pack " + pack +
                                       ", not to " + pack_ + ": name another file");
}

absl::Status Core::Create() {
  Transaction transaction(connection_);
  if (auto status = transaction.Begin(Transaction::kWrite); !status.ok()) return status;
  const absl::StatusOr<bool> fresh = IsFresh();  // another process may have been faster
  if (!fresh.ok()) return fresh.status();
  if (!*fresh) return CheckOurs();
  std::string sql = kCreate;
  for (size_t i = 0; i < kTables; ++i) sql += CreateSql(static_cast<Table>(i), tables_[i].shape);
  sql += "INSERT INTO medallion_meta VALUES('pack', '" + pack_ + "');";
  sql += "PRAGMA application_id = " + std::to_string(kApplicationId) + ";";
  sql += "PRAGMA user_version = " + std::to_string(kSchemaVersion) + ";";
  if (auto status = connection_.Execute(sql, "make the tables"); !status.ok()) return status;
  return transaction.Commit();
}

absl::Status Core::PrepareTables() {
  for (size_t i = 0; i < kTables; ++i) {
    const auto table = static_cast<Table>(i);
    PublicTable& at = tables_[i];
    absl::Status status = connection_.Prepare(PutSql(table, at.shape), "write a row", at.put);
    const std::string drop = "DELETE FROM " + Quoted(at.shape.name) + " WHERE " + NumberOf(table) + " = ?";
    if (status.ok()) status = connection_.Prepare(drop, "delete a row", at.drop);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status Core::PrepareElements() {
  struct Row {
    Statement& statement;
    const char* doing;
    const char* sql;
  };
  for (const Row& row : std::initializer_list<Row>{
           {find_elements_[kByUnit], "find a unit",
            "SELECT element, body FROM medallion_elements WHERE unit = ?"},
           {find_elements_[kByEntity], "find a history",
            "SELECT element, body FROM medallion_elements WHERE entity = ?"},
           {find_elements_[kByRecord], "find the elements of a record",
            "SELECT element, body FROM medallion_elements"
            " WHERE element BETWEEN ?1 << 24 AND (?1 << 24) + 16777215"},
           {find_probe_, "find a copy",
            "SELECT element, body FROM medallion_elements WHERE unit = ? AND probe = ?"},
           {has_unit_, "find a unit", "SELECT 1 FROM medallion_elements WHERE unit = ? LIMIT 1"},
           {put_element_, "write an element",
            "INSERT OR IGNORE INTO medallion_elements VALUES(?,?,?,?,?,?,?)"},
           {find_fate_, "find an element", "SELECT fate FROM medallion_elements WHERE element = ?"},
           {replace_element_, "write an element",
            "UPDATE medallion_elements SET fate = ?2, hour = ?3, unit = ?4, probe = ?5, entity = ?6, body = "
            "?7"
            " WHERE element = ?1"},
           {drop_element_, "delete an element", "DELETE FROM medallion_elements WHERE element = ?"},
       }) {
    if (auto status = connection_.Prepare(row.sql, row.doing, row.statement); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status Core::PrepareGold() {
  struct Row {
    Statement& statement;
    const char* doing;
    std::string sql;
  };
  const std::string gold = Quoted(At(Table::kGold).shape.name);
  for (const Row& row : std::initializer_list<Row>{
           {find_gold_, "find the rows of an entity",
            "SELECT row, row_key, entity_key, hash, model_version, updated_at FROM medallion_gold WHERE "
            "entity = ?"},
           {find_due_, "find what is due",
            "SELECT entity_key FROM medallion_gold WHERE due <= ? ORDER BY due"},
           // A row made or deleted by hand must never meet a new number.
           {top_gold_, "number a Gold row",
            "SELECT max(ifnull((SELECT max(row) FROM medallion_gold), 0), ifnull((SELECT max(row) FROM " +
                gold + "), 0))"},
           {put_gold_, "write a Gold row", "INSERT INTO medallion_gold VALUES(?,?,?,?,?,?,?,?)"},
           {replace_gold_, "write a Gold row",
            "UPDATE medallion_gold SET due = ?2, updated_at = ?3, hash = ?4, model_version = ?5 WHERE row = "
            "?1"},
           {drop_gold_, "delete a Gold row", "DELETE FROM medallion_gold WHERE row = ?"},
       }) {
    if (auto status = connection_.Prepare(row.sql, row.doing, row.statement); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status Core::Prepare() {
  struct Row {
    Statement& statement;
    const char* doing;
    const char* sql;
  };
  for (const Row& row : std::initializer_list<Row>{
           {data_version_, "read", "PRAGMA data_version"},
           {read_clock_, "read the data clock", "SELECT value FROM medallion_meta WHERE name = 'data_clock'"},
           {read_positions_, "read the positions", "SELECT source, position FROM medallion_positions"},
           {find_arrival_, "find a record",
            R"(SELECT broker_ts, ingest_ts, "key" FROM bronze_records
               WHERE topic = ? AND "partition" = ? AND "offset" = ? AND digest = ?)"},
           {find_record_, "find a record",
            R"(SELECT record FROM bronze_records
               WHERE topic = ? AND "partition" = ? AND "offset" = ? AND digest = ?)"},
           {read_record_, "read a record",
            R"(SELECT topic, "partition", "offset", "key", broker_ts, ingest_ts, direction, version,
                      connection_id, payload FROM bronze_records WHERE record = ?)"},
           {put_record_, "write a record",
            "INSERT OR IGNORE INTO bronze_records VALUES(NULL,?,?,?,?,?,?,?,?,?,?,?)"},
           {put_arrival_, "write a record",
            R"(UPDATE bronze_records SET "key" = ?2, broker_ts = ?3, ingest_ts = ?4 WHERE record = ?1)"},
           {put_position_, "write a position", "INSERT OR REPLACE INTO medallion_positions VALUES(?,?)"},
           {raise_clock_, "write the data clock",
            "INSERT INTO medallion_meta VALUES('data_clock', ?1)"
            " ON CONFLICT(name) DO UPDATE SET value = ?1 WHERE value < ?1"},
       }) {
    if (auto status = connection_.Prepare(row.sql, row.doing, row.statement); !status.ok()) return status;
  }
  const TableShape& log = At(Table::kRunLog).shape;
  absl::Status status =
      connection_.Prepare(ReadSql(Table::kRunLog, log) + " DESC LIMIT 1", "read the run log", last_log_);
  if (status.ok()) status = PrepareTables();
  if (status.ok()) status = PrepareElements();
  if (status.ok()) status = PrepareGold();
  return status;
}

// -----------------------------------------------------------------------------------------------------------
// Fetching

absl::Status Core::Watch(bool anew) {
  if (watched_ && !anew) return absl::OkStatus();
  Query query(data_version_);
  watched_ = query.Next();
  if (watched_) watched_version_ = query.Int(0);
  return query.status();
}

absl::Status Core::ReadCheckpoint(Checkpoint& checkpoint) {
  Query clock(read_clock_);
  checkpoint.data_clock = clock.Next() ? clock.Time(0) : kNoTime;
  if (!clock.status().ok()) return clock.status();
  Query positions(read_positions_);
  while (positions.Next()) checkpoint.positions.emplace(positions.Text(0), positions.Text(1));
  return positions.status();
}

absl::Status Core::ReadArrival(const RecordId& id, std::optional<Arrival>& arrival, Arena& texts) {
  Query query(find_arrival_, id.at.topic, id.at.partition, id.at.offset, id.payload);
  if (query.Next()) arrival = Arrival{query.Time(0), query.Time(1), texts.Copy(query.Text(2))};
  return query.status();
}

absl::StatusOr<bool> Core::HasUnit(int64_t unit) {
  Query query(has_unit_, unit);
  const bool found = query.Next();
  if (!query.status().ok()) return query.status();
  return found;
}

absl::Status Core::ReadVersions(const EntityKey& entity, std::vector<GoldVersion>& versions) {
  Query query(find_gold_, Short(entity));
  while (query.Next()) {
    if (DigestFrom(query.Text(2)) != entity) continue;
    versions.push_back({.entity = entity,
                        .version = {.key = DigestFrom(query.Text(1)),
                                    .hash = DigestFrom(query.Text(3)),
                                    .model_version = DigestFrom(query.Text(4)),
                                    .updated_at = query.Time(5)}});
  }
  return query.status();
}

absl::Status Core::ReadDue(UtcTime due_by, size_t due_max, std::vector<EntityKey>& entities) {
  absl::flat_hash_set<EntityKey> seen(entities.begin(), entities.end());
  size_t due = 0;
  Query query(find_due_, due_by);
  while (due < due_max && query.Next()) {
    const EntityKey entity = DigestFrom(query.Text(0));
    if (!seen.insert(entity).second) continue;
    entities.push_back(entity);
    ++due;
  }
  return query.status();
}

// -----------------------------------------------------------------------------------------------------------
// Writing

absl::Status Core::Begin(Transaction& transaction) {
  if (auto status = transaction.Begin(Transaction::kWrite); !status.ok()) return status;
  if (watched_) {
    Query version(data_version_);
    if (!version.Next()) return version.status();
    if (version.Int(0) != watched_version_) {
      watched_ = false;
      return absl::AbortedError(
          connection_.path() +
          ": write a batch: another process wrote to the store since the batch was computed from"
          " it: let one process at a time write to it, and run again");
    }
  }
  Query top(top_gold_);
  if (top.Next()) next_gold_ = top.Int(0) + 1;
  return top.status();
}

absl::StatusOr<Core::Kept> Core::PutRecord(const RecordWrite& write) {
  const BronzeRecord& record = write.record;
  Query put(put_record_, write.id.at.topic, write.id.at.partition, write.id.at.offset, write.id.payload,
            OrNull{record.key}, record.broker_ts, record.ingest_ts, static_cast<int>(record.direction),
            OrNull{record.version}, OrNull{record.connection_id}, record.payload);
  if (auto status = put.Run(); !status.ok()) return status;
  if (connection_.changed() != 0) return Kept{.record = connection_.last_row()};
  const absl::StatusOr<int64_t> stood = FindRecord(write.id);
  if (!stood.ok()) return stood.status();
  Query arrival(put_arrival_, *stood, OrNull{record.key}, record.broker_ts, record.ingest_ts);
  if (auto status = arrival.Run(); !status.ok()) return status;
  return Kept{.record = *stood, .stood = true};
}

absl::StatusOr<int64_t> Core::FindRecord(const RecordId& id) {
  Query query(find_record_, id.at.topic, id.at.partition, id.at.offset, id.payload);
  const int64_t record = query.Next() ? query.Int(0) : 0;
  if (!query.status().ok()) return query.status();
  return record;
}

absl::Status Core::ReadRecord(int64_t record, BronzeRecord& out, Arena& texts) {
  Query query(read_record_, record);
  if (!query.Next()) return query.status();
  out = {.payload = texts.Copy(query.Text(9)),
         .at = {texts.Copy(query.Text(0)), static_cast<int32_t>(query.Int(1)), query.Int(2)},
         .key = texts.Copy(query.Text(3)),
         .broker_ts = query.Time(4),
         .ingest_ts = query.Time(5),
         .direction = static_cast<Direction>(query.Int(6)),
         .version = texts.Copy(query.Text(7)),
         .connection_id = texts.Copy(query.Text(8))};
  return absl::OkStatus();
}

absl::Status Core::DropElement(int64_t element) {
  Query find(find_fate_, element);
  if (!find.Next()) return find.status();  // gone already
  const auto fate = static_cast<Fate>(find.Int(0));
  if (auto status = Query(At(TableOfFate(fate)).drop, element).Run(); !status.ok()) return status;
  return Query(drop_element_, element).Run();
}

// New ones, almost all, need no look at what was there.
absl::Status Core::PutElement(const ElementEntry& entry, const Cells& row) {
  std::optional<int64_t> hour;
  if (entry.ingest_ts != kNoTime) hour = HourOf(entry.ingest_ts).us / kMicrosPerHour;
  const auto write = [&](Statement& statement) {
    return Query(statement, entry.element, static_cast<int>(entry.fate), hour, entry.unit, entry.probe,
                 entry.entity, Blob{entry.body})
        .Run();
  };
  if (auto status = write(put_element_); !status.ok()) return status;
  PublicTable& table = At(TableOfFate(entry.fate));
  if (connection_.changed() == 0) {
    Query find(find_fate_, entry.element);
    if (!find.Next()) return find.status();
    PublicTable& stood = At(TableOfFate(static_cast<Fate>(find.Int(0))));
    if (&stood != &table) {
      if (auto status = Query(stood.drop, entry.element).Run(); !status.ok()) return status;
    }
    if (auto status = write(replace_element_); !status.ok()) return status;
  }
  return Query(table.put, entry.element, row).Run();
}

absl::StatusOr<int64_t> Core::FindGold(const GoldVersion& row) {
  Query query(find_gold_, Short(row.entity));
  while (query.Next()) {
    if (DigestFrom(query.Text(1)) == row.version.key && DigestFrom(query.Text(2)) == row.entity)
      return query.Int(0);
  }
  if (!query.status().ok()) return query.status();
  return 0;
}

absl::Status Core::PutGold(const GoldVersion& row, UtcTime next_due_at, const Cells& cells) {
  const absl::StatusOr<int64_t> stood = FindGold(row);
  if (!stood.ok()) return stood.status();
  const RowVersion& version = row.version;
  const int64_t number = *stood != 0 ? *stood : next_gold_++;
  const absl::Status status =
      *stood != 0
          ? Query(replace_gold_, number, next_due_at, version.updated_at, version.hash, version.model_version)
                .Run()
          : Query(put_gold_, number, Short(row.entity), next_due_at, version.updated_at, version.key,
                  row.entity, version.hash, version.model_version)
                .Run();
  if (!status.ok()) return status;
  return Query(At(Table::kGold).put, number, cells).Run();
}

absl::Status Core::DropGold(const GoldVersion& row) {
  const absl::StatusOr<int64_t> stood = FindGold(row);
  if (!stood.ok() || *stood == 0) return stood.status();
  if (auto status = Query(drop_gold_, *stood).Run(); !status.ok()) return status;
  return Query(At(Table::kGold).drop, *stood).Run();
}

absl::Status Core::PutPosition(std::string_view source, std::string_view position) {
  return Query(put_position_, source, position).Run();
}

absl::Status Core::RaiseClock(UtcTime clock) {
  return clock == kNoTime ? absl::OkStatus() : Query(raise_clock_, clock).Run();
}

// A batch applied again right away is the same run of it.
absl::Status Core::PutLog(const Cells& cells, std::string_view json) {
  PublicTable& table = At(Table::kRunLog);
  {
    Query last(last_log_);
    std::string stood;
    if (last.Next()) AppendJsonRow(last, 1, table.shape.columns, stood);
    if (!last.status().ok() || stood == json) return last.status();
  }
  return Query(table.put, std::optional<int64_t>(), cells).Run();
}

// -----------------------------------------------------------------------------------------------------------
// Reading back

std::vector<std::string> Core::Names() const {
  std::vector<std::string> names;
  for (const PublicTable& table : tables_) names.push_back(table.shape.name);
  return names;
}

absl::Status Core::Read(std::string_view table, const RowSink& sink) {
  const auto at = std::find_if(tables_.begin(), tables_.end(),
                               [&](const PublicTable& candidate) { return candidate.shape.name == table; });
  if (at == tables_.end()) {
    return absl::NotFoundError(connection_.path() + ": there is no table " + std::string(table));
  }
  Statement statement;
  const auto which = static_cast<Table>(at - tables_.begin());
  if (auto status = connection_.Prepare(ReadSql(which, at->shape), "read a table", statement); !status.ok())
    return status;
  std::string line;
  Query query(statement);
  while (query.Next()) {
    line.clear();
    AppendJsonRow(query, 1, at->shape.columns, line);
    if (auto status = sink(line); !status.ok()) return status;
  }
  return query.status();
}

absl::Status Core::CountFates(Accounting& books) {
  Statement statement;
  if (auto status =
          connection_.Prepare("SELECT fate, hour, count(*) FROM medallion_elements GROUP BY fate, hour",
                              "count the elements", statement);
      !status.ok()) {
    return status;
  }
  Query query(statement);
  while (query.Next()) {
    if (query.Int(0) < 0 || query.Int(0) >= kFates) {
      return absl::DataLossError(
          path() + ": count the elements: the file is damaged: restore it, or run into a new one");
    }
    const auto fate = static_cast<Fate>(query.Int(0));
    const UtcTime hour = query.IsNull(1) ? kNoTime : UtcTime{query.Int(1) * kMicrosPerHour};
    books.fates[fate] += query.Int(2);
    books.by_hour[hour][fate] += query.Int(2);
  }
  return query.status();
}

absl::StatusOr<Accounting> Core::Books() {
  Accounting books;
  Transaction reading(connection_);
  if (auto status = reading.Begin(Transaction::kRead); !status.ok()) return status;
  const auto records = connection_.Ask("SELECT count(*) FROM bronze_records", "count the records");
  if (!records.ok()) return records.status();
  const auto elements = connection_.Ask("SELECT count(*) FROM medallion_elements", "count the elements");
  if (!elements.ok()) return elements.status();
  books.records = *records;
  books.elements = *elements;
  if (auto status = CountFates(books); !status.ok()) return status;
  return books;
}

}  // namespace medallion::sqlite
