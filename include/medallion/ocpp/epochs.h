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
//   result  of a call, by which a station is told the id: opens or joins as a start does, at the time of its receipt
//   start   opens the next epoch if its connector's latest epoch has a start and a stop after it, if it comes
//           `epoch_gap_us` or more after the latest start there, or if its connector has none yet and is another than
//           all so far; else it joins
//   stop    joins the one epoch there is; of several the one with its id (members may have several, where one is an
//           alias of another), of its connector, with the latest start at or before it,
//           with its tag, with a start meter not above its own. If still several: an epoch of its own
//
// A station can use an id only once it was told, and what it did offline comes late. So where there are results, stops
// stand where they were received, if fewer of them contradict others then than by their own times; one that was received
// before the first result is of an epoch before, if the first has another stop; and one that agrees in time and meter with
// a stop received before it is of that one's epoch: it was sent once more.
//
// Members that agree in type, time, connector, tag and meter always get the same number; of results, those of one receipt.
void CutEpochs(std::span<const ChargingElement* const> unit, std::span<uint32_t> epoch,
               const Options& options);

}  // namespace medallion::ocpp
