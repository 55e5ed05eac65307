#include "tool/ocpp_quarantine.h"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "medallion/io/quarantine.h"
#include "medallion/io/rederive.h"
#include "medallion/ocpp/charging.h"
#include "tool/ocpp_options.h"
#include "tool/open_store.h"
#include "tool/read_file.h"
#include "tool/words.h"

namespace medallion::tool {
namespace {

using ocpp::Charging;

constexpr Option kStoreOption[] = {{"--store", Option::kOne}};
constexpr Option kRowOptions[] = {{"--id", Option::kOne}, {"--by", Option::kOne}};
constexpr Option kFilterOptions[] = {{"--reason", Option::kOne},
                                     {"--charge-point", Option::kOne},
                                     {"--status", Option::kOne},
                                     {"--from", Option::kOne},
                                     {"--to", Option::kOne}};

// What a command works on.
struct Desk {
  Given given;
  ocpp::Options options;
  OpenedStore<Charging> store;
  Quarantine<Charging> quarantine() const { return {*store.store, options}; }
};

absl::StatusOr<std::unique_ptr<Desk>> OpenDesk(Words words, std::span<const Option> own, bool reads = false) {
  std::vector<Option> known(std::begin(kStoreOption), std::end(kStoreOption));
  known.insert(known.end(), std::begin(kOcppOptions), std::end(kOcppOptions));
  known.insert(known.end(), own.begin(), own.end());
  auto given = Given::Collect(words, known);
  if (!given.ok()) return given.status();
  const auto path = given->LastingPath();
  if (!path.ok()) return path.status();
  auto options = ReadOcppOptions(given->Text("--config"), given->Text("--id-tag-key-env"));
  if (!options.ok()) return options.status();
  auto store = reads ? OpenToRead<Charging>(*path) : OpenExisting<Charging>(*path);
  if (!store.ok()) return store.status();
  return std::unique_ptr<Desk>(new Desk{*std::move(given), *std::move(options), *std::move(store)});
}

// Where id tags are about to be hashed.
void Warn(const Desk& desk) { std::fputs(PublicKeyWarning(desk.options).c_str(), stderr); }

absl::StatusOr<QuarantineFilter> ReadFilter(const Given& given) {
  QuarantineFilter filter{.reason = given.Text("--reason"),
                          .charge_point_id = given.Text("--charge-point"),
                          .status = given.Text("--status")};
  const auto from = given.Time("--from"), to = given.Time("--to");
  if (!from.ok()) return from.status();
  if (!to.ok()) return to.status();
  filter.from = *from, filter.to = *to;
  constexpr std::string_view kStatuses[] = {"", "NEW", "REPAIRED", "REPLAYED", "DISCARDED"};
  if (std::find(std::begin(kStatuses), std::end(kStatuses), filter.status) == std::end(kStatuses))
    return Wrong("--status " + filter.status + ": must be NEW, REPAIRED, REPLAYED or DISCARDED");
  if (filter.from != kNoTime && filter.to != kNoTime && filter.to <= filter.from)
    return Wrong("--to " + given.Text("--to") + ": must be after --from");
  return filter;
}

constexpr std::string_view kListShows = "`medallion ocpp quarantine list` shows them";

// NotFound says where ids are to be found.
absl::Status WithList(const absl::Status& status) {
  return absl::IsNotFound(status) ? With(status, "", ": " + std::string(kListShows)) : status;
}

absl::StatusOr<Digest> ReadId(const Given& given) {
  if (!given.Has("--id")) return Wrong("--id ID is missing: " + std::string(kListShows));
  const std::optional<Digest> id = ParseHex(given.Text("--id"));
  if (id.has_value()) return *id;
  return Wrong("--id " + given.Text("--id") +
               ": a quarantine_id has 64 hexadecimal digits: " + std::string(kListShows));
}

absl::StatusOr<std::string> ReadReviewer(const Given& given) {
  if (given.Has("--by")) return given.Text("--by");
  return Wrong("--by NAME is missing: who decides this");
}

// A text from the feed in a cell: no control characters, and none of it is empty.
std::string Cell(std::string_view text) {
  std::string quoted;
  AppendJsonString(text, quoted);
  return text.empty() ? "-" : quoted.substr(1, quoted.size() - 2);
}

std::string Codes(std::string_view json) {
  std::string codes;
  for (const char c : json) {
    if (c != '[' && c != ']' && c != '"') codes += c;
  }
  return codes.empty() ? "-" : codes;
}

std::string ListLine(const QuarantineRow& row) {
  std::string line = Hex(row.quarantine_id);
  for (const std::string& cell :
       {std::string(row.status), Codes(row.violations), Cell(row.charge_point_id),
        row.quarantined_at == kNoTime ? "-" : FormatTime(row.quarantined_at), Cell(row.at.topic),
        std::to_string(row.at.partition), std::to_string(row.at.offset), std::to_string(row.ordinal),
        Cell(row.reviewed_by)}) {
    line += "\t" + cell;
  }
  return line + "\n";
}

constexpr std::string_view kListHead =
    "quarantine_id\tstatus\tviolations\tcharge_point_id\tquarantined_at\ttopic\tpartition\toffset\tordinal\t"
    "reviewed_by\n";

// Where no row has the reason that was asked for: it may be misspelt.
absl::Status TellReasons(const std::string& reason, Quarantine<Charging>& quarantine) {
  std::set<std::string> codes;
  const auto add = [&](const QuarantineRow& row) {
    const std::vector<std::string> found = absl::StrSplit(Codes(row.violations), ',');
    codes.insert(found.begin(), found.end());
    return absl::OkStatus();
  };
  if (auto status = quarantine.List({}, add); !status.ok()) return status;
  if (reason.empty() || codes.contains(reason)) return absl::OkStatus();
  std::fprintf(stderr, "note: no row has the reason %s; reasons here: %s\n", reason.c_str(),
               codes.empty() ? "none" : absl::StrJoin(codes, ", ").c_str());
  return absl::OkStatus();
}

absl::Status List(Words words, const Print& print) {
  std::vector<Option> own(std::begin(kFilterOptions), std::end(kFilterOptions));
  own.push_back({"--would-pass", Option::kNone});
  const auto desk = OpenDesk(words, own, /*reads=*/true);
  if (!desk.ok()) return desk.status();
  const auto filter = ReadFilter((*desk)->given);
  if (!filter.ok()) return filter.status();
  if (auto status = print(kListHead); !status.ok()) return status;
  bool none = true;
  const auto sink = [&](const QuarantineRow& row) { return none = false, print(ListLine(row)); };
  Quarantine<Charging> quarantine = (*desk)->quarantine();
  const absl::Status listed = (*desk)->given.Has("--would-pass") ? quarantine.WouldPass(*filter, sink)
                                                                 : quarantine.List(*filter, sink);
  return listed.ok() && none ? TellReasons(filter->reason, quarantine) : listed;
}

absl::Status Show(Words words, const Print& print) {
  const auto desk = OpenDesk(words, kRowOptions, /*reads=*/true);
  if (!desk.ok()) return desk.status();
  const auto id = ReadId((*desk)->given);
  if (!id.ok()) return id.status();
  return WithList((*desk)->quarantine().Show(*id, [&](const QuarantineRow& row) {
    std::string json;
    AppendJson(row, json);
    return print(json + "\n");
  }));
}

// What a row is found to be: its status, and the codes that it breaks. Of one that is in quarantine no more: nothing.
struct Found {
  std::string line, status, violations;
};

absl::StatusOr<Found> Find(Quarantine<Charging>& quarantine, const Digest& id) {
  Found found;
  const auto take = [&](const QuarantineRow& row) {
    found = {ListLine(row), std::string(row.status), Codes(row.violations)};
    return absl::OkStatus();
  };
  const absl::Status status = quarantine.Show(id, take);
  if (status.ok() || absl::IsNotFound(status)) return found;
  return status;
}

// Decides something of one row, and shows what it is now.
template <class Decide>
absl::Status DecideRow(Words words, const Print& print, std::span<const Option> more, const Decide& decide) {
  std::vector<Option> own(std::begin(kRowOptions), std::end(kRowOptions));
  own.insert(own.end(), more.begin(), more.end());
  const auto desk = OpenDesk(words, own);
  if (!desk.ok()) return desk.status();
  const auto id = ReadId((*desk)->given);
  if (!id.ok()) return id.status();
  const auto reviewer = ReadReviewer((*desk)->given);
  if (!reviewer.ok()) return reviewer.status();
  Warn(**desk);
  Quarantine<Charging> quarantine = (*desk)->quarantine();
  if (auto status = decide(quarantine, (*desk)->given, *id, *reviewer); !status.ok()) return WithList(status);
  const auto now = Find(quarantine, *id);
  if (!now.ok()) return now.status();
  const std::string answered = Hex(*id) + "\tanswered: it is in quarantine no more\n";
  if (auto status = print(now->line.empty() ? answered : now->line); !status.ok()) return status;
  if (now->status != "REPAIRED") return absl::OkStatus();
  return absl::FailedPreconditionError("the repaired payload is kept, but it breaks rules as well, " +
                                       now->violations + ", so the row stays in quarantine: repair it again");
}

absl::StatusOr<std::string> ReadPayload(const Given& given) {
  if (given.Has("--payload") && given.Has("--payload-file"))
    return Wrong("--payload and --payload-file: must be one of them");
  absl::StatusOr<std::string> payload = given.Text("--payload");
  if (given.Has("--payload-file")) payload = ReadFile(given.Text("--payload-file"));
  if (!payload.ok() || !payload->empty()) return payload;
  return Wrong("--payload JSON or --payload-file FILE is missing: the whole payload, repaired");
}

absl::Status RepairRow(Words words, const Print& print) {
  constexpr Option kPayload[] = {{"--payload", Option::kOne}, {"--payload-file", Option::kOne}};
  return DecideRow(
      words, print, kPayload,
      [](Quarantine<Charging>& quarantine, const Given& given, const Digest& id,
         const std::string& reviewer) {
        const auto payload = ReadPayload(given);
        if (!payload.ok()) return payload.status();
        const auto stands = Find(quarantine, id);
        if (!stands.ok()) return stands.status();
        if (stands->status == "DISCARDED")
          return Wrong("--id " + Hex(id) + ": it was discarded, so it stays in quarantine for good");
        return quarantine.Repair(id, *payload, reviewer);
      });
}

absl::Status DiscardRow(Words words, const Print& print) {
  return DecideRow(words, print, {},
                   [](Quarantine<Charging>& quarantine, const Given&, const Digest& id,
                      const std::string& reviewer) { return quarantine.Discard(id, reviewer); });
}

absl::Status AcceptRow(Words words, const Print& print) {
  return DecideRow(words, print, {},
                   [](Quarantine<Charging>& quarantine, const Given&, const Digest& id,
                      const std::string& reviewer) { return quarantine.Accept(id, reviewer); });
}

absl::Status PrintReport(const ReplayReport& report, const std::string& what, std::string_view more,
                         Tables& tables, const Print& print) {
  const auto books = tables.Books();
  if (!books.ok()) return books.status();
  std::string text = what + " read again, " + Counted(report.changed, "record") + " changed";
  if (report.without_payload > 0)
    text += ", " + Counted(report.without_payload, "without a text stays as it is",
                           "without a text stay as they are");
  return print(text + std::string(more) + "\n" + AccountingLine(*books) + "\n");
}

absl::Status ReplayRows(Words words, const Print& print) {
  const auto desk = OpenDesk(words, kFilterOptions);
  if (!desk.ok()) return desk.status();
  const auto filter = ReadFilter((*desk)->given);
  if (!filter.ok()) return filter.status();
  Warn(**desk);
  Quarantine<Charging> quarantine = (*desk)->quarantine();
  const auto report = quarantine.Replay(*filter);
  if (!report.ok()) return report.status();
  if (report->rows == 0) {
    if (auto status = TellReasons(filter->reason, quarantine); !status.ok()) return status;
  }
  return PrintReport(*report, Counted(report->rows, "row in quarantine", "rows in quarantine"), "",
                     *(*desk)->store.tables, print);
}

absl::Status ReplayRecords(Words words, const Print& print) {
  const auto desk = OpenDesk(words, {});
  if (!desk.ok()) return desk.status();
  Warn(**desk);
  const auto report = (*desk)->quarantine().ReplayAll();
  if (!report.ok()) return report.status();
  // What no record changed may still be another configuration's.
  const OpenedStore<Charging>& opened = (*desk)->store;
  const auto derived = Rederive<Charging>(*opened.store, *opened.keeper, (*desk)->options);
  if (!derived.ok()) return derived.status();
  const std::string more = ", " + Counted(derived->rows, "row") + " of another configuration derived again";
  return PrintReport(*report, Counted(report->rows, "record"), derived->rows > 0 ? more : "",
                     *(*desk)->store.tables, print);
}

}  // namespace

const Command kOcppQuarantineList = {
    .name = "ocpp quarantine list",
    .does = "what is in quarantine, a row a line",
    .usage = R"(--store sqlite:PATH [OPTION…]

  --reason CODE          rows that break this rule
  --charge-point ID      of this charge point
  --status STATUS        NEW, REPAIRED, REPLAYED or DISCARDED
  --from TIME --to TIME  quarantined from TIME on, and before TIME
  --would-pass           only those that would pass with the present configuration; nothing is written
  --config FILE, --id-tag-key-env NAME   as of `medallion ocpp run`

Columns are parted by tabs. No column holds a text as it was received; `show` has that.
)",
    .run = List,
};
const Command kOcppQuarantineShow = {
    .name = "ocpp quarantine show",
    .does = "a row with its texts, as JSON",
    .usage = "--store sqlite:PATH --id ID\n\nThe texts are as they were received: they may name id tags.\n",
    .run = Show,
};
const Command kOcppQuarantineRepair = {
    .name = "ocpp quarantine repair",
    .does = "give a row another payload, from which it is read from now on",
    .usage = R"(--store sqlite:PATH --id ID --by NAME --payload JSON | --payload-file FILE

  --payload, --payload-file   the whole payload, repaired. One that breaks rules as well is kept, the row stays in
                              quarantine, and the exit code is 1: repair it again. A discarded row cannot be repaired
  --config FILE, --id-tag-key-env NAME   as of `medallion ocpp run`
)",
    .run = RepairRow,
};
const Command kOcppQuarantineDiscard = {
    .name = "ocpp quarantine discard",
    .does = "leave a row in quarantine for good; of a contradiction: reject it",
    .usage = "--store sqlite:PATH --id ID --by NAME [--config FILE] [--id-tag-key-env NAME]\n",
    .run = DiscardRow,
};
const Command kOcppQuarantineAccept = {
    .name = "ocpp quarantine accept",
    .does = "of a contradiction: this row holds, the one that stood is rejected",
    .usage = "--store sqlite:PATH --id ID --by NAME [--config FILE] [--id-tag-key-env NAME]\n",
    .run = AcceptRow,
};
const Command kOcppQuarantineReplay = {
    .name = "ocpp quarantine replay",
    .does = "read rows in quarantine again, with the present configuration",
    .usage = R"(--store sqlite:PATH [OPTION…]

  --reason CODE, --charge-point ID, --status STATUS, --from TIME, --to TIME   as of `quarantine list`
  --config FILE, --id-tag-key-env NAME   as of `medallion ocpp run`
)",
    .run = ReplayRows,
};
const Command kOcppReplay = {
    .name = "ocpp replay",
    .does = "read all records again, with the present configuration",
    .usage =
        "--store sqlite:PATH [--config FILE] [--id-tag-key-env NAME]\n\n"
        "The tables become those of a new run with this configuration.\n",
    .run = ReplayRecords,
};

}  // namespace medallion::tool
