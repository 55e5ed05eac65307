// The energy of a session: which readings decide it, and on what basis.
// Pure. Source: the charging domain, section 5, "energy_kwh" and "Plausibility".
#pragma once

#include <optional>

#include "medallion/base/columns.h"
#include "medallion/ocpp/charging_event.h"
#include "medallion/ocpp/charging_session.h"
#include "medallion/ocpp/options.h"
#include "session_facts.h"
#include "session_findings.h"

namespace medallion::ocpp {

struct SessionEnergy {
  std::optional<Thousandths> meter_start_wh;  // nothing, if it was set aside
  std::optional<Thousandths> meter_stop_wh;
  std::optional<Thousandths> last_meter_wh;  // the last register that counts
  std::optional<Thousandths> energy_kwh;
  std::optional<Thousandths> estimate_kwh;  // sum of the growth between registers that count
  EnergyBasis basis = EnergyBasis::kNone;
  bool readings_final = false;             // both readings are valid and come from the same source
  bool shows_energy = false;               // a register grows, or power or interval energy is above zero
  const ChargingElement* begin = nullptr;  // where the readings came from that decide energy_kwh, or will
  const ChargingElement* end = nullptr;
};

SessionEnergy FindEnergy(const SessionFacts& facts, const Options& options, Findings& findings);

}  // namespace medallion::ocpp
