// The rows of one token, in order, as the signals are told from them.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "medallion/launchpad/risk_signals.h"

namespace medallion::launchpad {

// (slot, event_ts, signature, trades before transfers, index); rows that are the same in all stand by their coordinate.
bool RowBefore(const LaunchEvent& a, const LaunchEvent& b);

// Rows at or before an instant. Refers to the history.
struct TokenRows {
  TokenRows(std::span<const LaunchElement> history, UtcTime data_clock);

  std::vector<const LaunchEvent*> rows;  // sorted
  std::vector<UtcTime> later;            // event times of the others
  UtcTime last_ingest = kNoTime;         // of all
  UtcTime last_event = kNoTime;          // of `rows`
  bool conflict = false;
  std::string_view mint;
  std::set<std::string_view> pools;
  const LaunchEvent* create = nullptr;  // the first
};

// What one address did with the token.
struct Position {
  absl::int128 net = 0;
  absl::int128 bought = 0, sold = 0, received = 0, sent = 0;
  absl::int128 least = 0;  // of net, at the ends of slots, and never above 0
};

struct Positions {
  explicit Positions(const TokenRows& token);

  std::map<std::string_view, Position> of;  // by address, pools among them
  absl::int128 burnt = 0;                   // sent to nobody
};

// The states of one pool, one a row that tells reserves, in order: by slots, and within one by the chain of reserves.
struct PoolStates {
  std::vector<const LaunchEvent*> rows;
  std::vector<const LaunchEvent*> removes;
  std::optional<int64_t> burned_lp_bps;  // the latest known
  bool is_curve = false;

  const LaunchEvent* latest() const { return rows.empty() ? nullptr : rows.back(); }
  // The latest at or before `time`, or null.
  const LaunchEvent* At(UtcTime time) const;
};
std::map<std::string_view, PoolStates> PoolsOf(const TokenRows& token, const RiskParameters& parameters);

}  // namespace medallion::launchpad
