#include "medallion/silver/name_counts.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace medallion {

NameCounts MostFrequent(const NameCounts& counts, size_t most) {
  std::vector<std::pair<std::string, uint64_t>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  NameCounts frequent;
  for (const auto& [name, count] : sorted) {
    const bool apart = frequent.size() - frequent.count(kOtherNames) < most;
    frequent[apart ? name : std::string(kOtherNames)] += count;
  }
  return frequent;
}

}  // namespace medallion
