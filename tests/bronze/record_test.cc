#include "medallion/bronze/record.h"

#include "catch.h"

namespace medallion {
namespace {

TEST_CASE("record: of two deliveries the smallest of each that was given stands") {
  const Arrival early{UtcTime{1}, UtcTime{9}, "b"};
  const Arrival late{UtcTime{5}, UtcTime{6}, "a"};
  const Arrival nothing{};
  CHECK(Earliest(early, late) == Arrival{UtcTime{1}, UtcTime{6}, "a"});
  const Arrival in{.version = "2.0.1", .connection_id = "c"};
  const Arrival out{.version = "1.6", .direction = Direction::kOut};
  CHECK(Earliest(in, out) == Arrival{.version = "1.6", .connection_id = "c"});
  CHECK(Earliest(late, early) == Earliest(early, late));
  CHECK(Earliest(early, nothing) == early);
  CHECK(Earliest(nothing, early) == early);
}

TEST_CASE("record: a record is its coordinate and its payload") {
  const BronzeRecord record{.payload = "x", .at = {"topic", 1, 2}};
  BronzeRecord other = record;
  CHECK(IdOf(record) == IdOf(other));
  other.payload = "y";
  CHECK(IdOf(record) != IdOf(other));
  other = record;
  other.ingest_ts = UtcTime{5};
  CHECK(IdOf(record) == IdOf(other));  // when it came is not what it is
}

}  // namespace
}  // namespace medallion
