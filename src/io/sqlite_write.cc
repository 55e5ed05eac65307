// A batch on its way into the tables; and the bytes of what is to be forgotten on their way out.
#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "medallion/base/pack.h"
#include "medallion/io/sqlite_core.h"

namespace medallion::sqlite {

absl::Status Core::Begin(Transaction& transaction) {
  if (auto status = transaction.Begin(Transaction::kWrite); !status.ok()) return status;
  const bool watched = watched_;
  const int64_t watched_version = watched_version_;
  if (auto status = Watch(/*anew=*/true); !status.ok()) return status;
  if (watched && watched_version != watched_version_) {
    watched_ = false;
    return absl::AbortedError(
        connection_.path() +
        ": write a batch: another process wrote to the store since the batch was computed from"
        " it: let one process at a time write to it, and run again");
  }
  loaded_ = false;  // until the batch is committed
  first_new_ = next_record_;
  Query top(top_gold_);
  if (top.Next()) next_gold_ = first_new_gold_ = top.Int(0) + 1;
  return top.status();
}

absl::Status Core::PutRecords(std::span<const RecordWrite> writes, std::vector<int64_t>& numbers) {
  std::vector<RecordId> ids;
  ids.reserve(writes.size());
  for (const RecordWrite& write : writes) ids.push_back(write.id);
  std::vector<KeptRecord> kept;
  Arena texts;
  if (auto status = FindRecords(ids, kept, texts); !status.ok()) return status;
  numbers.clear();
  std::vector<Entry> added;  // key -> number, from the first new one on
  std::vector<const RecordWrite*> fresh;
  for (size_t i = 0; i < writes.size(); ++i) {
    numbers.push_back(kept[i].number != 0 ? kept[i].number : next_record_++);
    if (kept[i].number == 0) {
      added.push_back({CoordinateKey(ids[i].at), numbers[i]});
      fresh.push_back(&writes[i]);
      continue;
    }
    const BronzeRecord& record = writes[i].record;
    if (kept[i].arrival == ArrivalOf(record)) continue;
    const absl::Status status =
        Query(put_arrival_, numbers[i], OrNull{record.key}, record.broker_ts, record.ingest_ts,
              OrNull{record.version}, OrNull{record.connection_id}, static_cast<int>(record.direction))
            .Run();
    if (!status.ok()) return status;
  }
  if (auto status = PutRecords(fresh); !status.ok()) return status;
  return coordinates_.Add(added);
}

absl::Status Core::PutRecords(std::span<const RecordWrite* const> fresh) {
  if (fresh.empty()) return absl::OkStatus();
  size_t next = 0;
  const auto put = [&](Cells& cells) {
    if (next == fresh.size()) return false;
    const auto& [record, id, known] = *fresh[next];
    cells.Put(first_new_ + static_cast<int64_t>(next++))
        .Put(id.at.topic)
        .Put(id.at.partition)
        .Put(id.at.offset);
    cells.Put(id.payload).Put(OrNull{record.key}).Put(record.broker_ts).Put(record.ingest_ts);
    cells.Put(static_cast<int64_t>(record.direction))
        .Put(OrNull{record.version})
        .Put(OrNull{record.connection_id});
    cells.Put(record.payload);
    return true;
  };
  Feed feed = put;
  return Query(put_records_, feed).Run();
}

absl::Status Core::ReadRecord(int64_t record, BronzeRecord& out, Arena& texts) {
  Query query(read_record_, record);
  if (!query.Next()) return query.status();
  out = {.payload = texts.Copy(query.Text(9)),
         .at = {texts.Copy(query.Text(0)), static_cast<int32_t>(query.Int(1)), query.Int(2)},
         .key = texts.Copy(query.Text(3)),
         .broker_ts = query.Time(4),
         .ingest_ts = query.Time(5),
         .direction = static_cast<Direction>(query.Int(6)),
         .version = texts.Copy(query.Text(7)),
         .connection_id = texts.Copy(query.Text(8))};
  return absl::OkStatus();
}

absl::Status Core::DropRow(int64_t element, Table table) { return Query(At(table).drop, element).Run(); }

absl::Status Core::ReadKept(int64_t record, BronzeAnswer& answer) {
  BronzeAnswer::Kept kept;
  if (auto status = ReadRecord(record, kept.record, answer.texts); !status.ok()) return status;
  Query query(read_record_, record);
  if (!query.Next()) return query.status();
  kept.id = {kept.record.at, DigestFrom(query.Text(10))};
  kept.has_payload = !query.IsNull(9);
  answer.records.push_back(kept);
  return absl::OkStatus();
}

absl::Status Core::PutReview(const Review& review) {
  PackWriter body;
  body(review);
  const absl::Status status = Query(put_review_, review.subject, Blob{body.bytes()}).Run();
  if (!status.ok()) return status;
  {
    Query changes(changes_);
    if (!changes.Next() || changes.Int(0) == 0) return changes.status();  // it is kept already
  }
  Cells cells;
  cells.PutColumns(review);
  return Query(At(Table::kReviews).put, std::optional<int64_t>(), cells).Run();
}

absl::Status Core::DropElement(int64_t element) { return Query(drop_element_, element).Run(); }

absl::Status Core::PutElements(Feed elements) { return Query(put_elements_, elements).Run(); }

absl::Status Core::PutRows(Table table, Feed rows) { return Query(At(table).feed, rows).Run(); }

absl::Status Core::DropSummaries(std::span<const EntityKey> entities) {
  std::vector<KeptEntity> kept;
  Arena texts;
  if (auto status = FindEntities(entities, kept, texts); !status.ok()) return status;
  for (const KeptEntity& entity : kept) {
    if (entity.summary.empty()) continue;
    if (auto status = Query(drop_summary_, entity.number).Run(); !status.ok()) return status;
  }
  return absl::OkStatus();
}

// The last batch that noted any stays, for its number.
absl::Status Core::MarkFresh(std::span<const Derived> derived) {
  if (derived.empty()) return absl::OkStatus();
  std::vector<EntityKey> entities;
  for (const Derived& entity : derived) entities.push_back(entity.entity);
  std::vector<KeptEntity> kept;
  Arena texts;
  if (auto status = FindEntities(entities, kept, texts); !status.ok()) return status;
  std::vector<Entry> added;
  for (size_t i = 0; i < derived.size(); ++i) {
    for (StaleList& list : stale_) list.Forget(entities[i]);
    if (kept[i].number != 0) continue;
    kept[i].number = next_entity_++;
    added.push_back({Short(entities[i]), kept[i].number});
  }
  size_t next = 0;
  const auto put = [&](Cells& cells) {
    if (next == derived.size()) return false;
    const std::string_view summary = derived[next].summary;
    cells.Put(kept[next].number).Put(entities[next]).Put(next_batch_ - 1);
    summary.empty() ? cells.Put(0).PutNull() : cells.Put(elements_end()).Put(Blob{summary});
    cells.Put(static_cast<int64_t>(Short(derived[next].model_version)));
    return ++next, true;
  };
  Feed feed = put;
  if (auto status = Query(put_entities_, feed).Run(); !status.ok()) return status;
  for (StaleList& list : stale_) {
    if (auto status = list.Trim(next_batch_ - 1); !status.ok()) return status;
  }
  return entities_.Add(added);
}

absl::Status Core::PutPosition(std::string_view source, std::string_view position) {
  return Query(put_position_, source, position).Run();
}

absl::Status Core::RaiseClock(UtcTime clock) {
  return clock == kNoTime ? absl::OkStatus() : Query(raise_clock_, clock).Run();
}

// A batch applied again right away is the same run of it.
absl::Status Core::PutLog(const Cells& cells, std::string_view json) {
  PublicTable& table = At(Table::kRunLog);
  {
    Query last(last_log_);
    std::string stood;
    if (last.Next()) AppendJsonRow(last, 1, table.shape.columns, stood);
    if (!last.status().ok() || stood == json) return last.status();
  }
  return Query(table.put, std::optional<int64_t>(), cells).Run();
}

absl::Status Core::PutMetrics(std::span<const MetricRow> metrics) {
  if (metrics.empty()) return absl::OkStatus();
  PublicTable& table = At(Table::kMetrics);
  const std::string clear = "DELETE FROM " + Quoted(table.shape.name);
  if (auto status = connection_.Execute(clear, "write metrics"); !status.ok()) return status;
  Cells cells;
  for (const MetricRow& row : metrics) {
    cells.Clear();
    cells.PutColumns(row);
    if (auto status = Query(table.put, std::optional<int64_t>(), cells).Run(); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status Core::FindNamed(Named names, std::vector<int64_t>& records, std::vector<Review>& reviews) {
  if (auto status = FindReviews({}, true, reviews); !status.ok()) return status;
  std::erase_if(reviews, [&](const Review& review) { return !names(review.payload); });
  std::vector<RecordId> reviewed;
  reviewed.reserve(reviews.size());
  for (const Review& review : reviews) reviewed.push_back(ElementOf(review).record);
  std::vector<KeptRecord> kept;
  Arena texts;
  if (auto status = FindRecords(reviewed, kept, texts); !status.ok()) return status;
  for (const KeptRecord& record : kept) {
    if (record.number != 0) records.push_back(record.number);
  }
  Statement statement;
  const absl::Status prepared = connection_.Prepare(
      "SELECT record, payload FROM bronze_records WHERE payload IS NOT NULL", "read the records", statement);
  if (!prepared.ok()) return prepared;
  Query query(statement);
  while (query.Next()) {
    if (names(query.Text(1))) records.push_back(query.Int(0));
  }
  std::sort(records.begin(), records.end());
  records.erase(std::unique(records.begin(), records.end()), records.end());
  return query.status();
}

absl::Status Core::ForgetPayload(int64_t record) {
  Statement statement;
  const absl::Status prepared = connection_.Prepare(
      "UPDATE bronze_records SET payload = NULL WHERE record = ?", "forget a payload", statement);
  return prepared.ok() ? Query(statement, record).Run() : prepared;
}

absl::Status Core::ForgetPayload(Review review) {
  Statement packed, shown;
  absl::Status status = connection_.Prepare(
      "UPDATE medallion_reviews SET body = ?3 WHERE subject = ?1 AND body = ?2", "forget a repair", packed);
  if (status.ok()) {
    status = connection_.Prepare("UPDATE " + Quoted(At(Table::kReviews).shape.name) +
                                     " SET repaired_payload = NULL WHERE subject = ?1 AND number = ?2",
                                 "forget a repair", shown);
  }
  if (!status.ok()) return status;
  PackWriter before, after;
  before(review);
  review.payload.clear();
  after(review);
  status = Query(packed, review.subject, Blob{before.bytes()}, Blob{after.bytes()}).Run();
  const std::string subject = Hex(review.subject);
  return status.ok() ? Query(shown, std::string_view(subject), review.number).Run() : status;
}

// Pages that were freed before deletes were made to overwrite may hold old bytes: so the file is written anew.
absl::Status Core::Wipe() {
  if (auto status = connection_.Execute("VACUUM", "wipe the file"); !status.ok()) return status;
  Statement statement;
  const absl::Status prepared =
      connection_.Prepare("PRAGMA wal_checkpoint(TRUNCATE)", "wipe the write-ahead log", statement);
  if (!prepared.ok()) return prepared;
  Query query(statement);
  if (!query.Next() || query.Int(0) == 0) return query.status();
  return absl::UnavailableError(
      path() +
      ": wipe the write-ahead log: another process reads the file, and the log still"
      " holds what was forgotten: run this again");
}

}  // namespace medallion::sqlite
