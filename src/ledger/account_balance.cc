#include "medallion/ledger/account_balance.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "account.h"
#include "medallion/base/text.h"
#include "medallion/gold/row_hash.h"
#include "medallion/ledger/derive_accounts.h"
#include "medallion/ledger/resolve_transfers.h"
#include "reservations.h"

namespace medallion::ledger {
namespace {

using folding::Account;
using folding::AssetFindings;
using folding::Fact;
using folding::Reservation;
using folding::Reservations;
using folding::Reversals;
using folding::Within;

struct FlagRow {
  std::string_view name;
  bool not_final;
};
constexpr std::array<FlagRow, kAccountFlags> kFlagRows = {{
    {"ASSET_CHANGED", false},
    {"REPEATED_TRANSFER_LEG", true},
    {"UNBALANCED_TRANSFER", true},
    {"CAPTURE_WITHOUT_RESERVE", true},
    {"DOUBLE_CAPTURE", true},
    {"CAPTURE_EXCEEDS_RESERVE", true},
    {"CAPTURE_AFTER_RELEASE", true},
    {"PARTIAL_REVERSAL", true},
    {"VERSION_GAP", true},
    {"VERSION_CONFLICT", true},
    {"CONFLICT", true},
    {"STALE_VERSION", false},
    {"CHAIN_BREAK", true},
    {"CLOSED_ACCOUNT_ACTIVITY", false},
    {"NORMAL_SIDE_ASSUMED", false},
}};

// What is folded of one asset.
struct Book {
  MinorUnits debits, credits;     // posted
  MinorUnits contiguous;          // credits - debits of the contiguous versions
  std::optional<MinorUnits> min;  // as the account's side shows it
  int64_t overdrafts = 0;
  UtcTime last_effective = kNoTime;
};
using Books = std::map<std::string_view, Book>;

void Post(const Account& account, const Fact& fact, Book& book) {
  (fact.leg == Side::kDebit ? book.debits : book.credits) += fact.amount;
  if (!account.versions || fact.version > account.versions->contiguous) return;
  book.contiguous += fact.signed_amount();
  const MinorUnits shown = account.Shown(book.contiguous);
  book.min = std::min(book.min.value_or(shown), shown);
  if (shown.negative()) ++book.overdrafts;
}

Books FoldBooks(const Account& account, UtcTime as_of, Reservations& reservations) {
  Books books;
  for (const std::string_view asset : account.Assets()) books[asset];
  for (const Fact& fact : account.facts) {
    if (!Within(fact.effective, as_of)) continue;
    reservations.Take(fact, nullptr);
    const auto book = books.find(IsTransfer(fact.type) ? fact.asset : std::string_view());
    if (book == books.end()) continue;
    book->second.last_effective = std::max(book->second.last_effective, fact.effective);
    if (IsPosting(fact.type)) Post(account, fact, book->second);
  }
  return books;
}

std::string TransferJson(std::string_view transfer, std::string_view more) {
  std::string json = "{\"transfer_id\":";
  AppendJsonString(transfer, json);
  return json.append(more).append("}");
}

// Legs that stand twice, and postings after the account was closed.
void FindRepeats(const Account& account, AssetFindings& found) {
  std::map<std::tuple<std::string_view, Side, EventType>, int64_t> seen;
  std::optional<int64_t> closed;
  for (const Fact& fact : account.facts) {
    if (fact.type == EventType::kAccountClosed && !closed) closed = fact.version;
    if (closed && IsPosting(fact.type)) {
      found[fact.asset].Add(AccountFlag::kClosedAccountActivity,
                            "{\"version\":" + std::to_string(fact.version) + "}");
    }
    if (account.legacy || !IsTransfer(fact.type) || fact.transfer.empty() || fact.leg == Side::kNone)
      continue;
    const auto [first, added] = seen.try_emplace({fact.transfer, fact.leg, fact.type}, fact.version);
    if (added) continue;
    const std::string versions =
        ",\"versions\":[" + std::to_string(first->second) + "," + std::to_string(fact.version) + "]";
    found[fact.asset].Add(AccountFlag::kRepeatedTransferLeg, TransferJson(fact.transfer, versions));
  }
}

// Transfers of which less was reversed than they moved.
void FindPartialReversals(const Account& account, UtcTime as_of, AssetFindings& found) {
  Reversals reversals(account.facts, as_of);
  std::map<std::tuple<std::string_view, std::string_view, Side>, MinorUnits> left;  // not reversed
  for (const Fact& fact : account.facts) {
    const bool leg = IsPosting(fact.type) && fact.type != EventType::kTransferReversed;
    if (!leg || !Within(fact.effective, as_of) || !reversals.Names(fact.transfer)) continue;
    left[{fact.asset, fact.transfer, fact.leg}] += fact.amount - reversals.TakeFrom(fact);
  }
  for (const auto& [key, amount] : left) {
    if (amount.is_zero()) continue;
    found[std::get<0>(key)].Add(
        AccountFlag::kPartialReversal,
        TransferJson(std::get<1>(key), ",\"not_reversed\":\"" + amount.ToText() + "\""));
  }
}

// Unbalanced transfers: those that are due, and when the next one is. `changed` becomes the latest that was.
struct Judgement {
  std::map<std::string, UtcTime, std::less<>> next_due, changed;  // by asset
};
Judgement JudgeTransfers(Contexts contexts, UtcTime clock, std::vector<UnbalancedTransfer>& kept,
                         AssetFindings& found) {
  Judgement judgement;
  for (const std::string_view bytes : contexts) {
    const std::optional<LedgerContext> context = UnpackContext(bytes);
    if (!context.has_value()) continue;
    if (const auto* transfer = std::get_if<UnbalancedTransfer>(&*context)) kept.push_back(*transfer);
  }
  std::sort(kept.begin(), kept.end(), [](const UnbalancedTransfer& a, const UnbalancedTransfer& b) {
    return std::tie(a.transfer_id, a.event_type, a.asset) < std::tie(b.transfer_id, b.event_type, b.asset);
  });
  for (const UnbalancedTransfer& transfer : kept) {
    const bool due = clock >= transfer.due;
    UtcTime& time = due ? judgement.changed.try_emplace(transfer.asset, kNoTime).first->second
                        : judgement.next_due.try_emplace(transfer.asset, transfer.due).first->second;
    time = due ? std::max(time, transfer.due) : std::min(time, transfer.due);
    if (!due) continue;
    std::string more = ",\"event_type\":\"" + std::string(EventTypeName(transfer.event_type)) + "\"";
    more += ",\"residual\":\"" + transfer.residual.ToText() + "\",\"legs\":" + std::to_string(transfer.legs);
    found[transfer.asset].Add(AccountFlag::kUnbalancedTransfer, TransferJson(transfer.transfer_id, more));
  }
  return judgement;
}

UtcTime TimeOf(const std::map<std::string, UtcTime, std::less<>>& times, std::string_view asset) {
  const auto time = times.find(asset);
  return time == times.end() ? kNoTime : time->second;
}

void ShowBook(const Account& account, const Book& book, const Reservations& reservations,
              AccountBalance& row) {
  row.debits_posted = book.debits, row.credits_posted = book.credits;
  reservations.EachOpen([&](const Reservation& reservation) {
    if (reservation.asset != row.asset) return;
    (reservation.side == Side::kDebit ? row.debits_pending : row.credits_pending) += reservation.amount;
  });
  row.posted = row.balance_known = account.Shown(book.credits - book.debits);
  row.available =
      row.posted - (account.normal_side == Side::kDebit ? row.credits_pending : row.debits_pending);
  row.last_effective_at = book.last_effective;
  if (!account.versions) return;
  row.max_version = account.versions->max, row.contiguous_version = account.versions->contiguous;
  row.missing_versions = account.versions->missing, row.contested = account.versions->contested;
  row.balance_contiguous = account.Shown(book.contiguous);
  row.min_balance = book.min;
  row.overdraft_events = book.overdrafts;
}

// A row that was only seen with its amount left out is money that nobody knows.
std::string WithUnknown(const Account& account, std::string detail) {
  if (account.unknown_rows.empty()) return detail;
  if (detail.empty()) return "{\"unknown_rows\":" + account.unknown_rows + "}";
  detail.pop_back();
  return detail += ",\"unknown_rows\":" + account.unknown_rows + "}";
}

// What bears on the row of an asset: what was found of the asset, and of events that name none, as a release may.
template <class Use>
void EachNameOf(std::string_view asset, const Use& use) {
  use(asset);
  if (!asset.empty()) use(std::string_view());
}

std::vector<AccountBalance> Balances(const Account& account, Contexts contexts, UtcTime clock,
                                     const LedgerRules& rules) {
  const Options& options = rules.options;
  Reservations reservations, judged;
  const Books books = FoldBooks(account, options.as_of, reservations);
  AssetFindings found;
  for (const Fact& fact : account.facts) judged.Take(fact, &found);
  FindRepeats(account, found);
  FindPartialReversals(account, options.as_of, found);
  std::vector<UnbalancedTransfer> unbalanced;  // keeps the texts that `found` refers to
  const Judgement judgement = JudgeTransfers(contexts, clock, unbalanced, found);
  std::vector<AccountBalance> rows;
  for (const auto& [asset, book] : books) {
    AccountBalance& row = rows.emplace_back();
    row.ledger = account.ledger, row.account_id = account.id, row.asset = asset;
    row.normal_side = account.normal_side;
    ShowBook(account, book, reservations, row);
    AccountFindings findings = account.findings;
    EachNameOf(asset, [&](std::string_view name) { findings.Add(found[name]); });
    const bool whole = !account.versions || account.versions->is_whole();
    row.balance_is_final = whole && account.unknown_rows.empty() && findings.IsFinal();
    row.quality_flags = findings.FlagsJson();
    row.detail = WithUnknown(account, findings.DetailJson());
    row.evidence = account.evidence;
    row.updated_at = account.updated_at;
    EachNameOf(asset, [&](std::string_view name) {
      const UtcTime due = TimeOf(judgement.next_due, name);
      if (row.next_due_at == kNoTime || (due != kNoTime && due < row.next_due_at)) row.next_due_at = due;
      row.updated_at = std::max(row.updated_at, TimeOf(judgement.changed, name));
    });
    row.model_version = rules.model_version;
    row.row_hash = RowHash(row);
  }
  return rows;
}

}  // namespace

std::string_view AccountFlagName(AccountFlag flag) { return kFlagRows[static_cast<size_t>(flag)].name; }
bool IsNotFinal(AccountFlag flag) { return kFlagRows[static_cast<size_t>(flag)].not_final; }

void AccountFindings::Add(AccountFlag flag, std::string_view particulars) {
  const auto bit = static_cast<size_t>(flag);
  bits_ |= 1u << bit;
  if (particulars.empty()) return;
  particulars_[bit].append(particulars_[bit].empty() ? "" : ",").append(particulars);
}

void AccountFindings::Add(const AccountFindings& others) {
  for (size_t i = 0; i < kAccountFlags; ++i) {
    const auto flag = static_cast<AccountFlag>(i);
    if (others.Has(flag)) Add(flag, others.particulars_[i]);
  }
}

bool AccountFindings::IsFinal() const {
  for (size_t i = 0; i < kAccountFlags; ++i) {
    if (Has(static_cast<AccountFlag>(i)) && kFlagRows[i].not_final) return false;
  }
  return true;
}

std::string AccountFindings::FlagsJson() const {
  std::string json = "[";
  for (size_t i = 0; i < kAccountFlags; ++i) {
    if (!Has(static_cast<AccountFlag>(i))) continue;
    json.append(json.size() == 1 ? "\"" : ",\"").append(kFlagRows[i].name).append("\"");
  }
  return json += "]";
}

std::string AccountFindings::DetailJson() const {
  std::string json;
  for (size_t i = 0; i < kAccountFlags; ++i) {
    if (particulars_[i].empty()) continue;
    json.append(json.empty() ? "{\"" : ",\"").append(kFlagRows[i].name).append("\":[");
    json.append(particulars_[i]).append("]");
  }
  return json.empty() ? json : json += "}";
}

Digest RowKey(const AccountBalance& row) {
  JoinedFields key;
  key.AddPlain(row.max_version.has_value() ? "balance" : "legacy_balance");
  return key.Add(row.ledger).Add(row.account_id).Add(row.asset).Sha256();
}

std::vector<AccountBalance> DeriveBalances(std::span<const LedgerElement> history, Contexts contexts,
                                           UtcTime data_clock, const LedgerRules& rules) {
  const Account account = folding::ReadAccount(history, rules.options.known_as_of);
  if (account.id.empty()) return {};
  return Balances(account, contexts, data_clock, rules);
}

std::vector<AccountBalance> DeriveLegacyBalances(std::span<const LegacyRow* const> rows,
                                                 const LedgerRules& rules) {
  const Account account = folding::ReadLegacyAccount(rows, rules.options.known_as_of);
  if (account.id.empty()) return {};
  return Balances(account, {}, kNoTime, rules);
}

}  // namespace medallion::ledger
