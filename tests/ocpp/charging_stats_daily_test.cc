#include "medallion/ocpp/charging_stats_daily.h"

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "catch.h"
#include "event_builder.h"
#include "medallion/base/columns.h"
#include "repacked.h"
#include "session_line.h"

namespace medallion::ocpp {
namespace {

using testing::Number;
using testing::Split;
using testing::Text;

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

UtcTime Utc(std::string_view text) { return ParseTime(text).value().time; }

absl::TimeZone Zone(const std::string& name) {
  absl::TimeZone zone;
  REQUIRE(absl::LoadTimeZone(name, &zone));
  return zone;
}

Thousandths Exact(std::string_view text) { return {Decimal::Parse(text).value().Rounded(3).value()}; }

void SetField(std::string_view name, std::string_view value, ChargingSession& row) {
  if (name == "final") row.energy_kwh = Exact(value), row.energy_is_final = true;
  if (name == "kwh") row.energy_kwh = Exact(value);
  if (name == "s") row.duration_seconds = Number(value);
  if (name == "con") row.connector_id = static_cast<int32_t>(Number(value));
  if (name == "evse") row.evse_id = static_cast<int32_t>(Number(value));
  if (name == "cp") row.charge_point_id = value;
  if (name == "gap")
    row.detail = "{\"UNATTRIBUTED_ENERGY\":{\"wh\":\"" + std::string(value) + "\"},\"SEQ_GAP\":{}}";
  if (name == "updated") row.updated_at = {Number(value)};
  if (name == "refused") row.quality_flags.Set(SessionFlag::kAuthRejected);
}

// "C 2026-03-01T10:00:00Z final=7.500 s=1800 con=1": a session of status C completed, I in progress, T timed out, M start
// missing; its start, or without one its last message; then fields: final and kwh (energy), s (duration), con, evse, cp,
// gap (unattributed Wh), updated, refused.
ChargingSession SessionOf(std::string_view line) {
  const std::vector<std::string_view> words = Split(line, " ");
  ChargingSession row;
  const char status = words.at(0)[0];
  row.session_status = status == 'C'   ? SessionStatus::kCompleted
                       : status == 'I' ? SessionStatus::kInProgress
                       : status == 'T' ? SessionStatus::kTimedOut
                                       : SessionStatus::kStartMissing;
  row.charge_point_id = "CP-100";
  row.last_event_ts = Utc(words.at(1));
  if (status != 'M') row.start_ts = row.last_event_ts;
  for (size_t i = 2; i < words.size(); ++i) {
    const size_t equals = words[i].find('=');
    SetField(words[i].substr(0, equals), words[i].substr(equals + 1), row);
  }
  return row;
}

std::vector<ChargingSession> Sessions(std::string_view script) {
  std::vector<ChargingSession> sessions;
  for (const std::string_view line : Split(script, " | ")) sessions.push_back(SessionOf(line));
  return sessions;
}

std::optional<ChargingStatsDaily> Derive(std::span<const ChargingSession> sessions,
                                         const Options& options = {}) {
  const SessionRules rules(options);
  return DeriveDaily(sessions, rules);
}
std::optional<ChargingStatsDaily> Derive(std::string_view script, const Options& options = {}) {
  return Derive(Sessions(script), options);
}

// "started 2 completed 1 timed out 0 start missing 1"
std::string Counts(const ChargingStatsDaily& row) {
  return "started " + Text(row.sessions_started) + " completed " + Text(row.sessions_completed) +
         " timed out " + Text(row.sessions_timed_out) + " start missing " + Text(row.sessions_start_missing);
}

}  // namespace

TEST_CASE("daily: a row is complete") {
  const auto row = Derive(
      "C 2026-03-01T10:00:00Z final=7.500 s=1800 con=1 updated=5 | "
      "I 2026-03-01T12:00:00Z kwh=2.25 s=900 con=2 updated=9 gap=200.500 cp=cp-100");
  REQUIRE(row.has_value());
  ChargingStatsDaily shown = *row;
  shown.model_version = shown.row_hash = {};
  std::string json;
  AppendJson(shown, json);
  CHECK(json ==
        R"({"charge_point_id":"CP-100","stats_date":"2026-03-01","sessions_started":2,)"
        R"("sessions_completed":1,"sessions_timed_out":0,"sessions_start_missing":0,)"
        R"("energy_kwh_final":"7.500","energy_kwh_provisional":"2.250","avg_duration_seconds":"1800.000",)"
        R"("unattributed_energy_wh":"200.500","utilization":"0.015625","model_version":null,)"
        R"("row_hash":null,"updated_at":"1970-01-01T00:00:00.000009Z"})");
  CHECK(row->model_version == ModelVersion(Options()));
  JoinedFields columns;
  columns.Add("CP-100").Add("2026-03-01").Add("2").Add("1").Add("0").Add("0");
  columns.Add("7.500").Add("2.250").Add("1800.000").Add("200.500").Add("0.015625");
  CHECK(row->row_hash == columns.Sha256());

  CHECK(Repacked(*row) == *row);
}

TEST_CASE("daily: what sessions count as") {
  struct Case {
    std::string_view script, counts;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"C 2026-03-01T10:00:00Z", "started 1 completed 1 timed out 0 start missing 0"},
           {"I 2026-03-01T10:00:00Z", "started 1 completed 0 timed out 0 start missing 0"},
           {"T 2026-03-01T10:00:00Z", "started 1 completed 0 timed out 1 start missing 0"},
           {"M 2026-03-01T10:00:00Z", "started 0 completed 0 timed out 0 start missing 1"},
           {"M 2026-03-01T10:00:00Z | C 2026-03-01T11:00:00Z | C 2026-03-01T12:00:00Z",
            "started 2 completed 2 timed out 0 start missing 1"},
       }) {
    CAPTURE(c.script);
    const auto row = Derive(c.script);
    REQUIRE(row.has_value());
    CHECK(Counts(*row) == c.counts);
  }
  CHECK(!Derive("").has_value());  // a day without sessions has no row
}

