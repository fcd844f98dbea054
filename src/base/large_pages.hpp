// An allocator for arrays that are written as a whole as soon as they are there. It asks the system
// for large pages where the array is large: one page fault and one entry in the processor's page
// tables for 2 MiB instead of for 4 KiB; where the system has none, the pages stay small. Pages of
// smaller arrays are made in one go. GrowingArray is for arrays that grow all the time.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <new>

#include "base/fresh_pages.hpp"

namespace paco {

template <class T>
struct LargePages {
  using value_type = T;

  LargePages() = default;
  template <class U>
  LargePages(const LargePages<U>&) {}

  T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    if (bytes < kWorthIt) {
      void* memory = ::operator new(bytes);
      if (bytes >= kNewPages) make_pages(memory, bytes);
      return static_cast<T*>(memory);
    }
    const std::size_t whole_pages = (bytes + kPage - 1) / kPage * kPage;
    void* memory = std::aligned_alloc(kPage, whole_pages);
    if (memory == nullptr) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
    madvise(memory, whole_pages, MADV_HUGEPAGE);
#endif
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) {
    if (count * sizeof(T) < kWorthIt) return ::operator delete(memory);
    std::free(memory);
  }
  bool operator==(const LargePages&) const { return true; }

 private:
  static constexpr std::size_t kPage = std::size_t{2} << 20;
  static constexpr std::size_t kWorthIt = 2 * kPage;
  static constexpr std::size_t kNewPages = std::size_t{1} << 17;  // fewer bytes: mostly used before
};

}  // namespace paco
