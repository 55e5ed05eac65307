// The law mix: facts of a few charge points, each written many times, well and badly.
#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "feed.h"
#include "medallion/base/decimal.h"
#include "medallion/base/text.h"
#include "medallion/base/time.h"

namespace medallion::testing {
namespace {

constexpr int64_t kSecond = kMicrosPerSecond;
constexpr int64_t kMinute = kMicrosPerMinute;
constexpr int64_t kHour = kMicrosPerHour;

enum class Type { kStart, kReading, kStop, kStatus, kHeartbeat };

// What happened, before anyone wrote it down.
struct Fact {
  Type type = Type::kReading;
  int64_t charge_point = 1;
  std::optional<int64_t> connector, evse;
  std::string transaction;
  int64_t ts_us = 0;
  std::optional<int64_t> meter_milli;  // the register, in thousandths of a Wh
  std::string sample;                  // another reading: its number, with measurand and unit
  std::string measurand, unit, phase, location, context;
  std::string tag, status, error_code, reason;
  std::optional<int64_t> seq_no;
  bool is_2x = false;
  std::string odd_meter;  // a header reading as JSON that is no number
};

// A payload in the making: JSON by field name.
struct Draft {
  std::vector<std::pair<std::string, std::string>> fields;

  void Add(std::string name, std::string json) { fields.emplace_back(std::move(name), std::move(json)); }
  void Set(std::string_view name, std::string json) {
    for (auto& field : fields) {
      if (field.first == name) return void(field.second = std::move(json));
    }
    Add(std::string(name), std::move(json));
  }
  bool Has(std::string_view name) const {
    return std::any_of(fields.begin(), fields.end(), [&](const auto& field) { return field.first == name; });
  }
  void Remove(std::string_view name) {
    std::erase_if(fields, [&](const auto& field) { return field.first == name; });
  }
  void RemoveAll(std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) Remove(name);
  }
};

struct Written {
  std::string payload, key, version;
  int64_t broker_us = 0, ingest_us = 0;  // broker_us 0: none
};

std::string Quoted(std::string_view text) {
  std::string json;
  AppendJsonString(text, json);
  return json;
}

class LawMaker {
 public:
  explicit LawMaker(const LawOptions& options)
      : options_(options), random_(Random::Mix(options.seed ^ 0x1A3u)) {
    events_ = options.events > 0 ? options.events : 20 + random_.Below(181);
    charge_points_ = options.charge_points > 0 ? options.charge_points : 1 + random_.Below(4);
  }

  Feed Make() {
    while (static_cast<int64_t>(written_.size()) < events_) {
      facts_.clear();
      PlanSessions(1 + random_.Below(charge_points_));
      for (const Fact& fact : facts_) WriteCopies(fact);
    }
    Arrive();
    Feed feed;
    Deliver(feed);
    return feed;
  }

 private:
  // No expression draws twice where C++ leaves the order of its parts open.
  size_t Index(size_t size) { return static_cast<size_t>(random_.Below(static_cast<int64_t>(size))); }
  bool Percent(int64_t percent) { return random_.Below(100) < percent; }
  template <class T>
  T Pick(std::initializer_list<T> from) {
    return *(from.begin() + random_.Below(static_cast<int64_t>(from.size())));
  }
  std::string PickText(std::initializer_list<const char*> from) { return Pick<const char*>(from); }

  // ---- Facts ----

  int64_t Moment() {  // a little later than the charge point's last; whole seconds mostly
    const int64_t gap_us = (60 + random_.Below(900)) * kSecond;
    return Percent(30) ? gap_us + random_.Below(1000) * 1000 : gap_us;
  }

  std::string PickTransaction(bool is_2x) {
    if (is_2x) return PickText({"tx-A1", "tx-B2", "9f3c"});
    if (options_.disputed && Percent(3)) return PickText({"abc", "-5"});
    if (Percent(6)) return PickText({"-1", "0", "4294967296"});
    return PickText({"501", "502", "503", "7"});
  }

