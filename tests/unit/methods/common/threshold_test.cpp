// Thresholds are the best there are, with the interval of equally good ones.
#include "methods/common/threshold.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "core/random.hpp"

namespace paco::methods {
namespace {

using Scores = std::vector<double>;

// Balanced accuracy of one threshold, straight from its definition.
double accuracy_of(const Scores& positives, const Scores& negatives, double tau) {
  double passed = 0, failed = 0;
  for (const double x : positives) passed += x >= tau;
  for (const double x : negatives) failed += x < tau;
  return 0.5 * (passed / static_cast<double>(positives.size()) +
                failed / static_cast<double>(negatives.size()));
}

TEST(Threshold, SeparatedScoresLeaveAWideInterval) {
  const Scores positives{5, 7, 6}, negatives{1, 2};
  const ThresholdEvidence mid = choose_threshold(positives, negatives, Tie::mid);
  EXPECT_EQ(mid.value, 3.5);
  EXPECT_EQ(mid.balanced_accuracy, 1);
  EXPECT_EQ(mid.interval_low, 2);
  EXPECT_EQ(mid.interval_high, 5);
  EXPECT_EQ(choose_threshold(positives, negatives, Tie::high).value, 5);
  const double low = choose_threshold(positives, negatives, Tie::low).value;
  EXPECT_GT(low, 2);
  EXPECT_LT(low, 2.0000001);
}

TEST(Threshold, OneDistinctValueIsTheThreshold) {
  for (const Tie tie : {Tie::mid, Tie::low, Tie::high}) {
    const ThresholdEvidence t = choose_threshold(Scores{4, 4}, Scores{4}, tie);
    EXPECT_EQ(t.value, 4);
    EXPECT_EQ(t.balanced_accuracy, 0.5);
    EXPECT_EQ(t.interval_low, t.interval_high);
  }
}

TEST(Threshold, WithoutAnyUsefulCutTheLowestValueIsTaken) {
  const ThresholdEvidence t = choose_threshold(Scores{1, 2}, Scores{3, 4}, Tie::mid);
  EXPECT_EQ(t.value, 1);
  EXPECT_EQ(t.balanced_accuracy, 0.5);
}

TEST(Threshold, OfEquallyGoodIntervalsTheFirstIsTaken) {
  // Cuts in (1, 2] and (3, 4] are right about three of four.
  const ThresholdEvidence t = choose_threshold(Scores{2, 4}, Scores{1, 3}, Tie::mid);
  EXPECT_EQ(t.value, 1.5);
  EXPECT_EQ(t.balanced_accuracy, 0.75);
}

TEST(Threshold, BetweenNeighbouringDoublesTheMiddleIsNotBelow) {
  const double low = 1.0, high = std::nextafter(low, 2.0);
  const ThresholdEvidence t = choose_threshold(Scores{high}, Scores{low}, Tie::mid);
  EXPECT_EQ(t.value, high) << "the lower end would fail no negative";
}

TEST(Threshold, KeepsTheScoresItWasChosenFrom) {
  const ThresholdEvidence t = choose_threshold(Scores{5, 1}, Scores{0.5}, Tie::mid);
  EXPECT_EQ(t.positives, (std::vector<float>{5, 1}));
  EXPECT_EQ(t.negatives, (std::vector<float>{0.5}));
}

TEST(Threshold, NoCandidateAnywhereIsBetter) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    core::Random random(seed);
    Scores positives(1 + random.below(12)), negatives(1 + random.below(12));
    const std::uint64_t distinct = 1 + random.below(15);  // few, so that there are ties
    for (double& x : positives) x = 0.5 * static_cast<double>(random.below(distinct)) + 1;
    for (double& x : negatives) x = 0.5 * static_cast<double>(random.below(distinct));
    std::set<double> values(positives.begin(), positives.end());
    values.insert(negatives.begin(), negatives.end());

    for (const Tie tie : {Tie::mid, Tie::low, Tie::high}) {
      const ThresholdEvidence t = choose_threshold(positives, negatives, tie);
      const double reached = accuracy_of(positives, negatives, t.value);
      EXPECT_NEAR(reached, t.balanced_accuracy, 1e-12) << "seed " << seed;
      EXPECT_NEAR(accuracy_of(positives, negatives, t.interval_high), reached, 1e-12);
      EXPECT_GE(t.value, t.interval_low);
      EXPECT_LE(t.value, t.interval_high);
      double previous = -std::numeric_limits<double>::infinity();
      for (const double v : values) {
        const double here = accuracy_of(positives, negatives, v);
        EXPECT_LE(here, reached + 1e-12) << "seed " << seed << ", cut at " << v;
        if (v < t.interval_high) {
          EXPECT_LT(here, reached + 1e-12) << "seed " << seed << ": an earlier cut is as good";
        }
        if (v == t.interval_high && previous > -1) {
          EXPECT_EQ(t.interval_low, previous);
        }
        previous = v;
      }
    }
  }
}

}  // namespace
}  // namespace paco::methods
