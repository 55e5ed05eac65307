#include "register_series.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "absl/numeric/int128.h"

namespace medallion::ocpp {
namespace {

using absl::int128;

constexpr int64_t kGapMin = kMicrosPerMinute;  // readings closer together are taken as this far apart
constexpr int64_t kGapMax = int64_t{1}
                            << 60;  // longer than all time that has a text; keeps products in 128 bits
constexpr int kContradiction = 3;   // by this factor faster than ever seen is not the same meter
constexpr size_t kNone = SIZE_MAX;

int128 Difference(Thousandths from, Thousandths to) { return int128(to.units) - from.units; }

int64_t Gap(UtcTime from, UtcTime to) {
  const int128 us = int128(to.us) - from.us;
  return static_cast<int64_t>(std::clamp(us, int128(kGapMin), int128(kGapMax)));
}

// Growth over a time: a power, as a fraction.
struct Growth {
  int128 milli_wh = 0;
  int64_t us = kGapMin;
};
bool Faster(const Growth& a, const Growth& b, int factor) {
  return a.milli_wh * b.us > b.milli_wh * factor * a.us;
}

bool TooFast(const Growth& growth, const Limits& limits) {
  constexpr int64_t kMilliWhPerWattMicro = 3'600'000;  // W × µs = mWh × this
  return limits.times_known &&
         growth.milli_wh * kMilliWhPerWattMicro > int128(limits.power_max_w) * growth.us;
}
bool TooMuch(int128 milli_wh, const Limits& limits) {
  return milli_wh > int128(limits.session_energy_max_wh) * 1000;
}

// Registers that continue one another.
struct Track {
  size_t first = 0;
  size_t last = 0;
  size_t count = 1;
  Thousandths top;  // the largest of them
  Growth fastest;
  bool from_zero = false;
  bool outlived = false;  // the main track went on after this one began
};

// How a second track came to replace the main one.
enum class Transition : uint8_t { kBeginInvalid, kOwnSeries, kReset, kNewReference, kStepBack, kNothing };

// Takes the registers one by one. There is a main track, and beside it at most one other: an excursion that
// may turn out to be a glitch, a second reference, or what the meter goes on with after a reset.
class Judge {
 public:
  Judge(const RegisterSeries& series, const Limits& limits, Findings& findings)
      : registers_(series.registers), series_(series), limits_(limits), findings_(findings) {
    track_of_.assign(registers_.size(), kNone);
  }

  SeriesVerdict Run() {
    const size_t samples = registers_.size() - (series_.has_end ? 1 : 0);
    for (size_t i = 0; i < samples; ++i) Take(i);
    if (series_.has_end) TakeEnd(samples);
    CloseOther();
    if (series_.has_end) JudgeEnd(samples);
    NoteAnomaly();
    return Verdict();
  }

 private:
  const Register& first(size_t track) const { return registers_[tracks_[track].first]; }
  const Register& last(size_t track) const { return registers_[tracks_[track].last]; }

  size_t NewTrack(size_t i) {
    Track& track = tracks_.emplace_back();
    track.first = track.last = i;
    track.top = registers_[i].wh;
    track_of_[i] = tracks_.size() - 1;
    return tracks_.size() - 1;
  }

  Growth GrowthTo(size_t track, size_t i) const {
    return {Difference(last(track).wh, registers_[i].wh), Gap(last(track).ts, registers_[i].ts)};
  }

  bool TooFast(const Growth& growth) const { return ocpp::TooFast(growth, limits_); }
  bool TooMuch(int128 milli_wh) const { return ocpp::TooMuch(milli_wh, limits_); }

  // Whether the register can be the track's next.
  bool Continues(size_t track, size_t i) const {
    const Thousandths base = tracks_[track].from_zero ? Thousandths{} : first(track).wh;
    return ocpp::Continues({last(track).ts, last(track).wh, tracks_[track].top, base}, registers_[i],
                           limits_);
  }

