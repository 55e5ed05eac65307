// Change records in the shapes that Debezium documents for its PostgreSQL and MySQL connectors, with values of our own.
// Sources: debezium.io, "Debezium connector for PostgreSQL" and "… for MySQL": data change events, data type mappings,
// transaction metadata, toasted values, tombstones, primary key updates, truncate and message events; "Schema changes
// topic"; Kafka Connect's JSON converter.
#include <string>
#include <string_view>
#include <utility>

#include "medallion/ledger/identify.h"
#include "tests/ledger/one_record.h"

namespace medallion::ledger {
namespace {

constexpr std::string_view kPostgres =
    "'source':{'version':'2.7.0.Final','connector':'postgresql','name':'bank','ts_ms':1772359201000,"
    "'ts_us':1772359201000123,'ts_ns':1772359201000123456,'snapshot':'false','db':'core','sequence':"
    "'[\\'24023119\\',\\'24023128\\']','schema':'public','table':'legacy_entry','txId':571,'lsn':24023128,"
    "'xmin':null}";
constexpr std::string_view kMysql =
    "'source':{'version':'2.7.0.Final','connector':'mysql','name':'bank','ts_ms':1772359201000,'snapshot':'"
    "false',"
    "'db':'core','table':'legacy_entry','server_id':223344,'gtid':null,'file':'mysql-bin.000003','pos':484,'"
    "row':1,"
    "'thread':7,'query':null}";
constexpr std::string_view kImage =
    "{'entry_no':1004,'account_no':'77','dr_cr':'D','amount':'12.50','currency':'EUR',"
    "'booking_ts':1772359200000000,'value_date':20513,'version':3,'reversal_of':null}";

std::string Envelope(std::string_view before, std::string_view after, std::string_view op,
                     std::string_view source = kPostgres, std::string_view more = "") {
  return "{'before':" + std::string(before) + ",'after':" + std::string(after) + "," + std::string(source) +
         ",'op':'" + std::string(op) + "','ts_ms':1772359999000" + std::string(more) + "}";
}

std::string WithVersion(const std::string& version) {
  std::string image(kImage);
  return image.replace(image.find("'version':3") + 10, 1, version);
}

TEST_CASE("ledger change: a PostgreSQL create becomes a posting of its account") {
  const OneRecord one(Envelope("null", kImage, "c"));
  CHECK(one.violations() == "");
  const LedgerEvent& row = one.row();
  CHECK(row.event_id == "legacy_entry:1004:3");
  CHECK(row.event_type == EventType::kTransferPosted);
  CHECK(row.ledger == "legacy");
  CHECK(row.account_id == "L:77");
  CHECK(row.leg == Side::kDebit);
  CHECK(row.normal_side == Side::kCredit);
  CHECK(one.amount() == "1250");
  CHECK(row.asset == "EUR");
  CHECK_FALSE(row.account_version.has_value());  // a row's version is no account's
  CHECK(FormatTime(row.effective_at) == "2026-03-01T00:00:00.000000Z");
  CHECK(FormatTime(row.recorded_at) == "2026-03-01T10:00:00.000000Z");  // booking_ts
  CHECK(one.change().row_version == 3);
  CHECK(one.change().op == Op::kCreate);
  CHECK(one.change().position.lsn == 24023128);
  CHECK(one.element().entity == LegacyRowKey(LegacyTable::kEntry, "1004"));
  CHECK(Hex(row.business_key) == Hex(Sha256("legacy_entry|1004|3")));
}

TEST_CASE("ledger change: each documented shape, and what becomes of it") {
  const std::string image(kImage);
  const std::string heartbeat = "{'ts_ms':1772359200000}";
  const std::string message = "{'op':'m','ts_ms':1772359200000," + std::string(kPostgres) +
                              ",'message':{'transactional':true,'prefix':'audit','content':'aGVsbG8='}}";
  const std::string ddl =
      "{'source':{'connector':'mysql','name':'bank','ts_ms':1772359200000},'ts_ms':1772359200000,'"
      "databaseName':"
      "'core','schemaName':null,'ddl':'ALTER TABLE legacy_entry ADD note "
      "TEXT','tableChanges':[{'type':'ALTER',"
      "'id':'\\'core\\'.\\'legacy_entry\\'','table':{}}]}";
  struct Case {
    const char* name;
    std::string line;
    Fate fate;
    const char* said;  // the reason, or the codes
  };
  for (const Case& c : std::initializer_list<Case>{
           {"create", Envelope("null", image, "c"), Fate::kSilver, ""},
           {"update, key only before", Envelope("{'entry_no':1004}", image, "u"), Fate::kSilver, ""},
           {"update, no before", Envelope("null", image, "u"), Fate::kSilver, ""},
           {"snapshot read", Envelope("null", image, "r"), Fate::kSilver, ""},
           {"delete, key only", Envelope("{'entry_no':1004}", "null", "d"), Fate::kSilver, ""},
           {"delete, whole image", Envelope(image, "null", "d"), Fate::kSilver, ""},
           {"MySQL create", Envelope("null", image, "c", kMysql), Fate::kSilver, ""},
           {"with its schema",
            "{'schema':{'type':'struct','fields':[],'optional':false,'name':'bank.public.legacy_entry."
            "Envelope'},"
            "'payload':" +
                Envelope("null", image, "c") + "}",
            Fate::kSilver, ""},
           {"tombstone", "null", Fate::kIgnored, "TOMBSTONE"},
           {"truncate", Envelope("null", "null", "t"), Fate::kQuarantined, R"(["TRUNCATE_UNSUPPORTED"])"},
           {"logical message", message, Fate::kIgnored, "LOGICAL_MESSAGE"},
           {"schema change", ddl, Fate::kIgnored, "SCHEMA_CHANGE"},
           {"heartbeat", heartbeat, Fate::kIgnored, "HEARTBEAT"},
           {"transaction begin",
            "{'status':'BEGIN','id':'571:53195829','ts_ms':1772359200000,'event_count':null,'data_"
            "collections':null}",
            Fate::kIgnored, "TRANSACTION_BEGIN"},
           {"transaction end",
            "{'status':'END','id':'571:53195832','ts_ms':1772359200000,'event_count':2,'data_collections':["
            "{'data_collection':'public.legacy_entry','event_count':1},"
            "{'data_collection':'public.legacy_account','event_count':1}]}",
            Fate::kIgnored, "TRANSACTION_END"},
           {"another op", Envelope("null", image, "z"), Fate::kQuarantined, R"(["UNKNOWN_EVENT_TYPE"])"},
           {"no version", Envelope("null", WithVersion("null"), "c"), Fate::kQuarantined,
            R"(["MISSING_VERSION"])"},
           {"a version that is no whole number", Envelope("null", WithVersion("1.5"), "c"),
            Fate::kQuarantined, R"(["SCHEMA_MISMATCH"])"},
           {"a negative version", Envelope("null", WithVersion("-1"), "c"), Fate::kQuarantined,
            R"(["SCHEMA_MISMATCH"])"},
           {"no after", Envelope("null", "null", "c"), Fate::kQuarantined, R"(["SCHEMA_MISMATCH"])"},
       }) {
    CAPTURE(c.name);
    const OneRecord one(c.line);
    CHECK(one.element().standing.fate == c.fate);
    CHECK(std::string(one.element().reason) + one.violations() == c.said);
  }
  std::string other(kPostgres);
  other.replace(other.find("legacy_entry"), 12, "customers");
  const OneRecord foreign(Envelope("null", "{'id':1}", "c", other));
  CHECK(foreign.element().reason == "TABLE_NOT_MAPPED");
}

TEST_CASE("ledger change: decimals as Debezium encodes them") {
  const auto with_schema = [](const std::string& amount, const std::string& type) {
    std::string image(kImage);
    image.replace(image.find("'12.50'"), 7, amount);
    return "{'schema':{'type':'struct','fields':[{'type':'struct','optional':true,'field':'after','fields':["
           "{'type':'int32','optional':false,'field':'entry_no'}," +
           type + "]}]},'payload':" + Envelope("null", image, "c") + "}";
  };
  const std::string precise =
      "{'type':'bytes','optional':false,'name':'org.apache.kafka.connect.data.Decimal','version':1,'"
      "parameters':"
      "{'scale':'2','connect.decimal.precision':'12'},'field':'amount'}";
  const std::string variable =
      "{'type':'struct','optional':false,'name':'io.debezium.data.VariableScaleDecimal','version':1,'fields':"
      "["
      "{'type':'int32','field':'scale'},{'type':'bytes','field':'value'}],'field':'amount'}";
  const std::string text = "{'type':'string','optional':false,'field':'amount'}";
  const std::string real = "{'type':'double','optional':false,'field':'amount'}";
  struct Case {
    std::string amount, type;
    const char *minor, *codes;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"'BOI='", precise, "1250", ""},  // 0x04E2
           {"'AA=='", precise, "0", ""},
           {"'AIA='", precise, "128", ""},  // 0x0080: the leading zero keeps the sign
           {"'/w=='", precise, "null", R"(["AMOUNT_NEGATIVE"])"},
           {"'!!'", precise, "null", R"(["AMOUNT_NOT_INTEGER_MINOR"])"},
           {"{'scale':2,'value':'BOI='}", variable, "1250", ""},
           {"{'scale':0,'value':'DA=='}", variable, "1200", ""},
           {"{'scale':-1,'value':'DA=='}", variable, "12000", ""},
           {"{'scale':3,'value':'MNk='}", variable, "null", R"(["ASSET_EXPONENT_MISMATCH"])"},  // 12.505
           {"{'scale':3,'value':'MNQ='}", variable, "1250", ""},  // 12.500 loses no digit
           {"'12.50'", text, "1250", ""},
           {"'12.5'", text, "1250", ""},
           {"'12.505'", text, "null", R"(["ASSET_EXPONENT_MISMATCH"])"},
           {"'1234'", text, "123400", ""},  // valid base64, too, but the schema says text
           {"'NaN'", text, "null", R"(["AMOUNT_NOT_INTEGER_MINOR"])"},
           {"12.5", real, "null", R"(["AMOUNT_NOT_INTEGER_MINOR"])"},  // decimal.handling.mode=double
           {"12", real, "1200", ""},
           {"null", text, "null", R"(["MISSING_AMOUNT"])"},
       }) {
    CAPTURE(c.amount, c.type);
    const OneRecord one(with_schema(c.amount, c.type));
    CHECK(one.violations() == c.codes);
    CHECK(one.amount() == c.minor);
  }
  // Without a schema a text is a decimal, unless the host says that it is base64.
  std::string image(kImage);
  image.replace(image.find("'12.50'"), 7, "'BOI='");
  CHECK(OneRecord(Envelope("null", image, "c")).violations() == R"(["AMOUNT_NOT_INTEGER_MINOR"])");
  Options options;
  options.decimal_scale = 2;
  CHECK(OneRecord(Envelope("null", image, "c"), options).amount() == "1250");
}

