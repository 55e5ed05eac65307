#include "medallion/launchpad/token_risk.h"

#include <string>

#include "medallion/base/text.h"
#include "medallion/gold/row_hash.h"

namespace medallion::launchpad {
namespace {

std::string FlagsJson(const RiskFlags& flags) {
  std::string json;
  const auto add = [&](bool is_set, const char* code) {
    if (is_set) json.append(json.empty() ? "[\"" : ",\"").append(code).append("\"");
  };
  add(flags.conflict, "CONFLICT");
  add(flags.supply_changed, "SUPPLY_CHANGED");
  add(flags.trade_before_create, "TRADE_BEFORE_CREATE");
  add(flags.incomplete_feed, "INCOMPLETE_FEED");
  return json.empty() ? json : json + "]";
}

std::string DetailJson(const TokenFindings& found) {
  if (found.deepest_pool.empty()) return {};
  std::string json = "{\"deepest_pool\":";
  AppendJsonString(found.deepest_pool, json);
  return json + "}";
}

void AppendRecord(const char* name, const LaunchEvent* row, std::string& json) {
  json.append(",\"").append(name).append("\":");
  if (row == nullptr) {
    json += "null";
    return;
  }
  json += "{\"topic\":";
  AppendJsonString(row->at.topic, json);
  json +=
      ",\"partition\":" + std::to_string(row->at.partition) + ",\"offset\":" + std::to_string(row->at.offset);
  json += ",\"ordinal\":" + std::to_string(row->ordinal) + "}";
}

std::string EvidenceJson(const TokenFindings& found, const Digest& model_version) {
  const auto slot = [](std::optional<uint64_t> number) {
    return number.has_value() ? std::to_string(*number) : std::string("null");
  };
  std::string json = "{\"rows\":" + std::to_string(found.rows);
  json += ",\"first_slot\":" + slot(found.first_slot) + ",\"last_slot\":" + slot(found.last_slot);
  AppendRecord("first_record", found.first, json);
  AppendRecord("last_record", found.last, json);
  json += ",\"excluded\":[";
  for (const std::string& address : found.excluded) {
    if (&address != found.excluded.data()) json.push_back(',');
    AppendJsonString(address, json);
  }
  return json + "],\"model_version\":\"" + Hex(model_version) + "\"}";
}

}  // namespace

std::optional<TokenRisk> DeriveTokenRisk(std::span<const LaunchElement> history, UtcTime data_clock,
                                         const RiskModel& model) {
  if (history.empty()) return std::nullopt;
  TokenFindings found = FindRisks(history, data_clock, model.parameters);
  TokenRisk row;
  row.mint = std::move(found.mint), row.creator = std::move(found.creator);
  row.signals = found.signals;
  row.risk_level = RiskLevelOf(found.signals, found.flags, model.parameters.risk_table);
  row.quality_flags = FlagsJson(found.flags);
  row.detail = DetailJson(found);
  row.evidence = EvidenceJson(found, model.version);
  row.next_due_at = found.next_due_at, row.updated_at = found.updated_at;
  row.model_version = model.version;
  row.row_hash = RowHash(row);
  return row;
}

}  // namespace medallion::launchpad
