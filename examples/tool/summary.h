// What a run tells its user: made for people, in lines that a script can find by their first word.
// Pure. One thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "medallion/io/run.h"
#include "medallion/ocpp/record_lines.h"
#include "medallion/silver/accounting.h"

namespace medallion::tool {

// What the run did, beside what the tables say.
struct RunFacts {
  RunReport report = {};  // of all inputs together
  Accounting books = {};  // of the store as it stands
  ocpp::LineDefaults defaults = {};
  std::string store = {};  // "memory", or where it lasts
  bool store_lasts = false;
  std::string out = {};  // where the tables were written; or empty
};

class Summary {
 public:
  // Takes note of a row. Tables that the summary does not show are passed over.
  void Add(std::string_view table, std::string_view json);

  std::string Text(const RunFacts& facts) const;

 private:
  // Decimals are added in thousandths: exact.
  struct StatusSums {
    int64_t sessions = 0;
    int64_t final_sessions = 0, final_kwh = 0;
    int64_t provisional_sessions = 0, provisional_kwh = 0;
    int64_t without_energy = 0;
  };
  using Cells = std::vector<std::string>;
  using SortKey = std::tuple<std::string, std::string, std::string>;  // charge point, start, session id

  void AddSession(std::string_view json);
  std::string RunText(const RunFacts& facts) const;
  std::string SessionsText(const RunFacts& facts) const;

  int64_t quarantined_ = 0, sessions_ = 0;
  std::map<std::string, int64_t> reasons_, ignored_;
  std::map<std::string, StatusSums> by_status_;
  std::map<SortKey, Cells> first_;  // the first few sessions
};

}  // namespace medallion::tool
