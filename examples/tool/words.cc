#include "tool/words.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <numeric>
#include <optional>
#include <utility>

namespace medallion::tool {
namespace {

// "-" is standard input, and "-1" a value.
bool IsOption(std::string_view word) {
  return word.size() > 1 && word.front() == '-' && (word[1] < '0' || word[1] > '9');
}

// How many letters must be put in, left out, replaced, or swapped with their neighbour, to make one word of the other.
size_t Distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before, above, row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    before = std::exchange(above, row);
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row.back();
}

}  // namespace

std::string Counted(int64_t count, std::string_view one, std::string_view many) {
  std::string text = std::to_string(count) + " ";
  if (count == 1 || many.empty()) return text.append(one).append(count == 1 ? "" : "s");
  return text.append(many);
}

std::string DidYouMean(std::string_view word, std::span<const std::string_view> names) {
  constexpr size_t kWordMax = 64;                           // longer words are no misspelt names
  size_t least = std::min<size_t>(3, word.size() / 3 + 1);  // nearer than this
  std::string_view nearest;
  if (word.size() > kWordMax) return "";
  for (const std::string_view name : names) {
    const size_t distance = Distance(word, name);
    if (distance < least) least = distance, nearest = name;
  }
  return nearest.empty() ? "" : ": did you mean " + std::string(nearest) + "?";
}

absl::Status Wrong(const std::string& message) { return absl::InvalidArgumentError(message); }

absl::Status With(const absl::Status& status, const std::string& before, const std::string& after) {
  return absl::Status(status.code(), before + std::string(status.message()) + after);
}

absl::Status Given::Keep(const Option& option, std::vector<std::string> values) {
  const std::string name(option.name);
  if (option.values == Option::kNone && !values.empty()) return Wrong(name + " takes no value");
  if (option.values != Option::kNone && (values.empty() || values[0].empty()))
    return Wrong(name + " needs a value");
  if (option.values == Option::kOne && values.size() > 1)
    return Wrong("\"" + values[1] + "\" belongs to no option");
  if (option.values == Option::kOne && Has(name)) return Wrong(name + " is given twice");
  std::vector<std::string>& all = values_[name];
  all.insert(all.end(), std::make_move_iterator(values.begin()), std::make_move_iterator(values.end()));
  return absl::OkStatus();
}

absl::StatusOr<Given> Given::Collect(std::span<const std::string_view> words,
                                     std::span<const Option> options) {
  Given given;
  for (size_t i = 0; i < words.size();) {
    const size_t equals = words[i].starts_with("--") ? words[i].find('=') : std::string_view::npos;
    const std::string_view name = words[i].substr(0, equals);
    const auto option =
        std::find_if(options.begin(), options.end(), [&](const Option& known) { return known.name == name; });
    if (option == options.end()) {
      if (!IsOption(name)) return Wrong("\"" + std::string(words[i]) + "\" belongs to no option");
      std::vector<std::string_view> names;
      for (const Option& known : options) names.push_back(known.name);
      return Wrong("unknown option " + std::string(name) + DidYouMean(name, names));
    }
    std::vector<std::string> values;
    if (equals != std::string_view::npos) values.emplace_back(words[i].substr(equals + 1));
    for (++i; i < words.size() && !IsOption(words[i]); ++i) values.emplace_back(words[i]);
    if (auto status = given.Keep(*option, std::move(values)); !status.ok()) return status;
  }
  return given;
}

const std::vector<std::string>& Given::All(std::string_view name) const {
  static const std::vector<std::string> none;
  const auto found = values_.find(name);
  return found == values_.end() ? none : found->second;
}

const std::string& Given::Text(std::string_view name) const {
  static const std::string none;
  const std::vector<std::string>& all = All(name);
  return all.empty() ? none : all.front();
}

absl::StatusOr<size_t> Given::Number(std::string_view name, size_t max, size_t otherwise) const {
  if (!Has(name)) return otherwise;
  const std::string& text = Text(name);
  size_t number = 0;
  const char* end = text.data() + text.size();
  const std::from_chars_result read = std::from_chars(text.data(), end, number);
  if (read.ec == std::errc() && read.ptr == end && number >= 1 && number <= max) return number;
  return Wrong(std::string(name) + " " + text + ": must be a whole number from 1 to " + std::to_string(max));
}

absl::StatusOr<UtcTime> Given::Time(std::string_view name) const {
  if (!Has(name)) return kNoTime;
  const std::optional<ParsedTime> parsed = ParseTime(Text(name));
  if (parsed && !parsed->offset_missing) return parsed->time;
  return Wrong(std::string(name) + " " + Text(name) +
               ": must be a time with an offset, as 2026-03-01T10:00:00Z");
}

absl::StatusOr<std::string> Given::SqlitePath() const {
  constexpr std::string_view kSqlite = "sqlite:";
  const std::string& text = Text("--store");
  if (text.empty() || text == "memory") return std::string();
  if (text.starts_with(kSqlite) && text.size() > kSqlite.size()) return text.substr(kSqlite.size());
  return Wrong("--store " + text + ": must be memory or sqlite:PATH");
}

absl::StatusOr<std::string> Given::LastingPath() const {
  absl::StatusOr<std::string> path = SqlitePath();
  if (path.ok() && path->empty()) return Wrong("--store sqlite:PATH is missing: the store to work on");
  return path;
}

}  // namespace medallion::tool
