#include "medallion/ocpp/derive_sessions.h"

#include <algorithm>
#include <initializer_list>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "catch.h"
#include "event_builder.h"
#include "medallion/base/columns.h"
#include "medallion/ocpp/identify.h"
#include "session_line.h"

namespace medallion::ocpp {
namespace {

using testing::At;
using testing::Facts;
using testing::History;
using testing::Line;
using testing::Text;

std::vector<ChargingSession> Derive(const History& history, std::string_view clock,
                                    const Options& options = {}) {
  return DeriveSessions(history.elements, {}, At(clock), options);
}

struct Case {
  std::string_view script;
  std::string_view row;  // Line() of the one session; empty: there is none
};

void CheckLines(std::initializer_list<Case> cases, std::string_view clock = "23:00") {
  for (const Case& c : cases) {
    CAPTURE(c.script);
    const std::vector<ChargingSession> rows = Derive(Facts(c.script), clock);
    REQUIRE(rows.size() == (c.row.empty() ? 0 : 1));
    if (!rows.empty()) CHECK(Line(rows[0]) == c.row);
  }
}

}  // namespace

TEST_CASE("derive: a row is complete") {
  const History history =
      Facts("S 10:00 1000 con=1 evse=2 tag=T1 | R 10:10 4000 late=700 | E 10:30 8500 reason=EVDisconnected");
  const std::vector<ChargingSession> rows = Derive(history, "11:00");
  REQUIRE(rows.size() == 1);
  std::string json;
  ChargingSession row = rows[0];
  row.row_hash = row.model_version = {};
  AppendJson(row, json);
  CHECK(json == R"({"session_id":"e6569db5f8c72ac05a7fac9215a3a66e345197b187ba0c8311cab4339395545d",)"
                R"("charge_point_id":"CP-100","evse_id":2,"connector_id":1,"transaction_id":"501",)"
                R"("transaction_aliases":null,"id_tag_hash":"T1","start_ts":"2026-03-01T10:00:00.000000Z",)"
                R"("stop_ts":"2026-03-01T10:30:00.000000Z","last_event_ts":"2026-03-01T10:30:00.000000Z",)"
                R"("duration_seconds":1800,"meter_start_wh":"1000.000","meter_stop_wh":"8500.000",)"
                R"("last_meter_wh":"8500.000","energy_kwh":"7.500","energy_is_final":true,)"
                R"("energy_basis":"START_STOP","energy_estimate_kwh":null,"session_status":"COMPLETED",)"
                R"("stop_reason":"EVDisconnected","event_count":3,"quality_flags":[],"detail":null,)"
                R"("evidence":{"begin":{"topic":"ocpp","partition":0,"offset":0,"ordinal":0},)"
                R"("end":{"topic":"ocpp","partition":0,"offset":2,"ordinal":0}},"next_due_at":null,)"
                R"("model_version":null,"row_hash":null,"updated_at":"2026-03-01T10:30:01.000000Z"})");
  CHECK(rows[0].model_version == ModelVersion({}));
  CHECK(rows[0].row_hash != Digest{});
  CHECK(Derive(Facts(""), "11:00").empty());
}

TEST_CASE("derive: bases of the energy") {
  CheckLines({
      {"S 10:00 1000", "IN_PROGRESS -"},  // nothing but a start
      {"E 10:30 8500", "START_MISSING - START_MISSING"},
      {"S 10:00 1000 | E 10:30 8500", "COMPLETED 7.500 final START_STOP"},
      {"S 10:00 1000 | R 10:10 4000", "IN_PROGRESS 3.000 START_LAST"},
      {"S 10:00 1000 | R 10:10 4000 | E 10:30 -", "COMPLETED 3.000 START_LAST NO_END_READING"},
      {"S 10:00 1000 | E 10:30 -", "COMPLETED - NO_END_READING"},
      {"S 10:00 - | R 10:10 4000", "IN_PROGRESS -"},  // one register has nothing to be compared with
      {"S 10:00 - | R 10:10 4000 | R 10:20 5000", "IN_PROGRESS 1.000 BASELINE_INFERRED"},
      {"S 10:00 - | R 10:10 4000 | E 10:30 8500", "COMPLETED 4.500 BASELINE_INFERRED"},
      {"R 10:10 4000 | E 10:30 8500", "START_MISSING 4.500 BASELINE_INFERRED START_MISSING"},
      // 178.7 Wh
      {"S 19:00 2000 | I 19:15 57.3 | I 19:30 61.0 | I 19:45 60.4", "IN_PROGRESS 0.179 INTERVAL_SUM"},
      {"S 19:00 2000 | I 19:15 0.0573 unit=kWh", "IN_PROGRESS 0.057 INTERVAL_SUM"},
      {"S 19:00 2000 | I 19:15 57.3 | E 19:20 2100",
       "COMPLETED 0.100 final START_STOP"},  // the readings lead
      {"S 19:00 2000 | I 19:00 900 | I 19:15 57",
       "IN_PROGRESS 0.057 INTERVAL_SUM"},  // ends where the session starts
      // clock-aligned and periodic intervals tell of the same energy
      {"S 19:00 2000 | I 19:15 50 | I 19:15 50 ctx=Sample.Clock", "IN_PROGRESS 0.050 INTERVAL_SUM"},
      {"S 19:00 2000 | I 19:15 50 ph=L1 | I 19:15 -1 | I 19:15 1,5 | I 19:16 5 unit=W", "IN_PROGRESS -"},
      {"S 19:00 0 | I 19:15 1000001 unit=kWh", "IN_PROGRESS -"},  // beyond 1,000 kWh
  });
}

TEST_CASE("derive: samples of begin and end") {
  CheckLines({
      {"S 10:00 - | R 10:00 1000 ctx=Transaction.Begin | R 10:30 8500 ctx=Transaction.End | E 10:30 -",
       "COMPLETED 7.500 final TRANSACTION_BEGIN_END"},
      {"S 10:00 - | R 10:00 1000 ctx=Transaction.Begin | R 10:30 8500 ctx=Transaction.End | E 10:30 8501",
       "COMPLETED 7.501 TRANSACTION_BEGIN_END"},  // from two sources
      {"S 10:00 - | R 10:00 1000 ctx=Transaction.Begin | E 10:30 8500",
       "COMPLETED 7.500 TRANSACTION_BEGIN_END"},
      {"S 10:00 1000 | R 10:30 8500 ctx=Transaction.End | E 10:30 -",
       "COMPLETED 7.500 TRANSACTION_BEGIN_END"},
      {"S 10:00 1000 | R 10:30 8500 ctx=Transaction.End", "IN_PROGRESS 7.500 START_LAST"},  // no stop, no end
      // early and late: only registers inside take part
      {"S 10:00:01 - | R 10:00 1000 ctx=Transaction.Begin | R 10:30:01 8500 ctx=Transaction.End | E 10:30 -",
       "COMPLETED - NO_END_READING READING_OUTSIDE_SESSION"},
      {"S 10:00 1000 | R 10:00 1000 ctx=Transaction.Begin", "IN_PROGRESS -"},  // still nothing but a start
      {"S 10:00 1000 | R 10:30 8510 ctx=Transaction.End | E 10:30 8500",
       "COMPLETED 7.500 final START_STOP METER_NON_MONOTONIC"},  // 10 Wh may differ
      {"S 10:00 8000 | R 10:30 8511 ctx=Transaction.End | E 10:30 8500",
       "COMPLETED 0.500 START_STOP TXDATA_MISMATCH METER_NON_MONOTONIC"},
      {"S 10:00 1000 | R 10:30 8575 ctx=Transaction.End | E 10:30 8500",
       "COMPLETED 7.500 final START_STOP METER_NON_MONOTONIC"},  // 1 % of 7,500 Wh may
      {"S 10:00 1000 | R 10:30 8576 ctx=Transaction.End | E 10:30 8500",
       "COMPLETED 7.500 START_STOP TXDATA_MISMATCH METER_NON_MONOTONIC"},
      {"S 10:00 1000 | R 10:30 8500 ctx=Transaction.End | E 10:30 -1",
       "COMPLETED 7.500 START_LAST METER_ANOMALY METER_STOP_INVALID"},  // one set aside is not compared
  });
}

TEST_CASE("derive: signed values") {
  // OCMF as it is, in hexadecimal digits, in base64, and in the object around it.
  const std::string end = R"(OCMF|{"FV":"1.0","RD":[{"TX":"E","RV":8.5,"RU":"kWh","ST":"G"}]}|{"SD":"00"})";
  const std::string both =
      R"(OCMF|{"RD":[{"TX":"B","RV":"1.000","RI":"1-b:1.8.0","RU":"kWh"},{"TX":"L","RV":8511.000001,"RU":"Wh"}]}|{})";
  const auto hex = [](const std::string& text) {
    std::string out;
    for (const char c : text) {
      constexpr char kDigits[] = "0123456789ABCDEF";
      out.push_back(kDigits[static_cast<unsigned char>(c) / 16]),
          out.push_back(kDigits[static_cast<unsigned char>(c) % 16]);
    }
    return out;
  };
  const std::string object =
      R"({"signedMeterData":"T0NNRnx7IlJEIjpbeyJUWCI6IkUiLCJSViI6OS41LCJSVSI6ImtXaCJ9XX18e30=",)"
      R"("encodingMethod":"OCMF"})";  // 9.5 kWh
  const auto line = [&](std::string_view signed_value, std::string_view stop) {
    const std::string script =
        "S 10:00 1000 | R 10:30 0 signed=" + std::string(signed_value) + " | E 10:30 " + std::string(stop);
    return Line(Derive(Facts(script), "23:00").at(0));
  };
  const std::string_view final = "COMPLETED 7.500 final START_STOP";
  CHECK(line(end, "8500") == final);
  CHECK(line(hex(end), "8500") == final);
  CHECK(line(both, "8500") == final);  // 11 Wh are less than 1 % of 7.5 kWh
  CHECK(line(end, "8576") == "COMPLETED 7.576 START_STOP SIGNED_RAW_MISMATCH");
  CHECK(line(hex(end), "8576") == "COMPLETED 7.576 START_STOP SIGNED_RAW_MISMATCH");
  CHECK(line(object, "8500") == "COMPLETED 7.500 START_STOP SIGNED_RAW_MISMATCH");
  CHECK(line(object, "9500") == "COMPLETED 8.500 final START_STOP");
  // Nothing that can be read: another format, another register, a reading that is marked, no reading at all.
  for (const std::string_view text :
       {"OCMF|{}|{}", "4F434D467C7B7D7C7B7D", "<signedData/>", "{", "OCMF|{\"RD\":[{\"TX\":\"E\"", "OCMF|",
        "T0NNRg==", R"(OCMF|{"RD":[{"TX":"E","RV":9.5,"RU":"kWh","RI":"1-b:2.8.0"}]}|{})",
        R"(OCMF|{"RD":[{"TX":"E","RV":9.5,"RU":"kWh","ST":"F"}]}|{})",
        R"(OCMF|{"RD":[{"TX":"C","RV":9.5,"RU":"kWh"}]}|{})",
        R"(OCMF|{"RD":[{"TX":"E","RV":"much","RU":"kWh"}]}|{})", R"(OCMF|{"RD":7}|{})"}) {
    CAPTURE(text);
    CHECK(line(text, "8500") == final);
  }
}

TEST_CASE("derive: end readings") {
  CheckLines({
      {"S 10:00 52310 | E 11:00 51310", "COMPLETED - METER_ANOMALY METER_DECREASED"},
      {"S 10:00 1000 | R 10:20 4000 | E 11:00 500",
       "COMPLETED 3.000 START_LAST METER_ANOMALY METER_DECREASED"},
      {"S 10:00 1000 | R 10:20 4000 | E 11:00 -1",
       "COMPLETED 3.000 START_LAST METER_ANOMALY METER_STOP_INVALID"},
      {"S 10:00 1000 | R 10:20 4000 | E 11:00 0",
       "COMPLETED 3.000 START_LAST METER_ANOMALY METER_STOP_INVALID"},
      {"S 10:00 52310 | E 11:00 0",
       "COMPLETED - METER_ANOMALY METER_STOP_INVALID"},  // the start is a reading too
      {"S 10:00 0 | R 10:20 0 | E 11:00 0", "COMPLETED 0.000 final START_STOP ZERO_ENERGY"},
      {"S 10:00 1000 | R 10:20 4000 | E 11:00 4294967295",
       "COMPLETED 3.000 START_LAST METER_ANOMALY METER_STOP_INVALID"},
      {"S 10:00 1000 | R 10:20 4000 | E 11:00 4294900000",  // beyond plausibility
       "COMPLETED 3.000 START_LAST METER_ANOMALY METER_STOP_INVALID"},
      {"S 10:00 0 | E 10:30 250001",
       "COMPLETED - METER_ANOMALY METER_STOP_INVALID"},  // 500 kW for half an hour
      {"S 10:00 0 | E 10:30 250000", "COMPLETED 250.000 final START_STOP"},
      {"S 10:00 0 | E 10:00:05 8333", "COMPLETED 8.333 final START_STOP"},  // at least 60 s
      {"S 10:00 0 | E 1/10:00 1000001",                                     // 1,000 kWh
       "COMPLETED - METER_ANOMALY METER_STOP_INVALID"},
      {"S 10:00 1000 | R 10:20 9000 | E 11:00 8000", "COMPLETED 7.000 final START_STOP METER_NON_MONOTONIC"},
      {"S 10:00 1000 | R 10:20 4000.4 | E 11:00 4000",
       "COMPLETED 3.000 final START_STOP"},  // below 1 Wh is noise
      {"S 10:00 1000.9 | E 11:00 1000", "COMPLETED 0.000 final START_STOP ZERO_ENERGY"},
      {"S 10:00 20000 | E 10:30 26008.333", "COMPLETED 6.008 final START_STOP"},
      {"S 10:00 0.5 | E 10:30 1000", "COMPLETED 1.000 final START_STOP"},  // 999.5 Wh, HALF_UP
  });
}

TEST_CASE("derive: begin readings") {
  CheckLines({
      {"S 08:00 0 | R 08:12 250000 | E 08:18 250640",
       "COMPLETED 0.640 BASELINE_INFERRED METER_ANOMALY METER_START_INVALID"},
      // plausible from the start over the whole time, yet the reading before says otherwise
      {"S 08:00 0 | R 08:12 250000 | E 09:18 250640",
       "COMPLETED 0.640 BASELINE_INFERRED METER_ANOMALY METER_START_INVALID"},
      {"S 08:00 0 | R 08:12 250000",
       "IN_PROGRESS - METER_GLITCH"},  // which of the two is wrong, none can say
      {"S 10:00 -1 | R 10:20 4000 | E 11:00 6000",
       "COMPLETED 2.000 BASELINE_INFERRED METER_ANOMALY METER_START_INVALID"},
      {"S 10:00 4294967295 | R 10:20 4000 | E 11:00 6000",
       "COMPLETED 2.000 BASELINE_INFERRED METER_ANOMALY METER_START_INVALID"},
      // a sample that stands for the header's reading, and one beside it
      {"S 10:00 - | R 10:00 -1 ctx=Transaction.Begin | R 10:20 4000 | E 11:00 6000",
       "COMPLETED 2.000 BASELINE_INFERRED METER_ANOMALY METER_START_INVALID"},
      {"S 10:00 1000 | R 10:00 -1 ctx=Transaction.Begin | E 11:00 6000",
       "COMPLETED 5.000 final START_STOP METER_GLITCH"},
      {"S 10:00 1000 | R 10:20 4000 | R 11:00 4294967296 ctx=Transaction.End | E 11:00 -",
       "COMPLETED 3.000 START_LAST METER_ANOMALY METER_STOP_INVALID"},
      {"S 10:00 1000 | R 10:20 4000 | R 11:00 -1 ctx=Transaction.End",  // no stop, no end
       "IN_PROGRESS 3.000 START_LAST METER_GLITCH"},
      {"S 10:00 90000000 | R 10:20 80000000 | E 11:00 80002000",  // below, and no energy since the start
       "COMPLETED 2.000 BASELINE_INFERRED METER_ANOMALY METER_START_INVALID"},
      {"S 10:00 0 | E 11:00 7400", "COMPLETED 7.400 final START_STOP"},
  });
}

TEST_CASE("derive: glitches") {
  CheckLines({
      {"S 10:00 1000 | R 10:20 4294967295 | E 11:00 7000", "COMPLETED 6.000 final START_STOP METER_GLITCH"},
      {"S 10:00 1000 | R 10:20 900000 | E 11:00 7000", "COMPLETED 6.000 final START_STOP METER_GLITCH"},
      {"S 10:00 91000 | R 10:10 92000 | R 10:20 0 | R 10:30 93000",
       "IN_PROGRESS 2.000 START_LAST METER_GLITCH"},
      {"S 10:00 91000 | R 10:10 92000 | R 10:20 0 | R 10:25 0 | E 10:30 93000",  // twice, and it never grew
       "COMPLETED 2.000 final START_STOP METER_GLITCH"},
      {"S 10:00 91000 | R 10:10 92000 | R 10:15 9999999 | R 10:20 5 | E 10:30 93000",
       "COMPLETED 2.000 final START_STOP METER_GLITCH"},
      {"S 10:00 1000 | R 10:10 2000 | R 10:20 900000", "IN_PROGRESS 1.000 START_LAST METER_GLITCH"},
      {"S 10:00 91000 | R 10:10 92000 | R 10:20 500",  // a glitch or a reset: the next register will tell
       "IN_PROGRESS 1.000 START_LAST METER_NON_MONOTONIC"},
      {"S 10:00 - | R 10:01 0 | R 10:02 250000 | R 10:03 250100",  // the first sample
       "IN_PROGRESS 0.100 BASELINE_INFERRED METER_GLITCH"},
  });
}

TEST_CASE("derive: resets and steps back") {
  CheckLines({
      {"S 08:00 91000 | R 08:30 94000 | R 08:41 0 | R 09:00 1200 | E 09:20 2500",
       "COMPLETED 5.500 SEGMENT_SUM METER_ANOMALY METER_RESET"},
      {"S 08:00 91000 | R 08:30 94000 | R 08:41 300 | R 09:00 1200",  // from zero after the reset
       "IN_PROGRESS 4.200 SEGMENT_SUM METER_ANOMALY METER_RESET"},
      {"S 08:00 91000 | R 08:41 300 | R 09:00 1200 | E 09:20 2500",  // before the first reading
       "COMPLETED 2.500 SEGMENT_SUM METER_ANOMALY METER_RESET"},
      {"S 08:00 91000 | R 08:30 94000 | R 08:41 0 | R 09:00 1200 | R 09:10 0 | R 09:30 700 | E 10:00 1000",
       "COMPLETED 5.200 SEGMENT_SUM METER_ANOMALY METER_RESET"},  // twice
      {"S 08:00 500 | R 08:30 700 | R 08:41 0 | R 09:00 400 | R 09:20 900 | E 10:00 2500",
       "COMPLETED 2.700 SEGMENT_SUM METER_ANOMALY METER_RESET"},  // passes its old height
      {"S 08:00 91000 | R 08:30 94000 | E 08:50 2500",  // nothing goes on from it: no evidence of a reset
       "COMPLETED 3.000 START_LAST METER_ANOMALY METER_DECREASED"},
      {"S 08:00 91000 | R 08:30 94000 | R 08:41 0 | R 09:00 1200 | E 09:20 0",
       "COMPLETED 4.200 SEGMENT_SUM METER_ANOMALY METER_RESET METER_STOP_INVALID"},
      {"S 08:00 91000 | R 08:30 94000 | R 08:41 0 | E 09:20 0",  // a zero that never grows is no register
       "COMPLETED 3.000 START_LAST METER_ANOMALY METER_STOP_INVALID METER_NON_MONOTONIC"},
      {"S 08:00 90990000 | R 08:30 91000000 | R 08:41 90999500 | R 09:00 90999900 | E 09:20 91001000",
       "COMPLETED 11.000 final START_STOP METER_NON_MONOTONIC"},  // 90,999 kWh do not come from zero
  });
}

TEST_CASE("derive: two references in one session") {
  CheckLines({
      {"S 05:00 0 | R 05:29 912 | R 05:30 2514300 | R 05:35 1210 | R 05:40 2514600 | E 05:45 1500",
       "COMPLETED 1.500 final START_STOP MIXED_REGISTER_REFERENCE"},
      {"S 10:00 91000 | R 10:30 912 | R 10:40 1210 | E 10:50 92500",  // the session's own counter
       "COMPLETED 1.500 final START_STOP MIXED_REGISTER_REFERENCE"},
      {"S 10:00 91000 | R 10:30 912 | R 10:35 91500 | R 10:40 1210 | R 10:45 92000",
       "IN_PROGRESS 1.000 START_LAST MIXED_REGISTER_REFERENCE"},
      {"S 10:00 91000 | R 10:30 912 | R 10:40 1210",  // counts from zero
       "IN_PROGRESS 1.210 BASELINE_INFERRED MIXED_REGISTER_REFERENCE"},
      {"S 10:00 91000 | R 10:30 912", "IN_PROGRESS 0.912 BASELINE_INFERRED MIXED_REGISTER_REFERENCE"},
      {"S 10:00 91000 | R 10:30 90500", "IN_PROGRESS - METER_NON_MONOTONIC"},  // a step back, no counter
      {"S 08:00 91000 | R 08:30 94000 | R 08:41 0 | R 09:00 1200 | R 09:20 95000 | E 10:00 96000",
       "COMPLETED 5.000 final START_STOP MIXED_REGISTER_REFERENCE"},   // no reset: it came back
      {"S 05:00 0 | R 05:10 912 | R 05:11 2514300 | R 05:20 2514600",  // each by itself
       "IN_PROGRESS 1.212 SEGMENT_SUM MIXED_REGISTER_REFERENCE"},
  });
}

TEST_CASE("derive: locations and phases") {
  CheckLines({
      {"S 10:00 1000 | R 10:10 2000 | R 10:10 9000 loc=Cable", "IN_PROGRESS 1.000 START_LAST"},
      {"S 10:00 1000 | R 10:10 3000 loc=Body | R 10:10 2000 loc=Cable", "IN_PROGRESS 1.000 START_LAST"},
      {"S 10:00 1000 | R 10:10 3000 loc=Body", "IN_PROGRESS 2.000 START_LAST"},
      {"S 10:00 1000 | R 10:10 3000 loc=Inlet", "IN_PROGRESS -"},  // the station's own use is in it
      {"S 10:00 1000 | R 10:10 2000 ph=L1 | R 10:20 3 ph=L1 unit=kWh",
       "IN_PROGRESS 2.000 START_LAST SINGLE_PHASE"},
      {"S 10:00 1000 | R 10:10 2000 ph=L1 | R 10:20 3000 ph=L2", "IN_PROGRESS -"},
      {"S 10:00 1000 | R 10:10 1200 | R 10:20 3000 ph=L1", "IN_PROGRESS 0.200 START_LAST"},
      {"S 10:00 30000 | R 10:10 11100 ph=L1", "IN_PROGRESS -"},  // one of three, the start is their sum
  });
}

TEST_CASE("derive: power against the register") {
  const std::string_view suspect = "COMPLETED 0.005 START_STOP UNIT_SUSPECT";
  CheckLines({
      // 7.4 kW and a register that moves by 1 Wh: it is in kWh
      {"S 10:00 1000 | R 10:10 1001 | P 10:10 7400 | R 10:20 1002 | P 10:20 7400 | E 10:40 1005", suspect},
      {"S 10:00 1000 | R 10:10 1001 | P 10:10 7.4 unit=kW | R 10:20 1002 | P 10:20 7.4 unit=kW | E 10:40 "
       "1005",
       suspect},
      // the power is in kW
      {"S 10:00 1000 | R 10:10 2200 | P 10:10 7.4 | R 10:20 3400 | P 10:20 7.4 | E 10:40 6000",
       "COMPLETED 5.000 START_STOP UNIT_SUSPECT"},
      {"S 10:00 1000 | R 10:10 2200 | P 10:10 7400 | R 10:20 3400 | P 10:20 7400 | E 10:40 6000",
       "COMPLETED 5.000 final START_STOP"},
      // under 10 min; under 0.5 kWh
      {"S 10:00 1000 | R 10:10 1001 | P 10:10 7400 | R 10:19 1002 | P 10:19 7400 | E 10:40 1005",
       "COMPLETED 0.005 final START_STOP"},
      {"S 10:00 1000 | R 10:10 1001 | P 10:10 2900 | R 10:20 1002 | P 10:20 2900 | E 10:40 1005",
       "COMPLETED 0.005 final START_STOP"},
      // it fell to nothing somewhere between the two samples
      {"S 10:00 1000 | R 10:10 2200 | P 10:10 11000 | R 10:40 2300 | P 10:40 0 | E 10:41 2300",
       "COMPLETED 1.300 final START_STOP"},
      // zero throughout: not measured
      {"S 10:00 1000 | R 10:10 2200 | P 10:10 0 | R 10:20 3400 | P 10:20 0 | E 10:40 6000",
       "COMPLETED 5.000 final START_STOP"},
      // a phase is not all of it
      {"S 10:00 1000 | R 10:10 2200 | P 10:10 7 ph=L1 | R 10:20 3400 | P 10:20 7 ph=L1 | E 10:40 6000",
       "COMPLETED 5.000 final START_STOP"},
  });
}

TEST_CASE("derive: status and time") {
  struct Moment {
    std::string_view script, clock, row, due, updated;
  };
  const std::string_view open = "S 10:00 1000 | R 11:00 4200";
  for (const Moment& c : std::initializer_list<Moment>{
           {open, "11:00", "IN_PROGRESS 3.200 START_LAST", "1/11:00", "11:00:01"},
           {open, "1/10:59:59", "IN_PROGRESS 3.200 START_LAST", "1/11:00", "11:00:01"},
           {open, "1/11:00", "TIMED_OUT 3.200 START_LAST STOP_MISSING", "", "1/11:00"},
           {open, "9/11:00", "TIMED_OUT 3.200 START_LAST STOP_MISSING", "", "1/11:00"},
           // received after it was due: what was derived from last counts
           {"S 10:00 1000 late=259200", "9/10:00", "TIMED_OUT - STOP_MISSING LATE_ARRIVAL", "", "3/10:00"},
           // the late stop
           {"S 10:00 1000 | R 11:00 4200 | E 12:00 11000 late=172800", "9/11:00",
            "COMPLETED 10.000 final START_STOP LATE_ARRIVAL", "", "2/12:00"},
           // absorbing: a reading after the stop neither reopens nor counts
           {"S 10:00 1000 | E 12:00 2240 | R 13:00 9999", "1/18:00",
            "COMPLETED 1.240 final START_STOP READING_OUTSIDE_SESSION", "", "13:00:01"},
           // readings alone: time changes nothing about them
           {"R 10:00 1000 | R 11:00 1500", "12:00", "START_MISSING 0.500 BASELINE_INFERRED START_MISSING", "",
            "11:00:01"},
           {"P 10:00 11000", "12:00", "START_MISSING - START_MISSING", "", "10:00:01"},
           {"I 10:00 50", "12:00", "START_MISSING 0.050 INTERVAL_SUM START_MISSING", "", "10:00:01"},
           // ended with nothing; still open with nothing
           {"S 10:00 1000 | R 11:00 1000", "2/00:00", "TIMED_OUT 0.000 START_LAST STOP_MISSING ZERO_ENERGY",
            "", "1/11:00"},
           {"S 10:00 1000 | R 11:00 1000", "12:00", "IN_PROGRESS 0.000 START_LAST", "1/11:00", "11:00:01"},
       }) {
    CAPTURE(c.script, c.clock);
    const std::vector<ChargingSession> rows = Derive(Facts(c.script), c.clock);
    REQUIRE(rows.size() == 1);
    CHECK(Line(rows[0]) == c.row);
    CHECK(rows[0].next_due_at == (c.due.empty() ? kNoTime : At(c.due)));
    CHECK(rows[0].updated_at == At(c.updated));
  }
}

TEST_CASE("derive: readings that show no energy open nothing") {
  CheckLines({
      {"R 10:00 742100 | R 10:15 742100", ""},
      {"R 10:00 742100 | R 10:15 742100.9", ""},            // noise
      {"R 10:00 742100 | R 10:15 0 | R 10:30 742100", ""},  // a glitch is no growth
      {"P 10:00 0 | R 10:00 742100 | I 10:00 0 | U 10:00 -", ""},
      {"X 10:00 742100 | R 10:15 742100", ""},
  });
}

TEST_CASE("derive: duration") {
  struct Length {
    std::string_view script, seconds, row;
  };
  for (const Length& c : std::initializer_list<Length>{
           {"S 10:00 1000 | E 10:30 8500", "1800", "COMPLETED 7.500 final START_STOP"},
           {"S 10:00 1000 | E 10:00 1000", "0", "COMPLETED 0.000 final START_STOP ZERO_ENERGY"},
           {"S 10:00 1000 | R 10:20 2000", "1200", "IN_PROGRESS 1.000 START_LAST"},  // to the last message
           // readings lie outside of a session that runs backwards; no power can be judged
           {"S 10:00 1000 | R 09:30 2000 | E 09:00 31000", "-",
            "COMPLETED 30.000 final START_STOP READING_OUTSIDE_SESSION NEGATIVE_DURATION"},
           {"S 10:00 1000 | E 7/10:00 9000", "604800", "COMPLETED 8.000 final START_STOP"},
           {"S 10:00 1000 | E 7/10:00:01 9000", "604801",
            "COMPLETED 8.000 final START_STOP DURATION_IMPLAUSIBLE"},
           {"E 10:30 8500", "-", "START_MISSING - START_MISSING"},
       }) {
    CAPTURE(c.script);
    const std::vector<ChargingSession> rows = Derive(Facts(c.script), "12:00");
    REQUIRE(rows.size() == 1);
    CHECK(Text(rows[0].duration_seconds) == c.seconds);
    CHECK(Line(rows[0]) == c.row);
  }
}

TEST_CASE("derive: flags of messages, and their particulars") {
  struct Particulars {
    std::string_view script, flags, detail;
  };
  for (const Particulars& c : std::initializer_list<Particulars>{
           {"S 10:00 1000 late=3600 | E 10:30 8500", "[]", ""},  // one hour is not over one hour
           {"S 10:00 1000 late=3601 | E 10:30 8500", R"(["LATE_ARRIVAL"])",
            R"({"LATE_ARRIVAL":{"seconds_max":3601}})"},
           {"S 10:00 1000 tag=a | E 10:30 8500 tag=b", R"(["ID_TAG_MISMATCH"])", ""},
           {"S 10:00 1000 tag=a | E 10:30 8500", "[]", ""},  // no tag differs from nothing
           {"S 10:00 1000 seq=0 | E 10:30 8500 seq=3", R"(["SEQ_GAP"])",
            R"({"SEQ_GAP":{"missing":[1,2],"count":2}})"},
           {"S 10:00 1000 seq=0 | R 10:10 2000 seq=2 | U 10:20 - seq=1 | E 10:30 8500 seq=3", "[]", ""},
           {"S 10:00 1000 seq=0 | R 10:10 2000 seq=1 | R 10:20 3000 seq=0 | E 10:30 8500 seq=1", "[]",
            ""},  // a boot
           {"S 10:00 1000 | X 10:10 900 | E 10:30 8500", R"(["CONFLICT"])",
            R"({"CONFLICT":{"rows":1,"fields":["value"]}})"},
           {"S 10:00 1000 | E 10:30 8500 | E 10:31 9900 x=1", R"(["CONFLICT"])",
            R"({"CONFLICT":{"rows":1,"fields":["meter_wh"]}})"},
           {"S 10:00 1000 | R 09:59 900 | E 10:30 8500", R"(["READING_OUTSIDE_SESSION"])", ""},
           {"S 10:00 1000 | E 10:30 8500 | P 10:31 0", R"(["READING_OUTSIDE_SESSION"])", ""},
           {"S 10:00 1000 | E 10:30 8500 | U 10:31 -", "[]", ""},  // no reading
           {"S 10:00 52310 | E 11:00 51310", R"(["METER_ANOMALY","METER_DECREASED"])",
            R"({"METER_DECREASED":{"set_aside_wh":"51310.000"}})"},
           {"S 10:00 1000 | R 10:20 900000 | E 11:00 7000", R"(["METER_GLITCH"])",
            R"({"METER_GLITCH":{"set_aside_wh":"900000.000"}})"},
       }) {
    CAPTURE(c.script);
    const std::vector<ChargingSession> rows = Derive(Facts(c.script), "23:00");
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].quality_flags.Json() == c.flags);
    CHECK(rows[0].detail == c.detail);
  }
  const auto wide = Derive(Facts("S 10:00 1000 seq=0 | E 10:30 8500 seq=9223372036854775807"), "23:00");
  CHECK(wide.at(0).detail.find(R"(100],"count":9223372036854775806})") != std::string::npos);
}

