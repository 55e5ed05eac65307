#include "medallion/ocpp/charge_point_health.h"

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "catch.h"
#include "event_builder.h"
#include "medallion/base/columns.h"
#include "repacked.h"

namespace medallion::ocpp {
namespace {

using testing::At;

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
constexpr int64_t kUnit = int64_t{1} << 20;

// An element that was received at `clock`, of a type and fate.
ChargingElement ElementOf(EventType type, std::string_view clock, Fate fate = Fate::kSilver) {
  ChargingElement element;
  element.row.event_type = type;
  element.row.charge_point_id = "CP-100";
  element.row.event_ts = At("00:00");  // a device's clock
  element.row.ingest_ts = At(clock);
  element.standing.fate = fate;
  return element;
}

ChargingElement ResultOf(std::string_view detail, std::string_view clock) {
  ChargingElement element = ElementOf(EventType::kUnknown, clock, Fate::kIgnored);
  element.detail = detail;
  return element;
}

// What `detail` of a result received at 10:00 says of the interval, in seconds; -1: it is no boot's.
int64_t IntervalOf(std::string_view detail) {
  const auto sighting = SightingOf(ResultOf(detail, "10:00"), Direction::kOut);
  if (!sighting.has_value()) return -1;
  CHECK(sighting->ingest_ts == kNoTime);
  CHECK(sighting->most[0] == Sighting::kNever);
  CHECK(sighting->most[2] == Sighting::kNever);
  CHECK(sighting->most[1] / kUnit == At("10:00").us / kMicrosPerSecond);
  return sighting->most[1] % kUnit;
}

Sighting Seen(std::string_view clock) { return {.ingest_ts = At(clock)}; }

Sighting SeenAndBooted(std::string_view seen, std::string_view boot, int64_t interval) {
  Sighting sighting = Seen(seen);
  sighting.most[1] = At(boot).us / kMicrosPerSecond * kUnit + interval;
  return sighting;
}

std::optional<ChargePointHealth> Derive(const Sighting& sighting, UtcTime clock,
                                        std::span<const ChargingStatsDaily> days = {}) {
  const Options options;
  const SessionRules rules(options);
  return DeriveHealth("CP-100", sighting, days, clock, rules);
}
ChargePointHealth Derived(const Sighting& sighting, std::string_view clock) {
  const auto row = Derive(sighting, At(clock));
  REQUIRE(row.has_value());
  return *row;
}

ChargingStatsDaily Day(int64_t milli_wh, std::string_view updated) {
  return {.unattributed_energy_wh = {milli_wh}, .updated_at = At(updated)};
}

}  // namespace

TEST_CASE("health: whatever came from a charge point is a sign of life") {
  for (const Fate fate : {Fate::kSilver, Fate::kTechnicalDuplicate, Fate::kBusinessDuplicate,
                          Fate::kQuarantined, Fate::kIgnored}) {
    for (const EventType type : {EventType::kUnknown, EventType::kStartTransaction, EventType::kMeterValues,
                                 EventType::kStopTransaction, EventType::kStatusNotification}) {
      CAPTURE(FateName(fate), EventTypeName(type));
      CHECK(SightingOf(ElementOf(type, "10:00", fate), Direction::kIn) == Seen("10:00"));
      CHECK(SightingOf(ElementOf(type, "10:00", fate), Direction::kOut) == std::nullopt);
    }
    CAPTURE(FateName(fate));
    Sighting heartbeat = Seen("10:00");
    heartbeat.most[0] = At("10:00").us;  // by our clock, not by the device's
    CHECK(SightingOf(ElementOf(EventType::kHeartbeat, "10:00", fate), Direction::kIn) == heartbeat);
    CHECK(SightingOf(ElementOf(EventType::kHeartbeat, "10:00", fate), Direction::kOut) == std::nullopt);
  }
  ChargingElement nobody = ElementOf(EventType::kHeartbeat, "10:00");
  nobody.row.charge_point_id = "";
  CHECK(SightingOf(nobody, Direction::kIn) == std::nullopt);
  ChargingElement never = ElementOf(EventType::kHeartbeat, "10:00");
  never.row.ingest_ts = kNoTime;
  CHECK(SightingOf(never, Direction::kIn) == std::nullopt);
  // A boot is a sign of life; a station's own answers name no interval.
  ChargingElement boot = ResultOf("", "10:00");
  boot.row.action = "BootNotification";
  CHECK(SightingOf(boot, Direction::kIn) == Seen("10:00"));
  CHECK(SightingOf(ResultOf(R"({"status":"Accepted","interval":60})", "10:00"), Direction::kIn) ==
        Seen("10:00"));
}

TEST_CASE("health: the interval is read from the result to a BootNotification") {
  struct Case {
    std::string_view detail;
    int64_t interval;  // -1: nothing is read
  };
  for (const Case& c : std::initializer_list<Case>{
           {R"({"status":"Accepted","interval":300})", 300},
           {R"({"status":"Accepted","interval":300,"currentTime":"2025-11-20T10:00:00Z"})", 300},
           {R"({"currentTime":"2025-11-20T10:00:00Z","interval":86400,"status":"accepted"})", 86400},
           {R"({"interval":60})", 60},
           {R"({"status":"Accepted","interval":"60"})", 60},
           {R"({"status":"Accepted","interval":60.0})", 60},
           // as the station likes: the default
           {R"({"status":"Accepted","interval":0})", 0},
           {R"({"status":"Accepted","interval":-5})", 0},
           {R"({"status":"Accepted","interval":null})", 0},
           {R"({"status":"Accepted","interval":"often"})", 0},
           {R"({"status":"Accepted","interval":[60]})", 0},
           {R"({"status":"Accepted","interval":99999999999999999999})", 0},
           // capped
           {R"({"status":"Accepted","interval":1048575})", 1048575},
           {R"({"status":"Accepted","interval":1048576})", 1048575},
           {R"({"status":"Accepted","interval":999999999999999})", 1048575},
           // the time until it may try again
           {R"({"status":"Pending","interval":60})", -1},
           {R"({"status":"Rejected","interval":60})", -1},
           {R"({"status":null,"interval":60})", -1},
           // another call's result
           {R"({"transaction_id":"12","status":"Accepted"})", -1},
           {R"({"status":"interval"})", -1},
           {R"({"status":"\"interval\":60"})", -1},
           {R"({"data":{"interval":60}})", -1},
           {R"({"interval":60)", -1},  // cut off
           {R"({})", -1},
           {"", -1},
       }) {
    CAPTURE(c.detail);
    CHECK(IntervalOf(c.detail) == c.interval);
  }
  constexpr std::string_view kAccepted = R"({"status":"Accepted","interval":300})";
  ChargingElement call = ResultOf(kAccepted, "10:00");
  call.row.action = "DataTransfer";
  CHECK(SightingOf(call, Direction::kOut) == std::nullopt);
  ChargingElement quarantined = ResultOf(kAccepted, "10:00");
  quarantined.standing.fate = Fate::kQuarantined;
  CHECK(SightingOf(quarantined, Direction::kOut) == std::nullopt);
}

