// Another domain: events of a token feed land in a directory as compressed envelopes; another process reads them and tells
// how risky each token is. Where an event is lost, the token's row says how many tokens are missing.
#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "medallion/launchpad/land.h"
#include "medallion/launchpad/run.h"
#include "nlohmann/json.hpp"
using namespace medallion;
using launchpad::Launches;

const std::string kMint = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1w";
const std::string kSignature =
    "KoFTJifhtbQHiCbeqBwfUyRpHXCCCtmBbvQeyCkRfinRZRvRgVCdntHNsyVJzYyxjejuPWVpijcpDhSzcduNan";

// A message of the feed: the curve after it, and what happened.
std::string Message(const char* number, const char* what, const char* tokens_in_pool,
                    const char* sol_in_pool) {
  return R"({"signature":")" + kSignature + number + R"(","mint":")" + kMint + R"(","pool":"pump","block":)" +
         number + R"(,"timestamp":177232320)" + number + R"(,"tokensInPool":)" + tokens_in_pool +
         R"(,"solInPool":)" + sol_in_pool + what + "}";
}

void Show(const std::string& title, const std::vector<std::string>& events) {
  const auto directory =
      std::filesystem::temp_directory_path() / ("medallion_08_" + std::to_string(::getpid()));
  std::filesystem::create_directories(directory);
  const auto lander = launchpad::Lander::Open(directory, {.envelope = {.events_max = 2}});
  for (const std::string& event : events) {
    const std::vector<launchpad::LandedEvent> one = {{event}};
    if (!lander.ok() || !(*lander)->Add(one).ok()) return;
  }
  if (!(*lander)->Flush(kNoTime, /*all=*/true).ok()) return;

  const auto source = DirectorySource::Open(directory);
  MemoryStore<Launches> store;
  const launchpad::Options options;
  if (!source.ok() || !Run<Launches>(**source, store, options).ok()) return;
  std::cout << title << ": " << (*lander)->envelopes() << " envelopes\n";
  const auto status = store.Read("gold_token_risk", [](std::string_view line) {
    const nlohmann::json row = nlohmann::json::parse(line, nullptr, false);
    for (const char* column : {"holders", "top1_bps", "creator_sold_bps", "conservation_residual",
                               "quality_flags", "risk_level"}) {
      std::cout << "  " << column << " " << row[column] << "\n";
    }
    return absl::OkStatus();
  });
  if (!status.ok()) std::cout << status.message() << "\n";
  std::filesystem::remove_all(directory);
}

int main() {
  std::vector<std::string> events = {
      Message("1",
              R"(,"txType":"create","txSigner":"maker","supply":1000000000,"initialBuy":97545454.545454)",
              "695554545.454546", "3"),
      Message("2", R"(,"action":"buy","txSigner":"ann","tokenAmount":368096054.888507,"quoteAmount":20)",
              "327458490.566039", "23"),
      Message("3", R"(,"action":"buy","txSigner":"bob","tokenAmount":219527165.264833,"quoteAmount":30)",
              "107931325.301206", "53"),
      Message(
          "4",
          R"(,"action":"sell","txSigner":"maker","tokenAmount":48772727.272727,"quoteAmount":9.271870794)",
          "156704052.573933", "43.728129206")};
  Show("all of it", events);
  events.erase(events.begin() + 2);
  Show("without what bob bought", events);
}
