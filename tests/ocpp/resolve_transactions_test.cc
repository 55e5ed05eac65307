#include "medallion/ocpp/resolve_transactions.h"

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

using testing::SessionsOf;
using testing::Text;

// "1 77+78 COMPLETED 6.500 final TX_ID_INFERRED": connector, id and aliases, status, energy, flags.
std::string Line(const ChargingSession& row) {
  return Text(row.connector_id) + " " + testing::TransactionLine(row);
}

struct Case {
  std::string_view script;
  std::vector<std::string> rows;  // by start
};

void CheckCases(std::initializer_list<Case> cases, std::string_view clock = "23:00",
                const Options& options = {}) {
  for (const Case& c : cases) {
    CAPTURE(c.script);
    std::vector<std::string> rows;
    for (const ChargingSession& row : SessionsOf(c.script, clock, options)) rows.push_back(Line(row));
    CHECK(rows == c.rows);
  }
}

TEST_CASE("resolve: a result gives its call's start the id") {
  CheckCases({
      // Two starts at once, answered the other way round.
      {"S 08:00 1000 con=1 id=s1 tag=a | S 08:00 50000 con=2 id=s2 tag=b | A 08:00:02 902 id=s2 | A 08:00:03 "
       "901 id=s1 | "
       "E 09:00 4000 tx=901 | E 09:30 58000 tx=902",
       {"1 901 COMPLETED 3.000 final", "2 902 COMPLETED 8.000 final"}},
      // The result came with the call, and before it in the file.
      {"A 08:00:01 901 id=s1 | S 08:00 1000 con=1 id=s1 | E 09:00 4000 tx=901",
       {"1 901 COMPLETED 3.000 final"}},
      // No call came before it: nothing is known of the id's start.
      {"A 08:00:00 901 id=s1 | S 08:00 1000 con=1 id=s1 | E 09:00 4000 tx=902 tag=x | S 08:00 1 con=2 id=s3 "
       "tag=y",
       {"1 902 COMPLETED 3.000 final TX_ID_INFERRED", "2 - IN_PROGRESS -"}},
      // 24 h is the longest that an answer may take.
      {"S 08:00 1000 con=1 id=s1 | A 1/08:00:01 901 id=s1", {"1 901 IN_PROGRESS -"}},
      {"S 08:00 1000 con=1 id=s1 | A 1/08:00:02 901 id=s1", {"1 - IN_PROGRESS -"}},
      // The latest call of that id; a boot opens a new epoch of ids.
      {"S 08:00 1000 con=1 id=7 | S 08:30 5000 con=2 id=7 | A 08:30:02 901 id=7",
       {"1 - IN_PROGRESS -", "2 901 IN_PROGRESS -"}},
      {"S 08:00 1000 con=1 id=7 | B 08:10 | A 08:30 901 id=7", {"1 - IN_PROGRESS - REBOOT_DURING_SESSION"}},
      {"S 08:00 1000 con=1 id=7 | B 07:59 | A 08:30 901 id=7", {"1 901 IN_PROGRESS -"}},
      // Connections that are named tell calls apart; an unknown one does not.
      {"S 08:00 1000 con=1 id=7 link=x | S 08:10 5000 con=2 id=7 link=y | A 08:10:02 901 id=7 link=x",
       {"1 901 IN_PROGRESS -", "2 - IN_PROGRESS -"}},
      {"S 08:00 1000 con=1 id=7 link=x | A 08:10 901 id=7 link=y", {"1 - IN_PROGRESS -"}},
      {"S 08:00 1000 con=1 id=7 link=x | A 08:10 901 id=7", {"1 901 IN_PROGRESS -"}},
      {"S 08:00 1000 con=1 id=7 link=x | S 08:10 5000 con=2 id=7 | A 08:10:02 901 id=7 link=x",
       {"1 901 IN_PROGRESS -", "2 - IN_PROGRESS -"}},
  });
}

