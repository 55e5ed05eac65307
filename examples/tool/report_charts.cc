#include "tool/report_charts.h"

#include <algorithm>

#include "tool/json_columns.h"

namespace medallion::tool {
namespace {

constexpr int64_t kWidth = 1000;

// `part` of `whole` on a length; both may be anything.
int64_t Scaled(int64_t part, int64_t whole, int64_t length) {
  return static_cast<int64_t>(static_cast<__int128>(part) * length / std::max<int64_t>(whole, 1));
}

std::string Svg(int64_t height, std::string_view content) {
  return "<svg viewBox=\"0 0 " + std::to_string(kWidth) + " " + std::to_string(height) +
         "\" preserveAspectRatio=\"none\" style=\"height:" + std::to_string(height) + "px\">" +
         std::string(content) + "</svg>";
}

std::string Rect(int64_t x, int64_t y, int64_t width, int64_t height, const std::string& style,
                 const std::string& title) {
  return "<rect x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) + "\" width=\"" +
         std::to_string(width) + "\" height=\"" + std::to_string(height) + "\" class=\"" + style +
         "\"><title>" + Escaped(title) + "</title></rect>";
}

std::string Second(UtcTime time) { return FormatTime(time).substr(0, 19) + "Z"; }

}  // namespace

std::string Escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&': escaped += "&amp;"; break;
      case '<': escaped += "&lt;"; break;
      case '>': escaped += "&gt;"; break;
      case '"': escaped += "&quot;"; break;
      default: escaped += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return escaped;
}

std::string BarChart(const std::vector<Bar>& bars, std::string_view lower, std::string_view upper) {
  constexpr int64_t kHeight = 160;
  int64_t most = 0;
  for (const Bar& bar : bars) most = std::max(most, bar.lower + bar.upper);
  const int64_t step =
      std::min<int64_t>(kWidth / std::max<int64_t>(static_cast<int64_t>(bars.size()), 1), 60);
  std::string content;
  for (size_t i = 0; i < bars.size(); ++i) {
    const Bar& bar = bars[i];
    const int64_t x = static_cast<int64_t>(i) * step;
    const int64_t low = Scaled(bar.lower, most, kHeight), high = Scaled(bar.lower + bar.upper, most, kHeight);
    const auto part = [&](int64_t y, int64_t height, const char* style, int64_t value,
                          std::string_view name) {
      content += Rect(x, y, std::max<int64_t>(step * 4 / 5, 1), height, style,
                      bar.label + ": " + Decimal3(value) + " " + std::string(name));
    };
    part(kHeight - low, low, "final", bar.lower, lower);
    part(kHeight - high, high - low, "provisional", bar.upper, upper);
  }
  return Svg(kHeight, content);
}

std::string StepChart(const std::vector<Period>& periods, std::string_view unit) {
  constexpr int64_t kHeight = 90;
  if (periods.empty()) return "";
  const UtcTime from = periods.front().from;
  const int64_t span = periods.back().to.us - from.us;
  int64_t most = 0;
  for (const Period& period : periods) most = std::max(most, period.value);
  std::string content;
  for (const Period& period : periods) {
    const int64_t x = Scaled(period.from.us - from.us, span, kWidth);
    const int64_t to = Scaled(period.to.us - from.us, span, kWidth);
    const int64_t height = Scaled(period.value, most, kHeight);
    content += Rect(x, kHeight - height, std::max<int64_t>(to - x, 1), height, "power",
                    Second(period.from) + " to " + Second(period.to) + ": " + Decimal3(period.value) + " " +
                        std::string(unit) + (period.name.empty() ? "" : ", " + period.name));
  }
  return "<p class=\"axis\">" + Second(from) + " to " + Second(periods.back().to) + ", up to " +
         Decimal3(most) + " " + std::string(unit) + "</p>" + Svg(kHeight, content);
}

std::string StateLine(const std::vector<Period>& periods, UtcTime from, UtcTime to) {
  std::string content;
  for (const Period& period : periods) {
    const UtcTime begin = std::max(period.from, from), end = std::min(period.to, to);
    if (end <= begin) continue;
    const int64_t x = Scaled(begin.us - from.us, to.us - from.us, kWidth);
    const int64_t until = Scaled(end.us - from.us, to.us - from.us, kWidth);
    content += Rect(x, 0, std::max<int64_t>(until - x, 1), 18, "s-" + Escaped(period.name),
                    period.name + " " + Second(period.from) + " to " + Second(period.to));
  }
  return Svg(18, content);
}

}  // namespace medallion::tool