TEST_CASE("daily: a refused start is no charging session") {
  CHECK(!IsRefused(SessionOf("C 2026-03-01T10:00:00Z final=0")));
  CHECK(IsRefused(SessionOf("C 2026-03-01T10:00:00Z final=0 refused=1")));
  CHECK(!Derive("C 2026-03-01T10:00:00Z final=0 refused=1").has_value());
  const auto row = Derive(
      "C 2026-03-01T08:30:00Z final=1 s=10 con=2 gap=5 cp=CP-1 updated=9 refused=1 | "
      "C 2026-03-01T08:00:00Z final=9 s=3600 con=1 updated=7");
  REQUIRE(row.has_value());
  CHECK(Counts(*row) == "started 1 completed 1 timed out 0 start missing 0");
  CHECK(Text(row->energy_kwh_final) == "9.000");
  CHECK(Text(row->avg_duration_seconds) == "3600.000");
  CHECK(Text(row->unattributed_energy_wh) == "0.000");
  CHECK(Text(row->utilization) == "0.041667");
  CHECK(row->charge_point_id == "CP-100");
  CHECK(row->updated_at == UtcTime{9});  // the row was derived from the refusal too
}

TEST_CASE("daily: energies are exact, and final ones never mixed with others") {
  struct Case {
    std::string_view script, final_kwh, provisional_kwh;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"C 2026-03-01T10:00:00Z", "0.000", "0.000"},  // no energy is known
           {"C 2026-03-01T10:00:00Z final=0.1 | C 2026-03-01T11:00:00Z final=0.2", "0.300", "0.000"},
           {"T 2026-03-01T10:00:00Z kwh=3", "0.000", "3.000"},
           {"C 2026-03-01T10:00:00Z final=10 | C 2026-03-01T11:00:00Z kwh=2 | I 2026-03-01T12:00:00Z "
            "kwh=0.001",
            "10.000", "2.001"},
       }) {
    CAPTURE(c.script);
    const auto row = Derive(c.script);
    CHECK(Text(row->energy_kwh_final) == c.final_kwh);
    CHECK(Text(row->energy_kwh_provisional) == c.provisional_kwh);
  }
  // A sum beyond the column is the largest there, whatever the order of the sessions.
  std::vector<ChargingSession> sessions =
      Sessions("C 2026-03-01T10:00:00Z final=1 | C 2026-03-01T11:00:00Z final=1");
  for (ChargingSession& session : sessions)
    session.energy_kwh = Thousandths{kMost}, session.duration_seconds = kMost;
  const auto row = Derive(sessions);
  CHECK(row->energy_kwh_final == Thousandths{kMost});
  CHECK(row->avg_duration_seconds == Thousandths{kMost});
  CHECK(row->utilization == Millionths{kMost});
}

