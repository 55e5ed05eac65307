// Balances: every flag, the reservations, the counters, both clocks; and rows of the legacy tables.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "medallion/ledger/run.h"
#include "nlohmann/json.hpp"
#include "tests/catch.h"
#include "tests/ledger/ledger_feed.h"
#include "tests/ledger/one_record.h"

namespace medallion::ledger {
namespace {

using nlohmann::json;

// A few events of account A, by what matters of them: version, type, and other fields as JSON.
class Book {
 public:
  Book& Add(int64_t version, const std::string& type, const std::string& more = "",
            const std::string& account = "A", const std::string& id = "") {
    const std::string hour = std::to_string(10 + feed_.records.size() % 10);
    std::string recorded = "2026-03-01T" + hour + ":00:00Z";
    std::string line = "{'event_id':'" + (id.empty() ? "e" + std::to_string(feed_.records.size()) : id) +
                       "','event_type':'" + type + "','ledger':'main','account_id':'" + account +
                       "','account_version':" + std::to_string(version);
    if (more.find("recorded_at") == std::string::npos) line += ",'recorded_at':'" + recorded + "'";
    if (more.find("effective_at") == std::string::npos) line += ",'effective_at':'" + recorded + "'";
    feed_.AddLine(line + (more.empty() ? "" : "," + more) + "}", recorded);
    return *this;
  }
  Book& Line(const std::string& line) {
    feed_.AddLine(line, "2026-03-01T10:00:00Z");
    return *this;
  }
  // The account's row of EUR, or its only one, at the clock.
  json Row(const std::string& account = "A", const Options& options = Options(),
           std::string_view clock = "2026-03-02T00:00:00Z") {
    MemoryStore<Ledger> store;
    Runner<Ledger> runner(store, options);
    REQUIRE(runner.Take(feed_.records, "").ok());
    REQUIRE(runner.Sweep(ParseTime(clock)->time).ok());
    json found;
    REQUIRE(store
                .Read("gold_account_balances",
                      [&](std::string_view line) {
                        json row = json::parse(line);
                        if (row["account_id"] == account && (found.is_null() || row["asset"] == "EUR"))
                          found = row;
                        return absl::OkStatus();
                      })
                .ok());
    REQUIRE(!found.is_null());
    return found;
  }
  std::string Flags(const std::string& account = "A", const Options& options = Options()) {
    return Row(account, options)["quality_flags"].dump();
  }

