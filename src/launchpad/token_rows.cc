#include "token_rows.h"

#include <algorithm>
#include <tuple>

#include "absl/container/flat_hash_map.h"

namespace medallion::launchpad {
namespace {

int FamilyRank(Family family) { return static_cast<int>(family); }

bool MovesLiquidity(const LaunchEvent& row) {
  return row.family == Family::kPool &&
         (row.action == LaunchAction::kAdd || row.action == LaunchAction::kRemove);
}

// Whether tokens go from a pool to a wallet.
bool LeavesPool(const LaunchEvent& row) {
  return row.family == Family::kTrade ? row.side == LaunchAction::kBuy : row.action == LaunchAction::kRemove;
}

bool HasReserves(const PoolFacts& pool) {
  return pool.virtual_token.known() || pool.virtual_quote.known() || pool.real_token.known() ||
         pool.real_quote.known();
}

// Transfers that repeat a leg of a trade, add or remove of their signature: each takes at most one.
class RepeatedLegs {
 public:
  explicit RepeatedLegs(const TokenRows& token) : token_(token) {
    for (const LaunchEvent* row : token.rows) {
      if (row->family == Family::kTransfer) transfers_[row->signature].push_back(row);
    }
    if (transfers_.empty()) return;
    for (const LaunchEvent* row : token.rows) {
      if (row->family == Family::kTrade || MovesLiquidity(*row)) Exclude(*row);
    }
  }
  bool Contains(const LaunchEvent* row) const { return excluded_.contains(row); }

 private:
  void Exclude(const LaunchEvent& leg) {
    const auto of_signature = transfers_.find(leg.signature);
    if (of_signature == transfers_.end()) return;
    for (const LaunchEvent* transfer : of_signature->second) {
      if (excluded_.contains(transfer) || !Repeats(*transfer, leg)) continue;
      excluded_.insert(transfer);
      return;
    }
  }

  bool Repeats(const LaunchEvent& transfer, const LaunchEvent& leg) const {
    const bool leaves = LeavesPool(leg);
    const std::string_view pool = leaves ? transfer.from : transfer.to;
    const std::string_view wallet = leaves ? transfer.to : transfer.from;
    const bool is_pool = leg.pool_address.empty() ? token_.pools.contains(pool) : pool == leg.pool_address;
    return is_pool && wallet == leg.trader && transfer.token_amount == leg.token_amount;
  }

  const TokenRows& token_;
  absl::flat_hash_map<std::string_view, std::vector<const LaunchEvent*>> transfers_;  // by signature
  std::set<const LaunchEvent*> excluded_;
};

// Adds up moves that come in order of slots.
class Adder {
 public:
  explicit Adder(Positions& positions) : positions_(positions) {}

  // Null where there is no such address.
  Position* Move(std::string_view address, absl::int128 amount, uint64_t slot) {
    if (address.empty()) return nullptr;
    Position& position = positions_.of[address];
    uint64_t& open = open_[address];
    if (open != slot) Close(position);
    open = slot;
    position.net += amount;
    return &position;
  }
  void CloseAll() {
    for (auto& [address, position] : positions_.of) Close(position);
  }

 private:
  static void Close(Position& position) { position.least = std::min(position.least, position.net); }

  Positions& positions_;
  absl::flat_hash_map<std::string_view, uint64_t> open_;  // the slot of an address that is not closed
};

// The rows of one slot follow each other where each begins as exactly one other ended.
class Chain {
 public:
  explicit Chain(std::span<const LaunchEvent*> rows) : rows_(rows) {}

  void Sort() {
    std::vector<const LaunchEvent*> sorted;
    const LaunchEvent* at = First();
    for (; at != nullptr && sorted.size() < rows_.size(); at = After(*at)) sorted.push_back(at);
    if (sorted.size() == rows_.size() && at == nullptr)
      std::copy(sorted.begin(), sorted.end(), rows_.begin());
  }

 private:
  // What the row takes out of the pool; nothing where that cannot be told.
  static std::optional<absl::int128> TakenBy(const LaunchEvent& row) {
    if (!row.token_amount.known()) return std::nullopt;
    const bool leaves = row.action == LaunchAction::kBuy || row.action == LaunchAction::kRemove;
    const bool comes = row.action == LaunchAction::kSell || row.action == LaunchAction::kAdd;
    if (!leaves && !comes) return std::nullopt;
    return leaves ? row.token_amount.units : -row.token_amount.units;
  }
  // By what the pool holds, else by its virtual reserve, which moves by as much.
  bool Follows(const LaunchEvent& row, const LaunchEvent& other) const {
    const auto taken = TakenBy(row);
    if (&row == &other || !taken.has_value()) return false;
    const auto fits = [&](const Amount& after, const Amount& before) {
      return after.known() && before.known() && after.units + *taken == before.units;
    };
    const bool held = row.pool.real_token.known() && other.pool.real_token.known();
    return held ? fits(row.pool.real_token, other.pool.real_token)
                : fits(row.pool.virtual_token, other.pool.virtual_token);
  }
  // The only one that follows none; null where there is none or several.
  const LaunchEvent* First() const {
    const LaunchEvent* first = nullptr;
    for (const LaunchEvent* row : rows_) {
      const bool follows = std::any_of(rows_.begin(), rows_.end(),
                                       [&](const LaunchEvent* other) { return Follows(*row, *other); });
      if (follows) continue;
      if (first != nullptr) return nullptr;
      first = row;
    }
    return first;
  }
  const LaunchEvent* After(const LaunchEvent& row) const {
    const LaunchEvent* after = nullptr;
    for (const LaunchEvent* other : rows_) {
      if (!Follows(*other, row)) continue;
      if (after != nullptr) return nullptr;
      after = other;
    }
    return after;
  }

