#include "read_change.h"

#include <algorithm>
#include <optional>
#include <string>

#include "connect_values.h"
#include "medallion/base/text.h"
#include "medallion/ledger/assets.h"

namespace medallion::ledger::reading {
namespace {

using connect::ColumnType;
using json::Kind;
using json::Node;
using json::Tree;

constexpr std::string_view kLedgerName = "legacy";
constexpr std::string_view kAccountPrefix = "L:";

// A text, or a number's own digits; empty for all else.
std::string_view Plain(const Node* node) {
  if (node == nullptr) return {};
  return node->kind == Kind::kText || node->kind == Kind::kNumber || node->kind == Kind::kBool
             ? node->text
             : std::string_view();
}

std::optional<int64_t> Whole(const Node* node) {
  return node == nullptr ? std::nullopt : connect::WholeOf(*node);
}

// What a Connect converter wraps with its schema.
const Node* Unwrapped(const Tree& tree, const Node* node) {
  const Node* payload = tree.Find(node, "payload");
  return payload != nullptr && payload->kind == Kind::kObject ? payload : node;
}

// ---- the source ----

// source.ts_ms, else the finer ones.
UtcTime CommitTime(const Tree& tree, const Node* source) {
  for (const auto& [name, type] : {std::pair{"ts_ms", ".Timestamp"}, std::pair{"ts_us", ".MicroTimestamp"},
                                   std::pair{"ts_ns", ".NanoTimestamp"}}) {
    const Node* node = tree.Find(source, name);
    if (node == nullptr) continue;
    if (const auto time = connect::TimeOf(*node, ColumnType{.name = type})) return *time;
  }
  return kNoTime;
}

void ReadSource(const Tree& tree, const Node* source, ChangeFacts& change) {
  change.connector = Plain(tree.Find(source, "connector"));
  change.source_name = Plain(tree.Find(source, "name"));
  change.snapshot = Plain(tree.Find(source, "snapshot"));
  if (const auto lsn = Whole(tree.Find(source, "lsn")); lsn && *lsn >= 0) {
    change.position.lsn = lsn;
    return;
  }
  change.position.file = Plain(tree.Find(source, "file"));
  change.position.pos = Whole(tree.Find(source, "pos"));
  change.position.row = Whole(tree.Find(source, "row"));
}

void ReadTransaction(const Tree& tree, const Node* transaction, ChangeFacts& change) {
  change.tx_id = Plain(tree.Find(transaction, "id"));
  change.total_order = Whole(tree.Find(transaction, "total_order"));
}

// ---- the columns of an image ----

// One image of a row, and what its columns are.
class Image {
 public:
  Image(const ChangeRecord& record, std::string_view name, const Options& options)
      : record_(record), name_(name), options_(options), image_(record.tree.Find(record.value, name)) {}

  bool there() const { return image_ != nullptr && image_->kind == Kind::kObject; }

  // The column's value; null where it is null or not known.
  const Node* operator[](std::string_view column) const {
    const Node* node = record_.tree.Find(image_, column);
    return node == nullptr || IsPlaceholder(*node) ? nullptr : node;
  }

  // Whether the image says nothing of the column, not even that it is null.
  bool Ignores(std::string_view column) const {
    if (!there()) return true;
    const Tree& tree = record_.tree;
    for (const Node* each = tree.First(*image_); each != nullptr; each = tree.Next(*image_, *each)) {
      if (each->name == column) return IsPlaceholder(*each);
    }
    return true;
  }

  bool HasPlaceholder(std::string_view column) const {
    const Node* node = record_.tree.Find(image_, column);
    return node != nullptr && IsPlaceholder(*node);
  }

  ColumnType TypeOf(std::string_view column) const {
    return connect::TypeOf(record_.tree, record_.schema, name_, column);
  }

  std::optional<UtcTime> Time(std::string_view column) const {
    const Node* node = (*this)[column];
    return node == nullptr ? std::nullopt : connect::TimeOf(*node, TypeOf(column));
  }

  std::optional<std::string> Decimal(std::string_view column, bool& is_float) const {
    const Node* node = (*this)[column];
    if (node == nullptr) return std::nullopt;
    return connect::DecimalOf(record_.tree, *node, TypeOf(column), options_.decimal_scale, is_float);
  }

 private:
  // As it is, or as base64 in a column of bytes.
  bool IsPlaceholder(const Node& node) const {
    if (node.kind != Kind::kText) return false;
    if (node.text == options_.unavailable_value) return true;
    constexpr std::string_view kDefault = "__debezium_unavailable_value";
    constexpr std::string_view kDefaultInBase64 = "X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ==";
    return options_.unavailable_value == kDefault && node.text == kDefaultInBase64;
  }