 private:
  testing::LedgerFeed feed_;
};

const std::string kOpened = "'normal_side':'C'";
std::string Leg(const std::string& leg, const std::string& amount, const std::string& more = "") {
  return "'leg':'" + leg + "','amount_minor':'" + amount + "','asset':'EUR'" +
         (more.empty() ? "" : "," + more);
}
Book Opened() {
  Book book;
  book.Add(1, "AccountOpened", kOpened);
  return book;
}

TEST_CASE("ledger balances: each flag, and whether it keeps the balance from being final") {
  struct Case {
    const char* flags;
    bool is_final;
    Book book;
  };
  const std::string t = "'transfer_id':'t'";
  std::vector<Case> cases;
  const auto add = [&](const char* flags, bool is_final, Book book) {
    cases.push_back({flags, is_final, std::move(book)});
  };
  add("[]", true, std::move(Opened().Add(2, "TransferPosted", Leg("C", "5"))));
  add(R"(["NORMAL_SIDE_ASSUMED"])", true, std::move(Book().Add(1, "TransferPosted", Leg("C", "5"))));
  add(R"(["ASSET_CHANGED"])", true,
      std::move(Opened()
                    .Add(2, "TransferPosted", Leg("C", "5"))
                    .Add(3, "TransferPosted", "'leg':'C','amount_minor':'1','asset':'USD'")));
  add(R"(["REPEATED_TRANSFER_LEG","UNBALANCED_TRANSFER"])", false,
      std::move(Opened()
                    .Add(2, "TransferPosted", Leg("D", "5", t))
                    .Add(3, "TransferPosted", Leg("D", "5", t))
                    .Add(1, "TransferPosted", Leg("C", "5", t), "B")));
  add("[]", true,
      std::move(Opened()
                    .Add(2, "TransferPosted", Leg("D", "5", t))
                    .Add(1, "TransferPosted", Leg("C", "5", t), "B")));
  add(R"(["UNBALANCED_TRANSFER"])", false, std::move(Opened().Add(2, "TransferPosted", Leg("D", "5", t))));
  add(R"(["UNBALANCED_TRANSFER"])", false,  // alone, though of nothing
      std::move(Opened().Add(2, "TransferPosted", Leg("D", "0", t))));
  add(R"(["UNBALANCED_TRANSFER"])", false,
      std::move(Opened()
                    .Add(2, "TransferPosted", Leg("D", "5", t))
                    .Add(1, "TransferPosted", Leg("C", "6", t), "B")));
  add(R"(["UNBALANCED_TRANSFER"])", false,  // a release needs no asset, but it is a leg of the account
      std::move(
          Opened().Add(2, "TransferPosted", Leg("C", "5")).Add(3, "TransferReleased", "'leg':'D'," + t)));
  add(R"(["CAPTURE_WITHOUT_RESERVE"])", false,
      std::move(Opened().Add(2, "TransferCaptured", Leg("D", "5", "'reserved_transfer_id':'r'"))));
  add(R"(["VERSION_GAP"])", false, std::move(Opened().Add(3, "TransferPosted", Leg("C", "5"))));
  add(R"(["VERSION_CONFLICT"])", false,
      std::move(Opened()
                    .Add(2, "TransferPosted", Leg("C", "5"))
                    .Add(3, "TransferPosted", Leg("C", "1"))
                    .Add(3, "TransferPosted", Leg("C", "2"))));
  add(R"(["CLOSED_ACCOUNT_ACTIVITY"])", true,
      std::move(Opened().Add(2, "AccountClosed").Add(3, "TransferPosted", Leg("C", "5"))));
  for (Case& c : cases) {
    CAPTURE(c.flags);
    const json row = c.book.Row();
    CHECK(row["quality_flags"].dump() == c.flags);
    CHECK(row["balance_is_final"] == c.is_final);
  }
}

TEST_CASE("ledger balances: reservations, in the order of versions") {
  const std::string reserve = Leg("D", "100", "'transfer_id':'r','counterparty_account_id':'S'");
  const auto named = [](const std::string& amount) { return Leg("D", amount, "'reserved_transfer_id':'r'"); };
  const std::string release = "'reserved_transfer_id':'r'";
  const std::string other = Leg("C", "100", "'transfer_id':'r'");  // the reservation's other leg
  struct Case {
    const char *flags, *debits, *pending, *available;
    std::vector<std::pair<std::string, std::string>> events;  // from version 3 on; 2 is a credit of 1000
  };
  for (const Case& c : std::initializer_list<Case>{
           {"[]", "0", "100", "900", {{"TransferReserved", reserve}}},
           {"[]", "60", "0", "940", {{"TransferReserved", reserve}, {"TransferCaptured", named("60")}}},
           {"[]", "0", "0", "1000", {{"TransferReserved", reserve}, {"TransferReleased", release}}},
           {R"(["CAPTURE_EXCEEDS_RESERVE"])",
            "101",
            "0",
            "899",
            {{"TransferReserved", reserve}, {"TransferCaptured", named("101")}}},
           {R"(["DOUBLE_CAPTURE"])",
            "70",
            "0",
            "930",
            {{"TransferReserved", reserve},
             {"TransferCaptured", named("60")},
             {"TransferCaptured", named("10")}}},
           {R"(["CAPTURE_AFTER_RELEASE"])",
            "10",
            "0",
            "990",
            {{"TransferReserved", reserve},
             {"TransferReleased", release},
             {"TransferCaptured", named("10")}}},
           // What comes before the reservation, by version, does not close it.
           {R"(["CAPTURE_WITHOUT_RESERVE"])",
            "10",
            "100",
            "890",
            {{"TransferCaptured", named("10")}, {"TransferReserved", reserve}}},
           {"[]", "0", "100", "900", {{"TransferReleased", release}, {"TransferReserved", reserve}}},
       }) {
    CAPTURE(c.flags, c.debits, c.pending);
    Book book = Opened();
    book.Add(2, "TransferPosted", Leg("C", "1000"));
    book.Add(1, "TransferReserved", other, "S");
    int64_t version = 3;
    for (const auto& [type, fields] : c.events) book.Add(version++, type, fields);
    const json row = book.Row();
    CHECK(row["quality_flags"].dump() == c.flags);
    CHECK(row["debits_posted"] == c.debits);
    CHECK(row["debits_pending"] == c.pending);
    CHECK(row["available"] == c.available);
  }
}

TEST_CASE("ledger balances: reversals") {
  const std::string t = "'transfer_id':'t'", back = "'reverses_transfer_id':'t'";
  const auto book = [&](const std::string& amount) {
    Book made = Opened();
    made.Add(2, "TransferPosted", Leg("D", "100", t)).Add(1, "TransferPosted", Leg("C", "100", t), "B");
    made.Add(3, "TransferReversed", Leg("C", amount, back));
    return made;
  };
  CHECK(book("100").Flags() == "[]");
  CHECK(book("100").Row()["posted"] == "0");
  const json part = book("40").Row();
  CHECK(part["quality_flags"].dump() == R"(["PARTIAL_REVERSAL"])");
  CHECK(part["detail"]["PARTIAL_REVERSAL"][0]["not_reversed"] == "60");
  CHECK(part["balance_is_final"] == false);
}

TEST_CASE(
    "ledger balances: a transfer is judged fifteen minutes after its latest leg, and by then names its due "
    "time") {
  Book book = Opened();  // 10:00; the leg at 11:00
  book.Add(2, "TransferPosted", Leg("D", "5", "'transfer_id':'t'"));
  const json before = book.Row("A", Options(), "2026-03-01T11:14:59Z");
  CHECK(before["quality_flags"].dump() == "[]");
  CHECK(before["next_due_at"] == "2026-03-01T11:15:00.000000Z");
  CHECK(before["updated_at"] == "2026-03-01T11:00:00.000000Z");
  const json after = book.Row("A", Options(), "2026-03-01T11:15:00Z");
  CHECK(after["quality_flags"].dump() == R"(["UNBALANCED_TRANSFER"])");
  CHECK(after["next_due_at"].is_null());
  CHECK(after["updated_at"] == "2026-03-01T11:15:00.000000Z");
  CHECK(after["detail"]["UNBALANCED_TRANSFER"][0]["residual"] == "-5");
}

TEST_CASE("ledger balances: a contested version counts for nobody, and shows both values") {
  const std::string same = "'effective_at':'2026-03-01T09:00:00Z'";
  Book book = Opened();
  book.Add(2, "TransferPosted", Leg("C", "10"))
      .Add(3, "TransferPosted", Leg("C", "7", same))
      .Add(3, "TransferPosted", Leg("C", "8", same))
      .Add(4, "TransferPosted", Leg("C", "1"));
  const json row = book.Row();
  CHECK(row["balance_known"] == "11");
  CHECK(row["balance_contiguous"] == "10");
  CHECK(row["contiguous_version"] == 2);
  CHECK(row["max_version"] == 4);
  CHECK(row["missing_versions"].dump() == "[]");
  CHECK(row["contested"] ==
        json::parse(R"([{"version":3,"differs":{"leg, amount_minor":["C, 7","C, 8"]}}])"));
  CHECK(row["balance_is_final"] == false);
  // As it was known when only one of the two was, nothing was contested.
  Options options;
  options.known_as_of = ParseTime("2026-03-01T12:30:00Z")->time;
  const json then = book.Row("A", options);
  CHECK(then["balance_known"] == "17");
  CHECK(then["contested"].dump() == "[]");
}

TEST_CASE("ledger balances: normal side D turns the signs, and an account without a posting has one row") {
  Book book;
  book.Add(1, "AccountOpened", "'normal_side':'D'");
  const json empty = book.Row();
  CHECK(empty["asset"].is_null());
  CHECK(empty["posted"] == "0");
  CHECK(empty["balance_is_final"] == true);
  book.Add(2, "TransferPosted", Leg("D", "30")).Add(3, "TransferPosted", Leg("C", "50"));
  book.Add(4, "TransferReserved", Leg("C", "5"));
  const json row = book.Row();
  CHECK(row["posted"] == "-20");
  CHECK(row["available"] == "-25");
  CHECK(row["min_balance"] == "-20");
  CHECK(row["overdraft_events"] == 1);
}

TEST_CASE("ledger balances: amounts beyond 64 bits add up") {
  const std::string most = "1" + std::string(36, '0');
  Book book = Opened();
  for (int version = 2; version < 300; ++version) book.Add(version, "TransferPosted", Leg("C", most));
  CHECK(book.Row()["posted"] == "298" + std::string(36, '0'));
}

TEST_CASE("ledger silver: filled values, duplicates and conflicts") {
  testing::LedgerFeed feed;
  const auto line = [&](const std::string& id, const std::string& more) {
    feed.AddLine(
        "{'event_id':'" + id +
            "','event_type':'TransferPosted','ledger':'m','account_id':'A','account_version':1,"
            "'leg':'C','amount_minor':'5','asset':'EUR','effective_at':'2026-03-01T09:00:00Z','recorded_at':"
            "'2026-03-01T09:00:00Z'" +
            more + "}",
        "2026-03-01T09:00:00Z");
  };
  line("e1", ""), line("e2", ",'counterparty_account_id':'B'"), line("e1", ""),
      line("e3", ",'correlation_id':'c'");
  MemoryStore<Ledger> store;
  const Options options;
  Runner<Ledger> runner(store, options);
  REQUIRE(runner.Take(feed.records, "").ok());
  std::string silver, audit;
  REQUIRE(
      store
          .Read("silver_ledger_events", [&](std::string_view row) { return silver += row, absl::OkStatus(); })
          .ok());
  CHECK(json::parse(silver)["counterparty_account_id"] == "B");  // the first did not know it
  CHECK(AccountingLine(*store.Books()) == "4 = 1 silver + 3 duplicates");
}

// ---- the legacy database ----

std::string Change(const std::string& op, int64_t lsn, const std::string& after,
                   const std::string& before = "null", const std::string& table = "legacy_entry") {
  return "{'before':" + before + ",'after':" + after + ",'source':{'connector':'postgresql','table':'" +
         table + "','lsn':" + std::to_string(lsn) + ",'ts_ms':" + std::to_string(1'772'359'200'000 + lsn) +
         "},'op':'" + op + "'}";
}
std::string Entry(int64_t pk, int64_t version, const std::string& amount, const std::string& side = "'C'",
                  const std::string& account = "'7'", const std::string& more = "") {
  return "{'entry_no':" + std::to_string(pk) + ",'account_no':" + account + ",'dr_cr':" + side +
         ",'amount':" + amount +
         ",'currency':'EUR','booking_ts':'2026-03-01T08:00:00Z','value_date':'2026-03-01','version':" +
         std::to_string(version) + more + "}";
}
const std::string kUnavailable = "'__debezium_unavailable_value'";

TEST_CASE("ledger legacy: a balance folds the row of each key that stands") {
  struct Case {
    const char *name, *posted, *flags;
    bool is_final;
    std::vector<std::string> lines;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"one entry", "1000", "[]", true, {Change("c", 1, Entry(1, 1, "'10'"))}},
           {"the latest version, whatever came last",
            "2000",
            "[]",
            true,
            {Change("u", 2, Entry(1, 2, "'20'")), Change("c", 1, Entry(1, 1, "'10'"))}},
           {"a snapshot and the change itself are one fact",
            "1000",
            "[]",
            true,
            {Change("r", 9, Entry(1, 1, "'10'")), Change("c", 1, Entry(1, 1, "'10.00'"))}},
           {"a deleted row is gone, and an older create does not bring it back",
            "500",
            "[]",
            true,
            {Change("c", 3, Entry(2, 1, "'5'")), Change("d", 2, "null", "{'entry_no':1,'version':1}"),
             Change("c", 1, Entry(1, 1, "'10'"))}},
           {"a delete that knows no version takes the largest before it",
            "0",
            "[]",
            true,
            {Change("c", 1, Entry(1, 1, "'10'")), Change("u", 2, Entry(1, 2, "'20'")),
             Change("d", 3, "null", "{'entry_no':1}")}},
           {"a placeholder leaves what an earlier version knew",
            "-1000",
            "[]",
            true,
            {Change("c", 1, Entry(1, 1, "'10'", "'D'")),
             Change("u", 2, Entry(1, 2, kUnavailable, kUnavailable))}},
           {"copies of one version fill each other",
            "-1000",
            "[]",
            true,
            {Change("u", 1, Entry(1, 1, "'10'", kUnavailable)),
             Change("u", 1, Entry(1, 1, kUnavailable, "'D'"))}},
           {"a contested version counts for nobody",
            "1000",
            R"(["CONFLICT"])",
            false,
            {Change("c", 1, Entry(1, 1, "'10'")), Change("u", 2, Entry(1, 2, "'20'")),
             Change("u", 2, Entry(1, 2, "'21'"))}},
           {"a null that is known is no copy of a value",
            "0",
            R"(["CONFLICT"])",
            false,
            {Change("u", 1, Entry(1, 2, "'20'", "'C'", "'7'", ",'reversal_of':9")),
             Change("u", 2, Entry(1, 2, "'20'", "'C'", "'7'", ",'reversal_of':null"))}},
           {"a lower version at a larger position is stale",
            "2000",
            R"(["STALE_VERSION"])",
            true,
            {Change("u", 2, Entry(1, 2, "'20'")), Change("c", 3, Entry(1, 1, "'10'"))}},
           {"an entry moves to another account",
            "0",
            "[]",
            true,
            {Change("c", 1, Entry(1, 1, "'10'")), Change("u", 2, Entry(1, 2, "'10'", "'C'", "'8'")),
             Change("c", 3, Entry(2, 1, "'0'"))}},
           {"a reversal in part",
            "600",
            R"(["PARTIAL_REVERSAL"])",
            false,
            {Change("c", 1, Entry(1, 1, "'10'")),
             Change("c", 2, Entry(2, 1, "'4'", "'D'", "'7'", ",'reversal_of':1"))}},
       }) {
    CAPTURE(c.name);
    Book book;
    for (const std::string& line : c.lines) book.Line(line);
    const json row = book.Row("L:7");
    CHECK(row["ledger"] == "legacy");
    CHECK(row["posted"] == c.posted);
    CHECK(row["quality_flags"].dump() == c.flags);
    CHECK(row["balance_is_final"] == c.is_final);
    CHECK(row["max_version"].is_null());
    CHECK(row["balance_contiguous"].is_null());
  }
}

