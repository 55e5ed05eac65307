// The SQLite store: a batch on its way into it. Part of io/sqlite_store.h.
#pragma once

#include "medallion/io/sqlite_store.h"

namespace medallion {

template <class Pack>
absl::Status SqliteStore<Pack>::Apply(const Batch<Pack>& batch) {
  sqlite::Transaction writing(core_.connection());
  if (auto status = core_.Begin(writing); !status.ok()) return status;
  if (auto status = PutAll(batch); !status.ok()) return status;
  if (auto status = writing.Commit(); !status.ok()) return status;
  core_.Committed();
  return absl::OkStatus();
}

template <class Pack>
absl::Status SqliteStore<Pack>::PutAll(const Batch<Pack>& batch) {
  units_.clear(), histories_.clear(), stale_.clear(), unsummed_.clear();
  seen_.clear(), to_count_.clear();
  core_.timelines().Begin();
  absl::Status status = core_.PutRecords(batch.records, numbers_);
  if (status.ok()) status = Withdraw(batch.withdrawn);
  if (status.ok()) status = PutElements(batch);
  if (status.ok()) status = core_.units().Add(units_);
  if (status.ok()) status = core_.histories().Add(histories_);
  if (status.ok()) status = PutSightings();
  for (const Review& review : batch.reviews) {
    if (status.ok()) status = core_.PutReview(review);
  }
  if (status.ok()) status = PutLinks(batch);
  if (status.ok()) status = MarkEntities(batch.derived);
  if (status.ok()) status = PutGold(batch.gold);  // what is derived from a row that comes is stale again
  if (status.ok() && !batch.position.empty()) status = core_.PutPosition(batch.source, batch.position);
  if (status.ok()) status = core_.RaiseClock(batch.data_clock);
  if (status.ok()) status = core_.PutMetrics(batch.metrics);
  if (!status.ok()) return status;
  cells_.Clear();
  cells_.PutColumns(batch.log);
  json_.clear();
  AppendJson(batch.log, json_);
  return core_.PutLog(cells_, json_);
}

template <class Pack>
absl::StatusOr<int64_t> SqliteStore<Pack>::NumberOf(int64_t record, uint32_t ordinal) const {
  if (ordinal < 1u << kOrdinalBits) return record << kOrdinalBits | ordinal;
  return absl::OutOfRangeError(core_.path() + ": write the elements of record " + std::to_string(record) +
                               ": more than 16777216 of one record");
}

template <class Pack>
absl::Status SqliteStore<Pack>::Withdraw(std::span<const ElementId> withdrawn) {
  std::vector<RecordId> ids;
  for (const ElementId& id : withdrawn) ids.push_back(id.record);
  std::vector<sqlite::KeptRecord> kept;
  Arena texts;
  if (auto status = core_.FindRecords(ids, kept, texts); !status.ok()) return status;
  std::optional<ElementRow> stood;
  for (size_t i = 0; i < withdrawn.size(); ++i) {
    const absl::StatusOr<int64_t> number = NumberOf(kept[i].number, withdrawn[i].ordinal);
    if (!number.ok()) return number.status();
    if (auto status = ReadElement(*number, stood, texts); !status.ok()) return status;
    if (!stood.has_value()) continue;  // gone already
    if (auto status = Replaces(*number, *stood); !status.ok()) return status;
    if (auto status = Unsee(*stood); !status.ok()) return status;
    if (auto status = core_.DropElement(*number); !status.ok()) return status;
  }
  return absl::OkStatus();
}

// What an element leaves behind that is withdrawn or written again.
template <class Pack>
absl::Status SqliteStore<Pack>::Replaces(int64_t number, const ElementRow& stood) {
  if (stood.entity != EntityKey{}) stale_.push_back(stood.entity), unsummed_.push_back(stood.entity);
  if (const auto mark = memory::MarkOf<Pack>(stood); mark.has_value()) {
    core_.timelines().Touch(*mark);
  }
  const sqlite::Table table = TableOf(stood);
  if (auto status = core_.DropRow(number, table); !status.ok()) return status;
  if (stood.review == nullptr || table == sqlite::Table::kQuarantine) return absl::OkStatus();
  return core_.DropRow(number, sqlite::Table::kQuarantine);
}

// Most elements come in the order of the batch's records; the records of others are looked up.
template <class Pack>
absl::Status SqliteStore<Pack>::Place(const Batch<Pack>& batch, std::vector<Placed>& placed) {
  std::vector<RecordId> others;
  std::vector<size_t> of_others;  // indexes of elements
  size_t at = 0;
  placed.reserve(batch.elements.size());
  for (const ElementRow& element : batch.elements) {
    const Order& order = element.identity.order;
    const auto is = [&](size_t i) {
      return i < batch.records.size() && batch.records[i].id.payload == order.payload &&
             batch.records[i].id.at == order.at;
    };
    if (!is(at) && is(at + 1)) ++at;
    const bool here = is(at);
    if (!here) others.push_back(IdOf(order).record), of_others.push_back(placed.size());
    // A record that stood before may have come with other particulars.
    const bool is_new = here && numbers_[at] >= core_.first_new();
    placed.push_back({&element, here ? numbers_[at] : 0, is_new ? &batch.records[at].record : nullptr});
  }
  std::vector<sqlite::KeptRecord> kept;
  Arena texts;
  if (auto status = core_.FindRecords(others, kept, texts); !status.ok()) return status;
  for (size_t i = 0; i < kept.size(); ++i) placed[of_others[i]].number = kept[i].number;
  for (Placed& each : placed) {
    const Order& order = each.element->identity.order;
    if (each.number == 0) {
      return absl::InvalidArgumentError(core_.path() + ": write an element of " +
                                        std::string(order.at.topic) + " " + std::to_string(order.at.offset) +
                                        ": its record is not there");
    }
    const absl::StatusOr<int64_t> number = NumberOf(each.number, order.ordinal);
    if (!number.ok()) return number.status();
    each.number = *number;
  }
  return absl::OkStatus();
}

template <class Pack>
absl::Status SqliteStore<Pack>::PutElements(const Batch<Pack>& batch) {
  if (batch.elements.empty()) return absl::OkStatus();
  std::vector<Placed> placed;
  if (auto status = Place(batch, placed); !status.ok()) return status;
  std::map<sqlite::Table, std::vector<Placed>> by_table;
  for (const Placed& at : placed) {
    if (auto status = Prepare(at); !status.ok()) return status;
    AddTables(at, by_table);
  }
  if (auto status = PutBodies(placed); !status.ok()) return status;
  for (const auto& [table, of_table] : by_table) {
    if (auto status = PutRows(table, of_table); !status.ok()) return status;
  }
  return absl::OkStatus();
}

template <class Pack>
void SqliteStore<Pack>::AddTables(const Placed& at,
                                  std::map<sqlite::Table, std::vector<Placed>>& by_table) const {
  const sqlite::Table table = TableOf(*at.element);
  by_table[table].push_back(at);
  if (at.element->review != nullptr && table != sqlite::Table::kQuarantine) {
    by_table[sqlite::Table::kQuarantine].push_back(at);
  }
}

// Takes away what an element replaces, and notes how it is to be found.
template <class Pack>
absl::Status SqliteStore<Pack>::Prepare(const Placed& at) {
  std::optional<ElementRow> stood;
  if (at.record != nullptr) {
    See(*at.element, at.record->direction);
    return Find(*at.element, at.number, stood), absl::OkStatus();
  }
  Arena texts;
  if (auto status = ReadElement(at.number, stood, texts); !status.ok()) return status;
  if (stood.has_value()) {
    if (auto status = Replaces(at.number, *stood); !status.ok()) return status;
  } else {  // of a record that was read anew
    BronzeRecord record;
    if (auto status = core_.ReadRecord(at.number >> kOrdinalBits, record, texts); !status.ok()) return status;
    See(*at.element, record.direction);
  }
  Find(*at.element, at.number, stood);
  unsummed_.push_back(at.element->entity);  // a summary would be taken to cover the element, by its number
  return absl::OkStatus();
}

template <class Pack>
absl::Status SqliteStore<Pack>::PutBodies(std::span<const Placed> placed) {
  auto next = placed.begin();
  const auto put = [&](sqlite::Cells& cells) {
    if (next == placed.end()) return false;
    const ElementRow& element = *next->element;
    const UtcTime ingest_ts = element.identity.order.ingest_ts;
    body_.Clear();
    PackWhole(element, body_);
    cells.Put(next->number).Put(static_cast<int64_t>(element.standing.fate));
    ingest_ts == kNoTime ? cells.PutNull() : cells.Put(HourOf(ingest_ts).us / kMicrosPerHour);
    cells.Put(sqlite::Blob{body_.bytes()});
    ++next;
    return true;
  };
  return core_.PutElements(put);
}

// The rows of elements that this table shows.
template <class Pack>
absl::Status SqliteStore<Pack>::PutRows(sqlite::Table table, std::span<const Placed> placed) {
  absl::Status failure;
  auto next = placed.begin();
  const auto put = [&](sqlite::Cells& cells) {
    if (next == placed.end()) return false;
    cells.Put(next->number);
    failure = PutColumns(*next++, table, cells);
    return failure.ok();
  };
  const absl::Status status = core_.PutRows(table, put);
  return failure.ok() ? status : failure;
}

// Notes how the element is to be found, as far as it was not found before, and whether its entity is stale now.
template <class Pack>
void SqliteStore<Pack>::Find(const ElementRow& element, int64_t number,
                             const std::optional<ElementRow>& stood) {
  const auto key = [](const ElementRow& of) {
    if (of.standing.fate == Fate::kSilver) return sqlite::WinnerKey(of.identity);
    if (of.standing.fate != Fate::kBusinessDuplicate) return sqlite::UnitKey(of.identity.unit);
    return sqlite::EventKey(of.identity, of.identity.event_id);
  };
  const bool found = stood.has_value() && stood->to_settle();
  if (element.to_settle() && !(found && key(*stood) == key(element)))
    units_.push_back({key(element), number});
  if (const auto mark = memory::MarkOf<Pack>(element); mark.has_value()) {
    const bool on_it = stood.has_value() && memory::MarkOf<Pack>(*stood) == mark;
    on_it ? core_.timelines().Touch(*mark) : core_.timelines().Put(*mark, number);
  }
  if (element.entity == EntityKey{}) return;
  if (stood.has_value() || IsHistory(element)) stale_.push_back(element.entity);
  if (!IsHistory(element)) return;
  const bool in_history = stood.has_value() && IsHistory(*stood) && stood->entity == element.entity;
  if (!in_history) histories_.push_back({sqlite::Short(element.entity), number});
}

template <class Pack>
absl::Status SqliteStore<Pack>::PutLinks(const Batch<Pack>& batch) {
  if (auto status = core_.timelines().Flush(); !status.ok()) return status;
  if (auto status = AddRoots(stale_); !status.ok()) return status;
  if (auto status = AddRoots(unsummed_); !status.ok()) return status;
  std::vector<EntityKey> ends;
  for (const LinkWrite& write : batch.links) {
    ends.assign({write.link.entity, write.link.root});
    if (auto status = AddRoots(ends); !status.ok()) return status;
    if (auto status = core_.timelines().Put(write); !status.ok()) return status;
    if (auto status = AddRoots(ends); !status.ok()) return status;
    stale_.insert(stale_.end(), ends.begin(), ends.end());
    unsummed_.insert(unsummed_.end(), ends.begin(), ends.end());
  }
  for (const ResolvedTimeline& resolved : batch.resolved) {
    if (auto status = core_.timelines().Resolved(resolved); !status.ok()) return status;
  }
  return absl::OkStatus();
}

// Adds the entities that these are derived with.
template <class Pack>
absl::Status SqliteStore<Pack>::AddRoots(std::vector<EntityKey>& entities) {
  if (!core_.timelines().any_links()) return absl::OkStatus();
  absl::flat_hash_set<EntityKey> once;
  std::erase_if(entities, [&](const EntityKey& entity) { return !once.insert(entity).second; });
  const size_t size = entities.size();
  for (size_t i = 0; i < size; ++i) {
    EntityKey root;
    if (auto status = core_.timelines().RootOf(entities[i], root); !status.ok()) return status;
    if (root != entities[i]) entities.push_back(root);
  }
  return absl::OkStatus();
}

// An entity derived in the batch that touches it is fresh.
template <class Pack>
absl::Status SqliteStore<Pack>::MarkEntities(std::span<const Derived> derived) {
  if (auto status = core_.MarkStale(sqlite::Stale::kElements, stale_); !status.ok()) return status;
  if (auto status = core_.DropSummaries(unsummed_); !status.ok()) return status;
  return core_.MarkFresh(derived);
}

template <class Pack>
absl::Status SqliteStore<Pack>::PutColumns(const Placed& at, sqlite::Table table, sqlite::Cells& cells) {
  const ElementRow& element = *at.element;
  const bool silver =
      table == sqlite::Table::kSilver || table >= sqlite::Table::kGold;  // or one of the others
  if (silver) return cells.PutColumns(element.row), absl::OkStatus();
  if (table == sqlite::Table::kAudit) return cells.PutColumns(AuditOf<Pack>(element)), absl::OkStatus();
  Arena texts;
  BronzeRecord read;
  if (at.record == nullptr) {
    if (auto status = core_.ReadRecord(at.number >> kOrdinalBits, read, texts); !status.ok()) return status;
  }
  const BronzeRecord& record = at.record == nullptr ? read : *at.record;
  if (table == sqlite::Table::kQuarantine) {
    cells.PutColumns(QuarantineOf<Pack>(element, record, json_));
  } else {
    cells.PutColumns(IgnoredOf<Pack>(element, record));
  }
  return absl::OkStatus();
}

template <class Pack>
absl::Status SqliteStore<Pack>::PutGold(std::span<const GoldWrite<Gold>> gold) {
  std::vector<GoldVersion> dropped;
  std::vector<sqlite::GoldEntry> put;
  std::vector<const Gold*> rows;
  Arena bodies;
  for (const GoldWrite<Gold>& write : gold) {
    const GoldVersion version{.entity = write.entity, .version = write.version};
    if (write.write == Write::kDelete) {
      dropped.push_back(version);
    } else {
      sqlite::GoldEntry& entry = put.emplace_back();
      entry = {.version = version,
               .next_due_at = write.next_due_at,
               .table = GoldTableOf(write.row),
               .parent = write.parent};
      if (write.parent != EntityKey{}) {
        body_.Clear();
        body_(write.version.key);
        PackGold(write.version, write.row, body_);
        entry.body = bodies.Copy(body_.bytes());
      }
      VisitGold(write.row, [&]<class Row>(const Row& row) {
        if constexpr (IsSeries<Row>) {
          entry.items_begin = entry.items_end = row.own_begin().items;
          ForItems(row, [&](const auto&) { ++entry.items_end; });
        }
      });
      rows.push_back(&write.row);
    }
  }
  if (auto status = core_.DropGold(dropped); !status.ok()) return status;
  const Gold* series = nullptr;
  std::function<void(sqlite::Cells&)> put_next;  // the next item of it
  return core_.PutGold(put, [&](size_t i, sqlite::Cells& cells) {
    VisitGold(*rows[i], [&]<class Row>(const Row& row) {
      if constexpr (IsSeries<Row>) {
        if (std::exchange(series, rows[i]) != rows[i]) {
          put_next = [left = row.own_items(), item = row.before()](sqlite::Cells& to) mutable {
            Row::Next(left, item);
            to.PutColumns(item);
          };
        }
        put_next(cells);
      } else {
        cells.PutColumns(row);
      }
    });
  });
}

}  // namespace medallion
