// What the laws' tests share: seeds, disturbed schedules, and shrinking a failing input.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "medallion/bronze/record.h"
#include "tests/feed.h"

namespace medallion::testing {

// How many seeds a law is tried with: the environment's MEDALLION_LAW_SEEDS, else 2,000.
inline uint64_t LawSeeds() {
  const char* given = std::getenv("MEDALLION_LAW_SEEDS");
  const long seeds = given == nullptr ? 0 : std::atol(given);
  return seeds > 0 ? static_cast<uint64_t>(seeds) : 2000;
}

// The same records shuffled, some of them delivered again.
inline std::vector<BronzeRecord> Disturbed(std::vector<BronzeRecord> records, Random& random) {
  const size_t once = records.size();
  for (size_t i = 0; i < once; ++i) {
    if (random.Chance(150'000)) records.push_back(records[i]);
  }
  for (size_t i = records.size(); i > 1; --i) {
    std::swap(records[i - 1], records[static_cast<size_t>(random.Below(static_cast<int64_t>(i)))]);
  }
  return records;
}

// The smallest part of `records`, found by leaving out pieces, for which `fails` still holds.
inline std::vector<BronzeRecord> Shrunk(std::vector<BronzeRecord> records,
                                        const std::function<bool(const std::vector<BronzeRecord>&)>& fails) {
  for (size_t piece = records.size() / 2; piece > 0; piece /= 2) {
    for (size_t at = 0; at + piece <= records.size();) {
      std::vector<BronzeRecord> fewer = records;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(at),
                  fewer.begin() + static_cast<std::ptrdiff_t>(at + piece));
      if (fails(fewer)) {
        records = std::move(fewer);
      } else {
        at += piece;
      }
    }
  }
  return records;
}

}  // namespace medallion::testing
