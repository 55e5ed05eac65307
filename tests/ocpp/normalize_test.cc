#include "medallion/ocpp/normalize.h"

#include <initializer_list>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "catch.h"
#include "ocpp/one_event.h"

// Every row is one sound event with one change. `codes` are what it then breaks, `flags` what is noted; both empty for
// the counter-examples.
namespace medallion::ocpp {
namespace {

using namespace medallion::ocpp::testing;
using namespace std::string_literals;

struct Case {
  std::string_view type;
  Changes changes;
  std::string_view column;  // of Silver
  std::string value;        // its text, "-" for a null
  std::string_view flags = "";
  std::string_view codes = "";
};

void Check(const Case& c, const Options& options = {}, const BronzeRecord& record = Received()) {
  const One one = RefineOne(Payload(c.type, c.changes), options, record);
  CAPTURE(one.payload);
  CHECK(Column(one.row(), c.column) == c.value);
  CHECK(Flags(one) == c.flags);
  CHECK(Codes(one) == c.codes);
}

void CheckAll(std::initializer_list<Case> cases) {
  for (const Case& c : cases) Check(c);
}

std::string Quoted(const std::string& text) { return "\"" + text + "\""; }

}  // namespace

TEST_CASE("normalize: ids, types and names") {
  CheckAll({
      {"Heartbeat", {}, "event_id", "e1"},
      {"Heartbeat", {{"event_id", "\" e1 \""}}, "event_id", "e1"},
      {"Heartbeat", {{"event_id", "17"}}, "event_id", "17"},  // text or integer: no coercion
      {"Heartbeat", {{"event_id", "17.0"}}, "event_id", "17", "TYPE_COERCED"},
      {"Heartbeat", {{"event_id", "1.5"}}, "event_id", "1.5", "TYPE_COERCED"},
      {"Heartbeat",
       {{"event_id", "123456789012345678901234567890"}},
       "event_id",
       "123456789012345678901234567890"},
      {"Heartbeat", {{"event_id", ""}, {"message_id", "\"m\""}}, "event_id", "m"},
      {"Heartbeat", {{"event_id", R"("a\u0000")"}}, "event_id", "a"},

      {"Heartbeat", {{"event_type", "\"heart_beat\""}}, "event_type", "Heartbeat"},
      {"Heartbeat", {{"event_type", ""}, {"action", "\"HEARTBEAT\""}}, "event_type", "Heartbeat"},

      {"Heartbeat", {{"charge_point_id", "\" cp-1 \""}}, "charge_point_id", "cp-1"},  // shown as written
      {"Heartbeat", {{"charge_point_id", "77"}}, "charge_point_id", "77", "TYPE_COERCED"},

      {"Heartbeat", {{"ocpp_version", "\"ocpp2.0.1\""}}, "ocpp_version", "2.0.1"},
      {"Heartbeat", {{"ocpp_version", "2.1"}}, "ocpp_version", "2.1", "TYPE_COERCED"},
      {"Heartbeat", {{"ocpp_version", ""}}, "ocpp_version", "-"},  // unknown
      {"Heartbeat", {}, "schema_version", "1"},
      {"Heartbeat", {{"schema_version", "\"1\""}}, "schema_version", "1", "TYPE_COERCED"},
      {"Heartbeat", {{"schema_version", "1.0"}}, "schema_version", "1", "TYPE_COERCED"},
      {"Heartbeat", {{"schema_version", "null"}}, "schema_version", "1"},

      {"Heartbeat", {{"EVENT_ID", "\"e1\""}}, "event_id", "e1", "SHAPE_COERCED"},
      {"Heartbeat",
       {{"Gateway", "\"g\""}},
       "extra_fields",
       R"({"Gateway":"g"})"},  // unknown names have no casing
  });
}

TEST_CASE("normalize: the charge point comes from the broker's key where the event has none") {
  BronzeRecord record = Received();
  record.key = " CP-9 ";
  for (const std::string_view absent : {"", "null", "\"\"", "\"  \"", "true", "[]"}) {
    Check({"Heartbeat",
           {{"charge_point_id", std::string(absent)}},
           "charge_point_id",
           "CP-9",
           "CHARGE_POINT_FROM_KEY"},
          {}, record);
  }
  Check({"Heartbeat", {}, "charge_point_id", "CP-1"}, {}, record);  // the event's own goes first
}

TEST_CASE("normalize: the record's version stands in for the event's") {
  BronzeRecord record = Received();
  record.version = "ocpp2.0.1";
  Check({"Heartbeat", {{"ocpp_version", ""}}, "ocpp_version", "2.0.1"}, {}, record);
  Check({"Heartbeat", {}, "ocpp_version", "1.6"}, {}, record);
}

TEST_CASE("normalize: connectors and evses are whole numbers from 0") {
  CheckAll({
      {"MeterValues", {{"connector_id", "0"}}, "connector_id", "0"},
      {"MeterValues",
       {{"connector_id", "\"2\""}},
       "connector_id",
       "2"},  // digits as text have their place in the table
      {"MeterValues", {{"connector_id", "\" 2 \""}}, "connector_id", "2"},
      {"MeterValues", {{"connector_id", "\"002\""}}, "connector_id", "2"},
      {"MeterValues", {{"connector_id", "2.0"}}, "connector_id", "2", "TYPE_COERCED"},
      {"MeterValues", {{"connector_id", "2e0"}}, "connector_id", "2", "TYPE_COERCED"},
      {"MeterValues", {{"connector_id", "2147483647"}}, "connector_id", "2147483647"},
      {"MeterValues", {{"connector_id", ""}}, "connector_id", "-"},
      {"MeterValues", {{"connector_id", "null"}}, "connector_id", "-"},
      {"MeterValues", {{"connector_id", "\"\""}}, "connector_id", "-"},
      {"MeterValues", {{"evse_id", "\"3\""}}, "evse_id", "3"},
      {"MeterValues", {{"evse_id", "0"}}, "evse_id", "0"},
  });
  for (const std::string_view bad : {"-1", "2147483648", "1.5", "\"1.0\"", "\"+1\"", "\"1e0\"", "\"one\"",
                                     "true", "{}", "[1]", "\"-1\"", "99999999999999999999", "\"1 2\""}) {
    for (const std::string_view field : {"connector_id", "evse_id"}) {
      Check(
          {"MeterValues", {{std::string(field), std::string(bad)}}, field, "-", "", "INVALID_CONNECTOR_ID"});
    }
  }
}

TEST_CASE("normalize: transaction ids") {
  const std::string long_36(36, 'x'), long_37(37, 'x');
  const std::string accents_36 = "\xC3\xA9" + std::string(35, 'x');  // 37 bytes
  CheckAll({
      {"MeterValues", {}, "transaction_id", "501"},
      {"MeterValues", {{"transaction_id", "501.0"}}, "transaction_id", "501", "TYPE_COERCED"},
      {"MeterValues", {{"transaction_id", "5.01e2"}}, "transaction_id", "501", "TYPE_COERCED"},
      {"MeterValues", {{"transaction_id", "\"501\""}}, "transaction_id", "501"},
      {"MeterValues",
       {{"transaction_id", "\" 0501 \""}},
       "transaction_id",
       "501"},  // 1.6: a number, in canonical form
      {"MeterValues", {{"transaction_id", "\"000\""}}, "transaction_id", "0"},
      {"MeterValues", {{"transaction_id", "-0"}}, "transaction_id", "0"},
      {"MeterValues", {{"transaction_id", "\"-007\""}}, "transaction_id", "-7"},
      {"MeterValues",
       {{"transaction_id", "-1"}},
       "transaction_id",
       "-1"},  // no id, but never a reason to reject
      {"MeterValues", {{"transaction_id", "12345678901234567890"}}, "transaction_id", "12345678901234567890"},
      {"MeterValues", {{"transaction_id", "\"TX-a\""}}, "transaction_id", "TX-a"},
      {"MeterValues", {{"transaction_id", "\" TX-a \""}}, "transaction_id", "TX-a"},
      {"MeterValues",
       {{"transaction_id", "\"501.0\""}},
       "transaction_id",
       "501.0"},  // a text that is no integer
      {"MeterValues", {{"transaction_id", Quoted(long_36)}}, "transaction_id", long_36},
      {"MeterValues",
       {{"transaction_id", Quoted(accents_36)}},
       "transaction_id",
       accents_36},  // characters, not bytes
      {"MeterValues",
       {{"transaction_id", "\"0501\""}, {"ocpp_version", "\"2.0.1\""}},
       "transaction_id",
       "0501"},
      {"MeterValues",
       {{"transaction_id", "\" 0501\""}, {"ocpp_version", "\"2.1\""}},
       "transaction_id",
       " 0501"},  // exactly
      {"MeterValues", {{"transaction_id", "501"}, {"ocpp_version", "\"2.0.1\""}}, "transaction_id", "501"},
      {"MeterValues",
       {{"transaction_id", "\"0501\""}, {"ocpp_version", ""}},
       "transaction_id",
       "501"},  // unknown is 1.6
      {"Heartbeat", {{"transaction_id", "\"\""}}, "transaction_id", "-"},
  });
  for (const std::string& bad : {Quoted(long_37), Quoted(std::string(40, '9')), std::string(400, '9'),
                                 "501.5"s, "true"s, "{}"s, "[501]"s, "1e400"s}) {
    Check({"MeterValues", {{"transaction_id", bad}}, "transaction_id", "-", "", "INVALID_TRANSACTION_ID"});
  }
}

TEST_CASE("normalize: times") {
  CheckAll({
      {"Heartbeat", {}, "event_ts", "2026-03-01T10:00:00.000000Z"},
      {"Heartbeat",
       {{"event_ts", ""}, {"timestamp", "\"2026-03-01T10:00:00Z\""}},
       "event_ts",
       "2026-03-01T10:00:00.000000Z"},
      {"Heartbeat",
       {{"event_ts", "\"2026-03-01T12:00:00+02:00\""}},
       "event_ts",
       "2026-03-01T10:00:00.000000Z"},
      {"Heartbeat", {{"event_ts", "\"2026-03-01 12:00:00+02\""}}, "event_ts", "2026-03-01T10:00:00.000000Z"},
      {"Heartbeat",
       {{"event_ts", "\"2026-03-01T12:00:00+0200\""}},
       "event_ts",
       "2026-03-01T10:00:00.000000Z"},
      {"Heartbeat",
       {{"event_ts", "\" 2026-03-01T10:00:00.2351109Z \""}},
       "event_ts",
       "2026-03-01T10:00:00.235110Z"},
      {"Heartbeat", {{"event_ts", "\"2026-03-01T09:59:60Z\""}}, "event_ts", "2026-03-01T09:59:59.999999Z"},
      {"Heartbeat",
       {{"event_ts", "\"2026-03-01T10:00:00\""}},
       "event_ts",
       "2026-03-01T10:00:00.000000Z",
       "TZ_ASSUMED"},
      {"Heartbeat", {{"event_ts", "\"2026-03-01T10:00:00Z\""}}, "event_date", "2026-03-01"},
      {"Heartbeat",
       {{"event_ts", "\"2026-03-01T00:30:00+01:00\""}},
       "event_date",
       "2026-02-28"},  // the day in UTC
      {"Heartbeat", {}, "ingest_ts", "2026-03-01T12:00:00.000000Z"},
      {"Heartbeat", {}, "reported_ts", "-"},
      {"MeterValues",
       {{"event_ts", "\"2010-01-01T00:00:00Z\""}},
       "event_ts",
       "2010-01-01T00:00:00.000000Z"},  // years late
      {"MeterValues",
       {{"event_ts", "\"2026-03-01T12:05:00Z\""}},
       "event_ts",
       "2026-03-01T12:05:00.000000Z"},  // 5 min ahead
      {"MeterValues",
       {{"event_ts", "\"2026-03-01T12:05:00.000001Z\""}},
       "reported_ts",
       "-",
       "",
       "INVALID_EVENT_TS"},
      {"MeterValues",
       {{"event_ts", "\"2009-12-31T23:59:59.999999Z\""}},
       "reported_ts",
       "-",
       "",
       "INVALID_EVENT_TS"},
      {"MeterValues",
       {{"event_ts", "\"2010-01-01T00:59:59+01:00\""}},
       "reported_ts",
       "-",
       "",
       "INVALID_EVENT_TS"},
  });
  for (const std::string_view bad : {"\"yesterday\"", "\"2026-03-01\"", "\"2026-02-30T10:00:00Z\"",
                                     "1772359200", "true", "{}", "\"1772359200\"", "\"infinite-future\""}) {
    for (const std::string_view type : {"StartTransaction", "StatusNotification", "Heartbeat"}) {
      Check({type, {{"event_ts", std::string(bad)}}, "event_ts", "-", "", "INVALID_EVENT_TS"});
    }
  }
}

TEST_CASE("normalize: only observations may lack a time") {
  for (const std::string_view absent : {"", "null", "\"\"", "\" \""}) {
    const Changes changes = {{"event_ts", std::string(absent)}};
    for (const std::string_view type : {"StatusNotification", "Heartbeat"}) {
      Check({type, changes, "event_ts", "2026-03-01T12:00:00.000000Z", "TS_FROM_INGEST"});
    }
    for (const std::string_view type : {"StartTransaction", "MeterValues", "StopTransaction"}) {
      Check({type, changes, "event_ts", "-", "", "INVALID_EVENT_TS"});
    }
  }
  BronzeRecord never = Received();
  never.ingest_ts = never.broker_ts = kNoTime;
  Check({"Heartbeat", {{"event_ts", ""}}, "event_ts", "-", "", "INVALID_EVENT_TS"}, {},
        never);  // nothing stands in
}

TEST_CASE("normalize: a station's clock may be kept") {
  Options keep;
  keep.flat_clock = ClockPolicy::kKeep;
  const Changes unset = {{"event_ts", "\"1970-01-01T00:00:10Z\""}},
                future = {{"event_ts", "\"2026-03-01T13:00:00Z\""}};
  Check({"MeterValues", unset, "event_ts", "2026-03-01T12:00:00.000000Z", "CLOCK_UNSET"}, keep);
  Check({"MeterValues", unset, "reported_ts", "1970-01-01T00:00:10.000000Z", "CLOCK_UNSET"}, keep);
  Check({"MeterValues", future, "event_ts", "2026-03-01T12:00:00.000000Z", "FUTURE_TIMESTAMP"}, keep);
  Check({"MeterValues", future, "reported_ts", "2026-03-01T13:00:00.000000Z", "FUTURE_TIMESTAMP"}, keep);
  Check({"MeterValues", {}, "reported_ts", "-"}, keep);
  keep.future_max_us = kMicrosPerHour;
  Check({"MeterValues", future, "event_ts", "2026-03-01T13:00:00.000000Z"}, keep);
}

TEST_CASE("normalize: what a time without an offset means") {
  Options berlin;
  REQUIRE(absl::LoadTimeZone("Europe/Berlin", &berlin.assumed_zone));
  const auto at = [](const std::string& text) { return Changes{{"event_ts", Quoted(text)}}; };
  Check({"Heartbeat", at("2026-03-01T10:00:00.5"), "event_ts", "2026-03-01T09:00:00.500000Z", "TZ_ASSUMED"},
        berlin);
  Check({"Heartbeat", at("2025-07-01T10:00:00"), "event_ts", "2025-07-01T08:00:00.000000Z", "TZ_ASSUMED"},
        berlin);
  Check({"Heartbeat", at("2026-03-01T10:00:00Z"), "event_ts", "2026-03-01T10:00:00.000000Z"}, berlin);
  Options strict;
  strict.missing_offset_rejected = true;
  Check({"Heartbeat", at("2026-03-01T10:00:00"), "event_ts", "-", "", "INVALID_EVENT_TS"}, strict);
  Check({"Heartbeat", at("2026-03-01T10:00:00Z"), "event_ts", "2026-03-01T10:00:00.000000Z"}, strict);
}

TEST_CASE("normalize: ingest_ts is the record's, the broker's, the event's, or its time") {
  BronzeRecord record = Received();
  const Changes inner = {{"ingest_ts", "\"2026-03-01T11:00:00Z\""}};
  Check({"Heartbeat", inner, "ingest_ts", "2026-03-01T12:00:00.000000Z"}, {}, record);
  Check({"Heartbeat", inner, "extra_fields", R"({"ingest_ts":"2026-03-01T11:00:00Z"})"}, {},
        record);  // not lost
  record.ingest_ts = kNoTime;
  Check({"Heartbeat", inner, "ingest_ts", "2026-03-01T11:59:59.000000Z"}, {}, record);
  record.broker_ts = kNoTime;
  Check({"Heartbeat", inner, "ingest_ts", "2026-03-01T11:00:00.000000Z"}, {}, record);
  Check({"Heartbeat", inner, "extra_fields", "-"}, {}, record);
  Check({"Heartbeat", {}, "ingest_ts", "2026-03-01T10:00:00.000000Z"}, {}, record);
  Check({"Heartbeat", {{"ingest_ts", "\"soon\""}}, "ingest_ts", "2026-03-01T10:00:00.000000Z"}, {}, record);
}

TEST_CASE("normalize: readings are exact, in Wh") {
  const auto value = [](const std::string& json, const std::string& unit = "") {
    return Changes{{"meter_value", json}, {"unit", unit.empty() ? "" : Quoted(unit)}};
  };
  CheckAll({
      {"MeterValues", {}, "meter_wh", "4000.000"},
      {"MeterValues", {}, "unit", "Wh"},  // the default
      {"MeterValues", value("4.0", "kWh"), "meter_wh", "4000.000"},
      {"MeterValues", value("4.0", "kWh"), "value", "4.0"},  // its own digits
      {"MeterValues", value("4.0", "kWh"), "unit", "kWh"},
      {"MeterValues", value("\" 4.000 \"", "kWh"), "value", "4.000"},  // number or text: no coercion
      {"MeterValues", value("0.004", "MWh"), "meter_wh", "4000.000"},
      {"MeterValues", value("4e3"), "meter_wh", "4000.000"},
      {"MeterValues", value("\"+.4E+4\""), "meter_wh", "4000.000"},
      {"MeterValues", value("26008.333"), "meter_wh", "26008.333"},
      {"MeterValues", value("0.15005000000000002", "kWh"), "meter_wh", "150.050", "PRECISION_LOST"},
      {"MeterValues", value("0.0005"), "meter_wh", "0.001", "PRECISION_LOST"},  // HALF_UP
      {"MeterValues", value("0.0004"), "meter_wh", "0.000", "PRECISION_LOST"},
      {"MeterValues", value("1.5000000"), "meter_wh", "1.500"},
      {"MeterValues", value("999999999999999"), "meter_wh", "999999999999999.000"},
      {"MeterValues", value("0"), "meter_wh", "0.000"},
      {"MeterValues", value("-0.0"), "meter_wh", "0.000"},  // no negative zero
      {"MeterValues", value("4000", "wh"), "meter_wh", "4000.000", "UNIT_FOLDED"},
      {"MeterValues", value("4", "KWH"), "unit", "kWh", "UNIT_FOLDED"},
      {"MeterValues", {{"meter_value", ""}, {"meter_wh", "4000"}}, "meter_wh", "4000.000"},
      {"MeterValues", {{"meter_value", ""}, {"meter_kwh", "\"4.0\""}}, "meter_wh", "4000.000"},
      {"MeterValues", {{"meter_value", ""}, {"meter_kwh", "4"}}, "unit", "kWh"},
      {"MeterValues", {{"meter_wh", "4000"}}, "meter_wh", "4000.000"},
      {"MeterValues", {{"meter_wh", "4000.0"}, {"meter_kwh", "4"}}, "value", "4000"},
      {"MeterValues", {{"meter_wh", "4001"}}, "meter_wh", "4000.000", "", "AMBIGUOUS_FIELD"},
      {"MeterValues", {{"unit", "\"kWh\""}, {"meter_wh", "4000000"}}, "meter_wh", "4000000.000"},
      {"MeterValues",
       {{"meter_value", ""}, {"meter_wh", "4000"}, {"unit", "\"Wh\""}},
       "meter_wh",
       "4000.000"},
      {"MeterValues",
       {{"meter_value", ""}, {"meter_wh", "4000"}, {"unit", "\"kWh\""}},
       "meter_wh",
       "4000.000",
       "",
       "AMBIGUOUS_FIELD"},
  });
}

TEST_CASE("normalize: a sample that is no number is none of the message's") {
  const std::string nines(400, '9');
  for (const std::string& bad : {"\"\""s,
                                 "\" \""s,
                                 "\"NaN\""s,
                                 "\"1,5\""s,
                                 "\"1 000\""s,
                                 "\"4 kWh\""s,
                                 "\"0x10\""s,
                                 "\"-\""s,
                                 "true"s,
                                 "{}"s,
                                 "[4000]"s,
                                 "1000000000000000"s,
                                 "999999999999999.9999"s,
                                 "1e15"s,
                                 "0.0000000000000000000000000000001"s,
                                 nines,
                                 "1e" + nines,
                                 Quoted(nines),
                                 "-1"s,
                                 "\"-0.001\""s}) {
    Check({"MeterValues", {{"meter_value", bad}}, "meter_wh", "-", "", "INVALID_METER_VALUE"});
  }
  Check({"MeterValues",
         {{"meter_value", "1000000000000"}, {"unit", "\"kWh\""}},
         "meter_wh",
         "-",
         "",
         "INVALID_METER_VALUE"});
  Check({"MeterValues",
         {{"meter_value", "0.000000000000000000000000000001"}},
         "meter_wh",
         "0.000",
         "PRECISION_LOST"});
  for (const std::string_view absent : {"", "null"}) {
    Check({"MeterValues", {{"meter_value", std::string(absent)}}, "value", "-", "", "MISSING_METER_VALUE"});
  }
}

TEST_CASE("normalize: what is sampled, and where") {
  const auto sample = [](std::string_view measurand, std::string_view json, std::string_view unit) {
    Changes changes = {{"meter_value", std::string(json)}};
    if (!measurand.empty()) changes.emplace_back("measurand", Quoted(std::string(measurand)));
    if (!unit.empty()) changes.emplace_back("unit", Quoted(std::string(unit)));
    return changes;
  };
  CheckAll({
      {"MeterValues", {}, "measurand", "Energy.Active.Import.Register"},
      {"MeterValues", {}, "location", "Outlet"},
      {"MeterValues", {}, "context", "Sample.Periodic"},
      {"MeterValues", {}, "phase", "-"},
      {"MeterValues", {{"measurand", "\"power.active.import\""}}, "measurand", "Power.Active.Import"},
      {"MeterValues",
       {{"measurand", "\"Power.Active.Import\""}},
       "unit",
       "-"},  // no default but for energies
      {"MeterValues", {{"measurand", "\"Power.Active.Import\""}}, "meter_wh", "-"},
      {"MeterValues", sample("Power.Active.Import", "-3.1", "kW"), "value",
       "-3.1"},  // negative power is fine
      {"MeterValues", sample("Energy.Active.Export.Register", "5", ""), "unit", "Wh"},
      {"MeterValues", sample("Energy.Active.Export.Register", "5", "kWh"), "meter_wh", "-"},
      {"MeterValues", sample("Energy.Active.Import.Interval", "5", "Wh"), "meter_wh", "-"},
      {"MeterValues", sample("Energy.Active.Import.Interval", "-5", "Wh"), "value", "-5"},
      {"MeterValues", sample("Energy.Reactive.Import.Register", "5", "kvarh"), "unit", "kvarh"},
      {"MeterValues", sample("Energy.Apparent.Import", "5", "VAh"), "unit", "VAh"},
      {"MeterValues", {{"context", "\"transaction.end\""}}, "context", "Transaction.End"},
      {"MeterValues", {{"context", "\"Lunch\""}}, "context", "Lunch", "UNKNOWN_ENUM"},
      {"MeterValues", {{"measurand", "\"Mood\""}}, "measurand", "Mood", "UNKNOWN_ENUM"},
      {"MeterValues", {{"measurand", "7"}}, "measurand", "7", "TYPE_COERCED,UNKNOWN_ENUM"},
      {"MeterValues",
       {{"measurand", "true"}},
       "measurand",
       "Energy.Active.Import.Register"},  // counts as absent
      // Only the register of the whole, where energy leaves the station, is meter_wh.
      {"MeterValues", {{"location", "\"cable\""}}, "meter_wh", "4000.000"},
      {"MeterValues", {{"location", "\"Body\""}}, "meter_wh", "4000.000"},
      {"MeterValues", {{"location", "\"Inlet\""}}, "meter_wh", "-"},
      {"MeterValues", {{"location", "\"EV\""}}, "meter_wh", "-"},
      {"MeterValues", {{"location", "\"Roof\""}}, "meter_wh", "-", "UNKNOWN_ENUM"},
      {"MeterValues", {{"phase", "\"l1\""}}, "meter_wh", "-"},
      {"MeterValues",
       {{"phase", "\"L1\""}, {"meter_value", "0.0005"}},
       "value",
       "0.0005"},  // nothing was rounded
      {"MeterValues", {{"phase", "\"L9\""}}, "meter_wh", "-", "UNKNOWN_ENUM"},
      {"MeterValues",
       {{"phase", "\"L1\""}, {"meter_value", "-1"}},
       "meter_wh",
       "-",
       "",
       "INVALID_METER_VALUE"},
      // Units.
      {"MeterValues", sample("Temperature", "33", "C"), "unit", "C"},
      {"MeterValues", sample("Temperature", "33", "Celcius"), "unit", "Celcius"},
      {"MeterValues", sample("Frequency", "50.02", "Hz"), "unit", "Hz"},
      {"MeterValues", sample("Power.Factor", "1.2", "bananas"), "unit", "bananas", "UNKNOWN_ENUM"},
      {"MeterValues", sample("SoC", "0", "Percent"), "value", "0"},
      {"MeterValues", sample("SoC", "100.0", "percent"), "value", "100.0", "UNIT_FOLDED"},
      {"MeterValues", sample("SoC", "100.1", "Percent"), "meter_wh", "-", "", "INVALID_METER_VALUE"},
      {"MeterValues", sample("SoC", "-1", "Percent"), "meter_wh", "-", "", "INVALID_METER_VALUE"},
      {"MeterValues", sample("SoC", "101", ""), "value", "101"},  // no unit, no bound
      {"MeterValues", sample("Energy.Active.Import.Register", "5", "bananas"), "meter_wh", "-", "",
       "UNKNOWN_UNIT"},
      {"MeterValues", sample("Energy.Active.Import.Register", "33", "kW"), "meter_wh", "-", "",
       "UNKNOWN_UNIT"},
      {"MeterValues", sample("Energy.Active.Import.Register", "33", "kvarh"), "meter_wh", "-", "",
       "UNKNOWN_UNIT"},
      {"MeterValues", sample("Energy.Active.Export.Register", "33", "VAh"), "meter_wh", "-", "",
       "UNKNOWN_UNIT"},
      {"MeterValues", sample("Energy.Reactive.Import.Register", "33", "VAh"), "meter_wh", "-", "",
       "UNKNOWN_UNIT"},
      {"MeterValues", sample("", "33", "kW"), "meter_wh", "-", "",
       "UNKNOWN_UNIT"},  // a default overrules nothing
      {"MeterValues", sample("", "50", "Percent"), "meter_wh", "-", "", "UNKNOWN_UNIT"},
      {"MeterValues", sample("", "\"x\"", "kW"), "meter_wh", "-", "", "INVALID_METER_VALUE,UNKNOWN_UNIT"},
  });
}

TEST_CASE("normalize: the reading of a start or stop never refuses it") {
  for (const std::string_view type : {"StartTransaction", "StopTransaction"}) {
    const auto check = [&](const Changes& changes, const std::string& meter_wh, std::string_view flags = "",
                           const std::string& detail = "-") {
      Check({type, changes, "meter_wh", meter_wh, flags});
      Check({type, changes, "detail", detail, flags});
    };
    check({{"meter_value", "\"2.5\""}, {"unit", "\"kWh\""}}, "2500.000");
    check({{"meter_value", ""}}, "-");
    check({{"meter_value", "null"}}, "-");
    check({{"meter_value", "-1"}}, "-1.000");  // the session sets it aside
    check({{"meter_value", "4294967296"}}, "4294967296.000");
    check({{"meter_value", "26008.3335"}}, "26008.334", "PRECISION_LOST");
    check({{"meter_value", "\"\""}}, "-", "", R"({"meter_value":""})");
    check({{"meter_value", "\"n/a\""}}, "-", "", R"({"meter_value":"n/a"})");
    check({{"meter_value", "1e15"}}, "-", "", R"({"meter_value":"1e15"})");
    check({{"meter_value", "[1]"}}, "-", "", R"({"meter_value":"[1]"})");
    check({{"meter_value", "true"}}, "-", "", R"({"meter_value":"true"})");
    check({{"meter_value", "5"}, {"unit", "\"kW\""}}, "-", "", R"({"meter_value":"5","unit":"kW"})");
    check({{"meter_value", "5"}, {"unit", "\"kvarh\""}}, "-", "", R"({"meter_value":"5","unit":"kvarh"})");
    check({{"meter_value", "5"}, {"unit", "\"bananas\""}}, "-", "",
          R"({"meter_value":"5","unit":"bananas"})");
    check({{"meter_value", "5"}, {"unit", "\"KWH\""}}, "5000.000", "UNIT_FOLDED");
  }
}

TEST_CASE("normalize: statuses, errors and reasons") {
  const auto status = [](const std::string& text, const std::string& version) {
    return Changes{{"connector_status", Quoted(text)}, {"ocpp_version", Quoted(version)}};
  };
  CheckAll({
      {"StatusNotification", {}, "connector_status", "Charging"},
      {"StatusNotification", status("charging ", "1.6"), "connector_status", "Charging"},
      {"StatusNotification", status("suspended_ev", "1.6"), "connector_status", "SuspendedEV"},
      {"StatusNotification", status("Occupied", "1.6"), "connector_status", "Occupied", "UNKNOWN_ENUM"},
      {"StatusNotification", status("Occupied", "2.0.1"), "connector_status", "Occupied"},
      {"StatusNotification", status("Charging", "2.0.1"), "connector_status", "Charging", "UNKNOWN_ENUM"},
      {"StatusNotification",
       {{"connector_status", ""}, {"status", "\"Faulted\""}},
       "connector_status",
       "Faulted"},
      {"StatusNotification", {}, "error_code", "NoError"},
      {"StatusNotification", {{"error_code", ""}}, "error_code", "-"},
      {"StatusNotification", {{"error_code", "17"}}, "error_code", "17", "TYPE_COERCED"},
      {"StopTransaction", {}, "stop_reason", "Local"},
      {"StopTransaction",
       {{"stop_reason", ""}, {"reason", "\"evdisconnected\""}},
       "stop_reason",
       "EVDisconnected"},
      {"StopTransaction",
       {{"stop_reason", ""}, {"Reason", "\"Remote\""}},
       "stop_reason",
       "Remote",
       "SHAPE_COERCED"},
      {"StopTransaction", {{"stop_reason", "\"Bored\""}}, "stop_reason", "Bored", "UNKNOWN_ENUM"},
      {"StopTransaction",
       {{"stop_reason", ""}},
       "stop_reason",
       "-"},  // a flat event's gateway knew, or did not
      {"MeterValues",
       {{"status", "\"Charging\""}},
       "connector_status",
       "Charging"},  // what is written is not lost
      {"Heartbeat", {{"reason", "\"Local\""}}, "stop_reason", "Local"},
  });
}

TEST_CASE("normalize: a tag is kept as its keyed digest alone") {
  const One one = RefineOne(Payload("StartTransaction"));
  const std::string hash = Column(one.row(), "id_tag_hash");
  CHECK(
      hash ==
      "d987dae669fb245ce9013127f7f4d9c861552b2c636c8dd08986af4723630596");  // HMAC-SHA-256 of "tag-1" under the public key
  CHECK(Flags(one).empty());
  for (const std::string_view same : {"\"tag-1\"", "\" TAG-1\"", "\"tag-1\\u0000\""}) {
    Check({"StartTransaction", {{"id_tag", std::string(same)}}, "id_tag_hash", hash});
  }
  Check({"StartTransaction",
         {{"id_tag", "17"}},
         "id_tag_hash",
         Column(RefineOne(Payload("StartTransaction", {{"id_tag", "\"17\""}})).row(), "id_tag_hash"),
         "TYPE_COERCED"});
  for (const std::string_view absent : {"", "null", "\"\"", "\" \"", "true", "{}"}) {
    Check({"StartTransaction", {{"id_tag", std::string(absent)}}, "id_tag_hash", "-"});
  }
  Options options;
  options.id_tag_key = "secret";
  Check({"StartTransaction",
         {},
         "id_tag_hash",
         "4feb05b7332d0c18ab143fe8e863f16958cca39578fb440ced96835b4791516b"},
        options);
}

TEST_CASE("normalize: the fields of 2.x") {
  CheckAll({
      {"MeterValues", {{"seq_no", "7"}}, "seq_no", "7"},
      {"MeterValues", {{"seq_no", "0"}}, "seq_no", "0"},
      {"MeterValues", {{"seq_no", "\"7\""}}, "seq_no", "7", "TYPE_COERCED"},
      {"MeterValues", {{"seq_no", "7.0"}}, "seq_no", "7", "TYPE_COERCED"},
      {"MeterValues", {{"seq_no", "\"seven\""}}, "seq_no", "-"},
      {"MeterValues", {{"seq_no", "\"seven\""}}, "detail", R"({"seq_no":"seven"})"},
      {"MeterValues", {{"seq_no", "null"}}, "detail", "-"},
      {"MeterValues", {{"offline", "true"}}, "offline", "true"},
      {"MeterValues", {{"offline", "false"}}, "offline", "false"},
      {"MeterValues", {{"offline", "\"TRUE\""}}, "offline", "true", "TYPE_COERCED"},
      {"MeterValues", {{"offline", "1"}}, "offline", "-"},
      {"MeterValues", {{"offline", "1"}}, "detail", R"({"offline":"1"})"},
      {"MeterValues", {{"trigger_reason", "\"SomethingNew\""}}, "trigger_reason", "SomethingNew"},
      {"MeterValues", {{"charging_state", "\" Charging \""}}, "charging_state", "Charging"},
  });
}

}  // namespace medallion::ocpp
