// Refining: records to elements, by all pure steps of the pack up to the identity: parse, normalize (the anti-corruption
// layer among it), validate, identify.
// Pure. Safe from any thread. Source: the ledger domain, sections 1 and 2.
#pragma once

#include <span>

#include "medallion/bronze/record.h"
#include "medallion/ledger/ledger_event.h"
#include "medallion/ledger/options.h"
#include "medallion/silver/element.h"

namespace medallion::ledger {

// One element a record. A payload is a native event, a change record with or without its schema, what else Debezium
// writes, `null` for a tombstone; or one of these as `value` (JSON, or JSON as text) beside `key` and `headers`. Cannot
// fail: a record that cannot be read is quarantined. A key that is no text (Debezium's are structs) is the record's key
// as JSON.
Refined<LedgerEvent> Refine(std::span<const BronzeRecord> batch, const Options& options);

}  // namespace medallion::ledger