  std::span<const LaunchEvent*> rows_;
};

void SortChains(std::vector<const LaunchEvent*>& rows) {
  constexpr size_t kRowsMax = 256;  // of one slot: looking for the next one is quadratic
  for (size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
    while (end < rows.size() && rows[end]->slot == rows[begin]->slot) ++end;
    const size_t size = end - begin;
    if (size > 1 && size <= kRowsMax && rows[begin]->slot.has_value())
      Chain(std::span(rows).subspan(begin, size)).Sort();
  }
}

}  // namespace

bool RowBefore(const LaunchEvent& a, const LaunchEvent& b) {
  const auto key = [](const LaunchEvent& row) {
    return std::tuple(row.slot.value_or(0), row.event_ts, row.signature, FamilyRank(row.family), row.index,
                      row.ingest_ts);
  };
  const auto left = key(a), right = key(b);
  if (left != right) return left < right;
  return a.at != b.at ? a.at < b.at : std::tie(a.ordinal, a.raw) < std::tie(b.ordinal, b.raw);
}

TokenRows::TokenRows(std::span<const LaunchElement> history, UtcTime data_clock) {
  for (const LaunchElement& element : history) {
    const LaunchEvent& row = element.row;
    last_ingest = std::max(last_ingest, row.ingest_ts);
    mint = row.mint;
    if (element.standing.fate != Fate::kSilver) {
      conflict = conflict || element.standing.conflict;
    } else if (row.event_ts > data_clock) {
      later.push_back(row.event_ts);
    } else {
      rows.push_back(&row);
      last_event = std::max(last_event, row.event_ts);
    }
  }
  std::sort(rows.begin(), rows.end(),
            [](const LaunchEvent* a, const LaunchEvent* b) { return RowBefore(*a, *b); });
  for (const LaunchEvent* row : rows) {
    if (!row->pool_address.empty() && row->family != Family::kTransfer) pools.insert(row->pool_address);
    if (row->family == Family::kToken && create == nullptr) create = row;
  }
}

Positions::Positions(const TokenRows& token) {
  const RepeatedLegs repeated(token);
  Adder adder(*this);
  for (const LaunchEvent* row : token.rows) {
    const absl::int128 amount = row->token_amount.value_or(0);
    const uint64_t slot = row->slot.value_or(0);
    if (row->family == Family::kTrade || MovesLiquidity(*row)) {
      const bool comes = LeavesPool(*row);
      Position* position = adder.Move(row->trader, comes ? amount : -amount, slot);
      if (position != nullptr && row->family == Family::kTrade)
        (comes ? position->bought : position->sold) += amount;
    } else if (row->family == Family::kTransfer && !repeated.Contains(row)) {
      if (Position* from = adder.Move(row->from, -amount, slot)) from->sent += amount;
      if (Position* to = adder.Move(row->to, amount, slot)) to->received += amount;
      if (row->to.empty()) burnt += amount;
    }
  }
  adder.CloseAll();
}

const LaunchEvent* PoolStates::At(UtcTime time) const {
  const auto found =
      std::find_if(rows.rbegin(), rows.rend(), [&](const LaunchEvent* row) { return row->event_ts <= time; });
  return found == rows.rend() ? nullptr : *found;
}

std::map<std::string_view, PoolStates> PoolsOf(const TokenRows& token, const RiskParameters& parameters) {
  std::map<std::string_view, PoolStates> pools;
  for (const LaunchEvent* row : token.rows) {
    if (row->family != Family::kPool) continue;
    PoolStates& pool = pools[row->pool_address];
    if (HasReserves(row->pool)) pool.rows.push_back(row);
    if (row->action == LaunchAction::kRemove) pool.removes.push_back(row);
    if (row->pool.burned_lp_bps.has_value()) pool.burned_lp_bps = row->pool.burned_lp_bps;
    pool.is_curve = pool.is_curve || row->pool.virtual_token.known() || row->pool.virtual_quote.known() ||
                    IsStandardCurve(row->venue, row->quote_mint, parameters);
  }
  for (auto& [address, pool] : pools) SortChains(pool.rows);
  return pools;
}

}  // namespace medallion::launchpad
