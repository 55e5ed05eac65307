// Going on from a summary gives what deriving from the whole history gives, and does go on for plain sessions.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "catch.h"
#include "event_builder.h"
#include "medallion/ocpp/derive_sessions.h"
#include "src/ocpp/session_context.h"
#include "src/ocpp/session_state.h"
#include "tests/feed.h"

namespace medallion::ocpp {
namespace {

using medallion::testing::Random;
using testing::At;
using testing::History;
using Rows = std::vector<ChargingSession>;

std::string Clock(int64_t seconds) {
  const auto two = [](int64_t n) { return (n < 10 ? "0" : "") + std::to_string(n); };
  return std::to_string(seconds / 86'400) + "/" + two(seconds / 3'600 % 24) + ":" + two(seconds / 60 % 60) +
         ":" + two(seconds % 60);
}

// The clock stands somewhere between the session's facts and two days after.
UtcTime AnyClock(Random& random) { return {At("10:00").us + random.Below(48 * 60) * kMicrosPerMinute}; }

// A session as a script. A plain one may show whatever does not keep it from being plain; one that is not may show
// anything.
class Script {
 public:
  Script(Random& random, bool plain) : random_(random), plain_(plain) {}

  std::string Make() {
    if (plain_ || Percent(85)) Add('S', Percent(90) || plain_ ? Meter() : "-", Percent(50) ? " con=1" : "");
    const int64_t facts = random_.Below(16);
    for (int64_t i = 0; i < facts; ++i) Middle();
    if (Percent(60)) {
      Add('E', Percent(90) ? Meter() : "-", Percent(50) ? " reason=Local" : "");
      seconds_ += plain_ ? 1 : 0;  // a register of the stop's instant and above it would not be plain
      if (Percent(30)) Middle();
    }
    return script_;
  }

 private:
  bool Percent(int64_t percent) { return random_.Below(100) < percent; }

