// Bins hold every finite value exactly once; quantiles interpolate.
#include "report/histogram.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace paco::report {
namespace {

std::int64_t total(const std::vector<std::int64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

TEST(Histogram, CountsEveryFiniteValueOnce) {
  const std::vector<double> groups[] = {{0, 0.1, 0.5, 1.0}, {0.25, std::nan(""), INFINITY}};
  const Histogram histogram = make_histogram(groups, 4);
  EXPECT_EQ(histogram.counts[0], (std::vector<std::int64_t>{2, 0, 1, 1}));
  EXPECT_EQ(histogram.counts[1], (std::vector<std::int64_t>{0, 1, 0, 0}));
  EXPECT_DOUBLE_EQ(histogram.low, 0);
  EXPECT_DOUBLE_EQ(histogram.width, 0.25);
}

TEST(Histogram, OfEqualValuesHasABinAroundThem) {
  const std::vector<double> groups[] = {{2.5, 2.5, 2.5}};
  const Histogram histogram = make_histogram(groups, 10);
  EXPECT_GT(histogram.width, 0);
  EXPECT_LT(histogram.low, 2.5);
  EXPECT_EQ(total(histogram.counts[0]), 3);
}

TEST(Histogram, OfNothingIsEmptyAndDefined) {
  const std::vector<double> groups[] = {{}, {}};
  const Histogram histogram = make_histogram(groups, 3);
  EXPECT_EQ(total(histogram.counts[0]) + total(histogram.counts[1]), 0);
}

}  // namespace
}  // namespace paco::report
