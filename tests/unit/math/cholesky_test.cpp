// Factors and eigenvalue counts against matrices whose factors and eigenvalues are known.
#include "math/cholesky.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/random.hpp"
#include "unit/math/targets.hpp"

namespace paco::math {
namespace {

using testing::for_every_target;

// Q diag(eigenvalues) Q^T for a random orthogonal Q, made of reflections.
Matrix<double> with_eigenvalues(const std::vector<double>& eigenvalues, std::uint64_t seed) {
  const std::size_t n = eigenvalues.size();
  core::Random random(seed);
  Matrix<double> a(n, n);
  for (std::size_t i = 0; i < n; ++i) a[i][i] = eigenvalues[i];
  std::vector<double> w(n), product(n);
  for (int reflection = 0; reflection < 4; ++reflection) {
    double squared = 0;
    for (double& x : w) x = random.normal(), squared += x * x;
    // (I - 2ww^T/w^2) A (I - 2ww^T/w^2)
    double both = 0;
    for (std::size_t i = 0; i < n; ++i) {
      product[i] = 0;
      for (std::size_t j = 0; j < n; ++j) product[i] += a[i][j] * w[j];
      both += product[i] * w[i];
    }
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        a[i][j] += -2 * (w[i] * product[j] + product[i] * w[j]) / squared +
                   4 * both * w[i] * w[j] / (squared * squared);
      }
    }
  }
  return a;
}

std::vector<double> spread_eigenvalues(std::size_t n, double largest, double smallest) {
  std::vector<double> values;
  for (std::size_t i = 0; i < n; ++i) {
    const double share = n == 1 ? 0.0 : static_cast<double>(i) / static_cast<double>(n - 1);
    values.push_back(largest * std::pow(smallest / largest, share));
  }
  return values;
}

TEST(Factor, GivesTheMatrixBackWithItsSigns) {
  for (const std::size_t n : {1, 5, 16, 17, 60, 150}) {
    std::vector<double> eigenvalues = spread_eigenvalues(n, 10, 0.1);
    for (std::size_t i = 0; i < n; i += 3) eigenvalues[i] *= -1;
    const Matrix<double> a = with_eigenvalues(eigenvalues, n);
    Matrix<double> r = a;
    std::vector<double> signs;
    ASSERT_TRUE(cholesky_signed(r, 1e-12, signs));
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = i; j < n; ++j) {
        double sum = 0;
        for (std::size_t k = 0; k <= i; ++k) sum += signs[k] * r[k][i] * r[k][j];
        ASSERT_NEAR(sum, a[i][j], 1e-6) << "n " << n;
      }
    }
  }
}

TEST(Factor, TheTransposedInverseUndoesTheFactor) {
  for (const std::size_t n : {1, 5, 16, 17, 60, 150}) {
    Matrix<double> r = with_eigenvalues(spread_eigenvalues(n, 10, 0.1), n);
    std::vector<double> signs;
    ASSERT_TRUE(cholesky_signed(r, 0, signs));
    Matrix<double> b(r.rows(), r.rows());
    inverse_transposed(r, b);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        double sum = 0;  // of R B^T
        for (std::size_t k = i; k < n; ++k) sum += r[i][k] * b[j][k];
        ASSERT_NEAR(sum, i == j ? 1.0 : 0.0, 1e-10) << "n " << n;
      }
    }
  }
}

TEST(Factor, RefusesASingularMatrix) {
  Matrix<double> a(3, 3);
  a[0][0] = a[0][1] = a[1][1] = a[2][2] = 1;
  std::vector<double> signs;
  EXPECT_FALSE(cholesky_signed(a, 1e-12, signs));
}

TEST(Eigenvalues, TheLargestIsFound) {
  for (const std::size_t n : {1, 2, 7, 60, 150}) {
    const Matrix<double> a = with_eigenvalues(spread_eigenvalues(n, 3.5, 1e-9), n);
    EXPECT_NEAR(largest_eigenvalue(a), 3.5, 1e-10) << "n " << n;
  }
  EXPECT_NEAR(largest_eigenvalue(with_eigenvalues(std::vector<double>(40, 2.0), 1)), 2.0, 1e-11);
}

TEST(Eigenvalues, AreCountedAboveEveryThreshold) {
  for (const std::size_t n : {1, 2, 7, 60, 150}) {
    std::vector<double> eigenvalues = spread_eigenvalues(n, 1, 1e-5);
    for (std::size_t i = n / 2; i < n; ++i) eigenvalues[i] = 0;
    const Matrix<double> a = with_eigenvalues(eigenvalues, n);
    for (const double threshold : {0.7, 1e-1, 1e-3, 1e-7}) {
      const auto above = std::count_if(eigenvalues.begin(), eigenvalues.end(),
                                       [&](double x) { return x > threshold; });
      Matrix<double> spoilt = a;
      EXPECT_EQ(eigenvalues_above(spoilt, threshold), static_cast<std::size_t>(above))
          << "n " << n << ", threshold " << threshold;
    }
  }
}

TEST(Factor, HasTheSameBitsOnEveryInstructionSet) {
  const Matrix<double> a = with_eigenvalues(spread_eigenvalues(150, 10, 0.1), 5);
  Matrix<double> first;
  for_every_target([&] {
    Matrix<double> r = a;
    std::vector<double> signs;
    ASSERT_TRUE(cholesky_signed(r, 0, signs));
    Matrix<double> b(r.rows(), r.rows());
    inverse_transposed(r, b);
    if (first.rows() == 0) first = b;
    for (std::size_t i = 0; i < 150 * 150; ++i) ASSERT_EQ(b.data()[i], first.data()[i]);
  });
}

}  // namespace
}  // namespace paco::math