  const ChangeRecord& record_;
  std::string_view name_;
  const Options& options_;
  const Node* image_;
};

// Reads the columns of one image into the draft's event.
class RowReader {
 public:
  RowReader(const Image& image, Arena& texts, Draft& draft)
      : image_(image), texts_(texts), draft_(draft), change_(*draft.event.change) {}

  void ReadEntry();
  void ReadAccount(const Image& before);

 private:
  // Whether the column has a value. If not, it is unknown where the image may leave it out, else `missing` is found.
  bool Given(LegacyColumn column, std::string_view name, std::optional<Code> missing) {
    if (image_[name] != nullptr) return true;
    const bool may_be_left_out = change_.op == Op::kUpdate && image_.Ignores(name);
    if (image_.Ignores(name)) change_.unknown |= 1u << static_cast<int>(column);
    if (missing && !may_be_left_out && !image_.HasPlaceholder(name)) draft_.Find(*missing, name);
    return false;
  }

  void ReadAccountNo() {
    if (!Given(LegacyColumn::kAccountNo, "account_no", Code::kMissingAccountId)) return;
    const std::string_view number = Plain(image_["account_no"]);
    if (number.empty()) return draft_.Find(Code::kMissingAccountId, "account_no");
    draft_.event.account_id = texts_.Copy(std::string(kAccountPrefix).append(number));
  }

  void ReadSide() {
    if (!Given(LegacyColumn::kDrCr, "dr_cr", Code::kSchemaMismatch)) return;
    const std::string_view text = Trim(Plain(image_["dr_cr"]));
    for (const std::string_view debit : {"D", "DR", "DEBIT"}) {
      if (EqualsFoldedCase(text, debit)) draft_.event.leg = Side::kDebit;
    }
    for (const std::string_view credit : {"C", "CR", "CREDIT"}) {
      if (EqualsFoldedCase(text, credit)) draft_.event.leg = Side::kCredit;
    }
    if (draft_.event.leg == Side::kNone) draft_.Find(Code::kSchemaMismatch, "dr_cr", text);
  }

  void ReadCurrency() {
    if (!Given(LegacyColumn::kCurrency, "currency", Code::kAssetUnknown)) return;
    const std::string_view asset = Trim(Plain(image_["currency"]));
    if (AssetExponent(asset)) {
      draft_.event.asset = asset;
    } else {
      draft_.Find(ContradictsIso(asset) ? Code::kAssetExponentMismatch : Code::kAssetUnknown, "currency",
                  asset);
    }
  }

  UtcTime ReadTime(LegacyColumn column, std::string_view name) {
    if (!Given(column, name, Code::kMissingTime)) return kNoTime;
    const std::optional<UtcTime> time = image_.Time(name);
    if (time) return *time;
    draft_.Find(Code::kSchemaMismatch, name, image_[name]->text);
    return kNoTime;
  }

  // The amount as a decimal; empty, and a finding, where there is none.
  std::string_view ReadDecimal(const Image& image, std::string_view name) {
    bool is_float = false;
    const std::optional<std::string> decimal = image.Decimal(name, is_float);
    if (decimal) return texts_.Copy(*decimal);
    draft_.Find(Code::kAmountNotIntegerMinor, name, image[name]->text);
    return {};
  }

  // In minor units of the asset; nothing, and a finding, where it has more digits than the asset has.
  std::optional<MinorUnits> Scale(std::string_view decimal, std::string_view name) {
    const std::optional<int> exponent = AssetExponent(draft_.event.asset);
    if (decimal.empty() || !exponent) return std::nullopt;
    const ScaledAmount scaled = ParseScaled(decimal, *exponent);
    using Problem = ScaledAmount::Problem;
    if (scaled.problem == Problem::kTooManyDigits) draft_.Find(Code::kAssetExponentMismatch, name, decimal);
    const bool large = scaled.problem == Problem::kOverflow || scaled.units.magnitude() > LargestAmount();
    if (large) draft_.Find(Code::kAmountOverflow, name, decimal);
    if (large || scaled.problem != Problem::kNone) return std::nullopt;
    return scaled.units;
  }

  void ReadAmount() {
    if (!Given(LegacyColumn::kAmount, "amount", Code::kMissingAmount)) return;
    const std::string_view decimal = ReadDecimal(image_, "amount");
    if (decimal.starts_with('-')) return draft_.Find(Code::kAmountNegative, "amount", decimal);
    change_.amount_text = decimal;
    draft_.event.amount_minor = Scale(decimal, "amount");
  }

