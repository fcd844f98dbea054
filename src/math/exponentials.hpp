// Many exponentials at once, with the same bits on every machine: a series of additions and
// multiplications as exact_exp has it, for several instruction sets (Highway).
#pragma once

#include <cstddef>

namespace paco::math {

// out[k] = exp(slope (values[k] - zero)), the exponent kept within -50 and 50. To 2 units in the
// last place; exactly 1 where values[k] is `zero`.
void scaled_exponentials(const float* values, std::size_t n, float zero, double slope, double* out);

}  // namespace paco::math
