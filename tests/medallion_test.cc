#include "medallion/medallion.h"

#include "catch.h"

namespace medallion {
namespace {

TEST_CASE("medallion.h: one include brings the whole flow") {
  const ocpp::Options options;
  MemoryStore<ocpp::Charging> store;
  Runner<ocpp::Charging> runner(store, options);
  CHECK(runner.Take({}, "").ok());
  CHECK(AccountingLine(*store.Books()) == "0 = 0 silver");
}

}  // namespace
}  // namespace medallion
