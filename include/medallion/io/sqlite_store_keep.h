// The SQLite store: what keeping Gold asks of it, see io/gold_keeper.h. Part of io/sqlite_store.h.
#pragma once

#include "medallion/io/sqlite_store.h"

namespace medallion {

template <class Pack>
absl::Status SqliteStore<Pack>::Entities(const EntityQuery& query, EntityAnswer& answer) {
  return Reading([&] { return core_.FindEntities(query, answer); });
}

template <class Pack>
absl::Status SqliteStore<Pack>::TouchTimelines() {
  if constexpr (!Resolves<Pack>) return absl::OkStatus();
  sqlite::Transaction writing(core_.connection());
  absl::Status status = core_.Begin(writing);
  core_.timelines().Begin();
  absl::Status damage;
  const auto touch = [&](int64_t number, std::string_view body, Direction) {
    Arena texts;
    ElementRow element;
    damage = Unpack(number, body, element, texts);
    if (!damage.ok()) return false;
    if (auto mark = memory::MarkOf<Pack>(element); mark.has_value()) {
      mark->detail = false;  // all is to be resolved anew
      core_.timelines().Touch(*mark);
    }
    return true;
  };
  if (status.ok()) status = core_.ForAllElements(touch);
  if (status.ok()) status = damage;
  if (status.ok()) status = core_.timelines().Flush();
  if (status.ok()) status = writing.Commit();
  if (status.ok()) core_.Committed();
  return status;
}

template <class Pack>
absl::Status SqliteStore<Pack>::TouchedSince(UtcTime since, std::vector<EntityKey>& entities) {
  absl::flat_hash_set<EntityKey> taken = {EntityKey{}};
  std::vector<EntityKey> rollups;
  const auto take = [&](const EntityKey& entity, bool is_rollup) {
    if (taken.insert(entity).second) (is_rollup ? rollups : entities).push_back(entity);
  };
  absl::Status failure;
  const auto take_element = [&](int64_t number, std::string_view body) {
    Arena texts;
    ElementRow element;
    EntityKey root;
    failure = Unpack(number, body, element, texts);
    if (failure.ok()) failure = core_.timelines().RootOf(element.entity, root);
    if (failure.ok() && IsHistory(element)) take(element.entity, false), take(root, false);
    return failure.ok();
  };
  return Reading([&] {
    absl::Status status = core_.ForTouched(since, take);
    if (status.ok()) status = core_.ForElementsSince(since, take_element);
    if (status.ok()) status = failure;
    entities.insert(entities.end(), rollups.begin(), rollups.end());
    return status;
  });
}

template <class Pack>
absl::Status SqliteStore<Pack>::Shown(std::span<const EntityKey> entities, std::vector<ShownRow>& rows) {
  return Reading([&] { return core_.FindShown(entities, rows); });
}

template <class Pack>
absl::Status SqliteStore<Pack>::Strays(std::vector<ShownRow>& rows) {
  return Reading([&] { return core_.FindStrays(rows); });
}

template <class Pack>
absl::Status SqliteStore<Pack>::HoursAmiss(UtcTime since, std::vector<ReconciliationRow>& rows) {
  return Reading([&] { return core_.FindHoursAmiss(since, rows); });
}

template <class Pack>
absl::Status SqliteStore<Pack>::Repair(const Batch<Pack>& batch, std::span<const ShownRow> strays,
                                       std::span<const ReconciliationRow> log) {
  sqlite::Transaction writing(core_.connection());
  absl::Status status = core_.Begin(writing);
  if (status.ok()) status = PutAll(batch);
  if (status.ok()) status = core_.DropShown(strays);
  if (status.ok()) status = core_.PutReconciled(log);
  if (status.ok()) status = writing.Commit();
  if (status.ok()) core_.Committed();
  return status;
}

}  // namespace medallion
