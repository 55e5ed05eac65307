#include "medallion/ledger/resolve_transfers.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "medallion/ledger/identify.h"

namespace medallion::ledger {
namespace {

constexpr TimeSpan kAllTime{{std::numeric_limits<int64_t>::min()}, {std::numeric_limits<int64_t>::max()}};

// The legs of one event type and asset.
struct Legs {
  MinorUnits residual;
  int64_t count = 0;
  UtcTime latest = kNoTime;
  std::set<EntityKey> accounts = {};
};

bool IsKnown(const LedgerElement& element, const Options& options) {
  return element.standing.fate == Fate::kSilver &&
         (options.known_as_of == kNoTime || element.row.recorded_at <= options.known_as_of);
}

void LinkTransfers(const Timeline<LedgerEvent>& timeline, const Options& options, std::vector<Link>& links) {
  std::map<std::tuple<std::string_view, EventType, std::string_view>, Legs> all;
  for (const LedgerElement& element : timeline.elements) {
    const LedgerEvent& row = element.row;
    if (row.change.has_value() || !IsKnown(element, options)) continue;
    Legs& legs = all[{row.transfer_id, row.event_type, row.asset}];
    const MinorUnits amount = row.amount_minor.value_or(MinorUnits());
    legs.residual += row.leg == Side::kCredit ? amount : -amount;
    ++legs.count;
    legs.latest = std::max(legs.latest, row.recorded_at);
    legs.accounts.insert(element.entity);
  }
  for (const auto& [key, legs] : all) {
    if (legs.count > 1 && legs.residual.is_zero()) continue;
    const auto& [transfer_id, event_type, asset] = key;
    const std::string context =
        PackContext(UnbalancedTransfer{.transfer_id = std::string(transfer_id),
                                       .event_type = event_type,
                                       .asset = std::string(asset),
                                       .residual = legs.residual,
                                       .legs = legs.count,
                                       .due = {legs.latest.us + options.legs_wait_us}});
    for (const EntityKey& account : legs.accounts) links.push_back({legs.latest, account, account, context});
  }
}

void LinkTransaction(const Timeline<LedgerEvent>& timeline, std::vector<Link>& links) {
  EndedTransaction said;
  UtcTime ended = kNoTime;
  bool ends = false;
  std::set<int64_t> orders;
  for (const LedgerElement& element : timeline.elements) {
    if (!element.row.change.has_value()) continue;
    const ChangeFacts& change = *element.row.change;
    said.tx_id = change.tx_id;
    said.ingest_ts = std::max(said.ingest_ts, element.row.ingest_ts);
    if (change.event_count.has_value()) {
      ends = true;
      said.announced = std::max(said.announced, *change.event_count);
      ended = std::max(ended, element.identity.order.event_ts);
    } else if (change.total_order.has_value() && orders.insert(*change.total_order).second) {
      ++said.arrived;
    }
  }
  const EntityKey entity = TransactionKey(said.tx_id);
  if (ends) links.push_back({ended, entity, entity, PackContext(said)});
}

}  // namespace

std::string PackContext(const LedgerContext& context) {
  PackWriter out;
  out(static_cast<uint8_t>(context.index()));
  if (const auto* transfer = std::get_if<UnbalancedTransfer>(&context)) out(*transfer);
  if (const auto* transaction = std::get_if<EndedTransaction>(&context)) out(*transaction);
  return std::string(out.bytes());
}

std::optional<LedgerContext> UnpackContext(std::string_view bytes) {
  Arena texts;
  PackReader in(bytes, texts);
  uint8_t kind = 0;
  in(kind);
  UnbalancedTransfer transfer;
  EndedTransaction transaction;
  kind == 0 ? in(transfer) : in(transaction);
  if (!in.ok() || !in.at_end() || kind > 1) return std::nullopt;
  return kind == 0 ? LedgerContext(std::move(transfer)) : LedgerContext(std::move(transaction));
}

Resolution ResolveTransfers(const Timeline<LedgerEvent>& timeline, const Options& options) {
  Resolution said{.need = kAllTime, .span = kAllTime};
  if (!timeline.seen.Holds(kAllTime)) return said;
  said.settled = true;
  LinkTransfers(timeline, options, said.links);
  LinkTransaction(timeline, said.links);
  std::sort(said.links.begin(), said.links.end());
  return said;
}

}  // namespace medallion::ledger
