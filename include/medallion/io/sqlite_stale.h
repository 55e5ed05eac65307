// A list of entities that are to be derived again, in a SQLite table that is only ever appended to: digests in a B-tree of
// their own would have each batch write nearly all of its pages again.
//
//   table := batch INTEGER PRIMARY KEY, entities BLOB      keys one behind the other; those that the batch touched, unless
//                                                          they were noted before and not derived since
//
// Batches are numbered over all lists of a store. Stale is who is in a batch after that up to which its row in
// medallion_entities is fresh: whoever reads a list looks there.
//
// One thread at a time. Errors: see io/sqlite.h.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "medallion/io/sqlite.h"
#include "medallion/silver/element.h"

namespace medallion::sqlite {

class StaleList {
 public:
  struct Place {
    int64_t batch = 0;
    size_t entity = 0;  // of the batch
    auto operator<=>(const Place&) const = default;
  };
  struct Part {  // of a batch
    Place begin, end;
    std::vector<EntityKey> entities;
  };

  explicit StaleList(const char* table) : table_(table) {}

  std::string CreateSql() const;
  absl::Status Prepare(Connection& connection);

  // Forgets what is kept in memory. To be called after the table changed in another way.
  void Reset() { begin_ = {}, noted_.clear(); }
  // The number of the last batch that noted any; 0: none.
  absl::StatusOr<int64_t> LastBatch();

  // Notes those that are not known to be noted, each once, under `next_batch`, which then counts on.
  absl::Status Note(std::span<const EntityKey> entities, int64_t& next_batch);
  // The entity was derived: it is to be noted again.
  void Forget(const EntityKey& entity) { noted_.erase(Half(entity)); }

  // The next entities noted, of one batch; none at the end.
  absl::Status Read(const Place& from, size_t most, Part& part);
  Place begin() const { return begin_; }  // no entity before is stale
  void BeginAt(const Place& place) { begin_ = place; }
  // Deletes the batches before the beginning, but none from `batch` on.
  absl::Status Trim(int64_t batch);

 private:
  static std::pair<uint64_t, uint64_t> Half(const EntityKey& entity);

  const char* table_;
  Connection* connection_ = nullptr;
  Statement read_, put_, trim_, last_;
  Place begin_;
  // Entities known to be noted, by half of their keys. Not all of them, where there are many.
  absl::flat_hash_set<std::pair<uint64_t, uint64_t>> noted_;
};

}  // namespace medallion::sqlite
