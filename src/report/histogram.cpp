// Equal-width bins.
#include "report/histogram.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace paco::report {

Histogram make_histogram(std::span<const std::vector<double>> groups, std::size_t bins) {
  assert(bins > 0);
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const auto& group : groups) {
    for (const double value : group) {
      if (!std::isfinite(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  Histogram result;
  result.counts.assign(groups.size(), std::vector<std::int64_t>(bins, 0));
  if (low > high) return result;
  // If all values are equal, the bin still needs a visible width.
  const double range = high > low ? high - low : 1.0;
  result.low = high > low ? low : low - 0.5;
  result.width = range / static_cast<double>(bins);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (const double value : groups[g]) {
      if (!std::isfinite(value)) continue;
      const auto bin = static_cast<std::size_t>((value - result.low) / result.width);
      ++result.counts[g][std::min(bin, bins - 1)];
    }
  }
  return result;
}

}  // namespace paco::report
