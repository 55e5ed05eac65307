#include "tool/launchpad_run.h"

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "absl/strings/str_cat.h"
#include "medallion/io/landing.h"
#include "medallion/io/line_source.h"
#include "medallion/launchpad/launches.h"
#include "medallion/launchpad/rescore.h"
#include "tool/open_store.h"
#include "tool/run_inputs.h"
#include "tool/table_files.h"

namespace medallion::tool {
namespace {

using launchpad::Launches;

constexpr std::string_view kUsage = R"(--input DIR|FILE [OPTION…]

  --input DIR|FILE       a directory of published envelopes (see medallion launchpad land), or a file of lines: feed
                         messages or envelopes; - is standard input
  --topic NAME           the topic of a file's lines; else its name without folders
  --store STORE          memory (the default) or sqlite:PATH, which lasts: a further run reads on where the last one
                         stood, also one that was killed
  --out DIR              write each table to DIR/<table>.jsonl
  --batch-records N      envelopes or lines a batch, 1 to 1000000; else 1 of a directory, 1000 of a file
  --threads N            threads that read and derive, 1 to 256; else 1. The tables are the same for every number
  --as-of TIME           read only records that were ingested up to TIME, and tell risks as of then. A store that stands later
                         already is refused
  --move-read DIR        move files there once the store has them
  --quiet                no progress line
)";

constexpr size_t kEnvelopesABatch = 1, kLinesABatch = 1'000;  // an envelope has thousands of lines

struct Arguments : RunArguments {
  std::string move_read;
};

absl::StatusOr<Arguments> ReadArguments(Words words) {
  std::vector<Option> known(std::begin(kRunOptions), std::end(kRunOptions));
  std::erase_if(known, [](const Option& option) { return option.name == "--config"; });
  known.push_back({"--move-read", Option::kOne});
  const auto given = Given::Collect(words, known);
  if (!given.ok()) return given.status();
  auto run = ReadRunArguments(*given);
  if (!run.ok()) return run.status();
  if (run->inputs.size() != 1) return Wrong("--input takes one directory or file");
  std::error_code error;
  const bool directory = std::filesystem::is_directory(run->inputs[0].path, error);
  if (!directory && given->Has("--move-read")) return Wrong("--move-read needs a directory as --input");
  if (!given->Has("--batch-records")) run->batch_records = directory ? kEnvelopesABatch : kLinesABatch;
  Arguments arguments{*std::move(run), given->Text("--move-read")};
  if (given->Has("--move-read") && arguments.sqlite_path.empty()) {
    return Wrong(
        "--move-read takes files away for good, so it needs a store that lasts: --store sqlite:PATH");
  }
  if (given->Has("--move-read") &&
      std::filesystem::equivalent(arguments.inputs[0].path, arguments.move_read, error)) {
    return Wrong("--move-read names the directory that is read");
  }
  return arguments;
}

struct OpenedSource {
  std::unique_ptr<Source> source;
  DirectorySource* directory = nullptr;  // where it is one
};

absl::StatusOr<OpenedSource> OpenSource(const Arguments& arguments) {
  const Input& input = arguments.inputs[0];
  std::error_code error;
  if (std::filesystem::is_directory(input.path, error)) {
    if (!arguments.move_read.empty()) {
      if (auto status = PrepareDirectory(arguments.move_read); !status.ok()) return status;
    }
    auto source = DirectorySource::Open(input.path, {.move_to = arguments.move_read});
    if (!source.ok()) return source.status();
    DirectorySource* const directory = source->get();
    return OpenedSource{*std::move(source), directory};
  }
  if (auto status = CheckName(input, !arguments.sqlite_path.empty()); !status.ok()) return status;
  auto source =
      LineSource::Open(input.path, input.topic, [](std::string_view line, const Coordinate& at, Arena&) {
        return BronzeRecord{.payload = line, .at = at};
      });
  if (!source.ok()) return source.status();
  return OpenedSource{*std::move(source), nullptr};
}

// What the tables hold, for people.
struct Counts {
  std::map<std::string, int64_t> rows, reasons, levels;
  int64_t declared_loss = 0;

