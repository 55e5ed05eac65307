// The tables that every pack shares: quarantine, audit of duplicates, ignored. One struct a table, columns in order.
// Source: the design, section 4; the charging domain, section 4.
#pragma once

#include <string>
#include <string_view>

#include "medallion/base/columns.h"
#include "medallion/bronze/record.h"
#include "medallion/silver/identity.h"

namespace medallion {

inline constexpr std::string_view kPipelineVersion = "0.1.0";

// silver_quarantine_events.
struct QuarantineRow {
  Digest quarantine_id;
  std::string_view raw_payload;  // as received; of a conflict its typed row as JSON
  Coordinate at;
  uint32_t ordinal = 0;
  std::string_view key;
  UtcTime broker_ts = kNoTime;
  UtcTime ingest_ts = kNoTime;
  Direction direction = Direction::kIn;
  std::string_view ocpp_version;
  std::string_view connection_id;
  std::string_view charge_point_id;
  std::string_view violations;  // JSON array of codes, in the order of the rules
  std::string_view detail;      // JSON object
  std::string_view pipeline_version = kPipelineVersion;
  UtcTime quarantined_at = kNoTime;
  // NEW; REPAIRED, but it stands in quarantine still; REPLAYED: repaired, and out of it; DISCARDED.
  std::string_view status = "NEW";
  std::string_view repaired_payload = {};
  std::string_view reviewed_by = {};
};

template <class Visitor>
void VisitColumns(const QuarantineRow& row, Visitor&& visit) {
  visit("quarantine_id", row.quarantine_id);
  visit("raw_payload", row.raw_payload);
  visit("topic", row.at.topic);
  visit("partition", row.at.partition);
  visit("offset", row.at.offset);
  visit("ordinal", row.ordinal);
  visit("key", row.key);
  visit("broker_ts", row.broker_ts);
  visit("ingest_ts", row.ingest_ts);
  visit("direction", std::string_view(row.direction == Direction::kIn ? "in" : "out"));
  visit("ocpp_version", row.ocpp_version);
  visit("connection_id", row.connection_id);
  visit("charge_point_id", row.charge_point_id);
  visit("violations", JsonText{row.violations});
  visit("detail", JsonText{row.detail});
  visit("pipeline_version", row.pipeline_version);
  visit("quarantined_at", row.quarantined_at);
  visit("status", row.status);
  visit("repaired_payload", row.repaired_payload);
  visit("reviewed_by", row.reviewed_by);
}

// sha256(topic|partition|offset|ordinal|payload digest): the same element has the same id in every run.
Digest QuarantineId(const ElementId& id);

// silver_duplicate_events_audit.
struct AuditRow {
  std::string_view charge_point_id;
  std::string_view event_id;
  Digest business_key;
  std::string_view duplicate_type;  // TECHNICAL, BUSINESS; REJECTED: of what an answer rejected
  std::string_view winner_event_id;
  Coordinate winner;
  Coordinate at;
  uint32_t ordinal = 0;
  UtcTime ingest_ts = kNoTime;
};

template <class Visitor>
void VisitColumns(const AuditRow& row, Visitor&& visit) {
  visit("charge_point_id", row.charge_point_id);
  visit("event_id", row.event_id);
  visit("business_key", row.business_key);
  visit("duplicate_type", row.duplicate_type);
  visit("winner_event_id", row.winner_event_id);
  visit("winner_topic", row.winner.topic);
  visit("winner_partition", row.winner.partition);
  visit("winner_offset", row.winner.offset);
  visit("topic", row.at.topic);
  visit("partition", row.at.partition);
  visit("offset", row.at.offset);
  visit("ordinal", row.ordinal);
  visit("ingest_ts", row.ingest_ts);
}

// silver_ignored.
struct IgnoredRow {
  Coordinate at;
  uint32_t ordinal = 0;
  std::string_view reason;
  UtcTime ingest_ts = kNoTime;
  std::string_view charge_point_id;
  Direction direction = Direction::kIn;
  std::string_view action;
  std::string_view message_id;
  std::string_view detail;  // JSON object: what later steps need of it
};

template <class Visitor>
void VisitColumns(const IgnoredRow& row, Visitor&& visit) {
  visit("topic", row.at.topic);
  visit("partition", row.at.partition);
  visit("offset", row.at.offset);
  visit("ordinal", row.ordinal);
  visit("reason", row.reason);
  visit("ingest_ts", row.ingest_ts);
  visit("charge_point_id", row.charge_point_id);
  visit("direction", std::string_view(row.direction == Direction::kIn ? "in" : "out"));
  visit("action", row.action);
  visit("message_id", row.message_id);
  visit("detail", JsonText{row.detail});
}

}  // namespace medallion
