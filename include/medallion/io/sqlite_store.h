// A store in one SQLite file, which everyone can open: Bronze, the public tables with the columns of the
// pack's rows, and what the store needs for itself (see io/sqlite_core.h for all tables).
//
// A batch is one transaction, position and data clock included, on a write-ahead log: a process may die at
// any point, and the next one continues from the last whole batch. Others may read the file meanwhile. They
// may not write to it: a batch computed from tables that another process has changed since is refused.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "medallion/io/element_codec.h"
#include "medallion/io/element_tables.h"
#include "medallion/io/sqlite_core.h"
#include "medallion/io/store.h"
#include "medallion/io/tables.h"

namespace medallion {

// One thread at a time. Errors name the path and what was being done, see io/sqlite.h; and Aborted where
// another process wrote in between. After any error nothing of the batch was kept, and the store can still be
// used.
template <class Pack>
class SqliteStore final : public Store<Pack>, public Tables {
 public:
  using Event = typename Pack::Event;
  using Gold = typename Pack::Gold;

  // Opens the store at `path`, or makes one there. FailedPrecondition, and the file left as it was, if it is
  // of another schema version, of another pack, or of another program.
  static absl::StatusOr<std::unique_ptr<SqliteStore>> Open(const std::string& path,
                                                           const SqliteOptions& options = {});

  absl::Status Seen(std::span<const RecordId> records, SeenAnswer& answer) override;
  absl::Status Known(const KnownQuery& query, KnownAnswer<Event>& answer) override;
  absl::Status History(const HistoryQuery& query, HistoryAnswer<Event>& answer) override;
  absl::Status Apply(const Batch<Pack>& batch) override;

  std::vector<std::string> Names() const override { return core_.Names(); }
  absl::Status Read(std::string_view table, const RowSink& sink) override { return core_.Read(table, sink); }
  absl::StatusOr<Accounting> Books() override { return core_.Books(); }

 private:
  using Kept = sqlite::Core::Kept;

  SqliteStore() = default;

  // Takes the elements that are found and that `fits` accepts; texts are copied to the answer.
  template <class Fits>
  absl::Status Collect(sqlite::Core::Lookup lookup, int64_t key, const Fits& fits, Arena& texts,
                       std::vector<Element<Event>>& out);
  absl::Status Unpack(int64_t number, std::string_view body, Element<Event>& element) const;
  absl::Status GlanceAt(const Identity& arrived, Arena& texts, std::optional<Glance>& glance);
  absl::Status FindWinner(const Identity& arrived, Arena& texts, Glance& glance);
  absl::Status FindEvent(const Identity& arrived, Arena& texts, Glance& glance);

  absl::Status PutAll(const Batch<Pack>& batch);
  absl::Status PutRecords(std::span<const RecordWrite> records);
  absl::Status Withdraw(std::span<const ElementId> withdrawn);
  absl::Status PutElements(const Batch<Pack>& batch);
  absl::Status PutElement(const Element<Event>& element, Kept kept, const BronzeRecord* record);
  absl::Status SetRow(const Element<Event>& element, int64_t record_number, const BronzeRecord* record);
  absl::Status PutGold(std::span<const GoldWrite<Gold>> gold);
  absl::StatusOr<int64_t> NumberOf(int64_t record, uint32_t ordinal) const;

