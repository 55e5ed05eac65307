// Memory for the texts, and other values, of one batch: allocated in chunks, larger ones as it grows, freed together.
// One thread at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>
#include <type_traits>
#include <vector>

namespace medallion {

// Texts handed out stay where they are until the arena is destroyed or cleared; moving the arena keeps them.
class Arena {
 public:
  Arena() = default;
  Arena(Arena&&) = default;
  Arena& operator=(Arena&&) = default;

  // `size` bytes, not initialised.
  char* Allocate(size_t size) {
    if (size > left_) Grow(size);
    char* start = next_;
    next_ += size;
    left_ -= size;
    return start;
  }

  std::string_view Copy(std::string_view text) {
    if (text.empty()) return {};
    char* start = Allocate(text.size());
    std::memcpy(start, text.data(), text.size());
    return {start, text.size()};
  }

  // A copy of the value, where it needs no destructor.
  template <class T>
  const T* Keep(const T& value) {
    static_assert(std::is_trivially_destructible_v<T>);
    void* start = Allocate(sizeof(T) + alignof(T) - 1);
    size_t space = sizeof(T) + alignof(T) - 1;
    return new (std::align(alignof(T), sizeof(T), start, space)) T(value);
  }

 private:
  static constexpr size_t kChunkMax = size_t{256} << 10;

  void Grow(size_t size) {
    const size_t doubled = std::clamp(capacity_, size_t{1} << 10, kChunkMax);
    const size_t chunk = std::max(size, doubled);
    chunks_.push_back(std::make_unique_for_overwrite<char[]>(chunk));
    capacity_ += chunk;
    next_ = chunks_.back().get();
    left_ = chunk;
  }

  std::vector<std::unique_ptr<char[]>> chunks_;
  char* next_ = nullptr;
  size_t left_ = 0;
  size_t capacity_ = 0;
};

}  // namespace medallion
