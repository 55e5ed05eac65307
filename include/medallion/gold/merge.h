// Merging: which derived rows must be written. A row is written when its hash, its model version or its
// updated_at differs; an equal one never is.
// Pure. Source: the design, section 4, "Merge".
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "medallion/base/digest.h"
#include "medallion/base/time.h"

namespace medallion {

// A Gold row as the merge sees it.
struct RowVersion {
  Digest key;   // of the row
  Digest hash;  // SHA-256 over the business columns
  Digest model_version;
  UtcTime updated_at;
  bool operator==(const RowVersion&) const = default;
};

// Sets what a row shows of its version, for a store that gives it back. A row type whose columns have other names, or show
// the key, has an overload of its own.
template <class Row>
void AttachVersion(Row& row, const RowVersion& version) {
  row.row_hash = version.hash;
  row.model_version = version.model_version;
  row.updated_at = version.updated_at;
}

// A Gold row's version, and the entity it was derived from.
struct GoldVersion {
  Digest entity;
  RowVersion version;
};

enum class Write : uint8_t { kInsert, kUpdate, kDelete };

struct Change {
  Write write = Write::kInsert;
  size_t index = 0;  // of `derived` for an insert or update, of `previous` for a delete
  bool operator==(const Change&) const = default;
};

// The writes that turn `previous` into `derived`, in the order of `derived`, deletes last. Both hold the rows of
// the same entities; keys are unique within each. Merge(rows, rows) is empty.
std::vector<Change> Merge(std::span<const RowVersion> previous, std::span<const RowVersion> derived);

// A change with the row it brings.
template <class Gold>
struct GoldWrite {
  Write write = Write::kInsert;
  Digest entity;
  Digest parent = {};  // the entity that is derived from the row, with others; all zeros: none
  RowVersion version;  // of the row; for a delete, of the row that goes
  UtcTime next_due_at = kNoTime;
  Gold row{};  // empty for a delete
};

}  // namespace medallion