TEST_CASE("resolve: a start sent again is one start, its ids are aliases") {
  CheckCases(
      {
          // Same message id, answered once.
          {"S 10:01 12000 con=1 id=a tag=t | S 10:01 12000 con=1 id=a tag=t late=11 | A 10:02 63 id=a | E "
           "11:01 19400 tx=63",
           {"1 63 COMPLETED 7.400 final"}},
          // Answered with two ids; events under both.
          {"S 10:00 1000 con=1 id=a tag=t | S 10:00 1000 con=1 id=b tag=t late=60 | A 10:00:02 503 id=a | A "
           "10:01:02 502 id=b "
           "| R 10:10 2000 tx=503 con=1 | R 10:20 3000 tx=502 con=1 | E 11:00 8500 tx=503",
           {"1 502+503 COMPLETED 7.500 final TX_ID_ALIASED"}},
          // Numbers by value: 9 is less than 10.
          {"S 10:00 1000 con=1 id=a | S 10:00 1000 con=1 id=b late=60 | A 10:00:02 10 id=a | A 10:01:02 9 "
           "id=b | E 11:00 8500 "
           "tx=10",
           {"1 9+10 COMPLETED 7.500 final TX_ID_ALIASED"}},
          // Both stopped: one stop, or a conflict.
          {"S 10:00 1000 con=1 id=a | S 10:00 1000 con=1 id=b late=60 | A 10:00:02 1001 id=a | A 10:01:02 "
           "1002 id=b | E 11:00 "
           "8500 tx=1001 | E 11:00 8500 tx=1002",
           {"1 1001+1002 COMPLETED 7.500 final TX_ID_ALIASED"}},
          {"S 10:00 1000 con=1 id=a | S 10:00 1000 con=1 id=b late=60 | A 10:00:02 1001 id=a | A 10:01:02 "
           "1002 id=b | E 11:00 "
           "8500 tx=1001 | E 11:05 8700 tx=1002",
           {"1 1001+1002 COMPLETED 7.500 CONFLICT TX_ID_ALIASED"}},
          // Another tag, meter or time: another start.
          {"S 10:00 1000 con=1 id=a tag=t | S 10:00 1000 con=1 id=b tag=u | A 10:00:02 1001 id=a | A "
           "10:00:03 1002 id=b",
           {"1 1001 IN_PROGRESS -", "1 1002 IN_PROGRESS -"}},
          // The id is used again: two sessions.
          {"S 08:00 1000 con=1 id=a | A 08:00:01 1 id=a | E 09:00 4000 tx=1 | S 1/08:00 4000 con=1 id=c | A "
           "1/08:00:01 1 id=c | "
           "R 1/08:30 6000 tx=1 con=1 | E 1/09:00 9000 tx=1",
           {"1 1 COMPLETED 3.000 final", "1 1 COMPLETED 5.000 final TX_ID_REUSED"}},
      },
      "1/09:30");
}

TEST_CASE("resolve: a refused start is no evidence about others") {
  CheckCases({
      {"S 08:00 50000 con=1 id=a tag=A | A 08:00:01 21 id=a auth=Accepted | S 08:30 55000 con=1 id=b tag=B | "
       "A 08:30:01 0 id=b "
       "auth=Blocked | E 08:30:19 55000 tx=-1 tag=B | E 09:00 59000 tx=21 tag=A",
       {"1 21 COMPLETED 9.000 final", "1 - COMPLETED 0.000 final ZERO_ENERGY TX_ID_INFERRED AUTH_REJECTED"}},
      // It supersedes nothing, and its register is nobody's previous.
      {"S 08:00 1000 con=1 id=a | A 08:00:01 21 id=a | S 08:30 1000 con=1 id=b tag=B | A 08:30:01 22 id=b "
       "auth=Invalid",
       {"1 21 IN_PROGRESS -", "1 22 IN_PROGRESS - AUTH_REJECTED"}},
      {"S 08:00 1000 con=1 id=a tag=A | A 08:00:01 21 id=a | E 08:10 2000 tx=21 | S 08:30 5000 con=1 id=b "
       "tag=B | A 08:30:01 22 "
       "id=b auth=Invalid | E 08:31 5000 tx=22 | S 09:00 2000 con=1 id=c | A 09:00:01 23 id=c",
       {"1 21 COMPLETED 1.000 final", "1 22 COMPLETED 0.000 final ZERO_ENERGY AUTH_REJECTED",
        "1 23 IN_PROGRESS -"}},
      // A retry that is refused does not refuse the start.
      {"S 08:00 1000 con=1 id=a | S 08:00 1000 con=1 id=b late=60 | A 08:00:01 21 id=a auth=Accepted | A "
       "08:01:01 0 id=b "
       "auth=ConcurrentTx",
       {"1 21 IN_PROGRESS -"}},
      // A result is valid whatever its status.
      {"S 08:00 1000 con=1 id=a | A 08:00:01 21 id=a auth=Expired | E 08:10 1000 tx=21",
       {"1 21 COMPLETED 0.000 final ZERO_ENERGY AUTH_REJECTED"}},
      {"S 08:00 1000 con=1 id=a | A 08:00:01 21 id=a auth=accepted", {"1 21 IN_PROGRESS -"}},
  });
}

