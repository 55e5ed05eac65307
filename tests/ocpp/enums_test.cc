#include "medallion/ocpp/enums.h"

#include <initializer_list>
#include <string>
#include <string_view>

#include "catch.h"

namespace medallion::ocpp {

TEST_CASE("enums: exactly first, then by case") {
  struct Case {
    Enumeration enumeration;
    std::string_view text, canonical;
  };
  for (const Case& c : std::initializer_list<Case>{
           {Enumeration::kMeasurand, "Energy.Active.Import.Register", "Energy.Active.Import.Register"},
           {Enumeration::kMeasurand, "energy.active.import.register", "Energy.Active.Import.Register"},
           {Enumeration::kMeasurand, "SOC", "SoC"},
           {Enumeration::kMeasurand, "Display.PresentSOC", "Display.PresentSOC"},  // 2.1
           {Enumeration::kMeasurand, "Energy Active Import Register", ""},  // separators are not folded
           {Enumeration::kMeasurand, "", ""},
           {Enumeration::kPhase, "L1-N", "L1-N"},
           {Enumeration::kPhase, "l1-n", "L1-N"},
           {Enumeration::kPhase, "L4", ""},
           {Enumeration::kLocation, "OUTLET", "Outlet"},
           {Enumeration::kLocation, "ev", "EV"},
           {Enumeration::kContext, "transaction.begin", "Transaction.Begin"},
           {Enumeration::kUnit, "Wh", "Wh"},
           {Enumeration::kUnit, "wh", "Wh"},
           {Enumeration::kUnit, "KWH", "kWh"},
           {Enumeration::kUnit, "mwh", "MWh"},
           {Enumeration::kUnit, "mWh", ""},  // a thousandth, not a million
           {Enumeration::kUnit, "var", "var"},
           {Enumeration::kUnit, "VAR", "var"},
           {Enumeration::kUnit, "va", "VA"},
           {Enumeration::kUnit, "Celcius", "Celcius"},  // the schema's own slip
           {Enumeration::kUnit, "hz", "Hz"},
           {Enumeration::kUnit, "J", ""},
           {Enumeration::kUnit, "Wh ", ""},  // trimming is the caller's
           {Enumeration::kStopReason, "evdisconnected", "EVDisconnected"},
           {Enumeration::kStopReason, "ReqEnergyTransferRejected", "ReqEnergyTransferRejected"},  // 2.1
           {Enumeration::kStopReason, "Bored", ""},
       }) {
    CAPTURE(c.text);
    CHECK(Canonical(c.enumeration, c.text) == c.canonical);
  }
}

TEST_CASE("enums: which versions have a member") {
  const auto versions = [](Enumeration enumeration, std::string_view text) {
    return MemberOf(enumeration, text).versions;
  };
  CHECK(versions(Enumeration::kMeasurand, "Energy.Active.Import.Register") == kOcppAll);
  CHECK(versions(Enumeration::kMeasurand, "temperature") == kOcpp16);
  CHECK(versions(Enumeration::kMeasurand, "Energy.Active.Net") == kOcpp2);
  CHECK(versions(Enumeration::kMeasurand, "EnergyRequest.Bulk") == kOcpp21);
  CHECK(versions(Enumeration::kStopReason, "UnlockCommand") == kOcpp16);
  CHECK(versions(Enumeration::kStopReason, "StoppedByEV") == kOcpp2);
  CHECK(versions(Enumeration::kTriggerReason, "RunningCost") == kOcpp21);
  CHECK(versions(Enumeration::kTriggerReason, "authorized") == kOcpp2);
  CHECK(versions(Enumeration::kChargingState, "Idle") == kOcpp2);
  CHECK(versions(Enumeration::kErrorCode, "noerror") == kOcpp16);
  CHECK(versions(Enumeration::kErrorCode, "Error") == 0);
  CHECK(VersionsOf("1.6") == kOcpp16);
  CHECK(VersionsOf("2.0.1") == kOcpp201);
  CHECK(VersionsOf("2.1") == kOcpp21);
  CHECK(VersionsOf("") == kOcppAll);
}

TEST_CASE("enums: every unit of the domain page is known") {
  for (const std::string_view unit :
       {"Wh",   "kWh",     "MWh",     "W",          "kW",      "VA",    "kVA", "var",
        "kvar", "varh",    "kvarh",   "VAh",        "kVAh",    "A",     "V",   "K",
        "C",    "Celsius", "Celcius", "Fahrenheit", "Percent", "Hertz", "Hz",  "RPM"}) {
    CAPTURE(unit);
    CHECK(Canonical(Enumeration::kUnit, unit) == unit);
  }
}

TEST_CASE("enums: a connector's status is of its version") {
  struct Case {
    std::string_view version, text, status;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"1.6", "Charging", "Charging"},
           {"1.6", "charging", "Charging"},
           {"1.6", "suspended_ev", "SuspendedEV"},
           {"1.6", "Suspended-EVSE", "SuspendedEVSE"},
           {"1.6", "SUSPENDED EV", "SuspendedEV"},
           {"1.6", "Occupied", ""},
           {"2.0.1", "Occupied", "Occupied"},
           {"2.1", "occupied", "Occupied"},
           {"2.0.1", "Charging", ""},
           {"", "Charging", "Charging"},  // version unknown: of any
           {"", "Occupied", "Occupied"},
           {"", "Asleep", ""},
           {"1.6", "", ""},
           {"1.6", "-", ""},
       }) {
    CAPTURE(c.version, c.text);
    CHECK(CanonicalStatus(c.version, c.text) == c.status);
  }
}

