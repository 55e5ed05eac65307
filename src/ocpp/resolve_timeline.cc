#include "resolve_timeline.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <system_error>
#include <tuple>
#include <utility>

#include "absl/numeric/int128.h"
#include "medallion/base/text.h"
#include "medallion/ocpp/enums.h"
#include "medallion/ocpp/identify.h"
#include "session_energy.h"
#include "session_facts.h"

namespace medallion::ocpp::resolving {
namespace {

bool IsContested(const ChargingElement& element) { return element.standing.conflict; }
bool IsSilver(const ChargingElement& element) { return element.standing.fate == Fate::kSilver; }
bool IsRejected(const ChargingElement& element) {
  return element.standing.fate == Fate::kQuarantined && !IsContested(element);
}

bool ComesFirst(const ChargingElement* a, const ChargingElement* b) {
  return a->identity.order < b->identity.order;
}

bool CameFirst(const ChargingElement* a, const ChargingElement* b) {
  return std::tie(a->row.ingest_ts, a->row.at) < std::tie(b->row.ingest_ts, b->row.at);
}

using ByEntity = std::map<EntityKey, Copies>;

// The starts among the copies of one business key, in order: a copy within 24 h after another one is one of the same.
void AddStarts(Copies copies, std::vector<Start>& starts) {
  std::sort(copies.begin(), copies.end(), ComesFirst);
  for (size_t i = 0; i < copies.size(); ++i) {
    const UtcTime at = copies[i]->row.event_ts;
    if (i > 0 && copies[i - 1]->row.event_ts < at && at <= Plus(copies[i - 1]->row.event_ts, kAnswerMax)) {
      continue;
    }
    if (i > 0 && copies[i - 1]->row.event_ts == at) continue;
    Start start{.fact = copies[i], .at = at, .line = LineOf(copies[i]->row)};
    for (size_t j = i; j < copies.size() && copies[j]->row.event_ts <= Plus(at, kAnswerMax); ++j) {
      start.copies.push_back(copies[j]);
    }
    starts.push_back(std::move(start));
  }
}

Start StartUnderItsId(const ChargingElement& element) {
  return {.fact = &element,
          .at = element.row.event_ts,
          .line = LineOf(element.row),
          .copies = {&element},
          .names_transaction = true,
          .placed_later = IsPlacedLater(element.row),
          .ids = {std::string(element.row.transaction_id)}};
}

// Of samples at one instant the first at the best location is the register.
std::optional<Thousandths> MeterOf(const Copies& samples) {
  const ChargingElement* best = nullptr;
  for (const ChargingElement* sample : samples) {
    if (!sample->row.meter_wh.has_value()) continue;
    if (best == nullptr || LocationRank(sample->row) < LocationRank(best->row)) best = sample;
  }
  return best == nullptr ? std::nullopt : best->row.meter_wh;
}

class Gatherer {
 public:
  explicit Gatherer(const Options& options) : options_(options) {}

  void Take(const ChargingElement& element) {
    const ChargingEvent& row = element.row;
    switch (row.event_type) {
      case EventType::kStartTransaction: return TakeStart(element);
      case EventType::kStopTransaction: return TakeStop(element);
      case EventType::kMeterValues: return TakeReading(element);
      case EventType::kStatusNotification:
        if (IsSilver(element) && row.connector_status == "Faulted") made_.faults.push_back(&element);
        return;
      case EventType::kUnknown:
        if (row.action == "BootNotification") made_.boots.push_back(&element);
        if (row.action.empty() && (!row.transaction_id.empty() || IsRefusal(row)))
          made_.results.push_back({&element, HasTransactionId(row, options_)});
        return;
      case EventType::kHeartbeat: return;
    }
  }

  Milestones Made() {
    for (auto& [entity, copies] : starts_) AddStarts(std::move(copies), made_.starts);
    for (auto& [key, samples] : readings_) AddReading(std::move(samples));
    Sort();
    Place();
    return std::move(made_);
  }

