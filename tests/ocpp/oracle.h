// The oracle: the charging tables of flat events, made a second time and by other means. Records go into an
// in-memory SQLite; SQL written from the domain page alone refines, settles and derives them (oracle_*.sql,
// in that order). It shares no code with the product beyond BronzeRecord, so an error would have to be made
// twice.
//
// Left out: the analysis of register series (glitches, resets, implausible begins, two references, phases,
// intervals, power against register). A session that would need it is marked, and Differences passes over the
// columns that rest on it, in the session's day too, and over its meter intervals. Rules that look beyond one transaction id (TX_ID_INFERRED, SUPERSEDED,
// UNATTRIBUTED_ENERGY) are not here.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "medallion/base/time.h"
#include "medallion/bronze/record.h"

namespace medallion::testing {

struct OracleOptions {
  UtcTime as_of = kNoTime;      // reads only deliveries with ingest_ts <= as_of, and sweeps then
  UtcTime sweep_at = kNoTime;   // the data clock is at least this
  bool contest_all = false;     // policy: a conflict moves every member of its fact to quarantine
  bool keep_bad_clock = false;  // policy `keep` for times before 2010 and in the future
  std::string id_tag_key = "medallion: no key was given";
};

// Column -> canonical text as in the domain page's section 4; nothing is null.
using OracleRow = std::map<std::string, std::optional<std::string>>;

// Table -> rows. The names are those of the domain page, and accounting_by_fate (fate, count) and
// accounting_by_hour (hour, fate, count). Columns that begin with `_` are the oracle's own.
using OracleTables = std::map<std::string, std::vector<OracleRow>>;

// The tables that follow from `records`, each element one delivery, in any order. Throws std::runtime_error
// when SQLite fails, which is an error of the oracle.
OracleTables AskOracle(std::span<const BronzeRecord> records, const OracleOptions& options = {});

// What `product` says otherwise: empty when all is equal, else the first differences, one a line, as
// "table key column: oracle A, product B". Product rows are JSON objects with the columns of the domain page;
// a table that `product` lacks is not compared. Rows are matched by key, columns compared by canonical text.
// Not compared: pipeline_version, model_version, row_hash, detail, a conflict's raw_payload, a raw_payload
// that is not UTF-8, the flag DURATION_IMPLAUSIBLE (no limit is given), and of a session with an odd register
// series its energy columns and flags, and whether its readings alone open it.
std::string Differences(const OracleTables& oracle,
                        const std::map<std::string, std::vector<std::string>>& product_json_lines);

}  // namespace medallion::testing
