#include "medallion/ledger/record_lines.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>

#include "base/json_tree.h"
#include "connect_values.h"
#include "medallion/base/text.h"
#include "wrapper.h"

namespace medallion::ledger {

using json::Kind;
using json::Node;
using json::Tree;

namespace reading {

bool Wraps(const Tree& tree, const Node& object) {
  constexpr auto kNames =
      std::to_array<std::string_view>({"key", "value", "headers", "topic", "partition", "offset", "ingest_ts",
                                       "broker_ts", "timestamp", "_ingested_at"});
  if (tree.Member(&object, "value") == nullptr) return false;
  for (const Node* member = tree.First(object); member != nullptr; member = tree.Next(object, *member)) {
    if (std::find(kNames.begin(), kNames.end(), member->name) == kNames.end()) return false;
  }
  return true;
}

}  // namespace reading

struct RecordLines::Scratch {
  Tree tree;
};

RecordLines::RecordLines() : scratch_(std::make_unique<Scratch>()) {}
RecordLines::~RecordLines() = default;
RecordLines::RecordLines(RecordLines&&) noexcept = default;
RecordLines& RecordLines::operator=(RecordLines&&) noexcept = default;

namespace {

std::optional<int64_t> Whole(const Tree& tree, const Node& wrapper, std::string_view name) {
  const Node* node = tree.Find(&wrapper, name);
  return node == nullptr ? std::nullopt : connect::WholeOf(*node);
}

// Of the first of these members that is a time.
UtcTime Time(const Tree& tree, const Node& wrapper, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    const Node* node = tree.Find(&wrapper, name);
    if (node == nullptr) continue;
    if (const auto time = connect::TimeOf(*node, {})) return *time;
  }
  return kNoTime;
}

// A text, or any other value as JSON.
std::string_view Text(const Node* node) { return node == nullptr ? std::string_view() : node->text; }

void AppendMember(std::string_view name, const Node* node, std::string& json) {
  if (node == nullptr) return;
  json.append(json.size() == 1 ? "\"" : ",\"").append(name).append("\":");
  node->kind == Kind::kText ? AppendJsonString(node->text, json) : void(json.append(node->text));
}

std::string_view PayloadOf(const Tree& tree, const Node& wrapper, Arena& texts) {
  const Node* headers = tree.Find(&wrapper, "headers");
  const Node* value = tree.Member(&wrapper, "value");
  const bool has_headers =
      headers != nullptr && headers->kind == Kind::kObject && tree.First(*headers) != nullptr;
  if (!has_headers) return value->text;
  std::string json = "{";
  AppendMember("headers", headers, json);
  AppendMember("key", tree.Find(&wrapper, "key"), json);
  AppendMember("value", value, json);
  return texts.Copy(json += "}");
}

}  // namespace

BronzeRecord RecordLines::Decode(std::string_view line, const Coordinate& at, Arena& texts) {
  Tree& tree = scratch_->tree;
  BronzeRecord record{.payload = line, .at = at};
  if (line.find("\"value\"") == std::string_view::npos) return record;
  if (!tree.Parse(json::Padded(line, texts), texts) || !reading::Wraps(tree, tree.root())) return record;
  const Node& wrapper = tree.root();
  record.payload = PayloadOf(tree, wrapper, texts);
  record.key = Text(tree.Find(&wrapper, "key"));
  if (const Node* topic = tree.Find(&wrapper, "topic"); topic != nullptr) record.at.topic = topic->text;
  if (const auto partition = Whole(tree, wrapper, "partition")) {
    constexpr int64_t kLeast = std::numeric_limits<int32_t>::min(),
                      kMost = std::numeric_limits<int32_t>::max();
    record.at.partition = static_cast<int32_t>(std::clamp(*partition, kLeast, kMost));
  }
  record.at.offset = Whole(tree, wrapper, "offset").value_or(at.offset);
  record.broker_ts = Time(tree, wrapper, {"broker_ts", "timestamp"});
  record.ingest_ts = Time(tree, wrapper, {"ingest_ts", "_ingested_at"});
  return record;
}

}  // namespace medallion::ledger
