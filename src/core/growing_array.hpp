// An array that grows without copying its elements: the system moves page tables instead (mremap).
// Pages that were never written use no memory, except the first mebibyte of an array, which is
// allocated as a whole. For plain numbers in large, long-lived arrays that keep growing; use
// std::vector for small or short-lived ones. As with std::vector, running out of address space ends
// the program.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

#include "core/fresh_pages.hpp"

namespace paco::core {

template <class T>
class GrowingArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  GrowingArray() = default;
  GrowingArray(GrowingArray&& other) noexcept { swap(other); }
  GrowingArray& operator=(GrowingArray&& other) noexcept {
    swap(other);
    return *this;
  }
  ~GrowingArray() {
    if (data_ != nullptr) munmap(data_, mapped_);
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }

  // New elements are zero.
  void resize(std::size_t size) {
    reserve(size);
    if (size < size_) std::fill(data_ + size, data_ + size_, T{});
    size_ = size;
  }
  // After this call, the array can hold `size` elements without another system call. Throws
  // std::bad_alloc if the system refuses.
  void reserve(std::size_t size) {
    if (size * sizeof(T) > mapped_) grow(size * sizeof(T));
  }
  void push_back(T value) {
    resize(size_ + 1);
    data_[size_ - 1] = value;
  }

 private:
  void swap(GrowingArray& other) {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(mapped_, other.mapped_);
  }

  void grow(std::size_t bytes) {
    constexpr std::size_t kPage = 4096;
    std::size_t target = std::max(bytes, mapped_ + mapped_ / 2);
    target = (target + kPage - 1) / kPage * kPage;
    void* moved = data_ == nullptr ? mmap(nullptr, target, PROT_READ | PROT_WRITE,
                                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                                   : mremap(data_, mapped_, target, MREMAP_MAYMOVE);
    if (moved == MAP_FAILED) throw std::bad_alloc();
    constexpr std::size_t kAtOnce = std::size_t{1} << 20;
    if (mapped_ < kAtOnce)
      make_pages(static_cast<std::byte*>(moved) + mapped_, std::min(target, kAtOnce) - mapped_);
    data_ = static_cast<T*>(moved);
    mapped_ = target;
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t mapped_ = 0;  // bytes
};

}  // namespace paco::core
