// Vectors whose memory comes in large pages behave like any other, below and above the size where
// that begins.
#include "base/large_pages.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace paco {
namespace {

TEST(LargePages, AVectorKeepsItsElementsWhileItGrowsIntoThem) {
  constexpr std::int64_t kCount = 3 << 20;  // 24 MiB, from nothing
  std::vector<std::int64_t, LargePages<std::int64_t>> numbers;
  for (std::int64_t i = 0; i < kCount; ++i) numbers.push_back(i);
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < kCount; ++i) wrong += numbers[static_cast<std::size_t>(i)] != i;
  EXPECT_EQ(wrong, 0);
  const auto copy = numbers;
  numbers.resize(3);
  numbers.shrink_to_fit();
  EXPECT_EQ(numbers, (decltype(numbers){0, 1, 2}));
  EXPECT_EQ(copy.back(), kCount - 1);
}

TEST(LargePages, LargeArraysBeginAtALargePageAndAreZero) {
  const std::vector<float, LargePages<float>> numbers(std::size_t{2} << 20);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(numbers.data()) % (2 << 20), 0U);
  for (const float number : numbers) ASSERT_EQ(number, 0.0f);
}

}  // namespace
}  // namespace paco
