#include "medallion/io/sqlite_timelines.h"

#include <algorithm>
#include <initializer_list>

#include "medallion/base/digest.h"
#include "medallion/base/time.h"

namespace medallion::sqlite {
namespace {

void Widen(TimeSpan& span, const memory::Mark& mark) {
  const auto [from, to] = std::minmax(mark.event_ts, mark.ingest_ts);
  span = {std::min(span.from, from), std::max(span.to, to)};
}

// A key of a timeline: of the subject and whether these are details, then of the hour since 1970. Stored: must stay as it is.
constexpr int kHourBits = 20;
uint64_t PlaceKey(uint64_t subject, bool detail, UtcTime at) {
  const int64_t hour = std::clamp<int64_t>(at.us / kMicrosPerHour, 0, (1 << kHourBits) - 1);
  return (subject >> (kHourBits + 1) << 1 | uint64_t{detail}) << kHourBits | static_cast<uint64_t>(hour);
}

}  // namespace

Timelines::Timelines() : places_("medallion_timeline", kHourBits, RunIndex::Filters::kOfRuns) {}

std::string Timelines::CreateSql() const {
  return places_.CreateSql() + R"sql(
CREATE TABLE medallion_timelines(
  subject TEXT PRIMARY KEY, touched_from INTEGER, touched_to INTEGER, watch INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX medallion_timelines_touched ON medallion_timelines(subject) WHERE touched_from IS NOT NULL;
CREATE TABLE medallion_links(
  subject TEXT NOT NULL, at INTEGER NOT NULL, entity BLOB NOT NULL, root BLOB NOT NULL, context BLOB NOT NULL,
  PRIMARY KEY(subject, at, entity, root, context)) WITHOUT ROWID;
CREATE INDEX medallion_links_entity ON medallion_links(entity);
CREATE INDEX medallion_links_root ON medallion_links(root);
)sql";
}

absl::Status Timelines::Prepare(Connection& connection) {
  struct Row {
    Statement& statement;
    const char* doing;
    const char* sql;
  };
  for (const Row& row : std::initializer_list<Row>{
           {find_touched_, "find the timelines that were touched",
            "SELECT subject, touched_from, touched_to FROM medallion_timelines INDEXED BY"
            " medallion_timelines_touched WHERE touched_from IS NOT NULL ORDER BY subject LIMIT ?"},
           {find_links_, "read links",
            "SELECT at, entity, root, context FROM medallion_links WHERE subject = ? AND at BETWEEN ? AND ?"},
           {find_root_, "find where an entity is derived",
            "SELECT root FROM medallion_links WHERE entity = ? ORDER BY at, root LIMIT 1"},
           {find_joined_, "find what is derived with an entity",
            "SELECT DISTINCT entity FROM medallion_links WHERE root = ? ORDER BY entity"},
           {find_contexts_, "read the contexts of an entity",
            "SELECT context FROM medallion_links WHERE root = ? AND length(context) > 0"},
           {any_link_, "look for links", "SELECT EXISTS(SELECT 1 FROM medallion_links)"},
           {touch_, "note what was touched",
            "INSERT INTO medallion_timelines SELECT c0,c1,c2,0 FROM medallion_rows WHERE true"
            " ON CONFLICT(subject) DO UPDATE SET"
            " touched_from = min(ifnull(touched_from, excluded.touched_from), excluded.touched_from),"
            " touched_to = max(ifnull(touched_to, excluded.touched_to), excluded.touched_to)"},
           {brush_, "note what was touched",
            "INSERT INTO medallion_timelines SELECT c0,c1,c2,0 FROM medallion_rows"
            " WHERE EXISTS(SELECT 1 FROM medallion_timelines t WHERE t.subject = c0 AND t.watch = 1)"
            " ON CONFLICT(subject) DO UPDATE SET"
            " touched_from = min(ifnull(touched_from, excluded.touched_from), excluded.touched_from),"
            " touched_to = max(ifnull(touched_to, excluded.touched_to), excluded.touched_to)"},
           {put_link_, "write a link", "INSERT OR IGNORE INTO medallion_links VALUES(?,?,?,?,?)"},
           {drop_link_, "delete a link",
            "DELETE FROM medallion_links WHERE subject = ? AND at = ? AND entity = ? AND root = ?"
            " AND context = ?"},
           {resolved_, "note what is resolved",
            "UPDATE medallion_timelines SET touched_from = NULL, touched_to = NULL, watch = max(watch, ?2)"
            " WHERE subject = ?1"},
       }) {
    if (auto status = connection.Prepare(row.sql, row.doing, row.statement); !status.ok()) return status;
  }
  return places_.Prepare(connection);
}

absl::Status Timelines::Load() {
  if (auto status = places_.Load(); !status.ok()) return status;
  Query any(any_link_);
  any_links_ = any.Next() && any.Int(0) != 0;
  return any.status();
}

// ---- fetching -----------------------------------------------------------------------------------------------

absl::Status Timelines::Touched(size_t most, std::vector<TimelinePart>& parts) {
  Query query(find_touched_, most);
  while (query.Next()) {
    parts.push_back({.subject = std::string(query.Text(0)), .span = {query.Time(1), query.Time(2)}});
  }
  return query.status();
}

absl::Status Timelines::FindElements(std::span<const TimelinePart> parts, std::vector<Hit>& elements) {
  std::vector<KeyRange> asked;
  for (size_t i = 0; i < parts.size(); ++i) {
    const auto& [subject, span, details] = parts[i];
    const uint64_t key = Fingerprint(subject);
    for (const bool detail : {false, true}) {
      if (detail && !details) continue;
      asked.push_back(
          {PlaceKey(key, detail, span.from), PlaceKey(key, detail, span.to), static_cast<int64_t>(i)});
    }
  }
  std::sort(asked.begin(), asked.end());
  return places_.Find(asked, elements);
}

absl::Status Timelines::FindLinks(const TimelinePart& part, std::vector<Link>& links) {
  if (!any_links_) return absl::OkStatus();
  Query query(find_links_, std::string_view(part.subject), part.span.from.us, part.span.to.us);
  while (query.Next()) {
    links.push_back({.at = {query.Int(0)},
                     .entity = DigestFrom(query.Text(1)),
                     .root = DigestFrom(query.Text(2)),
                     .context = std::string(query.Text(3))});
  }
  return query.status();
}

absl::Status Timelines::RootOf(const EntityKey& entity, EntityKey& root) {
  root = entity;
  if (!any_links_) return absl::OkStatus();
  Query query(find_root_, entity);
  if (query.Next()) root = DigestFrom(query.Text(0));
  return query.status();
}

absl::Status Timelines::JoinedTo(const EntityKey& root, std::vector<EntityKey>& joined) {
  joined.clear();
  if (!any_links_) return absl::OkStatus();
  std::vector<EntityKey> linked;
  {
    Query query(find_joined_, root);
    while (query.Next()) linked.push_back(DigestFrom(query.Text(0)));
    if (!query.status().ok()) return query.status();
  }
  for (const EntityKey& entity : linked) {
    EntityKey own;
    if (entity == root) continue;
    if (auto status = RootOf(entity, own); !status.ok()) return status;
    if (own == root) joined.push_back(entity);
  }
  return absl::OkStatus();
}

absl::Status Timelines::Contexts(const EntityKey& root, std::vector<std::string_view>& contexts,
                                 Arena& texts) {
  if (!any_links_) return absl::OkStatus();
  Query query(find_contexts_, root);
  while (query.Next()) contexts.push_back(texts.Copy(query.Text(0)));
  return query.status();
}

// ---- writing ------------------------------------------------------------------------------------------------

void Timelines::Put(const memory::Mark& mark, int64_t element) {
  const uint64_t subject = Fingerprint(mark.subject);
  for (const UtcTime at : {mark.event_ts, mark.ingest_ts}) {
    placed_.push_back({PlaceKey(subject, mark.detail, at), element});
  }
  Touch(mark);
}

void Timelines::Touch(const memory::Mark& mark) {
  const auto [from, to] = std::minmax(mark.event_ts, mark.ingest_ts);
  auto& touched = mark.detail ? brushed_ : touched_;
  Widen(touched.try_emplace(mark.subject, TimeSpan{from, to}).first->second, mark);
}

absl::Status Timelines::Put(const LinkWrite& write) {
  const Link& link = write.link;
  any_links_ = true;
  return Query(write.drop ? drop_link_ : put_link_, std::string_view(write.subject), link.at.us, link.entity,
               link.root, Blob{link.context})
      .Run();
}

absl::Status Timelines::Resolved(const ResolvedTimeline& resolved) {
  return Query(resolved_, std::string_view(resolved.subject), resolved.watch ? 1 : 0).Run();
}

absl::Status Timelines::FlushTouched(const std::map<std::string, TimeSpan>& touched, Statement& statement) {
  if (touched.empty()) return absl::OkStatus();
  auto next = touched.begin();
  const auto put = [&](Cells& cells) {
    if (next == touched.end()) return false;
    cells.Put(std::string_view(next->first)).Put(next->second.from.us).Put(next->second.to.us);
    return ++next, true;
  };
  Feed feed = put;
  return Query(statement, feed).Run();
}

absl::Status Timelines::Flush() {
  if (auto status = places_.Add(placed_); !status.ok()) return status;
  if (auto status = FlushTouched(touched_, touch_); !status.ok()) return status;
  return FlushTouched(brushed_, brush_);
}

}  // namespace medallion::sqlite
