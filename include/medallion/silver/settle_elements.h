// Settling a batch: the rows that arrived, together with what a store knows of their units.
// Pure. Safe from any thread. The Pack is described in io/run.h.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "medallion/base/arena.h"
#include "medallion/silver/element.h"
#include "medallion/silver/settle.h"

namespace medallion {

// Indexes of the arrived elements that are not alone in a new unit: the unit has other arrived elements, or is known to
// the store (`glances`, in the order of the arrived). By unit and Order.
template <class Event>
std::vector<uint32_t> NotAlone(std::span<const Element<Event>> arrived, std::span<const Glance> glances) {
  std::vector<uint32_t> found;
  for (const Glance& glance : glances) found.push_back(glance.arrived);
  absl::flat_hash_map<uint64_t, uint32_t> first;  // by the beginning of the unit: few others share it
  first.reserve(arrived.size());
  for (uint32_t i = 0; i < arrived.size(); ++i) {
    if (!arrived[i].to_settle()) continue;
    const auto [at, added] = first.try_emplace(arrived[i].identity.unit.Prefix(), i);
    if (!added) found.insert(found.end(), {at->second, i});
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  std::sort(found.begin(), found.end(), [&](uint32_t a, uint32_t b) {
    const Identity &left = arrived[a].identity, &right = arrived[b].identity;
    return left.unit != right.unit ? left.unit < right.unit : left.order < right.order;
  });
  return found;
}

// What one look at each unit leaves to be done.
struct Unsettled {
  std::vector<uint32_t> arrived;  // indexes of elements whose units must be settled as a whole
  std::vector<Digest> units;      // of these, the units that the store has members of
};

namespace settling {

// The glance at an arrived element; null where its unit is new.
inline const Glance* GlanceOf(uint32_t arrived, std::span<const Glance> glances) {
  const auto found = std::lower_bound(glances.begin(), glances.end(), arrived,
                                      [](const Glance& glance, uint32_t i) { return glance.arrived < i; });
  return found == glances.end() || found->arrived != arrived ? nullptr : &*found;
}

// Settles the copies of one known unit, in order. False where one of them is more than a mere copy: then none was
// touched for good, and the unit must be settled as a whole.
template <class Event>
bool SettleCopies(std::span<Element<Event>> arrived, std::span<const uint32_t> unit,
                  std::span<const Glance> glances, Arena& texts) {
  absl::flat_hash_set<std::pair<uint64_t, uint64_t>> seen;  // (fact, event id) of the copies so far
  for (const uint32_t i : unit) {
    Element<Event>& element = arrived[i];
    const Glance& glance = *GlanceOf(i, glances);
    if (!CopyOf(glance, element.identity, element.standing.fate)) return false;
    const uint64_t fact = glance.winner.business_key.Prefix() + glance.winner.fact;
    if (!seen.emplace(fact, element.identity.event_id).second) {
      element.standing.fate = Fate::kTechnicalDuplicate;
    }
    element.standing.others = texts.Keep(Others{.winner = glance.winner.order});
    element.identity.fact = glance.winner.fact;
  }
  return true;
}

}  // namespace settling

// Settles what one look suffices for: a row alone in a new unit stands, mere copies of a settled winner are duplicates.
// `glances` are those at known units, in the order of the arrived. What standings name goes to `texts`.
template <class Event>
Unsettled SettleAtAGlance(std::span<Element<Event>> arrived, std::span<const Glance> glances, Arena& texts) {
  Unsettled left;
  const std::vector<uint32_t> sorted = NotAlone<Event>(arrived, glances);
  for (size_t begin = 0, end = 0; begin < sorted.size(); begin = end) {
    const Digest& unit = arrived[sorted[begin]].identity.unit;
    while (end < sorted.size() && arrived[sorted[end]].identity.unit == unit) ++end;
    const auto members = std::span(sorted).subspan(begin, end - begin);
    const bool is_new = settling::GlanceOf(members.front(), glances) == nullptr;
    if (is_new && members.size() == 1) continue;
    if (!is_new && settling::SettleCopies(arrived, members, glances, texts)) continue;
    left.arrived.insert(left.arrived.end(), members.begin(), members.end());
    if (!is_new) left.units.push_back(unit);
  }
  return left;
}

namespace settling {

// A member of a unit while it is settled as a whole: elements are large, and stay where they are.
template <class Event>
struct Member {
  Element<Event>* element;  // with its own values and no standing
  Standing stood = {};      // before, where the store knew it
  uint32_t fact_stood = 0;
  std::string_view detail_stood = {};

  // Ignored: the cut looks at it, no fact is made of it.
  bool is_witness() const { return element->standing.fate == Fate::kIgnored; }
};

template <class Event>
using Members = std::span<Member<Event>* const>;

// Takes a known element's standing away.
template <class Pack>
Member<typename Pack::Event> Stood(Element<typename Pack::Event>& known) {
  Member<typename Pack::Event> member{.element = &known,
                                      .stood = known.standing,
                                      .fact_stood = known.identity.fact,
                                      .detail_stood = known.detail};
  if (member.is_witness()) return member;
  for (int i = 0; i < kValuesMax; ++i) {
    if ((known.standing.filled >> i & 1) != 0) Pack::Fill(known.row, i, nullptr);
  }
  // A conflict's detail is written anew; any other's is its own.
  if (known.standing.conflict) known.detail = {};
  known.standing = {};
  return member;
}

// The winner's row with the fact's values, and the standing that says where they came from.
template <class Pack>
typename Pack::Event FactRow(Members<typename Pack::Event> members, uint32_t winner, const Verdict& verdict,
                             Standing& standing, Arena& texts) {
  typename Pack::Event row = members[winner]->element->row;
  Others others;
  for (int i = 0; i < kValuesMax; ++i) {
    const uint32_t from = verdict.value_from[static_cast<size_t>(i)];
    if (from == winner) continue;
    standing.filled = static_cast<uint8_t>(standing.filled | (1u << i));
    others.value_from[static_cast<size_t>(i)] = members[from]->element->identity.order.at;
    Pack::Fill(row, i, &members[from]->element->row);
  }
  if (standing.filled != 0) standing.others = texts.Keep(others);
  return row;
}

// When the fact was first known to be in conflict: for each differing member the later of it and the winner, and of
// these the earliest.
template <class Event>
UtcTime ContestedSince(Members<Event> fact, std::span<const Verdict> verdicts, const Order& winner) {
  UtcTime since = kNoTime;
  for (size_t i = 0; i < fact.size(); ++i) {
    if (verdicts[i].differs == 0 || verdicts[i].fate != Fate::kQuarantined) continue;
    const UtcTime both = std::max(fact[i]->element->identity.order.ingest_ts, winner.ingest_ts);
    since = since == kNoTime ? both : std::min(since, both);
  }
  return since;
}

// Gives the members, sorted as they were settled, their standing.
template <class Pack>
void Stand(Members<typename Pack::Event> members, std::span<const Verdict> verdicts, Arena& texts) {
  using Event = typename Pack::Event;
  for (size_t begin = 0, end = 0; begin < members.size(); begin = end) {
    const uint32_t winner = verdicts[begin].winner;
    while (end < members.size() && verdicts[end].winner == winner) ++end;
    if (end == begin + 1) continue;  // alone: it stands as it is
    Standing winning;
    const Event fact = FactRow<Pack>(members, winner, verdicts[winner], winning, texts);
    const Order& first = members[winner]->element->identity.order;
    const Others* others = texts.Keep(Others{.winner = first});
    const UtcTime contested = ContestedSince<Event>(members.subspan(begin, end - begin),
                                                    verdicts.subspan(begin, end - begin), first);
    for (size_t i = begin; i < end; ++i) {
      const Verdict& verdict = verdicts[i];
      Element<Event>& element = *members[i]->element;
      element.standing = verdict.fate == Fate::kSilver
                             ? winning
                             : Standing{.fate = verdict.fate, .differs = verdict.differs, .others = others};
      if (verdict.fate == Fate::kSilver) element.row = fact;
      if (verdict.fate != Fate::kQuarantined) continue;
      element.standing.conflict = true;
      element.standing.since =
          std::max(element.identity.order.ingest_ts, verdict.contested ? contested : first.ingest_ts);
      element.detail = texts.Copy(Pack::Difference(element.row, fact, verdict.differs));
    }
  }
}

// Numbers the facts of each unit; members are sorted by unit and Order.
template <class Pack>
void Cut(Members<typename Pack::Event> members, const typename Pack::Options& options) {
  std::vector<const Element<typename Pack::Event>*> elements;  // of one unit, and the fact of each
  std::vector<uint32_t> fact;
  for (size_t begin = 0, end = 0; begin < members.size(); begin = end) {
    const Digest& unit = members[begin]->element->identity.unit;
    while (end < members.size() && members[end]->element->identity.unit == unit) ++end;
    if (members[begin]->element->identity.cut == 0) continue;
    elements.clear();
    for (size_t i = begin; i < end; ++i) elements.push_back(members[i]->element);
    fact.assign(elements.size(), 0);
    Pack::Cut(elements, fact, options);
    for (size_t i = begin; i < end; ++i) members[i]->element->identity.fact = fact[i - begin];
  }
}

template <class Event>
bool UnitBefore(const Member<Event>* a, const Member<Event>* b) {
  const Identity &left_id = a->element->identity, &right_id = b->element->identity;
  return left_id.unit != right_id.unit ? left_id.unit < right_id.unit : left_id.order < right_id.order;
}
template <class Event>
bool MemberBefore(const Member<Event>* a, const Member<Event>* b) {
  return SettlesBefore(a->element->identity, b->element->identity);
}

// Gives the members of whole units, in any order, their facts and their standing.
template <class Pack>
void Settle(std::span<Member<typename Pack::Event>> members, const typename Pack::Options& options,
            const Answers& answers, Arena& texts) {
  using Member = Member<typename Pack::Event>;
  std::vector<Member*> sorted;
  sorted.reserve(members.size());
  for (Member& member : members) sorted.push_back(&member);
  std::sort(sorted.begin(), sorted.end(), UnitBefore<typename Pack::Event>);
  Cut<Pack>(sorted, options);
  std::erase_if(sorted, [](const Member* member) {
    if (member->is_witness()) member->element->identity.fact = 0;
    return member->is_witness();
  });
  std::sort(sorted.begin(), sorted.end(), MemberBefore<typename Pack::Event>);

  std::vector<Identity> identities;
  identities.reserve(sorted.size());
  for (const Member* member : sorted) identities.push_back(member->element->identity);
  std::vector<Verdict> verdicts(sorted.size());
  medallion::Settle(identities, Pack::PolicyOf(options), answers, verdicts);
  Stand<Pack>(sorted, verdicts, texts);
}

}  // namespace settling

// Settles whole units: `arrived` elements named by `left` together with `known`, all other members of their units. All
// get their standing in place; of the known ones only those are left that now stand otherwise. `answers` are those there
// are to these units. New texts go to `texts`.
template <class Pack>
void SettleWhole(std::span<Element<typename Pack::Event>> arrived, std::span<const uint32_t> left,
                 std::vector<Element<typename Pack::Event>>& known, const typename Pack::Options& options,
                 const Answers& answers, Arena& texts) {
  using Member = settling::Member<typename Pack::Event>;
  std::vector<Member> members;
  members.reserve(left.size() + known.size());
  for (Element<typename Pack::Event>& element : known) members.push_back(settling::Stood<Pack>(element));
  for (const uint32_t i : left) {
    members.push_back({.element = &arrived[i]});
    if (!members.back().is_witness()) arrived[i].standing = {};
  }
  settling::Settle<Pack>(members, options, answers, texts);

  size_t member = 0;
  std::erase_if(known, [&](const auto& now) {
    const Member& before = members[member++];
    return now.standing == before.stood && now.identity.fact == before.fact_stood &&
           now.detail == before.detail_stood;
  });
}

}  // namespace medallion
