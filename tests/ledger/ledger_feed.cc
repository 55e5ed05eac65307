#include "tests/ledger/ledger_feed.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace medallion::testing {
namespace {

constexpr int64_t kBegin = 1'772'323'200'000'000;  // 2026-03-01T00:00:00Z

std::string Quoted(std::string_view name, std::string_view value) {
  return "\"" + std::string(name) + "\":\"" + std::string(value) + "\"";
}

// One event of a native account, as fields; an empty one is left out.
struct Native {
  std::string id, type, ledger = "main", account, transfer, leg, counterparty, amount, asset, reserved,
                        reverses, side;
  int64_t version = 0, effective = 0, recorded = 0;

  std::string Json() const {
    std::string json = "{";
    const auto add = [&](std::string_view name, std::string_view value) {
      if (!value.empty()) json += (json.size() > 1 ? "," : "") + Quoted(name, value);
    };
    add("event_id", id), add("event_type", type), add("ledger", ledger), add("account_id", account);
    if (version != 0)
      json += (json.size() > 1 ? "," : "") + ("\"account_version\":" + std::to_string(version));
    json += ",\"schema_version\":1";
    add("transfer_id", transfer), add("leg", leg), add("counterparty_account_id", counterparty);
    add("amount_minor", amount), add("asset", asset), add("reserved_transfer_id", reserved);
    add("reverses_transfer_id", reverses), add("normal_side", side);
    add("effective_at", FormatTime({effective})), add("recorded_at", FormatTime({recorded}));
    return json + "}";
  }
};

class Maker {
 public:
  explicit Maker(uint64_t seed) : random_(seed) {}

  LedgerFeed Nasty();
  LedgerFeed Balanced(int64_t accounts, int64_t transfers, int64_t days);

 private:
  bool Chance(int64_t percent) { return random_.Below(100) < percent; }
  template <size_t N>
  std::string OneOf(const std::array<const char*, N>& texts) {
    return texts[static_cast<size_t>(random_.Below(static_cast<int64_t>(N)))];
  }
  int64_t Version(const std::string& account) { return ++versions_[account]; }
  std::string Account() { return "A" + std::to_string(random_.Below(accounts_)); }

  Native Event(std::string type, std::string account);
  Native Leg(std::string type, const std::string& account, const std::string& other, const std::string& leg);
  void Transfer();
  void Reservation();
  void Reversal();
  void Emit(Native event);
  void Change();
  void Border();
  std::string EntryImage(int64_t pk, int64_t version);
  std::string AccountImage(int64_t pk, int64_t version, int64_t balance);

