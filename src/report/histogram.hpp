// Counts of scores in equal bins. They show how two groups of scores lie on either side of a
// threshold.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace paco::report {

struct Histogram {
  double low = 0;                                 // left edge of the first bin
  double width = 0;                               // of a bin
  std::vector<std::vector<std::int64_t>> counts;  // one row of bins per group
};

// Makes bins that cover all groups. Values that are not finite are left out. The last bin includes
// its right edge.
Histogram make_histogram(std::span<const std::vector<double>> groups, std::size_t bins);

}  // namespace paco::report
