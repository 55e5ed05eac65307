// The toy pack: a library that lends books. For tests of the kernel, the stores and the run loop, so that no
// word of a real domain slips into them.
//
// A payload is a few lines, each one row, fields separated by `|`, an empty or missing field is null:
//
//   kind|event_id|branch|loan|minute|member|shelf|days|renewed|remark
//
//   lend    a book went out. `days` it may stay out; 14 where null
//   return  it came back
//   note    a remark on a loan; a fact by itself, told by its minute
//   visit   somebody came in; a fact by itself, bears on no loan
//   ping    understood, outside the tables: ignored
//
// `minute` counts from 1970. A missing branch is taken from the record's key. Copies of a fact must agree in
// member, shelf, days and renewed. Loan numbers are used again: a lend a day or more after the previous one opens the
// next epoch.
//
// A return of the loan `?` is of a book whose number could not be read. It is taken for that of the latest lend to the
// same member in the branch, at most five days before it; else of the latest note in that time; else it stands alone.
// And a loan tells when the branch last lent a book before it, at most two days before.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "medallion/base/columns.h"
#include "medallion/base/digest.h"
#include "medallion/base/text.h"
#include "medallion/base/time.h"
#include "medallion/bronze/record.h"
#include "medallion/gold/derive_entities.h"
#include "medallion/gold/merge.h"
#include "medallion/gold/resolve.h"
#include "medallion/gold/row_hash.h"
#include "medallion/silver/element.h"
#include "medallion/silver/settle.h"

