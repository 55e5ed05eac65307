#include "tool/progress.h"

#include <unistd.h>

#include <cstdio>
#include <string>

namespace medallion::tool {

Progress::Progress(bool quiet) : on_(!quiet && ::isatty(STDERR_FILENO) == 1) {}

// The line makes room for whatever comes next.
Progress::~Progress() {
  if (shown_) std::fputs("\r\033[K", stderr);
}

void Progress::Show(const RunReport& report) {
  const Clock::time_point now = Clock::now();
  if (!on_ || (shown_ && now - last_ < std::chrono::milliseconds(100))) return;
  last_ = now;
  shown_ = true;
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(now - start_).count();
  std::string clock;
  AppendCanonical(report.data_clock, clock);
  std::fprintf(stderr, "\r\033[K%lld records  %lld/s  data clock %s", static_cast<long long>(report.records),
               static_cast<long long>(report.records * 1000 / (ms + 1)), clock.c_str());
  std::fflush(stderr);
}

}  // namespace medallion::tool
