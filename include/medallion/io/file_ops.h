// The operations on files that publishing needs, one by one: so that tests can fail each, or stop at it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace medallion {

// One thread at a time. Errors name the path: NotFound, PermissionDenied, ResourceExhausted where the disk is full, else
// Unavailable.
class FileOps {
 public:
  virtual ~FileOps() = default;

  virtual absl::Status Write(const std::string& path,
                             std::string_view bytes) = 0;  // makes or empties the file first
  virtual absl::Status Append(const std::string& path,
                              std::string_view bytes) = 0;  // makes it where it is not there
  virtual absl::Status Sync(const std::string& path) = 0;   // its bytes are on the disk
  virtual absl::Status Rename(const std::string& from,
                              const std::string& to) = 0;           // in one piece; replaces `to`
  virtual absl::Status SyncDirectory(const std::string& path) = 0;  // and its names
  // Of a regular file. ResourceExhausted where it has more than `bytes_max`.
  virtual absl::StatusOr<std::string> Read(const std::string& path, size_t bytes_max) = 0;
  virtual bool Exists(const std::string& path) = 0;
  // The names in a directory, sorted by bytes.
  virtual absl::StatusOr<std::vector<std::string>> List(const std::string& path) = 0;

  static FileOps& System();  // of the operating system
};

// Has the file hold these bytes, or what it held before, whatever happens: writes PATH.tmp, then renames it.
absl::Status ReplaceFile(FileOps& files, const std::string& path, std::string_view bytes);

}  // namespace medallion
