// Feeds of the ledger for tests and benchmarks: native events and change records, seeded, the same on every machine.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "medallion/bronze/record.h"
#include "tests/feed.h"

namespace medallion::testing {

// Records by hand, with their memory. Not to be copied, for the records point into it.
class LedgerFeed {
 public:
  LedgerFeed() = default;
  LedgerFeed(LedgerFeed&&) = default;
  LedgerFeed& operator=(LedgerFeed&&) = default;

  // A record at the next offset of `topic`.
  BronzeRecord& Add(std::string payload, UtcTime ingest_ts, std::string_view topic = "ledger") {
    records.push_back({.payload = texts.emplace_back(std::move(payload)),
                       .at = {.topic = texts.emplace_back(topic), .offset = next_++},
                       .broker_ts = ingest_ts,
                       .ingest_ts = ingest_ts});
    return records.back();
  }
  // Texts of JSON with ' for ", and an instant that it is ingested at.
  BronzeRecord& AddLine(std::string line, std::string_view ingest_ts) {
    for (char& c : line) c = c == '\'' ? '"' : c;
    return Add(std::move(line), ParseTime(ingest_ts)->time);
  }

  std::deque<std::string> texts;
  std::vector<BronzeRecord> records;

 private:
  int64_t next_ = 0;
};

// A nasty mix on few accounts: complete and broken transfers, reservations, reversals, gaps, copies, conflicts, rejected
// and late events; and the legacy database's changes with tombstones, deletes, stale and contested versions, transaction
// borders. Amounts fit 64 bits, so that SQL can add them up.
LedgerFeed MakeLedgerFeed(uint64_t seed);

// Only complete, well-formed transfers between open accounts, in a random order, each delivered once.
LedgerFeed MakeBalancedFeed(uint64_t seed, int64_t accounts, int64_t transfers, int64_t days);

}  // namespace medallion::testing
