// The Gaussians of the gates, against sums worked out by hand.
#include "methods/peers/gaussians.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/random.hpp"

namespace paco::methods {
namespace {

// Three points of the plane, worked out by hand: the mean is (1, 1), the covariance
// ((2/3, 1/3), (1/3, 2/3)).
TEST(Gaussians, TheCovarianceOfThreePointsIsTheHandWorkedOne) {
  const double rows[] = {0, 0, 1, 2, 2, 1};
  const math::Matrix<double> s = covariance({rows, 3, 2});
  EXPECT_NEAR(s[0][0], 2.0 / 3, 1e-15);
  EXPECT_NEAR(s[0][1], 1.0 / 3, 1e-15);
  EXPECT_NEAR(s[1][1], 2.0 / 3, 1e-15);
  // Ledoit and Wolf: trace / 2 = 2/3; |S|^2 = 10/9; off = 1/9; noise = (6/3 - 10/9) / 6 = 4/27,
  // more than off, so that all of it goes to the identity.
  const math::Matrix<double> shrunk = shrunk_covariance({rows, 3, 2});
  EXPECT_NEAR(shrunk[0][0], 2.0 / 3, 1e-15);
  EXPECT_NEAR(shrunk[0][1], 0, 1e-15);
}

TEST(Gaussians, TheLogDensityIsThatOfTheFormula) {
  math::Matrix<double> s(2, 2);
  s[0][0] = 2, s[0][1] = s[1][0] = 0.5, s[1][1] = 1;
  const Gaussian g({1, -1}, s, 0);
  const double x[] = {2, 0.5};
  // Off the mean by (1, 1.5); the inverse is ((1, -0.5), (-0.5, 2)) / 1.75.
  const double squared = (1 * 1 - 2 * 0.5 * 1 * 1.5 + 2 * 1.5 * 1.5) / 1.75;
  const double expected = -0.5 * squared - 0.5 * std::log(1.75) - std::log(2 * std::acos(-1.0));
  EXPECT_NEAR(g.log_density(x), expected, 1e-12);
  EXPECT_NEAR(g.moved_to(x).log_density(x), expected + 0.5 * squared, 1e-12);
}

TEST(Gaussians, PrincipalDirectionsHoldTheVarianceAlsoOfFewRows) {
  for (const std::size_t n : {6, 300}) {
    core::Random random(n);
    math::Matrix<float> rows(n, 12);
    std::vector<double> mean(12);
    for (std::size_t i = 0; i < n; ++i) {
      for (float& x : rows[i]) x = static_cast<float>(0.01 * random.normal());
      rows[i][3] += static_cast<float>(5 * random.normal());
      rows[i][7] += static_cast<float>(2 * random.normal());
      for (std::size_t j = 0; j < 12; ++j)
        mean[j] += static_cast<double>(rows[i][j]) / static_cast<double>(n);
    }
    const math::Matrix<float> basis = principal_directions(rows, mean, 2);
    for (std::size_t a = 0; a < 2; ++a) {
      double length = 0;
      for (const float x : basis[a]) length += static_cast<double>(x) * static_cast<double>(x);
      EXPECT_NEAR(length, 1, 1e-5);
      EXPECT_GT(std::hypot(basis[a][3], basis[a][7]), 0.999) << n << " rows";
    }
  }
}

}  // namespace
}  // namespace paco::methods
