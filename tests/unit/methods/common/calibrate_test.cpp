// What calibrate() accepts, what it refuses and with which words, and what its answer depends on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "methods/common/section_evidence.hpp"
#include "synthetic_data.hpp"

namespace paco::methods {
namespace {

using ::testing::HasSubstr;
using testing::make_data;
using testing::SyntheticData;

Error refused(const SupportSet& support, const CalibrationOptions& options = {}) {
  const auto model = calibrate(support, options);
  if (model.ok()) {
    ADD_FAILURE() << "it was accepted";
    return {ErrorCode::io, "", ""};
  }
  EXPECT_FALSE(model.error().hint.empty()) << model.error().message;
  return model.error();
}

TEST(Calibrate, RefusesASupportSetThatTeachesTooLittle) {
  SyntheticData data = make_data({}, 1);
  auto relabel = [&](std::int64_t classes) {
    for (std::size_t i = 0; i < data.labels.size(); ++i)
      data.labels[i] = static_cast<std::int64_t>(i) % classes;
  };
  relabel(2);
  EXPECT_THAT(refused(data.support_set()).message, HasSubstr("2 known class(es)"));
  relabel(static_cast<std::int64_t>(data.labels.size()));
  EXPECT_THAT(refused(data.support_set()).message, HasSubstr("every class has a single sample"));
  EXPECT_THAT(refused({{}, {}, {}, {}}).message, HasSubstr("empty"));
  const math::Matrix<double> narrow(3, 1, {1, 2, 3});
  const std::vector<std::int64_t> labels{0, 1, 2};
  EXPECT_THAT(refused({narrow, labels, {}, {}}).message, HasSubstr("1 column"));
}

TEST(Calibrate, NamesAClassWithoutSamples) {
  SyntheticData data = make_data({}, 2);
  for (auto& label : data.labels)
    if (label == 3) label = 4;
  EXPECT_THAT(refused(data.support_set()).message, HasSubstr("class 3 ('3') has no sample"));
  SupportSet support = make_data({}, 2).support_set();
  const SyntheticData whole = make_data({}, 2);
  support = whole.support_set();
  support.class_names = {"a", "b", "c", "d", "e", "fox"};
  EXPECT_THAT(refused(support).message, HasSubstr("class 5 ('fox') has no sample"));
}

TEST(Calibrate, NamesARowWhoseLabelIsImpossible) {
  SyntheticData data = make_data({}, 3);
  data.labels[7] = -1;
  EXPECT_THAT(refused(data.support_set()).message, HasSubstr("row 7 has label -1"));
  // A wild label must not cost memory for all the classes below it.
  data.labels[7] = std::numeric_limits<std::int64_t>::max();
  EXPECT_THAT(refused(data.support_set()).message,
              HasSubstr("row 7 has label 9223372036854775807"));
  data = make_data({}, 3);
  SupportSet support = data.support_set();
  support.class_names = {"a", "b", "c"};
  EXPECT_THAT(refused(support).message, HasSubstr("there are 3 classes"));
}

TEST(Calibrate, NamesTheRowThatIsNotFiniteOrZero) {
  for (const std::size_t row : {0, 5, 30}) {
    SyntheticData data = make_data({}, 4);
    data.support[row][3] = std::nan("");
    EXPECT_EQ(refused(data.support_set()).message,
              "support set: row " + std::to_string(row) + " has nan at column 3");
    data = make_data({}, 4);
    for (double& x : data.support[row]) x = 0;
    EXPECT_EQ(refused(data.support_set()).message,
              "support set: row " + std::to_string(row) + " is all zeros");
  }
}

TEST(Calibrate, RefusesShapesThatDoNotFit) {
  SyntheticData data = make_data({}, 5);
  SupportSet support = data.support_set();
  support.labels = support.labels.subspan(1);
  EXPECT_EQ(refused(support).code, ErrorCode::bad_shape);
  support = data.support_set();
  const math::Matrix<double> classifier(4, 12);
  support.classifier = classifier;
  EXPECT_THAT(refused(support).message, HasSubstr("classifier: it is 4 x 12"));
}

TEST(Calibrate, RefusesOptionsOutsideTheirRange) {
  const SyntheticData data = make_data({}, 6);
  const auto with = [&](auto change) {
    CalibrationOptions options;
    change(options);
    const Error error = refused(data.support_set(), options);
    EXPECT_EQ(error.code, ErrorCode::bad_argument);
    return error.message;
  };
  const auto setting = [&](std::string_view name, double value) {
    return with([&](auto& o) { o.set(name, value); });
  };
  EXPECT_THAT(setting("temperature", 0), HasSubstr("temperature is '0'"));
  EXPECT_THAT(setting("temperature", std::nan("")), HasSubstr("temperature is 'nan'"));
  EXPECT_THAT(setting("temperature", 1e-300), HasSubstr("temperature"));
  EXPECT_THAT(setting("alpha", -1), HasSubstr("alpha is '-1'"));
  EXPECT_THAT(setting("beta", -0.5), HasSubstr("beta is '-0.5'"));
  EXPECT_THAT(setting("spread", HUGE_VAL), HasSubstr("spread is 'inf'"));
  EXPECT_THAT(setting("replays", 0), HasSubstr("replays is '0'"));
  EXPECT_THAT(setting("warmth", 1), HasSubstr("method 'paco' has no option 'warmth'"));
  EXPECT_THAT(with([](auto& o) { o.method = "pacco"; }), HasSubstr("'pacco'"));
  EXPECT_THAT(with([](auto& o) { o.epsilon = 0; }), HasSubstr("epsilon is 0"));
  EXPECT_THAT(with([](auto& o) { o.threads = -1; }), HasSubstr("threads is -1"));
  EXPECT_THAT(with([](auto& o) { o.reference = ReferenceChoice::classifier; }),
              HasSubstr("none is given"));
}

TEST(Calibrate, ThreadsChangeNothing) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const SyntheticData data = make_data(testing::varied_plan(seed), seed);
    CalibrationOptions options = testing::varied_options(seed);
    const auto one = testing::calibrated_alone(data.support_set(), options);
    options.threads = 2;
    const auto two = testing::calibrated_alone(data.support_set(), options);
    EXPECT_EQ(one->fingerprint(), two->fingerprint()) << "seed " << seed;
  }
}

