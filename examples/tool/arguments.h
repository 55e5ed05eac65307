// The tool's command line: from words to what is wanted.
// Pure. Safe from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "medallion/base/time.h"
#include "medallion/ocpp/record_lines.h"

namespace medallion::tool {

inline constexpr std::string_view kIdTagKeyVariable = "MEDALLION_ID_TAG_KEY";

// One --input, and the coordinates of its lines that name none of their own.
struct Input {
  std::string path;   // "-" is standard input
  std::string topic;  // as given, else the file's name without folders
  bool topic_given = false;
  int32_t partition = 0;  // several inputs under one given topic are its partitions

  // Under which the store keeps how far this input was read.
  std::string SourceName() const { return partition == 0 ? topic : topic + "/" + std::to_string(partition); }
};

enum class Command : uint8_t { kHelp, kVersion, kOcppRun };

struct Arguments {
  Command command = Command::kHelp;
  std::vector<Input> inputs;
  std::string sqlite_path;  // empty: in memory
  std::string out;          // empty: no tables are written
  std::string config;
  std::string id_tag_key_env;
  ocpp::LineFormat format = ocpp::LineFormat::kAuto;
  size_t batch_records = 10'000;
  size_t threads = 1;
  UtcTime as_of = kNoTime;
  bool quiet = false;
};

// InvalidArgument, with the reason, for words that make no sense. `words` are those after the program's name.
absl::StatusOr<Arguments> ParseArguments(std::span<const std::string_view> words);

std::string_view Usage();

}  // namespace medallion::tool
