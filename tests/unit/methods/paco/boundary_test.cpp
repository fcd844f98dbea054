// The adaptive boundary is its plain definition after every change.
#include "methods/paco/boundary.hpp"

#include <gtest/gtest.h>

#include "core/random.hpp"
#include "math/median.hpp"

namespace paco::methods {
namespace {

PacoParameters parameters_with(double base_median, bool adaptive = true) {
  PacoParameters p;
  p.base_median = base_median;
  p.tau_birth_sup = 0.9;
  p.log_p0 = -0.25;
  p.options.temperature = 0.5;
  p.options.adaptive_birth = adaptive;
  return p;
}

TEST(MedianSize, AgreesWithSortingWhileSizesGrow) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    core::Random random(seed);
    MedianSize running;
    std::vector<double> sizes;
    for (int step = 0; step < 500; ++step) {
      if (sizes.empty() || random.below(4) == 0) {
        sizes.push_back(static_cast<double>(1 + random.below(5)));
        running.insert(static_cast<std::int64_t>(sizes.back()));
      } else {
        // Some grow much more often than others.
        const std::size_t k = random.below(1 + random.below(sizes.size()));
        running.grow(static_cast<std::int64_t>(sizes[k]));
        sizes[k] += 1;
      }
      ASSERT_EQ(running.median(), math::median(sizes)) << "seed " << seed << ", step " << step;
    }
  }
}

// Random categories: each sample lengthens one of them by something between 0 and 1.
TEST(AdaptiveBoundary, EqualsTheBoundaryComputedFromScratchAfterEverySample) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    core::Random random(seed);
    const PacoParameters parameters =
        parameters_with(1 + static_cast<double>(random.below(40)), seed % 5 != 4);
    AdaptiveBoundary boundary(parameters);
    std::vector<std::int64_t> sizes;
    std::vector<double> resultants;
    for (int step = 0; step < 300; ++step) {
      const std::size_t k = random.below(sizes.size() + 1 + (sizes.size() < 3 ? 2 : 0));
      if (k >= sizes.size()) {
        sizes.push_back(1);
        resultants.push_back(1);
        boundary.grown(0, 0, 1);
      } else {
        const double longer =
            resultants[k] + (random.below(3) == 0 ? 1.0 : random.uniform());  // equal levels too
        boundary.grown(sizes[k], resultants[k], longer);
        ++sizes[k];
        resultants[k] = longer;
      }
      const Boundary expected = plain_boundary(parameters, sizes, resultants);
      ASSERT_EQ(boundary.now().tau_birth, expected.tau_birth)
          << "seed " << seed << ", step " << step;
      ASSERT_EQ(boundary.now().eta, expected.eta) << "seed " << seed << ", step " << step;
      ASSERT_LE(boundary.now().tau_birth, parameters.tau_birth_sup);
    }
    AdaptiveBoundary restored(parameters);
    restored.grown(0, 0, 1);  // forgotten by what follows
    restored.rebuild([&](auto insert) {
      for (std::size_t k = 0; k < sizes.size(); ++k) insert(sizes[k], resultants[k]);
    });
    EXPECT_EQ(restored.now().tau_birth, boundary.now().tau_birth) << "seed " << seed;
    EXPECT_EQ(restored.now().eta, boundary.now().eta) << "seed " << seed;
    EXPECT_EQ(restored.mature(), boundary.mature()) << "seed " << seed;
  }
}

TEST(AdaptiveBoundary, OneMatureCategoryDoesNotMoveIt) {
  const PacoParameters parameters = parameters_with(4);  // mature from 2 samples on
  AdaptiveBoundary boundary(parameters);
  boundary.grown(0, 0, 1);
  boundary.grown(1, 1, 1.2);
  EXPECT_EQ(boundary.mature(), 1u);
  EXPECT_EQ(boundary.now().tau_birth, parameters.tau_birth_sup);
  EXPECT_EQ(boundary.now().eta, 0);
}

TEST(AdaptiveBoundary, TwoLooseCategoriesLowerIt) {
  const PacoParameters parameters = parameters_with(4);
  AdaptiveBoundary boundary(parameters);
  for (int category = 0; category < 2; ++category) {
    boundary.grown(0, 0, 1);
    boundary.grown(1, 1, 1.2);
  }
  // lambda = 1/3 * 0.6 / 0.5 + 0.25 for both, no deviation; eta = 2 / (2 + 4).
  const double bank = 0.4 + 0.25;
  EXPECT_NEAR(boundary.now().eta, 1.0 / 3, 1e-15);
  EXPECT_NEAR(boundary.now().tau_birth, 0.9 * 2 / 3 + bank / 3, 1e-15);
}

TEST(AdaptiveBoundary, MatureSizeIsThePowerOfTheMedianRounded) {
  EXPECT_EQ(parameters_with(30).mature_size(), 5);  // 5.48
  EXPECT_EQ(parameters_with(31).mature_size(), 6);  // 5.57
  EXPECT_EQ(parameters_with(1).mature_size(), 1);
}

}  // namespace
}  // namespace paco::methods
