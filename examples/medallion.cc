// The command-line tool. `medallion --help` lists what it does; each command stands in a file of its name.
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "medallion/silver/tables.h"
#include "tool/command.h"
#include "tool/launchpad_land.h"
#include "tool/launchpad_run.h"
#include "tool/ledger_run.h"
#include "tool/ocpp_diff.h"
#include "tool/ocpp_metrics.h"
#include "tool/ocpp_quarantine.h"
#include "tool/ocpp_reconcile.h"
#include "tool/ocpp_rederive.h"
#include "tool/ocpp_report.h"
#include "tool/ocpp_run.h"
#include "tool/ocpp_sweep.h"
#include "tool/words.h"

namespace medallion::tool {
namespace {

enum Exit { kDone = 0, kFailed = 1, kUsage = 2 };

const Command* const kCommands[] = {
    &kOcppRun,
    &kOcppSweep,
    &kOcppQuarantineList,
    &kOcppQuarantineShow,
    &kOcppQuarantineRepair,
    &kOcppQuarantineDiscard,
    &kOcppQuarantineAccept,
    &kOcppQuarantineReplay,
    &kOcppReplay,
    &kOcppMetrics,
    &kOcppReport,
    &kOcppForget,
    &kOcppRederive,
    &kOcppDiff,
    &kOcppReconcile,
    &kLedgerRun,
    &kLaunchpadLand,
    &kLaunchpadRun,
};

constexpr std::string_view kExitCodes =
    "\nExit codes: 0 done, and quarantined rows are a normal result; 1 something failed; 2 wrong usage.\n";

std::string Overview() {
  std::string text = "medallion: messy event feeds in, tables that can be trusted out\n\n";
  for (const Command* command : kCommands) {
    std::string line = "  medallion " + std::string(command->name);
    line.resize(std::max<size_t>(line.size() + 2, 36), ' ');
    text += line + std::string(command->does) + "\n";
  }
  text += "\n  medallion COMMAND --help            its options\n  medallion --version\n";
  return text + std::string(kExitCodes);
}

std::string HelpOn(const Command& command) {
  return "medallion " + std::string(command.name) + " " + std::string(command.usage) +
         std::string(kExitCodes);
}

// A reader that went away early, or a full disk behind a redirection.
absl::Status PrintOut(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0)
    return absl::OkStatus();
  return absl::UnavailableError("cannot write to standard output: " + std::string(std::strerror(errno)));
}

// `command` is what was asked for, or null.
Exit Done(const absl::Status& status, const Command* command) {
  if (status.ok()) return kDone;
  const bool usage = absl::IsInvalidArgument(status);
  std::fprintf(stderr, "medallion: %s\n", std::string(status.message()).c_str());
  const std::string name = command == nullptr ? "" : std::string(command->name) + " ";
  if (usage) std::fprintf(stderr, "See medallion %s--help.\n", name.c_str());
  return usage ? kUsage : kFailed;
}

size_t WordsIn(std::string_view name) {
  return static_cast<size_t>(std::count(name.begin(), name.end(), ' ')) + 1;
}

// The command whose name the words begin with, or null.
const Command* Find(Words words) {
  for (const Command* command : kCommands) {
    std::string begin;
    for (size_t i = 0; i < std::min(WordsIn(command->name), words.size()); ++i) {
      begin += (i == 0 ? "" : " ") + std::string(words[i]);
    }
    if (begin == command->name) return command;
  }
  return nullptr;
}

absl::Status Unknown(Words words) {
  std::string asked;
  for (size_t i = 0; i < words.size() && !words[i].starts_with('-'); ++i) {
    asked += " " + std::string(words[i]);
  }
  std::string known;
  for (const Command* command : kCommands) {
    known += (known.empty() ? "" : ", ") + std::string("medallion ") + std::string(command->name);
  }
  return Wrong(words.empty() ? "what shall be done? There is: " + known
                             : "there is no command medallion" + asked + "; there is: " + known);
}

bool Has(Words words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

Exit Main(Words words) {
  const Command* command = Find(words);
  if (Has(words, "--help") || Has(words, "-h") || (words.size() == 1 && words[0] == "help")) {
    return Done(PrintOut(command == nullptr ? Overview() : HelpOn(*command)), command);
  }
  if (Has(words, "--version"))
    return Done(PrintOut("medallion " + std::string(kPipelineVersion) + "\n"), command);
  if (command == nullptr) return Done(Unknown(words), command);
  return Done(command->run(words.subspan(WordsIn(command->name)), PrintOut), command);
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
