// Where tables are kept: what a host must provide to keep them in a storage of its own. Six functions: five that
// fetch by key and one that writes. The logic is all in the pure functions; a store only remembers.
//
// A store holds records, elements with their standing, reviews, Gold rows, the position of each source, the data clock, and
// which entities are stale: touched since their Gold rows were derived. All tables of a domain are views of these.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "medallion/base/arena.h"
#include "medallion/base/columns.h"
#include "medallion/bronze/record.h"
#include "medallion/gold/derive_entities.h"
#include "medallion/gold/gold_tables.h"
#include "medallion/gold/merge.h"
#include "medallion/gold/resolve.h"
#include "medallion/silver/accounting.h"
#include "medallion/silver/element.h"
#include "medallion/silver/review.h"
#include "medallion/silver/settle.h"

namespace medallion {

struct Checkpoint {
  UtcTime data_clock = kNoTime;
  std::map<std::string, std::string, std::less<>> positions;  // source name -> position
  int64_t reviews = 0;                                        // so many are kept
};

// Answer of Seen. `arrivals[i]` belongs to `records[i]`: how the record stands, or nothing where it is new.
struct SeenAnswer {
  Checkpoint checkpoint;
  std::vector<std::optional<Arrival>> arrivals;
  std::vector<size_t> forgotten;  // indexes of records whose text was forgotten: they stay as they are
  Arena texts;
};

// Question to Known.
template <class Row>
struct KnownQuery {
  std::span<const Element<Row>> arrived =
      {};                                  // one look each at those to settle: copies of something settled?
  std::span<const Digest> units = {};      // all members of these, duplicates and conflicts too
  std::span<const RecordId> records = {};  // all elements of these, whatever their fate
  std::span<const Digest> subjects = {};   // all reviews of these
  bool all_reviews = false;
};

// Answer of Known. Rows refer to `texts` or to the store, and hold until the next Apply.
template <class Row>
struct KnownAnswer {
  std::vector<Glance> glances;         // of those `arrived` whose unit is known, in their order
  std::vector<Element<Row>> elements;  // of `units` and `records`, each once, in any order
  std::vector<Review> reviews;         // each once, in any order
  Arena texts;
};

// Question to Bronze: records that are known.
struct BronzeQuery {
  std::span<const RecordId> records = {};  // these; or
  std::span<const Digest> quarantine_ids =
      {};                       // those with one of these rows in quarantine; or, in their place,
  bool quarantined = false;     // those with any row there, else all,
  std::string_view after = {};  // from where an answer ended; from the beginning where empty
  size_t records_max = 1'000;
};

// Answer of Bronze. Rows refer to `texts` or to the store, and hold until the next Apply.
struct BronzeAnswer {
  struct Kept {
    BronzeRecord record;
    RecordId id;
    bool has_payload = true;  // false where the store keeps it no more, or never did
  };
  std::vector<Kept> records;  // each once
  std::string after;          // where this answer ended; its meaning is the store's
  bool more = false;
  Arena texts;
};

// Question to History: which entities, and how much of each.
struct HistoryQuery {
  std::span<const EntityKey> entities = {};
  bool stale = false;  // also entities that are stale: touched since they were last derived
  // These are, in place of entities with elements, such as are derived from rows of others or from sightings; the latter
  // best last, since rows of others may be part of them, too.
  bool rollups = false;
  size_t stale_skip = 0;     // but not the first so many, in an order that only Apply changes
  UtcTime due_by = kNoTime;  // also the entities of Gold rows with next_due_at <= due_by, found by an index
  bool whole = false;        // every element, and no summary
  bool ahead = false;        // something may be left to the answer's `finish`, for a caller with many threads
  // No further entity once so many entities, elements and children are in the answer, or fewer where that suits the store.
  size_t rows_max = 1'000;
};

// Answer of History. Rows refer to `texts` or to the store, and hold until an Apply that writes elements of these
// entities or derives them.
template <class Pack>
struct HistoryAnswer {
  std::vector<EntityHistory> entities;  // each once; also those of which there is nothing
  // Those in Silver and those in conflict, in any order within an entity.
  std::vector<Element<typename Pack::Event>> elements;
  std::vector<GoldVersion> versions;          // the Gold rows that stand for the entities
  std::vector<std::string_view> contexts;     // of the links to the entities
  std::vector<typename Pack::Gold> children;  // rows of others that name the entities as their parent
  bool more = false;  // of the entities asked for, some were left to the next question

