#include "tool/ocpp_run.h"

#include <cstdio>
#include <string>
#include <vector>

#include "medallion/ocpp/charging.h"
#include "medallion/ocpp/metrics.h"
#include "medallion/ocpp/record_lines.h"
#include "tool/ocpp_options.h"
#include "tool/open_store.h"
#include "tool/run_inputs.h"
#include "tool/summary.h"
#include "tool/table_files.h"

namespace medallion::tool {
namespace {

using ocpp::Charging;

constexpr std::string_view kUsage = R"(--input FILE… [OPTION…]

  --input FILE…          JSON lines, one record a line: bare events or wrapped records; - is standard input
  --topic NAME…          the topic of lines that name none, once for all inputs or once for each; else a
                         file's name without folders. Needed where two inputs have one name, and for
                         standard input with a store that lasts
  --format FORMAT        auto (told from each line; the default), wrapped or bare
  --store STORE          memory (the default) or sqlite:PATH, which lasts: a further run reads on where the
                         last one stood, also one that was killed
  --out DIR              write each table to DIR/<table>.jsonl
  --batch-records N      records a batch, 1 to 1000000; else 10000
  --threads N            threads that read payloads and derive sessions, 1 to 256; else 1. The tables are the
                         same for every number
  --as-of TIME           read only records that were ingested up to TIME, and let sessions time out by then
  --config FILE          how events are read and judged, as JSON
  --id-tag-key-env NAME  the environment variable with the key by which id tags are hashed; else
                         MEDALLION_ID_TAG_KEY
  --quiet                no progress line
)";

struct Arguments : RunArguments {
  std::string id_tag_key_env;
  ocpp::LineFormat format = ocpp::LineFormat::kAuto;
};

absl::StatusOr<ocpp::LineFormat> ReadFormat(const std::string& text) {
  using ocpp::LineFormat;
  if (text.empty() || text == "auto") return LineFormat::kAuto;
  if (text == "wrapped") return LineFormat::kWrapped;
  if (text == "bare") return LineFormat::kBare;
  return Wrong("--format " + text + ": must be auto, wrapped or bare");
}

absl::StatusOr<Arguments> ReadArguments(Words words) {
  std::vector<Option> known(std::begin(kRunOptions), std::end(kRunOptions));
  known.insert(known.end(), {{"--format", Option::kOne}, {"--id-tag-key-env", Option::kOne}});
  const auto given = Given::Collect(words, known);
  if (!given.ok()) return given.status();
  auto run = ReadRunArguments(*given);
  if (!run.ok()) return run.status();
  const auto format = ReadFormat(given->Text("--format"));
  if (!format.ok()) return format.status();
  return Arguments{*std::move(run), given->Text("--id-tag-key-env"), *format};
}

absl::Status RunAll(const Arguments& arguments, const ocpp::Options& options, std::vector<OpenInput>& inputs,
                    const OpenedStore<Charging>& store, TableFiles& files, RunFacts& facts,
                    Summary& summary) {
  const auto report = RunInputs<Charging>(arguments, options, inputs, *store.store);
  if (!report.ok()) return report.status();
  const auto books = store.tables->Books();
  if (!books.ok()) return books.status();
  facts.report = *report;
  facts.books = *books;
  if (Imbalance(*books) != 0)
    return absl::InternalError("the books do not balance: " + AccountingLine(*books));
  const auto metrics = ocpp::MeasureCharging(*store.tables, report->data_clock);
  if (!metrics.ok()) return metrics.status();
  if (auto status = KeepMetrics(*store.store, *metrics, "metrics"); !status.ok()) return status;
  // The summary shows none of these.
  const auto skip = {Charging::kSilverTable, kAuditTable,          kReviewsTable,
                     kMetricsTable,          kReconciliationTable, kRunLogTable};
  const auto show = [&](std::string_view table, std::string_view json) { summary.Add(table, json); };
  if (auto status = files.Write(*store.tables, skip, show); !status.ok()) return status;
  return files.Publish();
}

absl::Status OcppRun(Words words, const Print& print) {
  const auto arguments = ReadArguments(words);
  if (!arguments.ok()) return arguments.status();
  const std::string unread = "\nNothing was read or written. Mend this and run again.";
  const auto options = ReadOcppOptions(arguments->config, arguments->id_tag_key_env);
  if (!options.ok()) return With(options.status(), "", unread);
  ocpp::RecordLines lines(arguments->format);
  const auto decode = [&lines](std::string_view line, const Coordinate& at, Arena& texts) {
    return lines.Decode(line, at, texts);
  };
  auto inputs = OpenInputs(*arguments, decode);
  if (!inputs.ok()) return With(inputs.status(), "", unread);
  if (auto status = PrepareOut<Charging>(*arguments); !status.ok()) return With(status, "", unread);
  const auto store = OpenStore<Charging>(arguments->sqlite_path);
  if (!store.ok()) return With(store.status(), "", unread);

  const bool lasts = !arguments->sqlite_path.empty();
  RunFacts facts;
  facts.store = lasts ? "sqlite:" + arguments->sqlite_path : "memory";
  facts.store_lasts = lasts;
  facts.out = arguments->out;
  Summary summary;
  TableFiles files(arguments->out);
  if (auto status = RunAll(*arguments, *options, *inputs, *store, files, facts, summary); !status.ok()) {
    return With(status, "", HowToGoOn(arguments->sqlite_path, *store->tables, files.published()));
  }
  facts.defaults = lines.defaults();
  if (auto status = print(summary.Text(facts)); !status.ok()) return status;
  std::fputs(PublicKeyWarning(*options).c_str(), stderr);
  return absl::OkStatus();
}

}  // namespace

const Command kOcppRun = {
    .name = "ocpp run",
    .does = "read charging events, derive sessions, print a summary",
    .usage = kUsage,
    .run = OcppRun,
};

}  // namespace medallion::tool
