// Our side of the comparison: a file of flat lines to Silver, audit, quarantine and sessions, all kept in memory.
//
//   medallion_compare FILE [--all-tables] [--batch N] [--threads N] [--each-batch] [--wrapped] [--sessions FILE]
//                     [--no-answer]
//
// Prints one JSON object: `answer`, which the other side must print alike, and what it took until the tables were
// complete. The answer is read from the tables afterwards: see README.md beside this file. --each-batch refreshes Gold
// after each batch, else once at the end. --wrapped: the lines may be wrapped records, as frames are. --sessions writes what each session contributes to the answer, for finding a
// difference.

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "medallion/base/digest.h"
#include "medallion/io/element_tables.h"
#include "medallion/io/line_source.h"
#include "medallion/io/tables.h"
#include "medallion/ocpp/options.h"
#include "medallion/ocpp/record_lines.h"
#include "medallion/ocpp/run.h"
#include "medallion/silver/accounting.h"

namespace medallion::ocpp {
namespace {

// ---- what it took -------------------------------------------------------------------------------------------------

struct Usage {
  double user_s = 0, system_s = 0, wall_s = 0;
  int64_t peak_bytes = 0;
};

// Memory in use now. (A process inherits the peak of the one that started it.)
int64_t ResidentBytes() {
  long pages = 0, resident = 0;
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr) return 0;
  if (std::fscanf(file, "%ld %ld", &pages, &resident) != 2) resident = 0;
  std::fclose(file);
  return int64_t{resident} * sysconf(_SC_PAGESIZE);
}

// Of this process so far; the wall clock's zero is anywhere.
Usage UsageNow() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  const auto wall = std::chrono::steady_clock::now().time_since_epoch();
  return {.user_s = seconds(usage.ru_utime),
          .system_s = seconds(usage.ru_stime),
          .wall_s = std::chrono::duration<double>(wall).count(),
          .peak_bytes = int64_t{usage.ru_maxrss} * 1024};
}

// ---- the answer ---------------------------------------------------------------------------------------------------

// The value of a column that comes before any nested one, without its quotes; empty for null. None of the values asked
// for holds an escape.
std::string_view Column(std::string_view row, std::string_view name) {
  const std::string key = "\"" + std::string(name) + "\":";
  const size_t at = row.find(key);
  if (at == std::string_view::npos) return {};
  std::string_view value = row.substr(at + key.size());
  if (value.starts_with('"')) return value.substr(1, value.find('"', 1) - 1);
  value = value.substr(0, value.find_first_of(",}"));
  return value == "null" ? std::string_view() : value;
}

