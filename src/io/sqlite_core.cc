#include "medallion/io/sqlite_core.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <initializer_list>
#include <optional>

#include "medallion/base/pack.h"

namespace medallion::sqlite {
namespace {

// 64 bits, evenly spread. Stored: must stay as it is.
uint64_t Mix(uint64_t a, uint64_t b) {
  a ^= b + 0x9e3779b97f4a7c15 + (a << 6) + (a >> 2);
  a = (a ^ (a >> 30)) * 0xbf58476d1ce4e5b9;
  a = (a ^ (a >> 27)) * 0x94d049bb133111eb;
  return a ^ (a >> 31);
}

// Sightings are folded into their table when each subject has so many notes of its own, or there are so many in all: that
// bounds the memory for them, and the time to load them.
constexpr size_t kNotesOfSubject = 16, kNotesMax = size_t{1} << 17;

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

// "element" where the rows are views of elements, else "row".
const char* NumberOf(const TableShape& shape) { return shape.of_elements ? "element" : "row"; }

std::string CreateSql(const TableShape& shape) {
  std::string sql = "CREATE TABLE " + Quoted(shape.name) + "(" + NumberOf(shape) + " INTEGER PRIMARY KEY";
  for (const Column& column : shape.columns) {
    const bool number = column.kind == ColumnKind::kInteger || column.kind == ColumnKind::kBoolean;
    sql += ", " + Quoted(column.name) + (number ? " INTEGER" : " TEXT");
  }
  return sql + ");";
}

// Of rows from a feed, or of one row.
std::string PutSql(const TableShape& shape, bool fed) {
  std::string names = NumberOf(shape), values = fed ? "c0" : "?";
  for (size_t i = 0; i < shape.columns.size(); ++i) {
    names += ", " + Quoted(shape.columns[i].name);
    values += fed ? ",c" + std::to_string(i + 1) : ",?";
  }
  const std::string into = "INSERT OR REPLACE INTO " + Quoted(shape.name) + "(" + names + ") ";
  return into + (fed ? "SELECT " + values + " FROM medallion_rows" : "VALUES(" + values + ")");
}

// The numbers of a table's rows in the order of its key: these are sorted, not the rows.
std::string OrderSql(Table table, const TableShape& shape) {
  const std::string name = Quoted(shape.name);
  if (table == Table::kRunLog || table == Table::kMetrics || table == Table::kReconciliation)
    return "SELECT t.row FROM " + name + " t ORDER BY t.row";
  if (table == Table::kReviews) {  // as ReviewedBefore has it
    return "SELECT t.row FROM " + name +
           " t ORDER BY subject, number, kind, reviewed_at, reviewed_by, repaired_payload, business_key, "
           "detail,"
           " accepted, rejected";
  }
  if (!shape.of_elements) {
    const std::string number = shape.series ? "t.row >> " + std::to_string(kItemBits) : "t.row";
    return "SELECT t.row FROM " + name + " t LEFT JOIN medallion_gold g ON g.row = " + number +
           " ORDER BY g.row_key, t.row";
  }
  return "SELECT t.element FROM " + name + " t JOIN bronze_records b ON b.record = t.element >> 24" +
         R"( ORDER BY b.topic, b."partition", b."offset", t.element & 16777215, b.digest)";
}

// The rows of the numbers that it is fed.
std::string ReadSql(const TableShape& shape) {
  std::string sql = "SELECT 0";
  for (const Column& column : shape.columns) sql += ", t." + Quoted(column.name);
  return sql + " FROM medallion_rows r CROSS JOIN " + Quoted(shape.name) + " t ON t." + NumberOf(shape) +
         " = r.c0";
}

// The row that was written last.
std::string LastSql(const TableShape& shape) {
  std::string sql = "SELECT 0";
  for (const Column& column : shape.columns) sql += ", " + Quoted(column.name);
  return sql + " FROM " + Quoted(shape.name) + " ORDER BY " + NumberOf(shape) + " DESC LIMIT 1";
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

// -----------------------------------------------------------------------------------------------------------
// Opening

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
    const std::string drop = "DELETE FROM " + Quoted(at.shape.name) + " WHERE " + NumberOf(at.shape) +
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
           {find_due_, "find what is due",
            "SELECT entity_key FROM medallion_gold WHERE due <= ? ORDER BY due LIMIT ? OFFSET ?"},
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

// -----------------------------------------------------------------------------------------------------------
// Fetching

// Another process' writes show in the version; what a failed batch leaves in memory is thrown away.
absl::Status Core::Watch(bool anew) {
  {
    Query query(data_version_);
    if (!query.Next()) return query.status();
    const int64_t version = query.Int(0);
    if (anew || !watched_) watched_version_ = version;
    watched_ = true;
    loaded_ = loaded_ && version == loaded_version_;
    loaded_version_ = version;
  }
  return loaded_ ? absl::OkStatus() : Load();
}

absl::Status Core::Load() {
  for (RunIndex* index : indexes_) {
    if (auto status = index->Load(); !status.ok()) return status;
  }
  if (auto status = timelines_.Load(); !status.ok()) return status;
  for (const auto& [statement, next] : std::initializer_list<std::pair<Statement&, int64_t&>>{
           {top_record_, next_record_}, {top_entity_, next_entity_}, {top_sighting_, next_sighting_}}) {
    Query top(statement);
    if (top.Next()) next = top.Int(0) + 1;
    if (!top.status().ok()) return top.status();
  }
  if (auto status = LoadSightings(); !status.ok()) return status;
  next_batch_ = 1;
  for (StaleList& list : stale_) {
    const absl::StatusOr<int64_t> last = list.LastBatch();
    if (!last.ok()) return last.status();
    next_batch_ = std::max(next_batch_, *last + 1);
    list.Reset();
  }
  loaded_ = true;
  return absl::OkStatus();
}

absl::Status Core::ReadCheckpoint(Checkpoint& checkpoint) {
  Query clock(read_clock_);
  checkpoint.data_clock = clock.Next() ? clock.Time(0) : kNoTime;
  if (!clock.status().ok()) return clock.status();
  Query reviews(count_reviews_);
  checkpoint.reviews = reviews.Next() ? reviews.Int(0) : 0;
  if (!reviews.status().ok()) return reviews.status();
  Query positions(read_positions_);
  while (positions.Next()) checkpoint.positions.emplace(positions.Text(0), positions.Text(1));
  return positions.status();
}

absl::Status Core::FindRecords(std::span<const RecordId> ids, std::vector<KeptRecord>& records,
                               Arena& texts) {
  records.assign(ids.size(), {});
  std::vector<Entry> asked;  // key -> index of `ids`
  for (size_t i = 0; i < ids.size(); ++i) {
    const uint64_t key = CoordinateKey(ids[i].at);
    if (coordinates_.MayHold(key)) asked.push_back({key, static_cast<int64_t>(i)});
  }
  std::vector<Hit> hits;
  if (auto status = coordinates_.Find(asked, 0, hits); !status.ok()) return status;
  std::sort(hits.begin(), hits.end(), [](const Hit& a, const Hit& b) { return a.value < b.value; });
  return Check(ids, hits, records, texts);
}

// Which of the records found are those asked for.
absl::Status Core::Check(std::span<const RecordId> ids, std::span<const Hit> hits,
                         std::vector<KeptRecord>& records, Arena& texts) {
  return ForHits(find_records_, hits, [&](Query& query) {
    const auto index = static_cast<size_t>(query.Int(1));
    const RecordId& id = ids[index];
    if (query.Int(4) != id.at.offset || query.Int(3) != id.at.partition || query.Text(2) != id.at.topic)
      return true;
    if (DigestFrom(query.Text(5)) != id.payload) return true;
    records[index] = {query.Int(0),
                      {.broker_ts = query.Time(6),
                       .ingest_ts = query.Time(7),
                       .key = texts.Copy(query.Text(8)),
                       .version = texts.Copy(query.Text(9)),
                       .connection_id = texts.Copy(query.Text(10)),
                       .direction = static_cast<Direction>(query.Int(11))},
                      query.Int(12) != 0};
    return true;
  });
}

absl::Status Core::FindReviews(std::span<const Digest> subjects, bool all, std::vector<Review>& reviews) {
  Arena texts;
  const auto take = [&](Query& query) {
    while (query.Next()) {
      PackReader reader(query.Text(0), texts);
      reader(reviews.emplace_back());
      if (!reader.ok()) return Damage("read a review");
    }
    return query.status();
  };
  if (all) {
    Query query(read_all_reviews_);
    return take(query);
  }
  absl::flat_hash_set<Digest> once;
  for (const Digest& subject : subjects) {
    if (!once.insert(subject).second) continue;
    Query query(read_reviews_, subject);
    if (auto status = take(query); !status.ok()) return status;
  }
  return absl::OkStatus();
}

// Records that `query` gives in order, each once, up to so many.
absl::Status Core::PickRecords(Query& query, size_t most, std::vector<int64_t>& records) {
  while (records.size() < most && query.Next()) {
    if (records.empty() || records.back() != query.Int(0)) records.push_back(query.Int(0));
  }
  return query.status();
}

absl::Status Core::FindBronze(const BronzeQuery& query, BronzeAnswer& answer) {
  std::vector<int64_t> records;
  if (!query.records.empty()) {
    std::vector<KeptRecord> kept;
    if (auto status = FindRecords(query.records, kept, answer.texts); !status.ok()) return status;
    for (const KeptRecord& record : kept) {
      if (record.number != 0) records.push_back(record.number);
    }
  } else if (query.quarantine_ids.empty()) {
    int64_t after = 0;
    std::from_chars(query.after.data(), query.after.data() + query.after.size(), after);
    Query page(query.quarantined ? page_quarantine_ : page_records_, after);
    if (auto status = PickRecords(page, query.records_max + 1, records); !status.ok()) return status;
    answer.more = records.size() > query.records_max;
    if (answer.more) records.pop_back();
    answer.after = std::to_string(records.empty() ? after : records.back());
  }
  for (const Digest& id : query.quarantine_ids) {
    const std::string text = Hex(id);
    Query find(find_quarantine_, std::string_view(text));
    if (auto status = PickRecords(find, SIZE_MAX, records); !status.ok()) return status;
  }
  std::sort(records.begin(), records.end());
  records.erase(std::unique(records.begin(), records.end()), records.end());
  for (const int64_t record : records) {
    if (auto status = ReadKept(record, answer); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status Core::FindOf(std::span<const EntityKey> entities, RunIndex& index, std::vector<Hit>& hits) {
  std::vector<Entry> asked;
  for (size_t i = 0; i < entities.size(); ++i) {
    const uint64_t key = Short(entities[i]);
    if (index.MayHold(key)) asked.push_back({key, static_cast<int64_t>(i)});
  }
  return index.Find(asked, 0, hits);
}

absl::Status Core::FindEntities(std::span<const EntityKey> entities, std::vector<KeptEntity>& kept,
                                Arena& texts) {
  kept.assign(entities.size(), {});
  std::vector<Hit> hits;
  if (auto status = FindOf(entities, entities_, hits); !status.ok()) return status;
  return ForHits(read_entities_, hits, [&](Query& query) {
    const auto index = static_cast<size_t>(query.Int(1));
    if (DigestFrom(query.Text(2)) != entities[index]) return true;
    kept[index] = {query.Int(0), query.Int(3), query.Int(4), texts.Copy(query.Text(5))};
    return true;
  });
}

absl::Status Core::FindGold(std::span<const EntityKey> entities, std::vector<KeptGold>& rows) {
  rows.clear();
  std::vector<Hit> hits;
  if (auto status = FindOf(entities, gold_, hits); !status.ok()) return status;
  return ForHits(find_gold_, hits, [&](Query& query) {
    const EntityKey& entity = entities[static_cast<size_t>(query.Int(1))];
    if (DigestFrom(query.Text(3)) != entity) return true;
    rows.push_back({query.Int(1),
                    query.Int(0),
                    {.entity = entity,
                     .version = {.key = DigestFrom(query.Text(2)),
                                 .hash = DigestFrom(query.Text(4)),
                                 .model_version = DigestFrom(query.Text(5)),
                                 .updated_at = query.Time(6)}},
                    static_cast<size_t>(query.Int(7)),
                    DigestFrom(query.Text(8))});
    return true;
  });
}

absl::Status Core::ReadDue(UtcTime due_by, size_t skip, size_t most, std::vector<EntityKey>& entities) {
  Query query(find_due_, due_by, most, skip);
  while (query.Next()) entities.push_back(DigestFrom(query.Text(0)));
  return query.status();
}

absl::Status Core::Damage(const char* what) const {
  return absl::DataLossError(path() + ": " + what +
                             ": the file is damaged: restore it, or run into a new one");
}

// What turns out to be fresh at the beginning is not looked at again.
absl::Status Core::ReadStale(StaleList& list, StaleList::Place& place, size_t most,
                             std::vector<EntityKey>& entities) {
  entities.clear();
  StaleList::Part part;
  while (entities.empty()) {
    if (auto status = list.Read(place, most, part); !status.ok() || part.entities.empty()) return status;
    std::vector<KeptEntity> kept;
    Arena texts;
    if (auto status = FindEntities(part.entities, kept, texts); !status.ok()) return status;
    const auto is_stale = [&](const KeptEntity& entity) { return entity.batch < part.begin.batch; };
    for (size_t i = 0; i < kept.size(); ++i) {
      if (is_stale(kept[i])) entities.push_back(part.entities[i]);
    }
    if (place == list.begin()) {
      const auto fresh = static_cast<size_t>(std::find_if(kept.begin(), kept.end(), is_stale) - kept.begin());
      list.BeginAt(entities.empty() ? part.end
                                    : StaleList::Place{part.begin.batch, part.begin.entity + fresh});
    }
    place = part.end;
  }
  return absl::OkStatus();
}

// -----------------------------------------------------------------------------------------------------------
// Writing

absl::Status Core::Begin(Transaction& transaction) {
  if (auto status = transaction.Begin(Transaction::kWrite); !status.ok()) return status;
  const bool watched = watched_;
  const int64_t watched_version = watched_version_;
  if (auto status = Watch(/*anew=*/true); !status.ok()) return status;
  if (watched && watched_version != watched_version_) {
    watched_ = false;
    return absl::AbortedError(
        connection_.path() +
        ": write a batch: another process wrote to the store since the batch was computed from"
        " it: let one process at a time write to it, and run again");
  }
  loaded_ = false;  // until the batch is committed
  first_new_ = next_record_;
  Query top(top_gold_);
  if (top.Next()) next_gold_ = first_new_gold_ = top.Int(0) + 1;
  return top.status();
}

absl::Status Core::PutRecords(std::span<const RecordWrite> writes, std::vector<int64_t>& numbers) {
  std::vector<RecordId> ids;
  ids.reserve(writes.size());
  for (const RecordWrite& write : writes) ids.push_back(write.id);
  std::vector<KeptRecord> kept;
  Arena texts;
  if (auto status = FindRecords(ids, kept, texts); !status.ok()) return status;
  numbers.clear();
  std::vector<Entry> added;  // key -> number, from the first new one on
  std::vector<const RecordWrite*> fresh;
  for (size_t i = 0; i < writes.size(); ++i) {
    numbers.push_back(kept[i].number != 0 ? kept[i].number : next_record_++);
    if (kept[i].number == 0) {
      added.push_back({CoordinateKey(ids[i].at), numbers[i]});
      fresh.push_back(&writes[i]);
      continue;
    }
    const BronzeRecord& record = writes[i].record;
    if (kept[i].arrival == ArrivalOf(record)) continue;
    const absl::Status status =
        Query(put_arrival_, numbers[i], OrNull{record.key}, record.broker_ts, record.ingest_ts,
              OrNull{record.version}, OrNull{record.connection_id}, static_cast<int>(record.direction))
            .Run();
    if (!status.ok()) return status;
  }
  if (auto status = PutRecords(fresh); !status.ok()) return status;
  return coordinates_.Add(added);
}

absl::Status Core::PutRecords(std::span<const RecordWrite* const> fresh) {
  if (fresh.empty()) return absl::OkStatus();
  size_t next = 0;
  const auto put = [&](Cells& cells) {
    if (next == fresh.size()) return false;
    const auto& [record, id, known] = *fresh[next];
    cells.Put(first_new_ + static_cast<int64_t>(next++))
        .Put(id.at.topic)
        .Put(id.at.partition)
        .Put(id.at.offset);
    cells.Put(id.payload).Put(OrNull{record.key}).Put(record.broker_ts).Put(record.ingest_ts);
    cells.Put(static_cast<int64_t>(record.direction))
        .Put(OrNull{record.version})
        .Put(OrNull{record.connection_id});
    cells.Put(record.payload);
    return true;
  };
  Feed feed = put;
  return Query(put_records_, feed).Run();
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

absl::Status Core::DropRow(int64_t element, Table table) { return Query(At(table).drop, element).Run(); }

absl::Status Core::ReadKept(int64_t record, BronzeAnswer& answer) {
  BronzeAnswer::Kept kept;
  if (auto status = ReadRecord(record, kept.record, answer.texts); !status.ok()) return status;
  Query query(read_record_, record);
  if (!query.Next()) return query.status();
  kept.id = {kept.record.at, DigestFrom(query.Text(10))};
  kept.has_payload = !query.IsNull(9);
  answer.records.push_back(kept);
  return absl::OkStatus();
}

absl::Status Core::PutReview(const Review& review) {
  PackWriter body;
  body(review);
  const absl::Status status = Query(put_review_, review.subject, Blob{body.bytes()}).Run();
  if (!status.ok()) return status;
  {
    Query changes(changes_);
    if (!changes.Next() || changes.Int(0) == 0) return changes.status();  // it is kept already
  }
  Cells cells;
  cells.PutColumns(review);
  return Query(At(Table::kReviews).put, std::optional<int64_t>(), cells).Run();
}

absl::Status Core::DropElement(int64_t element) { return Query(drop_element_, element).Run(); }

absl::Status Core::PutElements(Feed elements) { return Query(put_elements_, elements).Run(); }

absl::Status Core::PutRows(Table table, Feed rows) { return Query(At(table).feed, rows).Run(); }

absl::Status Core::DropSummaries(std::span<const EntityKey> entities) {
  std::vector<KeptEntity> kept;
  Arena texts;
  if (auto status = FindEntities(entities, kept, texts); !status.ok()) return status;
  for (const KeptEntity& entity : kept) {
    if (entity.summary.empty()) continue;
    if (auto status = Query(drop_summary_, entity.number).Run(); !status.ok()) return status;
  }
  return absl::OkStatus();
}

// The last batch that noted any stays, for its number.
absl::Status Core::MarkFresh(std::span<const Derived> derived) {
  if (derived.empty()) return absl::OkStatus();
  std::vector<EntityKey> entities;
  for (const Derived& entity : derived) entities.push_back(entity.entity);
  std::vector<KeptEntity> kept;
  Arena texts;
  if (auto status = FindEntities(entities, kept, texts); !status.ok()) return status;
  std::vector<Entry> added;
  for (size_t i = 0; i < derived.size(); ++i) {
    for (StaleList& list : stale_) list.Forget(entities[i]);
    if (kept[i].number != 0) continue;
    kept[i].number = next_entity_++;
    added.push_back({Short(entities[i]), kept[i].number});
  }
  size_t next = 0;
  const auto put = [&](Cells& cells) {
    if (next == derived.size()) return false;
    const std::string_view summary = derived[next].summary;
    cells.Put(kept[next].number).Put(entities[next]).Put(next_batch_ - 1);
    summary.empty() ? cells.Put(0).PutNull() : cells.Put(elements_end()).Put(Blob{summary});
    cells.Put(static_cast<int64_t>(Short(derived[next].model_version)));
    return ++next, true;
  };
  Feed feed = put;
  if (auto status = Query(put_entities_, feed).Run(); !status.ok()) return status;
  for (StaleList& list : stale_) {
    if (auto status = list.Trim(next_batch_ - 1); !status.ok()) return status;
  }
  return entities_.Add(added);
}

absl::Status Core::FindSightings(std::span<const EntityKey> entities, std::vector<KeptSighting>& found) {
  found.assign(entities.size(), {});
  std::vector<Entry> asked;
  for (size_t i = 0; i < entities.size(); ++i) {
    const uint64_t key = Short(entities[i]);
    if (const auto noted = new_sightings_.find(entities[i]); noted != new_sightings_.end()) {
      found[i] = noted->second;
    } else if (sighted_.MayHold(key)) {
      asked.push_back({key, static_cast<int64_t>(i)});
    }
  }
  std::vector<Hit> hits;
  if (auto status = sighted_.Find(asked, 0, hits); !status.ok()) return status;
  return ForHits(find_sightings_, hits, [&](Query& query) {
    const auto index = static_cast<size_t>(query.Int(1));
    if (DigestFrom(query.Text(2)) != entities[index]) return true;
    found[index] = {query.Int(0),
                    std::string(query.Text(3)),
                    std::string(query.Text(4)),
                    entities[index],
                    {.ingest_ts = {query.Int(5)}, .most = {query.Int(6), query.Int(7), query.Int(8)}}};
    return true;
  });
}

absl::Status Core::PutSightings(std::span<KeptSighting> sightings) {
  if (sightings.empty()) return absl::OkStatus();
  std::vector<EntityKey> entities;
  std::vector<Entry> added;
  PackWriter noted;
  for (KeptSighting& kept : sightings) {
    entities.push_back(kept.entity);
    if (kept.number == 0) {
      kept.number = next_sighting_++;
      added.push_back({Short(kept.entity), kept.number});
    }
    noted(kept);
    new_sightings_[kept.entity] = std::move(kept);
  }
  noted_sightings_ += entities.size();
  if (auto status = Query(note_sightings_, Blob{noted.bytes()}).Run(); !status.ok()) return status;
  if (auto status = sighted_.Add(added); !status.ok()) return status;
  if (noted_sightings_ > std::min(kNotesMax, kNotesOfSubject * new_sightings_.size())) {
    if (auto status = FoldSightings(); !status.ok()) return status;
  }
  return MarkStale(Stale::kSighted, entities);
}

absl::Status Core::LoadSightings() {
  new_sightings_.clear(), noted_sightings_ = 0;
  Arena texts;
  Query query(read_new_sightings_);
  while (query.Next()) {
    PackReader reader(query.Text(0), texts);
    while (reader.ok() && !reader.at_end()) {
      KeptSighting kept;
      reader(kept);
      if (!reader.ok() || kept.number <= 0 || kept.number == INT64_MAX) return Damage("read sightings");
      next_sighting_ = std::max(next_sighting_, kept.number + 1);
      new_sightings_[kept.entity] = std::move(kept);
      ++noted_sightings_;
    }
  }
  return query.status();
}

// In the order of their numbers.
std::vector<const KeptSighting*> Core::NewSightings() const {
  std::vector<const KeptSighting*> rows;
  for (const auto& [entity, kept] : new_sightings_) rows.push_back(&kept);
  std::sort(rows.begin(), rows.end(), [](const auto* a, const auto* b) { return a->number < b->number; });
  return rows;
}

absl::Status Core::FoldSightings() {
  if (noted_sightings_ == 0) return absl::OkStatus();
  const std::vector<const KeptSighting*> rows = NewSightings();
  auto next = rows.begin();
  const auto put = [&](Cells& cells) {
    if (next == rows.end()) return false;
    const auto& [number, subject, name, entity, sighting] = **next;
    cells.Put(number).Put(entity).Put(std::string_view(subject)).Put(std::string_view(name));
    cells.Put(sighting.ingest_ts.us);
    for (const int64_t most : sighting.most) cells.Put(most);
    return ++next, true;
  };
  Feed feed = put;
  if (auto status = Query(put_sightings_, feed).Run(); !status.ok()) return status;
  new_sightings_.clear(), noted_sightings_ = 0;
  return Query(clear_new_sightings_).Run();
}

absl::Status Core::DropSighting(const KeptSighting& sighting) {
  if (auto status = FoldSightings(); !status.ok()) return status;
  return Query(drop_sighting_, sighting.number).Run();
}

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

absl::Status Core::PutMetrics(std::span<const MetricRow> metrics) {
  if (metrics.empty()) return absl::OkStatus();
  PublicTable& table = At(Table::kMetrics);
  const std::string clear = "DELETE FROM " + Quoted(table.shape.name);
  if (auto status = connection_.Execute(clear, "write metrics"); !status.ok()) return status;
  Cells cells;
  for (const MetricRow& row : metrics) {
    cells.Clear();
    cells.PutColumns(row);
    if (auto status = Query(table.put, std::optional<int64_t>(), cells).Run(); !status.ok()) return status;
  }
  return absl::OkStatus();
}

// -----------------------------------------------------------------------------------------------------------
// Forgetting

absl::Status Core::FindNamed(Named names, std::vector<int64_t>& records, std::vector<Review>& reviews) {
  if (auto status = FindReviews({}, true, reviews); !status.ok()) return status;
  std::erase_if(reviews, [&](const Review& review) { return !names(review.payload); });
  std::vector<RecordId> reviewed;
  reviewed.reserve(reviews.size());
  for (const Review& review : reviews) reviewed.push_back(ElementOf(review).record);
  std::vector<KeptRecord> kept;
  Arena texts;
  if (auto status = FindRecords(reviewed, kept, texts); !status.ok()) return status;
  for (const KeptRecord& record : kept) {
    if (record.number != 0) records.push_back(record.number);
  }
  Statement statement;
  const absl::Status prepared = connection_.Prepare(
      "SELECT record, payload FROM bronze_records WHERE payload IS NOT NULL", "read the records", statement);
  if (!prepared.ok()) return prepared;
  Query query(statement);
  while (query.Next()) {
    if (names(query.Text(1))) records.push_back(query.Int(0));
  }
  std::sort(records.begin(), records.end());
  records.erase(std::unique(records.begin(), records.end()), records.end());
  return query.status();
}

absl::Status Core::ForgetPayload(int64_t record) {
  Statement statement;
  const absl::Status prepared = connection_.Prepare(
      "UPDATE bronze_records SET payload = NULL WHERE record = ?", "forget a payload", statement);
  return prepared.ok() ? Query(statement, record).Run() : prepared;
}

absl::Status Core::ForgetPayload(Review review) {
  Statement packed, shown;
  absl::Status status = connection_.Prepare(
      "UPDATE medallion_reviews SET body = ?3 WHERE subject = ?1 AND body = ?2", "forget a repair", packed);
  if (status.ok()) {
    status = connection_.Prepare("UPDATE " + Quoted(At(Table::kReviews).shape.name) +
                                     " SET repaired_payload = NULL WHERE subject = ?1 AND number = ?2",
                                 "forget a repair", shown);
  }
  if (!status.ok()) return status;
  PackWriter before, after;
  before(review);
  review.payload.clear();
  after(review);
  status = Query(packed, review.subject, Blob{before.bytes()}, Blob{after.bytes()}).Run();
  const std::string subject = Hex(review.subject);
  return status.ok() ? Query(shown, std::string_view(subject), review.number).Run() : status;
}

// Pages that were freed before deletes were made to overwrite may hold old bytes: so the file is written anew.
absl::Status Core::Wipe() {
  if (auto status = connection_.Execute("VACUUM", "wipe the file"); !status.ok()) return status;
  Statement statement;
  const absl::Status prepared =
      connection_.Prepare("PRAGMA wal_checkpoint(TRUNCATE)", "wipe the write-ahead log", statement);
  if (!prepared.ok()) return prepared;
  Query query(statement);
  if (!query.Next() || query.Int(0) == 0) return query.status();
  return absl::UnavailableError(
      path() +
      ": wipe the write-ahead log: another process reads the file, and the log still"
      " holds what was forgotten: run this again");
}

// -----------------------------------------------------------------------------------------------------------
// Reading back

std::vector<std::string> Core::Names() const {
  std::vector<std::string> names;
  const auto add = [&](size_t table) { names.push_back(tables_[table].shape.name); };
  for (size_t silver = 0; silver < silver_tables_; ++silver) add(static_cast<size_t>(SilverTable(silver)));
  for (size_t table = 1; table < kElementTables; ++table) add(table);
  for (size_t table = static_cast<size_t>(Table::kGold); table < gold_end(); ++table) add(table);
  add(static_cast<size_t>(Table::kReviews));
  add(static_cast<size_t>(Table::kMetrics));
  add(static_cast<size_t>(Table::kReconciliation));
  add(static_cast<size_t>(Table::kRunLog));
  return names;
}

absl::Status Core::Read(std::string_view table, const RowSink& sink) {
  const std::span<PublicTable> all(tables_.get(), tables());
  const auto at = std::find_if(all.begin(), all.end(),
                               [&](const PublicTable& candidate) { return candidate.shape.name == table; });
  if (at == all.end()) {
    return absl::NotFoundError(connection_.path() + ": there is no table " + std::string(table));
  }
  const auto which = static_cast<Table>(at - all.begin());
  Statement order, read;
  absl::Status status = connection_.Prepare(OrderSql(which, at->shape), "read a table", order);
  if (status.ok()) status = connection_.Prepare(ReadSql(at->shape), "read a table", read);
  if (!status.ok()) return status;
  Query numbers(order);
  const auto put = [&](Cells& cells) { return numbers.Next() && (cells.Put(numbers.Int(0)), true); };
  Feed feed = put;
  Query query(read, feed);
  std::string line;
  while (query.Next()) {
    line.clear();
    AppendJsonRow(query, 1, at->shape.columns, line);
    if (status = sink(line); !status.ok()) return status;
  }
  return numbers.status().ok() ? query.status() : numbers.status();
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
