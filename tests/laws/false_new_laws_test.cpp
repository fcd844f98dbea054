// The promise on known classes, on data for which it is a theorem: samples kept apart and those of
// the stream come from the same source. And what it must not change: a sample that the gate keeps
// leaves nothing behind, in every form of every method.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "discover_case.hpp"
#include "methods/common/false_new.hpp"
#include "paco/false_new.hpp"

namespace paco::testing {
namespace {

struct Exchangeable {
  math::Matrix<double> support, held_out, stream;
  std::vector<std::int64_t> labels, held_out_labels;
};

// Samples of the same normal distributions, one a class; rows of a matrix in no order.
Exchangeable exchangeable(std::uint64_t seed, std::size_t held_out, std::size_t stream) {
  constexpr std::size_t kDimension = 6, kClasses = 4, kEach = 5;
  core::Random random(seed, 11);
  math::Matrix<double> centres(kClasses, kDimension);
  for (std::size_t i = 0; i < kClasses * kDimension; ++i) centres.data()[i] = random.normal();
  const auto sample = [&](std::size_t k, std::span<double> row) {
    for (std::size_t j = 0; j < kDimension; ++j) row[j] = centres[k][j] + 0.6 * random.normal();
  };
  Exchangeable out{
      {kClasses * kEach, kDimension}, {held_out, kDimension}, {stream, kDimension}, {}, {}};
  for (std::size_t i = 0; i < out.support.rows(); ++i) {
    out.labels.push_back(static_cast<std::int64_t>(i % kClasses));
    sample(i % kClasses, out.support[i]);
  }
  for (std::size_t i = 0; i < held_out; ++i) {
    out.held_out_labels.push_back(static_cast<std::int64_t>(random.below(kClasses)));
    sample(static_cast<std::size_t>(out.held_out_labels.back()), out.held_out[i]);
  }
  for (std::size_t i = 0; i < stream; ++i) sample(random.below(kClasses), out.stream[i]);
  return out;
}

Result<Model> promised(const Exchangeable& data, const std::string& method, double rate) {
  const auto classes = 1 + *std::max_element(data.labels.begin(), data.labels.end());
  CalibrationOptions options = quick_options(method);
  options.false_new = rate;
  return calibrate(
      {data.support, data.labels, {}, {}, data.held_out, data.held_out_labels}, options,
      testing::made_head(method, data.support.columns(), static_cast<std::size_t>(classes)));
}

bool by_gate(const Method& method, const Decision& d) {
  return !std::isnan(d.evidence[static_cast<std::size_t>(method.info().field("false_new_gate"))]);
}

// For the rate x that is realised, P(Beta(j, n + 1 - j) <= x) is uniform.
double beta_below(const FalseNew& promise, double x) {
  double low = 0, high = 1;
  for (int step = 0; step < 40; ++step) {
    const double middle = (low + high) / 2;
    (promise.bound(middle) < x ? low : high) = middle;
  }
  return low;
}

TEST(FalseNewLaws, WhatTheGateLetsPassIsDistributedAsBeta) {
  constexpr std::size_t kDraws = 150, kHeldOut = 59, kStream = 2000;
  for (const std::string method : {"closed", "mirror"}) {
    std::vector<double> places;
    double realised = 0;
    int kept = 0;
    for (std::uint64_t seed = 0; seed < kDraws; ++seed) {
      const Exchangeable data = exchangeable(seed, kHeldOut, kStream);
      const auto model = promised(data, method, 0.1);
      ASSERT_TRUE(model.ok()) << model.error().message;
      const FalseNew promise = false_new_of(*model).value();
      EXPECT_EQ(promise.below, 3u);
      const auto decider = method_for(method, std::make_shared<const Model>(*model));
      double passed = 0;
      for (const Decision& d : decide_all(*decider, data.stream, 500))
        passed += by_gate(*decider, d) ? 0 : 1;
      realised += passed / kStream / kDraws;
      kept += passed / kStream <= 0.1 ? 1 : 0;
      places.push_back(beta_below(promise, passed / kStream));
    }
    // Beta(3, 57) has mean 0.05 and deviation 0.028, and is below 0.1 with probability 0.946.
    EXPECT_NEAR(realised, 0.05, 4 * 0.028 / std::sqrt(kDraws)) << method;
    EXPECT_GE(kept, 0.9 * kDraws) << method;
    std::sort(places.begin(), places.end());
    double distance = 0;  // Kolmogorov's
    for (std::size_t i = 0; i < kDraws; ++i) {
      distance = std::max({distance, std::abs(places[i] - static_cast<double>(i) / kDraws),
                           std::abs(places[i] - static_cast<double>(i + 1) / kDraws)});
    }
    EXPECT_LT(distance, 1.63 / std::sqrt(kDraws)) << method;  // passed by 99 % of such samples
  }
}

TEST(FalseNewLaws, NoMethodCallsMoreNewThanTheGateLetsPass) {
  const Exchangeable data = exchangeable(3, 199, 1500);
  for (const std::string& name : method_names()) {
    const auto model = promised(data, std::string(method_info(name).value()->section), 0.05);
    ASSERT_TRUE(model.ok()) << name << ": " << model.error().message;
    const auto method = method_for(name, std::make_shared<const Model>(*model));
    std::size_t passed = 0, called_new = 0;
    for (const Decision& d : decide_all(*method, data.stream, 100)) {
      const bool kept = by_gate(*method, d);
      passed += kept ? 0 : 1;
      called_new += d.category >= static_cast<CategoryId>(model->known_classes()) ? 1 : 0;
      if (!kept) continue;
      EXPECT_EQ(d.verdict, Verdict::known) << name;
      EXPECT_EQ(d.prototype, d.category) << name;
      EXPECT_TRUE(d.counted) << name;
      EXPECT_GE(d.score, d.threshold) << name;
      EXPECT_NE(method->explain(d).find("at most 5 %"), std::string::npos) << method->explain(d);
    }
    EXPECT_LE(called_new, passed) << name;
    EXPECT_LT(passed, data.stream.rows() / 8) << name;
  }
}

// The promise given to a model of the laws.
std::shared_ptr<const Model> with_promise(const LawCase& c, const std::string& method,
                                          double rate) {
  CalibrationOptions options = quick_options(method);
  options.false_new = rate;
  auto model = calibrate(c.data.support_set(), options);
  if (!model.ok()) return nullptr;
  return std::make_shared<const Model>(std::move(model).value());
}

TEST(FalseNewLaws, TheFastFormsDecideAsThePlainOnesForEveryBlock) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const LawCase c = law_case(seed);
    for (const auto& [fast, plain] : std::vector<std::pair<std::string, std::string>>{
             {"paco", "reference"}, {"mirror", "mirror-reference"}}) {
      const auto model = with_promise(c, fast, 0.5);
      if (!model) continue;  // too few samples to promise anything
      const auto expected = decide_all(*method_for(plain, model), c.data.stream, 50);
      for (const std::size_t block : {1u, 7u, 150u}) {
        EXPECT_TRUE(
            same_decisions(expected, decide_all(*method_for(fast, model), c.data.stream, block)))
            << fast << ", seed " << seed << ", block " << block;
      }
    }
  }
}

