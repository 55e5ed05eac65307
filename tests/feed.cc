#include "feed.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <utility>

#include "medallion/base/decimal.h"
#include "medallion/base/text.h"
#include "medallion/base/time.h"

namespace medallion::testing {

uint64_t Random::Mix(uint64_t value) {
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9u;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBu;
  return value ^ (value >> 31);
}

namespace {

constexpr int64_t kMillion = 1'000'000;

enum class Kind : uint8_t { kStart, kReading, kStop, kStatus, kHeartbeat };
enum class Plant : uint8_t { kPlain, kTechnical, kBusiness, kConflict, kInvalid };

// An event of the plan; everything else about it follows from these numbers and the seed.
struct Planned {
  int64_t event_us = 0;
  int64_t ingest_us = 0;
  int64_t session = 0;  // of a heartbeat: its number
  uint64_t origin = 0;  // number of the event it copies, its own otherwise
  uint64_t number = 0;  // of itself
  int16_t step = 0;     // of a reading: which
  Kind kind = Kind::kReading;
  Plant plant = Plant::kPlain;
};

// A session, found again from its number.
struct SessionPlan {
  int64_t charge_point = 0, connector = 1, transaction = 0, start_us = 0, gap_us = 0, start_wh = 0,
          step_wh = 0;
  int64_t readings = 8;
  bool with_start = true, with_stop = true;
};

SessionPlan PlanSession(const FeedOptions& options, int64_t session) {
  Random random(Random::Mix(options.seed ^ 0x5E55u) + static_cast<uint64_t>(session) * 0x9E37u);
  SessionPlan plan;
  // Sessions go round all charge points before one has its next, well after the one before it.
  const int64_t round = session / options.charge_points;
  const int64_t turn = session % options.charge_points;
  plan.charge_point = (turn * 7919 + round * 31) % options.charge_points;
  plan.connector = 1 + random.Below(2);
  plan.transaction = 100'000 + session;
  plan.start_us =
      options.begin_us + round * 8 * kMicrosPerHour + random.Below(options.span_hours * 3'600'000) * 1000;
  plan.gap_us = (300 + random.Below(600)) * kMicrosPerSecond;
  plan.start_wh = random.Below(20'000'000);
  plan.step_wh = 200 + random.Below(1800);
  plan.readings = 6 + random.Below(5);
  plan.with_start = !random.Chance(options.start_missing_ppm);
  plan.with_stop = !plan.with_start || !random.Chance(options.stop_missing_ppm);
  return plan;
}

// The plan of a whole feed, in order of arrival.
class Planner {
 public:
  explicit Planner(const FeedOptions& options) : options_(options), random_(Random::Mix(options.seed)) {}

  std::vector<Planned> Plan() {
    const auto share = [&](int64_t ppm) { return options_.events * ppm / kMillion; };
    counts_ = {.events = options_.events,
               .technical = share(options_.technical_ppm),
               .business = share(options_.business_ppm),
               .conflicts = share(options_.conflict_ppm),
               .invalid = share(options_.invalid_ppm)};
    const int64_t copies = counts_.technical + counts_.business + counts_.conflicts;
    const int64_t plain = options_.events - copies - counts_.invalid;
    plan_.reserve(static_cast<size_t>(options_.events));
    PlanPlain(plain);
    PlanCopies(copies);
    PlanInvalid();
    std::sort(plan_.begin(), plan_.end(), [](const Planned& a, const Planned& b) {
      return std::pair(a.ingest_us, a.number) < std::pair(b.ingest_us, b.number);
    });
    return std::move(plan_);
  }

  const FeedCounts& counts() const { return counts_; }

 private:
  // Appends an event and decides when it arrives.
  void Add(Kind kind, int64_t session, int64_t step, int64_t event_us) {
    const bool late = random_.Chance(options_.late_ppm);
    const int64_t delay =
        late ? 600 * kMicrosPerSecond + random_.Below(21'000'000) * 1000 : random_.Below(3000) * 1000;
    counts_.late += late ? 1 : 0;
    const uint64_t number = plan_.size();
    plan_.push_back({.event_us = event_us,
                     .ingest_us = event_us + 200'000 + delay,
                     .session = session,
                     .origin = number,
                     .number = number,
                     .step = static_cast<int16_t>(step),
                     .kind = kind});
  }

