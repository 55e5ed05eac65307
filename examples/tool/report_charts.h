// Charts as inline SVG, without script. All geometry in whole numbers. Pure. Safe from any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "medallion/base/time.h"

namespace medallion::tool {

// Text made harmless within HTML, in attributes too.
std::string Escaped(std::string_view text);

// A bar of two parts, in thousandths of a unit.
struct Bar {
  std::string label;
  int64_t lower = 0, upper = 0;
};

// Bars side by side, the largest as high as the chart; each tells its label and values under the pointer.
std::string BarChart(const std::vector<Bar>& bars, std::string_view lower, std::string_view upper);

// A value, in thousandths, that holds for a period; or the name of a state.
struct Period {
  UtcTime from, to;
  int64_t value = 0;
  std::string name = {};
};

// Values as steps over time, in order of time.
std::string StepChart(const std::vector<Period>& periods, std::string_view unit);

// States side by side on one line from `from` to `to`: each a block of the class "s-" and its name.
std::string StateLine(const std::vector<Period>& periods, UtcTime from, UtcTime to);

}  // namespace medallion::tool
