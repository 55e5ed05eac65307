// What a charge point said, from a script of event_builder.h, through settling, resolving and deriving. Unlike there a
// fact has no transaction id unless tx= gives one, and the message ids are "m0", "m1"… by offset.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "event_builder.h"
#include "medallion/ocpp/charging.h"
#include "medallion/ocpp/derive_sessions.h"
#include "medallion/ocpp/identify.h"
#include "medallion/ocpp/resolve_transactions.h"
#include "medallion/silver/settle_elements.h"

namespace medallion::ocpp::testing {

inline void SetIdentity(const Options& options, ChargingElement& element) {
  ChargingEvent& row = element.row;
  const Digest payload = element.identity.order.payload;
  const bool ignored = element.standing.fate == Fate::kIgnored;
  if (row.event_id.empty()) row.event_id = "";
  element.identity = Identify(row, payload, options);
  row.business_key = element.identity.business_key;
  element.entity = ignored ? EntityKey{} : EntityOf(row, element.identity, options);
  if (ignored) element.identity.unit = {};
  const bool reading = row.event_type == EventType::kMeterValues;
  const bool has_id = HasTransactionId(row, options);
  if (reading && !has_id && row.connector_id.value_or(1) != 0 && element.entity == EntityKey{}) {
    JoinedFields fields;
    fields.Add(row.charge_point_id).Add(row.connector_id.value_or(-1)).Add(row.event_ts.us);
    element.entity = fields.Sha256();
  }
  const bool end = row.ocpp_version.starts_with("2.") && row.context.starts_with("Transaction.");
  element.milestone = reading && has_id && !end ? Milestone::kDetail : Milestone::kMilestone;
}

inline void SettleAll(const Options& options, History& history) {
  const std::span<ChargingElement> all = history.elements;
  const Unsettled left = SettleAtAGlance<ChargingEvent>(all, {}, history.texts);
  std::vector<ChargingElement> known;
  SettleWhole<Charging>(all, left.arrived, known, options, {}, history.texts);
}

// The settled facts of a script.
inline History Said(std::string_view script, const Options& options = {}) {
  History history;
  for (const std::string_view line : Split(history.texts.Copy(script), " | ")) {
    const auto offset = static_cast<int64_t>(history.elements.size());
    ChargingElement element = FactOf(line, offset, history.texts, "");
    if (element.row.event_id.empty()) element.row.event_id = history.texts.Copy("m" + std::to_string(offset));
    SetIdentity(options, element);
    history.elements.push_back(element);
  }
  SettleAll(options, history);
  return history;
}

inline std::vector<Link> LinksOf(const History& history, const Options& options = {}) {
  constexpr TimeSpan kAll{{0}, {int64_t{1} << 60}}, kSeen{{-(int64_t{1} << 61)}, {int64_t{1} << 61}};
  const Resolution answer = ResolveTransactions(
      {.touched = kAll, .seen = kSeen, .details = true, .elements = history.elements}, options);
  assert(answer.settled);
  return answer.links;
}

// The sessions of a charge point, by start.
inline std::vector<ChargingSession> SessionsOf(const History& history, std::string_view clock,
                                               const Options& options = {}) {
  const std::vector<Link> links = LinksOf(history, options);
  std::map<EntityKey, EntityKey> root_of;
  std::map<EntityKey, std::vector<std::string_view>> contexts;
  std::map<EntityKey, std::vector<ChargingElement>> histories;
  for (const Link& link : links) {  // by (at, entity, root): the first of an entity holds
    root_of.emplace(link.entity, link.root);
    if (!link.context.empty()) contexts[link.root].push_back(link.context);
  }
  for (const ChargingElement& element : history.elements) {
    const auto root = root_of.find(element.entity);
    if (IsHistory(element))
      histories[root == root_of.end() ? element.entity : root->second].push_back(element);
  }
  std::vector<ChargingSession> rows;
  for (const auto& [root, facts] : histories) {
    for (ChargingSession& row : DeriveSessions(facts, contexts[root], At(clock), options)) {
      rows.push_back(std::move(row));
    }
  }
  std::sort(rows.begin(), rows.end(), [](const ChargingSession& a, const ChargingSession& b) {
    return std::tie(a.start_ts, a.connector_id, a.session_id) <
           std::tie(b.start_ts, b.connector_id, b.session_id);
  });
  return rows;
}

inline std::vector<ChargingSession> SessionsOf(std::string_view script, std::string_view clock,
                                               const Options& options = {}) {
  return SessionsOf(Said(script, options), clock, options);
}
// Of what was received up to the clock.
inline std::vector<ChargingSession> SessionsAsOf(std::string_view script, std::string_view clock) {
  std::string received;
  Arena texts;
  for (const std::string_view line : Split(script, " | ")) {
    if (FactOf(line, 0, texts).row.ingest_ts > At(clock)) continue;
    received.append(received.empty() ? "" : " | ").append(line);
  }
  return SessionsOf(received, clock);
}

}  // namespace medallion::ocpp::testing
