// Settling (dedup): which of the rows about one fact stands, and what the others are to it.
// A pure function of the set: neither the order of arrival nor the cutting into batches plays a part.
// Safe from any thread. Source: the design, section 4, "Settling".
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "medallion/silver/fate.h"
#include "medallion/silver/identity.h"
#include "medallion/silver/review.h"

namespace medallion {

enum class Policy : uint8_t {
  kKeepFirst,   // a contradicted winner stays in Silver
  kContestAll,  // one contradiction moves every row of the fact to quarantine (billing grade)
};

// What settling says of one row. Indexes are into the span that was settled.
struct Verdict {
  Fate fate = Fate::kSilver;
  // Bit i: value i differs from the fact's. Not 0 for a conflict; and for a duplicate of what an answer rejected.
  uint8_t differs = 0;
  bool contested = false;  // quarantined because the fact is in conflict (its own values may agree)
  uint32_t winner = 0;     // the first of the fact; of one that was answered the first in agreement
  // For the winner: where each value of the fact comes from (its own index where it has the value itself or
  // nobody has).
  std::array<uint32_t, kValuesMax> value_from{};
};

// Bit i: both have value i, and they differ.
uint8_t Differing(const Values& a, const Values& b);

// The order that Settle wants: by unit, fact, business key, then Order.
bool SettlesBefore(const Identity& a, const Identity& b);

// Settles many facts in one call. `sorted` is in the order of SettlesBefore; rows with equal unit, fact and
// business key are one fact. `out` has the size of `sorted`.
//
//   winner      the first of the fact
//   values      each is the first non-null one in order
//   duplicate   none of its values differs (a null differs from nothing): TECHNICAL if an earlier such member,
//               the winner among them, has its event id, else BUSINESS
//   conflict    a value differs: quarantined
//
// Where an answer fits the fact (see AnswerTo), the accepted values stand for its values, the winner is the first member
// that agrees with them, and a member that differs from them but not from rejected ones is a duplicate, by its event id.
void Settle(std::span<const Identity> sorted, Policy policy, const Answers& answers, std::span<Verdict> out);
inline void Settle(std::span<const Identity> sorted, Policy policy, std::span<Verdict> out) {
  Settle(sorted, policy, {}, out);
}

// What a store knows of the unit that `arrived` belongs to, where one look suffices (see CopyOf).
struct Glance {
  uint32_t arrived = 0;     // the index of `arrived`, where many were asked for
  bool has_winner = false;  // a row in Silver with the unit, business key and cut of `arrived`
  Identity winner = {};     // that row, with its own values
  uint8_t filled = 0;       // bit i: the fact's value i is not the winner's own
  bool event_id_seen = false;
  // The first member in agreement of the winner's fact that has the event id of `arrived`.
  Order event_id_first = {};
};

// The verdict on a row that is a mere copy of a settled winner, so that no other member need be looked at:
// it sorts after the winner, agrees with it in all values, brings no value the fact lacks, is cut as the winner
// is, and no later member has its event id. Returns false where that is not so: then the unit must be settled
// as a whole. `fate` is TECHNICAL or BUSINESS. This keeps a stuck sender's copies linear.
bool CopyOf(const Glance& known, const Identity& arrived, Fate& fate);

}  // namespace medallion
