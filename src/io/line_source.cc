#include "medallion/io/line_source.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "medallion/base/text.h"

namespace medallion {
namespace {

constexpr size_t kChunk = size_t{1} << 20;
constexpr size_t kBatchMax = size_t{32} << 20;
constexpr size_t kLineMax = size_t{16} << 20;

// Positions are text: lines, bytes and the digest of these bytes, separated by blanks.
std::string PositionText(int64_t lines, int64_t bytes, const Digest& digest) {
  return std::to_string(lines) + " " + std::to_string(bytes) + " " + Hex(digest);
}

struct Position {
  int64_t lines = 0;
  int64_t bytes = 0;
  std::string digest;
};

bool ReadPosition(std::string_view text, Position& position) {
  const std::vector<std::string> parts = absl::StrSplit(std::string(text), ' ');
  if (parts.size() != 3) return false;
  position.digest = parts[2];
  return absl::SimpleAtoi(parts[0], &position.lines) && absl::SimpleAtoi(parts[1], &position.bytes);
}

}  // namespace

absl::StatusOr<std::unique_ptr<LineSource>> LineSource::Open(const std::string& path, std::string topic,
                                                             LineDecoder decoder) {
  std::FILE* file = path == "-" ? stdin : std::fopen(path.c_str(), "rb");
  if (file == nullptr) {
    const std::string message = "cannot open " + path + ": " + std::strerror(errno);
    return errno == EACCES ? absl::PermissionDeniedError(message) : absl::NotFoundError(message);
  }
  std::unique_ptr<LineSource> source(new LineSource(path, file, std::move(topic), std::move(decoder)));
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) return source;
  return absl::NotFoundError("cannot open " + path + ": it is a directory");
}

LineSource::LineSource(std::string path, std::FILE* file, std::string topic, LineDecoder decoder)
    : path_(std::move(path)),
      file_(file),
      seekable_(file != stdin && std::fseek(file, 0, SEEK_SET) == 0),
      topic_(std::move(topic)),
      decoder_(std::move(decoder)) {}

LineSource::~LineSource() {
  if (file_ != stdin) std::fclose(file_);
}

absl::Status LineSource::Failed(std::string_view doing) const {
  return absl::UnavailableError(std::string(doing) + " " + path_ + " after line " + std::to_string(lines_) +
                                ": " + std::strerror(errno));
}

absl::Status LineSource::Restart() {
  if (std::fseek(file_, 0, SEEK_SET) != 0) return Failed("cannot go to the beginning of");
  buffer_.clear();
  next_ = 0;
  end_of_file_ = passed_open_line_ = false;
  lines_ = bytes_ = 0;
  digest_ = Sha256Stream();
  position_.clear();
  return absl::OkStatus();
}

absl::Status LineSource::Seek(std::string_view text) {
  if (!seekable_) return absl::OkStatus();
  if (auto status = Restart(); !status.ok()) return status;
  Position position;
  if (!ReadPosition(text, position)) return absl::OkStatus();
  while (bytes_ < position.bytes && !(end_of_file_ && next_ == buffer_.size())) {
    if (next_ == buffer_.size()) {
      buffer_.clear();
      next_ = 0;
      if (auto status = Fill(); !status.ok()) return status;
    }
    Consume(next_ + std::min(buffer_.size() - next_, static_cast<size_t>(position.bytes - bytes_)));
  }
  // Another file, or a changed one: from the beginning.
  if (bytes_ != position.bytes || Hex(digest_.Value()) != position.digest) return Restart();
  lines_ = position.lines;
  position_ = text;
  return absl::OkStatus();
}

absl::Status LineSource::Fill() {
  const size_t size = buffer_.size();
  buffer_.resize(size + kChunk);
  const size_t got = std::fread(buffer_.data() + size, 1, kChunk, file_);
  buffer_.resize(size + got);
  if (got < kChunk && std::ferror(file_) != 0) return Failed("cannot read");
  end_of_file_ = got < kChunk;
  return absl::OkStatus();
}

void LineSource::Consume(size_t end) {
  digest_.Update(std::string_view(buffer_).substr(next_, end - next_));
  bytes_ += static_cast<int64_t>(end - next_);
  next_ = end;
}

// Leaves out what a line has beyond `from`, up to its end.
absl::Status LineSource::DropRest(size_t from) {
  Consume(from);
  while (true) {
    const size_t end = buffer_.find('\n', from);
    if (end != std::string::npos || end_of_file_) {
      Consume(end == std::string::npos ? buffer_.size() : end + 1);
      buffer_.erase(from, next_ - from);
      next_ = from;
      return absl::OkStatus();
    }
    Consume(buffer_.size());
    buffer_.resize(from);
    next_ = from;
    if (auto status = Fill(); !status.ok()) return status;
  }
}

// The next line, without its end. False at the end of the file.
absl::StatusOr<bool> LineSource::NextLine(Line& line) {
  size_t end = buffer_.find('\n', next_);
  for (size_t scanned = next_; end == std::string::npos && !end_of_file_; end = buffer_.find('\n', scanned)) {
    if (buffer_.size() - next_ > kLineMax) break;
    scanned = buffer_.size();
    if (auto status = Fill(); !status.ok()) return status;
  }
  if (end == std::string::npos && next_ == buffer_.size()) return false;
  line = {
      .begin = next_, .size = (end == std::string::npos ? buffer_.size() : end) - next_, .number = ++lines_};
  if (line.size > kLineMax) {
    line.size = kLineMax;
    if (auto status = DropRest(next_ + kLineMax); !status.ok()) return status;
    return true;
  }
  Consume(end == std::string::npos ? buffer_.size() : end + 1);
  return true;
}

absl::StatusOr<SourceBatch> LineSource::Read(size_t records_max) {
  buffer_.erase(0, next_);
  next_ = 0;
  texts_ = Arena();
  records_.clear();
  std::vector<Line> lines;
  bool more = true;
  while (more && lines.size() < records_max && next_ < kBatchMax) {
    // A last line without an end may grow: it is read in a batch of its own, which the position does not pass.
    const bool open =
        end_of_file_ && next_ < buffer_.size() && buffer_.find('\n', next_) == std::string::npos;
    if (open && !lines.empty()) break;
    Line line;
    absl::StatusOr<bool> found = NextLine(line);
    if (!found.ok()) return found.status();
    more = *found;
    passed_open_line_ |= open;
    if (more && !Trim(std::string_view(buffer_).substr(line.begin, line.size)).empty()) lines.push_back(line);
  }
  if (!passed_open_line_) position_ = PositionText(lines_, bytes_, digest_.Value());
  for (const Line& line : lines) {
    const Coordinate at{topic_, 0, line.number};
    records_.push_back(decoder_(std::string_view(buffer_).substr(line.begin, line.size), at, texts_));
  }
  const std::string position = seekable_ ? position_ : "";
  return SourceBatch{.records = records_, .position = position, .at_end = !more};
}

}  // namespace medallion
