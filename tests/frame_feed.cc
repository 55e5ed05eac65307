// The frame mix: what a few stations and their back end say to each other, as it crossed the WebSocket.
#include <algorithm>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "feed.h"
#include "medallion/base/decimal.h"
#include "medallion/base/time.h"

namespace medallion::testing {
namespace {

constexpr int64_t kSecond = kMicrosPerSecond;
constexpr int64_t kMinute = kMicrosPerMinute;
constexpr int64_t kHour = kMicrosPerHour;

struct Frame {
  std::string key, payload, connection, version;
  bool out = false;
  int64_t ingest_us = 0;
};

// One transaction on its way.
struct Charge {
  int64_t connector = 1;
  std::string tag, id;  // id as the station writes it, JSON
  int64_t meter = 0;
  int64_t start_us = 0;
  int64_t seq_no = 0;
};

class FrameMaker {
 public:
  explicit FrameMaker(uint64_t seed) : random_(Random::Mix(seed ^ 0xF4A3u)) {}

  Feed Make() {
    const int64_t stations = 1 + random_.Below(2);
    for (int64_t station = 1; station <= stations; ++station) {
      key_ = station == 1 ? "CP-1" : "cp-2";
      is_2x_ = Percent(30);
      now_ = 1'772'323'200 * kSecond + random_.Below(48) * kHour;
      next_message_ = 100, next_transaction_ = 500;
      const int64_t charges = 1 + random_.Below(4);
      for (int64_t i = 0; i < charges; ++i) Visit();
    }
    return Deliver();
  }

 private:
  bool Percent(int64_t percent) { return random_.Below(100) < percent; }
  std::string Pick(std::initializer_list<const char*> from) {
    return *(from.begin() + random_.Below(static_cast<int64_t>(from.size())));
  }
  std::string Time(int64_t us) {
    const std::string text = FormatTime({us});
    return Percent(3) ? "\"" + text.substr(0, 19) + "\"" : "\"" + text + "\"";
  }
  void Pass() { now_ += (30 + random_.Below(1200)) * kSecond; }
  std::string NextMessage() { return "m" + std::to_string(next_message_++); }

  // ---- what is sent ----

  // A request happened at `now_`, and is received later where the station was offline.
  int64_t Receipt() { return now_ + random_.Below(5) * kSecond + offline_us_; }

  void Send(bool out, std::string payload, int64_t ingest_us) {
    frames_.push_back({.key = key_,
                       .payload = std::move(payload),
                       .connection = Percent(80) ? "c" + std::to_string(connection_) : "",
                       .version = is_2x_ ? "2.0.1" : "1.6",
                       .out = out,
                       .ingest_us = ingest_us});
    if (Percent(4)) frames_.push_back(frames_.back());  // delivered twice, as another record
  }

  // Returns the message id of the last copy.
  std::string Call(const std::string& action, const std::string& body) {
    std::string id = NextMessage();
    int64_t at = Receipt();
    Send(false, "[2,\"" + id + "\",\"" + action + "\",{" + body + "}]", at);
    for (int64_t copies = Percent(8) ? 1 + random_.Below(2) : 0; copies > 0; --copies) {
      at += 20 * kSecond;
      if (Percent(30)) Send(true, "[4,\"" + id + "\",\"InternalError\",\"\",{}]", at);
      if (Percent(40)) id = NextMessage();
      Send(false, "[2,\"" + id + "\",\"" + action + "\",{" + body + "}]", at);
    }
    answered_us_ = at + kSecond;
    return id;
  }

  void Answer(const std::string& id, const std::string& body) {
    Send(true, "[3,\"" + id + "\",{" + body + "}]", answered_us_ + (Percent(5) ? 40 * kMinute : 0));
  }

  void Boot() {
    if (Percent(50)) next_message_ = 100;
    ++connection_;
    const std::string id = Call("BootNotification", R"("chargePointVendor":"V","chargePointModel":"M")");
    if (Percent(80)) Answer(id, R"("status":"Accepted","interval":300,"currentTime":)" + Time(now_));
  }

