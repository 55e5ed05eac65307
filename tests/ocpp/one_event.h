// One flat event through the steps, for tables of cases: sound events of each type, changed field by field, and what
// became of them as text.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "medallion/base/columns.h"
#include "medallion/base/time.h"
#include "medallion/bronze/record.h"
#include "medallion/ocpp/charging_event.h"
#include "medallion/ocpp/options.h"
#include "medallion/ocpp/refine.h"

namespace medallion::ocpp::testing {

// Field name -> its JSON. A change with empty JSON leaves the field out.
using Changes = std::vector<std::pair<std::string, std::string>>;

inline Changes SoundFields(std::string_view type) {
  Changes fields = {{"event_id", R"("e1")"},
                    {"event_type", "\"" + std::string(type) + "\""},
                    {"charge_point_id", R"("CP-1")"},
                    {"event_ts", R"("2026-03-01T10:00:00Z")"},
                    {"ocpp_version", R"("1.6")"}};
  const auto add = [&](const Changes& more) { fields.insert(fields.end(), more.begin(), more.end()); };
  if (type == "StartTransaction") {
    add({{"connector_id", "1"},
         {"transaction_id", "501"},
         {"meter_value", "1000"},
         {"id_tag", R"("TAG-1")"}});
  } else if (type == "MeterValues") {
    add({{"connector_id", "1"}, {"transaction_id", "501"}, {"meter_value", "4000"}});
  } else if (type == "StopTransaction") {
    add({{"transaction_id", "501"}, {"meter_value", "8500"}, {"stop_reason", R"("Local")"}});
  } else if (type == "StatusNotification") {
    add({{"connector_id", "1"}, {"connector_status", R"("Charging")"}, {"error_code", R"("NoError")"}});
  }
  return fields;
}

// A sound event of the type, with these changes: its text.
inline std::string Payload(std::string_view type, const Changes& changes = {}) {
  Changes fields = SoundFields(type);
  for (const auto& change : changes) {
    const auto same = [&](const auto& field) { return field.first == change.first; };
    const auto found = std::find_if(fields.begin(), fields.end(), same);
    if (found == fields.end()) {
      fields.push_back(change);
    } else {
      found->second = change.second;
    }
  }
  std::string text;
  for (const auto& [name, json] : fields) {
    if (!json.empty()) text += (text.empty() ? "{\"" : ",\"") + name + "\":" + json;
  }
  return text + "}";
}

// What a record brings besides its payload: received at noon, two hours after the sound events' time; no key.
inline BronzeRecord Received() {
  return {.at = {.topic = "ocpp", .partition = 0, .offset = 7},
          .broker_ts = ParseTime("2026-03-01T11:59:59Z")->time,
          .ingest_ts = ParseTime("2026-03-01T12:00:00Z")->time};
}

// One refined event and the memory that it refers to.
struct One {
  std::string payload;
  Refined<ChargingEvent> refined;
  const ChargingElement& element() const { return refined.elements.at(0); }
  const ChargingEvent& row() const { return element().row; }
};

inline One RefineOne(std::string payload, const Options& options = {}, BronzeRecord record = Received()) {
  One one{.payload = std::move(payload), .refined = {}};
  record.payload = one.payload;
  one.refined = Refine({&record, 1}, options);
  return one;
}

// A column's canonical text, "-" for a null.
inline std::string Column(const ChargingEvent& row, std::string_view column) {
  std::string text = "no such column";
  VisitColumns(row, [&](std::string_view name, const auto& value) {
    if (name != column) return;
    text.clear();
    if (!AppendCanonical(value, text)) text = "-";
  });
  return text;
}

// The codes of what the event breaks, or of what was noticed, without brackets and quotes: "TZ_ASSUMED,TYPE_COERCED".
inline std::string Bare(std::string_view json_array) {
  std::string bare;
  for (const char c : json_array) {
    if (c != '[' && c != ']' && c != '"') bare += c;
  }
  return bare;
}
inline std::string Codes(const One& one) { return Bare(one.element().violations); }
inline std::string Flags(const One& one) { return Bare(FlagsJson(one.row())); }

}  // namespace medallion::ocpp::testing
