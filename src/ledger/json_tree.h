// A JSON text as a list of its values, read strictly (RFC 8259): numbers keep their own digits, so that no amount passes
// through a double. Pure. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "medallion/base/arena.h"

namespace medallion::ledger::json {

enum class Kind : uint8_t { kNull, kBool, kNumber, kText, kObject, kArray };

struct Node {
  Kind kind = Kind::kNull;
  uint32_t end = 0;            // the number of the node after this one and all within it
  std::string_view name = {};  // of a member of an object, unescaped
  std::string_view text = {};  // of a text unescaped, of all others as written
};

class Tree {
 public:
  // False where the text is no JSON value, alone and to its end; then `error` says why. Nodes refer to `json` and to
  // `texts`, and hold until the next Parse.
  bool Parse(std::string_view json, Arena& texts);

  const Node& root() const { return nodes_[0]; }
  std::string_view error() const { return error_; }

  // The members of an object or elements of an array, one after the other: from First(of) while it is not null.
  const Node* First(const Node& of) const { return Before(of, IndexOf(of) + 1); }
  const Node* Next(const Node& of, const Node& child) const { return Before(of, child.end); }

  // The first member with this name, and the same where it is not null; null for no object, too.
  const Node* Member(const Node* object, std::string_view name) const;
  const Node* Find(const Node* object, std::string_view name) const;

  bool has_repeats() const { return has_repeats_; }  // an object names a member twice, with different values

 private:
  const Node* Before(const Node& of, uint32_t index) const {
    return index < of.end ? &nodes_[index] : nullptr;
  }
  uint32_t IndexOf(const Node& node) const { return static_cast<uint32_t>(&node - nodes_.data()); }

  bool Fail(std::string_view error) { return error_ = error, false; }
  void SkipBlanks();
  bool Value(std::string_view name, int depth);
  bool Container(uint32_t index, char close, int depth);
  bool ReadMember(int depth);
  bool Text(std::string_view& text);
  bool Escaped(const char* begin, std::string_view& text);
  bool Word(std::string_view word);
  bool Number();
  void NoteRepeats(const Node& object);

  std::vector<Node> nodes_;
  std::vector<const Node*> members_;  // scratch of NoteRepeats
  Arena* texts_ = nullptr;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  std::string_view error_;
  bool has_repeats_ = false;
};

}  // namespace medallion::ledger::json
