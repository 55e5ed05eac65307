// Native events: every rule of the ledger domain, section 2, that judges a row by itself.
#include <string>
#include <string_view>
#include <utility>

#include "medallion/ledger/identify.h"
#include "medallion/ledger/validate.h"
#include "tests/ledger/one_record.h"

namespace medallion::ledger {
namespace {

constexpr std::string_view kEvent =
    "{'event_id':'e1','event_type':'TransferPosted','schema_version':1,'ledger':'main','account_id':'A-1',"
    "'account_version':2,'transfer_id':'t1','leg':'D','counterparty_account_id':'A-2','amount_minor':'12500',"
    "'asset':'EUR','effective_at':'2026-03-01T09:00:00Z','recorded_at':'2026-03-01T09:00:01+00:00'}";

// The event with one piece of its text replaced.
std::string With(std::string_view from, std::string_view to) {
  std::string text(kEvent);
  const size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

TEST_CASE("ledger refine: a native event becomes a row with all its fields") {
  const OneRecord one{std::string(kEvent)};
  const LedgerEvent& row = one.row();
  CHECK(one.violations() == "");
  CHECK(one.element().standing.fate == Fate::kSilver);
  CHECK(row.event_id == "e1");
  CHECK(row.event_type == EventType::kTransferPosted);
  CHECK(row.ledger == "main");
  CHECK(row.account_id == "A-1");
  CHECK(row.account_version == 2);
  CHECK(row.transfer_id == "t1");
  CHECK(row.leg == Side::kDebit);
  CHECK(row.counterparty_account_id == "A-2");
  CHECK(one.amount() == "12500");
  CHECK(row.asset == "EUR");
  CHECK(FormatTime(row.effective_at) == "2026-03-01T09:00:00.000000Z");
  CHECK(FormatTime(row.recorded_at) == "2026-03-01T09:00:01.000000Z");
  CHECK(row.ingest_ts == row.recorded_at);  // nobody gave another
  CHECK(one.element().entity == AccountKey("main", "A-1"));
  CHECK(Hex(row.business_key) == Hex(Sha256("native|main|A-1|2")));
}

TEST_CASE("ledger rules: each rejects what breaks it, with all codes in the order of the table") {
  struct Case {
    std::string event;
    const char* codes;
  };
  const std::string overflow = "'amount_minor':'1000000000000000000000000000000000001'";  // 10^36 + 1
  for (const Case& c : std::initializer_list<Case>{
           {"{'event_id':", R"(["CORRUPT_PAYLOAD"])"},
           {"[1,2]", R"(["CORRUPT_PAYLOAD"])"},
           {"{\"a\":tru}", R"(["CORRUPT_PAYLOAD"])"},
           {"{\"a\":01}", R"(["CORRUPT_PAYLOAD"])"},
           {"{} {}", R"(["CORRUPT_PAYLOAD"])"},
           {With("'ledger':'main'", "'ledger':'main','ledger':'other'"), R"(["CORRUPT_PAYLOAD"])"},
           {With("'event_id':'e1',", ""), R"(["MISSING_EVENT_ID"])"},
           {With("'account_id':'A-1',", ""), R"(["MISSING_ACCOUNT_ID"])"},
           {With("'account_version':2,", ""), R"(["MISSING_VERSION"])"},
           {With("'account_version':2", "'account_version':null"), R"(["MISSING_VERSION"])"},
           {With("'amount_minor':'12500',", ""), R"(["MISSING_AMOUNT"])"},
           {With("'12500'", "''"), R"(["MISSING_AMOUNT"])"},
           {With("'e1'", "''"), R"(["MISSING_EVENT_ID"])"},  // an empty text says nothing
           {With("'A-1'", "''"), R"(["MISSING_ACCOUNT_ID"])"},
           {With("'main'", "''"), R"(["SCHEMA_MISMATCH"])"},
           {With("'EUR'", "''"), R"(["ASSET_UNKNOWN"])"},
           {With("'effective_at':'2026-03-01T09:00:00Z',", ""), R"(["MISSING_TIME"])"},
           {With("'recorded_at':'2026-03-01T09:00:01+00:00'", "'recorded_at':null"), R"(["MISSING_TIME"])"},
           {With("TransferPosted", "TransferLost"), R"(["UNKNOWN_EVENT_TYPE"])"},
           {With("'schema_version':1", "'schema_version':9"), R"(["SCHEMA_MISMATCH"])"},
           {With("'leg':'D'", "'leg':'debit'"), R"(["SCHEMA_MISMATCH"])"},
           {With("'leg':'D',", ""), R"(["SCHEMA_MISMATCH"])"},
           {With("'account_version':2", "'account_version':0"), R"(["SCHEMA_MISMATCH"])"},
           {With("'account_version':2", "'account_version':2.0"), R"(["SCHEMA_MISMATCH"])"},
           {With("09:00:00Z", "09:00:00"), R"(["SCHEMA_MISMATCH"])"},  // no offset: no RFC 3339
           {With("'e1'", "'" + std::string(65, 'e') + "'"), R"(["SCHEMA_MISMATCH"])"},
           {With("'main'", "'" + std::string(33, 'm') + "'"), R"(["SCHEMA_MISMATCH"])"},
           {With("'12500'", "12500.0"), R"(["AMOUNT_NOT_INTEGER_MINOR"])"},  // a float is never rounded
           {With("'12500'", "1.25e4"), R"(["AMOUNT_NOT_INTEGER_MINOR"])"},
           {With("'12500'", "'125.00'"), R"(["AMOUNT_NOT_INTEGER_MINOR"])"},
           {With("'12500'", "'12 500'"), R"(["AMOUNT_NOT_INTEGER_MINOR"])"},
           {With("'12500'", "true"), R"(["AMOUNT_NOT_INTEGER_MINOR"])"},
           {With("'12500'", "'-12500'"), R"(["AMOUNT_NEGATIVE"])"},
           {With("'amount_minor':'12500'", overflow), R"(["AMOUNT_OVERFLOW"])"},
           {With("'12500'", "'" + std::string(100, '9') + "'"), R"(["AMOUNT_OVERFLOW"])"},
           {With("'EUR'", "'EUX'"), R"(["ASSET_UNKNOWN"])"},
           {With("'EUR'", "'XAU'"), R"(["ASSET_UNKNOWN"])"},  // ISO gives gold no minor unit
           {With("'asset':'EUR',", ""), R"(["ASSET_UNKNOWN"])"},
           {With("'EUR'", "'EUR/3'"), R"(["ASSET_EXPONENT_MISMATCH"])"},
           {With("'A-2'", "'A-1'"), R"(["SELF_TRANSFER"])"},
           {With("'event_id':'e1','event_type':'TransferPosted'", "'event_type':'x'"),
            R"(["MISSING_EVENT_ID","UNKNOWN_EVENT_TYPE"])"},
           {With("'12500','asset':'EUR'", "'-1','asset':'?'"), R"(["AMOUNT_NEGATIVE","ASSET_UNKNOWN"])"},
       }) {
    CAPTURE(c.event);
    const OneRecord one(c.event);
    CHECK(one.violations() == c.codes);
    CHECK(one.element().standing.fate == Fate::kQuarantined);
  }
}

TEST_CASE("ledger rules: what passes, though it looks odd") {
  for (const auto& [event, amount] : std::initializer_list<std::pair<std::string, const char*>>{
           {With("'12500'", "12500"), "12500"},  // a whole JSON number is exact
           {With("'12500'", "123456789012345678901234567890"), "123456789012345678901234567890"},
           {With("'12500'", "'1000000000000000000000000000000000000'"),
            "1000000000000000000000000000000000000"},
           {With("'12500'", "'0'"), "0"},
           {With("'12500'", "'007'"), "7"},
           {With("'account_version':2", "'account_version':'2'"), "12500"},
           {With("'EUR'", "'USDC/6'"), "12500"},
           {With("'A-2'", "null"), "12500"},
           {With("'leg':'D'", "'leg':'D','unheard_of':{'a':[1.5,{}]}"), "12500"},
           {With("'event_type':'TransferPosted'", "'event_type':'TransferReleased'"), "12500"},
       }) {
    CAPTURE(event);
    const OneRecord one(event);
    CHECK(one.violations() == "");
    CHECK(one.amount() == amount);
  }
  // A release takes away what was reserved, so it needs no amount; an account's own events need none, either.
  CHECK(
      OneRecord(
          "{'event_id':'e','event_type':'TransferReleased','ledger':'m','account_id':'A','account_version':3,"
          "'reserved_transfer_id':'t','effective_at':'2026-03-01T09:00:00Z','recorded_at':"
          "'2026-03-01T09:00:00Z'}")
          .violations() == "");
}

TEST_CASE("ledger rules: flags stay on the row") {
  const auto flags = [](const std::string& event, const Options& options = Options()) {
    const OneRecord one(event, options);
    CHECK(one.violations() == "");
    return FlagsJson(one.row());
  };
  CHECK(flags(std::string(kEvent)) == "");
  CHECK(flags(With("T09:00:00Z", "T09:05:01Z")) == "");  // five minutes after recorded_at, and no more
  CHECK(flags(With("T09:00:00Z", "T09:05:01.000001Z")) == R"(["EFFECTIVE_IN_FUTURE"])");
  CHECK(flags(With("2026-03-01T09:00:00Z", "2026-01-25T09:00:01Z")) == "");  // 35 days
  CHECK(flags(With("2026-03-01T09:00:00Z", "2026-01-25T09:00:00Z")) ==
        R"(["RECORDED_BEFORE_EFFECTIVE_LIMIT"])");
  Options dated;
  dated.value_dated_bookings = true;
  CHECK(flags(With("T09:00:00Z", "T19:00:00Z"), dated) == "");
}

TEST_CASE("ledger rules: a host changes severities and adds rules of its own") {
  Options options;
  options.severities = {{"SELF_TRANSFER", Severity::kFlag}, {"EFFECTIVE_IN_FUTURE", Severity::kReject}};
  options.host_rules.push_back(
      {.code = "TOO_LARGE", .severity = Severity::kReject, .check = [](const auto& row) {
         return row.amount_minor > MinorUnits(10'000) ? Outcome::kFail : Outcome::kPass;
       }});
  CHECK(OneRecord(std::string(kEvent), options).violations() == R"(["TOO_LARGE"])");
  const std::string small = With("12500", "1");
  CHECK(OneRecord(small, options).violations() == "");
  std::string self = small;
  self.replace(self.find("'A-2'"), 5, "'A-1'");
  const OneRecord flagged(self, options);
  CHECK(flagged.violations() == "");
  CHECK(FlagsJson(flagged.row()) == R"(["SELF_TRANSFER"])");
  std::string future = small;
  future.replace(future.find("T09:00:00Z"), 10, "T19:00:00Z");
  CHECK(OneRecord(future, options).violations() == R"(["EFFECTIVE_IN_FUTURE"])");
  CHECK(RulesOf(options).size() == 17);
  // A row that nobody could key is never kept.
  options.severities = {{"MISSING_VERSION", Severity::kOff}};
  options.host_rules.clear();
  CHECK(OneRecord(With("'account_version':2,", ""), options).violations() == R"(["MISSING_VERSION"])");
}

TEST_CASE("ledger refine: a schema of the host's own names") {
  Options options;
  EventSchema schema{.version = 2, .names = {}};
  for (int field = 0; field < kFields; ++field) {
    schema.names.emplace("x_" + std::string(FieldName(static_cast<Field>(field))), static_cast<Field>(field));
  }
  options.schemas.push_back(schema);
  const OneRecord one(
      "{'x_event_id':'e1','x_event_type':'AccountOpened','schema_version':2,'x_ledger':'main','x_account_id':"
      "'A',"
      "'x_account_version':1,'x_normal_side':'D','x_effective_at':'2026-03-01T09:00:00Z','x_recorded_at':"
      "'2026-03-01T09:00:00Z'}",
      options);
  CHECK(one.violations() == "");
  CHECK(one.row().normal_side == Side::kDebit);
  CHECK(one.row().schema_version == 2);
}

TEST_CASE("ledger lines: a value alone, and one with what is beside it") {
  const std::string value(kEvent);
  const OneRecord wrapped(
      "{'key':'A-1','value':" + value +
      ",'headers':{},'topic':'bank','partition':3,'offset':77,'ingest_ts':'2026-03-02T00:00:00Z'}");
  CHECK(wrapped.violations() == "");
  CHECK(wrapped.row().at.topic == "bank");
  CHECK(wrapped.row().at.partition == 3);
  CHECK(wrapped.row().at.offset == 77);
  CHECK(FormatTime(wrapped.row().ingest_ts) == "2026-03-02T00:00:00.000000Z");
  const OneRecord text("{'value':'{\\'event_id\\':1}'}");  // JSON as text
  CHECK(text.row().event_id == "1");
  const OneRecord stamped(With("'leg'", "'_ingested_at':'2026-03-03T00:00:00Z','leg'"));
  CHECK(FormatTime(stamped.row().ingest_ts) == "2026-03-03T00:00:00.000000Z");
  const OneRecord waiting("{'value':" + value +
                          ",'_ingested_at':'2026-03-04T00:00:00Z','timestamp':1772323260000}");
  CHECK(FormatTime(waiting.row().ingest_ts) == "2026-03-04T00:00:00.000000Z");
  CHECK(OneRecord("{'payload':" + value + "}").violations() == "");
  for (const char* tombstone :
       {"null", "{'payload':null}", "{'key':'k','value':null}", "{'value':{'schema':null,'payload':null}}"}) {
    CAPTURE(tombstone);
    const OneRecord one(tombstone);
    CHECK(one.element().standing.fate == Fate::kIgnored);
    CHECK(one.element().reason == "TOMBSTONE");
  }
}

}  // namespace
}  // namespace medallion::ledger
