// Balances and features against an oracle: SQL that SQLite runs over the same records, written from the domain page
// alone (oracle.sql). It shares no code with the product. A classic projector, and double entry.

#include <sqlite3.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "medallion/ledger/derive_accounts.h"
#include "medallion/ledger/refine.h"
#include "medallion/ledger/run.h"
#include "nlohmann/json.hpp"
#include "tests/catch.h"
#include "tests/laws.h"
#include "tests/ledger/ledger_feed.h"

namespace medallion::ledger {
namespace {

using nlohmann::json;
using testing::LedgerFeed;
using testing::Random;
using Records = std::vector<BronzeRecord>;
using Wide = __int128;

// ---- the oracle's functions ----

std::string Digits(Wide value) {
  std::string text;
  const bool negative = value < 0;
  for (Wide rest = negative ? -value : value; rest != 0 || text.empty(); rest /= 10) {
    text.insert(text.begin(), static_cast<char>('0' + static_cast<int>(rest % 10)));
  }
  return (negative ? "-" : "") + text;
}

// over / under with six places, ties to even.
std::string SixPlaces(Wide over, Wide under) {
  const bool negative = over < 0;
  if (negative) over = -over;
  Wide whole = over / under;
  const Wide twice = over % under * 2;
  if (twice > under || (twice == under && whole % 2 == 1)) ++whole;
  std::string text = Digits(whole);
  if (text.size() < 7) text.insert(0, 7 - text.size(), '0');
  text.insert(text.size() - 6, ".");
  return (negative && whole != 0 ? "-" : "") + text;
}

void Answer(sqlite3_context* context, const std::string& text) {
  sqlite3_result_text(context, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
}

void Ratio6(sqlite3_context* context, int, sqlite3_value** values) {
  if (sqlite3_value_type(values[0]) == SQLITE_NULL) return;
  const Wide over = sqlite3_value_int64(values[0]), under = sqlite3_value_int64(values[1]);
  if (under != 0) Answer(context, SixPlaces(over * 1'000'000, under));
}

void Twab(sqlite3_context* context, int, sqlite3_value** values) {
  const Wide high = sqlite3_value_int64(values[0]), low = sqlite3_value_int64(values[1]);
  constexpr Wide kMonth = 2'592'000'000'000;
  Answer(context, SixPlaces((high * 1'000'000 + low) * 1'000'000, kMonth));
}

// "2026-03-01T09:00:00.000000Z" in microseconds.
void Micros(sqlite3_context* context, int, sqlite3_value** values) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(values[0]));
  std::tm time{};
  if (text == nullptr || strptime(text, "%Y-%m-%dT%H:%M:%S", &time) == nullptr) return;
  sqlite3_result_int64(context, static_cast<int64_t>(timegm(&time)) * 1'000'000 + std::atol(text + 20));
}

// ---- the oracle ----

struct Clocks {
  UtcTime as_of, known, at, known_at, judged;
};

using Rows =
    std::map<std::string, std::map<std::string, std::string>>;  // key -> column -> text; a null is not there

class Oracle {
 public:
  Oracle(const Records& records, const Clocks& clocks) {
    sqlite3* database = nullptr;
    if (sqlite3_open(":memory:", &database) != SQLITE_OK) throw std::runtime_error("open");
    database_.reset(database);
    sqlite3_create_function(database, "ratio6", 2, SQLITE_UTF8, nullptr, Ratio6, nullptr, nullptr);
    sqlite3_create_function(database, "twab", 2, SQLITE_UTF8, nullptr, Twab, nullptr, nullptr);
    sqlite3_create_function(database, "us", 1, SQLITE_UTF8, nullptr, Micros, nullptr, nullptr);
    Run("CREATE TABLE raw(topic TEXT, off INTEGER, payload TEXT, ingest INTEGER)");
    for (const BronzeRecord& record : records) {
      char* sql =
          sqlite3_mprintf("INSERT INTO raw VALUES (%Q, %lld, %Q, %lld)", std::string(record.at.topic).c_str(),
                          static_cast<long long>(record.at.offset), std::string(record.payload).c_str(),
                          static_cast<long long>(record.ingest_ts.us));
      Run(sql);
      sqlite3_free(sql);
    }
    const auto number = [](UtcTime time) { return time == kNoTime ? "NULL" : std::to_string(time.us); };
    Run("CREATE TABLE p AS SELECT " + number(clocks.as_of) + " AS as_of, " + number(clocks.known) +
        " AS known, " + number(clocks.at) + " AS at, " + number(clocks.known_at) + " AS known_at, " +
        number(clocks.judged) + " AS clock");
    std::ifstream file("tests/ledger/oracle.sql");
    std::stringstream text;
    text << file.rdbuf();
    Run(text.str());
  }

