// Quarantine as a workflow: see what was refused, repair or discard it, answer contradictions, and replay what would pass
// by now. What is decided is kept as a fact of the store (silver/review.h), so that the same records and facts give the
// same tables in any store. Every call is whole: where it fails, nothing of it was kept.
//
// A row of the quarantine table shows Bronze text: `raw_payload`, `repaired_payload`. All else is free of it.
//
// One thread at a time, and no Runner over the same store within a call.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "medallion/io/element_tables.h"
#include "medallion/io/run.h"
#include "medallion/silver/review.h"
#include "medallion/silver/settle.h"
#include "medallion/silver/tables.h"

namespace medallion {

// Which rows: all that is set must hold.
struct QuarantineFilter {
  std::string reason = {};           // one of the row's codes
  std::string charge_point_id = {};  // in any casing
  std::string status = {};           // NEW, REPAIRED, REPLAYED or DISCARDED
  UtcTime from = kNoTime;            // quarantined_at, this instant included
  UtcTime to = kNoTime;              // not included
};
bool Matches(const QuarantineFilter& filter, const QuarantineRow& row);

// Receives a row, which holds during the call. An error stops the reading.
using QuarantineSink = std::function<absl::Status(const QuarantineRow& row)>;

struct ReplayReport {
  int64_t rows = 0;             // that were asked for; of all records: records
  int64_t changed = 0;          // records of which something else came out
  int64_t without_payload = 0;  // records whose text is kept no more: they stay as they are
};

template <class Pack>
class Quarantine {
 public:
  using Event = typename Pack::Event;

  // Both must outlive the workflow.
  Quarantine(Store<Pack>& store, const typename Pack::Options& options, RunOptions run = {})
      : store_(store), options_(options), run_(std::move(run)) {}

  // In the store's order of records.
  absl::Status List(const QuarantineFilter& filter, const QuarantineSink& sink);
  // The row of this id. NotFound where there is none.
  absl::Status Show(const Digest& quarantine_id, const QuarantineSink& sink);
  // The rows whose payload, or its latest repair, breaks no rule under the options of this workflow. Writes nothing.
  absl::Status WouldPass(const QuarantineFilter& filter, const QuarantineSink& sink);

  // From now on the element is refined from `payload`, which stands for its whole record. FailedPrecondition for a
  // contradiction, which is answered instead.
  absl::Status Repair(const Digest& quarantine_id, std::string_view payload, std::string_view reviewed_by);
  // It stays in quarantine for good, and is not replayed; a contradiction is answered: its values are rejected. Again:
  // changes nothing.
  absl::Status Discard(const Digest& quarantine_id, std::string_view reviewed_by);
  // Answers a contradiction: the row's values hold, those of the row that stood are rejected. FailedPrecondition for any
  // other row.
  absl::Status Accept(const Digest& quarantine_id, std::string_view reviewed_by);

  // Refines the records of these rows anew: after a mapping was added, or a rule was changed. Those that were discarded or
  // replayed already stay as they are.
  absl::StatusOr<ReplayReport> Replay(const QuarantineFilter& filter);
  // The same for all records: with Rederive after it (io/rederive.h), which sees to rows that no changed record bears on,
  // the tables become those of a new run with these options.
  absl::StatusOr<ReplayReport> ReplayAll();

 private:
  // A row on its way through a call.
  struct Row {
    const BronzeAnswer::Kept& bronze;
    const Element<Event>& element;
    const QuarantineRow& row;
  };
  template <class Use>
  absl::Status ForRows(const BronzeAnswer& bronze, const Use& use);
  template <class Use>
  absl::Status ForPages(bool quarantined, const Use& use);
  template <class Use>
  absl::Status ForRow(const Digest& id, const Use& use);
  bool Passes(const Row& row) const;
  absl::Status Keep(Review review, std::string_view reviewed_by);
  absl::Status Answer(const Element<Event>& element, bool accept, std::string_view reviewed_by);

