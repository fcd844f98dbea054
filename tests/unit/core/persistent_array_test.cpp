// A growing array whose copies share what has not changed.
#include "paco/persistent_array.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/random.hpp"

namespace paco::core {
namespace {

std::vector<int> content(const PersistentArray<int>& array) {
  std::vector<int> values;
  for (std::size_t i = 0; i < array.size(); ++i) values.push_back(array[i]);
  return values;
}

TEST(PersistentArray, HoldsWhatAVectorHoldsAndSharedCopiesStayAsTheyWere) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    Random random(seed);
    PersistentArray<int> array;
    std::vector<int> plain;
    std::vector<std::pair<PersistentArray<int>, std::vector<int>>> kept;
    // Beyond one branch of 64 x 64 elements for some seeds.
    for (int step = 0; step < (seed < 2 ? 9000 : 900); ++step) {
      const auto value = static_cast<int>(random.below(1000));
      if (plain.empty() || random.below(3) > 0) {
        array.push_back(value);
        plain.push_back(value);
      } else {
        const std::size_t i = random.below(plain.size());
        array.edit(i) = value;
        plain[i] = value;
      }
      if (random.below(60) == 0) kept.emplace_back(array.share(), plain);
    }
    EXPECT_EQ(content(array), plain) << "seed " << seed;
    for (const auto& [copy, expected] : kept)
      ASSERT_EQ(content(copy), expected) << "seed " << seed << ", " << expected.size();
  }
}

TEST(PersistentArray, OnlyThePartThatIsEditedIsCopied) {
  constexpr std::size_t kSize = 10'000, kPart = 64;
  PersistentArray<int> array;
  for (std::size_t i = 0; i < kSize; ++i) array.push_back(static_cast<int>(i));
  const PersistentArray<int> before = array.share();
  array.edit(5'000) = -1;
  array.edit(5'001) = -1;
  std::size_t copied = 0;
  for (std::size_t i = 0; i < kSize; ++i) {
    const bool same_part = i / kPart == 5'000 / kPart;
    EXPECT_EQ(&before[i] != &array[i], same_part) << i;
    copied += &before[i] != &array[i];
  }
  EXPECT_EQ(copied, kPart);
  EXPECT_EQ(before[5'000], 5'000);
}

TEST(PersistentArray, EditsBetweenTwoSharesCopyAPartOnce) {
  PersistentArray<int> array;
  for (int i = 0; i < 100; ++i) array.push_back(i);
  const PersistentArray<int> first = array.share();
  array.edit(0) = 1;
  const int* place = &array[0];
  array.edit(1) = 2;
  EXPECT_EQ(&array[0], place) << "the part belongs to the writer since its first edit";
  const PersistentArray<int> second = array.share();
  array.edit(0) = 3;
  EXPECT_NE(&array[0], place);
  EXPECT_EQ(first[0], 0);
  EXPECT_EQ(second[0], 1);
  EXPECT_EQ(second[1], 2);
  EXPECT_EQ(array[0], 3);
}

TEST(PersistentArray, GrowsWithoutTouchingASharedCopy) {
  PersistentArray<std::string> array;
  array.push_back("one");
  const PersistentArray<std::string> copy = array.share();
  array.push_back("two");
  EXPECT_EQ(copy.size(), 1u);
  EXPECT_EQ(copy[0], "one");
  EXPECT_EQ(array.size(), 2u);
  EXPECT_EQ(array[1], "two");
  array = {};
  EXPECT_EQ(array.size(), 0u);
  EXPECT_EQ(copy[0], "one");
}

}  // namespace
}  // namespace paco::core