json LegacyRowOf(const std::vector<std::string>& lines) {
  testing::LedgerFeed feed;
  for (const std::string& line : lines) feed.AddLine(line, "2026-03-01T10:00:00Z");
  MemoryStore<Ledger> store;
  const Options options;
  Runner<Ledger> runner(store, options);
  REQUIRE(runner.Take(feed.records, "").ok());
  std::string row;
  REQUIRE(store.Read("gold_legacy_rows", [&](std::string_view line) { return row += line, absl::OkStatus(); })
              .ok());
  return json::parse(row);
}

// The copies of one version: which of them comes first, by when it was committed, must not matter.
TEST_CASE("ledger legacy: what any copy of a version knows holds") {
  const auto headed = [](const std::string& value) {
    return "{'headers':{'__debezium.oldkey':{'entry_no':1}},'key':{'entry_no':5},'value':" + value + "}";
  };
  const auto account = [](int64_t version, const std::string& balance) {
    return "{'account_no':'7','status':'OPEN','currency':'EUR','updated_at':'2026-03-01T08:00:00Z','version'"
           ":" +
           std::to_string(version) + ",'balance':'" + balance + "'}";
  };
  const std::string reversal = ",'reversal_of':9", unknown = ",'reversal_of':" + kUnavailable;
  for (const int64_t first : {5, 7}) {
    CAPTURE(first);
    const json row = LegacyRowOf({Change("c", 1, Entry(1, 1, "'10'", "'C'", "'7'", reversal)),
                                  Change("u", first, Entry(1, 2, "'12'", "'C'", "'7'", unknown)),
                                  Change("u", 6, Entry(1, 2, "'12'", "'C'", "'7'", ",'reversal_of':null"))});
    CHECK(row["reversal_of"].is_null());  // as one of the copies says
    const json moved =
        LegacyRowOf({headed(Change("u", first, Entry(5, 2, "'10'"))), Change("u", 6, Entry(5, 2, "'10'"))});
    CHECK(moved["moved_from"] == "1");
    const json account_row =
        LegacyRowOf({Change("c", 1, account(1, "10.00"), "null", "legacy_account"),
                     Change("u", first, account(2, "20.00"), account(1, "11.50"), "legacy_account"),
                     Change("u", 6, account(2, "20.00"), "null", "legacy_account")});
    CHECK(account_row["chain_residual"] == "150");
  }
}

