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

  // Makes the file, or empties it first.
  virtual absl::Status Write(const std::string& path, std::string_view bytes) = 0;
  // Makes the file where it is not there.
  virtual absl::Status Append(const std::string& path, std::string_view bytes) = 0;
  // After it the bytes of the file are on the disk.
  virtual absl::Status Sync(const std::string& path) = 0;
  // In one piece; replaces `to`.
  virtual absl::Status Rename(const std::string& from, const std::string& to) = 0;
  // After it the names in the directory are on the disk.
  virtual absl::Status SyncDirectory(const std::string& path) = 0;
  // Of a regular file; InvalidArgument for any other. ResourceExhausted where it has more than `bytes_max`.
  virtual absl::StatusOr<std::string> Read(const std::string& path, size_t bytes_max) = 0;
  virtual bool Exists(const std::string& path) = 0;
  // The names in a directory, sorted by bytes.
  virtual absl::StatusOr<std::vector<std::string>> List(const std::string& path) = 0;

  static FileOps& System();  // of the operating system
};

// Has the file hold these bytes, or what it held before, whatever happens: writes PATH.tmp, then renames it.
absl::Status ReplaceFile(FileOps& files, const std::string& path, std::string_view bytes);

}  // namespace medallion