 private:
  void TakeStart(const ChargingElement& element) {
    if (IsRejected(element)) return;
    if (!HasTransactionId(element.row, options_)) {
      starts_[element.entity].push_back(&element);
      made_.calls.push_back(&element);
    } else if (IsSilver(element)) {
      made_.starts.push_back(StartUnderItsId(element));
    }
  }

  // A contested stop closes a session like any other.
  void TakeStop(const ChargingElement& element) {
    const ChargingEvent& row = element.row;
    if (!IsSilver(element) && !IsContested(element)) return;
    Fact stop{.fact = &element, .at = row.event_ts, .is_stop = true};
    if (HasTransactionId(row, options_)) stop.id = row.transaction_id;
    stop.line = LineOf(row);
    stop.meter_wh = row.meter_wh;
    made_.facts.push_back(stop);
    if (IsSilver(element)) NotePlace(element);
  }

  void TakeReading(const ChargingElement& element) {
    const ChargingEvent& row = element.row;
    const bool is_copy = IsDuplicate(element.standing.fate);
    if (!IsSilver(element) && !is_copy) return;
    if (element.entity == EntityKey{} || row.connector_id == 0) return;
    // Without an id and without a place they are samples of a stop, and go where it does.
    const bool has_id = HasTransactionId(row, options_);
    if (!LineOf(row).known() && !has_id) return;
    NotePlace(element);
    if (is_copy) return;
    if (has_id && element.milestone == Milestone::kMilestone) return TakeEndSample(element);
    if (has_id && IsVersion2(row.ocpp_version)) return;  // it tells where its transaction is
    readings_[{row.event_ts, element.entity}].push_back(&element);
  }

  void NotePlace(const ChargingElement& element) {
    if (IsVersion2(element.row.ocpp_version) && LineOf(element.row).known()) placing_.push_back(&element);
  }

  // Where starts are that do not say so: what their transactions' facts name in the 7 days after.
  void Place() {
    const auto is_later = [](const Start& start) { return start.placed_later; };
    if (std::none_of(made_.starts.begin(), made_.starts.end(), is_later)) return;
    std::map<EntityKey, Copies> facts_of;
    std::sort(placing_.begin(), placing_.end(), ComesFirst);
    for (const ChargingElement* fact : placing_) facts_of[fact->entity].push_back(fact);
    for (Start& start : made_.starts) {
      if (!start.placed_later) continue;
      const TimeSpan near{start.at, Plus(start.at, kJoinMax)};
      for (const ChargingElement* fact : facts_of[start.entity()]) {
        if (Holds(near, fact->row.event_ts)) start.lines.push_back(LineOf(fact->row));
      }
      if (!start.lines.empty()) start.line = start.lines.front();
    }
  }

  void TakeEndSample(const ChargingElement& element) {
    const ChargingEvent& row = element.row;
    if (!row.meter_wh.has_value() || LocationRank(row) == kLocations) return;
    made_.samples.push_back({&element, row.event_ts, row.context == kBeginContext});
  }

  void AddReading(Copies samples) {
    std::sort(samples.begin(), samples.end(), ComesFirst);
    const ChargingEvent& row = samples.front()->row;
    Fact reading{.fact = samples.front(), .at = row.event_ts};
    if (HasTransactionId(row, options_)) reading.id = row.transaction_id;
    reading.line = LineOf(row);
    reading.meter_wh = MeterOf(samples);
    made_.facts.push_back(reading);
  }