TEST_CASE("resolve: an id is learned where no result was recorded") {
  CheckCases(
      {
          {"S 08:00 1000 con=1 | R 08:30 2000 tx=7 con=1 | E 09:00 4000 tx=7",
           {"1 7 COMPLETED 3.000 final TX_ID_INFERRED"}},
          {"S 08:00 1000 con=1 | E 09:00 4000 tx=7", {"1 7 COMPLETED 3.000 final TX_ID_INFERRED"}},
          // Two starts could be meant: a stop without a connector does not tell, a reading or the tag does.
          {"S 08:00 1000 con=1 tag=a | S 08:00 1500 con=2 tag=b | E 09:00 4000 tx=7",
           {"- 7 START_MISSING - START_MISSING", "1 - IN_PROGRESS -", "2 - IN_PROGRESS -"}},
          {"S 08:00 1000 con=1 tag=a | S 08:00 1500 con=2 tag=b | R 08:10 2000 con=2 tx=7 | E 09:00 4000 "
           "tx=7",
           {"1 - IN_PROGRESS -", "2 7 COMPLETED 2.500 final TX_ID_INFERRED"}},
          {"S 08:00 1000 con=1 tag=a | S 08:00 1500 con=2 tag=b | E 09:00 4000 tx=7 tag=a",
           {"1 7 COMPLETED 3.000 final TX_ID_INFERRED", "2 - IN_PROGRESS -"}},
          {"S 08:00 1000 con=1 | S 08:00 5000 con=2 | E 09:00 4000 tx=7",  // below the second's meter
           {"1 7 COMPLETED 3.000 final TX_ID_INFERRED", "2 - IN_PROGRESS -"}},
          // Not below the start, not beyond 500 kW, not before it, not after 7 days.
          {"S 08:00 5000 con=1 | E 09:00 4000 tx=7",
           {"- 7 START_MISSING - START_MISSING", "1 - IN_PROGRESS -"}},
          {"S 08:00 5000 con=1 | E 09:00 600000 tx=7",
           {"- 7 START_MISSING - START_MISSING", "1 - IN_PROGRESS -"}},
          {"S 08:00 1000 con=1 | E 07:00 4000 tx=7",
           {"- 7 START_MISSING - START_MISSING", "1 - IN_PROGRESS -"}},
          {"S 08:00 1000 con=1 | E 7/08:00 4000 tx=7", {"1 7 COMPLETED 3.000 final TX_ID_INFERRED"}},
          {"S 08:00 1000 con=1 | E 7/08:01 4000 tx=7",
           {"- 7 START_MISSING - START_MISSING", "1 - IN_PROGRESS -"}},
          // An id that another start has, by its result, is that one's.
          {"S 08:00 1000 con=1 id=a | A 08:00:01 7 id=a | S 08:05 1000 con=2 | E 09:00 4000 tx=7",
           {"1 7 COMPLETED 3.000 final", "2 - IN_PROGRESS -"}},
          // A start with a result is none to learn for.
          {"S 08:00 1000 con=1 id=a | A 08:00:01 7 id=a | R 09:00 4000 tx=8 con=1 | R 09:10 4500 tx=8 con=1",
           {"1 8 START_MISSING 0.500 START_MISSING", "1 7 IN_PROGRESS -"}},
          // One after the other.
          {"S 08:00 1000 con=1 | E 09:00 4000 tx=7 | S 10:00 4000 con=1 | E 11:00 6000 tx=8",
           {"1 7 COMPLETED 3.000 final TX_ID_INFERRED", "1 8 COMPLETED 2.000 final TX_ID_INFERRED"}},
      },
      "20:00");
}

