// What calibration refuses, how it chooses, and that it can be watched and stopped.
#include "methods/mirror/calibrate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "methods/mirror/held_out.hpp"
#include "methods/mirror/rule.hpp"
#include "mirror_case.hpp"

namespace paco::testing {
namespace {

using ::testing::HasSubstr;

// As a method of the registry: the support set is checked there, and so are options.
Error refusal(const math::Matrix<double>& support, std::vector<std::int64_t> labels,
              const Settings& settings = {}) {
  CalibrationOptions options;
  options.method = "mirror";
  options.settings = settings;
  const auto model = calibrate({support, labels, {}, {}}, options);
  EXPECT_FALSE(model.ok());
  return model.ok() ? Error{} : model.error();
}

TEST(MirrorCalibrate, RefusesWhatItCannotLearnFromAndSaysWhy) {
  const SyntheticData data = make_data({}, 1);
  const math::Matrix<double>& h = data.support;
  std::vector<std::int64_t> labels = data.labels;
  EXPECT_THAT(refusal(h, {0, 1, 2}).message, HasSubstr("but 3 labels"));
  labels[4] = -7;
  EXPECT_THAT(refusal(h, labels).message, HasSubstr("row 4 has label -7"));
  labels = data.labels;
  for (std::int64_t& k : labels) k = k == 2 ? 3 : k;
  EXPECT_THAT(refusal(h, labels).message, HasSubstr("class 2"));
  for (std::int64_t& k : labels) k %= 2;
  EXPECT_THAT(refusal(h, labels).message, HasSubstr("2 known class(es)"));
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<std::int64_t>(i);
  EXPECT_THAT(refusal(h, labels).message, HasSubstr("every class has a single sample"));
  math::Matrix<double> bad = h;
  bad[3][1] = std::nan("");
  EXPECT_THAT(refusal(bad, data.labels).message, HasSubstr("row 3 has nan at column 1"));
  EXPECT_THAT(refusal(math::Matrix<double>(), {}).message, HasSubstr("it is empty"));
  math::Matrix<double> constant = h;
  std::fill_n(constant.data(), h.rows() * h.columns(), 2.5);
  EXPECT_THAT(refusal(constant, data.labels).message, HasSubstr("row 0 has no direction"));
}

TEST(MirrorCalibrate, SaysBeforehandThatADimensionTakesMoreMemoryThanThereIs) {
  const auto refused = methods::fits_at_a_time(500, 16384, 4'000'000'000, 2);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("needs 8.7 GB"));
  EXPECT_THAT(refused.error().message, HasSubstr("16384 dimensions, 4.0 GB are free"));
  EXPECT_EQ(methods::fits_at_a_time(500, 16384, 10'000'000'000, 8).value(), 1u);
  EXPECT_EQ(methods::fits_at_a_time(500, 16384, 20'000'000'000, 8).value(), 2u);
  EXPECT_EQ(methods::fits_at_a_time(500, 768, 4'000'000'000, 8).value(), 8u);
}

TEST(MirrorCalibrate, RefusesOptionsOutOfRange) {
  const SyntheticData data = make_data({}, 1);
  EXPECT_THAT(refusal(data.support, data.labels, {{"rehearse", "-1"}}).message,
              HasSubstr("rehearse is '-1'"));
  EXPECT_THAT(refusal(data.support, data.labels, {{"splits", "1"}}).message,
              HasSubstr("splits is '1'"));
  EXPECT_THAT(refusal(data.support, data.labels, {{"splits", "1001"}}).message,
              HasSubstr("splits is '1001'"));
  EXPECT_THAT(refusal(data.support, data.labels, {{"odds", "nan"}}).message,
              HasSubstr("odds is 'nan'"));
}

TEST(MirrorCalibrate, ThePriorDecidesWithThreeClassesAndIsSilentWithSix) {
  EXPECT_NEAR(methods::drawn_to_prior(0.2, 3), (0.2 + 3 * 0.85) / 4, 1e-12);  // one class hidden
  EXPECT_NEAR(methods::drawn_to_prior(1.5, 3), (1.0 + 3 * 0.85) / 4, 1e-12);  // never above rho
  EXPECT_NEAR(methods::drawn_to_prior(0.4, 5), (27 * 0.4 + 3 * 0.85) / 30, 1e-12);
  EXPECT_EQ(methods::drawn_to_prior(1.4, 6), 1.4);
}

TEST(MirrorCalibrate, ThePriorChangesTheThresholdAndNothingElse) {
  const SyntheticData data = make_data({}, 1);
  core::ThreadPool pool(1);
  core::NoProgress progress;
  methods::MirrorOptions options;
  const auto without = methods::calibrate_mirror(data.support, data.labels, classes_of(data.labels),
                                                 options, pool, progress, {});
  options.prior = true;
  const auto with = calibrate_mirror(data.support, data.labels, classes_of(data.labels), options,
                                     pool, progress, {});
  ASSERT_TRUE(without.ok() && with.ok());
  EXPECT_EQ(with->tau, methods::drawn_to_prior(without->tau, 5));
  EXPECT_NE(with->tau, without->tau);
  EXPECT_EQ(with->start, with->tau * without->rho);
  EXPECT_EQ(with->slope, without->slope);
}

TEST(MirrorCalibrate, ChoosesTheMiddleOfThePlateauAroundTheBest) {
  methods::MirrorEvidence evidence;
  evidence.taus = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7};
  const std::vector<double> curve = {0.1, 0.5, 0.8, 0.8, 0.8, 0.3, 0.9};
  evidence.scores = math::Matrix<double>(4, curve.size());
  for (std::size_t b = 0; b < 4; ++b) {
    for (std::size_t i = 0; i < curve.size(); ++i) {
      // All splits but one agree about the first thresholds; the last one is a matter of luck.
      const double luck = i == 6 ? (b == 0 ? -0.9 : -0.2) : 0;
      evidence.scores[b][i] = curve[i] + luck + 0.01 * static_cast<double>(b);
    }
  }
  const double tau = methods::choose_tau(evidence);
  EXPECT_EQ(evidence.best, 3u);
  EXPECT_EQ(evidence.low, 3u);
  EXPECT_EQ(evidence.high, 3u);
  EXPECT_DOUBLE_EQ(tau, 0.4);
  EXPECT_NEAR(evidence.errors[2], 0, 1e-12);
  EXPECT_GT(evidence.errors[6], 0.1);
}

TEST(MirrorCalibrate, TailAndFloorComeFromTheLowestOwnCosinesAndTheBestOthers) {
  methods::HeldOut part;
  for (int i = 0; i < 21; ++i) part.own.push_back(0.5 + 0.01 * i);
  part.own[0] = 0.1;
  part.own[1] = 0.3;
  part.other = {0.4, 0.1, 0.2, 0.3, 0.0};
  const methods::LongStreamFit fit = methods::fit_long_stream({&part, 1});
  EXPECT_NEAR(fit.tail, ((0.52 - 0.1) + (0.52 - 0.3)) / 2, 1e-12);  // below the 10 % quantile, 0.52
  EXPECT_NEAR(fit.floor, 0.1, 1e-12);
}

TEST(MirrorCalibrate, TheThresholdFallsFasterInALongStreamAndStopsAtTheFloor) {
  methods::MirrorModel m;
  m.start = 0.6;
  m.slope = 0.05;
  m.tail = 0.08;
  m.floor = 0.2;
  EXPECT_DOUBLE_EQ(methods::threshold_at(m, 1), 0.6);
  EXPECT_NEAR(methods::threshold_at(m, 10), 0.6 - 0.05 * std::log(10), 1e-12);
  EXPECT_NEAR(methods::threshold_at(m, 100), 0.6 - 0.05 * std::log(100) - 0.03 * std::log(10),
              1e-12);
  EXPECT_EQ(methods::threshold_at(m, 1e9), 0.2);
  m.floor = 0.9;  // never above the start
  EXPECT_EQ(methods::threshold_at(m, 1e9), 0.6);
}

TEST(MirrorCalibrate, ThreadsChangeNoBit) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const SyntheticData data = make_data(varied_plan(seed), seed);
    core::NoProgress progress;
    std::vector<Section> sections;
    for (const unsigned threads : {1U, 2U, 5U}) {
      core::ThreadPool pool(threads);
      const auto model = methods::calibrate_mirror(data.support, data.labels,
                                                   classes_of(data.labels), {}, pool, progress, {});
      ASSERT_TRUE(model.ok()) << model.error().message;
      sections.push_back(methods::mirror_section(*model, {}));
    }
    for (const std::size_t other : {1, 2}) {
      EXPECT_EQ(sections[0].numbers, sections[other].numbers) << "seed " << seed;
      for (const auto& [name, tensor] : sections[0].tensors)
        EXPECT_EQ(tensor.values, sections[other].tensors.at(name).values) << name;
    }
  }
}

class Watcher final : public core::Progress {
 public:
  void start(std::string_view, std::string_view, std::optional<std::uint64_t> all) override {
    total = *all;
  }
  void update(std::uint64_t now, std::string_view) override {
    done = now;
    if (stop_at > 0 && done >= stop_at) stop.request_stop();
  }
  void finish() override { finished = true; }

  std::uint64_t total = 0, done = 0, stop_at = 0;
  bool finished = false;
  std::stop_source stop;
};

TEST(MirrorCalibrate, ProgressReachesItsTotal) {
  const SyntheticData data = make_data({}, 3);
  Watcher watcher;
  core::ThreadPool pool(2);
  ASSERT_TRUE(methods::calibrate_mirror(data.support, data.labels, classes_of(data.labels), {},
                                        pool, watcher, {})
                  .ok());
  EXPECT_EQ(watcher.done, watcher.total);
  EXPECT_TRUE(watcher.finished);
}

TEST(MirrorCalibrate, StopsWhenAsked) {
  const SyntheticData data = make_data({}, 3);
  for (const std::uint64_t stop_at : {1, 200, 300}) {
    Watcher watcher;
    watcher.stop_at = stop_at;
    core::ThreadPool pool(1);
    const auto model = methods::calibrate_mirror(data.support, data.labels, classes_of(data.labels),
                                                 {}, pool, watcher, watcher.stop.get_token());
    ASSERT_FALSE(model.ok()) << stop_at;
    EXPECT_EQ(model.error().code, ErrorCode::interrupted);
    EXPECT_TRUE(watcher.finished);
  }
}

}  // namespace
}  // namespace paco::testing
