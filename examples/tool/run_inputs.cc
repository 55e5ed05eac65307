#include "tool/run_inputs.h"

#include <chrono>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_join.h"

namespace medallion::tool {

absl::Status CheckName(const Input& input, bool lasting) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(input.path, error);
  const bool pipe = !error && std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
                    !std::filesystem::is_directory(status);
  if (!pipe || !lasting || input.topic_given) return absl::OkStatus();
  return Wrong("--input " + input.path + " is no regular file, so a store that lasts needs --topic NAME");
}

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

std::string HowToGoOn(const std::string& sqlite_path, Tables& tables,
                      const std::vector<std::string>& published) {
  std::string written = "\nNothing was written.";
  if (!published.empty())
    written = "\nOf --out these were written, and no others: " + absl::StrJoin(published, ", ") + ".";
  if (sqlite_path.empty()) return written + " Mend this and run again.";
  const absl::StatusOr<Accounting> books = tables.Books();
  const std::string kept = books.ok() ? Counted(books->records, "record") : "what it had";
  return (published.empty() ? "" : written) + "\nThe store " + sqlite_path + " is whole and holds " + kept +
         ". Mend this and run the same command again: it goes on from there.";
}

}  // namespace medallion::tool
