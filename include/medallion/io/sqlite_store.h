// A store in one SQLite file, which everyone can open: Bronze, the public tables with the columns of the
// pack's rows, and what the store needs for itself (see io/sqlite_core.h for all tables).
//
// A batch is one transaction, position and data clock included, on a write-ahead log: a process may die at
// any point, and the next one continues from the last whole batch. Others may read the file meanwhile. They
// may not write to it: a batch computed from tables that another process has changed since is refused.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "medallion/io/element_codec.h"
#include "medallion/io/element_tables.h"
#include "medallion/io/gold_codec.h"
#include "medallion/io/gold_keeper.h"
#include "medallion/io/sqlite_core.h"
#include "medallion/io/store.h"
#include "medallion/io/tables.h"

namespace medallion {

// One thread at a time. Errors name the path and what was being done, see io/sqlite.h; and Aborted where
// another process wrote in between. After any error nothing of the batch was kept, and the store can still be
// used.
template <class Pack>
class SqliteStore final : public Store<Pack>, public Tables, public GoldKeeper<Pack> {
 public:
  using Event = typename Pack::Event;
  using Gold = typename Pack::Gold;

  // Opens the store at `path`, or makes one there. FailedPrecondition, and the file left as it was, if it is
  // of another schema version, of another pack, or of another program.
  static absl::StatusOr<std::unique_ptr<SqliteStore>> Open(const std::string& path,
                                                           const SqliteOptions& options = {});

  absl::Status Seen(std::span<const RecordId> records, SeenAnswer& answer) override;
  absl::Status Known(const KnownQuery<Event>& query, KnownAnswer<Event>& answer) override;
  absl::Status Bronze(const BronzeQuery& query, BronzeAnswer& answer) override;
  absl::Status Timelines(const TimelineQuery& query, TimelineAnswer<Event>& answer) override;
  absl::Status History(const HistoryQuery& query, HistoryAnswer<Pack>& answer) override;
  absl::Status Apply(const Batch<Pack>& batch) override;

  // Removes every text that `names` holds for: payloads in Bronze and in quarantine, repairs, and what the pack's rows keep
  // beside their columns (Pack::Forget). Sessions, fates and books stay; a record stays known by its digest, and stays as it
  // is: a redelivery does not bring the text back. Then the file is written anew, so that the bytes are gone from it and from
  // its log; this takes as much room again for a while. Returns how many records and repairs had such a text. Unavailable
  // where others hold the file: then what is shown is gone, and the call is to be made again for the bytes.
  absl::StatusOr<int64_t> Forget(absl::FunctionRef<bool(std::string_view text)> names);

  std::vector<std::string> Names() const override { return core_.Names(); }
  absl::Status Read(std::string_view table, const RowSink& sink) override { return core_.Read(table, sink); }
  absl::StatusOr<Accounting> Books() override { return core_.Books(); }

  absl::Status Entities(const EntityQuery& query, EntityAnswer& answer) override;
  absl::Status TouchTimelines() override;
  absl::Status TouchedSince(UtcTime since, std::vector<EntityKey>& entities) override;
  absl::Status Shown(std::span<const EntityKey> entities, std::vector<ShownRow>& rows) override;
  absl::Status Strays(std::vector<ShownRow>& rows) override;
  absl::Status HoursAmiss(UtcTime since, std::vector<ReconciliationRow>& rows) override;
  absl::Status Repair(const Batch<Pack>& batch, std::span<const ShownRow> strays,
                      std::span<const ReconciliationRow> log) override;

 private:
  SqliteStore() = default;

  // Calls read() within one state of the tables.
  template <class Read>
  absl::Status Reading(Read&& read) {
    sqlite::Transaction reading(core_.connection());
    absl::Status status = reading.Begin(sqlite::Transaction::kRead);
    if (status.ok()) status = core_.Watch(/*anew=*/false);
    return status.ok() ? read() : status;
  }

  using ElementRow = Element<Event>;
  static constexpr int kOrdinalBits = 24;

  static sqlite::TableShape SilverShape(size_t table) {
    return {.name = std::string(SilverTables<Pack>()[table]),
            .columns = sqlite::ColumnsOf<Event>(SilverSample<Pack>(table)),
            .of_elements = true};
  }
  // The table for everyone that shows the element.
  sqlite::Table TableOf(const ElementRow& element) const {
    if (element.standing.fate != Fate::kSilver) return sqlite::TableOf(element.standing.fate);
    return core_.SilverTable(SilverTableOf<Pack>(element.row));
  }

  static bool IsOn(const TimelinePart& part, const ElementRow& element) {
    const auto mark = memory::MarkOf<Pack>(element);
    if (!mark.has_value() || mark->subject != part.subject || (mark->detail && !part.details)) return false;
    return part.span.Holds(mark->event_ts) || part.span.Holds(mark->ingest_ts);
  }