TEST_CASE("ledger change: amounts take the exponent of their currency") {
  for (const auto& [currency, amount, minor] :
       std::initializer_list<std::tuple<const char*, const char*, const char*>>{
           {"'JPY'", "'1250'", "1250"},
           {"'EUR'", "'12.5'", "1250"},
           {"'KWD'", "'1.25'", "1250"},
           {"'CLF'", "'0.125'", "1250"},
       }) {
    std::string image(kImage);
    image.replace(image.find("'EUR'"), 5, currency).replace(image.find("'12.50'"), 7, amount);
    CAPTURE(image);
    CHECK(OneRecord(Envelope("null", image, "c")).amount() == minor);
  }
}

TEST_CASE("ledger change: times in their logical types") {
  const auto booked = [](const std::string& value, const std::string& type) {
    std::string image(kImage);
    image.replace(image.find("1772359200000000"), 16, value);
    const std::string schema = type.empty() ? "null"
                                            : "{'type':'struct','fields':[{'type':'struct','field':'after','"
                                              "fields':[{'type':'int64','name':'" +
                                                  type + "','field':'booking_ts'}]}]}";
    const OneRecord one("{'schema':" + schema + ",'payload':" + Envelope("null", image, "c") + "}");
    return one.violations() + FormatTime(one.row().recorded_at);
  };
  for (const auto& [value, type] : std::initializer_list<std::pair<const char*, const char*>>{
           {"1772359200000", "io.debezium.time.Timestamp"},
           {"1772359200000", "org.apache.kafka.connect.data.Timestamp"},
           {"1772359200000000", "io.debezium.time.MicroTimestamp"},
           {"1772359200000000999", "io.debezium.time.NanoTimestamp"},
           {"'2026-03-01T10:00:00Z'", "io.debezium.time.ZonedTimestamp"},
           {"'2026-03-01T11:00:00+01:00'", "io.debezium.time.ZonedTimestamp"},
           {"'2026-03-01T10:00:00Z'", "io.debezium.time.IsoTimestamp"},
           {"1772359200000", ""},  // without a schema by its size
           {"1772359200000000", ""},
           {"1772359200000000000", ""},
           {"'2026-03-01T10:00:00.000Z'", ""},
       }) {
    CAPTURE(value, type);
    CHECK(booked(value, type) == "2026-03-01T10:00:00.000000Z");
  }
  CHECK(booked("20513", "io.debezium.time.Date") == "2026-03-01T00:00:00.000000Z");
  CHECK(booked("20513", "org.apache.kafka.connect.data.Date") == "2026-03-01T00:00:00.000000Z");
  for (const char* far : {"-9223372036854775808", "9223372036854775807"}) {
    CHECK(booked(far, "").find("SCHEMA_MISMATCH") == std::string::npos);  // nanoseconds
  }
  CHECK(booked("'yesterday'", "").starts_with(R"(["SCHEMA_MISMATCH"])"));
  CHECK(booked("null", "").starts_with(R"(["MISSING_TIME"])"));
}