TEST_CASE("resolve: a stop without an id joins the one session that fits") {
  CheckCases(
      {
          // Two offline sessions on consecutive days; one answered, one not.
          {"S 08:12:50 10000 con=1 id=q1 tag=T late=3730 | A 09:15 77 id=q1 | E 09:14:40 16500 tx=-1 tag=T "
           "late=22 | "
           "S 1/16:00 16500 con=1 tag=T late=7200 | E 1/17:10 19600 tx=-1 tag=T late=3002",
           {"1 77 COMPLETED 6.500 final LATE_ARRIVAL TX_ID_INFERRED",
            "1 - COMPLETED 3.100 final LATE_ARRIVAL TX_ID_INFERRED"}},
          // At the very instant of the start.
          {"S 11:12:08 33000 con=1 tag=T | E 11:12:08 33000 tag=T reason=Other",
           {"1 - COMPLETED 0.000 final ZERO_ENERGY TX_ID_INFERRED"}},
          // An id that the host lists is none.
          {"S 08:00 1000 con=1 id=a | A 08:00:01 1 id=a | E 09:00 4000 tx=1 | S 10:00 4000 con=1 id=b | A "
           "10:00:01 1 id=b | E 11:00 "
           "9000 tx=1",
           {"1 - COMPLETED 3.000 final TX_ID_INFERRED", "1 - COMPLETED 5.000 final TX_ID_INFERRED"}},
          // Two could be meant: nothing is guessed.
          {"S 08:00 1000 con=1 | S 08:10 1000 con=2 | E 09:00 4000 tx=-1",
           {"- - START_MISSING - START_MISSING", "1 - IN_PROGRESS -", "2 - IN_PROGRESS -"}},
          {"S 08:00 1000 con=1 tag=a | S 08:10 1000 con=2 tag=a | E 09:00 4000 tx=-1 tag=a",
           {"- - START_MISSING - START_MISSING", "1 - IN_PROGRESS -", "2 - IN_PROGRESS -"}},
          // The tag, the meter range, or what was closed before tells.
          {"S 08:00 1000 con=1 tag=a | S 08:10 1000 con=2 tag=b | E 09:00 4000 tx=-1 tag=b",
           {"1 - IN_PROGRESS -", "2 - COMPLETED 3.000 final TX_ID_INFERRED"}},
          {"S 08:00 1000 con=1 | S 08:10 5000 con=2 | E 09:00 4000 tx=-1",
           {"1 - COMPLETED 3.000 final TX_ID_INFERRED", "2 - IN_PROGRESS -"}},
          {"S 08:00 1000 con=1 id=a | A 08:00:01 5 id=a | S 08:10 1000 con=2 id=b | A 08:10:01 6 id=b | E "
           "08:30 2000 tx=5 | E 09:00 "
           "4000 tx=-1",
           {"1 5 COMPLETED 1.000 final", "2 6 COMPLETED 3.000 final TX_ID_INFERRED"}},
          {"S 08:00 1000 con=1 tag=a | S 08:10 1000 con=2 tag=b | E 08:30 2000 tx=0 tag=a | E 09:00 4000 "
           "tx=-1",  // chain
           {"1 - COMPLETED 1.000 final TX_ID_INFERRED", "2 - COMPLETED 3.000 final TX_ID_INFERRED"}},
          // None fits: another tag, below the start, too much, before it, over 7 days after.
          {"S 08:00 1000 con=1 tag=a | E 09:00 4000 tx=-1 tag=b",
           {"- - START_MISSING - START_MISSING", "1 - IN_PROGRESS -"}},
          {"S 08:00 5000 con=1 | E 09:00 4000 tx=-1",
           {"- - START_MISSING - START_MISSING", "1 - IN_PROGRESS -"}},
          {"S 08:00 5000 con=1 | E 09:00 600000 tx=-1",
           {"- - START_MISSING - START_MISSING", "1 - IN_PROGRESS -"}},
          {"S 08:00 1000 con=1 | E 07:59 4000 tx=-1",
           {"- - START_MISSING - START_MISSING", "1 - IN_PROGRESS -"}},
          {"S 08:00 1000 con=1 | E 7/08:00 4000 tx=-1", {"1 - COMPLETED 3.000 final TX_ID_INFERRED"}},
          {"S 08:00 1000 con=1 | E 7/08:00:01 4000 tx=-1",
           {"- - START_MISSING - START_MISSING", "1 - IN_PROGRESS -"}},
          {"S 08:00 1000 con=1 id=a | A 08:00:01 5 id=a | E 08:30 2000 tx=5 | E 08:40 2000 tx=-1",  // closed already
           {"- - START_MISSING - START_MISSING", "1 5 COMPLETED 1.000 final"}},
          // What was lost was over when the next one began on that connector.
          {"S 08:00 1000 con=1 tag=a | S 10:00 5000 con=1 tag=a | E 11:00 6000 tx=-1 tag=a",
           {"1 - TIMED_OUT - STOP_MISSING SUPERSEDED", "1 - COMPLETED 1.000 final TX_ID_INFERRED"}},
          // A copy of a stop under an id is that stop.
          {"S 08:00 1000 con=1 id=a | A 08:00:01 5 id=a | E 08:30 2000 tx=5 | E 08:30 2000 tx=-1 late=60",
           {"1 5 COMPLETED 1.000 final"}},
          {"S 08:00 1000 con=1 id=a | A 08:00:01 5 id=a | S 08:00 1000 con=2 id=b | A 08:00:02 6 id=b | E "
           "08:30 2000 tx=5 | E 08:30 "
           "2000 tx=-1 | E 09:00 3000 tx=6",
           {"1 5 COMPLETED 1.000 final", "2 6 COMPLETED 2.000 final"}},
          // Flat feeds are no other.
          {"S 08:00 1000 con=1 tx=5 | E 08:30 2000 tx=0", {"1 5 COMPLETED 1.000 final TX_ID_INFERRED"}},
          {"E 09:00 4000 tx=-1 | E 10:00 5000 tx=-1",
           {"- - START_MISSING - START_MISSING", "- - START_MISSING - START_MISSING"}},
      },
      "18:00", [] {
        Options options;
        options.not_an_id = {"1"};
        return options;
      }());
}

