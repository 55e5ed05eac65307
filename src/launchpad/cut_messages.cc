#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "medallion/base/text.h"
#include "medallion/launchpad/refine.h"
#include "message_rows.h"
#include "read_message.h"

namespace medallion::launchpad {
namespace {

// A fact's number: the action in the upper bits, then the row's place in the message that stands for the action.
constexpr int kPlaceBits = 26;
constexpr uint32_t kAlone = uint32_t{1}
                            << (kPlaceBits - 1);  // the place of an initial buy that nothing repeats

bool IsInitial(const LaunchEvent& row) { return row.source == TradeSource::kCreateInitial; }

class Cutter {
 public:
  Cutter(std::span<const LaunchElement* const> unit, std::span<uint32_t> fact, Policy policy)
      : unit_(unit), fact_(fact), policy_(policy) {}

  void Cut() {
    for (size_t i = 0; i < unit_.size(); ++i) {
      const LaunchEvent& row = unit_[i]->row;
      if (row.family == Family::kEvent && Of(row).first == nullptr) TakeFirst(i);
    }
    if (policy_ == Policy::kContestAll) FindContested();
    for (size_t i = 0; i < unit_.size(); ++i) {
      if (!IsInitial(unit_[i]->row)) fact_[i] = FactOf(unit_[i]->row);
    }
    for (size_t i = 0; i < unit_.size(); ++i) {
      if (IsInitial(unit_[i]->row)) fact_[i] = InitialFact(unit_[i]->row);
    }
  }

 private:
  // The message that stands for an action: the first of its copies.
  struct Standing {
    const LaunchEvent* first = nullptr;  // its own row
    std::map<uint64_t, uint32_t> places;
    bool contested = false;
  };

  Standing& Of(const LaunchEvent& row) { return standing_[static_cast<size_t>(row.action)]; }
  static uint32_t Number(const LaunchEvent& row, uint32_t place) {
    return static_cast<uint32_t>(row.action) << kPlaceBits | place;
  }

  // The rows of one message follow each other, since all they are sorted by is the same but the ordinal.
  void TakeFirst(size_t i) {
    const Order& order = unit_[i]->identity.order;
    Standing& standing = Of(unit_[i]->row);
    standing.first = &unit_[i]->row;
    for (size_t at = i; at < unit_.size(); ++at) {
      const Order& other = unit_[at]->identity.order;
      const bool same = IdOf(other).record == IdOf(order).record && other.event_id == order.event_id;
      if (!same || (at != i && unit_[at]->row.family == Family::kEvent)) break;
      standing.places.emplace(unit_[at]->row.content, static_cast<uint32_t>(at - i));
    }
  }

  void FindContested() {
    for (const LaunchElement* element : unit_) {
      Standing& standing = Of(element->row);
      if (standing.first != nullptr && element->row.said != standing.first->said) standing.contested = true;
    }
  }

  // A row that says other than the message that stands, or what that one does not, is measured against its own row.
  uint32_t FactOf(const LaunchEvent& row) {
    const Standing& standing = Of(row);
    if (standing.first == nullptr || standing.contested || row.said != standing.first->said)
      return Number(row, 0);
    const auto place = standing.places.find(row.content);
    return Number(row, place == standing.places.end() ? 0 : place->second);
  }

  // Where the explicit buys of the buyer that stand are.
  std::vector<size_t> ExplicitBuys(const LaunchEvent& initial) {
    std::vector<size_t> buys;
    for (size_t i = 0; i < unit_.size(); ++i) {
      const LaunchEvent& row = unit_[i]->row;
      const bool buy = row.family == Family::kTrade && row.side == LaunchAction::kBuy && !IsInitial(row);
      if (!buy || row.trader != initial.trader) continue;
      const Standing& standing = Of(row);
      const bool stands = standing.first != nullptr && !standing.contested &&
                          row.said == standing.first->said && row.event_id == standing.first->event_id;
      const auto other = [&](size_t at) { return fact_[at] == fact_[i]; };
      if (stands && std::none_of(buys.begin(), buys.end(), other)) buys.push_back(i);
    }
    return buys;
  }

  uint32_t InitialFact(const LaunchEvent& initial) {
    const Standing& create = Of(initial);
    if (create.first == nullptr || create.contested || initial.said != create.first->said)
      return Number(initial, 0);
    const std::vector<size_t> buys = ExplicitBuys(initial);
    if (buys.empty()) return Number(initial, kAlone);
    absl::int128 sum = 0;
    for (const size_t buy : buys) sum += unit_[buy]->row.token_amount.units;
    const absl::int128 off = sum - initial.token_amount.units;
    if (off >= -1 && off <= 1) {
      const bool one = buys.size() == 1 && off == 0;
      return one ? fact_[buys[0]] : Number(initial, 0);  // else no buy is equal to it
    }
    const auto differs = std::find_if(buys.begin(), buys.end(), [&](size_t buy) {
      return unit_[buy]->row.token_amount != initial.token_amount;
    });
    const uint32_t fact = fact_[differs == buys.end() ? buys[0] : *differs];
    if (policy_ == Policy::kContestAll) Join(buys, fact);
    return fact;
  }

  // All facts that these are of become one.
  void Join(const std::vector<size_t>& rows, uint32_t fact) {
    std::vector<uint32_t> facts;
    facts.reserve(rows.size());
    for (const size_t row : rows) facts.push_back(fact_[row]);
    for (uint32_t& of_row : fact_) {
      if (std::find(facts.begin(), facts.end(), of_row) != facts.end()) of_row = fact;
    }
  }

  std::span<const LaunchElement* const> unit_;
  std::span<uint32_t> fact_;
  Policy policy_;
  std::array<Standing, kActionNames.size()> standing_;
};

std::string ElementsOf(const LaunchEvent& row, const Options& options) {
  MessageReader reader(options);
  Arena texts;
  std::vector<Message> messages;
  if (row.raw.empty() || !reader.Read(row.raw)) return "null";
  reader.Messages(row.ingest_ts, texts, messages);
  return messages.size() == 1 ? ElementsJson(messages[0]) : "null";
}

std::string RowJson(const LaunchEvent& row) {
  std::string json;
  AppendJson(row, json);
  return json;
}

}  // namespace

void CutMessages(std::span<const LaunchElement* const> unit, std::span<uint32_t> fact,
                 const Options& options) {
  Cutter(unit, fact, options.policy).Cut();
}

std::string DescribeConflict(const LaunchEvent& row, const LaunchEvent& fact, uint8_t differs,
                             const Options& options) {
  constexpr uint8_t kAmount = 1 << 2;
  if (row.source == TradeSource::kCreateInitial && fact.family == Family::kTrade &&
      (differs & kAmount) != 0) {
    std::string json = "{\"token_amount\":{\"accepted\":\"";
    AppendCanonical(fact.token_amount, json);
    json += "\",\"rejected\":\"";
    AppendCanonical(row.token_amount, json);
    return json += "\"}}";
  }
  const std::string accepted = fact.family == Family::kEvent ? ElementsOf(fact, options) : RowJson(fact);
  const std::string rejected = row.family == Family::kEvent ? ElementsOf(row, options) : RowJson(row);
  return "{\"elements\":{\"accepted\":" + accepted + ",\"rejected\":" + rejected + "}}";
}

}  // namespace medallion::launchpad