TEST_CASE("daily: the average duration is of completed sessions, HALF_UP") {
  struct Case {
    std::string_view script, seconds;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"C 2026-03-01T10:00:00Z s=10", "10.000"},
           {"C 2026-03-01T10:00:00Z s=0", "0.000"},
           {"C 2026-03-01T10:00:00Z s=1 | C 2026-03-01T10:00:00Z s=0 | C 2026-03-01T10:00:00Z s=0", "0.333"},
           {"C 2026-03-01T10:00:00Z s=1 | C 2026-03-01T10:00:00Z s=1 | C 2026-03-01T10:00:00Z s=0", "0.667"},
           // 1/16 = 0.0625
           {"C 2026-03-01T10:00:00Z s=1 | C 2026-03-01T10:00:00Z s=0 | C 2026-03-01T10:00:00Z s=0 | "
            "C 2026-03-01T10:00:00Z s=0 | C 2026-03-01T10:00:00Z s=0 | C 2026-03-01T10:00:00Z s=0 | "
            "C 2026-03-01T10:00:00Z s=0 | C 2026-03-01T10:00:00Z s=0 | C 2026-03-01T10:00:00Z s=0 | "
            "C 2026-03-01T10:00:00Z s=0 | C 2026-03-01T10:00:00Z s=0 | C 2026-03-01T10:00:00Z s=0 | "
            "C 2026-03-01T10:00:00Z s=0 | C 2026-03-01T10:00:00Z s=0 | C 2026-03-01T10:00:00Z s=0 | "
            "C 2026-03-01T10:00:00Z s=0",
            "0.063"},
           // what has no duration (it would be negative) is not averaged, nor is what has not ended
           {"C 2026-03-01T10:00:00Z s=10 | C 2026-03-01T11:00:00Z", "10.000"},
           {"C 2026-03-01T10:00:00Z s=10 | I 2026-03-01T11:00:00Z s=4 | T 2026-03-01T12:00:00Z s=4",
            "10.000"},
           {"I 2026-03-01T10:00:00Z s=4 | T 2026-03-01T10:00:00Z s=4", "-"},
           {"M 2026-03-01T10:00:00Z", "-"},
       }) {
    CAPTURE(c.script);
    CHECK(Text(Derive(c.script)->avg_duration_seconds) == c.seconds);
  }
}

TEST_CASE("daily: unattributed energy is read from the sessions' particulars") {
  struct Case {
    std::string_view detail, wh;
  };
  for (
      const Case& c : std::initializer_list<Case>{
          {R"({"UNATTRIBUTED_ENERGY":{"wh":"11200.000"}})", "11200.000"},
          {R"({"LATE_ARRIVAL":{"seconds_max":7000},"UNATTRIBUTED_ENERGY":{"wh":"50.001"},"SEQ_GAP":{"of":[1,2]}})",
           "50.001"},
          {R"({"SEQ_GAP":{"missing":[[1],{"a":"}"}]},"UNATTRIBUTED_ENERGY":{"from":"x","wh":"7.5"}})",
           "7.500"},
          {R"({"UNATTRIBUTED_ENERGY":{"wh":8}})", "8.000"},
          {"", "0.000"},
          {"{}", "0.000"},
          {R"({"SEQ_GAP":{"wh":"9.000"}})", "0.000"},
          // only a member of its own name counts, and no text that looks like one
          {R"({"SEQ_GAP":{"UNATTRIBUTED_ENERGY":{"wh":"9.000"}}})", "0.000"},
          {R"({"METER_STOP_INVALID":{"text":"\"UNATTRIBUTED_ENERGY\":{\"wh\":\"9.000\"}"}})", "0.000"},
          {R"({"X":"\\","UNATTRIBUTED_ENERGY":{"wh":"9.000"}})", "9.000"},
          // nothing that could be read
          {R"({"UNATTRIBUTED_ENERGY":{}})", "0.000"},
          {R"({"UNATTRIBUTED_ENERGY":{"wh":"much"}})", "0.000"},
          {R"({"UNATTRIBUTED_ENERGY":{"wh":"9.000")", "0.000"},
          {R"({"UNATTRIBUTED_ENERGY")", "0.000"},
          {R"({"UNATTRIBUTED_ENERGY)", "0.000"},
          {R"(["UNATTRIBUTED_ENERGY"])", "0.000"},
      }) {
    CAPTURE(c.detail);
    ChargingSession session;
    session.detail = c.detail;
    CHECK(Text(UnattributedOf(session)) == c.wh);
  }
  CHECK(Text(Derive("C 2026-03-01T10:00:00Z gap=11200.000 | C 2026-03-01T11:00:00Z | "
                    "C 2026-03-01T12:00:00Z gap=8800.000")
                 ->unattributed_energy_wh) == "20000.000");
}

