#include "json_tree.h"

#include "medallion/base/text.h"

namespace medallion::launchpad {
namespace {

constexpr int kDepthMax = 64;
constexpr size_t kNodesMax = 1'000'000;
constexpr char kMalformed[] = "malformed JSON";

// RFC 8259, 6: the reader below takes `01`, `1.` and the like.
bool IsNumber(std::string_view text) {
  const auto digits = [&] {
    size_t size = 0;
    while (size < text.size() && text[size] >= '0' && text[size] <= '9') ++size;
    text.remove_prefix(size);
    return size;
  };
  if (text.starts_with('-')) text.remove_prefix(1);
  const bool zero = text.starts_with('0');
  const size_t whole = digits();
  if (whole == 0 || (zero && whole > 1)) return false;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    if (digits() == 0) return false;
  }
  if (!text.empty() && (text[0] == 'e' || text[0] == 'E')) {
    text.remove_prefix(1);
    if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
    if (digits() == 0) return false;
  }
  return text.empty();
}

}  // namespace

const char* JsonTree::Here() {
  const char* at = nullptr;
  return document_.current_location().get(at) == simdjson::SUCCESS ? at : end_;
}

bool JsonTree::Read(std::string_view text) {
  nodes_.clear();
  problem_ = nullptr;
  end_ = text.data() + text.size();
  const simdjson::padded_string_view padded(text.data(), text.size(),
                                            text.size() + simdjson::SIMDJSON_PADDING);
  if (parser_.iterate(padded).get(document_) != simdjson::SUCCESS) return Fail(kMalformed);
  simdjson::ondemand::value root;
  if (document_.get_value().get(root) != simdjson::SUCCESS) return Fail("neither an object nor an array");
  if (!Value(root, {}, 0)) return false;
  return Here() == end_ ? true : Fail("something follows the JSON");
}

bool JsonTree::Value(simdjson::ondemand::value value, std::string_view name, int depth) {
  if (depth > kDepthMax) return Fail("nested deeper than 64");
  if (nodes_.size() == kNodesMax) return Fail("more than a million values");
  const size_t at = nodes_.size();
  nodes_.push_back({.name = name});
  simdjson::ondemand::json_type type;
  if (value.type().get(type) != simdjson::SUCCESS) return Fail(kMalformed);
  const bool object = type == simdjson::ondemand::json_type::object;
  if (object || type == simdjson::ondemand::json_type::array) {
    const char* const begin = Here();
    if (!Children(value, object, depth)) return false;
    nodes_[at].kind = object ? JsonKind::kObject : JsonKind::kArray;
    nodes_[at].text = Trim({begin, static_cast<size_t>(Here() - begin)});
  } else if (!Scalar(value, nodes_[at])) {
    return false;
  }
  nodes_[at].end = static_cast<uint32_t>(nodes_.size());
  return true;
}

bool JsonTree::Children(simdjson::ondemand::value& value, bool object, int depth) {
  if (object) {
    simdjson::ondemand::object members;
    if (value.get_object().get(members) != simdjson::SUCCESS) return Fail(kMalformed);
    for (auto member : members) {
      std::string_view name;
      if (member.unescaped_key().get(name) != simdjson::SUCCESS) return Fail(kMalformed);
      simdjson::ondemand::value child;
      if (member.value().get(child) != simdjson::SUCCESS) return Fail(kMalformed);
      if (!Value(child, name, depth + 1)) return false;
    }
    return true;
  }
  simdjson::ondemand::array elements;
  if (value.get_array().get(elements) != simdjson::SUCCESS) return Fail(kMalformed);
  for (auto element : elements) {
    simdjson::ondemand::value child;
    if (element.get(child) != simdjson::SUCCESS) return Fail(kMalformed);
    if (!Value(child, {}, depth + 1)) return false;
  }
  return true;
}

bool JsonTree::Scalar(simdjson::ondemand::value& value, JsonNode& node) {
  const std::string_view untrimmed = value.raw_json_token();
  const char* const next = untrimmed.data() + untrimmed.size();  // the reader would take a colon there
  if (next >= end_ || (*next != ',' && *next != '}' && *next != ']')) return Fail(kMalformed);
  const std::string_view token = Trim(untrimmed);
  if (token.starts_with('"')) {
    node.kind = JsonKind::kText;
    return value.get_string().get(node.text) == simdjson::SUCCESS ? true : Fail(kMalformed);
  }
  node.text = token;
  bool truth = false;
  if (token == "null") {
    node.kind = JsonKind::kNull;
    return value.is_null() ? true : Fail(kMalformed);
  }
  if (token == "true" || token == "false") {
    node.kind = JsonKind::kBool;
    return value.get_bool().get(truth) == simdjson::SUCCESS ? true : Fail(kMalformed);
  }
  node.kind = JsonKind::kNumber;
  return IsNumber(token) ? true : Fail(kMalformed);
}

const JsonNode* JsonTree::Find(const JsonNode& object, std::string_view name) const {
  if (object.kind != JsonKind::kObject) return nullptr;
  for (auto i = static_cast<uint32_t>(&object - nodes_.data()) + 1; i < object.end; i = nodes_[i].end) {
    if (SameText(nodes_[i].name, name)) return &nodes_[i];
  }
  return nullptr;
}

}  // namespace medallion::launchpad