  void PlanSessions(int64_t charge_point) {
    const bool is_2x = charge_point == 3 || (charge_point == 2 && Percent(50));
    int64_t now = now_us_ + random_.Below(6 * 3600) * kSecond;
    int64_t meter = random_.Below(2'000'000) * 1000;
    if (Percent(20)) meter += random_.Below(1000);
    const int64_t sessions = 1 + random_.Below(3);
    for (int64_t i = 0; i < sessions; ++i) {
      PlanSession(charge_point, is_2x, now, meter);
      if (Percent(40)) PlanStatuses(charge_point, is_2x, now);
      if (!Percent(5)) now += Pick({5 * kMinute, 2 * kHour, 30 * kHour});
      if (!Percent(5)) now += random_.Below(600) * kSecond;
      if (Percent(8)) now -= 40 * kMinute;  // the next one overlaps
    }
    now_us_ = std::max(now_us_, now - 12 * kHour);
  }

  Fact Base(Type type, const Fact& session, int64_t ts_us) {
    Fact fact = session;
    fact.type = type;
    fact.ts_us = ts_us;
    if (fact.is_2x) fact.seq_no = seq_no_++;
    if (fact.is_2x && Percent(3)) ++seq_no_;
    return fact;
  }

  void PlanSession(int64_t charge_point, bool is_2x, int64_t& now, int64_t& meter) {
    Fact session;
    session.charge_point = charge_point, session.is_2x = is_2x;
    session.transaction = PickTransaction(is_2x);
    session.connector = 1 + random_.Below(2);
    if (options_.disputed && Percent(10)) session.connector.reset();
    if (is_2x) session.evse = 1;
    session.tag = PickText({"TAG-1", "TAG-2", "", "A-RATHER-LONG-TAG-OF-MORE-THAN-20"});
    seq_no_ = random_.Below(3);
    const int64_t start_us = now;
    const int64_t start_meter = meter;
    if (Percent(90)) PlanStart(session, now, meter);
    const int64_t readings = random_.Below(6);
    for (int64_t i = 0; i < readings; ++i) PlanReading(session, now, meter);
    now += Moment();
    if (Percent(80)) PlanStop(session, Percent(3) ? start_us - kMinute : now, start_meter, meter);
    if (Percent(6)) PlanReading(session, now, meter);  // after the stop
  }

  void PlanStart(const Fact& session, int64_t now, int64_t meter) {
    Fact start = Base(Type::kStart, session, now);
    start.meter_milli = meter;
    if (Percent(12)) start.meter_milli.reset();
    if (Percent(3)) start.meter_milli.reset(), start.odd_meter = PickText({"\"n/a\"", "\"1,5\"", "\"NaN\""});
    if (options_.odd_series && Percent(4))
      start.meter_milli = Pick<int64_t>({-1000, 4'294'967'296'000, meter * 3});
    facts_.push_back(start);
    if (!Percent(15)) return;
    Fact begin = Base(Type::kReading, session, now);
    begin.meter_milli = meter, begin.context = "Transaction.Begin";
    facts_.push_back(begin);
  }

  void PlanReading(const Fact& session, int64_t& now, int64_t& meter) {
    const int64_t gap_us = Moment();
    now += gap_us;
    meter += Percent(10) ? 0 : random_.Below(gap_us / kSecond * 10) * 1000;  // up to 36 kW
    Fact reading = Base(Type::kReading, session, now);
    reading.tag = "";
    reading.meter_milli = meter;
    reading.context = PickText({"", "", "Sample.Periodic", "Sample.Clock", "Trigger", "Other"});
    if (Percent(2)) reading.connector = 0;
    if (Percent(5)) reading.connector.reset();
    if (options_.odd_series && Percent(10)) MakeOdd(reading);
    if (Percent(15)) MakeSample(reading);
    facts_.push_back(reading);
  }

  void MakeOdd(Fact& reading) {
    switch (random_.Below(5)) {
      case 0: *reading.meter_milli /= 2; break;
      case 1: *reading.meter_milli += 5'000'000'000; break;
      case 2: reading.phase = PickText({"L1", "L2", "L3"}); break;
      case 3: reading.location = PickText({"Cable", "Body", "Inlet", "EV"}); break;
      default: reading.meter_milli = random_.Below(9000) * 1000; break;
    }
  }

