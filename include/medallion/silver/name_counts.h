// Counts by name, of which there may be any number: those told apart are bounded. Pure. Safe from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace medallion {

using NameCounts = std::map<std::string, uint64_t, std::less<>>;

// Under which all others are counted.
inline constexpr std::string_view kOtherNames = "(other)";

// So many of the largest counts, of equal ones those whose names sort first, and the sum of the others.
NameCounts MostFrequent(const NameCounts& counts, size_t most);

}  // namespace medallion
