// The replay in blocks is the plain one, bit for bit.
#include "methods/paco/replay.hpp"

#include <gtest/gtest.h>

#include "core/random.hpp"
#include "core/threads.hpp"
#include "methods/common/standardise.hpp"
#include "methods/common/von_mises_fisher.hpp"
#include "methods/common/work_done.hpp"
#include "synthetic_data.hpp"

namespace paco::methods {
namespace {

math::Matrix<float> units_of(const math::Matrix<double>& raw) {
  const SupportStatistics s = support_statistics(raw, 1e-5);
  math::Matrix<float> units(raw.rows(), raw.columns());
  core::ThreadPool pool;
  EXPECT_TRUE(standardise_rows(raw, s.mean, s.deviation, units.view(), "x", 0, pool).ok());
  return units;
}

void expect_same(const ReplayScores& a, const ReplayScores& b, std::uint64_t seed) {
  EXPECT_EQ(a.attach_positives, b.attach_positives) << "seed " << seed;
  EXPECT_EQ(a.attach_negatives, b.attach_negatives) << "seed " << seed;
  EXPECT_EQ(a.cosine_positives, b.cosine_positives) << "seed " << seed;
  EXPECT_EQ(a.cosine_negatives, b.cosine_negatives) << "seed " << seed;
}

TEST(Replay, InBlocksGivesTheScoresOfThePlainLoopBitForBit) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    testing::MadePlan shape = testing::varied_plan(seed);
    shape.per_class = 2 + seed;  // from a part of a block to several
    const auto data = testing::make_data(shape, seed);
    math::Matrix<float> units = units_of(data.support);
    // Duplicates and opposites, for ties, kappa's clamp and sums that cancel.
    core::Random random(seed, 9);
    for (std::size_t i = 1; i < units.rows(); i += 5) {
      const auto other = units[random.below(i)];
      const float sign = random.below(3) == 0 ? -1.0f : 1.0f;
      for (std::size_t j = 0; j < units.columns(); ++j) units[i][j] = sign * other[j];
    }
    ReplayPlan plan{shape.known, 3, static_cast<std::uint32_t>(seed),
                    log_uniform_density(shape.dimension)};
    if (seed % 4 == 3) plan.scored = units.rows() / 3;
    const ReplayScores expected = plain_replay(units, data.labels, plan);
    for (const unsigned threads : {1u, 2u}) {
      core::ThreadPool pool(threads);
      WorkDone work;
      expect_same(replay(units, data.labels, plan, pool, work), expected, seed);
    }
  }
}

TEST(Replay, ScoresAboutAsManySamplesOfAPassAsAskedAndAllOfThemAsBefore) {
  for (std::size_t samples = 1; samples < 5000; samples += 37) {
    for (const std::size_t scored : {std::size_t{1}, samples / 7, samples / 2, samples - 1}) {
      ReplayPlan plan;
      plan.scored = scored;
      std::size_t count = 0;
      for (std::size_t place = 0; place < samples; ++place)
        count += plan.scores(place, samples) ? 1u : 0u;
      EXPECT_GE(count, 1u);
      EXPECT_LE(count, scored + ReplayPlan::kRun) << samples;
      EXPECT_GE(count + 2 * ReplayPlan::kRun, scored) << samples;
    }
  }
}

TEST(Replay, EverySampleButTheFirstOfAPassHasAScore) {
  const auto data = testing::make_data({}, 3);
  const math::Matrix<float> units = units_of(data.support);
  const ReplayPlan plan{5, 3, 0, 1.0};
  const ReplayScores scores = plain_replay(units, data.labels, plan);
  // Each pass meets each of the 5 classes for the first time once; its first sample has no score.
  EXPECT_EQ(scores.attach_negatives.size(), 3u * 4u);
  EXPECT_EQ(scores.attach_positives.size(), 3 * (units.rows() - 5));
}

TEST(Replay, StopsWhenAsked) {
  const auto data = testing::make_data({}, 3);
  const math::Matrix<float> units = units_of(data.support);
  std::stop_source stop;
  stop.request_stop();
  core::ThreadPool pool;
  WorkDone work(1, stop.get_token(), {});
  EXPECT_TRUE(replay(units, data.labels, {5, 3, 0, 1.0}, pool, work).attach_positives.empty());
}

}  // namespace
}  // namespace paco::methods
