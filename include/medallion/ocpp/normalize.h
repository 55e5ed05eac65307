// Normalizing: one spelling, one unit, one time zone. What cannot be normalised is noted, and validation judges it.
// Pure. Safe from any thread. Source: the charging domain, 1.1 to 1.3.
#pragma once

#include <cstdint>
#include <string>

#include "medallion/base/arena.h"
#include "medallion/bronze/record.h"
#include "medallion/ocpp/charging_event.h"
#include "medallion/ocpp/options.h"
#include "medallion/ocpp/parse.h"

namespace medallion::ocpp {

// What normalizing could not make sense of; bits of Draft::notes.
enum Note : uint32_t {
  kNoteCorrupt = 1u << 0,
  kNoteSchemaUnknown = 1u << 1,
  kNoteAmbiguous = 1u << 2,
  kNoteTimeInvalid = 1u << 3,  // unparsable, or a time that cannot be
  kNoteTimeAbsent = 1u << 4,   // none, and this type of event needs one
  kNoteTransactionInvalid = 1u << 5,
  kNoteMeterAbsent = 1u << 6,
  kNoteMeterInvalid = 1u << 7,
  kNoteUnitUnknown = 1u << 8,  // of an energy
  kNoteConnectorInvalid = 1u << 9,
};

// An event on its way from fields to a row.
struct Draft {
  ChargingEvent& event;  // the row itself: it is filled where it will stay
  uint32_t notes = 0;
  std::string detail = {};  // members of a JSON object, separated by commas; no braces
  bool from_frame = false;  // then it may lack a transaction id

  bool Has(Note note) const { return (notes & note) != 0; }
};

// Fills `event`, which must be a new one. `record` gives what the payload leaves out: the charge point (its key), the
// version, the ingest time. Texts refer to `fields`, to `texts` and to `record`; the draft refers to `event`.
Draft Normalize(const FlatFields& fields, const BronzeRecord& record, const Options& options, Arena& texts,
                ChargingEvent& event);

}  // namespace medallion::ocpp
