// A store that passes every call on to another: for hosts that want to see or change one of the six, and override it.
// One thread at a time, as its inner store. Errors are the inner store's.
#pragma once

#include <span>

#include "absl/status/status.h"
#include "medallion/io/store.h"

namespace medallion {

template <class Pack>
class ForwardingStore : public Store<Pack> {
 public:
  using Event = typename Pack::Event;

  // `inner` must outlive the store.
  explicit ForwardingStore(Store<Pack>& inner) : inner_(inner) {}

  absl::Status Seen(std::span<const RecordId> records, SeenAnswer& answer) override {
    return inner_.Seen(records, answer);
  }
  absl::Status Known(const KnownQuery<Event>& query, KnownAnswer<Event>& answer) override {
    return inner_.Known(query, answer);
  }
  absl::Status Bronze(const BronzeQuery& query, BronzeAnswer& answer) override {
    return inner_.Bronze(query, answer);
  }
  absl::Status Timelines(const TimelineQuery& query, TimelineAnswer<Event>& answer) override {
    return inner_.Timelines(query, answer);
  }
  absl::Status History(const HistoryQuery& query, HistoryAnswer<Pack>& answer) override {
    return inner_.History(query, answer);
  }
  absl::Status Apply(const Batch<Pack>& batch) override { return inner_.Apply(batch); }

 private:
  Store<Pack>& inner_;
};

}  // namespace medallion
