#include "medallion/ledger/ledger_event.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <tuple>
#include <utility>

#include "medallion/base/text.h"
#include "medallion/ledger/assets.h"

namespace medallion::ledger {
namespace {

constexpr std::array<std::string_view, 10> kEventTypes = {"",
                                                          "AccountOpened",
                                                          "TransferPosted",
                                                          "TransferReserved",
                                                          "TransferCaptured",
                                                          "TransferReleased",
                                                          "TransferReversed",
                                                          "AccountFrozen",
                                                          "AccountUnfrozen",
                                                          "AccountClosed"};
constexpr std::array<std::string_view, kFlags> kFlagNames = {"EFFECTIVE_IN_FUTURE",
                                                             "RECORDED_BEFORE_EFFECTIVE_LIMIT"};

// The number at the end of a log file's name, and what stands before it.
std::pair<std::string_view, std::string_view> Numbered(std::string_view file) {
  size_t begin = file.size();
  while (begin > 0 && file[begin - 1] >= '0' && file[begin - 1] <= '9') --begin;
  std::string_view number = file.substr(begin);
  number.remove_prefix(std::min(number.find_first_not_of('0'), number.size()));
  return {file.substr(0, begin), number};
}

std::strong_ordering CompareFiles(std::string_view a, std::string_view b) {
  const auto [a_stem, a_number] = Numbered(a);
  const auto [b_stem, b_number] = Numbered(b);
  if (a_stem != b_stem) return a_stem <=> b_stem;
  if (a_number.size() != b_number.size()) return a_number.size() <=> b_number.size();
  return a_number <=> b_number;
}

}  // namespace

std::string_view EventTypeName(EventType type) { return kEventTypes[static_cast<size_t>(type)]; }

EventType EventTypeOf(std::string_view name) {
  const auto found = std::find(kEventTypes.begin() + 1, kEventTypes.end(), name);
  return found == kEventTypes.end() ? EventType::kNone : static_cast<EventType>(found - kEventTypes.begin());
}

bool IsTransfer(EventType type) {
  return type >= EventType::kTransferPosted && type <= EventType::kTransferReversed;
}

bool IsPosting(EventType type) {
  return type == EventType::kTransferPosted || type == EventType::kTransferCaptured ||
         type == EventType::kTransferReversed;
}

std::string_view SideName(Side side) {
  return side == Side::kDebit ? "D" : side == Side::kCredit ? "C" : std::string_view();
}

std::string_view FlagName(int bit) { return kFlagNames[static_cast<size_t>(bit)]; }

std::string_view LegacyTableName(LegacyTable table) {
  switch (table) {
    case LegacyTable::kNone: return {};
    case LegacyTable::kAccount: return "legacy_account";
    case LegacyTable::kEntry: return "legacy_entry";
  }
  return {};
}

std::string_view OpName(Op op) {
  constexpr std::array<std::string_view, 4> kNames = {"r", "c", "u", "d"};
  return kNames[static_cast<size_t>(op)];
}

std::strong_ordering Compare(const SourcePosition& a, const SourcePosition& b) {
  if (a.lsn.has_value() || b.lsn.has_value()) return a.lsn <=> b.lsn;
  if (const auto files = CompareFiles(a.file, b.file); files != 0) return files;
  return std::tie(a.pos, a.row) <=> std::tie(b.pos, b.row);
}

std::string FlagsJson(const LedgerEvent& event) {
  if (event.flags == 0 && event.host_flags.empty()) return {};
  std::string json;
  const auto add = [&](std::string_view code) {
    json += json.empty() ? "[" : ",";
    AppendJsonString(code, json);
  };
  for (int bit = 0; bit < kFlags; ++bit) {
    if ((event.flags >> bit & 1) != 0) add(FlagName(bit));
  }
  for (std::string_view codes = event.host_flags; !codes.empty();) {
    const size_t end = std::min(codes.find(','), codes.size());
    add(codes.substr(0, end));
    codes.remove_prefix(std::min(end + 1, codes.size()));
  }
  return json += "]";
}

namespace {

// Names of the values, in their numbers.
constexpr auto kNativeValues = std::to_array<std::string_view>(
    {"event_type, effective_at", "leg, amount_minor", "asset", "transfer_id", "counterparty_account_id",
     "reserved_transfer_id", "reverses_transfer_id", "normal_side"});
constexpr auto kEntryValues = std::to_array<std::string_view>(
    {"account_no", "dr_cr", "amount", "currency", "booking_ts", "value_date", "reversal_of", "moved_from"});
constexpr auto kAccountValues = std::to_array<std::string_view>(
    {"currency", "status", "updated_at", "balance", "before.balance", "moved_from"});
constexpr auto kDeleteValues = std::to_array<std::string_view>({"moved_to"});

// The columns of the values of an entry and of an account; behind them stand values that are no columns.
constexpr auto kEntryColumns = std::to_array(
    {LegacyColumn::kAccountNo, LegacyColumn::kDrCr, LegacyColumn::kAmount, LegacyColumn::kCurrency,
     LegacyColumn::kBookingTs, LegacyColumn::kValueDate, LegacyColumn::kReversalOf});
constexpr auto kAccountColumns = std::to_array(
    {LegacyColumn::kCurrency, LegacyColumn::kStatus, LegacyColumn::kUpdatedAt, LegacyColumn::kBalance});

std::span<const std::string_view> ValueNames(const LedgerEvent& event) {
  if (!event.change.has_value()) return kNativeValues;
  if (event.change->op == Op::kDelete) return kDeleteValues;
  if (event.change->table == LegacyTable::kEntry) return kEntryValues;
  return kAccountValues;
}

// A column of an image. That it is null is known, too, and a value like another.
template <class Field>
struct Column {
  bool known;
  const Field& field;
};
template <class Field>
Column(bool, const Field&) -> Column<Field>;

// Calls use(i, field) for each value of the row that is one field of it, use(i, first, second) for each that is two.
template <class Row, class Use>
void EachValue(Row& row, Use&& use) {
  if (!row.change.has_value()) {
    use(0, row.event_type, row.effective_at), use(1, row.leg, row.amount_minor), use(2, row.asset);
    use(3, row.transfer_id), use(4, row.counterparty_account_id), use(5, row.reserved_transfer_id);
    use(6, row.reverses_transfer_id), use(7, row.normal_side);
  } else if (row.change->op == Op::kDelete) {
    use(0, row.change->moved_to);
  } else if (row.change->table == LegacyTable::kEntry) {
    const auto column = [&](int i, auto& field) {
      use(i, Column{row.change->Knows(kEntryColumns[static_cast<size_t>(i)]), field});
    };
    column(0, row.account_id), column(1, row.leg), column(2, row.change->amount_text), column(3, row.asset);
    column(4, row.change->row_ts), column(5, row.effective_at), column(6, row.reverses_transfer_id);
    use(7, row.change->moved_from);
  } else {
    const auto column = [&](int i, auto& field) {
      use(i, Column{row.change->Knows(kAccountColumns[static_cast<size_t>(i)]), field});
    };
    column(0, row.asset), column(1, row.change->status), column(2, row.change->row_ts);
    column(3, row.change->balance);
    use(4, row.change->before_balance), use(5, row.change->moved_from);
  }
}

bool Append(EventType type, std::string& text) {
  return text += EventTypeName(type), type != EventType::kNone;
}
bool Append(Side side, std::string& text) { return text += SideName(side), side != Side::kNone; }
template <class T>
bool Append(const T& value, std::string& text) {
  return medallion::AppendCanonical(value, text);
}

template <class Field>
bool Append(const Column<Field>& column, std::string& text) {
  if (column.known && !Append(column.field, text)) text += "null";
  return column.known;
}

// Appends the fields, and says whether one of them is not null.
template <class... Fields>
bool AppendFields(std::string& text, const Fields&... fields) {
  bool first = true, any = false;
  const auto add = [&](const auto& field) {
    if (!std::exchange(first, false)) text += ", ";
    any |= Append(field, text);
  };
  (add(fields), ...);
  return any;
}

}  // namespace

Values ValuesOf(const LedgerEvent& event) {
  Values values;
  std::string text;
  EachValue(event, [&](int i, const auto&... fields) {
    text.clear();
    if (AppendFields(text, fields...)) values.Set(i, Fingerprint(text));
  });
  return values;
}

std::string_view ValueName(const LedgerEvent& event, int value) {
  return ValueNames(event)[static_cast<size_t>(value)];
}

std::string ValueText(const LedgerEvent& event, int value) {
  std::string text;
  EachValue(event, [&](int i, const auto&... fields) {
    if (i == value && !AppendFields(text, fields...)) text.clear();
  });
  return text;
}

namespace {

void FillNative(LedgerEvent& event, int value, const LedgerEvent& from) {
  switch (value) {
    case 0: event.event_type = from.event_type, event.effective_at = from.effective_at; break;
    case 1: event.leg = from.leg, event.amount_minor = from.amount_minor; break;
    case 2: event.asset = from.asset; break;
    case 3: event.transfer_id = from.transfer_id; break;
    case 4: event.counterparty_account_id = from.counterparty_account_id; break;
    case 5: event.reserved_transfer_id = from.reserved_transfer_id; break;
    case 6: event.reverses_transfer_id = from.reverses_transfer_id; break;
    default: event.normal_side = from.normal_side;
  }
}

void FillEntry(LedgerEvent& event, int value, const LedgerEvent& from) {
  switch (value) {
    case 0: event.account_id = from.account_id; break;
    case 1: event.leg = from.leg; break;
    case 2: event.change->amount_text = from.change->amount_text; break;
    case 3: event.asset = from.asset; break;
    case 4: event.change->row_ts = from.change->row_ts; break;
    case 5: event.effective_at = from.effective_at; break;
    case 6: event.reverses_transfer_id = from.reverses_transfer_id; break;
    default: event.change->moved_from = from.change->moved_from;
  }
  SetMinorUnits(event);
}

void FillAccount(LedgerEvent& event, int value, const LedgerEvent& from) {
  switch (value) {
    case 0: event.asset = from.asset; break;
    case 1: event.change->status = from.change->status; break;
    case 2: event.change->row_ts = from.change->row_ts; break;
    case 3: event.change->balance = from.change->balance; break;
    case 4: event.change->before_balance = from.change->before_balance; break;
    default: event.change->moved_from = from.change->moved_from;
  }
}

// A column that is filled is known from now on, and unknown again where what filled it is taken away.
void SetKnown(ChangeFacts& change, std::span<const LegacyColumn> columns, int value, bool known) {
  if (static_cast<size_t>(value) >= columns.size()) return;
  const uint32_t bit = 1u << static_cast<int>(columns[static_cast<size_t>(value)]);
  change.unknown = known ? change.unknown & ~bit : change.unknown | bit;
}

}  // namespace

void SetMinorUnits(LedgerEvent& event) {
  event.amount_minor.reset();
  const std::string_view amount = event.change->amount_text;
  const std::optional<int> exponent = AssetExponent(event.asset);
  if (amount.empty() || !exponent) return;
  const ScaledAmount scaled = ParseScaled(amount, *exponent);
  if (scaled.problem == ScaledAmount::Problem::kNone) event.amount_minor = scaled.units;
}

void FillValue(LedgerEvent& event, int value, const LedgerEvent* from) {
  LedgerEvent nothing;
  nothing.change.emplace();
  const LedgerEvent& source = from != nullptr ? *from : nothing;
  if (!event.change.has_value()) return FillNative(event, value, source);
  if (event.change->op == Op::kDelete) {
    event.change->moved_to = source.change->moved_to;
  } else if (event.change->table == LegacyTable::kEntry) {
    SetKnown(*event.change, kEntryColumns, value, from != nullptr);
    FillEntry(event, value, source);
  } else {
    SetKnown(*event.change, kAccountColumns, value, from != nullptr);
    FillAccount(event, value, source);
  }
}

}  // namespace medallion::ledger
