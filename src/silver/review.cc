#include "medallion/silver/review.h"

#include <algorithm>

#include "medallion/silver/settle.h"
#include "medallion/silver/tables.h"

namespace medallion {
namespace {

auto Tied(const Values& values) { return std::tie(values.known, values.field); }

bool Before(std::span<const Values> a, std::span<const Values> b) {
  return std::lexicographical_compare(
      a.begin(), a.end(), b.begin(), b.end(),
      [](const Values& left, const Values& right) { return Tied(left) < Tied(right); });
}

// The values that tell the accepted from the rejected.
uint8_t Telling(const Review& answer) {
  uint8_t telling = 0;
  for (const Values& rejected : answer.rejected) telling |= Differing(answer.accepted, rejected);
  return telling;
}

bool Fits(std::span<const Identity> fact, const Review& answer) {
  const uint8_t telling = Telling(answer);
  return telling != 0 && std::any_of(fact.begin(), fact.end(), [&](const Identity& member) {
           return (telling & ~member.values.known) == 0 && Differing(member.values, answer.accepted) == 0;
         });
}

}  // namespace

std::string_view ReviewKindName(ReviewKind kind) {
  switch (kind) {
    case ReviewKind::kRepair: return "REPAIR";
    case ReviewKind::kDiscard: return "DISCARD";
    case ReviewKind::kAnswer: return "ANSWER";
  }
  return "";
}

void SetElement(const ElementId& id, Review& review) {
  const Coordinate& at = id.record.at;
  review.subject = QuarantineId(id);
  review.topic = at.topic, review.partition = at.partition, review.offset = at.offset;
  review.ordinal = id.ordinal, review.digest = id.record.payload;
}

bool ReviewedBefore(const Review& a, const Review& b) {
  const auto head = [](const Review& review) {
    return std::tie(review.subject, review.number, review.kind, review.reviewed_at, review.reviewed_by,
                    review.payload, review.business_key, review.detail);
  };
  if (head(a) != head(b)) return head(a) < head(b);
  if (a.accepted != b.accepted) return Tied(a.accepted) < Tied(b.accepted);
  return Before(a.rejected, b.rejected);
}

std::string ValuesJson(const Values& values) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string json = "[";
  for (int i = 0; i < kValuesMax; ++i) {
    json += i == 0 ? "" : ",";
    if ((values.known >> i & 1) == 0) {
      json += "null";
      continue;
    }
    json += '"';
    for (int shift = 60; shift >= 0; shift -= 4) {
      json += kDigits[values.field[static_cast<size_t>(i)] >> shift & 15];
    }
    json += '"';
  }
  return json + "]";
}

std::string ValuesJson(std::span<const Values> values) {
  std::string json = "[";
  for (const Values& each : values) json += (json.size() == 1 ? "" : ",") + ValuesJson(each);
  return json + "]";
}

Answers AnswersOf(std::span<const Review> reviews) {
  Answers answers;
  for (const Review& review : reviews) {
    if (review.kind == ReviewKind::kAnswer) answers[review.business_key].push_back(&review);
  }
  for (auto& [key, of_key] : answers) {
    std::sort(of_key.begin(), of_key.end(),
              [](const Review* a, const Review* b) { return ReviewedBefore(*b, *a); });
  }
  return answers;
}

const Review* AnswerTo(std::span<const Identity> fact, const Answers& answers) {
  const auto found = answers.find(fact.front().business_key);
  if (found == answers.end()) return nullptr;
  const auto fitting = std::find_if(found->second.begin(), found->second.end(),
                                    [&](const Review* answer) { return Fits(fact, *answer); });
  return fitting == found->second.end() ? nullptr : *fitting;
}

}  // namespace medallion