  void PlanPlain(int64_t plain) {
    int64_t heartbeats = 0;
    const auto left = [&] { return plain - static_cast<int64_t>(plan_.size()); };
    for (int64_t session = 0; left() > 0; ++session) {
      const SessionPlan s = PlanSession(options_, session);
      if (left() < s.readings + 4) {  // no room for a whole session
        while (left() > 0) AddHeartbeat(heartbeats++, plain);
        break;
      }
      if (s.with_start) ++counts_.starts, Add(Kind::kStart, session, 0, s.start_us);
      for (int64_t i = 1; i <= s.readings; ++i)
        ++counts_.readings, Add(Kind::kReading, session, i, s.start_us + i * s.gap_us);
      if (s.with_stop)
        ++counts_.stops, Add(Kind::kStop, session, 0, s.start_us + (s.readings + 1) * s.gap_us);
      if (session % 2 == 0) ++counts_.statuses, Add(Kind::kStatus, session, 0, s.start_us + 1'000'000);
      if (session % 3 == 0) AddHeartbeat(heartbeats++, plain);
      ++counts_.sessions;
      counts_.sessions_complete += s.with_start && s.with_stop ? 1 : 0;
    }
  }

  // Heartbeats are spread so that no two are one fact.
  void AddHeartbeat(int64_t number, int64_t plain) {
    ++counts_.heartbeats;
    const int64_t apart_ms = std::max<int64_t>(options_.span_hours * 3'600'000 / plain, 1);
    Add(Kind::kHeartbeat, number, 0, options_.begin_us + number * apart_ms * 1000);
  }

