// The run loop: reads a source to its end, batch by batch, and keeps a store's tables true. The only place where the
// pure steps and the edge meet; a host that wants another loop calls the same steps itself.
//
// Silver is written batch by batch. Gold is refreshed after each batch, or once at the end: what a batch touched is
// stale until then, which the store remembers. The tables of a whole run are the same either way.
//
// A Pack names a domain's types and steps:
//
//   struct Pack {
//     using Event = …;    // a Silver row: see base/columns.h for VisitColumns, io/element_codec.h for VisitFields
//     using Gold = …;     // a derived row, or a std::variant of rows of several tables: VisitColumns, VisitFields; see
//                         // gold/gold_tables.h
//     using Options = …;
//     static constexpr std::string_view kName, kSilverTable;
//     // These three in place of kSilverTable where rows of several kinds have a table each: VisitColumns then shows the
//     // columns of the row's own. The number of a row's table, and an empty row of one.
//     static constexpr std::array<std::string_view, …> kSilverTables;
//     static size_t SilverTableOf(const Event&);
//     static Event SilverSample(size_t table);
//     static constexpr std::array<std::string_view, …> kGoldTables;  // one a type of Gold
//     static Refined<Event> Refine(std::span<const BronzeRecord>, const Options&);
//     static Policy PolicyOf(const Options&);
//     // Cuts the members of one unit, sorted by Order, into facts; called where `identity.cut` is set.
//     static void Cut(std::span<const Element<Event>* const> unit, std::span<uint32_t> fact, const Options&);
//     // Sets value `i` of the row to that of `from`; null where `from` is null.
//     static void Fill(Event& row, int i, const Event* from);
//     // The particulars of a conflict as a JSON object: the differing values (bits of `differs`), the row's and the fact's.
//     static std::string Difference(const Event& row, const Event& fact, uint8_t differs);
//     // What a quarantined row shows as its payload, where that is not the whole of the record's; may be left out.
//     static std::string_view PayloadPart(const Event&);
//     using Model = …;    // what deriving needs of the options, made ready once for many entities
//     static Model ModelOf(const Options&);
//     // The Gold rows of one entity, from what is told of it; equal for any order of each part.
//     static std::vector<Gold> Derive(const EntityFacts<Event, Gold>&, UtcTime data_clock, const Model&);
//     // Where the pack keeps summaries, these two in its place. Both set `summary` to one of the history, or leave it
//     // empty. The second goes on from the summary that the facts have, and answers nothing where their history does not
//     // sort after all that it covers, or is more than a summary can take in. Rows are those of the whole history; of a
//     // series what comes behind the items that stood when the summary was made.
//     static std::vector<Gold> Derive(const EntityFacts<Event, Gold>&, UtcTime data_clock, const Model&,
//                                     std::string* summary);
//     static std::optional<std::vector<Gold>> Continue(const EntityFacts<Event, Gold>&, UtcTime data_clock,
//                                                      const Model&, std::string& summary);
//     static RowVersion VersionOf(const Gold&);  // its hash is zero until HashRows was called (gold/row_hash.h)
//     static UtcTime NextDue(const Gold&);  // after the clock it was derived at, or kNoTime
//     static std::string_view Subject(const Event&);  // whom the row is about (a charge point)
//     static std::string_view Action(const Event&);
//     // These two where facts must be tied to entities beyond their own keys: whose timeline the row is on, and what a
//     // part of a timeline says (see gold/resolve.h).
//     static std::string SubjectKey(const Event&);
//     static Resolution Resolve(const Timeline<Event>&, const Options&);
//     // Where rows are made of rows: the entity that is derived from this one, with others; or all zeros.
//     static EntityKey ParentOf(const Gold&, const Model&);
//     // Where rows are made of sightings: of the subject of SubjectKey by this element, and the entity that is derived
//     // from them.
//     static std::optional<Sighting> SightingOf(const Element<Event>&, Direction);
//     static EntityKey SightingKey(std::string_view subject);
//     // What is amiss with the options, for the run log, as a JSON array; or empty. Where there is such a thing.
//     static std::string_view WarningsOf(const Options&);
//     // Takes away what the row keeps beside its columns, where it names someone to be forgotten. Likewise.
//     static void Forget(Event& row, const auto& names);
//   };
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "medallion/bronze/record.h"
#include "medallion/gold/data_clock.h"
#include "medallion/gold/derive_entities.h"
#include "medallion/gold/resolve.h"
#include "medallion/io/in_order.h"
#include "medallion/io/source.h"
#include "medallion/io/store.h"
#include "medallion/io/tally.h"
#include "medallion/silver/settle_elements.h"