TEST_CASE("derive: only what is final is final") {
  for (int i = 0; i < kSessionFlags; ++i) {
    SessionFlags flags;
    flags.Set(SessionFlag{static_cast<uint8_t>(i)});
    CHECK(flags.AnyBlocking() == IsBlocking(SessionFlag{static_cast<uint8_t>(i)}));
    CHECK(flags.Json() == "[\"" + std::string(SessionFlagName(SessionFlag{static_cast<uint8_t>(i)})) + "\"]");
  }
  // A conflict withholds the energy; what the registers say stays as an estimate.
  const auto rows = Derive(Facts("S 10:00 1000 | R 10:10 4000 | E 10:30 8500 | E 10:30 9900 x=1"), "23:00");
  CHECK(Line(rows.at(0)) == "COMPLETED 7.500 START_STOP CONFLICT");
  CHECK(rows[0].energy_estimate_kwh == Thousandths{7500});
  CHECK(rows[0].event_count == 3);  // what contradicts is not counted
}

TEST_CASE("derive: who and where is folded over all rows") {
  const auto rows =
      Derive(Facts("S 10:00 1000 evse=2 cp=cp-100 | U 10:02 - tag=AA seq=1 con=1 | E 10:30 8500 cp=Cp-100"),
             "23:00");
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].evse_id == 2);
  CHECK(rows[0].connector_id == 1);
  CHECK(rows[0].id_tag_hash == "AA");
  CHECK(rows[0].charge_point_id == "CP-100");  // of three spellings the first by bytes
  CHECK(rows[0].session_id == SessionId("CP-100", "501"));
}

