// Writes the generated feed of the benchmarks to standard output, as JSON lines for the tool:
//
//   medallion_feed [--flat] EVENTS [SEED] > feed.jsonl
//
// --flat: the events alone; else each is wrapped in a record. What was planted goes to standard error.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "tests/feed.h"

int main(int argc, char** argv) {
  const bool flat = argc > 1 && std::string_view(argv[1]) == "--flat";
  const int first = flat ? 2 : 1;
  medallion::testing::FeedOptions options;
  if (argc > first) options.events = std::max(1L, std::atol(argv[first]));
  if (argc > first + 1) options.seed = static_cast<uint64_t>(std::atol(argv[first + 1]));
  options.charge_points = std::max<int64_t>(1, options.events / 10);
  medallion::testing::FeedStream stream(options);
  std::string lines;
  while (flat ? stream.AppendFlatLines(10'000, lines) : stream.AppendWrappedLines(10'000, lines)) {
    if (std::fwrite(lines.data(), 1, lines.size(), stdout) != lines.size()) {
      std::perror("medallion_feed: cannot write");
      return 1;
    }
    lines.clear();
  }
  const medallion::testing::FeedCounts& counts = stream.counts();
  std::fprintf(stderr,
               "%lld events: %lld technical and %lld business duplicates, %lld conflicts, %lld invalid; %lld "
               "sessions\n",
               static_cast<long long>(counts.events), static_cast<long long>(counts.technical),
               static_cast<long long>(counts.business), static_cast<long long>(counts.conflicts),
               static_cast<long long>(counts.invalid), static_cast<long long>(counts.sessions));
  return 0;
}
