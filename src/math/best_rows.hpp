// The best of many: the two best rows of eight neighbouring columns of a table at once, because
// reading eight columns costs no more memory traffic than reading one, and the best of a list. For
// several instruction sets (Highway); only multiplies, adds and compares single numbers, so every
// one gives the same answer.
#pragma once

#include <cstddef>

namespace paco::math {

inline constexpr std::size_t kColumnsAtOnce = 8;

// Row numbers are kept as double, the type that they are compared in; -1: none.
struct BestRows {
  double first[kColumnsAtOnce], second[kColumnsAtOnce];          // values
  double first_row[kColumnsAtOnce], second_row[kColumnsAtOnce];  // where they stand
};

// The value of row k in column j is table[k * stride + j] * scales[k] + biases[k]. In column j the
// row left_out[j] does not count. Of equal values the lower row is better; minus infinity is never
// among the best.
void best_two_rows(const double* table, std::size_t stride, std::size_t rows, const double* scales,
                   const double* biases, const double* left_out, BestRows& best);

// Where values[j] + biases[j] is largest, the first such place; n where all are minus infinity.
std::size_t best_sum(const float* values, const float* biases, std::size_t n);

}  // namespace paco::math