TEST_CASE("ledger change: value dates are midnights, whatever their type") {
  for (const char* value :
       {"20513", "'2026-03-01'", "'2026-03-01Z'", "1772359200000000", "'2026-03-01T10:00:00Z'"}) {
    std::string image(kImage);
    image.replace(image.find("20513"), 5, value);
    CAPTURE(image);
    CHECK(FormatTime(OneRecord(Envelope("null", image, "c")).row().effective_at) ==
          "2026-03-01T00:00:00.000000Z");
  }
}

TEST_CASE("ledger change: updates and deletes were recorded when they were committed") {
  CHECK(FormatTime(OneRecord(Envelope("null", kImage, "u")).row().recorded_at) ==
        "2026-03-01T10:00:01.000000Z");
  const OneRecord end(Envelope("{'entry_no':1004,'version':3}", "null", "d"));
  CHECK(FormatTime(end.row().recorded_at) == "2026-03-01T10:00:01.000000Z");
  CHECK(end.row().event_id == "legacy_entry:1004:3:d");
  CHECK(end.change().row_version == 3);
  CHECK(Hex(end.row().business_key) == Hex(Sha256("legacy_entry|1004|3|d")));
  // Debezium fills a delete's other columns with nulls or with what their type begins with: none of it is believed.
  CHECK(
      OneRecord(Envelope("{'entry_no':1004,'amount':'0.00','account_no':null}", "null", "d")).violations() ==
      "");
}