namespace medallion::toy {

enum class Kind : uint8_t { kUnknown, kLend, kReturn, kNote, kVisit, kPing };
inline constexpr std::array<std::string_view, 6> kKindNames = {"", "lend", "return", "note", "visit", "ping"};
inline std::string_view KindName(Kind kind) { return kKindNames[static_cast<size_t>(kind)]; }

// silver_loan_events.
struct LoanEvent {
  std::string_view event_id;
  Digest business_key;
  Kind kind = Kind::kUnknown;
  std::string_view branch;
  std::string_view loan;
  UtcTime event_ts = kNoTime;
  UtcTime ingest_ts = kNoTime;
  std::string_view member;      // value 0
  std::string_view shelf;       // value 1
  std::optional<int32_t> days;  // value 2
  std::optional<bool> renewed;  // value 3
  std::string_view remark;      // JSON
  std::string_view line;        // as received, where the row is broken and its payload has several
  Coordinate at;
  uint32_t ordinal = 0;
  bool operator==(const LoanEvent&) const = default;
};
using LoanElement = Element<LoanEvent>;

// silver_visits: whatever bears on no loan.
template <class Visitor>
void VisitVisitColumns(const LoanEvent& row, Visitor&& visit) {
  visit("event_id", row.event_id);
  visit("branch", row.branch);
  visit("event_ts", row.event_ts);
  visit("member", row.member);
  visit("remark", JsonText{row.remark});
  visit("topic", row.at.topic);
  visit("partition", row.at.partition);
  visit("offset", row.at.offset);
  visit("ordinal", row.ordinal);
}

template <class Visitor>
void VisitColumns(const LoanEvent& row, Visitor&& visit) {
  if (row.kind == Kind::kVisit) return VisitVisitColumns(row, visit);
  std::string date;
  if (row.event_ts != kNoTime) AppendDate(row.event_ts, date);
  visit("event_id", row.event_id);
  visit("business_key", row.business_key);
  visit("kind", KindName(row.kind));
  visit("branch", row.branch);
  visit("loan", row.loan);
  visit("event_ts", row.event_ts);
  visit("event_date", date);
  visit("ingest_ts", row.ingest_ts);
  visit("member", row.member);
  visit("shelf", row.shelf);
  visit("days", row.days);
  visit("renewed", row.renewed);
  visit("remark", JsonText{row.remark});
  visit("topic", row.at.topic);
  visit("partition", row.at.partition);
  visit("offset", row.at.offset);
  visit("ordinal", row.ordinal);
}

template <class Row, class Visitor>
  requires std::same_as<std::remove_const_t<Row>, LoanEvent>
void VisitFields(Row& row, Visitor&& visit) {
  visit(row.event_id), visit(row.kind), visit(row.branch), visit(row.loan), visit(row.member);
  visit(row.shelf), visit(row.days), visit(row.renewed), visit(row.remark), visit(row.line);
}

inline Values ValuesOf(const LoanEvent& row) {
  const auto digest = [](std::string_view text) { return Sha256(text).Prefix() | 1; };
  Values values;
  if (!row.member.empty()) values.Set(0, digest(row.member));
  if (!row.shelf.empty()) values.Set(1, digest(row.shelf));
  if (row.days) values.Set(2, digest(std::to_string(*row.days)));
  if (row.renewed) values.Set(3, digest(*row.renewed ? "yes" : "no"));
  return values;
}

inline void AttachIdentity(LoanEvent& row, Identity& identity) {
  row.business_key = identity.business_key;
  row.event_ts = identity.order.event_ts;
  row.at = identity.order.at;
  row.ordinal = identity.order.ordinal;
  row.ingest_ts = identity.order.ingest_ts;
  identity.order.event_id = row.event_id;
}

enum class LoanState : uint8_t { kOut, kOverdue, kLost, kReturned };
inline constexpr std::array<std::string_view, 4> kStateNames = {"OUT", "OVERDUE", "LOST", "RETURNED"};

// gold_loans: one epoch of a loan number a row.
struct Loan {
  Digest loan_id;
  std::string branch;
  std::string loan;
  std::string member;
  UtcTime lent_ts = kNoTime;
  UtcTime returned_ts = kNoTime;
  std::optional<int32_t> days;
  std::optional<Thousandths> fine;  // 0.250 for each day begun late
  LoanState state = LoanState::kOut;
  bool conflict = false;
  int64_t notes = 0;
  UtcTime previous_ts = kNoTime;  // of the branch's latest lend before the last of this loan
  std::string flags;              // JSON
  UtcTime next_due_at = kNoTime;
  Digest model_version;
  Digest row_hash;
  UtcTime updated_at = kNoTime;
  bool operator==(const Loan&) const = default;
};

template <class Visitor>
void VisitColumns(const Loan& row, Visitor&& visit) {
  visit("loan_id", row.loan_id);
  visit("branch", row.branch);
  visit("loan", row.loan);
  visit("member", row.member);
  visit("lent_ts", row.lent_ts);
  visit("returned_ts", row.returned_ts);
  visit("days", row.days);
  visit("fine", row.fine);
  visit("state", kStateNames[static_cast<size_t>(row.state)]);
  visit("conflict", row.conflict);
  visit("notes", row.notes);
  visit("previous_ts", row.previous_ts);
  visit("flags", JsonText{row.flags});
  visit("next_due_at", row.next_due_at);
  visit("model_version", row.model_version);
  visit("row_hash", row.row_hash);
  visit("updated_at", row.updated_at);
}

template <class Row, class Visitor>
  requires std::same_as<std::remove_const_t<Row>, Loan>
void VisitFields(Row& row, Visitor&& visit) {
  visit(row.branch), visit(row.loan), visit(row.member), visit(row.lent_ts);
  visit(row.returned_ts), visit(row.days), visit(row.fine), visit(row.state), visit(row.conflict);
  visit(row.notes), visit(row.previous_ts), visit(row.flags), visit(row.next_due_at);
}
inline void AttachVersion(Loan& row, const RowVersion& version) {
  row.loan_id = version.key;
  medallion::AttachVersion<Loan>(row, version);
}

// gold_branches: what a branch has lent, and when it was last heard of.
struct Branch {
  Digest branch_id;
  std::string branch;
  int64_t loans = 0, open = 0;
  UtcTime last_seen_ts = kNoTime;
  UtcTime last_visit_ts = kNoTime;
  Digest model_version;
  Digest row_hash;
  bool operator==(const Branch&) const = default;
};

template <class Visitor>
void VisitColumns(const Branch& row, Visitor&& visit) {
  visit("branch_id", row.branch_id);
  visit("branch", row.branch);
  visit("loans", row.loans);
  visit("open", row.open);
  visit("last_seen_ts", row.last_seen_ts);
  visit("last_visit_ts", row.last_visit_ts);
  visit("model_version", row.model_version);
  visit("row_hash", row.row_hash);
}

template <class Row, class Visitor>
  requires std::same_as<std::remove_const_t<Row>, Branch>
void VisitFields(Row& row, Visitor&& visit) {
  visit(row.branch), visit(row.loans), visit(row.open), visit(row.last_visit_ts);
}
inline void AttachVersion(Branch& row, const RowVersion& version) {
  row.branch_id = version.key;
  row.row_hash = version.hash;
  row.model_version = version.model_version;
  row.last_seen_ts = version.updated_at;
}

using Gold = std::variant<Loan, Branch>;

struct Options {
  Policy policy = Policy::kKeepFirst;
  int32_t days = 14;       // a book may stay out, where the lend does not say
  int32_t lost_days = 30;  // after these it is lost, counted from the day it was due
  int64_t epoch_gap_us = kMicrosPerDay;
};

inline Digest ModelVersion(const Options& options) {
  JoinedFields fields;
  fields.Add("toy 1").Add(int64_t{options.days}).Add(int64_t{options.lost_days}).Add(options.epoch_gap_us);
  return fields.Sha256();
}

// -----------------------------------------------------------------------------------------------------------
// Refine

namespace refining {

template <class T>
bool ParseInteger(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

inline std::array<std::string_view, 10> Split(std::string_view line) {
  std::array<std::string_view, 10> fields;
  for (std::string_view& field : fields) {
    const size_t end = line.find('|');
    field = line.substr(0, end);
    if (end == std::string_view::npos) break;
    line.remove_prefix(end + 1);
  }
  return fields;
}

inline Kind KindOf(std::string_view name) {
  for (size_t kind = 1; kind < kKindNames.size(); ++kind) {
    if (kKindNames[kind] == name) return static_cast<Kind>(kind);
  }
  return Kind::kUnknown;
}

// The row as far as it is understood, and the codes of all rules it breaks.
inline LoanEvent Read(std::string_view line, const BronzeRecord& record, std::string& violations,
                      Arena& texts) {
  const auto violate = [&](std::string_view code) {
    violations.append(violations.empty() ? "[\"" : ",\"").append(code).append("\"");
  };
  const auto fields = Split(line);
  LoanEvent row;
  row.event_id = fields[1], row.kind = KindOf(fields[0]), row.loan = fields[3];
  row.branch = fields[2].empty() ? record.key : fields[2];
  row.ingest_ts = record.ingest_ts;
  row.member = fields[5], row.shelf = fields[6];
  if (row.kind == Kind::kUnknown) violate("UNKNOWN_KIND");
  if (row.event_id.empty()) violate("NO_EVENT_ID");
  if (row.branch.empty()) violate("NO_BRANCH");
  if (row.loan.empty() && row.kind != Kind::kVisit && row.kind != Kind::kPing) violate("NO_LOAN");
  int64_t minute = 0;
  if (ParseInteger(fields[4], minute)) {
    row.event_ts = UtcTime{minute * kMicrosPerMinute};
  } else {
    violate("BAD_TIME");
  }
  int32_t days = 0;
  if (ParseInteger(fields[7], days)) {
    row.days = days;
  } else if (!fields[7].empty()) {
    violate("BAD_DAYS");
  }
  if (!fields[8].empty()) row.renewed = fields[8] == "yes";
  if (!fields[9].empty()) {
    std::string remark = "{\"remark\":";
    AppendJsonString(fields[9], remark);
    row.remark = texts.Copy(remark += "}");
  }
  if (!violations.empty()) violations.push_back(']');
  return row;
}

// A return whose loan is not known.
inline bool IsUnread(const LoanEvent& row) { return row.kind == Kind::kReturn && row.loan == "?"; }

inline void Identify(LoanElement& element) {
  LoanEvent& row = element.row;
  Identity& identity = element.identity;
  const auto digest = [](std::string_view text) { return Sha256(text).Prefix() | 1; };
  const bool cut = (row.kind == Kind::kLend || row.kind == Kind::kReturn) && !IsUnread(row);
  if (cut || row.kind == Kind::kReturn) element.milestone = Milestone::kMilestone;
  if (row.kind == Kind::kNote) element.milestone = Milestone::kDetail;
  JoinedFields key;
  key.Add(KindName(row.kind)).Add(row.branch).Add(row.kind == Kind::kVisit ? row.member : row.loan);
  if (!cut) key.Add(row.event_ts.us / kMicrosPerMinute);
  identity.business_key = key.Sha256();
  if (row.kind != Kind::kVisit) {
    key.Clear();
    element.entity = key.Add("loan").Add(row.branch).Add(row.loan).Sha256();
  }
  if (IsUnread(row)) element.entity = identity.business_key;
  identity.unit = cut ? element.entity : identity.business_key;
  if (cut) identity.cut = digest(std::string(KindName(row.kind)) + std::to_string(row.event_ts.us));
  identity.values = ValuesOf(row);
}

inline LoanElement ElementOf(std::string_view line, const BronzeRecord& record, const Digest& payload,
                             uint32_t ordinal, Arena& texts) {
  std::string violations;
  LoanElement element{};
  LoanEvent& row = element.row = Read(line, record, violations, texts);
  element.identity.event_id = Fingerprint(row.event_id);
  element.identity.order = {.event_ts = row.event_ts,
                            .ingest_ts = record.ingest_ts,
                            .event_id = row.event_id,
                            .at = record.at,
                            .ordinal = ordinal,
                            .payload = payload};
  if (!violations.empty()) {
    element.standing.fate = Fate::kQuarantined;
    element.violations = texts.Copy(violations);
    std::string detail = "{\"line\":";
    AppendJsonString(line, detail);
    element.detail = texts.Copy(detail += "}");
    if (record.payload.size() != line.size()) row.line = texts.Copy(line);
  } else if (row.kind == Kind::kPing) {
    element.standing.fate = Fate::kIgnored;
    element.reason = "PING";
  } else {
    Identify(element);
  }
  AttachIdentity(row, element.identity);
  return element;
}

}  // namespace refining

inline Refined<LoanEvent> Refine(std::span<const BronzeRecord> batch) {
  Refined<LoanEvent> refined;
  for (const BronzeRecord& given : batch) {
    BronzeRecord record = given;
    record.payload = refined.texts.Copy(given.payload);
    record.at.topic = refined.texts.Copy(given.at.topic);
    record.key = refined.texts.Copy(given.key);
    const Digest payload = Sha256(record.payload);
    std::string_view left = record.payload;
    for (uint32_t ordinal = 0; ordinal == 0 || !left.empty(); ++ordinal) {
      const size_t end = std::min(left.find('\n'), left.size());
      const std::string_view line = left.substr(0, end);
      left.remove_prefix(std::min(end + 1, left.size()));
      refined.elements.push_back(refining::ElementOf(line, record, payload, ordinal, refined.texts));
    }
    refined.ends.push_back(static_cast<uint32_t>(refined.elements.size()));
    refined.ingest_ts.push_back(record.ingest_ts);
    refined.payloads.push_back(payload);
  }
  return refined;
}

// -----------------------------------------------------------------------------------------------------------
// Settle and derive

// At one instant lends come before returns, so rows of equal kind and time share an epoch.
inline void Cut(std::span<const LoanElement* const> unit, std::span<uint32_t> fact, const Options& options) {
  std::vector<size_t> order(unit.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::pair(unit[a]->row.event_ts, unit[a]->row.kind) <
           std::pair(unit[b]->row.event_ts, unit[b]->row.kind);
  });
  uint32_t epoch = 0;
  UtcTime lent = kNoTime;
  for (const size_t i : order) {
    const LoanEvent& row = unit[i]->row;
    if (row.kind == Kind::kLend) {
      if (lent != kNoTime && row.event_ts.us - lent.us >= options.epoch_gap_us) ++epoch;
      lent = row.event_ts;
    }
    fact[i] = epoch;
  }
}

inline void Fill(LoanEvent& row, int value, const LoanEvent* from) {
  if (value == 0) row.member = from == nullptr ? std::string_view() : from->member;
  if (value == 1) row.shelf = from == nullptr ? std::string_view() : from->shelf;
  if (value == 2) row.days = from == nullptr ? std::nullopt : from->days;
  if (value == 3) row.renewed = from == nullptr ? std::nullopt : from->renewed;
}

inline std::string Difference(const LoanEvent& row, const LoanEvent& fact, uint8_t differs) {
  std::string json = "{";
  const auto add = [&](std::string_view name, std::string_view of_row, std::string_view of_fact) {
    json.append(json.size() == 1 ? "\"" : ",\"").append(name).append("\":[");
    AppendJsonString(of_row, json), json.append(","), AppendJsonString(of_fact, json), json.append("]");
  };
  if ((differs & 1) != 0) add("member", row.member, fact.member);
  if ((differs & 2) != 0) add("shelf", row.shelf, fact.shelf);
  if ((differs & 4) != 0)
    add("days", std::to_string(row.days.value_or(0)), std::to_string(fact.days.value_or(0)));
  if ((differs & 8) != 0)
    add("renewed", row.renewed == true ? "yes" : "no", fact.renewed == true ? "yes" : "no");
  return json += "}";
}

namespace deriving {

// The state at `clock`, when it is due to change next, and when it last did so by time alone.
inline void Tell(Loan& row, UtcTime clock, const Options& options) {
  if (row.returned_ts != kNoTime) {
    row.state = LoanState::kReturned;
    if (row.lent_ts == kNoTime) return;
    const int64_t late =
        row.returned_ts.us - row.lent_ts.us - row.days.value_or(options.days) * kMicrosPerDay;
    if (late > 0) row.fine = Thousandths{(late + kMicrosPerDay - 1) / kMicrosPerDay * 250};
    return;
  }
  const UtcTime overdue{row.lent_ts.us + row.days.value_or(options.days) * kMicrosPerDay};
  const UtcTime lost{overdue.us + options.lost_days * kMicrosPerDay};
  row.next_due_at = clock < overdue ? overdue : clock < lost ? lost : kNoTime;
  if (clock >= overdue) row.state = LoanState::kOverdue, row.updated_at = std::max(row.updated_at, overdue);
  if (clock >= lost) row.state = LoanState::kLost, row.updated_at = std::max(row.updated_at, lost);
}

inline Digest LoanId(const LoanEvent& row, uint32_t epoch) {
  JoinedFields key;
  key.Add("loan").Add(row.branch).Add(row.loan);
  if (epoch != 0) key.Add(int64_t{epoch});
  return key.Sha256();
}

inline void Take(Loan& row, const LoanElement& element) {
  const LoanEvent& event = element.row;
  row.updated_at = std::max(row.updated_at, event.ingest_ts);
  if (element.standing.fate != Fate::kSilver) {
    row.conflict = true;
  } else if (event.kind == Kind::kLend) {
    row.lent_ts = event.event_ts, row.member = event.member, row.days = event.days;
  } else {
    row.returned_ts = std::max(row.returned_ts, event.event_ts);
  }
}

}  // namespace deriving

inline std::vector<Loan> Derive(std::span<const LoanElement> history, Contexts contexts, UtcTime clock,
                                const Options& options) {
  std::map<uint32_t, Loan> epochs;
  for (const LoanElement& element : history) {
    const bool silver = element.standing.fate == Fate::kSilver;
    if (!silver || (element.row.kind != Kind::kLend && element.row.kind != Kind::kReturn)) continue;
    Loan& row = epochs[element.identity.fact];
    const bool unread = refining::IsUnread(element.row);
    const bool known = !row.branch.empty();
    if (unread && known && (row.loan != "?" || row.loan_id < element.identity.business_key)) continue;
    row.loan_id =
        unread ? element.identity.business_key : deriving::LoanId(element.row, element.identity.fact);
    row.branch = element.row.branch, row.loan = element.row.loan;
  }
  if (epochs.empty()) return {};
  for (const LoanElement& element : history) {
    if (element.row.kind == Kind::kNote) {  // counts for the first epoch, whichever it was
      Loan& row = epochs.begin()->second;
      if (element.standing.fate == Fate::kSilver) ++row.notes;
      row.updated_at = std::max(row.updated_at, element.row.ingest_ts);
    } else if (const auto at = epochs.find(element.identity.fact); at != epochs.end()) {
      deriving::Take(at->second, element);
    }
  }
  UtcTime previous = kNoTime;
  for (const std::string_view context : contexts) {
    int64_t us = 0;
    if (refining::ParseInteger(context, us)) previous = std::max(previous, UtcTime{us});
  }
  std::vector<Loan> rows;
  for (auto& [epoch, row] : epochs) {
    row.previous_ts = previous;
    deriving::Tell(row, clock, options);
    if (row.conflict) row.flags = R"(["CONFLICT"])";
    row.model_version = ModelVersion(options);
    row.row_hash = RowHash(row);
    rows.push_back(std::move(row));
  }
  std::sort(rows.begin(), rows.end(), [](const Loan& a, const Loan& b) { return a.loan_id < b.loan_id; });
  return rows;
}

namespace resolving {

inline constexpr int64_t kReach = 5 * kMicrosPerDay, kPreviousReach = 2 * kMicrosPerDay;

// The entity of the latest of `kind` at most `reach` before `at` for which `fits` holds, the largest at one instant.
template <class Fits>
const LoanElement* Latest(std::span<const LoanElement> elements, UtcTime at, int64_t reach,
                          const Fits& fits) {
  const LoanElement* latest = nullptr;
  for (const LoanElement& element : elements) {
    const UtcTime time = element.row.event_ts;
    if (time > at || at.us - time.us > reach || !fits(element)) continue;
    const auto later = [](const LoanElement& a, const LoanElement& b) {
      return std::pair(a.row.event_ts, a.entity) < std::pair(b.row.event_ts, b.entity);
    };
    if (latest == nullptr || later(*latest, element)) latest = &element;
  }
  return latest;
}

inline const LoanElement* LoanOf(std::span<const LoanElement> elements, const LoanEvent& unread, Kind kind) {
  return Latest(elements, unread.event_ts, kReach, [&](const LoanElement& element) {
    return element.row.kind == kind && (kind == Kind::kNote || element.row.member == unread.member);
  });
}

}  // namespace resolving

// Places up to five days after what was touched can change, and are told from what lies five days before them.
inline Resolution Resolve(const Timeline<LoanEvent>& timeline) {
  using resolving::kReach;
  Resolution said;
  said.span = {timeline.touched.from, {timeline.touched.to.us + kReach}};
  said.need = {{said.span.from.us - kReach}, said.span.to};
  if (!timeline.seen.Holds(said.need)) return said;
  for (const LoanElement& element : timeline.elements) {
    const LoanEvent& row = element.row;
    if (!said.span.Holds(row.event_ts)) continue;
    if (refining::IsUnread(row)) {
      const LoanElement* loan = resolving::LoanOf(timeline.elements, row, Kind::kLend);
      if (loan == nullptr) said.watch = said.need_details = true;
      if (loan == nullptr) loan = resolving::LoanOf(timeline.elements, row, Kind::kNote);
      if (loan != nullptr) said.links.push_back({row.event_ts, element.entity, loan->entity, {}});
    } else if (row.kind == Kind::kLend) {
      const auto* previous =
          resolving::Latest(timeline.elements, {row.event_ts.us - 1}, resolving::kPreviousReach,
                            [](const LoanElement& other) { return other.row.kind == Kind::kLend; });
      if (previous == nullptr) continue;
      said.links.push_back(
          {row.event_ts, element.entity, element.entity, std::to_string(previous->row.event_ts.us)});
    }
  }
  said.settled = timeline.details || !said.need_details;
  SortLinks(said.links);
  return said;
}

inline EntityKey BranchKey(std::string_view branch) {
  JoinedFields key;
  return key.Add("branch").Add(branch).Sha256();
}

// A branch is heard of by all that comes from it, good or bad; its last visit is told apart.
inline std::optional<Sighting> SightingOf(const LoanElement& element, Direction direction) {
  if (direction == Direction::kOut || element.row.branch.empty()) return std::nullopt;
  Sighting sighting{.ingest_ts = element.identity.order.ingest_ts};
  if (element.row.kind == Kind::kVisit) sighting.most[0] = element.row.event_ts.us;
  return sighting;
}

inline std::vector<Gold> DeriveBranch(const EntityFacts<LoanEvent, Gold>& facts, const Options& options) {
  Branch row;
  row.branch_id = facts.entity, row.branch = facts.subject;
  for (const Gold& child : facts.children) {
    const Loan& loan = std::get<Loan>(child);
    ++row.loans;
    if (loan.returned_ts == kNoTime) ++row.open;
    if (row.branch.empty()) row.branch = loan.branch;
  }
  if (facts.subject.empty() && row.loans == 0) return {};
  row.last_seen_ts = facts.sighting.ingest_ts;
  if (facts.sighting.most[0] != Sighting::kNever) row.last_visit_ts = {facts.sighting.most[0]};
  row.model_version = ModelVersion(options);
  row.row_hash = RowHash(row);
  return {row};
}

struct Loans {
  using Event = LoanEvent;
  using Gold = toy::Gold;
  using Options = toy::Options;

