// Groups of samples that nothing labels.
#include "insight/first_groups.hpp"

#include <gtest/gtest.h>

#include "core/random.hpp"
#include "math/matrix.hpp"

namespace paco::insight {
namespace {

// `each` points around each of `sizes.size()` random directions, one kind after the other.
math::Matrix<double> points_around(const std::vector<std::size_t>& sizes, double noise) {
  constexpr std::size_t kDimension = 24;
  core::Random random(5);
  std::size_t count = 0, row = 0;
  for (const std::size_t size : sizes) count += size;
  math::Matrix<double> out(count, kDimension);
  for (const std::size_t size : sizes) {
    std::vector<double> middle(kDimension);
    for (double& value : middle) value = random.normal();
    for (std::size_t i = 0; i < size; ++i, ++row)
      for (std::size_t j = 0; j < kDimension; ++j)
        out[row][j] = middle[j] + noise * random.normal();
  }
  return out;
}

TEST(FirstGroups, KindsThatLieApartAreFoundAndTheLargestIsFirst) {
  const FirstGroups groups = first_groups(points_around({4, 9, 6, 5}, 0.2));
  ASSERT_EQ(groups.count, 4U);
  std::vector<std::int64_t> expected(4, 3);
  expected.insert(expected.end(), 9, 0);
  expected.insert(expected.end(), 6, 1);
  expected.insert(expected.end(), 5, 2);
  EXPECT_EQ(groups.group, expected);
  EXPECT_GT(groups.silhouette, 0.8);
}

TEST(FirstGroups, ASampleThatIsLikeNoOtherIsInNone) {
  const FirstGroups groups = first_groups(points_around({6, 1, 6, 6}, 0.2));
  ASSERT_EQ(groups.count, 3U);
  EXPECT_EQ(groups.group[6], -1);
}

TEST(FirstGroups, MoreOfOneKindMakesNoMoreGroups) {
  for (const std::size_t size : {5U, 20U, 40U})
    EXPECT_EQ(first_groups(points_around({size, size, size, size, size}, 0.3)).count, 5U) << size;
}

TEST(FirstGroups, TooFewSamplesAreNoGroups) {
  const FirstGroups groups = first_groups(points_around({3}, 0.2));
  EXPECT_EQ(groups.count, 0U);
  EXPECT_EQ(groups.group, std::vector<std::int64_t>(3, -1));
}

TEST(FirstGroups, SamplesThatAreAllTheSameAreGroupedWithoutAFault) {
  const math::Matrix<double> same(12, 8);
  const FirstGroups groups = first_groups(same);
  EXPECT_EQ(groups.group.size(), 12U);
}

}  // namespace
}  // namespace paco::insight