  void Append(size_t track, size_t i) {
    Track& t = tracks_[track];
    const Growth growth = GrowthTo(track, i);
    if (Faster(growth, t.fastest, 1)) t.fastest = growth;
    t.last = i;
    ++t.count;
    t.top = std::max(t.top, registers_[i].wh);
    track_of_[i] = track;
  }

  bool Grown(size_t track) const { return Below(first(track).wh, tracks_[track].top); }
  bool OtherIsHigh() const { return first(other_).wh > tracks_[main_].top; }

  // The fastest growth that was seen while a track went on.
  bool FasterThanSeen(const Growth& growth) const {
    return Faster(growth, tracks_[main_].fastest, kContradiction) &&
           Faster(growth, tracks_[other_].fastest, kContradiction);
  }

  // Both tracks could go on with this register: whether it is the other one that does.
  bool OtherIsMeant(size_t i) const {
    const Track& other = tracks_[other_];
    // A lone first register against two that agree; a high series against the one it rose from.
    if (OtherIsHigh()) return tracks_[main_].count == 1 || other.count > 1;
    if (other.count == 1 || !Grown(other_) || other.outlived) return false;  // it came back: an excursion
    // After a reset the register passes its old height in its usual steps; a leap is the old reference.
    return !FasterThanSeen(GrowthTo(other_, i));
  }

  void Take(size_t i) {
    if (main_ == kNone) {
      main_ = NewTrack(i);
      chain_.push_back({main_});
      return;
    }
    const bool main_fits = Continues(main_, i);
    const bool other_fits = other_ != kNone && Continues(other_, i);
    if (main_fits && !(other_fits && OtherIsMeant(i))) {
      Append(main_, i);
      if (other_ != kNone) tracks_[other_].outlived = true;
    } else if (other_fits) {
      Append(other_, i);
    } else {
      BeginOther(i);
    }
  }

  // The register continues nothing that is known.
  void BeginOther(size_t i) {
    if (other_ == kNone) {
      other_ = NewTrack(i);
    } else if (tracks_[other_].count == 1) {
      Glitch(other_);
      other_ = NewTrack(i);
    } else if (tracks_[other_].outlived) {
      NoteGlitch(i);  // two references are going on, and this is neither
    } else {
      Replace();
      other_ = NewTrack(i);
    }
  }

  // A zero after readings is no reading, whatever it would continue.
  void TakeEnd(size_t i) {
    const bool zero_after_readings =
        main_ != kNone && registers_[i].wh.units == 0 && Below(registers_[i].wh, tracks_[main_].top);
    if (zero_after_readings) {
      end_invalid_ = true;
    } else if (main_ == kNone || Continues(main_, i) || (other_ != kNone && Continues(other_, i))) {
      Take(i);
    }
  }

  // Whether the other track can be energy counted from zero since `since`: a counter that started over.
  // Either it lies far below the old one, or it would have grown as fast as it does now. (A lifetime register
  // that stepped back a little could pass for plausible under 500 kW.)
  bool CountsFromZero(UtcTime since) const {
    const Thousandths wh = first(other_).wh;
    const Growth growth{wh.units, Gap(since, first(other_).ts)};
    if (TooFast(growth) || TooMuch(Difference({}, tracks_[other_].top))) return false;
    return int128(wh.units) * 2 < tracks_[main_].top.units || (Grown(other_) && !FasterThanSeen(growth));
  }

  bool MainIsBegin() const {
    return tracks_[main_].count == 1 && tracks_[main_].first == 0 && series_.has_begin;
  }

  bool EndsInOther() const { return series_.has_end && tracks_[other_].last == registers_.size() - 1; }

  Transition TransitionToOther() const {
    if (OtherIsHigh())
      return tracks_[main_].count == 1 ? Transition::kBeginInvalid : Transition::kNewReference;
    if (!Below({}, tracks_[other_].top)) return Transition::kNothing;  // zeros only: no meter reading yet
    if (CountsFromZero(last(main_).ts)) {
      // A counter of the session's own, unless the stop goes on with it: then the meter itself started over.
      return MainIsBegin() && !EndsInOther() ? Transition::kOwnSeries : Transition::kReset;
    }
    if (tracks_[main_].count == 1) return Transition::kBeginInvalid;
    return Below(last(other_).wh, first(main_).wh) ? Transition::kNothing : Transition::kStepBack;
  }

