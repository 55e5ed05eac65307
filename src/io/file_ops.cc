#include "medallion/io/file_ops.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace medallion {
namespace {

absl::Status Failed(const std::string& path, const char* doing, int error) {
  const std::string message = path + ": " + doing + ": " + std::strerror(error);
  switch (error) {
    case ENOENT: return absl::NotFoundError(message);
    case EACCES:
    case EPERM: return absl::PermissionDeniedError(message);
    case ENOSPC:
    case EDQUOT: return absl::ResourceExhaustedError(message);
    default: return absl::UnavailableError(message);
  }
}

// An open file, closed with it.
class OpenFile {
 public:
  OpenFile(const std::string& path, int flags) : fd_(::open(path.c_str(), flags | O_CLOEXEC, 0644)) {}
  ~OpenFile() {
    if (fd_ >= 0) ::close(fd_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int fd() const { return fd_; }

 private:
  int fd_;
};

class SystemFiles final : public FileOps {
 public:
  absl::Status Write(const std::string& path, std::string_view bytes) override {
    return Put(path, bytes, O_WRONLY | O_CREAT | O_TRUNC);
  }
  absl::Status Append(const std::string& path, std::string_view bytes) override {
    return Put(path, bytes, O_WRONLY | O_CREAT | O_APPEND);
  }
  absl::Status Sync(const std::string& path) override { return SyncAt(path, O_RDONLY); }
  absl::Status SyncDirectory(const std::string& path) override {
    return SyncAt(path, O_RDONLY | O_DIRECTORY);
  }
  absl::Status Rename(const std::string& from, const std::string& to) override {
    if (::rename(from.c_str(), to.c_str()) == 0) return absl::OkStatus();
    return Failed(from, "rename it", errno);
  }

  absl::StatusOr<std::string> Read(const std::string& path, size_t bytes_max) override {
    const OpenFile file(path, O_RDONLY | O_NONBLOCK);  // a pipe must not hold us up
    struct stat about {};
    if (file.fd() < 0 || ::fstat(file.fd(), &about) != 0) return Failed(path, "open it", errno);
    if (!S_ISREG(about.st_mode)) return absl::InvalidArgumentError(path + ": is no file");
    if (static_cast<uint64_t>(about.st_size) > bytes_max) {
      return absl::ResourceExhaustedError(path + ": is too large");
    }
    std::string bytes(static_cast<size_t>(about.st_size), '\0');
    size_t filled = 0;
    while (filled < bytes.size()) {
      const ssize_t got = ::read(file.fd(), bytes.data() + filled, bytes.size() - filled);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return Failed(path, "read it", errno);
      if (got == 0) break;
      filled += static_cast<size_t>(got);
    }
    bytes.resize(filled);
    return bytes;
  }

  bool Exists(const std::string& path) override { return ::access(path.c_str(), F_OK) == 0; }

  absl::StatusOr<std::vector<std::string>> List(const std::string& path) override {
    std::error_code error;
    std::vector<std::string> names;
    for (std::filesystem::directory_iterator at(path, error), end; !error && at != end; at.increment(error)) {
      names.push_back(at->path().filename().string());
    }
    if (error) return Failed(path, "list it", error.value());
    std::sort(names.begin(), names.end());
    return names;
  }

 private:
  static absl::Status Put(const std::string& path, std::string_view bytes, int flags) {
    const OpenFile file(path, flags);
    if (file.fd() < 0) return Failed(path, "open it for writing", errno);
    while (!bytes.empty()) {
      const ssize_t put = ::write(file.fd(), bytes.data(), bytes.size());
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) return Failed(path, "write it", errno);
      bytes.remove_prefix(static_cast<size_t>(put));
    }
    return absl::OkStatus();
  }
  static absl::Status SyncAt(const std::string& path, int flags) {
    const OpenFile file(path, flags);
    if (file.fd() < 0 || ::fsync(file.fd()) != 0) return Failed(path, "flush it to disk", errno);
    return absl::OkStatus();
  }
};

}  // namespace

FileOps& FileOps::System() {
  static SystemFiles files;
  return files;
}

absl::Status ReplaceFile(FileOps& files, const std::string& path, std::string_view bytes) {
  const std::string unfinished = path + ".tmp";
  const std::string directory = std::filesystem::path(path).parent_path().string();
  absl::Status status = files.Write(unfinished, bytes);
  if (status.ok()) status = files.Sync(unfinished);
  if (status.ok()) status = files.Rename(unfinished, path);
  if (status.ok()) status = files.SyncDirectory(directory.empty() ? "." : directory);
  return status;
}

}  // namespace medallion
