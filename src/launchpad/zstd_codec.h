// The feed's own codec.
#pragma once

#include <string>
#include <string_view>

#include "medallion/launchpad/envelope.h"

namespace medallion::launchpad {

bool DecodeZstd(NextPiece next, TakePiece take);
std::string CompressZstd(std::string_view content, int level);

}  // namespace medallion::launchpad
