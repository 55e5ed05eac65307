// The table of figures: how fast, how large, and how both change with the size of the feed, the number of threads, the
// size of batches and the length of sessions.
//
//   medallion_figures DIR [--events N] [--large N] [--largest N] [--rounds N]
//
// Each figure is that of whole processes (the programs beside this one), over files of flat events written to DIR before:
// their user CPU, wall time and peak memory as the kernel counted them, reading the file included; the least of the
// rounds, which are interleaved. Every run's answer is checked: against the feed's makers, and against the other runs.
//
// Where the time of one event goes, in per cent of the user CPU, on one thread, batches of 1,000, of Gold the sessions
// alone; from a sampled profile with call stacks:
//
//   lines       5   reading, splitting, fingerprint for the position
//   refine     34   parse 8, normalize and rules 9, SHA-256 9 (5 blocks of payload, 2 of key, 1 of session), identities 5,
//                   making and filling an element of some 800 bytes the rest
//   settle     10   told apart, looked up by unit; starts and stops of one transaction settled as one unit
//   store      23   packing 6, indexes, entities, records and timelines
//   resolve     6   timelines of what was touched: fetching 3, telling links 3
//   sessions   18   fetching histories 3, unpacking 6, deriving 4, row hash 3, writing rows 2
//   the rest    4   telling known records, freeing memory
//
// About 8,000 instructions in all, SHA-256 left out, and a fifth of the time is waiting for memory: the same feed cut to
// 100,000 events, which the cache holds, takes so much less. The other Gold tables take a third of the time again.
//
// And the bytes: packed row 105 (business key 32, the row's own fields 58), record 52 (payload digest 32), element 16,
// unit index 13, entities and their index 14, sessions 22, timelines 14.

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nlohmann/json.hpp"

namespace {

[[noreturn]] void Die(const std::string& what) {
  std::fprintf(stderr, "medallion_figures: %s\n", what.c_str());
  std::exit(1);
}

// ---- processes ------------------------------------------------------------------------------------------------------

// What a process took, and what it wrote to standard output.
struct Took {
  double user_s = 0, wall_s = 0;
  int64_t peak_bytes = 0;
  std::string out;
};

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

double WallNow() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

// Starts a program with its standard output going to `out`.
pid_t Start(const std::vector<std::string>& words, int out) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child < 0) Die("cannot start a process");
  if (child > 0) return child;
  dup2(out, STDOUT_FILENO);
  execv(arguments[0], arguments.data());
  std::_Exit(127);
}

Took Run(const std::vector<std::string>& words) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) Die("cannot make a pipe");
  Took took;
  const double begin = WallNow();
  const pid_t child = Start(words, ends[1]);
  close(ends[1]);
  char buffer[1 << 14];
  for (ssize_t got = 0; (got = read(ends[0], buffer, sizeof buffer)) > 0;) {
    took.out.append(buffer, static_cast<size_t>(got));
  }
  close(ends[0]);
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  took.wall_s = WallNow() - begin;
  took.user_s = Seconds(usage.ru_utime);
  took.peak_bytes = int64_t{usage.ru_maxrss} * 1024;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) Die(words[0] + " failed");
  return took;
}

void RunInto(const std::vector<std::string>& words, const std::string& path) {
  const int out = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (out < 0) Die("cannot write " + path);
  const pid_t child = Start(words, out);
  close(out);
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) Die(words[0] + " failed");
}

// ---- figures --------------------------------------------------------------------------------------------------------

class Bench {
 public:
  Bench(std::string programs, std::string folder, int rounds)
      : programs_(std::move(programs)), folder_(std::move(folder)), rounds_(rounds) {}

  // A file of flat events, made when it is first asked for.
  std::string Feed(const std::vector<std::string>& words) {
    std::string name = "feed";
    for (const std::string& word : words)
      name += "-" + word.substr(std::min(word.find_first_not_of('-'), word.size()));
    const std::string path = folder_ + "/" + name + ".jsonl";
    if (std::filesystem::exists(path)) return path;
    std::vector<std::string> command = {programs_ + "/medallion_feed"};
    command.insert(command.end(), words.begin(), words.end());
    std::fprintf(stderr, "writing %s\n", path.c_str());
    RunInto(command, path);
    made_.push_back(path);
    return path;
  }
  ~Bench() {
    for (const std::string& path : made_) std::filesystem::remove(path);
  }

