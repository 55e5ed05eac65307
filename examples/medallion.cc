// The command-line tool: `medallion ocpp run` (see --help).
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "medallion/silver/tables.h"
#include "tool/arguments.h"
#include "tool/ocpp_run.h"

namespace medallion::tool {
namespace {

enum Exit { kDone = 0, kFailed = 1, kUsage = 2 };

// A reader that went away early, or a full disk behind a redirection.
Exit Print(std::string_view text) {
  const bool printed =
      std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (!printed) std::perror("medallion: cannot write to standard output");
  return printed ? kDone : kFailed;
}

Exit Fail(const absl::Status& status) {
  const bool usage = absl::IsInvalidArgument(status);
  std::fprintf(stderr, "medallion: %s\n", std::string(status.message()).c_str());
  if (usage) std::fputs("See medallion --help.\n", stderr);
  return usage ? kUsage : kFailed;
}

Exit Main(const std::vector<std::string_view>& words) {
  const absl::StatusOr<Arguments> arguments = ParseArguments(words);
  if (!arguments.ok()) return Fail(arguments.status());
  if (arguments->command == Command::kHelp) return Print(Usage());
  if (arguments->command == Command::kVersion)
    return Print("medallion " + std::string(kPipelineVersion) + "\n");
  std::string summary;
  if (auto status = RunOcpp(*arguments, summary); !status.ok()) return Fail(status);
  return Print(summary);
}

}  // namespace
}  // namespace medallion::tool

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error to report, not an end
  try {
    return medallion::tool::Main(std::vector<std::string_view>(argv + (argc > 0 ? 1 : 0), argv + argc));
  } catch (const std::exception& error) {  // of the standard library: no memory
    std::fprintf(stderr, "medallion: %s\n", error.what());
    return medallion::tool::kFailed;
  }
}
