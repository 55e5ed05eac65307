// What an account has set aside, and the reversals of its transfers, folded over its facts in the order of versions.
// Pure. Source: the ledger domain, section 3.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "account.h"

namespace medallion::ledger::folding {

// The reservation of one transfer, as far as the fold has come.
struct Reservation {
  bool open = false, captured = false, released = false;
  Side side = Side::kNone;
  MinorUnits amount;  // while open
  std::string_view asset;
  UtcTime effective = kNoTime;  // of the event that opened it
};

// By asset: what was found on the way.
using AssetFindings = std::map<std::string_view, AccountFindings>;

class Reservations {
 public:
  // The next fact; findings go to `found`, where it is given.
  void Take(const Fact& fact, AssetFindings* found);

  // Calls use(reservation) for each that is open.
  template <class Use>
  void EachOpen(Use&& use) const {
    for (const auto& [name, reservation] : named_) {
      if (reservation.open) use(reservation);
    }
    for (const Reservation& reservation : nameless_) use(reservation);
  }

 private:
  void Reserve(const Fact& fact);
  void Capture(const Fact& fact, AssetFindings* found);
  void Release(const Fact& fact);

  std::map<std::string_view, Reservation> named_;
  std::vector<Reservation> nameless_;  // without a transfer_id nothing can close them
};

// What was reversed as of an instant.
class Reversals {
 public:
  // From the facts with effective_at <= at; kNoTime: all.
  Reversals(const std::vector<Fact>& facts, UtcTime at);

  bool Names(std::string_view transfer) const { return named_.contains(transfer); }

  // How much of this leg is reversed. To be asked of the legs one after the other, in the order of versions: what one
  // takes the next does not have.
  MinorUnits TakeFrom(const Fact& leg);

 private:
  using Key = std::tuple<std::string_view, std::string_view, Side>;  // transfer, asset, the legs' side
  std::set<std::string_view> named_;
  std::map<Key, MinorUnits> left_;
};

}  // namespace medallion::ledger::folding