TEST_CASE("derive: readings that were set aside stand in no column") {
  const auto meters = [](std::string_view script) {
    const ChargingSession row = Derive(Facts(script), "23:00").at(0);
    return Text(row.meter_start_wh) + " " + Text(row.meter_stop_wh) + " " + Text(row.last_meter_wh);
  };
  CHECK(meters("S 10:00 1000 | R 10:10 2000 | E 10:30 3000") == "1000.000 3000.000 3000.000");
  CHECK(meters("S 10:00 1000 | R 10:10 2000") == "1000.000 - 2000.000");
  CHECK(meters("S 10:00 1000 | R 10:10 2000 | E 10:30 4294967295") == "1000.000 - 2000.000");
  CHECK(meters("S 10:00 1000 | R 10:10 2000 | E 10:30 500") == "1000.000 - 2000.000");
  CHECK(meters("S 08:00 0 | R 08:12 250000 | E 08:18 250640") == "- 250640.000 250640.000");
  CHECK(meters("S 08:00 -1 | R 08:12 2000 | E 08:18 2640") == "- 2640.000 2640.000");
  CHECK(meters("S 10:00 - | R 10:00 1000 ctx=Transaction.Begin | E 10:30 3000") ==
        "1000.000 3000.000 3000.000");
}

namespace {

// Line() of each session, by the time of its first fact.
std::vector<std::string> Lines(std::string_view script) {
  std::vector<ChargingSession> rows = Derive(Facts(script), "3/00:00");
  CHECK(
      std::is_sorted(rows.begin(), rows.end(), [](auto& a, auto& b) { return a.session_id < b.session_id; }));
  std::sort(rows.begin(), rows.end(), [](auto& a, auto& b) {
    return std::max(a.start_ts, a.stop_ts) < std::max(b.start_ts, b.stop_ts);
  });
  std::vector<std::string> lines;
  for (const ChargingSession& row : rows) lines.push_back(Line(row));
  return lines;
}

}  // namespace