  // The least that each way of running took, in rounds. Ways of one feed must have equal answers.
  struct Way {
    std::string feed;
    std::vector<std::string> options;
  };
  std::vector<Took> Least(const std::vector<Way>& ways) {
    std::vector<Took> least(ways.size());
    for (int round = 0; round < rounds_; ++round) {
      for (size_t i = 0; i < ways.size(); ++i) {
        std::vector<std::string> command = {programs_ + "/medallion_compare", ways[i].feed};
        command.insert(command.end(), ways[i].options.begin(), ways[i].options.end());
        const Took took = OfTables(Run(command), ways[i].feed);
        if (round == 0) {
          least[i] = took;
        } else {
          least[i].user_s = std::min(least[i].user_s, took.user_s);
          least[i].wall_s = std::min(least[i].wall_s, took.wall_s);
          least[i].peak_bytes = std::min(least[i].peak_bytes, took.peak_bytes);
        }
      }
    }
    return least;
  }

  // The last line of what the benchmark of the SQLite store prints.
  nlohmann::json Sqlite(int64_t events) const {
    const Took took = Run({programs_ + "/medallion_sqlite_bench", std::to_string(events), folder_});
    return nlohmann::json::parse(took.out.substr(took.out.rfind('{')));
  }
  bool has_sqlite() const { return std::filesystem::exists(programs_ + "/medallion_sqlite_bench"); }

  int64_t Answer(const std::string& feed, const char* name) const {
    return std::stoll(answers_.at(feed).at(name).get<std::string>());
  }

 private:
  // Up to complete tables: the answer is read from them afterwards.
  Took OfTables(const Took& whole, const std::string& feed) {
    const auto line = nlohmann::json::parse(whole.out);
    const auto [stood, is_new] = answers_.try_emplace(feed, line.at("answer"));
    if (!is_new && stood->second != line.at("answer"))
      Die("two runs over " + feed + " have different answers");
    const auto& tables = line.at("tables");
    return {.user_s = tables.at("user_s"),
            .wall_s = tables.at("wall_s"),
            .peak_bytes = tables.at("peak_bytes"),
            .out = {}};
  }

  std::string programs_, folder_;
  int rounds_;
  std::map<std::string, nlohmann::json> answers_;
  std::vector<std::string> made_;
};

void Row(const char* what, double figure, const char* unit, const char* must) {
  std::printf("%-66s %9.2f %-12s %s\n", what, figure, unit, must);
  std::fflush(stdout);
}

struct Sizes {
  int64_t events = 1'000'000, large = 5'000'000, largest = 0;
};

void SizeRows(Bench& bench, const Sizes& sizes) {
  std::vector<Bench::Way> ways;
  std::vector<int64_t> counts = {sizes.events, sizes.large};
  if (sizes.largest > 0) counts.push_back(sizes.largest);
  ways.reserve(counts.size());
  for (const int64_t count : counts) ways.push_back({bench.Feed({"--flat", std::to_string(count)}), {}});
  const std::vector<Took> took = bench.Least(ways);
  const auto per_event = [&](size_t i) { return took[i].user_s / static_cast<double>(counts[i]) * 1e9; };
  Row("user CPU, JSON lines to Silver and sessions in memory, one thread", per_event(0), "ns/event",
      "must 900, aim 400");
  const Took all = bench.Least({{ways[0].feed, {"--all-tables"}}})[0];
  Row("  the same with all Gold tables", all.user_s / static_cast<double>(sizes.events) * 1e9, "ns/event",
      "");
  const auto large = static_cast<double>(sizes.large);
  Row("peak memory, everything kept, large feed", static_cast<double>(took[1].peak_bytes) / large,
      "bytes/event", "must 250, aim 112");
  Row("user CPU an event, large feed over first", per_event(1) / per_event(0), "x", "must 1.5, aim 1.1");
  if (sizes.largest > 0) {
    Row("user CPU an event, largest feed over first", per_event(2) / per_event(0), "x", "must 2, aim 1.2");
  }
  for (size_t i = 0; i < ways.size(); ++i) {
    if (bench.Answer(ways[i].feed, "events") != counts[i]) Die("events are missing from the tables");
  }
}

// The same charging as frames and as flat events, each wrapped in a record, since a frame alone does not say who sent it.
// A start's result is an element too.
void FrameRows(Bench& bench, const Sizes& sizes) {
  const std::string events = std::to_string(sizes.events);
  const std::string flat = bench.Feed({"--wrapped", events}), frames = bench.Feed({"--frames", events});
  const auto took = bench.Least({{flat, {"--wrapped"}}, {frames, {"--wrapped"}}});
  const auto per_element = [&](size_t i, const std::string& feed) {
    return took[i].user_s / static_cast<double>(bench.Answer(feed, "events"));
  };
  Row("frames over flat events: elements/s by user CPU", per_element(0, flat) / per_element(1, frames), "x",
      "must 0.67");
  for (const char* name : {"sessions", "sessions_completed"}) {
    if (bench.Answer(frames, name) != bench.Answer(flat, name))
      Die("frames and flat events differ in their sessions");
  }
  if (bench.Answer(flat, "events") != sizes.events || bench.Answer(frames, "events") < sizes.events)
    Die("events are missing from the tables");
}

