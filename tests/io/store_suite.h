// What every store must hold, whatever it keeps its tables in: the promises of io/store.h and io/tables.h,
// one section each. A store passes it by a test of its own:
//
//   TEST_CASE("memory store: the suite") {
//     StoreSuite([] { return std::make_unique<MemoryStore<toy::Loans>>(); });
//   }
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "medallion/io/element_tables.h"
#include "medallion/io/run.h"
#include "medallion/io/store.h"
#include "medallion/io/tables.h"
#include "medallion/silver/accounting.h"
#include "tests/catch.h"
#include "tests/toy.h"

namespace medallion::suite {

using toy::Feed;
using toy::Loan;
using toy::LoanElement;
using toy::LoanEvent;
using toy::Loans;

inline UtcTime Minute(int64_t minute) { return UtcTime{minute * kMicrosPerMinute}; }

inline std::vector<std::string> Lines(Tables& tables, std::string_view table) {
  std::vector<std::string> lines;
  const absl::Status status = tables.Read(table, [&](std::string_view line) {
    lines.emplace_back(line);
    return absl::OkStatus();
  });
  INFO(std::string(status.message()));
  REQUIRE(status.ok());
  return lines;
}

inline Accounting BooksOf(Tables& tables) {
  absl::StatusOr<Accounting> books = tables.Books();
  REQUIRE(books.ok());
  CHECK(Imbalance(*books) == 0);
  return *books;
}

// All there is to see, save for what tells of runs.
struct Picture {
  std::map<std::string, std::vector<std::string>> tables;
  Accounting books;
  bool operator==(const Picture&) const = default;
};
inline Picture Look(Tables& tables) {
  Picture picture{.tables = {}, .books = BooksOf(tables)};
  for (const std::string& name : tables.Names()) {
    if (!TellsOfRuns(name)) picture.tables[name] = Lines(tables, name);
  }
  return picture;
}

// A feed, refined, and the batch that writes it. What is to differ from "all new, all in Silver" is changed
// by hand.
class Script {
 public:
  explicit Script(const Feed& feed) : Script(feed.records()) {}
  explicit Script(std::span<const BronzeRecord> records) : refined_(toy::Refine(records)) {
    for (const BronzeRecord& record : records) writes_.push_back({.record = record, .id = IdOf(record)});
  }

  LoanElement& operator[](size_t i) { return refined_.elements[i]; }
  std::vector<LoanElement>& elements() { return refined_.elements; }
  std::vector<RecordWrite>& writes() { return writes_; }

  // Element `i` as a copy of element `winner`.
  void Copy(size_t i, size_t winner, Fate fate) {
    Arena& texts = refined_.texts;
    (*this)[i].standing = {.fate = fate,
                           .others = texts.Keep(Others{.winner = (*this)[winner].identity.order})};
  }
  // Element `i` as a winner that has its second value from `from`.
  void Fill(size_t i, size_t from) {
    Others others;
    others.value_from[1] = (*this)[from].identity.order.at;
    (*this)[i].standing.filled = 2;
    (*this)[i].standing.others = refined_.texts.Keep(others);
  }
  void Contest(size_t i, size_t winner) {
    Copy(i, winner, Fate::kQuarantined);
    LoanElement& element = (*this)[i];
    element.standing.conflict = true;
    element.standing.differs = 1;
    element.standing.since = element.identity.order.ingest_ts;
    element.detail = R"({"member":["bob","ann"]})";
  }

  Batch<Loans> batch(UtcTime clock = kNoTime) const {
    return {.source = "desk",
            .position = "17",
            .data_clock = clock,
            .records = writes_,
            .withdrawn = {},
            .elements = refined_.elements,
            .gold = {},
            .derived = {},
            .log = {}};
  }

