// Landing with crashes: the process is killed at every file operation, and no event is lost or doubled.
#include "medallion/launchpad/land.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests/io/failing_files.h"
#include "tests/launchpad/launch_run.h"

namespace medallion::launchpad {
namespace {

using testing::At;
using testing::FailingFiles;
using testing::Stop;

constexpr int64_t kEvents = 23;

struct Folder {
  Folder() : path(std::filesystem::temp_directory_path() / ("medallion_land_" + std::to_string(::getpid()))) {
    std::filesystem::remove_all(path);
    std::filesystem::create_directories(path / "in");
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string in() const { return (path / "in").string(); }
  std::string write_ahead() const { return (path / "ahead").string(); }
  std::filesystem::path path;
};

LandedEvent EventAt(int64_t number) { return {"{\"n\":" + std::to_string(number) + "}", At(number)}; }

// A producer: goes on from where the last one was, in pieces of three, and flushes by time, five at most an envelope.
absl::Status Produce(const Folder& folder, FileOps& files, bool write_ahead) {
  const auto lander =
      Lander::Open(folder.in(),
                   {.envelope = {.codec = "none", .events_max = 5, .flush_us = 4 * kMicrosPerSecond},
                    .write_ahead = write_ahead ? folder.write_ahead() : ""},
                   files);
  if (!lander.ok()) return lander.status();
  for (int64_t next = (*lander)->taken(); next < kEvents; next = (*lander)->taken()) {
    std::vector<LandedEvent> events;
    for (int64_t i = next; i < std::min(next + 3, kEvents); ++i) events.push_back(EventAt(i));
    if (auto status = (*lander)->Add(events); !status.ok()) return status;
    if (auto status = (*lander)->Flush(At(next + 2)); !status.ok()) return status;
  }
  return (*lander)->Flush(kNoTime, true);
}

// The numbers of all events that have landed, sorted.
std::vector<int64_t> Landed(const Folder& folder) {
  std::vector<int64_t> numbers;
  const auto source = *DirectorySource::Open(folder.in());
  const auto batch = source->Read(1'000);
  REQUIRE(batch.ok());
  for (const BronzeRecord& record : batch->records) {
    const auto json = nlohmann::json::parse(record.payload);
    const std::string data = json["data_b64"];
    int64_t lines = 0;
    ReadLines({.codec = "none", .data_b64 = data}, DefaultDecoders(), [&](std::string_view line) {
      numbers.push_back(nlohmann::json::parse(line)["event"]["n"]);
      ++lines;
    });
    REQUIRE(json["event_count"] == lines);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

std::vector<int64_t> All() {
  std::vector<int64_t> numbers;
  for (int64_t i = 0; i < kEvents; ++i) numbers.push_back(i);
  return numbers;
}

// Whether a child that is killed at this operation got so far.
bool IsKilled(const Folder& folder, int operation, Stop stop) {
  const pid_t child = ::fork();
  if (child == 0) {
    FailingFiles files(operation, stop, true);
    ::_exit(Produce(folder, files, true).ok() ? 0 : 1);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  REQUIRE(WEXITSTATUS(status) != 1);
  return WEXITSTATUS(status) == 9;
}

TEST_CASE("land: killed at every file operation, no event is lost and none lands twice") {
  for (const Stop stop : {Stop::kBefore, Stop::kHalfway, Stop::kAfter}) {
    int operation = 1;
    for (bool killed = true; killed; ++operation) {
      CAPTURE(static_cast<int>(stop), operation);
      const Folder folder;
      killed = IsKilled(folder, operation, stop);
      const std::vector<int64_t> before = Landed(folder);
      CHECK(std::adjacent_find(before.begin(), before.end()) == before.end());
      // And once more on the way.
      IsKilled(folder, 1 + operation % 7, stop);
      FailingFiles whole(0, Stop::kBefore, false);
      REQUIRE(Produce(folder, whole, true).ok());
      REQUIRE(Landed(folder) == All());
    }
    CHECK(operation > 40);
  }
}

TEST_CASE("land: after a failure the events wait, and the next call tries again") {
  for (const bool write_ahead : {false, true}) {
    for (const Stop stop : {Stop::kBefore, Stop::kHalfway, Stop::kAfter}) {
      bool failed = true;
      for (int operation = 1; failed; ++operation) {
        CAPTURE(write_ahead, static_cast<int>(stop), operation);
        const Folder folder;
        FailingFiles files(operation, stop, false);
        const auto lander = *Lander::Open(folder.in(),
                                          {.envelope = {.codec = "none", .events_max = 5},
                                           .write_ahead = write_ahead ? folder.write_ahead() : ""},
                                          files);
        for (int64_t i = 0; i < kEvents; i += 2) {
          std::vector<LandedEvent> events = {EventAt(i)};
          if (i + 1 < kEvents) events.push_back(EventAt(i + 1));
          while (!lander->Add(events).ok()) {
          }
          static_cast<void>(lander->Flush(kNoTime));
        }
        while (!lander->Flush(kNoTime, true).ok()) {
        }
        failed = files.failed();
        REQUIRE(lander->waiting() == 0);
        REQUIRE(Landed(folder) == All());
        if (write_ahead)
          REQUIRE((*Lander::Open(folder.in(), {.write_ahead = folder.write_ahead()}))->taken() == kEvents);
      }
    }
  }
}

TEST_CASE("land: the same input lands as the same files") {
  const Folder folder;
  REQUIRE(Produce(folder, FileOps::System(), false).ok());
  const auto names = *FileOps::System().List(folder.in());
  REQUIRE(Produce(folder, FileOps::System(), false).ok());
  CHECK(*FileOps::System().List(folder.in()) == names);
  CHECK(Landed(folder) == All());
}

TEST_CASE("land: a landed feed and its lines make the same tables") {
  const Folder folder;
  std::vector<std::string> plain;
  const auto lander = *Lander::Open(folder.in(), {.envelope = {.source = "test", .events_max = 3}});
  for (const std::string& line : testing::GoldenLines()) {
    const auto json = nlohmann::json::parse(line);
    REQUIRE(lander
                ->Add(std::vector<LandedEvent>{
                    {json["event"].dump(), ParseTime(json["_ingested_at"].get<std::string>())->time}})
                .ok());
    REQUIRE(lander->Flush(kNoTime).ok());
  }
  REQUIRE(lander->Flush(kNoTime, true).ok());
  CHECK(lander->envelopes() == 2);
  const auto source = *DirectorySource::Open(folder.in());
  MemoryStore<Launches> store;
  const Options options;
  REQUIRE(Run<Launches>(*source, store, options, {.batch_records = 1}).ok());
  auto risk = testing::RowsIn(store, "gold_token_risk")[0];
  auto expected = testing::RowsIn(*testing::TakenLines(testing::GoldenLines()), "gold_token_risk")[0];
  for (auto* row : {&risk, &expected}) row->erase("evidence"), row->erase("row_hash");
  CHECK(risk == expected);
}

}  // namespace
}  // namespace medallion::launchpad
