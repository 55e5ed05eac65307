// The tables of a store in SQLite, as far as they do not depend on a pack's types: rows go in and come out as
// bytes. SqliteStore is a thin template over this.
//
// For everyone to read, with the columns that the pack's rows show (VisitColumns), preceded by a row number:
//
//   <Pack::kSilverTable>, silver_quarantine_events, silver_duplicate_events_audit, silver_ignored
//                        `element`: the element's number, as in medallion_elements
//   <Pack::kGoldTable>   `row`: as in medallion_gold
//   ops_run_log          `row`: order of writing
//   bronze_records       every record; times in microseconds since 1970
//
// For the store itself:
//
//   medallion_elements   one row an element; element = record << 24 | ordinal
//     fate, hour         for the books; hour of ingest_ts, counted from 1970
//     unit               Short of the unit, where it is to be settled
//     probe              what a glance asks for, within the unit. Of a winner: 0, or a digest of (business
//                        key, cut) where the unit is more than one key. Of a business duplicate: a digest of
//                        (business key, fact, event id); it is the first in agreement with that event id, for
//                        later ones are technical duplicates. Of any other: null
//     entity             Short of the entity, where the element is in its history
//     body               the element, see io/element_codec.h
//   medallion_gold       the version of each Gold row, the entity it comes from (whole, and Short), when it
//                        is due. This is what was written; the public table may have been changed by hand
//   medallion_positions, medallion_meta (pack, data_clock)
//
// Short of a digest: its first six bytes, most significant first, as a signed integer. That is the longest
// prefix which SQLite stores in six bytes, and keeps the indexes short. Rows found by it are checked against
// the whole digest.
//
// One thread at a time. Errors: see io/sqlite.h.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "medallion/base/arena.h"
#include "medallion/bronze/record.h"
#include "medallion/gold/merge.h"
#include "medallion/io/sqlite.h"
#include "medallion/io/store.h"
#include "medallion/io/tables.h"
#include "medallion/silver/accounting.h"

namespace medallion::sqlite {

inline constexpr int64_t kSchemaVersion = 1;
inline constexpr int64_t kApplicationId = 0x4D44'4C4E;  // "MDLN"

int64_t Short(const Digest& digest);

// See `probe` above.
int64_t WinnerProbe(const Identity& identity);
int64_t EventProbe(const Identity& winner, uint64_t event_id);

// The tables for everyone, in the order of the flow.
enum class Table : uint8_t { kSilver, kQuarantine, kAudit, kIgnored, kGold, kRunLog };
inline constexpr size_t kTables = 6;

struct TableShape {
  std::string name;
  std::vector<Column> columns;
};

struct StoreShape {
  std::string pack;
  std::array<TableShape, kTables> tables;  // by Table
};

// An element as it is kept.
struct ElementEntry {
  int64_t element = 0;
  Fate fate = Fate::kSilver;
  UtcTime ingest_ts = kNoTime;
  std::optional<int64_t> unit = {}, probe = {}, entity = {};
  std::string_view body = {};
};

class Core {
 public:
  // How elements are found. The key is a Short, save for kRecord.
  enum Lookup : uint8_t { kByUnit, kByEntity, kByRecord };

  // Opens the store at `path`, or makes it.
  absl::Status Open(const std::string& path, const StoreShape& shape, const SqliteOptions& options);

  Connection& connection() { return connection_; }
  const std::string& path() const { return connection_.path(); }

  // Fetching. Watch notes the state of the file, so that Begin can refuse a batch that was computed from
  // another one: `anew` at the start of a batch.
  absl::Status Watch(bool anew);
  absl::Status ReadCheckpoint(Checkpoint& checkpoint);
  absl::Status ReadArrival(const RecordId& id, std::optional<Arrival>& arrival, Arena& texts);
  absl::StatusOr<bool> HasUnit(int64_t unit);
  absl::Status ReadVersions(const EntityKey& entity, std::vector<GoldVersion>& versions);
  absl::Status ReadDue(UtcTime due_by, size_t due_max, std::vector<EntityKey>& entities);

  // Calls use(element, body) until it returns false.
  template <class Use>
  absl::Status ForElements(Lookup lookup, int64_t key, Use&& use) {
    Query query(find_elements_[lookup], key);
    while (query.Next() && use(query.Int(0), query.Text(1))) {
    }
    return query.status();
  }
  template <class Use>
  absl::Status ForProbe(int64_t unit, int64_t probe, Use&& use) {
    Query query(find_probe_, unit, probe);
    while (query.Next() && use(query.Int(0), query.Text(1))) {
    }
    return query.status();
  }

  // Writing, between Begin and the commit of `transaction`.
  struct Kept {
    int64_t record = 0;  // its number
    bool stood = false;  // it was there before
  };
  absl::Status Begin(Transaction& transaction);
  absl::StatusOr<Kept> PutRecord(const RecordWrite& write);
  absl::StatusOr<int64_t> FindRecord(const RecordId& id);  // 0: there is none
  absl::Status ReadRecord(int64_t record, BronzeRecord& out, Arena& texts);
  absl::Status DropElement(int64_t element);
  absl::Status PutElement(const ElementEntry& entry, const Cells& row);
  absl::Status PutGold(const GoldVersion& row, UtcTime next_due_at, const Cells& cells);
  absl::Status DropGold(const GoldVersion& row);
  absl::Status PutPosition(std::string_view source, std::string_view position);
  absl::Status RaiseClock(UtcTime clock);
  absl::Status PutLog(const Cells& cells, std::string_view json);
  void Committed() { watched_ = false; }

  // Reading back.
  std::vector<std::string> Names() const;
  absl::Status Read(std::string_view table, const RowSink& sink);
  absl::StatusOr<Accounting> Books();

 private:
  struct PublicTable {
    TableShape shape;
    Statement put, drop;
  };
  PublicTable& At(Table table) { return tables_[static_cast<size_t>(table)]; }

  absl::StatusOr<bool> IsFresh();
  absl::Status CheckOurs();
  absl::Status Create();
  absl::Status PrepareTables();
  absl::Status Prepare();
  absl::Status PrepareElements();
  absl::Status PrepareGold();
  absl::StatusOr<int64_t> FindGold(const GoldVersion& row);
  absl::Status CountFates(Accounting& books);

  Connection connection_;  // first: what follows refers to it
  std::string pack_;
  std::array<PublicTable, kTables> tables_;
  Statement data_version_, read_clock_, read_positions_, find_arrival_, find_record_, read_record_;
  Statement put_record_, put_arrival_;
  std::array<Statement, 3> find_elements_;
  Statement find_probe_, has_unit_, put_element_, find_fate_, replace_element_, drop_element_;
  Statement find_gold_, find_due_, top_gold_, put_gold_, replace_gold_, drop_gold_;
  Statement put_position_, raise_clock_, last_log_;
  bool watched_ = false;
  int64_t watched_version_ = 0;
  int64_t next_gold_ = 0;  // number of the next new Gold row, while a batch is written
};

}  // namespace medallion::sqlite
