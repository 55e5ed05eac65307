// The tables that every pack shares, as views of elements. Pure.
#pragma once

#include <array>
#include <cstddef>
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

// Whether a pack tells Silver rows of several kinds apart, each in a table of its own: see kSilverTables in io/run.h.
template <class Pack>
concept HasSilverTables = requires(const typename Pack::Event& row) {
  Pack::SilverTableOf(row);
};

// The names of a pack's Silver tables.
template <class Pack>
constexpr auto SilverTables() {
  if constexpr (HasSilverTables<Pack>) {
    return Pack::kSilverTables;
  } else {
    return std::array<std::string_view, 1>{Pack::kSilverTable};
  }
}

// The number of the Silver table that shows the row.
template <class Pack>
size_t SilverTableOf(const typename Pack::Event& row) {
  if constexpr (HasSilverTables<Pack>) {
    return Pack::SilverTableOf(row);
  } else {
    static_cast<void>(row);
    return 0;
  }
}

// An empty row of this Silver table, for its columns.
template <class Pack>
typename Pack::Event SilverSample(size_t table) {
  if constexpr (HasSilverTables<Pack>) {
    return Pack::SilverSample(table);
  } else {
    static_cast<void>(table);
    return {};
  }
}

// Of a quarantined element its part of the payload, where the pack keeps one: a record may hold many.
template <class Pack>
std::string_view PayloadPart(const typename Pack::Event& row) {
  if constexpr (requires { Pack::PayloadPart(row); }) {
    return Pack::PayloadPart(row);
  } else {
    static_cast<void>(row);
    return {};
  }
}

// The table that shows the element.
template <class Pack>
std::string_view TableOf(const Element<typename Pack::Event>& element) {
  switch (element.standing.fate) {
    case Fate::kSilver: break;
    case Fate::kTechnicalDuplicate:
    case Fate::kBusinessDuplicate: return kAuditTable;
    case Fate::kQuarantined: return kQuarantineTable;
    case Fate::kIgnored: return kIgnoredTable;
  }
  return SilverTables<Pack>()[SilverTableOf<Pack>(element.row)];
}

// Whether the table shows the element. One that was reviewed is in quarantine, too, whatever its fate.
template <class Pack>
bool IsShown(const Element<typename Pack::Event>& element, std::string_view table) {
  return TableOf<Pack>(element) == table || (element.review != nullptr && table == kQuarantineTable);
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
  // A repaired row knows the repaired payload only.
  const std::string_view part = review == nullptr ? PayloadPart<Pack>(element.row) : std::string_view();
  const bool stands = element.standing.fate == Fate::kQuarantined;
  scratch.clear();
  if (conflict) AppendJson(element.row, scratch);
  QuarantineRow row{.quarantine_id = QuarantineId(IdOf(order)),
                    .raw_payload = conflict       ? std::string_view(scratch)
                                   : part.empty() ? record.payload
                                                  : part,
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
