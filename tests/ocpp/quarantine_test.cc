// Quarantine as a workflow over charging feeds, in the memory store and in SQLite: what each step leaves in the tables.
#include "medallion/io/quarantine.h"

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "catch.h"
#include "medallion/ocpp/run_sqlite.h"
#include "nlohmann/json.hpp"

namespace medallion::ocpp {
namespace {

using nlohmann::json;

// A store with a feed of starts and stops, offset by offset.
class Desk {
 public:
  explicit Desk(bool sqlite) {
    if (sqlite) {
      auto opened = SqliteStore<Charging>::Open(":memory:");
      REQUIRE(opened.ok());
      tables_ = opened->get();
      store_ = *std::move(opened);
    } else {
      auto memory = std::make_unique<MemoryStore<Charging>>();
      tables_ = memory.get();
      store_ = std::move(memory);
    }
  }

  Options options;

  void Take(const json& event) { TakeText(event.dump()); }
  void TakeText(const std::string& payload) {
    const BronzeRecord record{.payload = payload,
                              .at = {"desk", 0, next_++},
                              .key = "CP-1",
                              .ingest_ts = {kDay.us + next_ * kMicrosPerMinute}};
    Runner<Charging> runner(*store_, options);
    Check(runner.Take({&record, 1}, ""));
  }
  Quarantine<Charging> quarantine() { return {*store_, options, {.batch_records = 2}}; }

  std::vector<json> Rows(std::string_view table) {
    std::vector<json> rows;
    Check(tables_->Read(table, [&](std::string_view row) {
      rows.push_back(json::parse(row));
      return absl::OkStatus();
    }));
    return rows;
  }
  // "NEW INVALID_METER_VALUE" of each row in quarantine.
  std::vector<std::string> States() {
    std::vector<std::string> states;
    for (const json& row : Rows(kQuarantineTable)) {
      std::string state = row.at("status");
      for (const json& code : row.at("violations")) state += " " + code.get<std::string>();
      states.push_back(state);
    }
    return states;
  }
  // The id of the row from this offset.
  Digest Id(int64_t offset) {
    Digest id;
    Check(quarantine().List({}, [&](const QuarantineRow& row) {
      if (row.at.offset == offset) id = row.quarantine_id;
      return absl::OkStatus();
    }));
    REQUIRE(id != Digest{});
    return id;
  }
  // The only session's energy, "3.000 final", or its flags where it is not final.
  std::string Session() {
    const std::vector<json> rows = Rows(Charging::kGoldTables[0]);
    if (rows.size() != 1) return std::to_string(rows.size()) + " sessions";
    const json& row = rows[0];
    const std::string energy = row.at("energy_kwh").is_null() ? "null" : row.at("energy_kwh");
    return energy + (row.at("energy_is_final") ? " final" : " " + row.at("quality_flags").dump());
  }
  std::string Books() {
    const auto books = tables_->Books();
    REQUIRE(books.ok());
    CHECK(Imbalance(*books) == 0);
    return AccountingLine(*books);
  }
  static void Check(const absl::Status& status) {
    INFO(std::string(status.message()));
    REQUIRE(status.ok());
  }