TEST_CASE("resolve: readings without an id join the session open on the connector") {
  CheckCases({
      {"S 10:00 20000 con=1 id=a | A 10:00:01 5512 id=a | R 10:10 22000 tx=5512 con=1 | R 10:20 25231 tx=0 "
       "con=1",
       {"1 5512 IN_PROGRESS 5.231 TX_ID_INFERRED"}},
      // Another reference: the lifetime register between readings of the session's own counter.
      {"S 05:00 0 con=1 id=a | A 05:00:01 1695 id=a | R 05:29:17 912 tx=1695 con=1 | R 05:30 2514300 tx=0 "
       "con=1 "
       "ctx=Sample.Clock | R 05:35 1210 tx=1695 con=1 | E 05:45 1500 tx=1695",
       {"1 1695 COMPLETED 1.500 final"}},
      {"S 05:00 0 con=1 id=a | A 05:00:01 1695 id=a | R 05:29:17 912 tx=1695 con=1 | R 05:30 45000 tx=0 "
       "con=1 | R 05:35 1210 "
       "tx=1695 con=1 | E 05:45 1500 tx=1695",  // plausible from the start alone
       {"1 1695 COMPLETED 1.500 final"}},
      {"S 05:00 0 con=1 id=a | A 05:00:01 1695 id=a | R 05:29:17 912 tx=1695 con=1 | R 05:30 45000 tx=0 "
       "con=1",
       {"1 1695 IN_PROGRESS 0.912"}},
      // On another connector, on none, after the stop, before the start.
      {"S 10:00 1000 con=1 id=a | A 10:00:01 5 id=a | R 10:10 2000 con=2", {"1 5 IN_PROGRESS -"}},
      {"S 10:00 1000 con=1 id=a | A 10:00:01 5 id=a | R 10:10 2000 con=0", {"1 5 IN_PROGRESS -"}},
      {"S 10:00 1000 con=1 id=a | A 10:00:01 5 id=a | E 10:10 2000 tx=5 | R 10:10 2000 con=1 | R 10:20 2000 "
       "con=1",
       {"1 5 COMPLETED 1.000 final"}},
      {"S 10:00 1000 con=1 id=a | A 10:00:01 5 id=a | R 09:59 2000 con=1", {"1 5 IN_PROGRESS -"}},
      // A refused start takes no reading, and keeps none from the running one.
      {"S 10:00 1000 con=1 id=a | A 10:00:01 5 id=a | S 10:05 1500 con=1 id=b | A 10:05:01 6 id=b "
       "auth=Blocked | R 10:10 2000 "
       "con=1",
       {"1 5 IN_PROGRESS 1.000 TX_ID_INFERRED", "1 6 IN_PROGRESS - AUTH_REJECTED"}},
      // Alone they are never a session, whatever they show.
      {"R 10:00 1000 con=1 | R 10:10 3000 con=1 | P 10:10 11000 con=1", {}},
      // Also where the start has no id yet, and where it is learned from a later fact.
      {"S 10:00 1000 con=1 | R 10:10 2000 con=1", {"1 - IN_PROGRESS 1.000 TX_ID_INFERRED"}},
      {"S 10:00 1000 con=1 | R 10:10 2000 con=1 | E 11:00 3000 tx=7",
       {"1 7 COMPLETED 2.000 final TX_ID_INFERRED"}},
      // A sample that is no register belongs there too.
      {"S 10:00 1000 con=1 id=a | A 10:00:01 5 id=a | P 10:10 7400 con=1",
       {"1 5 IN_PROGRESS - TX_ID_INFERRED"}},
  });
}

