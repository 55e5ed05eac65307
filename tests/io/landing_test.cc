#include "medallion/io/landing.h"

#include <filesystem>
#include <fstream>

#include "tests/catch.h"
#include "tests/io/failing_files.h"

namespace medallion {
namespace {

using testing::FailingFiles;
using testing::Stop;
using Names = std::vector<std::string>;

class Folder {
 public:
  Folder()
      : path_(std::filesystem::temp_directory_path() / ("medallion_landing_" + std::to_string(::getpid()))) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_ / "done");
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  std::string path() const { return path_.string(); }
  void Put(const std::string& name, std::string_view text) const { std::ofstream(path_ / name) << text; }

 private:
  std::filesystem::path path_;
};

// The payloads of one read after the position; which is moved.
Names ReadOn(Source& source, std::string& position, size_t records_max = 100) {
  REQUIRE(source.Seek(position).ok());
  const auto batch = source.Read(records_max);
  REQUIRE(batch.ok());
  Names payloads;
  for (const BronzeRecord& record : batch->records) {
    payloads.push_back(std::string(record.at.topic) + "=" + std::string(record.payload));
  }
  position = batch->position;
  return payloads;
}

TEST_CASE("landing: what is published is read once, in the order of names") {
  const Folder folder;
  DirectorySink sink(folder.path());
  REQUIRE(sink.Publish("b", "two\n").ok());
  REQUIRE(sink.Publish("a", "one").ok());
  REQUIRE(sink.Publish("a", "one").ok());  // it is there
  const auto source = *DirectorySource::Open(folder.path());
  std::string position;
  CHECK(ReadOn(*source, position) == Names{"a.json=one", "b.json=two"});
  CHECK(ReadOn(*source, position) == Names{});
  REQUIRE(sink.Publish("aa", "late").ok());  // sorts before what was read
  const auto again = *DirectorySource::Open(folder.path());
  CHECK(ReadOn(*again, position) == Names{"aa.json=late"});
  CHECK(ReadOn(*again, position) == Names{});
  std::string anew;
  CHECK(ReadOn(*again, anew, 2).size() == 2);  // from the beginning, in pieces
  CHECK(ReadOn(*again, anew, 2).size() == 1);
}

TEST_CASE("landing: half-written and foreign files are reported, not read") {
  const Folder folder;
  folder.Put("x.tmp", "{\"half");
  folder.Put("notes.txt", "hello");
  folder.Put("empty.json", "");
  folder.Put("whole.json", "{}");
  std::filesystem::create_directories(folder / "folder.json");
  const auto source = *DirectorySource::Open(folder.path(), {.move_to = folder / "done"});
  std::string position;
  CHECK(ReadOn(*source, position) == Names{"whole.json={}"});
  Names skipped;
  for (const auto& skip : source->skipped()) skipped.push_back(skip.name);
  std::sort(skipped.begin(), skipped.end());
  CHECK(skipped == Names{"empty.json", "folder.json", "notes.txt", "x.tmp"});
}

TEST_CASE("landing: files are moved once the position after them is the store's") {
  const Folder folder;
  DirectorySink sink(folder.path());
  REQUIRE(sink.Publish("a", "one").ok());
  REQUIRE(sink.Publish("b", "two").ok());
  const auto source = *DirectorySource::Open(folder.path(), {.move_to = folder / "done"});
  std::string position;
  CHECK(ReadOn(*source, position, 1).size() == 1);
  CHECK(std::filesystem::exists(folder / "a.json"));  // the store may not have it yet
  CHECK(ReadOn(*source, position, 1).size() == 1);
  CHECK_FALSE(std::filesystem::exists(folder / "a.json"));
  CHECK(std::filesystem::exists(folder / "done/a.json"));
  CHECK(ReadOn(*source, position).empty());
  CHECK(std::filesystem::exists(folder / "done/b.json"));
  CHECK(position.empty());  // nothing is left to be remembered
}

TEST_CASE("landing: whichever operation fails, a file is published whole or not at all") {
  for (const Stop stop : {Stop::kBefore, Stop::kHalfway, Stop::kAfter}) {
    for (int operation = 1; operation <= 4; ++operation) {
      CAPTURE(static_cast<int>(stop), operation);
      const Folder folder;
      FailingFiles files(operation, stop, false);
      DirectorySink sink(folder.path(), files);
      CHECK_FALSE(sink.Publish("a", "whole text").ok());
      const auto read = [&] {
        std::string position;
        return ReadOn(**DirectorySource::Open(folder.path()), position);
      };
      const Names between = read();
      CHECK((between.empty() || between == Names{"a.json=whole text"}));
      REQUIRE(sink.Publish("a", "whole text").ok());
      CHECK(read() == Names{"a.json=whole text"});
    }
  }
}

TEST_CASE("landing: a missing directory is told by its path") {
  const auto source = DirectorySource::Open("/no/such/directory");
  CHECK(source.status().code() == absl::StatusCode::kNotFound);
  CHECK(std::string(source.status().message()).find("/no/such/directory") != std::string::npos);
  CHECK(DirectorySink("/no/such/directory").Publish("a", "x").code() == absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace medallion
