// Rectangular maximum-weight assignment, exact on integers: which cluster stands for which class.
//
// Shortest augmenting paths with dual values (the Jonker-Volgenant family), row by row of the
// smaller side, on the pairs that weigh something: memory and time grow with those, not with rows
// times columns. Deterministic; of several optimal assignments it finds the one that
// scipy.optimize.linear_sum_assignment(weights, maximize=True) finds. The evaluation code of the
// field uses that function, so results that depend on a tie are the same. plain_match() computes
// the same on the whole table, cell by cell; tests compare the two.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "paco/rows.hpp"

namespace paco::math {

inline constexpr std::int64_t kUnmatched = -1;
inline constexpr std::int64_t kLargestWeight = std::int64_t{1} << 58;

// A sparse table: most cells are 0.
struct WeightTable {
  struct Cell {
    std::uint32_t row = 0;
    std::uint32_t column = 0;
    std::int64_t weight = 0;  // from 1 to kLargestWeight
  };
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<Cell> cells;  // in any order, each pair at most once
};

// The cells above 0 of a whole table.
WeightTable weight_table(Rows<const std::int64_t> weights);

struct Matching {
  std::vector<std::int64_t> column_of_row;  // (rows) kUnmatched if the row has no column
  std::vector<std::int64_t> row_of_column;  // (columns)
};

// Matches every row or every column, whichever are fewer; pairs of weight 0 fill up the matching.
// If the token is set, it returns early, and pairs are missing.
Matching match(const WeightTable& table, std::stop_token stop = {});

// Returns the same pairs as match(). weights is (rows, columns), each from 0 to kLargestWeight.
Matching plain_match(Rows<const std::int64_t> weights);

}  // namespace paco::math
