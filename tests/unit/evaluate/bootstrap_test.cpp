// Intervals: repeatable, around the share, as wide as theory says, absent if there is nothing to
// count.
#include "evaluate/bootstrap.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "evaluate/quantile.hpp"

namespace paco::evaluate {
namespace {

// 1,000 samples, 600 of them old; of the old 450 and of the novel 200 right under Strict.
std::vector<std::uint8_t> marks() {
  std::vector<std::uint8_t> result;
  result.insert(result.end(), 450, kOld | kStrictCorrect | kGreedyCorrect | kKnownCorrect);
  result.insert(result.end(), 150, kOld | kGreedyCorrect);
  result.insert(result.end(), 200, kStrictCorrect);
  result.insert(result.end(), 200, 0);
  return result;
}

Scores scored(std::uint64_t seed, double confidence = 0.95) {
  EvaluationOptions options;
  options.seed = seed;
  options.confidence = confidence;
  Scores scores;
  count_accuracies(marks(), scores);
  add_intervals(marks(), options, scores);
  return scores;
}

TEST(Bootstrap, CountsEachShareFromTheMarks) {
  const Scores scores = scored(0);
  EXPECT_DOUBLE_EQ(scores.strict.all.value().value(), 0.65);
  EXPECT_DOUBLE_EQ(scores.strict.old.value().value(), 0.75);
  EXPECT_DOUBLE_EQ(scores.strict.novel.value().value(), 0.5);
  EXPECT_DOUBLE_EQ(scores.greedy.old.value().value(), 1.0);
  EXPECT_DOUBLE_EQ(scores.known_accuracy.value().value(), 0.75);
}

TEST(Bootstrap, TheSameSeedGivesTheSameInterval) {
  EXPECT_EQ(scored(7).strict.all.interval->low, scored(7).strict.all.interval->low);
  EXPECT_NE(scored(7).strict.all.interval->low, scored(8).strict.all.interval->low);
}

TEST(Bootstrap, TheIntervalIsAsWideAsTheBinomialSays) {
  const Scores scores = scored(0);
  const double deviation = std::sqrt(0.65 * 0.35 / 1000);
  EXPECT_NEAR(scores.strict.all.interval->low, 0.65 - 1.96 * deviation, 0.3 * deviation);
  EXPECT_NEAR(scores.strict.all.interval->high, 0.65 + 1.96 * deviation, 0.3 * deviation);
}

// Many samples are drawn in another way, to the same distribution.
TEST(Bootstrap, ManySamplesHaveIntervalsAsWideAsTheBinomialSaysToo) {
  constexpr int kTimes = 300;
  std::vector<std::uint8_t> many;
  for (int i = 0; i < kTimes; ++i) {
    for (const std::uint8_t mark : marks()) many.push_back(mark);
  }
  Scores scores;
  count_accuracies(many, scores);
  add_intervals(many, {}, scores);
  struct Share {
    Accuracy accuracy;
    double value;
    int samples;
  };
  for (const Share& share : {Share{scores.strict.all, 0.65, 1000},
                             {scores.strict.old, 0.75, 600},
                             {scores.strict.novel, 0.5, 400},
                             {scores.greedy.all, 0.6, 1000},
                             {scores.known_accuracy, 0.75, 600}}) {
    const double deviation = std::sqrt(share.value * (1 - share.value) / (kTimes * share.samples));
    ASSERT_TRUE(share.accuracy.interval.has_value()) << share.value;
    EXPECT_NEAR(share.accuracy.interval->low, share.value - 1.96 * deviation, 0.3 * deviation);
    EXPECT_NEAR(share.accuracy.interval->high, share.value + 1.96 * deviation, 0.3 * deviation);
  }
  EXPECT_EQ(scores.greedy.old.interval->low, 1.0);
  EXPECT_EQ(scores.greedy.novel.interval->high, 0.0);
}

TEST(Bootstrap, LessConfidenceIsANarrowerInterval) {
  const Interval wide = *scored(0).strict.old.interval,
                 narrow = *scored(0, 0.5).strict.old.interval;
  EXPECT_LT(wide.low, narrow.low);
  EXPECT_LT(narrow.high, wide.high);
}

TEST(Bootstrap, AShareThatNoSampleContradictsHasNoWidth) {
  const Scores scores = scored(0);
  EXPECT_EQ(scores.greedy.old.interval->low, 1.0);
  EXPECT_EQ(scores.greedy.old.interval->high, 1.0);
}

TEST(Bootstrap, AnUndefinedShareHasNoInterval) {
  const std::vector<std::uint8_t> novel_only(20, kStrictCorrect);
  Scores scores;
  count_accuracies(novel_only, scores);
  add_intervals(novel_only, {}, scores);
  EXPECT_EQ(scores.strict.old.interval.has_value(), false);
  EXPECT_TRUE(scores.strict.novel.interval.has_value());
}

TEST(SortedQuantile, LiesBetweenNeighbours) {
  const std::vector<double> values = {1, 2, 4};
  EXPECT_DOUBLE_EQ(sorted_quantile(values, 0), 1);
  EXPECT_DOUBLE_EQ(sorted_quantile(values, 0.5), 2);
  EXPECT_DOUBLE_EQ(sorted_quantile(values, 0.75), 3);
  EXPECT_DOUBLE_EQ(sorted_quantile(values, 1), 4);
}

}  // namespace
}  // namespace paco::evaluate
