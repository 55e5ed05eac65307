// What the store asks of the tables, within a transaction; and the tables read back.
#include <algorithm>
#include <charconv>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "medallion/base/pack.h"
#include "medallion/io/sqlite_core.h"

namespace medallion::sqlite {
namespace {

// The numbers of a table's rows in the order of its key: these are sorted, not the rows.
std::string OrderSql(Table table, const TableShape& shape) {
  const std::string name = Quoted(shape.name);
  if (table == Table::kRunLog || table == Table::kMetrics || table == Table::kReconciliation)
    return "SELECT t.row FROM " + name + " t ORDER BY t.row";
  if (table == Table::kReviews) {  // as ReviewedBefore has it
    return "SELECT t.row FROM " + name +
           " t ORDER BY subject, number, kind, reviewed_at, reviewed_by, repaired_payload, business_key, "
           "detail,"
           " accepted, rejected";
  }
  if (!shape.of_elements) {
    const std::string number = shape.series ? "t.row >> " + std::to_string(kItemBits) : "t.row";
    return "SELECT t.row FROM " + name + " t LEFT JOIN medallion_gold g ON g.row = " + number +
           " ORDER BY g.row_key, t.row";
  }
  return "SELECT t.element FROM " + name + " t JOIN bronze_records b ON b.record = t.element >> 24" +
         R"( ORDER BY b.topic, b."partition", b."offset", t.element & 16777215, b.digest)";
}

// The rows of the numbers that it is fed.
std::string ReadSql(const TableShape& shape) {
  std::string sql = "SELECT 0";
  for (const Column& column : shape.columns) sql += ", t." + Quoted(column.name);
  return sql + " FROM medallion_rows r CROSS JOIN " + Quoted(shape.name) + " t ON t." +
         shape.number_column() + " = r.c0";
}

}  // namespace

// Another process' writes show in the version; what a failed batch leaves in memory is thrown away.
absl::Status Core::Watch(bool anew) {
  {
    Query query(data_version_);
    if (!query.Next()) return query.status();
    const int64_t version = query.Int(0);
    if (anew || !watched_) watched_version_ = version;
    watched_ = true;
    loaded_ = loaded_ && version == loaded_version_;
    loaded_version_ = version;
  }
  return loaded_ ? absl::OkStatus() : Load();
}

absl::Status Core::Load() {
  for (RunIndex* index : indexes_) {
    if (auto status = index->Load(); !status.ok()) return status;
  }
  if (auto status = timelines_.Load(); !status.ok()) return status;
  for (const auto& [statement, next] : std::initializer_list<std::pair<Statement&, int64_t&>>{
           {top_record_, next_record_}, {top_entity_, next_entity_}, {top_sighting_, next_sighting_}}) {
    Query top(statement);
    if (top.Next()) next = top.Int(0) + 1;
    if (!top.status().ok()) return top.status();
  }
  if (auto status = LoadSightings(); !status.ok()) return status;
  next_batch_ = 1;
  for (StaleList& list : stale_) {
    const absl::StatusOr<int64_t> last = list.LastBatch();
    if (!last.ok()) return last.status();
    next_batch_ = std::max(next_batch_, *last + 1);
    list.Reset();
  }
  loaded_ = true;
  return absl::OkStatus();
}

absl::Status Core::ReadCheckpoint(Checkpoint& checkpoint) {
  Query clock(read_clock_);
  checkpoint.data_clock = clock.Next() ? clock.Time(0) : kNoTime;
  if (!clock.status().ok()) return clock.status();
  Query reviews(count_reviews_);
  checkpoint.reviews = reviews.Next() ? reviews.Int(0) : 0;
  if (!reviews.status().ok()) return reviews.status();
  Query positions(read_positions_);
  while (positions.Next()) checkpoint.positions.emplace(positions.Text(0), positions.Text(1));
  return positions.status();
}

absl::Status Core::FindRecords(std::span<const RecordId> ids, std::vector<KeptRecord>& records,
                               Arena& texts) {
  records.assign(ids.size(), {});
  std::vector<Entry> asked;  // key -> index of `ids`
  for (size_t i = 0; i < ids.size(); ++i) {
    const uint64_t key = CoordinateKey(ids[i].at);
    if (coordinates_.MayHold(key)) asked.push_back({key, static_cast<int64_t>(i)});
  }
  std::vector<Hit> hits;
  if (auto status = coordinates_.Find(asked, 0, hits); !status.ok()) return status;
  std::sort(hits.begin(), hits.end(), [](const Hit& a, const Hit& b) { return a.value < b.value; });
  return Check(ids, hits, records, texts);
}

// Which of the records found are those asked for.
absl::Status Core::Check(std::span<const RecordId> ids, std::span<const Hit> hits,
                         std::vector<KeptRecord>& records, Arena& texts) {
  return ForHits(find_records_, hits, [&](Query& query) {
    const auto index = static_cast<size_t>(query.Int(1));
    const RecordId& id = ids[index];
    if (query.Int(4) != id.at.offset || query.Int(3) != id.at.partition || query.Text(2) != id.at.topic)
      return true;
    if (DigestFrom(query.Text(5)) != id.payload) return true;
    records[index] = {query.Int(0),
                      {.broker_ts = query.Time(6),
                       .ingest_ts = query.Time(7),
                       .key = texts.Copy(query.Text(8)),
                       .version = texts.Copy(query.Text(9)),
                       .connection_id = texts.Copy(query.Text(10)),
                       .direction = static_cast<Direction>(query.Int(11))},
                      query.Int(12) != 0};
    return true;
  });
}

absl::Status Core::FindReviews(std::span<const Digest> subjects, bool all, std::vector<Review>& reviews) {
  Arena texts;
  const auto take = [&](Query& query) {
    while (query.Next()) {
      PackReader reader(query.Text(0), texts);
      reader(reviews.emplace_back());
      if (!reader.ok()) return Damage("read a review");
    }
    return query.status();
  };
  if (all) {
    Query query(read_all_reviews_);
    return take(query);
  }
  absl::flat_hash_set<Digest> once;
  for (const Digest& subject : subjects) {
    if (!once.insert(subject).second) continue;
    Query query(read_reviews_, subject);
    if (auto status = take(query); !status.ok()) return status;
  }
  return absl::OkStatus();
}

// Records that `query` gives in order, each once, up to so many.
absl::Status Core::PickRecords(Query& query, size_t most, std::vector<int64_t>& records) {
  while (records.size() < most && query.Next()) {
    if (records.empty() || records.back() != query.Int(0)) records.push_back(query.Int(0));
  }
  return query.status();
}

absl::Status Core::FindBronze(const BronzeQuery& query, BronzeAnswer& answer) {
  std::vector<int64_t> records;
  if (!query.records.empty()) {
    std::vector<KeptRecord> kept;
    if (auto status = FindRecords(query.records, kept, answer.texts); !status.ok()) return status;
    for (const KeptRecord& record : kept) {
      if (record.number != 0) records.push_back(record.number);
    }
  } else if (query.quarantine_ids.empty()) {
    int64_t after = 0;
    std::from_chars(query.after.data(), query.after.data() + query.after.size(), after);
    Query page(query.quarantined ? page_quarantine_ : page_records_, after);
    if (auto status = PickRecords(page, query.records_max + 1, records); !status.ok()) return status;
    answer.more = records.size() > query.records_max;
    if (answer.more) records.pop_back();
    answer.after = std::to_string(records.empty() ? after : records.back());
  }
  for (const Digest& id : query.quarantine_ids) {
    const std::string text = Hex(id);
    Query find(find_quarantine_, std::string_view(text));
    if (auto status = PickRecords(find, SIZE_MAX, records); !status.ok()) return status;
  }
  std::sort(records.begin(), records.end());
  records.erase(std::unique(records.begin(), records.end()), records.end());
  for (const int64_t record : records) {
    if (auto status = ReadKept(record, answer); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status Core::FindOf(std::span<const EntityKey> entities, RunIndex& index, std::vector<Hit>& hits) {
  std::vector<Entry> asked;
  for (size_t i = 0; i < entities.size(); ++i) {
    const uint64_t key = Short(entities[i]);
    if (index.MayHold(key)) asked.push_back({key, static_cast<int64_t>(i)});
  }
  return index.Find(asked, 0, hits);
}

absl::Status Core::FindEntities(std::span<const EntityKey> entities, std::vector<KeptEntity>& kept,
                                Arena& texts) {
  kept.assign(entities.size(), {});
  std::vector<Hit> hits;
  if (auto status = FindOf(entities, entities_, hits); !status.ok()) return status;
  return ForHits(read_entities_, hits, [&](Query& query) {
    const auto index = static_cast<size_t>(query.Int(1));
    if (DigestFrom(query.Text(2)) != entities[index]) return true;
    kept[index] = {query.Int(0), query.Int(3), query.Int(4), texts.Copy(query.Text(5))};
    return true;
  });
}

absl::Status Core::FindGold(std::span<const EntityKey> entities, std::vector<KeptGold>& rows) {
  rows.clear();
  std::vector<Hit> hits;
  if (auto status = FindOf(entities, gold_, hits); !status.ok()) return status;
  const size_t tables = gold_end() - static_cast<size_t>(Table::kGold);
  bool damaged = false;
  const auto status = ForHits(find_gold_, hits, [&](Query& query) {
    const EntityKey& entity = entities[static_cast<size_t>(query.Int(1))];
    if (DigestFrom(query.Text(3)) != entity) return true;
    damaged = damaged || static_cast<uint64_t>(query.Int(7)) >= tables;
    rows.push_back({query.Int(1),
                    query.Int(0),
                    {.entity = entity,
                     .version = {.key = DigestFrom(query.Text(2)),
                                 .hash = DigestFrom(query.Text(4)),
                                 .model_version = DigestFrom(query.Text(5)),
                                 .updated_at = query.Time(6)}},
                    static_cast<size_t>(query.Int(7)),
                    DigestFrom(query.Text(8))});
    return true;
  });
  return status.ok() && damaged ? Damage("find the rows of an entity") : status;
}

absl::Status Core::ReadDue(UtcTime due_by, size_t skip, size_t most, std::vector<EntityKey>& entities) {
  Query query(find_due_, due_by, most, skip);
  while (query.Next()) entities.push_back(DigestFrom(query.Text(0)));
  return query.status();
}

absl::Status Core::Damage(const char* what) const {
  return absl::DataLossError(path() + ": " + what +
                             ": the file is damaged: restore it, or run into a new one");
}

// What turns out to be fresh at the beginning is not looked at again.
absl::Status Core::ReadStale(StaleList& list, StaleList::Place& place, size_t most,
                             std::vector<EntityKey>& entities) {
  entities.clear();
  StaleList::Part part;
  while (entities.empty()) {
    if (auto status = list.Read(place, most, part); !status.ok() || part.entities.empty()) return status;
    std::vector<KeptEntity> kept;
    Arena texts;
    if (auto status = FindEntities(part.entities, kept, texts); !status.ok()) return status;
    const auto is_stale = [&](const KeptEntity& entity) { return entity.batch < part.begin.batch; };
    for (size_t i = 0; i < kept.size(); ++i) {
      if (is_stale(kept[i])) entities.push_back(part.entities[i]);
    }
    if (place == list.begin()) {
      const auto fresh = static_cast<size_t>(std::find_if(kept.begin(), kept.end(), is_stale) - kept.begin());
      list.BeginAt(entities.empty() ? part.end
                                    : StaleList::Place{part.begin.batch, part.begin.entity + fresh});
    }
    place = part.end;
  }
  return absl::OkStatus();
}

std::vector<std::string> Core::Names() const {
  std::vector<std::string> names;
  const auto add = [&](size_t table) { names.push_back(tables_[table].shape.name); };
  for (size_t silver = 0; silver < silver_tables_; ++silver) add(static_cast<size_t>(SilverTable(silver)));
  for (size_t table = 1; table < kElementTables; ++table) add(table);
  for (size_t table = static_cast<size_t>(Table::kGold); table < gold_end(); ++table) add(table);
  add(static_cast<size_t>(Table::kReviews));
  add(static_cast<size_t>(Table::kMetrics));
  add(static_cast<size_t>(Table::kReconciliation));
  add(static_cast<size_t>(Table::kRunLog));
  return names;
}

absl::Status Core::Read(std::string_view table, const RowSink& sink) {
  const std::span<PublicTable> all(tables_.get(), tables());
  const auto at = std::find_if(all.begin(), all.end(),
                               [&](const PublicTable& candidate) { return candidate.shape.name == table; });
  if (at == all.end()) {
    return absl::NotFoundError(connection_.path() + ": there is no table " + std::string(table));
  }
  const auto which = static_cast<Table>(at - all.begin());
  Statement order, read;
  absl::Status status = connection_.Prepare(OrderSql(which, at->shape), "read a table", order);
  if (status.ok()) status = connection_.Prepare(ReadSql(at->shape), "read a table", read);
  if (!status.ok()) return status;
  Query numbers(order);
  const auto put = [&](Cells& cells) { return numbers.Next() && (cells.Put(numbers.Int(0)), true); };
  Feed feed = put;
  Query query(read, feed);
  std::string line;
  while (query.Next()) {
    line.clear();
    AppendJsonRow(query, 1, at->shape.columns, line);
    if (status = sink(line); !status.ok()) return status;
  }
  return numbers.status().ok() ? query.status() : numbers.status();
}

absl::Status Core::CountFates(Accounting& books) {
  Statement statement;
  if (auto status =
          connection_.Prepare("SELECT fate, hour, count(*) FROM medallion_elements GROUP BY fate, hour",
                              "count the elements", statement);
      !status.ok()) {
    return status;
  }
  Query query(statement);
  while (query.Next()) {
    if (query.Int(0) < 0 || query.Int(0) >= kFates) {
      return absl::DataLossError(
          path() + ": count the elements: the file is damaged: restore it, or run into a new one");
    }
    const auto fate = static_cast<Fate>(query.Int(0));
    const UtcTime hour = query.IsNull(1) ? kNoTime : UtcTime{query.Int(1) * kMicrosPerHour};
    books.fates[fate] += query.Int(2);
    books.by_hour[hour][fate] += query.Int(2);
  }
  return query.status();
}

absl::StatusOr<Accounting> Core::Books() {
  Accounting books;
  Transaction reading(connection_);
  if (auto status = reading.Begin(Transaction::kRead); !status.ok()) return status;
  const auto records = connection_.Ask("SELECT count(*) FROM bronze_records", "count the records");
  if (!records.ok()) return records.status();
  const auto elements = connection_.Ask("SELECT count(*) FROM medallion_elements", "count the elements");
  if (!elements.ok()) return elements.status();
  books.records = *records;
  books.elements = *elements;
  if (auto status = CountFates(books); !status.ok()) return status;
  return books;
}

}  // namespace medallion::sqlite