  // Each original is copied once at most: the originals stand a stride apart.
  void PlanCopies(int64_t copies) {
    int64_t technical = counts_.technical, business = counts_.business, conflicts = counts_.conflicts;
    const size_t plain = plan_.size();
    for (int64_t i = 0; i < copies; ++i) {
      const int64_t pick = random_.Below(technical + business + conflicts);
      const Plant plant = pick < technical              ? Plant::kTechnical
                          : pick < technical + business ? Plant::kBusiness
                                                        : Plant::kConflict;
      --(plant == Plant::kTechnical ? technical : plant == Plant::kBusiness ? business : conflicts);
      const size_t from = static_cast<size_t>(i) * plain / static_cast<size_t>(copies);
      const size_t to = (static_cast<size_t>(i) + 1) * plain / static_cast<size_t>(copies);
      size_t at = from + static_cast<size_t>(random_.Below(static_cast<int64_t>(to - from)));
      while (at > from && plan_[at].kind == Kind::kHeartbeat) --at;  // a heartbeat has no value to differ in
      if (plan_[at].kind == Kind::kHeartbeat) at = to - 1;
      Planned copy = plan_[at];
      copy.plant = plant;
      copy.number = plan_.size();
      copy.ingest_us += 1'000'000 + random_.Below(120'000) * 1000;
      plan_.push_back(copy);
    }
  }

  void PlanInvalid() {
    const int64_t sessions = std::max<int64_t>(counts_.sessions, 1);
    for (int64_t i = 0; i < counts_.invalid; ++i) {
      const int64_t session = random_.Below(sessions);
      const SessionPlan s = PlanSession(options_, session);
      const uint64_t number = plan_.size();
      const int64_t event_us = s.start_us + random_.Below(3600) * kMicrosPerSecond;
      plan_.push_back({.event_us = event_us,
                       .ingest_us = event_us + 200'000 + random_.Below(3000) * 1000,
                       .session = session,
                       .origin = number,
                       .number = number,
                       .step = static_cast<int16_t>(i % 32'000),
                       .plant = Plant::kInvalid});
    }
  }

  const FeedOptions& options_;
  Random random_;
  FeedCounts counts_;
  std::vector<Planned> plan_;
};

// ---- Writing ----

void AppendNumber(int64_t value, std::string& out) { out.append(std::to_string(value)); }

void AppendHex16(uint64_t value, std::string& out) {
  for (int shift = 60; shift >= 0; shift -= 4) out.push_back("0123456789abcdef"[value >> shift & 15]);
}

void AppendText(std::string_view name, std::string_view value, std::string& out) {
  out.append(",\"").append(name).append("\":\"").append(value).append("\"");
}

void AppendInteger(std::string_view name, int64_t value, std::string& out) {
  out.append(",\"").append(name).append("\":");
  AppendNumber(value, out);
}

// "2026-03-01T12:00:00.250+02:00" for offset_minutes 120: milliseconds, as stations write them.
std::string TimeWithOffset(int64_t us, int64_t offset_minutes) {
  std::string text = FormatTime({us + offset_minutes * kMicrosPerMinute});
  text.resize(23);
  if (offset_minutes == 0) return text + "Z";
  const int64_t size = offset_minutes < 0 ? -offset_minutes : offset_minutes;
  text.push_back(offset_minutes < 0 ? '-' : '+');
  const auto two = [&](int64_t n) {
    text.push_back(static_cast<char>('0' + n / 10)), text.push_back(static_cast<char>('0' + n % 10));
  };
  two(size / 60);
  text.push_back(':');
  two(size % 60);
  return text;
}

// Wh as kWh text, exactly: 7200 -> "7.200".
std::string KwhText(int64_t wh) {
  std::string text;
  AppendFixed(wh, 3, text);
  return text;
}

std::string ChargePointName(int64_t number) {
  std::string digits = std::to_string(number);
  return "CP-" + std::string(digits.size() < 6 ? 6 - digits.size() : 0, '0') + digits;
}

constexpr std::array<std::array<const char*, 3>, 5> kTypeNames = {{
    {"StartTransaction", "start_transaction", "STARTTRANSACTION"},
    {"MeterValues", "meter_values", "metervalues"},
    {"StopTransaction", "stop-transaction", "stopTransaction"},
    {"StatusNotification", "Status Notification", "STATUS_NOTIFICATION"},
    {"Heartbeat", "heartbeat", "HEART_BEAT"},
}};

// Writes one planned event as a payload.
class PayloadWriter {
 public:
  PayloadWriter(const FeedOptions& options, const Planned& planned, std::string& out)
      : options_(options),
        planned_(planned),
        random_(Random::Mix(options.seed + 77) ^ Random::Mix(planned.number)),
        unusual_(random_.Chance(options.unusual_ppm)),
        out_(out) {
    if (planned.kind != Kind::kHeartbeat) session_ = PlanSession(options, planned.session);
  }

  void Write() {
    if (planned_.plant == Plant::kInvalid) return WriteInvalid();
    WriteHead();
    switch (planned_.kind) {
      case Kind::kStart:
        AppendInteger("transaction_id", session_.transaction, out_);
        WriteMeter(session_.start_wh);
        AppendText("id_tag", IdTag(), out_);
        break;
      case Kind::kReading:
        WriteTransaction();
        WriteMeter(session_.start_wh + planned_.step * session_.step_wh);
        if (!unusual_ && planned_.number % 4 == 0) WriteContext();
        break;
      case Kind::kStop:
        WriteTransaction();
        WriteMeter(session_.start_wh + (session_.readings + 1) * session_.step_wh);
        AppendText("stop_reason", planned_.session % 3 == 0 ? "Remote" : "EVDisconnected", out_);
        break;
      case Kind::kStatus:
        AppendText("connector_status", unusual_ ? "charging " : "Charging", out_);
        AppendText("error_code", planned_.plant == Plant::kConflict ? "GroundFailure" : "NoError", out_);
        break;
      case Kind::kHeartbeat: break;
    }
    WriteTail();
  }

 private:
  std::string IdTag() const {
    return "TAG-" + std::to_string(Random::Mix(static_cast<uint64_t>(planned_.session)) % 50'000);
  }

  // A technical copy has its original's event id, everything else an id of its own.
  uint64_t EventId() const {
    const uint64_t number = planned_.plant == Plant::kTechnical ? planned_.origin : planned_.number;
    return Random::Mix(options_.seed * 31 + number);
  }

  void WriteHead() {
    const size_t spelling = unusual_ ? static_cast<size_t>(1 + random_.Below(2)) : 0;
    out_.append("{\"event_id\":\"");
    AppendHex16(EventId(), out_);
    out_.append("\"");
    AppendText("event_type", kTypeNames[static_cast<size_t>(planned_.kind)][spelling], out_);
    const int64_t charge_point =
        planned_.kind == Kind::kHeartbeat ? planned_.session % options_.charge_points : session_.charge_point;
    AppendText("charge_point_id", ChargePointName(charge_point), out_);
    if (planned_.kind != Kind::kHeartbeat) AppendInteger("connector_id", session_.connector, out_);
    AppendText("event_ts", TimeWithOffset(planned_.event_us, unusual_ ? 120 : 0), out_);
  }

  void WriteTransaction() {
    if (unusual_ && random_.Below(2) == 0) {
      AppendText("transaction_id", std::to_string(session_.transaction), out_);
    } else {
      AppendInteger("transaction_id", session_.transaction, out_);
    }
  }

  void WriteMeter(int64_t wh) {
    if (planned_.plant == Plant::kConflict) wh += 1 + random_.Below(5000);
    switch (unusual_ ? random_.Below(4) : 3) {
      case 0: AppendText("meter_value", KwhText(wh), out_); return AppendText("unit", "kWh", out_);
      case 1: return AppendText("meter_kwh", KwhText(wh), out_);
      case 2: AppendInteger("meter_value", wh, out_); return AppendText("unit", "WH", out_);
      default: AppendInteger("meter_value", wh, out_); return AppendText("unit", "Wh", out_);
    }
  }

  void WriteContext() {
    AppendText("measurand", "Energy.Active.Import.Register", out_);
    AppendText("context", "Sample.Periodic", out_);
    AppendText("location", "Outlet", out_);
  }

  void WriteTail() {
    if (unusual_ || planned_.number % 10 == 0) {
      out_.append(",\"gateway\":{\"node\":\"gw-")
          .append(std::to_string(planned_.number % 16))
          .append("\",\"rssi\":-61}");
    }
    out_.append(",\"ocpp_version\":\"1.6\",\"schema_version\":1}");
  }

  // One fault each; the event would be sound without it.
  void WriteInvalid() {
    static constexpr int64_t kFaults = 14;
    const int64_t fault = planned_.step % kFaults;
    const auto field = [&](std::string_view name, std::string_view json) {
      out_.append(",\"").append(name).append("\":").append(json);
    };
    out_.append("{\"origin\":\"planted\"");
    if (fault != 0) AppendText("event_id", "bad-" + std::to_string(planned_.number), out_);
    AppendText("event_type", fault == 1 ? "TransactionUpdate" : "MeterValues", out_);
    AppendText("charge_point_id", fault == 2 ? "" : ChargePointName(session_.charge_point), out_);
    field("connector_id", fault == 3 ? "-1" : "1");
    if (fault != 4)
      field("transaction_id", fault == 5 ? "\"1234567890123456789012345678901234567890\"" : "77");
    AppendText("event_ts",
               fault == 6   ? "yesterday"
               : fault == 7 ? "1970-01-01T00:00:10Z"
                            : TimeWithOffset(planned_.event_us, 0),
               out_);
    if (fault != 8) field("meter_value", fault == 9 ? "\"1,5\"" : fault == 10 ? "-4" : "1500");
    AppendText("unit", fault == 11 ? "furlong" : "Wh", out_);
    field("schema_version", fault == 12 ? "99" : "1");
    out_.append(fault == 13 ? ",}" : "}");
  }

  const FeedOptions& options_;
  const Planned& planned_;
  Random random_;
  const bool unusual_;
  SessionPlan session_;
  std::string& out_;
};

// Writes one planned event as an OCPP 1.6 frame: the payload's facts in the words of the specification. A broken event
// is a call of an action that no version knows.
class FrameWriter {
 public:
  FrameWriter(const FeedOptions& options, const Planned& planned, std::string& out)
      : planned_(planned), out_(out) {
    if (planned.kind != Kind::kHeartbeat) session_ = PlanSession(options, planned.session);
  }

  void Write() {
    static constexpr std::array<const char*, 5> kActions = {
        "StartTransaction", "MeterValues", "StopTransaction", "StatusNotification", "Heartbeat"};
    const bool invalid = planned_.plant == Plant::kInvalid;
    const char* action = invalid ? "TransactionUpdate" : kActions[static_cast<size_t>(planned_.kind)];
    out_.append("[2,\"").append(std::to_string(Message())).append("\",\"").append(action).append("\",{");
    if (!invalid) WriteBody();
    out_.append("}]");
  }

  // The answer to a start, which names the transaction.
  void WriteResult() {
    out_.append("[3,\"").append(std::to_string(Message())).append("\",{\"transactionId\":");
    AppendNumber(session_.transaction, out_);
    out_.append(",\"idTagInfo\":{\"status\":\"Accepted\"}}]");
  }

 private:
  uint64_t Message() const { return planned_.plant == Plant::kTechnical ? planned_.origin : planned_.number; }
  int64_t Differing() const { return planned_.plant == Plant::kConflict ? 7 : 0; }
  std::string IdTag() const {
    return "TAG-" + std::to_string(Random::Mix(static_cast<uint64_t>(planned_.session)) % 50'000);
  }

  void WriteBody() {
    const auto time = [&] { AppendText("timestamp", TimeWithOffset(planned_.event_us, 0), out_); };
    switch (planned_.kind) {
      case Kind::kStart:
        out_.append("\"connectorId\":"), AppendNumber(session_.connector, out_);
        AppendText("idTag", IdTag(), out_);
        AppendInteger("meterStart", session_.start_wh, out_);
        return time();
      case Kind::kReading: return WriteReading();
      case Kind::kStop:
        out_.append("\"transactionId\":"), AppendNumber(session_.transaction, out_);
        AppendInteger("meterStop",
                      session_.start_wh + (session_.readings + 1) * session_.step_wh + Differing(), out_);
        AppendText("reason", planned_.session % 3 == 0 ? "Remote" : "EVDisconnected", out_);
        return time();
      case Kind::kStatus:
        out_.append("\"connectorId\":"), AppendNumber(session_.connector, out_);
        AppendText("errorCode", planned_.plant == Plant::kConflict ? "GroundFailure" : "NoError", out_);
        AppendText("status", "Charging", out_);
        return time();
      case Kind::kHeartbeat: return;
    }
  }

  void WriteReading() {
    out_.append("\"connectorId\":"), AppendNumber(session_.connector, out_);
    AppendInteger("transactionId", session_.transaction, out_);
    out_.append(",\"meterValue\":[{\"timestamp\":\"").append(TimeWithOffset(planned_.event_us, 0));
    out_.append("\",\"sampledValue\":[{\"value\":\"");
    AppendNumber(session_.start_wh + planned_.step * session_.step_wh + Differing(), out_);
    out_.append(
        "\",\"context\":\"Sample.Periodic\",\"measurand\":\"Energy.Active.Import.Register\","
        "\"unit\":\"Wh\"}]}]");
  }

  const Planned& planned_;
  SessionPlan session_;
  std::string& out_;
};

}  // namespace

struct FeedStream::State {
  explicit State(const FeedOptions& given) : options(given) {
    Planner planner(options);
    plan = planner.Plan();
    counts = planner.counts();
    offsets.resize(static_cast<size_t>(options.partitions));
  }

  // Calls `take` with each of the next `records` events: planned, payload, charge point, partition, offset.
  template <class Take>
  bool Each(size_t records, Take&& take) {
    const size_t end = std::min(plan.size(), next + records);
    if (next == end) return false;
    std::string payload;
    for (; next < end; ++next) {
      const Planned& planned = plan[next];
      const int64_t charge_point = planned.kind == Kind::kHeartbeat
                                       ? planned.session % options.charge_points
                                       : PlanSession(options, planned.session).charge_point;
      const auto partition = static_cast<int32_t>(charge_point % options.partitions);
      payload.clear();
      PayloadWriter(options, planned, payload).Write();
      // A broken event's key is left out, lest it stand in for the missing charge point.
      const std::string key = planned.plant == Plant::kInvalid ? "" : ChargePointName(charge_point);
      take(planned, payload, key, partition, offsets[static_cast<size_t>(partition)]++);
    }
    return true;
  }

  FeedOptions options;
  FeedCounts counts;
  std::vector<Planned> plan;
  std::vector<int64_t> offsets;
  size_t next = 0;
};

namespace {

void AppendWrapped(const BronzeRecord& record, std::string& out) {
  const auto time = [&](std::string_view name, UtcTime value) {
    if (value == kNoTime) return;
    out.append(",\"").append(name).append("\":\"");
    AppendTime(value, out);
    out.append("\"");
  };
  out.append("{\"topic\":");
  AppendJsonString(record.at.topic, out);
  AppendInteger("partition", record.at.partition, out);
  AppendInteger("offset", record.at.offset, out);
  if (!record.key.empty()) out.append(",\"key\":"), AppendJsonString(record.key, out);
  time("broker_ts", record.broker_ts);
  time("ingest_ts", record.ingest_ts);
  if (record.direction == Direction::kOut) AppendText("direction", "out", out);
  if (!record.version.empty()) out.append(",\"ocpp_version\":"), AppendJsonString(record.version, out);
  if (!record.connection_id.empty())
    out.append(",\"connection_id\":"), AppendJsonString(record.connection_id, out);
}

bool IsUtf8(std::string_view text) {  // by way of the writer: it replaces what is none
  if (text.find("\xEF\xBF\xBD") != std::string_view::npos) return true;
  std::string json;
  AppendJsonString(text, json);
  return json.find("\xEF\xBF\xBD") == std::string::npos;
}

void AppendBase64(std::string_view bytes, std::string& out) {
  static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t at = 0; at < bytes.size(); at += 3) {
    const size_t left = std::min<size_t>(bytes.size() - at, 3);
    uint32_t group = 0;
    for (size_t i = 0; i < 3; ++i)
      group = group << 8 | (i < left ? static_cast<unsigned char>(bytes[at + i]) : 0u);
    for (size_t i = 0; i < 4; ++i) out.push_back(i <= left ? kDigits[group >> (18 - 6 * i) & 63] : '=');
  }
}

}  // namespace

FeedStream::FeedStream(const FeedOptions& options) : state_(std::make_unique<State>(options)) {}
FeedStream::~FeedStream() = default;
FeedStream::FeedStream(FeedStream&&) noexcept = default;

const FeedCounts& FeedStream::counts() const { return state_->counts; }

bool FeedStream::AppendWrappedLines(size_t records, std::string& out) {
  return state_->Each(records, [&](const Planned& planned, const std::string& payload, const std::string& key,
                                   int32_t partition, int64_t offset) {
    AppendWrapped({.payload = {},
                   .at = {state_->options.topic, partition, offset},
                   .key = key,
                   .broker_ts = {planned.ingest_us - 100'000},
                   .ingest_ts = {planned.ingest_us},
                   .version = "1.6",
                   .connection_id = {}},
                  out);
    out.append(",\"payload\":");
    AppendJsonString(payload, out);
    out.append("}\n");
  });
}

bool FeedStream::AppendFlatLines(size_t records, std::string& out) {
  return state_->Each(records, [&](const Planned&, const std::string& payload, const std::string&, int32_t,
                                   int64_t) { out.append(payload).append("\n"); });
}

bool FeedStream::AppendFrameLines(size_t records, std::string& out) {
  const auto line = [&](int64_t ingest_us, const std::string& key, const char* direction, const auto& write) {
    out.append("{\"ts\":\"");
    AppendTime({ingest_us}, out);
    out.append("\",\"charge_point_id\":\"").append(key).append("\",\"direction\":\"").append(direction);
    out.append("\",\"protocol\":\"ocpp1.6\",\"frame\":");
    write();
    out.append("}\n");
  };
  return state_->Each(
      records, [&](const Planned& planned, const std::string&, const std::string& key, int32_t, int64_t) {
        FrameWriter writer(state_->options, planned, out);
        line(planned.ingest_us, key.empty() ? "CP-0" : key, "in", [&] { writer.Write(); });
        if (planned.kind != Kind::kStart || planned.plant != Plant::kPlain) return;
        line(planned.ingest_us + 500'000, key, "out", [&] { writer.WriteResult(); });
      });
}

bool FeedStream::AppendRecords(size_t records, Feed& out) {
  const std::string_view topic = out.texts.Copy(state_->options.topic);
  return state_->Each(records, [&](const Planned& planned, const std::string& payload, const std::string& key,
                                   int32_t partition, int64_t offset) {
    out.records.push_back({.payload = out.texts.Copy(payload),
                           .at = {topic, partition, offset},
                           .key = out.texts.Copy(key),
                           .broker_ts = {planned.ingest_us - 100'000},
                           .ingest_ts = {planned.ingest_us},
                           .version = "1.6",
                           .connection_id = {}});
  });
}

Feed MakeFeed(const FeedOptions& options, FeedCounts* counts) {
  FeedStream stream(options);
  Feed feed;
  feed.records.reserve(static_cast<size_t>(options.events));
  while (stream.AppendRecords(4096, feed)) {
  }
  if (counts != nullptr) *counts = stream.counts();
  return feed;
}

std::string WrappedLines(const std::vector<BronzeRecord>& records) {
  std::string out;
  for (const BronzeRecord& record : records) {
    AppendWrapped(record, out);
    if (IsUtf8(record.payload)) {
      out.append(",\"payload\":");
      AppendJsonString(record.payload, out);
    } else {
      out.append(",\"value_b64\":\"");
      AppendBase64(record.payload, out);
      out.append("\"");
    }
    out.append("}\n");
  }
  return out;
}

}  // namespace medallion::testing
