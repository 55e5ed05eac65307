// SQLite behind a few small types: a connection, a prepared statement, one use of it, a transaction, a row to
// write. Failures come back as absl::Status: what was being done, to which file, what SQLite said, and how to
// go on.
//
//   busy, locked                      Unavailable
//   disk or quota full                ResourceExhausted
//   damaged, or no database at all    DataLoss
//   cannot be opened                  NotFound; PermissionDenied where it may not be
//   anything else                     Internal
//
// One thread at a time.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "medallion/base/columns.h"
#include "medallion/base/digest.h"
#include "medallion/base/time.h"

struct sqlite3;
struct sqlite3_stmt;

namespace medallion {

struct SqliteOptions {
  int busy_timeout_ms = 5'000;              // how long to wait for another process before it is Unavailable
  int64_t cache_bytes = int64_t{64} << 20;  // of memory for pages
  int64_t mapped_bytes = int64_t{1} << 30;  // of the file are read through a memory map; 0: none
  int64_t log_bytes = int64_t{64} << 20;    // the write-ahead log is folded into the file once it is so large
  // Only reads, and leaves no file behind: for stores that may not be written. Where no write-ahead log lies beside the file,
  // nobody has it open, and it is taken to stay as it is while it is read.
  bool read_only = false;
  int64_t bytes_max = 0;  // a file that would grow beyond is ResourceExhausted; 0: no limit
};

namespace sqlite {

// How a column is shown, derived from the type that VisitColumns shows.
enum class ColumnKind : uint8_t { kText, kInteger, kBoolean, kJson };

struct Column {
  std::string name;
  ColumnKind kind = ColumnKind::kText;
};

template <class T>
struct KindOf {
  static constexpr ColumnKind kValue = std::same_as<T, bool>       ? ColumnKind::kBoolean
                                       : std::integral<T>          ? ColumnKind::kInteger
                                       : std::same_as<T, JsonText> ? ColumnKind::kJson
                                                                   : ColumnKind::kText;
};
template <class T>
struct KindOf<std::optional<T>> : KindOf<T> {};

template <class Row>
std::vector<Column> ColumnsOf(const Row& row = {}) {
  std::vector<Column> columns;
  VisitColumns(row, [&]<class T>(std::string_view name, const T&) {
    columns.push_back({std::string(name), KindOf<T>::kValue});
  });
  return columns;
}

// Bytes that are no text.
struct Blob {
  std::string_view bytes;
};
// The digest that was put as a blob; all zeros for any other bytes.
Digest DigestFrom(std::string_view bytes);

// A text that is null where it is empty.
struct OrNull {
  std::string_view text;
};

// The cells of one row, on their way into a statement.
class Cells {
 public:
  void Clear() { size_ = 0, text_.clear(); }

  // What is shown must live until the row was taken.
  Cells& Put(std::integral auto value) {
    return Next() = {.type = Cell::kInteger, .value = int64_t{value}}, *this;
  }
  Cells& Put(UtcTime time) { return time == kNoTime ? PutNull() : Put(time.us); }
  Cells& Put(std::string_view text) { return Next() = Shown(Cell::kText, text), *this; }
  Cells& Put(OrNull text) { return text.text.empty() ? PutNull() : Put(text.text); }
  Cells& Put(Blob blob) { return Next() = Shown(Cell::kBlob, blob.bytes), *this; }
  Cells& Put(const Digest& digest) {
    return Put(Blob{{reinterpret_cast<const char*>(digest.bytes.data()), digest.bytes.size()}});
  }
  Cells& PutNull() { return Next() = {}, *this; }

  // The columns of a row: integers and booleans as integers, everything else as its canonical text, what is absent as
  // null. Copied, for a row may show texts that it makes only for the visit.
  template <class Row>
  Cells& PutColumns(const Row& row) {
    VisitColumns(row, [&](std::string_view, const auto& value) { this->Copy(value); });
    return *this;
  }

 private:
  friend class Query;
  friend class Connection;
  struct Cell {
    enum Type : uint8_t { kNull, kInteger, kText, kBlob } type = kNull;
    int64_t value = 0;            // of an integer; of a copied text where it starts in text_
    const char* bytes = nullptr;  // of a text or blob that was not copied
    size_t size = 0;
  };

  Cell& Next() {
    if (size_ == cells_.size()) cells_.resize(2 * size_ + 16);
    return cells_[size_++];
  }
  static Cell Shown(Cell::Type type, std::string_view bytes) {
    return {.type = type, .bytes = bytes.data() == nullptr ? "" : bytes.data(), .size = bytes.size()};
  }
  const char* BytesOf(const Cell& cell) const {
    return cell.bytes != nullptr ? cell.bytes : text_.data() + cell.value;
  }

