// Positions and concentration, told again by a database from the Silver tables.
#include <sqlite3.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "medallion/launchpad/run_sqlite.h"
#include "tests/launchpad/launch_run.h"
#include "tests/laws.h"

namespace medallion::launchpad {
namespace {

std::string OracleSql() {
  std::ifstream file("tests/launchpad/oracle_positions.sql");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

struct Told {
  std::string net_signed_total, circulating, burned;
  int64_t holders = 0, top1 = 0, top10 = 0;
};

std::map<std::string, Told> Ask(const std::string& path, UtcTime clock) {
  sqlite3* db = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &db) == SQLITE_OK);
  sqlite3_stmt* statement = nullptr;
  REQUIRE(sqlite3_prepare_v2(db, OracleSql().c_str(), -1, &statement, nullptr) == SQLITE_OK);
  const std::string time = FormatTime(clock);
  sqlite3_bind_text(statement, 1, time.c_str(), -1, nullptr);
  std::map<std::string, Told> told;
  const auto text = [&](int column) {
    return reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
  };
  while (sqlite3_step(statement) == SQLITE_ROW) {
    told[text(0)] = {.net_signed_total = text(1),
                     .circulating = text(3),
                     .burned = text(6),
                     .holders = sqlite3_column_int64(statement, 2),
                     .top1 = sqlite3_column_int64(statement, 4),
                     .top10 = sqlite3_column_int64(statement, 5)};
  }
  sqlite3_finalize(statement);
  REQUIRE(sqlite3_close(db) == SQLITE_OK);
  return told;
}

nlohmann::json Share(int64_t part, const std::string& whole) {
  std::string text;
  const auto all = ParseAmount(whole, 0);
  if (!AppendCanonical(Quotient({part, 1}, {all->amount.units, 1}, 10'000), text)) return nullptr;
  return text;
}

TEST_CASE("launchpad oracle: SQL tells the same positions and concentration") {
  const auto path =
      std::filesystem::temp_directory_path() / ("medallion_launch_oracle_" + std::to_string(::getpid()));
  int64_t tokens = 0, held = 0;
  for (uint64_t seed = 0; seed < testing::LawSeeds() / 10 + 5; ++seed) {
    CAPTURE(seed);
    const testing::Feed feed = testing::MakeLaunchFeed(seed + 1'000, /*pools_named=*/true);
    std::filesystem::remove(path);
    const auto store = SqliteStore<Launches>::Open(path.string());
    REQUIRE(store.ok());
    const Options options;
    Runner<Launches> runner(**store, options);
    REQUIRE(runner.Take(feed.records, "").ok());
    REQUIRE(runner.Sweep(testing::At(static_cast<int64_t>(seed) * 500)).ok());
    const auto told = Ask(path.string(), runner.report().data_clock);
    for (const auto& row : testing::RowsIn(**store, "gold_token_risk")) {
      const Told& sql = told.at(row["mint"]);
      CAPTURE(row["mint"]);
      REQUIRE(row["net_signed_total"] == sql.net_signed_total);
      REQUIRE(row["holders"] == sql.holders);
      REQUIRE(row["circulating"] == sql.circulating);
      REQUIRE(row["burned"] == sql.burned);
      REQUIRE(row["top1_bps"] == Share(sql.top1, sql.circulating));
      REQUIRE(row["top10_bps"] == Share(sql.top10, sql.circulating));
      ++tokens, held += sql.holders;
    }
  }
  std::filesystem::remove(path);
  CHECK(tokens > 5);
  CHECK(held > tokens);
}

}  // namespace
}  // namespace medallion::launchpad
