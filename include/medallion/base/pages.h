// Memory in large pages, for large tables that are looked up here and there: with small ones each look-up would first
// wait for the processor to find the page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace medallion {

// Memory that is all zeros at first. Where the system has no large pages, in small ones.
class Pages {
 public:
  static constexpr size_t kSize = size_t{2} << 20;  // of a large page

  explicit Pages(size_t size) {
#if defined(__linux__)
    mapped_ = size + kSize;  // so much that it can begin with a page
    void* const start = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED) throw std::bad_alloc();
    memory_ = static_cast<char*>(start);
    begin_ = memory_ + (kSize - reinterpret_cast<uintptr_t>(start) % kSize) % kSize;
    madvise(begin_, size, MADV_HUGEPAGE);
#else
    begin_ = memory_ = static_cast<char*>(std::calloc(size, 1));
    if (memory_ == nullptr) throw std::bad_alloc();
#endif
  }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  ~Pages() {
#if defined(__linux__)
    munmap(memory_, mapped_);
#else
    std::free(memory_);
#endif
  }

  char* begin() const { return begin_; }

 private:
  char* memory_;
  size_t mapped_ = 0;
  char* begin_;
};

}  // namespace medallion
