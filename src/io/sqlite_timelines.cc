#include "medallion/io/sqlite_timelines.h"

#include <algorithm>
#include <initializer_list>

namespace medallion::sqlite {
namespace {

void Widen(TimeSpan& span, const memory::Mark& mark) {
  const auto [from, to] = std::minmax(mark.event_ts, mark.ingest_ts);
  span = {std::min(span.from, from), std::max(span.to, to)};
}

}  // namespace

std::string Timelines::CreateSql() {
  return R"sql(
CREATE TABLE medallion_timeline(
  subject TEXT NOT NULL, at INTEGER NOT NULL, element INTEGER NOT NULL, detail INTEGER NOT NULL,
  PRIMARY KEY(subject, at, element)) WITHOUT ROWID;
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
           {find_elements_, "read a timeline",
            "SELECT DISTINCT element FROM medallion_timeline WHERE subject = ? AND at BETWEEN ? AND ?"
            " AND detail <= ? ORDER BY element"},
           {find_links_, "read links",
            "SELECT at, entity, root, context FROM medallion_links WHERE subject = ? AND at BETWEEN ? AND ?"},
           {find_root_, "find where an entity is derived",
            "SELECT root FROM medallion_links WHERE entity = ? ORDER BY at, root LIMIT 1"},
           {find_joined_, "find what is derived with an entity",
            "SELECT DISTINCT entity FROM medallion_links WHERE root = ? ORDER BY entity"},
           {find_contexts_, "read the contexts of an entity",
            "SELECT context FROM medallion_links WHERE root = ? AND length(context) > 0"},
           {any_link_, "look for links", "SELECT EXISTS(SELECT 1 FROM medallion_links)"},
           {put_places_, "write timelines",
            "INSERT OR IGNORE INTO medallion_timeline SELECT c0,c1,c2,c3 FROM medallion_rows"},
           {drop_place_, "delete from a timeline",
            "DELETE FROM medallion_timeline WHERE subject = ? AND at = ? AND element = ?"},
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
  return absl::OkStatus();
}

absl::Status Timelines::Load() {
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

absl::Status Timelines::FindElements(const TimelinePart& part, std::vector<int64_t>& elements) {
  elements.clear();
  Query query(find_elements_, std::string_view(part.subject), part.span.from.us, part.span.to.us,
              part.details ? 1 : 0);
  while (query.Next()) elements.push_back(query.Int(0));
  return query.status();
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
  placed_.push_back({mark.subject, mark.event_ts, element, mark.detail});
  if (mark.ingest_ts != mark.event_ts)
    placed_.push_back({mark.subject, mark.ingest_ts, element, mark.detail});
  Touch(mark);
}

void Timelines::Touch(const memory::Mark& mark) {
  const auto [from, to] = std::minmax(mark.event_ts, mark.ingest_ts);
  auto& touched = mark.detail ? brushed_ : touched_;
  Widen(touched.try_emplace(mark.subject, TimeSpan{from, to}).first->second, mark);
}

absl::Status Timelines::Drop(const memory::Mark& mark, int64_t element) {
  Touch(mark);
  for (const UtcTime at : {mark.event_ts, mark.ingest_ts}) {
    const std::string_view subject = mark.subject;
    if (auto status = Query(drop_place_, subject, at.us, element).Run(); !status.ok()) return status;
  }
  return absl::OkStatus();
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

absl::Status Timelines::TouchAll(Connection& connection) {
  return connection.Execute(
      "UPDATE medallion_timelines AS s SET"
      " touched_from = (SELECT min(at) FROM medallion_timeline t WHERE t.subject = s.subject),"
      " touched_to = (SELECT max(at) FROM medallion_timeline t WHERE t.subject = s.subject)"
      " WHERE EXISTS (SELECT 1 FROM medallion_timeline t WHERE t.subject = s.subject)",
      "note what is to be resolved");
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
  std::sort(placed_.begin(), placed_.end());
  auto next = placed_.begin();
  const auto put = [&](Cells& cells) {
    if (next == placed_.end()) return false;
    cells.Put(std::string_view(next->subject)).Put(next->at.us).Put(next->element).Put(int64_t{next->detail});
    return ++next, true;
  };
  Feed feed = put;
  if (!placed_.empty()) {
    if (auto status = Query(put_places_, feed).Run(); !status.ok()) return status;
  }
  if (auto status = FlushTouched(touched_, touch_); !status.ok()) return status;
  return FlushTouched(brushed_, brush_);
}

}  // namespace medallion::sqlite
