// A line of JSON as a tree, read whole and once: strict where the reader beneath it is not.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "simdjson.h"

namespace medallion::launchpad {

enum class JsonKind : uint8_t { kNull, kBool, kNumber, kText, kObject, kArray };

struct JsonNode {
  JsonKind kind = JsonKind::kNull;
  std::string_view name = {};  // of a member
  std::string_view text =
      {};            // a number's or a boolean's token, a text without its escapes, a container's JSON
  uint32_t end = 0;  // the number of the node behind it and all below it

  bool is_text() const { return kind == JsonKind::kText; }
};

// One thread at a time. What is read refers to the tree and the text it was read from, until the next is read.
class JsonTree {
 public:
  // False, with `problem`, where the text is no JSON, nested deeper than 64, or of over a million values. simdjson's padding must follow `text` in
  // memory.
  bool Read(std::string_view text);
  const char* problem() const { return problem_; }

  const JsonNode& root() const { return nodes_[0]; }
  // The first member of this name, or null.
  const JsonNode* Find(const JsonNode& object, std::string_view name) const;
  // Calls use(child) for each.
  template <class Use>
  void Each(const JsonNode& container, Use&& use) const {
    for (auto i = static_cast<uint32_t>(&container - nodes_.data()) + 1; i < container.end;
         i = nodes_[i].end) {
      use(nodes_[i]);
    }
  }

 private:
  bool Fail(const char* problem) { return problem_ = problem, false; }
  bool Value(simdjson::ondemand::value value, std::string_view name, int depth);
  bool Children(simdjson::ondemand::value& value, bool object, int depth);
  bool Scalar(simdjson::ondemand::value& value, JsonNode& node);
  const char* Here();

  simdjson::ondemand::parser parser_;
  simdjson::ondemand::document document_;
  std::vector<JsonNode> nodes_;
  const char* end_ = nullptr;  // of the text
  const char* problem_ = nullptr;
};

}  // namespace medallion::launchpad
