// What the timeline of a charge point tells of one transaction beyond its own facts.
// Pure. Source: the charging domain, sections 5 and 6.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "medallion/base/columns.h"
#include "medallion/base/time.h"

namespace medallion::ocpp {

struct SessionContext {
  // The start that it is about. Of a transaction without a start kNoTime and nothing.
  UtcTime start_ts = kNoTime;
  std::optional<int32_t> connector_id;

  std::string transaction_id;        // learned: the smallest; empty: the start has its own or none
  std::vector<std::string> aliases;  // the others, sorted
  bool inferred = false;             // a fact was joined, or the id learned, without a result that says so
  bool rejected = false;             // the start was refused

  UtcTime superseded_by = kNoTime;              // the nearest later start on the connector, not refused
  std::optional<Thousandths> previous_stop_wh;  // of the nearest session before it on the connector
  UtcTime rebooted_at = kNoTime;                // the first boot after the start
  UtcTime faulted_at = kNoTime;                 // the first fault on the connector after the start
  UtcTime ingest_max = kNoTime;                 // of all that is told here
  bool operator==(const SessionContext&) const = default;

  bool empty() const;  // nothing is told: there is no need to keep it
};

std::string PackContext(const SessionContext& context);
// Nothing where the bytes are no context. `bytes` may go.
std::optional<SessionContext> UnpackContext(std::string_view bytes);

}  // namespace medallion::ocpp