  Rows Read(const std::string& view) {
    sqlite3_stmt* query = nullptr;
    if (sqlite3_prepare_v2(database_.get(), ("SELECT * FROM " + view).c_str(), -1, &query, nullptr) !=
        SQLITE_OK) {
      throw std::runtime_error(sqlite3_errmsg(database_.get()));
    }
    Rows rows;
    while (sqlite3_step(query) == SQLITE_ROW) {
      std::map<std::string, std::string> row;
      for (int i = 0; i < sqlite3_column_count(query); ++i) {
        const auto* value = reinterpret_cast<const char*>(sqlite3_column_text(query, i));
        if (value != nullptr) row[sqlite3_column_name(query, i)] = value;
      }
      rows[row["ledger"] + "|" + row["account_id"] + "|" + row["asset"]] = row;
    }
    sqlite3_finalize(query);
    return rows;
  }

 private:
  void Run(const std::string& sql) {
    char* error = nullptr;
    if (sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, &error) != SQLITE_OK) {
      throw std::runtime_error(error);
    }
  }
  struct Close {
    void operator()(sqlite3* database) const { sqlite3_close(database); }
  };
  std::unique_ptr<sqlite3, Close> database_;
};

// ---- the product ----

std::string Plain(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "1" : "0";
  return value.dump();
}

// The native rows of a table, by the oracle's key.
Rows Product(MemoryStore<Ledger>& store, std::string_view table) {
  Rows rows;
  REQUIRE(store
              .Read(table,
                    [&](std::string_view line) {
                      const json row = json::parse(line);
                      if (row["ledger"] == "legacy") return absl::OkStatus();
                      std::map<std::string, std::string> columns;
                      for (const auto& [name, value] : row.items()) {
                        if (!value.is_null()) columns[name] = Plain(value);
                      }
                      if (row.contains("quality_flags")) {
                        std::set<std::string> codes;
                        for (const json& code : row["quality_flags"]) codes.insert(code.get<std::string>());
                        for (const std::string& code : codes)
                          columns["flags"] += (columns["flags"].empty() ? "" : ",") + code;
                        if (columns["flags"].empty()) columns.erase("flags");
                      }
                      rows[columns["ledger"] + "|" + columns["account_id"] + "|" + columns["asset"]] =
                          columns;
                      return absl::OkStatus();
                    })
              .ok());
  return rows;
}

// Columns that the oracle does not tell, beside those that say when and how a row was made.
const std::set<std::string> kNotTold = {"available",
                                        "posted",
                                        "missing_versions",
                                        "contested",
                                        "quality_flags",
                                        "detail",
                                        "last_effective_at",
                                        "evidence",
                                        "next_due_at",
                                        "model_version",
                                        "row_hash",
                                        "updated_at",
                                        "as_of",
                                        "known_as_of",
                                        "valid_until",
                                        "input_digest",
                                        "feature_set_version"};

// What differs, a null in one of them included.
std::string Differences(const Rows& oracle, const Rows& product) {
  std::string text;
  for (const auto& [key, row] : product) {
    if (!oracle.contains(key)) text += key + ": the oracle has no such row\n";
  }
  for (const auto& [key, row] : oracle) {
    const auto own = product.find(key);
    if (own == product.end()) {
      text += key + ": the product has no such row\n";
      continue;
    }
    std::set<std::string> columns;
    for (const auto& [name, value] : row) columns.insert(name);
    for (const auto& [name, value] : own->second) {
      if (!kNotTold.contains(name)) columns.insert(name);
    }
    for (const std::string& name : columns) {
      const auto one = row.find(name), other = own->second.find(name);
      const std::string said = one == row.end() ? "null" : one->second;
      const std::string ours = other == own->second.end() ? "null" : other->second;
      if (said != ours) text += key + " " + name + ": oracle " + said + ", product " + ours + "\n";
    }
  }
  return text;
}

std::string Against(const Records& records, uint64_t seed) {
  Options options;
  constexpr int64_t kBegin = 1'772'323'200'000'000;
  if (seed % 3 == 1) options.as_of = {kBegin + static_cast<int64_t>(seed % 7) * kMicrosPerDay};
  if (seed % 5 == 2) options.known_as_of = {kBegin + static_cast<int64_t>(seed % 11) * kMicrosPerDay};
  MemoryStore<Ledger> store;
  Runner<Ledger> runner(store, options);
  REQUIRE(runner.Take(records, "").ok());
  UtcTime last{0};
  for (const BronzeRecord& record : records) last = std::max(last, record.ingest_ts);
  REQUIRE(runner.Sweep({last.us + static_cast<int64_t>(seed % 50) * kMicrosPerDay}).ok());
  const UtcTime clock = runner.report().data_clock;
  const UtcTime at = options.as_of == kNoTime ? clock : options.as_of;
  Oracle oracle(records, {.as_of = options.as_of,
                          .known = options.known_as_of,
                          .at = at,
                          .known_at = options.known_as_of == kNoTime ? at : options.known_as_of,
                          .judged = clock});
  return Differences(oracle.Read("balances"), Product(store, "gold_account_balances")) +
         Differences(oracle.Read("features"), Product(store, "gold_account_features"));
}