TEST_CASE("daily: utilization is of the connectors seen, in a day as long as it was there") {
  struct Case {
    std::string_view script, zone, utilization;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"C 2026-03-01T10:00:00Z s=8640 con=1", "UTC", "0.100000"},
           {"C 2026-03-01T10:00:00Z s=8640 con=1 | C 2026-03-01T14:00:00Z s=8640 con=1", "UTC", "0.200000"},
           {"C 2026-03-01T10:00:00Z s=8640 con=1 | C 2026-03-01T10:00:00Z s=8640 con=2", "UTC", "0.100000"},
           {"C 2026-03-01T10:00:00Z s=8640 con=1 | C 2026-03-01T10:00:00Z con=2", "UTC", "0.050000"},
           {"C 2026-03-01T10:00:00Z s=8640 evse=1 con=1 | C 2026-03-01T10:00:00Z s=8640 evse=2 con=1", "UTC",
            "0.100000"},
           // open sessions are occupied too, and timed out ones
           {"I 2026-03-01T10:00:00Z s=4320 con=1 | T 2026-03-01T08:00:00Z s=4320 con=1", "UTC", "0.100000"},
           // an unknown connector is none of its own
           {"C 2026-03-01T10:00:00Z s=8640 con=1 | M 2026-03-01T14:00:00Z", "UTC", "0.100000"},
           {"M 2026-03-01T14:00:00Z", "UTC", "0.000000"},
           // past midnight it counts whole
           {"C 2026-03-01T10:00:00Z s=129600 con=1", "UTC", "1.500000"},
           // 23, 25 and 24 hours
           {"C 2026-03-29T10:00:00Z s=8280 con=1", "Europe/Berlin", "0.100000"},
           {"C 2026-10-25T10:00:00Z s=9000 con=1", "Europe/Berlin", "0.100000"},
           {"C 2026-10-25T10:00:00Z s=8640 con=1", "UTC", "0.100000"},
           {"C 2026-03-29T10:00:00Z s=8640 con=1", "Asia/Tokyo", "0.100000"},
           // 23 hours, and the day begins at 01:00
           {"C 2018-11-04T12:00:00Z s=8280 con=1", "America/Sao_Paulo", "0.100000"},
           // HALF_UP: 1/86400 = 0.0000115…, 27/86400 = 0.0003125
           {"C 2026-03-01T10:00:00Z s=1 con=1", "UTC", "0.000012"},
           {"C 2026-03-01T10:00:00Z s=27 con=1", "UTC", "0.000313"},
       }) {
    CAPTURE(c.script, c.zone);
    Options options;
    options.site_zone = Zone(std::string(c.zone));
    CHECK(Text(Derive(c.script, options)->utilization) == c.utilization);
  }
}

