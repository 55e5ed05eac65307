// A line on the terminal that tells how far a run has come.
#pragma once

#include <chrono>

#include "medallion/io/run.h"

namespace medallion::tool {

// Shows nothing where standard error is no terminal. One thread at a time.
class Progress {
 public:
  explicit Progress(bool quiet);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void Show(const RunReport& report);  // of all inputs so far

 private:
  using Clock = std::chrono::steady_clock;
  bool on_;
  bool shown_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_ = {};
};

}  // namespace medallion::tool
