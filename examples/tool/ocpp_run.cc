#include "tool/ocpp_run.h"

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include "medallion/io/line_source.h"
#include "medallion/io/memory_store.h"
#include "medallion/io/run.h"
#include "medallion/ocpp/charging.h"
#include "medallion/ocpp/json.h"
#include "medallion/ocpp/record_lines.h"
#include "tool/progress.h"
#include "tool/summary.h"
#include "tool/table_files.h"
#ifdef MEDALLION_WITH_SQLITE
#include "medallion/io/sqlite_store.h"
#endif

namespace medallion::tool {
namespace {

using ocpp::Charging;

absl::Status With(const absl::Status& status, const std::string& before, const std::string& after) {
  return absl::Status(status.code(), before + std::string(status.message()) + after);
}

// ---- before the run
// -----------------------------------------------------------------------------------------

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return absl::NotFoundError("cannot open " + path + ": " + std::strerror(errno));
  std::string text;
  char buffer[1 << 16];
  for (size_t got = 0; (got = std::fread(buffer, 1, sizeof buffer, file)) > 0;) text.append(buffer, got);
  const bool failed = std::ferror(file) != 0;
  const int error = errno;
  std::fclose(file);
  if (failed) return absl::UnavailableError("cannot read " + path + ": " + std::strerror(error));
  return text;
}

absl::StatusOr<ocpp::Options> ReadConfig(const std::string& path) {
  if (path.empty()) return ocpp::Options();
  const absl::StatusOr<std::string> text = ReadFile(path);
  if (!text.ok()) return text.status();
  const nlohmann::json config = nlohmann::json::parse(*text, nullptr, false);
  if (!config.is_discarded()) {
    absl::StatusOr<ocpp::Options> options = ocpp::OptionsFromJson(config);
    return options.ok() ? std::move(options) : With(options.status(), path + ": ", "");
  }
  // Our own parser says where.
  Arena texts;
  const ocpp::FlatFields fields = ocpp::FlatParser({}, text->size()).Parse(*text, texts);
  return absl::InvalidArgumentError(path + ": no valid JSON: " + std::string(fields.corrupt));
}

// The key comes from the environment, else from the configuration.
absl::StatusOr<ocpp::Options> ReadOptions(const Arguments& arguments) {
  absl::StatusOr<ocpp::Options> options = ReadConfig(arguments.config);
  if (!options.ok()) return options;
  const bool named = !arguments.id_tag_key_env.empty();
  const std::string variable = named ? arguments.id_tag_key_env : std::string(kIdTagKeyVariable);
  const char* key = std::getenv(variable.c_str());
  if (key != nullptr && *key != '\0') {
    options->id_tag_key = key;
  } else if (named) {
    return absl::InvalidArgumentError("--id-tag-key-env " + variable +
                                      ": there is no such environment variable, or it is empty");
  }
  return options;
}

struct OpenInput {
  std::string source_name;
  std::unique_ptr<LineSource> source;
};

// A pipe's name ("/dev/fd/63") says nothing about what comes through it.
absl::Status CheckName(const Input& input, bool lasting) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(input.path, error);
  const bool pipe = !error && std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
                    !std::filesystem::is_directory(status);
  if (!pipe || !lasting || input.topic_given) return absl::OkStatus();
  return absl::InvalidArgumentError("--input " + input.path +
                                    " is no regular file, so a store that lasts needs --topic NAME");
}

absl::StatusOr<std::vector<OpenInput>> OpenInputs(const Arguments& arguments, ocpp::RecordLines& lines) {
  std::vector<OpenInput> opened;
  for (const Input& input : arguments.inputs) {
    if (auto status = CheckName(input, !arguments.sqlite_path.empty()); !status.ok()) return status;
    const auto decode = [&lines, partition = input.partition](std::string_view line, const Coordinate& at,
                                                              Arena& texts) {
      return lines.Decode(line, {.topic = at.topic, .partition = partition, .offset = at.offset}, texts);
    };
    auto source = LineSource::Open(input.path, input.topic, decode);
    if (!source.ok()) return source.status();
    opened.push_back({input.SourceName(), *std::move(source)});
  }
  return opened;
}

struct OpenedStore {
  std::unique_ptr<Store<Charging>> store;
  Tables* tables = nullptr;
};

template <class StoreType>
OpenedStore Opened(std::unique_ptr<StoreType> store) {
  Tables* tables = store.get();
  return {.store = std::move(store), .tables = tables};
}

absl::StatusOr<OpenedStore> OpenStore(const Arguments& arguments) {
  if (arguments.sqlite_path.empty()) return Opened(std::make_unique<MemoryStore<Charging>>());
#ifdef MEDALLION_WITH_SQLITE
  auto store = SqliteStore<Charging>::Open(arguments.sqlite_path);
  if (!store.ok()) return store.status();
  return Opened(*std::move(store));
#else
  return absl::InvalidArgumentError("--store sqlite:" + arguments.sqlite_path +
                                    ": this tool was built without SQLite");
#endif
}

