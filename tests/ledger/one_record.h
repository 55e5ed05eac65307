// One record, refined: for tests of the steps up to the identity.
#pragma once

#include <string>
#include <string_view>

#include "medallion/ledger/record_lines.h"
#include "medallion/ledger/refine.h"
#include "tests/catch.h"

namespace medallion::ledger {

// JSON with ' for ".
inline std::string Quotes(std::string text) {
  for (char& c : text) c = c == '\'' ? '"' : c;
  return text;
}

// A line as the tool reads it, refined. Keeps what its element refers to.
class OneRecord {
 public:
  explicit OneRecord(const std::string& line, const Options& options = Options()) : line_(Quotes(line)) {
    BronzeRecord record = RecordLines().Decode(line_, {.topic = "t", .offset = 1}, texts_);
    refined_ = Refine({&record, 1}, options);
    REQUIRE(refined_.elements.size() == 1);
  }
  const LedgerElement& element() const { return refined_.elements[0]; }
  const LedgerEvent& row() const { return element().row; }
  const ChangeFacts& change() const {
    REQUIRE(row().change.has_value());
    return *row().change;
  }
  std::string violations() const { return std::string(element().violations); }
  std::string amount() const { return row().amount_minor ? row().amount_minor->ToText() : "null"; }
  uint64_t unknown_fields() const { return refined_.unknown_fields; }

 private:
  std::string line_;
  Arena texts_;
  Refined<LedgerEvent> refined_;
};

}  // namespace medallion::ledger
