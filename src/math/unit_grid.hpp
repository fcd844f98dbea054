// Rounds rows in float32 to a grid of equally spaced numbers, either unchanged or scaled to unit
// length first: the last step of an embedding. Computed in double, for several instruction sets
// (Highway), all with the same bits. The caller chooses the grid.
#pragma once

#include <cstddef>

namespace paco::math {

// to[j] = float32 of (from[j] + shift) - shift, every step rounded in double, which leaves
// multiples of the last bit of numbers as large as `shift`. `to` may be `from`.
void put_on_grid(const float* from, double shift, float* to, std::size_t n);

// Same for from[j] * (1 / length), where the length is the root of plain::dot(from, from). A row
// without a length becomes zero.
void normalise_on_grid(const float* from, double shift, float* to, std::size_t n);

}  // namespace paco::math