  // The other track has more than one register and the main one did not go on: it is done with.
  void Replace() {
    const Transition transition = TransitionToOther();
    NoteTransition(transition);
    if (transition == Transition::kNothing) return;
    tracks_[other_].from_zero = transition == Transition::kOwnSeries || transition == Transition::kReset;
    if (transition == Transition::kOwnSeries || transition == Transition::kBeginInvalid) chain_.pop_back();
    chain_.push_back({other_, transition == Transition::kStepBack});
    main_ = other_;
    other_ = kNone;
  }

  void NoteTransition(Transition transition) {
    switch (transition) {
      case Transition::kBeginInvalid: return BeginInvalid();
      case Transition::kReset: return findings_.Note(SessionFlag::kMeterReset);
      case Transition::kOwnSeries:
      case Transition::kNewReference: return findings_.Note(SessionFlag::kMixedRegisterReference);
      case Transition::kStepBack:
      case Transition::kNothing: return findings_.Note(SessionFlag::kMeterNonMonotonic);
    }
  }

  void BeginInvalid() {
    if (!MainIsBegin()) return Glitch(main_);  // the first of the samples
    begin_invalid_ = true;
    findings_.Note(SessionFlag::kMeterStartInvalid, "{" + Amount("set_aside_wh", registers_[0].wh) + "}");
  }

  void CloseOther() {
    if (other_ == kNone) return;
    const Track& other = tracks_[other_];
    if (other.outlived) {
      other.count > 1 && Grown(other_) ? findings_.Note(SessionFlag::kMixedRegisterReference)
                                       : Glitch(other_);
    } else if (other.count > 1) {
      Replace();
    } else if (OtherIsHigh()) {
      Glitch(other_);
    } else if (TransitionToOther() == Transition::kOwnSeries) {
      Replace();  // one register far below the begin: the counter of this session
    } else {
      findings_.Note(SessionFlag::kMeterNonMonotonic);  // a reset or a glitch: the next register will tell
    }
  }

  // The first register of the segment that the main track belongs to.
  Thousandths SegmentBase() const {
    size_t link = chain_.size() - 1;
    while (chain_[link].joined) --link;
    return first(chain_[link].track).wh;
  }

  // An end reading that continues nothing but lies inside its segment is a register that dropped: it counts.
  void TakeDroppedEnd(size_t i) {
    if (main_ == kNone || track_of_[i] != kNone || end_invalid_) return;
    const Thousandths end = registers_[i].wh;
    if (!Below(end, tracks_[main_].top) || Below(end, SegmentBase())) return;
    tracks_[main_].last = i;
    track_of_[i] = main_;
    findings_.Note(SessionFlag::kMeterNonMonotonic);
  }

  // What became of the end reading. One that goes on below the start does so after a reset.
  void JudgeEnd(size_t i) {
    TakeDroppedEnd(i);
    const bool counts = main_ != kNone && track_of_[i] == main_;
    const bool below = !end_invalid_ && Below(registers_[i].wh, Baseline());
    if (counts && below) {
      findings_.Note(SessionFlag::kMeterReset);
    } else if (!counts) {
      const SessionFlag flag = below ? SessionFlag::kMeterDecreased : SessionFlag::kMeterStopInvalid;
      findings_.Note(flag, "{" + Amount("set_aside_wh", registers_[i].wh) + "}");
    }
  }

  // What the end must not lie below: the start, even where its reference is not the end's.
  Thousandths Baseline() const {
    return series_.has_begin && !begin_invalid_ ? registers_[0].wh : first(chain_.front().track).wh;
  }

  void Glitch(size_t track) { NoteGlitch(tracks_[track].first); }