// Enough samples of each class for mirror's own way.
std::shared_ptr<const Model> with_bonus(const Exchangeable& data, double rate) {
  CalibrationOptions options = quick_options("mirror");
  options.false_new = rate;
  options.false_new_price = false;
  auto model = calibrate({data.held_out, data.held_out_labels, {}, {}}, options);
  if (!model.ok() || !false_new_of(*model)->live) {
    ADD_FAILURE() << (model.ok() ? "the gate keeps it" : model.error().message);
    return nullptr;
  }
  return std::make_shared<const Model>(std::move(model).value());
}

// Known classes, and halfway between them something else.
Exchangeable with_strangers(std::uint64_t seed) {
  Exchangeable data = exchangeable(seed, 120, 400);
  for (std::size_t i = 1; i < data.stream.rows(); i += 3) {
    for (std::size_t j = 0; j < data.stream.columns(); ++j)
      data.stream[i][j] = (j % 2 == 0 ? 2.0 : -2.0) + 0.3 * data.stream[i][j];
  }
  return data;
}

TEST(FalseNewLaws, TheBonusIsTheSameInBothFormsAndAfterARestore) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const Exchangeable data = with_strangers(seed);
    const auto model = with_bonus(data, 0.1);
    ASSERT_NE(model, nullptr);
    const auto expected = decide_all(*method_for("mirror-reference", model), data.stream, 50);
    for (const std::size_t block : {1u, 40u}) {
      EXPECT_TRUE(
          same_decisions(expected, decide_all(*method_for("mirror", model), data.stream, block)))
          << "seed " << seed << ", block " << block;
    }
    const auto first = method_for("mirror", model), second = method_for("mirror", model);
    decide_all(*first, data.stream.view().slice(0, 200), 40);
    ASSERT_TRUE(second->restore(first->save().value(), "state").ok());
    EXPECT_TRUE(same_decisions(decide_all(*first, data.stream.view().slice(200, 200), 40),
                               decide_all(*second, data.stream.view().slice(200, 200), 40)));
  }
}

