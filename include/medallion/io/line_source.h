// A file of lines as a source, one record a line; or standard input.
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "medallion/base/arena.h"
#include "medallion/base/digest.h"
#include "medallion/io/source.h"

namespace medallion {

// Makes a record of a line. `at` is the line's own coordinate: the topic that was given, partition 0, and the number of
// the line, from 1. The record may refer to the line, to `at.topic` and to `texts`.
using LineDecoder = std::function<BronzeRecord(std::string_view line, const Coordinate& at, Arena& texts)>;

// Reads a file in bounded memory: a batch ends after its records or after 32 MiB, and of a line over 16 MiB only so much
// is kept. Blank lines are no records. Positions name how much was read and its fingerprint, so a file that was replaced is
// read from its beginning and one that grew is continued. Standard input and pipes have no positions.
class LineSource final : public Source {
 public:
  // `path` is a file, or "-" for standard input. NotFound or PermissionDenied if it cannot be opened.
  static absl::StatusOr<std::unique_ptr<LineSource>> Open(const std::string& path, std::string topic,
                                                          LineDecoder decoder);
  ~LineSource() override;

  absl::Status Seek(std::string_view position) override;
  absl::StatusOr<SourceBatch> Read(size_t records_max) override;

  int64_t bytes_read() const { return bytes_; }

 private:
  LineSource(std::string path, std::FILE* file, std::string topic, LineDecoder decoder);
  struct Line {
    size_t begin = 0, size = 0;  // in the text
    int64_t number = 0;
  };
  // What the records of a batch refer to.
  struct Text {
    std::string memory;
    Arena decoded;
  };

  absl::Status Fill();
  absl::Status Restart();
  absl::StatusOr<bool> NextLine(Line& line);
  absl::Status DropRest(size_t from);
  void Consume(size_t end);
  void Forget(size_t begin, size_t end);
  void TakeNewText();
  absl::Status Failed(std::string_view doing) const;

  std::string path_;
  std::FILE* file_;
  bool seekable_;  // else it has no positions
  std::string topic_;
  LineDecoder decoder_;
  std::string_view Buffered() const { return {text_->memory.data(), filled_}; }

  // The lines of the current batch, and what was read ahead, are the first filled_ bytes of its memory.
  std::shared_ptr<Text> text_ = std::make_shared<Text>();
  std::shared_ptr<Text> before_;  // of the batch before
  size_t filled_ = 0;
  size_t next_ = 0;  // the first byte not yet consumed
  bool end_of_file_ = false;
  bool passed_open_line_ = false;
  int64_t lines_ = 0;  // consumed, and so the bytes and their print
  int64_t bytes_ = 0;
  FingerprintStream print_;
  std::string position_;  // after the last whole line
};

}  // namespace medallion
