// Calibration for hosts of any kind: the same rule and the same replay as the library's own, and
// errors for what cannot be calibrated.
#include "paco/self_calibration.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "core/random.hpp"
#include "math/matrix.hpp"
#include "math/plain.hpp"
#include "methods/common/threshold.hpp"
#include "methods/paco/replay.hpp"

namespace paco::methods {
namespace {

constexpr std::size_t kDimension = 8;

// Unit rows around the axis of their class.
struct Support {
  math::Matrix<float> units{90, kDimension};
  std::vector<std::int64_t> labels;

  Support() {
    core::Random random(7);
    for (std::size_t i = 0; i < units.rows(); ++i) {
      labels.push_back(static_cast<std::int64_t>(i % 5));
      std::vector<double> row(kDimension);
      for (double& x : row) x = 0.4 * random.normal();
      row[i % 5] += 1;
      const double length = std::sqrt(math::plain::dot(row.data(), row.data(), kDimension));
      for (std::size_t j = 0; j < kDimension; ++j)
        units[i][j] = static_cast<float>(row[j] / length);
    }
  }
};

// Best cosine with the mean direction of a class.
struct CosineHost {
  const Support& support;
  std::map<std::int64_t, std::vector<double>> sums = {};

  ReplayHost host() {
    return {[this]() -> Result<void> {
              sums.clear();
              return {};
            },
            [this](std::size_t i) -> Result<double> {
              double best = -1;
              for (const auto& entry : sums) {
                const double* sum = entry.second.data();
                const double length = std::sqrt(math::plain::dot(sum, sum, kDimension));
                best = std::max(
                    best, math::plain::dot(sum, support.units[i].data(), kDimension) / length);
              }
              return best;
            },
            [this](std::size_t i, std::int64_t label) -> Result<void> {
              auto& sum = sums.try_emplace(label, kDimension, 0.0).first->second;
              for (std::size_t j = 0; j < kDimension; ++j)
                sum[j] += static_cast<double>(support.units[i][j]);
              return {};
            }};
  }
};

TEST(SelfCalibration, AHostThatScoresByCosineGetsTheLeadersThreshold) {
  const Support support;
  CosineHost cosine{support};
  const auto threshold = calibrate_by_replay(support.labels, cosine.host(), {2, 5, Tie::mid});
  ASSERT_TRUE(threshold.ok());
  ReplayPlan plan;
  plan.classes = 5;
  plan.passes = 2;
  plan.seed = 5;
  const ReplayScores scores = plain_replay(support.units, support.labels, plan);
  const ThresholdEvidence expected =
      choose_threshold(scores.cosine_positives, scores.cosine_negatives, Tie::mid);
  EXPECT_EQ(threshold->value, expected.value);
  EXPECT_EQ(threshold->positives, expected.positives);
  EXPECT_EQ(threshold->negatives, expected.negatives);
}

TEST(SelfCalibration, ScoresThatAreMissingOrNotFiniteAreRefusedByPlace) {
  const std::vector<double> good{1, 2}, none, bad{0, std::numeric_limits<double>::quiet_NaN()};
  EXPECT_EQ(calibrate_threshold(none, good).error().message, "there are no positive scores");
  EXPECT_EQ(calibrate_threshold(good, bad).error().message, "negative score 1 is nan");
  EXPECT_EQ(calibrate_threshold(good, bad).error().code, ErrorCode::bad_value);
}

TEST(SelfCalibration, AnErrorOfTheHostIsTheResult) {
  const Support support;
  CosineHost cosine{support};
  ReplayHost host = cosine.host();
  host.score = [](std::size_t) -> Result<double> { return Error{ErrorCode::io, "no answer", ""}; };
  EXPECT_EQ(calibrate_by_replay(support.labels, host).error().message, "no answer");
  host.score = [](std::size_t) -> Result<double> { return HUGE_VAL; };
  EXPECT_EQ(calibrate_by_replay(support.labels, host).error().code, ErrorCode::bad_value);
}

TEST(SelfCalibration, OneClassNoPassAndAStopAreRefused) {
  const Support support;
  CosineHost cosine{support};
  const std::vector<std::int64_t> alike(4, 2);
  EXPECT_EQ(calibrate_by_replay(alike, cosine.host()).error().code, ErrorCode::bad_value);
  EXPECT_EQ(calibrate_by_replay(support.labels, cosine.host(), {0, 0, Tie::mid}).error().code,
            ErrorCode::bad_argument);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(calibrate_by_replay(support.labels, cosine.host(), {}, stop.get_token()).error().code,
            ErrorCode::interrupted);
}

}  // namespace
}  // namespace paco::methods
