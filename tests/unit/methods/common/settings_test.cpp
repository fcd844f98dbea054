// Options of methods by name: defaults, ranges, stages, and texts that give the number back.
#include "paco/settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/random.hpp"
#include "methods/paco/paco_section.hpp"
#include "synthetic_data.hpp"

namespace paco::methods {
namespace {

using ::testing::HasSubstr;
using Kind = MethodOption::Kind;
using Stage = MethodOption::Stage;

const std::vector<MethodOption>& some_options() {
  static const std::vector<MethodOption> options{
      {"warmth", Kind::number, Stage::calibrating, "0.5", "a number", 0, 2, {}},
      {"rounds", Kind::whole, Stage::deciding, "3", "a whole number", 1, 10, {}},
      {"quick", Kind::flag, Stage::deciding, "off", "a flag", 0, 0, {}},
      {"side", Kind::choice, Stage::calibrating, "left", "a choice", 0, 0, {"left", "right"}}};
  return options;
}

Result<Settings> completed(const Settings& given, Stage stage = Stage::calibrating) {
  return complete_settings(some_options(), given, stage, "peer");
}

TEST(Settings, DefaultsStandForWhatIsNotGiven) {
  const auto settings = completed({{"rounds", "7"}});
  ASSERT_TRUE(settings.ok()) << settings.error().message;
  EXPECT_EQ(number_setting(*settings, "warmth"), 0.5);
  EXPECT_EQ(whole_setting(*settings, "rounds"), 7);
  EXPECT_FALSE(flag_setting(*settings, "quick"));
  EXPECT_EQ(choice_setting(*settings, "side"), "left");
}

TEST(Settings, OneValueHasOneText) {
  const auto one = completed({{"warmth", "1e0"}, {"rounds", "5.0"}, {"quick", "yes"}});
  const auto two = completed({{"warmth", "1"}, {"rounds", "5"}, {"quick", "true"}});
  ASSERT_TRUE(one.ok()) << one.error().message;
  ASSERT_TRUE(two.ok()) << two.error().message;
  EXPECT_EQ(*one, *two);
  EXPECT_EQ(one->at("quick"), "on");
}

TEST(Settings, WhatIsNotProperIsRefusedWithItsNameAndRange) {
  const auto refused = [](const Settings& given) {
    const auto settings = completed(given);
    EXPECT_FALSE(settings.ok());
    if (settings.ok()) return std::string();
    EXPECT_EQ(settings.error().code, ErrorCode::bad_argument);
    return settings.error().message + " | " + settings.error().hint;
  };
  for (const std::string bad : {"2.1", "-0.1", "nan", "inf", "", "1x", " 1", "0x1"})
    EXPECT_THAT(refused({{"warmth", bad}}), HasSubstr("warmth is '" + bad + "' | ")) << bad;
  EXPECT_THAT(refused({{"warmth", "9"}}), HasSubstr("between 0 and 2"));
  for (const std::string bad : {"0", "11", "2.5", "two"})
    EXPECT_THAT(refused({{"rounds", bad}}), HasSubstr("whole number between 1 and 10")) << bad;
  EXPECT_THAT(refused({{"quick", "maybe"}}), HasSubstr("on or off"));
  EXPECT_THAT(refused({{"side", "Left"}}), HasSubstr("left, right"));
  EXPECT_THAT(refused({{"speed", "1"}}),
              HasSubstr("method 'peer' has no option 'speed' | it has: warmth, rounds"));
  EXPECT_THAT(complete_settings({}, {{"x", "1"}}, Stage::calibrating, "closed").error().hint,
              HasSubstr("no options"));
}

TEST(Settings, WhenAStreamBeginsOnlyWhatDecidesMayChange) {
  const auto changed = completed({{"rounds", "4"}}, Stage::deciding);
  ASSERT_TRUE(changed.ok()) << changed.error().message;
  EXPECT_EQ(*changed, (Settings{{"rounds", "4"}})) << "the rest stays the model's";
  const auto refused = completed({{"warmth", "1"}}, Stage::deciding);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("'warmth' of method 'peer' belongs to calib"));
}

TEST(Settings, TheTextOfANumberGivesItBack) {
  core::Random random(3);
  std::vector<double> numbers{
      0, 1, -1, 0.1, 1e6, 1e18, 5e-324, 0.1 + 0.2, std::numeric_limits<double>::max()};
  for (int i = 0; i < 1000; ++i)
    numbers.push_back(std::ldexp(random.normal(), static_cast<int>(random.below(400)) - 200));
  for (const double x : numbers)
    EXPECT_EQ(number_setting({{"x", setting_text(x)}}, "x"), x) << setting_text(x);
}

TEST(Settings, TheDefaultsOfPacoAreThoseOfThePaper) {
  const auto settings = complete_settings(paco_options(), {}, Stage::calibrating, "paco");
  ASSERT_TRUE(settings.ok()) << settings.error().message;
  const PacoOptions paper;
  EXPECT_EQ(number_setting(*settings, "temperature"), paper.temperature);
  EXPECT_EQ(number_setting(*settings, "alpha"), paper.alpha);
  EXPECT_EQ(number_setting(*settings, "beta"), paper.beta);
  EXPECT_EQ(number_setting(*settings, "spread"), paper.spread);
  EXPECT_EQ(whole_setting(*settings, "replays"), paper.replays);
  EXPECT_EQ(choice_setting(*settings, "tie"), tie_name(paper.tie));
  EXPECT_EQ(flag_setting(*settings, "routing"), paper.routing);
  EXPECT_EQ(flag_setting(*settings, "adaptive_birth"), paper.adaptive_birth);
}

TEST(Settings, EveryRegisteredOptionHasAProperDefaultAndAMeaning) {
  for (const std::string& name : method_names()) {
    for (const MethodOption& option : method_info(name).value()->options) {
      EXPECT_FALSE(option.meaning.empty()) << name << ", " << option.name;
      const Settings given{{std::string(option.name), std::string(option.preset)}};
      EXPECT_TRUE(complete_settings({&option, 1}, given, Stage::calibrating, name).ok())
          << name << ", " << option.name;
    }
  }
}

TEST(Settings, AStreamMayChangeHowPacoDecides) {
  const auto data = testing::make_data({}, 3);
  const auto model = testing::calibrated(data.support_set());
  const auto changed = paco_parameters(*model, {{"routing", "off"}, {"alpha", "2"}});
  ASSERT_TRUE(changed.ok()) << changed.error().message;
  EXPECT_FALSE(changed->options.routing);
  EXPECT_EQ(changed->options.alpha, 2);
  EXPECT_EQ(changed->hi.value, testing::parameters_of(*model).hi.value);
  EXPECT_FALSE(paco_parameters(*model, {{"temperature", "2"}}).ok());
  // It decides as a model that was calibrated so: routing is no part of the thresholds.
  CalibrationOptions options;
  options.set("routing", "off");
  const auto other = testing::calibrated(data.support_set(), options);
  auto method = make_method("paco", model, {1, {{"routing", "off"}}});
  ASSERT_TRUE(method.ok()) << method.error().message;
  EXPECT_TRUE(testing::same_decisions(
      testing::decide_all(**method, data.stream, 50),
      testing::decide_all(*testing::method_for("paco", other), data.stream, 50)));
  EXPECT_EQ((*method)->settings(), (Settings{{"routing", "off"}}));
}

}  // namespace
}  // namespace paco::methods