TEST_CASE("derive: an id that was used again") {
  using Strings = std::vector<std::string>;
  CHECK(Lines("S 08:00 1000 con=1 | E 09:00 4000 | S 1/08:00 4000 con=1 epoch=1 | E 1/09:00 9000 epoch=1") ==
        Strings{"COMPLETED 3.000 final START_STOP", "COMPLETED 5.000 final START_STOP TX_ID_REUSED"});
  // A reading joins the latest start at or before it, before any start the first.
  CHECK(
      Lines("S 08:00 1000 | R 07:00 1 | R 08:30 2000 | S 09:00 5000 epoch=1 | R 09:00 5000 | R 09:30 7000") ==
      Strings{"TIMED_OUT 1.000 START_LAST STOP_MISSING READING_OUTSIDE_SESSION",
              "TIMED_OUT 2.000 START_LAST STOP_MISSING TX_ID_REUSED"});
  // Where the connector is known, among the epochs of that connector.
  CHECK(Lines("S 08:00 1000 con=1 | S 09:00 5000 con=2 epoch=1 | R 09:30 1900 con=1 | R 09:30 5100 con=2") ==
        Strings{"TIMED_OUT 0.900 START_LAST STOP_MISSING",
                "TIMED_OUT 0.100 START_LAST STOP_MISSING TX_ID_REUSED"});
  // At one instant by tag, then by a meter that fits; if that leaves several, no one's.
  const std::string two = "S 08:00 1000 con=1 tag=a | S 08:00 5000 con=2 tag=b epoch=1 | R 09:00 ";
  const Strings none = {"TIMED_OUT - STOP_MISSING", "TIMED_OUT - STOP_MISSING TX_ID_REUSED"};
  const Strings first = {"TIMED_OUT 5.000 START_LAST STOP_MISSING", none[1]};
  const auto sorted = [](Strings lines) { return std::sort(lines.begin(), lines.end()), lines; };
  CHECK(sorted(Lines(two + "6000 tag=a")) == sorted(first));
  CHECK(sorted(Lines(two + "1900")) == sorted({"TIMED_OUT 0.900 START_LAST STOP_MISSING", none[1]}));
  CHECK(sorted(Lines(two + "6000")) == sorted(none));
  // A stop that could not be assigned is a session by itself, and never the first one.
  CHECK(Lines("E 07:00 900 | S 08:00 1000 con=1 epoch=1 | S 08:01 1000 con=2 epoch=2") ==
        Strings{"START_MISSING - START_MISSING", "TIMED_OUT - STOP_MISSING",
                "TIMED_OUT - STOP_MISSING TX_ID_REUSED"});
  // An epoch of which only contested rows are left has no session, but its number counts.
  CHECK(Lines("S 08:00 1000 x=1 | S 1/09:00 5000 epoch=1 | R 08:30 1 | R 1/09:30 7000") ==
        Strings{"TIMED_OUT 2.000 START_LAST STOP_MISSING TX_ID_REUSED"});
}

