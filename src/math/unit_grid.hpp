// Rows in float32 put on a grid of equally spaced numbers, as they are or brought to unit length
// first: the last step of an embedding. In double, for several instruction sets (Highway), all with
// the same bits. Which grid is the caller's to say.
#pragma once

#include <cstddef>

namespace paco::math {

// to[j] = float32 of (from[j] + shift) - shift, every step rounded in double, which leaves
// multiples of the last bit of numbers as large as `shift`. `to` may be `from`.
void put_on_grid(const float* from, double shift, float* to, std::size_t n);

// The same of from[j] * (1 / length), where the length is the root of plain::dot(from, from). What
// has no length becomes zero.
void normalise_on_grid(const float* from, double shift, float* to, std::size_t n);

}  // namespace paco::math
