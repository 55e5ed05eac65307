#include "medallion/ocpp/epochs.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "medallion/base/text.h"

namespace medallion::ocpp {
namespace {

// What the cut looks at in a start, a stop or a result, which is a start that says only when, and of which id.
struct Mark {
  UtcTime at;
  bool is_start = false;
  std::optional<int32_t> connector = {};  // connector 0 is the whole station: it names none
  std::string_view tag = {};
  std::optional<Thousandths> meter = {};
  uint32_t member = 0;
  std::string_view id = {};    // of the transaction; other than the others' where it is an alias of theirs
  UtcTime received = kNoTime;  // of a stop, where there are results

  auto content() const { return std::tie(at, is_start, connector, tag, meter); }
  bool operator<(const Mark& other) const { return content() < other.content(); }
};

struct Epoch {
  std::optional<int32_t> connector;
  std::vector<Mark> starts;  // in order of time
  UtcTime last_start = kNoTime;
  bool stopped = false;  // by a stop after a start
};

// A call's result is the one kind of member without an event type.
bool IsResult(const ChargingElement& element) { return element.row.event_type == EventType::kUnknown; }

Mark MarkOf(const ChargingElement& element, uint32_t member) {
  const ChargingEvent& event = element.row;
  if (IsResult(element)) {
    return {.at = event.ingest_ts, .is_start = true, .member = member, .id = event.transaction_id};
  }
  const bool is_start = event.event_type == EventType::kStartTransaction;
  const auto connector = event.connector_id == 0 ? std::nullopt : event.connector_id;
  return {.at = event.event_ts,
          .is_start = is_start,
          .connector = connector,
          .tag = event.id_tag_hash,
          .meter = event.meter_wh,
          .member = member,
          .id = event.transaction_id};
}

bool MayShare(const std::optional<int32_t>& a, const std::optional<int32_t>& b) {
  return !a || !b || *a == *b;
}

// Of any two times, one that is none among them.
uint64_t Distance(UtcTime a, UtcTime b) {
  return static_cast<uint64_t>(std::max(a, b).us) - static_cast<uint64_t>(std::min(a, b).us);
}

class Cutter {
 public:
  Cutter(const Options& options, std::span<const Mark> marks) : options_(options) {
    for (const Mark& mark : marks) {
      if (mark.is_start && mark.connector) connectors_.insert(*mark.connector);
    }
  }

  // The marks of one instant. A start goes before a stop, unless it would join an epoch that has begun already.
  void Instant(std::span<const Mark> marks) {
    std::vector<const Mark*> later;
    std::vector<const Mark*> opening;
    for (const Mark& mark : marks) {
      if (mark.is_start) (Opens(mark) ? opening : later).push_back(&mark);
    }
    for (const Mark* mark : opening) Start(*mark);
    for (const Mark& mark : marks) {
      if (!mark.is_start) Stop(mark);
    }
    for (const Mark* mark : later) Start(*mark);
  }

  // Stops before every start, or before every start on their connector, join the first epoch, of their connector where
  // there is one. Stops without any start are one epoch.
  void Finish() {
    if (epochs_.empty()) epochs_.emplace_back();
    for (const Mark& mark : early_)
      IsOfBefore(mark) ? before_.push_back(mark) : Join(mark, Choose(mark, true));
    std::sort(alone_.begin(), alone_.end());
  }

  void Number(std::span<uint32_t> out) const {
    for (const Mark& mark : before_) out[mark.member] = 0;
    const uint32_t first = before_.empty() ? 0 : 1;
    for (const auto& [mark, epoch] : joined_) out[mark.member] = first + static_cast<uint32_t>(epoch);
    auto next = first + static_cast<uint32_t>(epochs_.size());
    for (size_t i = 0; i < alone_.size(); ++i) {
      if (i > 0 && alone_[i].content() != alone_[i - 1].content()) ++next;
      out[alone_[i].member] = next;
    }
  }

 private:
  bool Opens(const Mark& start) {
    const Epoch* latest = LatestOf(start.connector);
    return latest == nullptr || latest->stopped ||
           Distance(start.at, latest->last_start) >= static_cast<uint64_t>(options_.epoch_gap_us);
  }

