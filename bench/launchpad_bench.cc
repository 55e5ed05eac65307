// From envelopes in a directory to risk: events a second, and the memory that a run takes beside its store.
//
//   medallion_launchpad_bench FOLDER [ENVELOPES [EVENTS]]     1,000 envelopes of 5,000 events, where nothing is said
//
// The feed is made by a process of its own, and each figure by another, so that none counts another's memory. Answers are
// checked: a wrong one is an error, and so is more memory than the domain allows.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "medallion/io/landing.h"
#include "medallion/launchpad/land.h"
#include "medallion/launchpad/run.h"
#include "tests/launchpad/launch_feed.h"

namespace medallion {
namespace {

using launchpad::Launches;

constexpr int64_t kEnvelopesKept = 40;  // as many as a memory store is asked to keep
constexpr int64_t kBesideStoreMax = int64_t{64} << 20;

struct Size {
  std::string folder;
  int64_t envelopes = 1'000, events = 5'000;
  int64_t tokens() const { return std::max<int64_t>(1, envelopes * events / 200); }
};

struct Used {
  double user_s = 0;
  int64_t peak_bytes = 0;
};
Used Now() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  return {static_cast<double>(used.ru_utime.tv_sec) + static_cast<double>(used.ru_utime.tv_usec) / 1e6,
          static_cast<int64_t>(used.ru_maxrss) * 1024};
}

bool Say(const absl::Status& status) {
  if (!status.ok()) std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
  return status.ok();
}

bool Land(const Size& size) {
  const auto lander =
      launchpad::Lander::Open(size.folder, {.envelope = {.events_max = static_cast<size_t>(size.events)}});
  if (!Say(lander.status())) return false;
  testing::BenchFeed feed(1, size.tokens());
  for (int64_t i = 0; i < size.envelopes; ++i) {
    std::vector<launchpad::LandedEvent> events;
    // By its time an envelope's name tells its place: a part of the feed must be its beginning.
    const UtcTime landed{(testing::kFeedBegin + (i + 1) * size.events / 50) * kMicrosPerSecond};
    for (int64_t n = 0; n < size.events; ++n) events.push_back({feed.Next(), landed});
    if (!Say((*lander)->Add(events)) || !Say((*lander)->Flush(kNoTime))) return false;
  }
  return true;
}

// Keeps nothing: what a run takes with it is not the store's.
class NoStore final : public Store<Launches> {
 public:
  absl::Status Seen(std::span<const RecordId> records, SeenAnswer& answer) override {
    answer.arrivals.assign(records.size(), std::nullopt);
    return absl::OkStatus();
  }
  absl::Status Known(const KnownQuery<launchpad::LaunchEvent>&,
                     KnownAnswer<launchpad::LaunchEvent>&) override {
    return absl::OkStatus();
  }
  absl::Status Bronze(const BronzeQuery&, BronzeAnswer&) override { return absl::OkStatus(); }
  absl::Status Timelines(const TimelineQuery&, TimelineAnswer<launchpad::LaunchEvent>&) override {
    return absl::OkStatus();
  }
  absl::Status History(const HistoryQuery&, HistoryAnswer<Launches>&) override { return absl::OkStatus(); }
  absl::Status Apply(const Batch<Launches>& batch) override {
    for (const auto& element : batch.elements) {
      trades +=
          element.row.family == launchpad::Family::kTrade && element.standing.fate == Fate::kSilver ? 1 : 0;
    }
    return absl::OkStatus();
  }
  int64_t trades = 0;
};

// So many envelopes, one a batch; Gold at the end.
absl::Status RunInto(const Size& size, int64_t envelopes, Store<Launches>& store) {
  const auto source = DirectorySource::Open(size.folder);
  if (!source.ok()) return source.status();
  const launchpad::Options options;
  Runner<Launches> runner(store, options, {.refresh = Refresh::kAtEnd});
  for (int64_t i = 0; i < envelopes; ++i) {
    const auto batch = (*source)->Read(1);
    if (!batch.ok()) return batch.status();
    if (auto status = runner.Take(batch->records, batch->position); !status.ok()) return status;
  }
  return runner.Sweep(kNoTime);
}

bool Memory(const Size& size) {
  const int64_t before = Now().peak_bytes;
  NoStore store;
  if (!Say(RunInto(size, size.envelopes, store))) return false;
  const int64_t beside = Now().peak_bytes - before;
  std::printf("memory beside the store        %8.1f MiB      must 64\n",
              static_cast<double>(beside) / (1 << 20));
  const int64_t trades = size.envelopes * size.events - size.tokens();
  if (store.trades < trades)
    std::fprintf(stderr, "%lld trades are missing\n", static_cast<long long>(trades - store.trades));
  return store.trades >= trades && beside < kBesideStoreMax;
}

bool Speed(const Size& size) {
  const double before = Now().user_s;
  MemoryStore<Launches> store;
  const int64_t envelopes = std::min(size.envelopes, kEnvelopesKept);
  if (!Say(RunInto(size, envelopes, store))) return false;
  const auto events = static_cast<double>(envelopes * size.events);
  std::printf("envelopes to risk              %8.0f ns an event, %.0f events a second of one core\n",
              (Now().user_s - before) / events * 1e9, events / (Now().user_s - before));
  int64_t incomplete = 0, rows = 0;
  const auto status = store.Read("gold_token_risk", [&](std::string_view row) {
    ++rows, incomplete += row.find("INCOMPLETE_FEED") != row.npos ? 1 : 0;
    return absl::OkStatus();
  });
  const auto books = store.Books();
  return Say(status) && books.ok() && Imbalance(*books) == 0 && books->fates[Fate::kQuarantined] == 0 &&
         rows > 0 && incomplete == 0;
}

// In a process of its own.
bool Apart(const Size& size, bool (*work)(const Size&)) {
  std::fflush(stdout);
  const pid_t child = ::fork();
  if (child == 0) {
    const bool done = work(size);
    std::fflush(stdout);
    ::_exit(done ? 0 : 1);
  }
  int status = 0;
  return ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace
}  // namespace medallion

int main(int argc, char** argv) {
  using namespace medallion;
  if (argc < 2 || argv[1][0] == '-') {
    std::fprintf(stderr, "usage: medallion_launchpad_bench FOLDER [ENVELOPES [EVENTS]]\n");
    return 2;
  }
  Size size{.folder =
                std::string(argv[1]) + "/medallion_launchpad_bench"};  // goes again; FOLDER itself stays
  if (argc > 2) size.envelopes = std::atoll(argv[2]);
  if (argc > 3) size.events = std::atoll(argv[3]);
  std::filesystem::remove_all(size.folder);
  std::filesystem::create_directories(size.folder);
  bool done = Apart(size, Land);
  // Each figure is tried, and all must be right.
  for (const auto work : {Memory, Speed}) done = Apart(size, work) && done;
  std::filesystem::remove_all(size.folder);
  return done ? 0 : 1;
}
