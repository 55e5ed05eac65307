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

// One flat event a record, so one element a record, in the order of the batch. Payloads are copied: the result refers
// to itself and, for coordinates, keys and versions, to the records.
Refined<ChargingEvent> Refine(std::span<const BronzeRecord> batch, const Options& options);

// The same for fields that a host has parsed itself; `payload` is the digest of the text they came from.
ChargingElement RefineFields(const FlatFields& fields, const BronzeRecord& record, const Digest& payload,
                             const Options& options, Arena& texts);

}  // namespace medallion::ocpp
