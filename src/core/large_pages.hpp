// An allocator for arrays that are written as a whole as soon as they are there. It asks the system
// for large pages where the array is large: one page fault and one entry in the processor's page
// tables for 2 MiB instead of for 4 KiB; where the system has none, the pages stay small. Pages of
// smaller arrays are made in one go. GrowingArray is for arrays that grow all the time.
//
// A calibration makes arrays of much the same size over and over, and the system clears every page
// that it hands out, so some large arrays that were given back are kept for the next who asks.
#pragma once

#include <cstddef>
#include <new>

#include "core/fresh_pages.hpp"

namespace paco::core {

// At most so many bytes are kept.
constexpr std::size_t kKeptBytes = std::size_t{64} << 20;
// Memory for so many bytes, with whatever was in it; give it back with the same number.
void* take_large_pages(std::size_t bytes);
void give_large_pages(void* memory, std::size_t bytes) noexcept;

template <class T>
struct LargePages {
  using value_type = T;

  LargePages() = default;
  template <class U>
  LargePages(const LargePages<U>&) {}

  T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    if (bytes >= kWorthIt) return static_cast<T*>(take_large_pages(bytes));
    void* memory = ::operator new(bytes);
    if (bytes >= kNewPages) make_pages(memory, bytes);
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) {
    if (count * sizeof(T) < kWorthIt) return ::operator delete(memory);
    give_large_pages(memory, count * sizeof(T));
  }
  bool operator==(const LargePages&) const { return true; }

 private:
  static constexpr std::size_t kWorthIt = std::size_t{4} << 20;
  static constexpr std::size_t kNewPages = std::size_t{1} << 17;  // fewer bytes: mostly used before
};

}  // namespace paco::core
