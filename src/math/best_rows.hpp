// Maxima over many values: the two best rows of each of eight neighbouring columns of a table at
// once, and the best entry of a list. Reading eight columns costs no more memory traffic than
// reading one. Compiled for several instruction sets (Highway). It only multiplies, adds and
// compares single numbers, so all instruction sets give the same result.
#pragma once

#include <cstddef>

namespace paco::math {

inline constexpr std::size_t kColumnsAtOnce = 8;

// Row numbers are stored as double, the type in which they are compared; -1: none.
struct BestRows {
  double first[kColumnsAtOnce], second[kColumnsAtOnce];          // values
  double first_row[kColumnsAtOnce], second_row[kColumnsAtOnce];  // where they stand
};

// The value of row k in column j is table[k * stride + j] * scales[k] + biases[k]. In column j the
// row left_out[j] is ignored. If two values are equal, the lower row is better; a value of minus
// infinity is never among the best.
void best_two_rows(const double* table, std::size_t stride, std::size_t rows, const double* scales,
                   const double* biases, const double* left_out, BestRows& best);

// The first place with the largest values[j] + biases[j]; n if all are minus infinity.
std::size_t best_sum(const float* values, const float* biases, std::size_t n);

}  // namespace paco::math
