// Codes of hash heads: what counts as the same category, by hand-worked examples.
#include "methods/peers/codes.hpp"

#include <gtest/gtest.h>

#include "math/code_distance.hpp"

namespace paco::methods {
namespace {

TEST(Codes, SignsMarkWhatIsAboveZero) {
  const std::vector<float> outputs{0.5f, -1, 0, 2};
  EXPECT_EQ(code_of(outputs, Coding::signs), 0b1001u);
}

TEST(Codes, TheThreeLargestCountWhateverTheirOrderAndTheLowerIndexWinsATie) {
  EXPECT_EQ(code_of(std::vector<float>{3, 1, 2, 0, -5}, Coding::top), 0b00111u);
  EXPECT_EQ(code_of(std::vector<float>{1, 2, 3, 0, -5}, Coding::top), 0b00111u);
  EXPECT_EQ(code_of(std::vector<float>{1, 1, 1, 1, 1}, Coding::top), 0b00111u);
  EXPECT_EQ(code_of(std::vector<float>{-9, -1, -2, -3, -8}, Coding::top), 0b01110u)
      << "values are ranked, not their sizes";
}

TEST(Codes, GroupsMarkTheirOwnLargest) {
  EXPECT_EQ(code_of(std::vector<float>{0, 1, 5, 5, -1, -2}, Coding::groups), 0b010110u);
}

TEST(Codes, PurityIsTheShareThatTheMostFrequentClassOfACodeHas) {
  const std::vector<Code> codes{1, 1, 1, 2, 2};
  const std::vector<std::int64_t> labels{0, 0, 1, 1, 1};
  const CodeQuality quality = code_quality(codes, labels);
  EXPECT_EQ(quality.codes, 2u);
  EXPECT_DOUBLE_EQ(quality.purity, 0.8);
}

// Table 7 of PHE's paper.
TEST(Codes, TheMostDistanceIsThatOfTheTable) {
  EXPECT_EQ(math::most_distance(12, 200), 3);
  EXPECT_EQ(math::most_distance(12, 196), 3);
  EXPECT_EQ(math::most_distance(12, 101), 3);
  EXPECT_EQ(math::most_distance(12, 37), 4);
  EXPECT_EQ(math::most_distance(12, 10), 5);
  EXPECT_EQ(math::most_distance(16, 200), 4);
  EXPECT_EQ(math::most_distance(16, 101), 5);
  EXPECT_EQ(math::most_distance(16, 37), 5);
  EXPECT_EQ(math::most_distance(32, 200), 10);
  EXPECT_EQ(math::most_distance(32, 101), 11);
  EXPECT_EQ(math::most_distance(32, 37), 12);
  EXPECT_EQ(math::most_distance(2, 3), 1);
}

}  // namespace
}  // namespace paco::methods
