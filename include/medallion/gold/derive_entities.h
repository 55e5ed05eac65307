// Deriving: from the histories of entities to the Gold writes that follow. Touched entities only; deriving them again
// equals deriving everything from scratch.
// Pure. Safe from any thread. The Pack is described in io/run.h.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "medallion/gold/merge.h"
#include "medallion/gold/resolve.h"
#include "medallion/silver/element.h"

namespace medallion {

// One entity of a span of histories. Its elements end before `elements_end` and begin where those of the entity before
// it end; its versions likewise, and the contexts that links give it (see gold/resolve.h).
struct EntityHistory {
  EntityKey entity = {};
  std::string_view summary =
      {};  // equals the elements left out, which came before all others; empty: none is
  size_t elements_end = 0;
  size_t versions_end = 0;
  size_t contexts_end = 0;
};

// What the links to an entity tell of it, in no order; each in the pack's own bytes.
using Contexts = std::span<const std::string_view>;

// An entity that was derived anew.
struct Derived {
  EntityKey entity = {};
  std::string summary = {};  // of its history, for the next derivation; empty: that needs the whole history
};

// What entities were derived into.
template <class Gold>
struct Derivation {
  std::vector<GoldWrite<Gold>> gold;
  std::vector<Derived> derived;
  std::vector<EntityKey> unfolded;  // not derived: what came since does not go on from the summary
};

namespace deriving {

// Whether the pack keeps summaries: see Continue in io/run.h.
template <class Pack>
concept Summarizes = requires(std::string& summary, std::span<const Element<typename Pack::Event>> elements,
                              Contexts contexts, const typename Pack::Model& model) {
  Pack::Continue(summary, elements, contexts, UtcTime{}, model);
};

// The rows of one entity, and the summary in place of the one given; none for one that has none if not `summarize`.
// Nothing where the whole history is needed.
template <class Pack>
std::optional<std::vector<typename Pack::Gold>> Rows(std::span<const Element<typename Pack::Event>> elements,
                                                     Contexts contexts, std::string& summary, bool summarize,
                                                     UtcTime data_clock, const typename Pack::Model& model) {
  if constexpr (Summarizes<Pack>) {
    if (!summary.empty()) return Pack::Continue(summary, elements, contexts, data_clock, model);
    return Pack::Derive(elements, contexts, data_clock, model, summarize ? &summary : nullptr);
  } else {
    if (!summary.empty()) return std::nullopt;  // another program's
    return Pack::Derive(elements, contexts, data_clock, model);
  }
}

// Puts in `writes` what turns the rows that stand into those derived, which are moved out. A row that another entity is
// now derived into goes from the one and comes to the other.
template <class Gold>
void MergeRows(std::span<const GoldVersion> standing, std::vector<GoldWrite<Gold>>& derived,
               std::vector<GoldWrite<Gold>>& writes) {
  if (standing.empty()) {  // all rows are new
    writes = std::move(derived);
    return;
  }
  writes.reserve(derived.size());
  std::vector<RowVersion> before, after;
  before.reserve(standing.size()), after.reserve(derived.size());
  // Turned, since the key of an entity's only row is often the entity's.
  const auto of_entity = [](RowVersion version, const Digest& entity) {
    constexpr size_t kSize = sizeof entity.bytes, kTurn = 13;
    for (size_t i = 0; i < kSize; ++i) version.key.bytes[i] ^= entity.bytes[(i + kTurn) % kSize];
    return version;
  };
  for (const GoldVersion& row : standing) before.push_back(of_entity(row.version, row.entity));
  for (const auto& row : derived) after.push_back(of_entity(row.version, row.entity));
  for (const Change& change : Merge(before, after)) {
    if (change.write == Write::kDelete) {
      const GoldVersion& gone = standing[change.index];
      writes.push_back({.write = Write::kDelete, .entity = gone.entity, .version = gone.version});
    } else {
      writes.push_back(std::move(derived[change.index]));
      writes.back().write = change.write;
    }
  }
}

}  // namespace deriving

// Derives each entity of `histories` from its part of `elements`, and merges with its part of `versions`, the rows that
// stand; its part of `contexts` is what links tell of it. Summaries pay where entities are derived again and again as elements come.
template <class Pack>
Derivation<typename Pack::Gold> DeriveEntities(std::span<const EntityHistory> histories,
                                               std::span<const Element<typename Pack::Event>> elements,
                                               std::span<const GoldVersion> versions, Contexts contexts,
                                               bool summarize, UtcTime data_clock,
                                               const typename Pack::Options& options) {
  Derivation<typename Pack::Gold> made;
  std::vector<GoldWrite<typename Pack::Gold>> rows;
  std::vector<GoldVersion> standing;
  rows.reserve(histories.size()), made.derived.reserve(histories.size());
  const typename Pack::Model& model = Pack::ModelOf(options);
  size_t element = 0, version = 0, context = 0;
  for (const EntityHistory& history : histories) {
    const auto own = elements.subspan(element, history.elements_end - element);
    const auto own_versions = versions.subspan(version, history.versions_end - version);
    const Contexts own_contexts = contexts.subspan(context, history.contexts_end - context);
    element = history.elements_end, version = history.versions_end, context = history.contexts_end;
    std::string summary(history.summary);
    auto derived = deriving::Rows<Pack>(own, own_contexts, summary, summarize, data_clock, model);
    if (!derived.has_value()) {
      made.unfolded.push_back(history.entity);
      continue;
    }
    made.derived.push_back({.entity = history.entity, .summary = std::move(summary)});
    standing.insert(standing.end(), own_versions.begin(), own_versions.end());
    for (auto& row : *derived) {
      const UtcTime due = Pack::NextDue(row);
      const RowVersion row_version = Pack::VersionOf(row);
      rows.push_back(
          {.entity = history.entity, .version = row_version, .next_due_at = due, .row = std::move(row)});
    }
  }
  deriving::MergeRows<typename Pack::Gold>(standing, rows, made.gold);
  return made;
}

}  // namespace medallion