  // The register, somewhat later.
  std::string Meter() {
    meter_milli_ += Percent(20) ? 0 : random_.Below(2'000'000);
    if (!plain_ && Percent(4)) return std::to_string(random_.Below(9'000));
    std::string text;
    AppendFixed(meter_milli_ + (Percent(10) ? random_.Below(900) : 0), 3, text);
    return text;
  }

  void Middle() {
    const bool outlet = Percent(95);
    const int64_t kind = random_.Below(plain_ ? 10 : 14);
    if (kind < 6) return Add('R', Meter(), "");
    if (kind < 8)
      return Add('P', std::to_string(Percent(20) ? 0 : random_.Below(50'000)), outlet ? "" : " loc=EV");
    if (kind < 9) return Add('U', "-", Percent(20) ? " tag=T1" : " con=1");
    if (kind < 10) return Add('R', "77", " ph=L1");
    if (kind < 11) return Add('I', "50", "");
    if (kind < 12) return Add('R', Meter(), Percent(50) ? " ctx=Transaction.Begin" : " ctx=Transaction.End");
    if (kind < 13) return Add('R', Meter(), Percent(50) ? " loc=Body" : " x=1");
    Add('S', Meter(), Percent(50) ? " epoch=1" : "");
  }

  void Add(char kind, const std::string& value, const std::string& options) {
    if (!script_.empty()) script_ += " | ";
    seconds_ += Percent(25) ? 0 : random_.Below(400);
    const bool early = !plain_ && Percent(5);
    script_ += kind + (" " + Clock(seconds_ - (early ? 300 : 0))) + " " + value + options;
    if (Percent(10)) script_ += " late=" + std::to_string(random_.Below(9'000));
    if (kind == 'R' && Percent(10)) script_ += " sent=" + Clock(seconds_ + random_.Below(9'000));
    if (Percent(10)) script_ += " cp=cp-100";
    if (Percent(10)) script_ += " evse=1";
    if (Percent(5)) script_ += " from=77";
    if (Percent(20)) script_ += " tag=T1";
    if (Percent(1)) script_ += " tag=T2";
    if (!plain_ && Percent(10)) script_ += " seq=" + std::to_string(random_.Below(3) + seq_no_++);
  }

  Random& random_;
  bool plain_;
  std::string script_;
  int64_t seconds_ = 36'000, meter_milli_ = 5'000'000, seq_no_ = 0;
};

// What a timeline may have told of the session's start: nothing in one of two cases.
std::string AnyContext(const History& history, Random& random) {
  SessionContext context;
  for (const ChargingElement& element : history.elements) {
    if (element.row.event_type == EventType::kStartTransaction) context.start_ts = element.row.event_ts;
  }
  const auto some = [&] { return random.Below(4) == 0; };
  if (some()) context.transaction_id = "501", context.aliases = {"502"};
  if (some()) context.superseded_by = At("13:00");
  if (some()) context.rebooted_at = At("10:05");
  if (some()) context.previous_stop_wh = Thousandths{random.Below(9'000'000)};
  context.rejected = some();
  context.ingest_max = At("14:00");
  return random.Below(2) == 0 || context.empty() ? std::string() : PackContext(context);
}

// Whether the session goes on from its first `cut` facts; if so, the rows and the summary must be those of all facts.
bool GoesOn(const History& history, size_t cut, Random& random, const SessionRules& rules,
            const std::string& context = {}) {
  const std::span<const ChargingElement> all = history.elements;
  const UtcTime clock = AnyClock(random);
  std::vector<std::string_view> contexts;
  if (!context.empty()) contexts.push_back(context);
  std::string summary, next, whole_summary;
  DeriveSessions(all.first(cut), contexts, AnyClock(random), rules, &summary);
  const Rows whole = DeriveSessions(all, contexts, clock, rules, &whole_summary);
  const std::optional<Rows> rows = ContinueSessions(summary, all.subspan(cut), contexts, clock, rules, next);
  if (!rows.has_value()) {
    REQUIRE(next.empty());
    return false;
  }
  REQUIRE(*rows == whole);
  REQUIRE(next == whole_summary);
  return true;
}

TEST_CASE("continue: plain sessions go on, and as from the whole history") {
  const Options options;
  const SessionRules rules(options);
  int going = 0;
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    Random random(seed);
    const std::string script = Script(random, true).Make();
    CAPTURE(seed, script);
    History history = testing::Facts(script);
    const auto time = [](const ChargingElement& e) {
      return std::tie(e.row.event_ts, e.row.meter_wh, e.row.ingest_ts);
    };
    const auto end = history.elements.end();
    std::stable_sort(history.elements.begin(), end,
                     [&](const auto& a, const auto& b) { return time(a) < time(b); });
    const auto start = std::find_if(history.elements.begin(), end, [](const ChargingElement& e) {
      return e.row.event_type == EventType::kStartTransaction;
    });
    const auto cut = (start - history.elements.begin()) + 1 + random.Below(end - start);
    const bool goes_on =
        GoesOn(history, static_cast<size_t>(cut), random, rules, AnyContext(history, random));
    const bool phases_alone = script.find("ph=L1") != script.npos;
    const bool stops = std::any_of(history.elements.begin() + cut, end, [](const ChargingElement& e) {
      return e.row.event_type == EventType::kStopTransaction;
    });
    if (!phases_alone && !stops) REQUIRE(goes_on);
    going += goes_on;
  }
  CHECK(going > 1500);
}

TEST_CASE("continue: any session, as from the whole history") {
  Options options;
  options.power_max_w_of[{"CP-100", 1}] = 400'000;
  const SessionRules rules(options);
  int answers = 0;
  for (uint64_t seed = 0; seed < 6000; ++seed) {
    Random random(seed);
    const std::string script = Script(random, false).Make();
    CAPTURE(seed, script);
    History history = testing::Facts(script);
    if (history.elements.empty()) continue;
    const auto size = static_cast<int64_t>(history.elements.size());
    answers += GoesOn(history, static_cast<size_t>(random.Below(size + 1)), random, rules,
                      AnyContext(history, random));
    std::swap(history.elements[static_cast<size_t>(random.Below(size))], history.elements.back());
    answers += GoesOn(history, static_cast<size_t>(random.Below(size + 1)), random, rules,
                      AnyContext(history, random));
  }
  CHECK(answers > 1200);
}

TEST_CASE("continue: the energy of a plain meter is that of all its facts") {
  const Options options;
  int plain = 0, contradictions = 0;
  for (uint64_t seed = 0; seed < 6000; ++seed) {
    Random random(seed);
    const std::string script = Script(random, seed % 2 == 0).Make();
    CAPTURE(seed, script);
    const History history = testing::Facts(script);
    bool of_one = true;
    for (const SessionFacts& facts : GatherSessions(InOrder(history.elements, of_one), options)) {
      Findings of_plain, of_all;
      const std::optional<SessionEnergy> energy = PlainEnergy(StateOf(facts, options), options, of_plain);
      if (!energy.has_value()) continue;
      ++plain;
      SessionEnergy from_all = FindEnergy(facts, options, of_all);
      if (facts.start != nullptr || facts.stop != nullptr) from_all.shows_energy = energy->shows_energy;
      REQUIRE(*energy == from_all);
      REQUIRE(of_plain.flags == of_all.flags);
      REQUIRE(of_plain.particulars == of_all.particulars);
      contradictions += of_plain.flags.Has(SessionFlag::kUnitSuspect);
    }
  }
  CHECK(plain > 3000);
  CHECK(contradictions > 50);
}

struct Case {
  std::string_view before, added;
  bool goes_on = false;
};

TEST_CASE("continue: what it goes on over and what it does not") {
  const Options options;
  const SessionRules rules(options);
  for (const Case& c : std::initializer_list<Case>{
           {"S 10:00 1000", "R 10:10 4000", true},
           {"S 10:00 1000 | R 10:10 4000", "E 10:30 8500 reason=Local", true},
           {"S 10:00 1000 | E 10:30 8500", "R 10:40 8500", true},  // outside the session
           {"S 10:00 1000 | E 10:30 8500", "R 10:30 8500 late=9", true},
           {"S 10:00 1000", "R 10:00 1000 ctx=Transaction.Begin late=5", true},
           {"S 10:00 -", "R 10:00 1000 ctx=Transaction.Begin late=5", true},
           {"S 10:00 - | R 10:01 1000", "R 10:02 1000 ctx=Transaction.Begin", false},
           {"S 10:00 1000 | P 10:01 9000 | R 10:01 1100", "P 10:30 9000 | R 10:30 1200 | P 10:31 0", true},
           {"S 10:00 1000 seq=0 | U 10:01 - seq=1", "R 10:02 4000 seq=2 | E 10:03 4100 seq=3", true},
           {"S 10:00 1000 seq=0 | U 10:01 - seq=1", "R 10:02 4000 seq=3", false},
           {"S 10:00 1000 | R 10:10 4000", "R 10:05 2000", false},  // sorts before
           {"S 10:00 1000 | R 10:10 4000", "R 10:10 4000", true},   // the offset sorts after
           {"R 10:10 4000", "R 10:11 5000 | E 10:12 5000", true},
           {"R 10:10 4000", "S 10:20 4000", false},
           {"S 10:00 1000 | R 10:10 4000", "R 10:20 3000", false},
           {"S 10:00 1000 | R 10:10 4000", "R 10:11 4294967295", false},
           {"S 10:00 1000 | R 10:10 4000", "R 10:11 4000 loc=Body", false},
           {"S 10:00 1000 | R 10:10 4000", "R 10:11 4000 loc=EV", true},  // counts nowhere
           {"S 10:00 1000 | R 10:10 4000", "R 10:11 7 ph=L1", true},
           {"S 10:00 1000", "R 10:11 7 ph=L1", false},  // a lone phase may be the register
           {"S 10:00 1000 | R 10:10 4000", "I 10:11 7", true},
           {"S 10:00 1000", "I 10:11 7", false},
           {"S 10:00 1000 | R 10:10 4000", "R 10:11 4500 ctx=Transaction.End", true},
           {"S 10:00 1000 | R 10:10 4000 ctx=Transaction.End", "E 10:11 4500", false},
           {"S 10:00 1000 | R 10:10 4000", "E 10:11 0", false},
           {"S 10:00 1000 | R 10:10 4000", "E 10:11 4500 epoch=1", false},
           {"S 10:00 1000 | E 10:10 4000", "E 10:11 4500", false},
           {"S 10:00 1000", "X 10:10 4000", false},
           {"S 10:00 1000 tx=-1", "R 10:10 4000 tx=-1", false},
       }) {
    CAPTURE(c.before, c.added);
    const History history = testing::Facts(std::string(c.before) + " | " + std::string(c.added));
    Random random(1);
    CHECK(GoesOn(history, testing::Split(c.before, " | ").size(), random, rules) == c.goes_on);
  }
}

TEST_CASE("continue: a summary is small, and holds for the code and the rules that made it") {
  const Options options;
  const SessionRules rules(options);
  const std::string tag(64, 'a');
  const History history =
      testing::Facts("S 10:00 1000 con=1 tag=" + tag + " | R 10:10 4000 | P 10:10 9000 | R 10:20 5000");
  std::string summary, next;
  const Rows rows = DeriveSessions(history.elements, {}, At("11:00"), rules, &summary);
  CHECK(summary.size() < 250);
  CHECK(ContinueSessions(summary, {}, {}, At("11:00"), rules, next) == rows);
  // Later, without anything added: it has timed out.
  CHECK(ContinueSessions(summary, {}, {}, At("1/10:20"), rules, next) ==
        DeriveSessions(history.elements, {}, At("1/10:20"), rules));

  Options other;
  other.late_us = 1;
  CHECK_FALSE(ContinueSessions(summary, {}, {}, At("11:00"), SessionRules(other), next).has_value());
  for (size_t length = 0; length < summary.size(); ++length) {
    std::string damaged = summary.substr(0, length);
    CAPTURE(length);
    CHECK_FALSE(ContinueSessions(damaged, {}, {}, At("11:00"), rules, next).has_value());
  }
  std::string longer = summary + "x";
  CHECK_FALSE(ContinueSessions(longer, {}, {}, At("11:00"), rules, next).has_value());
  SessionContext context;
  context.start_ts = At("10:00");
  context.rejected = true;
  const std::string packed = PackContext(context);
  const std::vector<std::string_view> contexts = {packed}, twice = {packed, packed};
  CHECK_FALSE(ContinueSessions(summary, {}, contexts, At("11:00"), rules, next).has_value());
  std::string told;
  const Rows refused = DeriveSessions(history.elements, contexts, At("11:00"), rules, &told);
  CHECK(ContinueSessions(told, {}, contexts, At("11:00"), rules, next) == refused);
  CHECK_FALSE(ContinueSessions(told, {}, {}, At("11:00"), rules, next).has_value());
  CHECK_FALSE(ContinueSessions(told, {}, twice, At("11:00"), rules, next).has_value());
  std::string older = "\x7f" + summary.substr(1);
  CHECK_FALSE(ContinueSessions(older, {}, {}, At("11:00"), rules, next).has_value());
  INFO(summary.size());
}

}  // namespace
}  // namespace medallion::ocpp