TEST_CASE("resolve: neighbours on a connector") {
  CheckCases(
      {
          // Start equals stop in every session; the energy lies between them.
          {"S 08:00 10000 con=1 tx=1 | E 11:00 10000 tx=1 | S 1/08:00 21200 con=1 tx=2 | E 1/11:00 21200 "
           "tx=2 | S 2/08:00 30000 con=1 "
           "tx=3 | E 2/11:00 30000 tx=3",
           {"1 1 COMPLETED 0.000 final ZERO_ENERGY",
            "1 2 COMPLETED 0.000 final ZERO_ENERGY UNATTRIBUTED_ENERGY",
            "1 3 COMPLETED 0.000 final ZERO_ENERGY UNATTRIBUTED_ENERGY"}},
          // 50 Wh is nothing; another connector is another meter; over 90 days after the stop no neighbour.
          {"S 08:00 1000 con=1 tx=1 | E 09:00 2000 tx=1 | S 10:00 2050 con=1 tx=2",
           {"1 1 COMPLETED 1.000 final", "1 2 TIMED_OUT - STOP_MISSING"}},
          {"S 08:00 1000 con=1 tx=1 | E 09:00 2000 tx=1 | S 10:00 2051 con=1 tx=2",
           {"1 1 COMPLETED 1.000 final", "1 2 TIMED_OUT - STOP_MISSING UNATTRIBUTED_ENERGY"}},
          {"S 08:00 1000 con=1 tx=1 | E 09:00 2000 tx=1 | S 10:00 9000 con=2 tx=2",
           {"1 1 COMPLETED 1.000 final", "2 2 TIMED_OUT - STOP_MISSING"}},
          {"S 08:00 1000 con=1 tx=1 | E 09:00 2000 tx=1 | S 90/09:00 9000 con=1 tx=2",
           {"1 1 COMPLETED 1.000 final", "1 2 IN_PROGRESS - UNATTRIBUTED_ENERGY"}},
          {"S 08:00 1000 con=1 tx=1 | E 09:00 2000 tx=1 | S 90/09:01 9000 con=1 tx=2",
           {"1 1 COMPLETED 1.000 final", "1 2 IN_PROGRESS -"}},
          // The session before never stopped: what it took is not known.
          {"S 08:00 1000 con=1 tx=1 | E 09:00 2000 tx=1 | S 10:00 2000 con=1 tx=2 | S 12:00 7000 con=1 tx=3",
           {"1 1 COMPLETED 1.000 final", "1 2 TIMED_OUT - STOP_MISSING SUPERSEDED",
            "1 3 TIMED_OUT - STOP_MISSING"}},
          // A stop without its start that names the connector.
          {"E 09:00 2000 tx=1 con=1 | S 10:00 9000 con=1 tx=2",
           {"1 1 START_MISSING - START_MISSING", "1 2 TIMED_OUT - STOP_MISSING UNATTRIBUTED_ENERGY"}},
          // A meter that starts at zero each time.
          {"S 08:00 0 con=1 tx=1 | E 09:00 7400 tx=1 | S 1/08:00 0 con=1 tx=2 | E 1/08:40 3100 tx=2",
           {"1 1 COMPLETED 7.400 final", "1 2 COMPLETED 3.100 final METER_REBASED"}},
          // Of 2.x, where the registers are samples.
          {"S 08:00 - tx=a evse=1 v=2.1 | R 08:00 1000 tx=a ctx=Transaction.Begin v=2.1 | E 09:00 - tx=a "
           "v=2.1 | R 09:00 2000 tx=a "
           "ctx=Transaction.End v=2.1 | S 10:00 - tx=b evse=1 v=2.1 | R 10:00 2500 tx=b "
           "ctx=Transaction.Begin v=2.1 | E 11:00 - tx=b "
           "v=2.1 | R 11:00 3500 tx=b ctx=Transaction.End v=2.1 | S 12:00 - tx=c evse=1 v=2.1 | R 12:00 3500 "
           "tx=c "
           "ctx=Transaction.Begin v=2.1 | E 13:00 - tx=c v=2.1 | R 13:00 4500 tx=c ctx=Transaction.End v=2.1",
           {"- a COMPLETED 1.000 final", "- b COMPLETED 1.000 final UNATTRIBUTED_ENERGY",
            "- c COMPLETED 1.000 final"}},
          // A start that cannot be: the stop before it is the baseline, if it fits.
          {"S 08:00 240000 con=1 tx=1 | E 09:00 249900 tx=1 | S 1/08:00 0 con=1 tx=2 | R 1/08:12 250000 "
           "con=1 tx=2 | E 1/08:18 "
           "250640 tx=2",
           {"1 1 COMPLETED 9.900 final", "1 2 COMPLETED 0.740 METER_ANOMALY METER_START_INVALID"}},
          {"S 08:00 1000 con=1 tx=1 | E 09:00 2000 tx=1 | S 1/08:00 0 con=1 tx=2 | R 1/08:12 250000 con=1 "
           "tx=2 | E 1/08:18 250640 "
           "tx=2",
           {"1 1 COMPLETED 1.000 final", "1 2 COMPLETED 0.640 METER_ANOMALY METER_START_INVALID"}},
      },
      "91/07:00");
}

