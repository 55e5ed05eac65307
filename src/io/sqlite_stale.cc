#include "medallion/io/sqlite_stale.h"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace medallion::sqlite {
namespace {

constexpr size_t kNotedMax = size_t{1} << 20;

}  // namespace

std::pair<uint64_t, uint64_t> StaleList::Half(const EntityKey& entity) {
  uint64_t second = 0;
  std::memcpy(&second, entity.bytes.data() + sizeof second, sizeof second);
  return {entity.Prefix(), second};
}

std::string StaleList::CreateSql() const {
  return std::string("CREATE TABLE ") + table_ + "(batch INTEGER PRIMARY KEY, entities BLOB NOT NULL);";
}

absl::Status StaleList::Prepare(Connection& connection) {
  connection_ = &connection;
  const std::string table = table_;
  absl::Status status =
      connection.Prepare("SELECT batch, entities FROM " + table + " WHERE batch >= ? ORDER BY batch LIMIT 1",
                         "find what is stale", read_);
  if (status.ok())
    status = connection.Prepare("INSERT INTO " + table + " VALUES(?,?)", "note what is stale", put_);
  if (status.ok())
    status = connection.Prepare("DELETE FROM " + table + " WHERE batch < ?", "note what is fresh", trim_);
  if (status.ok())
    status = connection.Prepare("SELECT ifnull(max(batch), 0) FROM " + table, "number a batch", last_);
  return status;
}

absl::StatusOr<int64_t> StaleList::LastBatch() {
  Query last(last_);
  const int64_t batch = last.Next() ? last.Int(0) : 0;
  if (!last.status().ok()) return last.status();
  return batch;
}

absl::Status StaleList::Note(std::span<const EntityKey> entities, int64_t& next_batch) {
  if (noted_.size() > kNotedMax) noted_.clear();
  std::string keys;
  for (const EntityKey& entity : entities) {
    if (!noted_.insert(Half(entity)).second) continue;
    keys.append(reinterpret_cast<const char*>(entity.bytes.data()), entity.bytes.size());
  }
  return keys.empty() ? absl::OkStatus() : Query(put_, next_batch++, Blob{keys}).Run();
}

absl::Status StaleList::Read(const Place& from, size_t most, Part& part) {
  constexpr size_t kSize = sizeof(EntityKey);
  part.entities.clear();
  part.begin = part.end = from;
  while (part.entities.empty()) {
    Query query(read_, part.end.batch);
    if (!query.Next()) return query.status();
    const std::string_view keys = query.Text(1);
    if (keys.size() % kSize != 0) {
      return absl::DataLossError(
          connection_->path() +
          ": find what is stale: the file is damaged: restore it, or run into a new one");
    }
    if (query.Int(0) != part.end.batch) part.end = {query.Int(0), 0};
    part.begin = part.end;
    for (size_t& at = part.end.entity; at < keys.size() / kSize && part.entities.size() < most; ++at) {
      part.entities.push_back(DigestFrom(keys.substr(at * kSize, kSize)));
    }
    if (part.end.entity >= keys.size() / kSize) part.end = {part.end.batch + 1, 0};
  }
  return absl::OkStatus();
}

absl::Status StaleList::Trim(int64_t batch) { return Query(trim_, std::min(begin_.batch, batch)).Run(); }

}  // namespace medallion::sqlite
