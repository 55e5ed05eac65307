// Running records through a store, and looking at the tables.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "medallion/launchpad/run.h"
#include "nlohmann/json.hpp"
#include "tests/catch.h"
#include "tests/launchpad/launch_feed.h"

namespace medallion::testing {

using launchpad::Launches;

inline std::vector<nlohmann::json> RowsIn(Tables& tables, std::string_view table) {
  std::vector<nlohmann::json> rows;
  REQUIRE(tables
              .Read(table,
                    [&](std::string_view line) {
                      rows.push_back(nlohmann::json::parse(line));
                      return absl::OkStatus();
                    })
              .ok());
  return rows;
}

// A store with all records taken at once, swept at `clock` or at the data clock.
inline std::unique_ptr<MemoryStore<Launches>> Taken(const std::vector<BronzeRecord>& records,
                                                    UtcTime clock = kNoTime,
                                                    const launchpad::Options& options = {}) {
  auto store = std::make_unique<MemoryStore<Launches>>();
  Runner<Launches> runner(*store, options);
  REQUIRE(runner.Take(records, "").ok());
  REQUIRE(runner.Sweep(clock).ok());
  REQUIRE(Imbalance(*store->Books()) == 0);
  return store;
}
inline std::unique_ptr<MemoryStore<Launches>> TakenLines(const std::vector<std::string>& lines,
                                                         UtcTime clock = kNoTime,
                                                         const launchpad::Options& options = {}) {
  const Feed feed = RecordsOf(lines);
  return Taken(feed.records, clock, options);
}

inline UtcTime At(int64_t second) { return {(kFeedBegin + second) * kMicrosPerSecond}; }

}  // namespace medallion::testing
