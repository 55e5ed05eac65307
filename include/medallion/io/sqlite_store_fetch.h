// The SQLite store: what the steps ask of it. Part of io/sqlite_store.h.
#pragma once

#include "medallion/io/sqlite_store.h"

namespace medallion {

template <class Pack>
absl::Status SqliteStore<Pack>::Seen(std::span<const RecordId> records, SeenAnswer& answer) {
  sqlite::Transaction reading(core_.connection());
  if (auto status = reading.Begin(sqlite::Transaction::kRead); !status.ok()) return status;
  if (auto status = core_.Watch(/*anew=*/true); !status.ok()) return status;
  std::vector<sqlite::KeptRecord> kept;
  if (auto status = core_.FindRecords(records, kept, answer.texts); !status.ok()) return status;
  answer.arrivals.assign(records.size(), std::nullopt);
  for (size_t i = 0; i < records.size(); ++i) {
    if (kept[i].number != 0) answer.arrivals[i] = kept[i].arrival;
    if (kept[i].forgotten) answer.forgotten.push_back(i);
  }
  answer.checkpoint = {};
  return core_.ReadCheckpoint(answer.checkpoint);
}

template <class Pack>
absl::Status SqliteStore<Pack>::Unpack(int64_t number, std::string_view body, ElementRow& element,
                                       Arena& texts) const {
  if (UnpackWhole(texts.Copy(body), element, texts) && static_cast<int>(element.standing.fate) < kFates) {
    return absl::OkStatus();
  }
  return absl::DataLossError(core_.path() + ": read element " + std::to_string(number) +
                             ": the file is damaged: restore it, or run into a new one");
}

// Nothing where it is gone.
template <class Pack>
absl::Status SqliteStore<Pack>::ReadElement(int64_t number, std::optional<ElementRow>& element,
                                            Arena& texts) {
  element.reset();
  absl::Status damage;
  const absl::Status status = core_.ForElement(number, [&](int64_t, std::string_view body) {
    damage = Unpack(number, body, element.emplace(), texts);
  });
  return status.ok() ? damage : status;
}

template <class Pack>
absl::Status SqliteStore<Pack>::Known(const KnownQuery<Event>& query, KnownAnswer<Event>& answer) {
  return Reading([&] {
    absl::Status status = FindWinners(query.arrived, answer.glances, answer.texts);
    if (status.ok()) status = FindEvents(query.arrived, answer.glances, answer.texts);
    if (status.ok()) status = FindUnits(query.arrived, answer.glances);
    if (status.ok()) status = ReadUnits(query.units, answer);
    if (status.ok()) status = ReadRecords(query.records, answer);
    if (status.ok()) status = core_.FindReviews(query.subjects, query.all_reviews, answer.reviews);
    return status;
  });
}

template <class Pack>
absl::Status SqliteStore<Pack>::Bronze(const BronzeQuery& query, BronzeAnswer& answer) {
  return Reading([&] { return core_.FindBronze(query, answer); });
}

// A glance for each whose unit may be known, with the winner where there is one.
template <class Pack>
absl::Status SqliteStore<Pack>::FindWinners(std::span<const ElementRow> arrived, std::vector<Glance>& glances,
                                            Arena& texts) {
  std::vector<sqlite::Entry> asked;  // key -> index of `glances`
  for (uint32_t i = 0; i < arrived.size(); ++i) {
    if (!arrived[i].to_settle()) continue;
    const uint64_t key = sqlite::WinnerKey(arrived[i].identity);
    if (!core_.units().MayHold(key)) continue;
    asked.push_back({key, static_cast<int64_t>(glances.size())});
    glances.emplace_back().arrived = i;
  }
  std::vector<sqlite::Hit> hits;
  if (auto status = core_.units().Find(asked, 0, hits); !status.ok()) return status;
  std::optional<ElementRow> element;
  for (const sqlite::Hit& hit : hits) {
    Glance& glance = glances[static_cast<size_t>(hit.asked)];
    const Identity& ask = arrived[glance.arrived].identity;
    if (glance.has_winner) continue;
    if (auto status = ReadElement(hit.value, element, texts); !status.ok()) return status;
    if (!element.has_value() || element->standing.fate != Fate::kSilver) continue;
    const Identity& found = element->identity;
    if (found.unit != ask.unit || found.business_key != ask.business_key || found.cut != ask.cut) continue;
    glance.has_winner = true;
    glance.winner = found;
    glance.filled = element->standing.filled;
  }
  return absl::OkStatus();
}

// Of the members in agreement with one event id, all but the first are technical duplicates: so the first is the
// winner itself or the one business duplicate with that id.
template <class Pack>
absl::Status SqliteStore<Pack>::FindEvents(std::span<const ElementRow> arrived, std::vector<Glance>& glances,
                                           Arena& texts) {
  std::vector<sqlite::Entry> asked;  // key -> index of `glances`
  for (size_t i = 0; i < glances.size(); ++i) {
    Glance& glance = glances[i];
    const uint64_t event_id = arrived[glance.arrived].identity.event_id;
    if (!glance.has_winner) continue;
    if (glance.winner.event_id == event_id) {
      glance.event_id_seen = true;
      glance.event_id_first = glance.winner.order;
    } else {
      asked.push_back({sqlite::EventKey(glance.winner, event_id), static_cast<int64_t>(i)});
    }
  }
  std::vector<sqlite::Hit> hits;
  if (auto status = core_.units().Find(asked, 0, hits); !status.ok()) return status;
  std::optional<ElementRow> element;
  for (const sqlite::Hit& hit : hits) {
    Glance& glance = glances[static_cast<size_t>(hit.asked)];
    const Identity& winner = glance.winner;
    if (glance.event_id_seen) continue;
    if (auto status = ReadElement(hit.value, element, texts); !status.ok()) return status;
    if (!element.has_value() || element->standing.fate != Fate::kBusinessDuplicate) continue;
    const Identity& found = element->identity;
    if (found.unit != winner.unit || found.business_key != winner.business_key || found.fact != winner.fact)
      continue;
    if (found.event_id != arrived[glance.arrived].identity.event_id) continue;
    glance.event_id_seen = true;
    glance.event_id_first = found.order;
  }
  return absl::OkStatus();
}

// Takes out the glances without a winner whose unit is not known either: it was another with an equal key.
template <class Pack>
absl::Status SqliteStore<Pack>::FindUnits(std::span<const ElementRow> arrived, std::vector<Glance>& glances) {
  std::vector<Digest> units;
  absl::flat_hash_map<Digest, bool> stands;
  std::vector<sqlite::Entry> asked;  // key -> index of `units`
  for (const Glance& glance : glances) {
    const Digest& unit = arrived[glance.arrived].identity.unit;
    if (glance.has_winner || !stands.try_emplace(unit, false).second) continue;
    asked.push_back({sqlite::UnitKey(unit), static_cast<int64_t>(units.size())});
    units.push_back(unit);
  }
  std::vector<sqlite::Hit> hits;
  if (auto status = core_.units().Find(asked, sqlite::kTagBits, hits); !status.ok()) return status;
  std::optional<ElementRow> element;
  for (const sqlite::Hit& hit : hits) {
    const Digest& unit = units[static_cast<size_t>(hit.asked)];
    bool& stands_already = stands[unit];
    if (stands_already) continue;
    Arena texts;
    if (auto status = ReadElement(hit.value, element, texts); !status.ok()) return status;
    stands_already = element.has_value() && element->identity.unit == unit;
  }
  std::erase_if(glances, [&](const Glance& glance) {
    return !glance.has_winner && !stands[arrived[glance.arrived].identity.unit];
  });
  return absl::OkStatus();
}

template <class Pack>
absl::Status SqliteStore<Pack>::ReadUnits(std::span<const Digest> units, KnownAnswer<Event>& answer) {
  std::vector<sqlite::Entry> asked;  // key -> index of `units`
  absl::flat_hash_set<Digest> once;
  for (size_t i = 0; i < units.size(); ++i) {
    if (once.insert(units[i]).second) asked.push_back({sqlite::UnitKey(units[i]), static_cast<int64_t>(i)});
  }
  std::vector<sqlite::Hit> hits;
  if (auto status = core_.units().Find(asked, sqlite::kTagBits, hits); !status.ok()) return status;
  std::optional<ElementRow> element;
  for (const sqlite::Hit& hit : hits) {
    if (auto status = ReadElement(hit.value, element, answer.texts); !status.ok()) return status;
    if (!element.has_value() || element->identity.unit != units[static_cast<size_t>(hit.asked)]) continue;
    answer.elements.push_back(*element);
  }
  return absl::OkStatus();
}

template <class Pack>
absl::Status SqliteStore<Pack>::ReadRecords(std::span<const RecordId> records, KnownAnswer<Event>& answer) {
  if (records.empty()) return absl::OkStatus();
  std::vector<sqlite::KeptRecord> kept;
  if (auto status = core_.FindRecords(records, kept, answer.texts); !status.ok()) return status;
  absl::flat_hash_set<ElementId> taken;
  for (const ElementRow& element : answer.elements) taken.insert(IdOf(element.identity.order));
  for (const sqlite::KeptRecord& record : kept) {
    absl::Status damage;
    const auto take = [&](int64_t number, std::string_view body) {
      ElementRow element;
      damage = Unpack(number, body, element, answer.texts);
      if (damage.ok() && taken.insert(IdOf(element.identity.order)).second)
        answer.elements.push_back(element);
      return damage.ok();
    };
    if (auto status = core_.ForRecord(record.number, take); !status.ok()) return status;
    if (!damage.ok()) return damage;
  }
  return absl::OkStatus();
}

// Some that are stale; none where no list is left.
template <class Pack>
absl::Status SqliteStore<Pack>::ReadStale(AskedFor& from, size_t most, std::vector<EntityKey>& found) {
  while (found.empty() && !from.stale_left.empty()) {
    sqlite::StaleList& list = core_.stale(from.stale_left.back());
    if (from.stale == sqlite::StaleList::Place{}) from.stale = list.begin();
    if (auto status = core_.ReadStale(list, from.stale, most, found); !status.ok()) return status;
    if (!found.empty()) break;
    from.stale_left.pop_back();
    from.stale = {};
    if (!from.taken.empty()) from.stale_left.clear();  // what sightings make may need these first
  }
  return absl::OkStatus();
}

// Some of the entities asked for that were not taken yet; none at the end.
template <class Pack>
absl::Status SqliteStore<Pack>::NextEntities(const HistoryQuery& query, AskedFor& from,
                                             std::vector<EntityKey>& next) {
  const size_t at_once = query.rollups ? 64 : 256;  // what they are made of is read at once, too
  next.clear();
  while (next.empty()) {
    std::vector<EntityKey> found;
    absl::Status status;
    bool stale = false;
    if (from.given < query.entities.size()) {
      const auto given =
          query.entities.subspan(from.given, std::min(at_once, query.entities.size() - from.given));
      found.assign(given.begin(), given.end());
      from.given += found.size();
    } else if (!from.stale_left.empty()) {
      stale = true;
      status = ReadStale(from, at_once, found);
    } else if (from.due_left) {
      status = core_.ReadDue(query.due_by, from.due, at_once, found);
      from.due += found.size();
      from.due_left = found.size() == at_once;
    } else {
      return absl::OkStatus();
    }
    if (!status.ok()) return status;
    for (const EntityKey& entity : found) {
      if (!from.taken.insert(entity).second) continue;
      if (stale && from.skip > 0) {
        --from.skip;
      } else {
        next.push_back(entity);
      }
    }
  }
  return absl::OkStatus();
}

template <class Pack>
absl::Status SqliteStore<Pack>::History(const HistoryQuery& query, HistoryAnswer<Pack>& answer) {
  return Reading([&] {
    answer.elements.reserve(query.rows_max);
    AskedFor from{.due_left = query.due_by != kNoTime, .skip = query.stale_skip};
    if (query.rollups) {
      from.stale_left = {sqlite::Stale::kSighted, sqlite::Stale::kRollups};
    } else if (query.stale) {
      from.stale_left = {sqlite::Stale::kElements};
    }
    std::vector<EntityKey> next;
    do {
      if (auto status = NextEntities(query, from, next); !status.ok()) return status;
      if (auto status = ReadHistories(next, query, answer); !status.ok()) return status;
    } while (!next.empty() && !answer.more);
    return absl::OkStatus();
  });
}

// Of these entities in their order, until the answer is full.
template <class Pack>
absl::Status SqliteStore<Pack>::ReadHistories(std::span<const EntityKey> entities, const HistoryQuery& query,
                                              HistoryAnswer<Pack>& answer) {
  std::vector<sqlite::Hit> hits;
  std::vector<sqlite::KeptEntity> kept(entities.size());
  std::vector<sqlite::KeptGold> gold;
  absl::Status status;
  if (!query.rollups) status = core_.FindOf(entities, core_.histories(), hits);
  if (status.ok() && !query.whole) status = core_.FindEntities(entities, kept, answer.texts);
  if (status.ok()) status = core_.FindGold(entities, gold);
  std::vector<Rollup> rollups;
  if (status.ok()) status = ReadRollups(entities, rollups, answer.texts);
  if (!status.ok()) return status;
  const auto own = [](auto& rows, int64_t entity) {  // the first of those that are left
    size_t size = 0;
    while (size < rows.size() && rows[size].asked == entity) ++size;
    const auto first = rows.first(size);
    rows = rows.subspan(size);
    return first;
  };
  auto hits_left = std::span<const sqlite::Hit>(hits);
  auto gold_left = std::span<const sqlite::KeptGold>(gold);
  for (size_t i = 0; i < entities.size(); ++i) {
    const size_t rows = answer.entities.size() + answer.elements.size() + answer.children.size();
    answer.more = rows >= query.rows_max;
    if (answer.more) return absl::OkStatus();
    const auto elements = own(hits_left, static_cast<int64_t>(i));
    EntityKey root;
    status = core_.timelines().RootOf(entities[i], root);
    if (status.ok() && root == entities[i]) status = ReadHistory(entities[i], kept[i], elements, answer);
    if (status.ok()) status = ReadJoined(entities[i], kept[i], answer);
    if (!status.ok()) return status;
    for (const sqlite::KeptGold& row : own(gold_left, static_cast<int64_t>(i)))
      answer.versions.push_back(row.version);
    status = core_.timelines().Contexts(entities[i], answer.contexts, answer.texts);
    if (!status.ok()) return status;
    for (const std::string_view body : rollups[i].children) {
      PackReader reader(body, answer.texts);
      Digest key;
      reader(key);
      UnpackGold(reader, key, answer.children.emplace_back());
      if (!reader.ok() || !reader.at_end()) return core_.Damage("read the rows that a row is made of");
    }
    answer.entities.push_back({.entity = entities[i],
                               .summary = kept[i].summary,
                               .elements_end = answer.elements.size(),
                               .versions_end = answer.versions.size(),
                               .contexts_end = answer.contexts.size(),
                               .children_end = answer.children.size()});
    if (rollups[i].sighting.number == 0) continue;
    answer.entities.back().subject = answer.texts.Copy(rollups[i].sighting.name);
    answer.entities.back().sighting = rollups[i].sighting.sighting;
  }
  return absl::OkStatus();
}

// Those of the elements found that a summary does not cover.
template <class Pack>
absl::Status SqliteStore<Pack>::ReadHistory(const EntityKey& entity, const sqlite::KeptEntity& kept,
                                            std::span<const sqlite::Hit> elements,
                                            HistoryAnswer<Pack>& answer) {
  const auto is_covered = [&](const sqlite::Hit& hit) { return hit.value < kept.summed; };
  elements = {std::partition_point(elements.begin(), elements.end(), is_covered), elements.end()};
  if (elements.empty()) return absl::OkStatus();
  absl::Status damage;
  const absl::Status read = core_.ForElements(elements, [&](const sqlite::Hit& hit, std::string_view body) {
    ElementRow& element = answer.elements.emplace_back();
    damage = Unpack(hit.value, body, element, answer.texts);
    if (element.entity != entity || !IsHistory(element)) answer.elements.pop_back();
    return damage.ok();
  });
  return read.ok() ? damage : read;
}

template <class Pack>
absl::Status SqliteStore<Pack>::ReadRollups(std::span<const EntityKey> entities, std::vector<Rollup>& rollups,
                                            Arena& texts) {
  rollups.assign(entities.size(), {});
  absl::Status status;
  if constexpr (RollsUp<Pack>) {
    status = core_.ForChildren(entities, [&](size_t parent, std::string_view body) {
      rollups[parent].children.push_back(texts.Copy(body));
    });
  }
  if constexpr (Sights<Pack>) {
    std::vector<sqlite::KeptSighting> sightings;
    if (status.ok()) status = core_.FindSightings(entities, sightings);
    for (size_t i = 0; i < sightings.size(); ++i) rollups[i].sighting = std::move(sightings[i]);
  }
  return status;
}

// Notes what a new element makes known.
template <class Pack>
void SqliteStore<Pack>::See(const ElementRow& element, Direction direction) {
  if constexpr (Sights<Pack>) {
    const std::optional<Sighting> sighting = Pack::SightingOf(element, direction);
    if (!sighting.has_value()) return;
    std::string subject = Pack::SubjectKey(element.row);
    sqlite::KeptSighting& seen = seen_[subject];
    const std::string_view name = Pack::Subject(element.row);
    if (seen.subject.empty() || name < seen.name) seen.name = name;
    seen.subject = std::move(subject);
    seen.sighting.Take(*sighting);
  } else {
    static_cast<void>(element), static_cast<void>(direction);
  }
}

// A subject whose maximum rests on what goes is counted again, from all elements: a maximum that is gone leaves no trace
// of the next.
template <class Pack>
absl::Status SqliteStore<Pack>::Unsee(const ElementRow& element) {
  if constexpr (Sights<Pack>) {
    const std::string subject = Pack::SubjectKey(element.row);
    const EntityKey entity = Pack::SightingKey(subject);
    std::vector<sqlite::KeptSighting> found;
    if (auto status = core_.FindSightings({&entity, 1}, found); !status.ok()) return status;
    const sqlite::KeptSighting& kept = found.front();
    if (kept.number == 0) return absl::OkStatus();
    for (const Direction direction : {Direction::kIn, Direction::kOut}) {  // it may have been another
      const std::optional<Sighting> sighting = Pack::SightingOf(element, direction);
      if (!sighting.has_value()) continue;
      const bool rests = kept.name == Pack::Subject(element.row) || kept.sighting.RestsOn(*sighting);
      if (rests) to_count_.insert(subject);
    }
  } else {
    static_cast<void>(element);
  }
  return absl::OkStatus();
}

template <class Pack>
absl::Status SqliteStore<Pack>::PutSightings() {
  if constexpr (Sights<Pack>) {
    if (auto status = CountAgain(); !status.ok()) return status;
    std::vector<EntityKey> entities;
    for (const auto& [subject, seen] : seen_) entities.push_back(Pack::SightingKey(subject));
    std::vector<sqlite::KeptSighting> stood, changed;
    if (auto status = core_.FindSightings(entities, stood); !status.ok()) return status;
    size_t i = 0;
    for (auto& [subject, seen] : seen_) {
      const sqlite::KeptSighting& before = stood[i];
      seen.number = before.number, seen.entity = entities[i++];
      if (before.number != 0) {
        seen.sighting.Take(before.sighting);
        seen.name = std::min(seen.name, before.name);
        if (seen.sighting == before.sighting && seen.name == before.name) continue;
      }
      changed.push_back(std::move(seen));
    }
    return core_.PutSightings(changed);
  }
  return absl::OkStatus();
}

template <class Pack>
absl::Status SqliteStore<Pack>::CountAgain() {
  if constexpr (Sights<Pack>) {
    if (to_count_.empty()) return absl::OkStatus();
    std::vector<EntityKey> entities;
    for (const std::string& subject : to_count_) entities.push_back(Pack::SightingKey(subject));
    std::vector<sqlite::KeptSighting> stood;
    if (auto status = core_.FindSightings(entities, stood); !status.ok()) return status;
    for (const sqlite::KeptSighting& sighting : stood) {
      if (sighting.number == 0) continue;
      if (auto status = core_.DropSighting(sighting); !status.ok()) return status;
    }
    if (auto status = core_.MarkStale(sqlite::Stale::kSighted, entities); !status.ok()) return status;
    absl::Status damage;
    const absl::Status read =
        core_.ForAllElements([&](int64_t number, std::string_view body, Direction direction) {
          Arena texts;
          ElementRow element;
          damage = Unpack(number, body, element, texts);
          if (damage.ok() && to_count_.contains(Pack::SubjectKey(element.row))) See(element, direction);
          return damage.ok();
        });
    if (!read.ok()) return read;
    return damage;
  }
  return absl::OkStatus();
}

// The elements of the other entities that are derived with `root`, as far as its summary does not cover them.
template <class Pack>
absl::Status SqliteStore<Pack>::ReadJoined(const EntityKey& root, const sqlite::KeptEntity& kept,
                                           HistoryAnswer<Pack>& answer) {
  std::vector<EntityKey> joined;
  if (auto status = core_.timelines().JoinedTo(root, joined); !status.ok()) return status;
  for (const EntityKey& entity : joined) {
    std::vector<sqlite::Hit> hits;
    if (auto status = core_.FindOf({&entity, 1}, core_.histories(), hits); !status.ok()) return status;
    if (auto status = ReadHistory(entity, kept, hits, answer); !status.ok()) return status;
  }
  return absl::OkStatus();
}

template <class Pack>
absl::Status SqliteStore<Pack>::Timelines(const TimelineQuery& query, TimelineAnswer<Event>& answer) {
  return Reading([&] {
    sqlite::Timelines& timelines = core_.timelines();
    if (auto status = timelines.Touched(query.touched_max, answer.touched); !status.ok()) return status;
    std::vector<sqlite::Hit> elements;
    if (auto status = timelines.FindElements(query.parts, elements); !status.ok()) return status;
    for (const TimelinePart& part : query.parts) {
      if (auto status = timelines.FindLinks(part, answer.links); !status.ok()) return status;
      answer.links_end.push_back(answer.links.size());
    }
    answer.elements_end.assign(query.parts.size(), 0);
    absl::Status damage;
    const absl::Status read = core_.ForElements(elements, [&](const sqlite::Hit& hit, std::string_view body) {
      const auto part = static_cast<size_t>(hit.asked);
      ElementRow& element = answer.elements.emplace_back();
      damage = Unpack(hit.value, body, element, answer.texts);
      const bool is_on = damage.ok() && IsOn(query.parts[part], element);
      is_on ? static_cast<void>(++answer.elements_end[part]) : answer.elements.pop_back();
      return damage.ok();
    });
    std::partial_sum(answer.elements_end.begin(), answer.elements_end.end(), answer.elements_end.begin());
    return read.ok() ? damage : read;
  });
}

}  // namespace medallion
