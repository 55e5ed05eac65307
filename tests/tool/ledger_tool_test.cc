// `medallion ledger run` as its users run it.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "catch.h"
#include "nlohmann/json.hpp"

namespace medallion {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const std::string kFeed = "tests/golden/ledger/bronze.jsonl";

std::string ReadAll(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool Has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

struct Folder {
  fs::path path = fs::temp_directory_path() / ("medallion_ledger_tool_test_" + std::to_string(::getpid()));
  Folder() { fs::remove_all(path), fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
  std::string operator/(const std::string& name) const { return (path / name).string(); }
};

struct Ran {
  int code;
  std::string said;  // on both outputs
};
Ran Run(const Folder& folder, const std::string& words) {
  const std::string log = folder / "said";
  const int code = std::system((std::string(MEDALLION_TOOL) + " " + words + " >" + log + " 2>&1").c_str());
  return {WEXITSTATUS(code), ReadAll(log)};
}

json RowOf(const std::string& file, const std::string& account) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    json row = json::parse(line);
    if (row["account_id"] == account) return row;
  }
  return {};
}

TEST_CASE("tool: ledger run prints the quality report, balances and features, and writes the tables") {
  const Folder folder;
  const Ran ran = Run(folder, "ledger run --input " + kFeed + " --quiet --out " + (folder / "out"));
  REQUIRE(ran.code == 0);
  CHECK(Has(ran.said, "14 = 10 silver + 1 duplicate + 1 quarantined + 2 ignored"));
  for (const char* part :
       {"\nquality\n", "AMOUNT_NOT_INTEGER_MINOR", "transaction 571:90", "\nbalances\n", "\nfeatures\n"}) {
    CHECK(Has(ran.said, part));
  }
  const json balance = RowOf(folder / "out/gold_account_balances.jsonl", "A-1");
  CHECK(balance["balance_known"] == "15000");
  CHECK(balance["balance_is_final"] == true);
  CHECK(RowOf(folder / "out/gold_account_balances.jsonl", "L:77")["posted"] == "12550");
  CHECK(RowOf(folder / "out/gold_account_features.jsonl", "A-1")["txn_count_30d"] == 4);
  const json report = json::parse(ReadAll(folder / "out/quality_report.json"));
  CHECK(report["fates"]["silver"] == 10);
  CHECK(report["balances"] == json({{"final", 2}, {"not_final", 1}}));
  CHECK(report["short_transactions"] == json::parse(R"([{"tx_id":"571:90","missing":1}])"));
  CHECK(report["rules"].size() == 3);
}

TEST_CASE("tool: ledger run on both clocks") {
  const Folder folder;
  const std::string run = "ledger run --input " + kFeed + " --quiet --out " + (folder / "out");
  const auto balance = [&](const std::string& clocks) {
    REQUIRE(Run(folder, run + clocks).code == 0);
    return RowOf(folder / "out/gold_account_balances.jsonl", "A-1")["balance_known"].get<std::string>();
  };
  CHECK(balance(" --as-of 2026-03-01T23:59:59Z") == "-15000");
  CHECK(balance(" --as-of 2026-03-01T23:59:59Z --known-as-of 2026-03-03T00:00:00Z") == "15000");
  CHECK(balance(" --known-as-of 2026-03-01T10:30:00Z") == "75000");
  CHECK(Run(folder, run + " --known-as-of soon").code == 2);
}

TEST_CASE("tool: ledger run goes on in a store that lasts") {
  const Folder folder;
  const std::string store = " --quiet --store sqlite:" + (folder / "ledger.db");
  const Ran first = Run(folder, "ledger run --input " + kFeed + store);
  REQUIRE(first.code == 0);
  const Ran again = Run(folder, "ledger run --input " + kFeed + store);
  REQUIRE(again.code == 0);
  CHECK(again.said == first.said);
  const Ran other = Run(folder, "ledger run --input " + kFeed + store + " --as-of 2026-03-01T23:59:59Z");
  CHECK(other.code == 2);
  CHECK(Has(other.said, "a store of their own"));
}

TEST_CASE("tool: the quality report is written with the tables, or nothing is") {
  const Folder folder;
  fs::create_directories(folder / "out/quality_report.json/x");
  const Ran ran = Run(folder, "ledger run --input " + kFeed + " --quiet --out " + (folder / "out"));
  CHECK(ran.code == 1);
  CHECK(Has(ran.said, "Nothing was written."));
  CHECK(std::distance(fs::directory_iterator(folder / "out"), fs::directory_iterator()) == 1);
}

TEST_CASE("tool: ledger run does not replace its input") {
  const Folder folder;
  for (const char* name : {"silver_ledger_events.jsonl", "quality_report.json"}) {
    CAPTURE(name);
    const std::string input = folder / name;
    fs::copy_file(kFeed, input);
    const Ran ran = Run(folder, "ledger run --input " + input + " --quiet --out " + folder.path.string());
    CHECK(ran.code == 2);
    CHECK(Has(ran.said, "would replace"));
    CHECK(ReadAll(input) == ReadAll(kFeed));
  }
}

}  // namespace
}  // namespace medallion