  static constexpr UtcTime kDay{1'772'323'200'000'000};  // 2026-03-01

 private:
  std::unique_ptr<Store<Charging>> store_;
  Tables* tables_ = nullptr;
  int64_t next_ = 0;
};

json Event(const char* type, const char* id, const char* time, const json& meter) {
  return {
      {"event_id", id},    {"event_type", type},  {"charge_point_id", "CP-1"},
      {"connector_id", 1}, {"transaction_id", 7}, {"event_ts", std::string("2026-03-01T0") + time + ":00Z"},
      {"meter_wh", meter}, {"id_tag", "TAG"}};
}
json Start(const char* id = "e1", const json& meter = 1000) {
  return Event("StartTransaction", id, "0:01", meter);
}
json Stop(const char* id = "e2", const json& meter = 4000) {
  return Event("StopTransaction", id, "0:05", meter);
}

using States = std::vector<std::string>;

TEST_CASE("quarantine: from NEW over REPAIRED to REPLAYED, and DISCARDED") {
  Desk desk(GENERATE(false, true));
  desk.Take(Start());
  json bad = Stop();
  bad["event_type"] = "Stopp";
  desk.Take(bad);
  desk.TakeText("{\"event_id\":");
  CHECK(desk.States() == States{"NEW UNKNOWN_EVENT_TYPE", "NEW CORRUPT_PAYLOAD"});
  CHECK(desk.Books() == "3 = 1 silver + 2 quarantined");

  const Digest stop = desk.Id(1), corrupt = desk.Id(2);
  bad["event_type"] = "Stop it";
  Desk::Check(desk.quarantine().Repair(stop, bad.dump(), "ann"));
  CHECK(desk.States() == States{"REPAIRED UNKNOWN_EVENT_TYPE", "NEW CORRUPT_PAYLOAD"});
  CHECK(desk.Books() == "3 = 1 silver + 2 quarantined");
  Desk::Check(desk.quarantine().Repair(stop, Stop().dump(), "bob"));
  CHECK(desk.States() == States{"REPLAYED UNKNOWN_EVENT_TYPE", "NEW CORRUPT_PAYLOAD"});
  CHECK(desk.Books() == "3 = 2 silver + 1 quarantined");
  CHECK(desk.Session() == "3.000 final");
  const json row = desk.Rows(kQuarantineTable)[0];
  CHECK(row.at("reviewed_by") == "bob");
  CHECK(row.at("repaired_payload") == Stop().dump());
  CHECK(json::parse(row.at("raw_payload").get<std::string>()).at("event_type") == "Stopp");

  Desk::Check(desk.quarantine().Discard(corrupt, "ann"));
  Desk::Check(desk.quarantine().Discard(corrupt, "ann"));
  CHECK(desk.States() == States{"REPLAYED UNKNOWN_EVENT_TYPE", "DISCARDED CORRUPT_PAYLOAD"});
  CHECK(desk.Books() == "3 = 2 silver + 1 quarantined");
  Desk::Check(desk.quarantine().Repair(corrupt, Stop("e3").dump(), "eve"));  // after all: the last counts
  CHECK(desk.States()[1] == "REPLAYED CORRUPT_PAYLOAD");
  CHECK(desk.Books() == "3 = 2 silver + 1 duplicate");
  Desk::Check(desk.quarantine().Discard(stop, "eve"));
  CHECK(desk.States()[0] == "DISCARDED UNKNOWN_EVENT_TYPE");
  CHECK(desk.Books() == "3 = 2 silver + 1 quarantined");  // the copy stands for the stop now

  std::vector<std::string> facts;
  for (const json& review : desk.Rows(kReviewsTable)) {
    facts.push_back(review.at("kind").get<std::string>() + std::to_string(review.at("number").get<int>()));
    CHECK(review.at("reviewed_at") == "2026-03-01T00:03:00.000000Z");
  }
  std::sort(facts.begin(), facts.end());
  CHECK(facts == States{"DISCARD1", "DISCARD3", "REPAIR1", "REPAIR2", "REPAIR2"});
}

TEST_CASE("quarantine: a repair may bring all rows of a message") {
  Desk desk(GENERATE(false, true));
  desk.TakeText(R"([2,"1","MeterValues",{"connectorId":1,)");
  const auto frame = [](const char* value) {
    return std::string(
               R"([2,"1","MeterValues",{"connectorId":1,"transactionId":7,"meterValue":[{"timestamp":)"
               R"("2026-03-01T00:01:00Z","sampledValue":[)"
               R"({"value":"5","measurand":"Power.Active.Import","unit":"kW"},{"value":")") +
           value + R"("}]}]}])";
  };
  Desk::Check(desk.quarantine().Repair(desk.Id(0), frame("1,5"), "ann"));
  const std::vector<json> silver = desk.Rows(Charging::kSilverTable);
  CHECK_FALSE(silver.empty());
  CHECK(desk.States() == States{"REPLAYED CORRUPT_PAYLOAD", "NEW INVALID_METER_VALUE"});
  const json sample = desk.Rows(kQuarantineTable)[1];
  Digest id;
  Desk::Check(desk.quarantine().List({.status = "NEW"}, [&](const QuarantineRow& row) {
    id = row.quarantine_id;
    return absl::OkStatus();
  }));
  Desk::Check(desk.quarantine().Repair(id, frame("15"), "ann"));
  CHECK(desk.States() == States{"REPLAYED CORRUPT_PAYLOAD", "REPLAYED INVALID_METER_VALUE"});
  CHECK(desk.Rows(Charging::kSilverTable).size() == silver.size() + 1);
  desk.Books();
}

TEST_CASE("quarantine: a contradiction is answered") {
  Desk desk(GENERATE(false, true));
  desk.Take(Start());
  desk.Take(Stop("e2", 4000));
  desk.Take(Stop("e3", 5000));
  CHECK(desk.States() == States{"NEW CONFLICT"});
  CHECK(desk.Session().find("CONFLICT") != std::string::npos);
  const Digest copy = desk.Id(2);
  CHECK(absl::IsFailedPrecondition(desk.quarantine().Repair(copy, "{}", "ann")));
  CHECK(absl::IsNotFound(desk.quarantine().Accept(Sha256("no such"), "ann")));

  SECTION("the copy is accepted") {
    Desk::Check(desk.quarantine().Accept(copy, "ann"));
    CHECK(desk.States().empty());
    CHECK(desk.Books() == "3 = 2 silver + 1 duplicate");
    CHECK(desk.Session() == "4.000 final");
    CHECK(desk.Rows(kAuditTable)[0].at("duplicate_type") == "REJECTED");
    desk.Take(Stop("e4", 5000));
    desk.Take(Stop("e5", 4000));
    CHECK(desk.Session() == "4.000 final");
    desk.Take(Stop("e6", 6000));
    CHECK(desk.States() == States{"NEW CONFLICT"});
    CHECK(desk.Books() == "6 = 2 silver + 3 duplicates + 1 quarantined");
    // And this one, too: what was rejected stays so.
    Desk::Check(desk.quarantine().Accept(desk.Id(5), "bob"));
    CHECK(desk.Session() == "5.000 final");
    CHECK(desk.Books() == "6 = 2 silver + 4 duplicates");
  }
  SECTION("the copy is discarded") {
    Desk::Check(desk.quarantine().Discard(copy, "ann"));
    CHECK(desk.States().empty());
    CHECK(desk.Session() == "3.000 final");
    desk.Take(Stop("e4", 5000));
    CHECK(desk.States().empty());
    CHECK(desk.Books() == "4 = 2 silver + 2 duplicates");
    desk.Take(Stop("e5", 6000));
    CHECK(desk.States() == States{"NEW CONFLICT"});
    Desk::Check(desk.quarantine().Discard(desk.Id(4), "ann"));
    CHECK(desk.Session() == "3.000 final");
    CHECK(desk.Books() == "5 = 2 silver + 3 duplicates");
  }
}

