#include "medallion/gold/merge.h"

#include <string>

#include "catch.h"

namespace medallion {
namespace {

RowVersion Row(const std::string& key, const std::string& content, const std::string& model = "1",
               int64_t at = 0) {
  return {.key = Sha256(key), .hash = Sha256(content), .model_version = Sha256(model), .updated_at = {at}};
}

using Changes = std::vector<Change>;

TEST_CASE("merge: equal rows are not written") {
  const std::vector<RowVersion> rows = {Row("a", "1"), Row("b", "2")};
  CHECK(Merge(rows, rows).empty());
  CHECK(Merge({}, {}).empty());
}

TEST_CASE("merge: what is written, and why") {
  struct Case {
    std::string what;
    std::vector<RowVersion> previous, derived;
    Changes changes;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"new", {}, {Row("a", "1")}, {{Write::kInsert, 0}}},
           {"gone", {Row("a", "1")}, {}, {{Write::kDelete, 0}}},
           {"other content", {Row("a", "1")}, {Row("a", "2")}, {{Write::kUpdate, 0}}},
           {"other model", {Row("a", "1")}, {Row("a", "1", "2")}, {{Write::kUpdate, 0}}},
           {"other time", {Row("a", "1")}, {Row("a", "1", "1", 5)}, {{Write::kUpdate, 0}}},
           {"another id for the same",
            {Row("a", "1")},
            {Row("b", "1")},
            {{Write::kInsert, 0}, {Write::kDelete, 0}}},
           {"order of the rows plays no part",
            {Row("a", "1"), Row("b", "2")},
            {Row("b", "2"), Row("a", "1")},
            {}},
       }) {
    CAPTURE(c.what);
    CHECK(Merge(c.previous, c.derived) == c.changes);
  }
}

}  // namespace
}  // namespace medallion