TEST_CASE("ledger legacy: an entry of an amount that nobody knows keeps the balance from being final") {
  Book book;
  book.Line(Change("c", 1, Entry(1, 1, "'10'")));
  book.Line(Change("u", 3, Entry(2, 2, kUnavailable)));
  CHECK(book.Row("L:7")["posted"] == "1000");
  CHECK(book.Row("L:7")["balance_is_final"] == false);
  CHECK(book.Row("L:7")["detail"] == json{{"unknown_rows", {"2"}}});
  book.Line(Change("c", 2, Entry(2, 1, "'5'")));
  CHECK(book.Row("L:7")["posted"] == "1500");
  CHECK(book.Row("L:7")["balance_is_final"] == true);
}

TEST_CASE("ledger legacy: a chain of balances that breaks names the missing minor units") {
  const auto account = [](int64_t version, const std::string& balance) {
    return "{'account_no':'7','status':'OPEN','currency':'EUR','updated_at':'2026-03-01T08:00:00Z','version'"
           ":" +
           std::to_string(version) + ",'balance':'" + balance + "'}";
  };
  Book book;
  book.Line(Change("c", 1, account(1, "10.00"), "null", "legacy_account"));
  book.Line(Change("u", 2, account(2, "12.00"), account(1, "10.00"), "legacy_account"));
  CHECK(book.Flags("L:7") == "[]");
  book.Line(Change("u", 9, account(4, "20.00"), account(3, "15.50"), "legacy_account"));
  const json row = book.Row("L:7");
  CHECK(row["quality_flags"].dump() == R"(["CHAIN_BREAK"])");
  CHECK(row["detail"]["CHAIN_BREAK"][0]["residual"] == "350");
  CHECK(row["balance_is_final"] == false);
}

