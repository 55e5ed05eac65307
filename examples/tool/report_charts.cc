#include "tool/report_charts.h"

#include <algorithm>

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
         std::to_string(width) + "\" height=\"" + std::to_string(height) + "\" class=\"" + Escaped(style) +
         "\"><title>" + Escaped(title) + "</title></rect>";
}

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

std::string SplitBar(int64_t lower, int64_t upper, int64_t most) {
  const int64_t low = Scaled(lower, most, kWidth), high = Scaled(lower + upper, most, kWidth);
  return Svg(
      16, Rect(0, 0, low, 16, "final", "final") + Rect(low, 0, high - low, 16, "provisional", "provisional"));
}

std::string TimeChart(const Periods& periods, UtcTime from, UtcTime to, int64_t height) {
  int64_t most = 0;
  for (const auto& [begin, period] : periods) most = std::max(most, period.value);
  std::string content;
  for (const auto& [since, period] : periods) {
    const UtcTime begin = std::max(since, from), end = std::min(period.to, to);
    if (end <= begin) continue;
    const int64_t x = Scaled(begin.us - from.us, to.us - from.us, kWidth);
    const int64_t until = Scaled(end.us - from.us, to.us - from.us, kWidth);
    const int64_t tall = Scaled(period.value, most, height);
    content += Rect(x, height - tall, std::max<int64_t>(until - x, 1), tall, period.style, period.title);
  }
  return Svg(height, content);
}

}  // namespace medallion::tool
