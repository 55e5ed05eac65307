// What is known of subjects: notes of each batch, folded into their table from time to time.
#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "medallion/base/pack.h"
#include "medallion/io/sqlite_core.h"

namespace medallion::sqlite {

namespace {

// Sightings are folded into their table when each subject has so many notes of its own, or there are so many in all: that
// bounds the memory for them, and the time to load them.
constexpr size_t kNotesOfSubject = 16, kNotesMax = size_t{1} << 17;

}  // namespace

absl::Status Core::FindSightings(std::span<const EntityKey> entities, std::vector<KeptSighting>& found) {
  found.assign(entities.size(), {});
  std::vector<Entry> asked;
  for (size_t i = 0; i < entities.size(); ++i) {
    const uint64_t key = Short(entities[i]);
    if (const auto noted = new_sightings_.find(entities[i]); noted != new_sightings_.end()) {
      found[i] = noted->second;
    } else if (sighted_.MayHold(key)) {
      asked.push_back({key, static_cast<int64_t>(i)});
    }
  }
  std::vector<Hit> hits;
  if (auto status = sighted_.Find(asked, 0, hits); !status.ok()) return status;
  return ForHits(find_sightings_, hits, [&](Query& query) {
    const auto index = static_cast<size_t>(query.Int(1));
    if (DigestFrom(query.Text(2)) != entities[index]) return true;
    found[index] = {query.Int(0),
                    std::string(query.Text(3)),
                    std::string(query.Text(4)),
                    entities[index],
                    {.ingest_ts = {query.Int(5)}, .most = {query.Int(6), query.Int(7), query.Int(8)}}};
    return true;
  });
}

absl::Status Core::PutSightings(std::span<KeptSighting> sightings) {
  if (sightings.empty()) return absl::OkStatus();
  std::vector<EntityKey> entities;
  std::vector<Entry> added;
  PackWriter noted;
  for (KeptSighting& kept : sightings) {
    entities.push_back(kept.entity);
    if (kept.number == 0) {
      kept.number = next_sighting_++;
      added.push_back({Short(kept.entity), kept.number});
    }
    noted(kept);
    new_sightings_[kept.entity] = std::move(kept);
  }
  noted_sightings_ += entities.size();
  if (auto status = Query(note_sightings_, Blob{noted.bytes()}).Run(); !status.ok()) return status;
  if (auto status = sighted_.Add(added); !status.ok()) return status;
  if (noted_sightings_ > std::min(kNotesMax, kNotesOfSubject * new_sightings_.size())) {
    if (auto status = FoldSightings(); !status.ok()) return status;
  }
  return MarkStale(Stale::kSighted, entities);
}

absl::Status Core::LoadSightings() {
  new_sightings_.clear(), noted_sightings_ = 0;
  Arena texts;
  Query query(read_new_sightings_);
  while (query.Next()) {
    PackReader reader(query.Text(0), texts);
    while (reader.ok() && !reader.at_end()) {
      KeptSighting kept;
      reader(kept);
      if (!reader.ok() || kept.number <= 0 || kept.number == INT64_MAX) return Damage("read sightings");
      next_sighting_ = std::max(next_sighting_, kept.number + 1);
      new_sightings_[kept.entity] = std::move(kept);
      ++noted_sightings_;
    }
  }
  return query.status();
}

// In the order of their numbers.
std::vector<const KeptSighting*> Core::NewSightings() const {
  std::vector<const KeptSighting*> rows;
  for (const auto& [entity, kept] : new_sightings_) rows.push_back(&kept);
  std::sort(rows.begin(), rows.end(), [](const auto* a, const auto* b) { return a->number < b->number; });
  return rows;
}

absl::Status Core::FoldSightings() {
  if (noted_sightings_ == 0) return absl::OkStatus();
  const std::vector<const KeptSighting*> rows = NewSightings();
  auto next = rows.begin();
  const auto put = [&](Cells& cells) {
    if (next == rows.end()) return false;
    const auto& [number, subject, name, entity, sighting] = **next;
    cells.Put(number).Put(entity).Put(std::string_view(subject)).Put(std::string_view(name));
    cells.Put(sighting.ingest_ts.us);
    for (const int64_t most : sighting.most) cells.Put(most);
    return ++next, true;
  };
  Feed feed = put;
  if (auto status = Query(put_sightings_, feed).Run(); !status.ok()) return status;
  new_sightings_.clear(), noted_sightings_ = 0;
  return Query(clear_new_sightings_).Run();
}

absl::Status Core::DropSighting(const KeptSighting& sighting) {
  if (auto status = FoldSightings(); !status.ok()) return status;
  return Query(drop_sighting_, sighting.number).Run();
}

}  // namespace medallion::sqlite
