// The run loop: reads a source to its end, batch by batch, and keeps a store's tables true. The only place where the
// pure steps and the edge meet; a host that wants another loop calls the same steps itself.
//
// A Pack names a domain's types and steps:
//
//   struct Pack {
//     using Event = …;    // a Silver row: see base/columns.h for VisitColumns, io/element_codec.h for VisitFields
//     using Gold = …;     // a derived row: VisitColumns
//     using Options = …;
//     static constexpr std::string_view kName, kSilverTable, kGoldTable;
//     static Refined<Event> Refine(std::span<const BronzeRecord>, const Options&);
//     static Policy PolicyOf(const Options&);
//     // Cuts the members of one unit, sorted by Order, into facts; called where `identity.cut` is set.
//     static void Cut(std::span<const Element<Event>> unit, std::span<uint32_t> fact, const Options&);
//     // Sets value `i` of the row to that of `from`; null where `from` is null.
//     static void Fill(Event& row, int i, const Event* from);
//     // The particulars of a conflict as a JSON object: the differing values (bits of `differs`), the row's and the fact's.
//     static std::string Difference(const Event& row, const Event& fact, uint8_t differs);
//     // The Gold rows of one entity; equal for any order of `history`.
//     static std::vector<Gold> Derive(std::span<const Element<Event>> history, UtcTime data_clock, const Options&);
//     static RowVersion VersionOf(const Gold&);
//     static UtcTime NextDue(const Gold&);  // after the clock it was derived at, or kNoTime
//     static std::string_view Subject(const Event&);  // whom the row is about (a charge point)
//     static std::string_view Action(const Event&);
//   };
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "medallion/bronze/record.h"
#include "medallion/gold/data_clock.h"
#include "medallion/gold/derive_entities.h"
#include "medallion/io/source.h"
#include "medallion/io/store.h"
#include "medallion/silver/settle_elements.h"

namespace medallion {

// How far a run has come; for progress lines.
struct RunReport {
  int64_t batches = 0;
  int64_t records = 0;      // delivered and not beyond `as_of`
  int64_t redelivered = 0;  // of these, known already
  int64_t beyond = 0;       // left out because of `as_of`
  int64_t unknown_fields = 0;
  UtcTime data_clock = kNoTime;
};

struct RunOptions {
  std::string source = "source";  // the name under which the store keeps the position
  size_t batch_records = 10'000;
  UtcTime as_of = kNoTime;  // read only records ingested up to then, and sweep then; kNoTime: no bound
  std::string run_id = "run";
  std::function<void(const RunReport&)> on_batch = {};  // called after each batch is applied
};

// Feeds one store. One thread at a time.
template <class Pack>
class Runner {
 public:
  using Event = typename Pack::Event;
  using Gold = typename Pack::Gold;

  // Both must outlive the runner.
  Runner(Store<Pack>& store, const typename Pack::Options& options, RunOptions run = {})
      : store_(store), options_(options), run_(std::move(run)) {}

  // Applies these records as one batch. `position` is where their source stands after them, or empty.
  absl::Status Take(std::span<const BronzeRecord> delivered, std::string_view position);

  // Derives all rows that are due at `clock` or at the store's own data clock, whichever is later; the clock becomes it.
  absl::Status Sweep(UtcTime clock);

  const RunReport& report() const { return report_; }

 private:
  // One batch on its way through the steps.
  struct Work {
    std::vector<RecordWrite> records;       // new ones, and known ones to be read anew
    Refined<Event> refined;                 // of these
    std::vector<Element<Event>> withdrawn;  // what those read anew had yielded before
    std::vector<Element<Event>> changed;    // known elements that now stand otherwise
    std::vector<GoldWrite<Gold>> gold;
    UtcTime clock = kNoTime;
    int64_t redelivered = 0;
    bool passed_over = false;  // a record lay beyond as_of: the position must stay before it
    SeenAnswer seen;
    KnownAnswer<Event> glanced, known;
    HistoryAnswer<Event> history;
    Arena texts;
  };

  bool Beyond(UtcTime ingest_ts) const { return run_.as_of != kNoTime && ingest_ts > run_.as_of; }
  absl::Status Admit(std::span<const BronzeRecord> delivered, Work& work);
  void RefineRecords(Work& work);
  absl::Status SettleElements(Work& work);
  absl::Status Derive(Work& work);
  absl::Status Write(Work& work, std::string_view position, std::chrono::steady_clock::time_point since);

