// The laws of the design, section 1, over random charging feeds. A failure names its seed and the smallest feed that
// still fails, as lines for the tool.

#include "tests/laws.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "catch.h"
#include "medallion/io/failing_store.h"
#include "medallion/io/forwarding_store.h"
#include "medallion/ocpp/derive_sessions.h"
#include "medallion/ocpp/identify.h"
#include "medallion/ocpp/refine.h"
#include "medallion/ocpp/run.h"
#include "nlohmann/json.hpp"

namespace medallion::ocpp {
namespace {

using testing::Random;
using Records = std::vector<BronzeRecord>;
using TableTexts = std::map<std::string, std::string>;

bool IsFrames(uint64_t seed) { return seed % 3 == 2; }

// All tables as text, and the books. The run log tells of runs and is no table of the laws.
TableTexts TextsOf(Tables& tables) {
  TableTexts texts;
  for (const std::string& name : tables.Names()) {
    if (TellsOfRuns(name)) continue;
    std::string& text = texts[name];
    REQUIRE(
        tables.Read(name, [&](std::string_view row) { return text.append(row) += '\n', absl::OkStatus(); })
            .ok());
  }
  const Accounting books = *tables.Books();
  std::string& text = texts["accounting"];
  for (const auto& [hour, counts] : books.by_hour) {
    AppendCanonical(hour, text);
    for (const int64_t count : counts.of) text += " " + std::to_string(count);
    text += "\n";
  }
  text += AccountingLine(books) + " of " + std::to_string(books.records) + " records";
  return texts;
}

// Flat events mostly; by every third seed frames.
testing::Feed FeedOf(uint64_t seed) {
  return IsFrames(seed) ? testing::MakeFrameFeed(seed) : testing::MakeNastyFeed(seed);
}

// A host's policies vary with the seed, so that every law is tried under each.
Options OptionsFor(uint64_t seed) {
  Options options;
  if (seed % 3 == 1) options.policy = Policy::kContestAll;
  if (seed % 2 == 1) options.flat_clock = ClockPolicy::kKeep;
  return options;
}

bool IsGoldTable(std::string_view name) {
  return std::find(Charging::kGoldTables.begin(), Charging::kGoldTables.end(), name) !=
         Charging::kGoldTables.end();
}

UtcTime LastIngest(const Records& records) {
  UtcTime last{0};
  for (const BronzeRecord& record : records) last = std::max(last, record.ingest_ts);
  return last;
}

// Sweeps once everything was taken, some time after the last record: sessions have timed out or not, by the seed.
UtcTime SweepTime(const Records& records, uint64_t seed) {
  return {LastIngest(records).us + Random(seed ^ 0xABCD).Below(40) * kMicrosPerHour};
}

void TakeAll(Runner<Charging>& runner, const Records& records, Random* cuts) {
  for (size_t begin = 0; begin < records.size();) {
    const size_t most = records.size() - begin;
    const size_t size = cuts == nullptr ? most : std::min(most, static_cast<size_t>(1 + cuts->Below(40)));
    REQUIRE(runner.Take(std::span(records).subspan(begin, size), "").ok());
    begin += size;
  }
}

// The tables of `records` taken in this order: at once, or cut at random where `cuts` is given, and then Gold is
// refreshed after each batch or at the end.
TableTexts TablesOf(const Records& records, const Options& options, UtcTime sweep, Random* cuts) {
  MemoryStore<Charging> store;
  const bool each = cuts != nullptr && cuts->Chance(700'000);
  Runner<Charging> runner(store, options, {.refresh = each ? Refresh::kEachBatch : Refresh::kAtEnd});
  TakeAll(runner, records, cuts);
  REQUIRE(runner.Sweep(sweep).ok());
  return TextsOf(store);
}

std::string FirstDifference(const TableTexts& a, const TableTexts& b) {
  for (const auto& [name, text] : a) {
    if (text != b.at(name)) return name + ":\n" + text + "\nbut\n" + b.at(name);
  }
  return "";
}

bool OrderHolds(const Records& records, uint64_t seed, std::string* difference = nullptr) {
  const Options options = OptionsFor(seed);
  const UtcTime sweep = SweepTime(records, seed);
  Random random(seed);
  const Records disturbed = testing::Disturbed(records, random);
  const TableTexts at_once = TablesOf(records, options, sweep, nullptr);
  const TableTexts in_pieces = TablesOf(disturbed, options, sweep, &random);
  if (difference != nullptr) *difference = FirstDifference(at_once, in_pieces);
  return at_once == in_pieces;
}

TEST_CASE("law: neither order, nor repeats, nor batch cuts change a table") {
  for (uint64_t seed = 0; seed < testing::LawSeeds(); ++seed) {
    const testing::Feed feed = FeedOf(seed);
    if (OrderHolds(feed.records, seed)) continue;
    const Records smallest =
        testing::Shrunk(feed.records, [&](const Records& fewer) { return !OrderHolds(fewer, seed); });
    std::string difference;
    OrderHolds(smallest, seed, &difference);
    FAIL("seed " << seed << "\n" << testing::WrappedLines(smallest) << difference);
  }
  SUCCEED();
}

TEST_CASE("law: every element has one fate, in total and by the hour") {
  for (uint64_t seed = 0; seed < testing::LawSeeds(); ++seed) {
    CAPTURE(seed);
    const testing::Feed feed = FeedOf(seed);
    std::set<std::tuple<std::string, int32_t, int64_t, Digest>> distinct;
    for (const BronzeRecord& record : feed.records) {
      const RecordId id = IdOf(record);
      distinct.emplace(std::string(id.at.topic), id.at.partition, id.at.offset, id.payload);
    }
    MemoryStore<Charging> store;
    const Options options = OptionsFor(seed);
    Runner<Charging> runner(store, options);
    Random cuts(seed);
    TakeAll(runner, feed.records, &cuts);
    const Accounting books = *store.Books();
    int64_t rows = 0;
    for (const std::string& name : store.Names()) {
      if (TellsOfRuns(name) || IsGoldTable(name)) continue;
      REQUIRE(store.Read(name, [&](std::string_view) { return ++rows, absl::OkStatus(); }).ok());
    }
    REQUIRE(Imbalance(books) == 0);
    REQUIRE(books.records == static_cast<int64_t>(distinct.size()));
    if (!IsFrames(seed)) REQUIRE(books.elements == books.records);  // a flat event is one element
    REQUIRE(rows == books.elements);                                // each stands in exactly one table
  }
}

// Counts what is written.
class CountingStore final : public ForwardingStore<Charging> {
 public:
  using ForwardingStore::ForwardingStore;
  absl::Status Apply(const Batch<Charging>& batch) override {
    written += batch.records.size() + batch.elements.size() + batch.gold.size() + batch.withdrawn.size() +
               batch.derived.size() + batch.links.size() + batch.resolved.size();
    return ForwardingStore::Apply(batch);
  }
  size_t written = 0;
};

TEST_CASE("law: taking everything again writes nothing") {
  for (uint64_t seed = 0; seed < testing::LawSeeds(); ++seed) {
    CAPTURE(seed);
    const testing::Feed feed = FeedOf(seed);
    const Options options = OptionsFor(seed);
    MemoryStore<Charging> memory;
    CountingStore store(memory);
    Runner<Charging> runner(store, options);
    Random random(seed);
    TakeAll(runner, feed.records, &random);
    REQUIRE(runner.Sweep(kNoTime).ok());
    const TableTexts first = TextsOf(memory);
    store.written = 0;
    TakeAll(runner, testing::Disturbed(feed.records, random), &random);
    REQUIRE(runner.Sweep(kNoTime).ok());
    REQUIRE(store.written == 0);
    REQUIRE(TextsOf(memory) == first);
  }
}

// The histories of all entities of the records, as settled.
std::vector<HistoryAnswer<Charging>> Histories(MemoryStore<Charging>& store, const Records& records,
                                               const Options& options) {
  std::set<EntityKey> entities;
  for (const ChargingElement& element : Refine(records, options).elements) {
    const ChargingEvent& row = element.row;
    if (row.event_type == EventType::kStatusNotification) continue;
    if (element.entity != EntityKey{}) entities.insert(element.entity);
    // A result may be all that names a transaction.
    if (!row.transaction_id.empty()) entities.insert(SessionId(row.charge_point_id, row.transaction_id));
  }
  std::vector<HistoryAnswer<Charging>> histories;
  for (const EntityKey& entity : entities) {
    HistoryAnswer<Charging>& history = histories.emplace_back();
    REQUIRE(store.History({.entities = {&entity, 1}, .whole = true}, history).ok());
  }
  return histories;
}

TEST_CASE("law: deriving touched keys only equals deriving everything from scratch") {
  for (uint64_t seed = 0; seed < testing::LawSeeds(); ++seed) {
    CAPTURE(seed);
    const testing::Feed feed = FeedOf(seed);
    const Options options = OptionsFor(seed);
    MemoryStore<Charging> store;
    Runner<Charging> runner(store, options);
    Random random(seed);
    TakeAll(runner, testing::Disturbed(feed.records, random), &random);
    const UtcTime sweep = SweepTime(feed.records, seed);
    REQUIRE(runner.Sweep(sweep).ok());
    std::map<Digest, std::string> scratch;
    for (const auto& history : Histories(store, feed.records, options)) {
      for (const ChargingSession& row :
           DeriveSessions(history.elements, history.contexts, runner.report().data_clock, options)) {
        AppendJson(row, scratch[row.session_id]);
      }
    }
    std::string text;
    for (const auto& [key, row] : scratch) text += row + "\n";
    REQUIRE(TextsOf(store).at(std::string(Charging::kGoldTables[0])) == text);
  }
}

// What was added behind the intervals that stand.
std::vector<MeterIntervals> Joined(const std::vector<MeterIntervals>& stand,
                                   std::vector<MeterIntervals> added) {
  for (MeterIntervals& series : added) {
    const auto before = std::find_if(stand.begin(), stand.end(), [&](const MeterIntervals& other) {
      return other.session_id == series.session_id;
    });
    REQUIRE((before != stand.end() || series.own_begin().items == 0));
    if (before != stand.end()) series.Join(before->own_items());
  }
  return added;
}

// Goes on from the first facts, in order of time or not, in steps. How many steps went on.
int64_t GoOn(std::vector<ChargingElement> history, const SessionRules& rules, Random& random) {
  if (random.Chance(800'000)) {
    std::stable_sort(history.begin(), history.end(), [](const ChargingElement& a, const ChargingElement& b) {
      return std::tie(a.row.event_ts, a.row.meter_wh) < std::tie(b.row.event_ts, b.row.meter_wh);
    });
  }
  const std::span<const ChargingElement> all = history;
  const auto step = [&](size_t from) {
    return 1 + static_cast<size_t>(random.Below(static_cast<int64_t>(all.size() - from)));
  };
  std::string summary;
  std::vector<MeterIntervals> stand;
  int64_t went_on = 0;
  for (size_t begin = 0, end = 0; end < all.size(); begin = end) {
    end += step(end);
    const UtcTime clock{all.back().row.ingest_ts.us + random.Below(40) * kMicrosPerHour};
    std::string whole_summary;
    std::vector<MeterIntervals> whole_intervals, added;
    const auto whole = DeriveSessions(all.first(end), {}, clock, rules, &whole_summary, &whole_intervals);
    std::string next;
    const auto rows =
        ContinueSessions(summary, all.subspan(begin, end - begin), {}, clock, rules, next, &added);
    if (rows.has_value()) {
      ++went_on;
      REQUIRE(*rows == whole);
      REQUIRE(next == whole_summary);
      REQUIRE(Joined(stand, std::move(added)) == whole_intervals);
    }
    summary = whole_summary;
    stand = std::move(whole_intervals);
  }
  return went_on;
}

TEST_CASE("law: going on from a summary equals deriving from the whole history") {
  int64_t went_on = 0;
  for (uint64_t seed = 0; seed < testing::LawSeeds(); ++seed) {
    CAPTURE(seed);
    const testing::Feed feed =
        seed % 4 != 0 ? FeedOf(seed)
                      : testing::MakeFeed({.seed = seed, .events = 200, .charge_points = 12}, nullptr);
    const Options options = OptionsFor(seed);
    MemoryStore<Charging> store;
    Runner<Charging> runner(store, options);
    TakeAll(runner, feed.records, nullptr);
    const SessionRules rules(options);
    Random random(seed);
    for (const auto& history : Histories(store, feed.records, options))
      went_on += GoOn(history.elements, rules, random);
  }
  CHECK(went_on > static_cast<int64_t>(testing::LawSeeds()));
}

// A source over records in memory; its position is the number of the next one.
class RecordSource final : public Source {
 public:
  explicit RecordSource(const Records& records) : records_(records) {}
  absl::Status Seek(std::string_view position) override {
    next_ = position.empty() ? 0 : static_cast<size_t>(std::stoul(std::string(position)));
    return absl::OkStatus();
  }
  absl::StatusOr<SourceBatch> Read(size_t records_max) override {
    const size_t size = std::min(records_max, records_.size() - next_);
    const auto batch = std::span(records_).subspan(next_, size);
    next_ += size;
    return SourceBatch{.records = {batch.begin(), batch.end()},
                       .position = std::to_string(next_),
                       .at_end = next_ == records_.size()};
  }

 private:
  const Records& records_;
  size_t next_ = 0;
};

TEST_CASE("law: the number of threads changes no table") {
  for (uint64_t seed = 0; seed < testing::LawSeeds() / 10 + 1; ++seed) {
    CAPTURE(seed);
    const testing::Feed feed = FeedOf(seed);
    const Options options = OptionsFor(seed);
    TableTexts of_one;
    for (const size_t threads : std::initializer_list<size_t>{1, 2, 3, 7}) {
      MemoryStore<Charging> store;
      RecordSource source(feed.records);
      const RunOptions run{.batch_records = 1 + seed % 17,
                           .refresh = seed % 5 == 0 ? Refresh::kEachBatch : Refresh::kAtEnd,
                           .threads = threads};
      REQUIRE(Run<Charging>(source, store, options, run).ok());
      const TableTexts tables = TextsOf(store);
      if (threads == 1) of_one = tables;
      REQUIRE(tables == of_one);
    }
  }
}

TEST_CASE("law: stopping at any call of the store, then resuming, ends in the same tables") {
  for (uint64_t seed = 0; seed < testing::LawSeeds() / 20 + 1; ++seed) {
    const testing::Feed feed = FeedOf(seed);
    const Options options = OptionsFor(seed);
    const RunOptions run{.batch_records = 1 + seed % 17,
                         .as_of = LastIngest(feed.records),
                         .refresh = seed % 2 == 0 ? Refresh::kEachBatch : Refresh::kAtEnd};
    MemoryStore<Charging> whole;
    RecordSource source(feed.records);
    REQUIRE(Run<Charging>(source, whole, options, run).ok());
    const TableTexts expected = TextsOf(whole);
    bool failed = true;
    for (int call = 1; failed; call += 1 + static_cast<int>(seed % 5)) {
      for (const bool after : {false, true}) {
        CAPTURE(seed, call, after);
        MemoryStore<Charging> memory;
        FailingStore<Charging> store(memory, {.call = call, .after = after});
        RecordSource again(feed.records);
        failed = !Run<Charging>(again, store, options, run).ok();
        REQUIRE(Run<Charging>(again, memory, options, run).ok());
        REQUIRE(TextsOf(memory) == expected);
      }
    }
  }
}

// Rows of a table as JSON.
std::vector<nlohmann::json> RowsOf(Tables& tables, std::string_view table) {
  std::vector<nlohmann::json> rows;
  const auto keep = [&](std::string_view line) {
    rows.push_back(nlohmann::json::parse(line));
    return absl::OkStatus();
  };
  REQUIRE(tables.Read(table, keep).ok());
  return rows;
}

int64_t MilliWh(const nlohmann::json& cell) { return *Decimal::Parse(cell.get<std::string>())->Rounded(3); }

TEST_CASE("law: the intervals of a session with final energy add up to it") {
  int64_t sums = 0;
  for (uint64_t seed = 0; seed < testing::LawSeeds(); ++seed) {
    CAPTURE(seed);
    const testing::Feed feed = FeedOf(seed);
    const Options options = OptionsFor(seed);
    MemoryStore<Charging> store;
    Runner<Charging> runner(store, options);
    Random cuts(seed);
    TakeAll(runner, feed.records, &cuts);
    std::map<std::string, int64_t> sum;  // by session
    std::set<std::string> untold;
    for (const nlohmann::json& row : RowsOf(store, "gold_meter_intervals")) {
      const std::string id = row.at("session_id");
      if (row.at("energy_wh").is_null()) {
        untold.insert(id);
      } else {
        REQUIRE(MilliWh(row.at("energy_wh")) >= 0);
        sum[id] += MilliWh(row.at("energy_wh"));
      }
    }
    for (const nlohmann::json& row : RowsOf(store, Charging::kGoldTables[0])) {
      const std::string id = row.at("session_id");
      if (!row.at("energy_is_final").get<bool>() || untold.contains(id)) continue;
      REQUIRE(sum[id] == MilliWh(row.at("meter_stop_wh")) - MilliWh(row.at("meter_start_wh")));
      ++sums;
    }
  }
  CHECK(sums > static_cast<int64_t>(testing::LawSeeds()));
}

TEST_CASE("law: every row names Bronze coordinates that exist") {
  for (uint64_t seed = 0; seed < testing::LawSeeds() / 4 + 1; ++seed) {
    CAPTURE(seed);
    const testing::Feed feed = FeedOf(seed);
    std::set<std::tuple<std::string, int64_t, int64_t>> known;
    for (const BronzeRecord& record : feed.records) {
      known.emplace(std::string(record.at.topic), record.at.partition, record.at.offset);
    }
    MemoryStore<Charging> store;
    const Options options = OptionsFor(seed);
    Runner<Charging> runner(store, options);
    TakeAll(runner, feed.records, nullptr);
    const auto exists = [&](const nlohmann::json& at, const std::string& prefix) {
      return known.contains({at.at(prefix + "topic"), at.at(prefix + "partition"), at.at(prefix + "offset")});
    };
    for (const std::string& name : store.Names()) {
      if (TellsOfRuns(name)) continue;
      const auto status = store.Read(name, [&](std::string_view text) {
        const auto row = nlohmann::json::parse(text);
        if (name != Charging::kGoldTables[0] && IsGoldTable(name)) return absl::OkStatus();
        if (name == Charging::kGoldTables[0]) {
          for (const char* end : {"begin", "end"}) {
            const auto& at = row.at("evidence").at(end);
            if (!at.is_null()) REQUIRE(exists(at, ""));
          }
          const bool has_energy = !row.at("energy_kwh").is_null();
          if (has_energy) REQUIRE(!row.at("evidence").at("end").is_null());
          return absl::OkStatus();
        }
        REQUIRE(exists(row, name == Charging::kSilverTable ? "bronze_" : ""));
        if (name == kAuditTable) REQUIRE(exists(row, "winner_"));
        return absl::OkStatus();
      });
      REQUIRE(status.ok());
    }
  }
}

// A Silver row written as a flat event again.
std::string AsFlatEvent(const ChargingEvent& row) {
  nlohmann::json event = {{"event_id", row.event_id},
                          {"event_type", EventTypeName(row.event_type)},
                          {"charge_point_id", row.charge_point_id},
                          {"event_ts", FormatTime(row.event_ts)}};
  const auto text = [&](const char* name, std::string_view value) {
    if (!value.empty()) event[name] = value;
  };
  text("transaction_id", row.transaction_id), text("measurand", row.measurand), text("phase", row.phase);
  text("location", row.location), text("context", row.context), text("unit", row.unit),
      text("meter_value", row.value);
  text("connector_status", row.connector_status), text("error_code", row.error_code);
  text("stop_reason", row.stop_reason), text("ocpp_version", row.ocpp_version);
  if (row.connector_id) event["connector_id"] = *row.connector_id;
  if (row.evse_id) event["evse_id"] = *row.evse_id;
  if (row.seq_no) event["seq_no"] = *row.seq_no;
  return event.dump();
}

TEST_CASE("law: normalizing what was normalised changes nothing") {
  for (uint64_t seed = 0; seed < testing::LawSeeds(); ++seed) {
    CAPTURE(seed);
    const testing::Feed feed = testing::MakeNastyFeed(seed);
    const Options options;
    const Refined<ChargingEvent> first = Refine(feed.records, options);
    for (const ChargingElement& element : first.elements) {
      if (element.standing.fate != Fate::kSilver || (element.row.flags & kTsFromIngest) != 0) continue;
      // The key of a start or stop without a usable id holds the tag's digest, from which no tag can be written.
      if (!element.row.id_tag_hash.empty() && !HasTransactionId(element.row, options)) continue;
      const std::string payload = AsFlatEvent(element.row);
      CAPTURE(payload);
      const BronzeRecord record{
          .payload = payload, .at = {"again", 0, 1}, .ingest_ts = element.row.ingest_ts};
      const Refined<ChargingEvent> second = Refine({&record, 1}, options);
      const ChargingElement& twin = second.elements.at(0);
      REQUIRE(twin.violations == "");
      REQUIRE(twin.row.business_key == element.row.business_key);
      REQUIRE(twin.row.meter_wh == element.row.meter_wh);
      REQUIRE(twin.row.value == element.row.value);
      REQUIRE(twin.row.unit == element.row.unit);
      REQUIRE(twin.row.event_ts == element.row.event_ts);
      REQUIRE(twin.identity.values.field[0] == element.identity.values.field[0]);
      REQUIRE((twin.row.flags & (kUnitFolded | kTypeCoerced | kTzAssumed | kShapeCoerced)) == 0);
    }
  }
}

}  // namespace
}  // namespace medallion::ocpp
