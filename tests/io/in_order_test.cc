#include "medallion/io/in_order.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <initializer_list>
#include <thread>
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

TEST_CASE("in order: at the end what was begun is finished, and what was not is left") {
  for (const size_t threads : std::initializer_list<size_t>{1, 4}) {
    std::atomic<int> begun = 0, done = 0;
    {
      InOrder<int> work(threads);
      for (int i = 0; i < 50; ++i) {
        work.Add([&] {
          ++begun;
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
          return ++done, i;
        });
      }
    }
    CHECK(begun == done);
    if (threads == 1) CHECK(begun == 0);  // who takes results does the work
  }
}

}  // namespace
}  // namespace medallion
