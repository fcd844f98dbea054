// The best rows of a table and the best of a list against a plain search.
#include "math/best_rows.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "core/random.hpp"
#include "unit/math/targets.hpp"

namespace paco::math {
namespace {

TEST(BestRows, AreThoseOfAPlainSearchWithTiesAndRowsLeftOut) {
  constexpr double kLowest = -std::numeric_limits<double>::infinity();
  testing::for_every_target([&] {
    core::Random random(1);
    for (const std::size_t rows : {0, 1, 2, 3, 40}) {
      const std::size_t stride = 11;
      std::vector<double> table(rows * stride + kColumnsAtOnce), scales(rows), biases(rows);
      for (double& x : table) x = static_cast<double>(random.below(6));  // many ties
      for (std::size_t k = 0; k < rows; ++k) {
        scales[k] = random.below(4) == 0 ? 0.0 : 0.5;
        biases[k] = scales[k] == 0 ? kLowest : 0.0;
      }
      double left_out[kColumnsAtOnce];
      for (double& x : left_out) x = static_cast<double>(random.below(rows + 1)) - 1;
      BestRows best;
      best_two_rows(table.data() + 2, stride, rows, scales.data(), biases.data(), left_out, best);
      for (std::size_t j = 0; j < kColumnsAtOnce; ++j) {
        double first = kLowest, second = kLowest, first_row = -1, second_row = -1;
        for (std::size_t k = 0; k < rows; ++k) {
          const double value = table[2 + k * stride + j] * scales[k] + biases[k];
          if (left_out[j] == static_cast<double>(k)) continue;
          if (value > first) {
            second = first, second_row = first_row;
            first = value, first_row = static_cast<double>(k);
          } else if (value > second) {
            second = value, second_row = static_cast<double>(k);
          }
        }
        EXPECT_EQ(best.first[j], first);
        EXPECT_EQ(best.first_row[j], first_row);
        EXPECT_EQ(best.second[j], second);
        EXPECT_EQ(best.second_row[j], second_row);
      }
    }
  });
}

TEST(BestRows, OfNoTableThereAreNone) {
  testing::for_every_target([] {
    const double left_out[kColumnsAtOnce] = {};
    BestRows best;
    best_two_rows(nullptr, 0, 0, nullptr, nullptr, left_out, best);
    for (std::size_t j = 0; j < kColumnsAtOnce; ++j) EXPECT_EQ(best.first_row[j], -1);
  });
}

TEST(BestSum, IsTheFirstOfTheLargest) {
  constexpr float kLowest = -std::numeric_limits<float>::infinity();
  testing::for_every_target([&] {
    core::Random random(2);
    for (std::size_t n = 0; n < 200; ++n) {
      std::vector<float> values(n), biases(n);
      std::size_t best = n;
      for (std::size_t j = 0; j < n; ++j) {
        values[j] = static_cast<float>(random.below(9));  // many ties
        biases[j] = random.below(n) > 2 ? kLowest : 0.0f;
        const bool counts = biases[j] == 0;
        if (counts && (best == n || values[j] > values[best])) best = j;
      }
      EXPECT_EQ(best_sum(values.data(), biases.data(), n), best) << n;
    }
  });
}

}  // namespace
}  // namespace paco::math
