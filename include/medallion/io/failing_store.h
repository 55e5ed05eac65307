// A store that fails on request: for tests of what happens when the world does.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "absl/status/status.h"
#include "medallion/io/store.h"

namespace medallion {

struct Failure {
  int64_t call = 1;  // which call of the store fails, all six functions counted together, from 1
  // Whether the call first does its work: its answer, or the acknowledgement of what was applied, is lost.
  bool after = false;
  absl::Status status = absl::UnavailableError("the store fails on request");
};

// Passes every call on to `inner`, save for one that fails. What a failed call answered is not to be used.
// One thread at a time.
template <class Pack>
class FailingStore final : public Store<Pack> {
 public:
  using Event = typename Pack::Event;

  // `inner` must outlive the store.
  FailingStore(Store<Pack>& inner, Failure failure) : inner_(inner), failure_(std::move(failure)) {}

  absl::Status Seen(std::span<const RecordId> records, SeenAnswer& answer) override {
    return Call([&] { return inner_.Seen(records, answer); });
  }
  absl::Status Known(const KnownQuery<Event>& query, KnownAnswer<Event>& answer) override {
    return Call([&] { return inner_.Known(query, answer); });
  }
  absl::Status Bronze(const BronzeQuery& query, BronzeAnswer& answer) override {
    return Call([&] { return inner_.Bronze(query, answer); });
  }
  absl::Status Timelines(const TimelineQuery& query, TimelineAnswer<Event>& answer) override {
    return Call([&] { return inner_.Timelines(query, answer); });
  }
  absl::Status History(const HistoryQuery& query, HistoryAnswer<Pack>& answer) override {
    return Call([&] { return inner_.History(query, answer); });
  }
  absl::Status Apply(const Batch<Pack>& batch) override {
    return Call([&] { return inner_.Apply(batch); });
  }

  // So far, the failed one included. Fewer than `call`: it never came to that.
  int64_t calls() const { return calls_; }
  bool failed() const { return calls_ >= failure_.call; }

 private:
  template <class Pass>
  absl::Status Call(const Pass& pass) {
    if (++calls_ != failure_.call) return pass();
    if (!failure_.after) return failure_.status;
    const absl::Status status = pass();
    return status.ok() ? failure_.status : status;
  }

  Store<Pack>& inner_;
  Failure failure_;
  int64_t calls_ = 0;
};

}  // namespace medallion