 private:
  Refined<LoanEvent> refined_;
  std::vector<RecordWrite> writes_;
};

inline Batch<Loans> Empty() {
  return {.source = {},
          .position = {},
          .data_clock = kNoTime,
          .records = {},
          .withdrawn = {},
          .elements = {},
          .gold = {},
          .derived = {},
          .log = {}};
}

inline void Require(const absl::Status& status) {
  INFO(std::string(status.message()));
  REQUIRE(status.ok());
}

// The JSON of the tables' rows, without a store.
inline std::string Shown(const LoanElement& element, const BronzeRecord& record) {
  std::string line;
  AppendRow<Loans>(element, record, TableOf<Loans>(element), line);
  return line;
}

inline std::vector<std::string> EventIds(std::span<const LoanElement> elements) {
  std::vector<std::string> ids;
  for (const LoanElement& element : elements) ids.emplace_back(element.row.event_id);
  std::sort(ids.begin(), ids.end());
  return ids;
}

inline KnownAnswer<LoanEvent> Known(Store<Loans>& store, const KnownQuery<LoanEvent>& query) {
  KnownAnswer<LoanEvent> answer;
  Require(store.Known(query, answer));
  return answer;
}
inline HistoryAnswer<Loans> History(Store<Loans>& store, const HistoryQuery& query) {
  HistoryAnswer<Loans> answer;
  Require(store.History(query, answer));
  return answer;
}
inline SeenAnswer Seen(Store<Loans>& store, std::span<const RecordId> records) {
  SeenAnswer answer;
  Require(store.Seen(records, answer));
  return answer;
}

// Every column of a row, for the stores' tests too: quotes, a line end, UTF-8, and what no schema asks for.
inline Feed OneOfEach() {
  Feed feed;
  feed.Add("lend|e1|North|1|100|ann|A1|7|yes|says \"hi\"\\", 110);
  feed.Add("return|e2|North|1|200|ann||||", 210);
  feed.Add("note|e3|North|1|150||||no|\u00fcber", 160, "gate");
  feed.Add("visit|e4|South||170|bob", 180);
  feed.Add("ping|e5|South||190", 190);
  feed.Add("steal||||soon|||many", 195);
  feed.Add("lend|e6|North|1|100|ann|A1|7", 300);
  feed.Add("lend|e6|North|1|100|ann|A1|7", 301, "gate");
  feed.Add("lend|e7|North|1|100|bob|A1|7", 302);
  return feed;
}
inline Script OneOfEachSettled(const Feed& feed) {
  Script script(feed);
  script.Copy(6, 0, Fate::kBusinessDuplicate);
  script.Copy(7, 0, Fate::kTechnicalDuplicate);
  script.Contest(8, 0);
  return script;
}

inline GoldWrite<Loans::Gold> GoldOf(const LoanElement& element, std::string loan, UtcTime due,
                                     UtcTime updated_at) {
  Loan row;
  row.loan_id = Sha256(loan);
  row.branch = "North", row.loan = std::move(loan), row.next_due_at = due, row.updated_at = updated_at;
  row.fine = Thousandths{-1'250};
  row.flags = R"(["CONFLICT"])";
  row.row_hash = RowHash(row);
  return {.entity = element.entity, .version = Loans::VersionOf(row), .next_due_at = due, .row = row};
}

// -----------------------------------------------------------------------------------------------------------
// The sections

template <class Factory>
void FreshStore(const Factory& make) {
  const auto store = make();
  Feed feed;
  feed.Add("lend|e1|North|1|100", 110);
  Script script(feed);
  const std::vector<RecordId> ids = {script.writes()[0].id};

  const SeenAnswer seen = Seen(*store, ids);
  CHECK(seen.arrivals == std::vector<std::optional<Arrival>>{std::nullopt});
  CHECK(seen.checkpoint.data_clock == kNoTime);
  CHECK(seen.checkpoint.positions.empty());
  const std::vector<Digest> units = {script[0].identity.unit};
  const auto known = Known(*store, {.arrived = script.elements(), .units = units, .records = ids});
  CHECK(known.glances.empty());
  CHECK(known.elements.empty());
  const std::vector<EntityKey> entities = {script[0].entity};
  const auto history = History(*store, {.entities = entities, .due_by = Minute(1'000'000)});
  CHECK(history.elements.empty());
  CHECK(history.versions.empty());

  CHECK(store->Names() ==
        std::vector<std::string>{"silver_loan_events", "silver_visits", "silver_quarantine_events",
                                 "silver_duplicate_events_audit", "silver_ignored", "gold_loans",
                                 "gold_branches", "ops_reviews", "ops_dq_metrics", "ops_reconciliation_log",
                                 "ops_run_log"});
  for (const std::string& name : store->Names()) CHECK(Lines(*store, name).empty());
  CHECK(BooksOf(*store) == Accounting{});
  CHECK(store->Read("no_such", [](std::string_view) { return absl::OkStatus(); }).code() ==
        absl::StatusCode::kNotFound);
}

template <class Factory>
void OneBatch(const Factory& make) {
  const auto store = make();
  const Feed feed = OneOfEach();
  Script script = OneOfEachSettled(feed);
  const std::vector<GoldWrite<Loans::Gold>> gold = {GoldOf(script[0], "1", Minute(900), Minute(210))};
  Batch<Loans> batch = script.batch(Minute(302));
  batch.gold = gold;
  Require(store->Apply(batch));

  // Sorted by coordinate: all of "desk" before "gate".
  const auto shown = [&](std::initializer_list<size_t> elements) {
    std::vector<std::string> lines;
    for (const size_t i : elements) lines.push_back(Shown(script[i], feed.records()[i]));
    return lines;
  };
  CHECK(Lines(*store, "silver_loan_events") == shown({0, 1, 2}));
  CHECK(Lines(*store, "silver_visits") == shown({3}));
  CHECK(Lines(*store, "silver_quarantine_events") == shown({5, 8}));
  CHECK(Lines(*store, "silver_duplicate_events_audit") == shown({6, 7}));
  CHECK(Lines(*store, "silver_ignored") == shown({4}));
  std::string row;
  AppendGoldJson(gold[0].row, row);
  CHECK(Lines(*store, "gold_loans") == std::vector<std::string>{row});
  CHECK(Lines(*store, "ops_run_log").size() == 1);

  const Accounting books = BooksOf(*store);
  CHECK(books.records == 9);
  CHECK(AccountingLine(books) == "9 = 4 silver + 2 duplicates + 2 quarantined + 1 ignored");
  CHECK(books.by_hour.size() == 4);
  CHECK(books.by_hour.at(Minute(180))[Fate::kSilver] == 2);
  CHECK(Seen(*store, {}).checkpoint.data_clock == Minute(302));
  CHECK(Seen(*store, {}).checkpoint.positions.at("desk") == "17");
}

template <class Factory>
void RepeatedBatch(const Factory& make) {
  const auto store = make();
  const Feed feed = OneOfEach();
  Script script = OneOfEachSettled(feed);
  const std::vector<GoldWrite<Loans::Gold>> gold = {GoldOf(script[0], "1", Minute(900), Minute(210))};
  Batch<Loans> batch = script.batch(Minute(302));
  batch.gold = gold;
  batch.log = {.run_id = "r", .batch = 1, .source = "desk"};
  Require(store->Apply(batch));
  const Picture once = Look(*store);
  const std::vector<std::string> log = Lines(*store, kRunLogTable);
  Require(store->Apply(batch));
  CHECK(Look(*store) == once);
  CHECK(Lines(*store, kRunLogTable) == log);
  const std::vector<EntityKey> entities = {script[0].entity};
  CHECK(History(*store, {.entities = entities}).versions.size() == 1);
}

template <class Factory>
void ClockAndPositions(const Factory& make) {
  const auto store = make();
  const auto apply = [&](std::string_view source, std::string_view position, UtcTime clock) {
    Batch<Loans> batch = Empty();
    batch.source = source, batch.position = position, batch.data_clock = clock;
    Require(store->Apply(batch));
    return Seen(*store, {}).checkpoint;
  };
  CHECK(apply("a", "1", kNoTime).data_clock == kNoTime);
  CHECK(apply("a", "2", Minute(-5)).data_clock == Minute(-5));  // before 1970
  CHECK(apply("b", std::string_view("x\0'y", 4), Minute(10)).data_clock == Minute(10));
  CHECK(apply("a", "3", Minute(9)).data_clock == Minute(10));  // never goes back
  CHECK(apply("", "", kNoTime).data_clock == Minute(10));      // a sweep moves no position
  CHECK(apply("b", "", Minute(11)).positions ==
        Checkpoint{.data_clock = {}, .positions = {{"a", "3"}, {"b", std::string("x\0'y", 4)}}}.positions);
}

template <class Factory>
void Withdrawal(const Factory& make) {
  const auto store = make();
  Feed feed;
  feed.Add("lend|e1|North|1|100|ann\nlend|e2|North|2|100|ann\nnonsense", 110);
  Script script(feed);
  Require(store->Apply(script.batch()));
  const Picture before = Look(*store);

  // The record is read anew, with another key, and what it yields now takes the place of what it yielded
  // then.
  std::vector<ElementId> withdrawn;
  for (const LoanElement& element : script.elements()) withdrawn.push_back(IdOf(element.identity.order));
  Feed later;
  later.Add("lend|e1|North|1|100|ann\nlend|e2|North|2|100|ann\nnonsense", 90).key = "Key";
  Script anew(later);
  anew.writes()[0].known = true;
  anew[1].standing.fate = Fate::kIgnored;
  anew[1].identity.unit = {};
  Batch<Loans> batch = anew.batch();
  batch.withdrawn = withdrawn;
  Require(store->Apply(batch));
  CHECK(AccountingLine(BooksOf(*store)) == "3 = 1 silver + 1 quarantined + 1 ignored");
  CHECK(BooksOf(*store).records == 1);
  CHECK(BooksOf(*store).by_hour.size() == 1);
  CHECK(Lines(*store, "silver_loan_events") == std::vector<std::string>{Shown(anew[0], later.records()[0])});
  CHECK(Lines(*store, "silver_quarantine_events") ==
        std::vector<std::string>{Shown(anew[2], later.records()[0])});
  CHECK(Seen(*store, std::vector<RecordId>{anew.writes()[0].id}).arrivals[0] ==
        Arrival{Minute(90), Minute(90), "Key"});
  const std::vector<Digest> gone = {script[1].identity.unit};
  CHECK(Known(*store, {.units = gone}).elements.empty());
  Require(store->Apply(batch));  // also when repeated
  CHECK(AccountingLine(BooksOf(*store)) == "3 = 1 silver + 1 quarantined + 1 ignored");

  // Withdrawn and not replaced.
  Batch<Loans> last = Empty();
  last.withdrawn = withdrawn;
  Require(store->Apply(last));
  CHECK(BooksOf(*store).elements == 0);
  CHECK(BooksOf(*store).by_hour.empty());
  CHECK(Lines(*store, "silver_quarantine_events").empty());
  Require(store->Apply(script.batch()));
  CHECK(BooksOf(*store).fates == before.books.fates);
}

template <class Factory>
void FateChanges(const Factory& make) {
  const auto store = make();
  Feed feed;
  feed.Add("lend|e1|North|1|100|ann", 110).version = "v1";
  feed.Add("lend|e2|North|1|100|ann", 120).connection_id = "c2";
  Script script(feed);
  script.Copy(1, 0, Fate::kBusinessDuplicate);
  Require(store->Apply(script.batch()));

  // The winner is overturned, and what is written comes without its record.
  Script turned(feed);
  turned.Copy(0, 1, Fate::kBusinessDuplicate);
  const auto change = [&](std::string_view silver, std::string_view audit, std::string_view quarantine) {
    Batch<Loans> batch = Empty();
    batch.elements = turned.elements();
    Require(store->Apply(batch));
    const auto lines = [&](std::string_view expected) {
      std::vector<std::string> shown;
      for (const char i : expected) {
        const auto at = static_cast<size_t>(i - '0');
        shown.push_back(Shown(turned[at], feed.records()[at]));
      }
      return shown;
    };
    CHECK(Lines(*store, "silver_loan_events") == lines(silver));
    CHECK(Lines(*store, "silver_duplicate_events_audit") == lines(audit));
    CHECK(Lines(*store, "silver_quarantine_events") == lines(quarantine));
    CHECK(BooksOf(*store).elements == 2);
  };
  change("1", "0", "");
  turned.Contest(0, 1);
  change("1", "", "0");
  turned.Contest(1, 0);
  change("", "", "01");
  turned[0].standing = {}, turned[0].detail = {};
  turned.Copy(1, 0, Fate::kTechnicalDuplicate);
  change("0", "1", "");
  // A winner that took a value from another member.
  turned.Fill(0, 1);
  turned[0].row.shelf = "B2";
  change("0", "1", "");
  const std::vector<Digest> units = {turned[0].identity.unit};
  const KnownAnswer<LoanEvent> known = Known(*store, {.units = units});
  const std::vector<LoanElement>& members = known.elements;
  REQUIRE(members.size() == 2);
  const size_t first = members[0].row.event_id == "e1" ? 0 : 1;
  CHECK(members[first].standing == turned[0].standing);
  CHECK(members[1 - first].standing == turned[1].standing);
  CHECK(members[first].row == turned[0].row);
  CHECK(members[first].entity == turned[0].entity);
}

template <class Factory>
void Glances(const Factory& make) {
  // Few members, and many: a store may look at them in another way.
  const size_t copies = GENERATE(size_t{0}, size_t{30});
  CAPTURE(copies);
  const auto store = make();
  Feed feed;
  feed.Add("lend|e1|North|1|100|ann", 110);    // 0: the winner
  feed.Add("lend|e2|North|1|101|ann", 111);    // 1: a copy
  feed.Add("lend|e2|North|1|102|ann", 112);    // 2: and again
  feed.Add("lend|e3|North|1|103|bob", 113);    // 3: a contradiction
  feed.Add("lend|e5|North|1|5000|ann", 5100);  // 4: the number was used again
  feed.Add("lend|e6|North|1|5000|ann", 5101);  // 5: a copy of that
  feed.Add("visit|e7|North||100|cat", 110);    // 6: a fact by itself
  feed.Add("visit|e8|North||200|cat", 210);    // 7: contested
  for (size_t i = 0; i < copies; ++i) feed.Add("lend|e2|North|1|104|ann", 120);
  Script script(feed);
  script.Copy(1, 0, Fate::kBusinessDuplicate);
  for (size_t i = 8; i < 8 + copies; ++i) script.Copy(i, 0, Fate::kTechnicalDuplicate);
  script.Copy(2, 0, Fate::kTechnicalDuplicate);
  script.Contest(3, 0);
  script[4].identity.fact = 1;
  script.Copy(5, 4, Fate::kBusinessDuplicate);
  script[5].identity.fact = 1;
  script.Fill(4, 5);
  script.Contest(7, 7);
  Require(store->Apply(script.batch()));

  struct Case {
    const char* arrived;
    bool known;
    int winner;    // index above, or -1
    int first_of;  // the first with the event id, or -1
  };
  for (const Case& c : std::initializer_list<Case>{
           {"lend|e9|North|1|100", true, 0, -1},
           {"lend|e1|North|1|100", true, 0, 0},   // the winner's own event id
           {"lend|e2|North|1|100", true, 0, 1},   // of two, the first
           {"lend|e3|North|1|100", true, 0, -1},  // who contradicts is not in agreement
           {"lend|e6|North|1|100", true, 0, -1},  // seen, but in another fact
           {"lend|e6|North|1|5000", true, 4, 5},
           {"lend|e2|North|1|5000", true, 4, -1},
           {"lend|e9|North|1|101", true, -1, -1},    // another cut than any winner's
           {"return|e1|North|1|100", true, -1, -1},  // another key in the same unit
           {"lend|e1|North|2|100", false, -1, -1},
           {"visit|e7|North||100|cat", true, 6, 6},
           {"visit|e8|North||200|cat", true, -1, -1},  // nobody won
           {"visit|e8|North||201|cat", false, -1, -1},
       }) {
    CAPTURE(c.arrived);
    Feed asked;
    asked.Add(c.arrived, 6000);
    Script question(asked);
    // Asked for together with what is no question, and what nobody knows.
    std::vector<LoanElement> arrived(2);
    arrived[1].identity.unit = Sha256("nobody knows");
    arrived.push_back(question[0]);
    const auto answer = Known(*store, {.arrived = arrived});
    CHECK(answer.glances.size() == (c.known ? 1 : 0));
    if (answer.glances.empty()) continue;
    const Glance* glance = answer.glances.data();
    CHECK(glance->arrived == 2);
    CHECK(glance->has_winner == (c.winner >= 0));
    CHECK(glance->event_id_seen == (c.first_of >= 0));
    if (c.winner >= 0) {
      const LoanElement& winner = script[static_cast<size_t>(c.winner)];
      CHECK(glance->winner.order == winner.identity.order);
      CHECK(glance->winner.unit == winner.identity.unit);
      CHECK(glance->winner.fact == winner.identity.fact);
      CHECK(glance->winner.values == winner.identity.values);
      CHECK(glance->filled == winner.standing.filled);
    }
    if (c.first_of >= 0)
      CHECK(glance->event_id_first == script[static_cast<size_t>(c.first_of)].identity.order);
  }
}

template <class Factory>
void Members(const Factory& make) {
  const auto store = make();
  Feed feed;
  feed.Add("lend|e1|North|1|100|ann\nvisit|e2|North||100|ann", 110);
  feed.Add("lend|e3|North|1|100|ann", 120);
  feed.Add("lend|e4|North|1|100|bob", 130);
  feed.Add("nonsense\nping|e5|North||1", 140);
  Script script(feed);
  script.Copy(2, 0, Fate::kBusinessDuplicate);
  script.Contest(3, 0);
  Require(store->Apply(script.batch()));

  const std::vector<Digest> units = {script[0].identity.unit};
  CHECK(EventIds(Known(*store, {.units = units}).elements) == std::vector<std::string>{"e1", "e3", "e4"});
  const std::vector<RecordId> records = {script.writes()[0].id, script.writes()[3].id};
  CHECK(EventIds(Known(*store, {.records = records}).elements) ==
        std::vector<std::string>{"", "e1", "e2", "e5"});
  // What is asked for twice comes once.
  CHECK(EventIds(Known(*store, {.units = units, .records = records}).elements) ==
        std::vector<std::string>{"", "e1", "e2", "e3", "e4", "e5"});

  // All of it comes back.
  const std::vector<RecordId> last = {script.writes()[2].id};
  const auto answer = Known(*store, {.records = last});
  REQUIRE(answer.elements.size() == 1);
  const LoanElement& element = answer.elements[0];
  CHECK(element.row == script[3].row);
  CHECK(element.standing == script[3].standing);
  CHECK(element.identity.order == script[3].identity.order);
  CHECK(element.identity.values == script[3].identity.values);
  CHECK(element.identity.cut == script[3].identity.cut);
  CHECK(element.detail == script[3].detail);
}

template <class Factory>
void Histories(const Factory& make) {
  const auto store = make();
  Feed feed;
  feed.Add("lend|e1|North|1|100|ann", 110);
  feed.Add("lend|e2|North|1|100|ann", 120);
  feed.Add("lend|e3|North|1|100|bob", 130);
  feed.Add("note|e4|North|1|150", 160);
  feed.Add("visit|e5|North||150|ann", 160);
  feed.Add("lend|e6|North|2|100|ann", 110);
  Script script(feed);
  script.Copy(1, 0, Fate::kBusinessDuplicate);
  script.Contest(2, 0);
  Require(store->Apply(script.batch()));
  std::vector<EntityKey> entities = {script[0].entity};
  CHECK(EventIds(History(*store, {.entities = entities}).elements) ==
        std::vector<std::string>{"e1", "e3", "e4"});

  // Who leaves Silver leaves the history.
  script.Copy(0, 1, Fate::kBusinessDuplicate);
  script[1].standing = {};
  Batch<Loans> batch = Empty();
  batch.elements = script.elements();
  Require(store->Apply(batch));
  CHECK(EventIds(History(*store, {.entities = entities}).elements) ==
        std::vector<std::string>{"e2", "e3", "e4"});
  entities.push_back(script[5].entity);
  CHECK(EventIds(History(*store, {.entities = entities}).elements) ==
        std::vector<std::string>{"e2", "e3", "e4", "e6"});
}

// Entities that History answers where only stale ones are asked for.
inline std::vector<EntityKey> Stale(Store<Loans>& store, size_t rows_max = 1000) {
  std::vector<EntityKey> stale;
  for (const EntityHistory& entity : History(store, {.stale = true, .rows_max = rows_max}).entities) {
    stale.push_back(entity.entity);
  }
  std::sort(stale.begin(), stale.end());
  return stale;
}

template <class Factory>
void StaleEntities(const Factory& make) {
  const auto store = make();
  Feed feed;
  feed.Add("lend|e1|North|1|100|ann", 110);
  feed.Add("lend|e2|North|2|100|ann", 110);
  feed.Add("lend|e3|North|2|100|ann", 120);
  feed.Add("visit|e4|North||150|ann", 160);  // of no entity
  feed.Add("lend|e5|North|3|100|ann", 120);
  Script script(feed);
  script.Copy(2, 1, Fate::kBusinessDuplicate);
  script.Copy(4, 1, Fate::kTechnicalDuplicate);  // all that its entity has is no history
  std::vector<EntityKey> both = {script[0].entity, script[1].entity};
  std::sort(both.begin(), both.end());
  Require(store->Apply(script.batch()));
  CHECK(Stale(*store) == both);
  CHECK(Stale(*store, 1).size() == 1);
  CHECK(History(*store, {.stale = true, .rows_max = 1}).more);
  CHECK_FALSE(History(*store, {.stale = true}).more);
  const EntityKey first = History(*store, {.stale = true, .rows_max = 1}).entities.at(0).entity;
  const auto after = History(*store, {.stale = true, .stale_skip = 1});
  REQUIRE(after.entities.size() == 1);
  CHECK(after.entities[0].entity != first);
  CHECK(History(*store, {.stale = true, .stale_skip = 2}).entities.empty());
  const auto history = History(*store, {.stale = true});
  REQUIRE(history.entities.size() == 2);
  CHECK(history.entities[0].elements_end == 1);
  CHECK(history.entities[1].elements_end == 2);
  CHECK(history.elements[0].entity == history.entities[0].entity);

  const auto derive = [&](const EntityKey& entity, std::string summary) {
    const std::vector<Derived> derived = {{entity, std::move(summary)}};
    Batch<Loans> batch = Empty();
    batch.derived = derived;
    Require(store->Apply(batch));
  };
  derive(script[0].entity, "");
  CHECK(Stale(*store) == std::vector<EntityKey>{script[1].entity});
  derive(script[1].entity, "");
  CHECK(Stale(*store).empty());

  // A duplicate that is written again makes its entity stale, for it may have been the winner; so does a new one.
  const std::vector<LoanElement> again = {script[2]};
  Batch<Loans> batch = Empty();
  batch.elements = again;
  Require(store->Apply(batch));
  CHECK(Stale(*store) == std::vector<EntityKey>{script[1].entity});
  const std::vector<ElementId> withdrawn = {IdOf(script[0].identity.order)};
  Batch<Loans> gone = Empty();
  gone.withdrawn = withdrawn;
  Require(store->Apply(gone));
  CHECK(Stale(*store) == both);
}

// A summary stands for what it was made of until any of that changes.
template <class Factory>
void Summaries(const Factory& make) {
  const auto store = make();
  Feed feed;
  feed.Add("lend|e1|North|1|100|ann", 110);
  feed.Add("note|e2|North|1|150|ann", 160);
  Script script(feed);
  Require(store->Apply(script.batch()));
  const std::vector<EntityKey> entities = {script[0].entity};
  const std::vector<Derived> derived = {{entities[0], std::string("sum\0", 4)}};
  Batch<Loans> refresh = Empty();
  refresh.derived = derived;
  Require(store->Apply(refresh));
  const auto ids = [&](bool whole) {
    const auto answer = History(*store, {.entities = entities, .whole = whole});
    REQUIRE(answer.entities.size() == 1);
    if (whole) CHECK(answer.entities[0].summary.empty());
    std::vector<std::string> found = EventIds(answer.elements);
    // A store that keeps none shows what the summary stands for.
    if (!answer.entities[0].summary.empty()) found.insert(found.begin(), {"e1", "e2"});
    return found;
  };
  const std::vector<std::string> two = {"e1", "e2"}, three = {"e1", "e2", "e3"};
  CHECK(ids(false) == two);
  CHECK(ids(true) == two);
  Feed later;
  later.Add("note|e3|North|1|170|ann", 180, "gate");
  Script more(later);
  Require(store->Apply(more.batch()));
  CHECK(ids(false) == three);
  CHECK(ids(true) == three);
  const std::vector<LoanElement> again = {script[1]};  // one of those that were summed up
  Batch<Loans> batch = Empty();
  batch.elements = again;
  Require(store->Apply(batch));
  CHECK(History(*store, {.entities = entities}).entities[0].summary.empty());
  CHECK(ids(false) == three);
}

template <class Factory>
void GoldRows(const Factory& make) {
  const auto store = make();
  Feed feed;
  feed.Add("lend|e1|North|1|100|ann", 110);
  feed.Add("lend|e2|North|2|100|ann", 110);
  Script script(feed);
  const std::vector<EntityKey> entities = {script[0].entity};
  const auto apply = [&](Write write, const GoldWrite<Loans::Gold>& row) {
    std::vector<GoldWrite<Loans::Gold>> gold = {row};
    gold[0].write = write;
    if (write == Write::kDelete) gold[0].row = {};
    Batch<Loans> batch = Empty();
    batch.gold = gold;
    Require(store->Apply(batch));
    std::vector<RowVersion> versions;
    for (const GoldVersion& version : History(*store, {.entities = entities}).versions) {
      CHECK(version.entity == entities[0]);
      versions.push_back(version.version);
    }
    std::sort(versions.begin(), versions.end(), [](const auto& a, const auto& b) { return a.key < b.key; });
    return versions;
  };
  const auto one = GoldOf(script[0], "1", Minute(900), Minute(210));
  const auto two = GoldOf(script[0], "2", kNoTime, Minute(211));
  const auto other = GoldOf(script[1], "3", kNoTime, Minute(212));
  auto later = GoldOf(script[0], "1", kNoTime, Minute(300));
  std::get<Loan>(later.row).model_version = Sha256("another model");
  later.version = Loans::VersionOf(later.row);
  std::vector<RowVersion> both = {one.version, two.version};
  std::vector<RowVersion> changed = {later.version, two.version};
  const auto by_key = [](const RowVersion& a, const RowVersion& b) { return a.key < b.key; };
  std::sort(both.begin(), both.end(), by_key);
  std::sort(changed.begin(), changed.end(), by_key);

  CHECK(apply(Write::kInsert, one) == std::vector<RowVersion>{one.version});
  CHECK(apply(Write::kInsert, two) == both);
  CHECK(apply(Write::kInsert, other) == both);
  CHECK(apply(Write::kInsert, one) == both);  // an insert repeated is an update
  CHECK(apply(Write::kUpdate, later) == changed);

  // Sorted by key.
  std::map<Digest, std::string> rows;
  for (const GoldWrite<Loans::Gold>* write : {&std::as_const(later), &two, &other}) {
    AppendGoldJson(write->row, rows[write->version.key]);
  }
  std::vector<std::string> lines;
  for (const auto& [key, line] : rows) lines.push_back(line);
  CHECK(Lines(*store, "gold_loans") == lines);

  CHECK(apply(Write::kDelete, later) == std::vector<RowVersion>{two.version});
  CHECK(apply(Write::kDelete, later) == std::vector<RowVersion>{two.version});  // gone already
  CHECK(Lines(*store, "gold_loans").size() == 2);
  CHECK(apply(Write::kInsert, one) == both);
}

template <class Factory>
void DueRows(const Factory& make) {
  const auto store = make();
  Feed feed;
  for (const char* loan : {"1", "2", "3"})
    feed.Add("lend|e" + std::string(loan) + "|North|" + loan + "|100", 110);
  Script script(feed);
  std::vector<GoldWrite<Loans::Gold>> gold = {
      GoldOf(script[0], "1", Minute(500), Minute(110)), GoldOf(script[0], "1b", Minute(510), Minute(110)),
      GoldOf(script[1], "2", Minute(600), Minute(110)), GoldOf(script[2], "3", kNoTime, Minute(110))};
  Batch<Loans> batch = script.batch();
  batch.gold = gold;
  Require(store->Apply(batch));
  const auto due = [&](UtcTime by, size_t most = 1000, std::vector<EntityKey> entities = {}) {
    return EventIds(History(*store, {.entities = entities, .due_by = by, .rows_max = most}).elements);
  };
  using Ids = std::vector<std::string>;
  CHECK(due(kNoTime) == Ids{});
  CHECK(due(UtcTime{Minute(500).us - 1}) == Ids{});
  CHECK(due(Minute(500)) == Ids{"e1"});  // at its instant it is due
  CHECK(due(Minute(600)) == Ids{"e1", "e2"});
  CHECK(due(Minute(600), 1) == Ids{"e1"});  // the earliest first, and no entity twice
  CHECK(due(Minute(9000)) == Ids{"e1", "e2"});
  CHECK(due(Minute(9000), 1000, {script[0].entity, script[2].entity}) == Ids{"e1", "e2", "e3"});
  CHECK(History(*store, {.due_by = Minute(500)}).versions.size() == 2);

  // The index follows the rows.
  gold.resize(3);
  gold[0] = GoldOf(script[0], "1", kNoTime, Minute(500));
  gold[1].write = Write::kDelete;
  gold[2] = GoldOf(script[1], "2", Minute(700), Minute(600));
  Batch<Loans> sweep = Empty();
  sweep.gold = gold;
  Require(store->Apply(sweep));
  CHECK(due(Minute(699)) == Ids{});
  CHECK(due(Minute(700)) == Ids{"e2"});

  // So it does where a row is due later and later, and then earlier than ever.
  const auto put = [&](std::initializer_list<std::pair<int, UtcTime>> rows) {
    std::vector<GoldWrite<Loans::Gold>> writes;
    for (const auto& [i, at] : rows)
      writes.push_back(GoldOf(script[static_cast<size_t>(i)], std::to_string(i + 1), at, Minute(500)));
    Batch<Loans> again = Empty();
    again.gold = writes;
    Require(store->Apply(again));
  };
  put({{0, Minute(710)}, {1, Minute(705)}, {2, Minute(720)}});
  put({{0, Minute(730)}, {1, Minute(740)}, {2, Minute(725)}});
  CHECK(due(Minute(722)) == Ids{});
  CHECK(due(Minute(9000), 1) == Ids{"e3"});
  put({{0, Minute(750)}});
  CHECK(due(Minute(740)) == Ids{"e2", "e3"});
  put({{0, Minute(701)}, {2, kNoTime}});
  CHECK(due(Minute(701)) == Ids{"e1"});
  CHECK(due(Minute(740)) == Ids{"e1", "e2"});
}

template <class Factory>
void Texts(const Factory& make) {
  const auto store = make();
  static constexpr char kOdd[] = "n\0ul 'quote' \"double\" \xff\xfe \u00fc\u6f22\U0001f600 \\ ;--";
  const std::string odd(kOdd, sizeof kOdd - 1);
  Feed feed;
  feed.Add("visit|" + odd + "|North||100|" + odd + "|||yes|" + odd, 110, odd).key = odd;
  feed.Add("nonsense " + odd, 120, odd);
  feed.Add("visit|e3|North||100|" + std::string(300'000, 'x'), 130);
  feed.Add("", 140);
  for (BronzeRecord& record : feed.records()) record.version = odd, record.connection_id = odd;
  Script script(feed);
  Batch<Loans> batch = script.batch();
  batch.source = odd, batch.position = odd;
  Require(store->Apply(batch));

  std::vector<RecordId> ids;
  for (const RecordWrite& write : script.writes()) ids.push_back(write.id);
  const SeenAnswer seen = Seen(*store, ids);
  CHECK(seen.arrivals[0]->key == odd);
  CHECK(seen.arrivals[1]->key.empty());
  CHECK(seen.checkpoint.positions.at(odd) == odd);
  const std::vector<RecordId> first = {ids[0]};
  const auto known = Known(*store, {.records = first});
  REQUIRE(known.elements.size() == 1);
  CHECK(known.elements[0].row == script[0].row);
  CHECK(Lines(*store, "silver_visits") ==
        std::vector<std::string>{Shown(script[2], feed.records()[2]), Shown(script[0], feed.records()[0])});
  CHECK(Lines(*store, "silver_quarantine_events") ==
        std::vector<std::string>{Shown(script[3], feed.records()[3]), Shown(script[1], feed.records()[1])});
}

template <class Factory>
void Coordinates(const Factory& make) {
  const auto store = make();
  Feed feed;
  struct At {
    const char* topic;
    int32_t partition;
    int64_t offset;
  };
  const std::vector<At> sorted = {{"B", 0, 7},  {"a", -1, 9}, {"a", 0, -3}, {"a", 0, 2},
                                  {"a", 0, 10}, {"a", 2, 0},  {"a", 10, 0}, {"aa", 0, 0}};
  const std::vector<size_t> arrival = {4, 0, 7, 2, 6, 1, 3, 5};
  for (const size_t i : arrival) {
    BronzeRecord& record =
        feed.Add("ping|e" + std::to_string(i) + "|North||1\nping|f|North||1", 100, sorted[i].topic);
    record.at.partition = sorted[i].partition, record.at.offset = sorted[i].offset;
  }
  // The same coordinate with another payload is another record.
  BronzeRecord& again = feed.Add("ping|again|North||1\nping|again|North||1", 100, "a");
  again.at.partition = 0, again.at.offset = 2;
  Script script(feed);
  Require(store->Apply(script.batch()));
  std::vector<Order> orders;
  for (const LoanElement& element : script.elements()) orders.push_back(element.identity.order);
  const auto key = [](const Order& order) { return std::tuple(order.at, order.ordinal, order.payload); };
  std::sort(orders.begin(), orders.end(), [&](const Order& a, const Order& b) { return key(a) < key(b); });
  std::vector<std::string> expected;
  for (const Order& order : orders) {
    for (const LoanElement& element : script.elements()) {
      if (element.identity.order == order) expected.push_back(Shown(element, feed.records()[0]));
    }
  }
  CHECK(Lines(*store, "silver_ignored") == expected);
  CHECK(BooksOf(*store).records == 9);
  CHECK(BooksOf(*store).elements == 18);
}

template <class Factory>
void Reading(const Factory& make) {
  const auto store = make();
  Feed feed;
  feed.Add("ping|e1|North||1", 100);
  feed.Add("ping|e2|North||1", 100);
  // Where nobody knows when it came.
  feed.records()[1].ingest_ts = kNoTime;
  Script script(feed);
  Batch<Loans> batch = script.batch();
  batch.log = {
      .run_id = "r", .batch = 1, .source = "s", .position = "p", .records = 2, .fates = {{1, 2, 3, 4, 5}}};
  Require(store->Apply(batch));
  batch.log.batch = 2;
  batch.log.data_clock = Minute(7);
  Require(store->Apply(batch));
  CHECK(Lines(*store, kRunLogTable) ==
        std::vector<std::string>{
            R"({"run_id":"r","batch":1,"source":"s","position":"p","records":2,"redelivered":0,"silver":1,)"
            R"("technical_duplicate":2,"business_duplicate":3,"quarantined":4,"ignored":5,"violations":null,)"
            R"("unknown_fields":null,"lags":null,"warnings":null,"data_clock":null,)"
            R"("duration_us":0})",
            R"({"run_id":"r","batch":2,"source":"s","position":"p","records":2,"redelivered":0,"silver":1,)"
            R"("technical_duplicate":2,"business_duplicate":3,"quarantined":4,"ignored":5,)"
            R"("violations":null,"unknown_fields":null,"lags":null,"warnings":null,)"
            R"("data_clock":"1970-01-01T00:07:00.000000Z","duration_us":0})"});
  CHECK(BooksOf(*store).by_hour.at(kNoTime)[Fate::kIgnored] == 1);

  // The reader may stop.
  int rows = 0;
  const absl::Status stopped = store->Read("silver_ignored", [&](std::string_view) {
    ++rows;
    return absl::CancelledError("enough");
  });
  CHECK(stopped.code() == absl::StatusCode::kCancelled);
  CHECK(rows == 1);
  CHECK(Lines(*store, "silver_ignored").size() == 2);
}

inline TimelineAnswer<LoanEvent> AskTimelines(Store<Loans>& store, const TimelineQuery& query) {
  TimelineAnswer<LoanEvent> answer;
  Require(store.Timelines(query, answer));
  return answer;
}

// What of North's timeline was touched; nothing where it was not.
inline std::optional<TimeSpan> TouchedNorth(Store<Loans>& store) {
  std::optional<TimeSpan> touched;
  for (const TimelinePart& part : AskTimelines(store, {.touched_max = 10}).touched) {
    if (part.subject == "North") touched = part.span;
  }
  return touched;
}

inline void ResolveNorth(Store<Loans>& store, bool watch) {
  const std::vector<ResolvedTimeline> resolved = {{.subject = "North", .watch = watch}};
  Batch<Loans> batch = Empty();
  batch.resolved = resolved;
  Require(store.Apply(batch));
}

template <class Factory>
void TimelinesAreTouched(const Factory& make) {
  const auto store = make();
  Feed feed;
  feed.Add("lend|e1|North|1|100|ann", 110);
  feed.Add("return|e2|North|1|200", 900);
  feed.Add("note|e3|North|1|150", 160);
  feed.Add("visit|e4|North||170|bob", 180);
  feed.Add("lend|e5|South|1|100|ann", 120);
  Script script(feed);
  Require(store->Apply(script.batch()));
  CHECK(TouchedNorth(*store) == TimeSpan{Minute(100), Minute(900)});
  CHECK(AskTimelines(*store, {.touched_max = 1}).touched.size() == 1);
  CHECK(AskTimelines(*store, {.touched_max = 9}).touched.size() == 2);

  const auto on = [&](int64_t from, int64_t to, bool details) {
    const std::vector<TimelinePart> parts = {{"South", {Minute(0), Minute(99)}, true},
                                             {"North", {Minute(from), Minute(to)}, details}};
    const auto answer = AskTimelines(*store, {.parts = parts});
    REQUIRE(answer.elements_end.size() == 2);
    CHECK(answer.elements_end[0] == 0);
    return EventIds(answer.elements);
  };
  using Ids = std::vector<std::string>;
  CHECK(on(0, 1000, false) == Ids{"e1", "e2"});
  CHECK(on(0, 1000, true) == Ids{"e1", "e2", "e3"});
  CHECK(on(101, 199, false) == Ids{"e1"});  // by its ingest time
  CHECK(on(111, 200, false) == Ids{"e2"});
  CHECK(on(201, 899, false) == Ids{});
  CHECK(on(900, 900, false) == Ids{"e2"});

  // A detail touches a timeline that is watched.
  ResolveNorth(*store, false);
  CHECK(TouchedNorth(*store) == std::nullopt);
  Feed more;
  more.Add("note|e6|North|1|300", 310, "gate");
  Require(store->Apply(Script(more).batch()));
  CHECK(TouchedNorth(*store) == std::nullopt);
  ResolveNorth(*store, true);
  ResolveNorth(*store, false);  // once watched, it stays so
  Feed last;
  last.Add("note|e7|North|1|400", 410, "door");
  Require(store->Apply(Script(last).batch()));
  CHECK(TouchedNorth(*store) == TimeSpan{Minute(400), Minute(410)});

  // What goes touches it, too, and is no longer there.
  ResolveNorth(*store, false);
  const std::vector<ElementId> gone = {IdOf(script[1].identity.order)};
  Batch<Loans> batch = Empty();
  batch.withdrawn = gone;
  Require(store->Apply(batch));
  CHECK(TouchedNorth(*store) == TimeSpan{Minute(200), Minute(900)});
  CHECK(on(0, 1000, false) == Ids{"e1"});
}

template <class Factory>
void LinksJoin(const Factory& make) {
  const auto store = make();
  Feed feed;
  feed.Add("lend|e1|North|1|100|ann", 110);
  feed.Add("lend|e2|North|2|120|bob", 130);
  feed.Add("return|e3|North|?|200", 210);
  Script script(feed);
  Require(store->Apply(script.batch()));
  const EntityKey one = script[0].entity, two = script[1].entity, unread = script[2].entity;
  const std::vector<EntityKey> all = {one, two, unread};
  const auto fresh = [&] {
    std::vector<Derived> derived;
    for (const EntityKey& entity : all) derived.push_back({.entity = entity, .summary = "all"});
    Batch<Loans> batch = Empty();
    batch.derived = derived;
    Require(store->Apply(batch));
  };
  const auto link = [&](bool drop, int64_t at, const EntityKey& from, const EntityKey& to,
                        std::string context) {
    const std::vector<LinkWrite> links = {{"North", drop, {Minute(at), from, to, std::move(context)}}};
    Batch<Loans> batch = Empty();
    batch.links = links;
    Require(store->Apply(batch));
    Require(store->Apply(batch));
  };
  const auto stale = [&] {
    std::vector<EntityKey> entities;
    for (const EntityHistory& entity : History(*store, {.stale = true}).entities)
      entities.push_back(entity.entity);
    std::sort(entities.begin(), entities.end());
    return entities;
  };
  const auto sorted = [](std::vector<EntityKey> entities) {
    std::sort(entities.begin(), entities.end());
    return entities;
  };
  using Ids = std::vector<std::string>;
  const auto events = [&](const EntityKey& entity) {
    return EventIds(History(*store, {.entities = {&entity, 1}, .whole = true}).elements);
  };

  fresh();
  link(false, 200, unread, two, "late");
  CHECK(stale() == sorted({two, unread}));
  CHECK(events(two) == Ids{"e2", "e3"});
  CHECK(events(unread) == Ids{});
  const auto history = History(*store, {.entities = all});
  REQUIRE(history.entities.size() == 3);
  CHECK(history.contexts == std::vector<std::string_view>{"late"});
  CHECK(history.entities[0].contexts_end == 0);
  CHECK(history.entities[1].contexts_end == 1);
  CHECK(history.entities[1].summary.empty());

  // What comes for the one makes the other stale, and is added to its summary.
  fresh();
  Feed more;
  more.Add("return|e4|North|?|200", 220, "gate");
  Script copy(more);
  copy[0].standing.fate = Fate::kSilver;
  Require(store->Apply(copy.batch()));
  CHECK(stale() == sorted({two, unread}));
  CHECK(EventIds(History(*store, {.entities = {&two, 1}}).elements).back() == "e4");

  // The first link of an entity holds.
  link(false, 150, unread, one, "");
  CHECK(events(one) == Ids{"e1", "e3", "e4"});
  CHECK(events(two) == Ids{"e2"});
  link(true, 150, unread, one, "");
  CHECK(events(two) == Ids{"e2", "e3", "e4"});
  fresh();
  link(true, 200, unread, two, "late");
  CHECK(stale() == sorted({two, unread}));
  CHECK(events(two) == Ids{"e2"});
  CHECK(events(unread) == Ids{"e3", "e4"});
}

inline std::vector<int64_t> Offsets(Store<Loans>& store, BronzeQuery query) {
  std::vector<int64_t> offsets;
  std::string after;
  for (bool more = true; more;) {
    BronzeAnswer answer;
    query.after = after;
    Require(store.Bronze(query, answer));
    for (const BronzeAnswer::Kept& kept : answer.records) {
      offsets.push_back(kept.record.at.offset);
      CHECK(kept.id.at == kept.record.at);
      if (kept.has_payload) CHECK(kept.id.payload == Sha256(kept.record.payload));
    }
    after = answer.after;
    more = answer.more;
  }
  std::sort(offsets.begin(), offsets.end());
  return offsets;
}

// Records come back as they came, by their ids, by what is in quarantine, and all of them, page by page.
template <class Factory>
void RecordsAsTheyCame(const Factory& make) {
  const auto store = make();
  Feed feed;
  feed.Add("visit|e1|North||1", 1).key = "East";
  feed.Add("steal|e2|North|1|2", 2).connection_id = "c2";
  feed.Add("", 3);
  Script script(feed);
  Require(store->Apply(script.batch()));
  using Offset = std::vector<int64_t>;
  CHECK(Offsets(*store, {.records_max = 1}) == Offset{0, 1, 2});
  CHECK(Offsets(*store, {.quarantined = true, .records_max = 1}) == Offset{1, 2});
  const std::vector<Digest> ids = {QuarantineId(IdOf(script[1].identity.order)),
                                   QuarantineId(IdOf(script[0].identity.order)), Sha256("none")};
  CHECK(Offsets(*store, {.quarantine_ids = ids}) == Offset{1});  // the first is in Silver
  const std::vector<RecordId> records = {script.writes()[0].id, {{"desk", 0, 9}, Sha256("")}};
  CHECK(Offsets(*store, {.records = records}) == Offset{0});
  BronzeAnswer answer;
  Require(store->Bronze({.quarantine_ids = ids}, answer));
  const BronzeRecord& record = answer.records.at(0).record;
  CHECK(answer.records[0].has_payload);
  CHECK(record.payload == feed.records()[1].payload);
  CHECK(ArrivalOf(record) == ArrivalOf(feed.records()[1]));
}

// Each is kept once; an element that was reviewed has a row in quarantine beside its own.
template <class Factory>
void ReviewsAreKept(const Factory& make) {
  const auto store = make();
  Feed feed;
  feed.Add("steal|e1|North|1|2", 2);
  Script script(feed);
  Require(store->Apply(script.batch()));
  const ElementId id = IdOf(script[0].identity.order);
  std::vector<Review> reviews(2);
  SetElement(id, reviews[0]);
  reviews[0].number = 1, reviews[0].payload = "note|e1|North|1|2", reviews[0].reviewed_by = "ann";
  reviews[1] = {.subject = Sha256("unit"), .number = 1, .kind = ReviewKind::kAnswer};
  reviews[1].business_key = Sha256("key"), reviews[1].rejected.resize(2);
  reviews[1].rejected[1].Set(2, 7);
  auto batch = Empty();
  batch.reviews = reviews;
  for (int times = 0; times < 2; ++times) Require(store->Apply(batch));
  CHECK(Seen(*store, {}).checkpoint.reviews == 2);
  CHECK(Lines(*store, kReviewsTable).size() == 2);
  const std::vector<Digest> subjects = {reviews[1].subject, Sha256("other"), reviews[1].subject};
  CHECK(Known(*store, {.subjects = subjects}).reviews == std::vector<Review>{reviews[1]});
  CHECK(Known(*store, {.all_reviews = true}).reviews.size() == 2);

  const auto rows = [&] {
    return std::pair(Lines(*store, Loans::kSilverTables[0]).size(), Lines(*store, kQuarantineTable));
  };
  CHECK(rows().second.at(0).find(R"("status":"NEW")") != std::string::npos);
  const Reviewed review{.payload = "note", .reviewed_by = "ann", .violations = R"(["WAS"])"};
  script[0].violations = {}, script[0].standing = {}, script[0].review = &review;
  const std::vector<LoanElement> elements = {script[0]};
  batch = Empty();
  batch.elements = elements;
  Require(store->Apply(batch));
  CHECK(rows().first == 1);
  const std::string row = rows().second.at(0);
  for (const char* part : {R"("status":"REPLAYED")", R"("violations":["WAS"])", R"("raw_payload":"steal|)",
                           R"("repaired_payload":"note")", R"("reviewed_by":"ann")"}) {
    CHECK(row.find(part) != std::string::npos);
  }
  CHECK(BooksOf(*store).fates[Fate::kSilver] == 1);
  CHECK(BooksOf(*store).elements == 1);
  const std::vector<ElementId> withdrawn = {id};
  batch = Empty();
  batch.withdrawn = withdrawn;
  Require(store->Apply(batch));
  CHECK((rows().first == 0 && rows().second.empty()));
}

template <class Factory>
void LargeBatch(const Factory& make) {
  const auto store = make();
  constexpr size_t kRecords = 20'000;
  Feed feed;
  for (size_t i = 0; i < kRecords; ++i) {
    feed.Add("visit|e" + std::to_string(i) + "|North||" + std::to_string(i) + "|ann", 100);
  }
  Script script(feed);
  Require(store->Apply(script.batch()));
  CHECK(BooksOf(*store).fates[Fate::kSilver] == kRecords);
  const auto known = Known(*store, {.arrived = script.elements()});
  CHECK(known.glances.size() == kRecords);
  CHECK(std::all_of(known.glances.begin(), known.glances.end(),
                    [](const Glance& glance) { return glance.has_winner; }));
}

// A stuck sender: if a glance looked at every copy, this would take minutes.
template <class Factory>
void ManyCopies(const Factory& make) {
  const auto store = make();
  constexpr int64_t kCopies = 30'000;
  const bool one_id = GENERATE(true, false);
  CAPTURE(one_id);
  Feed feed;
  for (int64_t i = 0; i < kCopies; ++i) {
    feed.Add("visit|e" + std::to_string(one_id ? 0 : i) + "|North||50|ann", 100 + i);
  }
  const toy::Options options;
  Runner<Loans> runner(*store, options);
  const std::span<const BronzeRecord> records = feed.records();
  for (size_t i = 0; i < records.size(); i += 100) Require(runner.Take(records.subspan(i, 100), ""));
  const FateCounts fates = BooksOf(*store).fates;
  CHECK(fates[Fate::kSilver] == 1);
  CHECK(fates[one_id ? Fate::kTechnicalDuplicate : Fate::kBusinessDuplicate] == kCopies - 1);
}

template <class Factory>
void StoreSuite(const Factory& make) {
  SECTION("a fresh store knows nothing") { FreshStore(make); }
  SECTION("all of a batch is there") { OneBatch(make); }
  SECTION("a batch repeated changes nothing") { RepeatedBatch(make); }
  SECTION("the clock never goes back, positions are kept by source") { ClockAndPositions(make); }
  SECTION("what is withdrawn goes before elements come") { Withdrawal(make); }
  SECTION("an element that stands otherwise moves to its table") { FateChanges(make); }
  SECTION("a glance tells the winner and who had the event id first") { Glances(make); }
  SECTION("members of units and elements of records") { Members(make); }
  SECTION("a history is what is in Silver or in conflict") { Histories(make); }
  SECTION("entities are stale until they are derived") { StaleEntities(make); }
  SECTION("a summary stands for what it was made of") { Summaries(make); }
  SECTION("timelines are touched, and read in parts") { TimelinesAreTouched(make); }
  SECTION("links join entities") { LinksJoin(make); }
  SECTION("Gold rows are inserted, updated, deleted, sorted by key") { GoldRows(make); }
  SECTION("due rows are found up to an instant") { DueRows(make); }
  SECTION("texts are bytes") { Texts(make); }
  SECTION("rows are sorted by coordinate") { Coordinates(make); }
  SECTION("reading, and the run log") { Reading(make); }
  SECTION("records come back as they came") { RecordsAsTheyCame(make); }
  SECTION("reviews are kept, and shown") { ReviewsAreKept(make); }
  SECTION("a large batch") { LargeBatch(make); }
  SECTION("many copies of one fact") { ManyCopies(make); }
}

}  // namespace medallion::suite
