// A late event of a ledger: what is known, and what of it is final.
#include <iostream>

#include "medallion/ledger/run.h"
using namespace medallion;

namespace {

void Show(MemoryStore<ledger::Ledger>& store) {
  ledger::AccountBalance key;
  key.ledger = "main", key.account_id = "A-1", key.asset = "EUR", key.max_version = 1;
  const auto row = store.Find<ledger::AccountBalance>(ledger::RowKey(key));
  if (!row.has_value()) return;
  std::cout << "known " << row->balance_known.ToText() << ", contiguous " << row->balance_contiguous->ToText()
            << ", missing " << row->missing_versions << (row->balance_is_final ? ", final" : ", not final")
            << '\n';
}

}  // namespace

int main() {
  const BronzeRecord records[] = {
      {.payload = R"({"event_id": "e1", "event_type": "TransferPosted", "ledger": "main", "account_id": "A-1",
                      "account_version": 1, "leg": "C", "amount_minor": "100000", "asset": "EUR",
                      "effective_at": "2026-03-01T09:00:00Z", "recorded_at": "2026-03-01T09:00:01Z"})",
       .at = {.topic = "ledger", .offset = 1}},
      {.payload = R"({"event_id": "e3", "event_type": "TransferPosted", "ledger": "main", "account_id": "A-1",
                      "account_version": 3, "leg": "D", "amount_minor": "120000", "asset": "EUR",
                      "effective_at": "2026-03-01T11:00:00Z", "recorded_at": "2026-03-01T11:00:01Z"})",
       .at = {.topic = "ledger", .offset = 2}},
      {.payload = R"({"event_id": "e2", "event_type": "TransferPosted", "ledger": "main", "account_id": "A-1",
                      "account_version": 2, "leg": "C", "amount_minor": "50000", "asset": "EUR",
                      "effective_at": "2026-03-01T10:00:00Z", "recorded_at": "2026-03-01T12:00:00Z"})",
       .at = {.topic = "ledger", .offset = 3}}};

  const ledger::Options options;
  MemoryStore<ledger::Ledger> store;
  Runner<ledger::Ledger> runner(store, options);
  if (!runner.Take(std::span(records).first(2), "").ok()) return 1;
  Show(store);
  if (!runner.Take(std::span(records).last(1), "").ok()) return 1;
  Show(store);
}
