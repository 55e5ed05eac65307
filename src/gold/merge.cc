#include "medallion/gold/merge.h"

#include "absl/container/flat_hash_map.h"

namespace medallion {

std::vector<Change> Merge(std::span<const RowVersion> previous, std::span<const RowVersion> derived) {
  absl::flat_hash_map<Digest, size_t> standing;
  standing.reserve(previous.size());
  for (size_t i = 0; i < previous.size(); ++i) standing.emplace(previous[i].key, i);

  std::vector<Change> changes;
  std::vector<bool> kept(previous.size());
  for (size_t i = 0; i < derived.size(); ++i) {
    const auto found = standing.find(derived[i].key);
    if (found == standing.end()) {
      changes.push_back({Write::kInsert, i});
      continue;
    }
    kept[found->second] = true;
    if (previous[found->second] != derived[i]) changes.push_back({Write::kUpdate, i});
  }
  for (size_t i = 0; i < previous.size(); ++i) {
    if (!kept[i]) changes.push_back({Write::kDelete, i});
  }
  return changes;
}

}  // namespace medallion