  template <class T>
  void Copy(const T& value) {
    if constexpr (std::integral<T>) {
      Put(value);
    } else {
      const size_t start = text_.size();
      const bool present = AppendCanonical(value, text_);
      Next() = {.type = present ? Cell::kText : Cell::kNull,
                .value = static_cast<int64_t>(start),
                .size = text_.size() - start};
    }
  }
  template <class T>
  void Copy(const std::optional<T>& value) {
    value.has_value() ? Copy(*value) : static_cast<void>(PutNull());
  }

  std::vector<Cell> cells_;
  size_t size_ = 0;
  std::string text_;
};

// Rows that a statement reads from the program: each call puts the cells of the next one, or answers false.
using Feed = absl::FunctionRef<bool(Cells&)>;

class Statement;

// A database file. Neither copied nor moved: statements refer to it, and must go before it.
class Connection {
 public:
  Connection() = default;
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Opens or creates `path`; ":memory:" is a database of its own that is never kept. Nothing is written or
  // folded in before Allow: until then closing leaves the files as they were.
  absl::Status Open(const std::string& path, const SqliteOptions& options);

  // From now on the file may be written to: sets up the write-ahead log and the sizes of `options`.
  absl::Status Allow(const SqliteOptions& options);

  // Runs statements that give no rows. `doing` is what they are for: "make the tables".
  absl::Status Execute(const std::string& sql, const char* doing);

  // `doing` must outlive the statement.
  absl::Status Prepare(const std::string& sql, const char* doing, Statement& statement);

  // The one integer that a query gives; 0 where it gives none.
  absl::StatusOr<int64_t> Ask(const std::string& sql, const char* doing);

  // From now on a table `medallion_rows` with columns c0, c1 and so on may be named in a FROM: a Query is given the feed
  // that its rows come from, so that one use of a statement does for a batch.
  absl::Status OfferRows(size_t columns);

  bool in_transaction() const;
  const std::string& path() const { return path_; }

  // The failure of the latest call, which returned `code`.
  absl::Status Failure(int code, const char* doing) const;

 private:
  friend class Query;
  struct RowsModule;  // medallion_rows

  absl::Status OpenToRead(const SqliteOptions& options);
  std::string Needed() const;  // how to go on where something is not permitted

  sqlite3* handle_ = nullptr;
  std::string path_;
  std::string rows_columns_;
  Feed* feed_ = nullptr;  // of the query that begins next
};

// A prepared statement, used again and again.
class Statement {
 public:
  Statement() = default;
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

 private:
  friend class Connection;
  friend class Query;
  sqlite3_stmt* handle_ = nullptr;
  Connection* connection_ = nullptr;
  const char* doing_ = "";
};

// One use of a statement: bound where it is made, reset where it goes. What is bound must live as long.
//
//   Query query(find_record, topic, offset);
//   while (query.Next()) Use(query.Int(0));
//   return query.status();
class Query {
 public:
  template <class... Values>
  explicit Query(Statement& statement, const Values&... values) : statement_(statement) {
    (Bind(values), ...);
  }
  ~Query();
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;

  // Reads medallion_rows from `feed`, which must outlive the query. Its first step must come before another such query is
  // made.
  Query(Statement& statement, Feed& feed);

  // Whether there is another row. False at the end and after a failure.
  bool Next();
  // To the end.
  absl::Status Run();
  const absl::Status& status() const { return status_; }

  // Columns of the current row, counted from 0. Texts and bytes hold until the next step.
  int64_t Int(int column) const;
  UtcTime Time(int column) const;  // kNoTime for null
  std::string_view Text(int column) const;
  bool IsNull(int column) const;
  bool IsInt(int column) const;

 private:
  void Bind(std::integral auto value) { BindInt(static_cast<int64_t>(value)); }
  void Bind(std::string_view text);
  void Bind(Blob blob);
  void Bind(OrNull text) { text.text.empty() ? BindNull() : Bind(text.text); }
  void Bind(const Digest& digest);
  void Bind(UtcTime time);
  void Bind(const std::optional<int64_t>& value) { value.has_value() ? BindInt(*value) : BindNull(); }
  void Bind(const Cells& cells);
  void BindInt(int64_t value);
  void BindNull();
  void Check(int code);

  Statement& statement_;
  int next_ = 1;
  absl::Status status_;
};

// Rolls back where it goes without Commit.
class Transaction {
 public:
  enum Kind : uint8_t {
    kRead,   // one state of the tables for all queries within
    kWrite,  // takes the right to write at once, so that no later step can fail for want of it
  };
  explicit Transaction(Connection& connection) : connection_(connection) {}
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  absl::Status Begin(Kind kind);
  absl::Status Commit();

 private:
  Connection& connection_;
};

// `name` as SQL quotes it.
std::string Quoted(std::string_view name);

// Appends the row that `query` stands on as a JSON object, as AppendJson would: its columns from `first` on. What a hand
// wrote into a column of another kind comes as text.
void AppendJsonRow(const Query& query, int first, std::span<const Column> columns, std::string& out);

}  // namespace sqlite
}  // namespace medallion