void ThreadRows(Bench& bench, const Sizes& sizes) {
  const std::string feed = bench.Feed({"--flat", std::to_string(sizes.events)});
  const auto took = bench.Least({{feed, {"--threads", "1"}}, {feed, {"--threads", "2"}}});
  Row("two threads over one: events/s by wall time", took[0].wall_s / took[1].wall_s, "x",
      "must 1.7, aim 1.9");
  Row("two threads over one: user CPU", took[1].user_s / took[0].user_s, "x", "");
}

// Batches of 10,000 and of 100; sessions of 10 and of 10,000 readings.
void ShapeRows(Bench& bench, const Sizes& sizes) {
  const std::string events = std::to_string(sizes.events);
  const std::string shorter = bench.Feed({"--sessions-of", "10", events});
  const std::string longer = bench.Feed({"--sessions-of", "10000", events});
  for (const bool each : {false, true}) {
    const std::vector<std::string> more =
        each ? std::vector<std::string>{"--each-batch"} : std::vector<std::string>{};
    const auto way = [&](const std::string& feed, const char* batch) {
      Bench::Way made{feed, {"--batch", batch}};
      made.options.insert(made.options.end(), more.begin(), more.end());
      return made;
    };
    const auto took =
        bench.Least({way(shorter, "10000"), way(shorter, "100"), way(longer, "10000"), way(longer, "100")});
    const auto count = [&](const std::string& feed) {
      return static_cast<double>(bench.Answer(feed, "events"));
    };
    const double base = took[0].user_s / count(shorter);
    std::printf("Gold refreshed %s, user CPU an event: %.0f ns\n", each ? "after each batch" : "at the end",
                base * 1e9);
    Row("  batches of 100 over batches of 10,000", took[1].user_s / count(shorter) / base, "x",
        "must 2, aim 1.2");
    Row("  sessions of 10,000 readings over sessions of 10", took[2].user_s / count(longer) / base, "x",
        "must 2, aim 1.2");
    Row("  both at once", took[3].user_s / count(longer) / base, "x", "must 4, aim 1.5");
  }
  for (const auto& [feed, readings] : {std::pair{shorter, 10}, std::pair{longer, 10'000}}) {
    const int64_t sessions = bench.Answer(feed, "sessions");
    const bool right = bench.Answer(feed, "events") == sessions * (readings + 2) &&
                       bench.Answer(feed, "sessions_final") == sessions &&
                       bench.Answer(feed, "energy_final_wh") == sessions * readings * 100;
    if (!right) Die("the sessions of " + feed + " are not what was written");
  }
}

// One run: the store's, the bare insert's and the second run's figures are of one process.
void SqliteRows(Bench& bench, const Sizes& sizes) {
  if (!bench.has_sqlite()) return;
  const nlohmann::json took = bench.Sqlite(sizes.events);
  const double first = took.at("first_s"), bare = took.at("bare_s"), second = took.at("second_s");
  Row("SQLite store, durable, JSON to all tables, by wall time", static_cast<double>(sizes.events) / first,
      "events/s", "must 60000, aim 150000");
  Row("  its time over a bare SQLite insert of the same rows", first / bare, "x", "must 2.5, aim 1.5");
  Row("  the first run's time over a second run's", first / second, "x", "must 2, aim 5");
}

int Main(std::span<char*> words) {
  Sizes sizes;
  int rounds = 3;
  std::string folder;
  for (size_t i = 1; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (!word.starts_with("--")) {
      folder = word;
      continue;
    }
    const int64_t number = ++i < words.size() ? std::atoll(words[i]) : 0;
    if (word == "--events") sizes.events = std::max<int64_t>(1, number);
    if (word == "--large") sizes.large = std::max<int64_t>(1, number);
    if (word == "--largest") sizes.largest = number;
    if (word == "--rounds") rounds = static_cast<int>(std::max<int64_t>(1, number));
  }
  if (folder.empty()) Die("usage: medallion_figures DIR [--events N] [--large N] [--largest N] [--rounds N]");
  std::filesystem::create_directories(folder);
  const std::string self = words[0];
  Bench bench(self.substr(0, self.find_last_of('/')), folder, rounds);
  SizeRows(bench, sizes);
  FrameRows(bench, sizes);
  ThreadRows(bench, sizes);
  ShapeRows(bench, sizes);
  SqliteRows(bench, sizes);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return Main({argv, static_cast<size_t>(argc)});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "medallion_figures: %s\n", error.what());
    return 1;
  }
}