// ---- the run
// ------------------------------------------------------------------------------------------------

RunReport Sum(const RunReport& before, const RunReport& report) {
  return {.batches = before.batches + report.batches,
          .records = before.records + report.records,
          .redelivered = before.redelivered + report.redelivered,
          .beyond = before.beyond + report.beyond,
          .unknown_fields = before.unknown_fields + report.unknown_fields,
          .data_clock = std::max(before.data_clock, report.data_clock)};
}

std::string RunId() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return FormatTime({std::chrono::duration_cast<std::chrono::microseconds>(now).count()});
}

absl::StatusOr<RunReport> ReadInputs(const Arguments& arguments, const ocpp::Options& options,
                                     std::vector<OpenInput>& inputs, Store<Charging>& store) {
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
    const absl::StatusOr<RunReport> report = Run<Charging>(*input.source, store, options, run);
    if (!report.ok()) return report.status();
    all = Sum(all, *report);
  }
  return all;
}

// ---- after the run
// ------------------------------------------------------------------------------------------

// Shows every row to the summary and, where asked to, writes the tables: first all of them, then their names.
absl::Status ReadTables(Tables& tables, const std::string& out, Summary& summary) {
  std::vector<std::unique_ptr<TableFile>> files;
  for (const std::string& table : tables.Names()) {
    TableFile* file = nullptr;
    if (!out.empty()) {
      auto created = TableFile::Create(out, table);
      if (!created.ok()) return created.status();
      file = files.emplace_back(*std::move(created)).get();
    } else if (table == Charging::kSilverTable || table == kAuditTable || table == kRunLogTable) {
      continue;  // the summary shows none of these
    }
    const auto status = tables.Read(table, [&](std::string_view json) {
      summary.Add(table, json);
      return file == nullptr ? absl::OkStatus() : file->Append(json);
    });
    if (!status.ok()) return status;
    if (file == nullptr) continue;
    if (auto flushed = file->Flush(); !flushed.ok()) return flushed;
  }
  for (const auto& file : files) {
    if (auto status = file->Publish(); !status.ok()) return status;
  }
  return out.empty() ? absl::OkStatus() : SyncDirectory(out);
}

// What stands after a failed run, and how to go on.
std::string HowToGoOn(const Arguments& arguments, Tables& tables) {
  if (arguments.sqlite_path.empty()) return "\nNothing was written. Mend this and run again.";
  const absl::StatusOr<Accounting> books = tables.Books();
  const std::string kept = books.ok() ? std::to_string(books->records) + " records" : "what it had";
  return "\nThe store " + arguments.sqlite_path + " is whole and holds " + kept +
         ". Mend this and run the same command again: it goes on from there.";
}

}  // namespace

absl::Status RunOcpp(const Arguments& arguments, std::string& text) {
  const absl::StatusOr<ocpp::Options> options = ReadOptions(arguments);
  const std::string unread = "\nNothing was read or written. Mend this and run again.";
  if (!options.ok()) return With(options.status(), "", unread);
  ocpp::RecordLines lines(arguments.format);
  absl::StatusOr<std::vector<OpenInput>> inputs = OpenInputs(arguments, lines);
  if (!inputs.ok()) return With(inputs.status(), "", unread);
  if (!arguments.out.empty()) {
    if (auto status = PrepareDirectory(arguments.out); !status.ok()) return With(status, "", unread);
  }
  const absl::StatusOr<OpenedStore> store = OpenStore(arguments);
  if (!store.ok()) return With(store.status(), "", unread);

  const absl::StatusOr<RunReport> report = ReadInputs(arguments, *options, *inputs, *store->store);
  if (!report.ok()) return With(report.status(), "", HowToGoOn(arguments, *store->tables));
  const absl::StatusOr<Accounting> books = store->tables->Books();
  if (!books.ok()) return With(books.status(), "", HowToGoOn(arguments, *store->tables));
  if (Imbalance(*books) != 0)
    return absl::InternalError("the books do not balance: " + AccountingLine(*books));

  Summary summary;
  if (auto status = ReadTables(*store->tables, arguments.out, summary); !status.ok()) {
    return With(status, "", HowToGoOn(arguments, *store->tables));
  }
  const bool lasts = !arguments.sqlite_path.empty();
  text = summary.Text({.report = *report,
                       .books = *books,
                       .defaults = lines.defaults(),
                       .store = lasts ? "sqlite:" + arguments.sqlite_path : "memory",
                       .store_lasts = lasts,
                       .public_id_tag_key = options->id_tag_key == ocpp::kPublicIdTagKey,
                       .out = arguments.out});
  return absl::OkStatus();
}

}  // namespace medallion::tool
