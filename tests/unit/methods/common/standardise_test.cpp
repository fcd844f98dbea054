// Standardised rows have length one for any number of threads; the first bad row is named.
#include "methods/common/standardise.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/random.hpp"
#include "core/threads.hpp"
#include "math/plain.hpp"

namespace paco::methods {
namespace {

using ::testing::HasSubstr;

math::Matrix<double> random_rows(std::size_t rows, std::size_t d, std::uint64_t seed) {
  core::Random random(seed);
  math::Matrix<double> out(rows, d);
  for (std::size_t i = 0; i < rows; ++i)
    for (double& x : out[i]) x = 4 + 3 * random.normal();
  return out;
}

TEST(Standardise, StatisticsAreMeanAndPopulationDeviation) {
  const math::Matrix<double> rows(2, 2, {1, 5, 3, 5});
  const SupportStatistics s = support_statistics(rows, 1e-5);
  EXPECT_EQ(s.mean, (std::vector<double>{2, 5}));
  EXPECT_DOUBLE_EQ(s.deviation[0], std::sqrt(1 + 1e-5));
  EXPECT_DOUBLE_EQ(s.deviation[1], std::sqrt(1e-5)) << "a constant coordinate stays finite";
}

TEST(Standardise, RowsHaveLengthOneAndDoNotDependOnThreads) {
  const math::Matrix<double> rows = random_rows(300, 37, 5);
  const SupportStatistics s = support_statistics(rows, 1e-5);
  math::Matrix<float> one(300, 37), two(300, 37);
  core::ThreadPool single(1), pair(2);
  ASSERT_TRUE(standardise_rows(rows, s.mean, s.deviation, one.view(), "x", 0, single).ok());
  ASSERT_TRUE(standardise_rows(rows, s.mean, s.deviation, two.view(), "x", 0, pair).ok());
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    EXPECT_NEAR(math::plain::dot(one[i].data(), one[i].data(), 37), 1, 1e-6);
    EXPECT_TRUE(std::equal(one[i].begin(), one[i].end(), two[i].begin()));
  }
}

TEST(Standardise, TheFirstBadRowIsNamedForAnyNumberOfThreads) {
  math::Matrix<double> rows = random_rows(500, 4, 6);
  const SupportStatistics s = support_statistics(rows, 1e-5);
  rows[431][2] = std::numeric_limits<double>::quiet_NaN();
  rows[210][3] = std::numeric_limits<double>::infinity();
  for (const unsigned threads : {1u, 2u}) {
    core::ThreadPool pool(threads);
    math::Matrix<float> units(500, 4);
    const auto done =
        standardise_rows(rows, s.mean, s.deviation, units.view(), "stream", 1000, pool);
    ASSERT_FALSE(done.ok());
    EXPECT_EQ(done.error().code, ErrorCode::bad_value);
    EXPECT_EQ(done.error().message, "stream: row 1210 has inf at column 3");
    EXPECT_FALSE(done.error().hint.empty());
  }
}

TEST(Standardise, EachFaultHasItsName) {
  const std::vector<double> mean{1, 2}, deviation{1, 1}, zero_mean{0, 0};
  std::vector<float> unit(2);
  const auto fault = [&](std::vector<double> raw, const std::vector<double>& m) {
    return standardise_row(raw, m, deviation, unit);
  };
  EXPECT_EQ(fault({3, 2}, mean), RowFault::none);
  EXPECT_EQ(unit, (std::vector<float>{1, 0}));
  EXPECT_EQ(fault({1, 2}, mean), RowFault::no_direction);
  EXPECT_EQ(fault({0, 0}, mean), RowFault::all_zero);
  EXPECT_EQ(fault({0, 0}, zero_mean), RowFault::all_zero);
  EXPECT_EQ(fault({std::nan(""), 0}, mean), RowFault::not_finite);
  EXPECT_EQ(fault({1e-160, 0}, zero_mean), RowFault::no_direction);
  EXPECT_EQ(fault({1e200, 1e200}, mean), RowFault::no_direction) << "its square overflows";
}

TEST(Standardise, ARowThatSpoilsTheStatisticsIsNamedItself) {
  math::Matrix<double> rows = random_rows(20, 3, 7);
  ASSERT_TRUE(check_rows(rows, "support set").ok());
  rows[13][1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(check_rows(rows, "support set").error().message,
            "support set: row 13 has nan at column 1");
  for (double& x : rows[4]) x = 0;
  EXPECT_THAT(check_rows(rows, "support set").error().message, HasSubstr("row 4 is all zeros"));
}

}  // namespace
}  // namespace paco::methods
