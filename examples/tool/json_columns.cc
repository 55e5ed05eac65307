#include "tool/json_columns.h"

#include "medallion/base/decimal.h"

namespace medallion::tool {

using nlohmann::json;

std::string TextOf(const json& row, std::string_view column) {
  const auto value = row.find(column);
  if (value == row.end() || value->is_null()) return "";
  return value->is_string() ? value->get_ref<const std::string&>() : value->dump();
}

std::string Joined(const json& row, std::string_view column) {
  std::string joined;
  const auto list = row.find(column);
  if (list == row.end() || !list->is_array()) return joined;
  for (const json& item : *list) {
    if (item.is_string()) joined += (joined.empty() ? "" : ",") + item.get_ref<const std::string&>();
  }
  return joined;
}

std::optional<int64_t> ThousandthsOf(const json& row, std::string_view column) {
  const std::optional<Decimal> decimal = Decimal::Parse(TextOf(row, column));
  return decimal ? decimal->Rounded(3) : std::nullopt;
}

std::string Decimal3(int64_t thousandths) {
  std::string text;
  AppendFixed(thousandths, 3, text);
  return text;
}

}  // namespace medallion::tool
