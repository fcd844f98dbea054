// Many exponentials: the C library's to 2 units in the last place, the same bits on every
// instruction set.
#include "math/exponentials.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/random.hpp"
#include "unit/math/targets.hpp"

namespace paco::math {
namespace {

TEST(Exponentials, AreTheLibrarysAndTheSameEverywhere) {
  core::Random random(1);
  std::vector<float> values(1003);
  for (float& x : values) x = static_cast<float>(random.uniform(-1, 1));
  for (const double slope : {0.5, 1.0, 30.0, 1000.0}) {
    std::vector<double> first;
    testing::for_every_target([&] {
      for (const std::size_t n : {values.size(), std::size_t{1}, std::size_t{7}}) {
        std::vector<double> out(n);
        scaled_exponentials(values.data(), n, values[5], slope, out.data());
        if (first.empty()) first = out;
        for (std::size_t i = 0; i < n; ++i) {
          ASSERT_EQ(out[i], first[i]);
          const double difference = static_cast<double>(values[i]) - static_cast<double>(values[5]);
          const double expected = std::exp(std::clamp(slope * difference, -50.0, 50.0));
          ASSERT_NEAR(out[i] / expected, 1.0, 5e-16);
        }
      }
    });
    EXPECT_EQ(first[5], 1.0);
  }
}

}  // namespace
}  // namespace paco::math
