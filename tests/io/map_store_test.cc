// The store of example 04: what a host writes by the manual passes what every store must.
#include <memory>

#include "tests/catch.h"
#include "tests/io/store_suite.h"
#include "tests/stores.h"
#include "tests/toy.h"

namespace medallion {
namespace {

TEST_CASE("map store: the suite") {
  suite::StoreSuite([] { return std::make_unique<MapStore<toy::Loans>>(); });
}

}  // namespace
}  // namespace medallion