  void Start(const Mark& mark) {
    if (Opens(mark)) epochs_.emplace_back(Epoch{.connector = mark.connector, .starts = {}});
    Epoch& epoch = *LatestOf(mark.connector);
    if (!epoch.connector) epoch.connector = mark.connector;
    const auto number = static_cast<size_t>(&epoch - epochs_.data());
    by_last_start_.erase({epoch.last_start, number});
    by_last_start_.emplace(mark.at, number);
    epoch.starts.push_back(mark);
    epoch.last_start = mark.at;
    joined_.push_back({mark, number});
  }

  void Stop(const Mark& mark) {
    if (epochs_.empty() || AwaitsConnector(mark)) return early_.push_back(mark);
    const std::optional<size_t> epoch = Choose(mark, false);
    if (epoch) epochs_[*epoch].stopped = true;
    Join(mark, epoch);
  }

  // Whether an early stop is of a session before the first that is known here: it was received before the station was told
  // the id for that one, which has a stop of its own.
  bool IsOfBefore(const Mark& stop) const {
    const Epoch& first = epochs_.front();
    const bool told_later =
        stop.received != kNoTime && !first.starts.empty() && stop.received < first.starts.front().at;
    return told_later && first.stopped;
  }

  // Whether only a later start is on the stop's connector: then the epochs so far are not its own.
  bool AwaitsConnector(const Mark& stop) const {
    return stop.connector && connectors_.contains(*stop.connector) &&
           std::none_of(epochs_.begin(), epochs_.end(),
                        [&](const Epoch& epoch) { return MayShare(epoch.connector, stop.connector); });
  }

  void Join(const Mark& mark, std::optional<size_t> epoch) {
    if (epoch) {
      joined_.push_back({mark, *epoch});
    } else {
      alone_.push_back(mark);
    }
  }

  // The latest epoch that a start on `connector` could belong to.
  Epoch* LatestOf(const std::optional<int32_t>& connector) {
    const auto found = std::find_if(epochs_.rbegin(), epochs_.rend(),
                                    [&](const Epoch& epoch) { return MayShare(epoch.connector, connector); });
    return found == epochs_.rend() ? nullptr : &*found;
  }

  // The epoch that a stop joins; nothing where several fit equally. All starts known here are at or before the stop, or,
  // in the end, all after it: those on its connector, if any is. The nearest are looked at first, and of many only those.
  std::optional<size_t> Choose(const Mark& stop, bool before_every_start) const {
    const bool has_place = stop.connector && connectors_.contains(*stop.connector);
    std::optional<size_t> best;
    std::optional<Fit> best_fit;
    const auto look = [&](size_t i) {  // false: nor do those behind it fit
      const Fit fit = FitOf(epochs_[i], stop, before_every_start);
      if (best_fit && fit < *best_fit) {
        const bool nearest = best_fit->id && best_fit->connector == has_place;
        return !nearest || fit.nearness == best_fit->nearness;
      }
      best = best_fit && fit == *best_fit ? std::nullopt : std::optional(i);
      best_fit = fit;
      return true;
    };
    if (before_every_start) {
      size_t i = 0;
      while (i < epochs_.size() && look(i)) ++i;
    } else {
      auto at = by_last_start_.rbegin();
      while (at != by_last_start_.rend() && look(at->second)) ++at;
    }
    return best;
  }

  // How well a stop fits an epoch, what tells most first.
  struct Fit {
    bool id, connector;
    uint64_t nearness;
    bool tag, meter;
    auto operator<=>(const Fit&) const = default;
  };
  static Fit FitOf(const Epoch& epoch, const Mark& stop, bool before_every_start) {
    const auto any_start = [&](auto fits) {
      return std::any_of(epoch.starts.begin(), epoch.starts.end(), fits);
    };
    if (epoch.starts.empty()) return {};
    const UtcTime start = before_every_start ? epoch.starts.front().at : epoch.last_start;
    return {.id = any_start([&](const Mark& mark) { return EqualsFoldedCase(mark.id, stop.id); }),
            .connector = stop.connector && epoch.connector == stop.connector,
            .nearness = ~Distance(start, stop.at),
            .tag = any_start([&](const Mark& mark) { return !stop.tag.empty() && mark.tag == stop.tag; }),
            .meter = any_start(
                [&](const Mark& mark) { return mark.meter && stop.meter && *mark.meter <= *stop.meter; })};
  }

