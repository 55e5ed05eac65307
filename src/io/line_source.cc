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

// Positions are text: lines, bytes and the fingerprint of these bytes, separated by blanks.
std::string PositionText(int64_t lines, int64_t bytes, uint64_t print) {
  return std::to_string(lines) + " " + std::to_string(bytes) + " " + std::to_string(print);
}

struct Position {
  int64_t lines = 0;
  int64_t bytes = 0;
  uint64_t print = 0;
};

bool ReadPosition(std::string_view text, Position& position) {
  const std::vector<std::string> parts = absl::StrSplit(std::string(text), ' ');
  if (parts.size() != 3) return false;
  return absl::SimpleAtoi(parts[0], &position.lines) && absl::SimpleAtoi(parts[1], &position.bytes) &&
         absl::SimpleAtoi(parts[2], &position.print);
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
  filled_ = next_ = 0;
  end_of_file_ = passed_open_line_ = false;
  lines_ = bytes_ = 0;
  print_ = FingerprintStream();
  position_.clear();
  return absl::OkStatus();
}

absl::Status LineSource::Seek(std::string_view text) {
  if (!seekable_) return absl::OkStatus();
  if (auto status = Restart(); !status.ok()) return status;
  Position position;
  if (!ReadPosition(text, position)) return absl::OkStatus();
  while (bytes_ < position.bytes && !(end_of_file_ && next_ == filled_)) {
    if (next_ == filled_) {
      filled_ = next_ = 0;
      if (auto status = Fill(); !status.ok()) return status;
    }
    Consume(next_ + std::min(filled_ - next_, static_cast<size_t>(position.bytes - bytes_)));
  }
  // Another file, or a changed one: from the beginning.
  if (bytes_ != position.bytes || print_.Value() != position.print) return Restart();
  lines_ = position.lines;
  position_ = text;
  return absl::OkStatus();
}

absl::Status LineSource::Fill() {
  std::string& memory = text_->memory;
  if (memory.size() - filled_ < kChunk) memory.resize(std::max(filled_ + kChunk, 2 * memory.size()));
  const size_t got = std::fread(memory.data() + filled_, 1, kChunk, file_);
  filled_ += got;
  if (got < kChunk && std::ferror(file_) != 0) return Failed("cannot read");
  end_of_file_ = got < kChunk;
  return absl::OkStatus();
}

void LineSource::Consume(size_t end) {
  print_.Update(Buffered().substr(next_, end - next_));
  bytes_ += static_cast<int64_t>(end - next_);
  next_ = end;
}

// Takes the consumed bytes from `begin` to `end` out of the buffer, to whose last consumed byte they belong.
void LineSource::Forget(size_t begin, size_t end) {
  std::memmove(text_->memory.data() + begin, text_->memory.data() + end, filled_ - end);
  filled_ -= end - begin;
  next_ = begin;
}

// Leaves out what a line has beyond `from`, up to its end.
absl::Status LineSource::DropRest(size_t from) {
  Consume(from);
  while (true) {
    const size_t end = Buffered().find('\n', from);
    if (end != std::string::npos || end_of_file_) {
      Consume(end == std::string::npos ? filled_ : end + 1);
      Forget(from, next_);
      return absl::OkStatus();
    }
    Consume(filled_);
    Forget(from, filled_);
    if (auto status = Fill(); !status.ok()) return status;
  }
}

// The next line, without its end. False at the end of the file.
absl::StatusOr<bool> LineSource::NextLine(Line& line) {
  size_t end = Buffered().find('\n', next_);
  for (size_t scanned = next_; end == std::string::npos && !end_of_file_;
       end = Buffered().find('\n', scanned)) {
    if (filled_ - next_ > kLineMax) break;
    scanned = filled_;
    if (auto status = Fill(); !status.ok()) return status;
  }
  if (end == std::string::npos && next_ == filled_) return false;
  line = {.begin = next_, .size = (end == std::string::npos ? filled_ : end) - next_, .number = ++lines_};
  if (line.size > kLineMax) {
    line.size = kLineMax;
    if (auto status = DropRest(next_ + kLineMax); !status.ok()) return status;
    return true;
  }
  Consume(end == std::string::npos ? filled_ : end + 1);
  return true;
}

// The last batch keeps its text. What was read ahead moves to another: to one that nobody has any more, if there is.
void LineSource::TakeNewText() {
  const std::shared_ptr<Text> last = std::exchange(text_, std::move(before_));
  before_ = last;
  if (text_ == nullptr || text_.use_count() > 1) text_ = std::make_shared<Text>();
  text_->decoded = Arena();
  const size_t ahead = filled_ - next_;
  if (text_->memory.size() < ahead) text_->memory.resize(ahead + kChunk);
  std::memcpy(text_->memory.data(), last->memory.data() + next_, ahead);
  filled_ = ahead;
  next_ = 0;
}

absl::StatusOr<SourceBatch> LineSource::Read(size_t records_max) {
  TakeNewText();
  std::vector<Line> lines;
  bool more = true;
  while (more && lines.size() < records_max && next_ < kBatchMax) {
    // A last line without an end may grow: it is read in a batch of its own, which the position does not pass.
    const bool open = end_of_file_ && next_ < filled_ && Buffered().find('\n', next_) == std::string::npos;
    if (open && !lines.empty()) break;
    Line line;
    absl::StatusOr<bool> found = NextLine(line);
    if (!found.ok()) return found.status();
    more = *found;
    passed_open_line_ |= open;
    if (more && !Trim(Buffered().substr(line.begin, line.size)).empty()) lines.push_back(line);
  }
  if (!passed_open_line_) position_ = PositionText(lines_, bytes_, print_.Value());
  SourceBatch batch{.owner = text_, .position = seekable_ ? position_ : "", .at_end = !more};
  batch.records.reserve(lines.size());
  for (const Line& line : lines) {
    const Coordinate at{topic_, 0, line.number};
    batch.records.push_back(decoder_(Buffered().substr(line.begin, line.size), at, text_->decoded));
  }
  return batch;
}

}  // namespace medallion
