// A session on one line, for tables of cases.
#pragma once

#include <string>

#include "medallion/base/columns.h"
#include "medallion/ocpp/charging_session.h"

namespace medallion::ocpp::testing {

// As in tables; "-" for what is absent.
std::string Text(const auto& value) {
  std::string out;
  return AppendCanonical(value, out) ? out : "-";
}

// " METER_RESET LATE_ARRIVAL"
inline std::string FlagsText(const ChargingSession& row) {
  std::string out;
  for (int flag = 0; flag < kSessionFlags; ++flag) {
    const SessionFlag bit{static_cast<uint8_t>(flag)};
    if (row.quality_flags.Has(bit)) out.append(" ").append(SessionFlagName(bit));
  }
  return out;
}

// "COMPLETED 7.500 final START_STOP LATE_ARRIVAL"
inline std::string Line(const ChargingSession& row) {
  std::string out = Text(SessionStatusName(row.session_status)) + " " + Text(row.energy_kwh);
  if (row.energy_is_final) out += " final";
  if (row.energy_basis != EnergyBasis::kNone) out.append(" ").append(EnergyBasisName(row.energy_basis));
  return out + FlagsText(row);
}

// "77+78 COMPLETED 6.500 final TX_ID_INFERRED": id and aliases, status, energy, flags.
inline std::string TransactionLine(const ChargingSession& row) {
  std::string out = Text(row.transaction_id);
  for (const std::string& alias : row.transaction_aliases) out += "+" + alias;
  out.append(" ").append(SessionStatusName(row.session_status)).append(" ") += Text(row.energy_kwh);
  if (row.energy_is_final) out += " final";
  return out + FlagsText(row);
}

}  // namespace medallion::ocpp::testing
