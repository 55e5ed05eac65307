#include "connect_values.h"

#include <charconv>
#include <limits>

#include "absl/numeric/int128.h"
#include "absl/strings/escaping.h"
#include "medallion/base/text.h"
#include "medallion/ledger/minor_units.h"

namespace medallion::ledger::connect {
namespace {

using json::Kind;
using json::Node;
using json::Tree;

std::string_view TextOf(const Tree& tree, const Node* object, std::string_view name) {
  const Node* node = tree.Find(object, name);
  return node != nullptr && node->kind == Kind::kText ? node->text : std::string_view();
}

// The member of a struct's `fields` that describes `field`.
const Node* FieldSchema(const Tree& tree, const Node* schema, std::string_view field) {
  const Node* fields = tree.Find(schema, "fields");
  if (fields == nullptr || fields->kind != Kind::kArray) return nullptr;
  for (const Node* each = tree.First(*fields); each != nullptr; each = tree.Next(*fields, *each)) {
    if (TextOf(tree, each, "field") == field) return each;
  }
  return nullptr;
}

std::optional<std::string> FromBase64(std::string_view text, int64_t scale) {
  std::string bytes;
  if (!absl::Base64Unescape(std::string(text), &bytes)) return std::nullopt;
  const std::optional<MinorUnits> unscaled = FromBigEndian(bytes);
  if (!unscaled) return std::nullopt;
  return CanonicalDecimal(*unscaled, scale);
}

std::optional<std::string> FromStruct(const Tree& tree, const Node& node) {
  const Node* scale = tree.Find(&node, "scale");
  const Node* value = tree.Find(&node, "value");
  if (scale == nullptr || value == nullptr || value->kind != Kind::kText) return std::nullopt;
  const std::optional<int64_t> digits = WholeOf(*scale);
  constexpr int64_t kFar = 1'000;
  if (!digits || *digits > kFar || *digits < -kFar) return std::nullopt;
  return FromBase64(value->text, *digits);
}

// The number in units of `us` microseconds; nothing outside of the years 0000 to 9999.
std::optional<UtcTime> Scaled(int64_t number, int64_t us) {
  constexpr int64_t kFirst = -62'167'219'200'000'000, kAfter = 253'402'300'800'000'000;
  const absl::int128 time = absl::int128(number) * us;
  if (time < kFirst || time >= kAfter) return std::nullopt;
  return UtcTime{static_cast<int64_t>(time)};
}

std::optional<UtcTime> FromNanos(int64_t number) {
  constexpr int64_t kNanos = 1'000;
  const int64_t floor = number / kNanos - (number % kNanos < 0 ? 1 : 0);
  return UtcTime{floor};
}

std::optional<UtcTime> FromNumber(int64_t number, std::string_view name) {
  constexpr int64_t kMilli = 1'000;
  if (name.ends_with(".Date")) return Scaled(number, kMicrosPerDay);
  if (name.ends_with(".MicroTimestamp")) return Scaled(number, 1);
  if (name.ends_with(".NanoTimestamp")) return FromNanos(number);
  if (name.ends_with(".Timestamp")) return Scaled(number, kMilli);
  constexpr int64_t kDays = 1'000'000, kMillis = 100'000'000'000, kMicros = 100'000'000'000'000,
                    kNanos = 100'000'000'000'000'000;
  if (number >= kNanos || number <= -kNanos) return FromNanos(number);
  const int64_t size = number < 0 ? -number : number;
  if (size >= kMicros) return Scaled(number, 1);
  if (size >= kMillis) return Scaled(number, kMilli);
  if (size < kDays) return Scaled(number, kMicrosPerDay);
  return std::nullopt;
}

std::optional<UtcTime> FromText(std::string_view text) {
  constexpr size_t kDay = 10;  // 2026-03-01
  if (text.size() == kDay || (text.size() == kDay + 1 && text.back() == 'Z')) {
    std::string midnight(text.substr(0, kDay));
    const auto parsed = ParseTime(midnight += "T00:00:00Z");
    return parsed ? std::optional(parsed->time) : std::nullopt;
  }
  const auto parsed = ParseTime(text);
  return parsed ? std::optional(parsed->time) : std::nullopt;
}

}  // namespace

std::optional<int64_t> WholeOf(const Node& node) {
  if (node.kind != Kind::kNumber && node.kind != Kind::kText) return std::nullopt;
  int64_t number = 0;
  const char *const begin = node.text.data(), *const end = begin + node.text.size();
  const auto [read, error] = std::from_chars(begin, end, number);
  if (error != std::errc() || read != end) return std::nullopt;
  return number;
}

ColumnType TypeOf(const Tree& tree, const Node* schema, std::string_view image, std::string_view column) {
  const Node* field = FieldSchema(tree, FieldSchema(tree, schema, image), column);
  if (field == nullptr) return {};
  ColumnType type{.type = TextOf(tree, field, "type"), .name = TextOf(tree, field, "name")};
  const Node* scale = tree.Find(tree.Find(field, "parameters"), "scale");
  const std::optional<int64_t> digits = scale == nullptr ? std::nullopt : WholeOf(*scale);
  constexpr int64_t kFar = 1'000;
  if (digits && *digits <= kFar && *digits >= -kFar) type.scale = static_cast<int>(*digits);
  return type;
}

std::optional<std::string> DecimalOf(const Tree& tree, const Node& node, const ColumnType& type,
                                     std::optional<int> scale, bool& is_float) {
  switch (node.kind) {
    case Kind::kObject: return FromStruct(tree, node);
    case Kind::kNumber:
      is_float = node.text.find_first_of(".eE") != std::string_view::npos;
      if (is_float) return std::nullopt;
      return CanonicalDecimal(node.text);
    case Kind::kText:
      if (type.scale || type.type == "bytes") return FromBase64(node.text, type.scale.value_or(0));
      if (type.type.empty() && scale) return FromBase64(node.text, *scale);
      return CanonicalDecimal(node.text);
    default: return std::nullopt;
  }
}

std::optional<UtcTime> TimeOf(const Node& node, const ColumnType& type) {
  if (node.kind == Kind::kText) return FromText(node.text);
  if (node.kind != Kind::kNumber) return std::nullopt;
  const std::optional<int64_t> number = WholeOf(node);
  return number ? FromNumber(*number, type.name) : std::nullopt;
}

}  // namespace medallion::ledger::connect
