// Refining: from Bronze records to identified elements. = Parse, Normalize, Validate, Identify.
// Pure; cannot fail: bad records come back with reasons. Safe from any thread.
#pragma once

#include <span>

#include "medallion/bronze/record.h"
#include "medallion/ocpp/charging_event.h"
#include "medallion/ocpp/options.h"
#include "medallion/ocpp/parse.h"
#include "medallion/silver/element.h"

namespace medallion::ocpp {

// A flat event is one element. A frame is at least one, in the order of their ordinals: a call of the station that is a
// charging fact is its row, then one for each of its samples, then one for each sum of phases; a sample that breaks a rule
// is quarantined by itself. Any other call, a result or an error is one ignored element. Elements are in the order of the
// batch. Payloads are copied: the result refers to itself and, for coordinates, keys, versions and connections, to the
// records.
Refined<ChargingEvent> Refine(std::span<const BronzeRecord> batch, const Options& options);

// The same for a flat event's fields that a host has parsed itself; `payload` is the digest of the text they came from.
ChargingElement RefineFields(const FlatFields& fields, const BronzeRecord& record, const Digest& payload,
                             const Options& options, Arena& texts);

}  // namespace medallion::ocpp
