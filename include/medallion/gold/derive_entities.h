// Deriving: which entities a batch touches, and the Gold writes that follow. Touched entities only; deriving them again
// equals deriving everything from scratch.
// Pure. Safe from any thread. The Pack is described in io/run.h.
#pragma once

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "medallion/gold/merge.h"
#include "medallion/silver/element.h"

namespace medallion {

// Whether an entity is derived from the element as it stands: it is in Silver, or bears on it as a conflict.
template <class Event>
bool IsHistory(const Element<Event>& element) {
  const Standing& standing = element.standing;
  return element.entity != EntityKey{} && (standing.fate == Fate::kSilver || standing.conflict);
}

// The entities that are derived anew: of arrived elements that are history, and of all that changed or were withdrawn.
template <class Event>
std::vector<EntityKey> TouchedEntities(std::span<const Element<Event>> arrived,
                                       std::span<const Element<Event>> changed,
                                       std::span<const Element<Event>> withdrawn) {
  absl::flat_hash_set<EntityKey> touched;
  for (const Element<Event>& element : arrived) {
    if (IsHistory(element)) touched.insert(element.entity);
  }
  for (const auto elements : {changed, withdrawn}) {
    for (const Element<Event>& element : elements) {
      if (element.entity != EntityKey{}) touched.insert(element.entity);
    }
  }
  std::vector<EntityKey> sorted(touched.begin(), touched.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

// The histories of entities after a batch: what the store had, less what the batch replaces, with what it brings.
// Sorted by entity.
template <class Event>
std::vector<Element<Event>> HistoryAfter(std::vector<Element<Event>> stored,
                                         std::span<const Element<Event>> arrived,
                                         std::span<const Element<Event>> changed,
                                         std::span<const Element<Event>> withdrawn) {
  absl::flat_hash_set<ElementId> replaced;
  for (const auto elements : {changed, withdrawn}) {
    for (const Element<Event>& element : elements) replaced.insert(IdOf(element.identity.order));
  }
  if (!replaced.empty()) {
    std::erase_if(stored,
                  [&](const auto& element) { return replaced.contains(IdOf(element.identity.order)); });
  }
  for (const auto elements : {arrived, changed}) {
    for (const Element<Event>& element : elements) {
      if (IsHistory(element)) stored.push_back(element);
    }
  }
  // Elements are large: their numbers are sorted, then each element moves once.
  std::vector<size_t> order(stored.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return stored[a].entity < stored[b].entity; });
  std::vector<Element<Event>> sorted;
  sorted.reserve(stored.size());
  for (const size_t i : order) sorted.push_back(std::move(stored[i]));
  return sorted;
}

// Derives each entity of `history`, sorted by entity, and merges with the rows that stand for the touched entities.
template <class Pack>
std::vector<GoldWrite<typename Pack::Gold>> DeriveEntities(
    std::span<const Element<typename Pack::Event>> history, std::span<const GoldVersion> standing,
    UtcTime data_clock, const typename Pack::Options& options) {
  std::vector<GoldWrite<typename Pack::Gold>> derived;
  for (size_t begin = 0, end = 0; begin < history.size(); begin = end) {
    const EntityKey& entity = history[begin].entity;
    while (end < history.size() && history[end].entity == entity) ++end;
    for (auto& row : Pack::Derive(history.subspan(begin, end - begin), data_clock, options)) {
      const UtcTime due = Pack::NextDue(row);
      const RowVersion version = Pack::VersionOf(row);
      derived.push_back({.entity = entity, .version = version, .next_due_at = due, .row = std::move(row)});
    }
  }
  std::vector<RowVersion> before, after;
  for (const GoldVersion& row : standing) before.push_back(row.version);
  for (const auto& row : derived) after.push_back(row.version);

  std::vector<GoldWrite<typename Pack::Gold>> writes;
  for (const Change& change : Merge(before, after)) {
    if (change.write == Write::kDelete) {
      const GoldVersion& gone = standing[change.index];
      writes.push_back({.write = Write::kDelete, .entity = gone.entity, .version = gone.version});
    } else {
      writes.push_back(std::move(derived[change.index]));
      writes.back().write = change.write;
    }
  }
  return writes;
}

}  // namespace medallion
