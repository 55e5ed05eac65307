// What every `run` command is told, whatever the domain. Pure. Safe from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "medallion/base/time.h"
#include "tool/words.h"

namespace medallion::tool {

// One --input, and the coordinates of its lines that name none of their own.
struct Input {
  std::string path;   // "-" is standard input
  std::string topic;  // as given, else the file's name without folders
  bool topic_given = false;
  int32_t partition = 0;  // several inputs under one given topic are its partitions

  // Under which the store keeps how far this input was read.
  std::string SourceName() const { return partition == 0 ? topic : topic + "/" + std::to_string(partition); }
};

struct RunArguments {
  std::vector<Input> inputs = {};
  std::string sqlite_path = {};  // empty: in memory
  std::string out = {};          // empty: no tables are written
  std::string config = {};
  size_t batch_records = 10'000;
  size_t threads = 1;
  UtcTime as_of = kNoTime;
  bool quiet = false;
};

inline constexpr Option kRunOptions[] = {
    {"--input", Option::kMany},        {"--topic", Option::kMany},  {"--store", Option::kOne},
    {"--out", Option::kOne},           {"--config", Option::kOne},  {"--as-of", Option::kOne},
    {"--batch-records", Option::kOne}, {"--threads", Option::kOne}, {"--quiet", Option::kNone},
};

absl::StatusOr<RunArguments> ReadRunArguments(const Given& given);

}  // namespace medallion::tool
