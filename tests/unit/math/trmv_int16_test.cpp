// The triangle in 16-bit whole numbers: the bits of its definition on every instruction set, sums
// that never leave 32 bits, and products close to the exact ones.
#include "math/trmv_int16.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/random.hpp"
#include "math/matrix.hpp"
#include "targets.hpp"

namespace paco::testing {
namespace {

enum class Shape { usual, one_large, all_alike, extreme };

float component(Shape shape, std::size_t j, core::Random& random) {
  switch (shape) {
    case Shape::one_large:
      return j == 0 ? 1000.0f : static_cast<float>(random.normal());
    case Shape::all_alike:
      return 1;
    case Shape::extreme:
      return static_cast<float>(std::pow(10.0, 60 * random.uniform() - 30));
    default:
      return static_cast<float>(random.normal());
  }
}

math::Matrix<float> units(std::size_t rows, std::size_t n, Shape shape, core::Random& random) {
  math::Matrix<float> out(rows, n);
  for (std::size_t i = 0; i < rows; ++i) {
    double squared = 0;
    for (std::size_t j = 0; j < n; ++j) {
      out[i][j] = component(shape, j, random);
      squared += static_cast<double>(out[i][j]) * static_cast<double>(out[i][j]);
    }
    for (float& x : out[i]) x = static_cast<float>(static_cast<double>(x) / std::sqrt(squared));
  }
  return out;
}

math::Matrix<float> triangle(std::size_t n, Shape shape, core::Random& random) {
  math::Matrix<float> out(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) out[i][j] = component(shape, i - j, random);
  }
  return out;
}

TEST(ShortTriangle, ProductsAreThoseOfTheDefinitionOnEveryInstructionSet) {
  for_every_target([] {
    core::Random random(1);
    for (const std::size_t n : {1, 2, 3, 15, 16, 31, 32, 33, 64, 65, 200, 300}) {
      for (const Shape shape : {Shape::usual, Shape::one_large, Shape::all_alike, Shape::extreme}) {
        const math::Matrix<float> lower = triangle(n, shape, random);
        const math::ShortTriangle fast(lower);
        for (const std::size_t rows : {1, 3, 8, 70}) {
          const math::Matrix<float> u = units(rows, n, shape, random);
          math::Matrix<float> out(rows, n);
          fast.multiply(u.data(), rows, n, out.data(), n);
          for (std::size_t i = 0; i < rows; ++i) {
            const std::vector<float> expected = math::plain::multiply_short(lower, u[i].data());
            for (std::size_t j = 0; j < n; ++j)
              ASSERT_EQ(out[i][j], expected[j]) << n << ": " << i << ", " << j;
          }
        }
      }
    }
  });
}

// Vectors that are multiples of a row make the largest sum there can be.
TEST(ShortTriangle, TheLargestSumFitsItsWord) {
  for (const std::size_t n : {2, 3, 5, 100, 1000, 5000}) {
    for (const float sign : {1.0f, -1.0f}) {
      math::Matrix<float> lower(n, n), u(1, n), out(1, n);
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < i; ++j) lower[i][j] = 1;
      for (std::size_t j = 0; j + 1 < n; ++j) u[0][j] = sign / std::sqrt(static_cast<float>(n - 1));
      math::ShortTriangle(lower).multiply(u.data(), 1, n, out.data(), n);
      EXPECT_NEAR(out[0][n - 1], sign * std::sqrt(static_cast<float>(n - 1)),
                  1e-3f * std::sqrt(static_cast<float>(n)));
    }
  }
}

TEST(ShortTriangle, CosinesAreGoodToAboutAHundredThousandth) {
  core::Random random(2);
  constexpr std::size_t kSize = 300, kRows = 40;
  math::Matrix<float> lower = triangle(kSize, Shape::usual, random);
  for (std::size_t i = 0; i < kSize; ++i)
    lower[i][i] += 10;  // as a whitening: most on the diagonal
  const math::Matrix<float> u = units(kRows, kSize, Shape::usual, random);
  math::Matrix<float> out(kRows, kSize);
  math::Matrix<double> exact(kRows, kSize);
  math::ShortTriangle(lower).multiply(u.data(), kRows, kSize, out.data(), kSize);
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t k = 0; k < kSize; ++k) {
      for (std::size_t j = 0; j <= k; ++j)
        exact[i][k] += static_cast<double>(lower[k][j]) * static_cast<double>(u[i][j]);
    }
  }
  const auto cosine = [](auto a, auto b) {
    double ab = 0, aa = 0, bb = 0;
    for (std::size_t j = 0; j < kSize; ++j) {
      const auto x = static_cast<double>(a[j]), y = static_cast<double>(b[j]);
      ab += x * y, aa += x * x, bb += y * y;
    }
    return ab / std::sqrt(aa * bb);
  };
  for (std::size_t i = 1; i < kRows; ++i)
    EXPECT_NEAR(cosine(out[i], out[i - 1]), cosine(exact[i], exact[i - 1]), 5e-5);
}

TEST(ShortTriangle, ZeroStaysZero) {
  core::Random random(3);
  const math::Matrix<float> lower = triangle(50, Shape::usual, random);
  math::Matrix<float> u(2, 50), out(2, 50);
  math::ShortTriangle(lower).multiply(u.data(), 2, 50, out.data(), 50);
  for (std::size_t j = 0; j < 50; ++j) ASSERT_EQ(out[1][j], 0.0f);
}

}  // namespace
}  // namespace paco::testing
