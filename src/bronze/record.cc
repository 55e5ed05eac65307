#include "medallion/bronze/record.h"

namespace medallion {
namespace {

UtcTime EarlierGiven(UtcTime a, UtcTime b) {
  if (a == kNoTime || b == kNoTime) return a == kNoTime ? b : a;
  return a < b ? a : b;
}

}  // namespace

Arrival Earliest(const Arrival& a, const Arrival& b) {
  const bool take_b = a.key.empty() || (!b.key.empty() && b.key < a.key);
  return {.broker_ts = EarlierGiven(a.broker_ts, b.broker_ts),
          .ingest_ts = EarlierGiven(a.ingest_ts, b.ingest_ts),
          .key = take_b ? b.key : a.key};
}

}  // namespace medallion
