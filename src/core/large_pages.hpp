// An allocator for arrays that are written completely right after allocation. For large arrays it
// requests large pages from the system: one page fault and one entry in the processor's page tables
// for 2 MiB instead of for 4 KiB. If the system has no large pages, it uses small ones. The pages
// of smaller arrays are prepared in one call. GrowingArray is for arrays that keep growing.
//
// A calibration allocates arrays of similar size over and over, and the system clears every page
// that it provides. Therefore some returned large arrays are kept for later allocations.
#pragma once

#include <cstddef>
#include <new>

#include "core/fresh_pages.hpp"

namespace paco::core {

// Upper bound on the bytes that are kept.
constexpr std::size_t kKeptBytes = std::size_t{64} << 20;
// Memory for this many bytes, with unspecified contents; return it with the same number of bytes.
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
  static constexpr std::size_t kNewPages = std::size_t{1} << 17;  // below: mostly reused memory
};

}  // namespace paco::core
