// The memory store: its tables read back. Part of io/memory_store.h.
#pragma once

#include "medallion/io/memory_store.h"

namespace medallion {

template <class Pack>
typename Pack::Gold MemoryStore<Pack>::UnpackGold(uint32_t row) const {
  Arena texts;
  PackReader reader(blobs_.At(gold_[row].blob), texts);
  Gold gold;
  medallion::UnpackGold(reader, GoldKey(gold_[row]), gold);
  return gold;
}

template <class Pack>
RowVersion MemoryStore<Pack>::VersionOf(uint32_t row, uint8_t& table) const {
  Arena none;
  PackReader reader(blobs_.At(gold_[row].blob), none);
  return UnpackVersion<Gold>(reader, GoldKey(gold_[row]), table);
}

template <class Pack>
typename Pack::Gold MemoryStore<Pack>::UnpackWholeGold(uint32_t row) const {
  Gold gold = UnpackGold(row);
  gold::Rows<Gold>::Each([&]<class Row>(size_t) {
    if constexpr (IsSeries<Row>) {
      if (Row* const own = std::get_if<Row>(&gold)) own->Take(ItemsOf(gold_[row]));
    }
  });
  return gold;
}

template <class Pack>
template <class Row>
std::optional<Row> MemoryStore<Pack>::Find(const Digest& key) const {
  const uint32_t* const found = gold_of_.Find(key.Prefix(), IsGold(key));
  if (found == nullptr || gold_[*found].blob == kNone) return std::nullopt;
  Gold row = UnpackWholeGold(*found);
  if constexpr (std::same_as<Row, Gold>) {
    return row;
  } else {
    Row* const own = std::get_if<Row>(&row);
    if (own == nullptr) return std::nullopt;
    return std::move(*own);
  }
}

template <class Pack>
std::vector<std::string> MemoryStore<Pack>::Names() const {
  std::vector<std::string> names;
  for (const std::string_view name : SilverTables<Pack>()) names.emplace_back(name);
  for (const std::string_view name : {kQuarantineTable, kAuditTable, kIgnoredTable}) names.emplace_back(name);
  for (const std::string_view name : Pack::kGoldTables) names.emplace_back(name);
  for (const std::string_view name : {kReviewsTable, kMetricsTable}) names.emplace_back(name);
  names.emplace_back(kReconciliationTable);  // empty: nobody can reach into this store
  names.emplace_back(kRunLogTable);
  return names;
}

template <class Pack>
std::vector<uint32_t> MemoryStore<Pack>::SortedSlots(std::string_view table) const {
  struct Place {
    RecordId record;
    uint32_t ordinal;
    uint32_t slot;
  };
  std::vector<Place> places;
  for (uint32_t slot = 0; slot < slots_.size(); ++slot) {
    if (!IsLive(slot)) continue;
    Arena texts;
    const Element<Event> element = Unpack(slot, texts);
    if (!IsShown<Pack>(element, table)) continue;
    places.push_back({records_.IdOf(slots_[slot].record), element.identity.order.ordinal, slot});
  }
  std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
    return std::tie(a.record.at, a.ordinal, a.record.payload) <
           std::tie(b.record.at, b.ordinal, b.record.payload);
  });
  std::vector<uint32_t> slots;
  slots.reserve(places.size());
  for (const Place& place : places) slots.push_back(place.slot);
  return slots;
}

template <class Pack>
BronzeRecord MemoryStore<Pack>::Shown(uint32_t record) const {
  BronzeRecord shown = records_.Show(record);
  const auto payload = payloads_.find(record);
  if (payload != payloads_.end()) shown.payload = blobs_.At(payload->second);
  return shown;
}

template <class Pack>
template <class Emit>
absl::Status MemoryStore<Pack>::ReadGold(size_t table, const Emit& emit) const {
  std::vector<std::pair<Digest, uint32_t>> rows;
  for (uint32_t row = 0; row < gold_.size(); ++row) {
    if (gold_[row].blob != kNone) rows.emplace_back(GoldKey(gold_[row]), row);
  }
  std::sort(rows.begin(), rows.end());
  for (const std::pair<Digest, uint32_t>& row : rows) {
    uint8_t of_table = 0;
    VersionOf(row.second, of_table);
    if (of_table != table) continue;
    absl::Status status;
    ForShown(UnpackWholeGold(row.second), [&](const auto& shown) {
      if (status.ok()) status = emit([&](std::string& line) { AppendJson(shown, line); });
    });
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

template <class Pack>
absl::Status MemoryStore<Pack>::Read(std::string_view table, const RowSink& sink) {
  const std::vector<std::string> names = Names();
  if (std::find(names.begin(), names.end(), table) == names.end()) {
    return absl::NotFoundError("no table " + std::string(table));
  }
  std::string line;
  const auto emit = [&](const auto& append) {
    line.clear();
    append(line);
    return sink(line);
  };
  const auto gold = std::find(Pack::kGoldTables.begin(), Pack::kGoldTables.end(), table);
  if (gold != Pack::kGoldTables.end()) {
    return ReadGold(static_cast<size_t>(gold - Pack::kGoldTables.begin()), emit);
  }
  if (TellsOfRuns(table)) {
    for (const std::string& logged : table == kRunLogTable ? log_ : metrics_) {
      if (auto status = sink(logged); !status.ok()) return status;
    }
    return absl::OkStatus();
  }
  if (table == kReviewsTable) {
    for (const Review& review : reviews_) {
      if (auto status = emit([&](std::string& row) { AppendJson(review, row); }); !status.ok()) return status;
    }
    return absl::OkStatus();
  }
  for (const uint32_t slot : SortedSlots(table)) {
    Arena texts;
    const auto status = emit([&](std::string& row) {
      AppendRow<Pack>(Unpack(slot, texts), Shown(slots_[slot].record), table, row);
    });
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace medallion
