#include "tool/ledger_run.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "medallion/ledger/ledger.h"
#include "medallion/ledger/quality_report.h"
#include "medallion/ledger/record_lines.h"
#include "tool/grid.h"
#include "tool/json_columns.h"
#include "tool/open_store.h"
#include "tool/run_inputs.h"
#include "tool/table_files.h"

namespace medallion::tool {
namespace {

using ledger::Ledger;

constexpr const char* kQualityReport = "quality_report.json";

constexpr std::string_view kUsage = R"(--input FILE… [OPTION…]

  --input FILE…          JSON lines: native events, Debezium's change records, or {key, value, headers, …} around
                         one; - is standard input
  --topic NAME…          the topic of lines that name none, once for all inputs or once for each; else a
                         file's name without folders. Needed where two inputs have one name, and for
                         standard input with a store that lasts
  --store STORE          memory (the default) or sqlite:PATH, which lasts: a further run reads on where the
                         last one stood, also one that was killed
  --out DIR              write each table to DIR/<table>.jsonl, and the quality report to DIR/quality_report.json
  --as-of TIME           fold what was effective up to TIME, and know what was recorded up to TIME
  --known-as-of TIME     know only what was recorded, and read only what was ingested, up to TIME
  --batch-records N      records a batch, 1 to 1000000; else 10000
  --threads N            threads that read payloads and derive, 1 to 256; else 1. The tables are the same for
                         every number
  --quiet                no progress line
)";

struct Arguments : RunArguments {
  ledger::Options options;
};

absl::StatusOr<Arguments> ReadArguments(Words words) {
  std::vector<Option> known;
  std::copy_if(std::begin(kRunOptions), std::end(kRunOptions), std::back_inserter(known),
               [](const Option& option) { return option.name != "--config"; });
  known.push_back({"--known-as-of", Option::kOne});
  const auto given = Given::Collect(words, known);
  if (!given.ok()) return given.status();
  auto run = ReadRunArguments(*given);
  if (!run.ok()) return run.status();
  const auto known_as_of = given->Time("--known-as-of");
  if (!known_as_of.ok()) return known_as_of.status();
  Arguments arguments{*std::move(run), {}};
  arguments.options.as_of = arguments.as_of;
  arguments.options.known_as_of = *known_as_of == kNoTime ? arguments.as_of : *known_as_of;
  arguments.as_of = arguments.options.known_as_of;  // what the run reads
  return arguments;
}

// The first few rows of a table for people.
class Excerpt {
 public:
  Excerpt(std::string heading, std::vector<const char*> columns, size_t texts)
      : heading_(std::move(heading)) {
    for (size_t i = texts; i < columns.size(); ++i) right_.push_back(i);
    std::vector<std::string> names(columns.begin(), columns.end());
    rows_.push_back(std::move(names));
    columns_ = std::move(columns);
  }

  void Add(std::string_view json) {
    constexpr size_t kShown = 20;
    if (++count_ > kShown) return;
    const auto row = nlohmann::json::parse(json, nullptr, false);
    std::vector<std::string> cells;
    for (const char* column : columns_) {
      const auto value = row.find(column);
      const bool list = value != row.end() && value->is_array();
      std::string cell = list ? Joined(row, column) : TextOf(row, column);
      cells.push_back(cell.empty() ? "-" : Shown(cell));
    }
    rows_.push_back(std::move(cells));
  }

  std::string Text(bool written) const {
    if (count_ == 0) return "\n" + heading_ + "\n  none\n";
    std::string text = "\n" + heading_ + "\n" + Grid(rows_, right_);
    const size_t more = count_ + 1 - rows_.size();
    if (more == 0) return text;
    return text + "  … and " + std::to_string(more) + " more" +
           (written ? "" : ": see them all by --out DIR") + "\n";
  }

