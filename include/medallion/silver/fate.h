// What became of an element. Every element has exactly one fate.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace medallion {

enum class Fate : uint8_t {
  kSilver,              // the row that stands for its fact
  kTechnicalDuplicate,  // a copy of it under an event id that was seen before
  kBusinessDuplicate,   // a copy of it under an event id of its own
  kQuarantined,         // cannot be read, breaks a rule, or contradicts the row that stands
  kIgnored,             // understood, but outside the tables
};
inline constexpr int kFates = 5;

inline bool IsDuplicate(Fate fate) {
  return fate == Fate::kTechnicalDuplicate || fate == Fate::kBusinessDuplicate;
}

// "silver", "technical_duplicate", "business_duplicate", "quarantined", "ignored".
std::string_view FateName(Fate fate);

}  // namespace medallion