TEST_CASE("derive: session ids") {
  const auto ids = [](std::string_view script) {
    std::vector<Digest> digests;
    for (const ChargingSession& row : Derive(Facts(script), "23:00")) digests.push_back(row.session_id);
    return digests;
  };
  const Digest first = SessionId("cp-100", "501");
  const Digest second = Sha256("CP-100|501|2026-03-01T12:00:00.000000Z");
  const std::vector<Digest> both = {std::min(first, second), std::max(first, second)};
  CHECK(ids("S 08:00 1 cp=cp-100 | S 12:00 1 epoch=1 cp=cp-100") == both);
  // Two later ones at one instant, on two connectors.
  const std::vector<Digest> three = ids("S 08:00 1 | S 12:00 1 epoch=1 con=1 | S 12:00 1 epoch=2 con=2");
  CHECK(three.size() == 3);
  CHECK(std::adjacent_find(three.begin(), three.end()) == three.end());
  // A fact whose id is no id is a session by itself, and shows none.
  const History lone = Facts("E 10:30 8500 tx=-1");
  const auto rows = Derive(lone, "23:00");
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].session_id == lone.elements[0].identity.business_key);
  CHECK(rows[0].transaction_id.empty());
  CHECK(Line(rows[0]) == "START_MISSING - START_MISSING");
}

