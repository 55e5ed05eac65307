// A landing directory: one process publishes files, another reads them, and neither ever sees half a file of the other.
//
//   NAME.tmp    is being written, or was when its writer stopped
//   NAME.json   published: whole, and never changed again
//
// A name is a function of its content, so that publishing twice is publishing once.
#pragma once

#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "medallion/io/file_ops.h"
#include "medallion/io/source.h"

namespace medallion {

class DirectorySink {
 public:
  // The directory must be there. `files` must outlive the sink.
  explicit DirectorySink(std::string directory, FileOps& files = FileOps::System())
      : directory_(std::move(directory)), files_(files) {}

  // Publishes the bytes, flushed to disk, as NAME.json. Where that is there already nothing is done. After an error
  // nothing was published, or all of it: try again with the same.
  absl::Status Publish(const std::string& name, std::string_view bytes);

 private:
  std::string directory_;
  FileOps& files_;
};

struct DirectoryOptions {
  // Files that were read are moved here, once the store has the position after them; empty: they stay.
  std::string move_to = {};
  size_t file_bytes_max = size_t{128} << 20;
  size_t batch_bytes_max = size_t{4} << 20;  // a batch ends once it has so many
};

// Reads each published file once, as one record: the topic is the file's name, the offset 1. In the order of names, those
// that came meanwhile too. Positions name what was read; of files that are gone they forget it.
class DirectorySource final : public Source {
 public:
  static absl::StatusOr<std::unique_ptr<DirectorySource>> Open(std::string directory,
                                                               DirectoryOptions options = {},
                                                               FileOps& files = FileOps::System());

  // Moves what the position says was read, where that is asked for.
  absl::Status Seek(std::string_view position) override;
  absl::StatusOr<SourceBatch> Read(size_t records_max) override;

  // What lies in the directory and was not read: half-written, empty, too large or foreign; and why.
  struct Skipped {
    std::string name;
    std::string why;
  };
  const std::vector<Skipped>& skipped() const { return skipped_; }

 private:
  DirectorySource(std::string directory, DirectoryOptions options, FileOps& files)
      : directory_(std::move(directory)), options_(std::move(options)), files_(files) {}
  std::string PathOf(const std::string& name) const { return directory_ + "/" + name; }
  std::string Position() const;
  absl::Status MoveRead();
  absl::Status Look();

  std::string directory_;
  DirectoryOptions options_;
  FileOps& files_;
  std::vector<std::string> there_;  // published, as last looked
  std::set<std::string> read_;
  std::vector<Skipped> skipped_;
};

}  // namespace medallion
