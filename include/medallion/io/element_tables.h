// The tables that every pack shares, as views of elements. Pure.
#pragma once

#include <string>
#include <string_view>

#include "medallion/bronze/record.h"
#include "medallion/silver/element.h"
#include "medallion/silver/tables.h"

namespace medallion {

inline constexpr std::string_view kQuarantineTable = "silver_quarantine_events";
inline constexpr std::string_view kAuditTable = "silver_duplicate_events_audit";
inline constexpr std::string_view kIgnoredTable = "silver_ignored";
inline constexpr std::string_view kReviewsTable = "ops_reviews";
inline constexpr std::string_view kMetricsTable = "ops_dq_metrics";
inline constexpr std::string_view kRunLogTable = "ops_run_log";
inline constexpr std::string_view kReconciliationTable = "ops_reconciliation_log";  // see io/gold_keeper.h

// These tell of runs; all other tables are functions of the records and reviews.
inline bool TellsOfRuns(std::string_view table) { return table == kMetricsTable || table == kRunLogTable; }

// The table that shows the element. `silver` is the pack's name for its Silver table.
inline std::string_view TableOf(Fate fate, std::string_view silver) {
  switch (fate) {
    case Fate::kSilver: return silver;
    case Fate::kTechnicalDuplicate:
    case Fate::kBusinessDuplicate: return kAuditTable;
    case Fate::kQuarantined: return kQuarantineTable;
    case Fate::kIgnored: return kIgnoredTable;
  }
  return silver;
}

// Whether the table shows the element. One that was reviewed is in quarantine, too, whatever its fate.
template <class Row>
bool IsShown(const Element<Row>& element, std::string_view table, std::string_view silver) {
  return TableOf(element.standing.fate, silver) == table ||
         (element.review != nullptr && table == kQuarantineTable);
}

// Of an element that is a duplicate.
template <class Pack>
AuditRow AuditOf(const Element<typename Pack::Event>& element) {
  const bool rejected = element.standing.differs != 0;
  const Order& order = element.identity.order;
  const Order& winner = element.standing.winner();
  return {.charge_point_id = Pack::Subject(element.row),
          .event_id = order.event_id,
          .business_key = element.identity.business_key,
          .duplicate_type = rejected                                             ? "REJECTED"
                            : element.standing.fate == Fate::kTechnicalDuplicate ? "TECHNICAL"
                                                                                 : "BUSINESS",
          .winner_event_id = winner.event_id,
          .winner = winner.at,
          .at = order.at,
          .ordinal = order.ordinal,
          .ingest_ts = order.ingest_ts};
}

// Of an element that is quarantined, or was until it was repaired; `record` is the one it came from, whose payload is only
// needed where the element is no conflict. `scratch` keeps a conflict's row as JSON.
template <class Pack>
QuarantineRow QuarantineOf(const Element<typename Pack::Event>& element, const BronzeRecord& record,
                           std::string& scratch) {
  const Order& order = element.identity.order;
  const Reviewed* const review = element.review;
  const bool conflict = element.standing.conflict;
  const bool stands = element.standing.fate == Fate::kQuarantined;
  scratch.clear();
  if (conflict) AppendJson(element.row, scratch);
  QuarantineRow row{.quarantine_id = QuarantineId(IdOf(order)),
                    .raw_payload = conflict ? std::string_view(scratch) : record.payload,
                    .at = order.at,
                    .ordinal = order.ordinal,
                    .key = record.key,
                    .broker_ts = record.broker_ts,
                    .ingest_ts = order.ingest_ts,
                    .direction = record.direction,
                    .ocpp_version = record.version,
                    .connection_id = record.connection_id,
                    .charge_point_id = Pack::Subject(element.row),
                    .violations = conflict ? R"(["CONFLICT"])" : element.violations,
                    .detail = element.detail,
                    .quarantined_at = conflict ? element.standing.since : order.ingest_ts};
  if (review == nullptr) return row;
  if (!stands || review->discarded) row.violations = review->violations, row.detail = review->detail;
  row.status = review->discarded ? "DISCARDED" : stands ? "REPAIRED" : "REPLAYED";
  row.repaired_payload = review->payload;
  row.reviewed_by = review->reviewed_by;
  return row;
}

// Of an element that is ignored.
template <class Pack>
IgnoredRow IgnoredOf(const Element<typename Pack::Event>& element, const BronzeRecord& record) {
  const Order& order = element.identity.order;
  return {.at = order.at,
          .ordinal = order.ordinal,
          .reason = element.reason,
          .ingest_ts = order.ingest_ts,
          .charge_point_id = Pack::Subject(element.row),
          .direction = record.direction,
          .action = Pack::Action(element.row),
          .message_id = order.event_id,
          .detail = element.detail};
}

// The row that `table` shows of the element, as JSON; see IsShown.
template <class Pack>
void AppendRow(const Element<typename Pack::Event>& element, const BronzeRecord& record,
               std::string_view table, std::string& out) {
  std::string scratch;
  if (table == kQuarantineTable) {
    AppendJson(QuarantineOf<Pack>(element, record, scratch), out);
  } else if (table == kAuditTable) {
    AppendJson(AuditOf<Pack>(element), out);
  } else if (table == kIgnoredTable) {
    AppendJson(IgnoredOf<Pack>(element, record), out);
  } else {
    AppendJson(element.row, out);
  }
}

}  // namespace medallion
