// Ordered products have the bits of the plain loops, for every shape and instruction set.
#include "math/gemm_deterministic.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "core/random.hpp"
#include "math/matrix.hpp"
#include "math/plain.hpp"
#include "unit/math/targets.hpp"

namespace paco::math {
namespace {

using testing::for_every_target;

// Numbers of very different sizes, so that the order of summation shows in the last bits.
template <class T>
Matrix<T> wild_matrix(std::size_t rows, std::size_t columns, core::Random& random) {
  Matrix<T> matrix(rows, columns);
  for (std::size_t i = 0; i < rows * columns; ++i)
    matrix.data()[i] = static_cast<T>(random.normal() * std::exp(2 * random.normal()));
  return matrix;
}

Matrix<double> transposed(const Matrix<double>& matrix) {
  Matrix<double> out(matrix.columns(), matrix.rows());
  for (std::size_t i = 0; i < out.rows(); ++i) {
    for (std::size_t j = 0; j < out.columns(); ++j) out[i][j] = matrix[j][i];
  }
  return out;
}

TEST(OrderedProducts, DoublesAreAddedOneAfterAnother) {
  for_every_target([] {
    core::Random random(1);
    for (const auto& [m, n, depth] : std::vector<std::array<std::size_t, 3>>{
             {1, 1, 1}, {7, 3, 5}, {9, 17, 64}, {130, 129, 131}, {8, 16, 300}, {5, 200, 0}}) {
      SCOPED_TRACE(::testing::Message() << m << " x " << n << " x " << depth);
      const auto x = wild_matrix<double>(m, depth, random),
                 y = wild_matrix<double>(n, depth, random);
      const auto start = wild_matrix<double>(m, n, random);
      const Matrix<double> xt = transposed(x), yt = transposed(y);
      std::vector<double> signs;
      for (std::size_t k = 0; k < depth; ++k) signs.push_back(random.below(2) == 0 ? 1.0 : -1.0);
      Matrix<double> expected = start;
      for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
          for (std::size_t k = 0; k < depth; ++k) expected[i][j] += signs[k] * x[i][k] * y[j][k];
        }
      }
      Matrix<double> by_row = start, by_depth = start, upper = start;
      add_products({x.data(), depth, false}, m, {y.data(), depth, false}, n, depth, by_row.data(),
                   n, signs.data());
      add_products({xt.data(), m, true}, m, {yt.data(), n, true}, n, depth, by_depth.data(), n,
                   signs.data());
      add_products({x.data(), depth, false}, m, {yt.data(), n, true}, n, depth, upper.data(), n,
                   signs.data(), true);
      for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
          ASSERT_EQ(by_row[i][j], expected[i][j]) << i << ", " << j;
          ASSERT_EQ(by_depth[i][j], expected[i][j]) << i << ", " << j;
          if (j < i) continue;
          ASSERT_EQ(upper[i][j], expected[i][j]) << i << ", " << j;
        }
      }
    }
  });
}

TEST(OrderedProducts, FloatsAreAddedInChunksWithOrWithoutFusing) {
  for_every_target([] {
    core::Random random(2);
    for (const auto& [m, n, depth] : std::vector<std::array<std::size_t, 3>>{
             {1, 1, 1}, {3, 31, 63}, {9, 33, 64}, {20, 70, 65}, {8, 32, 300}, {64, 100, 100}}) {
      SCOPED_TRACE(::testing::Message() << m << " x " << n << " x " << depth);
      const auto a = wild_matrix<float>(m, depth, random), b = wild_matrix<float>(n, depth, random);
      Matrix<float> out(m, n), fused(m, n);
      multiply_packed(a, PackedRows(b), out.data(), n);
      multiply_packed(a, PackedRows(b), fused.data(), n, 0, Terms::fused);
      for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
          ASSERT_EQ(out[i][j], plain::chunked_dot(a[i].data(), b[j].data(), depth));
          ASSERT_EQ(fused[i][j], plain::fused_dot(a[i].data(), b[j].data(), depth));
        }
      }
    }
  });
}

// 1 + 2^-23 and (1 + 2^-23) (1 - 2^-23) 2^-24 add up to less than the middle between two floats,
// by 2^-70. Rounded to double first, the sum would lie in the middle and then go up.
TEST(OrderedProducts, FusedTermsAreRoundedOnce) {
  for_every_target([] {
    for (const float sign : {1.0f, -1.0f}) {
      Matrix<float> a(1, 2), b(1, 2), out(1, 1);
      a[0][0] = sign * (1 + 0x1p-23f);
      a[0][1] = a[0][0] * 0x1p-24f;
      b[0][0] = 1;
      b[0][1] = 1 - 0x1p-23f;
      multiply_packed(a, PackedRows(b), out.data(), 1, 0, Terms::fused);
      ASSERT_EQ(out[0][0], a[0][0]);
      ASSERT_EQ(plain::fused_dot(a[0].data(), b[0].data(), 2), a[0][0]);
    }
  });
}

TEST(OrderedProducts, ColumnsArePackedLikeTheRowsOfTheTransposeWhateverWasPackedBefore) {
  core::Random random(4);
  PackedRows again(wild_matrix<float>(70, 300, random));
  for (const auto& [m, n, depth] : std::vector<std::array<std::size_t, 3>>{
           {1, 1, 1}, {3, 31, 63}, {9, 33, 64}, {20, 70, 65}, {5, 64, 10}}) {
    const auto a = wild_matrix<float>(m, depth, random), b = wild_matrix<float>(depth, n, random);
    Matrix<float> turned(n, depth), expected(m, n), out(m, n);
    for (std::size_t i = 0; i < depth; ++i)
      for (std::size_t j = 0; j < n; ++j) turned[j][i] = b[i][j];
    multiply_packed(a, PackedRows(turned), expected.data(), n);
    again.take_columns(b);
    ASSERT_EQ(again.rows(), n);
    multiply_packed(a, again, out.data(), n);
    for (std::size_t i = 0; i < m * n; ++i) ASSERT_EQ(out.data()[i], expected.data()[i]);
  }
}

TEST(OrderedProducts, ZerosThatAreLeftOutChangeNoBit) {
  for_every_target([] {
    core::Random random(3);
    for (const std::size_t n : {1, 31, 64, 100, 161}) {
      const auto a = wild_matrix<float>(11, n, random);
      auto b = wild_matrix<float>(n, n, random);
      for (std::size_t i = 0; i < n; ++i) std::fill(b[i].begin() + i + 1, b[i].end(), 0.0f);
      Matrix<float> whole(11, n), lower(11, n);
      multiply_packed(a, PackedRows(b), whole.data(), n);
      multiply_packed(a, PackedRows(b, true), lower.data(), n);
      for (std::size_t i = 0; i < 11 * n; ++i) ASSERT_EQ(whole.data()[i], lower.data()[i]);
    }
  });
}

}  // namespace
}  // namespace paco::math
