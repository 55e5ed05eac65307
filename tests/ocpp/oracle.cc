#include "ocpp/oracle.h"

#include <sqlite3.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "ocpp/oracle_functions.h"

namespace medallion::testing {
namespace {

constexpr const char* kSteps[] = {
#include "ocpp/oracle_refine.sql"
    ,
#include "ocpp/oracle_settle.sql"
    ,
#include "ocpp/oracle_sessions.sql"
    ,
#include "ocpp/oracle_tables.sql"
    ,
#include "ocpp/oracle_gold.sql"
};

constexpr const char* kInput = R"sql(
CREATE TABLE setting(name TEXT PRIMARY KEY, value);
CREATE TABLE delivery(topic TEXT, partition INT, "offset" INT, key TEXT, broker_ts INT, ingest_ts INT,
                      direction TEXT, version TEXT, connection_id TEXT, payload BLOB);
)sql";

constexpr const char* kTables[] = {"silver_charging_events",
                                   "silver_quarantine_events",
                                   "silver_duplicate_events_audit",
                                   "silver_ignored",
                                   "gold_charging_sessions",
                                   "gold_charging_stats_daily",
                                   "gold_connector_status_history",
                                   "gold_connector_current_status",
                                   "gold_charge_point_health",
                                   "gold_meter_intervals",
                                   "accounting_by_fate",
                                   "accounting_by_hour"};

class Database {
 public:
  Database() {
    sqlite3* db = nullptr;
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(":memory:", &db, flags, nullptr) != SQLITE_OK)
      throw std::runtime_error("oracle: cannot open SQLite");
    db_.reset(db);
    RegisterOracleFunctions(db);
  }

  void Run(const char* sql) {
    char* message = nullptr;
    if (sqlite3_exec(db_.get(), sql, nullptr, nullptr, &message) == SQLITE_OK) return;
    const std::string text = message == nullptr ? "unknown" : message;
    sqlite3_free(message);
    throw std::runtime_error("oracle: " + text);
  }

  sqlite3* get() const { return db_.get(); }

 private:
  struct Close {
    void operator()(sqlite3* db) const { sqlite3_close(db); }
  };
  std::unique_ptr<sqlite3, Close> db_;
};

class Statement {
 public:
  Statement(const Database& db, const std::string& sql) : db_(db.get()) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(db_, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) Fail();
    statement_.reset(statement);
  }

  // Binds the next parameters, in order.
  Statement& Text(std::string_view text) {
    static constexpr const char* kEmpty = "";
    Bind(sqlite3_bind_text64(statement_.get(), ++bound_, text.empty() ? kEmpty : text.data(), text.size(),
                             SQLITE_TRANSIENT, SQLITE_UTF8));
    return *this;
  }
  Statement& Blob(std::string_view bytes) {
    Bind(sqlite3_bind_blob64(statement_.get(), ++bound_, bytes.empty() ? "" : bytes.data(), bytes.size(),
                             SQLITE_TRANSIENT));
    return *this;
  }
  Statement& Integer(int64_t value) {
    Bind(sqlite3_bind_int64(statement_.get(), ++bound_, value));
    return *this;
  }
  Statement& Time(UtcTime time) {
    if (time != kNoTime) return Integer(time.us);
    Bind(sqlite3_bind_null(statement_.get(), ++bound_));
    return *this;
  }

  bool Step() {
    const int code = sqlite3_step(statement_.get());
    if (code != SQLITE_ROW && code != SQLITE_DONE) Fail();
    return code == SQLITE_ROW;
  }

  void Reset() {
    sqlite3_reset(statement_.get());
    bound_ = 0;
  }

  OracleRow Row() const {
    OracleRow row;
    for (int i = 0; i < sqlite3_column_count(statement_.get()); ++i) {
      std::optional<std::string>& cell = row[sqlite3_column_name(statement_.get(), i)];
      if (sqlite3_column_type(statement_.get(), i) == SQLITE_NULL) continue;
      const void* bytes = sqlite3_column_blob(statement_.get(), i);
      const size_t size = static_cast<size_t>(sqlite3_column_bytes(statement_.get(), i));
      cell = bytes == nullptr ? std::string() : std::string(static_cast<const char*>(bytes), size);
    }
    return row;
  }

 private:
  void Bind(int code) const {
    if (code != SQLITE_OK) Fail();
  }
  [[noreturn]] void Fail() const { throw std::runtime_error(std::string("oracle: ") + sqlite3_errmsg(db_)); }

  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  sqlite3* db_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  int bound_ = 0;
};

void InsertSettings(const Database& db, const OracleOptions& options) {
  Statement insert(db, "INSERT INTO setting VALUES (?, ?)");
  const auto set = [&](std::string_view name, auto bind) {
    insert.Reset();
    insert.Text(name);
    bind();
    insert.Step();
  };
  set("contest_all", [&] { insert.Integer(options.contest_all ? 1 : 0); });
  set("keep_bad_clock", [&] { insert.Integer(options.keep_bad_clock ? 1 : 0); });
  set("id_tag_key", [&] { insert.Text(options.id_tag_key); });
  set("sweep_at", [&] { insert.Time(std::max(options.as_of, options.sweep_at)); });
}

void InsertDeliveries(const Database& db, std::span<const BronzeRecord> records,
                      const OracleOptions& options) {
  Statement insert(db, "INSERT INTO delivery VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  for (const BronzeRecord& record : records) {
    if (options.as_of != kNoTime && record.ingest_ts > options.as_of) continue;
    insert.Reset();
    insert.Text(record.at.topic).Integer(record.at.partition).Integer(record.at.offset);
    insert.Text(record.key).Time(record.broker_ts).Time(record.ingest_ts);
    insert.Text(record.direction == Direction::kIn ? "in" : "out");
    insert.Text(record.version).Text(record.connection_id).Blob(record.payload).Step();
  }
}

}  // namespace

OracleTables AskOracle(std::span<const BronzeRecord> records, const OracleOptions& options) {
  Database db;
  db.Run(kInput);
  db.Run("BEGIN");
  InsertSettings(db, options);
  InsertDeliveries(db, records, options);
  for (const char* step : kSteps) db.Run(step);
  OracleTables tables;
  for (const char* name : kTables) {
    Statement select(db, std::string("SELECT * FROM ") + name);
    std::vector<OracleRow>& rows = tables[name];
    while (select.Step()) rows.push_back(select.Row());
  }
  return tables;
}

}  // namespace medallion::testing