  Store<Pack>& store_;
  const typename Pack::Options& options_;
  RunOptions run_;
  RunReport report_;
};

// Reads `source` from where the store left it to its end, then sweeps at the data clock, or at `as_of`.
template <class Pack>
absl::StatusOr<RunReport> Run(Source& source, Store<Pack>& store, const typename Pack::Options& options,
                              const RunOptions& run = {}) {
  SeenAnswer seen;
  if (auto status = store.Seen({}, seen); !status.ok()) return status;
  const auto position = seen.checkpoint.positions.find(run.source);
  const std::string start = position == seen.checkpoint.positions.end() ? "" : position->second;
  if (auto status = source.Seek(start); !status.ok()) return status;

  Runner<Pack> runner(store, options, run);
  for (bool at_end = false; !at_end;) {
    absl::StatusOr<SourceBatch> batch = source.Read(run.batch_records);
    if (!batch.ok()) return batch.status();
    at_end = batch->at_end;
    if (batch->records.empty()) continue;
    if (auto status = runner.Take(batch->records, batch->position); !status.ok()) return status;
    if (run.on_batch) run.on_batch(runner.report());
  }
  if (auto status = runner.Sweep(run.as_of); !status.ok()) return status;
  return runner.report();
}

// ---------------------------------------------------------------------------------------------------------------

template <class Pack>
absl::Status Runner<Pack>::Take(std::span<const BronzeRecord> delivered, std::string_view position) {
  const auto since = std::chrono::steady_clock::now();
  Work work;
  if (auto status = Admit(delivered, work); !status.ok()) return status;
  RefineRecords(work);
  if (auto status = SettleElements(work); !status.ok()) return status;
  if (auto status = Derive(work); !status.ok()) return status;
  return Write(work, position, since);
}

// Leaves the records that are new or whose arrival changed: each once, with its earliest arrival.
template <class Pack>
absl::Status Runner<Pack>::Admit(std::span<const BronzeRecord> delivered, Work& work) {
  absl::flat_hash_map<RecordId, size_t> first;
  std::vector<RecordId> ids;
  std::vector<RecordWrite> once;
  std::vector<UtcTime> clocks;
  for (const BronzeRecord& record : delivered) {
    if (Beyond(record.ingest_ts)) {
      work.passed_over = true;
      ++report_.beyond;
      continue;
    }
    ++report_.records;
    work.clock = Advance(work.clock, record.broker_ts, record.ingest_ts);
    const RecordId id = IdOf(record);
    const auto [at, added] = first.try_emplace(id, once.size());
    if (added) {
      ids.push_back(id);
      once.push_back({.record = record, .id = id});
      continue;
    }
    ++work.redelivered;
    BronzeRecord& kept = once[at->second].record;
    const Arrival arrival = Earliest({kept.broker_ts, kept.ingest_ts, kept.key},
                                     {record.broker_ts, record.ingest_ts, record.key});
    kept.broker_ts = arrival.broker_ts, kept.ingest_ts = arrival.ingest_ts, kept.key = arrival.key;
  }
  if (auto status = store_.Seen(ids, work.seen); !status.ok()) return status;
  work.clock = std::max(work.clock, work.seen.checkpoint.data_clock);
  for (size_t i = 0; i < once.size(); ++i) {
    RecordWrite& write = once[i];
    if (const std::optional<Arrival>& stood = work.seen.arrivals[i]; stood.has_value()) {
      BronzeRecord& record = write.record;
      const Arrival arrival = Earliest(*stood, {record.broker_ts, record.ingest_ts, record.key});
      ++work.redelivered;
      if (arrival == *stood) continue;
      record.broker_ts = arrival.broker_ts, record.ingest_ts = arrival.ingest_ts, record.key = arrival.key;
      write.known = true;
    }
    work.records.push_back(write);
  }
  return absl::OkStatus();
}

// Refines; then leaves out records whose ingest time, read from the payload, lies beyond as_of.
template <class Pack>
void Runner<Pack>::RefineRecords(Work& work) {
  std::vector<BronzeRecord> records;
  records.reserve(work.records.size());
  for (const RecordWrite& write : work.records) records.push_back(write.record);
  work.refined = Pack::Refine(records, options_);
  report_.unknown_fields += static_cast<int64_t>(work.refined.unknown_fields);

  absl::flat_hash_set<RecordId> beyond;
  for (size_t i = 0; i < records.size(); ++i) {
    const UtcTime ingest_ts = work.refined.ingest_ts[i];
    if (Beyond(ingest_ts)) {
      beyond.insert(work.records[i].id);
    } else if (records[i].ingest_ts == kNoTime) {
      work.clock = Advance(work.clock, records[i].broker_ts, ingest_ts);
    }
  }
  if (beyond.empty()) return;
  work.passed_over = true;
  report_.beyond += static_cast<int64_t>(beyond.size());
  report_.records -= static_cast<int64_t>(beyond.size());
  std::erase_if(work.records, [&](const RecordWrite& write) { return beyond.contains(write.id); });
  std::erase_if(work.refined.elements, [&](const Element<Event>& element) {
    return beyond.contains(IdOf(element.identity.order).record);
  });
}

template <class Pack>
absl::Status Runner<Pack>::SettleElements(Work& work) {
  std::vector<Element<Event>>& arrived = work.refined.elements;
  const std::vector<uint32_t> sorted = ToSettle<Event>(arrived);
  std::vector<Identity> identities;
  identities.reserve(sorted.size());
  for (const uint32_t i : sorted) identities.push_back(arrived[i].identity);
  std::vector<RecordId> read_anew;
  for (const RecordWrite& write : work.records) {
    if (write.known) read_anew.push_back(write.id);
  }
  KnownAnswer<Event>& glanced = work.glanced;
  if (auto status = store_.Known({.arrived = identities, .records = read_anew}, glanced); !status.ok())
    return status;
  work.withdrawn = std::move(glanced.elements);

  // A unit that loses a member is settled as a whole, whatever a glance would say.
  absl::flat_hash_set<Digest> losing;
  for (const Element<Event>& element : work.withdrawn) {
    if (element.to_settle()) losing.insert(element.identity.unit);
  }
  if (!losing.empty()) {
    for (size_t i = 0; i < sorted.size(); ++i) {
      if (losing.contains(identities[i].unit)) glanced.glances[i] = Glance{};
    }
  }
  Unsettled left = SettleAtAGlance<Event>(arrived, sorted, glanced.glances);
  for (const Digest& unit : left.units) losing.insert(unit);
  left.units.assign(losing.begin(), losing.end());
  if (!left.units.empty()) {
    if (auto status = store_.Known({.units = left.units}, work.known); !status.ok()) return status;
  }
  absl::flat_hash_set<ElementId> gone;
  for (const Element<Event>& element : work.withdrawn) gone.insert(IdOf(element.identity.order));
  std::erase_if(work.known.elements,
                [&](const auto& element) { return gone.contains(IdOf(element.identity.order)); });
  work.changed = SettleWhole<Pack>(arrived, left.arrived, work.known.elements, options_, work.texts);
  return absl::OkStatus();
}

template <class Pack>
absl::Status Runner<Pack>::Derive(Work& work) {
  const std::vector<EntityKey> touched =
      TouchedEntities<Event>(work.refined.elements, work.changed, work.withdrawn);
  if (touched.empty()) return absl::OkStatus();
  if (auto status = store_.History({.entities = touched}, work.history); !status.ok()) return status;
  const std::vector<Element<Event>> history = HistoryAfter<Event>(
      std::move(work.history.elements), work.refined.elements, work.changed, work.withdrawn);
  work.gold = DeriveEntities<Pack>(history, work.history.versions, work.clock, options_);
  return absl::OkStatus();
}

template <class Pack>
absl::Status Runner<Pack>::Write(Work& work, std::string_view position,
                                 std::chrono::steady_clock::time_point since) {
  std::vector<ElementId> withdrawn;
  for (const Element<Event>& element : work.withdrawn) withdrawn.push_back(IdOf(element.identity.order));
  std::vector<Element<Event>>& elements = work.refined.elements;
  elements.insert(elements.end(), work.changed.begin(), work.changed.end());

  report_.redelivered += work.redelivered;
  report_.data_clock = work.clock;
  ++report_.batches;
  const auto duration = std::chrono::steady_clock::now() - since;
  Batch<Pack> batch{
      .source = run_.source,
      .position = work.passed_over ? std::string_view() : position,
      .data_clock = work.clock,
      .records = work.records,
      .withdrawn = withdrawn,
      .elements = elements,
      .gold = work.gold,
      .log = {.run_id = run_.run_id,
              .batch = report_.batches,
              .source = run_.source,
              .position = position,
              .records = static_cast<int64_t>(work.records.size()),
              .redelivered = work.redelivered,
              .data_clock = work.clock,
              .duration_us = std::chrono::duration_cast<std::chrono::microseconds>(duration).count()}};
  for (const Element<Event>& element : elements) ++batch.log.fates[element.standing.fate];
  return store_.Apply(batch);
}

template <class Pack>
absl::Status Runner<Pack>::Sweep(UtcTime clock) {
  SeenAnswer seen;
  if (auto status = store_.Seen({}, seen); !status.ok()) return status;
  const UtcTime stood = seen.checkpoint.data_clock;
  clock = std::max(clock, stood);
  report_.data_clock = clock;
  for (bool moves = clock > stood;; moves = false) {
    HistoryAnswer<Event> due;
    if (auto status = store_.History({.due_by = clock}, due); !status.ok()) return status;
    const std::vector<Element<Event>> history = HistoryAfter<Event>(std::move(due.elements), {}, {}, {});
    const auto gold = DeriveEntities<Pack>(history, due.versions, clock, options_);
    if (gold.empty() && !moves) return absl::OkStatus();
    ++report_.batches;
    const Batch<Pack> batch{.data_clock = clock,
                            .gold = gold,
                            .log = {.run_id = run_.run_id, .batch = report_.batches, .data_clock = clock}};
    if (auto status = store_.Apply(batch); !status.ok()) return status;
  }
}

}  // namespace medallion
