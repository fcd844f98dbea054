// The series against the C library, at its limits and on both sides of zero.
#include "math/error_function.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace paco::math {
namespace {

TEST(ErrorFunction, AgreesWithTheCLibrary) {
  for (double x = -7; x <= 7; x += 0.0137) EXPECT_NEAR(exact_erf(x), std::erf(x), 1e-14) << x;
  for (const double x : {1e-300, 1e-20, 1e-8, 1e-3})
    EXPECT_NEAR(exact_erf(x) / std::erf(x), 1, 1e-14) << x;
}

TEST(ErrorFunction, IsOddAndHasItsLimits) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(exact_erf(0), 0);
  EXPECT_EQ(exact_erf(infinity), 1);
  EXPECT_EQ(exact_erf(-infinity), -1);
  EXPECT_TRUE(std::isnan(exact_erf(std::nan(""))));
  for (double x = 0.1; x < 7; x += 0.3) EXPECT_EQ(exact_erf(-x), -exact_erf(x));
}

}  // namespace
}  // namespace paco::math
