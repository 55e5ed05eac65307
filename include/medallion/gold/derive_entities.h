// Deriving: from the histories of entities to the Gold writes that follow. Touched entities only; deriving them again
// equals deriving everything from scratch.
// Pure. Safe from any thread. The Pack is described in io/run.h.
#pragma once

#include <cstddef>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "medallion/gold/merge.h"
#include "medallion/gold/resolve.h"
#include "medallion/gold/row_hash.h"
#include "medallion/gold/sighting.h"
#include "medallion/silver/element.h"

namespace medallion {

// One entity of a span of histories. Its elements end before `elements_end` and begin where those of the entity before
// it end; its versions likewise, the contexts that links give it (see gold/resolve.h), and its children: the Gold rows of
// other entities that name it as their parent.
struct EntityHistory {
  EntityKey entity = {};
  std::string_view summary =
      {};  // equals the elements left out, which came before all others; empty: none is
  size_t elements_end = 0;
  size_t versions_end = 0;
  size_t contexts_end = 0;
  size_t children_end = 0;
  // Of an entity that is derived from sightings of a subject: its spelling that sorts first by bytes, and what is known.
  std::string_view subject = {};
  Sighting sighting = {};
};

// What the links to an entity tell of it, in no order; each in the pack's own bytes.
using Contexts = std::span<const std::string_view>;

// What an entity is derived from.
template <class Event, class Gold>
struct EntityFacts {
  EntityKey entity = {};
  std::string_view summary = {};  // of what came before the history; empty: nothing did
  std::span<const Element<Event>> history = {};
  Contexts contexts = {};
  std::span<const Gold> children = {};
  std::string_view subject = {};  // empty: it has no sightings
  Sighting sighting = {};
};

// The histories of many entities, see EntityHistory.
template <class Pack>
struct Histories {
  std::span<const EntityHistory> entities = {};
  std::span<const Element<typename Pack::Event>> elements = {};
  std::span<const GoldVersion> versions = {};
  Contexts contexts = {};
  std::span<const typename Pack::Gold> children = {};
};

// An entity that was derived anew.
struct Derived {
  EntityKey entity = {};
  std::string summary = {};   // of its history, for the next derivation; empty: that needs the whole history
  Digest model_version = {};  // of what derived it, if the pack's Model has one
};

// What entities were derived into.
template <class Gold>
struct Derivation {
  std::vector<GoldWrite<Gold>> gold;
  std::vector<Derived> derived;
  std::vector<EntityKey> unfolded;  // not derived: what came since does not go on from the summary
};

// Whether the pack makes rows of rows: see ParentOf in io/run.h.
template <class Pack>
concept RollsUp = requires(const typename Pack::Gold& row, const typename Pack::Model& model) {
  Pack::ParentOf(row, model);
};

namespace deriving {

// Whether the pack keeps summaries: see Continue in io/run.h.
template <class Pack>
concept Summarizes = requires(std::string& summary,
                              const EntityFacts<typename Pack::Event, typename Pack::Gold>& facts,
                              const typename Pack::Model& model) {
  Pack::Continue(facts, UtcTime{}, model, summary);
};

// The rows of one entity, and its new summary; none for one that had none if not `summarize`. Nothing where the whole
// history is needed.
template <class Pack>
std::optional<std::vector<typename Pack::Gold>> Rows(
    const EntityFacts<typename Pack::Event, typename Pack::Gold>& facts, bool summarize, UtcTime data_clock,
    const typename Pack::Model& model, std::string& summary) {
  summary.clear();
  if constexpr (Summarizes<Pack>) {
    if (!facts.summary.empty()) return Pack::Continue(facts, data_clock, model, summary);
    return Pack::Derive(facts, data_clock, model, summarize ? &summary : nullptr);
  } else {
    if (!facts.summary.empty()) return std::nullopt;  // another program's
    return Pack::Derive(facts, data_clock, model);
  }
}

template <class Model>
Digest VersionOf(const Model& model) {
  if constexpr (requires { model.model_version; }) {
    return model.model_version;
  } else {
    static_cast<void>(model);
    return {};
  }
}

// The entity that is derived from the row, with others; all zeros where there is none.
template <class Pack>
EntityKey ParentOf(const typename Pack::Gold& row, const typename Pack::Model& model) {
  if constexpr (RollsUp<Pack>) {
    return Pack::ParentOf(row, model);
  } else {
    static_cast<void>(row), static_cast<void>(model);
    return {};
  }
}

// The rows that one entity was derived into end here, among those of all; and those that stand for it.
struct Merging {
  size_t rows_end = 0;
  std::span<const GoldVersion> standing;
};

// The writes that turn the rows that stand for an entity into `rows`.
template <class Gold>
std::vector<Change> ChangesOf(std::span<const GoldVersion> standing, std::span<const GoldWrite<Gold>> rows) {
  std::vector<RowVersion> before, after;
  for (const GoldVersion& row : standing) before.push_back(row.version);
  for (const auto& row : rows) after.push_back(row.version);
  return Merge(before, after);
}

// Makes writes of the rows of all entities, deletes last. A row that another entity is now derived into goes from the one
// and comes to the other. Rows are large: most stay where they are.
template <class Gold>
void MergeRows(std::span<const Merging> entities, std::vector<GoldWrite<Gold>>& rows) {
  std::vector<GoldWrite<Gold>> gone;
  size_t begin = 0, written = 0;
  const auto write = [&](size_t row, Write how) {
    if (row != written) rows[written] = std::move(rows[row]);
    rows[written++].write = how;
  };
  for (const auto& [end, standing] : entities) {
    const bool one_each = standing.size() == 1 && end == begin + 1;
    if (standing.empty()) {
      for (size_t row = begin; row < end; ++row) write(row, Write::kInsert);
    } else if (one_each && standing[0].version.key == rows[begin].version.key) {  // the usual case
      if (standing[0].version != rows[begin].version) write(begin, Write::kUpdate);
    } else {
      for (const Change& change : ChangesOf<Gold>(standing, std::span(rows).subspan(begin, end - begin))) {
        if (change.write != Write::kDelete) {
          write(begin + change.index, change.write);
          continue;
        }
        const GoldVersion& row = standing[change.index];
        gone.push_back({.write = Write::kDelete, .entity = row.entity, .version = row.version});
      }
    }
    begin = end;
  }
  rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(written), rows.end());
  rows.insert(rows.end(), std::make_move_iterator(gone.begin()), std::make_move_iterator(gone.end()));
}

}  // namespace deriving

