// The command-line tool as its users run it: by its arguments, its exit code, and what it leaves behind.
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "catch.h"
#include "nlohmann/json.hpp"

namespace medallion {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const std::string kGolden = "tests/golden/ocpp/bronze.jsonl";

std::string ReadAll(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void WriteAll(const fs::path& path, std::string_view text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

bool Has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

// A directory of its own for each test.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("medallion_tool_test_" + std::to_string(::getpid()))) {
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

struct Ran {
  int code = -1;
  std::string out, err;
};

// Runs the tool by a shell, so that `arguments` may redirect; `before` sets variables.
Ran Tool(const Folder& folder, const std::string& arguments, const std::string& before = "") {
  const std::string out = folder / "stdout", err = folder / "stderr";
  const std::string command = before + " " MEDALLION_TOOL " " + arguments;
  const int status = std::system(("( " + command + " ) >" + out + " 2>" + err).c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, ReadAll(out), ReadAll(err)};
}

Ran Run(const Folder& folder, const std::string& arguments) { return Tool(folder, "ocpp run " + arguments); }

// All tables in a directory, save for those that tell of runs.
std::map<std::string, std::string> TablesIn(const fs::path& directory) {
  std::map<std::string, std::string> tables;
  for (const auto& entry : fs::directory_iterator(directory)) {
    const std::string name = entry.path().filename().string();
    if (name != "ops_run_log.jsonl" && name != "ops_dq_metrics.jsonl") tables[name] = ReadAll(entry.path());
  }
  return tables;
}

std::vector<json> Rows(const std::string& lines) {
  std::vector<json> rows;
  std::istringstream stream(lines);
  for (std::string line; std::getline(stream, line);) rows.push_back(json::parse(line, nullptr, false));
  return rows;
}

TEST_CASE("tool: the golden sample and its variants") {
  struct Case {
    std::string file;
    std::string_view accounting, session;
  };
  const Folder folder;
  for (const Case& c : std::initializer_list<Case>{
           {"bronze", "9 = 6 silver + 2 duplicates + 1 quarantined\n", "1800  COMPLETED       7.500  final "},
           {"bronze-rows-1-to-4", "4 = 2 silver + 2 duplicates\n",
            "600  IN_PROGRESS       3.000  provisional"},
           {"bronze-without-row-5", "8 = 5 silver + 2 duplicates + 1 quarantined\n",
            "900  IN_PROGRESS       6.200  provisional"},
           {"bronze-row-4-conflict", "9 = 6 silver + 1 duplicate + 2 quarantined\n",
            "1800  COMPLETED       7.500  provisional  CONFLICT"},
       }) {
    CAPTURE(c.file);
    const Ran ran = Run(folder, "--input tests/golden/ocpp/" + c.file + ".jsonl");
    CHECK(ran.code == 0);
    CHECK(ran.err.starts_with("warning: no key for id tags"));
    CHECK(!Has(ran.out, "warning"));
    CHECK(ran.out.starts_with(c.accounting));
    CHECK(Has(ran.out, c.session));
  }
  const Ran ran = Run(folder, "--input " + kGolden);
  for (const std::string_view part : {"MISSING_CHARGE_POINT_ID  1\n", "TECHNICAL  1\n", "BUSINESS   1\n",
                                      "data clock   2026-03-01T10:45:01.000000Z\n"}) {
    CAPTURE(part);
    CHECK(Has(ran.out, part));
  }
}

// A session on a line, as tests/golden/ocpp/recorded/frames-excerpt.sessions.txt has it.
std::string SessionLine(const json& row) {
  const auto text = [&](const char* name) {
    return row.at(name).is_null() ? "-" : row.at(name).get<std::string>();
  };
  std::string line = text("charge_point_id") + " " + text("transaction_id") + " " + text("session_status") +
                     " " + text("energy_kwh") +
                     (row.at("energy_is_final").get<bool>() ? " final" : " provisional");
  std::string flags;
  if (!row.at("quality_flags").is_null()) {
    for (const auto& flag : row.at("quality_flags")) {
      flags += (flags.empty() ? " " : ",") + flag.get<std::string>();
    }
  }
  return line + flags + "\n";
}

TEST_CASE("tool: recorded frames give the sessions that the back end saw") {
  const Folder folder;
  const std::string recorded = "tests/golden/ocpp/recorded/";
  REQUIRE(Run(folder, "--input " + recorded + "frames-excerpt.jsonl --out " + folder / "out").code == 0);
  const auto tables = TablesIn(folder / "out");
  std::set<std::string> sessions;
  for (const json& row : Rows(tables.at("gold_charging_sessions.jsonl"))) sessions.insert(SessionLine(row));
  std::string lines;
  for (const std::string& line : sessions) lines += line;
  CHECK(lines == ReadAll(recorded + "frames-excerpt.sessions.txt"));
  CHECK(Rows(tables.at("silver_quarantine_events.jsonl")).empty());
}

TEST_CASE("tool: equal tables are equal bytes, however they came about") {
  const Folder folder;
  const std::string feed = "tests/golden/ocpp/recorded/microocpp-excerpt.jsonl";
  REQUIRE(Run(folder, "--input " + feed + " --out " + folder / "a/b/c").code == 0);
  REQUIRE(Run(folder, "--out=" + folder / "d" + " --batch-records 7 --quiet --input=" + feed).code == 0);
  REQUIRE(Run(folder, "--input " + feed + " --batch-records 100 --out " + folder / "e" +
                          " --store sqlite:" + folder / "s")
              .code == 0);
  REQUIRE(Run(folder, "--input " + feed + " --threads 3 --batch-records 50 --out " + folder / "f" +
                          " --store sqlite:" + folder / "t")
              .code == 0);
  REQUIRE(Run(folder, "--input " + feed + " --threads 2 --batch-records 20 --out " + folder / "g").code == 0);
  const auto tables = TablesIn(folder / "a/b/c");
  CHECK(tables.size() == 12);
  CHECK(TablesIn(folder / "f") == tables);
  CHECK(TablesIn(folder / "g") == tables);
  CHECK(TablesIn(folder / "d") == tables);
  CHECK(TablesIn(folder / "e") == tables);
  CHECK(Rows(tables.at("gold_charging_sessions.jsonl")).size() == 50);
  // A table that stood there before is replaced.
  WriteAll(folder / "d/silver_ignored.jsonl", "old");
  REQUIRE(Run(folder, "--input " + feed + " --out " + folder / "d").code == 0);
  CHECK(TablesIn(folder / "d") == tables);
}

// Any line may come: it ends as one row with a reason, and the run goes on.
TEST_CASE("tool: hostile lines") {
  const Folder folder;
  const std::string head = R"("event_id":"e","charge_point_id":"CP","event_ts":"2026-03-01T10:00:00Z",)";
  const std::string meter = "{" + head + R"("event_type":"MeterValues","transaction_id":5,"meter_value":)";
  const auto nested = [&](size_t depth) { return std::string(depth, '[') + "1" + std::string(depth, ']'); };
  struct Case {
    std::string line;
    std::string_view reason;  // empty: Silver
  };
  const std::vector<Case> cases = {
      {"hello", "CORRUPT_PAYLOAD"},
      {R"({"event_id":"e1",})", "CORRUPT_PAYLOAD"},
      {R"({"event_id":"e1")", "CORRUPT_PAYLOAD"},
      {R"({"x":tru,"event_type":"Heartbeat"})", "CORRUPT_PAYLOAD"},
      {meter + "01}", "CORRUPT_PAYLOAD"},
      {"{" + head + "\"x\":\"\xff\xfe\"}", "CORRUPT_PAYLOAD"},
      {std::string("{\"a\":\"b\0c\"}", 11), "CORRUPT_PAYLOAD"},
      {std::string("\0\0\0", 3), "CORRUPT_PAYLOAD"},
      {meter + "1,\"x\":" + nested(64) + "}", "CORRUPT_PAYLOAD"},
      {meter + "1,\"x\":" + nested(100'000) + "}", "CORRUPT_PAYLOAD"},
      {std::string(200'000, '['), "CORRUPT_PAYLOAD"},
      {"{\"event_id\":\"" + std::string(10'000'000, 'x') + "\"}", "CORRUPT_PAYLOAD"},
      {std::string(17'000'000, 'y'), "CORRUPT_PAYLOAD"},
      {meter + std::string(400, '9') + "}", "INVALID_METER_VALUE"},
      {meter + "0." + std::string(400, '3') + "}", "INVALID_METER_VALUE"},
      {meter + "1e999999999999}", "INVALID_METER_VALUE"},
      {meter + "1,\"meter_value\":2}", "AMBIGUOUS_FIELD"},
      {"{" + head + R"("event_type":7})", "UNKNOWN_EVENT_TYPE"},
      {R"({"event_id":[1],"event_type":{},"charge_point_id":true,"event_ts":5})", "MISSING_EVENT_ID"},
      {R"({"topic":"t","partition":0,"offset":7})", "CORRUPT_PAYLOAD"},
      {R"({"topic":"t","offset":8,"payload":null})", "CORRUPT_PAYLOAD"},
      {R"({"topic":"t","offset":9,"payload":5})", "CORRUPT_PAYLOAD"},
      {R"({"topic":"t","offset":"x","partition":99999999999,"payload":"{}"})", "MISSING_EVENT_ID"},
      {"[1,2]", "CORRUPT_PAYLOAD"},
      {"null", "CORRUPT_PAYLOAD"},
      {"\"\"", "CORRUPT_PAYLOAD"},
      {"{}", "MISSING_EVENT_ID"},
      {"{" + head + R"("event_type":"Heartbeat"})" + "\r", ""},
      {meter + "1,\"x\":" + nested(63) + "}", ""},
      {meter + "2,\"event_id\":\"e\",\"transaction_id\":6}", "AMBIGUOUS_FIELD"},
  };
  std::string feed =
      "\xEF\xBB\xBF{" + head + R"("event_type":"Heartbeat","charge_point_id":"CP"})" + "\n\n \r\n";
  for (const Case& c : cases) feed += c.line + "\n";
  feed += R"({"event_id":"last","event_type":"Heartbeat","charge_point_id":"CP2",)"
          R"("event_ts":"2026-03-01T10:00:00Z"})";
  WriteAll(folder / "feed", feed);

  const Ran ran = Run(folder, "--input " + folder / "feed" + " --out " + folder / "out");
  REQUIRE(ran.code == 0);
  CHECK(ran.out.starts_with(std::to_string(cases.size() + 2) + " = "));
  std::map<std::pair<std::string, int64_t>, std::string> reasons;
  for (const json& row : Rows(ReadAll(folder / "out/silver_quarantine_events.jsonl"))) {
    REQUIRE(row.is_object());
    reasons[{row["topic"], row["offset"]}] = row["violations"][0];
  }
  int64_t line = 3;  // two blank lines came first
  for (const Case& c : cases) {
    ++line;
    CAPTURE(line, c.line.substr(0, 100));
    const bool wrapped = c.line.starts_with("{\"topic\"");
    const json row = wrapped ? json::parse(c.line) : json();
    const bool has_offset = wrapped && row["offset"].is_number();
    const auto found =
        reasons.find({wrapped ? "t" : "feed", has_offset ? row["offset"].get<int64_t>() : line});
    CHECK((found == reasons.end() ? "" : found->second) == c.reason);
  }
}

TEST_CASE("tool: nothing in, nothing out") {
  const Folder folder;
  WriteAll(folder / "empty", "");
  const Ran ran = Run(folder, "--input " + folder / "empty" + " --out " + folder / "out");
  CHECK(ran.code == 0);
  CHECK(ran.out.starts_with("0 = 0 silver\n"));
  CHECK(fs::file_size(folder / "out/silver_charging_events.jsonl") == 0);
}

TEST_CASE("tool: when the world fails it says what, where and how to go on") {
  const Folder folder;
  WriteAll(folder / "file", "not a store, not a directory, and long enough to be neither by mistake");
  const std::string golden = "--input " + kGolden;
  struct Case {
    std::string arguments;
    std::string says;
  };
  for (const Case& c : std::vector<Case>{
           {"--input " + folder / "missing", "cannot open " + folder / "missing" + ": No such file"},
           {golden + " " + folder / "missing", "cannot open " + folder / "missing"},
           {"--input " + folder / "", "it is a directory"},
           {golden + " --out " + folder / "file/x", "cannot make the directory " + folder / "file/x"},
           {golden + " --out " + folder / "file", "cannot"},
           {golden + " --out /proc/nowhere", "cannot make the directory /proc/nowhere"},
           {golden + " --config " + folder / "missing", "cannot open " + folder / "missing"},
           {golden + " --store sqlite:" + folder / "no/such/store", folder / "no/such/store"},
           {golden + " --store sqlite:" + folder / "file", folder / "file"},
       }) {
    CAPTURE(c.arguments);
    const Ran ran = Run(folder, c.arguments);
    CAPTURE(ran.err);
    CHECK(ran.code == 1);
    CHECK(ran.out.empty());
    CHECK(Has(ran.err, c.says));
    CHECK(Has(ran.err, "Nothing was read or written. Mend this and run again."));
  }
  // Found before the run starts: no store was made.
  Run(folder, golden + " --out " + folder / "file/x" + " --store sqlite:" + folder / "store");
  CHECK(!fs::exists(folder / "store"));
  if (fs::exists("/dev/full")) CHECK(Tool(folder, "ocpp run " + golden + " >/dev/full").code == 1);
}

TEST_CASE("tool: a table that cannot be written leaves the old ones") {
  const Folder folder;
  REQUIRE(Run(folder, "--input " + kGolden + " --out " + folder / "out").code == 0);
  const auto before = TablesIn(folder / "out");
  fs::create_directories(folder / "out/gold_charging_sessions.jsonl.partial/x");
  const Ran ran = Run(folder, "--input tests/golden/ocpp/bronze-rows-1-to-4.jsonl --out " + folder / "out");
  CHECK(ran.code == 1);
  CHECK(Has(ran.err, "cannot write " + folder / "out/gold_charging_sessions.jsonl.partial"));
  CHECK(Has(ran.err, "Nothing was written."));
  fs::remove_all(folder / "out/gold_charging_sessions.jsonl.partial");
  CHECK(TablesIn(folder / "out") == before);

  // One that cannot have its name, after some that could.
  const fs::path last = folder / "out/silver_quarantine_events.jsonl";
  fs::remove(last);
  fs::create_directories(last / "x");
  const Ran unnamed =
      Run(folder, "--input tests/golden/ocpp/bronze-rows-1-to-4.jsonl --out " + folder / "out");
  CHECK(unnamed.code == 1);
  CHECK(Has(unnamed.err, "cannot replace " + last.string()));
  CHECK(Has(unnamed.err, "Nothing was written."));
  fs::remove_all(last);
  auto others = before;
  others.erase("silver_quarantine_events.jsonl");
  CHECK(TablesIn(folder / "out") == others);
}

// Runs the tool as somebody who has no rights but those that everyone has; nothing where that cannot be done here.
std::optional<Ran> ToolOfAnyone(const Folder& folder, const std::string& arguments) {
  const std::string anyone = ::geteuid() != 0 ? "" : "setpriv --reuid 65534 --regid 65534 --clear-groups ";
  if (Tool(folder, "--version >/dev/null; " + anyone + MEDALLION_TOOL " --version").code != 0)
    return std::nullopt;
  return Tool(folder, "--version >/dev/null; " + anyone + MEDALLION_TOOL " " + arguments);
}

TEST_CASE("tool: what is not permitted is told, with what is missing") {
  const Folder folder;
  const std::string store = folder / "shut/s.db";
  fs::create_directories(folder / "shut");
  REQUIRE(Run(folder, "--input " + kGolden + " --store sqlite:" + store).code == 0);
  const auto check = [&](fs::perms directory, fs::perms file, const std::string& arguments,
                         const std::string& says) {
    CAPTURE(arguments, says);
    fs::permissions(folder / "shut", directory);
    fs::permissions(store, file);
    const auto ran = ToolOfAnyone(folder, arguments);
    fs::permissions(folder / "shut", fs::perms::all);
    if (!ran) return;
    CAPTURE(ran->err);
    CHECK(ran->code == 1);
    CHECK(Has(ran->err, says));
  };
  const fs::perms look{0555}, all{0777}, read{0444}, write{0666}, none{0};
  const std::string run = "ocpp run --input " + kGolden + " --store sqlite:",
                    needed = "permission to write is needed for it and for its folder, " + folder / "shut";
  check(look, write, run + folder / "shut/new.db", "it is not there, and cannot be made: " + needed);
  check(look, write, run + store, needed);
  check(all, read, run + store, "the file may only be read: " + needed);
  check(all, none, run + store, "Permission denied");
  check(none, write, "ocpp sweep --store sqlite:" + store, "a folder on the way to it may not be entered");
}

TEST_CASE("tool: commands that write nothing do with a store that may only be read") {
  const Folder folder;
  const std::string directory = folder / "50%?#", store = directory + "/s.db",
                    quoted = " --store 'sqlite:" + store + "'";
  fs::create_directories(directory);
  REQUIRE(Run(folder, "--input tests/golden/ocpp/bronze-row-4-conflict.jsonl" + quoted).code == 0);
  for (const std::string& command : std::vector<std::string>{
           "metrics", "report --html -", "diff", "quarantine list", "quarantine list --would-pass"}) {
    for (const bool shut : {true, false}) {  // the folder; the file is so in any case
      CAPTURE(command, shut);
      const std::string words = std::string("ocpp ").append(command).append(quoted);
      const Ran whole = Tool(folder, words);
      fs::permissions(store, fs::perms{0444});
      fs::permissions(directory, fs::perms{shut ? 0555U : 0777U});
      const auto ran = ToolOfAnyone(folder, words);
      fs::permissions(directory, fs::perms::all);
      if (!ran) continue;
      CAPTURE(ran->err);
      CHECK(ran->code == 0);
      CHECK(std::count(ran->out.begin(), ran->out.end(), '\n') ==
            std::count(whole.out.begin(), whole.out.end(), '\n'));
      CHECK(std::distance(fs::directory_iterator(directory), fs::directory_iterator()) == 1);
    }
  }
}

TEST_CASE("tool: no table replaces what the run reads or keeps") {
  const Folder folder;
  const std::string name = "silver_charging_events.jsonl", file = folder / ("d/" + name);
  WriteAll(file, ReadAll(kGolden));
  fs::create_symlink(file, folder / "link");
  for (const std::string& arguments : std::vector<std::string>{
           "--input " + file, "--input " + folder / "link", "--input - <" + file,
           "--input " + folder / "d/../d/" + name,
           "--input " + kGolden + " --store sqlite:" + folder / "d/gold_charging_sessions.jsonl"}) {
    CAPTURE(arguments);
    const Ran ran = Tool(folder, "ocpp run --out " + folder / "d " + arguments);
    CAPTURE(ran.err);
    CHECK(ran.code == 2);
    CHECK(Has(ran.err, "would replace"));
    CHECK(ReadAll(file) == ReadAll(kGolden));
    CHECK(std::distance(fs::directory_iterator(folder / "d"), fs::directory_iterator()) == 1);
  }
}

TEST_CASE("tool: wrong usage") {
  const Folder folder;
  WriteAll(folder / "bronze.jsonl", "");
  WriteAll(folder / "config", R"({"policy":"last"})");
  WriteAll(folder / "broken", "{\"policy\":\n nonsense}");
  const std::string run = "ocpp run --input " + kGolden + " ";
  struct Case {
    std::string arguments;
    std::string says;
  };
  for (const Case& c : std::vector<Case>{
           {"", "what shall be done?"},
           {"frob", "no command medallion frob"},
           {"ocpp", "medallion ocpp run"},
           {"ocpp walk", "medallion ocpp run"},
           {"ocpp run", "--input is missing"},
           {"ocpp run --input", "--input needs a value"},
           {"ocpp run " + kGolden, "belongs to no option"},
           {run + "--imput x", "unknown option --imput: did you mean --input?\n"},
           {run + "--nonsense", "unknown option --nonsense\n"},
           {"ocpp rnu", "no command medallion ocpp rnu: did you mean ocpp run?"},
           {"occp run", "did you mean ocpp run?"},
           {"launchpad lend x", "did you mean launchpad land?"},
           {"ocpp quarantine lst --store x", "did you mean ocpp quarantine list?"},
           {"ocpp nonsense", "no command medallion ocpp nonsense; there is:\n"},
           {run + "--store", "--store needs a value"},
           {run + "--store postgres:x", "must be memory or sqlite:PATH"},
           {run + "--store sqlite:", "must be memory or sqlite:PATH"},
           {run + "--store memory --store memory", "--store is given twice"},
           {run + "--out a b", "\"b\" belongs to no option"},
           {run + "--quiet yes", "--quiet takes no value"},
           {run + "--batch-records 0", "must be a whole number from 1 to 1000000"},
           {run + "--batch-records 1.5", "must be a whole number"},
           {run + "--threads 0", "must be a whole number from 1 to 256"},
           {run + "--threads 1000", "must be a whole number from 1 to 256"},
           {run + "--batch-records -1", "must be a whole number"},
           {run + "--batch-records=-1", "must be a whole number"},
           {run + "--batch-records 99999999999999999999", "must be a whole number"},
           {run + "--as-of yesterday", "must be a time with an offset"},
           {run + "--as-of 2026-03-01T10:00:00", "must be a time with an offset"},
           {run + "--format csv", "must be auto, wrapped or bare"},
           {run + "--config " + folder / "config", folder / "config" + ": policy must be one of"},
           {run + "--config " + folder / "broken",
            "no valid JSON: {\"problem\":\"malformed JSON\",\"byte\":12}"},
           {run + "--id-tag-key-env NO_SUCH_VARIABLE", "there is no such environment variable"},
           {run + "--input " + folder / "bronze.jsonl", "two inputs have the name \"bronze.jsonl\""},
           {run + "--input " + folder / "bronze.jsonl --topic a a", "two inputs have the name \"a\""},
           {run + "--topic a b", "--topic is given 2 times for 1 input: once"},
           {run + kGolden, "is given twice"},
           {"ocpp run --input - --store sqlite:" + folder / "s", "needs --topic NAME"},
           {"ocpp run --input /dev/stdin --store sqlite:" + folder / "s </dev/null", "needs --topic NAME"},
       }) {
    CAPTURE(c.arguments);
    const Ran ran = Tool(folder, c.arguments);
    CAPTURE(ran.err);
    CHECK(ran.code == 2);
    CHECK(ran.out.empty());
    CHECK(Has(ran.err, c.says));
    CHECK(Has(ran.err, c.arguments.starts_with("ocpp run") ? "See medallion ocpp run --help."
                                                           : "See medallion --help."));
  }
  CHECK(Tool(folder, "--help").code == 0);
  CHECK(Has(Tool(folder, "ocpp run --help").out, "--batch-records N"));
  CHECK(Tool(folder, "--version").out.starts_with("medallion "));
}

TEST_CASE("tool: a key for id tags from the environment") {
  const Folder folder;
  const auto tag = [&](const std::string& arguments, const std::string& before) {
    const Ran ran =
        Tool(folder, "ocpp run --input " + kGolden + " --out " + folder / "out " + arguments, before);
    REQUIRE(ran.code == 0);
    CHECK(!Has(ran.out + ran.err, "s3cret"));
    CHECK(Has(ran.err, "warning") == before.empty());
    return Rows(ReadAll(folder / "out/gold_charging_sessions.jsonl"))[0]["id_tag_hash"].get<std::string>();
  };
  const std::string open = tag("", ""), keyed = tag("", "MEDALLION_ID_TAG_KEY=s3cret");
  CHECK(open != keyed);
  CHECK(tag("--id-tag-key-env MY_KEY", "MEDALLION_ID_TAG_KEY=other MY_KEY=s3cret") == keyed);
}

TEST_CASE("tool: a configuration is used") {
  const Folder folder;
  WriteAll(folder / "config", R"({"severities":{"MISSING_CHARGE_POINT_ID":"flag"},"policy":"contest_all"})");
  const Ran ran =
      Run(folder, "--input tests/golden/ocpp/bronze-row-4-conflict.jsonl --config " + folder / "config");
  CHECK(ran.code == 0);
  CHECK(ran.out.starts_with("9 = 6 silver + 3 quarantined\n"));
}

TEST_CASE("tool: several inputs, standard input, pipes") {
  const Folder folder;
  const std::string other = folder / "bronze.jsonl";
  WriteAll(other, R"({"event_id":"h","event_type":"Heartbeat","charge_point_id":"A",)"
                  R"("event_ts":"2026-03-01T10:00:00Z"})"
                  "\n");
  const std::string both = "--input " + kGolden + " " + other + " --out " + folder / "out ";
  for (const std::string& topic : std::vector<std::string>{"--topic one", "--topic one two"}) {
    CAPTURE(topic);
    const Ran ran = Run(folder, both + topic);
    CHECK(ran.code == 0);
    CHECK(ran.out.starts_with("10 = 7 silver + 2 duplicates + 1 quarantined\n"));
    const bool named = Has(ReadAll(folder / "out/silver_charging_events.jsonl"),
                           topic == "--topic one" ? R"("bronze_topic":"one","bronze_partition":1)"
                                                  : R"("bronze_topic":"two","bronze_partition":0)");
    CHECK(named);
  }
  for (const std::string& arguments :
       std::vector<std::string>{"--input - <" + kGolden, "--input /dev/stdin <" + kGolden}) {
    CAPTURE(arguments);
    CHECK(Run(folder, arguments).out.starts_with("9 = 6 silver + 2 duplicates + 1 quarantined\n"));
  }
  const Ran piped = Tool(folder, "ocpp run --input /dev/stdin --topic t --store sqlite:" + folder / "s",
                         "cat " + kGolden + " |");
  CHECK(piped.out.starts_with("9 = 6 silver + 2 duplicates + 1 quarantined\n"));
}

TEST_CASE("tool: as of a time") {
  const Folder folder;
  const std::string store = " --store sqlite:" + folder / "store", out = " --out " + folder / "out";
  const Ran early = Run(folder, "--input " + kGolden + " --as-of 2026-03-01T11:15:00+01:00" + store);
  CHECK(early.out.starts_with("4 = 2 silver + 2 duplicates\n"));
  CHECK(Has(early.out, "beyond --as-of        5\n"));
  CHECK(Has(early.out, "3.000  provisional"));
  CHECK(Has(early.out, "2026-03-01T10:15:00.000000Z"));
  // The rest comes when it is asked for.
  const Ran rest = Run(folder, "--input " + kGolden + store + out);
  CHECK(rest.out.starts_with("9 = 6 silver + 2 duplicates + 1 quarantined\n"));
  REQUIRE(Run(folder, "--input " + kGolden + " --out " + folder / "whole").code == 0);
  CHECK(TablesIn(folder / "out") == TablesIn(folder / "whole"));
  // Long after the last event an open session has timed out.
  const Ran late =
      Run(folder, "--input tests/golden/ocpp/bronze-without-row-5.jsonl --as-of 2026-03-09T00:00:00Z");
  CHECK(Has(late.out, "TIMED_OUT"));
}

TEST_CASE("tool: with SQLite a second run changes nothing, and a file that grew is continued") {
  const Folder folder;
  const std::string feed = folder / "feed.jsonl";
  const std::string run = "--input " + feed + " --store sqlite:" + folder / "store" + " --out ";
  WriteAll(feed, ReadAll(kGolden));
  REQUIRE(Run(folder, run + folder / "a").code == 0);
  const Ran again = Run(folder, run + folder / "b");
  CHECK(again.out.starts_with("9 = 6 silver + 2 duplicates + 1 quarantined\n"));
  CHECK(Has(again.out, "nothing new: 9 records known already\n"));
  CHECK(TablesIn(folder / "b") == TablesIn(folder / "a"));
  CHECK(ReadAll(folder / "b/ops_run_log.jsonl") == ReadAll(folder / "a/ops_run_log.jsonl"));

  std::ofstream(feed, std::ios::app) << R"({"event_id":"h","event_type":"Heartbeat","charge_point_id":"A",)"
                                        R"("event_ts":"2026-03-01T10:00:00Z"})"
                                        "\n";
  WriteAll(folder / "one.jsonl", ReadAll(kGolden).substr(0, ReadAll(kGolden).find('\n') + 1));
  const std::string one = "--input " + folder / "one.jsonl" + " --store sqlite:" + folder / "one";
  REQUIRE(Run(folder, one).code == 0);
  CHECK(Has(Run(folder, one).out, "nothing new: 1 record known already\n"));

  const Ran grown = Run(folder, run + folder / "c");
  CHECK(grown.out.starts_with("10 = 7 silver + 2 duplicates + 1 quarantined\n"));
  CHECK(Has(grown.out, "records               1\n"));
}

// A feed large enough to die in: sessions of many stations, some events sent twice.
std::string LargeFeed() {
  std::string feed;
  int64_t id = 0;
  const auto add = [&](int station, int minute, std::string_view type, std::string_view meter) {
    char time[32];
    std::snprintf(time, sizeof time, "2026-03-01T%02d:%02d:00Z", minute / 60, minute % 60);
    const std::string line = R"({"event_id":")" + std::to_string(++id) + R"(","event_type":")" +
                             std::string(type) + R"(","charge_point_id":"CP-)" + std::to_string(station) +
                             R"(","connector_id":1,"transaction_id":)" + std::to_string(station + 7) +
                             R"(,"event_ts":")" + time + R"(","meter_wh":)" + std::string(meter) + "}\n";
    feed += line;
    if (id % 11 == 0) feed += line;
  };
  for (int minute = 0; minute < 12; ++minute) {
    for (int station = 0; station < 1'000; ++station) {
      const std::string_view type = minute == 0    ? "StartTransaction"
                                    : minute == 11 ? "StopTransaction"
                                                   : "MeterValues";
      add(station, minute * 5 + station % 7, type, std::to_string(1000 + minute * 400 + station % 3));
    }
  }
  return feed;
}

// Starts a run, kills it once its log has grown to so many bytes. False where it was done before.
bool KillOnceAt(const std::vector<std::string>& words, const fs::path& log, uintmax_t bytes) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const int nowhere = ::open("/dev/null", O_WRONLY);
    ::dup2(nowhere, 1);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  int status = 0;
  while (::waitpid(child, &status, WNOHANG) == 0) {
    std::error_code error;
    const uintmax_t size = fs::file_size(log, error);
    if (!error && size >= bytes) {
      ::kill(child, SIGKILL);
      ::waitpid(child, &status, 0);
      break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return WIFSIGNALED(status);
}

TEST_CASE("tool: killed in the middle, it continues and ends in the same tables") {
  const Folder folder;
  WriteAll(folder / "feed.jsonl", LargeFeed());
  const std::string store = folder / "killed";
  const std::vector<std::string> words = {
      MEDALLION_TOOL,    "ocpp", "run", "--input", folder / "feed.jsonl", "--store", "sqlite:" + store,
      "--batch-records", "250"};
  int kills = 0;
  for (const uintmax_t bytes :
       {uintmax_t{1}, uintmax_t{300'000}, uintmax_t{2'000'000}, uintmax_t{9'000'000}}) {
    kills += KillOnceAt(words, store + "-wal", bytes) ? 1 : 0;
  }
  CHECK(kills >= 2);
  const std::string input = "--input " + folder / "feed.jsonl" + " --batch-records 250 --out ";
  const Ran continued = Run(folder, input + folder / "a" + " --store sqlite:" + store);
  const Ran whole = Run(folder, input + folder / "b" + " --store sqlite:" + folder / "whole");
  REQUIRE(continued.code == 0);
  REQUIRE(whole.code == 0);
  CHECK(whole.out.starts_with("13090 = 12000 silver + 1090 duplicates\n"));
  CHECK(continued.out.starts_with("13090 = 12000 silver + 1090 duplicates\n"));
  CHECK(TablesIn(folder / "a") == TablesIn(folder / "b"));
}

TEST_CASE("tool: a report is one page that needs no network") {
  const Folder folder;
  const std::string store = " --store sqlite:" + folder / "s.db", page = folder / "report.html";
  CHECK(Has(Tool(folder, "ocpp report" + store + " --html " + page).err, "there is no store"));
  WriteAll(
      folder / "hostile.jsonl",
      R"({"event_id":"h1","event_type":"StartTransaction","charge_point_id":"<script>alert(1)</script>",)"
      R"("connector_id":1,"transaction_id":"\"'&","event_ts":"2026-03-01T10:00:00Z","meter_wh":1})"
      "\n");
  const std::string inputs =
      kGolden + " tests/golden/ocpp/recorded/frames-excerpt.jsonl " + folder / "hostile.jsonl";
  REQUIRE(Run(folder, "--input " + inputs + store).code == 0);
  REQUIRE(Tool(folder, "ocpp report" + store + " --html " + page).code == 0);
  const std::string html = ReadAll(page);
  for (const char* part :
       {"<!doctype html>", "Energy by day", "2026-03-01: 7.500 + 0.000", "Connectors", "class=\"s-Charging\"",
        "Quarantine by reason", "MISSING_CHARGE_POINT_ID", "imbalance</td><td class=\"n\">0", "CP-100",
        "EVDisconnected", "&quot;offset&quot;:0", "METER_REBASED", "class=\"power\"",
        "&lt;script&gt;alert(1)&lt;/script&gt;", "&quot;'&amp;"}) {
    CAPTURE(part);
    CHECK(Has(html, part));
  }
  for (const char* part : {"<script", "http", "url(", "@import", " src="}) {
    CAPTURE(part);
    CHECK_FALSE(Has(html, part));
  }
  const Ran printed = Tool(folder, "ocpp report" + store + " --html -");
  CHECK(printed.code == 0);
  CHECK(printed.out + "\n" == html);
  CHECK(!fs::exists("-"));
  CHECK(Tool(folder, "ocpp report" + store).code == 2);
  CHECK(Tool(folder, "ocpp report --html " + page).code == 2);
}

// What sqlite3 prints when somebody types this.
std::string Typed(const std::string& path, const std::string& sql) {
  sqlite3* db = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &db) == SQLITE_OK);
  std::string printed;
  const auto add = [](void* to, int columns, char** values, char**) {
    for (int i = 0; i < columns; ++i) {
      *static_cast<std::string*>(to) +=
          (i == 0 ? "" : "|") + std::string(values[i] == nullptr ? "" : values[i]);
    }
    *static_cast<std::string*>(to) += "\n";
    return 0;
  };
  CHECK(sqlite3_exec(db, sql.c_str(), add, &printed, nullptr) == SQLITE_OK);
  sqlite3_close(db);
  return printed;
}
void Type(const std::string& path, const std::string& sql) { CHECK(Typed(path, sql).empty()); }

TEST_CASE("tool: sweep, diff, rederive, reconcile") {
  const Folder folder;
  const std::string store = "--store sqlite:" + folder / "store.db", config = folder / "config.json";
  WriteAll(config, R"({"power_max_w": 10000})");
  CHECK(Run(folder, "--input tests/golden/ocpp/bronze-rows-1-to-4.jsonl " + store).code == 0);
  struct Case {
    std::string arguments;
    int code = 0;
    std::vector<std::string> says;
  };
  const auto check = [&](std::initializer_list<Case> cases) {
    for (const Case& c : cases) {
      CAPTURE(c.arguments);
      const Ran ran = Tool(folder, "ocpp " + c.arguments);
      CAPTURE(ran.out, ran.err);
      CHECK(ran.code == c.code);
      for (const std::string& part : c.says) {
        CAPTURE(part);
        CHECK(Has(ran.out + ran.err, part));
      }
    }
  };
  check({
      // An hour later the charge point is offline; a day later the session has timed out.
      {"sweep " + store + " --as-of 2026-03-01T11:30:00Z", 0, {"11:30:00.000000Z\n  rows changed  1\n"}},
      {"sweep " + store + " --as-of 2026-03-03T00:00:00Z",
       0,
       {"03-03T00:00:00.000000Z\n  rows changed  3\n"}},
      {"sweep " + store, 0, {"03-03T00:00:00.000000Z\n  rows changed  0\n"}},
      {"sweep " + store + " --as-of 2026-03-02T00:00:00Z",
       0,
       {"note: --as-of 2026-03-02T00:00:00.000000Z is before the store's data clock",
        "swept as of 2026-03-03T00"}},
      {"diff " + store,
       0,
       {"  gold_charging_sessions                   1         0         0         0\n",
        "0.000 kWh changed\n"}},
      // 3 kWh in 10 min are 18 kW.
      {"diff " + store + " --config-b " + config,
       0,
       {"  gold_charging_sessions                   0         1         0         0\n", "3.000 kWh changed\n",
        "       3.000           -  "}},
      {"reconcile " + store + " --days 30",
       0,
       {"  differences       0\n  duplicate facts   0\n  hours amiss       0\n"}},
      {"reconcile " + store + " --config " + config, 1, {"derive them again first"}},
      {"rederive " + store + " --config " + config, 0, {"derived again\n  entities      3\n"}},
      {"rederive " + store + " --config " + config, 0, {"  entities      0\n  rows changed  0\n"}},
      {"rederive " + store, 0, {"  entities      3\n"}},
  });
  Type(folder / "store.db",
       "UPDATE gold_charging_sessions SET energy_kwh = '99.000'; DELETE FROM gold_charging_stats_daily");
  check({
      {"reconcile " + store, 0, {"  differences       2\n", "were repaired"}},
      {"reconcile " + store, 0, {"  differences       0\n"}},
  });
  Type(folder / "store.db", "DELETE FROM silver_charging_events");
  check({
      {"reconcile " + store, 1, {"  hours amiss       1\n", "medallion: the tables of Silver do not hold"}},
      {"reconcile", 2, {"--store sqlite:PATH is missing"}},
      {"sweep --store sqlite:" + folder / "none.db", 1, {"there is no store"}},
      {"reconcile " + store + " --days 0", 2, {"must be a whole number from 1 to 100000"}},
      {"sweep " + store + " --as-of tomorrow", 2, {"--as-of tomorrow"}},
  });
  CHECK(!fs::exists(folder / "none.db"));
}

TEST_CASE("readme: its example is the one that is compiled") {
  const std::string readme = ReadAll("README.md");
  const std::string begin = "<!-- examples/01_embed.cc -->\n```cpp\n";
  const size_t at = readme.find(begin);
  REQUIRE(at != std::string::npos);
  const std::string from = readme.substr(at + begin.size());
  CHECK(from.substr(0, from.find("```\n")) == ReadAll("examples/01_embed.cc"));
}

TEST_CASE("readme: it shows what the demo prints") {
  const Folder folder;
  const std::string readme = ReadAll("README.md");
  for (const std::string feed : {"bronze.jsonl", "recorded/microocpp-excerpt.jsonl"}) {
    const std::string input = "--input tests/golden/ocpp/" + feed;
    CAPTURE(input);
    CHECK(Has(readme, input + "\n" + Run(folder, input).out));
  }
}

TEST_CASE("readme: its session of operations prints what it says") {
  const Folder folder;
  const std::string readme = ReadAll("README.md"), begin = "```console\n$ export MEDALLION_ID_TAG_KEY=";
  REQUIRE(Has(readme, begin));
  std::istringstream lines(readme.substr(readme.find('\n', readme.find(begin) + begin.size()) + 1));
  std::string line;
  const auto say = [&](std::string text, const std::string& from, const std::string& to) {
    for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
      text.replace(at, from.size(), to);
    return text;
  };
  int commands = 0;
  std::getline(lines, line);
  while (line.starts_with("$ ")) {
    std::string command = line.substr(2), expected;
    for (; command.ends_with('\\'); command += line) command.pop_back(), std::getline(lines, line);
    while (std::getline(lines, line) && !line.starts_with("$ ") && line != "```") expected += line + "\n";
    CAPTURE(command);
    ++commands;
    command = say(command, "charging.db", folder / "charging.db");
    if (command.starts_with("sqlite3 ")) {  // the program may be missing
      const size_t sql = command.find('"') + 1;
      const std::string typed = command.substr(sql, command.rfind('"') - sql);
      CHECK(Typed(folder / "charging.db", typed) == expected);
      continue;
    }
    REQUIRE(command.starts_with("medallion "));
    const std::string words = command.substr(std::string("medallion ").size());
    CHECK(Tool(folder, words, "MEDALLION_ID_TAG_KEY=k").out == expected);
  }
  CHECK(line == "```");
  CHECK(commands == 9);
}

}  // namespace
}  // namespace medallion
