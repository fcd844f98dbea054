// The textbook Hungarian algorithm on doubles, as it is found in many evaluation scripts.
#pragma once

#include <cstdint>
#include <vector>

#include "paco/rows.hpp"

namespace paco::bench {

// Total weight of the best assignment of rows to columns; rows <= columns.
std::int64_t plain_best_weight(Rows<const std::int64_t> weights);

}  // namespace paco::bench
