#include "medallion/ocpp/epochs.h"

#include <algorithm>
#include <chrono>
#include <initializer_list>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catch.h"
#include "ocpp/event_builder.h"

// Starts (S), stops (E) and results (A, at the time of their receipt) of one transaction id, as event_builder.h writes
// them; their epochs' numbers in the same order.
namespace medallion::ocpp {
namespace {

using namespace medallion::ocpp::testing;

std::vector<uint32_t> Cut(std::span<const ChargingElement> unit, const Options& options = {}) {
  std::vector<uint32_t> epochs(unit.size());
  std::vector<const ChargingElement*> members;
  for (const ChargingElement& element : unit) members.push_back(&element);
  CutEpochs(members, epochs, options);
  return epochs;
}

std::string Shown(const std::vector<uint32_t>& epochs) {
  std::string shown;
  for (const uint32_t epoch : epochs) shown += (shown.empty() ? "" : " ") + std::to_string(epoch);
  return shown;
}

// What the script's letters make of it.
History Members(const std::string& script) {
  History history = Facts(script);
  const std::vector<std::string_view> lines = Split(script, " | ");
  for (size_t i = 0; i < lines.size(); ++i) {
    if (!lines[i].starts_with("A")) continue;
    ChargingElement& result = history.elements[i];
    result.row.event_type = EventType::kUnknown;
    result.row.ingest_ts = result.row.event_ts;
    result.row.transaction_id = "501";  // that of the others
    result.standing.fate = Fate::kIgnored;
  }
  return history;
}

std::string CutScript(const std::string& script, const Options& options = {}) {
  return Shown(Cut(Members(script).elements, options));
}

// Facts that meet each other in every way: few instants, connectors, tags and meters; gaps around 24 h.
History RandomUnit(uint32_t seed) {
  std::mt19937 random(seed);
  const bool results = seed % 2 == 0;
  const auto any = [&](uint32_t below) { return static_cast<uint32_t>(random() % below); };
  static constexpr std::string_view kClocks[] = {"10:00",   "10:01",   "10:02",   "11:00",  "1/09:59",
                                                 "1/10:00", "1/10:01", "2/10:00", "2/12:00"};
  std::string script;
  const uint32_t facts = 1 + any(9);
  for (uint32_t i = 0; i < facts; ++i) {
    script += script.empty() ? "" : " | ";
    const bool result = results && any(3) == 0;
    script += result ? "A " : any(2) == 0 ? "S " : "E ";
    script += kClocks[any(static_cast<uint32_t>(std::size(kClocks)))];
    script += any(4) == 0 ? " -" : " " + std::to_string(any(3) * 1000);
    if (const uint32_t connector = any(4); connector != 3) script += " con=" + std::to_string(connector);
    if (const uint32_t tag = any(3); tag != 2) script += " tag=T" + std::to_string(tag);
    if (any(3) == 0) script += " late=" + std::to_string(60 * any(120));
  }
  return Members(script);
}

bool SameContent(const ChargingEvent& a, const ChargingEvent& b) {
  const auto connector = [](const ChargingEvent& event) { return event.connector_id.value_or(0); };
  if (a.event_type != b.event_type) return false;
  if (a.event_type == EventType::kUnknown) return a.ingest_ts == b.ingest_ts;
  return a.event_ts == b.event_ts && connector(a) == connector(b) && a.id_tag_hash == b.id_tag_hash &&
         a.meter_wh == b.meter_wh;
}

}  // namespace

TEST_CASE("epochs: hand-made") {
  struct Case {
    std::string script;
    std::string_view epochs;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"S 10:00 0", "0"},
           {"S 10:00 0 | E 11:00 9", "0 0"},
           {"E 11:00 9 | S 10:00 0", "0 0"},  // the order of the span plays no part
           // Used again: after a stop, or a day later.
           {"S 10:00 0 | E 11:00 9 | S 12:00 9 | E 13:00 20", "0 0 1 1"},
           {"S 10:00 0 | S 12:00 9 | E 13:00 20", "0 0 0"},         // no stop between: the start was repeated
           {"S 10:00 0 | S 1/10:00 9 | E 1/11:00 20", "0 1 1"},     // 24 h
           {"S 10:00 0 | S 1/09:59:59 9 | E 1/11:00 20", "0 0 0"},  // a second less
           {"S 10:00 0 | S 20:00 1 | S 1/19:00 2 | S 2/19:00 3",
            "0 0 0 1"},  // from the previous start, not the first
           {"S 10:00 0 | E 11:00 9 | S 12:00 9 | E 13:00 20 | S 14:00 20 | E 15:00 30", "0 0 1 1 2 2"},
           {"S 10:00 0 | E 11:00 9 | E 11:30 8", "0 0 0"},  // two stops: the rules of settling decide
           {"S 10:00 0 | E 11:00 9 | S 12:00 9 | E 11:00 9", "0 0 1 0"},
           {"S 10:00 0 | E 11:00 9 | S 12:00 9 | S 10:00 0", "0 0 1 0"},  // a late copy of the first start
           // A stop below its start belongs to it: with one epoch there is nothing to choose.
           {"S 10:00 9000 tag=A con=1 | E 11:00 5 tag=B con=2", "0 0"},
           // Stops before, or without, any start.
           {"E 11:00 9", "0"},
           {"E 11:00 9 | E 12:00 10 | E 11:00 9", "0 0 0"},
           {"E 09:00 9 | S 10:00 0", "0 0"},
           {"E 09:00 9 | S 10:00 0 | S 12:00 5", "0 0 0"},  // it stops nothing: no start before it
           {"E 09:00 9 | S 10:00 0 | E 11:00 9 | S 12:00 9", "0 0 0 1"},  // of several the first
           {"E 09:00 9 con=2 | S 10:00 0 con=1 | S 11:00 0 con=2", "1 0 1"},
           {"E 09:00 9 con=3 | S 10:00 0 con=1 | S 11:00 0 con=2",
            "0 0 1"},  // of no known connector: the first
           // Two connectors under one id.
           {"S 10:00 0 con=1 | S 10:05 0 con=2 | E 11:00 9 con=1 | E 11:05 9 con=2", "0 1 0 1"},
           {"S 10:00 0 con=1 | S 10:05 0 con=2 | E 11:00 9", "0 1 1"},  // the latest start
           {"S 10:00 0 con=1 | S 10:05 0 con=2 | E 10:03 9", "0 1 0"},  // the latest at or before it
           {"S 10:00 0 con=1 | S 10:05 0 con=2 | E 11:00 9 con=7",
            "0 1 1"},  // a connector that has none decides nothing
           {"S 10:00 0 con=1 | E 11:00 9 con=1 | S 10:30 0 con=2 | S 12:00 9 con=1", "0 0 1 2"},
           {"S 10:00 0 con=1 | E 11:00 9 con=1 | S 10:30 0 con=2 | S 12:00 9 con=2",
            "0 0 1 1"},                                                 // its own was not stopped
           {"S 10:00 0 | S 10:05 0 con=2 | S 10:06 0 con=1", "0 0 1"},  // an unknown connector may be any
           {"S 10:00 0 con=1 | S 10:05 0", "0 0"},
           {"S 10:00 0 con=0 | S 10:05 0 con=2", "0 0"},  // 0 is the whole station: it names none
           // Ties: time, then tag, then meter; then a fact by itself, after the others.
           {"S 10:00 0 con=1 tag=A | S 10:00 0 con=2 tag=B | E 11:00 9 tag=B", "0 1 1"},
           {"S 10:00 0 con=1 tag=A | S 10:00 0 con=2 tag=B | E 11:00 9 tag=C", "0 1 2"},
           {"S 10:00 0 con=1 | S 10:00 50 con=2 | E 11:00 9", "0 1 0"},
           {"S 10:00 60 con=1 | S 10:00 50 con=2 | E 11:00 9",
            "0 1 2"},  // below both: nothing to tell them apart
           {"S 10:00 0 con=1 tag=A | S 10:00 50 con=2 tag=B | E 11:00 9 tag=B",
            "0 1 1"},  // the tag goes before the meter
           {"S 10:00 0 con=1 | S 10:00 0 con=2 | E 11:00 9", "0 1 2"},
           {"S 10:00 0 con=1 | S 10:00 0 con=2 | E 11:00 9 | E 11:00 9", "0 1 2 2"},  // equal copies are one
           {"S 10:00 0 con=1 | S 10:00 0 con=2 | E 11:00 9 | E 12:00 9", "0 1 2 3"},
           {"E 09:00 9 | S 10:00 0 con=1 | S 10:00 0 con=2", "2 0 1"},
           // One instant: a start goes first, unless its epoch has one already.
           {"S 10:00 0 | E 10:00 0", "0 0"},  // a session of no length
           {"E 10:00 0 | S 10:00 0", "0 0"},
           {"S 10:00 0 | E 10:00 0 | S 10:00 0", "0 0 0"},
           {"S 10:00 0 | S 11:00 9 | E 11:00 9", "0 1 0"},  // stop and restart
           {"S 10:00 0 | E 11:00 9 | S 11:00 9 | E 12:00 20", "0 0 1 1"},
           {"S 10:00 0 | E 10:30 9 | S 11:00 9 | E 11:00 9", "0 0 1 1"},  // stopped before: the next one's
           {"S 10:00 0 con=1 | S 11:00 0 con=2 | E 11:00 9 con=1", "0 1 0"},
           {"S 10:00 0 con=1 | S 11:00 9 con=1 | E 11:00 9 con=2", "0 1 0"},
       }) {
    CAPTURE(c.script);
    CHECK(CutScript(c.script) == c.epochs);
  }
}

