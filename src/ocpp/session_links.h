// Histories that hold facts of several entities, because links of the timeline say that they are about one transaction:
// a start that learned its id from a result, events under another id that it was given, facts without an id.
// Pure. Source: the charging domain, sections 3, 5 and 6.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "medallion/base/digest.h"
#include "medallion/base/time.h"
#include "medallion/ocpp/charging_event.h"
#include "medallion/ocpp/options.h"
#include "session_context.h"
#include "session_facts.h"

namespace medallion::ocpp {

// What the links told.
class Told {
 public:
  // Bytes that are no context tell nothing.
  explicit Told(std::span<const std::string_view> packed);

  // Of the start at that time; nothing, where none is told. A connector that either side does not know is no contradiction.
  const SessionContext* Of(UtcTime start_ts, const std::optional<int32_t>& connector_id) const;
  const std::vector<SessionContext>& all() const { return all_; }  // in the order of their bytes

 private:
  std::vector<SessionContext> all_;
  std::map<UtcTime, std::vector<size_t>> by_start_;  // ascending
};

// 64 bits of the contexts, whatever their order; 0 for none.
uint64_t PrintOf(std::span<const std::string_view> packed);

// What the entity stands for to which others are linked.
struct Root {
  bool has_id = false;  // it is a transaction; else a start without an id
  const Told* told = nullptr;
  Digest session_id;  // of the transaction's first session
  std::string_view transaction_id;
};
// `facts` in order, not empty.
Root RootOf(const Facts& facts, const Told& contexts, const Options& options);

// Settles starts and stops of several units with one another, as those of one unit are before they come here: cuts them
// into epochs, and leaves out what repeats the first of its epoch or calls it a conflict where its values differ.
// A start shows the id that it was given. Changes `facts`, which then refer to the copies returned; none where all are of one unit.
std::vector<ChargingElement> SettleUnits(Facts& facts, const Told& contexts, const Options& options);

// Completes a session that was gathered from such a history: its context, whether a fact without an id joined it, the id
// it shows. Leaves out readings without an id whose register is not that of the session's own readings.
void Complete(const Root& root, const Told& contexts, const Options& options, SessionFacts& session);

}  // namespace medallion::ocpp
