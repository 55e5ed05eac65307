#include "reservations.h"

#include <algorithm>

#include "medallion/base/text.h"

namespace medallion::ledger::folding {
namespace {

// The fact that shows what was found.
std::string ParticularsOf(const Fact& fact) {
  std::string json = "{\"version\":" + std::to_string(fact.version) + ",\"reserved_transfer_id\":";
  AppendJsonString(fact.reserved, json);
  return json += "}";
}

}  // namespace

void Reservations::Take(const Fact& fact, AssetFindings* found) {
  if (fact.type == EventType::kTransferReserved) Reserve(fact);
  if (fact.type == EventType::kTransferCaptured) Capture(fact, found);
  if (fact.type == EventType::kTransferReleased) Release(fact);
}

void Reservations::Reserve(const Fact& fact) {
  Reservation opened{.open = true,
                     .side = fact.leg,
                     .amount = fact.amount,
                     .asset = fact.asset,
                     .effective = fact.effective};
  if (fact.transfer.empty()) {
    nameless_.push_back(opened);
    return;
  }
  Reservation& reservation = named_[fact.transfer];
  const bool same = reservation.open && reservation.side == fact.leg && reservation.asset == fact.asset;
  if (same) {  // reserved again, under another version: both count
    reservation.amount += fact.amount;
    reservation.effective = std::min(reservation.effective, fact.effective);
  } else {
    reservation = opened;
  }
}

void Reservations::Capture(const Fact& fact, AssetFindings* found) {
  const auto find = [&](AccountFlag flag) {
    if (found != nullptr) (*found)[fact.asset].Add(flag, ParticularsOf(fact));
  };
  const auto named = named_.find(fact.reserved);
  if (fact.reserved.empty() || named == named_.end()) return find(AccountFlag::kCaptureWithoutReserve);
  Reservation& reservation = named->second;
  if (reservation.captured) find(AccountFlag::kDoubleCapture);
  if (reservation.released) find(AccountFlag::kCaptureAfterRelease);
  const bool exceeds = fact.amount > reservation.amount || fact.asset != reservation.asset;
  if (reservation.open && exceeds) find(AccountFlag::kCaptureExceedsReserve);
  reservation.captured = true;
  reservation.open = false;
}

void Reservations::Release(const Fact& fact) {
  const auto named = named_.find(fact.reserved);
  if (fact.reserved.empty() || named == named_.end()) return;
  named->second.released = true;
  named->second.open = false;
}

Reversals::Reversals(const std::vector<Fact>& facts, UtcTime at) {
  for (const Fact& fact : facts) {
    if (fact.type != EventType::kTransferReversed || fact.reverses.empty()) continue;
    if (!Within(fact.effective, at)) continue;
    named_.insert(fact.reverses);
    left_[{fact.reverses, fact.asset, OppositeOf(fact.leg)}] += fact.amount;
  }
}

MinorUnits Reversals::TakeFrom(const Fact& leg) {
  if (left_.empty() || leg.transfer.empty()) return {};
  const auto left = left_.find({leg.transfer, leg.asset, leg.leg});
  if (left == left_.end()) return {};
  const MinorUnits taken = std::min(left->second, leg.amount);
  left->second -= taken;
  return taken;
}

}  // namespace medallion::ledger::folding