TEST_CASE("daily: a session belongs to the site's day of its start, else of its first time") {
  struct Case {
    std::string_view session, zone, day;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"C 2026-03-01T00:00:00Z", "UTC", "2026-03-01"},
           {"C 2026-02-28T23:59:59.999999Z", "UTC", "2026-02-28"},
           {"C 2026-03-01T23:00:00Z", "Europe/Berlin", "2026-03-02"},
           {"C 2026-03-01T22:59:59Z", "Europe/Berlin", "2026-03-01"},
           {"C 2026-03-01T04:59:59Z", "America/New_York", "2026-02-28"},
           {"M 2026-03-01T23:00:00Z", "Europe/Berlin", "2026-03-02"},
           // the first and last second of days of 23 and 25 hours
           {"C 2026-03-28T23:00:00Z", "Europe/Berlin", "2026-03-29"},
           {"C 2026-03-29T21:59:59Z", "Europe/Berlin", "2026-03-29"},
           {"C 2026-03-29T22:00:00Z", "Europe/Berlin", "2026-03-30"},
           {"C 2026-10-24T22:00:00Z", "Europe/Berlin", "2026-10-25"},
           {"C 2026-10-25T22:59:59Z", "Europe/Berlin", "2026-10-25"},
           {"C 2026-10-25T23:00:00Z", "Europe/Berlin", "2026-10-26"},
           {"C 1969-12-31T23:59:59Z", "UTC", "1969-12-31"},
           {"C 0000-01-01T00:00:00Z", "America/New_York", "0000-01-01"},  // dates begin there
       }) {
    CAPTURE(c.session, c.zone);
    Options options;
    options.site_zone = Zone(std::string(c.zone));
    const ChargingSession session = SessionOf(c.session);
    CHECK(Derive(c.session, options)->stats_date == c.day);
    CHECK(DayKey("CP-100", DayOf(session, options)) == Sha256("day|CP-100|" + std::string(c.day)));
  }
  ChargingSession session = SessionOf("M 2026-03-02T10:00:00Z");
  session.stop_ts = Utc("2026-03-01T10:00:00Z");
  CHECK(DayOf(session, Options()) == absl::CivilDay(2026, 3, 1));
  session.last_event_ts = kNoTime;
  CHECK(DayOf(session, Options()) == absl::CivilDay(2026, 3, 1));
  session.start_ts = Utc("2026-03-05T10:00:00Z");  // though it stopped before
  CHECK(DayOf(session, Options()) == absl::CivilDay(2026, 3, 5));
  CHECK(Derive(std::span(&session, 1))->stats_date == "2026-03-05");
}

TEST_CASE("daily: a charge point may have a zone of its own, and zones are of the model") {
  Options options;
  options.site_zone_of["CP-7"] = Zone("Asia/Tokyo");
  const ChargingSession here = SessionOf("C 2026-03-01T20:00:00Z"),
                        there = SessionOf("C 2026-03-01T20:00:00Z cp=cp-7");
  CHECK(DayOf(here, options) == absl::CivilDay(2026, 3, 1));
  CHECK(DayOf(there, options) == absl::CivilDay(2026, 3, 2));
  CHECK(ModelVersion(options) != ModelVersion(Options()));
  Options other;
  other.site_zone = Zone("Asia/Tokyo");
  CHECK(ModelVersion(other) != ModelVersion(Options()));
  CHECK(ModelVersion(other) != ModelVersion(options));
}

TEST_CASE("daily: keys are of the charge point, whatever its spelling, and the day") {
  CHECK(DayKey("cp|1", absl::CivilDay(2026, 3, 1)) == Sha256("day|CP\\|1|2026-03-01"));
  CHECK(DayKey("CP-1", absl::CivilDay(2026, 3, 1)) != DayKey("CP-1", absl::CivilDay(2026, 3, 2)));
  const auto row = Derive("C 2026-03-01T10:00:00Z cp=cp-1");
  CHECK(RowKey(*row) == DayKey("CP-1", absl::CivilDay(2026, 3, 1)));
}

TEST_CASE("daily: the order of the sessions does not matter") {
  const uint32_t seed = GENERATE(range(0u, 50u));
  CAPTURE(seed);
  std::vector<ChargingSession> sessions = Sessions(
      "C 2026-03-01T10:00:00Z final=7.5 s=1800 con=1 updated=3 | C 2026-03-01T11:00:00Z kwh=2 s=7 con=2 "
      "cp=cp-100 | "
      "I 2026-03-01T12:00:00Z s=900 con=1 gap=200.000 updated=9 | T 2026-03-01T13:00:00Z evse=1 con=1 | "
      "M 2026-03-01T14:00:00Z gap=0.001 cp=Cp-100 | C 2026-03-01T15:00:00Z final=0.001 s=11");
  const auto row = Derive(sessions);
  std::shuffle(sessions.begin(), sessions.end(), std::mt19937(seed));
  CHECK(Derive(sessions) == row);
}

}  // namespace medallion::ocpp