  void Status(int64_t connector) {
    if (is_2x_) {
      Call("StatusNotification", "\"timestamp\":" + Time(now_) + ",\"connectorStatus\":\"" +
                                     Pick({"Occupied", "Available", "Faulted"}) +
                                     "\",\"evseId\":1,\"connectorId\":" + std::to_string(connector));
      return;
    }
    const std::string time = Percent(20) ? "" : ",\"timestamp\":" + Time(now_);
    Call("StatusNotification", "\"connectorId\":" + std::to_string(connector) +
                                   ",\"errorCode\":\"NoError\"," + "\"status\":\"" +
                                   Pick({"Charging", "Available", "Faulted", "Finishing"}) + "\"" + time);
  }

  std::string Sample(int64_t meter, const std::string& context) {
    const bool kwh = Percent(20);
    std::string value =
        kwh ? std::to_string(meter / 1000) + "." + std::to_string(1000 + meter % 1000).substr(1)
            : std::to_string(meter);
    if (!is_2x_ && !Percent(5)) value = "\"" + value + "\"";
    if (Percent(2)) value = "\"NaN\"";
    std::string json = "{\"value\":" + value;
    if (!context.empty()) json += ",\"context\":\"" + context + "\"";
    if (!Percent(20)) json += R"(,"measurand":"Energy.Active.Import.Register")";
    if (is_2x_) {
      json += kwh ? R"(,"unitOfMeasure":{"unit":"kWh"})" : "";
    } else {
      json += kwh ? R"(,"unit":"kWh")" : "";
    }
    return json + "}";
  }

  std::string Samples(int64_t meter, const std::string& context) {
    std::string samples = Sample(meter, context);
    if (Percent(20)) samples += R"(,{"value":"7200","measurand":"Power.Active.Import","unit":"W"})";
    if (Percent(10)) samples += R"(,{"value":"55","measurand":"SoC","unit":"Percent","location":"EV"})";
    return samples;
  }

  std::string MeterValue(int64_t meter, const std::string& context) {
    const int64_t taken = is_2x_ && Percent(15) ? now_ - random_.Below(150) * kMinute : now_;
    return "\"meterValue\":[{\"timestamp\":" + Time(taken) + ",\"sampledValue\":[" + Samples(meter, context) +
           "]}]";
  }

  // ---- 1.6 ----

  void Start(Charge& charge) {
    const std::string id =
        Call("StartTransaction", "\"connectorId\":" + std::to_string(charge.connector) + ",\"idTag\":\"" +
                                     charge.tag + "\",\"meterStart\":" + std::to_string(charge.meter) +
                                     ",\"timestamp\":" + Time(now_));
    charge.start_us = now_;
    const bool refused = Percent(8);
    std::string transaction = std::to_string(Percent(15) ? 1 : next_transaction_++);
    if (refused && Percent(50)) transaction = Pick({"0", "-1"});
    const bool told = Percent(85);
    if (told) {
      Answer(id, "\"transactionId\":" + transaction + ",\"idTagInfo\":{\"status\":\"" +
                     (refused ? "Blocked" : "Accepted") + "\"}");
    }
    charge.id = told || Percent(50) ? transaction : Pick({"-1", "0", "null"});
    if (Percent(6)) charge.id = Pick({"-1", "0", "null", "4294967296"});
  }

  void Reading(Charge& charge) {
    Pass();
    charge.meter += random_.Below(4000);
    const std::string id = Percent(8) ? Pick({"0", "-1", ""}) : charge.id;
    const std::string named = id.empty() ? "" : ",\"transactionId\":" + id;
    Call("MeterValues", "\"connectorId\":" + std::to_string(charge.connector) + named + "," +
                            MeterValue(charge.meter, Pick({"", "Sample.Periodic", "Sample.Clock"})));
  }

  void Stop(Charge& charge) {
    Pass();
    charge.meter += random_.Below(2000);
    const std::string id = Percent(6) ? Pick({"-1", "0", "null"}) : charge.id;
    std::string body = "\"transactionId\":" + id + ",\"meterStop\":" + std::to_string(charge.meter) +
                       ",\"timestamp\":" + Time(now_);
    if (Percent(60)) body += ",\"idTag\":\"" + charge.tag + "\"";
    if (Percent(30)) body += R"(,"reason":"EVDisconnected")";
    if (Percent(25)) {
      const std::string data = MeterValue(charge.meter, "Transaction.End");
      body += ",\"transactionData\"" + data.substr(data.find(':'));
    }
    Answer(Call("StopTransaction", body), "");
  }