// A decimal with three digits after the point, in thousandths.
int64_t Thousandths(std::string_view decimal) {
  std::string digits(decimal);
  std::erase(digits, '.');
  int64_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

// A set of texts by its digests: their first 60 bits, summed modulo 2^64.
class SetPrint {
 public:
  void Add(std::string_view hex) {
    uint64_t bits = 0;
    std::from_chars(hex.data(), hex.data() + std::min<size_t>(hex.size(), 15), bits, 16);
    sum_ += bits;
  }
  uint64_t sum() const { return sum_; }

 private:
  uint64_t sum_ = 0;
};

// Names and numbers, in the order in which they are printed.
using Answer = std::vector<std::pair<std::string_view, uint64_t>>;

void AddFates(const Accounting& books, Answer& answer) {
  const auto count = [&](Fate fate) { return static_cast<uint64_t>(books.fates[fate]); };
  answer.emplace_back("events", static_cast<uint64_t>(books.elements));
  answer.emplace_back("silver", count(Fate::kSilver));
  answer.emplace_back("technical_duplicates", count(Fate::kTechnicalDuplicate));
  answer.emplace_back("business_duplicates", count(Fate::kBusinessDuplicate));
  answer.emplace_back("quarantined", count(Fate::kQuarantined));
}

absl::Status AddQuarantine(Tables& tables, Answer& answer) {
  uint64_t conflicts = 0;
  const auto status = tables.Read(kQuarantineTable, [&](std::string_view row) {
    conflicts += row.find("\"violations\":[\"CONFLICT\"]") != std::string_view::npos ? 1 : 0;
    return absl::OkStatus();
  });
  answer.emplace_back("conflicts", conflicts);
  return status;
}

absl::Status AddSilver(Tables& tables, Answer& answer) {
  int64_t meters = 0;
  SetPrint keys;
  const auto status = tables.Read(Charging::kSilverTable, [&](std::string_view row) {
    keys.Add(Column(row, "business_key"));
    meters += Thousandths(Column(row, "meter_wh"));
    return absl::OkStatus();
  });
  answer.emplace_back("silver_meter_mwh", static_cast<uint64_t>(meters));
  answer.emplace_back("silver_keys", keys.sum());
  return status;
}

absl::Status AddSessions(Tables& tables, std::FILE* out, Answer& answer) {
  uint64_t sessions = 0, completed = 0, final_energies = 0;
  int64_t final_wh = 0, provisional_wh = 0;
  SetPrint print;
  const auto status = tables.Read(Charging::kGoldTables[0], [&](std::string_view row) {
    const bool is_final = Column(row, "energy_is_final") == "true";
    const int64_t energy = Thousandths(Column(row, "energy_kwh"));
    ++sessions;
    completed += Column(row, "session_status") == "COMPLETED" ? 1 : 0;
    final_energies += is_final ? 1 : 0;
    (is_final ? final_wh : provisional_wh) += energy;
    std::string text;
    for (const std::string_view name : {"session_id", "start_ts", "stop_ts", "energy_kwh", "session_status",
                                        "energy_is_final", "event_count"}) {
      if (!text.empty()) text.push_back('|');
      text.append(Column(row, name));
    }
    print.Add(Hex(Sha256(text)));
    if (out != nullptr) std::fprintf(out, "%s\n", text.c_str());
    return absl::OkStatus();
  });
  answer.emplace_back("sessions", sessions);
  answer.emplace_back("sessions_completed", completed);
  answer.emplace_back("sessions_final", final_energies);
  answer.emplace_back("energy_final_wh", static_cast<uint64_t>(final_wh));
  answer.emplace_back("energy_provisional_wh", static_cast<uint64_t>(provisional_wh));
  answer.emplace_back("session_rows", print.sum());
  return status;
}

absl::StatusOr<Answer> ReadAnswer(Tables& tables, std::FILE* sessions) {
  const absl::StatusOr<Accounting> books = tables.Books();
  if (!books.ok()) return books.status();
  Answer answer;
  AddFates(*books, answer);
  if (auto status = AddQuarantine(tables, answer); !status.ok()) return status;
  if (auto status = AddSilver(tables, answer); !status.ok()) return status;
  if (auto status = AddSessions(tables, sessions, answer); !status.ok()) return status;
  return answer;
}

// ---- the run ------------------------------------------------------------------------------------------------------

// The charging pack for a host that needs no table beyond the sessions.
struct SessionsOnly : Charging {
  static EntityKey ParentOf(const Gold& row, const Model& model) = delete;
  static std::optional<Sighting> SightingOf(const ChargingElement& element, Direction direction) = delete;
  static std::vector<Gold> Derive(const Facts& facts, UtcTime clock, const Model& model,
                                  std::string* summary) {
    if (IsConnector(facts)) return {};
    return Charging::Derive(facts, clock, model, summary);
  }

 private:
  static bool IsConnector(const Facts& facts) {
    return !facts.history.empty() && facts.history[0].row.event_type == EventType::kStatusNotification;
  }
};

void Print(const Answer& answer, int64_t resident_before, const Usage& before, const Usage& after) {
  std::string line = "{\"engine\":\"medallion\",\"answer\":{";
  for (const auto& [name, value] : answer) {
    if (line.back() != '{') line.push_back(',');
    line.append("\"").append(name).append("\":\"").append(std::to_string(value)).append("\"");
  }
  std::printf(
      "%s},\"tables\":{\"user_s\":%.3f,\"system_s\":%.3f,\"wall_s\":%.3f,\"peak_bytes\":%lld,"
      "\"before_bytes\":%lld}}\n",
      line.c_str(), after.user_s - before.user_s, after.system_s - before.system_s,
      after.wall_s - before.wall_s, static_cast<long long>(after.peak_bytes),
      static_cast<long long>(resident_before));
}

template <class Pack>
absl::Status Compare(const std::string& path, LineFormat format, const RunOptions& run, std::FILE* sessions,
                     bool with_answer) {
  const int64_t resident_before = ResidentBytes();
  const Usage before = UsageNow();
  RecordLines lines(format);
  const auto decode = [&](std::string_view line, const Coordinate& at, Arena& texts) {
    return lines.Decode(line, at, texts);
  };
  absl::StatusOr<std::unique_ptr<LineSource>> source = LineSource::Open(path, "feed", decode);
  if (!source.ok()) return source.status();
  Options options;
  options.meter_intervals = !std::same_as<Pack, SessionsOnly>;
  MemoryStore<Pack> store;
  const absl::StatusOr<RunReport> report = Run<Pack>(**source, store, options, run);
  if (!report.ok()) return report.status();
  const Usage after = UsageNow();

  const absl::StatusOr<Answer> answer = !with_answer ? Answer() : ReadAnswer(store, sessions);
  if (!answer.ok()) return answer.status();
  Print(*answer, resident_before, before, after);
  return absl::OkStatus();
}

}  // namespace
}  // namespace medallion::ocpp

int main(int argc, char** argv) {
  medallion::RunOptions run{.batch_records = 1'000, .refresh = medallion::Refresh::kAtEnd};
  medallion::ocpp::LineFormat format = medallion::ocpp::LineFormat::kBare;
  std::string path, sessions_path;
  bool all_tables = false, with_answer = true;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const char* value = i + 1 < argc ? argv[i + 1] : "";
    if (word == "--each-batch") {
      run.refresh = medallion::Refresh::kEachBatch;
    } else if (word == "--wrapped") {
      format = medallion::ocpp::LineFormat::kAuto;
    } else if (word == "--all-tables") {
      all_tables = true;
    } else if (word == "--no-answer") {
      with_answer = false;
    } else if (word == "--batch") {
      run.batch_records = std::max(1UL, std::strtoul(value, nullptr, 10)), ++i;
    } else if (word == "--threads") {
      run.threads = std::max(1UL, std::strtoul(value, nullptr, 10)), ++i;
    } else if (word == "--sessions") {
      sessions_path = value, ++i;
    } else {
      path = word;
    }
  }
  if (path.empty()) {
    std::fprintf(stderr,
                 "usage: medallion_compare FILE [--all-tables] [--batch N] [--threads N] [--each-batch] "
                 "[--wrapped] [--sessions FILE] [--no-answer]\n");
    return 2;
  }
  std::FILE* sessions = sessions_path.empty() ? nullptr : std::fopen(sessions_path.c_str(), "w");
  using medallion::ocpp::Charging, medallion::ocpp::Compare, medallion::ocpp::SessionsOnly;
  const absl::Status status = all_tables ? Compare<Charging>(path, format, run, sessions, with_answer)
                                         : Compare<SessionsOnly>(path, format, run, sessions, with_answer);
  if (sessions != nullptr) std::fclose(sessions);
  if (status.ok()) return 0;
  std::fprintf(stderr, "medallion_compare: %s\n", std::string(status.message()).c_str());
  return 1;
}
