// A command line: from words to what is wanted. Pure. Safe from any thread.
// All errors are InvalidArgument, name the option, and say what is allowed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "medallion/base/time.h"

namespace medallion::tool {

struct Option {
  std::string_view name;
  enum Values : uint8_t { kNone, kOne, kMany } values;
};

// What the options gave, as it came.
class Given {
 public:
  // "--name value", "--name=value", "--name value value …". Words that belong to no option are errors.
  static absl::StatusOr<Given> Collect(std::span<const std::string_view> words,
                                       std::span<const Option> options);

  bool Has(std::string_view name) const { return values_.find(name) != values_.end(); }
  // Nothing where it was not given.
  const std::vector<std::string>& All(std::string_view name) const;
  // Empty where it was not given.
  const std::string& Text(std::string_view name) const;

  // `otherwise` where it was not given.
  absl::StatusOr<size_t> Number(std::string_view name, size_t max, size_t otherwise) const;
  // kNoTime where it was not given.
  absl::StatusOr<UtcTime> Time(std::string_view name) const;
  // The path of --store sqlite:PATH; empty: in memory.
  absl::StatusOr<std::string> SqlitePath() const;
  // The same for commands that need a store with something in it.
  absl::StatusOr<std::string> LastingPath() const;

 private:
  absl::Status Keep(const Option& option, std::vector<std::string> values);

  std::map<std::string, std::vector<std::string>, std::less<>> values_;
};

// "1 record", "2 records"; `many` where an s does not make it.
std::string Counted(int64_t count, std::string_view one, std::string_view many = "");

// The likeliest of the names that a misspelt word may mean, as ": did you mean NAME?"; empty where none is near.
std::string DidYouMean(std::string_view word, std::span<const std::string_view> names);

absl::Status Wrong(const std::string& message);

// The same error with more words around its message.
absl::Status With(const absl::Status& status, const std::string& before, const std::string& after);

}  // namespace medallion::tool
