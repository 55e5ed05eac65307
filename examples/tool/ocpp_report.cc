#include "tool/ocpp_report.h"

#include <filesystem>
#include <string>
#include <system_error>

#include "medallion/ocpp/charging.h"
#include "tool/open_store.h"
#include "tool/report_page.h"
#include "tool/table_files.h"
#include "tool/words.h"

namespace medallion::tool {
namespace {

constexpr std::string_view kUsage = R"(--store sqlite:PATH --html FILE

  --store sqlite:PATH  the store to show
  --html FILE          the page: one file that needs no network. Replaced whole or not at all;
                       - is standard output
)";

constexpr Option kOptions[] = {{"--store", Option::kOne}, {"--html", Option::kOne}};

absl::Status OcppReport(Words words, const Print& print) {
  const auto given = Given::Collect(words, kOptions);
  if (!given.ok()) return given.status();
  const auto path = given->LastingPath();
  if (!path.ok()) return path.status();
  if (!given->Has("--html")) return Wrong("--html FILE is missing");
  std::error_code error;
  if (std::filesystem::equivalent(given->Text("--html"), *path, error)) {
    return Wrong("--html names the store, which the page would replace");
  }
  const auto store = OpenToRead<ocpp::Charging>(*path);
  if (!store.ok()) return store.status();

  ReportPage page;
  for (const std::string_view table : ReportPage::kTables) {
    const auto add = [&](std::string_view json) { return page.Add(table, json), absl::OkStatus(); };
    if (auto status = store->tables->Read(table, add); !status.ok()) return status;
  }
  const auto books = store->tables->Books();
  if (!books.ok()) return books.status();
  const std::string& file = given->Text("--html");
  if (file == "-") return print(page.Html(*books, *path));
  if (auto status = WriteFile(file, page.Html(*books, *path)); !status.ok()) return status;
  return print("the page is in " + file + "\n");
}

}  // namespace

const Command kOcppReport = {
    .name = "ocpp report",
    .does = "show what a store holds as a page for people",
    .usage = kUsage,
    .run = OcppReport,
};

}  // namespace medallion::tool
