// A list that grows without moving what it holds, and without the spare half of a vector that doubles.
// One thread at a time while it grows.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "medallion/base/pages.h"

namespace medallion {

// The first chunks are allocated one by one; a list that outgrows them is large, and gets many at a time.
template <class T>
class Chunked {
 public:
  static_assert(std::is_trivially_destructible_v<T>);

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](size_t i) { return chunks_[i / kChunk][i % kChunk]; }
  const T& operator[](size_t i) const { return chunks_[i / kChunk][i % kChunk]; }
  T& back() { return (*this)[size_ - 1]; }
  const T& back() const { return (*this)[size_ - 1]; }

  void push_back(T value) {
    if (size_ == chunks_.size() * kChunk) Grow();
    new (&(*this)[size_++]) T(std::move(value));
  }

 private:
  static constexpr size_t kChunk = 4096;
  static constexpr size_t kChunksAtOnce = 32;

  void Grow() {
    if (chunks_.size() < kChunksAtOnce) {
      small_.push_back(std::make_unique_for_overwrite<std::byte[]>(kChunk * sizeof(T)));
      chunks_.push_back(reinterpret_cast<T*>(small_.back().get()));
      return;
    }
    large_.push_back(std::make_unique<Pages>(kChunksAtOnce * kChunk * sizeof(T)));
    T* const start = reinterpret_cast<T*>(large_.back()->begin());
    for (size_t i = 0; i < kChunksAtOnce; ++i) chunks_.push_back(start + i * kChunk);
  }

  std::vector<T*> chunks_;
  std::vector<std::unique_ptr<std::byte[]>> small_;
  std::vector<std::unique_ptr<Pages>> large_;
  size_t size_ = 0;
};

}  // namespace medallion