  void Sort() {
    std::sort(made_.starts.begin(), made_.starts.end(), [](const Start& a, const Start& b) {
      const bool tied = a.at == b.at && a.entity() == b.entity();
      return tied ? ComesFirst(a.fact, b.fact) : std::tie(a.at, a.entity()) < std::tie(b.at, b.entity());
    });
    std::sort(made_.facts.begin(), made_.facts.end(), [](const Fact& a, const Fact& b) {
      const auto key = [](const Fact& f) { return std::tuple(f.at, !f.is_stop, f.id.empty()); };
      return key(a) != key(b) ? key(a) < key(b) : ComesFirst(a.fact, b.fact);
    });
    std::sort(made_.boots.begin(), made_.boots.end(), CameFirst);
    std::sort(made_.results.begin(), made_.results.end(),
              [](const Result& a, const Result& b) { return ComesFirst(a.element, b.element); });
    std::sort(made_.samples.begin(), made_.samples.end(),
              [](const EndSample& a, const EndSample& b) { return ComesFirst(a.fact, b.fact); });
    std::sort(made_.faults.begin(), made_.faults.end(), ComesFirst);
  }

  const Options& options_;
  Milestones made_;
  ByEntity starts_;  // copies without an id
  std::map<std::pair<UtcTime, EntityKey>, Copies> readings_;
  Copies placing_;  // facts of 2.x that name a place
};

std::optional<int64_t> NumberOf(std::string_view id) {
  int64_t number = 0;
  const char* const end = id.data() + id.size();
  const auto read = std::from_chars(id.data(), end, number);
  return read.ec == std::errc() && read.ptr == end ? std::optional(number) : std::nullopt;
}

}  // namespace

UtcTime Plus(UtcTime time, int64_t us) {
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min(), kMax = std::numeric_limits<int64_t>::max();
  if (us > 0 && time.us > kMax - us) return {kMax};
  if (us < 0 && time.us < kMin - us) return {kMin};
  return {time.us + us};
}

void Include(UtcTime time, TimeSpan& span) {
  span.from = std::min(span.from, time);
  span.to = std::max(span.to, time);
}

void Sight::Ask(const TimeSpan& span) {
  if (need_ == TimeSpan{}) need_ = span;
  Include(span.from, need_);
  Include(span.to, need_);
}

namespace {

// How far to look next, where so much was not enough: a day, then so many times as far.
int64_t NextStep(UtcTime near, UtcTime far, int64_t times, int64_t us_max) {
  const absl::int128 seen = std::max(absl::int128(0), absl::int128(far.us) - near.us);
  if (seen < kMicrosPerDay) return std::min(kMicrosPerDay, us_max);
  return static_cast<int64_t>(std::min(times * seen, absl::int128(us_max)));
}

}  // namespace

void Sight::AskBack(UtcTime from, int64_t us_max) {
  need_.from = std::min(need_.from, Plus(from, -NextStep(seen_.from, from, 6, us_max)));
}

void Sight::AskOn(UtcTime from, int64_t us_max) {
  need_.to = std::max(need_.to, Plus(from, NextStep(from, seen_.to, 180, us_max)));
}

Line LineOf(const ChargingEvent& row) { return {row.evse_id.value_or(0), row.connector_id.value_or(0)}; }

bool IsPlacedLater(const ChargingEvent& start) {
  return IsVersion2(start.ocpp_version) && !LineOf(start).known();
}

bool MayShare(const Line& a, const Line& b) {
  const auto agree = [](int32_t x, int32_t y) { return x == 0 || y == 0 || x == y; };
  return agree(a.evse_id, b.evse_id) && agree(a.connector_id, b.connector_id);
}

Milestones MilestonesOf(const Timeline<ChargingEvent>& timeline, const Options& options) {
  Gatherer gatherer(options);
  for (const ChargingElement& element : timeline.elements) {
    if (timeline.details || element.milestone != Milestone::kDetail) gatherer.Take(element);
  }
  return gatherer.Made();
}

bool IdLess(std::string_view a, std::string_view b) {
  const std::optional<int64_t> x = NumberOf(a), y = NumberOf(b);
  if (x.has_value() && y.has_value() && *x != *y) return *x < *y;
  if (x.has_value() != y.has_value()) return x.has_value();
  return IdKey(a) < IdKey(b);
}

std::string IdKey(std::string_view id) { return AsciiUpper(id); }

}  // namespace medallion::ocpp::resolving