 private:
  std::string heading_;
  std::vector<const char*> columns_;
  std::vector<size_t> right_;
  std::vector<std::vector<std::string>> rows_;
  size_t count_ = 0;
};

// A store that lasts has tables as of the clocks it was filled with: others would only reach what is derived anew.
absl::Status CheckClocks(const Arguments& arguments, Tables& tables) {
  const std::string version = Hex(ledger::ModelVersion(arguments.options));
  std::string stands;
  const auto status = tables.Read(Ledger::kGoldTables[0], [&](std::string_view json) {
    stands = TextOf(nlohmann::json::parse(json, nullptr, false), "model_version");
    return absl::CancelledError("one row is enough");
  });
  if (!status.ok() && !absl::IsCancelled(status)) return status;
  if (stands.empty() || stands == version) return absl::OkStatus();
  return Wrong(
      "--store sqlite:" + arguments.sqlite_path +
      ": its tables are as of another --as-of or --known-as-of; give these a store of their own, or memory");
}

struct Told {
  ledger::QualityReport quality;
  Excerpt balances{"balances",
                   {"ledger", "account_id", "asset", "quality_flags", "balance_known", "balance_contiguous",
                    "available", "contiguous_version", "max_version", "balance_is_final"},
                   4};
  Excerpt features{"features",
                   {"ledger", "account_id", "asset", "as_of", "txn_count_30d", "net_flow_30d", "twab_30d",
                    "min_balance_30d", "completeness"},
                   4};

  void Add(std::string_view table, std::string_view json) {
    quality.Add(table, json);
    if (table == Ledger::kGoldTables[0]) balances.Add(json);
    if (table == Ledger::kGoldTables[1]) features.Add(json);
  }
};

absl::Status RunAll(const Arguments& arguments, std::vector<OpenInput>& inputs,
                    const OpenedStore<Ledger>& store, TableFiles& files, std::string& text) {
  const auto report = RunInputs<Ledger>(arguments, arguments.options, inputs, *store.store);
  if (!report.ok()) return report.status();
  const auto books = store.tables->Books();
  if (!books.ok()) return books.status();
  if (Imbalance(*books) != 0)
    return absl::InternalError("the books do not balance: " + AccountingLine(*books));
  Told told;
  const auto show = [&](std::string_view table, std::string_view json) { told.Add(table, json); };
  if (auto status = files.Write(*store.tables, {kRunLogTable}, show); !status.ok()) return status;
  const bool written = !arguments.out.empty();
  if (auto status = files.Add(kQualityReport, told.quality.Json(*books)); !status.ok()) return status;
  if (auto status = files.Publish(); !status.ok()) return status;
  text = told.quality.Text(*books);
  if (report->beyond != 0)
    text += "\n  not read, since ingested later: " + std::to_string(report->beyond) + "\n";
  text += told.balances.Text(written) + told.features.Text(written);
  return absl::OkStatus();
}

absl::Status LedgerRun(Words words, const Print& print) {
  const auto arguments = ReadArguments(words);
  if (!arguments.ok()) return arguments.status();
  const std::string unread = "\nNothing was read or written. Mend this and run again.";
  ledger::RecordLines lines;
  const auto decode = [&lines](std::string_view line, const Coordinate& at, Arena& texts) {
    return lines.Decode(line, at, texts);
  };
  auto inputs = OpenInputs(*arguments, decode);
  if (!inputs.ok()) return With(inputs.status(), "", unread);
  if (auto status = PrepareOut<Ledger>(*arguments, {kQualityReport}); !status.ok())
    return With(status, "", unread);
  const auto store = OpenStore<Ledger>(arguments->sqlite_path);
  if (!store.ok()) return With(store.status(), "", unread);
  if (auto status = CheckClocks(*arguments, *store->tables); !status.ok()) return With(status, "", unread);
  std::string text;
  TableFiles files(arguments->out);
  if (auto status = RunAll(*arguments, *inputs, *store, files, text); !status.ok()) {
    return With(status, "", HowToGoOn(arguments->sqlite_path, *store->tables, files.published()));
  }
  return print(text);
}

}  // namespace

const Command kLedgerRun = {
    .name = "ledger run",
    .does = "read ledger events and change records, derive balances and features, print the quality report",
    .usage = kUsage,
    .run = LedgerRun,
};

}  // namespace medallion::tool
