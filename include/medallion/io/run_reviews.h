// How the run loop heeds what people decided (silver/review.h), and refines known records anew. Part of io/run.h.
#pragma once

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "medallion/io/element_codec.h"
#include "medallion/io/run.h"
#include "medallion/silver/review.h"
#include "medallion/silver/tables.h"

namespace medallion {

namespace reviewing {

// In quarantine for good: no member of a fact, and no part of an entity.
template <class Event>
void Discard(Element<Event>& element) {
  element.standing = {.fate = Fate::kQuarantined};
  element.identity.unit = element.identity.business_key = element.entity = {};
  element.identity.cut = 0;
  element.milestone = Milestone::kNone;
  element.confirms = false;
  element.reason = {};
}

// The element as refining gives it, in bytes, whatever became of it when it was settled.
template <class Pack>
void AppendRefined(Element<typename Pack::Event> element, PackWriter& out) {
  if (element.to_settle()) settling::Stood<Pack>(element);
  element.identity.fact = 0;
  PackWhole(element, out);
}

}  // namespace reviewing

// All reviews of these subjects, those of the batch among them.
template <class Pack>
absl::Status Runner<Pack>::FindReviews(std::span<const Digest> subjects, const Work& work,
                                       std::vector<medallion::Review>& found) {
  KnownAnswer<Event> answer;
  if (work.seen.checkpoint.reviews > 0) {
    if (auto status = store_.Known({.subjects = subjects}, answer); !status.ok()) return status;
  }
  found = std::move(answer.reviews);
  const absl::flat_hash_set<Digest> asked(subjects.begin(), subjects.end());
  for (const medallion::Review& review : work.reviews) {
    if (asked.contains(review.subject)) found.push_back(review);
  }
  return absl::OkStatus();
}

// Notes which review of each element counts.
template <class Pack>
absl::Status Runner<Pack>::Decide(std::span<const Digest> subjects, Work& work) {
  std::vector<medallion::Review> found;
  if (auto status = FindReviews(subjects, work, found); !status.ok()) return status;
  for (medallion::Review& review : found) {
    if (review.kind == ReviewKind::kAnswer) continue;
    medallion::Review& last = work.decided.try_emplace(review.subject, review).first->second;
    if (ReviewedBefore(last, review)) last = std::move(review);
  }
  return absl::OkStatus();
}

// Has the reviews of the elements of `work.records` decide what they are.
template <class Pack>
absl::Status Runner<Pack>::Revise(Work& work) {
  std::vector<Element<Event>>& elements = work.refined.elements;
  std::vector<Digest> ids;
  ids.reserve(elements.size());
  for (const Element<Event>& element : elements) ids.push_back(QuarantineId(IdOf(element.identity.order)));
  if (auto status = Decide(ids, work); !status.ok()) return status;
  if (work.decided.empty()) return absl::OkStatus();
  std::vector<Element<Event>> revised, of_record;
  size_t next = 0;
  for (const RecordWrite& write : work.records) {
    of_record.clear();
    while (next < elements.size() && IdOf(elements[next].identity.order).record == write.id) {
      of_record.push_back(std::move(elements[next++]));
    }
    if (auto status = ReviseRecord(write, of_record, work); !status.ok()) return status;
    std::move(of_record.begin(), of_record.end(), std::back_inserter(revised));
  }
  elements = std::move(revised);
  return absl::OkStatus();
}

// A repair may bring elements of its own, which may have been reviewed in turn.
template <class Pack>
absl::Status Runner<Pack>::ReviseRecord(const RecordWrite& write, std::vector<Element<Event>>& elements,
                                        Work& work) {
  const size_t received = elements.size();
  for (size_t i = 0; i < elements.size(); ++i) {
    const Digest id = QuarantineId(IdOf(elements[i].identity.order));
    if (i >= received) {
      if (auto status = Decide({&id, 1}, work); !status.ok()) return status;
    }
    const auto decided = work.decided.find(id);
    if (decided == work.decided.end()) continue;
    const medallion::Review review = decided->second;
    const bool discarded = review.kind == ReviewKind::kDiscard;
    const std::string_view violations = elements[i].violations;
    const Reviewed kept{.discarded = discarded,
                        .payload = work.texts.Copy(review.payload),
                        .reviewed_by = work.texts.Copy(review.reviewed_by),
                        .violations = violations.empty() ? "[]" : violations,
                        .detail = elements[i].detail};
    discarded ? reviewing::Discard(elements[i]) : Repair(write, review, i, elements, work);
    elements[i].review = work.texts.Keep(kept);
  }
  return absl::OkStatus();
}

// The element's own row of the repaired payload takes its place, as the same element; rows beyond those there are join
// them. Where the payload has no such row, the element stays as it is.
template <class Pack>
void Runner<Pack>::Repair(const RecordWrite& write, const medallion::Review& review, size_t at,
                          std::vector<Element<Event>>& elements, Work& work) {
  BronzeRecord record = write.record;
  record.payload = review.payload;
  const Refined<Event>& anew = work.anew.emplace_back(Pack::Refine({&record, 1}, options_));
  const uint32_t own = elements[at].identity.order.ordinal;
  for (const Element<Event>& repaired : anew.elements) {
    const uint32_t ordinal = repaired.identity.order.ordinal;
    if (ordinal != own && ordinal < elements.size()) continue;
    Element<Event>& place = ordinal == own ? elements[at] : elements.emplace_back();
    place = repaired;
    place.identity.order.payload = write.id.payload;
  }
}

// The answers to facts of the units that are settled as a whole.
template <class Pack>
absl::Status Runner<Pack>::FindAnswers(const std::vector<Element<Event>>& arrived, const Unsettled& left,
                                       Work& work) {
  std::vector<Digest> units = left.units;
  for (const uint32_t i : left.arrived) units.push_back(arrived[i].identity.unit);
  return units.empty() ? absl::OkStatus() : FindReviews(units, work, work.answers);
}

// Leaves the records, all of them known, of which something else comes out than what stands.
template <class Pack>
absl::Status Runner<Pack>::KeepChanged(Work& work) {
  std::vector<RecordId> ids;
  for (const RecordWrite& write : work.records) ids.push_back(write.id);
  KnownAnswer<Event> stood;
  if (auto status = store_.Known({.records = ids}, stood); !status.ok()) return status;
  std::map<ElementId, const Element<Event>*> in_order;
  for (const Element<Event>& element : stood.elements)
    in_order.emplace(IdOf(element.identity.order), &element);
  absl::flat_hash_map<RecordId, std::string> before, now;
  PackWriter bytes;
  const auto note = [&](const Element<Event>& element, auto& noted) {
    bytes.Clear();
    reviewing::AppendRefined<Pack>(element, bytes);
    noted[IdOf(element.identity.order).record].append(bytes.bytes());
  };
  for (const auto& [id, element] : in_order) note(*element, before);
  for (const Element<Event>& element : work.refined.elements) note(element, now);
  const auto same = [&](const RecordId& id) { return before[id] == now[id]; };
  std::erase_if(work.refined.elements,
                [&](const auto& element) { return same(IdOf(element.identity.order).record); });
  std::erase_if(work.records, [&](const RecordWrite& write) { return same(write.id); });
  return absl::OkStatus();
}

template <class Pack>
absl::Status Runner<Pack>::ReadAnew(std::span<const BronzeAnswer::Kept> records, Work& work) {
  const auto since = std::chrono::steady_clock::now();
  std::vector<BronzeRecord> kept;
  for (const BronzeAnswer::Kept& record : records) {
    if (!record.has_payload) continue;
    kept.push_back(record.record);
    work.records.push_back({.record = record.record, .id = record.id, .known = true});
  }
  work.refined = Pack::Refine(kept, options_);
  if (auto status = store_.Seen({}, work.seen); !status.ok()) return status;
  work.clock = work.seen.checkpoint.data_clock;
  if (work.any_reviews()) {
    if (auto status = Revise(work); !status.ok()) return status;
  }
  if (auto status = KeepChanged(work); !status.ok()) return status;
  if (work.records.empty() && work.reviews.empty()) return absl::OkStatus();
  if (auto status = SettleElements(work); !status.ok()) return status;
  if (auto status = Write(work, "", since); !status.ok()) return status;
  return run_.refresh == Refresh::kEachBatch ? RefreshGold() : absl::OkStatus();
}

template <class Pack>
absl::Status Runner<Pack>::Review(std::span<const medallion::Review> reviews) {
  Work work;
  work.reviews.assign(reviews.begin(), reviews.end());
  absl::flat_hash_set<RecordId> once;
  for (const medallion::Review& review : reviews) {
    if (review.kind != ReviewKind::kAnswer) once.insert(ElementOf(review).record);
  }
  const std::vector<RecordId> ids(once.begin(), once.end());
  BronzeAnswer bronze;
  if (!ids.empty()) {
    if (auto status = store_.Bronze({.records = ids}, bronze); !status.ok()) return status;
  }
  return ReadAnew(bronze.records, work);
}

template <class Pack>
absl::StatusOr<int64_t> Runner<Pack>::Replay(std::span<const BronzeAnswer::Kept> records) {
  Work work;
  if (auto status = ReadAnew(records, work); !status.ok()) return status;
  return static_cast<int64_t>(work.records.size());
}

}  // namespace medallion