TEST_CASE("epochs: a result without a time") {
  History unit = Members("A 10:00 - | A 10:01 - | E 11:00 9");
  for (ChargingElement& element : unit.elements) {
    if (element.row.event_type == EventType::kUnknown) element.row.ingest_ts = kNoTime;
  }
  CHECK(Shown(Cut(unit.elements, {})) == "0 0 0");
}

TEST_CASE("epochs: a result opens one, and a stop stands where it was received") {
  for (const auto& [script, epochs] : std::initializer_list<std::pair<std::string, std::string_view>>{
           {"A 10:00 -", "0"},
           {"A 10:00 - | E 11:00 9", "0 0"},
           {"A 10:00 - | E 11:00 9 | A 1/10:00 - | E 1/11:00 20", "0 0 1 1"},
           {"A 10:00 - | A 10:01 - | E 11:00 9", "0 0 0"},       // a repeated start was answered once more
           {"A 10:00 - | A 1/10:00 - | E 1/11:00 20", "0 1 1"},  // 24 h
           // It was told the id at noon, so that what it stopped at 11:00 began offline.
           {"A 12:00 - | E 11:00 9 late=3610", "0 0"},
           {"A 10:00 - | E 10:30 9 | A 12:00 - | E 11:00 20 late=3610", "0 0 1 1"},
           {"S 10:00 0 | E 10:30 9 | S 12:00 9 | E 11:00 20 late=3610",
            "0 0 1 0"},  // without results by its time
           // Sent once more, while the next session under the id runs.
           {"A 10:00 - | E 11:00 9 | A 12:00 - | E 11:00 9 late=7200", "0 0 1 0"},
           {"A 10:00 - | E 11:00 9 tag=A | A 12:00 - | E 11:00 9 late=7200", "0 0 1 0"},
           {"A 10:00 - | E 11:00 9 | A 12:00 - | E 11:00 10 late=7200", "0 0 1 1"},  // another reading
           {"A 10:00 - | E 11:00 - | A 12:00 - | E 11:00 - late=7200", "0 0 1 0"},
           {"A 10:00 - | E 11:00 9 late=7200 | A 12:00 - | E 11:00 9", "0 0 1 0"},
           // Delivered late, while the next session under the id runs.
           {"A 10:00 - | E 11:00 9 late=4000 | A 12:00 - | E 13:00 20", "0 0 1 1"},
           {"A 10:00 - | E 11:00 9 late=4000 | A 12:00 - | E 13:00 20 | E 11:00 9 late=9000", "0 0 1 1 0"},
           {"A 10:00 - | E 11:00 9 late=9000 | A 2/12:00 - | E 2/13:00 20", "0 0 1 1"},
           // A second session that went by offline, between two that did not.
           {"A 10:00 - | E 10:30 9 | A 12:00 - | E 11:00 20 late=3610 | A 14:00 - | E 15:00 30",
            "0 0 1 1 2 2"},
           {"A 12:00 - | E 11:00 9 late=3610 | A 14:00 - | E 15:00 20", "0 0 1 1"},
           // The station's clock is an hour slow.
           {"A 10:00 - | E 09:30 9 late=3600 | A 10:40 - | E 10:10 20 late=3600", "0 0 1 1"},
           // Contradictions: another stop has the later epoch by its own time, or there is none.
           {"A 10:00 - | E 10:30 9 | A 12:00 - | E 10:30 10 late=5500 | E 12:30 20", "0 0 1 0 1"},
           {"A 10:00 - | E 10:30 9 | E 10:40 10 late=3600", "0 0 0"},
           {"A 12:00 - | E 11:00 9 late=3610 | E 15:00 20", "0 0 0"},
           {"S 10:00 0 con=1 | E 10:30 9 | A 12:00 - | E 13:00 20",
            "0 0 1 1"},  // a start under the id, and a result
           // The first session's result was lost.
           {"E 09:00 9 | A 10:00 - | E 11:00 20", "0 1 1"},
           {"E 09:00 9 | E 09:01 10 | A 10:00 - | E 11:00 20", "0 0 1 1"},
           // Before any result there is no other epoch.
           {"E 09:00 9 | A 10:00 -", "0 0"},
           {"E 09:00 9 | E 09:00 9 late=30 | A 10:00 -", "0 0 0"},
           // A start that names its transaction, beside its result.
           {"S 10:00 0 con=1 | A 10:01 - | E 11:00 9", "0 0 0"},
           {"S 10:00 0 con=1 | A 10:01 - | E 11:00 9 | A 12:01 - | S 12:00 9 con=1", "0 0 0 1 1"},
       }) {
    CAPTURE(script);
    CHECK(CutScript(script) == epochs);
  }
}

