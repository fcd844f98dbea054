// The median is that of the textbook.
#include "math/median.hpp"

#include <gtest/gtest.h>

namespace paco::math {
namespace {

TEST(Median, OfAnOddCountIsTheMiddleOne) {
  EXPECT_EQ(median({5}), 5);
  EXPECT_EQ(median({9, 1, 4}), 4);
}

TEST(Median, OfAnEvenCountIsTheMeanOfTheMiddleTwo) {
  EXPECT_EQ(median({4, 1}), 2.5);
  EXPECT_EQ(median({7, 7, 1, 9}), 7);
}

}  // namespace
}  // namespace paco::math
