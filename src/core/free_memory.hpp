// How much more memory this process can use without forcing other data out of memory. It is an
// estimate, for work whose memory need is known in advance. If an allocation fails in spite of it,
// memory_guard.hpp makes the error.
#pragma once

#include <cstdint>

namespace paco::core {

// In bytes; the smaller of the machine's free memory and what is left of the limit of the process.
// The largest number if the system gives no value.
std::uint64_t free_memory();

}  // namespace paco::core
