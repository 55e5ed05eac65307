// Reads back what we wrote into a `detail`.
// Pure. Safe from any thread.
#pragma once

#include <optional>
#include <string_view>

#include "medallion/base/decimal.h"

namespace medallion::ocpp {

// The JSON of the member `name`, which needs no escapes, of a JSON object without blanks between its tokens. The first, if
// there are several; nested ones are none of its members. Nothing where there is none, or where `object` ends too early.
std::optional<std::string_view> MemberOf(std::string_view object, std::string_view name);

// The same, where it is a number or a text that is one.
std::optional<Decimal> NumberOf(std::string_view object, std::string_view name);

}  // namespace medallion::ocpp
