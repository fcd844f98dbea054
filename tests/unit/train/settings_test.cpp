// The torch-free parts: options, schedule, metrics, and who takes part in a distributed run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "train/group_options.hpp"
#include "train/metrics.hpp"
#include "train/options.hpp"
#include "train/training_set.hpp"

namespace paco::train {
namespace {

using ::testing::HasSubstr;

TEST(HoldOut, TakesAShareOfEachClassAndLeavesOneSampleOfIt) {
  TrainingSet set;
  set.class_names = {"a", "b", "c"};
  for (std::size_t i = 0; i < 22; ++i) {
    set.samples.push_back(100 + i);
    set.labels.push_back(i < 10 ? 0 : i < 21 ? 1 : 2);
  }
  const TrainingSet all = set;
  const HeldOut apart = hold_out(set, 0.2, 7);
  EXPECT_EQ(std::count(apart.labels.begin(), apart.labels.end(), 0), 2);
  EXPECT_EQ(std::count(apart.labels.begin(), apart.labels.end(), 1), 2);
  EXPECT_EQ(std::count(apart.labels.begin(), apart.labels.end(), 2), 0);  // its only sample stays
  std::vector<std::size_t> together = set.samples;
  together.insert(together.end(), apart.samples.begin(), apart.samples.end());
  std::sort(together.begin(), together.end());
  EXPECT_EQ(together, all.samples);
  for (std::size_t i = 0; i < apart.samples.size(); ++i)
    EXPECT_EQ(apart.labels[i], all.labels[apart.samples[i] - 100]);
  TrainingSet again = all;
  EXPECT_EQ(hold_out(again, 0.2, 7).samples, apart.samples);
  again = all;
  EXPECT_EQ(hold_out(again, 0.999, 7).samples.size(), 19u);
}

TEST(TrainOptions, DefaultsAreAccepted) { EXPECT_TRUE(check_options({}).ok()); }

TEST(TrainOptions, ValuesOutsideTheirRangeAreNamedAsOnTheCommandLine) {
  const auto message = [](auto change) {
    TrainOptions options;
    change(options);
    const auto result = check_options(options);
    return result.ok() ? std::string("accepted") : result.error().message;
  };
  EXPECT_THAT(message([](auto& o) { o.epochs = 0; }), HasSubstr("--epochs is 0"));
  EXPECT_THAT(message([](auto& o) { o.batch = 0; }), HasSubstr("--batch"));
  EXPECT_THAT(message([](auto& o) { o.head_rate = std::nan(""); }), HasSubstr("--lr is nan"));
  EXPECT_THAT(message([](auto& o) { o.margin = 4; }), HasSubstr("--margin"));
  EXPECT_THAT(message([](auto& o) { o.precision = Precision::mixed; }), HasSubstr("--precision"));
}

TEST(TrainOptions, TheScheduleFallsFromOneToZero) {
  EXPECT_DOUBLE_EQ(cosine_factor(0, 100), 1.0);
  EXPECT_NEAR(cosine_factor(50, 100), 0.5, 1e-12);
  EXPECT_NEAR(cosine_factor(100, 100), 0.0, 1e-12);
  for (int step = 0; step < 100; ++step) {
    EXPECT_GT(cosine_factor(step, 100), cosine_factor(step + 1, 100)) << step;
  }
}

TEST(Metrics, ComeBackFromTheirTextAsTheyWere) {
  std::vector<EpochMetrics> epochs(2);
  epochs[0] = {1, 12, 0.1, 1.0 / 3, 2e-17, 4, 5, 6, 0.5, 7, 1, 1000.5, 1.25, 3};
  epochs[1].epoch = 2;
  const auto parsed = parse_metrics_csv(metrics_csv(epochs), "here");
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(*parsed, epochs);
}

TEST(Metrics, DamagedTextIsNamed) {
  const auto text = metrics_csv({EpochMetrics{}});
  EXPECT_FALSE(parse_metrics_csv("epoch\n", "here").ok());
  EXPECT_THAT(parse_metrics_csv(text.substr(0, text.size() - 6), "here").error().message,
              HasSubstr("here: row 1"));
}

TEST(Metrics, ThePictureShowsEveryCurve) {
  const auto svg = loss_svg({EpochMetrics{.epoch = 1, .loss = 2}, EpochMetrics{.epoch = 2}});
  for (const auto* name : {">loss<", ">cls<", ">stat<", ">accuracy<"}) {
    EXPECT_THAT(svg, HasSubstr(name));
  }
  EXPECT_THAT(svg, ::testing::Not(HasSubstr("nan")));
  EXPECT_THAT(loss_svg({}), HasSubstr("</svg>")) << "a run without an epoch still has a picture";
}

Result<GroupOptions> with(std::map<std::string, std::string> variables,
                          const GroupArguments& arguments = {}) {
  return group_options(arguments, [&](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  });
}

TEST(GroupOptions, ComeFromTheVariablesThatLaunchersSetUnlessGiven) {
  const std::map<std::string, std::string> launcher{
      {"RANK", "1"}, {"WORLD_SIZE", "4"}, {"MASTER_ADDR", "node0"}, {"MASTER_PORT", "4242"}};
  const auto options = with(launcher);
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->rank, 1);
  EXPECT_EQ(options->size, 4);
  EXPECT_EQ(options->address, "node0");
  EXPECT_EQ(options->port, 4242);
  GroupArguments given;
  given.rank = 2;
  EXPECT_EQ(with(launcher, given)->rank, 2);
}

TEST(GroupOptions, WhatCannotBeIsRefused) {
  EXPECT_THAT(with({}).error().hint, HasSubstr("--rank"));
  EXPECT_THAT(with({{"RANK", "one"}, {"WORLD_SIZE", "2"}}).error().message, HasSubstr("\"one\""));
  EXPECT_FALSE(with({{"RANK", "2"}, {"WORLD_SIZE", "2"}}).ok());
  EXPECT_FALSE(with({{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_PORT", "70000"}}).ok());
}

}  // namespace
}  // namespace paco::train
