// From files of lines through the run loop into a store. One thread at a time.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "medallion/io/line_source.h"
#include "medallion/io/memory_store.h"
#include "medallion/io/run.h"
#include "medallion/io/tables.h"
#include "tool/progress.h"
#include "tool/run_arguments.h"
#include "tool/table_files.h"

namespace medallion::tool {

struct OpenInput {
  std::string source_name;
  std::unique_ptr<LineSource> source;
};

// A pipe's name ("/dev/fd/63") says nothing about what comes through it, so a store that lasts needs another.
absl::Status CheckName(const Input& input, bool lasting);

// `decode(line, coordinate, texts)` makes a record of a line; it must live as long as the inputs.
template <class Decode>
absl::StatusOr<std::vector<OpenInput>> OpenInputs(const RunArguments& arguments, Decode& decode) {
  std::vector<OpenInput> opened;
  for (const Input& input : arguments.inputs) {
    if (auto status = CheckName(input, !arguments.sqlite_path.empty()); !status.ok()) return status;
    const auto with_partition = [&decode, partition = input.partition](std::string_view line,
                                                                       const Coordinate& at, Arena& texts) {
      return decode(line, {.topic = at.topic, .partition = partition, .offset = at.offset}, texts);
    };
    auto source = LineSource::Open(input.path, input.topic, with_partition);
    if (!source.ok()) return source.status();
    opened.push_back({input.SourceName(), *std::move(source)});
  }
  return opened;
}

// Before anything is read: --out is there, can be written, and no table in it replaces what the run reads or keeps.
// `more` are the files beside those of the tables.
template <class Pack>
absl::Status PrepareOut(const RunArguments& arguments, std::initializer_list<const char*> more = {}) {
  if (arguments.out.empty()) return absl::OkStatus();
  std::vector<std::string> names(more.begin(), more.end()), kept;
  for (const std::string& table : MemoryStore<Pack>().Names()) names.push_back(table + ".jsonl");
  for (const Input& input : arguments.inputs) kept.push_back(input.path == "-" ? "/dev/stdin" : input.path);
  for (const std::string& path : {arguments.sqlite_path, arguments.config}) {
    if (!path.empty()) kept.push_back(path);
  }
  if (auto status = CheckNoneIsReplaced(arguments.out, names, kept); !status.ok()) return status;
  return PrepareDirectory(arguments.out);
}

RunReport Sum(const RunReport& before, const RunReport& report);

// The wall clock: a run's name, which stands in the run log only.
std::string RunId();

// All inputs, one after the other.
template <class Pack>
absl::StatusOr<RunReport> RunInputs(const RunArguments& arguments, const typename Pack::Options& options,
                                    std::vector<OpenInput>& inputs, Store<Pack>& store) {
  Progress progress(arguments.quiet);
  const std::string run_id = RunId();
  RunReport all;
  for (OpenInput& input : inputs) {
    const RunOptions run{.source = input.source_name,
                         .batch_records = arguments.batch_records,
                         .as_of = arguments.as_of,
                         .refresh = Refresh::kAtEnd,
                         .threads = arguments.threads,
                         .run_id = inputs.size() == 1 ? run_id : run_id + " " + input.source_name,
                         .on_batch = [&](const RunReport& report) { progress.Show(Sum(all, report)); }};
    const absl::StatusOr<RunReport> report = Run<Pack>(*input.source, store, options, run);
    if (!report.ok()) return report.status();
    all = Sum(all, *report);
  }
  return all;
}

// What stands after a failed run, and how to go on. `published` are the files of --out that were written.
std::string HowToGoOn(const std::string& sqlite_path, Tables& tables,
                      const std::vector<std::string>& published);

}  // namespace medallion::tool
