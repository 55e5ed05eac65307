#include "medallion/ocpp/connector_status.h"

#include <algorithm>
#include <cstddef>
#include <tuple>

#include "medallion/gold/row_hash.h"

namespace medallion::ocpp {
namespace {

using Notifications = std::vector<const ChargingElement*>;
using Period = std::span<const ChargingElement* const>;  // its rows, in order; never empty

bool TellsState(const ChargingElement& element) {
  const ChargingEvent& row = element.row;
  return element.standing.fate == Fate::kSilver && row.event_type == EventType::kStatusNotification &&
         row.event_ts != kNoTime && !row.connector_status.empty();
}

// Two records at one coordinate are told apart by their payload.
auto PlaceOf(const ChargingElement& element) {
  const ChargingEvent& row = element.row;
  return std::tie(row.event_ts, row.ingest_ts, row.at, row.ordinal, element.identity.order.payload);
}

bool Before(const ChargingElement* a, const ChargingElement* b) { return PlaceOf(*a) < PlaceOf(*b); }

bool SameState(const ChargingElement& a, const ChargingElement& b) {
  return a.row.connector_status == b.row.connector_status && a.row.error_code == b.row.error_code;
}

// What tells a state, in order, one row an instant.
Notifications InOrder(std::span<const ChargingElement> history) {
  Notifications all, last;
  for (const ChargingElement& element : history) {
    if (TellsState(element)) all.push_back(&element);
  }
  std::sort(all.begin(), all.end(), Before);
  for (const ChargingElement* element : all) {
    if (!last.empty() && last.back()->row.event_ts == element->row.event_ts) last.pop_back();
    last.push_back(element);
  }
  return last;
}

std::vector<Period> Periods(const Notifications& in_order) {
  std::vector<Period> periods;
  for (size_t begin = 0, end = 0; begin < in_order.size(); begin = end) {
    while (end < in_order.size() && SameState(*in_order[begin], *in_order[end])) ++end;
    periods.push_back(Period(in_order).subspan(begin, end - begin));
  }
  return periods;
}

// `before` and `after` are the rows beside the period, null where there is none.
ConnectorStatusPeriod RowOf(Period period, const ChargingElement* before, const ChargingElement* after,
                            const SessionRules& rules) {
  const ChargingEvent& first = period.front()->row;
  std::string_view spelling = first.charge_point_id;
  UtcTime received = std::max(before == nullptr ? kNoTime : before->row.ingest_ts,
                              after == nullptr ? kNoTime : after->row.ingest_ts);
  for (const ChargingElement* element : period) {
    spelling = std::min(spelling, element->row.charge_point_id);
    received = std::max(received, element->row.ingest_ts);
  }
  ConnectorStatusPeriod row = {.charge_point_id = std::string(spelling),
                               .evse_id = first.evse_id,
                               .connector_id = first.connector_id,
                               .connector_status = std::string(first.connector_status),
                               .error_code = std::string(first.error_code),
                               .valid_from = first.event_ts,
                               .valid_to = after == nullptr ? kNoTime : after->row.event_ts,
                               .model_version = rules.model_version,
                               .updated_at = received};
  row.row_hash = RowHash(row);
  return row;
}

// The latest receipt of the period's rows and of their duplicates.
UtcTime LastConfirmed(Period period, std::span<const ChargingElement> history) {
  std::vector<Digest> facts;
  facts.reserve(period.size());
  for (const ChargingElement* element : period) facts.push_back(element->identity.business_key);
  std::sort(facts.begin(), facts.end());
  UtcTime confirmed = kNoTime;
  for (const ChargingElement& element : history) {
    const Fate fate = element.standing.fate;
    if (fate == Fate::kQuarantined || fate == Fate::kIgnored) continue;
    if (!std::binary_search(facts.begin(), facts.end(), element.identity.business_key)) continue;
    confirmed = std::max(confirmed, element.row.ingest_ts);
  }
  return confirmed;
}

ConnectorStatus CurrentOf(const ConnectorStatusPeriod& last, UtcTime confirmed) {
  ConnectorStatus row = {.charge_point_id = last.charge_point_id,
                         .evse_id = last.evse_id,
                         .connector_id = last.connector_id,
                         .connector_status = last.connector_status,
                         .error_code = last.error_code,
                         .since_ts = last.valid_from,
                         .last_confirmed_ts = confirmed,
                         .model_version = last.model_version,
                         .updated_at = std::max(last.updated_at, confirmed)};
  row.row_hash = RowHash(row);
  return row;
}

void AddNumber(std::optional<int32_t> number, JoinedFields& fields) {
  if (number.has_value()) {
    fields.Add(int64_t{*number});
  } else {
    fields.AddNull();
  }
}

JoinedFields Joined(std::string_view kind, std::string_view charge_point_id, std::optional<int32_t> evse_id,
                    std::optional<int32_t> connector_id) {
  JoinedFields fields;
  fields.Add(kind).AddUpper(charge_point_id);
  AddNumber(evse_id, fields);
  AddNumber(connector_id, fields);
  return fields;
}

}  // namespace

ConnectorStates DeriveConnectorStatus(std::span<const ChargingElement> history, const SessionRules& rules) {
  const Notifications in_order = InOrder(history);
  const std::vector<Period> periods = Periods(in_order);
  ConnectorStates states;
  if (periods.empty()) return states;
  for (size_t i = 0; i < periods.size(); ++i) {
    const ChargingElement* const before = i == 0 ? nullptr : periods[i - 1].back();
    const ChargingElement* const after = i + 1 == periods.size() ? nullptr : periods[i + 1].front();
    states.periods.push_back(RowOf(periods[i], before, after, rules));
  }
  states.current = CurrentOf(states.periods.back(), LastConfirmed(periods.back(), history));
  return states;
}

EntityKey ConnectorKey(std::string_view charge_point_id, std::optional<int32_t> evse_id,
                       std::optional<int32_t> connector_id) {
  return Joined("connector", charge_point_id, evse_id, connector_id).Sha256();
}

Digest RowKey(const ConnectorStatusPeriod& row) {
  JoinedFields fields = Joined("status", row.charge_point_id, row.evse_id, row.connector_id);
  return fields.AddPlain(FormatTime(row.valid_from)).Sha256();
}

Digest RowKey(const ConnectorStatus& row) {
  return Joined("current", row.charge_point_id, row.evse_id, row.connector_id).Sha256();
}

}  // namespace medallion::ocpp