TEST(Calibrate, AListenerHearsOfAllTheWorkAndAStopFromItIsHeard) {
  const SyntheticData data = make_data({}, 7);
  for (const int threads : {1, 3}) {
    CalibrationOptions options;
    options.threads = threads;
    std::uint64_t last = 0, total = 0;
    options.progress = [&](std::uint64_t done, std::uint64_t all) {
      EXPECT_GT(done, last);
      last = done;
      total = all;
    };
    const auto model = calibrate(data.support_set(), options);
    ASSERT_TRUE(model.ok());
    EXPECT_EQ(last, total) << threads << " threads";
    std::stop_source stop;
    options.progress = [&](std::uint64_t, std::uint64_t) { stop.request_stop(); };
    const auto stopped = calibrate(data.support_set(), options, stop.get_token());
    ASSERT_FALSE(stopped.ok()) << threads << " threads";
    EXPECT_EQ(stopped.error().code, ErrorCode::interrupted);
  }
}

TEST(Calibrate, AModelForOneMethodHasItsSectionAndThoseOfTheBaselines) {
  const SyntheticData data = make_data({}, 11);
  for (const std::string& name : method_names()) {
    const auto model =
        testing::calibrated_alone(data.support_set(), testing::quick_options(name),
                                  testing::made_head(name, data.support.columns(), 5));
    ASSERT_NE(model, nullptr) << name;
    EXPECT_EQ(model->method, name);
    const MethodInfo& info = *method_info(name).value();
    EXPECT_TRUE(model->section(info.section).ok()) << name;
    EXPECT_TRUE(model->section("closed").ok()) << name;
    EXPECT_TRUE(model->section("leader").ok()) << name;
    const auto method = make_method("", model);
    ASSERT_TRUE(method.ok()) << method.error().message;
    EXPECT_EQ((*method)->name(), name) << "the method that the model was made for";
  }
}