namespace medallion {

// How far a run has come; for progress lines.
struct RunReport {
  int64_t batches = 0;         // of records
  int64_t records = 0;         // delivered and not beyond `as_of`
  int64_t redelivered = 0;     // of these, known already
  int64_t beyond = 0;          // left out because of `as_of`
  int64_t unknown_fields = 0;  // kept though no schema names them, in all that was delivered
  UtcTime data_clock = kNoTime;
};

// When Gold is derived.
enum class Refresh : uint8_t {
  kEachBatch,  // for hosts that look at Gold as it goes
  kAtEnd,      // of the run: for feeds read from a file, where each entity is then derived once
};

struct RunOptions {
  std::string source = "source";  // the name under which the store keeps the position
  size_t batch_records = 10'000;
  UtcTime as_of = kNoTime;  // read only records ingested up to then, and sweep then; kNoTime: no bound
  Refresh refresh = Refresh::kEachBatch;
  // Threads that refine and derive, the caller's among them, which alone speaks to source and store. Records that are
  // read ahead take memory. The tables are the same for every number.
  size_t threads = 1;
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

  // Applies these records as one batch, and refreshes Gold if the options say so. `position` is where their source
  // stands after them, or empty.
  absl::Status Take(std::span<const BronzeRecord> delivered, std::string_view position) {
    return Take(delivered, Pack::Refine(delivered, options_), position);
  }
  // The same for records that were refined already, with the same options.
  absl::Status Take(std::span<const BronzeRecord> delivered, Refined<Event> refined,
                    std::string_view position);

  // Keeps these reviews, and has all follow that they decide, as one batch; refreshes Gold if the options say so. Those of
  // elements that are not there bear on these once they come. See io/quarantine.h for a workflow over it.
  [[gnu::cold]] absl::Status Review(std::span<const medallion::Review> reviews);
  // Refines records that the store knows anew, with the options of this runner, as one batch; refreshes Gold if the options
  // say so. Those without a payload, and those of which the same comes out, stay as they are. Returns how many did not.
  [[gnu::cold]] absl::StatusOr<int64_t> Replay(std::span<const BronzeAnswer::Kept> records);

  // Takes what `source` has, from where it stands to its end.
  absl::Status TakeAll(Source& source);

  // Resolves all timelines that were touched, and derives all entities that are stale, at the store's data clock.
  absl::Status RefreshGold() {
    if (auto status = ResolveAll(); !status.ok()) return status;
    if (auto status = DeriveAll({.stale = true}, kNoTime); !status.ok()) return status;
    return DeriveAll({.stale = true, .rollups = true}, kNoTime);
  }

  // Derives all rows that are stale, or due at `clock` or at the store's own data clock, whichever is later; the clock
  // becomes it.
  absl::Status Sweep(UtcTime clock) {
    if (auto status = ResolveAll(); !status.ok()) return status;
    if (auto status = DeriveAll({.stale = true}, clock); !status.ok()) return status;
    if (auto status = DeriveAll({}, clock); !status.ok()) return status;
    return DeriveAll({.stale = true, .rollups = true}, clock);
  }

  const RunReport& report() const { return report_; }

