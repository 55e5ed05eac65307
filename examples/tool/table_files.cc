#include "tool/table_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace medallion::tool {
namespace {

absl::Status Error(std::string_view doing, const std::string& path, int error) {
  const std::string message = std::string(doing) + " " + path + ": " + std::strerror(error);
  if (error == ENOSPC || error == EDQUOT) return absl::ResourceExhaustedError(message);
  return error == EACCES || error == EPERM || error == EROFS ? absl::PermissionDeniedError(message)
                                                             : absl::UnavailableError(message);
}

// Whether two paths lead to one file, also where it is yet to be made.
bool SameFile(const std::string& a, const std::string& b) {
  std::error_code error;
  if (std::filesystem::equivalent(a, b, error) && !error) return true;
  std::error_code no_a, no_b;
  const auto one = std::filesystem::weakly_canonical(a, no_a),
             other = std::filesystem::weakly_canonical(b, no_b);
  return !no_a && !no_b && one == other;
}

}  // namespace

absl::Status PrepareDirectory(const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) return Error("cannot make the directory", directory, error.value());
  // Whether a file can be made is only known by making one.
  const std::string probe = directory + "/.medallion-probe";
  const int file = ::open(probe.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) return Error("cannot write into", directory, errno);
  ::close(file);
  ::unlink(probe.c_str());
  return absl::OkStatus();
}

absl::Status CheckNoneIsReplaced(const std::string& directory, const std::vector<std::string>& names,
                                 const std::vector<std::string>& kept) {
  for (const std::string& name : names) {
    for (const std::string& path :
         {absl::StrCat(directory, "/", name), absl::StrCat(directory, "/", name, ".partial")}) {
      for (const std::string& file : kept) {
        if (!SameFile(path, file)) continue;
        return absl::InvalidArgumentError(
            absl::StrCat("--out ", directory, ": ", path, " would replace ", file,
                         ", which this run reads or keeps: ", "name another directory"));
      }
    }
  }
  return absl::OkStatus();
}

absl::Status SyncDirectory(const std::string& directory) {
  const int handle = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (handle < 0) return Error("cannot open", directory, errno);
  const int result = ::fsync(handle);
  const int error = errno;
  ::close(handle);
  // Some file systems cannot sync a directory, and need not.
  return result == 0 || error == EINVAL ? absl::OkStatus() : Error("cannot write", directory, error);
}

absl::StatusOr<std::unique_ptr<LinesFile>> LinesFile::Create(const std::string& path) {
  std::FILE* file = std::fopen((path + ".partial").c_str(), "wb");
  if (file == nullptr) return Error("cannot write", path + ".partial", errno);
  return std::unique_ptr<LinesFile>(new LinesFile(path, file));
}

LinesFile::LinesFile(std::string path, std::FILE* file)
    : path_(std::move(path)), partial_(path_ + ".partial"), file_(file) {}

LinesFile::~LinesFile() {
  if (file_ != nullptr) std::fclose(file_);
  if (!partial_.empty()) std::remove(partial_.c_str());
}

absl::Status LinesFile::Failed(std::string_view doing) const { return Error(doing, partial_, errno); }

absl::Status LinesFile::Append(std::string_view line) {
  const bool written =
      std::fwrite(line.data(), 1, line.size(), file_) == line.size() && std::fputc('\n', file_) == '\n';
  return written ? absl::OkStatus() : Failed("cannot write");
}

absl::Status LinesFile::Flush() {
  if (std::fflush(file_) != 0 || ::fsync(::fileno(file_)) != 0) return Failed("cannot write");
  return absl::OkStatus();
}

absl::Status LinesFile::Publish() {
  if (std::fclose(std::exchange(file_, nullptr)) != 0) return Failed("cannot close");
  if (std::rename(partial_.c_str(), path_.c_str()) != 0) return Failed("cannot rename");
  partial_.clear();
  return absl::OkStatus();
}

absl::Status WriteFile(const std::string& path, std::string_view text) {
  auto file = LinesFile::Create(path);
  if (!file.ok()) return file.status();
  if (auto status = (*file)->Append(text); !status.ok()) return status;
  if (auto status = (*file)->Flush(); !status.ok()) return status;
  return (*file)->Publish();
}

absl::StatusOr<LinesFile*> TableFiles::Create(const std::string& name) {
  if (directory_.empty()) return nullptr;
  auto file = LinesFile::Create(absl::StrCat(directory_, "/", name));
  if (!file.ok()) return file.status();
  names_.push_back(name);
  return files_.emplace_back(*std::move(file)).get();
}

absl::Status TableFiles::Write(Tables& tables, std::initializer_list<std::string_view> skip,
                               const ShowRow& show) {
  for (const std::string& table : tables.Names()) {
    const bool shown = std::find(skip.begin(), skip.end(), table) == skip.end();
    if (!shown && directory_.empty()) continue;
    const auto created = Create(table + ".jsonl");
    if (!created.ok()) return created.status();
    LinesFile* const file = *created;
    const auto status = tables.Read(table, [&](std::string_view json) {
      if (shown) show(table, json);
      return file == nullptr ? absl::OkStatus() : file->Append(json);
    });
    if (!status.ok()) return status;
    if (file == nullptr) continue;
    if (auto flushed = file->Flush(); !flushed.ok()) return flushed;
  }
  return absl::OkStatus();
}

absl::Status TableFiles::Add(const std::string& name, std::string_view text) {
  const auto file = Create(name);
  if (!file.ok() || *file == nullptr) return file.status();
  if (auto status = (*file)->Append(text); !status.ok()) return status;
  return (*file)->Flush();
}

absl::Status TableFiles::Publish() {
  if (directory_.empty()) return absl::OkStatus();
  std::error_code ignored;
  for (const std::string& name : names_) {  // found before the first is renamed
    const std::string path = absl::StrCat(directory_, "/", name);
    if (std::filesystem::is_directory(path, ignored)) return Error("cannot replace", path, EISDIR);
  }
  for (size_t i = 0; i < files_.size(); ++i) {
    if (auto status = files_[i]->Publish(); !status.ok()) return status;
    published_.push_back(names_[i]);
  }
  return SyncDirectory(directory_);
}

}  // namespace medallion::tool