TEST(Calibrate, TheBaselinesShareTheOptionsThatTheyHaveToo) {
  const SyntheticData data = make_data({}, 12);
  CalibrationOptions options;
  options.set("seed", 5);
  options.set("replays", 2);
  const auto model = testing::calibrated_alone(data.support_set(), options);
  options.method = "leader";
  const auto alone = testing::calibrated_alone(data.support_set(), options);
  const Section &with = *model->section("leader").value(), &own = *alone->section("leader").value();
  EXPECT_EQ(with.settings, own.settings);
  EXPECT_EQ(with.numbers, own.numbers);
  const auto missing = alone->section("paco");
  ASSERT_FALSE(missing.ok());
  EXPECT_THAT(missing.error().message, HasSubstr("not calibrated for method 'paco'"));
  EXPECT_THAT(missing.error().hint, HasSubstr("--method paco"));
  EXPECT_FALSE(make_method("paco", alone).ok());
}

TEST(Calibrate, TheSeedOfTheReplaysMatters) {
  const SyntheticData data = make_data({}, 7);
  CalibrationOptions options;
  const auto one = testing::calibrated_alone(data.support_set(), options);
  options.set("seed", 1);
  const auto two = testing::calibrated_alone(data.support_set(), options);
  const PacoParameters p = testing::parameters_of(*one), q = testing::parameters_of(*two);
  EXPECT_EQ(p.hi.value, q.hi.value);
  EXPECT_NE(p.create.positives, q.create.positives);
}

TEST(Calibrate, TheBetterBankStandsForTheClasses) {
  const SyntheticData data = make_data({}, 8);
  SupportSet support = data.support_set();
  // Weights that point from the mean to the classes, and weights of the wrong classes.
  const auto model = testing::calibrated_alone(support);
  math::Matrix<double> good(5, 12), bad(5, 12);
  for (std::size_t k = 0; k < 5; ++k) {
    for (std::size_t j = 0; j < 12; ++j) {
      const double prototype = static_cast<double>(model->references[k * 12 + j]);
      good[k][j] = prototype * model->deviation[j];
      bad[(k + 1) % 5][j] = prototype * model->deviation[j];
    }
  }
  support.classifier = bad;
  const auto with_bad = testing::calibrated_alone(support);
  EXPECT_EQ(with_bad->reference, ReferenceChoice::prototype);
  EXPECT_LT(with_bad->classifier_quality.accuracy, with_bad->prototype_quality.accuracy);
  CalibrationOptions forced;
  forced.reference = ReferenceChoice::classifier;
  EXPECT_EQ(testing::calibrated_alone(support, forced)->reference, ReferenceChoice::classifier);
  support.classifier = good;
  forced.reference = ReferenceChoice::prototype;
  EXPECT_EQ(testing::calibrated_alone(support, forced)->reference, ReferenceChoice::prototype);
}

TEST(Calibrate, ThresholdsStandInTheirOrder) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const SyntheticData data = make_data(testing::varied_plan(seed), seed);
    const auto model = testing::calibrated_alone(data.support_set());
    const PacoParameters p = testing::parameters_of(*model);
    EXPECT_LE(p.tau_lo, p.hi.value) << "seed " << seed;
    EXPECT_LE(p.tau_birth_sup, p.birth.value) << "seed " << seed;
    EXPECT_GE(p.hi.balanced_accuracy, 0.5) << "seed " << seed;
    EXPECT_GE(p.mature_size(), 1) << "seed " << seed;
    const auto leader = get_threshold(*model->section("leader").value(), "leader");
    ASSERT_TRUE(leader.ok()) << leader.error().message;
    for (const auto* t : {&p.hi, &p.birth, &p.create, &*leader}) {
      EXPECT_TRUE(std::isfinite(t->value)) << "seed " << seed;
      EXPECT_LE(t->interval_low, t->value) << "seed " << seed;
      EXPECT_GE(t->interval_high, t->value) << "seed " << seed;
    }
  }
}

TEST(Calibrate, AConstantCoordinateDoesNoHarm) {
  SyntheticData data = make_data({}, 9);
  for (std::size_t i = 0; i < data.support.rows(); ++i) data.support[i][2] = 7.25;
  const auto model = testing::calibrated_alone(data.support_set());
  for (std::size_t k = 0; k < model->known_classes(); ++k)
    EXPECT_EQ(model->references[k * model->dimension + 2], 0);
}

TEST(Calibrate, StopsWhenAsked) {
  const SyntheticData data = make_data({}, 10);
  std::stop_source stop;
  stop.request_stop();
  const auto model = calibrate(data.support_set(), {}, stop.get_token());
  ASSERT_FALSE(model.ok());
  EXPECT_EQ(model.error().code, ErrorCode::interrupted);
}

}  // namespace
}  // namespace paco::methods
