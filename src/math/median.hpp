// The median by its textbook definition: of an even count, the mean of the middle two.
#pragma once

#include <algorithm>
#include <cassert>
#include <vector>

namespace paco::math {

inline double median(std::vector<double> values) {
  assert(!values.empty());
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace paco::math