TEST_CASE("ledger oracle: balances and features equal those that SQL tells of the same records") {
  for (uint64_t seed = 0; seed < testing::LawSeeds() / 2 + 1; ++seed) {
    const LedgerFeed feed = testing::MakeLedgerFeed(seed);
    if (Against(feed.records, seed).empty()) continue;
    const Records smallest =
        testing::Shrunk(feed.records, [&](const Records& fewer) { return !Against(fewer, seed).empty(); });
    std::string lines;
    for (const BronzeRecord& record : smallest) lines.append(record.payload).append("\n");
    FAIL("seed " << seed << "\n" << lines << Against(smallest, seed));
  }
  SUCCEED();
}

// ---- a classic projector ----

// Applies only version = last + 1, and parks the rest; knows the account's side from its opening.
class Projector {
 public:
  void Take(const LedgerEvent& event) {
    if (*event.account_version <= last_) return;  // a copy
    parked_.emplace(*event.account_version, event);
    for (auto next = parked_.find(last_ + 1); next != parked_.end(); next = parked_.find(last_ + 1)) {
      Apply(next->second);
      parked_.erase(next);
      ++last_;
    }
  }
  int64_t last() const { return last_; }
  std::string balance(const std::string& asset) {
    const MinorUnits net = nets_[asset];
    return (debit_ ? -net : net).ToText();
  }

 private:
  void Apply(const LedgerEvent& event) {
    if (event.event_type == EventType::kAccountOpened) debit_ = event.normal_side == Side::kDebit;
    if (!IsPosting(event.event_type)) return;
    nets_[std::string(event.asset)] +=
        event.leg == Side::kCredit ? *event.amount_minor : -*event.amount_minor;
  }
  int64_t last_ = 0;
  bool debit_ = false;
  std::map<int64_t, LedgerEvent> parked_;
  std::map<std::string, MinorUnits> nets_;
};

TEST_CASE("ledger: a version-checking projector equals balance_contiguous after every event") {
  int64_t compared = 0;
  for (uint64_t seed = 0; seed < testing::LawSeeds() / 20 + 1; ++seed) {
    CAPTURE(seed);
    const LedgerFeed feed = testing::MakeBalancedFeed(seed, 4, 20, 30);
    Random random(seed);
    const Records disturbed = testing::Disturbed(feed.records, random);
    const Options options;
    const LedgerRules rules(options);
    MemoryStore<Ledger> store;
    Runner<Ledger> runner(store, options);
    std::map<std::string, Projector> projectors;
    const Refined<LedgerEvent> refined = Refine(disturbed, options);
    for (size_t i = 0; i < disturbed.size(); ++i) {
      REQUIRE(runner.Take({&disturbed[i], 1}, "").ok());
      const LedgerEvent& event = refined.elements[i].row;
      projectors[std::string(event.account_id)].Take(event);
      const Rows rows = Product(store, "gold_account_balances");
      for (const auto& [key, row] : rows) {
        Projector& projector = projectors[row.at("account_id")];
        if (!row.contains("asset")) continue;
        // Before the opening is known the product assumes a side; the classic one has applied nothing yet.
        REQUIRE(row.at("contiguous_version") == std::to_string(projector.last()));
        REQUIRE(row.at("balance_contiguous") == projector.balance(row.at("asset")));
        ++compared;
      }
    }
    for (const auto& [key, row] : Product(store, "gold_account_balances")) {
      REQUIRE(row.at("balance_contiguous") == row.at("balance_known"));
    }
  }
  CHECK(compared > 100);
}

TEST_CASE("ledger: over complete transfers debits equal credits, per asset") {
  for (uint64_t seed = 0; seed < testing::LawSeeds() / 4 + 1; ++seed) {
    CAPTURE(seed);
    const LedgerFeed feed = testing::MakeBalancedFeed(seed, 6, 60, 30);
    Random random(seed);
    const Options options;
    MemoryStore<Ledger> store;
    Runner<Ledger> runner(store, options);
    REQUIRE(runner.Take(testing::Disturbed(feed.records, random), "").ok());
    REQUIRE(runner.Sweep({feed.records.back().ingest_ts.us + kMicrosPerDay}).ok());
    std::map<std::string, MinorUnits> nets;
    MinorUnits moved;
    for (const auto& [key, row] : Product(store, "gold_account_balances")) {
      if (!row.contains("asset")) continue;
      nets[row.at("asset")] += *ParseWhole(row.at("credits_posted")) - *ParseWhole(row.at("debits_posted"));
      moved += *ParseWhole(row.at("credits_posted"));
      REQUIRE(row.at("balance_is_final") == "1");
    }
    for (const auto& [asset, net] : nets) REQUIRE(net.is_zero());
    REQUIRE(!moved.is_zero());
  }
}

}  // namespace
}  // namespace medallion::ledger