  Histories<Pack> histories() const { return {entities, elements, versions, contexts, children}; }
  Arena texts;
  // Where the store left something to do: makes the elements, and where those of each entity end, of this answer. Once,
  // on any thread; the store must live, and may be written meanwhile, save for what these entities are made of.
  std::function<void(HistoryAnswer& answer)> finish = {};
};

// A part of a subject's timeline.
struct TimelinePart {
  std::string subject = {};
  TimeSpan span = {};
  bool details = false;  // not only the milestones
};

// Question to Timelines.
struct TimelineQuery {
  size_t touched_max = 0;  // so many of the timelines that were touched since they were resolved
  std::span<const TimelinePart> parts = {};
};

// Answer of Timelines. Rows refer to `texts` or to the store, and hold until the next Apply.
template <class Row>
struct TimelineAnswer {
  std::vector<TimelinePart> touched;            // each with all that was touched of it
  std::vector<Element<Row>> elements;           // of the parts asked for, in their order
  std::vector<Link> links;                      // those that stand at places within the parts, in their order
  std::vector<size_t> elements_end, links_end;  // of each part
  Arena texts;
};

// A timeline that was resolved: what was touched of it is settled.
struct ResolvedTimeline {
  std::string subject = {};
  bool watch = false;  // details that come touch it, too
};

// ops_run_log: one row a batch. It and ops_dq_metrics tell of runs; all other tables are functions of the records and reviews.
struct RunLogRow {
  std::string_view run_id = {};
  int64_t batch = 0;
  std::string_view source = {};
  std::string_view position = {};
  int64_t records = 0;      // new or read anew
  int64_t redelivered = 0;  // known already
  FateCounts fates = {};    // of the elements written
  // Of what was taken. JSON: code -> rows that broke it, field -> how often no schema named it; of the rows in Silver so
  // many by the time from their event to its receipt (see io/metrics.h), and the sum of these times in microseconds.
  std::string_view violations = {}, unknown_fields = {}, lags = {};
  std::string_view warnings = {};  // JSON array: what is amiss with the options
  UtcTime data_clock = kNoTime;
  int64_t duration_us = 0;  // from the read to the write
};

template <class Visitor>
void VisitColumns(const RunLogRow& row, Visitor&& visit) {
  visit("run_id", row.run_id);
  visit("batch", row.batch);
  visit("source", row.source);
  visit("position", row.position);
  visit("records", row.records);
  visit("redelivered", row.redelivered);
  for (int fate = 0; fate < kFates; ++fate) {
    visit(FateName(static_cast<Fate>(fate)), row.fates[static_cast<Fate>(fate)]);
  }
  visit("violations", JsonText{row.violations});
  visit("unknown_fields", JsonText{row.unknown_fields});
  visit("lags", JsonText{row.lags});
  visit("warnings", JsonText{row.warnings});
  visit("data_clock", row.data_clock);
  visit("duration_us", row.duration_us);
}

// ops_dq_metrics: what was measured last, see io/metrics.h.
struct MetricRow {
  std::string_view metric = {};
  std::string_view labels = {};  // JSON object
  std::string_view value = {};   // a number
  UtcTime data_clock = kNoTime;
};

template <class Visitor>
void VisitColumns(const MetricRow& row, Visitor&& visit) {
  visit("metric", row.metric);
  visit("labels", JsonText{row.labels});
  visit("value", JsonText{row.value});
  visit("data_clock", row.data_clock);
}

// A record to keep: new, or known with an arrival that now is another.
struct RecordWrite {
  BronzeRecord record;
  RecordId id;
  bool known = false;
};

// Everything that one batch changes. Refers to its maker's memory.
template <class Pack>
struct Batch {
  std::string_view source = {};    // empty for a refresh or sweep
  std::string_view position = {};  // of `source` after this batch; not to be moved where empty
  UtcTime data_clock = kNoTime;
  std::span<const RecordWrite> records = {};
  // Elements of records that were read anew: gone before `elements` come.
  std::span<const ElementId> withdrawn = {};
  // New ones, and known ones that now stand otherwise: replace by id.
  std::span<const Element<typename Pack::Event>> elements = {};
  // A delete concerns the row of its entity only: another may have one of this key by now.
  std::span<const GoldWrite<typename Pack::Gold>> gold = {};
  std::span<const Derived> derived = {};  // no longer stale; their summaries replace those that were
  std::span<const LinkWrite> links = {};
  std::span<const ResolvedTimeline> resolved = {};  // no longer touched
  std::span<const Review> reviews = {};             // to keep; one that is kept already changes nothing
  std::span<const MetricRow> metrics = {};          // in place of all there were, unless there are none
  RunLogRow log = {};
};

// One thread at a time. Errors of all: Unavailable if trying again may help (busy); ResourceExhausted if the storage is
// full; DataLoss if it is damaged; any other ends the run.
template <class Pack>
class Store {
 public:
  virtual ~Store() = default;

  // Which of these records are known, and how far the store has come.
  virtual absl::Status Seen(std::span<const RecordId> records, SeenAnswer& answer) = 0;

  // What is settled already that bears on these.
  virtual absl::Status Known(const KnownQuery<typename Pack::Event>& query,
                             KnownAnswer<typename Pack::Event>& answer) = 0;

  // Records as they came: for reviews and replays, which refine them anew. A store that keeps no payloads answers without
  // them; it must keep those of records that quarantine shows.
  virtual absl::Status Bronze(const BronzeQuery& query, BronzeAnswer& answer) = 0;

  // Where facts are tied to entities beyond their own keys: which timelines were touched, and parts of timelines with
  // the links that stand there. Only for packs that resolve (see gold/resolve.h); others have no timelines. An element
  // with a milestone stands on the timeline of Pack::SubjectKey at its event_ts and at its ingest_ts; whatever becomes of
  // it touches the timeline there: a milestone always, a detail where the timeline is watched.
  virtual absl::Status Timelines(const TimelineQuery& query,
                                 TimelineAnswer<typename Pack::Event>& answer) = 0;

  // What the entities are derived from, and the Gold rows that stand. An entity that is linked to another is derived
  // there: its history is empty, and that of the other has its elements, and the contexts of all links to it. A store may
  // leave out elements that a summary covers: those written before the summary was, if none of them was written again or
  // withdrawn since. A store that keeps no summaries answers with whole histories.
  virtual absl::Status History(const HistoryQuery& query, HistoryAnswer<Pack>& answer) = 0;

  // Applies all of `batch` or nothing, position and clock included; applying it again changes nothing. The clock never
  // goes back. An entity becomes stale, and `derived` makes it fresh again, when an element of its history is written
  // (see IsHistory), and when any known element of it is written again or withdrawn; the entity that it is linked to
  // becomes stale with it. A link that comes or goes makes both its ends stale, and their summaries void.
  // What is derived from rows of others, their parent, becomes stale when one of them is written, though it be derived in
  // the same batch; what is derived from sightings when these become others, with elements that come or go.
  virtual absl::Status Apply(const Batch<Pack>& batch) = 0;
};

}  // namespace medallion
