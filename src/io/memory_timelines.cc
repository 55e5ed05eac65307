#include "medallion/io/memory_timelines.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "medallion/base/digest.h"

namespace medallion::memory {

// ---- timelines ----------------------------------------------------------------------------------------------

uint32_t Timelines::NumberOf(const std::string& subject) {
  const auto number = static_cast<uint32_t>(lines_.size());
  const auto is_it = [&](uint32_t line) { return lines_[line].subject == subject; };
  if (const uint32_t* const found = index_.FindOrInsert(Fingerprint(subject), number, is_it);
      found != nullptr)
    return *found;
  lines_.emplace_back().subject = subjects_.Copy(subject);
  return number;
}

void Timelines::Put(const Mark& mark, uint32_t element) {
  const uint32_t number = NumberOf(mark.subject);
  std::vector<Entry>& entries = lines_[number].entries;
  entries.push_back({mark.event_ts, element, mark.detail});
  if (mark.ingest_ts != mark.event_ts) entries.push_back({mark.ingest_ts, element, mark.detail});
  Touch(mark, number);
}

void Timelines::Touch(const Mark& mark) { Touch(mark, NumberOf(mark.subject)); }

void Timelines::Touch(const Mark& mark, uint32_t number) {
  Line& line = lines_[number];
  if (mark.detail && !line.watch) return;
  const auto [from, to] = std::minmax(mark.event_ts, mark.ingest_ts);
  if (!line.is_touched) {
    line.is_touched = true;
    line.touched = {from, to};
    touched_.push_back(number);
    return;
  }
  line.touched = {std::min(line.touched.from, from), std::max(line.touched.to, to)};
}

void Timelines::Resolved(const ResolvedTimeline& resolved) {
  Line& line = lines_[NumberOf(resolved.subject)];
  line.is_touched = false;
  line.watch = line.watch || resolved.watch;
  while (touched_begin_ < touched_.size() && !lines_[touched_[touched_begin_]].is_touched) ++touched_begin_;
  if (touched_begin_ == touched_.size()) touched_.clear(), touched_begin_ = 0;
}

std::vector<TimelinePart> Timelines::Touched(size_t most) const {
  std::vector<TimelinePart> parts;
  for (size_t i = touched_begin_; i < touched_.size() && parts.size() < most; ++i) {
    const Line& line = lines_[touched_[i]];
    if (line.is_touched) parts.push_back({.subject = std::string(line.subject), .span = line.touched});
  }
  return parts;
}

void Timelines::Find(const TimelinePart& part, std::vector<uint32_t>& elements) {
  Line& line = lines_[NumberOf(part.subject)];
  const auto middle = line.entries.begin() + line.sorted;
  std::sort(middle, line.entries.end());
  if (line.sorted > 0) std::inplace_merge(line.entries.begin(), middle, line.entries.end());
  line.sorted = static_cast<uint32_t>(line.entries.size());
  const auto first = static_cast<std::ptrdiff_t>(elements.size());
  for (auto at = std::lower_bound(line.entries.begin(), line.entries.end(), Entry{.at = part.span.from});
       at != line.entries.end() && at->at <= part.span.to; ++at) {
    if (part.details || !at->detail) elements.push_back(at->element);
  }
  std::sort(elements.begin() + first, elements.end());
  elements.erase(std::unique(elements.begin() + first, elements.end()), elements.end());
}

// ---- links --------------------------------------------------------------------------------------------------

namespace {

using OfEntity = absl::flat_hash_map<EntityKey, std::multiset<Link>>;

void Insert(OfEntity& index, const EntityKey& key, const Link& link) { index[key].insert(link); }

void Erase(OfEntity& index, const EntityKey& key, const Link& link) {
  const auto found = index.find(key);
  if (found == index.end()) return;
  const auto one = found->second.find(link);
  if (one != found->second.end()) found->second.erase(one);
  if (found->second.empty()) index.erase(found);
}

}  // namespace

void Links::Apply(const LinkWrite& write) {
  std::set<Link>& standing = of_subject_[write.subject];
  const Link& link = write.link;
  if (write.drop) {
    if (standing.erase(link) == 0) return;
    Erase(of_entity_, link.entity, link), Erase(of_root_, link.root, link);
  } else {
    if (!standing.insert(link).second) return;
    Insert(of_entity_, link.entity, link), Insert(of_root_, link.root, link);
  }
}

void Links::Find(const TimelinePart& part, std::vector<Link>& links) const {
  const auto subject = of_subject_.find(part.subject);
  if (subject == of_subject_.end()) return;
  for (auto at = subject->second.lower_bound(Link{.at = part.span.from});
       at != subject->second.end() && at->at <= part.span.to; ++at) {
    links.push_back(*at);
  }
}

EntityKey Links::RootOf(const EntityKey& entity) const {
  const auto found = of_entity_.find(entity);
  if (found == of_entity_.end()) return entity;
  return found->second.begin()->root;  // of one entity they are sorted by (at, root)
}

std::vector<EntityKey> Links::JoinedTo(const EntityKey& root) const {
  std::vector<EntityKey> joined;
  const auto found = of_root_.find(root);
  if (found == of_root_.end()) return joined;
  for (const Link& link : found->second) {
    if (link.entity != root && RootOf(link.entity) == root) joined.push_back(link.entity);
  }
  std::sort(joined.begin(), joined.end());
  joined.erase(std::unique(joined.begin(), joined.end()), joined.end());
  return joined;
}

void Links::Contexts(const EntityKey& root, std::vector<std::string_view>& contexts) const {
  const auto found = of_root_.find(root);
  if (found == of_root_.end()) return;
  for (const Link& link : found->second) {
    if (!link.context.empty()) contexts.push_back(link.context);
  }
}

}  // namespace medallion::memory
