// Files whose n-th operation fails, or kills the process: before it, after it, or, where it writes, half-way; with 0 none
// does. They are not flushed: a process that dies loses nothing by that.
#pragma once

#include <unistd.h>

#include <string>
#include <string_view>

#include "medallion/io/file_ops.h"

namespace medallion::testing {

enum class Stop : uint8_t { kBefore, kHalfway, kAfter };

class FailingFiles final : public FileOps {
 public:
  FailingFiles(int operation, Stop stop, bool kill) : left_(operation), stop_(stop), kill_(kill) {}
  bool failed() const { return left_ <= 0; }

  absl::Status Write(const std::string& path, std::string_view bytes) override {
    return Do([&](std::string_view some) { return system_.Write(path, some); }, bytes);
  }
  absl::Status Append(const std::string& path, std::string_view bytes) override {
    return Do([&](std::string_view some) { return system_.Append(path, some); }, bytes);
  }
  absl::Status Sync(const std::string& path) override {
    return Do([&](std::string_view) { return Found(path); }, "x");
  }
  absl::Status Rename(const std::string& from, const std::string& to) override {
    return Do([&](std::string_view) { return system_.Rename(from, to); }, "x");
  }
  absl::Status SyncDirectory(const std::string& path) override {
    return Do([&](std::string_view) { return Found(path); }, "x");
  }
  absl::StatusOr<std::string> Read(const std::string& path, size_t bytes_max) override {
    return system_.Read(path, bytes_max);
  }
  bool Exists(const std::string& path) override { return system_.Exists(path); }
  absl::StatusOr<std::vector<std::string>> List(const std::string& path) override {
    return system_.List(path);
  }

 private:
  absl::Status Found(const std::string& path) {
    return system_.Exists(path) ? absl::OkStatus() : absl::NotFoundError(path + ": is not there");
  }

  template <class Work>
  absl::Status Do(const Work& work, std::string_view bytes) {
    if (--left_ != 0) return work(bytes);
    absl::Status status;
    if (stop_ == Stop::kHalfway && bytes.size() > 1) status = work(bytes.substr(0, bytes.size() / 2));
    if (stop_ == Stop::kAfter) status = work(bytes);
    if (kill_) ::_exit(9);
    return absl::ResourceExhaustedError("the disk is full");
  }

  FileOps& system_ = FileOps::System();
  int left_;
  Stop stop_;
  bool kill_;
};

}  // namespace medallion::testing
