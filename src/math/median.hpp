// The median by its textbook definition: for an even count, the mean of the middle two values. And
// quantiles, by linear interpolation between neighbours.
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

// `share` is from 0 to 1: 0 gives the smallest value, 1 the largest.
inline double quantile(std::vector<double> values, double share) {
  assert(!values.empty());
  std::sort(values.begin(), values.end());
  const double place = share * static_cast<double>(values.size() - 1);
  const auto low = static_cast<std::size_t>(place);
  const std::size_t high = std::min(low + 1, values.size() - 1);
  return values[low] + (values[high] - values[low]) * (place - static_cast<double>(low));
}

}  // namespace paco::math
