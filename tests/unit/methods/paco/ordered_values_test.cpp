// Values kept in order give the ranks and medians of a sorted copy.
#include "methods/paco/ordered_values.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/random.hpp"
#include "math/median.hpp"

namespace paco::methods {
namespace {

double plain_deviation(const std::vector<double>& values, double around) {
  std::vector<double> deviations;
  for (const double x : values) deviations.push_back(std::abs(x - around));
  return math::median(deviations);
}

// Values on a coarse grid are often equal, also across the borders of buckets.
double some_value(core::Random& random, bool coarse) {
  return coarse ? static_cast<double>(random.below(7)) : random.normal();
}

void expect_same(const OrderedValues& ordered, std::vector<double> values, std::uint64_t seed) {
  ASSERT_EQ(ordered.size(), values.size());
  ASSERT_EQ(ordered.median(), math::median(values)) << "seed " << seed;
  const double centre = math::median(values);
  ASSERT_EQ(ordered.median_deviation(centre), plain_deviation(values, centre)) << "seed " << seed;
  ASSERT_EQ(ordered.median_deviation(0.3), plain_deviation(values, 0.3)) << "seed " << seed;
}

TEST(OrderedValues, AgreesWithSortingWhileValuesComeAndGo) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    core::Random random(seed);
    const bool coarse = seed % 2 == 0;
    OrderedValues ordered;
    std::vector<double> values;
    for (int step = 0; step < 400; ++step) {
      if (!values.empty() && random.below(3) == 0) {
        const std::size_t victim = random.below(values.size());
        ordered.erase(values[victim]);
        values.erase(values.begin() + static_cast<std::ptrdiff_t>(victim));
      } else {
        values.push_back(some_value(random, coarse));
        ordered.insert(values.back());
      }
      if (!values.empty()) expect_same(ordered, values, seed);
    }
  }
}

TEST(OrderedValues, ReadsEveryRankOfManyBuckets) {
  for (const bool coarse : {false, true}) {
    core::Random random(31);
    OrderedValues ordered;
    std::vector<double> values;
    for (int i = 0; i < 6000; ++i) {
      values.push_back(some_value(random, coarse));
      ordered.insert(values.back());
    }
    random.shuffle(std::span(values));
    for (int i = 0; i < 3500; ++i) {  // buckets become small and join their neighbours
      ordered.erase(values.back());
      values.pop_back();
    }
    for (int i = 0; i < 1000; ++i) {
      values.push_back(some_value(random, coarse));
      ordered.insert(values.back());
    }
    expect_same(ordered, values, 31);
    std::sort(values.begin(), values.end());
    for (std::size_t rank = 0; rank < values.size(); ++rank) ASSERT_EQ(ordered[rank], values[rank]);
  }
}

TEST(OrderedValues, AgreesWhenAllValuesMoveUpAndLeaveAFewBehind) {
  core::Random random(32);
  OrderedValues ordered;
  std::vector<double> values(1500);
  for (double& x : values) {
    x = random.uniform();
    ordered.insert(x);
  }
  for (int step = 0; step < 12'000; ++step) {
    double& x = values[100 + random.below(values.size() - 100)];
    ordered.erase(x);
    x += random.uniform();
    ordered.insert(x);
    if (step % 500 == 0) expect_same(ordered, values, 32);
  }
  expect_same(ordered, values, 32);
  for (const double x : values) ordered.erase(x);
  EXPECT_EQ(ordered.size(), 0u);
  ordered.insert(4);
  EXPECT_EQ(ordered.median(), 4) << "an emptied one can be used again";
}

}  // namespace
}  // namespace paco::methods
