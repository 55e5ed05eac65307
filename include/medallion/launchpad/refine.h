// Refining: from records to Silver elements. A record is a line of the feed or an envelope of many; a message yields a row
// of silver_launchpad_events, and one for each token, trade, transfer and state of a pool that it tells of.
// Pure: results depend on the arguments alone and refer to their own memory only. Safe from any thread.
// Source: the launchpad domain, 2 to 4.
#pragma once

#include <span>

#include "medallion/launchpad/launch_event.h"
#include "medallion/launchpad/options.h"

namespace medallion::launchpad {

// The key of what is derived from all rows about a mint.
EntityKey MintKey(std::string_view mint);

// A message that breaks a rejecting rule is one quarantined element, as a whole: what is left of it could not be compared
// with its copies. An acknowledgement is ignored. Fields that no schema names are kept in `raw` alone.
Refined<LaunchEvent> Refine(std::span<const BronzeRecord> batch, const Options& options);

// Of the detail of a quarantined element: what its envelope had promised and did not hold.
int64_t DeclaredLossOf(std::string_view detail);

// Cuts a unit, all rows of one signature and mint sorted by Order, into facts: the rows of the first message of each action
// are a fact each; its copies' rows are of the facts that say the same; the rows of messages that contradict it are measured
// against its own row. An initial buy is of the explicit buy that it repeats, or contradicts.
void CutMessages(std::span<const LaunchElement* const> unit, std::span<uint32_t> fact,
                 const Options& options);

// The particulars of a conflict, as JSON.
std::string DescribeConflict(const LaunchEvent& row, const LaunchEvent& fact, uint8_t differs,
                             const Options& options = {});

}  // namespace medallion::launchpad