TEST_CASE("health: the latest result counts, to the second") {
  struct Case {
    std::string_view first, second;
    int64_t interval;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"10:00", "11:00", 60},
           {"11:00", "10:00", 900},
           {"10:00:00", "10:00:01", 60},
           {"10:00", "10:00", 900},  // the longer one of two within a second
       }) {
    CAPTURE(c.first, c.second);
    const auto first =
        SightingOf(ResultOf(R"({"status":"Accepted","interval":900})", c.first), Direction::kOut);
    const auto second =
        SightingOf(ResultOf(R"({"status":"Accepted","interval":60})", c.second), Direction::kOut);
    Sighting sighting = Seen("09:00");
    sighting.Take(*first), sighting.Take(*second);
    CHECK(Derived(sighting, "09:00").next_due_at.us == At("09:00").us + 2 * c.interval * kMicrosPerSecond);
    sighting = Seen("09:00");
    sighting.Take(*second), sighting.Take(*first);
    CHECK(Derived(sighting, "09:00").next_due_at.us == At("09:00").us + 2 * c.interval * kMicrosPerSecond);
  }
}

TEST_CASE("health: offline once nothing came for two intervals") {
  struct Case {
    Sighting sighting;
    std::string_view clock;
    bool is_offline;
    std::string_view due, updated;  // no due: none
  };
  for (const Case& c : std::initializer_list<Case>{
           {Seen("10:30"), "10:30", false, "10:40", "10:30"},
           {Seen("10:30"), "10:39", false, "10:40", "10:30"},
           {Seen("10:30"), "10:39:59", false, "10:40", "10:30"},
           {Seen("10:30"), "10:40", true, "", "10:40"},
           {Seen("10:30"), "10:41", true, "", "10:40"},
           {Seen("10:30"), "5/10:00", true, "", "10:40"},  // it went offline then, however late that is seen
           {Seen("10:30"), "09:00", false, "10:40", "10:30"},  // a receipt that the clock does not follow
           {SeenAndBooted("10:30", "09:00", 0), "10:39:59", false, "10:40", "10:30"},
           {SeenAndBooted("10:30", "09:00", 60), "10:31:59", false, "10:32", "10:30"},
           {SeenAndBooted("10:30", "09:00", 60), "10:32", true, "", "10:32"},
           {SeenAndBooted("10:30", "10:31", 60), "10:31", false, "10:32", "10:31"},
           {SeenAndBooted("10:30", "10:31", 60), "11:00", true, "", "10:32"},
           {SeenAndBooted("10:30", "10:35", 60), "11:00", true, "", "10:35"},
           {SeenAndBooted("10:30", "09:00", 86400), "2/10:29", false, "2/10:30", "10:30"},
           {SeenAndBooted("10:30", "09:00", 86400), "2/10:30", true, "", "2/10:30"},
       }) {
    CAPTURE(FormatTime(c.sighting.ingest_ts), c.clock);
    const ChargePointHealth row = Derived(c.sighting, c.clock);
    CHECK(row.is_offline == c.is_offline);
    CHECK(row.next_due_at == (c.due.empty() ? kNoTime : At(c.due)));
    CHECK(row.updated_at == At(c.updated));
  }
  // Nothing came from it, whatever it was sent.
  CHECK(Derive({}, At("10:00")) == std::nullopt);
  Sighting answered;
  answered.most[1] = At("09:00").us / kMicrosPerSecond * kUnit + 300;
  CHECK(Derive(answered, At("10:00")) == std::nullopt);
}

