// Settled charging facts from a short script, so that a test's table shows a session on one line:
//
//   "S 10:00 1000 | R 10:10 4000 | P 10:10 11000 | E 10:30 8500 reason=Local"
//
// Each fact is a letter, a time on 2026-03-01 ("1/10:00" a day later) and a value; "-" is no value:
//
//   S start, E stop, R register: value in Wh      I energy of an interval: value in Wh
//   P power: value in W                           U update without a reading
//   X register in quarantine for a conflict
//   A result of a call: value is the transaction id it tells; received when it stands there
//   B boot                                        F connector is Faulted
//
// Then name=value: con, evse, epoch, seq, late (seconds from event to receipt, else 1), tag, ctx, loc, ph,
// unit, tx, cp, reason, v (version), id (of the event or message), link (the connection), auth (Accepted, …),
// signed (a signed value in place of the register);
// x=1: in quarantine for a conflict; from=OFFSET: its reading came from the copy at that offset; at=OFFSET:
// it is of the message at that offset; sent=TIME: of one that was sent then. Facts have offsets 0, 1, 2… in the
// script's order.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "medallion/base/arena.h"
#include "medallion/base/decimal.h"
#include "medallion/base/digest.h"
#include "medallion/base/time.h"
#include "medallion/ocpp/charging_event.h"

namespace medallion::ocpp::testing {

struct History {
  Arena texts;
  std::vector<ChargingElement> elements;
};

inline int64_t Number(std::string_view text) {
  int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// "10:00", "10:00:05", "1/10:00"
inline UtcTime At(std::string_view clock) {
  int64_t day = 0;
  if (const size_t slash = clock.find('/'); slash != std::string_view::npos) {
    day = Number(clock.substr(0, slash));
    clock.remove_prefix(slash + 1);
  }
  const std::string text = "2026-03-01T" + std::string(clock) + (clock.size() > 5 ? "Z" : ":00Z");
  return {ParseTime(text).value().time.us + day * kMicrosPerDay};
}

inline std::vector<std::string_view> Split(std::string_view text, std::string_view by) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const size_t end = std::min(text.find(by), text.size());
    if (end > 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + by.size(), text.size()));
  }
  return parts;
}

inline void SetReading(char kind, std::string_view value, ChargingEvent& row) {
  row.event_type = kind == 'S'   ? EventType::kStartTransaction
                   : kind == 'E' ? EventType::kStopTransaction
                   : kind == 'F' ? EventType::kStatusNotification
                                 : EventType::kMeterValues;
  if (kind == 'F') row.connector_status = "Faulted";
  if (kind == 'A' || kind == 'B') row.event_type = EventType::kUnknown;
  if (kind == 'A') row.transaction_id = value == "-" ? "" : value;
  if (kind == 'B') row.action = "BootNotification";
  if (kind == 'A' || kind == 'B' || kind == 'F') return;
  const bool header = kind == 'S' || kind == 'E';
  if (!header && kind != 'U') {
    row.measurand = kind == 'P'   ? "Power.Active.Import"
                    : kind == 'I' ? "Energy.Active.Import.Interval"
                                  : "Energy.Active.Import.Register";
    row.location = "Outlet";
    row.context = "Sample.Periodic";
  }
  if (value == "-") return;
  row.value = value;
  row.unit = kind == 'P' ? "W" : "Wh";
  const bool is_register = header || kind == 'R' || kind == 'X';
  if (!is_register) return;
  const std::optional<Decimal> wh = Decimal::Parse(value);
  if (wh.has_value() && wh->Rounded(3).has_value()) row.meter_wh = Thousandths{*wh->Rounded(3)};
}

inline void SetOption(std::string_view name, std::string_view value, ChargingElement& element, Arena& texts) {
  ChargingEvent& row = element.row;
  if (name == "con") row.connector_id = static_cast<int32_t>(Number(value));
  if (name == "evse") row.evse_id = static_cast<int32_t>(Number(value));
  if (name == "epoch") element.identity.fact = static_cast<uint32_t>(Number(value));
  if (name == "seq") row.seq_no = Number(value);
  if (name == "late") row.ingest_ts = {row.event_ts.us + Number(value) * kMicrosPerSecond};
  if (name == "tag") row.id_tag_hash = value;
  if (name == "ctx") row.context = value;
  if (name == "loc") row.location = value;
  if (name == "ph") row.phase = value, row.meter_wh.reset();  // one phase is not the register
  if (name == "unit") row.unit = value;
  if (name == "tx") row.transaction_id = value == "-" ? "" : value;
  if (name == "cp") row.charge_point_id = value;
  if (name == "reason") row.stop_reason = value;
  if (name == "v") row.ocpp_version = value;
  if (name == "id") row.event_id = value;
  if (name == "link") row.connection_id = value;
  if (name == "signed") row.signed_value = value, row.meter_wh.reset();
  if (name == "auth") row.authorization = value;
  if (name == "at") row.at.offset = Number(value), ++row.ordinal;
  if (name == "sent") row.message_ts = At(value);
  if (name == "x") element.standing.conflict = true;
  if (name == "from") {
    element.standing.filled = 1;
    Others others;
    others.value_from[0] = {.topic = "copies", .partition = 0, .offset = Number(value)};
    element.standing.others = texts.Keep(others);
  }
}

// The fact refers to `line` and `texts`.
inline ChargingElement FactOf(std::string_view line, int64_t offset, Arena& texts,
                              std::string_view transaction_id = "501") {
  const std::vector<std::string_view> words = Split(line, " ");
  ChargingElement element;
  ChargingEvent& row = element.row;
  row.charge_point_id = "CP-100";
  row.transaction_id = transaction_id;
  row.at = {.topic = "ocpp", .partition = 0, .offset = offset};
  row.event_ts = At(words.at(1));
  row.ingest_ts = {row.event_ts.us + kMicrosPerSecond};
  const char kind = words[0][0];
  SetReading(kind, words.size() > 2 ? words[2] : "-", row);
  element.standing.conflict = kind == 'X';
  const bool message = kind == 'A' || kind == 'B';
  if (message) row.ingest_ts = row.event_ts, element.standing.fate = Fate::kIgnored;
  for (size_t i = 3; i < words.size(); ++i) {
    const size_t equals = words[i].find('=');
    SetOption(words[i].substr(0, equals), words[i].substr(equals + 1), element, texts);
  }
  if (element.standing.conflict) element.standing.fate = Fate::kQuarantined, element.standing.differs = 1;
  row.business_key = element.identity.business_key = Sha256(line);
  element.identity.order = {row.event_ts, row.ingest_ts, row.event_id, row.at, row.ordinal, Sha256(line)};
  return element;
}

inline History Facts(std::string_view script) {
  History history;
  for (const std::string_view line : Split(history.texts.Copy(script), " | ")) {
    history.elements.push_back(FactOf(line, static_cast<int64_t>(history.elements.size()), history.texts));
  }
  return history;
}

}  // namespace medallion::ocpp::testing