  static constexpr std::string_view kName = "toy";
  static constexpr std::array<std::string_view, 2> kSilverTables = {"silver_loan_events", "silver_visits"};
  static size_t SilverTableOf(const Event& row) { return row.kind == Kind::kVisit ? 1 : 0; }
  static Event SilverSample(size_t table) {
    Event row;
    row.kind = table == 1 ? Kind::kVisit : Kind::kLend;
    return row;
  }
  static constexpr std::array<std::string_view, 2> kGoldTables = {"gold_loans", "gold_branches"};

  static Refined<Event> Refine(std::span<const BronzeRecord> batch, const Options&) {
    return toy::Refine(batch);
  }
  static Policy PolicyOf(const Options& options) { return options.policy; }
  static void Cut(std::span<const LoanElement* const> unit, std::span<uint32_t> fact,
                  const Options& options) {
    toy::Cut(unit, fact, options);
  }
  static void Fill(Event& row, int value, const Event* from) { toy::Fill(row, value, from); }
  static std::string Difference(const Event& row, const Event& fact, uint8_t differs) {
    return toy::Difference(row, fact, differs);
  }
  using Model = Options;
  static Model ModelOf(const Options& options) { return options; }
  static std::vector<Gold> Derive(const EntityFacts<LoanEvent, Gold>& facts, UtcTime clock,
                                  const Model& model) {
    if (!facts.subject.empty() || !facts.children.empty()) return DeriveBranch(facts, model);
    const std::vector<Loan> loans = toy::Derive(facts.history, facts.contexts, clock, model);
    return {loans.begin(), loans.end()};
  }
  static EntityKey ParentOf(const Gold& row, const Model&) {
    const Loan* const loan = std::get_if<Loan>(&row);
    return loan == nullptr ? EntityKey{} : BranchKey(loan->branch);
  }
  static std::optional<Sighting> SightingOf(const LoanElement& element, Direction direction) {
    return toy::SightingOf(element, direction);
  }
  static EntityKey SightingKey(std::string_view subject) { return BranchKey(subject); }
  static std::string SubjectKey(const Event& row) { return std::string(row.branch); }
  static Resolution Resolve(const Timeline<Event>& timeline, const Options&) {
    return toy::Resolve(timeline);
  }
  static RowVersion VersionOf(const Loan& row) {
    return {.key = row.loan_id,
            .hash = row.row_hash,
            .model_version = row.model_version,
            .updated_at = row.updated_at};
  }
  static RowVersion VersionOf(const Branch& row) {
    return {.key = row.branch_id,
            .hash = row.row_hash,
            .model_version = row.model_version,
            .updated_at = row.last_seen_ts};
  }
  static RowVersion VersionOf(const Gold& row) {
    return std::visit([](const auto& own) { return VersionOf(own); }, row);
  }
  static UtcTime NextDue(const Gold& row) {
    const Loan* const loan = std::get_if<Loan>(&row);
    return loan == nullptr ? kNoTime : loan->next_due_at;
  }
  static std::string_view PayloadPart(const Event& row) { return row.line; }
  static std::string_view Subject(const Event& row) { return row.branch; }
  static std::string_view Action(const Event& row) { return KindName(row.kind); }
};

// -----------------------------------------------------------------------------------------------------------
// Feeds for tests

// Records with the memory they refer to. Not to be copied, for the records point into it.
class Feed {
 public:
  Feed() = default;
  Feed(Feed&&) = default;
  Feed& operator=(Feed&&) = default;
  Feed(const Feed&) = delete;
  Feed& operator=(const Feed&) = delete;