 private:
  // One batch on its way through the steps.
  struct Work {
    Refined<Event> refined;                 // of `records`, once Admit has left out the others
    std::vector<RecordWrite> records;       // new ones, and known ones that were read anew
    std::vector<Refined<Event>> anew;       // owns the texts of elements that were read anew
    std::vector<Element<Event>> withdrawn;  // what those read anew had yielded before
    UtcTime clock = kNoTime;
    int64_t redelivered = 0;
    bool passed_over = false;  // a record lay beyond as_of: the position must stay before it
    SeenAnswer seen;           // owns the texts of arrivals that stood
    KnownAnswer<Event> glanced;
    KnownAnswer<Event> known;                // at last, of its elements those that now stand otherwise
    std::vector<medallion::Review> reviews;  // to be kept
    absl::flat_hash_map<Digest, medallion::Review> decided;  // by subject: the repair or discard that counts
    std::vector<medallion::Review> answers;                  // that bear on the units
    Tally tally;
    Arena texts;
    bool any_reviews() const { return seen.checkpoint.reviews > 0 || !reviews.empty(); }
  };
  // Records as delivered, each once, with its earliest arrival.
  struct Once {
    std::vector<RecordId> ids;
    std::vector<uint32_t> at;       // where each was first delivered
    std::vector<Arrival> arrivals;  // of the first ids; the others arrived as they were delivered first
  };
  static std::vector<Arrival>& AllArrivals(std::span<const BronzeRecord> delivered, Once& once) {
    for (size_t i = once.arrivals.size(); i < once.at.size(); ++i) {
      once.arrivals.push_back(ArrivalOf(delivered[once.at[i]]));
    }
    return once.arrivals;
  }

  bool Beyond(UtcTime ingest_ts) const { return run_.as_of != kNoTime && ingest_ts > run_.as_of; }
  Once EachOnce(std::span<const BronzeRecord> delivered, Work& work);
  absl::Status Admit(std::span<const BronzeRecord> delivered, Work& work);
  void Keep(std::span<const BronzeRecord> delivered, const Once& once, const SeenAnswer& seen, Work& work);
  void KeepAll(std::span<const BronzeRecord> delivered, const Once& once, Work& work);
  absl::Status SettleElements(Work& work);
  absl::Status Write(Work& work, std::string_view position, std::chrono::steady_clock::time_point since);

  // See io/run_reviews.h. Called where people decided something only: cold code is compiled for size.
  [[gnu::cold]] absl::Status FindReviews(std::span<const Digest> subjects, const Work& work,
                                         std::vector<medallion::Review>& found);
  [[gnu::cold]] absl::Status Decide(std::span<const Digest> subjects, Work& work);
  [[gnu::cold]] absl::Status Revise(Work& work);
  [[gnu::cold]] absl::Status ReviseRecord(const RecordWrite& write, std::vector<Element<Event>>& elements,
                                          Work& work);
  [[gnu::cold]] void Repair(const RecordWrite& write, const medallion::Review& review, size_t at,
                            std::vector<Element<Event>>& elements, Work& work);
  [[gnu::cold]] absl::Status FindAnswers(const std::vector<Element<Event>>& arrived, const Unsettled& left,
                                         Work& work);
  [[gnu::cold]] absl::Status KeepChanged(Work& work);
  [[gnu::cold]] absl::Status ReadAnew(std::span<const BronzeAnswer::Kept> records, Work& work);

  // A timeline on its way to its links.
  struct Line {
    TimelinePart part;  // as it was asked for last
    TimeSpan touched;
    Resolution said;
  };
  absl::Status ResolveAll();
  absl::Status ResolveLines(std::vector<Line>& lines, std::vector<LinkWrite>& links);
  absl::Status AskLines(std::span<Line* const> open, std::vector<LinkWrite>& links);

  // Entities on their way from their histories to Gold.
  struct Part {
    HistoryAnswer<Pack> history;
    Derivation<Gold> made;
  };
  using Parts = InOrder<std::shared_ptr<Part>>;

