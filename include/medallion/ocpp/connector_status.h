// gold_connector_status_history: each state that a connector was in, a row a period; and gold_connector_current_status:
// the state it is in.
// Pure: a function of the set of elements; neither arrival nor order of the span plays a part. Safe from any thread.
// Source: the charging domain, section 4.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "medallion/base/columns.h"
#include "medallion/base/digest.h"
#include "medallion/base/pack.h"
#include "medallion/base/time.h"
#include "medallion/ocpp/charging_event.h"
#include "medallion/ocpp/options.h"
#include "medallion/silver/element.h"

namespace medallion::ocpp {

// A row of the history. Owns its texts; an absent text is empty, an absent time kNoTime.
struct ConnectorStatusPeriod {
  std::string charge_point_id = {};  // the spelling that sorts first by bytes among the period's rows
  std::optional<int32_t> evse_id = {};
  std::optional<int32_t> connector_id = {};  // 0: the whole station
  std::string connector_status = {};
  std::string error_code = {};
  UtcTime valid_from = kNoTime;
  UtcTime valid_to = kNoTime;  // when the next period begins; null for the last
  Digest model_version = {};
  Digest row_hash = {};
  UtcTime updated_at = kNoTime;
  bool operator==(const ConnectorStatusPeriod&) const = default;
};

// The row of the current state: that of the last period.
struct ConnectorStatus {
  std::string charge_point_id = {};
  std::optional<int32_t> evse_id = {};
  std::optional<int32_t> connector_id = {};
  std::string connector_status = {};
  std::string error_code = {};
  UtcTime since_ts = kNoTime;
  UtcTime last_confirmed_ts = kNoTime;  // the latest receipt of anything that says this state
  Digest model_version = {};
  Digest row_hash = {};
  UtcTime updated_at = kNoTime;
  bool operator==(const ConnectorStatus&) const = default;
};

struct ConnectorStates {
  std::vector<ConnectorStatusPeriod> periods = {};  // by valid_from
  std::optional<ConnectorStatus> current = {};      // nothing where there is no period
  bool operator==(const ConnectorStates&) const = default;
};

// The states of one connector. `history` holds the StatusNotification elements of one (charge point, EVSE, connector), in
// any order; other elements are passed over. Rows are complete: row_hash, model_version and updated_at included.
//
// - Silver rows make the periods, in the order (event_ts, ingest_ts, coordinate). Of several at one instant the last
//   counts; neighbours equal in status and error code are one period. No error code is another one than "NoError". A row
//   without a status or a time, which only a host's own severities let through, tells no state.
// - Duplicates only confirm the row that they are copies of, and so the state, if it is the current one: what says that
//   the connector was in the same state before it was in another says nothing of now.
// - Conflicts do nothing.
//
// A period is derived from its own rows and from those beside it, without which it would begin or end elsewhere.
ConnectorStates DeriveConnectorStatus(std::span<const ChargingElement> history, const SessionRules& rules);

// The key of what is derived from a connector's notifications; a null is an empty field, and the charge point in ASCII
// upper case:
//
//   connector   sha256("connector"|charge_point|evse|connector)
//   a period    sha256("status"|charge_point|evse|connector|valid_from)   valid_from as in tables
//   current     sha256("current"|charge_point|evse|connector)
EntityKey ConnectorKey(std::string_view charge_point_id, std::optional<int32_t> evse_id,
                       std::optional<int32_t> connector_id);
Digest RowKey(const ConnectorStatusPeriod& row);
Digest RowKey(const ConnectorStatus& row);

template <class Visitor>
void VisitColumns(const ConnectorStatusPeriod& row, Visitor&& visit) {
  visit("charge_point_id", row.charge_point_id);
  visit("evse_id", row.evse_id);
  visit("connector_id", row.connector_id);
  visit("connector_status", row.connector_status);
  visit("error_code", row.error_code);
  visit("valid_from", row.valid_from);
  visit("valid_to", row.valid_to);
  visit("model_version", row.model_version);
  visit("row_hash", row.row_hash);
  visit("updated_at", row.updated_at);
}
template <class Visitor>
void VisitColumns(const ConnectorStatus& row, Visitor&& visit) {
  visit("charge_point_id", row.charge_point_id);
  visit("evse_id", row.evse_id);
  visit("connector_id", row.connector_id);
  visit("connector_status", row.connector_status);
  visit("error_code", row.error_code);
  visit("since_ts", row.since_ts);
  visit("last_confirmed_ts", row.last_confirmed_ts);
  visit("model_version", row.model_version);
  visit("row_hash", row.row_hash);
  visit("updated_at", row.updated_at);
}

// The fields that a store must keep to give the row back, in a fixed order (see base/pack.h). Row may be const.
template <class Row, class Visitor>
  requires std::same_as<std::remove_const_t<Row>, ConnectorStatusPeriod>
void VisitFields(Row& row, Visitor&& visit) {
  const Vocabulary& words = StoredWords();
  const auto word = [&](auto& text) { return Word<std::remove_reference_t<decltype(text)>>{text, words}; };
  visit(row.charge_point_id), visit(row.evse_id), visit(row.connector_id);
  visit(word(row.connector_status)), visit(word(row.error_code)), visit(row.valid_from), visit(row.valid_to);
}
template <class Row, class Visitor>
  requires std::same_as<std::remove_const_t<Row>, ConnectorStatus>
void VisitFields(Row& row, Visitor&& visit) {
  const Vocabulary& words = StoredWords();
  const auto word = [&](auto& text) { return Word<std::remove_reference_t<decltype(text)>>{text, words}; };
  visit(row.charge_point_id), visit(row.evse_id), visit(row.connector_id);
  visit(word(row.connector_status)), visit(word(row.error_code)), visit(row.since_ts),
      visit(row.last_confirmed_ts);
}

}  // namespace medallion::ocpp
