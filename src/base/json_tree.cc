#include "json_tree.h"

#include <algorithm>
#include <cstring>

#include "medallion/base/text.h"

namespace medallion::json {
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

std::string_view Padded(std::string_view text, Arena& texts) {
  char* const copy = texts.Allocate(text.size() + simdjson::SIMDJSON_PADDING);
  if (!text.empty()) std::memcpy(copy, text.data(), text.size());
  std::memset(copy + text.size(), ' ', simdjson::SIMDJSON_PADDING);
  return {copy, text.size()};
}

const char* Tree::Here() {
  const char* at = nullptr;
  return document_.current_location().get(at) == simdjson::SUCCESS ? at : end_;
}

// A value that is no container is read as the only element of one, since the reader checks least what stands alone.
bool Tree::Parse(std::string_view json, Arena& texts) {
  nodes_.clear();
  texts_ = &texts;
  problem_ = nullptr, has_repeats_ = false, root_ = 0;
  json = Trim(json);
  if (json.starts_with('{') || json.starts_with('[')) return Document(json);
  root_ = 1;
  std::string alone("[");
  if (!Document(Padded(alone.append(json).append("]"), texts))) return false;
  if (nodes_.size() == 1) return Fail("no value");
  return nodes_[root_].end == nodes_.size() ? true : Fail("more than one value");
}

bool Tree::Document(std::string_view json) {
  end_ = json.data() + json.size();
  const simdjson::padded_string_view padded(json.data(), json.size(),
                                            json.size() + simdjson::SIMDJSON_PADDING);
  const simdjson::error_code error = parser_.iterate(padded).get(document_);
  if (error != simdjson::SUCCESS) return Fail(error == simdjson::UTF8_ERROR ? "not UTF-8" : kMalformed);
  simdjson::ondemand::value root;
  if (document_.get_value().get(root) != simdjson::SUCCESS) return Fail(kMalformed);
  if (!Value(root, {}, 0)) return false;
  return Here() == end_ ? true : Fail("something follows the JSON");
}

bool Tree::Value(simdjson::ondemand::value value, std::string_view name, int depth) {
  if (nodes_.size() == kNodesMax) return Fail("more than a million values");
  const size_t at = nodes_.size();
  nodes_.push_back({.name = name});
  simdjson::ondemand::json_type type;
  if (value.type().get(type) != simdjson::SUCCESS) return Fail(kMalformed);
  const bool object = type == simdjson::ondemand::json_type::object;
  if (object || type == simdjson::ondemand::json_type::array) {
    if (depth == kDepthMax) return Fail("nested deeper than 64");
    const char* const begin = Here();
    if (object ? !Object(value, depth + 1) : !Array(value, depth + 1)) return false;
    nodes_[at].kind = object ? Kind::kObject : Kind::kArray;
    nodes_[at].text = Trim({begin, static_cast<size_t>(Here() - begin)});
  } else if (!Scalar(value, nodes_[at])) {
    return false;
  }
  nodes_[at].end = static_cast<uint32_t>(nodes_.size());
  if (object) NoteRepeats(nodes_[at]);
  return true;
}

bool Tree::Object(simdjson::ondemand::value& value, int depth) {
  simdjson::ondemand::object members;
  if (value.get_object().get(members) != simdjson::SUCCESS) return Fail(kMalformed);
  for (auto each : members) {
    simdjson::ondemand::field member;
    std::string_view name;
    if (std::move(each).get(member) != simdjson::SUCCESS || !Name(member, name)) return Fail(kMalformed);
    if (!Value(member.value(), name, depth)) return false;
  }
  return true;
}

bool Tree::Array(simdjson::ondemand::value& value, int depth) {
  simdjson::ondemand::array elements;
  if (value.get_array().get(elements) != simdjson::SUCCESS) return Fail(kMalformed);
  for (auto element : elements) {
    simdjson::ondemand::value child;
    if (element.get(child) != simdjson::SUCCESS) return Fail(kMalformed);
    if (!Value(child, {}, depth)) return false;
  }
  return true;
}

// What has no escape is referred to where it is.
bool Tree::Name(simdjson::ondemand::field& member, std::string_view& name) {
  const char* const begin = member.key().raw();
  const char* const end = std::find_if(begin, end_, [](char c) { return c == '"' || c == '\\'; });
  if (end != end_ && *end == '"') {
    name = {begin, static_cast<size_t>(end - begin)};
    return true;
  }
  std::string_view plain;
  if (member.unescaped_key().get(plain) != simdjson::SUCCESS) return false;
  name = texts_->Copy(plain);
  return true;
}

bool Tree::Scalar(simdjson::ondemand::value& value, Node& node) {
  const std::string_view untrimmed = value.raw_json_token();
  const char* const next = untrimmed.data() + untrimmed.size();  // the reader would take a colon there
  if (next >= end_ || (*next != ',' && *next != '}' && *next != ']')) return Fail(kMalformed);
  const std::string_view token = Trim(untrimmed);
  if (token.starts_with('"')) {
    node.kind = Kind::kText;
    const bool plain = token.size() > 1 && token.ends_with('"') && token.find('\\') == token.npos;
    if (plain) return node.text = token.substr(1, token.size() - 2), true;
    if (value.get_string().get(node.text) != simdjson::SUCCESS) return Fail(kMalformed);
    return node.text = texts_->Copy(node.text), true;
  }
  node.text = token;
  bool truth = false;
  if (token == "null") {
    node.kind = Kind::kNull;
    return value.is_null() ? true : Fail(kMalformed);
  }
  if (token == "true" || token == "false") {
    node.kind = Kind::kBool;
    return value.get_bool().get(truth) == simdjson::SUCCESS ? true : Fail(kMalformed);
  }
  node.kind = Kind::kNumber;
  return IsNumber(token) ? true : Fail(kMalformed);
}

// A few members are compared each with each, many with the next of their name: a hostile object has many of one.
void Tree::NoteRepeats(const Node& object) {
  constexpr size_t kFew = 32;
  members_.clear();
  for (const Node* member = First(object); member != nullptr; member = Next(object, *member)) {
    members_.push_back(member);
  }
  const size_t size = members_.size();
  const bool few = size <= kFew;
  if (!few) {
    std::sort(members_.begin(), members_.end(),
              [](const Node* a, const Node* b) { return a->name < b->name; });
  }
  for (size_t i = 0; i < size; ++i) {
    const size_t end = few ? size : std::min(i + 2, size);
    for (size_t j = i + 1; j < end; ++j) {
      const Node &one = *members_[i], &other = *members_[j];
      const bool differs = one.kind != other.kind || one.text != other.text;
      if (differs && SameText(one.name, other.name)) has_repeats_ = true;
    }
  }
}

const Node* Tree::Member(const Node* object, std::string_view name) const {
  if (object == nullptr || object->kind != Kind::kObject) return nullptr;
  for (const Node* member = First(*object); member != nullptr; member = Next(*object, *member)) {
    if (SameText(member->name, name)) return member;
  }
  return nullptr;
}

const Node* Tree::Find(const Node* object, std::string_view name) const {
  const Node* member = Member(object, name);
  return member == nullptr || member->kind == Kind::kNull ? nullptr : member;
}

}  // namespace medallion::json
