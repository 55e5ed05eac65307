#include "medallion/io/sqlite_core.h"

#include <algorithm>
#include <initializer_list>
#include <optional>

namespace medallion::sqlite {
namespace {

// 64 bits, evenly spread. Stored: must stay as it is.
uint64_t Mix(uint64_t a, uint64_t b) {
  a ^= b + 0x9e3779b97f4a7c15 + (a << 6) + (a >> 2);
  a = (a ^ (a >> 30)) * 0xbf58476d1ce4e5b9;
  a = (a ^ (a >> 27)) * 0x94d049bb133111eb;
  return a ^ (a >> 31);
}

// Tags of a key of a unit. Stored: must stay as they are.
constexpr uint64_t kWinner = 1, kEvent = 0x8000;

constexpr const char* kCreate = R"sql(
CREATE TABLE medallion_meta(name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE medallion_positions(source TEXT PRIMARY KEY, position TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE bronze_records(
  record INTEGER PRIMARY KEY,
  topic TEXT NOT NULL, "partition" INTEGER NOT NULL, "offset" INTEGER NOT NULL, digest BLOB NOT NULL,
  "key" TEXT, broker_ts INTEGER, ingest_ts INTEGER, direction INTEGER NOT NULL, version TEXT,
  connection_id TEXT, payload TEXT);
CREATE TABLE medallion_elements(
  element INTEGER PRIMARY KEY,
  fate INTEGER NOT NULL, hour INTEGER, body BLOB NOT NULL);
CREATE TABLE medallion_entities(
  number INTEGER PRIMARY KEY, entity BLOB NOT NULL, batch INTEGER NOT NULL, summed INTEGER NOT NULL, summary BLOB,
  model INTEGER NOT NULL);
CREATE TABLE medallion_gold(
  row INTEGER PRIMARY KEY, due INTEGER, updated_at INTEGER,
  row_key BLOB NOT NULL, entity_key BLOB NOT NULL, hash BLOB NOT NULL, model_version BLOB NOT NULL,
  table_number INTEGER NOT NULL, parent BLOB, body BLOB);
CREATE TABLE medallion_reviews(subject BLOB, body BLOB, PRIMARY KEY(subject, body)) WITHOUT ROWID;
CREATE TABLE medallion_sightings(
  number INTEGER PRIMARY KEY, entity BLOB NOT NULL, subject TEXT NOT NULL, name TEXT NOT NULL,
  ingest_ts INTEGER NOT NULL, most0 INTEGER NOT NULL, most1 INTEGER NOT NULL, most2 INTEGER NOT NULL);
CREATE TABLE medallion_sightings_new(number INTEGER PRIMARY KEY, sightings BLOB NOT NULL);
CREATE INDEX medallion_gold_due ON medallion_gold(due) WHERE due IS NOT NULL;
)sql";

std::string CreateSql(const TableShape& shape) {
  std::string sql =
      "CREATE TABLE " + Quoted(shape.name) + "(" + shape.number_column() + " INTEGER PRIMARY KEY";
  for (const Column& column : shape.columns) {
    const bool number = column.kind == ColumnKind::kInteger || column.kind == ColumnKind::kBoolean;
    sql += ", " + Quoted(column.name) + (number ? " INTEGER" : " TEXT");
  }
  return sql + ");";
}

// Of rows from a feed, or of one row.
std::string PutSql(const TableShape& shape, bool fed) {
  std::string names = shape.number_column(), values = fed ? "c0" : "?";
  for (size_t i = 0; i < shape.columns.size(); ++i) {
    names += ", " + Quoted(shape.columns[i].name);
    values += fed ? ",c" + std::to_string(i + 1) : ",?";
  }
  const std::string into = "INSERT OR REPLACE INTO " + Quoted(shape.name) + "(" + names + ") ";
  return into + (fed ? "SELECT " + values + " FROM medallion_rows" : "VALUES(" + values + ")");
}

// The row that was written last.
std::string LastSql(const TableShape& shape) {
  std::string sql = "SELECT 0";
  for (const Column& column : shape.columns) sql += ", " + Quoted(column.name);
  return sql + " FROM " + Quoted(shape.name) + " ORDER BY " + shape.number_column() + " DESC LIMIT 1";
}

}  // namespace

Table TableOf(Fate fate) {
  switch (fate) {
    case Fate::kSilver: return Table::kSilver;
    case Fate::kTechnicalDuplicate:
    case Fate::kBusinessDuplicate: return Table::kAudit;
    case Fate::kQuarantined: return Table::kQuarantine;
    case Fate::kIgnored: return Table::kIgnored;
  }
  return Table::kSilver;
}

uint64_t Short(const Digest& digest) {
  uint64_t bits = 0;
  for (size_t i = 0; i < 8; ++i) bits = bits << 8 | digest.bytes[i];
  return bits;
}

uint64_t CoordinateKey(const Coordinate& at) {
  return Mix(Fingerprint(at.topic), static_cast<uint64_t>(at.partition)) + static_cast<uint64_t>(at.offset);
}

uint64_t UnitKey(const Digest& unit) { return Short(unit) >> kTagBits << kTagBits; }

uint64_t WinnerKey(const Identity& identity) {
  if (identity.cut == 0 && identity.unit == identity.business_key) return UnitKey(identity.unit) | kWinner;
  return UnitKey(identity.unit) |
         (kWinner + 1 + Mix(Mix(1, Short(identity.business_key)), identity.cut) % 0x7ffd);
}

uint64_t EventKey(const Identity& winner, uint64_t event_id) {
  const uint64_t mixed = Mix(Mix(Mix(2, Short(winner.business_key)), winner.fact), event_id);
  return UnitKey(winner.unit) | kEvent | (mixed & (kEvent - 1));
}

absl::Status Core::Open(const std::string& path, const StoreShape& shape, const SqliteOptions& options) {
  pack_ = shape.pack;
  size_t columns = 16;  // of the tables that are no one else's
  shape_size_ = shape.tables.size();
  silver_tables_ = shape.silver_tables;
  tables_ = std::make_unique<PublicTable[]>(tables());
  for (size_t i = 0; i < tables(); ++i) {
    tables_[i].shape = shape.tables[i];
    columns = std::max(columns, shape.tables[i].columns.size() + 1);
  }
  if (auto status = connection_.Open(path, options); !status.ok()) return status;
  if (auto status = connection_.OfferRows(columns); !status.ok()) return status;
  const absl::StatusOr<bool> fresh = IsFresh();
  if (!fresh.ok()) return fresh.status();
  if (!*fresh) {
    if (auto status = CheckOurs(); !status.ok()) return status;
  }
  if (auto status = connection_.Allow(options); !status.ok()) return status;
  if (*fresh && options.read_only) return absl::NotFoundError(path + ": open the store: it is empty");
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
  std::string sql = kCreate + timelines_.CreateSql();
  for (const StaleList& list : stale_) sql += list.CreateSql();
  for (const RunIndex* index : indexes_) sql += index->CreateSql();
  for (size_t i = 0; i < tables(); ++i) sql += CreateSql(tables_[i].shape);
  sql += "CREATE INDEX medallion_quarantine_ids ON " + Quoted(At(Table::kQuarantine).shape.name) +
         "(quarantine_id);";
  sql += "INSERT INTO medallion_meta VALUES('pack', '" + pack_ + "');";
  sql += "PRAGMA application_id = " + std::to_string(kApplicationId) + ";";
  sql += "PRAGMA user_version = " + std::to_string(kSchemaVersion) + ";";
  if (auto status = connection_.Execute(sql, "make the tables"); !status.ok()) return status;
  return transaction.Commit();
}

absl::Status Core::PrepareTables() {
  for (size_t i = 0; i < tables(); ++i) {
    PublicTable& at = tables_[i];
    absl::Status status = connection_.Prepare(PutSql(at.shape, false), "write a row", at.put);
    if (status.ok()) status = connection_.Prepare(PutSql(at.shape, true), "write rows", at.feed);
    const std::string drop = "DELETE FROM " + Quoted(at.shape.name) + " WHERE " + at.shape.number_column() +
                             (at.shape.series ? " >= ? AND row < ?" : " = ?");
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
           {read_body_, "read an element", "SELECT body FROM medallion_elements WHERE element = ?"},
           {read_bodies_, "read the elements of a record",
            "SELECT element, body FROM medallion_elements"
            " WHERE element BETWEEN ?1 << 24 AND (?1 << 24) + 16777215"},
           {read_fed_, "read elements",
            "SELECT r.c0, r.c1, e.body FROM medallion_rows r CROSS JOIN medallion_elements e ON e.element = "
            "r.c0"},
           {put_elements_, "write elements",
            "INSERT OR REPLACE INTO medallion_elements SELECT c0,c1,c2,c3 FROM medallion_rows"},
           {drop_element_, "delete an element", "DELETE FROM medallion_elements WHERE element = ?"},
           {top_entity_, "number an entity", "SELECT ifnull(max(number), 0) FROM medallion_entities"},
           {read_entities_, "read an entity",
            "SELECT r.c0, r.c1, e.entity, e.batch, e.summed, e.summary"
            " FROM medallion_rows r CROSS JOIN medallion_entities e ON e.number = r.c0"},
           {put_entities_, "write an entity",
            "INSERT OR REPLACE INTO medallion_entities SELECT c0,c1,c2,c3,c4,c5 FROM medallion_rows"},
           {drop_summary_, "drop a summary",
            "UPDATE medallion_entities SET summed = 0, summary = NULL WHERE number = ?"},
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
  std::string top = "SELECT max(ifnull((SELECT max(row) FROM medallion_gold), 0)";
  for (size_t i = static_cast<size_t>(Table::kGold); i < gold_end(); ++i) {
    top += ", ifnull((SELECT max(row) FROM " + Quoted(tables_[i].shape.name) + "), 0)";
    if (tables_[i].shape.series) top += " >> " + std::to_string(kItemBits);
  }
  for (const Row& row : std::initializer_list<Row>{
           {find_gold_, "find the rows of an entity",
            "SELECT r.c0, r.c1, g.row_key, g.entity_key, g.hash, g.model_version, g.updated_at, "
            "g.table_number,"
            " g.parent"
            " FROM medallion_rows r CROSS JOIN medallion_gold g ON g.row = r.c0"},
           {find_due_, "find what is due", kFindDue},
           // A row made or deleted by hand must never meet a new number.
           {top_gold_, "number a Gold row", top + ")"},
           {find_children_, "read the rows of a parent",
            "SELECT r.c0, r.c1, g.parent, g.body"
            " FROM medallion_rows r CROSS JOIN medallion_gold g ON g.row = r.c0"},
           {put_gold_, "write Gold rows",
            "INSERT OR REPLACE INTO medallion_gold SELECT c0,c1,c2,c3,c4,c5,c6,c7,c8,c9 FROM medallion_rows"},
           {drop_gold_, "delete a Gold row", "DELETE FROM medallion_gold WHERE row = ?"},
       }) {
    if (auto status = connection_.Prepare(row.sql, row.doing, row.statement); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status Core::PrepareSightings() {
  struct Row {
    Statement& statement;
    const char* doing;
    const char* sql;
  };
  for (const Row& row : std::initializer_list<Row>{
           {top_sighting_, "number a sighting", "SELECT ifnull(max(number), 0) FROM medallion_sightings"},
           {find_sightings_, "read a sighting",
            "SELECT r.c0, r.c1, s.entity, s.subject, s.name, s.ingest_ts, s.most0, s.most1, s.most2"
            " FROM medallion_rows r CROSS JOIN medallion_sightings s ON s.number = r.c0"},
           {put_sightings_, "write a sighting",
            "INSERT OR REPLACE INTO medallion_sightings SELECT c0,c1,c2,c3,c4,c5,c6,c7 FROM medallion_rows"},
           {read_new_sightings_, "read sightings",
            "SELECT sightings FROM medallion_sightings_new ORDER BY number"},
           {note_sightings_, "write sightings", "INSERT INTO medallion_sightings_new(sightings) VALUES(?)"},
           {clear_new_sightings_, "write sightings", "DELETE FROM medallion_sightings_new"},
           {drop_sighting_, "delete a sighting", "DELETE FROM medallion_sightings WHERE number = ?"},
           {read_all_, "read all elements",
            "SELECT e.element, e.body, b.direction FROM medallion_elements e"
            " JOIN bronze_records b ON b.record = e.element >> 24"},
       }) {
    if (auto status = connection_.Prepare(row.sql, row.doing, row.statement); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status Core::PrepareReviews() {
  struct Row {
    Statement& statement;
    const char* doing;
    std::string sql;
  };
  const std::string quarantine = Quoted(At(Table::kQuarantine).shape.name);
  for (const Row& row : std::initializer_list<Row>{
           {count_reviews_, "count the reviews", "SELECT count(*) FROM medallion_reviews"},
           {read_reviews_, "read a review", "SELECT body FROM medallion_reviews WHERE subject = ?"},
           {read_all_reviews_, "read the reviews", "SELECT body FROM medallion_reviews"},
           {put_review_, "write a review", "INSERT OR IGNORE INTO medallion_reviews VALUES(?,?)"},
           {changes_, "write a review", "SELECT changes()"},
           {page_records_, "find records",
            "SELECT record FROM bronze_records WHERE record > ? ORDER BY record"},
           {page_quarantine_, "find what is quarantined",
            "SELECT element >> 24 FROM " + quarantine + " WHERE element >= (? + 1) << 24 ORDER BY element"},
           {find_quarantine_, "find what is quarantined",
            "SELECT element >> 24 FROM " + quarantine + " WHERE quarantine_id = ?"},
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
  for (
      const Row& row : std::initializer_list<Row>{
          {data_version_, "read", "PRAGMA data_version"},
          {read_clock_, "read the data clock", "SELECT value FROM medallion_meta WHERE name = 'data_clock'"},
          {read_positions_, "read the positions", "SELECT source, position FROM medallion_positions"},
          {find_records_, "find a record",
           R"(SELECT r.c0, r.c1, b.topic, b."partition", b."offset", b.digest, b.broker_ts, b.ingest_ts, b."key",
                      b.version, b.connection_id, b.direction, b.payload IS NULL
               FROM medallion_rows r CROSS JOIN bronze_records b ON b.record = r.c0)"},
          {top_record_, "number a record", "SELECT ifnull(max(record), 0) FROM bronze_records"},
          {read_record_, "read a record",
           R"(SELECT topic, "partition", "offset", "key", broker_ts, ingest_ts, direction, version,
                      connection_id, payload, digest FROM bronze_records WHERE record = ?)"},
          {put_records_, "write records",
           "INSERT INTO bronze_records SELECT c0,c1,c2,c3,c4,c5,c6,c7,c8,c9,c10,c11 FROM medallion_rows"},
          {put_arrival_, "write a record",
           R"(UPDATE bronze_records SET "key" = ?2, broker_ts = ?3, ingest_ts = ?4, version = ?5,
                      connection_id = ?6, direction = ?7 WHERE record = ?1)"},
          {put_position_, "write a position", "INSERT OR REPLACE INTO medallion_positions VALUES(?,?)"},
          {raise_clock_, "write the data clock",
           "INSERT INTO medallion_meta VALUES('data_clock', ?1)"
           " ON CONFLICT(name) DO UPDATE SET value = ?1 WHERE value < ?1"},
      }) {
    if (auto status = connection_.Prepare(row.sql, row.doing, row.statement); !status.ok()) return status;
  }
  const TableShape& log = At(Table::kRunLog).shape;
  absl::Status status = connection_.Prepare(LastSql(log), "read the run log", last_log_);
  if (status.ok()) status = PrepareTables();
  if (status.ok()) status = PrepareElements();
  if (status.ok()) status = PrepareGold();
  if (status.ok()) status = PrepareSightings();
  if (status.ok()) status = PrepareReviews();
  for (RunIndex* index : indexes_) {
    if (status.ok()) status = index->Prepare(connection_);
  }
  for (StaleList& list : stale_) {
    if (status.ok()) status = list.Prepare(connection_);
  }
  if (status.ok()) status = timelines_.Prepare(connection_);
  return status;
}

}  // namespace medallion::sqlite
