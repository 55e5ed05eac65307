#include "medallion/silver/settle.h"

#include <algorithm>
#include <tuple>

#include "absl/container/flat_hash_set.h"

namespace medallion {
namespace {

bool SameFact(const Identity& a, const Identity& b) {
  return a.fact == b.fact && a.business_key == b.business_key && a.unit == b.unit;
}

// The fact's values, each the first non-null in order among the members that agree with `accepted`; notes in `from` whose
// they are, counted from `base`, or the winner where nobody's.
Values FactValues(std::span<const Identity> fact, uint32_t base, const Values& accepted, uint32_t winner,
                  std::array<uint32_t, kValuesMax>& from) {
  Values values;
  from.fill(base + winner);
  for (uint32_t member = winner; member < fact.size(); ++member) {
    const Values& own = fact[member].values;
    if ((own.known & ~values.known) == 0) continue;
    if (accepted.known != 0 && Differing(own, accepted) != 0) continue;
    for (int i = 0; i < kValuesMax; ++i) {
      if ((own.known >> i & 1) == 0 || (values.known >> i & 1) != 0) continue;
      values.Set(i, own.field[static_cast<size_t>(i)]);
      from[static_cast<size_t>(i)] = base + member;
    }
  }
  return values;
}

// TECHNICAL where an earlier member that is not in conflict has the event id. Few members are compared one by one.
class EventIds {
 public:
  explicit EventIds(size_t members) : many_(members > kFew) {}
  bool SeenBefore(std::span<const Identity> fact, std::span<const Verdict> out, size_t member) {
    const uint64_t id = fact[member].event_id;
    if (many_) return !seen_.insert(id).second;
    for (size_t earlier = 0; earlier < member; ++earlier) {
      if (out[earlier].fate != Fate::kQuarantined && fact[earlier].event_id == id) return true;
    }
    return false;
  }

 private:
  static constexpr size_t kFew = 8;
  bool many_;
  absl::flat_hash_set<uint64_t> seen_;
};

// The first member that agrees with the accepted values.
uint32_t WinnerOf(std::span<const Identity> fact, const Values& accepted) {
  uint32_t winner = 0;
  while (winner < fact.size() && Differing(fact[winner].values, accepted) != 0) ++winner;
  return winner;  // an answer fits one of them
}

bool IsRejected(const Values& values, const Review* answer) {
  return answer != nullptr &&
         std::any_of(answer->rejected.begin(), answer->rejected.end(),
                     [&](const Values& rejected) { return Differing(values, rejected) == 0; });
}

void SettleFact(std::span<const Identity> fact, uint32_t base, Policy policy, const Review* answer,
                std::span<Verdict> out) {
  const Values accepted = answer == nullptr ? Values{} : answer->accepted;
  const uint32_t winner = WinnerOf(fact, accepted);
  std::array<uint32_t, kValuesMax> from{};
  const Values values = FactValues(fact, base, accepted, winner, from);
  EventIds event_ids(fact.size());
  bool conflict = false;
  for (size_t member = 0; member < fact.size(); ++member) {
    Verdict& verdict = out[member];
    const Values& own = fact[member].values;
    verdict = Verdict{.differs = Differing(own, values), .winner = base + winner, .value_from = from};
    verdict.differs |= Differing(own, accepted);
    if (verdict.differs != 0 && !IsRejected(own, answer)) {
      verdict.fate = Fate::kQuarantined;
      conflict = true;
      continue;
    }
    const bool seen = event_ids.SeenBefore(fact, out, member);
    if (member != winner) verdict.fate = seen ? Fate::kTechnicalDuplicate : Fate::kBusinessDuplicate;
  }
  if (!conflict || policy != Policy::kContestAll) return;
  for (Verdict& verdict : out) {
    const bool rejected = verdict.fate != Fate::kQuarantined && verdict.differs != 0;
    if (!rejected) verdict.fate = Fate::kQuarantined, verdict.contested = true;
  }
}

}  // namespace

uint8_t Differing(const Values& a, const Values& b) {
  uint8_t differs = 0;
  for (int i = 0; i < kValuesMax; ++i) {
    const auto bit = static_cast<uint8_t>(1u << i);
    const auto field = static_cast<size_t>(i);
    if ((a.known & b.known & bit) != 0 && a.field[field] != b.field[field]) differs |= bit;
  }
  return differs;
}

bool SettlesBefore(const Identity& a, const Identity& b) {
  return std::tie(a.unit, a.fact, a.business_key, a.order) <
         std::tie(b.unit, b.fact, b.business_key, b.order);
}

void Settle(std::span<const Identity> sorted, Policy policy, const Answers& answers, std::span<Verdict> out) {
  size_t begin = 0;
  while (begin < sorted.size()) {
    size_t end = begin + 1;
    while (end < sorted.size() && SameFact(sorted[begin], sorted[end])) ++end;
    const auto fact = sorted.subspan(begin, end - begin);
    const Review* const answer = answers.empty() ? nullptr : AnswerTo(fact, answers);
    SettleFact(fact, static_cast<uint32_t>(begin), policy, answer, out.subspan(begin, fact.size()));
    begin = end;
  }
}

bool CopyOf(const Glance& known, const Identity& arrived, Fate& fate) {
  const Identity& winner = known.winner;
  if (!known.has_winner || !(winner.order < arrived.order)) return false;
  if (winner.cut != arrived.cut || winner.business_key != arrived.business_key) return false;
  // A value that the fact took from a later member might now come from this one; one that it lacks does.
  if (known.filled != 0 || (arrived.values.known & ~winner.values.known) != 0) return false;
  if (Differing(arrived.values, winner.values) != 0) return false;
  if (known.event_id_seen && !(known.event_id_first < arrived.order)) return false;
  fate = known.event_id_seen ? Fate::kTechnicalDuplicate : Fate::kBusinessDuplicate;
  return true;
}

}  // namespace medallion
