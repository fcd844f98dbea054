// How much memory this process could still take without driving others out. An estimate, for work
// that knows beforehand what it needs; what is refused in the end, memory_guard.hpp says.
#pragma once

#include <cstdint>

namespace paco::core {

// In bytes; the least of what the machine has and what the process is given. The largest number
// where the system does not tell.
std::uint64_t free_memory();

}  // namespace paco::core