  // A record at the next offset of `topic`, ingested at this minute.
  BronzeRecord& Add(std::string payload, int64_t ingest_minute, std::string topic = "desk") {
    const std::string& name = texts_.emplace_back(std::move(topic));
    const std::string& text = texts_.emplace_back(std::move(payload));
    const UtcTime ingest_ts{ingest_minute * kMicrosPerMinute};
    return records_.emplace_back(BronzeRecord{.payload = text,
                                              .at = {.topic = name, .partition = 0, .offset = next_[name]++},
                                              .broker_ts = ingest_ts,
                                              .ingest_ts = ingest_ts});
  }

  std::vector<BronzeRecord>& records() { return records_; }
  const std::vector<BronzeRecord>& records() const { return records_; }

 private:
  std::deque<std::string> texts_;
  std::vector<BronzeRecord> records_;
  std::map<std::string, int64_t> next_;
};

// A messy feed: few branches and loans, so that copies, contradictions, late records and reused numbers
// abound.
inline Feed RandomFeed(uint32_t seed, size_t records) {
  std::mt19937 random(seed);
  const auto pick = [&](uint32_t below) { return static_cast<int64_t>(random() % below); };
  const auto one_of = [&](std::initializer_list<const char*> texts) {
    return std::string(texts.begin()[static_cast<size_t>(pick(static_cast<uint32_t>(texts.size())))]);
  };
  Feed feed;
  std::vector<std::string> lines;
  for (size_t i = 0; i < records; ++i) {
    std::string payload;
    for (int64_t rows = pick(8) == 0 ? 3 : 1; rows > 0; --rows) {
      // One statement a field: operands of `+` may be drawn in any order, and a seed must repeat everywhere.
      std::string line = one_of({"lend", "lend", "return", "note", "visit", "ping", "steal"});
      const auto add = [&](const std::string& field) { line.append("|").append(field); };
      add("e" + std::to_string(pick(40)));
      add(one_of({"North", "South", ""}));
      const int64_t loan = pick(6);
      add(loan > 3 && line.starts_with("return") ? "?" : std::to_string(loan & 3));
      add(std::to_string(pick(6) * 700 + (pick(4) == 0 ? 10'000 : 0)));
      add(one_of({"ann", "bob", "", "ann"}));
      add(one_of({"", "A1", "A1", "B2"}));
      add(one_of({"", "7", "7", "x"}));
      add(one_of({"", "yes", "no"}));
      add(one_of({"", "gr\u00fc\u00df\"e\""}));
      if (!lines.empty() && pick(4) == 0)
        line = lines[static_cast<size_t>(pick(static_cast<uint32_t>(lines.size())))];
      lines.push_back(line);
      payload += (payload.empty() ? "" : "\n") + line;
    }
    const int64_t ingest_minute = 2'000 + static_cast<int64_t>(i) * 60 + pick(200);
    BronzeRecord& record = feed.Add(std::move(payload), ingest_minute, one_of({"desk", "gate"}));
    if (pick(3) == 0) record.key = "East";
  }
  return feed;
}

}  // namespace medallion::toy
