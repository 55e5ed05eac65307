#include "medallion/silver/accounting.h"

#include "catch.h"

namespace medallion {
namespace {

Accounting Of(int64_t silver, int64_t technical, int64_t business, int64_t quarantined, int64_t ignored) {
  Accounting books;
  books.fates.of = {silver, technical, business, quarantined, ignored};
  books.by_hour[UtcTime{0}] = books.fates;
  books.elements = books.fates.sum();
  return books;
}

TEST_CASE("accounting: the line leaves out fates that nobody met, but never silver") {
  CHECK(AccountingLine(Of(6, 1, 1, 1, 0)) == "9 = 6 silver + 2 duplicates + 1 quarantined");
  CHECK(AccountingLine(Of(0, 0, 0, 0, 0)) == "0 = 0 silver");
  CHECK(AccountingLine(Of(1, 0, 1, 0, 3)) == "5 = 1 silver + 1 duplicate + 3 ignored");
}

TEST_CASE("accounting: an element without a fate, or an hour that disagrees, is an imbalance") {
  Accounting books = Of(6, 1, 1, 1, 0);
  CHECK(Imbalance(books) == 0);
  ++books.elements;
  CHECK(Imbalance(books) == 1);
  --books.elements;
  ++books.by_hour[UtcTime{kMicrosPerHour}][Fate::kSilver];
  CHECK(Imbalance(books) == 1);
}

TEST_CASE("fates: every fate has its name") {
  CHECK(FateName(Fate::kSilver) == "silver");
  CHECK(FateName(Fate::kTechnicalDuplicate) == "technical_duplicate");
  CHECK(FateName(Fate::kBusinessDuplicate) == "business_duplicate");
  CHECK(FateName(Fate::kQuarantined) == "quarantined");
  CHECK(FateName(Fate::kIgnored) == "ignored");
}

}  // namespace
}  // namespace medallion
