// What the SQLite store keeps for resolving: timelines of elements, and the links that were found on them.
//
//   medallion_timeline   an index (see io/sqlite_runs.h): a key of subject, detail and hour -> element, where it was there once
//   medallion_timelines  one row a subject: what was touched since it was resolved, or null; whether details touch it
//   medallion_links      one row a link; times in microseconds since 1970
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "medallion/base/arena.h"
#include "medallion/gold/resolve.h"
#include "medallion/io/memory_timelines.h"
#include "medallion/io/sqlite.h"
#include "medallion/io/sqlite_runs.h"
#include "medallion/io/store.h"

namespace medallion::sqlite {

// One thread at a time, within a transaction. Errors: see io/sqlite.h.
class Timelines {
 public:
  Timelines();
  std::string CreateSql() const;
  absl::Status Prepare(Connection& connection);
  // Reads anew what is kept in memory.
  absl::Status Load();

  // Fetching.
  bool any_links() const { return any_links_; }
  absl::Status Touched(size_t most, std::vector<TimelinePart>& parts);
  // What may be on each part, asked as its place among them; to be checked, as all that an index tells.
  absl::Status FindElements(std::span<const TimelinePart> parts, std::vector<Hit>& elements);
  absl::Status FindLinks(const TimelinePart& part, std::vector<Link>& links);
  // Where the entity is derived: itself, where no link says otherwise. The other entities that are derived with it. The
  // contexts of the links to it, copied to `texts`.
  absl::Status RootOf(const EntityKey& entity, EntityKey& root);
  absl::Status JoinedTo(const EntityKey& root, std::vector<EntityKey>& joined);
  absl::Status Contexts(const EntityKey& root, std::vector<std::string_view>& contexts, Arena& texts);

  // Writing. What is put or touched is kept until Flush, which a batch ends with.
  void Begin() { placed_.clear(), touched_.clear(), brushed_.clear(); }
  void Put(const memory::Mark& mark, int64_t element);
  void Touch(const memory::Mark& mark);
  absl::Status Put(const LinkWrite& write);
  absl::Status Resolved(const ResolvedTimeline& resolved);
  absl::Status Flush();

 private:
  absl::Status FlushTouched(const std::map<std::string, TimeSpan>& touched, Statement& statement);

  RunIndex places_;
  Statement find_touched_, find_links_, find_root_, find_joined_, find_contexts_, any_link_;
  Statement touch_, brush_, put_link_, drop_link_, resolved_;
  std::vector<Entry> placed_;
  std::map<std::string, TimeSpan> touched_, brushed_;  // by milestones, by details
  bool any_links_ = false;
};

}  // namespace medallion::sqlite
