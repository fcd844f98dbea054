// The array under the prototypes: it keeps what it holds while it grows, and what is new is zero.
#include "core/growing_array.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace paco::core {
namespace {

TEST(GrowingArray, KeepsItsElementsWhileItGrowsOneByOne) {
  GrowingArray<std::int64_t> array;
  constexpr std::int64_t kCount = 100'000;
  for (std::int64_t i = 0; i < kCount; ++i) array.push_back(i * i);
  ASSERT_EQ(array.size(), static_cast<std::size_t>(kCount));
  for (std::int64_t i = 0; i < kCount; ++i) ASSERT_EQ(array[static_cast<std::size_t>(i)], i * i);
}

TEST(GrowingArray, NewElementsAreZeroEvenWhereOldOnesStood) {
  GrowingArray<float> array;
  array.resize(5000);
  std::fill(array.data(), array.data() + 5000, 1.0f);
  array.resize(10);
  array.resize(6000);
  EXPECT_EQ(std::accumulate(array.data(), array.data() + 6000, 0.0f), 10.0f);
}

TEST(GrowingArray, AnEmptyOneNeedsNoMemory) {
  GrowingArray<double> array;
  EXPECT_EQ(array.size(), 0u);
  EXPECT_EQ(array.data(), nullptr);
  array.resize(0);
  EXPECT_EQ(array.data(), nullptr);
}

TEST(GrowingArray, MovesWithItsElements) {
  GrowingArray<int> first, third;
  first.push_back(7);
  GrowingArray<int> second(std::move(first));
  ASSERT_EQ(second.size(), 1u);
  EXPECT_EQ(second[0], 7);
  third.push_back(1);
  third = std::move(second);
  ASSERT_EQ(third.size(), 1u);
  EXPECT_EQ(third[0], 7);
}

}  // namespace
}  // namespace paco::core
