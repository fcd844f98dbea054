// Rectangular maximum-weight assignment, exact on integers: which cluster stands for which class.
//
// Shortest augmenting paths with potentials (the Jonker-Volgenant family) over the smaller side;
// O(m^2 n) at worst, with m the smaller side. Deterministic: the same weights give the same pairs.
// Of several optimal assignments the one found is fixed by the order of rows and columns; a caller
// who cares encodes the preference in the weights.
#pragma once

#include <cstdint>
#include <vector>

#include "paco/rows.hpp"

namespace paco {

inline constexpr std::int64_t kUnmatched = -1;

struct Matching {
  std::vector<std::int64_t> column_of_row;  // (rows) kUnmatched where the row is left over
  std::vector<std::int64_t> row_of_column;  // (columns)
  std::int64_t weight = 0;                  // sum over the pairs
};

// weights is (rows, columns), each from 0 to 2^62 / (rows + columns + 1). Every row or every column
// is matched, whichever are fewer; pairs of weight 0 mean nothing.
Matching match(Rows<const std::int64_t> weights);

}  // namespace paco
