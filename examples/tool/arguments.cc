#include "tool/arguments.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace medallion::tool {
namespace {

absl::Status Wrong(const std::string& message) { return absl::InvalidArgumentError(message); }

// What the options gave, as they came.
struct Given {
  std::vector<std::string> inputs, topics;
  std::map<std::string, std::string, std::less<>> single;
  bool quiet = false;
};

struct Option {
  std::string_view name;
  enum Values : uint8_t { kNone, kOne, kMany } values;
};

constexpr Option kOptions[] = {
    {"--input", Option::kMany},         {"--topic", Option::kMany}, {"--format", Option::kOne},
    {"--store", Option::kOne},          {"--out", Option::kOne},    {"--batch-records", Option::kOne},
    {"--threads", Option::kOne},        {"--as-of", Option::kOne},  {"--config", Option::kOne},
    {"--id-tag-key-env", Option::kOne}, {"--quiet", Option::kNone},
};

// "-" is standard input, and "-1" a value.
bool IsOption(std::string_view word) {
  return word.size() > 1 && word.front() == '-' && (word[1] < '0' || word[1] > '9');
}

absl::Status Keep(const Option& option, const std::vector<std::string>& values, Given& given) {
  const std::string name(option.name);
  if (option.values == Option::kNone) {
    if (!values.empty()) return Wrong(name + " takes no value");
    given.quiet = true;
    return absl::OkStatus();
  }
  if (values.empty() || values[0].empty()) return Wrong(name + " needs a value");
  if (option.values == Option::kOne) {
    if (values.size() > 1) return Wrong("\"" + values[1] + "\" belongs to no option");
    if (!given.single.try_emplace(name, values[0]).second) return Wrong(name + " is given twice");
    return absl::OkStatus();
  }
  auto& all = option.name == "--input" ? given.inputs : given.topics;
  all.insert(all.end(), values.begin(), values.end());
  return absl::OkStatus();
}

absl::StatusOr<Given> Collect(std::span<const std::string_view> words) {
  Given given;
  for (size_t i = 0; i < words.size();) {
    const size_t equals = words[i].starts_with("--") ? words[i].find('=') : std::string_view::npos;
    const std::string_view name = words[i].substr(0, equals);
    const auto* option = std::find_if(std::begin(kOptions), std::end(kOptions),
                                      [&](const Option& known) { return known.name == name; });
    if (option == std::end(kOptions)) {
      return Wrong(IsOption(name) ? "unknown option " + std::string(name)
                                  : "\"" + std::string(words[i]) + "\" belongs to no option");
    }
    std::vector<std::string> values;
    if (equals != std::string_view::npos) values.emplace_back(words[i].substr(equals + 1));
    for (++i; i < words.size() && !IsOption(words[i]); ++i) values.emplace_back(words[i]);
    if (auto status = Keep(*option, values, given); !status.ok()) return status;
  }
  return given;
}

std::string FileName(const std::string& path) {
  return path == "-" ? "stdin" : path.substr(path.find_last_of('/') + 1);
}

absl::Status NameInputs(const Given& given, bool lasting, Arguments& arguments) {
  const size_t topics = given.topics.size();
  if (given.inputs.empty()) return Wrong("--input is missing");
  if (topics > 1 && topics != given.inputs.size()) {
    return Wrong("--topic is given " + std::to_string(topics) + " times for " +
                 std::to_string(given.inputs.size()) + " inputs: once for all of them, or once for each");
  }
  std::set<std::string> paths, names;
  for (size_t i = 0; i < given.inputs.size(); ++i) {
    Input input{.path = given.inputs[i], .topic = FileName(given.inputs[i]), .topic_given = topics != 0};
    if (topics != 0) input.topic = given.topics[topics == 1 ? 0 : i];
    if (topics == 1) input.partition = static_cast<int32_t>(i);
    if (input.path == "-" && lasting && topics == 0) {
      return Wrong(
          "standard input into a store that lasts needs --topic NAME: its records are told apart by it");
    }
    if (!paths.insert(input.path).second) return Wrong("--input " + input.path + " is given twice");
    if (!names.insert(input.SourceName()).second) {
      return Wrong(
          "two inputs have the name \"" + input.topic +
          "\": give each a name of its own by --topic NAME NAME …, or all of them one by --topic NAME");
    }
    arguments.inputs.push_back(std::move(input));
  }
  return absl::OkStatus();
}

absl::Status ReadStore(const std::string& text, Arguments& arguments) {
  constexpr std::string_view kSqlite = "sqlite:";
  if (text == "memory") return absl::OkStatus();
  if (!text.starts_with(kSqlite) || text.size() == kSqlite.size()) {
    return Wrong("--store " + text + ": must be memory or sqlite:PATH");
  }
  arguments.sqlite_path = text.substr(kSqlite.size());
  return absl::OkStatus();
}

absl::Status ReadFormat(const std::string& text, Arguments& arguments) {
  using ocpp::LineFormat;
  for (const auto& [name, format] :
       {std::pair{"auto", LineFormat::kAuto}, std::pair{"wrapped", LineFormat::kWrapped},
        std::pair{"bare", LineFormat::kBare}}) {
    if (text == name) return arguments.format = format, absl::OkStatus();
  }
  return Wrong("--format " + text + ": must be auto, wrapped or bare");
}

absl::Status ReadNumber(const std::string& name, const std::string& text, size_t max, size_t& number) {
  const char* end = text.data() + text.size();
  const std::from_chars_result read = std::from_chars(text.data(), end, number);
  if (read.ec == std::errc() && read.ptr == end && number >= 1 && number <= max) return absl::OkStatus();
  return Wrong(name + " " + text + ": must be a whole number from 1 to " + std::to_string(max));
}

absl::Status ReadAsOf(const std::string& text, Arguments& arguments) {
  const std::optional<ParsedTime> parsed = ParseTime(text);
  if (!parsed || parsed->offset_missing) {
    return Wrong("--as-of " + text + ": must be a time with an offset, as 2026-03-01T10:00:00Z");
  }
  arguments.as_of = parsed->time;
  return absl::OkStatus();
}

absl::Status ReadText(const std::string& text, std::string& out) { return out = text, absl::OkStatus(); }

absl::Status ReadSingle(const std::string& name, const std::string& text, Arguments& arguments) {
  if (name == "--store") return ReadStore(text, arguments);
  if (name == "--format") return ReadFormat(text, arguments);
  if (name == "--batch-records") return ReadNumber(name, text, 1'000'000, arguments.batch_records);
  if (name == "--threads") return ReadNumber(name, text, 256, arguments.threads);
  if (name == "--as-of") return ReadAsOf(text, arguments);
  if (name == "--out") return ReadText(text, arguments.out);
  if (name == "--config") return ReadText(text, arguments.config);
  return ReadText(text, arguments.id_tag_key_env);
}

absl::StatusOr<Arguments> ParseRun(std::span<const std::string_view> words) {
  absl::StatusOr<Given> given = Collect(words);
  if (!given.ok()) return given.status();
  Arguments arguments;
  arguments.command = Command::kOcppRun;
  arguments.quiet = given->quiet;
  for (const auto& [name, text] : given->single) {
    if (auto status = ReadSingle(name, text, arguments); !status.ok()) return status;
  }
  if (auto status = NameInputs(*given, !arguments.sqlite_path.empty(), arguments); !status.ok())
    return status;
  return arguments;
}

bool Has(std::span<const std::string_view> words, std::string_view word, std::string_view other) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view w) { return w == word || w == other; });
}

}  // namespace

absl::StatusOr<Arguments> ParseArguments(std::span<const std::string_view> words) {
  Arguments arguments;
  if (Has(words, "--help", "-h") || (words.size() == 1 && words[0] == "help")) return arguments;
  if (Has(words, "--version", "--version")) {
    arguments.command = Command::kVersion;
    return arguments;
  }
  if (words.empty()) return Wrong("what shall be done? There is: medallion ocpp run");
  if (words[0] != "ocpp")
    return Wrong("unknown command " + std::string(words[0]) + "; there is: medallion ocpp run");
  if (words.size() < 2 || words[1] != "run")
    return Wrong("medallion ocpp knows one command: medallion ocpp run");
  return ParseRun(words.subspan(2));
}

std::string_view Usage() {
  return R"(medallion: messy event feeds in, tables that can be trusted out

  medallion ocpp run --input FILE… [OPTION…]    read charging events, derive sessions, print a summary
  medallion --help | --version

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

Exit codes: 0 done, and quarantined rows are a normal result; 1 something failed; 2 wrong usage.
)";
}

}  // namespace medallion::tool
