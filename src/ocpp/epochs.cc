#include "medallion/ocpp/epochs.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "medallion/base/text.h"

namespace medallion::ocpp {
namespace {

// What the cut looks at in a start, a stop or a result, which is a start that says no more than when.
struct Mark {
  UtcTime at;
  bool is_start = false;
  std::optional<int32_t> connector;  // connector 0 is the whole station: it names none
  std::string_view tag;
  std::optional<Thousandths> meter;
  uint32_t member = 0;
  std::string_view id = {};  // of the transaction; other than the others' where it is an alias of theirs

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

// With `by_receipt` a stop stands where it was received.
Mark MarkOf(const ChargingElement& element, uint32_t member, bool by_receipt) {
  const ChargingEvent& event = element.row;
  if (IsResult(element)) return {event.ingest_ts, true, std::nullopt, {}, std::nullopt, member};
  const bool is_start = event.event_type == EventType::kStartTransaction;
  const auto connector = event.connector_id == 0 ? std::nullopt : event.connector_id;
  const UtcTime at = by_receipt && !is_start ? event.ingest_ts : event.event_ts;
  return {at, is_start, connector, event.id_tag_hash, event.meter_wh, member, event.transaction_id};
}

bool MayShare(const std::optional<int32_t>& a, const std::optional<int32_t>& b) {
  return !a || !b || *a == *b;
}

// Keeps the epochs that `keep` holds for, if any is left then.
template <class Keep>
void Narrow(std::vector<size_t>& candidates, Keep keep) {
  if (candidates.size() < 2) return;
  std::vector<size_t> kept;
  std::copy_if(candidates.begin(), candidates.end(), std::back_inserter(kept), keep);
  if (!kept.empty()) candidates = std::move(kept);
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
  // there is one. Stops without any start are one
  // epoch.
  void Finish() {
    if (epochs_.empty()) epochs_.emplace_back();
    for (const Mark& mark : early_) Join(mark, Choose(mark, true));
    std::sort(alone_.begin(), alone_.end());
  }

  void Number(std::span<uint32_t> out) const {
    for (const auto& [mark, epoch] : joined_) out[mark.member] = static_cast<uint32_t>(epoch);
    auto next = static_cast<uint32_t>(epochs_.size());
    for (size_t i = 0; i < alone_.size(); ++i) {
      if (i > 0 && alone_[i].content() != alone_[i - 1].content()) ++next;
      out[alone_[i].member] = next;
    }
  }

 private:
  bool Opens(const Mark& start) {
    const Epoch* latest = LatestOf(start.connector);
    return latest == nullptr || latest->stopped ||
           start.at.us - latest->last_start.us >= options_.epoch_gap_us;
  }

  void Start(const Mark& mark) {
    if (Opens(mark)) epochs_.emplace_back(Epoch{.connector = mark.connector, .starts = {}});
    Epoch& epoch = *LatestOf(mark.connector);
    if (!epoch.connector) epoch.connector = mark.connector;
    epoch.starts.push_back(mark);
    epoch.last_start = mark.at;
    joined_.push_back({mark, static_cast<size_t>(&epoch - epochs_.data())});
  }

  void Stop(const Mark& mark) {
    if (epochs_.empty() || AwaitsConnector(mark)) return early_.push_back(mark);
    const std::optional<size_t> epoch = Choose(mark, false);
    if (epoch) epochs_[*epoch].stopped = true;
    Join(mark, epoch);
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
  // in the end, all after it.
  std::optional<size_t> Choose(const Mark& stop, bool before_every_start) const {
    if (epochs_.size() == 1) return 0;
    std::vector<size_t> candidates(epochs_.size());
    std::iota(candidates.begin(), candidates.end(), size_t{0});
    const auto distance = [&](size_t epoch) {
      const UtcTime start = before_every_start ? epochs_[epoch].starts.front().at : epochs_[epoch].last_start;
      return std::abs(start.us - stop.at.us);
    };
    const auto any_start = [&](size_t epoch, auto fits) {
      return std::any_of(epochs_[epoch].starts.begin(), epochs_[epoch].starts.end(), fits);
    };
    Narrow(candidates, [&](size_t epoch) {
      return any_start(epoch, [&](const Mark& start) { return EqualsFoldedCase(start.id, stop.id); });
    });
    Narrow(candidates,
           [&](size_t epoch) { return stop.connector && epochs_[epoch].connector == stop.connector; });
    int64_t nearest = std::numeric_limits<int64_t>::max();
    for (const size_t epoch : candidates) nearest = std::min(nearest, distance(epoch));
    Narrow(candidates, [&](size_t epoch) { return distance(epoch) == nearest; });
    Narrow(candidates, [&](size_t epoch) {
      return any_start(epoch, [&](const Mark& start) { return !stop.tag.empty() && start.tag == stop.tag; });
    });
    Narrow(candidates, [&](size_t epoch) {
      return any_start(
          epoch, [&](const Mark& start) { return start.meter && stop.meter && *start.meter <= *stop.meter; });
    });
    return candidates.size() == 1 ? std::optional(candidates.front()) : std::nullopt;
  }

  const Options& options_;
  std::vector<Epoch> epochs_;
  std::vector<std::pair<Mark, size_t>> joined_;
  std::vector<Mark> early_, alone_;
  std::set<int32_t> connectors_;  // of all starts
};

using Unit = std::span<const ChargingElement* const>;

// Takes the stops that repeat another one out of the marks, which are sorted: the first to be received stands for them.
// Returns (one that was taken out, the one that stands).
std::vector<std::pair<uint32_t, uint32_t>> TakeRepeats(Unit unit, std::vector<Mark>& marks) {
  std::map<std::pair<UtcTime, std::optional<Thousandths>>, uint32_t> first;
  std::vector<std::pair<uint32_t, uint32_t>> repeats;
  std::erase_if(marks, [&](const Mark& mark) {
    if (mark.is_start) return false;
    const auto [at, added] = first.try_emplace({unit[mark.member]->row.event_ts, mark.meter}, mark.member);
    if (!added) repeats.emplace_back(mark.member, at->second);
    return !added;
  });
  return repeats;
}

void Cut(std::span<const Mark> marks, std::span<uint32_t> epoch, const Options& options) {
  Cutter cutter(options, marks);
  for (size_t begin = 0, end = 0; begin < marks.size(); begin = end) {
    while (end < marks.size() && marks[end].at == marks[begin].at) ++end;
    cutter.Instant(marks.subspan(begin, end - begin));
  }
  cutter.Finish();
  cutter.Number(epoch);
}

}  // namespace

void CutEpochs(std::span<const ChargingElement* const> unit, std::span<uint32_t> epoch,
               const Options& options) {
  const bool by_receipt = std::any_of(unit.begin(), unit.end(),
                                      [](const ChargingElement* element) { return IsResult(*element); });
  std::vector<Mark> marks;
  marks.reserve(unit.size());
  for (uint32_t i = 0; i < unit.size(); ++i) marks.push_back(MarkOf(*unit[i], i, by_receipt));
  std::sort(marks.begin(), marks.end());
  std::vector<std::pair<uint32_t, uint32_t>> repeats;
  if (by_receipt) repeats = TakeRepeats(unit, marks);
  Cut(marks, epoch, options);
  for (const auto& [repeat, stands] : repeats) epoch[repeat] = epoch[stands];
}

}  // namespace medallion::ocpp