TEST_CASE("ledger legacy: a row whose key moved carries where it came from") {
  testing::LedgerFeed feed;
  const auto add = [&](const std::string& value, const std::string& key, const std::string& headers) {
    feed.AddLine("{'headers':" + headers + ",'key':" + key + ",'value':" + value + "}",
                 "2026-03-01T10:00:00Z");
  };
  add(Change("c", 1, Entry(1, 1, "'10'")), "{'entry_no':1}", "{'x':'y'}");
  add(Change("d", 2, "null", "{'entry_no':1}"), "{'entry_no':1}", "{'__debezium.newkey':{'entry_no':5}}");
  add(Change("c", 3, Entry(5, 2, "'10'")), "{'entry_no':5}", "{'__debezium.oldkey':{'entry_no':1}}");
  MemoryStore<Ledger> store;
  const Options options;
  Runner<Ledger> runner(store, options);
  REQUIRE(runner.Take(feed.records, "").ok());
  LegacyRow key;
  key.table = LegacyTable::kEntry, key.pk = "5";
  const auto moved = store.Find<LegacyRow>(RowKey(key));
  REQUIRE(moved.has_value());
  CHECK(moved->moved_from == "1");
  CHECK_FALSE(moved->deleted);
  key.pk = "1";
  const auto gone = store.Find<LegacyRow>(RowKey(key));
  REQUIRE(gone.has_value());
  CHECK(gone->deleted);
  CHECK(gone->moved_to == "5");
  CHECK(gone->version == 1);
}

