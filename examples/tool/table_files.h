// Tables as files: DIR/<table>.jsonl. A file is written under another name, brought to the disk and then
// renamed, so nobody ever meets half a table: a file is the old one or the new one. One thread at a time.
// Errors name the file and what the system said.
#pragma once

#include <cstdio>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "medallion/io/tables.h"

namespace medallion::tool {

// Makes the directory where it is missing, and proves that files can be made in it.
absl::Status PrepareDirectory(const std::string& directory);

// Wrong where one of the files NAME in the directory, or what becomes it, is one of `kept`, which it would replace.
absl::Status CheckNoneIsReplaced(const std::string& directory, const std::vector<std::string>& names,
                                 const std::vector<std::string>& kept);

// Brings renames in the directory to the disk.
absl::Status SyncDirectory(const std::string& directory);

// Lines on their way to a file. Where it goes before Publish, nothing of it is left.
class LinesFile {
 public:
  static absl::StatusOr<std::unique_ptr<LinesFile>> Create(const std::string& path);
  ~LinesFile();
  LinesFile(const LinesFile&) = delete;
  LinesFile& operator=(const LinesFile&) = delete;

  absl::Status Append(std::string_view line);
  absl::Status Flush();    // everything appended is on the disk
  absl::Status Publish();  // the file has its name; after Flush

 private:
  LinesFile(std::string path, std::FILE* file);
  absl::Status Failed(std::string_view doing) const;

  std::string path_;
  std::string partial_;  // the name until Publish; empty after it
  std::FILE* file_;
};

// The same for a whole text.
absl::Status WriteFile(const std::string& path, std::string_view text);

using ShowRow = std::function<void(std::string_view table, std::string_view json)>;

// The files of one directory, or none where it is empty: first all of them are written, then all get their names.
class TableFiles {
 public:
  explicit TableFiles(std::string directory) : directory_(std::move(directory)) {}

  // Shows every row, and writes every table. Tables of `skip` are only written.
  absl::Status Write(Tables& tables, std::initializer_list<std::string_view> skip, const ShowRow& show);
  // A text beside the tables, whole.
  absl::Status Add(const std::string& name, std::string_view text);
  absl::Status Publish();

  // Those that have their names.
  const std::vector<std::string>& published() const { return published_; }

 private:
  absl::StatusOr<LinesFile*> Create(const std::string& name);

  std::string directory_;
  std::vector<std::string> names_ = {}, published_ = {};
  std::vector<std::unique_ptr<LinesFile>> files_ = {};
};

}  // namespace medallion::tool
