// What people decide of elements in quarantine, as facts that a store keeps beside its records: every table is a function
// of the records and of these, in whatever order they came. Pure. Safe from any thread.
// Source: the design, section 4, "Quarantine".
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "medallion/base/columns.h"
#include "medallion/base/digest.h"
#include "medallion/base/time.h"
#include "medallion/silver/identity.h"

namespace medallion {

enum class ReviewKind : uint8_t {
  kAnswer,   // of a contradiction: which values hold
  kDiscard,  // the element stays in quarantine for good
  kRepair,   // the element is refined from another payload
};
std::string_view ReviewKindName(ReviewKind kind);  // "ANSWER", "DISCARD", "REPAIR"

// One decision. Of the repairs and discards of one element the last in order counts; of the answers to one fact the last
// in order that fits it (see AnswerTo).
struct Review {
  Digest subject = {};  // the element's quarantine id; of an answer the fact's unit
  int64_t number = 0;   // the next after those there were
  ReviewKind kind = ReviewKind::kRepair;
  UtcTime reviewed_at = kNoTime;  // data clock
  std::string reviewed_by = {};
  // Of a repair or discard.
  std::string topic = {};
  int32_t partition = 0;
  int64_t offset = 0;
  uint32_t ordinal = 0;
  Digest digest = {};        // of the payload as received
  std::string payload = {};  // repaired, the whole record's
  // Of an answer.
  Digest business_key = {};
  Values accepted = {};
  std::vector<Values> rejected = {};
  std::string detail = {};  // JSON object: the contradiction as it stood, for people

  bool operator==(const Review&) const = default;
};

// The element of a repair or discard; refers to the review.
inline ElementId ElementOf(const Review& review) {
  return {{{review.topic, review.partition, review.offset}, review.digest}, review.ordinal};
}
void SetElement(const ElementId& id, Review& review);  // and its subject

// The order in which the last counts, subject by subject; total.
bool ReviewedBefore(const Review& a, const Review& b);

// ops_reviews: all there are. `accepted` and `rejected` are arrays of digests, with nulls.
std::string ValuesJson(const Values& values);
std::string ValuesJson(std::span<const Values> values);
template <class Visitor>
void VisitColumns(const Review& row, Visitor&& visit) {
  const bool answer = row.kind == ReviewKind::kAnswer;
  const std::string accepted = answer ? ValuesJson(row.accepted) : "";
  const std::string rejected = answer ? ValuesJson(row.rejected) : "";
  visit("subject", row.subject);
  visit("number", row.number);
  visit("kind", ReviewKindName(row.kind));
  visit("reviewed_at", row.reviewed_at);
  visit("reviewed_by", row.reviewed_by);
  const auto place = [&](auto value) { return answer ? std::nullopt : std::optional(value); };
  visit("topic", row.topic);
  visit("partition", place(row.partition));
  visit("offset", place(row.offset));
  visit("ordinal", place(row.ordinal));
  visit("payload_digest", row.digest);
  visit("repaired_payload", row.payload);
  visit("business_key", row.business_key);
  visit("accepted", JsonText{accepted});
  visit("rejected", JsonText{rejected});
  visit("detail", JsonText{row.detail});
}

// For stores, see base/pack.h.
template <class Row, class Visitor>
  requires std::same_as<std::remove_const_t<Row>, Values>
void VisitFields(Row& row, Visitor&& visit) {
  visit(row.known);
  for (auto& value : row.field) visit(value);
}
template <class Row, class Visitor>
  requires std::same_as<std::remove_const_t<Row>, Review>
void VisitFields(Row& row, Visitor&& visit) {
  visit(row.subject), visit(row.number), visit(row.kind), visit(row.reviewed_at), visit(row.reviewed_by);
  visit(row.topic), visit(row.partition), visit(row.offset), visit(row.ordinal), visit(row.digest);
  visit(row.payload), visit(row.business_key), visit(row.accepted), visit(row.rejected), visit(row.detail);
}

// What an element that was reviewed keeps of it. Refers to where the element's texts are.
struct Reviewed {
  bool discarded = false;
  std::string_view payload = {};  // the repaired one
  std::string_view reviewed_by = {};
  std::string_view violations = {};  // of the payload as it was received
  std::string_view detail = {};
};
template <class Row, class Visitor>
  requires std::same_as<std::remove_const_t<Row>, Reviewed>
void VisitFields(Row& row, Visitor&& visit) {
  visit(row.discarded), visit(row.payload), visit(row.reviewed_by), visit(row.violations), visit(row.detail);
}

// Answers by business key, the last in order first.
using Answers = absl::flat_hash_map<Digest, std::vector<const Review*>>;
// Refers to `reviews`, of which those that are no answers are left out.
Answers AnswersOf(std::span<const Review> reviews);

// The first of `answers` that fits the fact whose members these are: one of them has all values in which the accepted and
// the rejected differ, and agrees with the accepted. Null where none does. A business key may serve for several facts
// (see Pack::Cut), which the values tell apart.
const Review* AnswerTo(std::span<const Identity> fact, const Answers& answers);

}  // namespace medallion
