#include "medallion/silver/settle.h"

#include <algorithm>
#include <string>
#include <vector>

#include "catch.h"

namespace medallion {
namespace {

// A member of one fact: written as time, event id and values ("-" is null).
struct Row {
  int64_t ts;
  std::string event_id;
  std::string a, b = "-";
};

Identity Of(const Row& row, int64_t offset) {
  Identity identity;
  identity.business_key = identity.unit = Sha256("fact");
  identity.event_id = Fingerprint(row.event_id);
  identity.order = {
      .event_ts = {row.ts}, .ingest_ts = {0}, .event_id = row.event_id, .at = {"topic", 0, offset}};
  if (row.a != "-") identity.values.Set(0, Fingerprint(row.a));
  if (row.b != "-") identity.values.Set(1, Fingerprint(row.b));
  return identity;
}

// The fates of the rows in their own order: S, T, B or Q, with the winner's number and the differing values.
std::vector<std::string> Fates(const std::vector<Row>& rows, Policy policy = Policy::kKeepFirst,
                               const std::vector<Review>& answers = {}) {
  std::vector<Identity> identities;
  for (size_t i = 0; i < rows.size(); ++i) identities.push_back(Of(rows[i], static_cast<int64_t>(i)));
  std::sort(identities.begin(), identities.end(), SettlesBefore);
  std::vector<Verdict> verdicts(rows.size());
  Settle(identities, policy, AnswersOf(answers), verdicts);
  std::vector<std::string> fates(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto row = static_cast<size_t>(identities[i].order.at.offset);
    const auto winner = identities[verdicts[i].winner].order.at.offset;
    fates[row] =
        std::string("STBQI").substr(static_cast<size_t>(verdicts[i].fate), 1) + std::to_string(winner);
    if ((verdicts[i].differs & 1) != 0) fates[row] += "a";
    if ((verdicts[i].differs & 2) != 0) fates[row] += "b";
  }
  return fates;
}

using Expected = std::vector<std::string>;

TEST_CASE("settle: the fates of one fact's members") {
  struct Case {
    std::string what;
    std::vector<Row> rows;
    Expected fates;
  };
  for (
      const Case& c : std::initializer_list<Case>{
          {"alone", {{1, "e1", "5"}}, {"S0"}},
          {"the same again", {{1, "e1", "5"}, {1, "e1", "5"}}, {"S0", "T0"}},
          {"under another id", {{1, "e1", "5"}, {1, "e2", "5"}}, {"S0", "B0"}},
          {"another id twice", {{1, "e1", "5"}, {1, "e2", "5"}, {1, "e2", "5"}}, {"S0", "B0", "T0"}},
          {"the winner's id after another",
           {{1, "e1", "5"}, {2, "e2", "5"}, {3, "e1", "5"}},
           {"S0", "B0", "T0"}},
          {"a contradiction", {{1, "e1", "5"}, {2, "e2", "6"}}, {"S0", "Q0a"}},
          {"its id does not make a copy technical",
           {{1, "e1", "5"}, {2, "e2", "6"}, {3, "e2", "5"}},
           {"S0", "Q0a", "B0"}},
          {"a null differs from nothing", {{1, "e1", "-"}, {2, "e2", "5"}}, {"S0", "B0"}},
          {"the fact's value is the first non-null, wherever",
           {{1, "e1", "-"}, {2, "e2", "5"}, {3, "e3", "6"}},
           {"S0", "B0", "Q0a"}},
          {"each value for itself",
           {{1, "e1", "-", "x"}, {2, "e2", "5", "-"}, {3, "e3", "5", "y"}},
           {"S0", "B0", "Q0b"}},
          {"a contradicting member still gives the value nobody else has before it",
           {{1, "e1", "5", "-"}, {2, "e2", "6", "x"}, {3, "e3", "5", "y"}},
           {"S0", "Q0a", "Q0b"}},
          {"both values differ", {{1, "e1", "5", "x"}, {2, "e2", "6", "y"}}, {"S0", "Q0ab"}},
          {"the earlier one wins, whenever it arrives", {{2, "e1", "5"}, {1, "e2", "5"}}, {"B1", "S1"}},
          {"at one time the smaller id, by bytes", {{1, "e2", "5"}, {1, "e10", "5"}}, {"B1", "S1"}},
          // Three copies and an overturned winner: e2 and e3 were in conflict with e1; measured against e0, which came
          // last and is earlier, e2 agrees and e1 is the one that differs.
          {"an overturned winner changes whom others are compared with",
           {{2, "e1", "5"}, {3, "e2", "6"}, {4, "e3", "7"}, {1, "e0", "6"}},
           {"Q3a", "B3", "Q3a", "S3"}},
          {"an overturning null takes the old winner's value",
           {{2, "e1", "5"}, {3, "e2", "6"}, {1, "e0", "-"}},
           {"B2", "Q2a", "S2"}},
          {"an overturned winner's copies become technical under the new one",
           {{2, "e1", "5"}, {3, "e0", "5"}, {1, "e0", "5"}},
           {"B2", "T2", "S2"}},
      }) {
    CAPTURE(c.what);
    CHECK(Fates(c.rows) == c.fates);
  }
}

TEST_CASE("settle: contest_all moves every member of a contradicted fact to quarantine") {
  CHECK(Fates({{1, "e1", "5"}, {2, "e2", "5"}}, Policy::kContestAll) == Expected{"S0", "B0"});
  CHECK(Fates({{1, "e1", "5"}, {2, "e2", "5"}, {3, "e3", "6"}}, Policy::kContestAll) ==
        Expected{"Q0", "Q0", "Q0a"});
}

TEST_CASE("settle: facts of a unit are settled by themselves, and keys too") {
  Identity first = Of({1, "e1", "5"}, 0), second = Of({2, "e1", "6"}, 1), third = Of({3, "e1", "7"}, 2);
  second.fact = 1;
  third.business_key = Sha256("another key");
  std::vector<Identity> identities = {first, second, third};
  std::sort(identities.begin(), identities.end(), SettlesBefore);
  std::vector<Verdict> verdicts(3);
  Settle(identities, Policy::kKeepFirst, verdicts);
  for (const Verdict& verdict : verdicts) CHECK(verdict.fate == Fate::kSilver);
}

TEST_CASE("settle: the winner's verdict names where each value comes from") {
  const std::vector<Identity> identities = {Of({1, "e1", "-", "x"}, 0), Of({2, "e2", "-", "x"}, 1),
                                            Of({3, "e3", "5", "-"}, 2)};
  std::vector<Verdict> verdicts(3);
  Settle(identities, Policy::kKeepFirst, verdicts);
  CHECK(verdicts[0].value_from == std::array<uint32_t, kValuesMax>{2, 0, 0});
}

TEST_CASE("settle: many copies are linear, and their ids are told apart") {
  std::vector<Identity> identities;
  for (int64_t i = 0; i < 100'000; ++i) identities.push_back(Of({1, "e1", "5"}, i));
  for (Identity& identity : identities) identity.order.event_id = "e1";
  std::vector<Verdict> verdicts(identities.size());
  Settle(identities, Policy::kKeepFirst, verdicts);
  CHECK(std::count_if(verdicts.begin(), verdicts.end(),
                      [](const Verdict& v) { return v.fate == Fate::kTechnicalDuplicate; }) == 99'999);
}

TEST_CASE("settle: what one glance settles") {
  struct Case {
    std::string what;
    Row winner, arrived;
    bool seen;         // the arrived one's id is known
    int64_t seen_ts;   // of the first member that has it
    std::string fate;  // empty: the unit must be settled as a whole
  };
  for (const Case& c : std::initializer_list<Case>{
           {"a copy", {1, "e1", "5"}, {2, "e2", "5"}, false, 0, "B"},
           {"a copy with an id that was seen", {1, "e1", "5"}, {2, "e1", "5"}, true, 1, "T"},
           {"its id was seen on a later one, which would become technical",
            {1, "e1", "5"},
            {2, "e2", "5"},
            true,
            3,
            ""},
           {"it sorts before the winner", {2, "e1", "5"}, {1, "e2", "5"}, false, 0, ""},
           {"it differs", {1, "e1", "5"}, {2, "e2", "6"}, false, 0, ""},
           {"it lacks a value", {1, "e1", "5", "x"}, {2, "e2", "5"}, false, 0, "B"},
           {"it brings a value that the fact lacks", {1, "e1", "5"}, {2, "e2", "5", "x"}, false, 0, ""},
       }) {
    CAPTURE(c.what);
    Glance glance{
        .has_winner = true, .winner = Of(c.winner, 0), .event_id_seen = c.seen, .event_id_first = {}};
    glance.event_id_first = Of({c.seen_ts, c.arrived.event_id, "5"}, 2).order;
    Fate fate = Fate::kSilver;
    const bool copy = CopyOf(glance, Of(c.arrived, 5), fate);
    CHECK(copy == !c.fate.empty());
    if (copy) CHECK((fate == Fate::kTechnicalDuplicate ? "T" : "B") == c.fate);
  }
  Glance filled{.has_winner = true, .winner = Of({1, "e1", "5"}, 0), .filled = 2, .event_id_first = {}};
  Glance cut{.has_winner = true, .winner = Of({1, "e1", "5"}, 0), .event_id_first = {}};
  cut.winner.cut = 7;
  Fate fate = Fate::kSilver;
  CHECK_FALSE(CopyOf(filled, Of({2, "e2", "5"}, 1), fate));
  CHECK_FALSE(CopyOf(cut, Of({2, "e2", "5"}, 1), fate));
  CHECK_FALSE(CopyOf(Glance{}, Of({2, "e2", "5"}, 1), fate));
}

// Values as in Row, told apart from the rejected ones.
Values ValuesOf(const std::string& a, const std::string& b) { return Of({0, "", a, b}, 0).values; }

Review Answer(int64_t number, const std::string& accepted, const std::vector<std::string>& rejected) {
  Review answer{.subject = Sha256("fact"),
                .number = number,
                .kind = ReviewKind::kAnswer,
                .business_key = Sha256("fact"),
                .accepted = ValuesOf(accepted, "-")};
  for (const std::string& value : rejected) answer.rejected.push_back(ValuesOf(value, "-"));
  return answer;
}

TEST_CASE("settle: an answer says which values hold") {
  struct Case {
    std::string what;
    std::vector<Row> rows;
    std::vector<Review> answers;
    Expected fates;
    Policy policy = Policy::kKeepFirst;
  };
  const std::vector<Row> two = {{1, "e1", "5"}, {2, "e2", "6"}};
  const std::vector<Row> four = {{1, "e1", "5"}, {2, "e2", "6"}, {3, "e3", "6"}, {4, "e4", "7"}};
  for (const Case& c : std::initializer_list<Case>{
           {"the copy was accepted", two, {Answer(1, "6", {"5"})}, {"B1a", "S1"}},
           {"the copy was rejected", two, {Answer(1, "5", {"6"})}, {"S0", "B0a"}},
           {"it fits no member", two, {Answer(1, "9", {"5"})}, {"S0", "Q0a"}},
           {"it rejects nothing else", two, {Answer(1, "5", {})}, {"S0", "Q0a"}},
           {"the highest number counts", two, {Answer(2, "5", {"6"}), Answer(1, "6", {"5"})}, {"S0", "B0a"}},
           {"of those that fit", two, {Answer(1, "6", {"5"}), Answer(2, "8", {"9"})}, {"B1a", "S1"}},
           {"copies of the accepted are duplicates, others contradict",
            four,
            {Answer(1, "6", {"5"})},
            {"B1a", "S1", "B1", "Q1a"}},
           {"two are rejected", four, {Answer(1, "6", {"5", "7"})}, {"B1a", "S1", "B1", "B1a"}},
           {"a null agrees with what was accepted",
            {{1, "e1", "-"}, {2, "e2", "5"}, {3, "e3", "6"}},
            {Answer(1, "6", {"5"})},
            {"S0", "B0a", "B0"}},
           {"by one event id",
            {{1, "e1", "5"}, {2, "e1", "6"}, {3, "e1", "6"}},
            {Answer(1, "6", {"5"})},
            {"B1a", "S1", "T1"}},
           {"contested, and settled", two, {Answer(1, "6", {"5"})}, {"B1a", "S1"}, Policy::kContestAll},
           {"contested again",
            four,
            {Answer(1, "6", {"5"})},
            {"B1a", "Q1", "Q1", "Q1a"},
            Policy::kContestAll}}) {
    CAPTURE(c.what);
    CHECK(Fates(c.rows, c.policy, c.answers) == c.fates);
  }
}

}  // namespace
}  // namespace medallion