  void MakeSample(Fact& reading) {
    struct Sample {
      const char *measurand, *unit, *value, *phase;
    };
    const Sample sample = Pick<Sample>({{"Energy.Active.Export.Register", "Wh", "1500", ""},
                                        {"Energy.Active.Export.Register", "kWh", "1.5", ""},
                                        {"Energy.Reactive.Import.Register", "varh", "12", ""},
                                        {"Power.Active.Import", "W", "7200", ""},
                                        {"Power.Active.Import", "kW", "7.2", ""},
                                        {"Current.Import", "A", "15.97", "L1"},
                                        {"Voltage", "V", "230.1", "L1-N"},
                                        {"SoC", "Percent", "55", ""},
                                        {"SoC", "Percent", "100.0", ""},
                                        {"Temperature", "Celsius", "-4.5", ""},
                                        {"Frequency", "", "50.01", ""},
                                        {"Power.Offered", "Horsepower", "10", ""},
                                        {"Vendor.Fan", "", "3", ""}});
    const bool no_id =
        reading.transaction == "-1" || reading.transaction == "0" || reading.transaction == "4294967296";
    if (no_id && !options_.disputed && std::string_view(sample.measurand).starts_with("Power")) return;
    reading.meter_milli.reset();
    reading.measurand = sample.measurand, reading.unit = sample.unit;
    reading.sample = sample.value, reading.phase = sample.phase;
    reading.location = PickText({"", "Outlet", "EV", "Inlet"});
  }

  void PlanStop(const Fact& session, int64_t ts_us, int64_t start_meter, int64_t& meter) {
    Fact stop = Base(Type::kStop, session, ts_us);
    stop.meter_milli = meter;
    stop.reason = PickText({"", "Local", "EVDisconnected", "PowerLoss", "BatteryFull"});
    if (Percent(30)) stop.tag = "";
    if (Percent(4)) stop.tag = "TAG-9";
    if (Percent(6)) stop.connector.reset();
    const bool end_sample = Percent(12);
    if (Percent(10)) stop.meter_milli.reset();
    if (Percent(3)) stop.meter_milli.reset(), stop.odd_meter = "\"kaputt\"";
    if (Percent(10)) {
      stop.meter_milli =
          Pick<int64_t>({-1000, 0, 4'294'967'296'000, std::max<int64_t>(start_meter - 9000, 1000)});
    }
    facts_.push_back(stop);
    if (!end_sample) return;
    Fact end = Base(Type::kReading, session, ts_us);
    end.meter_milli = meter, end.context = "Transaction.End", end.tag = "";
    facts_.push_back(end);
  }

  void PlanStatuses(int64_t charge_point, bool is_2x, int64_t now) {
    Fact status;
    status.type = Type::kStatus;
    status.charge_point = charge_point, status.is_2x = is_2x;
    status.connector = random_.Below(3);
    status.ts_us = now + random_.Below(600) * kSecond;
    status.status =
        is_2x ? PickText({"Available", "Occupied", "Faulted"})
              : PickText({"Available", "Preparing", "Charging", "SuspendedEVSE", "Faulted", "Bogus"});
    status.error_code = PickText({"NoError", "GroundFailure", ""});
    if (is_2x) status.evse = 1;
    facts_.push_back(status);
    Fact heartbeat;
    heartbeat.type = Type::kHeartbeat;
    heartbeat.charge_point = charge_point, heartbeat.is_2x = is_2x;
    heartbeat.ts_us = status.ts_us + kSecond;
    facts_.push_back(heartbeat);
  }

  // ---- Copies ----

  void WriteCopies(const Fact& fact) {
    const int64_t draw = random_.Below(100);
    const int64_t copies = draw < 60 ? 0 : draw < 80 ? 1 : draw < 92 ? 2 : 3 + random_.Below(3);
    std::string event_id = NewEventId();
    for (int64_t i = 0; i <= copies; ++i) {
      if (i > 0 && Percent(55)) event_id = NewEventId();
      Write(i == 0 ? fact : Vary(fact), event_id);
    }
  }

  std::string NewEventId() {
    if (Percent(5)) return "e" + std::to_string(random_.Below(6));  // firmware counts from the start again
    return "e" + std::to_string(++event_ids_ + 10);
  }

