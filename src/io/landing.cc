#include "medallion/io/landing.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "medallion/base/text.h"

namespace medallion {
namespace {

constexpr std::string_view kPublished = ".json", kUnfinished = ".tmp";

struct Held {
  std::deque<std::string> texts;
};

}  // namespace

absl::Status DirectorySink::Publish(const std::string& name, std::string_view bytes) {
  const std::string path = directory_ + "/" + name, published = path + std::string(kPublished);
  if (files_.Exists(published))
    return files_.SyncDirectory(directory_);  // its name may not be on the disk yet
  const std::string unfinished = path + std::string(kUnfinished);
  absl::Status status = files_.Write(unfinished, bytes);
  if (status.ok()) status = files_.Sync(unfinished);
  if (status.ok()) status = files_.Rename(unfinished, published);
  if (status.ok()) status = files_.SyncDirectory(directory_);
  return status;
}

absl::StatusOr<std::unique_ptr<DirectorySource>> DirectorySource::Open(std::string directory,
                                                                       DirectoryOptions options,
                                                                       FileOps& files) {
  std::unique_ptr<DirectorySource> source(
      new DirectorySource(std::move(directory), std::move(options), files));
  if (auto status = source->Look(); !status.ok()) return status;
  return source;
}

absl::Status DirectorySource::Look() {
  const absl::StatusOr<std::vector<std::string>> names = files_.List(directory_);
  if (!names.ok()) return names.status();
  there_.clear(), skipped_.clear();
  for (const std::string& name : *names) {
    if (name.ends_with(kPublished)) {
      there_.push_back(name);
    } else if (name.ends_with(kUnfinished)) {
      skipped_.push_back({name, "half-written: its writer is at work, or stopped"});
    } else if (PathOf(name) != options_.move_to) {
      skipped_.push_back({name, "foreign: no published file"});
    }
  }
  return absl::OkStatus();
}

// A name a line: none has a line end, for the sink makes none.
std::string DirectorySource::Position() const {
  std::string position;
  for (const std::string& name : there_) {
    if (read_.contains(name)) position.append(name).append("\n");
  }
  return position;
}

absl::Status DirectorySource::Seek(std::string_view position) {
  read_.clear();
  while (!position.empty()) {
    const size_t end = std::min(position.find('\n'), position.size());
    read_.emplace(position.substr(0, end));
    position.remove_prefix(std::min(end + 1, position.size()));
  }
  if (auto status = Look(); !status.ok()) return status;
  return options_.move_to.empty() ? absl::OkStatus() : MoveRead();
}

absl::Status DirectorySource::MoveRead() {
  bool moved = false;
  for (const std::string& name : there_) {
    if (!read_.contains(name)) continue;
    if (auto status = files_.Rename(PathOf(name), options_.move_to + "/" + name); !status.ok()) return status;
    moved = true;
  }
  if (!moved) return absl::OkStatus();
  if (auto status = files_.SyncDirectory(directory_); !status.ok()) return status;
  return Look();
}

absl::StatusOr<SourceBatch> DirectorySource::Read(size_t records_max) {
  if (auto status = Look(); !status.ok()) return status;
  const auto held = std::make_shared<Held>();
  SourceBatch batch{.owner = held};
  size_t bytes = 0;
  batch.at_end = true;
  for (const std::string& name : there_) {
    if (read_.contains(name)) continue;
    if (batch.records.size() == records_max || bytes >= options_.batch_bytes_max) {
      batch.at_end = false;
      break;
    }
    absl::StatusOr<std::string> text = files_.Read(PathOf(name), options_.file_bytes_max);
    const bool is_skipped =
        absl::IsResourceExhausted(text.status()) || absl::IsInvalidArgument(text.status());
    if (!text.ok() && !is_skipped) return text.status();
    if (!text.ok() || Trim(*text).empty()) {
      skipped_.push_back({name, text.ok() ? "empty" : std::string(text.status().message())});
      continue;
    }
    bytes += text->size();
    const std::string_view topic = held->texts.emplace_back(name);
    const std::string_view payload = Trim(held->texts.emplace_back(*std::move(text)));
    batch.records.push_back({.payload = payload, .at = {.topic = topic, .partition = 0, .offset = 1}});
    read_.insert(name);
  }
  batch.position = Position();
  return batch;
}

}  // namespace medallion
