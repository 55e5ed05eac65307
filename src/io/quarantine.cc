#include "medallion/io/quarantine.h"

#include <algorithm>

#include "medallion/base/text.h"

namespace medallion {
namespace {

void Add(const Values& values, std::vector<Values>& all) {
  if (std::find(all.begin(), all.end(), values) == all.end()) all.push_back(values);
}

}  // namespace

bool Matches(const QuarantineFilter& filter, const QuarantineRow& row) {
  if (!filter.status.empty() && row.status != filter.status) return false;
  if (filter.from != kNoTime && row.quarantined_at < filter.from) return false;
  if (filter.to != kNoTime && row.quarantined_at >= filter.to) return false;
  if (!filter.charge_point_id.empty() &&
      AsciiUpper(row.charge_point_id) != AsciiUpper(filter.charge_point_id))
    return false;
  // Codes need no escapes, so that one stands in the array as it is, in quotes.
  return filter.reason.empty() || row.violations.find('"' + filter.reason + '"') != std::string_view::npos;
}

absl::StatusOr<Review> AnswerFor(std::span<const Identity> fact, std::span<const uint8_t> differs,
                                 const Identity& element, bool accept, const Review* stood) {
  Values standing;  // what the members in agreement say
  std::vector<Values> contradicting;
  bool agrees = true;  // the element does
  for (size_t i = 0; i < fact.size(); ++i) {
    const Values& own = fact[i].values;
    if (fact[i].order == element.order) agrees = differs[i] == 0;
    if (differs[i] != 0) Add(own, contradicting);
    for (int value = 0; differs[i] == 0 && value < kValuesMax; ++value) {
      const bool first = (own.known >> value & 1) != 0 && (standing.known >> value & 1) == 0;
      if (first) standing.Set(value, own.field[static_cast<size_t>(value)]);
    }
  }
  if (!accept && agrees) {
    return absl::FailedPreconditionError(
        "it says what the row that stood says: accept the one of the others that is right");
  }
  Review answer{.subject = element.unit,
                .kind = ReviewKind::kAnswer,
                .business_key = element.business_key,
                .accepted = accept ? element.values : standing,
                .rejected = stood == nullptr ? std::vector<Values>() : stood->rejected};
  if (!accept) Add(element.values, answer.rejected);
  if (accept && !agrees) Add(standing, answer.rejected);
  for (size_t i = 0; accept && agrees && i < contradicting.size(); ++i)
    Add(contradicting[i], answer.rejected);
  std::erase_if(answer.rejected,
                [&](const Values& values) { return Differing(values, answer.accepted) == 0; });
  return answer;
}

}  // namespace medallion
