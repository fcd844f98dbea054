// Prepares pages that are about to be written, all in one call. Otherwise the first write to each
// new page is a page fault, which costs more than clearing the page. This is only a hint: if the
// system does not support it, pages are created one by one.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

namespace paco::core {

// Prepares all whole pages within these bytes, which must not have been written yet.
inline void make_pages(void* memory, std::size_t bytes) {
#ifdef MADV_POPULATE_WRITE
  constexpr std::uintptr_t kPage = 4096;
  const auto begin = (reinterpret_cast<std::uintptr_t>(memory) + kPage - 1) / kPage * kPage;
  const auto end = (reinterpret_cast<std::uintptr_t>(memory) + bytes) / kPage * kPage;
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_POPULATE_WRITE);
#else
  static_cast<void>(memory);
  static_cast<void>(bytes);
#endif
}

}  // namespace paco::core