  absl::Status DeriveAll(HistoryQuery query, UtcTime clock);
  absl::Status BeginPart(HistoryQuery& query, UtcTime clock, Parts& parts, bool& more);
  [[gnu::cold]] absl::Status DeriveWhole(Part& part, UtcTime clock);
  absl::Status WriteGold(const Derivation<Gold>& made, UtcTime clock);
  size_t ahead() const { return run_.threads < 2 ? 1 : 2 * run_.threads; }

  Store<Pack>& store_;
  const typename Pack::Options& options_;
  RunOptions run_;
  RunReport report_;
  int64_t logged_ = 0;  // rows of the run log: refreshes have theirs, too
};

// Derives what is stale, and what is due at `clock`, which becomes the store's data clock unless that is later: sessions
// time out, charge points go offline. Finds them by next_due_at, and looks at nothing else.
template <class Pack>
absl::Status Sweep(Store<Pack>& store, UtcTime clock, const typename Pack::Options& options,
                   const RunOptions& run = {.run_id = "sweep"}) {
  return Runner<Pack>(store, options, run).Sweep(clock);
}

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
  if (auto status = runner.TakeAll(source); !status.ok()) return status;
  if (auto status = runner.Sweep(run.as_of); !status.ok()) return status;
  return runner.report();
}

// ---------------------------------------------------------------------------------------------------------------

// Batches are refined while those before them are settled and written. An error of the source comes after all that it
// gave.
template <class Pack>
absl::Status Runner<Pack>::TakeAll(Source& source) {
  std::deque<SourceBatch> read;  // outlives the work on it
  InOrder<Refined<Event>> refining(run_.threads);
  absl::Status reading;
  for (bool at_end = false;;) {
    while (!at_end && reading.ok() && read.size() < ahead()) {
      absl::StatusOr<SourceBatch> batch = source.ReadAhead(run_.batch_records);
      reading = batch.status();
      if (!reading.ok()) break;
      at_end = batch->at_end;
      if (batch->records.empty()) continue;
      SourceBatch& kept = read.emplace_back(*std::move(batch));
      refining.Add([this, &kept] {
        if (kept.finish) kept.finish(kept.records);
        return Pack::Refine(kept.records, options_);
      });
    }
    if (read.empty()) return reading;
    Refined<Event> refined = refining.Next();
    const SourceBatch& batch = read.front();
    if (auto status = Take(batch.records, std::move(refined), batch.position); !status.ok()) return status;
    if (run_.on_batch) run_.on_batch(report_);
    read.pop_front();
  }
}

template <class Pack>
absl::Status Runner<Pack>::Take(std::span<const BronzeRecord> delivered, Refined<Event> refined,
                                std::string_view position) {
  const auto since = std::chrono::steady_clock::now();
  Work work;
  work.refined = std::move(refined);
  if (auto status = Admit(delivered, work); !status.ok()) return status;
  if (auto status = SettleElements(work); !status.ok()) return status;
  if (auto status = Write(work, position, since); !status.ok()) return status;
  return run_.refresh == Refresh::kEachBatch ? RefreshGold() : absl::OkStatus();
}

namespace running {

// Tells which ids of a growing list were there before. While coordinates grow, as they do within a partition, none was.
class FirstOf {
 public:
  explicit FirstOf(const std::vector<RecordId>& ids) : ids_(ids), first_(0, Same{&ids}, Same{&ids}) {}

  // Where the last of the list is found for the first time.
  uint32_t Last() {
    const auto last = static_cast<uint32_t>(ids_.size() - 1);
    if (growing_ && (last == 0 || ids_[last - 1].at < ids_[last].at)) return last;
    for (uint32_t i = 0; growing_ && i < last; ++i) first_.insert(i);
    growing_ = false;
    return *first_.insert(last).first;
  }

 private:
  struct Same {  // numbers of ids, told apart by the ids
    const std::vector<RecordId>* ids;
    size_t operator()(uint32_t i) const {
      return (*ids)[i].payload.Prefix() + static_cast<uint64_t>((*ids)[i].at.offset);
    }
    bool operator()(uint32_t a, uint32_t b) const { return (*ids)[a] == (*ids)[b]; }
  };

