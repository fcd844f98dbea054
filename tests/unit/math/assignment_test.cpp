// The assignment solver on tables small enough to try every assignment.
#include "math/assignment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/random.hpp"
#include "math/matrix.hpp"

namespace paco::math {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

Matching match(Rows<const std::int64_t> weights) {
  return paco::math::match(weight_table(weights));
}

std::int64_t weight_of(const Matching& matching, Rows<const std::int64_t> weights) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < weights.rows; ++i) {
    const std::int64_t column = matching.column_of_row[i];
    if (column != kUnmatched) sum += weights[i][static_cast<std::size_t>(column)];
  }
  return sum;
}

// Tries every assignment of the longer side's members to the shorter side.
std::int64_t best_by_trying(Rows<const std::int64_t> weights) {
  std::vector<std::size_t> order(std::max(weights.rows, weights.columns));
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::int64_t best = 0;
  do {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < weights.rows; ++i) {
      if (order[i] < weights.columns) sum += weights[i][order[i]];
    }
    best = std::max(best, sum);
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

Matrix<std::int64_t> random_weights(core::Random& random, std::size_t rows, std::size_t columns,
                                    std::uint64_t below, std::int64_t unit = 1) {
  Matrix<std::int64_t> weights(rows, columns);
  for (std::size_t k = 0; k < rows * columns; ++k) {
    weights.data()[k] = static_cast<std::int64_t>(random.below(below)) * unit;
  }
  return weights;
}

TEST(Match, FindsTheBestOfAllAssignments) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    core::Random random(seed);
    const std::size_t rows = 1 + random.below(6), columns = 1 + random.below(6);
    const auto weights = random_weights(random, rows, columns, 2 + random.below(8));
    EXPECT_EQ(weight_of(match(weights), weights), best_by_trying(weights)) << "seed " << seed;
  }
}

TEST(Match, BothSidesTellTheSamePairsAndTheShorterSideIsFull) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    core::Random random(seed);
    const std::size_t rows = 1 + random.below(40), columns = 1 + random.below(40);
    const Matching matching = match(random_weights(random, rows, columns, 3));
    std::size_t pairs = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      const std::int64_t column = matching.column_of_row[i];
      if (column == kUnmatched) continue;
      ++pairs;
      EXPECT_EQ(matching.row_of_column[static_cast<std::size_t>(column)],
                static_cast<std::int64_t>(i))
          << "seed " << seed;
    }
    EXPECT_EQ(pairs, std::min(rows, columns)) << "seed " << seed;
    EXPECT_EQ(std::count(matching.row_of_column.begin(), matching.row_of_column.end(), kUnmatched),
              static_cast<std::ptrdiff_t>(columns - pairs))
        << "seed " << seed;
  }
}

TEST(Match, LargeWeightsAreExactAndDecideLikeSmallOnes) {
  const std::int64_t unit = kLargestWeight / 8;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    core::Random first(seed), second(seed);
    const auto small = random_weights(first, 7, 9, 9);
    const auto large = random_weights(second, 7, 9, 9, unit);
    EXPECT_EQ(match(small).column_of_row, match(large).column_of_row) << "seed " << seed;
  }
}

TEST(Match, OneUnitDecidesBetweenHugeWeights) {
  const std::int64_t huge = kLargestWeight - 1;
  const std::vector<std::int64_t> weights = {huge, huge + 1, huge, huge};
  EXPECT_THAT(match({weights.data(), 2, 2}).column_of_row, ElementsAre(1, 0));
}

// As scipy.optimize.linear_sum_assignment(weights, maximize=True) settles them.
TEST(Match, TiesAreSettledAsInScipy) {
  const std::vector<std::int64_t> tall = {2, 0, 1, 0, 0, 0, 1, 1, 2, 1,
                                          1, 2, 1, 2, 0, 0, 0, 1, 2, 0};
  EXPECT_THAT(match({tall.data(), 5, 4}).column_of_row, ElementsAre(0, kUnmatched, 3, 1, 2));
  const std::vector<std::int64_t> wide = {2, 1, 2, 2, 2, 2, 0, 1, 2, 1, 0, 2,
                                          1, 1, 2, 0, 2, 0, 1, 0, 1, 0, 2, 1};
  EXPECT_THAT(match({wide.data(), 4, 6}).column_of_row, ElementsAre(0, 5, 2, 4));
}

// Few distinct weights, so that most tables have many best assignments, and from a few cells to
// all.
TEST(Match, EveryTieIsSettledAsOnTheWholeTable) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    core::Random random(seed);
    const std::size_t rows = 1 + random.below(30), columns = 1 + random.below(30);
    Matrix<std::int64_t> weights = random_weights(random, rows, columns, 2 + random.below(4));
    const std::uint64_t emptied = random.below(100);
    for (std::size_t k = 0; k < rows * columns; ++k) {
      if (random.below(100) < emptied) weights.data()[k] = 0;
    }
    const Matching fast = match(weights), plain = plain_match(weights);
    EXPECT_EQ(fast.column_of_row, plain.column_of_row) << "seed " << seed;
    EXPECT_EQ(fast.row_of_column, plain.row_of_column) << "seed " << seed;
  }
}

// A whole table of this size would take 80 GB.
TEST(Match, ALargeTableWithFewCellsNeedsLittle) {
  constexpr std::size_t n = 100'000;
  WeightTable table{n, n, {}};
  for (std::uint32_t i = 0; i < n; ++i) {
    table.cells.push_back({i, i, 2});
    table.cells.push_back({i, static_cast<std::uint32_t>((i + 1) % n), 1});
  }
  const Matching matching = paco::math::match(table);
  for (std::size_t i = 0; i < n; ++i) {
    ASSERT_EQ(matching.column_of_row[i], static_cast<std::int64_t>(i));
  }
}

TEST(Match, AStopEndsItEarly) {
  std::stop_source source;
  source.request_stop();
  const std::vector<std::int64_t> weights = {1, 2, 3, 4};
  EXPECT_THAT(
      paco::math::match(weight_table({weights.data(), 2, 2}), source.get_token()).column_of_row,
      Each(kUnmatched));
}

TEST(Match, NothingToMatchIsAnEmptyMatching) {
  EXPECT_TRUE(match({nullptr, 0, 0}).column_of_row.empty());
  EXPECT_THAT(match({nullptr, 0, 3}).row_of_column, Each(kUnmatched));
  EXPECT_THAT(match({nullptr, 2, 0}).column_of_row, Each(kUnmatched));
}

}  // namespace
}  // namespace paco::math