  // Reading.
  absl::Status Unpack(int64_t number, std::string_view body, ElementRow& element, Arena& texts) const;
  absl::Status ReadElement(int64_t number, std::optional<ElementRow>& element, Arena& texts);
  absl::Status FindWinners(std::span<const ElementRow> arrived, std::vector<Glance>& glances, Arena& texts);
  absl::Status FindEvents(std::span<const ElementRow> arrived, std::vector<Glance>& glances, Arena& texts);
  absl::Status FindUnits(std::span<const ElementRow> arrived, std::vector<Glance>& glances);
  absl::Status ReadUnits(std::span<const Digest> units, KnownAnswer<Event>& answer);
  absl::Status ReadRecords(std::span<const RecordId> records, KnownAnswer<Event>& answer);

  // Where the entities that History asks for come from: first those given, then the stale, then the due.
  struct AskedFor {
    size_t given = 0;
    std::vector<sqlite::Stale> stale_left = {};  // lists, the next to be read last
    sqlite::StaleList::Place stale = {};         // in that list
    bool due_left = false;
    size_t due = 0;
    size_t skip = 0;  // stale ones that are still to be passed over
    absl::flat_hash_set<EntityKey> taken = {};
  };
  absl::Status ReadStale(AskedFor& from, size_t most, std::vector<EntityKey>& found);
  absl::Status NextEntities(const HistoryQuery& query, AskedFor& from, std::vector<EntityKey>& next);
  absl::Status ReadHistories(std::span<const EntityKey> entities, const HistoryQuery& query,
                             HistoryAnswer<Pack>& answer);
  absl::Status ReadHistory(const EntityKey& entity, const sqlite::KeptEntity& kept,
                           std::span<const sqlite::Hit> elements, HistoryAnswer<Pack>& answer);
  absl::Status ReadJoined(const EntityKey& root, const sqlite::KeptEntity& kept, HistoryAnswer<Pack>& answer);
  // The rows that name each entity as their parent, and the sighting that it is derived from.
  struct Rollup {
    std::vector<std::string_view> children;
    sqlite::KeptSighting sighting;
  };
  absl::Status ReadRollups(std::span<const EntityKey> entities, std::vector<Rollup>& rollups, Arena& texts);
  void See(const ElementRow& element, Direction direction);
  absl::Status Unsee(const ElementRow& element);
  absl::Status PutSightings();
  absl::Status CountAgain();

  // Writing.
  absl::Status PutAll(const Batch<Pack>& batch);
  absl::Status Withdraw(std::span<const ElementId> withdrawn);
  absl::Status PutElements(const Batch<Pack>& batch);
  // An element on its way into the tables.
  struct Placed {
    const ElementRow* element;
    int64_t number;              // its own; of its record, until that was found
    const BronzeRecord* record;  // its own, if that is new
  };
  absl::Status Place(const Batch<Pack>& batch, std::vector<Placed>& placed);
  absl::Status Prepare(const Placed& at);
  absl::Status Replaces(int64_t number, const ElementRow& stood);
  void Find(const ElementRow& element, int64_t number, const std::optional<ElementRow>& stood);
  absl::Status PutBodies(std::span<const Placed> placed);
  absl::Status PutRows(sqlite::Table table, std::span<const Placed> placed);
  // Those of one, or of two: one that was reviewed is in quarantine, too.
  void AddTables(const Placed& at, std::map<sqlite::Table, std::vector<Placed>>& by_table) const;
  absl::Status PutColumns(const Placed& at, sqlite::Table table, sqlite::Cells& cells);
  absl::Status PutLinks(const Batch<Pack>& batch);
  absl::Status AddRoots(std::vector<EntityKey>& entities);
  absl::Status MarkEntities(std::span<const Derived> derived);
  absl::Status PutGold(std::span<const GoldWrite<Gold>> gold);
  absl::Status ForgetRecord(int64_t record, absl::FunctionRef<bool(std::string_view)> names);
  absl::StatusOr<int64_t> NumberOf(int64_t record, uint32_t ordinal) const;

