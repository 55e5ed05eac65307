#include "medallion/silver/fate.h"

#include <array>

namespace medallion {

std::string_view FateName(Fate fate) {
  static constexpr std::array<std::string_view, kFates> kNames = {
      "silver", "technical_duplicate", "business_duplicate", "quarantined", "ignored"};
  return kNames[static_cast<size_t>(fate)];
}

}  // namespace medallion
