// Vectors whose memory comes in large pages behave like any other, below and above the size where
// that begins.
#include "core/large_pages.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <thread>
#include <vector>

#include "sanitized.hpp"

namespace paco::core {
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

using Floats = std::vector<float, LargePages<float>>;
constexpr std::size_t kLarge = std::size_t{2} << 20;  // floats

TEST(LargePages, WhatWasGivenBackIsHandedOutAgainAndIsZero) {
  if (PACO_SANITIZED) GTEST_SKIP() << "sanitizers see more where nothing is used twice";
  const float* place = nullptr;
  {
    const Floats numbers(kLarge, 7.0f);
    place = numbers.data();
  }
  const Floats slightly_smaller(kLarge - kLarge / 8);
  EXPECT_EQ(slightly_smaller.data(), place);
  for (const float number : slightly_smaller) ASSERT_EQ(number, 0.0f);
  const Floats another(kLarge);
  EXPECT_NE(another.data(), place);
}

TEST(LargePages, AnArrayThatIsMuchLargerIsNotSpentOnASmallOne) {
  const float* place = nullptr;
  {
    const Floats numbers(3 * kLarge);
    place = numbers.data();
  }
  EXPECT_NE(Floats(kLarge).data(), place);
}

TEST(LargePages, ThreadsNeverHoldTheSameArray) {
  std::vector<std::thread> threads;
  std::vector<int> wrong(4, 0);
  for (std::size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int round = 0; round < 5; ++round) {
        const Floats numbers(kLarge + t * kLarge / 16, static_cast<float>(t));
        wrong[t] +=
            numbers.front() != static_cast<float>(t) || numbers.back() != static_cast<float>(t);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(wrong.size(), 0));
}

}  // namespace
}  // namespace paco::core
