// What was noticed while a session was derived: its quality flags, and the particulars of some of them.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "medallion/base/columns.h"
#include "medallion/base/decimal.h"
#include "medallion/ocpp/charging_session.h"

namespace medallion::ocpp {

struct Findings {
  SessionFlags flags;
  std::map<SessionFlag, std::string> particulars;  // the flag's JSON object

  void Note(SessionFlag flag) { flags.Set(flag); }
  void Note(SessionFlag flag, std::string json) {
    flags.Set(flag);
    particulars[flag] = std::move(json);
  }
};

// {"SEQ_GAP":{…},…} in the order of the flags; empty if no flag has particulars.
inline std::string DetailJson(const Findings& findings) {
  std::string out;
  for (const auto& [flag, json] : findings.particulars) {
    out.append(out.empty() ? "{\"" : ",\"").append(SessionFlagName(flag)).append("\":").append(json);
  }
  return out.empty() ? out : out + "}";
}

// `"name":"7.500"`
inline std::string Amount(const char* name, Thousandths amount) {
  std::string out = std::string("\"") + name + "\":\"";
  AppendFixed(amount.units, 3, out);
  return out + "\"";
}

}  // namespace medallion::ocpp
