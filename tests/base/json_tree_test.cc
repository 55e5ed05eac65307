// The JSON reader that packs share.
#include "src/base/json_tree.h"

#include <string>
#include <string_view>

#include "nlohmann/json.hpp"
#include "tests/catch.h"
#include "tests/feed.h"

namespace medallion::json {
namespace {

using testing::Random;

TEST_CASE("json tree: as strict as the standard") {
  Tree tree;
  Arena texts;
  for (const char* good : {"{}", "[]", "null", " true ", "-0.5e+10", R"("a\u00e9\ud83d\ude00\n")",
                           R"({"a":[1,{"b":null}]})", "5", "\"\""}) {
    CAPTURE(good);
    CHECK(tree.Parse(Padded(good, texts), texts));
  }
  for (const char* bad :
       {"",        "{",         "[1,]",        "[1 2]",    "{\"a\":tru}", "01",   "1.",        "-",
        "+1",      ".5",        "1e",          "nul",      "{} {}",       "}}",   "{\"a\" 1}", "{a:1}",
        "\"\\x\"", "\"\\u12\"", R"("\ud800")", "\"a\nb\"", "\"\xff\"",    "[,1]", "{,}",       "'a'"}) {
    CAPTURE(bad);
    CHECK_FALSE(tree.Parse(Padded(bad, texts), texts));
  }
  CHECK_FALSE(tree.Parse(Padded(std::string(65, '[') + std::string(65, ']'), texts), texts));
  CHECK(tree.Parse(Padded(std::string(64, '[') + std::string(64, ']'), texts), texts));
  REQUIRE(tree.Parse(Padded(R"({"n":1.50,"t":"x\"y","n2":null,"o":{"k":2}})", texts), texts));
  CHECK(tree.Find(&tree.root(), "n")->text == "1.50");  // its own digits
  CHECK(tree.Find(&tree.root(), "t")->text == "x\"y");
  CHECK(tree.Find(&tree.root(), "n2") == nullptr);
  CHECK(tree.Member(&tree.root(), "n2") != nullptr);
  CHECK(tree.Find(&tree.root(), "o")->text == R"({"k":2})");
  CHECK_FALSE(tree.has_repeats());
  REQUIRE(tree.Parse(Padded(R"({"a":1,"b":2,"a":1})", texts), texts));
  CHECK_FALSE(tree.has_repeats());  // they say the same
  REQUIRE(tree.Parse(Padded(R"({"a":1,"b":{"c":1,"c":"1"}})", texts), texts));
  CHECK(tree.has_repeats());
  std::string many = "{";
  for (int i = 0; i < 100; ++i) many += "\"m" + std::to_string(i) + "\":" + std::to_string(i) + ",";
  REQUIRE(tree.Parse(Padded(many + "\"m7\":8}", texts), texts));
  CHECK(tree.has_repeats());
}

TEST_CASE("json tree: texts with a few bytes changed are taken exactly where another reader takes them") {
  const std::string valid =
      R"({"event_id":"e1","n":[1,-2.5,0,true,false,null],"o":{"a":"\u00e4\\\"","b":{}},"t":"x"} )";
  Random random(7);
  int taken = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string text = valid;
    for (int64_t edits = 1 + random.Below(3); edits > 0; --edits) {
      const auto at = static_cast<size_t>(random.Below(static_cast<int64_t>(text.size())));
      if (random.Chance(300'000)) {
        text.erase(at, 1);
      } else {
        text[at] = "{}[]\",:\\u0e.-+tfn 19"[random.Below(20)];
      }
    }
    Tree tree;
    Arena texts;
    CAPTURE(text);
    const bool expected = nlohmann::json::accept(text);
    REQUIRE(tree.Parse(Padded(text, texts), texts) == expected);
    taken += expected ? 1 : 0;
  }
  CHECK(taken > 500);
}

// Of one name, too: looking for repeats stays linear.
TEST_CASE("json tree: an object of very many members, and more values than it takes") {
  Tree tree;
  Arena texts;
  std::string same = "{\"a\":1";
  for (int i = 0; i < 400'000; ++i) same += ",\"a\":1";
  REQUIRE(tree.Parse(Padded(same + "}", texts), texts));
  CHECK_FALSE(tree.has_repeats());
  REQUIRE(tree.Parse(Padded(same + ",\"a\":2}", texts), texts));
  CHECK(tree.has_repeats());
  std::string many = "[0";
  for (int i = 0; i < 1'000'000; ++i) many += ",0";
  CHECK_FALSE(tree.Parse(Padded(many + "]", texts), texts));
  CHECK(std::string_view(tree.problem()) == "more than a million values");
}

}  // namespace
}  // namespace medallion::json