TEST(FalseNewLaws, TheBonusKeepsTheRateBelowTwiceThePromise) {
  double called_new = 0, known = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Exchangeable data = with_strangers(seed);
    const auto model = with_bonus(data, 0.1);
    ASSERT_NE(model, nullptr);
    const auto decisions = decide_all(*method_for("mirror", model), data.stream, 40);
    for (std::size_t i = 0; i < decisions.size(); ++i) {
      if (i % 3 == 1) continue;  // strangers
      known += 1;
      called_new += decisions[i].category >= 4 ? 1 : 0;
    }
  }
  EXPECT_LT(called_new / known, 0.2);
}

TEST(FalseNewLaws, TheGateIsTheLowestThatKeepsTheRateWithConfidence) {
  core::Random random(5, 1);
  for (int trial = 0; trial < 200; ++trial) {
    const std::size_t n = 1 + random.below(120);
    std::vector<double> scores;
    for (std::size_t i = 0; i < n; ++i) scores.push_back(random.below(20) / 20.0);  // with ties
    const double rate = random.uniform(0.02, 0.9);
    Section section;
    const auto done = methods::put_false_new(section, rate, scores, false);
    ASSERT_EQ(done.ok(), n >= FalseNew::samples_needed(rate)) << "n " << n << ", rate " << rate;
    if (!done.ok()) continue;
    FalseNew promise;
    promise.samples = n;
    while (promise.below < n && (++promise.below, promise.bound(0.9) <= rate)) continue;
    const double cut = (static_cast<double>(promise.below) - 0.5) / static_cast<double>(n + 1);
    const double gate = methods::gate_of(section);
    for (int s = -1; s <= 21; ++s) {
      const double cosine = s / 20.0;
      const auto below = std::count_if(scores.begin(), scores.end(),
                                       [&](double score) { return score <= cosine; });
      const double p = (1.0 + static_cast<double>(below)) / static_cast<double>(n + 1);
      EXPECT_EQ(cosine >= gate, p > cut) << "n " << n << ", rate " << rate << ", at " << cosine;
    }
  }
}

TEST(FalseNewLaws, TooFewSamplesAreRefusedWithTheirNumber) {
  const Exchangeable data = exchangeable(1, 40, 1);
  const auto model = promised(data, "paco", 0.01);
  ASSERT_FALSE(model.ok());
  EXPECT_NE(model.error().message.find("needs 230 held-out samples, there are 40"),
            std::string::npos)
      << model.error().message;
  EXPECT_NE(model.error().hint.find("5.6 %"), std::string::npos) << model.error().hint;
}

TEST(FalseNewLaws, TheBoundIsThatOfTheBetaDistribution) {
  FalseNew promise;
  promise.samples = 99;
  promise.below = 1;  // Beta(1, 99): 1 - (1 - x)^99
  EXPECT_NEAR(promise.bound(0.9), 1 - std::pow(0.1, 1.0 / 99), 1e-9);
  EXPECT_NEAR(promise.expected(), 0.01, 1e-12);
}

TEST(FalseNewLaws, SamplesThatAClassifierWasTrainedOnProveNothing) {
  const Exchangeable data = exchangeable(2, 99, 1);
  math::Matrix<double> classifier(4, 6);
  for (std::size_t k = 0; k < 4; ++k) {
    for (std::size_t j = 0; j < 6; ++j) classifier[k][j] = data.support[k][j];
  }
  for (const char* method : {"paco", "mirror"}) {
    CalibrationOptions options = quick_options(method);
    options.false_new = 0.1;
    const auto refused = calibrate({data.support, data.labels, {}, classifier}, options);
    ASSERT_FALSE(refused.ok()) << method;
    EXPECT_NE(refused.error().hint.find("--held-out"), std::string::npos);
    EXPECT_TRUE(
        calibrate({data.support, data.labels, {}, classifier, data.held_out, data.held_out_labels},
                  options)
            .ok())
        << method;
  }
}

TEST(FalseNewLaws, ThePriceIsJudgedAndKept) {
  MadePlan plan;
  plan.known = 12;
  plan.per_class = 12;
  const SyntheticData data = make_data(plan, 4);
  CalibrationOptions options;
  options.false_new = 0.2;
  const auto model = calibrate(data.support_set(), options);
  ASSERT_TRUE(model.ok()) << model.error().message;
  const auto again = model_from_bytes(model_to_bytes(*model).value(), "again").value();
  const FalseNew promise = false_new_of(again).value();
  EXPECT_EQ(promise.pseudo_streams, 4u);
  EXPECT_LE(promise.with.called_new, promise.without.called_new);
  EXPECT_GT(promise.without.strict_all, 0);
  EXPECT_FALSE(promise.kept_apart);
  EXPECT_TRUE(false_new_of(again, "leader").has_value());
  EXPECT_FALSE(false_new_of(again, "mirror").has_value());
}

}  // namespace
}  // namespace paco::testing
