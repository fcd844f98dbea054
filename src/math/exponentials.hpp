// Many exponentials at once, with the same bits on every machine: a series of additions and
// multiplications as exact_exp has it, for several instruction sets (Highway).
#pragma once

#include <cstddef>

namespace paco::math {

// out[k] = exp(slope (values[k] - zero)), with the exponent limited to -50 .. 50. The error is at
// most 2 units in the last place; the result is exactly 1 if values[k] is `zero`.
void scaled_exponentials(const float* values, std::size_t n, float zero, double slope, double* out);

}  // namespace paco::math
