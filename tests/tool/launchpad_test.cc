// medallion launchpad land and run, as their users run them.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "nlohmann/json.hpp"
#include "tests/catch.h"
#include "tests/launchpad/launch_feed.h"

namespace medallion {
namespace {

namespace fs = std::filesystem;

struct Ran {
  int code = -1;
  std::string out;
};

class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("medallion_launch_tool_" + std::to_string(::getpid()))) {
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

  // Standard output and error together.
  Ran Tool(const std::string& arguments) const {
    const std::string out = *this / "output";
    const int status = std::system((MEDALLION_TOOL " launchpad " + arguments + " >" + out + " 2>&1").c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, ReadAll(out)};
  }
  static std::string ReadAll(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  fs::path path_;
};

bool Has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST_CASE("tool: a feed is landed, read once, and lasts") {
  const Folder folder;
  std::ofstream events(folder / "events.jsonl");
  for (const std::string& line : testing::GoldenLines()) events << line << "\n";
  events.close();
  const std::string land =
      "land --input " + (folder / "events.jsonl") + " --batch-events 4 --dir " + (folder / "in");
  for (int round = 0; round < 2; ++round) {  // again: the same two files
    const Ran ran = folder.Tool(land);
    INFO(ran.out);
    REQUIRE(ran.code == 0);
    CHECK(Has(ran.out, "6 events in 2 envelopes"));
  }
  std::ofstream(folder / "in/half.tmp") << "{";
  const std::string run = "run --quiet --input " + (folder / "in") + " --store sqlite:" + (folder / "s.db") +
                          " --out " + (folder / "out");
  Ran ran = folder.Tool(run);
  INFO(ran.out);
  REQUIRE(ran.code == 0);
  CHECK(Has(ran.out, "read        2 records"));
  CHECK(Has(ran.out, "lost        0 events"));
  CHECK(Has(ran.out, "risk        CRITICAL 1"));
  CHECK(Has(ran.out, "not read    half.tmp: half-written"));
  const auto row = nlohmann::json::parse(Folder::ReadAll(folder / "out/gold_token_risk.jsonl"));
  CHECK(row["conservation_residual"] == "0");
  CHECK(row["top1_bps"] == "5705.505454");
  ran = folder.Tool(run + " --move-read " + (folder / "done"));
  REQUIRE(ran.code == 0);
  CHECK(Has(ran.out, "read        0 records"));
  CHECK(std::distance(fs::directory_iterator(folder / "done"), fs::directory_iterator()) == 2);
  // The lines themselves make the same.
  ran = folder.Tool("run --quiet --input " + (folder / "events.jsonl"));
  REQUIRE(ran.code == 0);
  CHECK(Has(ran.out, "risk        CRITICAL 1"));
}

TEST_CASE("tool: the token feed that the readme names is the golden one") {
  std::string lines;
  for (const std::string& line : testing::GoldenLines()) lines += line + "\n";
  CHECK(Folder::ReadAll("tests/golden/launchpad/events.jsonl") == lines);
}

TEST_CASE("tool: what launchpad commands are told wrongly") {
  const Folder folder;
  CHECK(folder.Tool("land --input x").code == 2);
  CHECK(folder.Tool("land --dir x").code == 2);
  CHECK(folder.Tool("land --input x --dir y --codec gzip").code == 2);
  CHECK(folder.Tool("land --input /no/such --dir " + (folder / "d")).code == 1);
  CHECK(folder.Tool("run").code == 2);
  CHECK(folder.Tool("run --input /no/such").code == 1);
  std::ofstream(folder / "one.jsonl") << testing::GoldenLines()[0] << "\n";
  CHECK(folder.Tool("run --input " + (folder / "one.jsonl") + " --move-read z").code == 2);
  const Ran late = folder.Tool("run --quiet --as-of 2020-01-01T00:00:00Z --input " + (folder / "one.jsonl"));
  CHECK(Has(late.out, "not read    1 record, since ingested later"));
  CHECK(folder.Tool("land --help").code == 0);
  const std::string store =
      "run --quiet --store sqlite:" + (folder / "stands.db") + " --input " + (folder / "one.jsonl");
  CHECK(folder.Tool(store + " --as-of 2099-01-02T00:00:00Z").code == 0);
  CHECK(folder.Tool(store + " --as-of 2099-01-02T00:00:00Z").code == 0);
  const Ran earlier = folder.Tool(store + " --as-of 2099-01-01T00:00:00Z");
  CHECK(earlier.code == 2);
  CHECK(Has(earlier.out, "stands at 2099-01-02T00:00:00.000000Z already"));
  // Files that are nobody's to replace or to take away.
  std::ofstream(folder / "lines") << "{}\n{}\n";
  const std::string land = "land --dir " + (folder / "d") + " --input " + (folder / "lines");
  const Ran notes = folder.Tool(land + " --write-ahead " + (folder / "lines"));
  CHECK(notes.code == 1);
  CHECK(Has(notes.out, "is no write-ahead file"));
  CHECK(Folder::ReadAll(folder / "lines") == "{}\n{}\n");
  CHECK(folder.Tool(land + " --write-ahead " + (folder / "ahead")).code == 0);
  CHECK(Has(folder.Tool(land + " --write-ahead " + (folder / "ahead")).out, "landed      0 events"));
  std::ofstream(folder / "lines") << "{}\n";
  CHECK(Has(
      folder.Tool(land + " --write-ahead " + (folder / "ahead")).out,
      "the input ends 1 line before what the write-ahead file says was taken of it: it is another input"));
  std::ofstream(folder / "single") << testing::GoldenLines()[0] << "\n";
  CHECK(Has(folder.Tool("land --dir " + (folder / "d1") + " --input " + (folder / "single")).out,
            "landed      1 event in 1 envelope in "));
  CHECK(folder.Tool("run --input " + (folder / "d") + " --move-read " + (folder / "away")).code == 2);
  CHECK(folder
            .Tool("run --input " + (folder / "d") + " --store sqlite:" + (folder / "s") + " --move-read " +
                  (folder / "d"))
            .code == 2);
}

TEST_CASE("tool: launchpad run does not replace its input") {
  const Folder folder;
  const std::string input = folder / "gold_token_risk.jsonl", feed = "tests/golden/launchpad/events.jsonl";
  fs::copy_file(feed, input);
  const Ran ran = folder.Tool("run --quiet --input " + input + " --out " + (folder / ""));
  CHECK(ran.code == 2);
  CHECK(Has(ran.out, "would replace"));
  CHECK(Folder::ReadAll(input) == Folder::ReadAll(feed));
}

}  // namespace
}  // namespace medallion