TEST_CASE("epochs: the gap is the host's") {
  Options options;
  options.epoch_gap_us = kMicrosPerHour;
  CHECK(CutScript("S 10:00 0 | S 11:00 9", options) == "0 1");
  CHECK(CutScript("S 10:00 0 | S 10:59 9", options) == "0 0");
  CHECK(Cut({}, options).empty());
}

TEST_CASE("epochs: the numbering is a function of the set") {
  const uint32_t seed = GENERATE(range(0u, 3'000u));
  CAPTURE(seed);
  const History unit = RandomUnit(seed);
  const std::vector<uint32_t> epochs = Cut(unit.elements);
  std::mt19937 random(seed + 1);

  std::vector<size_t> order(unit.elements.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), random);
  std::vector<ChargingElement> shuffled;
  for (const size_t i : order) shuffled.push_back(unit.elements[i]);
  const std::vector<uint32_t> of_shuffled = Cut(shuffled);
  for (size_t i = 0; i < order.size(); ++i) CHECK(of_shuffled[i] == epochs[order[i]]);

  for (size_t i = 0; i < epochs.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (SameContent(unit.elements[i].row, unit.elements[j].row)) CHECK(epochs[i] == epochs[j]);
    }
  }

  std::vector<ChargingElement> with_copy = unit.elements;
  const size_t copied = random() % epochs.size();
  with_copy.push_back(unit.elements[copied]);
  std::vector<uint32_t> expected = epochs;
  expected.push_back(epochs[copied]);
  CHECK(Shown(Cut(with_copy)) == Shown(expected));
}

