// The quality report: how many events met which fate, which rules were broken with what severity, which balances are not
// final, and which transactions of the source came short. Made of the tables' rows, so that it cannot say otherwise.
// Source: the ledger domain, section 5.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "medallion/base/text.h"
#include "medallion/silver/accounting.h"

namespace medallion::ledger {

class QualityReport {
 public:
  // Takes note of a row of any of the pack's tables, as JSON. Others are passed over. One thread at a time.
  void Add(std::string_view table, std::string_view json);

  // {"fates":{…},"rules":[{"code":…,"severity":"reject","count":…}],"ignored":{…},
  //  "balances":{"final":…,"not_final":…},"short_transactions":[{"tx_id":…,"missing":…}]}, names sorted.
  std::string Json(const Accounting& books) const;

  // The same for people: lines that a script can find by their first word.
  std::string Text(const Accounting& books) const;

 private:
  // Severity, code; a flag that keeps a balance from being final is "not final".
  std::map<std::pair<std::string, std::string>, int64_t> rules_;
  std::map<std::string, int64_t> ignored_;
  std::map<std::string, int64_t> short_transactions_;  // id -> events missing
  int64_t final_ = 0, not_final_ = 0;
};

}  // namespace medallion::ledger
