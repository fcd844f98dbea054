// Options of methods by name: defaults, ranges, stages, and texts that give the number back.
#include "paco/settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>

#include "core/random.hpp"
#include "methods/common/option_table.hpp"
#include "methods/paco/paco_section.hpp"
#include "synthetic_data.hpp"

namespace paco::methods {
namespace {

using ::testing::HasSubstr;
using Stage = MethodOption::Stage;

enum class Side : std::uint8_t { left, right };
constexpr auto kSides = core::enum_names<Side>({{Side::left, "left"}, {Side::right, "right"}});

struct Shared {
  double warmth = 0.5;
};
struct Some : Shared {
  int rounds = 3;
  bool quick = false;
  Side side = Side::left;
  std::string file = "none";
};

const OptionTable<Some>& some_table() {
  constexpr auto kLater = OptionTable<Some>::kLater;
  static const OptionTable<Some> table("peer",
                                       {{"warmth", &Some::warmth, 0, 2, "a number"},
                                        {"rounds", &Some::rounds, 1, 10, "a whole number", kLater},
                                        {"quick", &Some::quick, "a flag", kLater},
                                        {"side", &Some::side, kSides, "a choice"},
                                        {"file", &Some::file, "a text"}});
  return table;
}

Result<Settings> completed(const Settings& given, Stage stage = Stage::calibrating) {
  return complete_settings(some_table().options(), given, stage, "peer");
}

TEST(Settings, DefaultsStandForWhatIsNotGiven) {
  const auto settings = completed({{"rounds", "7"}});
  ASSERT_TRUE(settings.ok()) << settings.error().message;
  EXPECT_EQ(*settings, (Settings{{"warmth", "0.5"},
                                 {"rounds", "7"},
                                 {"quick", "off"},
                                 {"side", "left"},
                                 {"file", "none"}}));
}

TEST(Settings, ATableFillsItsStructWithWhatWasStoredAndChangedLater) {
  const auto presets = some_table().read({});
  ASSERT_TRUE(presets.ok()) << presets.error().message;
  EXPECT_EQ(presets->warmth, 0.5);
  EXPECT_EQ(presets->rounds, 3);
  const auto read =
      some_table().read({{"warmth", "1.25"}, {"rounds", "4"}, {"side", "right"}, {"file", "a b"}},
                        {{"rounds", "9"}, {"quick", "on"}});
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->warmth, 1.25);
  EXPECT_EQ(read->rounds, 9);
  EXPECT_TRUE(read->quick);
  EXPECT_EQ(read->side, Side::right);
  EXPECT_EQ(read->file, "a b");
  EXPECT_FALSE(some_table().read({{"warmth", "3"}}).ok());
  EXPECT_FALSE(some_table().read({}, {{"warmth", "1"}}).ok()) << "of calibration";
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
    EXPECT_EQ(std::strtod(setting_text(x).c_str(), nullptr), x) << setting_text(x);
}

TEST(Settings, TheDefaultsOfPacoAreThoseOfThePaper) {
  const auto settings = complete_settings(paco_options(), {}, Stage::calibrating, "paco");
  ASSERT_TRUE(settings.ok()) << settings.error().message;
  EXPECT_EQ(*settings, (Settings{{"temperature", "1"},
                                 {"alpha", "1000000"},
                                 {"beta", "0.5"},
                                 {"spread", "1"},
                                 {"replays", "3"},
                                 {"seed", "0"},
                                 {"tie", "mid"},
                                 {"routing", "on"},
                                 {"adaptive_birth", "on"}}));
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
