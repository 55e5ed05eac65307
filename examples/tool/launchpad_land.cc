#include "tool/launchpad_land.h"

#include <memory>
#include <string>
#include <vector>

#include "medallion/io/line_source.h"
#include "medallion/launchpad/land.h"
#include "tool/table_files.h"
#include "tool/words.h"

namespace medallion::tool {
namespace {

constexpr std::string_view kUsage = R"(--input FILE --dir DIR [OPTION…]

  --input FILE           JSON lines, one feed message a line; - is standard input
  --dir DIR              where envelopes are published, as NAME.json; made where it is missing
  --source NAME          who sent the events, as envelopes name it; else "feed"
  --codec CODEC          zstd (the default) or none
  --batch-events N       events an envelope, 1 to 100000; else 5000
  --ingested-at TIME     when the events were received; else no envelope says it, and the events' own times stand.
                         Landing the same lines with the same options again makes no new file
  --write-ahead FILE     keeps what waits for its envelope: a run that was killed goes on behind the lines that it
                         took. Only for the same input, read again from its beginning
)";

struct Arguments {
  std::string input, directory;
  launchpad::LandOptions land = {};
  UtcTime ingested_at = kNoTime;
};

absl::StatusOr<Arguments> ReadArguments(Words words) {
  const std::vector<Option> known = {{"--input", Option::kOne},        {"--dir", Option::kOne},
                                     {"--source", Option::kOne},       {"--codec", Option::kOne},
                                     {"--batch-events", Option::kOne}, {"--ingested-at", Option::kOne},
                                     {"--write-ahead", Option::kOne}};
  const auto given = Given::Collect(words, known);
  if (!given.ok()) return given.status();
  if (!given->Has("--input")) return Wrong("--input is missing");
  if (!given->Has("--dir")) return Wrong("--dir is missing");
  Arguments arguments{.input = given->Text("--input"), .directory = given->Text("--dir")};
  launchpad::EnvelopeOptions& envelope = arguments.land.envelope;
  if (given->Has("--source")) envelope.source = given->Text("--source");
  if (given->Has("--codec")) envelope.codec = given->Text("--codec");
  if (envelope.codec != "zstd" && envelope.codec != "none") {
    return Wrong("--codec " + envelope.codec + ": must be zstd or none");
  }
  const auto events = given->Number("--batch-events", 100'000, envelope.events_max);
  if (!events.ok()) return events.status();
  const auto ingested_at = given->Time("--ingested-at");
  if (!ingested_at.ok()) return ingested_at.status();
  envelope.events_max = *events;
  arguments.ingested_at = *ingested_at;
  arguments.land.write_ahead = given->Text("--write-ahead");
  return arguments;
}

// `lines`: how many of this run were taken, without those that one before it took.
absl::Status LandAll(LineSource& source, UtcTime ingested_at, launchpad::Lander& lander, int64_t& lines) {
  constexpr size_t kLinesMax = 1'000;
  int64_t known = lander.taken();  // lines that a run before this one took
  while (true) {
    const auto batch = source.Read(kLinesMax);
    if (!batch.ok()) return batch.status();
    std::vector<launchpad::LandedEvent> events;
    for (const BronzeRecord& record : batch->records) {
      if (known > 0) {
        --known;
        continue;
      }
      ++lines;
      events.push_back({std::string(record.payload), ingested_at});
    }
    if (!events.empty()) {
      if (auto status = lander.Add(events); !status.ok()) return status;
    }
    if (auto status = lander.Flush(kNoTime, batch->at_end); !status.ok()) return status;
    if (batch->at_end && known > 0) {
      return absl::FailedPreconditionError("the input ends " + Counted(known, "line") +
                                           " before what the write-ahead file says was taken of it: it is "
                                           "another input, which needs a write-ahead file of its own");
    }
    if (batch->at_end) return absl::OkStatus();
  }
}

absl::Status Land(Words words, const Print& print) {
  const auto arguments = ReadArguments(words);
  if (!arguments.ok()) return arguments.status();
  const std::string again =
      "\nMend this and run the same command again: what has landed stays, and lands once.";
  if (auto status = PrepareDirectory(arguments->directory); !status.ok()) return With(status, "", again);
  const auto decode = [](std::string_view line, const Coordinate& at, Arena&) {
    return BronzeRecord{.payload = line, .at = at};
  };
  const auto source = LineSource::Open(arguments->input, arguments->input, decode);
  if (!source.ok()) return With(source.status(), "", again);
  const auto lander = launchpad::Lander::Open(arguments->directory, arguments->land);
  if (!lander.ok()) return With(lander.status(), "", again);
  int64_t lines = 0;
  if (auto status = LandAll(**source, arguments->ingested_at, **lander, lines); !status.ok()) {
    return With(status, "", again);
  }
  return print("landed      " + Counted(lines, "event") + " in " +
               Counted((*lander)->envelopes(), "envelope") + " in " + arguments->directory + "\n");
}

}  // namespace

const Command kLaunchpadLand = {
    .name = "launchpad land",
    .does = "put events of a token feed into batch envelopes in a directory",
    .usage = kUsage,
    .run = Land,
};

}  // namespace medallion::tool
