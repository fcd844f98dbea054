// What is thinned and what never is.
#include "report/thinning.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "synthetic_report.hpp"

namespace paco::report {
namespace {

TEST(Thin, KeepsAllWhereThereIsRoom) {
  EXPECT_EQ(thin(50, {}, 50).size(), 50U);
  EXPECT_EQ(thin(50, {}, 1000).size(), 50U);
}

TEST(Thin, KeepsEverySampleThatMustStayAndFillsUpToTheLimit) {
  std::vector<std::size_t> must;
  for (std::size_t i = 0; i < 10'000; i += 97) must.push_back(i);
  const std::vector<std::size_t> kept = thin(10'000, must, 500);
  EXPECT_EQ(kept.size(), 500U);
  EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end()));
  for (const std::size_t i : must)
    EXPECT_TRUE(std::binary_search(kept.begin(), kept.end(), i)) << i;
}

TEST(Thin, SpreadsTheOthersEvenly) {
  const std::vector<std::size_t> kept = thin(9'000, {}, 300);
  for (std::size_t third = 0; third < 3; ++third) {
    const auto in_third =
        std::count_if(kept.begin(), kept.end(), [&](std::size_t i) { return i / 3000 == third; });
    EXPECT_EQ(in_third, 100);
  }
}

TEST(Thin, GoesOverTheLimitOnlyForWhatMustStay) {
  std::vector<std::size_t> must(40);
  std::iota(must.begin(), must.end(), std::size_t{0});
  EXPECT_EQ(thin(40, must, 10).size(), 40U);
}

TEST(FirstOccurrences, WithTruthAreTheFirstSamplesOfNovelClassesOnly) {
  testing::MadeInput input = testing::synthetic_input(6, 2);
  input.truth = {0, 3, 3, 2, io::kNoTruth, 2};
  EXPECT_EQ(first_occurrences(input.fold()), (std::vector<std::size_t>{1, 3}));
}

TEST(FirstOccurrences, WithoutTruthAreTheBirths) {
  testing::MadeInput input = testing::synthetic_input(200, 4);
  input.truth.clear();
  EXPECT_EQ(first_occurrences(input.fold()), (std::vector<std::size_t>{0, 1, 100, 101}));
}

}  // namespace
}  // namespace paco::report