TEST_CASE("ledger change: a placeholder says nothing, not even null") {
  std::string image(kImage);
  image.replace(image.find("'12.50'"), 7, "'__debezium_unavailable_value'");
  const OneRecord one(Envelope("null", image, "u"));
  CHECK(one.violations() == "");
  CHECK(one.amount() == "null");
  CHECK_FALSE(one.change().Knows(LegacyColumn::kAmount));
  CHECK(one.change().Knows(LegacyColumn::kReversalOf));  // null, and known to be
  Options options;
  options.unavailable_value = "?";
  CHECK(OneRecord(Envelope("null", image, "u"), options).violations() == R"(["AMOUNT_NOT_INTEGER_MINOR"])");
}

TEST_CASE("ledger change: a key move is told by headers") {
  const std::string moved = "{'key':{'entry_no':2000},'value':" +
                            Envelope("null", "{'entry_no':2000," + std::string(kImage).substr(17), "c") +
                            ",'headers':{'__debezium.oldkey':{'entry_no':1004}}}";
  const OneRecord one(moved);
  CHECK(one.violations() == "");
  CHECK(one.change().pk == "2000");
  CHECK(one.change().moved_from == "1004");
  const OneRecord with_schema(
      "{'key':{'schema':{},'payload':{'entry_no':1004}},'value':" + Envelope("null", "null", "d") +
      ",'headers':{'__debezium.newkey':{'schema':{},'payload':{'entry_no':2000}}}}");
  CHECK(with_schema.violations() == "");
  CHECK(with_schema.change().pk == "1004");  // of the record's key, since the image is not there
  CHECK(with_schema.change().moved_to == "2000");
}

