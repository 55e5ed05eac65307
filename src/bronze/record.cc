#include "medallion/bronze/record.h"

#include <algorithm>

namespace medallion {
namespace {

UtcTime EarlierGiven(UtcTime a, UtcTime b) {
  if (a == kNoTime || b == kNoTime) return a == kNoTime ? b : a;
  return a < b ? a : b;
}

std::string_view SmallerGiven(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return a.empty() ? b : a;
  return a < b ? a : b;
}

}  // namespace

Arrival ArrivalOf(const BronzeRecord& record) {
  return {.broker_ts = record.broker_ts,
          .ingest_ts = record.ingest_ts,
          .key = record.key,
          .version = record.version,
          .connection_id = record.connection_id,
          .direction = record.direction};
}

void SetArrival(const Arrival& arrival, BronzeRecord& record) {
  record.broker_ts = arrival.broker_ts, record.ingest_ts = arrival.ingest_ts, record.key = arrival.key;
  record.version = arrival.version, record.connection_id = arrival.connection_id;
  record.direction = arrival.direction;
}

Arrival Earliest(const Arrival& a, const Arrival& b) {
  return {.broker_ts = EarlierGiven(a.broker_ts, b.broker_ts),
          .ingest_ts = EarlierGiven(a.ingest_ts, b.ingest_ts),
          .key = SmallerGiven(a.key, b.key),
          .version = SmallerGiven(a.version, b.version),
          .connection_id = SmallerGiven(a.connection_id, b.connection_id),
          .direction = std::min(a.direction, b.direction)};
}

}  // namespace medallion
