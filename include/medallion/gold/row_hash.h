// The hash by which merging tells whether a derived row changed.
// Pure. Source: the design, section 4, "Merge".
#pragma once

#include <string>
#include <string_view>

#include "medallion/base/columns.h"
#include "medallion/base/digest.h"

namespace medallion {

// SHA-256 over the row's business columns, joined by the recipe of JoinedFields in the table's order. Left out:
// model_version, row_hash, updated_at.
template <class Row>
Digest RowHash(const Row& row) {
  JoinedFields fields;
  std::string text;
  VisitColumns(row, [&](std::string_view name, const auto& value) {
    if (name == "model_version" || name == "row_hash" || name == "updated_at") return;
    text.clear();
    AppendCanonical(value, text) ? fields.Add(text) : fields.AddNull();
  });
  return fields.Sha256();
}

}  // namespace medallion