TEST_CASE("derive: evidence names where the deciding readings came from") {
  const auto evidence = [](std::string_view script) {
    return EvidenceJson(Derive(Facts(script), "23:00").at(0));
  };
  const auto at = [](std::string_view topic, int offset) {
    return "{\"topic\":\"" + std::string(topic) + "\",\"partition\":0,\"offset\":" + std::to_string(offset) +
           ",\"ordinal\":0}";
  };
  const auto both = [](const std::string& begin, const std::string& end) {
    return "{\"begin\":" + begin + ",\"end\":" + end + "}";
  };
  CHECK(evidence("S 10:00 1000") == both(at("ocpp", 0), "null"));
  CHECK(evidence("E 10:30 1000") == both("null", at("ocpp", 0)));
  CHECK(evidence("S 10:00 1000 | R 10:10 2000 | E 10:30 -1") == both(at("ocpp", 0), at("ocpp", 1)));
  CHECK(evidence("S 10:00 1000 from=7 | E 10:30 2000") ==
        both(at("copies", 7), at("ocpp", 1)));  // a later copy's
  CHECK(evidence("S 10:00 1000 | I 10:10 5 | I 10:20 5") == both(at("ocpp", 1), at("ocpp", 2)));
  CHECK(evidence("S 08:00 0 | R 08:12 250000 | E 08:18 250640") == both(at("ocpp", 1), at("ocpp", 2)));
}

