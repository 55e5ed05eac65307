#include "medallion/gold/row_hash.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "catch.h"

namespace medallion {
namespace {

struct Row {
  std::string name, note;
  UtcTime at = kNoTime;
  std::optional<int64_t> count;
  std::optional<Thousandths> amount;
  bool open = false;
  std::string list;
};

template <class Visitor>
void VisitColumns(const Row& row, Visitor&& visit) {
  visit("name", row.name);
  visit("note", row.note);
  visit("at", row.at);
  visit("count", row.count);
  visit("row_hash", Sha256("not this"));
  visit("amount", row.amount);
  visit("open", row.open);
  visit("updated_at", UtcTime{7});
  visit("list", JsonText{row.list});
  visit("model_version", Sha256("nor this"));
}

TEST_CASE("row hash: the recipe of joined fields, over the business columns") {
  JoinedFields fields;
  fields.Add("a|b").Add("\\|").AddNull().Add(int64_t{-17}).Add("7.500").Add("false").Add(R"(["x|\\"])");
  CHECK(RowHash(Row{"a|b", "\\|", kNoTime, -17, Thousandths{7500}, false, R"(["x|\\"])"}) == fields.Sha256());

  JoinedFields nulls;
  nulls.AddNull().AddNull().Add("1970-01-01T00:00:00.000001Z").AddNull().AddNull().Add("true").AddNull();
  CHECK(RowHash(Row{"", "", UtcTime{1}, {}, {}, true, ""}) == nulls.Sha256());
}

}  // namespace
}  // namespace medallion