  sqlite::Core core_;
  std::vector<Kept> kept_;  // numbers of the batch's records
  sqlite::Cells cells_;     // scratch
  std::string body_, json_;
};

// -----------------------------------------------------------------------------------------------------------

template <class Pack>
absl::StatusOr<std::unique_ptr<SqliteStore<Pack>>> SqliteStore<Pack>::Open(const std::string& path,
                                                                           const SqliteOptions& options) {
  using sqlite::ColumnsOf;
  const sqlite::StoreShape shape{.pack = std::string(Pack::kName),
                                 .tables = {{{std::string(Pack::kSilverTable), ColumnsOf<Event>()},
                                             {std::string(kQuarantineTable), ColumnsOf<QuarantineRow>()},
                                             {std::string(kAuditTable), ColumnsOf<AuditRow>()},
                                             {std::string(kIgnoredTable), ColumnsOf<IgnoredRow>()},
                                             {std::string(Pack::kGoldTable), ColumnsOf<Gold>()},
                                             {std::string(kRunLogTable), ColumnsOf<RunLogRow>()}}}};
  std::unique_ptr<SqliteStore> store(new SqliteStore);
  if (auto status = store->core_.Open(path, shape, options); !status.ok()) return status;
  return store;
}

template <class Pack>
absl::Status SqliteStore<Pack>::Seen(std::span<const RecordId> records, SeenAnswer& answer) {
  sqlite::Transaction reading(core_.connection());
  if (auto status = reading.Begin(sqlite::Transaction::kRead); !status.ok()) return status;
  if (auto status = core_.Watch(/*anew=*/true); !status.ok()) return status;
  answer.arrivals.assign(records.size(), std::nullopt);
  for (size_t i = 0; i < records.size(); ++i) {
    if (auto status = core_.ReadArrival(records[i], answer.arrivals[i], answer.texts); !status.ok())
      return status;
  }
  answer.checkpoint = {};
  return core_.ReadCheckpoint(answer.checkpoint);
}

template <class Pack>
absl::Status SqliteStore<Pack>::Unpack(int64_t number, std::string_view body, Element<Event>& element) const {
  element = {};
  if (UnpackElement(body, element) && static_cast<int>(element.standing.fate) < kFates)
    return absl::OkStatus();
  return absl::DataLossError(core_.path() + ": read element " + std::to_string(number) +
                             ": the file is damaged: restore it, or run into a new one");
}

template <class Pack>
template <class Fits>
absl::Status SqliteStore<Pack>::Collect(sqlite::Core::Lookup lookup, int64_t key, const Fits& fits,
                                        Arena& texts, std::vector<Element<Event>>& out) {
  absl::Status damage;
  Element<Event> element;
  const absl::Status status = core_.ForElements(lookup, key, [&](int64_t number, std::string_view body) {
    damage = Unpack(number, texts.Copy(body), element);
    if (damage.ok() && fits(element)) out.push_back(element);
    return damage.ok();
  });
  return status.ok() ? damage : status;
}

template <class Pack>
absl::Status SqliteStore<Pack>::Known(const KnownQuery& query, KnownAnswer<Event>& answer) {
  sqlite::Transaction reading(core_.connection());
  if (auto status = reading.Begin(sqlite::Transaction::kRead); !status.ok()) return status;
  if (auto status = core_.Watch(/*anew=*/false); !status.ok()) return status;
  answer.glances.assign(query.arrived.size(), std::nullopt);
  for (size_t i = 0; i < query.arrived.size(); ++i) {
    if (auto status = GlanceAt(query.arrived[i], answer.texts, answer.glances[i]); !status.ok())
      return status;
  }
  absl::flat_hash_set<ElementId> taken;
  const auto once = [&](const Element<Event>& element) {
    return taken.insert(IdOf(element.identity.order)).second;
  };
  for (const Digest& unit : query.units) {
    const auto fits = [&](const Element<Event>& element) {
      return element.identity.unit == unit && once(element);
    };
    const auto status =
        Collect(sqlite::Core::kByUnit, sqlite::Short(unit), fits, answer.texts, answer.elements);
    if (!status.ok()) return status;
  }
  for (const RecordId& id : query.records) {
    const absl::StatusOr<int64_t> record = core_.FindRecord(id);
    if (!record.ok()) return record.status();
    if (auto status = Collect(sqlite::Core::kByRecord, *record, once, answer.texts, answer.elements);
        !status.ok()) {
      return status;
    }
  }
  return absl::OkStatus();
}

// Nothing where the unit is new. Looks at few rows, however many the unit has.
template <class Pack>
absl::Status SqliteStore<Pack>::GlanceAt(const Identity& arrived, Arena& texts,
                                         std::optional<Glance>& glance) {
  const int64_t unit = sqlite::Short(arrived.unit);
  const absl::StatusOr<bool> stands = core_.HasUnit(unit);
  if (!stands.ok() || !*stands) return stands.status();
  Glance found;
  if (auto status = FindWinner(arrived, texts, found); !status.ok()) return status;
  if (found.has_winner) {
    if (auto status = FindEvent(arrived, texts, found); !status.ok()) return status;
    glance = found;
    return absl::OkStatus();
  }
  // No winner: is it this unit at all, or another with an equal Short?
  absl::Status damage;
  Element<Event> element;
  const auto status =
      core_.ForElements(sqlite::Core::kByUnit, unit, [&](int64_t number, std::string_view body) {
        damage = Unpack(number, body, element);
        if (damage.ok() && element.identity.unit == arrived.unit) glance.emplace();
        return damage.ok() && !glance.has_value();
      });
  return status.ok() ? damage : status;
}

template <class Pack>
absl::Status SqliteStore<Pack>::FindWinner(const Identity& arrived, Arena& texts, Glance& glance) {
  absl::Status damage;
  Element<Event> element;
  const auto use = [&](int64_t number, std::string_view body) {
    damage = Unpack(number, texts.Copy(body), element);
    const Identity& identity = element.identity;
    glance.has_winner = damage.ok() && element.standing.fate == Fate::kSilver &&
                        identity.unit == arrived.unit && identity.business_key == arrived.business_key &&
                        identity.cut == arrived.cut;
    if (!glance.has_winner) return damage.ok();
    glance.winner = identity;
    glance.filled = element.standing.filled;
    return false;
  };
  const auto status = core_.ForProbe(sqlite::Short(arrived.unit), sqlite::WinnerProbe(arrived), use);
  return status.ok() ? damage : status;
}

// Of the members in agreement with one event id, all but the first are technical duplicates: so the first is
// the winner itself or the one business duplicate with that id.
template <class Pack>
absl::Status SqliteStore<Pack>::FindEvent(const Identity& arrived, Arena& texts, Glance& glance) {
  const Identity& winner = glance.winner;
  if (winner.event_id == arrived.event_id) {
    glance.event_id_seen = true;
    glance.event_id_first = winner.order;
    return absl::OkStatus();
  }
  absl::Status damage;
  Element<Event> element;
  const auto use = [&](int64_t number, std::string_view body) {
    damage = Unpack(number, texts.Copy(body), element);
    const Identity& identity = element.identity;
    glance.event_id_seen = damage.ok() && element.standing.fate == Fate::kBusinessDuplicate &&
                           identity.unit == winner.unit && identity.business_key == winner.business_key &&
                           identity.fact == winner.fact && identity.event_id == arrived.event_id;
    if (glance.event_id_seen) glance.event_id_first = identity.order;
    return damage.ok() && !glance.event_id_seen;
  };
  const auto status =
      core_.ForProbe(sqlite::Short(winner.unit), sqlite::EventProbe(winner, arrived.event_id), use);
  return status.ok() ? damage : status;
}

template <class Pack>
absl::Status SqliteStore<Pack>::History(const HistoryQuery& query, HistoryAnswer<Event>& answer) {
  sqlite::Transaction reading(core_.connection());
  if (auto status = reading.Begin(sqlite::Transaction::kRead); !status.ok()) return status;
  if (auto status = core_.Watch(/*anew=*/false); !status.ok()) return status;
  std::vector<EntityKey> entities(query.entities.begin(), query.entities.end());
  if (query.due_by != kNoTime) {
    if (auto status = core_.ReadDue(query.due_by, query.due_max, entities); !status.ok()) return status;
  }
  std::sort(entities.begin(), entities.end());
  entities.erase(std::unique(entities.begin(), entities.end()), entities.end());
  for (const EntityKey& entity : entities) {
    const auto fits = [&](const Element<Event>& element) { return element.entity == entity; };
    const auto status =
        Collect(sqlite::Core::kByEntity, sqlite::Short(entity), fits, answer.texts, answer.elements);
    if (!status.ok()) return status;
    if (auto read = core_.ReadVersions(entity, answer.versions); !read.ok()) return read;
  }
  return absl::OkStatus();
}

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
  absl::Status status = PutRecords(batch.records);
  if (status.ok()) status = Withdraw(batch.withdrawn);
  if (status.ok()) status = PutElements(batch);
  if (status.ok()) status = PutGold(batch.gold);
  if (status.ok() && !batch.position.empty()) status = core_.PutPosition(batch.source, batch.position);
  if (status.ok()) status = core_.RaiseClock(batch.data_clock);
  if (!status.ok()) return status;
  cells_.Set(batch.log);
  json_.clear();
  AppendJson(batch.log, json_);
  return core_.PutLog(cells_, json_);
}

