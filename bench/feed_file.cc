// Writes the generated feed of the benchmarks to standard output, as JSON lines for the tool:
//
//   medallion_feed 1000000 > feed.jsonl      (events; and a seed, if wanted)
//
// What was planted goes to standard error.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/feed.h"

int main(int argc, char** argv) {
  medallion::testing::FeedOptions options;
  if (argc > 1) options.events = std::max(1L, std::atol(argv[1]));
  if (argc > 2) options.seed = static_cast<uint64_t>(std::atol(argv[2]));
  options.charge_points = std::max<int64_t>(1, options.events / 10);
  medallion::testing::FeedStream stream(options);
  std::string lines;
  while (stream.AppendWrappedLines(10'000, lines)) {
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
