// References and the views on them are those of the plain loops; faults are named.
#include "methods/common/references.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/random.hpp"
#include "core/threads.hpp"
#include "methods/common/work_done.hpp"

namespace paco::methods {
namespace {

math::Matrix<float> random_references(std::size_t rows, std::size_t d, core::Random& random) {
  math::Matrix<float> units(rows, d);
  for (std::size_t i = 0; i < rows; ++i) {
    double squared = 0;
    std::vector<double> z(d);
    for (double& x : z) x = random.normal(), squared += x * x;
    for (std::size_t j = 0; j < d; ++j) units[i][j] = static_cast<float>(z[j] / std::sqrt(squared));
  }
  return units;
}

bool operator==(const BankView& a, const BankView& b) {
  return a.nearest == b.nearest && a.top == b.top && a.second == b.second &&
         a.masked_top == b.masked_top && a.masked_second == b.masked_second;
}

TEST(References, ViewsEqualThePlainLoopsBitForBit) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    core::Random random(seed);
    const std::size_t d = 2 + random.below(80), classes = 3 + random.below(40);
    const math::Matrix<float> units = random_references(1 + random.below(600), d, random);
    math::Matrix<float> bank = random_references(classes, d, random);
    // Duplicates and near duplicates: ties for float32, and for double as well.
    for (std::size_t k = 1; k < classes; k += 3) {
      std::copy_n(bank[k - 1].data(), d, bank[k].data());
      if (random.below(2)) bank[k][0] = std::nextafter(bank[k][0], 1.0f);
    }
    std::vector<std::int64_t> labels(units.rows());
    for (auto& label : labels) label = static_cast<std::int64_t>(random.below(classes));
    const auto expected = plain_view_bank(units, labels, bank);
    for (const unsigned threads : {1u, 2u}) {
      core::ThreadPool pool(threads);
      WorkDone work;
      const auto views = view_bank(units, labels, bank, pool, work);
      ASSERT_EQ(views.size(), expected.size());
      for (std::size_t i = 0; i < views.size(); ++i)
        ASSERT_TRUE(views[i] == expected[i]) << "seed " << seed << ", sample " << i;
    }
  }
}

TEST(References, OfEqualReferencesTheLowestIdIsNearest) {
  const math::Matrix<float> bank(4, 2, {0, 1, 1, 0, 1, 0, 1, 0});
  const math::Matrix<float> unit(1, 2, {1, 0});
  core::ThreadPool pool;
  WorkDone work;
  const auto view = view_bank(unit, std::vector<std::int64_t>{1}, bank, pool, work)[0];
  EXPECT_EQ(view.nearest, 1);
  EXPECT_EQ(view.top, 1);
  EXPECT_EQ(view.second, 1);
  EXPECT_EQ(view.masked_top, 1) << "two others remain when class 1 is masked";
  EXPECT_EQ(view.masked_second, 1);
}

TEST(References, PrototypesAreNormalisedSums) {
  const math::Matrix<float> units(4, 2, {1, 0, 0, 1, -1, 0, 1, 0});
  const std::vector<std::string> names{"a", "b", "c"};
  const auto bank = class_prototypes(units, std::vector<std::int64_t>{0, 0, 1, 2}, names);
  ASSERT_TRUE(bank.ok());
  EXPECT_FLOAT_EQ((*bank)[0][0], static_cast<float>(std::sqrt(0.5)));
  EXPECT_EQ((*bank)[1][0], -1);
  EXPECT_EQ((*bank)[2][0], 1);
}

TEST(References, AClassWhoseSamplesCancelIsNamed) {
  const math::Matrix<float> units(4, 2, {1, 0, -1, 0, 0, 1, 1, 0});
  const std::vector<std::string> names{"up", "down", "left"};
  const auto bank = class_prototypes(units, std::vector<std::int64_t>{0, 0, 1, 2}, names);
  ASSERT_FALSE(bank.ok());
  EXPECT_THAT(bank.error().message, ::testing::HasSubstr("'up'"));
}

TEST(References, ClassifierRowsAreScaledAndNormalised) {
  const math::Matrix<double> weights(1, 2, {3, 8});
  const auto bank =
      classifier_references(weights, std::vector<double>{1, 2}, std::vector<std::string>{"a"});
  ASSERT_TRUE(bank.ok());
  EXPECT_FLOAT_EQ((*bank)[0][0], 0.6f);
  EXPECT_FLOAT_EQ((*bank)[0][1], 0.8f);
}

TEST(References, AZeroOrInfiniteClassifierRowIsNamed) {
  const std::vector<std::string> names{"a", "b"};
  const std::vector<double> deviation{1, 1};
  for (const double bad : {0.0, std::nan(""), HUGE_VAL}) {
    const auto bank =
        classifier_references(math::Matrix<double>(2, 2, {1, 0, bad, 0}), deviation, names);
    ASSERT_FALSE(bank.ok()) << bad;
    EXPECT_THAT(bank.error().message, ::testing::HasSubstr("row 1 (class 'b')"));
  }
}

TEST(References, QualityIsAccuracyAndMeanMargin) {
  const std::vector<BankView> views{{0, 0.9, 0.4, 0, 0}, {2, 0.5, 0.4, 0, 0}};
  const ReferenceQuality q = bank_quality(views, std::vector<std::int64_t>{0, 1});
  EXPECT_TRUE(q.available);
  EXPECT_EQ(q.accuracy, 0.5);
  EXPECT_NEAR(q.mean_margin, 0.3, 1e-15);
}

}  // namespace
}  // namespace paco::methods
