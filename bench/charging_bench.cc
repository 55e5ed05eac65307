// Each step of the charging pack, and the whole path from JSON text to Gold in memory, on the generated feed. The answers
// are checked against what the feed is known to hold: fast and wrong does not count.
//
// MEDALLION_BENCH_EVENTS sets the size of the feed (default 1,000,000); the tests run it small.

#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "medallion/io/element_codec.h"
#include "medallion/ocpp/derive_sessions.h"
#include "medallion/ocpp/identify.h"
#include "medallion/ocpp/normalize.h"
#include "medallion/ocpp/parse.h"
#include "medallion/ocpp/record_lines.h"
#include "medallion/ocpp/refine.h"
#include "medallion/ocpp/run.h"
#include "medallion/silver/settle.h"
#include "tests/feed.h"

namespace medallion::ocpp {
namespace {

constexpr size_t kBatch = 10'000;

// The feed of all benchmarks, made once.
struct Fed {
  testing::Feed feed;
  testing::FeedCounts counts;
};

const Fed& TheFeed() {
  static const Fed fed = [] {
    const char* given = std::getenv("MEDALLION_BENCH_EVENTS");
    testing::FeedOptions options;
    if (given != nullptr && std::atol(given) > 0) options.events = std::atol(given);
    options.charge_points = std::max<int64_t>(1, options.events / 10);
    Fed made;
    made.feed = testing::MakeFeed(options, &made.counts);
    return made;
  }();
  return fed;
}

// A stretch of the feed for the single steps, and what the steps before make of it.
std::span<const BronzeRecord> Sample() {
  const std::vector<BronzeRecord>& records = TheFeed().feed.records;
  return std::span(records).first(std::min(kBatch, records.size()));
}

const Refined<ChargingEvent>& RefinedSample() {
  static const Refined<ChargingEvent> refined = Refine(Sample(), Options());
  return refined;
}

void CountItems(benchmark::State& state, size_t items) {
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(items));
}

// ---- steps ------------------------------------------------------------------------------------------------------

// A line that is an event is no wrapper: that is all there is to see.
void DecodeBareLines(benchmark::State& state) {
  RecordLines lines;
  for (auto _ : state) {
    Arena texts;
    for (const BronzeRecord& record : Sample()) {
      benchmark::DoNotOptimize(lines.Decode(record.payload, record.at, texts));
    }
  }
  CountItems(state, Sample().size());
}
BENCHMARK(DecodeBareLines);

void Parse(benchmark::State& state) {
  const Options options;
  FlatParser parser(options.schemas, options.payload_bytes_max);
  for (auto _ : state) {
    Arena texts;
    for (const BronzeRecord& record : Sample()) benchmark::DoNotOptimize(parser.Parse(record.payload, texts));
  }
  CountItems(state, Sample().size());
}
BENCHMARK(Parse);

void NormalizeFields(benchmark::State& state) {
  const Options options;
  Arena parsed;
  FlatParser parser(options.schemas, options.payload_bytes_max);
  std::vector<FlatFields> fields;
  for (const BronzeRecord& record : Sample()) fields.push_back(parser.Parse(record.payload, parsed));
  for (auto _ : state) {
    Arena texts;
    for (size_t i = 0; i < fields.size(); ++i) {
      ChargingEvent event;
      benchmark::DoNotOptimize(Normalize(fields[i], Sample()[i], options, texts, event).notes);
      benchmark::DoNotOptimize(event);
    }
  }
  CountItems(state, fields.size());
}
BENCHMARK(NormalizeFields);

// In stretches, as Refine does it.
void IdentifyEvents(benchmark::State& state) {
  constexpr size_t kStretch = 128;
  const Options options;
  const std::vector<Digest>& payloads = RefinedSample().payloads;
  std::vector<ChargingElement> elements = RefinedSample().elements;
  Identifier identifier;
  for (auto _ : state) {
    for (size_t at = 0; at < elements.size(); at += kStretch) {
      const size_t size = std::min(kStretch, elements.size() - at);
      identifier.Identify(std::span(elements).subspan(at, size), std::span(payloads).subspan(at, size),
                          options);
    }
    benchmark::DoNotOptimize(elements.data());
  }
  CountItems(state, elements.size());
}
BENCHMARK(IdentifyEvents);

void RefineRecords(benchmark::State& state) {
  const Options options;
  for (auto _ : state) benchmark::DoNotOptimize(Refine(Sample(), options));
  CountItems(state, Sample().size());
}
BENCHMARK(RefineRecords);

// The sample's facts as a station would send them: a frame each, or readings with so many samples.
struct FramedSample {
  explicit FramedSample(int samples) {
    for (const ChargingElement& element : RefinedSample().elements)
      payloads.push_back(FrameOf(element.row, samples));
    for (size_t i = 0; i < payloads.size(); ++i) {
      BronzeRecord record = Sample()[i];
      record.payload = payloads[i];
      record.key = RefinedSample().elements[i].row.charge_point_id;
      record.version = "1.6";
      records.push_back(record);
    }
  }

