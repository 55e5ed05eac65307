// What the memory store keeps for resolving: timelines of elements, and the links that were found on them.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "medallion/base/arena.h"
#include "medallion/gold/resolve.h"
#include "medallion/io/memory_tables.h"
#include "medallion/io/store.h"

namespace medallion::memory {

// Where an element stands.
struct Mark {
  std::string subject;
  UtcTime event_ts = kNoTime, ingest_ts = kNoTime;
  bool detail = false;
  bool operator==(const Mark&) const = default;
};

// Nothing where the element is on no timeline.
template <class Pack>
std::optional<Mark> MarkOf(const Element<typename Pack::Event>& element) {
  if constexpr (Resolves<Pack>) {
    if (element.milestone == Milestone::kNone) return std::nullopt;
    const Order& order = element.identity.order;
    return Mark{.subject = Pack::SubjectKey(element.row),
                .event_ts = order.event_ts,
                .ingest_ts = order.ingest_ts,
                .detail = element.milestone == Milestone::kDetail};
  } else {
    static_cast<void>(element);
    return std::nullopt;
  }
}

// Elements by number, on the timelines of their subjects. One thread at a time.
class Timelines {
 public:
  // Touches the timeline, too.
  void Put(const Mark& mark, uint32_t element);
  void Touch(const Mark& mark);
  void Resolved(const ResolvedTimeline& resolved);

  std::vector<TimelinePart> Touched(size_t most) const;
  // Appends the elements of a part, each once, in the order of their numbers; some of them may be gone.
  void Find(const TimelinePart& part, std::vector<uint32_t>& elements);

  // The stages of a look-up that can be begun ahead of it; `hash` is the subject's Fingerprint.
  void Prefetch(uint64_t hash) const { index_.Prefetch(hash); }
  void PrefetchLine(uint64_t hash) const {
    const uint32_t number = index_.Guess(hash);
    if (number != kNone) PrefetchAll(lines_[number]);
  }
  void PrefetchEntries(uint64_t hash) const {
    const uint32_t number = index_.Guess(hash);
    if (number != kNone) __builtin_prefetch(lines_[number].entries.data() + lines_[number].entries.size());
  }

 private:
  struct Entry {
    UtcTime at;
    uint32_t element = 0;
    bool detail = false;
    auto operator<=>(const Entry&) const = default;
  };
  struct Line {
    std::string_view subject;
    std::vector<Entry> entries;  // in order up to `sorted`
    TimeSpan touched;
    uint32_t sorted = 0;
    bool is_touched = false;
    bool watch = false;
  };
  uint32_t NumberOf(const std::string& subject);
  void Touch(const Mark& mark, uint32_t number);

  Arena subjects_;
  std::deque<Line> lines_;
  HashIndex index_;                // of them, by subject
  std::vector<uint32_t> touched_;  // in the order of their first touch; some may be resolved again
  size_t touched_begin_ = 0;       // those before are
};

// Links by the places they stand at, by their entity and by their root. One thread at a time.
class Links {
 public:
  bool empty() const { return of_entity_.empty(); }
  void Apply(const LinkWrite& write);

  void Find(const TimelinePart& part, std::vector<Link>& links) const;
  // Where the entity is derived: itself, where no link says otherwise.
  EntityKey RootOf(const EntityKey& entity) const;
  // The other entities that are derived with this one, in order.
  std::vector<EntityKey> JoinedTo(const EntityKey& root) const;
  // Of all links to this entity. They hold until the next Apply.
  void Contexts(const EntityKey& root, std::vector<std::string_view>& contexts) const;

 private:
  std::map<std::string, std::set<Link>, std::less<>> of_subject_;
  absl::flat_hash_map<EntityKey, std::multiset<Link>> of_entity_, of_root_;
};

}  // namespace medallion::memory