TEST_CASE("resolve: boots and faults annotate a session, and never end it") {
  CheckCases(
      {
          {"S 08:00 500 con=1 id=a | A 08:00:01 352 id=a | R 08:20 2500 con=1 tx=352 | B 09:10 | R 09:30 "
           "4300 con=1 tx=352 | E 10:00 "
           "7910 tx=352",
           {"1 352 COMPLETED 7.410 final REBOOT_DURING_SESSION"}},
          {"S 06:56 0 con=1 id=a | A 06:56:01 25 id=a | F 06:56:21 - con=1 | R 07:10 1500 con=1 tx=25 | E "
           "07:30 3600 tx=25",
           {"1 25 COMPLETED 3.600 final FAULT_DURING_SESSION"}},
          // Outside the session, on another connector, of the whole station.
          {"B 07:59 | F 07:59 - con=1 | S 08:00 500 con=1 tx=1 | F 08:10 - con=2 | F 08:20 - con=0 | E 09:00 "
           "900 tx=1 | B 09:00:01 | "
           "F 09:01 - con=1",
           {"1 1 COMPLETED 0.400 final"}},
          // Open: before the next start on the connector, and for 7 days at most.
          {"S 08:00 500 con=1 tx=1 | S 09:00 900 con=1 tx=2 | B 09:30",
           {"1 1 TIMED_OUT - STOP_MISSING SUPERSEDED", "1 2 IN_PROGRESS - REBOOT_DURING_SESSION"}},
          {"S 08:00 500 con=1 tx=1 | B 7/08:01", {"1 1 IN_PROGRESS -"}},
      },
      "20:00");
}

