// Columns of a row that was read as JSON. Pure. Safe from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "nlohmann/json.hpp"

namespace medallion::tool {

// Texts as they are, other values as JSON; empty where the column is null or missing.
std::string TextOf(const nlohmann::json& row, std::string_view column);

// The texts of a list, by commas.
std::string Joined(const nlohmann::json& row, std::string_view column);

// A decimal of up to three digits in thousandths, exactly; nothing where the column has none.
std::optional<int64_t> ThousandthsOf(const nlohmann::json& row, std::string_view column);

// The same written again: 7500 is "7.500".
std::string Decimal3(int64_t thousandths);

}  // namespace medallion::tool
