#include "medallion/silver/name_counts.h"

#include <algorithm>
#include <vector>

namespace medallion {

NameCounts MostFrequent(const NameCounts& counts, size_t most) {
  std::vector<const NameCounts::value_type*> sorted;
  for (const auto& entry : counts) sorted.push_back(&entry);
  std::sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) {
    return a->second != b->second ? a->second > b->second : a->first < b->first;
  });
  NameCounts frequent;
  for (const auto* entry : sorted) {
    const bool apart = frequent.size() - frequent.count(kOtherNames) < most;
    frequent[apart ? entry->first : std::string(kOtherNames)] += entry->second;
  }
  return frequent;
}

}  // namespace medallion
