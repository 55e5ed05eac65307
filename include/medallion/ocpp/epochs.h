// Epochs: the physical sessions under one transaction id, since stations and back ends use ids again.
// Pure. Safe from any thread. Source: the charging domain, section 3.
#pragma once

#include <cstdint>
#include <span>

#include "medallion/ocpp/charging_event.h"
#include "medallion/ocpp/options.h"

namespace medallion::ocpp {

// Numbers the epochs of the starts and stops of one (charge point, transaction), from 0 in the order of time. `unit`
// holds all members, in any order; duplicates and conflicts too. `epoch` gets a number for each.
//
//   start   opens the next epoch if its connector's latest epoch has a start and a stop after it, if it comes
//           `epoch_gap_us` or more after the latest start there, or if its connector has none yet and is another than
//           all so far; else it joins
//   stop    joins the one epoch there is; of several the one of its connector, with the latest start at or before it,
//           with its tag, with a start meter not above its own. If still several: an epoch of its own
//
// Members that agree in type, time, connector, tag and meter always get the same number.
void CutEpochs(std::span<const ChargingElement* const> unit, std::span<uint32_t> epoch,
               const Options& options);

}  // namespace medallion::ocpp
