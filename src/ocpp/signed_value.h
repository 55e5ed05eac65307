// What a signed meter value says of the import register, where that is plain text under its wrapping: OCMF. Signatures are
// not checked. Pure. Source: the charging domain, 1.3 and 5; Open Charge Metering Format 1.0.
#pragma once

#include <optional>
#include <string_view>

#include "medallion/base/columns.h"

namespace medallion::ocpp {

struct SignedRegisters {
  std::optional<Thousandths> begin, end;  // of the transaction
};

// `text` is the record itself, the same in hexadecimal digits or base64, or a JSON object with it as signedMeterData.
// Nothing of what cannot be read, is no import register, or is marked as faulty.
SignedRegisters ReadSigned(std::string_view text);

}  // namespace medallion::ocpp
