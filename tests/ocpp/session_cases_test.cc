// Sessions as stations in the field report them, from reports about other software: each with what an operator should
// see, also on the way there.

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "../catch.h"
#include "medallion/base/columns.h"
#include "session_line.h"
#include "timeline_builder.h"

namespace medallion::ocpp {
namespace {

using testing::At;
using testing::Line;
using testing::SessionsAsOf;

struct AsOf {
  std::string_view clock, row;  // empty: no session
};
struct Case {
  std::string_view script;
  std::vector<AsOf> rows;
};

void CheckCases(std::initializer_list<Case> cases) {
  for (const Case& c : cases) {
    for (const AsOf& moment : c.rows) {
      CAPTURE(c.script, moment.clock);
      const std::vector<ChargingSession> rows = SessionsAsOf(c.script, moment.clock);
      CHECK(rows.size() == (moment.row.empty() ? 0 : 1));
      if (rows.size() == 1) CHECK(Line(rows[0]) == moment.row);
    }
  }
}

}  // namespace

TEST_CASE("cases: sessions of 1.6 on their way") {
  CheckCases({
      // Buffered readings come after a newer one.
      {"S 17:00 0 con=1 id=a | A 17:00:01 176 id=a | R 19:47:43 6580 tx=176 con=1 | R 21:10:09 9650 tx=176 "
       "con=1 | R 20:00:03 7044 "
       "tx=176 con=1 late=4208 | R 20:01:03 7081 tx=176 con=1 late=4149 | R 20:02:03 7118 tx=176 con=1 "
       "late=4090",
       {{"20:30", "IN_PROGRESS 6.580 START_LAST"}, {"21:11", "IN_PROGRESS 9.650 START_LAST LATE_ARRIVAL"}}},
      // The stop comes after the session was given up.
      {"S 10:00 1000 con=1 id=a | A 10:00:01 12 id=a | R 10:30 4000 tx=12 con=1 | E 12:00 11000 tx=12 "
       "late=241200",
       {{"2/00:00", "TIMED_OUT 3.000 START_LAST STOP_MISSING"},
        {"3/08:00", "COMPLETED 10.000 final START_STOP LATE_ARRIVAL"}}},
      // Readings under its id after the stop.
      {"S 00:30 0 con=1 id=a | A 00:30:01 1 id=a | E 01:40 1240 tx=1 | R 01:47:54 1240.0 tx=1 con=1 | P "
       "01:47:54 0 tx=1 con=1 | "
       "R 1/04:59:59 1240.0 tx=1 con=1",
       {{"1/05:00", "COMPLETED 1.240 final START_STOP READING_OUTSIDE_SESSION"}}},
      // A boot, and the transaction goes on; the meter starts over.
      {"S 08:00 500 con=1 id=a | A 08:00:01 352 id=a | R 08:20 2500 tx=352 con=1 | B 09:10 | R 09:30 4300 "
       "tx=352 con=1 | E 10:00 "
       "7910 tx=352 reason=Local",
       {{"09:15", "IN_PROGRESS 2.000 START_LAST REBOOT_DURING_SESSION"},
        {"10:01", "COMPLETED 7.410 final START_STOP REBOOT_DURING_SESSION"}}},
      {"S 08:00 91000 con=1 id=a | A 08:00:01 6 id=a | R 08:30 94000 tx=6 con=1 | B 08:40 | R 08:41 0 tx=6 "
       "con=1 | R 09:00 1200 tx=6 "
       "con=1 | E 09:20 2500 tx=6",
       {{"09:21", "COMPLETED 5.500 SEGMENT_SUM METER_ANOMALY METER_RESET REBOOT_DURING_SESSION"}}},
      // No stop at all.
      {"S 11:00 1000 con=1 id=a | A 11:00:01 7 id=a | R 12:00 4200 tx=7 con=1 | B 15:00",
       {{"16:00", "IN_PROGRESS 3.200 START_LAST REBOOT_DURING_SESSION"},
        {"1/13:00", "TIMED_OUT 3.200 START_LAST STOP_MISSING REBOOT_DURING_SESSION"}}},
      // Old ids while nothing is plugged in.
      {"R 08:44:59 742100 con=1 tx=1900000111 | R 08:59:59 742100 con=1 tx=1900000111 | R 09:14:59 742100 "
       "con=1 tx=1650000222",
       {{"09:16", ""}}},
      // Another reference in between, on its way.
      {"S 05:00 0 con=1 id=a | A 05:00:01 1695 id=a | R 05:29:17 912 tx=1695 con=1 | R 05:30 2514300 tx=0 "
       "con=1 | R 05:35 1210 "
       "tx=1695 con=1 | E 05:45 1500 tx=1695",
       {{"05:30:30", "IN_PROGRESS 0.912 START_LAST"},
        {"05:35:30", "IN_PROGRESS 1.210 START_LAST"},
        {"05:46", "COMPLETED 1.500 final START_STOP"}}},
      // Only intervals, one of them twice.
      {"S 19:00 2000 con=1 id=a | A 19:00:01 3 id=a | I 19:15 57.3 tx=3 con=1 | I 19:30 61.0 tx=3 con=1 | I "
       "19:30 61.0 tx=3 con=1 "
       "late=31 | I 19:45 60.4 tx=3 con=1",
       {{"19:46", "IN_PROGRESS 0.179 INTERVAL_SUM"}}},
      // Two stops.
      {"S 10:00 1000 con=1 id=a | A 10:00:01 71 id=a | E 12:00 6200 tx=71 | E 12:00 9900 tx=71 late=9",
       {{"12:01", "COMPLETED 5.200 START_STOP CONFLICT"}}},
      // Samples inside a stop tell of the begin; they are not late.
      {"S 10:00 - con=1 id=a | A 10:00:01 71 id=a | E 12:00 6200 tx=71 | R 10:00 1000 tx=71 at=2 late=7201 "
       "ctx=Transaction.Begin | "
       "R 12:00 6200 tx=71 at=2 ctx=Transaction.End",
       {{"12:01", "COMPLETED 5.200 TRANSACTION_BEGIN_END"}}},
      {"S 10:00 1000 con=1 id=a | A 10:00:01 71 id=a | E 12:00 6200 tx=71 | R 10:00 1000 tx=71 at=2 "
       "late=7201 ctx=Transaction.Begin | "
       "R 12:00 6400 tx=71 at=2 ctx=Transaction.End",
       {{"12:01", "COMPLETED 5.200 START_STOP TXDATA_MISMATCH METER_NON_MONOTONIC"}}},
      {"S 10:00 1000 con=1 id=a | A 10:00:01 71 id=a | R 10:30 2000 tx=71 con=1 late=3601 | E 12:00 6200 "
       "tx=71",  // this one is
       {{"12:01", "COMPLETED 5.200 final START_STOP LATE_ARRIVAL"}}},
  });
}

TEST_CASE("cases: transaction events of 2.x") {
  CheckCases({
      // Updates after the end.
      {"S 10:00 - tx=t evse=1 con=1 seq=0 v=2.0.1 | R 10:00 1000 tx=t evse=1 con=1 seq=0 "
       "ctx=Transaction.Begin at=0 v=2.0.1 | E 11:00 - "
       "tx=t seq=3 v=2.0.1 | R 11:00 9000 tx=t seq=3 ctx=Transaction.End at=2 v=2.0.1 | R 10:20 3600 tx=t "
       "seq=1 late=2402 v=2.0.1 | "
       "R 10:40 6200 tx=t seq=2 late=1203 v=2.0.1",
       {{"11:00:01", "COMPLETED 8.000 final TRANSACTION_BEGIN_END SEQ_GAP"},
        {"11:01", "COMPLETED 8.000 final TRANSACTION_BEGIN_END"}}},
      // Updates that were dropped; the end repeats the begin.
      {"S 08:00 - tx=t evse=1 seq=0 v=2.0.1 late=14400 | R 08:00 1000 tx=t seq=0 ctx=Transaction.Begin at=0 "
       "v=2.0.1 late=14400 | R 08:10 "
       "2500 tx=t seq=1 v=2.0.1 late=13801 | R 08:30 5500 tx=t seq=3 v=2.0.1 late=12602 | R 08:50 8500 tx=t "
       "seq=5 v=2.0.1 late=11403 "
       "| E 09:00 - tx=t seq=6 v=2.0.1 late=10805 | R 08:00 1000 tx=t seq=6 ctx=Transaction.Begin at=5 "
       "v=2.0.1 late=14405 | R 09:00 "
       "10000 tx=t seq=6 ctx=Transaction.End at=5 v=2.0.1 late=10805",
       {{"12:01", "COMPLETED 9.000 final TRANSACTION_BEGIN_END LATE_ARRIVAL SEQ_GAP"}}},
      // A begin that is a placeholder.
      {"S 08:00 - tx=t evse=1 con=1 seq=0 v=2.0.1 late=600 | R 08:00 0 tx=t seq=0 ctx=Transaction.Begin at=0 "
       "v=2.0.1 late=600 | R 08:12 "
       "250000 tx=t seq=1 v=2.0.1 | E 08:18 - tx=t seq=2 v=2.0.1 | R 08:18 250640 tx=t seq=2 "
       "ctx=Transaction.End at=3 v=2.0.1",
       {{"08:19", "COMPLETED 0.640 BASELINE_INFERRED METER_ANOMALY METER_START_INVALID"}}},
      // The begin comes in an update, the end does not come: no energy is final.
      {"S 08:00 - tx=t evse=1 seq=0 v=2.0.1 | R 08:00 100 tx=t seq=1 ctx=Transaction.Begin late=60 v=2.0.1 | "
       "R 08:30 3100 tx=t seq=2 "
       "v=2.0.1 | E 09:00 - tx=t seq=3 v=2.0.1",
       {{"09:01", "COMPLETED 3.000 START_LAST NO_END_READING"}}},
      {"S 08:00 - tx=t evse=1 seq=0 v=2.0.1 | E 09:00 - tx=t seq=1 v=2.0.1",
       {{"09:01", "COMPLETED - NO_END_READING"}}},
      // Its id in other casing is its id.
      {"S 08:00 - tx=tX evse=1 seq=0 v=2.0.1 | R 08:00 100 tx=tX seq=0 ctx=Transaction.Begin at=0 v=2.0.1 | "
       "E 09:00 - tx=TX seq=1 "
       "v=2.0.1 | R 09:00 3100 tx=TX seq=1 ctx=Transaction.End at=2 v=2.0.1",
       {{"09:01", "COMPLETED 3.000 final TRANSACTION_BEGIN_END"}}},
      // The number starts over after a boot: time leads.
      {"S 08:00 - tx=t evse=1 seq=0 v=2.0.1 | R 08:00 100 tx=t seq=0 ctx=Transaction.Begin at=0 v=2.0.1 | R "
       "08:30 1100 tx=t seq=1 v=2.0.1 "
       "| R 08:50 2100 tx=t seq=0 v=2.0.1 | E 09:00 - tx=t seq=1 v=2.0.1 | R 09:00 3100 tx=t seq=1 "
       "ctx=Transaction.End at=4 v=2.0.1",
       {{"09:01", "COMPLETED 3.000 final TRANSACTION_BEGIN_END"}}},
      // Only an end is known.
      {"E 09:00 - tx=t seq=4 v=2.0.1 | R 08:00 100 tx=t seq=4 ctx=Transaction.Begin at=0 v=2.0.1 late=3601 | "
       "R 09:00 3100 tx=t seq=4 "
       "ctx=Transaction.End at=0 v=2.0.1",
       {{"09:01", "START_MISSING 3.000 TRANSACTION_BEGIN_END START_MISSING"}}},
  });
}

TEST_CASE("cases: what a 2.x event says once holds for its transaction") {
  const std::string_view script =
      "S 08:00 - tx=tX evse=2 seq=0 v=2.0.1 | U 08:02 - tx=TX seq=1 tag=aa v=2.0.1 | E 09:00 - tx=TX seq=2 "
      "v=2.0.1 "
      "reason=Remote";
  const std::vector<ChargingSession> rows = SessionsAsOf(script, "10:00");
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].evse_id == 2);
  CHECK(rows[0].connector_id == std::nullopt);
  CHECK(rows[0].id_tag_hash == "aa");
  CHECK(rows[0].transaction_id == "tX");  // as first written
  CHECK(rows[0].stop_reason == "Remote");
  CHECK(rows[0].start_ts == At("08:00"));
}

}  // namespace medallion::ocpp