TEST_CASE("enums: event types, with case and separators folded") {
  struct Case {
    std::string_view text;
    EventType type;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"StartTransaction", EventType::kStartTransaction},
           {"start_transaction", EventType::kStartTransaction},
           {"START-TRANSACTION", EventType::kStartTransaction},
           {"Start Transaction", EventType::kStartTransaction},
           {"metervalues", EventType::kMeterValues},
           {"stopTransaction", EventType::kStopTransaction},
           {"status_notification", EventType::kStatusNotification},
           {"HEART_BEAT", EventType::kHeartbeat},
           {"BootNotification", EventType::kUnknown},
           {"TransactionEvent", EventType::kUnknown},  // a frame's, not a flat event's
           {"StartTransactions", EventType::kUnknown},
           {"Start.Transaction", EventType::kUnknown},
           {"", EventType::kUnknown},
           {"_", EventType::kUnknown},
       }) {
    CAPTURE(c.text);
    CHECK(CanonicalEventType(c.text) == c.type);
    if (c.type != EventType::kUnknown) CHECK(CanonicalEventType(EventTypeName(c.type)) == c.type);
  }
  CHECK(EventTypeName(EventType::kUnknown).empty());
}

TEST_CASE("enums: versions") {
  struct Case {
    std::string_view text, version;
    bool is_2 = false;
  };
  for (const Case& c : std::initializer_list<Case>{{"1.6", "1.6"},
                                                   {"1.6J", "1.6"},
                                                   {"1.6j", "1.6"},
                                                   {"ocpp1.6", "1.6"},
                                                   {"OCPP 1.6J", "1.6"},
                                                   {"ocpp2.0.1", "2.0.1", true},
                                                   {"2.1", "2.1", true},
                                                   {"ocpp", "ocpp"},
                                                   {"3.0", "3.0"},
                                                   {"", ""}}) {
    CAPTURE(c.text);
    CHECK(CanonicalVersion(c.text) == c.version);
    CHECK(IsVersion2(CanonicalVersion(c.text)) == c.is_2);
  }
}

TEST_CASE("enums: units of one dimension are compared in one") {
  struct Case {
    std::string_view unit, base;
    int exponent10;
  };
  for (const Case& c : std::initializer_list<Case>{{"Wh", "Wh", 0},
                                                   {"kWh", "Wh", 3},
                                                   {"MWh", "Wh", 6},
                                                   {"varh", "varh", 0},
                                                   {"kvarh", "varh", 3},
                                                   {"kVAh", "VAh", 3},
                                                   {"W", "W", 0},
                                                   {"kW", "W", 3},
                                                   {"kVA", "VA", 3},
                                                   {"kvar", "var", 3},
                                                   {"C", "Celsius", 0},
                                                   {"Celcius", "Celsius", 0},
                                                   {"Hz", "Hertz", 0},
                                                   {"K", "K", 0},
                                                   {"furlong", "furlong", 0},
                                                   {"", "", 0}}) {
    CAPTURE(c.unit);
    CHECK(ScaleOf(c.unit).base == c.base);
    CHECK(ScaleOf(c.unit).exponent10 == c.exponent10);
  }
}

}  // namespace medallion::ocpp
