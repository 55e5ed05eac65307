// Charts as inline SVG, without script. All geometry in whole numbers. Pure. Safe from any thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "medallion/base/time.h"

namespace medallion::tool {

// Text made harmless within HTML, in attributes too.
std::string Escaped(std::string_view text);

// Two parts of one lying bar, classes "final" and "provisional"; `most` is as long as the chart.
std::string SplitBar(int64_t lower, int64_t upper, int64_t most);

// A value that holds until `to`.
struct Period {
  UtcTime to;
  int64_t value = 1;
  std::string style, title;  // the block's class, and what it tells under the pointer
};
using Periods = std::map<UtcTime, Period>;  // by their begin

// Blocks over time, as high as their values; what lies outside [from, to] is cut off.
std::string TimeChart(const Periods& periods, UtcTime from, UtcTime to, int64_t height);

}  // namespace medallion::tool
