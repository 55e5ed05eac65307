#include "medallion/io/line_source.h"

#include <algorithm>
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

constexpr size_t kChunk = size_t{1} << 18;  // read at once, and split while it is in the cache
constexpr size_t kText = size_t{1} << 20;
constexpr int64_t kBatchMax = int64_t{32} << 20;
constexpr size_t kRecordsAbout = 1'000;
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
  if (file == stdin || !std::filesystem::is_directory(path, error)) return source;
  return absl::NotFoundError("cannot open " + path + ": it is a directory");
}

LineSource::LineSource(std::string path, std::FILE* file, std::string topic, LineDecoder decoder)
    : path_(std::move(path)),
      file_(file),
      seekable_(file != stdin && std::fseek(file, 0, SEEK_SET) == 0),
      topic_(std::move(topic)),
      decoder_(std::make_shared<Decoder>()),
      text_(std::make_shared<Text>(kText)) {
  decoder_->decode = std::move(decoder);
}

LineSource::~LineSource() {
  if (file_ != stdin) std::fclose(file_);
}

absl::Status LineSource::Failed(std::string_view doing) const {
  return absl::UnavailableError(std::string(doing) + " " + path_ + " after line " + std::to_string(lines_) +
                                ": " + std::strerror(errno));
}

absl::Status LineSource::Restart() {
  if (std::fseek(file_, 0, SEEK_SET) != 0) return Failed("cannot go to the beginning of");
  text_ = std::make_shared<Text>(kText);  // batches may hold the other
  filled_ = next_ = printed_ = 0;
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
      filled_ = next_ = printed_ = 0;
      if (auto status = Fill(); !status.ok()) return status;
    }
    Consume(next_ + std::min(filled_ - next_, static_cast<size_t>(position.bytes - bytes_)));
    UpdatePrint();
  }
  // Another file, or a changed one: from the beginning.
  if (bytes_ != position.bytes || print_.Value() != position.print) return Restart();
  lines_ = position.lines;
  position_ = text;
  return absl::OkStatus();
}

absl::Status LineSource::Fill() {
  if (text_->size - filled_ < kChunk) TakeNewText();
  const size_t got = std::fread(text_->memory.get() + filled_, 1, kChunk, file_);
  filled_ += got;
  if (got < kChunk && std::ferror(file_) != 0) return Failed("cannot read");
  end_of_file_ = got < kChunk;
  return absl::OkStatus();
}

void LineSource::Consume(size_t end) {
  bytes_ += static_cast<int64_t>(end - next_);
  next_ = end;
}

void LineSource::UpdatePrint() {
  print_.Update({text_->memory.get() + printed_, next_ - printed_});
  printed_ = next_;
}

// The text is full: what was read ahead moves to the next one.
void LineSource::TakeNewText() {
  UpdatePrint();
  const size_t ahead = filled_ - next_;
  auto next = std::make_shared<Text>(std::max(kText, 2 * ahead + kChunk));
  std::memcpy(next->memory.get(), text_->memory.get() + next_, ahead);
  text_ = std::move(next);
  if (held_ != nullptr) held_->texts.push_back(text_);
  filled_ = ahead;
  next_ = printed_ = 0;
}

// Leaves out what a line has beyond `from`, up to its end: what is read next takes its place.
absl::Status LineSource::DropRest(size_t from) {
  Consume(from);
  while (true) {
    const size_t end = FindEnd(next_);
    const size_t begin = next_;
    if (end != std::string::npos || end_of_file_) {
      Consume(end == std::string::npos ? filled_ : end + 1);
      return absl::OkStatus();
    }
    Consume(filled_);
    UpdatePrint();
    filled_ = next_ = printed_ = begin;
    if (auto status = Fill(); !status.ok()) return status;
  }
}

// The next line, without its end. False at the end of the file.
absl::StatusOr<bool> LineSource::NextLine(Line& line) {
  size_t end = FindEnd(next_);
  for (size_t scanned = 0; end == std::string::npos && !end_of_file_; end = FindEnd(next_ + scanned)) {
    scanned = filled_ - next_;
    if (scanned > kLineMax) break;
    if (auto status = Fill(); !status.ok()) return status;
  }
  if (end == std::string::npos && next_ == filled_) return false;
  const size_t size = (end == std::string::npos ? filled_ : end) - next_;
  line = {.text = {text_->memory.get() + next_, std::min(size, kLineMax)}, .number = ++lines_};
  if (size > kLineMax) {
    if (auto status = DropRest(next_ + kLineMax); !status.ok()) return status;
    return true;
  }
  Consume(end == std::string::npos ? filled_ : end + 1);
  return true;
}

absl::StatusOr<SourceBatch> LineSource::ReadAhead(size_t records_max) {
  held_ = std::make_shared<Held>();
  held_->texts.push_back(text_);
  SourceBatch batch{.owner = held_};
  bool more = true;
  const int64_t begin = bytes_;
  batch.records.reserve(std::min(records_max, kRecordsAbout));
  while (more && batch.records.size() < records_max && bytes_ - begin < kBatchMax) {
    // A last line without an end may grow: it is read in a batch of its own, which the position does not pass.
    const bool open = end_of_file_ && next_ < filled_ && FindEnd(next_) == std::string::npos;
    if (open && !batch.records.empty()) break;
    Line line;
    absl::StatusOr<bool> found = NextLine(line);
    if (!found.ok()) return found.status();
    more = *found;
    passed_open_line_ |= open;
    if (!more || Trim(line.text).empty()) continue;
    batch.records.push_back({.payload = line.text, .at = {topic_, 0, line.number}});
  }
  UpdatePrint();
  if (!passed_open_line_) position_ = PositionText(lines_, bytes_, print_.Value());
  batch.position = seekable_ ? position_ : "";
  batch.at_end = !more;
  batch.finish = [decoder = decoder_, held = held_](std::vector<BronzeRecord>& records) {
    const std::lock_guard lock(decoder->mutex);
    for (BronzeRecord& record : records) {
      record = decoder->decode(record.payload, Coordinate(record.at), held->decoded);
    }
  };
  return batch;
}

absl::StatusOr<SourceBatch> LineSource::Read(size_t records_max) {
  absl::StatusOr<SourceBatch> batch = ReadAhead(records_max);
  if (batch.ok()) std::exchange(batch->finish, nullptr)(batch->records);
  return batch;
}

}  // namespace medallion
