#include "math/code_distance.hpp"

#include <algorithm>

namespace paco::math {

int most_distance(std::size_t bits, std::size_t classes) {
  double space = 1;
  for (std::size_t i = 0; i < bits; ++i) space *= 2;
  const double share = space / static_cast<double>(classes);
  double binomial = 1;  // (bits, d - 1)
  for (std::size_t d = 1; d <= bits / 2; ++d) {
    if (share <= binomial) return static_cast<int>(d);
    binomial = binomial * static_cast<double>(bits - d + 1) / static_cast<double>(d);
  }
  return std::max(static_cast<int>(bits / 2), 1);
}

}  // namespace paco::math
