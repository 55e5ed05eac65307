// Walks JSON text once, from the first byte to the last. Strict: RFC 8259 and nothing else, at most 64 deep, no control
// characters in texts, no lone surrogates. What is read stays where it lies, save texts with escapes.
// One thread at a time. For frames, whose shape is known; flat events have parse.h.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "json_members.h"
#include "medallion/base/arena.h"
#include "medallion/ocpp/parse.h"

namespace medallion::ocpp {

// Bytes that must follow a text that is walked, all of them NUL.
inline constexpr size_t kWalkPadding = 64;

// Removes each member whose name an earlier one has. Returns a name that has different values, or nothing.
std::string_view RemoveRepeats(std::vector<Member>& members);

class JsonWalk {
 public:
  // `text` is UTF-8, and the padding follows it. Both texts and arena must outlive what is read.
  JsonWalk(std::string_view text, Arena& texts) : at_(text.data()), end_(at_ + text.size()), texts_(texts) {}

  // The functions below return false where the text is not what they are to read; then problem() says why.

  // The first byte of the next token, which is not read; NUL at the end.
  char Next() {
    while (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t') ++at_;
    return *at_;
  }
  const char* at() const { return at_; }

  // Reads any value. A container becomes compact JSON, each of its names once.
  bool Any(FieldValue& value);
  // Reads a value that is no container. A text keeps its trailing NULs.
  bool Scalar(FieldValue& value);

  // `open` is '{' or '['. Before each member or element More() says whether one follows; with the last the container is
  // left.
  bool Enter(char open);
  bool More(char close, bool& first);
  bool Name(std::string_view& name);  // with its colon

  // Whether nothing but blanks is left.
  bool AtEnd() { return Next() == '\0' && at_ == end_ ? true : Fail("malformed JSON"); }

  bool failed() const { return problem_ != nullptr; }
  const char* problem() const { return problem_; }  // null where nothing is wrong
  const char* failed_at() const { return failed_at_; }

  // A name that a container read by Any() has twice, with different values; or nothing. Forgets it.
  std::string_view TakeAmbiguous() {
    const std::string_view name = ambiguous_;
    ambiguous_ = {};
    return name;
  }

 private:
  // The first place stands.
  bool Fail(const char* problem) { return FailAt(at_, problem); }
  bool FailAt(const char* at, const char* problem) {
    if (problem_ == nullptr) problem_ = problem, failed_at_ = at;
    return false;
  }
  bool Text(std::string_view& text);
  bool Unescape(const char* begin, const char* at, std::string_view& text);
  const char* Escape(const char* at);
  [[gnu::cold]] const char* Unicode(const char* at);
  bool Append(std::string& compact);
  bool AppendObject(std::string& compact);
  bool AppendArray(std::string& compact);

  const char* at_;
  const char* const end_;
  Arena& texts_;
  int depth_ = 0;
  const char* problem_ = nullptr;
  const char* failed_at_ = nullptr;
  std::string_view ambiguous_;
  std::string unescaped_;
};

}  // namespace medallion::ocpp
