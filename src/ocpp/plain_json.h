// The quick way into a payload that is plain JSON, as most are. Strict: what it takes is valid, and the same as the full
// reader makes of it; whatever is in the least unusual it leaves to that one.
// Pure. Safe from any thread.
#pragma once

#include <string_view>
#include <vector>

#include "medallion/ocpp/parse.h"

namespace medallion::ocpp {

// Bytes that must follow a text, all of them blanks.
inline constexpr size_t kPlainPadding = 64;

// Reads the members of the object that `text` is, outer blanks left out. False for what it does not take, valid or not;
// `members` then holds nothing of use. It takes: at most 4 KiB of printable ASCII, no escapes, at most one blank between
// tokens and none in nested values, which are at most 8 deep, of at most 16 members, none twice.
bool ReadPlain(std::string_view text, std::vector<Member>& members);

// Where the number that begins at `at` ends; null where none begins there. RFC 8259, 6. A byte that is part of no number
// must follow.
const char* JsonNumberEnd(const char* at);

}  // namespace medallion::ocpp