TEST_CASE("ledger change: snapshots, transactions and MySQL's positions") {
  std::string source(kMysql);
  source.replace(source.find("'snapshot':'false'"), 18, "'snapshot':true");
  const OneRecord one(Envelope("null", kImage, "r", source,
                               ",'transaction':{'id':'571','total_order':'1','data_collection_order':'1'}"));
  CHECK(one.change().snapshot == "true");
  CHECK(one.change().tx_id == "571");
  CHECK(one.change().total_order == 1);
  CHECK(one.change().position.file == "mysql-bin.000003");
  CHECK(one.change().position.pos == 484);
  CHECK(one.change().position.row == 1);
  const auto at = [](const char* file, int64_t pos) {
    return SourcePosition{.lsn = {}, .file = file, .pos = pos, .row = {}};
  };
  CHECK((Compare(at("mysql-bin.999999", 9), at("mysql-bin.1000000", 1)) < 0));
  CHECK((Compare(at("mysql-bin.000003", 4), at("mysql-bin.000003", 4)) == 0));
  CHECK((Compare(at("mysql-bin.000003", 4), at("mysql-bin.000003", 5)) < 0));
  CHECK((Compare({}, at("mysql-bin.000001", 0)) < 0));
}

TEST_CASE("ledger change: an account's row") {
  std::string source(kPostgres);
  source.replace(source.find("legacy_entry"), 12, "legacy_account");
  const auto image = [](const char* balance) {
    return "{'account_no':77,'status':'OPEN','currency':'EUR','version':4,'updated_at':'2026-03-01T09:00:00Z'"
           ",'balance':" +
           std::string(balance) + "}";
  };
  const OneRecord one(Envelope(image("'10.00'"), image("'-3.50'"), "u", source));
  CHECK(one.violations() == "");
  CHECK(one.row().event_type == EventType::kNone);
  CHECK(one.row().account_id == "L:77");
  CHECK(one.change().balance == MinorUnits(-350));
  CHECK(one.change().before_balance == MinorUnits(1000));
  CHECK(one.change().status == "OPEN");
  CHECK(OneRecord(Envelope("null", image("12.5"), "u", source)).violations() ==
        R"(["AMOUNT_NOT_INTEGER_MINOR"])");
}

}  // namespace
}  // namespace medallion::ledger