TEST_CASE("health: times beyond any calendar neither overflow nor change sides") {
  Sighting sighting{.ingest_ts = {kMost}};
  sighting.Take(*SightingOf(ResultOf(R"({"interval":1048575})", "10:00"), Direction::kOut));
  CHECK(Derive(sighting, {kMost - 1})->next_due_at == UtcTime{kMost});
  CHECK(Derive(sighting, {kMost})->is_offline);
  for (const int64_t us : {kMost, -kMost, int64_t{-1}, int64_t{0}, int64_t{999'999}, int64_t{-1'000'001}}) {
    CAPTURE(us);
    ChargingElement result = ResultOf(R"({"interval":7})", "10:00");
    result.row.ingest_ts = {us};
    Sighting seen = Seen("10:00");
    seen.Take(*SightingOf(result, Direction::kOut));
    CHECK(Derive(seen, At("10:00"))->next_due_at == At("10:00:14"));
  }
}

TEST_CASE("health: a charger that skips heartbeats while it sends anything else is alive") {
  Sighting sighting;
  const auto take = [&](const ChargingElement& element, Direction direction) {
    const auto seen = SightingOf(element, direction);
    REQUIRE(seen.has_value());
    sighting.Take(*seen);
  };
  ChargingElement boot = ResultOf("", "10:00");
  boot.row.action = "BootNotification";
  take(boot, Direction::kIn);
  take(ResultOf(R"({"status":"Accepted","interval":300,"currentTime":"x"})", "10:00"), Direction::kOut);
  take(ElementOf(EventType::kHeartbeat, "10:00:05"), Direction::kIn);
  for (const std::string_view clock : {"10:30", "10:10", "10:20"}) {
    take(ElementOf(EventType::kMeterValues, clock), Direction::kIn);
  }
  CHECK(!Derived(sighting, "10:39").is_offline);
  CHECK(Derived(sighting, "10:41").is_offline);
  CHECK(Derived(sighting, "10:41").last_seen_ts == At("10:30"));
  CHECK(Derived(sighting, "10:41").last_heartbeat_ts == At("10:00:05"));
}

TEST_CASE("health: unattributed energy is the sum of the days") {
  const std::vector<ChargingStatsDaily> days = {Day(11'200'000, "11:00"), Day(0, "12:00"),
                                                Day(8'800'000, "09:00")};
  const auto row = Derive(Seen("10:00"), At("10:05"), days);
  CHECK(row->unattributed_energy_wh == Thousandths{20'000'000});
  CHECK(row->updated_at == At("12:00"));
  CHECK(Derive(Seen("13:00"), At("13:00"), days)->updated_at == At("13:00"));
  CHECK(Derived(Seen("10:00"), "10:05").unattributed_energy_wh == Thousandths{});
  const std::vector<ChargingStatsDaily> much = {Day(kMost, "11:00"), Day(kMost, "11:00")};
  CHECK(Derive(Seen("10:00"), At("10:05"), much)->unattributed_energy_wh == Thousandths{kMost});
}

TEST_CASE("health: a row is complete") {
  const Options options;
  const SessionRules rules(options);
  Sighting sighting = Seen("10:00");
  sighting.most[0] = At("09:59").us;
  const std::vector<ChargingStatsDaily> days = {Day(20'000'500, "09:00")};
  const auto row = DeriveHealth("cp-A", sighting, days, At("10:00"), rules);
  REQUIRE(row.has_value());
  ChargePointHealth shown = *row;
  shown.model_version = shown.row_hash = {};
  std::string json;
  AppendJson(shown, json);
  CHECK(json == R"({"charge_point_id":"cp-A","last_seen_ts":"2026-03-01T10:00:00.000000Z",)"
                R"("last_heartbeat_ts":"2026-03-01T09:59:00.000000Z","is_offline":false,)"
                R"("unattributed_energy_wh":"20000.500","next_due_at":"2026-03-01T10:10:00.000000Z",)"
                R"("model_version":null,"row_hash":null,"updated_at":"2026-03-01T10:00:00.000000Z"})");
  CHECK(row->model_version == rules.model_version);
  JoinedFields columns;
  columns.Add("cp-A").Add("2026-03-01T10:00:00.000000Z").Add("2026-03-01T09:59:00.000000Z").Add("false");
  columns.Add("20000.500").Add("2026-03-01T10:10:00.000000Z");
  CHECK(row->row_hash == columns.Sha256());

  const ChargePointHealth offline = Derived(Seen("10:00"), "11:00");
  CHECK(offline.last_heartbeat_ts == kNoTime);  // none was ever heard
  for (const ChargePointHealth& each : {*row, offline}) CHECK(Repacked(each) == each);
}

TEST_CASE("health: the key is of the charge point, whatever its spelling") {
  CHECK(HealthKey("cp|1") == Sha256("charge point|CP\\|1"));
  CHECK(RowKey(Derived(Seen("10:00"), "10:00")) == HealthKey("cp-100"));
}

TEST_CASE("health: neither order nor repeats matter") {
  const uint32_t seed = GENERATE(range(0u, 50u));
  CAPTURE(seed);
  struct Seen {
    ChargingElement element;
    Direction direction;
  };
  std::vector<Seen> all = {
      {ElementOf(EventType::kHeartbeat, "10:00"), Direction::kIn},
      {ElementOf(EventType::kHeartbeat, "10:05", Fate::kQuarantined), Direction::kIn},
      {ElementOf(EventType::kMeterValues, "10:09", Fate::kBusinessDuplicate), Direction::kIn},
      {ResultOf(R"({"status":"Accepted","interval":120})", "09:00"), Direction::kOut},
      {ResultOf(R"({"status":"Accepted","interval":240})", "10:01"), Direction::kOut},
      {ResultOf(R"({"status":"Pending","interval":5})", "10:02"), Direction::kOut},
  };
  std::vector<ChargingStatsDaily> days = {Day(1, "09:00"), Day(2, "10:30"), Day(3, "10:10")};
  const auto derive = [&] {
    Sighting sighting;
    for (const Seen& seen : all) sighting.Take(SightingOf(seen.element, seen.direction).value_or(Sighting()));
    return Derive(sighting, At("10:16"), days);
  };
  const auto row = derive();
  CHECK(row->next_due_at == At("10:17"));
  std::mt19937 random(seed);
  std::shuffle(all.begin(), all.end(), random);
  std::shuffle(days.begin(), days.end(), random);
  CHECK(derive() == row);
  all.insert(all.end(), all.begin(), all.begin() + 3);
  CHECK(derive() == row);
}

}  // namespace medallion::ocpp
