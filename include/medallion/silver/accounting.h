// The books: how many elements met which fate, in total and by the hour of ingest_ts.
// The invariant: elements = silver + technical_duplicate + business_duplicate + quarantined + ignored.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "medallion/base/time.h"
#include "medallion/silver/fate.h"

namespace medallion {

struct FateCounts {
  std::array<int64_t, kFates> of{};
  int64_t& operator[](Fate fate) { return of[static_cast<size_t>(fate)]; }
  int64_t operator[](Fate fate) const { return of[static_cast<size_t>(fate)]; }
  int64_t sum() const;
  bool operator==(const FateCounts&) const = default;
};

struct Accounting {
  int64_t records = 0;   // Bronze records, each counted once
  int64_t elements = 0;  // counted apart from the fates
  FateCounts fates;
  std::map<UtcTime, FateCounts> by_hour;  // key: start of the hour of ingest_ts; kNoTime where it is unknown
  bool operator==(const Accounting&) const = default;
};

// Elements that have no fate or more than one: 0, or the books are wrong.
int64_t Imbalance(const Accounting& accounting);

// "9 = 6 silver + 2 duplicates + 1 quarantined": fates that nobody met are left out, silver never is.
std::string AccountingLine(const Accounting& accounting);

}  // namespace medallion
