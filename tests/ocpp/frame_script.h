// The same scripts as event_builder.h, as the frames in which a station and its back end say them: from a script of a
// charge point to the sessions that come of it, in 1.6 or in 2.x.
//
//   S E R P I U   as there; where a fact of 2.x has a value, it is a sample in its message. A reading without tx= is of
//                 MeterValues in 2.x too
//   A             the back end's answer to the call id=; value "-" tells no transaction
//   B             boot
//
// Of 2.x con= is the EVSE, plug= its connector; con=- names neither.
// Of a StopTransaction data=CONTEXT;TIME;WH,… is the transactionData. Of a reading unit= and mul= give the unit. tx= is
// JSON in 1.6: 7, -1, null, "x".
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "medallion/bronze/record.h"
#include "medallion/ocpp/refine.h"
#include "timeline_builder.h"

namespace medallion::ocpp::testing {

class FrameScript {
 public:
  FrameScript(std::string_view script, std::string_view version) : version_(version) {
    for (const std::string_view line : Split(texts_.Copy(script), " | ")) Add(line);
  }
  std::vector<BronzeRecord>& records() { return records_; }

 private:
  // A message's words, and what it makes of them.
  struct Line {
    char kind;
    std::string time, value;
    std::map<std::string, std::string, std::less<>> options;
    std::string Of(std::string_view name, std::string_view otherwise = "") const {
      const auto found = options.find(name);
      return found == options.end() ? std::string(otherwise) : found->second;
    }
    bool Has(std::string_view name) const { return options.contains(name); }
  };
  bool is16() const { return version_ == "1.6"; }
  static std::string Quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }
  static std::string TimeOf(std::string_view clock) { return Quoted(FormatTime(At(clock))); }

  void Add(std::string_view words_of) {
    const std::vector<std::string_view> words = Split(words_of, " ");
    Line line{words[0][0], std::string(words.at(1)), words.size() > 2 ? std::string(words[2]) : "-", {}};
    for (size_t i = 3; i < words.size(); ++i) {
      const size_t equals = words[i].find('=');
      line.options.emplace(words[i].substr(0, equals), words[i].substr(equals + 1));
    }
    const auto offset = static_cast<int64_t>(records_.size());
    const std::string id = Quoted(line.Of("id", "m" + std::to_string(offset)));
    const bool out = line.kind == 'A';
    const int64_t late = line.Has("late") ? Number(line.Of("late")) : (out || line.kind == 'B' ? 0 : 1);
    BronzeRecord record{.at = {.topic = "ocpp", .partition = 0, .offset = offset}, .key = "CP-100"};
    record.ingest_ts = record.broker_ts = {At(line.time).us + late * kMicrosPerSecond};
    record.direction = out ? Direction::kOut : Direction::kIn;
    record.version = version_;
    const std::string body =
        out ? "[3," + id + "," + Answer(line) + "]" : "[2," + id + "," + Call(line) + "]";
    record.payload = texts_.Copy(body);
    records_.push_back(record);
  }

  std::string Answer(const Line& line) const {
    std::string fields = "{" + Quoted(is16() ? "idTagInfo" : "idTokenInfo") + R"(:{"status":)" +
                         Quoted(line.Of("auth", "Accepted")) + "}";
    if (line.value != "-") fields += R"(,"transactionId":)" + line.value;
    return fields + "}";
  }

  std::string Call(const Line& line) {
    if (line.kind == 'B') return R"("BootNotification",{})";
    if (!is16() && (line.Has("tx") || line.kind == 'S' || line.kind == 'E')) return Event(line);
    if (line.kind == 'S') return Start16(line);
    if (line.kind == 'E') return Stop16(line);
    return Readings(line);
  }

  static std::string Start16(const Line& line) {
    std::string fields = R"("StartTransaction",{"timestamp":)" + TimeOf(line.time) + R"(,"connectorId":)" +
                         line.Of("con", "1") + R"(,"idTag":)" + Quoted(line.Of("tag", "T"));
    if (line.value != "-") fields += R"(,"meterStart":)" + line.value;
    return fields + "}";
  }