// The settled resolution of a script, and what it asked for.
Resolution Settled(std::string_view script, std::string_view touched, bool went, bool loose) {
  const testing::History history = testing::Said(script);
  const TimeSpan at{testing::At(touched), testing::At(touched)};
  Resolution answer{.settled = false, .need = at};
  bool details = false;
  while (!answer.settled) {
    const TimeSpan seen = answer.need;
    details = details || answer.need_details;
    std::vector<ChargingElement> elements;
    for (const ChargingElement& element : history.elements) {
      if (seen.Holds(element.row.event_ts) || seen.Holds(element.row.ingest_ts)) elements.push_back(element);
    }
    answer = ResolveTransactions(
        {.touched = at, .seen = seen, .details = details, .elements = elements, .went = went, .loose = loose},
        {});
    if (answer.settled) answer.need = seen;
  }
  answer.need_details = details;
  return answer;
}

// How many days before and after what was touched a resolution asks for, with all of that in sight.
struct Reach {
  int64_t before = 0, after = 0;
  bool details = false;
};

Reach ReachOf(std::string_view script, std::string_view touched, bool went, bool loose) {
  const Resolution answer = Settled(script, touched, went, loose);
  const UtcTime at = testing::At(touched);
  const auto days = [](int64_t us) { return (us + kMicrosPerDay - 1) / kMicrosPerDay; };
  return {days(at.us - answer.need.from.us), days(answer.need.to.us - at.us), answer.need_details};
}

TEST_CASE("resolve: what is near is looked for near") {
  std::string flat, frames;
  for (int day = 0; day < 100; ++day) {
    const std::string n = std::to_string(day), at = " " + n + "/";
    flat += (day == 0 ? "" : " | ") +
            ("S" + at + "08:00 1000 con=1 tx=" + n + "7 | E" + at + "09:00 1000 tx=" + n + "7");
    frames += (day == 0 ? "" : " | ") + ("S" + at + "08:00 1000 con=1 id=m" + n + " | A" + at + "08:00:01 " +
                                         n + "7 id=m" + n + " | E" + at + "09:00 1000 tx=" + n + "7");
  }
  CHECK(ReachOf(flat, "50/09:00", false, false).before <= 8);
  CHECK(ReachOf(flat, "50/09:00", false, false).after <= 2);
  CHECK(ReachOf(flat, "99/09:00", false, false).after <= 181);  // where nothing is
  CHECK(ReachOf(flat, "50/09:00", true, false).before <= 93);
  CHECK(ReachOf(frames, "50/09:00", false, true).before <= 12);
  CHECK_FALSE(ReachOf(frames, "50/09:00", false, true).details);
  // A start without a result asks for the readings around it.
  CHECK(ReachOf(frames + " | S 100/08:00 1000 con=1", "100/08:00", false, true).details);
}

// Whether what happens at `touched`, where nothing goes, has the links at `place` told anew.
bool BearsOn(std::string_view script, std::string_view touched, std::string_view place) {
  return Settled(script, touched, false, true).span.Holds(testing::At(place));
}

TEST_CASE("resolve: what takes something from a start bears on those that knew it as that one's") {
  // A start that comes after its own stop: that was the one's before it with the id, and told the next on its line.
  const std::string_view before[] = {"S 08:00 500 con=1 tx=5", "S 08:00 500 con=1 id=b | A 08:00:01 5 id=b"};
  const std::string_view again[] = {"S 60/08:00 0 con=2 id=a | A 60/08:00:01 5 id=a",
                                    "S 60/08:00 0 con=2 tx=5"};
  for (const std::string_view first : before) {
    for (const std::string_view second : again) {
      const std::string script = std::string(first) + " | " + std::string(second) +
                                 " | E 60/09:00 900 tx=5 | S 85/08:00 1500 con=1 tx=6";
      CAPTURE(script);
      CHECK(BearsOn(script, "60/08:00", "85/08:00"));
      CHECK(BearsOn(script, "60/08:00", "08:00"));
    }
  }
  // A boot that parts a start from its second result: that one's id was an alias, and is another start's own.
  const std::string_view boot =
      "S 08:00 500 con=1 id=a | A 08:00:01 6 id=a | S 09:00 500 con=1 tx=9 | S 1/08:00 500 con=1 id=b"
      " | A 1/08:00:01 1 id=b | B 1/12:00 | A 1/13:00 6 id=b";
  CHECK(BearsOn(boot, "1/12:00", "08:00"));
}

}  // namespace
}  // namespace medallion::ocpp