  // ---- 2.x ----

  void Event(Charge& charge, const char* type, const std::string& context, const std::string& more) {
    std::string body = std::string("\"eventType\":\"") + type + "\",\"timestamp\":" + Time(now_) +
                       ",\"triggerReason\":\"" + Pick({"Authorized", "MeterValuePeriodic", "New"}) +
                       "\",\"seqNo\":" + std::to_string(charge.seq_no++) +
                       ",\"transactionInfo\":{\"transactionId\":\"" + charge.id + "\"}" + more;
    if (Percent(5)) ++charge.seq_no;
    if (!context.empty() && !Percent(15)) body += "," + MeterValue(charge.meter, context);
    if (offline_us_ > 0) body += ",\"offline\":true";
    Answer(Call("TransactionEvent", body), Percent(80) ? "" : R"("idTokenInfo":{"status":"Accepted"})");
  }

  void Visit2x(Charge& charge) {
    charge.id = Pick({"tx-A", "TX-a", "tx-B", "tx-C"});
    const std::string evse = ",\"evse\":{\"id\":1,\"connectorId\":" + std::to_string(charge.connector) + "}";
    const std::string token = ",\"idToken\":{\"idToken\":\"" + charge.tag + "\",\"type\":\"ISO14443\"}";
    if (!Percent(8)) Event(charge, "Started", "Transaction.Begin", evse + (Percent(50) ? token : ""));
    for (int64_t i = random_.Below(4); i > 0; --i) {
      Pass();
      charge.meter += random_.Below(4000);
      Event(charge, "Updated", "Sample.Periodic", Percent(10) ? token : "");
    }
    Pass();
    if (!Percent(15)) Event(charge, "Ended", "Transaction.End", "");
  }

  // ---- who comes and goes ----

  void Visit() {
    offline_us_ = Percent(25) ? random_.Below(20) * kHour : 0;
    if (Percent(25)) Boot();
    Charge charge{.connector = 1 + random_.Below(2), .tag = Pick({"TAG1", "TAG2", "tag1"}), .id = {}};
    charge.meter = Percent(60) ? meter_ : random_.Below(90'000);
    if (Percent(30)) Status(charge.connector);
    if (is_2x_) {
      Visit2x(charge);
    } else {
      if (!Percent(6)) Start(charge);
      for (int64_t i = random_.Below(4); i > 0; --i) Reading(charge);
      if (Percent(10)) Boot();
      if (Percent(10)) Status(charge.connector);
      if (!Percent(15)) Stop(charge);
      if (Percent(8)) Reading(charge);
    }
    meter_ = charge.meter;
    if (Percent(20)) Call("Heartbeat", "");
    if (Percent(5)) Call("Nonsense", "");
    now_ += Percent(10) ? -kHour : random_.Below(40) * kHour;
    if (Percent(5)) now_ += 60 * 24 * kHour;
  }

  Feed Deliver() {
    std::stable_sort(frames_.begin(), frames_.end(),
                     [](const Frame& a, const Frame& b) { return a.ingest_us < b.ingest_us; });
    Feed feed;
    int64_t offset = 0;
    for (const Frame& frame : frames_) {
      feed.records.push_back({.payload = feed.texts.Copy(frame.payload),
                              .at = {.topic = "frames", .partition = 0, .offset = offset++},
                              .key = feed.texts.Copy(frame.key),
                              .broker_ts = {frame.ingest_us},
                              .ingest_ts = {frame.ingest_us},
                              .direction = frame.out ? Direction::kOut : Direction::kIn,
                              .version = feed.texts.Copy(frame.version),
                              .connection_id = feed.texts.Copy(frame.connection)});
    }
    return feed;
  }

  Random random_;
  std::vector<Frame> frames_;
  std::string key_;
  bool is_2x_ = false;
  int64_t now_ = 0, offline_us_ = 0, answered_us_ = 0;
  int64_t next_message_ = 100, next_transaction_ = 500, connection_ = 1;
  int64_t meter_ = 1000;
};

}  // namespace

Feed MakeFrameFeed(uint64_t seed) { return FrameMaker(seed).Make(); }

}  // namespace medallion::testing