  // A copy that differs, perhaps: another meter or none, another tag or none, another moment.
  Fact Vary(Fact fact) {
    const bool header = fact.type == Type::kStart || fact.type == Type::kStop;
    if (fact.meter_milli.has_value()) {
      if (Percent(12)) *fact.meter_milli += Pick<int64_t>({1, 1000, 500'000});
      if (header && Percent(12)) fact.meter_milli.reset();
    } else if (header && Percent(50)) {
      fact.meter_milli = 1'234'000, fact.odd_meter.clear();
    }
    if (fact.type == Type::kStart && Percent(12)) fact.tag = PickText({"", "TAG-1", "TAG-3"});
    if (fact.type == Type::kStatus && Percent(15)) fact.error_code = PickText({"", "NoError", "OtherError"});
    if (header && Percent(10)) fact.ts_us += Pick({-2 * kSecond, 30 * kSecond, 10 * kMinute, 25 * kHour});
    if (fact.type == Type::kReading && Percent(10) && fact.connector != 0)
      fact.connector = 1 + random_.Below(2);
    if (options_.disputed && fact.type == Type::kStart && Percent(10)) fact.connector = 1 + random_.Below(3);
    if (fact.is_2x && Percent(20)) fact.seq_no = fact.seq_no.value_or(0) + 50;
    return fact;
  }

  // ---- Writing ----

  void Write(const Fact& fact, const std::string& event_id) {
    Written written;
    written.ingest_us = fact.ts_us + Delay();
    written.ingest_us += random_.Below(5000) * 1000;
    if (!Percent(5)) written.broker_us = written.ingest_us - random_.Below(1000) * 1000;
    if (Percent(1))
      written.broker_us = written.ingest_us - 25 * kHour;  // this one does not move the data clock
    written.key = Percent(85) ? ChargePoint(fact) : "";
    written.version = Percent(70) ? (fact.is_2x ? "2.0.1" : "1.6") : "";
    Draft draft = WriteFields(fact, event_id, written);
    if (Percent(13)) Break(fact, draft, written);
    if (written.payload.empty() && !emptied_) written.payload = Render(draft);
    emptied_ = false;
    written_.push_back(std::move(written));
  }

  int64_t Delay() {
    const int64_t draw = random_.Below(100);
    return draw < 80 ? 0 : draw < 97 ? random_.Below(10800) * kSecond : random_.Below(108'000) * kSecond;
  }

  static std::string ChargePoint(const Fact& fact) { return "CP-" + std::to_string(fact.charge_point); }

  Draft WriteFields(const Fact& fact, const std::string& event_id, Written& written) {
    Draft draft;
    WriteIdentity(fact, event_id, written, draft);
    WriteTime(fact, draft);
    WriteReading(fact, draft);
    WriteRest(fact, written, draft);
    WriteOddities(draft);
    return draft;
  }

  void WriteIdentity(const Fact& fact, const std::string& event_id, const Written& written, Draft& draft) {
    const bool as_number = Percent(3);  // "e17" as 17
    const std::string id = as_number ? event_id.substr(1) : Quoted(event_id);
    const int64_t spelling = random_.Below(20);
    if (spelling != 0) draft.Add(spelling == 1 ? "EVENT_ID" : "event_id", id);
    if (spelling == 0 || spelling == 2) draft.Add("message_id", id);
    const std::string type_name = Quoted(TypeName(fact.type));
    draft.Add(Percent(10) ? "action" : "event_type", type_name);
    if (written.key.empty() || !Percent(5)) {
      std::string name = ChargePoint(fact);
      if (Percent(10)) name = Lower(name);
      if (Percent(10)) name = " " + name;
      if (Percent(10)) name += "\t";
      draft.Add("charge_point_id", Quoted(name));
    } else if (Percent(50)) {
      draft.Add("charge_point_id", PickText({"null", "\"\"", "\"  \""}));
    }
    if (fact.connector.has_value()) draft.Add("connector_id", Integer(*fact.connector));
    if (fact.evse.has_value()) draft.Add("evse_id", Integer(*fact.evse));
    if (!fact.transaction.empty()) draft.Add("transaction_id", Transaction(fact));
  }

  std::string TypeName(Type type) {
    switch (type) {
      case Type::kStart: return PickText({"StartTransaction", "start_transaction", "START TRANSACTION"});
      case Type::kReading: return PickText({"MeterValues", "meter-values", "METERVALUES"});
      case Type::kStop: return PickText({"StopTransaction", "stopTransaction", " stop_transaction"});
      case Type::kStatus: return PickText({"StatusNotification", "status_notification"});
      default: return PickText({"Heartbeat", "heart_beat"});
    }
  }

  std::string Integer(int64_t value) {
    const std::string digits = std::to_string(value);
    const int64_t draw = random_.Below(30);
    return draw == 0 ? digits + ".0" : draw < 4 ? Quoted(digits) : digits;
  }

  std::string Transaction(const Fact& fact) {
    if (fact.is_2x) {
      std::string text = fact.transaction;
      if (Percent(20)) text = medallion::AsciiUpper(text);
      return Quoted(text);
    }
    if (fact.transaction == "abc") return "\"abc\"";
    const int64_t draw = random_.Below(20);
    if (draw < 4) return Quoted(fact.transaction);
    if (draw == 4 && fact.transaction[0] != '-') return Quoted("00" + fact.transaction);
    if (draw == 5) return Quoted(" " + fact.transaction + " ");
    if (draw == 6) return fact.transaction + ".0";
    return fact.transaction;
  }

  void WriteTime(const Fact& fact, Draft& draft) {
    const bool may_lack = fact.type == Type::kStatus || fact.type == Type::kHeartbeat;
    if (may_lack && Percent(25)) {
      if (Percent(50)) draft.Add("event_ts", PickText({"null", "\"\""}));
      return;
    }
    const std::string text = Quoted(TimeText(fact.ts_us));
    const int64_t spelling = random_.Below(12);
    if (spelling != 0) draft.Add("event_ts", text);
    if (spelling < 2) draft.Add("timestamp", text);
  }

  // One instant in one of many spellings.
  std::string TimeText(int64_t us) {
    static constexpr std::pair<const char*, int64_t> kZones[] = {
        {"Z", 0},       {"z", 0},     {"", 0},          {"+02:00", 120},
        {"+0200", 120}, {"+02", 120}, {"-05:30", -330}, {"+00:00", 0}};
    const auto& [zone, minutes] = kZones[Percent(60) ? 0 : random_.Below(8)];
    std::string text = FormatTime({us + minutes * kMinute});  // …T10:00:00.000000Z
    text.pop_back();
    while (text.ends_with("000") && Percent(70)) text.resize(text.size() - 3);
    if (text.ends_with('.')) text.pop_back();
    if (text.size() == 26 && Percent(20)) text += "999";  // digits that are cut off
    if (Percent(8)) text[10] = ' ';
    text += zone;
    return Percent(4) ? " " + text + " " : text;
  }

  void WriteReading(const Fact& fact, Draft& draft) {
    if (fact.type == Type::kStatus || fact.type == Type::kHeartbeat) return;
    if (fact.meter_milli.has_value()) WriteMeter(*fact.meter_milli, draft);
    if (!fact.odd_meter.empty()) draft.Add("meter_value", fact.odd_meter);
    if (!fact.sample.empty()) {
      draft.Add("meter_value", Percent(50) ? fact.sample : Quoted(fact.sample));
      if (!fact.unit.empty()) draft.Add("unit", Quoted(fact.unit));
    }
    if (fact.type != Type::kReading) return;
    if (!fact.measurand.empty()) {
      draft.Add("measurand", Quoted(fact.measurand));
    } else if (Percent(50)) {
      draft.Add("measurand",
                PickText({"\"Energy.Active.Import.Register\"", "\"energy.active.import.register\"", "null"}));
    }
    if (!fact.phase.empty()) draft.Add("phase", Quoted(fact.phase));
    if (!fact.location.empty() || Percent(20)) draft.Add("location", Quoted(fact.location));
    if (!fact.context.empty()) draft.Add("context", Quoted(fact.context));
  }

  static std::string Shifted(int64_t milli, int64_t digits) {  // milli / 10^digits as text
    const bool negative = milli < 0;
    std::string text = std::to_string(negative ? -milli : milli);
    const auto wanted = static_cast<size_t>(digits);
    if (text.size() <= wanted) text.insert(0, wanted + 1 - text.size(), '0');
    text.insert(text.size() - wanted, ".");
    while (text.back() == '0') text.pop_back();
    if (text.back() == '.') text.pop_back();
    return (negative ? "-" : "") + text;
  }

  // One register in one of many spellings, all the same after rounding.
  void WriteMeter(int64_t milli, Draft& draft) {
    const std::string wh = Shifted(milli, 3), kwh = Shifted(milli, 6);
    const auto value = [&](std::string text) { return Percent(40) ? Quoted(text) : text; };
    const auto with_unit = [&](std::string json, const char* unit) {
      draft.Add("meter_value", std::move(json)), draft.Add("unit", Quoted(unit));
    };
    switch (random_.Below(14)) {
      case 0: return with_unit(value(kwh), "kWh");
      case 1: return with_unit(value(kwh), "KWH");
      case 2: return with_unit(value(Shifted(milli, 9)), "MWh");
      case 3: return draft.Add("meter_wh", value(wh));
      case 4: return draft.Add("meter_kwh", value(kwh));
      case 5: return with_unit(Quoted(" " + wh + "\t"), "wh");
      case 6: return with_unit(value(wh + "e0"), "Wh ");
      case 7: return draft.Add("meter_value", value(wh));  // no unit: Wh
      case 8: return draft.Add("meter_wh", wh), draft.Add("meter_kwh", Quoted(kwh));
      case 9: return with_unit(value(Rounded(milli)), "Wh");
      case 10: return with_unit(value(kwh + (kwh.find('.') == std::string::npos ? ".0" : "") + "e0"), "kWh");
      default: return with_unit(value(wh), "Wh");
    }
  }

  // Wh with more than three digits after the point that round to `milli`, HALF_UP.
  std::string Rounded(int64_t milli) {
    if (milli <= 0) return Shifted(milli, 3);
    std::string text;
    const bool up = Percent(50);
    AppendFixed(up ? milli - 1 : milli, 3, text);
    return text + (up ? PickText({"5", "50", "9999", "500000000000000000000001"})
                      : PickText({"4", "49999", "00001"}));
  }

  void WriteRest(const Fact& fact, const Written& written, Draft& draft) {
    if (!fact.tag.empty()) {
      draft.Add("id_tag", Quoted(Percent(80)   ? fact.tag
                                 : Percent(50) ? " " + fact.tag + "  "
                                               : Lower(fact.tag)));
    }
    if (fact.type == Type::kStatus) {
      const bool plain = Percent(70) || fact.status == "Bogus";
      draft.Add(Percent(80) ? "connector_status" : "status",
                Quoted(plain ? fact.status : Lower(fact.status) + " "));
      if (!fact.error_code.empty()) draft.Add("error_code", Quoted(fact.error_code));
    }
    if (!fact.reason.empty()) {
      const bool plain = Percent(80) || fact.reason == "BatteryFull";
      draft.Add(Percent(80) ? "stop_reason" : "reason", Quoted(plain ? fact.reason : Lower(fact.reason)));
    }
    if (fact.seq_no.has_value()) draft.Add("seq_no", std::to_string(*fact.seq_no));
    if (fact.is_2x && Percent(40)) draft.Add("offline", PickText({"true", "false"}));
    if (fact.is_2x && Percent(40)) draft.Add("trigger_reason", "\"MeterValuePeriodic\"");
    if (fact.is_2x && Percent(40)) draft.Add("charging_state", "\"Charging\"");
    if (Percent(70) || (fact.is_2x && written.version.empty())) {
      draft.Add("ocpp_version", fact.is_2x ? "\"2.0.1\"" : Percent(95) ? "\"1.6\"" : "1.6");
    }
    if (Percent(70)) draft.Add("schema_version", Percent(90) ? "1" : PickText({"\"1\"", "1.0", "null"}));
  }

  static std::string Lower(std::string text) {
    for (char& c : text) c = AsciiLower(c);
    return text;
  }

  void WriteOddities(Draft& draft) {
    if (Percent(12)) {
      const std::string name = PickText({"vendor", "x-trace", "Gateway"});
      draft.Add(name, PickText({"\"abc\"", "17", "{\"a\":[1,2,{\"b\":null}]}", "[[[[[[[[[1]]]]]]]]]", "true",
                                "\"\\u00e9\\n\""}));
    }
    if (Percent(3) && !draft.Has("phase")) draft.Add("phase", "null");
    if (Percent(3)) draft.fields.push_back(draft.fields[Index(draft.fields.size())]);
    if (Percent(20)) {
      for (size_t i = draft.fields.size(); i > 1; --i) {
        std::swap(draft.fields[i - 1], draft.fields[Index(i)]);
      }
    }
    if (options_.disputed && Percent(2)) draft.Add("error_code", "null");
  }

  std::string Render(const Draft& draft) {
    const std::string blank = Percent(10) ? " \n" : "";
    std::string out = Percent(2) ? "\xEF\xBB\xBF{" : "{";
    for (const auto& [name, json] : draft.fields) {
      if (out.back() != '{') out += ",";
      out += blank + "\"" + name + "\":" + blank;
      const bool pad = name == "id_tag" && json.size() > 2 && Percent(10);
      out += pad ? json.substr(0, json.size() - 1) + "\\u0000\"" : json;
    }
    out += "}";
    if (Percent(2)) out += "\n";
    if (Percent(2)) out.append(3, '\0');
    return out;
  }

  // ---- Faults ----

  void Break(const Fact& fact, Draft& draft, Written& written) {
    if (Percent(25)) return Corrupt(draft, written);
    BreakField(fact, draft, written);
    if (Percent(15)) BreakField(fact, draft, written);
  }

  void Corrupt(const Draft& draft, Written& written) {
    const std::string whole = Render(draft);
    const std::string body = "{\"event_id\":\"e0\"";
    switch (random_.Below(12)) {
      case 0: written.payload = whole.substr(0, whole.size() / 2); break;
      case 1: written.payload = body + ",}"; break;
      case 2: written.payload = PickText({"null", "[]", "17", "\"text\"", "not json", "   "}); break;
      case 3: written.payload = body + ",\"x\":\"\xC3\x28\"}"; break;
      case 4: written.payload = body + ",\"x\":" + std::string(200, '[') + std::string(200, ']') + "}"; break;
      case 5: written.payload = body + ",\"x\":tru}"; break;
      case 6: written.payload = body + ",\"meter_value\":01}"; break;
      case 7: written.payload = "{\"event_id\":\"e0\"}{\"event_id\":\"e0\"}"; break;
      case 8: written.payload = body + ",\"x\":\"a\nb\"}"; break;
      case 9: written.payload = "{'event_id':'e0'}"; break;
      case 10: written.payload = body + ",\"x\":NaN}"; break;
      default: emptied_ = true; break;  // no payload at all
    }
  }

  // One fault. What is no fault of this type of event breaks the schema version instead.
  void BreakField(const Fact& fact, Draft& draft, Written& written) {
    const bool header = fact.type == Type::kStart || fact.type == Type::kStop;
    const bool reading = fact.type == Type::kReading && fact.sample.empty();
    switch (random_.Below(10)) {
      case 0: return draft.RemoveAll({"event_id", "EVENT_ID", "message_id"});
      case 1: draft.Remove("charge_point_id"), written.key.clear(); return;
      case 2:
        draft.Remove("action");
        return draft.Set("event_type", PickText({"\"Transaction2\"", "\"\"", "42"}));
      case 3: return BreakTime(draft);
      case 4: return draft.Set("schema_version", PickText({"2", "99", "\"v1\""}));
      case 5: return MakeAmbiguous(reading || header, draft);
      case 6: return BreakConnector(fact, draft);
      case 7:
        if (reading || header) return BreakTransaction(draft);
        if (fact.type != Type::kStatus) return draft.Set("schema_version", "2");
        draft.RemoveAll({"status", "connector_status"});
        if (Percent(50)) draft.Add("status", PickText({"\"\"", "null", "\" \""}));
        return;
      default:
        if (reading) return BreakMeter(draft);
        if (!header) return draft.Set("schema_version", "3");
        return draft.Set("id_tag", PickText({"12345", "\"  \"", "{}"}));  // no fault, only odd
    }
  }

  void BreakTime(Draft& draft) {
    draft.Remove("timestamp");
    if (Percent(50)) {  // a clock that was never set, or runs ahead
      return draft.Set("event_ts", PickText({"\"1970-01-01T00:00:01Z\"", "\"2009-12-31T23:59:59Z\"",
                                             "\"2099-01-01T00:00:00Z\"", "\"2031-05-01T00:00:00+02:00\""}));
    }
    draft.Set("event_ts", PickText({"\"yesterday\"", "\"2026-13-01T00:00:00Z\"", "\"2026-02-29T00:00:00Z\"",
                                    "1772359200", "\"2026-03-01\"", "\"2026-03-01T25:00:00Z\""}));
  }

  void MakeAmbiguous(bool transactional, Draft& draft) {
    switch (random_.Below(transactional ? 4 : 2)) {
      case 0: return draft.Add("event_type", "\"SomethingElse\"");  // one key twice, or one more spelling
      case 1: return draft.Add("message_id", "\"another\"");
      case 2:
        draft.RemoveAll({"meter_value", "meter_wh", "meter_kwh", "unit"});
        return draft.Add("meter_kwh", "1.5"), draft.Add("meter_wh", "1501");
      default:
        draft.RemoveAll({"meter_value", "meter_wh", "meter_kwh", "unit"});
        return draft.Add("meter_kwh", "1.5"), draft.Add("unit", "\"Wh\"");
    }
  }

  void BreakConnector(const Fact& fact, Draft& draft) {
    if (fact.type == Type::kHeartbeat) return draft.Set("schema_version", "4");
    if (fact.type == Type::kStart && Percent(40)) return draft.Set("connector_id", "0");
    if (fact.type == Type::kStatus && Percent(40)) return draft.Remove("connector_id");
    draft.Set("connector_id", PickText({"-1", "\"abc\"", "1.5", "\"-3\""}));
  }

  void BreakTransaction(Draft& draft) {
    draft.Remove("transaction_id");
    const std::string json = PickText(
        {"", "null", "\"\"", "\"  \"", "{}", "true", "1.5", "\"1234567890123456789012345678901234567\""});
    if (!json.empty()) draft.Add("transaction_id", json);
  }

  void BreakMeter(Draft& draft) {
    draft.RemoveAll({"meter_value", "meter_wh", "meter_kwh", "unit"});
    switch (random_.Below(4)) {
      case 0: return;
      case 1: return draft.Add("meter_value", PickText({"null", "true", "{}", "[1]"}));
      case 2:
        draft.Add("meter_value", "7");
        return draft.Add("unit", PickText({"\"kW\"", "\"furlong\"", "\"V\""}));
      default: break;
    }
    const int64_t draw = random_.Below(7);
    draft.Add("meter_value", draw == 0 ? std::string(400, '9')
                             : draw == 1
                                 ? "0." + std::string(40, '1')
                                 : PickText({"\"NaN\"", "\"1,5\"", "\"12 kWh\"", "\"\"", "\"0x10\"", "-5"}));
  }

  // ---- Arrival ----

  // By ingest_ts in the main, with neighbours out of order.
  void Arrive() {
    std::stable_sort(written_.begin(), written_.end(),
                     [](const Written& a, const Written& b) { return a.ingest_us < b.ingest_us; });
    for (size_t i = 1; i < written_.size(); ++i) {
      if (Percent(25)) std::swap(written_[i], written_[Index(i)]);
    }
    if (static_cast<int64_t>(written_.size()) > events_) written_.resize(static_cast<size_t>(events_));
  }

  void Deliver(Feed& feed) {
    int64_t offsets[2] = {0, 0};
    for (const Written& written : written_) {
      const auto partition = static_cast<int32_t>(random_.Below(2));
      // A topic made anew: the coordinate of the record before, with another payload.
      const bool again = offsets[partition] > 0 && Percent(2);
      const int64_t offset = again ? offsets[partition] - 1 : offsets[partition]++;
      BronzeRecord record{.payload = feed.texts.Copy(written.payload),
                          .at = {Percent(90) ? "ocpp" : "ocpp|b", partition, offset},
                          .key = feed.texts.Copy(written.key),
                          .broker_ts = written.broker_us == 0 ? kNoTime : UtcTime{written.broker_us},
                          .ingest_ts = {written.ingest_us},
                          .version = feed.texts.Copy(written.version),
                          .connection_id = {}};
      feed.records.push_back(record);
      if (Percent(10)) feed.records.push_back(Redelivered(record));
      if (Percent(1)) feed.records.push_back(Redelivered(record));
    }
  }

  // The same record once more: at the same times, or at others, earlier ones too, perhaps under another key.
  BronzeRecord Redelivered(BronzeRecord record) {
    if (Percent(60)) record.ingest_ts.us += Pick<int64_t>({-1, 1, 40}) * kSecond;
    if (Percent(30) && record.broker_ts != kNoTime) record.broker_ts.us += Pick<int64_t>({-1, 1}) * kSecond;
    if (Percent(10)) record.broker_ts = kNoTime;
    if (Percent(15)) record.key = Pick<const char*>({"", "CP-1", "A-KEY"});
    return record;
  }

  const LawOptions& options_;
  Random random_;
  int64_t events_ = 0, charge_points_ = 1;
  int64_t now_us_ = 1'772'323'200'000'000;  // 2026-03-01T00:00:00Z
  int64_t seq_no_ = 0, event_ids_ = 0;
  bool emptied_ = false;
  std::vector<Fact> facts_;
  std::vector<Written> written_;
};

}  // namespace

Feed MakeLawFeed(const LawOptions& options) { return LawMaker(options).Make(); }

}  // namespace medallion::testing