  sqlite::Core core_;
  // Of the batch: numbers of its records, what is to go into the indexes, what it makes stale.
  std::vector<int64_t> numbers_;
  std::vector<sqlite::Entry> units_, histories_;
  std::vector<EntityKey> stale_, unsummed_;
  absl::flat_hash_map<std::string, sqlite::KeptSighting> seen_;  // by subject
  std::set<std::string> to_count_;                               // subjects
  sqlite::Cells cells_;                                          // scratch
  PackWriter body_;
  std::string json_;
};

// -----------------------------------------------------------------------------------------------------------

template <class Pack>
absl::StatusOr<std::unique_ptr<SqliteStore<Pack>>> SqliteStore<Pack>::Open(const std::string& path,
                                                                           const SqliteOptions& options) {
  using sqlite::ColumnsOf;
  sqlite::StoreShape shape{.pack = std::string(Pack::kName),
                           .tables = {SilverShape(0),
                                      {std::string(kQuarantineTable), ColumnsOf<QuarantineRow>(), true},
                                      {std::string(kAuditTable), ColumnsOf<AuditRow>(), true},
                                      {std::string(kIgnoredTable), ColumnsOf<IgnoredRow>(), true},
                                      {std::string(kReviewsTable), ColumnsOf<Review>()},
                                      {std::string(kMetricsTable), ColumnsOf<MetricRow>()},
                                      {std::string(kRunLogTable), ColumnsOf<RunLogRow>()},
                                      {std::string(kReconciliationTable), ColumnsOf<ReconciliationRow>()}},
                           .silver_tables = SilverTables<Pack>().size()};
  gold::Rows<Gold>::Each([&]<class Row>(size_t table) {
    shape.tables.push_back({.name = std::string(Pack::kGoldTables[table]),
                            .columns = ColumnsOf<typename gold::Shown<Row>::Type>(),
                            .series = IsSeries<Row>});
  });
  for (size_t table = 1; table < shape.silver_tables; ++table) shape.tables.push_back(SilverShape(table));
  std::unique_ptr<SqliteStore> store(new SqliteStore);
  if (auto status = store->core_.Open(path, shape, options); !status.ok()) return status;
  return store;
}

template <class Pack>
absl::Status SqliteStore<Pack>::Seen(std::span<const RecordId> records, SeenAnswer& answer) {
  sqlite::Transaction reading(core_.connection());
  if (auto status = reading.Begin(sqlite::Transaction::kRead); !status.ok()) return status;
  if (auto status = core_.Watch(/*anew=*/true); !status.ok()) return status;
  std::vector<sqlite::KeptRecord> kept;
  if (auto status = core_.FindRecords(records, kept, answer.texts); !status.ok()) return status;
  answer.arrivals.assign(records.size(), std::nullopt);
  for (size_t i = 0; i < records.size(); ++i) {
    if (kept[i].number != 0) answer.arrivals[i] = kept[i].arrival;
    if (kept[i].forgotten) answer.forgotten.push_back(i);
  }
  answer.checkpoint = {};
  return core_.ReadCheckpoint(answer.checkpoint);
}

template <class Pack>
absl::Status SqliteStore<Pack>::Unpack(int64_t number, std::string_view body, ElementRow& element,
                                       Arena& texts) const {
  if (UnpackWhole(texts.Copy(body), element, texts) && static_cast<int>(element.standing.fate) < kFates) {
    return absl::OkStatus();
  }
  return absl::DataLossError(core_.path() + ": read element " + std::to_string(number) +
                             ": the file is damaged: restore it, or run into a new one");
}

// Nothing where it is gone.
template <class Pack>
absl::Status SqliteStore<Pack>::ReadElement(int64_t number, std::optional<ElementRow>& element,
                                            Arena& texts) {
  element.reset();
  absl::Status damage;
  const absl::Status status = core_.ForElement(number, [&](int64_t, std::string_view body) {
    damage = Unpack(number, body, element.emplace(), texts);
  });
  return status.ok() ? damage : status;
}

template <class Pack>
absl::Status SqliteStore<Pack>::Known(const KnownQuery<Event>& query, KnownAnswer<Event>& answer) {
  sqlite::Transaction reading(core_.connection());
  absl::Status status = reading.Begin(sqlite::Transaction::kRead);
  if (status.ok()) status = core_.Watch(/*anew=*/false);
  if (status.ok()) status = FindWinners(query.arrived, answer.glances, answer.texts);
  if (status.ok()) status = FindEvents(query.arrived, answer.glances, answer.texts);
  if (status.ok()) status = FindUnits(query.arrived, answer.glances);
  if (status.ok()) status = ReadUnits(query.units, answer);
  if (status.ok()) status = ReadRecords(query.records, answer);
  if (status.ok()) status = core_.FindReviews(query.subjects, query.all_reviews, answer.reviews);
  return status;
}

template <class Pack>
absl::Status SqliteStore<Pack>::Bronze(const BronzeQuery& query, BronzeAnswer& answer) {
  sqlite::Transaction reading(core_.connection());
  if (auto status = reading.Begin(sqlite::Transaction::kRead); !status.ok()) return status;
  if (auto status = core_.Watch(/*anew=*/false); !status.ok()) return status;
  return core_.FindBronze(query, answer);
}

// A glance for each whose unit may be known, with the winner where there is one.
template <class Pack>
absl::Status SqliteStore<Pack>::FindWinners(std::span<const ElementRow> arrived, std::vector<Glance>& glances,
                                            Arena& texts) {
  std::vector<sqlite::Entry> asked;  // key -> index of `glances`
  for (uint32_t i = 0; i < arrived.size(); ++i) {
    if (!arrived[i].to_settle()) continue;
    const uint64_t key = sqlite::WinnerKey(arrived[i].identity);
    if (!core_.units().MayHold(key)) continue;
    asked.push_back({key, static_cast<int64_t>(glances.size())});
    glances.emplace_back().arrived = i;
  }
  std::vector<sqlite::Hit> hits;
  if (auto status = core_.units().Find(asked, 0, hits); !status.ok()) return status;
  std::optional<ElementRow> element;
  for (const sqlite::Hit& hit : hits) {
    Glance& glance = glances[static_cast<size_t>(hit.asked)];
    const Identity& ask = arrived[glance.arrived].identity;
    if (glance.has_winner) continue;
    if (auto status = ReadElement(hit.value, element, texts); !status.ok()) return status;
    if (!element.has_value() || element->standing.fate != Fate::kSilver) continue;
    const Identity& found = element->identity;
    if (found.unit != ask.unit || found.business_key != ask.business_key || found.cut != ask.cut) continue;
    glance.has_winner = true;
    glance.winner = found;
    glance.filled = element->standing.filled;
  }
  return absl::OkStatus();
}

// Of the members in agreement with one event id, all but the first are technical duplicates: so the first is the
// winner itself or the one business duplicate with that id.
template <class Pack>
absl::Status SqliteStore<Pack>::FindEvents(std::span<const ElementRow> arrived, std::vector<Glance>& glances,
                                           Arena& texts) {
  std::vector<sqlite::Entry> asked;  // key -> index of `glances`
  for (size_t i = 0; i < glances.size(); ++i) {
    Glance& glance = glances[i];
    const uint64_t event_id = arrived[glance.arrived].identity.event_id;
    if (!glance.has_winner) continue;
    if (glance.winner.event_id == event_id) {
      glance.event_id_seen = true;
      glance.event_id_first = glance.winner.order;
    } else {
      asked.push_back({sqlite::EventKey(glance.winner, event_id), static_cast<int64_t>(i)});
    }
  }
  std::vector<sqlite::Hit> hits;
  if (auto status = core_.units().Find(asked, 0, hits); !status.ok()) return status;
  std::optional<ElementRow> element;
  for (const sqlite::Hit& hit : hits) {
    Glance& glance = glances[static_cast<size_t>(hit.asked)];
    const Identity& winner = glance.winner;
    if (glance.event_id_seen) continue;
    if (auto status = ReadElement(hit.value, element, texts); !status.ok()) return status;
    if (!element.has_value() || element->standing.fate != Fate::kBusinessDuplicate) continue;
    const Identity& found = element->identity;
    if (found.unit != winner.unit || found.business_key != winner.business_key || found.fact != winner.fact)
      continue;
    if (found.event_id != arrived[glance.arrived].identity.event_id) continue;
    glance.event_id_seen = true;
    glance.event_id_first = found.order;
  }
  return absl::OkStatus();
}

// Takes out the glances without a winner whose unit is not known either: it was another with an equal key.
template <class Pack>
absl::Status SqliteStore<Pack>::FindUnits(std::span<const ElementRow> arrived, std::vector<Glance>& glances) {
  std::vector<Digest> units;
  absl::flat_hash_map<Digest, bool> stands;
  std::vector<sqlite::Entry> asked;  // key -> index of `units`
  for (const Glance& glance : glances) {
    const Digest& unit = arrived[glance.arrived].identity.unit;
    if (glance.has_winner || !stands.try_emplace(unit, false).second) continue;
    asked.push_back({sqlite::UnitKey(unit), static_cast<int64_t>(units.size())});
    units.push_back(unit);
  }
  std::vector<sqlite::Hit> hits;
  if (auto status = core_.units().Find(asked, sqlite::kTagBits, hits); !status.ok()) return status;
  std::optional<ElementRow> element;
  for (const sqlite::Hit& hit : hits) {
    const Digest& unit = units[static_cast<size_t>(hit.asked)];
    bool& stands_already = stands[unit];
    if (stands_already) continue;
    Arena texts;
    if (auto status = ReadElement(hit.value, element, texts); !status.ok()) return status;
    stands_already = element.has_value() && element->identity.unit == unit;
  }
  std::erase_if(glances, [&](const Glance& glance) {
    return !glance.has_winner && !stands[arrived[glance.arrived].identity.unit];
  });
  return absl::OkStatus();
}

template <class Pack>
absl::Status SqliteStore<Pack>::ReadUnits(std::span<const Digest> units, KnownAnswer<Event>& answer) {
  std::vector<sqlite::Entry> asked;  // key -> index of `units`
  absl::flat_hash_set<Digest> once;
  for (size_t i = 0; i < units.size(); ++i) {
    if (once.insert(units[i]).second) asked.push_back({sqlite::UnitKey(units[i]), static_cast<int64_t>(i)});
  }
  std::vector<sqlite::Hit> hits;
  if (auto status = core_.units().Find(asked, sqlite::kTagBits, hits); !status.ok()) return status;
  std::optional<ElementRow> element;
  for (const sqlite::Hit& hit : hits) {
    if (auto status = ReadElement(hit.value, element, answer.texts); !status.ok()) return status;
    if (!element.has_value() || element->identity.unit != units[static_cast<size_t>(hit.asked)]) continue;
    answer.elements.push_back(*element);
  }
  return absl::OkStatus();
}

template <class Pack>
absl::Status SqliteStore<Pack>::ReadRecords(std::span<const RecordId> records, KnownAnswer<Event>& answer) {
  if (records.empty()) return absl::OkStatus();
  std::vector<sqlite::KeptRecord> kept;
  if (auto status = core_.FindRecords(records, kept, answer.texts); !status.ok()) return status;
  absl::flat_hash_set<ElementId> taken;
  for (const ElementRow& element : answer.elements) taken.insert(IdOf(element.identity.order));
  for (const sqlite::KeptRecord& record : kept) {
    absl::Status damage;
    const auto take = [&](int64_t number, std::string_view body) {
      ElementRow element;
      damage = Unpack(number, body, element, answer.texts);
      if (damage.ok() && taken.insert(IdOf(element.identity.order)).second)
        answer.elements.push_back(element);
      return damage.ok();
    };
    if (auto status = core_.ForRecord(record.number, take); !status.ok()) return status;
    if (!damage.ok()) return damage;
  }
  return absl::OkStatus();
}

// Some that are stale; none where no list is left.
template <class Pack>
absl::Status SqliteStore<Pack>::ReadStale(AskedFor& from, size_t most, std::vector<EntityKey>& found) {
  while (found.empty() && !from.stale_left.empty()) {
    sqlite::StaleList& list = core_.stale(from.stale_left.back());
    if (from.stale == sqlite::StaleList::Place{}) from.stale = list.begin();
    if (auto status = core_.ReadStale(list, from.stale, most, found); !status.ok()) return status;
    if (!found.empty()) break;
    from.stale_left.pop_back();
    from.stale = {};
    if (!from.taken.empty()) from.stale_left.clear();  // what sightings make may need these first
  }
  return absl::OkStatus();
}

// Some of the entities asked for that were not taken yet; none at the end.
template <class Pack>
absl::Status SqliteStore<Pack>::NextEntities(const HistoryQuery& query, AskedFor& from,
                                             std::vector<EntityKey>& next) {
  const size_t at_once = query.rollups ? 64 : 256;  // what they are made of is read at once, too
  next.clear();
  while (next.empty()) {
    std::vector<EntityKey> found;
    absl::Status status;
    bool stale = false;
    if (from.given < query.entities.size()) {
      const auto given =
          query.entities.subspan(from.given, std::min(at_once, query.entities.size() - from.given));
      found.assign(given.begin(), given.end());
      from.given += found.size();
    } else if (!from.stale_left.empty()) {
      stale = true;
      status = ReadStale(from, at_once, found);
    } else if (from.due_left) {
      status = core_.ReadDue(query.due_by, from.due, at_once, found);
      from.due += found.size();
      from.due_left = found.size() == at_once;
    } else {
      return absl::OkStatus();
    }
    if (!status.ok()) return status;
    for (const EntityKey& entity : found) {
      if (!from.taken.insert(entity).second) continue;
      if (stale && from.skip > 0) {
        --from.skip;
      } else {
        next.push_back(entity);
      }
    }
  }
  return absl::OkStatus();
}

template <class Pack>
absl::Status SqliteStore<Pack>::History(const HistoryQuery& query, HistoryAnswer<Pack>& answer) {
  sqlite::Transaction reading(core_.connection());
  if (auto status = reading.Begin(sqlite::Transaction::kRead); !status.ok()) return status;
  if (auto status = core_.Watch(/*anew=*/false); !status.ok()) return status;
  answer.elements.reserve(query.rows_max);
  AskedFor from{.due_left = query.due_by != kNoTime, .skip = query.stale_skip};
  if (query.rollups) {
    from.stale_left = {sqlite::Stale::kSighted, sqlite::Stale::kRollups};
  } else if (query.stale) {
    from.stale_left = {sqlite::Stale::kElements};
  }
  std::vector<EntityKey> next;
  do {
    if (auto status = NextEntities(query, from, next); !status.ok()) return status;
    if (auto status = ReadHistories(next, query, answer); !status.ok()) return status;
  } while (!next.empty() && !answer.more);
  return absl::OkStatus();
}

// Of these entities in their order, until the answer is full.
template <class Pack>
absl::Status SqliteStore<Pack>::ReadHistories(std::span<const EntityKey> entities, const HistoryQuery& query,
                                              HistoryAnswer<Pack>& answer) {
  std::vector<sqlite::Hit> hits;
  std::vector<sqlite::KeptEntity> kept(entities.size());
  std::vector<sqlite::KeptGold> gold;
  absl::Status status;
  if (!query.rollups) status = core_.FindOf(entities, core_.histories(), hits);
  if (status.ok() && !query.whole) status = core_.FindEntities(entities, kept, answer.texts);
  if (status.ok()) status = core_.FindGold(entities, gold);
  std::vector<Rollup> rollups;
  if (status.ok()) status = ReadRollups(entities, rollups, answer.texts);
  if (!status.ok()) return status;
  const auto own = [](auto& rows, int64_t entity) {  // the first of those that are left
    size_t size = 0;
    while (size < rows.size() && rows[size].asked == entity) ++size;
    const auto first = rows.first(size);
    rows = rows.subspan(size);
    return first;
  };
  auto hits_left = std::span<const sqlite::Hit>(hits);
  auto gold_left = std::span<const sqlite::KeptGold>(gold);
  for (size_t i = 0; i < entities.size(); ++i) {
    const size_t rows = answer.entities.size() + answer.elements.size() + answer.children.size();
    answer.more = rows >= query.rows_max;
    if (answer.more) return absl::OkStatus();
    const auto elements = own(hits_left, static_cast<int64_t>(i));
    EntityKey root;
    status = core_.timelines().RootOf(entities[i], root);
    if (status.ok() && root == entities[i]) status = ReadHistory(entities[i], kept[i], elements, answer);
    if (status.ok()) status = ReadJoined(entities[i], kept[i], answer);
    if (!status.ok()) return status;
    for (const sqlite::KeptGold& row : own(gold_left, static_cast<int64_t>(i)))
      answer.versions.push_back(row.version);
    status = core_.timelines().Contexts(entities[i], answer.contexts, answer.texts);
    if (!status.ok()) return status;
    for (const std::string_view body : rollups[i].children) {
      PackReader reader(body, answer.texts);
      Digest key;
      reader(key);
      UnpackGold(reader, key, answer.children.emplace_back());
    }
    answer.entities.push_back({.entity = entities[i],
                               .summary = kept[i].summary,
                               .elements_end = answer.elements.size(),
                               .versions_end = answer.versions.size(),
                               .contexts_end = answer.contexts.size(),
                               .children_end = answer.children.size()});
    if (rollups[i].sighting.number == 0) continue;
    answer.entities.back().subject = answer.texts.Copy(rollups[i].sighting.name);
    answer.entities.back().sighting = rollups[i].sighting.sighting;
  }
  return absl::OkStatus();
}

// Those of the elements found that a summary does not cover.
template <class Pack>
absl::Status SqliteStore<Pack>::ReadHistory(const EntityKey& entity, const sqlite::KeptEntity& kept,
                                            std::span<const sqlite::Hit> elements,
                                            HistoryAnswer<Pack>& answer) {
  const auto is_covered = [&](const sqlite::Hit& hit) { return hit.value < kept.summed; };
  elements = {std::partition_point(elements.begin(), elements.end(), is_covered), elements.end()};
  if (elements.empty()) return absl::OkStatus();
  absl::Status damage;
  const absl::Status read = core_.ForElements(elements, [&](const sqlite::Hit& hit, std::string_view body) {
    ElementRow& element = answer.elements.emplace_back();
    damage = Unpack(hit.value, body, element, answer.texts);
    if (element.entity != entity || !IsHistory(element)) answer.elements.pop_back();
    return damage.ok();
  });
  return read.ok() ? damage : read;
}

template <class Pack>
absl::Status SqliteStore<Pack>::ReadRollups(std::span<const EntityKey> entities, std::vector<Rollup>& rollups,
                                            Arena& texts) {
  rollups.assign(entities.size(), {});
  absl::Status status;
  if constexpr (RollsUp<Pack>) {
    status = core_.ForChildren(entities, [&](size_t parent, std::string_view body) {
      rollups[parent].children.push_back(texts.Copy(body));
    });
  }
  if constexpr (Sights<Pack>) {
    std::vector<sqlite::KeptSighting> sightings;
    if (status.ok()) status = core_.FindSightings(entities, sightings);
    for (size_t i = 0; i < sightings.size(); ++i) rollups[i].sighting = std::move(sightings[i]);
  }
  return status;
}

// Notes what a new element makes known.
template <class Pack>
void SqliteStore<Pack>::See(const ElementRow& element, Direction direction) {
  if constexpr (Sights<Pack>) {
    const std::optional<Sighting> sighting = Pack::SightingOf(element, direction);
    if (!sighting.has_value()) return;
    std::string subject = Pack::SubjectKey(element.row);
    sqlite::KeptSighting& seen = seen_[subject];
    const std::string_view name = Pack::Subject(element.row);
    if (seen.subject.empty() || name < seen.name) seen.name = name;
    seen.subject = std::move(subject);
    seen.sighting.Take(*sighting);
  } else {
    static_cast<void>(element), static_cast<void>(direction);
  }
}

// A subject whose maximum rests on what goes is counted again, from all elements: a maximum that is gone leaves no trace
// of the next.
template <class Pack>
absl::Status SqliteStore<Pack>::Unsee(const ElementRow& element) {
  if constexpr (Sights<Pack>) {
    const std::string subject = Pack::SubjectKey(element.row);
    const EntityKey entity = Pack::SightingKey(subject);
    std::vector<sqlite::KeptSighting> found;
    if (auto status = core_.FindSightings({&entity, 1}, found); !status.ok()) return status;
    const sqlite::KeptSighting& kept = found.front();
    if (kept.number == 0) return absl::OkStatus();
    for (const Direction direction : {Direction::kIn, Direction::kOut}) {  // it may have been another
      const std::optional<Sighting> sighting = Pack::SightingOf(element, direction);
      if (!sighting.has_value()) continue;
      const bool rests = kept.name == Pack::Subject(element.row) || kept.sighting.RestsOn(*sighting);
      if (rests) to_count_.insert(subject);
    }
  } else {
    static_cast<void>(element);
  }
  return absl::OkStatus();
}

template <class Pack>
absl::Status SqliteStore<Pack>::PutSightings() {
  if constexpr (Sights<Pack>) {
    if (auto status = CountAgain(); !status.ok()) return status;
    std::vector<EntityKey> entities;
    for (const auto& [subject, seen] : seen_) entities.push_back(Pack::SightingKey(subject));
    std::vector<sqlite::KeptSighting> stood, changed;
    if (auto status = core_.FindSightings(entities, stood); !status.ok()) return status;
    size_t i = 0;
    for (auto& [subject, seen] : seen_) {
      const sqlite::KeptSighting& before = stood[i];
      seen.number = before.number, seen.entity = entities[i++];
      if (before.number != 0) {
        seen.sighting.Take(before.sighting);
        seen.name = std::min(seen.name, before.name);
        if (seen.sighting == before.sighting && seen.name == before.name) continue;
      }
      changed.push_back(std::move(seen));
    }
    return core_.PutSightings(changed);
  }
  return absl::OkStatus();
}

template <class Pack>
absl::Status SqliteStore<Pack>::CountAgain() {
  if constexpr (Sights<Pack>) {
    if (to_count_.empty()) return absl::OkStatus();
    std::vector<EntityKey> entities;
    for (const std::string& subject : to_count_) entities.push_back(Pack::SightingKey(subject));
    std::vector<sqlite::KeptSighting> stood;
    if (auto status = core_.FindSightings(entities, stood); !status.ok()) return status;
    for (const sqlite::KeptSighting& sighting : stood) {
      if (sighting.number == 0) continue;
      if (auto status = core_.DropSighting(sighting); !status.ok()) return status;
    }
    if (auto status = core_.MarkStale(sqlite::Stale::kSighted, entities); !status.ok()) return status;
    absl::Status damage;
    const absl::Status read =
        core_.ForAllElements([&](int64_t number, std::string_view body, Direction direction) {
          Arena texts;
          ElementRow element;
          damage = Unpack(number, body, element, texts);
          if (damage.ok() && to_count_.contains(Pack::SubjectKey(element.row))) See(element, direction);
          return damage.ok();
        });
    if (!read.ok()) return read;
    return damage;
  }
  return absl::OkStatus();
}

// The elements of the other entities that are derived with `root`, as far as its summary does not cover them.
template <class Pack>
absl::Status SqliteStore<Pack>::ReadJoined(const EntityKey& root, const sqlite::KeptEntity& kept,
                                           HistoryAnswer<Pack>& answer) {
  std::vector<EntityKey> joined;
  if (auto status = core_.timelines().JoinedTo(root, joined); !status.ok()) return status;
  for (const EntityKey& entity : joined) {
    std::vector<sqlite::Hit> hits;
    if (auto status = core_.FindOf({&entity, 1}, core_.histories(), hits); !status.ok()) return status;
    if (auto status = ReadHistory(entity, kept, hits, answer); !status.ok()) return status;
  }
  return absl::OkStatus();
}

template <class Pack>
absl::Status SqliteStore<Pack>::Timelines(const TimelineQuery& query, TimelineAnswer<Event>& answer) {
  sqlite::Transaction reading(core_.connection());
  if (auto status = reading.Begin(sqlite::Transaction::kRead); !status.ok()) return status;
  if (auto status = core_.Watch(/*anew=*/false); !status.ok()) return status;
  sqlite::Timelines& timelines = core_.timelines();
  if (auto status = timelines.Touched(query.touched_max, answer.touched); !status.ok()) return status;
  std::vector<sqlite::Hit> elements;
  if (auto status = timelines.FindElements(query.parts, elements); !status.ok()) return status;
  for (const TimelinePart& part : query.parts) {
    if (auto status = timelines.FindLinks(part, answer.links); !status.ok()) return status;
    answer.links_end.push_back(answer.links.size());
  }
  answer.elements_end.assign(query.parts.size(), 0);
  absl::Status damage;
  const absl::Status read = core_.ForElements(elements, [&](const sqlite::Hit& hit, std::string_view body) {
    const auto part = static_cast<size_t>(hit.asked);
    ElementRow& element = answer.elements.emplace_back();
    damage = Unpack(hit.value, body, element, answer.texts);
    const bool is_on = damage.ok() && IsOn(query.parts[part], element);
    is_on ? static_cast<void>(++answer.elements_end[part]) : answer.elements.pop_back();
    return damage.ok();
  });
  std::partial_sum(answer.elements_end.begin(), answer.elements_end.end(), answer.elements_end.begin());
  return read.ok() ? damage : read;
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
absl::Status SqliteStore<Pack>::Entities(const EntityQuery& query, EntityAnswer& answer) {
  return Reading([&] { return core_.FindEntities(query, answer); });
}

template <class Pack>
absl::Status SqliteStore<Pack>::TouchTimelines() {
  if constexpr (!Resolves<Pack>) return absl::OkStatus();
  sqlite::Transaction writing(core_.connection());
  absl::Status status = core_.Begin(writing);
  core_.timelines().Begin();
  absl::Status damage;
  const auto touch = [&](int64_t number, std::string_view body, Direction) {
    Arena texts;
    ElementRow element;
    damage = Unpack(number, body, element, texts);
    if (!damage.ok()) return false;
    if (auto mark = memory::MarkOf<Pack>(element); mark.has_value()) {
      mark->detail = false;  // all is to be resolved anew
      core_.timelines().Touch(*mark);
    }
    return true;
  };
  if (status.ok()) status = core_.ForAllElements(touch);
  if (status.ok()) status = damage;
  if (status.ok()) status = core_.timelines().Flush();
  if (status.ok()) status = writing.Commit();
  if (status.ok()) core_.Committed();
  return status;
}

template <class Pack>
absl::Status SqliteStore<Pack>::TouchedSince(UtcTime since, std::vector<EntityKey>& entities) {
  absl::flat_hash_set<EntityKey> taken = {EntityKey{}};
  std::vector<EntityKey> rollups;
  const auto take = [&](const EntityKey& entity, bool is_rollup) {
    if (taken.insert(entity).second) (is_rollup ? rollups : entities).push_back(entity);
  };
  absl::Status failure;
  const auto take_element = [&](int64_t number, std::string_view body) {
    Arena texts;
    ElementRow element;
    EntityKey root;
    failure = Unpack(number, body, element, texts);
    if (failure.ok()) failure = core_.timelines().RootOf(element.entity, root);
    if (failure.ok() && IsHistory(element)) take(element.entity, false), take(root, false);
    return failure.ok();
  };
  return Reading([&] {
    absl::Status status = core_.ForTouched(since, take);
    if (status.ok()) status = core_.ForElementsSince(since, take_element);
    if (status.ok()) status = failure;
    entities.insert(entities.end(), rollups.begin(), rollups.end());
    return status;
  });
}

template <class Pack>
absl::Status SqliteStore<Pack>::Shown(std::span<const EntityKey> entities, std::vector<ShownRow>& rows) {
  return Reading([&] { return core_.FindShown(entities, rows); });
}

template <class Pack>
absl::Status SqliteStore<Pack>::Strays(std::vector<ShownRow>& rows) {
  return Reading([&] { return core_.FindStrays(rows); });
}

template <class Pack>
absl::Status SqliteStore<Pack>::HoursAmiss(UtcTime since, std::vector<ReconciliationRow>& rows) {
  return Reading([&] { return core_.FindHoursAmiss(since, rows); });
}

template <class Pack>
absl::Status SqliteStore<Pack>::Repair(const Batch<Pack>& batch, std::span<const ShownRow> strays,
                                       std::span<const ReconciliationRow> log) {
  sqlite::Transaction writing(core_.connection());
  absl::Status status = core_.Begin(writing);
  if (status.ok()) status = PutAll(batch);
  if (status.ok()) status = core_.DropShown(strays);
  if (status.ok()) status = core_.PutReconciled(log);
  if (status.ok()) status = writing.Commit();
  if (status.ok()) core_.Committed();
  return status;
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

// ---------------------------------------------------------------------------------------------------------------------
// Forgetting

template <class Pack>
absl::StatusOr<int64_t> SqliteStore<Pack>::Forget(absl::FunctionRef<bool(std::string_view text)> names) {
  if (auto status = core_.connection().Execute("PRAGMA secure_delete=ON", "set up the store"); !status.ok())
    return status;
  std::vector<int64_t> records;
  std::vector<Review> reviews;
  {
    sqlite::Transaction writing(core_.connection());
    absl::Status status = core_.Begin(writing);
    if (status.ok()) status = core_.FindNamed(names, records, reviews);
    for (const Review& review : reviews) {
      if (status.ok()) status = core_.ForgetPayload(review);
    }
    for (const int64_t record : records) {
      if (status.ok()) status = ForgetRecord(record, names);
    }
    if (status.ok()) status = writing.Commit();
    if (!status.ok()) return status;
    core_.Committed();
  }
  if (auto status = core_.Wipe(); !status.ok()) return status;
  return static_cast<int64_t>(records.size() + reviews.size());
}

// Its elements are written again, without the texts.
template <class Pack>
absl::Status SqliteStore<Pack>::ForgetRecord(int64_t record,
                                             absl::FunctionRef<bool(std::string_view)> names) {
  if (auto status = core_.ForgetPayload(record); !status.ok()) return status;
  Arena texts;
  std::vector<ElementRow> elements;
  std::vector<int64_t> numbers;
  absl::Status damage;
  const auto take = [&](int64_t number, std::string_view body) {
    numbers.push_back(number);
    damage = Unpack(number, body, elements.emplace_back(), texts);
    return damage.ok();
  };
  if (auto status = core_.ForRecord(record, take); !status.ok()) return status;
  if (!damage.ok()) return damage;
  std::vector<Placed> placed;
  for (size_t i = 0; i < elements.size(); ++i) {
    ElementRow& element = elements[i];
    if (names(element.detail)) element.detail = {};
    if (element.review != nullptr) {
      Reviewed review = *element.review;
      if (names(review.payload)) review.payload = {};
      if (names(review.detail)) review.detail = {};
      element.review = texts.Keep(review);
    }
    if constexpr (requires { Pack::Forget(element.row, names); }) Pack::Forget(element.row, names);
    placed.push_back({&element, numbers[i], nullptr});
  }
  if (auto status = PutBodies(placed); !status.ok()) return status;
  std::map<sqlite::Table, std::vector<Placed>> by_table;
  for (const Placed& at : placed) AddTables(at, by_table);
  for (const auto& [table, of_table] : by_table) {
    if (auto status = PutRows(table, of_table); !status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace medallion
