// The exact kernels return the bits that plain.hpp defines, for every length, alignment and
// instruction set.
#include "math/kernels.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "core/random.hpp"
#include "math/plain.hpp"
#include "unit/math/targets.hpp"

namespace paco::math {
namespace {

using testing::for_every_target;

constexpr std::size_t kLongest = 200;
constexpr std::size_t kOffsets = 5;  // in elements; covers every alignment of a 16-byte register

// Numbers of very different sizes and signs, so that the order of summation shows in the last bits.
template <class T>
std::vector<T> wild_numbers(std::size_t n, std::uint64_t seed) {
  core::Random random(seed);
  std::vector<T> numbers(n);
  for (T& x : numbers) x = static_cast<T>(random.normal() * std::exp(4 * random.normal()));
  return numbers;
}

template <class A, class B>
void expect_plain_dots() {
  const auto a = wild_numbers<A>(kLongest + kOffsets, 1);
  const auto b = wild_numbers<B>(kLongest + kOffsets, 2);
  for (std::size_t n = 0; n <= kLongest; ++n) {
    for (std::size_t offset = 0; offset < kOffsets; ++offset) {
      const A* x = a.data() + offset;
      const B* y = b.data() + (kOffsets - 1 - offset);
      ASSERT_EQ(std::bit_cast<std::uint64_t>(dot(x, y, n)),
                std::bit_cast<std::uint64_t>(plain::dot(x, y, n)))
          << "length " << n << ", offset " << offset;
    }
  }
}

TEST(Kernels, DotHasTheBitsOfThePlainLoop) {
  for_every_target([] {
    expect_plain_dots<float, float>();
    expect_plain_dots<double, float>();
    expect_plain_dots<double, double>();
  });
}

TEST(Kernels, TheOrderOfSummationIsVisibleInTheseNumbers) {
  // Otherwise the test above would pass for any order.
  const auto a = wild_numbers<double>(kLongest, 1), b = wild_numbers<double>(kLongest, 2);
  double sum = 0;
  for (std::size_t i = 0; i < kLongest; ++i) sum += a[i] * b[i];
  EXPECT_NE(sum, plain::dot(a.data(), b.data(), kLongest));
}

TEST(Kernels, AccumulateAddsAndMeasuresLikeThePlainLoop) {
  for_every_target([] {
    for (std::size_t n = 1; n <= kLongest; ++n) {
      auto sum = wild_numbers<double>(n + 1, 3), expected = sum;
      const auto addend = wild_numbers<float>(n + 1, 4);
      const std::size_t offset = n % 2;
      const double squared = accumulate(sum.data() + offset, addend.data() + 1, n);
      for (std::size_t i = 0; i < n; ++i)
        expected[offset + i] += static_cast<double>(addend[1 + i]);
      ASSERT_EQ(sum, expected) << "length " << n;
      ASSERT_EQ(squared, plain::dot(&expected[offset], &expected[offset], n)) << "length " << n;
    }
  });
}

TEST(Kernels, EveryNumberIsRoundedToTheNearestFloat32) {
  for_every_target([] {
    for (std::size_t n = 0; n <= kLongest; ++n) {
      const auto numbers = wild_numbers<double>(n, 8);
      std::vector<float> rounded(n + 1, 7.0f);
      to_float32(numbers.data(), rounded.data(), n);
      for (std::size_t i = 0; i < n; ++i)
        ASSERT_EQ(rounded[i], static_cast<float>(numbers[i])) << "length " << n;
      ASSERT_EQ(rounded[n], 7.0f) << "length " << n;
    }
  });
}

TEST(Kernels, StandardiseEqualsThePlainFormula) {
  for_every_target([] {
    for (std::size_t n = 1; n <= kLongest; ++n) {
      const auto raw = wild_numbers<double>(n, 5), mean = wild_numbers<double>(n, 6);
      auto deviation = wild_numbers<double>(n, 7);
      for (double& x : deviation) x = std::abs(x) + 1e-3;
      std::vector<double> z(n);
      for (std::size_t i = 0; i < n; ++i) z[i] = (raw[i] - mean[i]) / deviation[i];
      const double squared = plain::dot(z.data(), z.data(), n);
      std::vector<float> unit(n);
      ASSERT_EQ(standardise(raw.data(), mean.data(), deviation.data(), unit.data(), n), squared)
          << "length " << n;
      for (std::size_t i = 0; i < n; ++i)
        ASSERT_EQ(unit[i], static_cast<float>(z[i] / std::sqrt(squared))) << "length " << n;
    }
  });
}

TEST(Kernels, SeveralInstructionSetsAreCompiledIn) {
  const std::vector<std::string> targets = kernel_targets();
  EXPECT_FALSE(targets.empty());
  EXPECT_NE(std::find(targets.begin(), targets.end(), kernel_target()), targets.end());
}

}  // namespace
}  // namespace paco::math