  static std::string FrameOf(const ChargingEvent& row, int samples) {
    const std::string call =
        "[2,\"" + std::string(row.event_id) + "\",\"" + std::string(EventTypeName(row.event_type)) + "\",{";
    const std::string connector = std::to_string(row.connector_id.value_or(1)),
                      time = "\"timestamp\":\"" + FormatTime(row.event_ts) + "\"";
    const std::string wh = std::to_string(row.meter_wh ? row.meter_wh->units / 1000 : 0);
    const std::string transaction = "\"transactionId\":" + std::to_string(row.event_ts.us % 1'000'000'007);
    switch (row.event_type) {
      case EventType::kStartTransaction:
        return call + "\"connectorId\":" + connector + ",\"idTag\":\"TAG01\",\"meterStart\":" + wh + "," +
               time + "}]";
      case EventType::kStopTransaction:
        return call + transaction + ",\"meterStop\":" + wh + "," + time + ",\"reason\":\"Local\"}]";
      case EventType::kMeterValues: {
        std::string values;
        for (int i = 0; i < samples; ++i) {
          values += std::string(i > 0 ? "," : "") + "{\"value\":\"" + wh +
                    "\",\"context\":\"Sample.Periodic\",\"measurand\":\"" +
                    (i == 0   ? "Energy.Active.Import.Register\",\"unit\":\"Wh\"}"
                     : i == 1 ? "Power.Active.Import\",\"unit\":\"W\"}"
                              : "Voltage\",\"unit\":\"V\"}");
        }
        return call + "\"connectorId\":" + connector + "," + transaction + ",\"meterValue\":[{" + time +
               ",\"sampledValue\":[" + values + "]}]}]";
      }
      case EventType::kStatusNotification:
        return call + "\"connectorId\":" + connector + ",\"errorCode\":\"NoError\",\"status\":\"Charging\"," +
               time + "}]";
      default: return call.substr(0, call.find(',', 3)) + ",\"Heartbeat\",{}]";
    }
  }

  std::vector<std::string> payloads;
  std::vector<BronzeRecord> records;
};

// Items are elements, to be compared with those of RefineRecords.
void RefineFrames(benchmark::State& state) {
  const Options options;
  const FramedSample framed(static_cast<int>(state.range(0)));
  size_t elements = 0;
  for (auto _ : state) {
    const Refined<ChargingEvent> refined = Refine(framed.records, options);
    elements = refined.elements.size();
    benchmark::DoNotOptimize(elements);
  }
  if (elements < framed.records.size()) state.SkipWithError("a frame has no element");
  CountItems(state, elements);
}
BENCHMARK(RefineFrames)->Arg(1)->Arg(3);

void SettleIdentities(benchmark::State& state) {
  std::vector<Identity> identities;
  for (const ChargingElement& element : RefinedSample().elements) {
    if (element.to_settle()) identities.push_back(element.identity);
  }
  std::sort(identities.begin(), identities.end(), SettlesBefore);
  std::vector<Verdict> verdicts(identities.size());
  for (auto _ : state) {
    Settle(identities, Policy::kKeepFirst, verdicts);
    benchmark::DoNotOptimize(verdicts.data());
  }
  CountItems(state, identities.size());
}
BENCHMARK(SettleIdentities);

// A session of so many readings, refined: its start, the readings, its stop.
struct OneSession {
  explicit OneSession(int64_t readings) {
    const auto add = [&](const char* type, int64_t at, int64_t wh) {
      payloads.push_back(
          "{\"event_id\":\"e" + std::to_string(payloads.size()) + "\",\"event_type\":\"" + type +
          "\",\"charge_point_id\":\"CP-1\",\"connector_id\":1,\"transaction_id\":7,\"event_ts\":\"" +
          FormatTime({1'772'323'200'000'000 + at * kMicrosPerSecond}) +
          "\",\"meter_value\":" + std::to_string(wh) + "}");
    };
    add("StartTransaction", 0, 1000);
    for (int64_t i = 1; i <= readings; ++i) add("MeterValues", i, 1000 + i);
    add("StopTransaction", readings + 1, 1001 + readings);
    std::vector<BronzeRecord> records;
    records.reserve(payloads.size());
    for (const std::string& payload : payloads) {
      records.push_back({.payload = payload, .at = {"bench", 0, static_cast<int64_t>(records.size())}});
    }
    refined = Refine(records, Options());
  }
  std::vector<std::string> payloads;
  Refined<ChargingEvent> refined;
};

void DeriveOneSession(benchmark::State& state) {
  const OneSession session(state.range(0));
  const Options options;
  const SessionRules rules(options);
  for (auto _ : state)
    benchmark::DoNotOptimize(DeriveSessions(session.refined.elements, {}, UtcTime{0}, rules));
  CountItems(state, session.refined.elements.size());
}
BENCHMARK(DeriveOneSession)->Arg(10)->Arg(1'000)->Arg(10'000);

// One more reading of a session that has `state.range(0)`.
void ContinueOneSession(benchmark::State& state) {
  const OneSession session(state.range(0) + 1);
  const std::span<const ChargingElement> facts = session.refined.elements;
  const auto before = static_cast<size_t>(1 + state.range(0));
  const Options options;
  const SessionRules rules(options);
  std::string summary, next;
  DeriveSessions(facts.first(before), {}, UtcTime{0}, rules, &summary);
  for (auto _ : state) {
    const auto rows = ContinueSessions(summary, facts.subspan(before, 1), {}, UtcTime{0}, rules, next);
    if (!rows.has_value()) return state.SkipWithError("the session did not go on");
    benchmark::DoNotOptimize(rows);
  }
  state.counters["bytes"] = static_cast<double>(next.size());
}
BENCHMARK(ContinueOneSession)->Arg(10)->Arg(10'000);

void PackElements(benchmark::State& state) {
  PackWriter packed;
  for (auto _ : state) {
    packed.Clear();
    for (const ChargingElement& element : RefinedSample().elements) PackElement(element, packed);
  }
  CountItems(state, RefinedSample().elements.size());
  const auto bytes = static_cast<double>(packed.bytes().size());
  state.counters["bytes"] = bytes / static_cast<double>(RefinedSample().elements.size());
}
BENCHMARK(PackElements);

// ---- the whole path ---------------------------------------------------------------------------------------------

// What the feed is known to hold, or what is wrong.
const char* CheckAnswer(const Accounting& books, const testing::FeedCounts& counts, int64_t sessions) {
  if (Imbalance(books) != 0 || books.elements != counts.events) return "the books do not balance";
  if (books.fates[Fate::kTechnicalDuplicate] != counts.technical) return "technical duplicates are wrong";
  if (books.fates[Fate::kBusinessDuplicate] != counts.business) return "business duplicates are wrong";
  if (books.fates[Fate::kQuarantined] != counts.invalid + counts.conflicts) return "quarantine is wrong";
  return sessions == counts.sessions ? nullptr : "the number of sessions is wrong";
}

int64_t ResidentBytes() {
  long pages = 0, resident = 0;
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr) return 0;
  if (std::fscanf(file, "%ld %ld", &pages, &resident) != 2) resident = 0;
  std::fclose(file);
  return resident * 4096;
}

// JSON text to Silver, audit, quarantine and sessions, all kept in memory. range(0): records a batch.
void JsonToGold(benchmark::State& state) {
  const Fed& fed = TheFeed();
  const std::vector<BronzeRecord>& records = fed.feed.records;
  const auto batch = static_cast<size_t>(state.range(0));
  const Options options;
  for (auto _ : state) {
    const int64_t before = ResidentBytes();
    MemoryStore<Charging> store;
    Runner<Charging> runner(store, options);
    for (size_t at = 0; at < records.size(); at += batch) {
      const auto stretch = std::span(records).subspan(at, std::min(batch, records.size() - at));
      if (!runner.Take(stretch, "").ok()) return state.SkipWithError("a batch was not taken");
    }
    if (!runner.Sweep(kNoTime).ok()) return state.SkipWithError("the sweep failed");
    state.PauseTiming();
    state.counters["bytes/event"] =
        static_cast<double>(ResidentBytes() - before) / static_cast<double>(records.size());
    int64_t sessions = 0;
    if (!store.Read(Charging::kGoldTables[0], [&](std::string_view) { return ++sessions, absl::OkStatus(); })
             .ok()) {
      return state.SkipWithError("the sessions cannot be read");
    }
    const char* wrong = CheckAnswer(*store.Books(), fed.counts, sessions);
    if (wrong != nullptr) return state.SkipWithError(wrong);
    state.ResumeTiming();
  }
  CountItems(state, records.size());
}
BENCHMARK(JsonToGold)->Arg(10'000)->Arg(1'000)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace

void MakeTheFeed() { TheFeed(); }

}  // namespace medallion::ocpp

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  medallion::ocpp::MakeTheFeed();  // made before the first clock starts
  benchmark::RunSpecifiedBenchmarks();
}
