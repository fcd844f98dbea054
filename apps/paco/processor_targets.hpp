// Which of Highway's instruction sets this processor and its system have. The same answer as
// Highway's own library gives for the sets that it knows; a test holds the two together. For
// x86-64 only.
#pragma once

#include <cstdint>

namespace paco {

// A set of Highway's target bits.
std::int64_t processor_targets();

}  // namespace paco
