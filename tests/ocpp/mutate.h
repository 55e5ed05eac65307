// Payloads with bytes changed at random, and what to compare what became of them with.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>

#include "medallion/base/columns.h"
#include "medallion/ocpp/charging_event.h"
#include "nlohmann/json.hpp"

namespace medallion::ocpp::testing {

using namespace std::string_literals;

// Everything that an element says, as text.
inline std::string Bytes(const ChargingElement& element) {
  std::string bytes;
  const auto add = [&](std::string_view name, const auto& value) {
    bytes.append(name).append("=");
    AppendCanonical(value, bytes);
    bytes.append("\n");
  };
  VisitColumns(element.row, add);
  add("host_flags", element.row.host_flags);
  add("reading", element.row.reading);
  add("violations", element.violations);
  add("element detail", element.detail);
  add("reason", element.reason);
  add("entity", element.entity);
  add("fate", FateName(element.standing.fate));
  add("milestone", static_cast<int64_t>(element.milestone));
  add("connection", element.row.connection_id);
  add("action", element.row.action);
  add("authorization", element.row.authorization);
  add("unit", element.identity.unit);
  add("key", element.identity.business_key);
  add("cut", element.identity.cut);
  add("event id", element.identity.event_id);
  add("known", element.identity.values.known);
  for (const uint64_t value : element.identity.values.field) add("value", value);
  add("order ts", element.identity.order.event_ts);
  add("order ingest", element.identity.order.ingest_ts);
  add("order id", element.identity.order.event_id);
  add("order payload", element.identity.order.payload);
  return bytes;
}

// Flips, inserts, deletes and repeats bytes.
inline std::string Mutated(std::string text, std::mt19937& random) {
  const auto at = [&] { return text.empty() ? 0 : random() % text.size(); };
  static const std::string kTelling = "{}[]\",:\\0123456789eE+-.truefalsn \0\n\xC3\xA9\xFF"s;
  for (uint32_t changes = 1 + random() % 4; changes > 0; --changes) {
    switch (random() % 5) {
      case 0:
        if (!text.empty()) text[at()] = static_cast<char>(random());
        break;
      case 1:
        if (!text.empty()) text[at()] = kTelling[random() % kTelling.size()];
        break;
      case 2: text.insert(at(), 1, kTelling[random() % kTelling.size()]); break;
      case 3:
        if (!text.empty()) text.erase(at(), 1 + random() % 8);
        break;
      default: {
        const size_t from = at();
        text.insert(at(), text.substr(from, random() % 40));
      }
    }
  }
  return text;
}

// Whether another strict parser takes the text for one JSON object; nothing where a number is beyond its doubles, or
// where a NUL is left, which it takes for the end.
inline std::optional<bool> IsObject(std::string_view text) {
  const size_t last = text.find_last_not_of("\0 \t\r\n"s);
  text = text.substr(0, last == text.npos ? 0 : last + 1);
  if (text.find('\0') != text.npos) return std::nullopt;
  try {
    return nlohmann::json::parse(text).is_object();
  } catch (const nlohmann::json::out_of_range&) {
    return std::nullopt;
  } catch (const nlohmann::json::exception&) {
    return false;
  }
}

}  // namespace medallion::ocpp::testing