TEST_CASE("ledger legacy: a transaction that ended tells how many of its events are missing") {
  Book book;
  const auto in = [](std::string change, int order) {
    change.pop_back();
    return change + ",'transaction':{'id':'t7','total_order':" + std::to_string(order) + "}}";
  };
  testing::LedgerFeed feed;
  const auto add = [&](const std::string& line) { feed.AddLine(line, "2026-03-01T10:00:00Z"); };
  add(in(Change("c", 1, Entry(1, 1, "'10'")), 1));
  add(in(Change("c", 1, Entry(1, 1, "'10'")), 1));          // again
  add(in(Change("c", 2, Entry(2, 1, "12.5")), 2));          // rejected, but it came
  add(in(Change("c", 3, "{'id':1}", "null", "other"), 3));  // ignored, but it came
  add("{'status':'END','id':'t7','ts_ms':1772359200000,'event_count':5,'data_collections':[]}");
  MemoryStore<Ledger> store;
  const Options options;
  Runner<Ledger> runner(store, options);
  for (const BronzeRecord& record : feed.records) REQUIRE(runner.Take({&record, 1}, "").ok());
  SourceTransaction key;
  key.tx_id = "t7";
  const auto row = store.Find<SourceTransaction>(RowKey(key));
  REQUIRE(row.has_value());
  CHECK(row->announced == 5);
  CHECK(row->arrived == 3);
  CHECK(row->missing == 2);
}

}  // namespace
}  // namespace medallion::ledger