  const std::vector<RecordId>& ids_;
  bool growing_ = true;
  absl::flat_hash_set<uint32_t, Same, Same> first_;
};

}  // namespace running

template <class Pack>
typename Runner<Pack>::Once Runner<Pack>::EachOnce(std::span<const BronzeRecord> delivered, Work& work) {
  Once once;
  running::FirstOf first(once.ids);
  once.ids.reserve(delivered.size()), once.at.reserve(delivered.size());
  for (uint32_t i = 0; i < delivered.size(); ++i) {
    const BronzeRecord& record = delivered[i];
    if (Beyond(work.refined.ingest_ts[i])) {
      work.passed_over = true;
      ++report_.beyond;
      continue;
    }
    ++report_.records;
    work.clock = Advance(work.clock, record.broker_ts, work.refined.ingest_ts[i]);
    once.ids.push_back({record.at, work.refined.payloads[i]});
    const uint32_t at = first.Last();
    if (at + 1 == once.ids.size()) {
      once.at.push_back(i);
    } else {
      once.ids.pop_back();
      Arrival& arrival = AllArrivals(delivered, once)[at];
      arrival = Earliest(arrival, ArrivalOf(record));
      ++work.redelivered;
    }
  }
  return once;
}

// Leaves the records that are new or whose arrival changed: each once, with its earliest arrival.
template <class Pack>
absl::Status Runner<Pack>::Admit(std::span<const BronzeRecord> delivered, Work& work) {
  Once once = EachOnce(delivered, work);
  SeenAnswer& seen = work.seen;
  if (auto status = store_.Seen(once.ids, seen); !status.ok()) return status;
  work.clock = std::max(work.clock, seen.checkpoint.data_clock);
  report_.unknown_fields += static_cast<int64_t>(work.refined.unknown_fields);
  const auto is_known = [](const auto& arrival) { return arrival.has_value(); };
  if (once.ids.size() == delivered.size() &&
      std::none_of(seen.arrivals.begin(), seen.arrivals.end(), is_known)) {
    KeepAll(delivered, once, work);
    return work.any_reviews() ? Revise(work) : absl::OkStatus();
  }
  AllArrivals(delivered, once);
  for (size_t i = 0; i < once.ids.size(); ++i) {
    if (seen.arrivals[i].has_value()) {
      once.arrivals[i] = Earliest(*seen.arrivals[i], once.arrivals[i]);
      ++work.redelivered;
    }
  }
  Keep(delivered, once, seen, work);
  return work.any_reviews() ? Revise(work) : absl::OkStatus();
}

// Sets `records` and `refined` of `work`. A record whose arrival is another than it was refined with is refined anew.
template <class Pack>
void Runner<Pack>::Keep(std::span<const BronzeRecord> delivered, const Once& once, const SeenAnswer& seen,
                        Work& work) {
  std::vector<Element<Event>>& all = work.refined.elements;
  std::vector<Element<Event>> kept;
  work.records.reserve(once.ids.size());
  for (size_t i = 0; i < once.ids.size(); ++i) {
    const Arrival& arrival = once.arrivals[i];
    const bool known = seen.arrivals[i].has_value();
    const bool forgotten = std::binary_search(seen.forgotten.begin(), seen.forgotten.end(), i);
    if (forgotten || (known && arrival == *seen.arrivals[i])) continue;
    const uint32_t at = once.at[i];
    BronzeRecord record = delivered[at];
    SetArrival(arrival, record);
    work.records.push_back({.record = record, .id = once.ids[i], .known = known});
    const auto begin = all.begin() + (at == 0 ? 0 : work.refined.ends[at - 1]);
    const auto end = all.begin() + work.refined.ends[at];
    if (arrival == ArrivalOf(delivered[at])) {
      kept.insert(kept.end(), std::make_move_iterator(begin), std::make_move_iterator(end));
    } else {
      Refined<Event>& anew = work.anew.emplace_back(Pack::Refine({&record, 1}, options_));
      kept.insert(kept.end(), anew.elements.begin(), anew.elements.end());
    }
  }
  all = std::move(kept);
}

