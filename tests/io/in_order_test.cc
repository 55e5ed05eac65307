#include "medallion/io/in_order.h"

#include <atomic>
#include <cstddef>
#include <initializer_list>
#include <vector>

#include "../catch.h"

namespace medallion {
namespace {

TEST_CASE("in order: results come in the order in which the work was added") {
  for (const size_t threads : std::initializer_list<size_t>{0, 1, 2, 5}) {
    CAPTURE(threads);
    InOrder<size_t> squares(threads);
    std::vector<size_t> taken;
    for (size_t i = 0; i < 200; ++i) {
      squares.Add([i] { return i * i; });
      if (squares.size() == 7) taken.push_back(squares.Next());
    }
    while (squares.size() > 0) taken.push_back(squares.Next());
    REQUIRE(taken.size() == 200);
    for (size_t i = 0; i < taken.size(); ++i) REQUIRE(taken[i] == i * i);
  }
}

TEST_CASE("in order: work that is left at the end is done whole or not at all") {
  for (const size_t threads : std::initializer_list<size_t>{1, 4}) {
    std::atomic<int> begun = 0, done = 0;
    {
      InOrder<int> work(threads);
      for (int i = 0; i < 50; ++i) work.Add([&] { return ++begun, ++done, i; });
    }
    CHECK(begun == done);
  }
}

}  // namespace
}  // namespace medallion
