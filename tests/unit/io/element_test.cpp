// Numbers of every element type are converted as numpy converts them.
#include "io/element.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "core/random.hpp"

namespace paco::io {
namespace {

TEST(Element, EveryHalfConvertsLikeThePlainReading) {
  std::vector<std::uint16_t> halves(65536);
  for (std::size_t i = 0; i < halves.size(); ++i) halves[i] = static_cast<std::uint16_t>(i);
  std::vector<double> doubles(halves.size());
  std::vector<float> floats(halves.size());
  const auto* bytes = reinterpret_cast<const std::byte*>(halves.data());
  to_doubles(ElementType::f16, false, bytes, doubles);
  to_floats(ElementType::f16, false, bytes, floats);
  for (std::size_t i = 0; i < halves.size(); ++i) {
    const double expected = half_to_double(halves[i]);
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(doubles[i]) && std::isnan(floats[i])) << i;
    } else {
      ASSERT_EQ(doubles[i], expected) << i;
      ASSERT_EQ(floats[i], expected) << i;
      ASSERT_EQ(std::signbit(doubles[i]), std::signbit(expected)) << i;
    }
  }
}

// Seven numbers at an odd address reach the end of the vector loop, the rest loop and unaligned
// loads.
TEST(Element, HalvesConvertAtAnyAddressAndLength) {
  std::vector<std::byte> bytes(64);
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::byte>(i & 0x3f);  // no exponent is full: no NaN
  for (std::size_t offset : {0, 1, 3}) {
    for (std::size_t count : {0, 1, 7, 8, 9, 23}) {
      std::vector<double> out(count);
      to_doubles(ElementType::f16, false, bytes.data() + offset, out);
      for (std::size_t i = 0; i < count; ++i) {
        std::uint16_t half;
        std::memcpy(&half, bytes.data() + offset + 2 * i, 2);
        EXPECT_EQ(out[i], half_to_double(half)) << offset << " " << count << " " << i;
      }
    }
  }
}

TEST(Element, HalvesSurviveTheWayThroughDouble) {
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    if (std::isnan(half_to_double(half))) continue;
    ASSERT_EQ(double_to_half(half_to_double(half)), half);
  }
}

TEST(Element, RoundingToHalfGoesToTheNearestAndTiesToEven) {
  EXPECT_EQ(half_to_double(double_to_half(2049.0)),
            2048.0);  // between 2048 and 2050: even mantissa
  EXPECT_EQ(half_to_double(double_to_half(2051.0)), 2052.0);
  EXPECT_EQ(half_to_double(double_to_half(std::nextafter(2049.0, 3000.0))), 2050.0);
  EXPECT_EQ(half_to_double(double_to_half(65519.0)), 65504.0);
  EXPECT_TRUE(std::isinf(half_to_double(double_to_half(65520.0))));
  EXPECT_EQ(double_to_half(0x1p-25), 0);  // half of the smallest: a tie, to zero
  EXPECT_EQ(double_to_half(0x1.8p-25), 1);
  EXPECT_EQ(double_to_half(-0.0), 0x8000);
}

TEST(Element, RoundingIsNearestForRandomNumbers) {
  constexpr std::uint64_t kSeed = 7;
  core::Random random(kSeed);
  for (int i = 0; i < 20000; ++i) {
    const double x = std::ldexp(random.uniform(-1, 1), static_cast<int>(random.below(44)) - 27);
    const std::uint16_t half = double_to_half(x);
    const double error = std::fabs(half_to_double(half) - x);
    for (int step : {-1, 1}) {
      const double other = half_to_double(static_cast<std::uint16_t>(half + step));
      if (std::isfinite(other)) {
        ASSERT_LE(error, std::fabs(other - x)) << x << " seed " << kSeed;
      }
    }
  }
}

TEST(Element, BfloatRoundsOnceNotTwice) {
  // Just above the middle of two neighbours by less than a float can tell: rounding to float first
  // would lose it.
  const double x = 1.0 + 0x1p-8 + 0x1p-40;
  std::uint16_t bits;
  ASSERT_TRUE(from_doubles(ElementType::bf16, {&x, 1}, reinterpret_cast<std::byte*>(&bits)));
  double back;
  to_doubles(ElementType::bf16, false, reinterpret_cast<const std::byte*>(&bits), {&back, 1});
  EXPECT_EQ(back, 1.0 + 0x1p-7);
}

TEST(Element, WhatDoesNotFitIsReported) {
  const double values[] = {1.0, 1e6};
  std::byte out[16];
  EXPECT_FALSE(from_doubles(ElementType::f16, values, out));
  EXPECT_TRUE(from_doubles(ElementType::f32, values, out));
  const double huge = 1e300;
  EXPECT_FALSE(from_doubles(ElementType::f32, {&huge, 1}, out));
  EXPECT_FALSE(from_doubles(ElementType::bf16, {&huge, 1}, out));
  const std::uint64_t large = ~std::uint64_t{0};
  std::int64_t integer;
  EXPECT_FALSE(to_integers(ElementType::u64, false, reinterpret_cast<const std::byte*>(&large),
                           {&integer, 1}));
}

TEST(Element, ForeignByteOrderGivesTheSameNumbers) {
  // More than one chunk of the detour, so its seams are crossed.
  std::vector<double> values(3000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 0.5 * static_cast<double>(i) - 700;
  for (ElementType type : {ElementType::f16, ElementType::f32, ElementType::f64}) {
    const std::size_t size = element_size(type);
    std::vector<std::byte> bytes(values.size() * size);
    ASSERT_TRUE(from_doubles(type, values, bytes.data()));
    for (std::size_t i = 0; i < bytes.size(); i += size)
      std::reverse(bytes.begin() + i, bytes.begin() + i + size);
    std::vector<double> back(values.size());
    to_doubles(type, true, bytes.data(), back);
    EXPECT_EQ(back, values) << element_name(type);
  }
}

TEST(Element, TheFirstNumberThatIsNotFiniteIsFoundAnywhere) {
  std::vector<double> values(37, -1.5);
  EXPECT_EQ(first_not_finite(values), std::nullopt);
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
      auto copy = values;
      copy[i] = bad;
      EXPECT_EQ(first_not_finite(copy), i);
    }
  }
  values.assign(20, std::numeric_limits<double>::max());
  EXPECT_EQ(first_not_finite(values), std::nullopt);
}

TEST(Element, CountingRefusesWhatNoFileCanHold) {
  EXPECT_EQ(count_elements(std::vector<std::uint64_t>{3, 4}), 12u);
  EXPECT_EQ(count_elements({}), 1u);
  EXPECT_EQ(count_elements(std::vector<std::uint64_t>{1ull << 60, 768}), std::nullopt);
}

}  // namespace
}  // namespace paco::io
