// The SQLite store: texts that name someone on their way out. Part of io/sqlite_store.h.
#pragma once

#include "medallion/io/sqlite_store.h"

namespace medallion {

template <class Pack>
absl::StatusOr<int64_t> SqliteStore<Pack>::Forget(absl::FunctionRef<bool(std::string_view text)> names) {
  if (auto status = core_.connection().Execute("PRAGMA secure_delete=ON", "set up the store"); !status.ok())
    return status;
  std::vector<int64_t> records;
  std::vector<Review> reviews;
  {
    sqlite::Transaction writing(core_.connection());
    absl::Status status = core_.Begin(writing);
    if (status.ok()) status = core_.FindNamed(names, records, reviews);
    for (const Review& review : reviews) {
      if (status.ok()) status = core_.ForgetPayload(review);
    }
    for (const int64_t record : records) {
      if (status.ok()) status = ForgetRecord(record, names);
    }
    if (status.ok()) status = writing.Commit();
    if (!status.ok()) return status;
    core_.Committed();
  }
  if (auto status = core_.Wipe(); !status.ok()) return status;
  return static_cast<int64_t>(records.size() + reviews.size());
}

// Its elements are written again, without the texts.
template <class Pack>
absl::Status SqliteStore<Pack>::ForgetRecord(int64_t record,
                                             absl::FunctionRef<bool(std::string_view)> names) {
  if (auto status = core_.ForgetPayload(record); !status.ok()) return status;
  Arena texts;
  std::vector<ElementRow> elements;
  std::vector<int64_t> numbers;
  absl::Status damage;
  const auto take = [&](int64_t number, std::string_view body) {
    numbers.push_back(number);
    damage = Unpack(number, body, elements.emplace_back(), texts);
    return damage.ok();
  };
  if (auto status = core_.ForRecord(record, take); !status.ok()) return status;
  if (!damage.ok()) return damage;
  std::vector<Placed> placed;
  for (size_t i = 0; i < elements.size(); ++i) {
    ElementRow& element = elements[i];
    if (names(element.detail)) element.detail = {};
    if (element.review != nullptr) {
      Reviewed review = *element.review;
      if (names(review.payload)) review.payload = {};
      if (names(review.detail)) review.detail = {};
      element.review = texts.Keep(review);
    }
    if constexpr (requires { Pack::Forget(element.row, names); }) Pack::Forget(element.row, names);
    placed.push_back({&element, numbers[i], nullptr});
  }
  if (auto status = PutBodies(placed); !status.ok()) return status;
  std::map<sqlite::Table, std::vector<Placed>> by_table;
  for (const Placed& at : placed) AddTables(at, by_table);
  for (const auto& [table, of_table] : by_table) {
    if (auto status = PutRows(table, of_table); !status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace medallion