TEST_CASE("derive: power limit of a connector") {
  Options options;
  options.power_max_w_of[{"CP-100", 1}] = 22'000;
  const History history = Facts("S 10:00 0 con=1 | E 11:00 22001");
  CHECK(Line(Derive(history, "23:00").at(0)) == "COMPLETED 22.001 final START_STOP");
  CHECK(Line(Derive(history, "23:00", options).at(0)) == "COMPLETED - METER_ANOMALY METER_STOP_INVALID");
}

namespace {

// A transaction of many facts with something of everything, and two epochs.
std::string RandomScript(std::mt19937& random) {
  const auto pick = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  std::string script = "S 10:00 50000 con=1";
  uint32_t wh = 50'000;
  for (uint32_t i = 0, n = 5 + pick(20); i < n; ++i) {
    wh += pick(2000);
    const uint32_t minute = 10 * 60 + pick(600);
    const std::string time =
        std::to_string(minute / 60) + ":" + (minute % 60 < 10 ? "0" : "") + std::to_string(minute % 60);
    const char kind = "RRRRRPIUX"[pick(9)];
    const std::string value = kind == 'U' ? "-" : std::to_string(pick(5) == 0 ? pick(100'000) : wh);
    script += std::string(" | ") + kind + " " + time + " " + value + " seq=" + std::to_string(pick(9)) +
              " late=" + std::to_string(pick(5000)) + (pick(3) == 0 ? " con=2" : "") +
              (pick(9) == 0 ? " ctx=Transaction.End" : "");
  }
  if (pick(2) == 0) script += " | E 20:00 " + std::to_string(wh + pick(3000) - 1000);
  if (pick(3) == 0) script += " | S 15:00 51000 con=2 epoch=1 | E 21:00 60000 epoch=1";
  return script;
}

}  // namespace

TEST_CASE("derive: the order of the history never matters") {
  const uint32_t seed = GENERATE(range(0u, 200u));
  CAPTURE(seed);
  std::mt19937 random(seed);
  const std::string script = RandomScript(random);
  CAPTURE(script);
  History history = Facts(script);
  const std::vector<ChargingSession> rows = Derive(history, "23:00");
  for (const ChargingSession& row : rows) CHECK(row.energy_kwh.value_or(Thousandths{}) >= Thousandths{});
  for (int i = 0; i < 5; ++i) {
    std::shuffle(history.elements.begin(), history.elements.end(), random);
    CHECK(Derive(history, "23:00") == rows);
  }
}

TEST_CASE("derive: between due times nothing changes") {
  const uint32_t seed = GENERATE(range(0u, 50u));
  CAPTURE(seed);
  std::mt19937 random(seed);
  const History history = Facts(RandomScript(random));
  for (int hour = 20; hour < 60; ++hour) {
    const UtcTime before{At("00:00").us + hour * kMicrosPerHour};
    const UtcTime after{before.us + kMicrosPerHour};
    const auto rows = DeriveSessions(history.elements, {}, before, {});
    const bool due = std::any_of(rows.begin(), rows.end(), [&](const ChargingSession& row) {
      return row.next_due_at != kNoTime && row.next_due_at <= after;
    });
    CHECK((DeriveSessions(history.elements, {}, after, {}) == rows) == !due);
  }
}

TEST_CASE("derive: values at the limits of their type") {
  std::mt19937 random(7);
  constexpr int64_t kValues[] = {INT64_MIN, INT64_MIN + 1, -1, 0, 1, 4294967295000, INT64_MAX - 1, INT64_MAX};
  History history = Facts(
      "S 10:00 1 | R 10:10 2 | R 10:20 3 | R 10:30 4 | R 10:40 5 | P 10:15 1e14 | P 10:35 1e14 | E 11:00 6");
  for (int round = 0; round < 2000; ++round) {
    for (ChargingElement& element : history.elements) {
      if (element.row.meter_wh.has_value()) element.row.meter_wh = Thousandths{kValues[random() % 8]};
      element.row.seq_no = kValues[random() % 8];
    }
    const auto rows = Derive(history, "23:00");
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].energy_kwh.value_or(Thousandths{}) >= Thousandths{});
    CHECK(rows[0].energy_kwh.value_or(Thousandths{}) <= Thousandths{1'000'000});
  }
}

TEST_CASE("derive: a long session costs no more than its length") {
  History history = Facts("S 10:00 1000");
  Arena texts;
  const ChargingElement reading = testing::FactOf("R 10:00:01 1000", 1, texts);
  std::mt19937 random(1);
  for (int64_t i = 0; i < 50'000; ++i) {  // every other one is garbage
    ChargingElement& element = history.elements.emplace_back(reading);
    element.row.event_ts.us += i * kMicrosPerSecond;
    element.row.meter_wh = Thousandths{i % 2 == 0 ? 1'000'000 + i * 10 : static_cast<int64_t>(random())};
    element.row.at.offset = i + 1;
  }
  const auto rows = Derive(history, "23:00");
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].event_count == 50'001);
}

}  // namespace medallion::ocpp
