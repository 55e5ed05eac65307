#include "medallion/silver/accounting.h"

#include <cstdlib>
#include <numeric>

namespace medallion {
namespace {

std::string Counted(int64_t count, std::string_view one) {
  return std::to_string(count) + " " + std::string(one) + (count == 1 ? "" : "s");
}

}  // namespace

int64_t FateCounts::sum() const { return std::accumulate(of.begin(), of.end(), int64_t{0}); }

int64_t Imbalance(const Accounting& accounting) {
  FateCounts hours;
  for (const auto& [hour, counts] : accounting.by_hour) {
    for (size_t fate = 0; fate < hours.of.size(); ++fate) hours.of[fate] += counts.of[fate];
  }
  int64_t imbalance = std::abs(accounting.elements - accounting.fates.sum());
  for (size_t fate = 0; fate < hours.of.size(); ++fate) {
    imbalance += std::abs(accounting.fates.of[fate] - hours.of[fate]);
  }
  return imbalance;
}

std::string AccountingLine(const Accounting& accounting) {
  const FateCounts& fates = accounting.fates;
  const int64_t duplicates = fates[Fate::kTechnicalDuplicate] + fates[Fate::kBusinessDuplicate];
  std::string line =
      std::to_string(accounting.elements) + " = " + std::to_string(fates[Fate::kSilver]) + " silver";
  if (duplicates != 0) line += " + " + Counted(duplicates, "duplicate");
  if (fates[Fate::kQuarantined] != 0)
    line += " + " + std::to_string(fates[Fate::kQuarantined]) + " quarantined";
  if (fates[Fate::kIgnored] != 0) line += " + " + std::to_string(fates[Fate::kIgnored]) + " ignored";
  return line;
}

}  // namespace medallion
