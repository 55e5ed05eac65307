// What a draft comes to: an element that stands, or one in quarantine with its reasons.
#pragma once

#include "medallion/base/arena.h"
#include "medallion/ocpp/charging_event.h"
#include "medallion/ocpp/validate.h"

namespace medallion::ocpp {

// Judges the draft of the element's row: what is wrong with it, if anything, goes to the element.
inline void Conclude(Draft& draft, const Options& options, Arena& texts, ChargingElement& element) {
  const std::string codes = Validate(draft, options, texts);
  if (!draft.detail.empty()) element.row.detail = texts.Copy("{" + draft.detail + "}");
  if (codes.empty()) return;
  element.standing.fate = Fate::kQuarantined;
  element.violations = texts.Copy(codes);
  element.detail = element.row.detail;
}

}  // namespace medallion::ocpp
