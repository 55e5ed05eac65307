// A JSON text as a list of its values, read whole and once; strict (RFC 8259) where the reader beneath it is not. Numbers
// keep their own digits, so that no amount passes through a double. Internal. Pure.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "medallion/base/arena.h"
#include "simdjson.h"

namespace medallion::json {

enum class Kind : uint8_t { kNull, kBool, kNumber, kText, kObject, kArray };

struct Node {
  Kind kind = Kind::kNull;
  uint32_t end = 0;            // the number of the node after this one and all within it
  std::string_view name = {};  // of a member of an object, unescaped
  std::string_view text = {};  // of a text unescaped, of all others as written

  bool is_text() const { return kind == Kind::kText; }
};

// A copy of `text` in `texts`, with the bytes behind it that Parse needs.
std::string_view Padded(std::string_view text, Arena& texts);

// One thread at a time.
class Tree {
 public:
  // False, with `problem`, where the text is no JSON value, alone and to its end, is nested deeper than 64 or has over a
  // million values. simdjson's padding must follow `json` in memory: see Padded. Nodes refer to `json` and to `texts`, which
  // takes what is escaped; they hold until the next Parse.
  bool Parse(std::string_view json, Arena& texts);
  const char* problem() const { return problem_; }

  const Node& root() const { return nodes_[root_]; }

  // The members of an object or elements of an array, one after the other: from First(of) while it is not null.
  const Node* First(const Node& of) const { return Before(of, IndexOf(of) + 1); }
  const Node* Next(const Node& of, const Node& child) const { return Before(of, child.end); }
  // Calls use(child) for each.
  template <class Use>
  void Each(const Node& of, Use&& use) const {
    for (const Node* child = First(of); child != nullptr; child = Next(of, *child)) use(*child);
  }

  // The first member with this name, and the same where it is not null; null for no object, too.
  const Node* Member(const Node* object, std::string_view name) const;
  const Node* Find(const Node* object, std::string_view name) const;

  bool has_repeats() const { return has_repeats_; }  // an object names a member twice, with different values

 private:
  const Node* Before(const Node& of, uint32_t index) const {
    return index < of.end ? &nodes_[index] : nullptr;
  }
  uint32_t IndexOf(const Node& node) const { return static_cast<uint32_t>(&node - nodes_.data()); }

  bool Fail(const char* problem) { return problem_ = problem, false; }
  bool Document(std::string_view json);
  bool Value(simdjson::ondemand::value value, std::string_view name, int depth);
  bool Object(simdjson::ondemand::value& value, int depth);
  bool Array(simdjson::ondemand::value& value, int depth);
  bool Scalar(simdjson::ondemand::value& value, Node& node);
  bool Name(simdjson::ondemand::field& member, std::string_view& name);
  void NoteRepeats(const Node& object);
  const char* Here();

  simdjson::ondemand::parser parser_;
  simdjson::ondemand::document document_;
  std::vector<Node> nodes_;
  uint32_t root_ = 0;
  std::vector<const Node*> members_;  // scratch of NoteRepeats
  Arena* texts_ = nullptr;
  const char* end_ = nullptr;  // of the text
  const char* problem_ = nullptr;
  bool has_repeats_ = false;
};

}  // namespace medallion::json