template <class Pack>
absl::Status SqliteStore<Pack>::PutRecords(std::span<const RecordWrite> records) {
  kept_.clear();
  for (const RecordWrite& write : records) {
    const absl::StatusOr<Kept> kept = core_.PutRecord(write);
    if (!kept.ok()) return kept.status();
    kept_.push_back(*kept);
  }
  return absl::OkStatus();
}

template <class Pack>
absl::StatusOr<int64_t> SqliteStore<Pack>::NumberOf(int64_t record, uint32_t ordinal) const {
  constexpr uint32_t kOrdinalsMax = 1u << 24;
  if (ordinal < kOrdinalsMax) return record << 24 | ordinal;
  return absl::OutOfRangeError(core_.path() + ": write the elements of record " + std::to_string(record) +
                               ": more than 16777216 of one record");
}

template <class Pack>
absl::Status SqliteStore<Pack>::Withdraw(std::span<const ElementId> withdrawn) {
  for (const ElementId& id : withdrawn) {
    const absl::StatusOr<int64_t> record = core_.FindRecord(id.record);
    if (!record.ok()) return record.status();
    const absl::StatusOr<int64_t> number = NumberOf(*record, id.ordinal);
    if (!number.ok()) return number.status();
    if (auto status = core_.DropElement(*number); !status.ok()) return status;
  }
  return absl::OkStatus();
}

