// From a line of JSON to messages: both schema generations, wrapped or not.
#pragma once

#include <string_view>
#include <vector>

#include "base/json_tree.h"
#include "medallion/base/arena.h"
#include "medallion/launchpad/options.h"

namespace medallion::launchpad {

inline constexpr size_t kMessagesMax = 100'000;  // of a line

class MessageReader {
 public:
  explicit MessageReader(const Options& options) : options_(options) {}

  // Parses a line. False where it is no JSON, or names a member twice with two values: problem() says why. What is read
  // below refers to a copy of it, which holds until the next line.
  bool Read(std::string_view line);
  const char* problem() const { return problem_; }

  // Whether the line is an envelope; then it is set. It refers to the line.
  bool IsEnvelope(Envelope& envelope) const;

  // The messages of the line; texts go to `texts`. `landed` is when the record or envelope was ingested, if that is known:
  // what the line says itself goes first. Of a line with more than kMessagesMax only one more is told.
  void Messages(UtcTime landed, Arena& texts, std::vector<Message>& out) const;

 private:
  void Read(const json::Node& json, UtcTime landed, Arena& texts, std::vector<Message>& out) const;
  void ReadOne(const json::Node& json, UtcTime landed, Arena& texts, Message& m) const;

  const Options& options_;
  json::Tree tree_;
  const char* problem_ = "";
  Arena texts_;  // of the line
};

}  // namespace medallion::launchpad