  const Image& image_;
  Arena& texts_;
  Draft& draft_;
  ChangeFacts& change_;
};

void RowReader::ReadEntry() {
  LedgerEvent& event = draft_.event;
  ReadAccountNo();
  ReadSide();
  ReadCurrency();
  ReadAmount();
  change_.row_ts = ReadTime(LegacyColumn::kBookingTs, "booking_ts");
  const UtcTime value_date = ReadTime(LegacyColumn::kValueDate, "value_date");
  if (value_date != kNoTime) {
    const int64_t rest = (value_date.us % kMicrosPerDay + kMicrosPerDay) % kMicrosPerDay;
    event.effective_at = {value_date.us - rest};
  }
  Given(LegacyColumn::kReversalOf, "reversal_of", std::nullopt);
  event.reverses_transfer_id = Plain(image_["reversal_of"]);
  event.event_type =
      event.reverses_transfer_id.empty() ? EventType::kTransferPosted : EventType::kTransferReversed;
}

void RowReader::ReadAccount(const Image& before) {
  ReadAccountNo();
  ReadCurrency();
  change_.row_ts = ReadTime(LegacyColumn::kUpdatedAt, "updated_at");
  if (Given(LegacyColumn::kStatus, "status", std::nullopt)) change_.status = Plain(image_["status"]);
  if (Given(LegacyColumn::kBalance, "balance", std::nullopt)) {
    change_.balance = Scale(ReadDecimal(image_, "balance"), "balance");
    // Without its currency nobody knows how many minor units it is.
    if (!change_.balance) change_.unknown |= 1u << static_cast<int>(LegacyColumn::kBalance);
  }
  if (before["balance"] != nullptr) {
    change_.before_balance = Scale(ReadDecimal(before, "balance"), "before.balance");
  }
}

// ---- one change ----

std::optional<Op> OpOf(std::string_view text) {
  for (const Op op : {Op::kRead, Op::kCreate, Op::kUpdate, Op::kDelete}) {
    if (OpName(op) == text) return op;
  }
  return std::nullopt;
}

LegacyTable TableOf(std::string_view name) {
  for (const LegacyTable table : {LegacyTable::kAccount, LegacyTable::kEntry}) {
    if (LegacyTableName(table) == name) return table;
  }
  return LegacyTable::kNone;
}

// The primary key within a key: {"entry_no":5}, the same with its schema, as JSON text, or the bare value.
std::string_view PkOfKey(std::string_view key, std::string_view column, Arena& texts) {
  Tree tree;
  if (key.empty() || !tree.Parse(json::Padded(key, texts), texts)) return key;
  const Node& root = tree.root();
  if (root.kind != Kind::kObject) return Plain(&root);
  return Plain(tree.Find(Unwrapped(tree, &root), column));
}

std::string_view PkOfHeader(const ChangeRecord& record, std::string_view header, std::string_view column,
                            Arena& texts) {
  const Node* node = record.headers_tree.Find(record.headers, header);
  return node == nullptr ? std::string_view() : PkOfKey(node->text, column, texts);
}

void NameEvent(LedgerEvent& event, Arena& texts) {
  const ChangeFacts& change = *event.change;
  std::string id(LegacyTableName(change.table));
  id.append(":").append(change.pk).append(":");
  medallion::AppendCanonical(change.row_version, id);
  if (change.op == Op::kDelete) id += ":d";
  event.event_id = texts.Copy(id);
}

void ReadRow(const ChangeRecord& record, const Options& options, Arena& texts, Draft& draft) {
  LedgerEvent& event = draft.event;
  ChangeFacts& change = *event.change;
  const bool entry = change.table == LegacyTable::kEntry, deletes = change.op == Op::kDelete;
  const std::string_view pk_column = entry ? "entry_no" : "account_no";
  const Image before(record, "before", options), after(record, "after", options);
  const Image& image = deletes ? before : after;
  if (!image.there() && !deletes) return draft.Find(Code::kSchemaMismatch, "after");
  change.pk = Plain(image[pk_column]);
  if (change.pk.empty() && image[pk_column] == nullptr) change.pk = PkOfKey(record.key, pk_column, texts);
  if (change.pk.empty()) draft.Find(entry ? Code::kMissingEventId : Code::kMissingAccountId, pk_column);
  const Node* const version = image["version"];
  change.row_version = Whole(version);
  const bool unreadable = version != nullptr && change.row_version.value_or(-1) < 0;
  if (unreadable) draft.Find(Code::kSchemaMismatch, "version", version->text);
  if (version == nullptr && !deletes) draft.Find(Code::kMissingVersion);
  change.moved_from = PkOfHeader(record, "__debezium.oldkey", pk_column, texts);
  change.moved_to = PkOfHeader(record, "__debezium.newkey", pk_column, texts);
  event.ledger = kLedgerName;
  NameEvent(event, texts);

  const UtcTime committed = CommitTime(record.tree, record.tree.Find(record.value, "source"));
  event.recorded_at = committed;
  if (deletes) {  // a key says all there is to say; other columns may be left overs
    if (!entry) event.account_id = texts.Copy(std::string(kAccountPrefix).append(change.pk));
  } else {
    event.normal_side = Side::kCredit;
    RowReader reader(image, texts, draft);
    entry ? reader.ReadEntry() : reader.ReadAccount(before);
    if (change.op != Op::kUpdate && change.row_ts != kNoTime) event.recorded_at = change.row_ts;
  }
  if (event.recorded_at == kNoTime) draft.Find(Code::kMissingTime);
  if (deletes || !entry) event.effective_at = event.recorded_at;
}

void ReadEnvelope(const ChangeRecord& record, const Options& options, Arena& texts, Draft& draft) {
  const Tree& tree = record.tree;
  ChangeFacts& change = draft.event.change.emplace();
  const Node* source = tree.Find(record.value, "source");
  ReadTransaction(tree, tree.Find(record.value, "transaction"), change);
  ReadSource(tree, source, change);
  draft.event.recorded_at = draft.marker_ts = CommitTime(tree, source);
  const std::string_view op = Plain(tree.Find(record.value, "op"));
  if (op == "t") return draft.Find(Code::kTruncateUnsupported, "table", Plain(tree.Find(source, "table")));
  if (op == "m") {
    draft.ignored = "LOGICAL_MESSAGE";
    return;
  }
  const std::optional<Op> known = OpOf(op);
  if (!known) return draft.Find(Code::kUnknownEventType, "op", op);
  const std::string_view table = Plain(tree.Find(source, "table"));
  if (table.empty()) return draft.Find(Code::kSchemaMismatch, "source.table");
  change.op = *known, change.table = TableOf(table);
  if (change.table == LegacyTable::kNone) {
    draft.ignored = "TABLE_NOT_MAPPED";
    draft.Note("table", table);
    return;
  }
  ReadRow(record, options, texts, draft);
}

// ---- what stands beside the changes ----

bool IsTransactionBorder(const Tree& tree, const Node& object) {
  const std::string_view status = Plain(tree.Find(&object, "status"));
  return (status == "BEGIN" || status == "END") && tree.Find(&object, "id") != nullptr;
}

void ReadBorder(const ChangeRecord& record, Draft& draft) {
  const Tree& tree = record.tree;
  const bool ends = Plain(tree.Find(record.value, "status")) == "END";
  ChangeFacts& change = draft.event.change.emplace();
  change.tx_id = Plain(tree.Find(record.value, "id"));
  if (ends) change.event_count = Whole(tree.Find(record.value, "event_count"));
  draft.ignored = ends ? "TRANSACTION_END" : "TRANSACTION_BEGIN";
  draft.marker_ts = CommitTime(tree, record.value);
  draft.Note("id", change.tx_id);
  if (change.event_count) draft.Note("event_count", Plain(tree.Find(record.value, "event_count")));
}

}  // namespace

bool IsChange(const Tree& tree, const Node& object) {
  for (const std::string_view name : {"event_type", "account_version"}) {
    if (tree.Find(&object, name) != nullptr) return false;
  }
  for (const std::string_view name : {"op", "before", "after", "source", "ddl"}) {
    if (tree.Find(&object, name) != nullptr) return true;
  }
  const Node* first = tree.First(object);
  const bool heartbeat = first != nullptr && first->name == "ts_ms" && first->end == object.end;
  return IsTransactionBorder(tree, object) || heartbeat;
}

void ReadChange(const ChangeRecord& record, const Options& options, Arena& texts, Draft& draft) {
  const Tree& tree = record.tree;
  if (tree.Find(record.value, "op") != nullptr || tree.Find(record.value, "after") != nullptr ||
      tree.Find(record.value, "before") != nullptr) {
    return ReadEnvelope(record, options, texts, draft);
  }
  if (IsTransactionBorder(tree, *record.value)) return ReadBorder(record, draft);
  const bool schema_change =
      tree.Find(record.value, "ddl") != nullptr || tree.Find(record.value, "source") != nullptr;
  draft.ignored = schema_change ? "SCHEMA_CHANGE" : "HEARTBEAT";
  draft.marker_ts = CommitTime(tree, schema_change ? tree.Find(record.value, "source") : record.value);
}

}  // namespace medallion::ledger::reading