TEST_CASE("quarantine: all of a contested fact waits for one answer") {
  Desk desk(GENERATE(false, true));
  desk.options.policy = Policy::kContestAll;
  desk.Take(Start());
  desk.Take(Stop("e2", 4000));
  desk.Take(Stop("e3", 5000));
  CHECK(desk.States() == States{"NEW CONFLICT", "NEW CONFLICT"});
  CHECK(absl::IsFailedPrecondition(desk.quarantine().Discard(desk.Id(1), "ann")));
  Desk::Check(desk.quarantine().Accept(desk.Id(1), "ann"));
  CHECK(desk.States().empty());
  CHECK(desk.Session() == "3.000 final");
}

TEST_CASE("quarantine: what would pass by now, and a replay after a mapping was added") {
  Desk desk(GENERATE(false, true));
  json second = Stop();
  second["schema_version"] = 2;
  second["meterStop"] = second["meter_wh"];
  second.erase("meter_wh");
  desk.Take(Start());
  desk.Take(second);
  desk.TakeText("{");
  CHECK(desk.States() == States{"NEW SCHEMA_MISMATCH", "NEW CORRUPT_PAYLOAD"});

  FlatSchema mapping = FlatSchema::Version1();
  mapping.version = 2;
  mapping.names.emplace("meterStop", Field::kMeterWh);
  desk.options.schemas.push_back(mapping);
  std::vector<int64_t> passing;
  Desk::Check(desk.quarantine().WouldPass(
      {}, [&](const QuarantineRow& row) { return passing.push_back(row.at.offset), absl::OkStatus(); }));
  CHECK(passing == std::vector<int64_t>{1});
  CHECK(desk.States().size() == 2);  // nothing was written

  const auto replayed = desk.quarantine().Replay({.reason = "SCHEMA_MISMATCH"});
  REQUIRE(replayed.ok());
  CHECK((replayed->rows == 1 && replayed->changed == 1));
  CHECK(desk.States() == States{"NEW CORRUPT_PAYLOAD"});  // as in a new run with the mapping
  CHECK(desk.Session() == "3.000 final");
  CHECK(desk.Books() == "3 = 2 silver + 1 quarantined");
  const auto again = desk.quarantine().Replay({});
  REQUIRE(again.ok());
  CHECK((again->rows == 1 && again->changed == 0));
  CHECK(desk.Books() == "3 = 2 silver + 1 quarantined");
}

TEST_CASE("quarantine: rows are found by reason, time, charge point and status") {
  Desk desk(GENERATE(false, true));
  json other = Start("e1", 1);
  other["event_type"] = "Steal";
  other["charge_point_id"] = "cp-2";
  for (const std::string& payload : {std::string("{"), other.dump(), std::string("[")})
    desk.TakeText(payload);
  Desk::Check(desk.quarantine().Discard(desk.Id(0), "ann"));
  const auto minute = [](int64_t m) { return UtcTime{Desk::kDay.us + m * kMicrosPerMinute}; };
  struct Case {
    QuarantineFilter filter;
    std::vector<int64_t> offsets;
  };
  for (const Case& c : std::initializer_list<Case>{
           {{}, {0, 1, 2}},
           {{.reason = "CORRUPT_PAYLOAD"}, {0, 2}},
           {{.reason = "CORRUPT"}, {}},
           {{.charge_point_id = "CP-2"}, {1}},
           {{.status = "DISCARDED"}, {0}},
           {{.status = "NEW"}, {1, 2}},
           {{.from = minute(2)}, {1, 2}},
           {{.from = minute(2), .to = minute(3)}, {1}},
           {{.reason = "CORRUPT_PAYLOAD", .status = "NEW", .to = minute(3)}, {}},
       }) {
    std::vector<int64_t> offsets;
    Desk::Check(desk.quarantine().List(c.filter, [&](const QuarantineRow& row) {
      return offsets.push_back(row.at.offset), absl::OkStatus();
    }));
    CHECK(offsets == c.offsets);
  }
}

}  // namespace
}  // namespace medallion::ocpp
