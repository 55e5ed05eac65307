#include "tool/run_arguments.h"

#include <set>
#include <utility>

namespace medallion::tool {
namespace {

std::string FileName(const std::string& path) {
  return path == "-" ? "stdin" : path.substr(path.find_last_of('/') + 1);
}

absl::Status CheckInputs(const std::vector<Input>& inputs, bool lasting) {
  std::set<std::string> paths, names;
  for (const Input& input : inputs) {
    if (input.path == "-" && lasting && !input.topic_given) {
      return Wrong(
          "standard input into a store that lasts needs --topic NAME: its records are told apart by it");
    }
    if (!paths.insert(input.path).second) return Wrong("--input " + input.path + " is given twice");
    if (!names.insert(input.SourceName()).second) {
      return Wrong(
          "two inputs have the name \"" + input.topic +
          "\": give each a name of its own by --topic NAME NAME …, or all of them one by --topic NAME");
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Input>> ReadInputs(const Given& given, bool lasting) {
  const std::vector<std::string>&paths = given.All("--input"), &topics = given.All("--topic");
  if (paths.empty()) return Wrong("--input is missing");
  if (topics.size() > 1 && topics.size() != paths.size()) {
    return Wrong("--topic is given " + Counted(static_cast<int64_t>(topics.size()), "time") + " for " +
                 Counted(static_cast<int64_t>(paths.size()), "input") +
                 ": once for all of them, or once for each");
  }
  std::vector<Input> inputs;
  for (size_t i = 0; i < paths.size(); ++i) {
    Input input{.path = paths[i], .topic = FileName(paths[i]), .topic_given = !topics.empty()};
    if (!topics.empty()) input.topic = topics[topics.size() == 1 ? 0 : i];
    if (topics.size() == 1) input.partition = static_cast<int32_t>(i);
    inputs.push_back(std::move(input));
  }
  if (auto status = CheckInputs(inputs, lasting); !status.ok()) return status;
  return inputs;
}

}  // namespace

absl::StatusOr<RunArguments> ReadRunArguments(const Given& given) {
  RunArguments arguments{
      .out = given.Text("--out"), .config = given.Text("--config"), .quiet = given.Has("--quiet")};
  const auto path = given.SqlitePath();
  if (!path.ok()) return path.status();
  const auto batch_records = given.Number("--batch-records", 1'000'000, arguments.batch_records);
  if (!batch_records.ok()) return batch_records.status();
  const auto threads = given.Number("--threads", 256, arguments.threads);
  if (!threads.ok()) return threads.status();
  const auto as_of = given.Time("--as-of");
  if (!as_of.ok()) return as_of.status();
  auto inputs = ReadInputs(given, !path->empty());
  if (!inputs.ok()) return inputs.status();
  arguments.inputs = *std::move(inputs);
  arguments.sqlite_path = *path;
  arguments.batch_records = *batch_records;
  arguments.threads = *threads;
  arguments.as_of = *as_of;
  return arguments;
}

}  // namespace medallion::tool
