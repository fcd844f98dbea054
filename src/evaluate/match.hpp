// Rectangular maximum-weight assignment, exact on integers: which cluster stands for which class.
//
// Shortest augmenting paths with dual values (the Jonker-Volgenant family), row by row of the
// smaller side; O(m^2 n) at worst, with m the smaller side, and far less on tables of counts.
// Deterministic; of several optimal assignments it finds the one that
// scipy.optimize.linear_sum_assignment(weights, maximize=True) finds. The evaluation code of the
// field uses that function, so shares that hang on a tie come out alike.
#pragma once

#include <cstdint>
#include <vector>

#include "paco/rows.hpp"

namespace paco {

inline constexpr std::int64_t kUnmatched = -1;
inline constexpr std::int64_t kLargestWeight = std::int64_t{1} << 58;

struct Matching {
  std::vector<std::int64_t> column_of_row;  // (rows) kUnmatched where the row is left over
  std::vector<std::int64_t> row_of_column;  // (columns)
};

// weights is (rows, columns), each from 0 to kLargestWeight. Every row or every column is matched,
// whichever are fewer: a pair of weight 0 only fills up.
Matching match(Rows<const std::int64_t> weights);

}  // namespace paco