  // Names the first register that was set aside; a count of the others is not worth a changed row.
  void NoteGlitch(size_t i) {
    if (findings_.flags.Has(SessionFlag::kMeterGlitch)) return;
    findings_.Note(SessionFlag::kMeterGlitch, "{" + Amount("set_aside_wh", registers_[i].wh) + "}");
  }

  void NoteAnomaly() {
    constexpr std::array kAnomalies = {SessionFlag::kMeterDecreased, SessionFlag::kMeterReset,
                                       SessionFlag::kMeterStartInvalid, SessionFlag::kMeterStopInvalid};
    for (const SessionFlag flag : kAnomalies) {
      if (findings_.flags.Has(flag)) findings_.Note(SessionFlag::kMeterAnomaly);
    }
  }

  SeriesVerdict Verdict() const {
    SeriesVerdict verdict;
    std::vector<size_t> segment_of_track(tracks_.size(), kNone);
    for (const Link& link : chain_) {
      const Track& track = tracks_[link.track];
      if (!link.joined) verdict.segments.push_back({track.first, track.last, track.from_zero});
      verdict.segments.back().last = track.last;
      segment_of_track[link.track] = verdict.segments.size() - 1;
    }
    for (size_t i = 0; i < registers_.size(); ++i) {
      const size_t segment = track_of_[i] == kNone ? kNone : segment_of_track[track_of_[i]];
      if (segment == kNone) continue;
      verdict.valid.push_back(i);
      verdict.segment_of.push_back(segment);
    }
    verdict.begin_counts =
        series_.has_begin && !verdict.segments.empty() && verdict.segments.front().first == 0;
    verdict.end_counts =
        series_.has_end && !verdict.segments.empty() && verdict.segments.back().last == registers_.size() - 1;
    verdict.begin_set_aside = begin_invalid_;
    verdict.end_set_aside = series_.has_end && !verdict.end_counts;
    return verdict;
  }

  struct Link {
    size_t track = 0;
    bool joined = false;  // goes on with the segment of the one before
  };

  std::span<const Register> registers_;
  const RegisterSeries& series_;
  const Limits& limits_;
  Findings& findings_;
  std::vector<Track> tracks_;
  std::vector<size_t> track_of_;  // by register; kNone: it continued nothing
  std::vector<Link> chain_;       // the tracks that make up the session
  size_t main_ = kNone;
  size_t other_ = kNone;
  bool begin_invalid_ = false;
  bool end_invalid_ = false;
};

}  // namespace

bool CannotBe(Thousandths wh) {
  constexpr int64_t k31 = int64_t{1} << 31;
  constexpr int64_t k32 = int64_t{1} << 32;
  constexpr std::array<int64_t, 4> kGarbage = {k31 - 1, k31, k32 - 1, k32};
  if (wh.units < 0) return true;
  return std::any_of(kGarbage.begin(), kGarbage.end(),
                     [&](int64_t limit) { return wh.units == limit * 1000; });
}

bool Continues(const SeriesTip& tip, const Register& next, const Limits& limits) {
  if (Below(next.wh, tip.top) || TooMuch(Difference(tip.base, next.wh), limits)) return false;
  return !TooFast({Difference(tip.wh, next.wh), Gap(tip.ts, next.ts)}, limits);
}

bool GoesOn(const Register& from, const Register& next, const Limits& limits) {
  return Continues({.ts = from.ts, .wh = from.wh, .top = from.wh, .base = from.wh}, next, limits);
}

SeriesVerdict JudgeRegisters(const RegisterSeries& series, const Limits& limits, Findings& findings) {
  return Judge(series, limits, findings).Run();
}

absl::int128 SegmentMilliWh(const RegisterSeries& series, const Segment& segment) {
  const Thousandths base = segment.from_zero ? Thousandths{} : series.registers[segment.first].wh;
  return std::max(int128(0), Difference(base, series.registers[segment.last].wh));
}

}  // namespace medallion::ocpp