TEST_CASE("epochs: numbers are dense") {
  const uint32_t seed = GENERATE(range(0u, 300u));
  CAPTURE(seed);
  std::vector<uint32_t> epochs = Cut(RandomUnit(seed).elements);
  std::sort(epochs.begin(), epochs.end());
  epochs.erase(std::unique(epochs.begin(), epochs.end()), epochs.end());
  for (uint32_t i = 0; i < epochs.size(); ++i) CHECK(epochs[i] == i);
}

// A stuck sender, and a back end that gives one id to all: neither may take quadratic time in what it repeats.
TEST_CASE("epochs: 40,000 copies, and 50,000 sessions under one id") {
  const auto begin = std::chrono::steady_clock::now();
  const History pair = Facts("S 10:00 0 con=1 | E 11:00 9 con=1");
  std::vector<ChargingElement> copies;
  for (int i = 0; i < 20'000; ++i) copies.insert(copies.end(), pair.elements.begin(), pair.elements.end());
  CHECK(Cut(copies) == std::vector<uint32_t>(copies.size(), 0));

  std::vector<ChargingElement> sessions;
  std::vector<uint32_t> expected;
  for (uint32_t i = 0; i < 50'000; ++i) {
    for (ChargingElement element : pair.elements) {
      element.row.event_ts.us += i * 2 * kMicrosPerHour;
      sessions.push_back(element);
      expected.push_back(i);
    }
  }
  CHECK(Cut(sessions) == expected);
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(20));  // sanitizers are slow
}

}  // namespace medallion::ocpp
