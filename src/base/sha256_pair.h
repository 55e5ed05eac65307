// SHA-256 of two texts at once: the processor's SHA instructions wait for each other within one text, so a second one
// costs little more. Pure. Safe from any thread.
#pragma once

#include <string_view>

#include "medallion/base/digest.h"

namespace medallion {

// Whether this processor can.
bool HasSha256Pair();

// Sets `first` and `second` to the digests of `a` and `b`. Only where HasSha256Pair(). Texts of similar length pay most.
void Sha256Pair(std::string_view a, std::string_view b, Digest& first, Digest& second);

// The same of one text.
void Sha256Single(std::string_view text, Digest& digest);

}  // namespace medallion
