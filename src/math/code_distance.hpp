// The minimum distance at which codes can be kept apart.
#pragma once

#include <cstddef>

namespace paco::math {

// PHE's d_max for codes of `bits` and this many classes: the smallest d with
// 2^bits / classes <= binomial(bits, d - 1), at most half the bits.
int most_distance(std::size_t bits, std::size_t classes);

}  // namespace paco::math
