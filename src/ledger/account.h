// An account as its facts tell it: what balances and features are folded from. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "evidence.h"
#include "medallion/ledger/account_balance.h"
#include "medallion/ledger/ledger_event.h"
#include "medallion/ledger/legacy_row.h"

namespace medallion::ledger::folding {

// An uncontested event, or an entry of the legacy table as it stands. Refers to the texts of its row.
struct Fact {
  int64_t version = 0;  // of a legacy entry 0
  EventType type = EventType::kNone;
  Side leg = Side::kNone;
  MinorUnits amount = {};
  std::string_view asset = {};
  std::string_view transfer = {};  // of a legacy entry its primary key
  std::string_view counterparty = {}, reserved = {}, reverses = {};
  Side normal_side = Side::kNone;
  UtcTime effective = kNoTime, recorded = kNoTime;

  // What the posting adds to credits - debits.
  MinorUnits signed_amount() const { return leg == Side::kCredit ? amount : -amount; }
};

// What is known of an account's versions.
struct Versions {
  int64_t max = 0;
  int64_t contiguous = 0;  // 1 to this are there and uncontested
  std::string missing;     // JSON, as AccountBalance shows it
  std::string contested;
  bool is_whole() const { return missing == "[]" && contested == "[]"; }
};

struct Account {
  std::string ledger = {}, id = {};
  bool legacy = false;
  Side normal_side = Side::kCredit;
  std::vector<Fact> facts =
      {};  // by version; of a legacy account by effective_at, recorded_at and primary key
  std::optional<Versions> versions = {};  // none of a legacy account
  AccountFindings findings = {};          // of the account as a whole
  std::string unknown_rows = {};  // JSON array of legacy entries of which the amount or side is not known
  std::string digest_text = {};   // keys and values of all facts, sorted
  std::string evidence = {};      // JSON
  UtcTime updated_at = kNoTime;   // the largest ingest_ts of what it is told by

  // The assets of its transfers, sorted; one empty one where there are none.
  std::vector<std::string_view> Assets() const;
  // An amount of credits - debits as the account's normal side shows it.
  MinorUnits Shown(const MinorUnits& net) const { return normal_side == Side::kDebit ? -net : net; }
};

inline bool Within(UtcTime time, UtcTime bound) { return bound == kNoTime || time <= bound; }

// From the facts and conflicts of a native account, in any order, as far as they were recorded by `known`; kNoTime: all.
Account ReadAccount(std::span<const LedgerElement> history, UtcTime known);

// From the rows of a legacy account, in any order. They must outlive it.
Account ReadLegacyAccount(std::span<const LegacyRow* const> rows, UtcTime known);

}  // namespace medallion::ledger::folding