  void Add(std::string_view table, std::string_view json) {
    ++rows[std::string(table)];
    if (table == "gold_token_risk") ++levels[std::string(launchpad::ColumnOf(json, "risk_level"))];
    if (table != kQuarantineTable) return;
    declared_loss += launchpad::DeclaredLossOf(json);
    const size_t begin = json.find("\"violations\":["), end = json.find(']', begin);
    if (begin != json.npos) ++reasons[std::string(json.substr(begin + 14, end - begin - 14))];
  }
};

std::string Text(const Counts& counts, const RunReport& report, const Accounting& books,
                 const Arguments& arguments, const OpenedSource& source, int64_t rescored) {
  std::string text = "read        " + Counted(report.records, "record") + ", " +
                     std::to_string(report.redelivered) + " of them known; the data clock is at " +
                     (report.data_clock == kNoTime ? "no time" : FormatTime(report.data_clock)) + "\n";
  text += "elements    " + AccountingLine(books) + "\n";
  text +=
      "lost        " + Counted(counts.declared_loss, "event") + " that envelopes declared and did not hold\n";
  for (const auto& [table, rows] : counts.rows) {
    if (table != kRunLogTable) text += "table       " + table + " " + std::to_string(rows) + "\n";
  }
  for (const auto& [reason, rows] : counts.reasons)
    text += "quarantine  " + reason + " " + std::to_string(rows) + "\n";
  for (const auto& [level, rows] : counts.levels)
    text += "risk        " + level + " " + std::to_string(rows) + "\n";
  if (rescored > 0)
    text += "rescored    " + Counted(rescored, "mint") + ", by the parameters of this program\n";
  if (source.directory != nullptr) {
    for (const auto& [name, why] : source.directory->skipped())
      absl::StrAppend(&text, "not read    ", name, ": ", why, "\n");
  }
  if (report.beyond != 0)
    text += "not read    " + Counted(report.beyond, "record") + ", since ingested later\n";
  if (!arguments.out.empty()) text += "tables      " + arguments.out + "\n";
  return text;
}

// Risks of a store that lasts are as of its data clock, which never goes back.
absl::Status CheckClock(const Arguments& arguments, Store<Launches>& store) {
  SeenAnswer seen;
  if (auto status = store.Seen({}, seen); !status.ok()) return status;
  const UtcTime clock = seen.checkpoint.data_clock;
  if (arguments.as_of == kNoTime || clock == kNoTime || clock <= arguments.as_of) return absl::OkStatus();
  return Wrong("--as-of " + FormatTime(arguments.as_of) + ": --store sqlite:" + arguments.sqlite_path +
               " stands at " + FormatTime(clock) +
               " already; give this --as-of a store of its own, or memory");
}

absl::Status RunAll(const Arguments& arguments, OpenedSource& source, const OpenedStore<Launches>& opened,
                    TableFiles& files, const Print& print) {
  const launchpad::Options options;
  Progress progress(arguments.quiet);
  const RunOptions run{
      .source = source.directory != nullptr ? arguments.inputs[0].path : arguments.inputs[0].SourceName(),
      .batch_records = arguments.batch_records,
      .as_of = arguments.as_of,
      .refresh = Refresh::kAtEnd,
      .threads = arguments.threads,
      .run_id = RunId(),
      .on_batch = [&](const RunReport& report) { progress.Show(report); }};
  const auto report = Run<Launches>(*source.source, *opened.store, options, run);
  if (!report.ok()) return report.status();
  const auto rescored = launchpad::Rescore(*opened.store, *opened.tables, options);
  if (!rescored.ok()) return rescored.status();
  const auto books = opened.tables->Books();
  if (!books.ok()) return books.status();
  if (Imbalance(*books) != 0)
    return absl::InternalError("the books do not balance: " + AccountingLine(*books));
  Counts counts;
  const auto count = [&](std::string_view table, std::string_view json) { counts.Add(table, json); };
  if (auto status = files.Write(*opened.tables, {}, count); !status.ok()) return status;
  if (auto status = files.Publish(); !status.ok()) return status;
  if (!arguments.move_read.empty() && source.directory != nullptr) {
    SeenAnswer seen;
    if (auto looked = opened.store->Seen({}, seen); !looked.ok()) return looked;
    if (auto moved = source.source->Seek(seen.checkpoint.positions[run.source]); !moved.ok()) return moved;
  }
  return print(Text(counts, *report, *books, arguments, source, *rescored));
}

absl::Status LaunchpadRun(Words words, const Print& print) {
  const auto arguments = ReadArguments(words);
  if (!arguments.ok()) return arguments.status();
  const std::string unread = "\nNothing was read or written. Mend this and run again.";
  auto source = OpenSource(*arguments);
  if (!source.ok()) return With(source.status(), "", unread);
  if (auto status = PrepareOut<Launches>(*arguments); !status.ok()) return With(status, "", unread);
  const auto store = OpenStore<Launches>(arguments->sqlite_path);
  if (!store.ok()) return With(store.status(), "", unread);
  if (auto status = CheckClock(*arguments, *store->store); !status.ok()) return With(status, "", unread);
  TableFiles files(arguments->out);
  if (auto status = RunAll(*arguments, *source, *store, files, print); !status.ok()) {
    return With(status, "", HowToGoOn(arguments->sqlite_path, *store->tables, files.published()));
  }
  return absl::OkStatus();
}

}  // namespace

const Command kLaunchpadRun = {
    .name = "launchpad run",
    .does = "read envelopes or lines of a token feed, tell the risk of each token",
    .usage = kUsage,
    .run = LaunchpadRun,
};

}  // namespace medallion::tool
