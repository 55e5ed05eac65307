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

// Whether the command is one of the group that the words begin: of "ocpp quarantine" all whose names begin so.
bool IsIn(const Command& command, std::string_view group) {
  return command.name.starts_with(group) && (group.empty() || command.name[group.size()] == ' ');
}

// The commands of a group, a line each.
std::string Listed(std::string_view group) {
  size_t width = 0;
  for (const Command* command : kCommands) width = std::max(width, command->name.size());
  std::string text;
  for (const Command* command : kCommands) {
    if (!IsIn(*command, group)) continue;
    text += "  medallion " + std::string(command->name) + std::string(width + 2 - command->name.size(), ' ') +
            std::string(command->does) + "\n";
  }
  return text;
}

std::string Overview(std::string_view group) {
  return (group.empty() ? "medallion: messy event feeds in, tables that can be trusted out\n\n" : "") +
         Listed(group) + "\n  medallion COMMAND --help   its options\n  medallion --version\n" +
         std::string(kExitCodes);
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

// The longest group that the words begin with: of "ocpp nonsense" it is "ocpp".
std::string GroupOf(Words words) {
  std::string group, longer;
  for (const std::string_view word : words) {
    longer += (longer.empty() ? "" : " ") + std::string(word);
    const bool known = std::any_of(std::begin(kCommands), std::end(kCommands),
                                   [&](const Command* command) { return IsIn(*command, longer); });
    if (!known) break;
    group = longer;
  }
  return group;
}

absl::Status Unknown(Words words) {
  const std::string group = GroupOf(words);
  std::string asked = "medallion";
  for (size_t i = 0; i < words.size() && !words[i].starts_with('-'); ++i) {
    asked += " " + std::string(words[i]);
  }
  const bool whole = asked.size() == std::string("medallion").size() + (group.empty() ? 0 : 1 + group.size());
  // The words behind a command's name are what is done to what.
  std::vector<std::string_view> names;
  for (const Command* known : kCommands) names.push_back(known->name);
  std::string near, begin;
  for (size_t i = 0; i < words.size() && near.empty(); ++i) {
    begin += (i == 0 ? "" : " ") + std::string(words[i]);
    near = DidYouMean(begin, names);
  }
  std::string there_is = Listed(group);
  there_is.pop_back();  // the last line end
  return Wrong(
      (whole ? "what shall be done? There is:\n"
             : "there is no command " + asked + (near.empty() ? "; there is:\n" : near + " There is:\n")) +
      there_is);
}

bool Has(Words words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

Exit Main(Words words) {
  const bool asks_first = !words.empty() && words.front() == "help";  // "help ocpp run"
  if (asks_first) words = words.subspan(1);
  const Command* command = Find(words);
  const bool asks =
      asks_first || Has(words, "--help") || Has(words, "-h") || (command == nullptr && Has(words, "help"));
  if (asks) return Done(PrintOut(command == nullptr ? Overview(GroupOf(words)) : HelpOn(*command)), command);
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
