#include "medallion/launchpad/land.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "medallion/base/digest.h"

namespace medallion::launchpad {
namespace {

constexpr size_t kWriteAheadMax = size_t{1} << 30;
constexpr size_t kPrintSize = 16;

std::string PrintOf(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const uint64_t print = Fingerprint(text);
  std::string digits;
  for (int shift = 60; shift >= 0; shift -= 4) digits.push_back(kDigits[print >> shift & 15]);
  return digits;
}

std::string Line(const std::string& text) { return PrintOf(text) + " " + text + "\n"; }

// Takes the text before the next blank off.
std::string_view TakeWord(std::string_view& text) {
  const size_t end = std::min(text.find(' '), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

int64_t TakeNumber(std::string_view& text, int64_t otherwise = -1) {
  const std::string_view word = TakeWord(text);
  int64_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc() && end == word.data() + word.size() ? number : otherwise;
}

std::string EventLine(int64_t number, const LandedEvent& event) {
  const std::string us = event.ingested_at == kNoTime ? "-" : std::to_string(event.ingested_at.us);
  std::string json = event.json;
  std::replace_if(
      json.begin(), json.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return Line("event " + std::to_string(number) + " " + us + " " + json);
}

// Whether a text may be a write-ahead file's, whose first line may be torn: it begins with a print.
bool IsWriteAhead(std::string_view text) {
  const std::string_view start = text.substr(0, kPrintSize);
  return std::all_of(start.begin(), start.end(), [](unsigned char c) { return absl::ascii_isxdigit(c); });
}

}  // namespace

Lander::Lander(const std::string& directory, LandOptions options, FileOps& files)
    : options_(std::move(options)), files_(files), sink_(directory, files), writer_(options_.envelope) {}

absl::StatusOr<std::unique_ptr<Lander>> Lander::Open(const std::string& directory, LandOptions options,
                                                     FileOps& files) {
  std::unique_ptr<Lander> lander(new Lander(directory, std::move(options), files));
  if (lander->options_.envelope.events_max == 0) {
    return absl::InvalidArgumentError("an envelope must take an event at least");
  }
  if (auto status = lander->Recover(); !status.ok()) return status;
  return lander;
}

absl::Status Lander::Recover() {
  if (options_.write_ahead.empty() || !files_.Exists(options_.write_ahead)) return absl::OkStatus();
  const absl::StatusOr<std::string> text = files_.Read(options_.write_ahead, kWriteAheadMax);
  if (!text.ok()) return text.status();
  if (!IsWriteAhead(*text)) {
    return absl::FailedPreconditionError(
        options_.write_ahead + " is there and is no write-ahead file; it is left as it is. Name another");
  }
  std::string_view left = *text;
  unclean_ = !left.empty() && !left.ends_with('\n');
  while (!left.empty()) {
    const size_t end = std::min(left.find('\n'), left.size());
    TakeLine(left.substr(0, end));
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  return absl::OkStatus();
}

void Lander::TakeLine(std::string_view line) {
  if (line.size() <= kPrintSize || PrintOf(line.substr(kPrintSize + 1)) != line.substr(0, kPrintSize)) return;
  line.remove_prefix(kPrintSize + 1);
  const std::string_view kind = TakeWord(line);
  const int64_t number = TakeNumber(line);
  if (kind == "from") {
    first_ = next_ = number;
  } else if (kind == "event" && number >= first_ &&
             number <= next_) {  // after a failure they were written again
    writer_.Truncate(static_cast<size_t>(number - first_));
    next_ = number;
    const int64_t us = TakeNumber(line, kNoTime.us);
    writer_.Add({std::string(line), {us}});
    ++next_;
  } else if (kind == "cut" && number == first_) {
    cut_ = static_cast<size_t>(TakeNumber(line, 0));
  }
}

absl::Status Lander::Log(const std::string& lines) {
  if (options_.write_ahead.empty()) return absl::OkStatus();
  absl::Status status = files_.Append(options_.write_ahead, (unclean_ ? "\n" : "") + lines);
  if (status.ok()) status = files_.Sync(options_.write_ahead);
  unclean_ = !status.ok();
  return status;
}

absl::Status Lander::Add(std::span<const LandedEvent> events) {
  std::string lines;
  if (!options_.write_ahead.empty()) {
    for (size_t i = 0; i < events.size(); ++i) lines += EventLine(next_ + static_cast<int64_t>(i), events[i]);
  }
  if (auto status = Log(lines); !status.ok()) return status;
  for (const LandedEvent& event : events) writer_.Add(event);
  next_ += static_cast<int64_t>(events.size());
  return absl::OkStatus();
}

absl::Status Lander::Flush(UtcTime now, bool all) {
  while (true) {
    const bool is_cut = cut_ != 0 && cut_ <= writer_.size();
    const size_t count = is_cut ? cut_ : writer_.Ready(now, all);
    if (count == 0) return absl::OkStatus();
    if (auto status = Land(count); !status.ok()) return status;
  }
}

// What the envelope holds is written down before it is published: after a crash it must be cut alike, to get its name.
absl::Status Lander::Land(size_t count) {
  if (cut_ != count) {
    if (auto status = Log(Line("cut " + std::to_string(first_) + " " + std::to_string(count)));
        !status.ok()) {
      return status;
    }
    cut_ = count;
  }
  if (!landed_) {
    const EncodedEnvelope envelope = writer_.Encode(count);
    if (auto status = sink_.Publish(envelope.name, envelope.json); !status.ok()) return status;
    landed_ = true;
    ++envelopes_;
  }
  return Compact();
}

// The write-ahead file without what has landed.
absl::Status Lander::Compact() {
  if (!options_.write_ahead.empty()) {
    const auto landed = static_cast<int64_t>(cut_);
    std::string lines = Line("from " + std::to_string(first_ + landed));
    for (size_t i = cut_; i < writer_.size(); ++i) {
      lines += EventLine(first_ + static_cast<int64_t>(i), writer_.event(i));
    }
    if (auto status = ReplaceFile(files_, options_.write_ahead, lines); !status.ok()) return status;
    unclean_ = false;
  }
  first_ += static_cast<int64_t>(cut_);
  writer_.Drop(cut_);
  cut_ = 0, landed_ = false;
  return absl::OkStatus();
}

}  // namespace medallion::launchpad
