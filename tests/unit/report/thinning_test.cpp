// What is thinned and what never is.
#include "report/thinning.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "made_report.hpp"

namespace paco {
namespace {

TEST(Thin, KeepsAllWhereThereIsRoom) {
  const std::vector<std::uint8_t> must(50, 0);
  EXPECT_EQ(thin(must, 50).size(), 50U);
  EXPECT_EQ(thin(must, 1000).size(), 50U);
}

TEST(Thin, KeepsEverySampleThatMustStayAndFillsUpToTheLimit) {
  std::vector<std::uint8_t> must(10'000, 0);
  for (std::size_t i = 0; i < must.size(); i += 97) must[i] = 1;
  const std::vector<std::size_t> kept = thin(must, 500);
  EXPECT_EQ(kept.size(), 500U);
  EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end()));
  for (std::size_t i = 0; i < must.size(); i += 97) {
    EXPECT_TRUE(std::binary_search(kept.begin(), kept.end(), i)) << i;
  }
}

TEST(Thin, SpreadsTheOthersEvenly) {
  const std::vector<std::uint8_t> must(9'000, 0);
  const std::vector<std::size_t> kept = thin(must, 300);
  for (std::size_t third = 0; third < 3; ++third) {
    const auto in_third =
        std::count_if(kept.begin(), kept.end(), [&](std::size_t i) { return i / 3000 == third; });
    EXPECT_EQ(in_third, 100);
  }
}

TEST(Thin, GoesOverTheLimitOnlyForWhatMustStay) {
  const std::vector<std::uint8_t> must(40, 1);
  EXPECT_EQ(thin(must, 10).size(), 40U);
}

TEST(FirstOccurrences, WithTruthAreTheFirstSamplesOfNovelClassesOnly) {
  ReportInput input = testing::made_input(6, 2);
  input.truth = {0, 3, 3, 2, kNoTruth, 2};
  EXPECT_EQ(first_occurrences(input), (std::vector<std::uint8_t>{0, 1, 0, 1, 0, 0}));
}

TEST(FirstOccurrences, WithoutTruthAreTheBirths) {
  ReportInput input = testing::made_input(200, 4);
  input.truth.clear();
  const std::vector<std::uint8_t> first = first_occurrences(input);
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_EQ(first[i] != 0, i % 100 < 2) << i;
}

}  // namespace
}  // namespace paco
