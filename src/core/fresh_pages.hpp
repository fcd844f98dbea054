// Pages that are about to be written, all at once: the first write to each page of new memory is a
// fault, a journey into the system that costs more than clearing the page does. A wish: where the
// system cannot, pages come one by one.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

namespace paco::core {

// The whole pages among these bytes, which have not been written yet.
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