  Random random_;
  LedgerFeed feed_;
  std::map<std::string, int64_t> versions_;
  std::map<int64_t, int64_t> row_versions_, balances_;
  std::vector<std::pair<std::string, std::string>> transfers_;  // id, asset
  std::vector<std::string> reserved_;
  int64_t accounts_ = 4, clock_ = kBegin, ids_ = 0, tx_ = 0, tx_order_ = 0;
};

Native Maker::Event(std::string type, std::string account) {
  Native event;
  event.id = "e" + std::to_string(++ids_);
  event.type = std::move(type), event.account = std::move(account);
  event.version = Version(event.account);
  clock_ += random_.Below(7) * kMicrosPerHour + random_.Below(1'000'000);
  event.recorded = clock_;
  event.effective =
      Chance(80) ? clock_ - random_.Below(1000) * 1000 : clock_ - random_.Below(100) * kMicrosPerHour;
  if (Chance(4)) event.effective = clock_ + random_.Below(60) * kMicrosPerHour;
  return event;
}

Native Maker::Leg(std::string type, const std::string& account, const std::string& other,
                  const std::string& leg) {
  Native event = Event(std::move(type), account);
  event.leg = leg, event.counterparty = other;
  event.asset = Chance(90) ? "EUR" : OneOf<3>({"USD", "JPY", "USDC/6"});
  event.amount = std::to_string(Chance(30) ? random_.Below(50) * 1000 : random_.Below(100'000));
  event.transfer = "t" + std::to_string(ids_);
  return event;
}

void Maker::Emit(Native event) {
  if (Chance(3)) return;  // lost: a gap
  const int64_t late = Chance(20) ? random_.Below(60) * kMicrosPerHour : random_.Below(5) * kMicrosPerMinute;
  const auto deliver = [&](const Native& one, int64_t after) {
    feed_.Add(one.Json(), {one.recorded + after + late}, Chance(50) ? "ledger" : "other");
  };
  deliver(event, 1'000'000);
  if (Chance(6)) deliver(event, 2'000'000);  // the same event again
  if (Chance(6)) {                           // the same fact under another id
    Native copy = event;
    copy.id += "b", copy.recorded += random_.Below(3) * kMicrosPerHour;
    if (Chance(30)) copy.counterparty.clear();
    deliver(copy, 3'000'000);
  }
  if (Chance(3)) {  // the same version with another content
    Native other = event;
    other.id += "c", other.recorded += random_.Below(3) * kMicrosPerHour;
    if (!other.amount.empty()) other.amount += "1";
    other.effective += kMicrosPerHour;
    deliver(other, 4'000'000);
  }
  if (Chance(4)) {  // one that must be rejected
    Native bad = event;
    bad.id += "x";
    const int64_t what = random_.Below(6);
    if (what == 0) bad.account.clear();
    if (what == 1) bad.amount = "12.5";
    if (what == 2) bad.amount = "-7";
    if (what == 3) bad.asset = "XXQ";
    if (what == 4) bad.type = "TransferLost";
    if (what == 5) bad.counterparty = bad.account;
    deliver(bad, 5'000'000);
  }
}

void Maker::Transfer() {
  const std::string from = Account();
  std::string to = Account();
  if (to == from) to = "A9";
  Native debit = Leg("TransferPosted", from, to, "D");
  Native credit = Leg("TransferPosted", to, from, "C");
  credit.transfer = debit.transfer, credit.asset = debit.asset, credit.amount = debit.amount;
  if (Chance(5)) credit.amount += "3";
  if (Chance(10)) debit.transfer.clear(), credit.transfer.clear();
  if (Chance(4)) debit.counterparty.clear();
  if (!debit.transfer.empty()) transfers_.emplace_back(debit.transfer, debit.asset);
  Emit(debit);
  if (!Chance(5)) Emit(credit);
  if (Chance(3)) {  // the leg once more, under another version
    Native again = debit;
    again.id += "r", again.version = Version(from);
    Emit(again);
  }
}

void Maker::Reservation() {
  const std::string account = Account();
  const int64_t what = random_.Below(reserved_.empty() ? 1 : 3);
  if (what == 0) {
    Native event = Leg("TransferReserved", account, "A8", Chance(80) ? "D" : "C");
    reserved_.push_back(event.transfer + " " + account);
    return Emit(event);
  }
  const std::string named =
      reserved_[static_cast<size_t>(random_.Below(static_cast<int64_t>(reserved_.size())))];
  const std::string owner = Chance(90) ? named.substr(named.find(' ') + 1) : account;
  Native event = Leg(what == 1 ? "TransferCaptured" : "TransferReleased", owner, "A8", "D");
  event.reserved = Chance(95) ? named.substr(0, named.find(' ')) : "t-none";
  if (what == 2 && Chance(50)) event.amount.clear(), event.leg.clear(), event.asset.clear();
  Emit(event);
}

void Maker::Reversal() {
  if (transfers_.empty()) return;
  const auto& [transfer, asset] =
      transfers_[static_cast<size_t>(random_.Below(static_cast<int64_t>(transfers_.size())))];
  Native event = Leg("TransferReversed", Account(), "A8", Chance(50) ? "C" : "D");
  event.reverses = transfer, event.asset = asset;
  Emit(event);
}

std::string Maker::EntryImage(int64_t pk, int64_t version) {
  const std::string cents = std::to_string(10 + random_.Below(90));
  std::string image = "{\"entry_no\":" + std::to_string(pk);
  image += ",\"account_no\":\"" + std::to_string(100 + (Chance(95) ? pk % 3 : random_.Below(3))) + "\"";
  image += ",\"dr_cr\":" + std::string(Chance(5)     ? "\"__debezium_unavailable_value\""
                                       : pk % 2 == 0 ? "\"D\""
                                                     : "\"C\"");
  image += ",\"amount\":\"" + std::to_string(pk * 7 + version) + "." + cents + "\",\"currency\":\"EUR\"";
  image += ",\"booking_ts\":\"" + FormatTime({kBegin + pk * kMicrosPerHour}) + "\"";
  image += ",\"value_date\":" + std::to_string(20513 + pk % 9) + ",\"version\":" + std::to_string(version);
  if (pk > 8) image += ",\"reversal_of\":" + std::to_string(pk - 7);
  return image + "}";
}

std::string Maker::AccountImage(int64_t pk, int64_t version, int64_t balance) {
  return "{\"account_no\":\"" + std::to_string(pk) +
         "\",\"status\":\"OPEN\",\"currency\":\"EUR\",\"version\":" + std::to_string(version) +
         ",\"updated_at\":\"" + FormatTime({kBegin + version * kMicrosPerHour}) + "\",\"balance\":\"" +
         std::to_string(balance) + ".00\"}";
}

void Maker::Change() {
  const bool entry = Chance(75);
  const int64_t pk = entry ? 1 + random_.Below(12) : 100 + random_.Below(3);
  const int64_t key = entry ? pk : pk * 1000;
  const bool deletes = entry && Chance(10) && row_versions_[key] > 0;
  const bool again = Chance(15) && row_versions_[key] > 0;
  int64_t version = deletes || again ? row_versions_[key] : ++row_versions_[key];
  if (Chance(4) && version > 1) --version;  // stale
  clock_ += random_.Below(3) * kMicrosPerHour;
  const int64_t lsn = clock_ / 1000;
  std::string before = "null", after = "null";
  const std::string bare =
      entry ? "{\"entry_no\":" + std::to_string(pk) : "{\"account_no\":\"" + std::to_string(pk) + "\"";
  if (entry) {
    if (!deletes) after = EntryImage(pk, version);
    if (deletes) before = bare + (Chance(50) ? ",\"version\":" + std::to_string(version) + "}" : "}");
  } else {
    const int64_t old = balances_[pk];
    if (Chance(80)) before = AccountImage(pk, version - 1, old + (Chance(10) ? 1 : 0));
    balances_[pk] = old + random_.Below(100);
    after = AccountImage(pk, version, balances_[pk]);
  }
  const std::string op = deletes ? "d" : version == 1 ? (Chance(30) ? "r" : "c") : "u";
  std::string json = "{\"before\":" + before + ",\"after\":" + after;
  json += ",\"source\":{\"connector\":\"postgresql\",\"name\":\"bank\",\"table\":\"" +
          std::string(entry ? "legacy_entry" : "legacy_account") + "\",\"lsn\":" + std::to_string(lsn) +
          ",\"snapshot\":\"false\",\"ts_ms\":" + std::to_string(clock_ / 1000) + "},\"op\":\"" + op + "\"";
  if (Chance(50)) {
    json += ",\"transaction\":{\"id\":\"" + std::to_string(tx_) +
            "\",\"total_order\":" + std::to_string(++tx_order_) + "}";
  }
  json += "}";
  if (Chance(3)) return;  // lost
  feed_.Add(json, {clock_ + random_.Below(60) * kMicrosPerMinute}, "cdc");
  if (Chance(10)) feed_.Add(json, {clock_ + random_.Below(90) * kMicrosPerMinute}, "cdc");
  if (deletes) feed_.Add("null", {clock_ + kMicrosPerMinute}, "cdc");
}

void Maker::Border() {
  feed_.Add("{\"status\":\"END\",\"id\":\"" + std::to_string(tx_) + "\",\"event_count\":" +
                std::to_string(tx_order_) + ",\"ts_ms\":" + std::to_string(clock_ / 1000) + "}",
            {clock_ + kMicrosPerMinute}, "cdc.transaction");
  ++tx_, tx_order_ = 0;
}

LedgerFeed Maker::Nasty() {
  for (int64_t account = 0; account < accounts_; ++account) {
    if (Chance(20)) continue;
    Native opened = Event("AccountOpened", "A" + std::to_string(account));
    opened.side = Chance(75) ? "C" : "D";
    Emit(opened);
  }
  const int64_t steps = 10 + random_.Below(50);
  for (int64_t step = 0; step < steps; ++step) {
    const int64_t what = random_.Below(20);
    if (what < 8) Transfer();
    if (what >= 8 && what < 11) Reservation();
    if (what == 11) Reversal();
    if (what == 12) Emit(Event(OneOf<3>({"AccountFrozen", "AccountUnfrozen", "AccountClosed"}), Account()));
    if (what >= 13 && what < 19) Change();
    if (what == 19) Border();
  }
  if (Chance(50)) feed_.Add("{\"event_id\":", {clock_}, "ledger");
  if (Chance(50)) feed_.Add("{\"ts_ms\":1772323200000}", {clock_}, "heartbeat");
  return std::move(feed_);
}

LedgerFeed Maker::Balanced(int64_t accounts, int64_t transfers, int64_t days) {
  accounts_ = accounts;
  std::vector<Native> events;
  const auto open = [&](int64_t account) {
    Native opened = Event("AccountOpened", "A" + std::to_string(account));
    opened.recorded = opened.effective = kBegin;
    opened.side = account % 5 == 0 ? "D" : "C";
    events.push_back(opened);
  };
  for (int64_t account = 0; account < accounts; ++account) open(account);
  for (int64_t i = 0; i < transfers; ++i) {
    const std::string from = Account();
    std::string to = Account();
    if (to == from) to = "A" + std::to_string((i + 1) % accounts);
    if (to == from) to = "A" + std::to_string((i + 2) % accounts);
    Native debit = Leg("TransferPosted", from, to, "D"), credit = Leg("TransferPosted", to, from, "C");
    debit.recorded = debit.effective = kBegin + days * kMicrosPerDay / transfers * i;
    credit.recorded = credit.effective = debit.recorded;
    credit.transfer = debit.transfer, credit.asset = debit.asset, credit.amount = debit.amount;
    events.push_back(debit), events.push_back(credit);
  }
  for (const Native& event : events) feed_.Add(event.Json(), {event.recorded + 1'000'000});
  return std::move(feed_);
}

}  // namespace

LedgerFeed MakeLedgerFeed(uint64_t seed) { return Maker(seed).Nasty(); }

LedgerFeed MakeBalancedFeed(uint64_t seed, int64_t accounts, int64_t transfers, int64_t days) {
  return Maker(seed).Balanced(accounts, transfers, days);
}

}  // namespace medallion::testing
