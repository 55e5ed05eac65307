// A list that grows without moving what it holds, and without the spare half of a vector that doubles.
// One thread at a time while it grows.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace medallion {

template <class T>
class Chunked {
 public:
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](size_t i) { return chunks_[i / kChunk][i % kChunk]; }
  const T& operator[](size_t i) const { return chunks_[i / kChunk][i % kChunk]; }
  T& back() { return (*this)[size_ - 1]; }
  const T& back() const { return (*this)[size_ - 1]; }

  void push_back(T value) {
    if (size_ == chunks_.size() * kChunk) chunks_.push_back(std::make_unique<T[]>(kChunk));
    (*this)[size_++] = std::move(value);
  }

 private:
  static constexpr size_t kChunk = 4096;

  std::vector<std::unique_ptr<T[]>> chunks_;
  size_t size_ = 0;
};

}  // namespace medallion