  const Options& options_;
  std::vector<Epoch> epochs_;
  std::set<std::pair<UtcTime, size_t>> by_last_start_;  // all that have a start
  std::vector<std::pair<Mark, size_t>> joined_;
  std::vector<Mark> early_, alone_, before_;
  std::set<int32_t> connectors_;  // of all starts
};

using Unit = std::span<const ChargingElement* const>;

// Takes the stops that repeat another one out of the marks, which are sorted: the first to be received stands for them.
// Returns (one that was taken out, the one that stands).
std::vector<std::pair<uint32_t, uint32_t>> TakeRepeats(Unit unit, std::vector<Mark>& marks) {
  std::map<std::pair<UtcTime, std::optional<Thousandths>>, uint32_t> first;
  for (const Mark& mark : marks) {
    if (mark.is_start) continue;
    const auto [at, added] = first.try_emplace({unit[mark.member]->row.event_ts, mark.meter}, mark.member);
    if (mark.received < unit[at->second]->row.ingest_ts) at->second = mark.member;
  }
  std::vector<std::pair<uint32_t, uint32_t>> repeats;
  std::erase_if(marks, [&](const Mark& mark) {
    if (mark.is_start) return false;
    const uint32_t stands = first.at({unit[mark.member]->row.event_ts, mark.meter});
    if (stands != mark.member) repeats.emplace_back(mark.member, stands);
    return stands != mark.member;
  });
  return repeats;
}

void Cut(std::span<Mark> marks, std::span<uint32_t> epoch, const Options& options) {
  std::sort(marks.begin(), marks.end());
  Cutter cutter(options, marks);
  for (size_t begin = 0, end = 0; begin < marks.size(); begin = end) {
    while (end < marks.size() && marks[end].at == marks[begin].at) ++end;
    cutter.Instant(marks.subspan(begin, end - begin));
  }
  cutter.Finish();
  cutter.Number(epoch);
}

// How many stops are in an epoch that has another one.
size_t Contradictions(std::span<const Mark> marks, std::span<const uint32_t> epoch) {
  std::set<uint32_t> stopped;
  size_t stops = 0;
  for (const Mark& mark : marks) {
    if (!mark.is_start) ++stops, stopped.insert(epoch[mark.member]);
  }
  return stops - stopped.size();
}

// Cuts by the stops' own times, or by their receipts where that leaves fewer contradictions.
void CutWithResults(std::span<Mark> marks, std::span<uint32_t> epoch, const Options& options) {
  Cut(marks, epoch, options);
  const size_t contradictions = Contradictions(marks, epoch);
  if (contradictions == 0) return;
  for (Mark& mark : marks) {
    if (!mark.is_start) mark.at = mark.received;
  }
  std::vector<uint32_t> by_receipt(epoch.size());
  Cut(marks, by_receipt, options);
  if (Contradictions(marks, by_receipt) < contradictions)
    std::copy(by_receipt.begin(), by_receipt.end(), epoch.begin());
}

}  // namespace

void CutEpochs(std::span<const ChargingElement* const> unit, std::span<uint32_t> epoch,
               const Options& options) {
  std::vector<Mark> marks;
  marks.reserve(unit.size());
  for (uint32_t i = 0; i < unit.size(); ++i) marks.push_back(MarkOf(*unit[i], i));
  const bool any_results = std::any_of(unit.begin(), unit.end(),
                                       [](const ChargingElement* element) { return IsResult(*element); });
  if (!any_results) return Cut(marks, epoch, options);
  for (Mark& mark : marks) {
    if (!mark.is_start) mark.received = unit[mark.member]->row.ingest_ts;
  }
  std::sort(marks.begin(), marks.end());
  const std::vector<std::pair<uint32_t, uint32_t>> repeats = TakeRepeats(unit, marks);
  CutWithResults(marks, epoch, options);
  for (const auto& [repeat, stands] : repeats) epoch[repeat] = epoch[stands];
}

}  // namespace medallion::ocpp
