// Made data must be the same every time and have the number of categories that its shape promises.
#include "io/synthetic_data.hpp"

#include <gtest/gtest.h>

#include "bench/common/short_bench.hpp"

namespace paco {
namespace {

io::SyntheticShape small() { return {"small", 256, 8, 8, 80, 300, 0.9, 4}; }

TEST(SyntheticData, SamplesDoNotDependOnTheBlockTheyAreAskedIn) {
  const io::SyntheticData data(small());
  const math::Matrix<double> all = data.stream(0, 20);
  const math::Matrix<double> late = io::SyntheticData(small()).stream(15, 5);
  for (std::size_t j = 0; j < all.columns(); ++j) EXPECT_EQ(all[17][j], late[2][j]) << j;
}

TEST(SyntheticData, EveryKnownClassIsInTheSupportSet) {
  const io::SyntheticData data(small());
  const auto model = calibrate_made(data);
  ASSERT_TRUE(model.ok()) << model.error().message;
  EXPECT_EQ(model->known_classes(), small().known);
}

TEST(SyntheticData, AStreamWithNovelClassesStartsCategories) {
  const io::SyntheticData data(small());
  const auto model = std::make_shared<const Model>(calibrate_made(data).value());
  const math::Matrix<double> stream = data.stream(0, small().stream);
  const auto method = make_method("paco", model);
  ASSERT_TRUE(method.ok());
  std::vector<Decision> decisions(stream.rows());
  ASSERT_TRUE((*method)->decide_block(stream, decisions).ok());
  // Known classes may absorb some novel ones, and outliers start categories of their own.
  EXPECT_GE(decisions.back().categories_after, small().novel / 2);
  EXPECT_LE(decisions.back().categories_after, 6 * small().novel);
}

TEST(ShortBench, TheEngineAndTheReferenceAgreeOnMadeData) {
  const io::SyntheticData data(small());
  const auto model = std::make_shared<const Model>(calibrate_made(data).value());
  const math::Matrix<double> stream = data.stream(0, small().stream);
  const auto same = same_decisions("paco", "reference", model, stream);
  EXPECT_TRUE(same.ok()) << same.error().message;
}

TEST(ShortBench, MethodsThatDecideDifferentlyAreTold) {
  const io::SyntheticData data(small());
  const auto model = std::make_shared<const Model>(calibrate_made(data).value());
  const math::Matrix<double> stream = data.stream(0, small().stream);
  const auto same = same_decisions("paco", "closed", model, stream);
  ASSERT_FALSE(same.ok());
  EXPECT_EQ(same.error().code, ErrorCode::mismatch);
}

}  // namespace
}  // namespace paco