  static std::string Stop16(const Line& line) {
    std::string fields = R"("StopTransaction",{"timestamp":)" + TimeOf(line.time);
    if (line.value != "-") fields += R"(,"meterStop":)" + line.value;
    if (line.Has("tx")) fields += R"(,"transactionId":)" + line.Of("tx");
    if (line.Has("tag")) fields += R"(,"idTag":)" + Quoted(line.Of("tag"));
    std::string data;
    const std::string samples = line.Of("data");
    for (const std::string_view sample : Split(samples, ",")) {
      const std::vector<std::string_view> parts = Split(sample, ";");
      data += (data.empty() ? "" : ",") + (R"({"timestamp":)" + TimeOf(parts.at(1))) +
              R"(,"sampledValue":[{"context":)" + Quoted(parts[0]) + R"(,"value":)" + Quoted(parts.at(2)) +
              "}]}";
    }
    if (!data.empty()) fields += R"(,"transactionData":[)" + data + "]";
    return fields + "}";
  }

  // "meterValue":[…] with one sample, or with none.
  std::string MeterValue(const Line& line, std::string_view context) const {
    std::string sample = R"({"value":)" + (is16() ? Quoted(line.value) : line.value);
    const auto add = [&](std::string_view name, const std::string& text) {
      if (!text.empty()) sample.append(",").append(Quoted(name)).append(":").append(Quoted(text));
    };
    add("measurand", line.kind == 'P'   ? "Power.Active.Import"
                     : line.kind == 'I' ? "Energy.Active.Import.Interval"
                                        : "");
    add("context", line.Of("ctx", context));
    add("phase", line.Of("ph"));
    add("location", line.Of("loc"));
    if (is16()) add("unit", line.Of("unit"));
    if (!is16() && line.Has("unit"))
      sample += R"(,"unitOfMeasure":{"unit":)" + Quoted(line.Of("unit")) + R"(,"multiplier":)" +
                line.Of("mul", "0") + "}";
    return R"("meterValue":[{"timestamp":)" + TimeOf(line.Of("at", line.time)) + R"(,"sampledValue":[)" +
           (line.value == "-" ? "" : sample + "}") + "]}]";
  }

  std::string Readings(const Line& line) const {
    std::string fields =
        Quoted("MeterValues") + ",{" + Quoted(is16() ? "connectorId" : "evseId") + ":" + line.Of("con", "1");
    if (line.Has("tx")) fields += R"(,"transactionId":)" + line.Of("tx");
    return fields + "," + MeterValue(line, "") + "}";
  }

  std::string Event(const Line& line) {
    const bool starts = line.kind == 'S', ends = line.kind == 'E';
    std::string fields = R"("TransactionEvent",{"timestamp":)" + TimeOf(line.time) + R"(,"eventType":)" +
                         (starts ? R"("Started")"
                          : ends ? R"("Ended")"
                                 : R"("Updated")");
    const std::string next = std::to_string(seq_[line.Of("tx")]++);
    fields += R"(,"triggerReason":"Trigger","seqNo":)" + line.Of("seq", next);
    fields += R"(,"transactionInfo":{"transactionId":)" + Quoted(line.Of("tx")) + "}";
    const std::string evse = line.Of("con", starts ? "1" : "-");
    if (evse != "-") {
      const std::string plug = line.Has("plug") ? R"(,"connectorId":)" + line.Of("plug") : "";
      fields += R"(,"evse":{"id":)" + evse + plug + "}";
    }
    if (line.Has("tag")) fields += R"(,"idToken":{"idToken":)" + Quoted(line.Of("tag")) + R"(,"type":"X"})";
    const std::string_view context = starts ? kBegin : ends ? kEnd : "";
    if (line.value != "-") fields += "," + MeterValue(line, context);
    return fields + "}";
  }

  static constexpr std::string_view kBegin = "Transaction.Begin", kEnd = "Transaction.End";
  Arena texts_;
  std::string version_;
  std::vector<BronzeRecord> records_;
  std::map<std::string, int> seq_;  // the next number, by transaction
};

// The sessions of a script's frames, by start.
inline std::vector<ChargingSession> SessionsOfFrames(std::string_view script, std::string_view version,
                                                     std::string_view clock, bool backwards = false,
                                                     const Options& options = {}) {
  FrameScript frames(script, version);
  if (backwards) std::reverse(frames.records().begin(), frames.records().end());
  Refined<ChargingEvent> refined = Refine(frames.records(), options);
  History history{std::move(refined.texts), std::move(refined.elements)};
  SettleAll(options, history);
  return SessionsOf(history, clock, options);
}

}  // namespace medallion::ocpp::testing
