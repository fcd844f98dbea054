// The quantities of the von Mises-Fisher distribution are those of their definitions.
#include "methods/common/von_mises_fisher.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace paco::methods {
namespace {

TEST(VonMisesFisher, UniformDensityIsOneOverTheArea) {
  EXPECT_NEAR(log_uniform_density(2), -std::log(2 * std::numbers::pi), 1e-12);  // the circle
  EXPECT_NEAR(log_uniform_density(3), -std::log(4 * std::numbers::pi), 1e-12);  // the sphere
  EXPECT_NEAR(log_uniform_density(768), 1458.72, 0.005);
}

TEST(VonMisesFisher, ConcentrationOfASingleSampleIsZero) { EXPECT_EQ(concentration(1, 1, 16), 0); }

TEST(VonMisesFisher, ConcentrationFollowsItsFormula) {
  const double r = 0.8, shrink = 3.0 / 5.0;
  EXPECT_DOUBLE_EQ(concentration(4 * r, 4, 16), r * (16 - r * r) / (1 - r * r) * shrink);
  EXPECT_EQ(concentration(0, 4, 16), 0);
}

TEST(VonMisesFisher, DuplicatesStayFinite) {
  const double square = 1 - 1e-6, r = std::sqrt(square);
  const double most = r * (16 - square) / (1 - square) / 3;
  EXPECT_DOUBLE_EQ(concentration(2, 2, 16), most);
  EXPECT_DOUBLE_EQ(concentration(2.0000001, 2, 16), most) << "float32 units may be a little long";
}

TEST(VonMisesFisher, ScoresCombineSizeConcentrationAndCosine) {
  EXPECT_DOUBLE_EQ(attach_score(0.5, 8, 10, 3), std::log(8.0) + 5 - 3);
  EXPECT_DOUBLE_EQ(birth_level(3.2, 4, 0.5, 3), 0.6 * 0.8 / 0.5 - 3);
}

}  // namespace
}  // namespace paco::methods