// Takes the parts of one entity after the other.
template <class Pack>
class EachEntity {
 public:
  explicit EachEntity(const Histories<Pack>& all) : all_(all) {}

  EntityFacts<typename Pack::Event, typename Pack::Gold> Next(const EntityHistory& of) {
    const auto part = [](auto rows, size_t& from, size_t end) {
      const size_t size = end - from;
      return rows.subspan(std::exchange(from, end), size);
    };
    return {.entity = of.entity,
            .summary = of.summary,
            .history = part(all_.elements, element_, of.elements_end),
            .contexts = part(all_.contexts, context_, of.contexts_end),
            .children = part(all_.children, child_, of.children_end),
            .subject = of.subject,
            .sighting = of.sighting};
  }

 private:
  const Histories<Pack>& all_;
  size_t element_ = 0, context_ = 0, child_ = 0;
};

// Derives each entity from its part of `all`, and merges with its part of the versions, the rows that stand. Summaries
// pay where entities are derived again and again as elements come.
template <class Pack>
Derivation<typename Pack::Gold> DeriveEntities(const Histories<Pack>& all, bool summarize, UtcTime data_clock,
                                               const typename Pack::Options& options) {
  Derivation<typename Pack::Gold> made;
  std::vector<deriving::Merging> merging;
  made.gold.reserve(all.entities.size()), made.derived.reserve(all.entities.size());
  const typename Pack::Model& model = Pack::ModelOf(options);
  EachEntity<Pack> each(all);
  size_t version = 0;
  std::string summary;
  for (const EntityHistory& history : all.entities) {
    const auto facts = each.Next(history);
    const auto versions = all.versions.subspan(version, history.versions_end - version);
    version = history.versions_end;
    auto derived = deriving::Rows<Pack>(facts, summarize, data_clock, model, summary);
    if (!derived.has_value()) {
      made.unfolded.push_back(history.entity);
      continue;
    }
    made.derived.push_back(
        {.entity = history.entity, .summary = summary, .model_version = deriving::VersionOf(model)});
    for (auto& row : *derived) {
      auto& write = made.gold.emplace_back();  // rows are large: moved once
      write.entity = history.entity;
      write.parent = deriving::ParentOf<Pack>(row, model);
      write.next_due_at = Pack::NextDue(row);
      write.row = std::move(row);
    }
    merging.push_back({made.gold.size(), versions});
  }
  HashRows(
      made.gold.size(), [&](size_t i) -> auto& { return made.gold[i].row; });
  for (auto& write : made.gold) write.version = Pack::VersionOf(write.row);
  deriving::MergeRows<typename Pack::Gold>(merging, made.gold);
  return made;
}

}  // namespace medallion
