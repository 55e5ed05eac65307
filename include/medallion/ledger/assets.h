// Assets and their exponents: how many digits after the point an amount has. ISO 4217 codes, or SYMBOL/scale for all
// others ("USDC/6").
// Pure. Safe from any thread. Source: ISO 4217:2015, list one; the ledger domain, section 1.
#pragma once

#include <optional>
#include <string_view>

namespace medallion::ledger {

// JPY 0, EUR 2, KWD 3; of SYMBOL/scale the scale, 0 to 36. SYMBOL is 1 to 16 letters, digits, `.`, `-` or `_`.
// Nothing for any other text, for codes that ISO gives no minor unit (XAU), and for an ISO code with a scale of its own.
std::optional<int> AssetExponent(std::string_view asset);

// Whether `asset` is an ISO code with a scale that is not the one ISO gives: "EUR/3".
bool ContradictsIso(std::string_view asset);

}  // namespace medallion::ledger
