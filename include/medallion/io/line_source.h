// A file of lines as a source, one record a line; or standard input.
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <mutex>
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
// the line, from 1. The record may refer to the line, to `at.topic` and to `texts`. Called by one thread at a time, but not
// always by the same.
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
  // Only splits the lines; they are decoded later.
  absl::StatusOr<SourceBatch> ReadAhead(size_t records_max) override;

 private:
  LineSource(std::string path, std::FILE* file, std::string topic, LineDecoder decoder);
  struct Line {
    std::string_view text;
    int64_t number = 0;
  };
  // A stretch of the file. What a batch refers to stays where it is: a text that is full is left to the batches.
  struct Text {
    explicit Text(size_t bytes) : memory(std::make_unique_for_overwrite<char[]>(bytes)), size(bytes) {}
    std::unique_ptr<char[]> memory;
    size_t size;
  };
  // What the records of a batch refer to.
  struct Held {
    std::vector<std::shared_ptr<const Text>> texts;
    Arena decoded;
  };
  struct Decoder {
    LineDecoder decode;
    std::mutex mutex;  // held while it decodes
  };

  absl::Status Fill();
  absl::Status Restart();
  absl::StatusOr<bool> NextLine(Line& line);
  absl::Status DropRest(size_t from);
  void Consume(size_t end);
  void UpdatePrint();
  void TakeNewText();
  absl::Status Failed(std::string_view doing) const;
  // The place of the next line end from `from` on, or npos.
  size_t FindEnd(size_t from) const {
    return std::string_view(text_->memory.get(), filled_).find('\n', from);
  }

  std::string path_;
  std::FILE* file_;
  bool seekable_;  // else it has no positions
  std::string topic_;
  std::shared_ptr<Decoder> decoder_;

  // What was read ahead ends at filled_ of the text, and begins with the next byte to consume.
  std::shared_ptr<Text> text_;
  std::shared_ptr<Held> held_;  // of the current batch
  size_t filled_ = 0;
  size_t next_ = 0;
  size_t printed_ = 0;  // consumed bytes from here on are not in the print yet
  bool end_of_file_ = false;
  bool passed_open_line_ = false;
  int64_t lines_ = 0;  // consumed, and so the bytes and their print
  int64_t bytes_ = 0;
  FingerprintStream print_;
  std::string position_;  // after the last whole line
};

}  // namespace medallion
