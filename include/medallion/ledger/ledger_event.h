// silver_ledger_events: one ledger event, or one version of a row of the legacy database, a row.
// Source: the ledger domain, sections 1, 2 and 5.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "medallion/base/columns.h"
#include "medallion/base/digest.h"
#include "medallion/base/pack.h"
#include "medallion/base/time.h"
#include "medallion/bronze/record.h"
#include "medallion/ledger/minor_units.h"
#include "medallion/silver/element.h"

namespace medallion::ledger {

enum class EventType : uint8_t {
  kNone,  // of a legacy account's row, and of a row's end
  kAccountOpened,
  kTransferPosted,
  kTransferReserved,
  kTransferCaptured,
  kTransferReleased,
  kTransferReversed,
  kAccountFrozen,
  kAccountUnfrozen,
  kAccountClosed,
};
std::string_view EventTypeName(EventType type);  // "AccountOpened"; empty for kNone
EventType EventTypeOf(std::string_view name);    // kNone for any other text
bool IsTransfer(EventType type);                 // has legs
bool IsPosting(EventType type);                  // moves money: posted, captured, reversed

// A side of the books, seen from the account.
enum class Side : uint8_t { kNone, kDebit, kCredit };
std::string_view SideName(Side side);  // "D", "C"; empty for kNone
inline Side OppositeOf(Side side) {
  return side == Side::kDebit ? Side::kCredit : side == Side::kCredit ? Side::kDebit : Side::kNone;
}

// What was noticed and kept; bits of LedgerEvent::flags.
enum Flag : uint32_t {
  kEffectiveInFuture = 1u << 0,
  kRecordedBeforeEffectiveLimit = 1u << 1,
};
inline constexpr int kFlags = 2;
std::string_view FlagName(int bit);  // "EFFECTIVE_IN_FUTURE"

enum class LegacyTable : uint8_t { kNone, kAccount, kEntry };
std::string_view LegacyTableName(LegacyTable table);  // "legacy_account"

// The columns of the legacy tables beside their key and version.
enum class LegacyColumn : uint8_t {
  kAccountNo,
  kDrCr,
  kAmount,
  kCurrency,
  kBookingTs,
  kValueDate,
  kReversalOf,
  kStatus,
  kUpdatedAt,
  kBalance,
};

enum class Op : uint8_t { kRead, kCreate, kUpdate, kDelete };  // in the order of the facts of one version
std::string_view OpName(Op op);                                // "r"

// Where a change stands in the log of its database: PostgreSQL's lsn, else MySQL's file, pos and row. A position that
// nobody gave comes before all.
struct SourcePosition {
  std::optional<int64_t> lsn;
  std::string_view file;  // "mysql-bin.000003": of two files the one with the larger number comes later
  std::optional<int64_t> pos;
  std::optional<int64_t> row;
  bool operator==(const SourcePosition&) const = default;
};
std::strong_ordering Compare(const SourcePosition& a, const SourcePosition& b);

// Of a change record: the row of the legacy table as far as this image knows it, and where it comes from. A column is
// empty where it is null or the image does not know it; which of the two, `unknown` says.
struct ChangeFacts {
  LegacyTable table = LegacyTable::kNone;
  Op op = Op::kRead;
  std::string_view pk;
  std::optional<int64_t> row_version;        // empty: a delete that does not know it
  std::string_view moved_from;               // the primary key that the row had before
  std::string_view moved_to;                 // of a delete: the primary key that the row has now
  std::string_view amount_text;              // the amount as a plain decimal, in major units
  std::string_view status;                   // of an account
  UtcTime row_ts = kNoTime;                  // of an account updated_at, of an entry booking_ts
  std::optional<MinorUnits> balance;         // of an account, where it has one
  std::optional<MinorUnits> before_balance;  // before the change
  std::string_view connector, source_name, snapshot, tx_id;
  std::optional<int64_t> total_order;
  std::optional<int64_t> event_count;  // of a transaction's end, which is no row: as announced
  SourcePosition position;
  uint32_t unknown = 0;  // bit i: the image does not know LegacyColumn i
  bool Knows(LegacyColumn column) const { return (unknown >> static_cast<int>(column) & 1) == 0; }
  bool operator==(const ChangeFacts&) const = default;
};

// A row. Texts refer to whoever gave the row out; an absent text is empty, an absent time kNoTime.
struct LedgerEvent {
  std::string_view event_id;
  Digest business_key;
  EventType event_type = EventType::kNone;
  int32_t schema_version = 1;
  std::string_view ledger;
  std::string_view account_id;
  std::optional<int64_t> account_version;
  std::string_view transfer_id;
  Side leg = Side::kNone;
  std::string_view counterparty_account_id;
  std::optional<MinorUnits> amount_minor;
  std::string_view asset;
  std::string_view reserved_transfer_id;
  std::string_view reverses_transfer_id;
  Side normal_side = Side::kNone;
  UtcTime effective_at = kNoTime;
  UtcTime recorded_at = kNoTime;
  std::string_view correlation_id;
  std::string_view causation_id;
  std::optional<ChangeFacts> change;  // of a native event there is none
  UtcTime ingest_ts = kNoTime;
  uint32_t flags = 0;           // Flag
  std::string_view host_flags;  // codes of the host's flagging rules, separated by commas
  std::string_view detail;      // JSON object with the particulars of a flag, or empty
  Coordinate at;
  uint32_t ordinal = 0;
  bool operator==(const LedgerEvent&) const = default;
};

// An event with its identity and its standing.
using LedgerElement = Element<LedgerEvent>;

// ["EFFECTIVE_IN_FUTURE"], the host's codes last; empty where there are none.
std::string FlagsJson(const LedgerEvent& event);

template <class Visitor>
void VisitColumns(const LedgerEvent& row, Visitor&& visit) {
  const ChangeFacts none;
  const ChangeFacts& change = row.change.has_value() ? *row.change : none;
  const std::string flags = FlagsJson(row);
  visit("event_id", row.event_id);
  visit("business_key", row.business_key);
  visit("event_type", EventTypeName(row.event_type));
  visit("schema_version", row.schema_version);
  visit("ledger", row.ledger);
  visit("account_id", row.account_id);
  visit("account_version", row.account_version);
  visit("transfer_id", row.transfer_id);
  visit("leg", SideName(row.leg));
  visit("counterparty_account_id", row.counterparty_account_id);
  visit("amount_minor", row.amount_minor);
  visit("asset", row.asset);
  visit("reserved_transfer_id", row.reserved_transfer_id);
  visit("reverses_transfer_id", row.reverses_transfer_id);
  visit("normal_side", SideName(row.normal_side));
  visit("effective_at", row.effective_at);
  visit("recorded_at", row.recorded_at);
  visit("correlation_id", row.correlation_id);
  visit("causation_id", row.causation_id);
  visit("cdc_table", LegacyTableName(change.table));
  visit("cdc_op", row.change.has_value() ? OpName(change.op) : std::string_view());
  visit("cdc_pk", change.pk);
  visit("cdc_row_version", change.row_version);
  visit("cdc_moved_from", change.moved_from);
  visit("cdc_moved_to", change.moved_to);
  visit("cdc_status", change.status);
  visit("cdc_row_ts", change.row_ts);
  visit("cdc_balance", change.balance);
  visit("cdc_before_balance", change.before_balance);
  visit("cdc_connector", change.connector);
  visit("cdc_source_name", change.source_name);
  visit("cdc_snapshot", change.snapshot);
  visit("cdc_tx_id", change.tx_id);
  visit("cdc_total_order", change.total_order);
  visit("cdc_lsn", change.position.lsn);
  visit("cdc_file", change.position.file);
  visit("cdc_pos", change.position.pos);
  visit("cdc_row", change.position.row);
  visit("ingest_ts", row.ingest_ts);
  visit("flags", JsonText{flags});
  visit("detail", JsonText{row.detail});
  visit("bronze_topic", row.at.topic);
  visit("bronze_partition", row.at.partition);
  visit("bronze_offset", row.at.offset);
  visit("bronze_ordinal", row.ordinal);
}

// The fields that a store must keep to give the row back, in a fixed order (see base/pack.h). Row may be const.
// ingest_ts, recorded_at, business_key, coordinate and ordinal are kept with the identity.
template <class Row, class Visitor>
  requires std::same_as<std::remove_const_t<Row>, SourcePosition>
void VisitFields(Row& row, Visitor&& visit) {
  visit(row.lsn), visit(row.file), visit(row.pos), visit(row.row);
}
template <class Row, class Visitor>
  requires std::same_as<std::remove_const_t<Row>, ChangeFacts>
void VisitFields(Row& row, Visitor&& visit) {
  visit(row.table), visit(row.op), visit(row.pk), visit(row.row_version), visit(row.moved_from);
  visit(row.moved_to), visit(row.amount_text), visit(row.status), visit(row.row_ts), visit(row.balance);
  visit(row.before_balance), visit(row.connector), visit(row.source_name), visit(row.snapshot);
  visit(row.tx_id), visit(row.total_order), visit(row.event_count), visit(row.position), visit(row.unknown);
}
template <class Row, class Visitor>
  requires std::same_as<std::remove_const_t<Row>, LedgerEvent>
void VisitFields(Row& row, Visitor&& visit) {
  visit(row.event_id), visit(row.event_type), visit(row.schema_version), visit(row.ledger);
  visit(row.account_id), visit(row.account_version), visit(row.transfer_id), visit(row.leg);
  visit(row.counterparty_account_id), visit(row.amount_minor), visit(row.asset);
  visit(row.reserved_transfer_id), visit(row.reverses_transfer_id), visit(row.normal_side);
  visit(row.effective_at), visit(row.correlation_id), visit(row.causation_id), visit(row.change);
  visit(row.flags), visit(row.host_flags), visit(row.detail);
}

// The values that copies of one fact must agree in: number, name and text of each. Of a native event every field but its
// ids, schema_version and recorded_at; of a change the columns of its images, as far as it knows them (a null is known,
// too), and the key that the row moved from or to. A value of a native event is numbered so that a null differs from nothing:
//
//   native          event_type with effective_at, leg with amount_minor, asset, transfer_id, counterparty_account_id,
//                   reserved_transfer_id, reverses_transfer_id, normal_side
//   legacy_entry    account_no, dr_cr, amount, currency, booking_ts, value_date, reversal_of, moved_from
//   legacy_account  currency, status, updated_at, balance, before.balance, moved_from
//   a row's end     moved_to
Values ValuesOf(const LedgerEvent& event);
std::string_view ValueName(const LedgerEvent& event, int value);
std::string ValueText(const LedgerEvent& event, int value);  // empty where the row has none
// Sets value `i` to that of `from`; null where `from` is null.
void FillValue(LedgerEvent& event, int value, const LedgerEvent* from);

// Of an entry of the legacy table: amount_minor from its amount in major units and its asset; none where one is not known.
void SetMinorUnits(LedgerEvent& event);

// Sets what the row and its identity share, after a codec has read the fields of both.
inline void AttachIdentity(LedgerEvent& row, Identity& identity) {
  row.business_key = identity.business_key;
  row.at = identity.order.at;
  row.ordinal = identity.order.ordinal;
  row.recorded_at = identity.order.event_ts;
  row.ingest_ts = identity.order.ingest_ts;
  identity.order.event_id = row.event_id;
}

}  // namespace medallion::ledger
