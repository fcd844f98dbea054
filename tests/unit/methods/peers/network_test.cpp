// Gradients by hand against differences, and what training promises.
#include "methods/peers/network.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "core/random.hpp"
#include "methods/peers/head.hpp"
#include "methods/peers/losses.hpp"

namespace paco::methods {
namespace {

math::Matrix<float> random_matrix(std::size_t rows, std::size_t columns, core::Random& random) {
  math::Matrix<float> out(rows, columns);
  for (std::size_t i = 0; i < rows * columns; ++i)
    out.data()[i] = static_cast<float>(random.normal());
  return out;
}

// The slope of `loss` by every number of `x` is `gradient`, as differences see it.
void expect_gradient(math::Matrix<float>& x, const math::Matrix<float>& gradient,
                     const std::function<double()>& loss, const char* what) {
  constexpr float kStep = 4e-3f;
  double largest = 1e-3;
  for (std::size_t i = 0; i < x.rows() * x.columns(); ++i)
    largest = std::max(largest, std::abs(static_cast<double>(gradient.data()[i])));
  for (std::size_t i = 0; i < x.rows() * x.columns(); ++i) {
    const float was = x.data()[i];
    x.data()[i] = was + kStep;
    const double above = loss();
    x.data()[i] = was - kStep;
    const double below = loss();
    x.data()[i] = was;
    EXPECT_NEAR((above - below) / (2 * static_cast<double>(kStep)),
                static_cast<double>(gradient.data()[i]), 0.02 * largest)
        << what << ", number " << i;
  }
}

const std::vector<std::int64_t> kLabels{0, 1, 0, 2, 1, 2, 0};

TEST(Losses, SupervisedContrastiveHasTheGradientThatDifferencesSee) {
  core::Random random(1);
  core::ThreadPool pool;
  math::Matrix<float> x = random_matrix(7, 5, random);
  const auto loss = [&] {
    math::Matrix<float> unused;
    return supervised_contrastive(unit_rows(x).units, kLabels, 0.5, pool, unused);
  };
  math::Matrix<float> gradient;
  const UnitRows units = unit_rows(x);
  supervised_contrastive(units.units, kLabels, 0.5, pool, gradient);
  expect_gradient(x, through_unit_rows(units, gradient), loss, "rows");
}

TEST(Losses, CrossEntropySeparationAndQuantisationHaveTheGradientsThatDifferencesSee) {
  core::Random random(2);
  math::Matrix<float> x = random_matrix(7, 3, random), gradient, unused;
  cross_entropy(x, kLabels, gradient);
  expect_gradient(
      x, gradient, [&] { return cross_entropy(x, kLabels, unused); }, "logits");
  for (std::size_t i = 0; i < 21; ++i) x.data()[i] *= 0.3f;
  separation(x, 3, gradient);
  expect_gradient(
      x, gradient, [&] { return separation(x, 3, unused); }, "centres");
  for (std::size_t i = 0; i < 21; ++i) x.data()[i] += x.data()[i] > 0 ? 0.1f : -0.1f;
  quantisation(x, 3, gradient);
  expect_gradient(
      x, gradient, [&] { return quantisation(x, 3, unused); }, "outputs");
}

// All layers at once, with rows that take no part in the statistics.
TEST(Network, BackwardIsTheGradientThatDifferencesSee) {
  core::Random random(3);
  core::ThreadPool pool;
  Stack stack(pool);
  stack.linear(4, 6, true, random).gelu();
  stack.linear(6, 5, false, random).normalise().gelu();
  stack.linear(5, 3, true, random);
  std::vector<HeadParameter*> parameters;
  stack.add_parameters(parameters);
  EXPECT_EQ(parameters.size(), 7u);
  math::Matrix<float> x = random_matrix(7, 4, random);
  constexpr std::size_t kCounted = 5;
  const auto loss = [&] {
    math::Matrix<float> unused;
    return cross_entropy(stack.forward(x, kCounted), kLabels, unused);
  };
  math::Matrix<float> gradient;
  cross_entropy(stack.forward(x, kCounted), kLabels, gradient);
  const math::Matrix<float> by_input = stack.backward(gradient);
  expect_gradient(x, by_input, loss, "input");
  for (HeadParameter* p : parameters) {
    const math::Matrix<float> own = p->gradient;
    expect_gradient(p->value, own, loss, "parameter");
  }
}

TEST(Network, AFrozenHeadGivesWhatTheStackGivesForTheSameRows) {
  core::Random random(4);
  core::ThreadPool pool;
  Stack stack(pool);
  stack.linear(4, 8, true, random).gelu();
  stack.linear(8, 6, false, random).normalise().gelu();
  stack.linear(6, 3, false, random).normalise();
  math::Matrix<float> x = random_matrix(40, 4, random);
  const math::Matrix<float> expected = stack.forward(x);
  std::vector<AffineLayer> layers;
  math::Matrix<float> through = x;
  stack.freeze(through, layers);
  const Head head(std::move(layers));
  Section section;
  head.put(section, "head");
  const auto read = Head::get(section, "head", 4);
  ASSERT_TRUE(read.ok()) << read.error().message;
  const math::Matrix<float> got = head.apply(x, pool), stored = read->apply(x, pool);
  for (std::size_t i = 0; i < 120; ++i) {
    EXPECT_NEAR(got.data()[i], expected.data()[i], 1e-4);
    EXPECT_EQ(stored.data()[i], got.data()[i]);
  }
  EXPECT_FALSE(Head::get(section, "head", 5).ok()) << "another dimension";
}

TEST(Network, AdamFindsTheLowestPointOfABowl) {
  HeadParameter p(1, 3);
  const float target[] = {1, -2, 0.5f};
  Adam adam({&p});
  for (int step = 0; step < 2000; ++step) {
    for (std::size_t i = 0; i < 3; ++i) p.gradient.data()[i] = p.value.data()[i] - target[i];
    adam.step(0.01);
  }
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(p.value.data()[i], target[i], 1e-2);
}

}  // namespace
}  // namespace paco::methods