  Store<Pack>& store_;
  const typename Pack::Options& options_;
  RunOptions run_;
};

// The answer that accepts the values of a conflict's element, or that rejects them. `fact` is its members, this one among
// them, in order; `stood` the answer that fits it, or null. FailedPrecondition where it makes no difference.
absl::StatusOr<Review> AnswerFor(std::span<const Identity> fact, std::span<const uint8_t> differs,
                                 const Identity& element, bool accept, const Review* stood);

// ---------------------------------------------------------------------------------------------------------------

template <class Pack>
template <class Use>
absl::Status Quarantine<Pack>::ForRows(const BronzeAnswer& bronze, const Use& use) {
  std::vector<RecordId> ids;
  for (const BronzeAnswer::Kept& kept : bronze.records) ids.push_back(kept.id);
  KnownAnswer<Event> known;
  if (auto status = store_.Known({.records = ids}, known); !status.ok()) return status;
  const auto by_id = [](const Element<Event>& a, const Element<Event>& b) {
    return IdOf(a.identity.order) < IdOf(b.identity.order);
  };
  std::sort(known.elements.begin(), known.elements.end(), by_id);
  std::string scratch;
  for (const BronzeAnswer::Kept& kept : bronze.records) {
    Element<Event> first;
    first.identity.order.at = kept.id.at, first.identity.order.payload = kept.id.payload;
    for (auto at = std::lower_bound(known.elements.begin(), known.elements.end(), first, by_id);
         at != known.elements.end() && IdOf(at->identity.order).record == kept.id; ++at) {
      if (!IsShown<Pack>(*at, kQuarantineTable)) continue;
      const QuarantineRow row = QuarantineOf<Pack>(*at, kept.record, scratch);
      if (auto status = use(Row{kept, *at, row}); !status.ok()) return status;
    }
  }
  return absl::OkStatus();
}

// Calls use(bronze) for pages of records.
template <class Pack>
template <class Use>
absl::Status Quarantine<Pack>::ForPages(bool quarantined, const Use& use) {
  std::string after;
  for (bool more = true; more;) {
    BronzeAnswer bronze;
    const BronzeQuery query{.quarantined = quarantined, .after = after, .records_max = run_.batch_records};
    if (auto status = store_.Bronze(query, bronze); !status.ok()) return status;
    if (auto status = use(bronze); !status.ok()) return status;
    after = bronze.after;
    more = bronze.more;
  }
  return absl::OkStatus();
}

template <class Pack>
template <class Use>
absl::Status Quarantine<Pack>::ForRow(const Digest& id, const Use& use) {
  BronzeAnswer bronze;
  if (auto status = store_.Bronze({.quarantine_ids = {&id, 1}}, bronze); !status.ok()) return status;
  bool found = false;
  const auto pick = [&](const Row& row) {
    if (row.row.quarantine_id != id) return absl::OkStatus();
    found = true;
    return use(row);
  };
  if (auto status = ForRows(bronze, pick); !status.ok()) return status;
  return found ? absl::OkStatus() : absl::NotFoundError("nothing in quarantine has the id " + Hex(id));
}

template <class Pack>
absl::Status Quarantine<Pack>::List(const QuarantineFilter& filter, const QuarantineSink& sink) {
  return ForPages(true, [&](const BronzeAnswer& bronze) {
    return ForRows(
        bronze, [&](const Row& row) { return Matches(filter, row.row) ? sink(row.row) : absl::OkStatus(); });
  });
}

template <class Pack>
absl::Status Quarantine<Pack>::Show(const Digest& id, const QuarantineSink& sink) {
  return ForRow(id, [&](const Row& row) { return sink(row.row); });
}

template <class Pack>
bool Quarantine<Pack>::Passes(const Row& row) const {
  const bool waits = row.row.status == "NEW" || row.row.status == "REPAIRED";
  if (!waits || !row.bronze.has_payload || row.element.standing.conflict) return false;
  BronzeRecord record = row.bronze.record;
  if (!row.row.repaired_payload.empty()) record.payload = row.row.repaired_payload;
  const Refined<Event> refined = Pack::Refine({&record, 1}, options_);
  return std::any_of(refined.elements.begin(), refined.elements.end(), [&](const Element<Event>& element) {
    return element.identity.order.ordinal == row.row.ordinal && element.standing.fate != Fate::kQuarantined;
  });
}

template <class Pack>
absl::Status Quarantine<Pack>::WouldPass(const QuarantineFilter& filter, const QuarantineSink& sink) {
  return ForPages(true, [&](const BronzeAnswer& bronze) {
    return ForRows(bronze, [&](const Row& row) {
      return Matches(filter, row.row) && Passes(row) ? sink(row.row) : absl::OkStatus();
    });
  });
}

// Under the number after those there are.
template <class Pack>
absl::Status Quarantine<Pack>::Keep(Review review, std::string_view reviewed_by) {
  SeenAnswer seen;
  if (auto status = store_.Seen({}, seen); !status.ok()) return status;
  KnownAnswer<Event> known;
  if (auto status = store_.Known({.subjects = {&review.subject, 1}}, known); !status.ok()) return status;
  for (const Review& other : known.reviews) review.number = std::max(review.number, other.number);
  ++review.number;
  review.reviewed_at = seen.checkpoint.data_clock;
  review.reviewed_by = reviewed_by;
  return Runner<Pack>(store_, options_, run_).Review({&review, 1});
}

template <class Pack>
absl::Status Quarantine<Pack>::Repair(const Digest& id, std::string_view payload,
                                      std::string_view reviewed_by) {
  Review repair{.kind = ReviewKind::kRepair, .payload = std::string(payload)};
  const auto check = [&](const Row& row) {
    SetElement(IdOf(row.element.identity.order), repair);
    if (row.element.standing.conflict)
      return absl::FailedPreconditionError(
          Hex(id) + " contradicts another row, it is not broken: accept or discard it");
    if (!row.bronze.has_payload)
      return absl::FailedPreconditionError(Hex(id) + ": its text was forgotten, so it stays as it is");
    return absl::OkStatus();
  };
  if (auto status = ForRow(id, check); !status.ok()) return status;
  return Keep(std::move(repair), reviewed_by);
}

template <class Pack>
absl::Status Quarantine<Pack>::Discard(const Digest& id, std::string_view reviewed_by) {
  absl::Status answered;
  bool done = false;
  Review discard{.kind = ReviewKind::kDiscard};
  const auto look = [&](const Row& row) {
    SetElement(IdOf(row.element.identity.order), discard);
    done = row.element.standing.conflict || row.row.status == "DISCARDED";
    if (row.element.standing.conflict) answered = Answer(row.element, false, reviewed_by);
    return absl::OkStatus();
  };
  if (auto status = ForRow(id, look); !status.ok()) return status;
  if (done) return answered;
  return Keep(std::move(discard), reviewed_by);
}

template <class Pack>
absl::Status Quarantine<Pack>::Accept(const Digest& id, std::string_view reviewed_by) {
  absl::Status answered;
  const auto look = [&](const Row& row) {
    if (!row.element.standing.conflict)
      return absl::FailedPreconditionError(Hex(id) + " contradicts no other row: repair or discard it");
    answered = Answer(row.element, true, reviewed_by);
    return absl::OkStatus();
  };
  if (auto status = ForRow(id, look); !status.ok()) return status;
  return answered;
}

template <class Pack>
absl::Status Quarantine<Pack>::Answer(const Element<Event>& element, bool accept,
                                      std::string_view reviewed_by) {
  const Identity& own = element.identity;
  KnownAnswer<Event> known;
  if (auto status = store_.Known({.units = {&own.unit, 1}, .subjects = {&own.unit, 1}}, known); !status.ok())
    return status;
  std::erase_if(known.elements, [&](const Element<Event>& other) {
    return other.identity.business_key != own.business_key || other.identity.fact != own.fact ||
           other.standing.fate == Fate::kIgnored;
  });
  std::sort(known.elements.begin(), known.elements.end(),
            [](const auto& a, const auto& b) { return a.identity.order < b.identity.order; });
  std::vector<Identity> fact;
  std::vector<uint8_t> differs;
  for (const Element<Event>& member : known.elements) {
    fact.push_back(member.identity);
    differs.push_back(member.standing.differs);
  }
  const Answers answers = AnswersOf(known.reviews);
  absl::StatusOr<Review> answer = AnswerFor(fact, differs, own, accept, AnswerTo(fact, answers));
  if (!answer.ok()) return answer.status();
  answer->detail = element.detail;
  return Keep(*std::move(answer), reviewed_by);
}

template <class Pack>
absl::StatusOr<ReplayReport> Quarantine<Pack>::Replay(const QuarantineFilter& filter) {
  ReplayReport report;
  Runner<Pack> runner(store_, options_, run_);
  const auto replay = [&](const BronzeAnswer& bronze) {
    std::vector<BronzeAnswer::Kept> picked;
    const auto pick = [&](const Row& row) {
      const bool waits = row.row.status == "NEW" || row.row.status == "REPAIRED";
      if (!waits || !Matches(filter, row.row)) return absl::OkStatus();
      ++report.rows;
      if (picked.empty() || picked.back().id != row.bronze.id) picked.push_back(row.bronze);
      return absl::OkStatus();
    };
    if (auto status = ForRows(bronze, pick); !status.ok()) return status;
    for (const auto& kept : picked) report.without_payload += kept.has_payload ? 0 : 1;
    const absl::StatusOr<int64_t> changed = runner.Replay(picked);
    report.changed += changed.ok() ? *changed : 0;
    return changed.status();
  };
  if (auto status = ForPages(true, replay); !status.ok()) return status;
  return report;
}

template <class Pack>
absl::StatusOr<ReplayReport> Quarantine<Pack>::ReplayAll() {
  ReplayReport report;
  RunOptions run = run_;
  run.refresh = Refresh::kAtEnd;
  Runner<Pack> runner(store_, options_, run);
  const auto replay = [&](const BronzeAnswer& bronze) {
    report.rows += static_cast<int64_t>(bronze.records.size());
    for (const auto& kept : bronze.records) report.without_payload += kept.has_payload ? 0 : 1;
    const absl::StatusOr<int64_t> changed = runner.Replay(bronze.records);
    report.changed += changed.ok() ? *changed : 0;
    return changed.status();
  };
  if (auto status = ForPages(false, replay); !status.ok()) return status;
  if (auto status = runner.RefreshGold(); !status.ok()) return status;
  return report;
}

}  // namespace medallion
