// What an account must know of others: whether the legs of its transfers sum to zero. And whether transactions of the
// legacy database came whole. Both are told on a timeline of their own, that of the transfer or of the transaction, which
// is looked at as a whole: it has few elements, and what is missing may come at any time.
// Pure. Safe from any thread. Source: the ledger domain, sections 1 and 2.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include "medallion/base/arena.h"
#include "medallion/base/pack.h"
#include "medallion/base/time.h"
#include "medallion/gold/resolve.h"
#include "medallion/ledger/ledger_event.h"
#include "medallion/ledger/minor_units.h"
#include "medallion/ledger/options.h"

namespace medallion::ledger {

// Legs of one (ledger, transfer_id, event_type, asset) that do not sum to zero, or one of which is alone. To be judged
// from `due` on; told to each account with a leg.
struct UnbalancedTransfer {
  std::string transfer_id;
  EventType event_type = EventType::kNone;
  std::string asset;
  MinorUnits residual;  // credits - debits
  int64_t legs = 0;
  UtcTime due = kNoTime;
  bool operator==(const UnbalancedTransfer&) const = default;
};
// A transaction that ended.
struct EndedTransaction {
  std::string tx_id;
  int64_t announced = 0, arrived = 0;
  UtcTime ingest_ts = kNoTime;  // the latest of its elements
  bool operator==(const EndedTransaction&) const = default;
};

template <class Row, class Visitor>
  requires std::same_as<std::remove_const_t<Row>, UnbalancedTransfer>
void VisitFields(Row& row, Visitor&& visit) {
  visit(row.transfer_id), visit(row.event_type), visit(row.asset), visit(row.residual), visit(row.legs);
  visit(row.due);
}
template <class Row, class Visitor>
  requires std::same_as<std::remove_const_t<Row>, EndedTransaction>
void VisitFields(Row& row, Visitor&& visit) {
  visit(row.tx_id), visit(row.announced), visit(row.arrived), visit(row.ingest_ts);
}

// A link's context as bytes, and back; nothing for bytes that are none.
using LedgerContext = std::variant<UnbalancedTransfer, EndedTransaction>;
std::string PackContext(const LedgerContext& context);
std::optional<LedgerContext> UnpackContext(std::string_view bytes);

Resolution ResolveTransfers(const Timeline<LedgerEvent>& timeline, const Options& options);

}  // namespace medallion::ledger