// Most elements come in the order of the batch's records; others are looked up.
template <class Pack>
absl::Status SqliteStore<Pack>::PutElements(const Batch<Pack>& batch) {
  size_t at = 0;
  for (const Element<Event>& element : batch.elements) {
    const RecordId id = IdOf(element.identity.order).record;
    const auto is = [&](size_t i) { return i < batch.records.size() && batch.records[i].id == id; };
    if (!is(at) && is(at + 1)) ++at;
    absl::Status status;
    if (is(at)) {
      status = PutElement(element, kept_[at], &batch.records[at].record);
    } else {
      const absl::StatusOr<int64_t> record = core_.FindRecord(id);
      status =
          record.ok() ? PutElement(element, {.record = *record, .stood = true}, nullptr) : record.status();
    }
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

// `record` is the element's own if it is at hand; one that stood before may have come with other particulars.
template <class Pack>
absl::Status SqliteStore<Pack>::PutElement(const Element<Event>& element, Kept kept,
                                           const BronzeRecord* record) {
  const Identity& identity = element.identity;
  if (kept.record == 0) {
    return absl::InvalidArgumentError(core_.path() + ": write an element of " +
                                      std::string(identity.order.at.topic) + " " +
                                      std::to_string(identity.order.at.offset) + ": its record is not there");
  }
  const absl::StatusOr<int64_t> number = NumberOf(kept.record, identity.order.ordinal);
  if (!number.ok()) return number.status();
  if (auto status = SetRow(element, kept.record, kept.stood ? nullptr : record); !status.ok()) return status;

  body_.clear();
  PackElement(element, body_);
  const Fate fate = element.standing.fate;
  sqlite::ElementEntry entry{
      .element = *number, .fate = fate, .ingest_ts = identity.order.ingest_ts, .body = body_};
  if (element.to_settle()) {
    entry.unit = sqlite::Short(identity.unit);
    if (fate == Fate::kSilver) entry.probe = sqlite::WinnerProbe(identity);
    if (fate == Fate::kBusinessDuplicate) entry.probe = sqlite::EventProbe(identity, identity.event_id);
  }
  const bool history = fate == Fate::kSilver || element.standing.conflict;
  if (history && element.entity != EntityKey{}) entry.entity = sqlite::Short(element.entity);
  return core_.PutElement(entry, cells_);
}

// Sets `cells_` to what the element's table shows.
template <class Pack>
absl::Status SqliteStore<Pack>::SetRow(const Element<Event>& element, int64_t record_number,
                                       const BronzeRecord* record) {
  const Fate fate = element.standing.fate;
  if (fate == Fate::kSilver) return cells_.Set(element.row), absl::OkStatus();
  if (fate == Fate::kTechnicalDuplicate || fate == Fate::kBusinessDuplicate) {
    return cells_.Set(AuditOf<Pack>(element)), absl::OkStatus();
  }
  Arena texts;
  BronzeRecord read;
  if (record == nullptr) {
    if (auto status = core_.ReadRecord(record_number, read, texts); !status.ok()) return status;
    record = &read;
  }
  if (fate == Fate::kQuarantined) {
    cells_.Set(QuarantineOf<Pack>(element, *record, json_));
  } else {
    cells_.Set(IgnoredOf<Pack>(element, *record));
  }
  return absl::OkStatus();
}

template <class Pack>
absl::Status SqliteStore<Pack>::PutGold(std::span<const GoldWrite<Gold>> gold) {
  for (const GoldWrite<Gold>& write : gold) {
    const GoldVersion version{.entity = write.entity, .version = write.version};
    absl::Status status;
    if (write.write == Write::kDelete) {
      status = core_.DropGold(version);
    } else {
      cells_.Set(write.row);
      status = core_.PutGold(version, write.next_due_at, cells_);
    }
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace medallion
