// Whole conversations, from frames to sessions: kinds of trouble that stations make, each in several forms. Whatever the
// order in which the records come.

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "../catch.h"
#include "frame_script.h"
#include "session_line.h"
#include "tests/laws.h"

namespace medallion::ocpp {
namespace {

using testing::SessionsOfFrames;
using testing::Text;

// "1 77+78 COMPLETED 6.500 final TX_ID_INFERRED": connector or EVSE, id and aliases, status, energy, flags.
std::string Line(const ChargingSession& row) {
  return Text(row.connector_id.has_value() ? row.connector_id : row.evse_id) + " " +
         testing::TransactionLine(row);
}

struct Case {
  std::string_view script;
  std::vector<std::string> rows;  // by start
};

void CheckCases(std::initializer_list<std::string_view> versions, std::initializer_list<Case> cases,
                std::string_view clock = "23:00") {
  for (const Case& c : cases) {
    for (const std::string_view version : versions) {
      for (const bool backwards : {false, true}) {
        CAPTURE(c.script, version, backwards);
        std::vector<std::string> rows;
        for (const ChargingSession& row : SessionsOfFrames(c.script, version, clock, backwards))
          rows.push_back(Line(row));
        CHECK(rows == c.rows);
      }
    }
  }
}

// Sessions one after the other, whose ids come again; their stops late, some of them sent twice.
std::string ReusedIds(uint64_t seed) {
  medallion::testing::Random random(seed);
  std::string script;
  const auto add = [&](const std::string& line) { script += (script.empty() ? "" : " | ") + line; };
  const auto clock = [](int64_t minute) {
    return (minute / 60 < 10 ? "0" : "") + std::to_string(minute / 60) + (minute % 60 < 10 ? ":0" : ":") +
           std::to_string(minute % 60);
  };
  int64_t minute = 60, wh = 1000;
  for (int64_t session = 0, sessions = 2 + random.Below(3); session < sessions; ++session, minute += 20) {
    const std::string tx = std::to_string(5 + random.Below(4) / 3), id = std::to_string(session);
    const std::string at = clock(minute) + " ", from = std::to_string(wh);
    add("S " + at + from + " con=" + std::to_string(1 + random.Below(4) / 3) + " tag=A id=s" + id);
    add("A " + clock(minute) + ":02 " + tx + " id=s" + id);
    const std::string stop = "E " + clock(minute + 10) + " " + std::to_string(wh += 500) + " tag=A tx=" + tx;
    const std::string late = " late=" + std::to_string(random.Chance(500'000) ? 1 : random.Below(5000));
    add(stop + late);
    if (random.Chance(300'000)) add(stop + " late=" + std::to_string(random.Below(5000)));
  }
  return script;
}

}  // namespace

TEST_CASE("frame sessions: under an id that is used again no true stop contradicts another") {
  const Options options;
  for (uint64_t seed = 0; seed < medallion::testing::LawSeeds(); ++seed) {
    const std::string script = ReusedIds(seed);
    CAPTURE(seed, script);
    testing::FrameScript frames(script, "1.6");
    Refined<ChargingEvent> refined = Refine(frames.records(), options);
    testing::History history{std::move(refined.texts), std::move(refined.elements)};
    testing::SettleAll(options, history);
    for (const ChargingElement& element : history.elements) REQUIRE(!element.standing.conflict);
    for (const ChargingSession& row : testing::SessionsOf(history, "23:00", options)) {
      CAPTURE(Line(row));
      REQUIRE(row.energy_kwh == Thousandths{500});
      REQUIRE(row.energy_is_final);
    }
  }
}

TEST_CASE("frame sessions: a refusal without a transaction id refuses its start") {
  CheckCases(
      {"1.6"},
      {
          {"S 10:00 1000 id=a | A 10:00:01 - id=a auth=Invalid", {"1 - IN_PROGRESS - AUTH_REJECTED"}},
          {"S 10:00 1000 id=a tag=X | A 10:00:01 - id=a auth=Invalid | E 10:00:20 1000 tx=-1 tag=X",
           {"1 - COMPLETED 0.000 final ZERO_ENERGY TX_ID_INFERRED AUTH_REJECTED"}},
          // It ends nothing that runs on its connector.
          {"S 09:00 500 id=z | A 09:00:01 4 id=z | S 10:00 1000 id=a tag=X | A 10:00:01 - id=a auth=Invalid",
           {"1 4 IN_PROGRESS -", "1 - IN_PROGRESS - AUTH_REJECTED"}},
          // Accepted when it was sent again.
          {"S 10:00 1000 id=a | A 10:00:01 - id=a auth=Invalid | S 10:00 1000 id=b late=60 | A 10:01:01 5 "
           "id=b | E 11:00 2500 tx=5",
           {"1 5 COMPLETED 1.500 final"}},
          // An answer to something else.
          {"S 10:00 1000 id=a | A 10:00:01 5 id=a | A 10:00:02 - id=b auth=Invalid", {"1 5 IN_PROGRESS -"}},
      });
}

TEST_CASE("frame sessions: samples inside a stop without a usable id are that stop's") {
  CheckCases(
      {"1.6"},
      {
          {"S 10:00 - id=a tag=T | E 11:00 2500 tag=T "
           "data=Transaction.Begin;10:00;1000,Sample.Periodic;10:30;1500,Transaction.End;11:00;2500",
           {"1 - COMPLETED 1.500 TX_ID_INFERRED"}},  // one reading of a header, one of a sample
          {"S 10:00 1000 id=a tag=T | A 10:00:01 5 id=a | E 11:00 2500 tx=-1 tag=T "
           "data=Sample.Periodic;10:30;1500,Transaction.End;11:00;2800",
           {"1 5 COMPLETED 1.500 TXDATA_MISMATCH METER_NON_MONOTONIC TX_ID_INFERRED"}},
          // Two at one instant, each with samples of its own.
          {"S 10:00 1000 con=1 tag=T | S 10:00 9000 con=2 tag=U | E 11:00 2500 tx=-1 tag=T "
           "data=Sample.Periodic;10:30;1500,Transaction.End;11:00;2500 | E 11:00 9500 tx=-1 tag=U "
           "data=Sample.Periodic;10:30;9200,Transaction.End;11:00;9500",
           {"1 - COMPLETED 1.500 final TX_ID_INFERRED", "2 - COMPLETED 0.500 final TX_ID_INFERRED"}},
          // Sent once more.
          {"S 10:00 1000 tag=T | E 11:00 2500 tx=null tag=T data=Transaction.End;11:00;2500 | E 11:00 2500 "
           "tx=null tag=T late=60 data=Transaction.End;11:00;2500",
           {"1 - COMPLETED 1.500 final TX_ID_INFERRED"}},
      });
}

TEST_CASE("frame sessions: an alias that another start is given") {
  const std::string_view two_ids =
      "S 10:00 1000 con=1 id=a | S 10:00 1000 con=1 id=b late=30 | A 10:00:02 8 id=a | A 10:00:32 9 id=b | ";
  const auto check = [&](std::string_view rest, const std::vector<std::string>& rows) {
    const std::string script = std::string(two_ids) + std::string(rest);
    CheckCases({"1.6"}, {{script, rows}}, "8/00:00");
  };
  const std::string first = "1 8+9 COMPLETED 7.500 final TX_ID_ALIASED";
  // Later on, whether the station used it before or not; and where the next session's own id is not the smallest either.
  check(
      "E 11:00 8500 tx=8 | S 12:00 8500 con=1 id=c | A 12:00:01 9 id=c | R 12:30 9000 con=1 tx=9 | E 13:00 "
      "10500 tx=9",
      {first, "1 9 COMPLETED 2.000 final TX_ID_REUSED"});
  check(
      "R 10:30 4000 tx=9 con=1 | E 11:00 8500 tx=9 | S 2/12:00 8500 con=1 id=c | A 2/12:00:01 9 id=c | E "
      "2/13:00 10500 tx=9",
      {first, "1 9 COMPLETED 2.000 final TX_ID_REUSED"});
  check("E 11:00 8500 tx=9 | S 2/12:00 8500 con=2 id=c | A 2/12:00:01 9 id=c | A 2/12:00:02 7 id=c",
        {first, "2 7+9 TIMED_OUT - STOP_MISSING TX_ID_ALIASED"});
  // At the same time on another connector: a stop goes by its id.
  check(
      "S 10:10 500 con=2 id=c tag=X | A 10:10:01 9 id=c | R 10:30 900 con=2 tx=9 | E 11:00 8500 tx=8 | E "
      "11:10 1500 tx=9 tag=X",
      {first, "2 9 COMPLETED 1.000 final TX_ID_REUSED"});
  // Before.
  check("E 11:00 8500 tx=8 | S 08:00 500 con=1 id=z | A 08:00:01 9 id=z | E 09:00 900 tx=9",
        {"1 9 COMPLETED 0.400 final",
         "1 8+9 COMPLETED 7.500 final UNATTRIBUTED_ENERGY TX_ID_REUSED "
         "TX_ID_ALIASED"});
}

TEST_CASE("frame sessions: a meter is rebased where the session before ended above zero") {
  const std::string_view first = "S 08:00 0 con=1 tx=1 id=a | A 08:00:01 1 id=a | E 09:00 7400 tx=1";
  CheckCases(
      {"1.6", "2.0.1"},
      {
          {first, {"1 1 COMPLETED 7.400 final"}},
          {std::string(first) + " | S 10:00 0 con=1 tx=2 id=b | A 10:00:01 2 id=b | E 11:00 3100 tx=2",
           {"1 1 COMPLETED 7.400 final", "1 2 COMPLETED 3.100 final METER_REBASED"}},
          {std::string(first) + " | S 10:00 0 con=2 tx=2 id=b | A 10:00:01 2 id=b | E 11:00 3100 tx=2",
           {"1 1 COMPLETED 7.400 final", "2 2 COMPLETED 3.100 final"}},
          {"S 08:00 0 con=1 tx=1 id=a | A 08:00:01 1 id=a | E 09:00 0 tx=1 | S 10:00 0 con=1 tx=2 id=b | A "
           "10:00:01 2 id=b | E 11:00 3100 tx=2",
           {"1 1 COMPLETED 0.000 final ZERO_ENERGY", "1 2 COMPLETED 3.100 final"}},
      });
}

TEST_CASE("frame sessions: a stop register that was set aside tells the next session nothing") {
  const auto after = [](std::string_view stop, std::string_view next) {
    return "S 08:00 1000 con=1 tx=1 id=a | A 08:00:01 1 id=a | R 08:05 1500 con=1 tx=1 | E 08:10 " +
           std::string(stop) + " tx=1 | S 08:15 " + std::string(next) +
           " con=1 tx=2 id=b | A 08:15:01 2 id=b";
  };
  const std::string next = "1 2 IN_PROGRESS -",
                    invalid = "1 1 COMPLETED 0.500 METER_ANOMALY METER_STOP_INVALID",
                    lower = "1 1 COMPLETED 0.500 METER_ANOMALY METER_DECREASED";
  CheckCases({"1.6"}, {{after("-1", "2000"), {invalid, next}}});  // of 2.x a sample, which is quarantined
  CheckCases(
      {"1.6", "2.0.1"},
      {
          {after("4294967296", "2000"), {invalid, next}},
          {after("0", "2000"), {invalid, next}},
          {after("900", "2000"), {lower, next}},
          {after("950000", "980000"), {invalid, next}},  // higher than any charging gets in ten minutes
          {after("1600", "2000"), {"1 1 COMPLETED 0.600 final", next + " UNATTRIBUTED_ENERGY"}},
      });
  // Nor is it a baseline where the next start's register cannot be.
  const std::string first = "1 2 COMPLETED 0.500 METER_ANOMALY METER_START_INVALID";
  const std::string rest = " | R 08:16 3000 con=1 tx=2 | E 08:20 3500 tx=2";
  CheckCases({"1.6", "2.0.1"}, {
                                   {after("0", "4294967296") + rest, {invalid, first}},
                                   {after("900", "4294967296") + rest, {lower, first}},
                               });
  CheckCases({"1.6"}, {{after("-1", "-1") + rest, {invalid, first}}});
  // A start that cannot be says nothing against the stop.
  CheckCases({"1.6"},
             {
                 {"S 08:00 -1 con=1 tx=1 id=a | A 08:00:01 1 id=a | R 08:05 1500 con=1 tx=1 | E 08:10 1600 "
                  "tx=1 | S 08:15 2000 con=1 tx=2 id=b | A 08:15:01 2 id=b",
                  {"1 1 COMPLETED 0.100 METER_ANOMALY METER_START_INVALID", next + " UNATTRIBUTED_ENERGY"}},
             });
  // Of 2.x the begin may come in an update.
  CheckCases({"2.0.1"},
             {
                 {"S 08:00 - con=1 tx=t | R 08:02 1000 tx=t ctx=Transaction.Begin | E 08:10 900 tx=t | "
                  "S 08:15 2000 con=1 tx=u",
                  {"1 t COMPLETED - METER_ANOMALY METER_DECREASED", "1 u IN_PROGRESS -"}},
             });
}

TEST_CASE("frame sessions: an EVSE is one place, whichever connector is named with it") {
  const std::string stop = " | E 08:30 1500 tx=t", next = " | S 09:00 2000 con=1 tx=u";
  const std::string open = "1 t TIMED_OUT - STOP_MISSING SUPERSEDED", done = "1 t COMPLETED 0.500 final";
  const std::string after = "1 u IN_PROGRESS - UNATTRIBUTED_ENERGY";
  const std::string plain = "S 08:00 1000 con=1 tx=t", plug = "S 08:00 1000 con=1 plug=1 tx=t",
                    other = "S 08:00 1000 con=1 plug=2 tx=t";
  CheckCases({"2.0.1", "2.1"},
             {
                 {plain + next + " plug=1", {open, "1 u IN_PROGRESS -"}},
                 {plug + next, {open, "1 u IN_PROGRESS -"}},
                 {other + next + " plug=1", {"2 t TIMED_OUT - STOP_MISSING SUPERSEDED", "1 u IN_PROGRESS -"}},
                 {plain + stop + next + " plug=1", {done, after}},
                 {plug + stop + next, {done, after}},
                 // Connector 1 of two EVSEs.
                 {plug + " | S 09:00 2000 con=2 plug=1 tx=u", {"1 t IN_PROGRESS -", "1 u IN_PROGRESS -"}},
                 // A reading without a transaction is of the EVSE.
                 {plug + " | S 08:01 1000 con=2 plug=1 tx=u | R 08:10 1200 con=1",
                  {"1 t IN_PROGRESS 0.200 TX_ID_INFERRED", "1 u IN_PROGRESS -"}},
             });
}

TEST_CASE("frame sessions: a start that names no EVSE is where its transaction says it is") {
  const std::string start = "S 08:00 1000 con=- tx=t", stop = " | E 08:30 1500 tx=t",
                    next = " | S 09:00 2000 con=1 tx=u";
  const std::string open = "1 t TIMED_OUT - STOP_MISSING SUPERSEDED", done = "1 t COMPLETED 0.500 final";
  const std::string after = "1 u IN_PROGRESS - UNATTRIBUTED_ENERGY";
  CheckCases(
      {"2.0.1", "2.1"},
      {
          // By an update with a register, with power, with none; by a later one than the first.
          {start + " | R 08:02 1000 con=1 tx=t" + stop + next, {done, after}},
          {start + " | P 08:02 7000 con=1 tx=t" + next, {open, "1 u IN_PROGRESS -"}},
          {start + " | U 08:02 - con=1 plug=1 tx=t" + next,
           {"1 t TIMED_OUT - STOP_MISSING SUPERSEDED", "1 u IN_PROGRESS -"}},
          {start + " | U 08:01 - tx=t | U 08:02 - con=1 tx=t" + stop + next, {done, after}},
          {start + " | U 08:02 - con=1 tx=t | U 08:03 - con=2 tx=t" + stop + next, {done, after}},
          // By the one that has the begin, by the end.
          {"S 08:00 - con=- tx=t | R 08:02 1000 con=1 tx=t ctx=Transaction.Begin" + stop + next,
           {done, after}},
          {start + " | E 08:30 1500 con=1 tx=t" + next, {done, after}},
          // The later of two.
          {"S 08:00 1000 con=1 tx=t | S 09:00 1000 con=- tx=u | U 09:01 - con=1 tx=u",
           {open, "1 u IN_PROGRESS -"}},
          {"S 08:00 1000 con=1 tx=t" + stop + " | S 09:00 2000 con=- tx=u | U 09:01 - con=1 tx=u",
           {done, after}},
          // It names the EVSE beside a sample that was sent before: the row is a copy, and shows nothing.
          {"S 08:00 - con=- tx=t | R 08:02 1000 tx=t | R 08:03 1000 con=1 tx=t at=08:02 | S 09:00 "
           "2000 con=1 tx=u",
           {"- t TIMED_OUT - STOP_MISSING SUPERSEDED", "1 u IN_PROGRESS -"}},
          // On another EVSE; nowhere.
          {start + " | U 08:02 - con=2 tx=t" + next, {"2 t IN_PROGRESS -", "1 u IN_PROGRESS -"}},
          {start + next, {"- t IN_PROGRESS -", "1 u IN_PROGRESS -"}},
          // A reading without a transaction is of the other one.
          {start + " | U 08:02 - con=2 tx=t | S 08:03 1000 con=1 tx=u | R 08:10 1200 con=1",
           {"2 t IN_PROGRESS -", "1 u IN_PROGRESS 0.200 TX_ID_INFERRED"}},
      });
}

TEST_CASE(
    "frame sessions: a session of many days, whose stop names no connector, is the next one's neighbour") {
  CheckCases({"1.6", "2.0.1"},
             {
                 {"S 10:00 1000 con=1 id=a tx=5 | A 10:00:01 5 id=a | E 20/11:00 2500 tx=5 | S 21/10:00 3500 "
                  "con=1 id=b tx=6 | A 21/10:00:01 6 id=b | E 21/11:00 4500 tx=6",
                  {"1 5 COMPLETED 1.500 final DURATION_IMPLAUSIBLE",
                   "1 6 COMPLETED 1.000 final UNATTRIBUTED_ENERGY"}},
             },
             "22/00:00");
  // Its stop counts for 90 days, whenever it began.
  const auto next = [](std::string_view start) {
    return "S 10:00 1000 con=1 id=a tx=5 | A 10:00:01 5 id=a | E 20/11:00 2500 tx=5 | S " +
           std::string(start) + " 3500 con=1 id=b tx=6 | A 110/11:02 6 id=b";
  };
  const std::string first = "1 5 COMPLETED 1.500 final DURATION_IMPLAUSIBLE";
  CheckCases({"1.6", "2.0.1"},
             {
                 {next("110/11:00"), {first, "1 6 IN_PROGRESS - UNATTRIBUTED_ENERGY"}},
                 {next("110/11:01"), {first, "1 6 IN_PROGRESS -"}},
             },
             "110/12:00");
}

TEST_CASE(
    "frame sessions: begin and end are those of the messages of start and stop, whatever their clocks") {
  CheckCases({"1.6"}, {
                          {"S 10:00 - id=a | A 10:00:01 5 id=a | E 11:00 - tx=5 "
                           "data=Transaction.Begin;09:59:59;1000,Transaction.End;11:00:01;2500",
                           {"1 5 COMPLETED 1.500 final"}},
                          {"S 10:00 1000 id=a | A 10:00:01 5 id=a | E 11:00 2500 tx=5 "
                           "data=Transaction.Begin;09:59:59;1000,Transaction.End;11:00:01;2500",
                           {"1 5 COMPLETED 1.500 final"}},
                          {"S 10:00 1000 id=a | A 10:00:01 5 id=a | E 11:00 2500 tx=5 "
                           "data=Sample.Periodic;11:00:01;2500",
                           {"1 5 COMPLETED 1.500 final READING_OUTSIDE_SESSION"}},
                      });
  CheckCases({"2.0.1", "2.1"}, {
                                   {"S 10:00 1000 tx=t at=09:59:59 | E 11:00 2500 tx=t at=11:00:01",
                                    {"1 t COMPLETED 1.500 final"}},
                                   // Two ends that disagree: neither is final.
                                   {"S 10:00 1000 tx=t | E 11:00 2500 tx=t | E 11:05 2900 tx=t",
                                    {"1 t COMPLETED 1.500 TXDATA_MISMATCH READING_OUTSIDE_SESSION"}},
                                   {"S 10:00 1000 tx=t | E 11:00 2500 tx=t | E 11:05 2505 tx=t",
                                    {"1 t COMPLETED 1.500 final READING_OUTSIDE_SESSION"}},
                               });
}

TEST_CASE("frame sessions: a power cut ends several sessions at one instant, each its own") {
  const std::string_view starts =
      "S 10:00 1000 con=1 tag=T id=a | A 10:00:01 5 id=a | S 10:00:02 1000 con=2 tag=U id=b | "
      "A 10:00:03 -1 id=b | E 11:00 1500 tx=5 | ";
  const std::string one = "1 5 COMPLETED 0.500 final", other = "2 - COMPLETED 0.500 final TX_ID_INFERRED";
  CheckCases({"1.6"}, {{std::string(starts) + "E 11:00 1500 tx=-1 tag=U", {one, other}}});
}

TEST_CASE("frame sessions: a stop under no id repeats one that it does not contradict") {
  const auto check = [](std::string_view rest, const std::vector<std::string>& rows) {
    const std::string script = "S 08:00 1000 id=a tag=T | A 08:00:01 5 id=a | " + std::string(rest);
    CheckCases({"1.6"}, {{script, rows}});
  };
  const std::string one = "1 5 COMPLETED 0.500 final", ghost = "- - START_MISSING - START_MISSING";
  // Whichever of them has the tag, or none; and whatever the id that is none.
  check("E 08:10 1500 tx=5 | E 08:10 1500 tx=-1 tag=T late=60", {one});
  check("E 08:10 1500 tx=5 tag=T | E 08:10 1500 tx=0 late=60", {one});
  check("E 08:10 1500 tx=5 | E 08:10 1500 late=60", {one});
  // The reading is missing.
  check("E 08:10 1500 tx=5 tag=T | E 08:10 - tx=-1 tag=T late=60", {one});
  check("E 08:10 1500 tx=5 | E 08:10 - tx=-1 tag=T late=60", {one});
  // Contradictions, and another instant.
  check("E 08:10 1500 tx=5 tag=T | E 08:10 1500 tx=-1 tag=U late=60", {ghost, one});
  check("E 08:10 1500 tx=5 | E 08:10 1600 tx=-1 tag=T late=60", {ghost, one});
  check("E 08:10 1500 tx=5 | E 08:10:01 1500 tx=-1 tag=T late=60", {ghost, one});
  // Two stop at one instant: what says the same comes first, then what alone fits; else nothing is guessed.
  const std::string_view two = "S 08:00 1000 id=b con=2 tag=U | A 08:00:01 6 id=b | ";
  const auto check_two = [&](std::string_view rest, const std::vector<std::string>& rows) {
    check(std::string(two) + std::string(rest), rows);
  };
  check_two("E 08:10 1500 tx=5 | E 08:10 1500 tx=6 tag=U | E 08:10 1500 tx=-1 tag=U",
            {one, "2 6 COMPLETED 0.500 final"});
  check_two("E 08:10 1500 tx=5 | E 08:10 1700 tx=6 | E 08:10 1700 tx=-1 tag=U",
            {one, "2 6 COMPLETED 0.700 final"});
  check_two("E 08:10 1500 tx=5 | E 08:10 1500 tx=6 | E 08:10 1500 tx=-1 tag=U",
            {one, "2 6 COMPLETED 0.500 final"});
  check_two("E 08:10 1500 tx=5 tag=T | E 08:10 1500 tx=6 tag=U | E 08:10 1500 tx=-1",
            {ghost, one, "2 6 COMPLETED 0.500 final"});
  // Another session that it could end goes on.
  check_two("E 08:10 1500 tx=5 | E 08:10 1500 tx=-1 | E 09:00 2000 tx=6", {one, "2 6 COMPLETED 1.000 final"});
}

TEST_CASE("frame sessions: a message of 2.x is of its own time, not of its samples'") {
  // The row: status, time last heard of, duration, flags.
  struct Heard {
    std::string_view script, clock, row;
  };
  for (const Heard& c : std::initializer_list<Heard>{
           // The begin comes in an update; the session is given up a day after that.
           {"S 08:00 - tx=t | R 10:00 1000 tx=t ctx=Transaction.Begin at=08:00", "1/09:59",
            "IN_PROGRESS 10:00:00 7200"},
           {"S 08:00 - tx=t | R 10:00 1000 tx=t ctx=Transaction.Begin at=08:00", "1/10:00",
            "TIMED_OUT 10:00:00 7200 STOP_MISSING"},
           {"S 08:00 - tx=t | R 10:00 1000 tx=t ctx=Transaction.Begin at=08:00 late=3601", "12:00",
            "IN_PROGRESS 10:00:00 7200 LATE_ARRIVAL"},
           {"S 08:00 - tx=t | R 10:00 7000 tx=t at=08:00 | R 10:30 9000 tx=t at=10:30", "12:00",
            "IN_PROGRESS 10:30:00 9000"},
           {"S 08:00 - tx=t | R 09:00 500 tx=t at=08:10 | P 10:00 7000 tx=t at=08:20", "12:00",
            "IN_PROGRESS 10:00:00 7200"},
           // A sample that is taken later than its message.
           {"S 08:00 - tx=t | R 09:00 1000 tx=t at=10:00 late=3601", "12:00",
            "IN_PROGRESS 10:00:00 7200 LATE_ARRIVAL"},
           // Samples of another time than the start or stop that holds them.
           {"S 08:00 1000 tx=t at=06:00", "12:00", "IN_PROGRESS 08:00:00 0"},
           {"S 08:00 1000 tx=t at=06:00 late=3601", "12:00", "IN_PROGRESS 08:00:00 0 LATE_ARRIVAL"},
           {"S 08:00 1000 tx=t | E 10:00 4000 tx=t at=08:30", "12:00", "COMPLETED 10:00:00 7200"},
           // MeterValues have no time but their samples'.
           {"S 08:00 1000 tx=t con=1 | R 10:00 3000 con=1 at=08:30", "12:00",
            "IN_PROGRESS 08:30:00 1800 LATE_ARRIVAL TX_ID_INFERRED"},
       }) {
    for (const bool backwards : {false, true}) {
      CAPTURE(c.script, c.clock, backwards);
      const std::vector<ChargingSession> rows = SessionsOfFrames(c.script, "2.0.1", c.clock, backwards);
      REQUIRE(rows.size() == 1);
      CHECK(std::string(SessionStatusName(rows[0].session_status)) + " " +
                FormatTime(rows[0].last_event_ts).substr(11, 8) + " " + Text(rows[0].duration_seconds) +
                testing::FlagsText(rows[0]) ==
            c.row);
    }
  }
}

}  // namespace medallion::ocpp
