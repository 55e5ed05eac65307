#include "tool/grid.h"

#include <algorithm>

#include "medallion/base/text.h"

namespace medallion::tool {
namespace {

constexpr size_t kWidthMax = 40;

size_t Width(std::string_view text) {
  return static_cast<size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace

std::string Shown(std::string_view text) {
  std::string quoted;
  AppendJsonString(text.substr(0, 4 * kWidthMax), quoted);
  std::string shown = quoted.substr(1, quoted.size() - 2);
  if (shown.size() <= kWidthMax) return shown;
  size_t end = kWidthMax;
  while (end > 0 && (static_cast<unsigned char>(shown[end]) & 0xC0) == 0x80) --end;  // never half a character
  return shown.substr(0, end) + "…";
}

std::string Grid(const std::vector<std::vector<std::string>>& rows, const std::vector<size_t>& right) {
  std::vector<size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], Width(row[i]));
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string space(widths[i] - Width(row[i]), ' ');
      const bool to_right = std::find(right.begin(), right.end(), i) != right.end();
      line += "  " + (to_right ? space + row[i] : row[i] + space);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

}  // namespace medallion::tool