// The same where every record is new and was delivered once.
template <class Pack>
void Runner<Pack>::KeepAll(std::span<const BronzeRecord> delivered, const Once& once, Work& work) {
  work.records.reserve(delivered.size());
  for (size_t i = 0; i < delivered.size(); ++i) {
    work.records.push_back({.record = delivered[i], .id = once.ids[i]});
  }
}

template <class Pack>
absl::Status Runner<Pack>::SettleElements(Work& work) {
  std::vector<Element<Event>>& arrived = work.refined.elements;
  std::vector<RecordId> read_anew;
  for (const RecordWrite& write : work.records) {
    if (write.known) read_anew.push_back(write.id);
  }
  KnownAnswer<Event>& glanced = work.glanced;
  if (auto status = store_.Known({.arrived = arrived, .records = read_anew}, glanced); !status.ok())
    return status;
  work.withdrawn = std::move(glanced.elements);

  // A unit that loses a member is settled as a whole, whatever a glance would say.
  absl::flat_hash_set<Digest> losing;
  for (const Element<Event>& element : work.withdrawn) {
    if (element.to_settle()) losing.insert(element.identity.unit);
  }
  for (const medallion::Review& review : work.reviews) {
    if (review.kind == ReviewKind::kAnswer) losing.insert(review.subject);
  }
  if (!losing.empty()) {
    for (Glance& glance : glanced.glances) {
      if (losing.contains(arrived[glance.arrived].identity.unit)) glance = {.arrived = glance.arrived};
    }
  }
  Unsettled left = SettleAtAGlance<Event>(arrived, glanced.glances, work.texts);
  for (const Digest& unit : left.units) losing.insert(unit);
  left.units.assign(losing.begin(), losing.end());
  if (!left.units.empty()) {
    if (auto status = store_.Known({.units = left.units}, work.known); !status.ok()) return status;
  }
  absl::flat_hash_set<ElementId> gone;
  for (const Element<Event>& element : work.withdrawn) gone.insert(IdOf(element.identity.order));
  std::erase_if(work.known.elements,
                [&](const auto& element) { return gone.contains(IdOf(element.identity.order)); });
  if (work.any_reviews()) {
    if (auto status = FindAnswers(arrived, left, work); !status.ok()) return status;
  }
  SettleWhole<Pack>(arrived, left.arrived, work.known.elements, options_, AnswersOf(work.answers),
                    work.texts);
  return absl::OkStatus();
}

template <class Pack>
absl::Status Runner<Pack>::Write(Work& work, std::string_view position,
                                 std::chrono::steady_clock::time_point since) {
  std::vector<ElementId> withdrawn;
  for (const Element<Event>& element : work.withdrawn) withdrawn.push_back(IdOf(element.identity.order));
  std::vector<Element<Event>>& elements = work.refined.elements;
  work.tally = TallyOf<Event>(elements, work.refined.unknown_names);
  elements.insert(elements.end(), work.known.elements.begin(), work.known.elements.end());

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
      .reviews = work.reviews,
      .log = {.run_id = run_.run_id,
              .batch = ++logged_,
              .source = run_.source,
              .position = position,
              .records = static_cast<int64_t>(work.records.size()),
              .redelivered = work.redelivered,
              .data_clock = work.clock,
              .duration_us = std::chrono::duration_cast<std::chrono::microseconds>(duration).count()}};
  for (const Element<Event>& element : elements) ++batch.log.fates[element.standing.fate];
  batch.log.violations = work.tally.violations, batch.log.unknown_fields = work.tally.unknown_fields;
  batch.log.lags = work.tally.lags;
  if constexpr (requires { Pack::WarningsOf(options_); }) batch.log.warnings = Pack::WarningsOf(options_);
  return store_.Apply(batch);
}

}  // namespace medallion

#include "medallion/io/run_gold.h"     // IWYU pragma: export
#include "medallion/io/run_reviews.h"  // IWYU pragma: export
