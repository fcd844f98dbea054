#include "discover/memory.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "made_data.hpp"

namespace paco {
namespace {

std::shared_ptr<const Model> model_of(std::size_t dimension) {
  testing::MadePlan plan;
  plan.dimension = dimension;
  return testing::calibrated(testing::make_data(plan, 1).support_set());
}

TEST(Memory, StaysWithinItsBytesPerCategory) {
  for (const std::size_t d : {2, 16, 768}) {
    const auto model = model_of(d);
    EXPECT_LE(Memory(*model).bytes_per_category(), 12 * d + 64);
  }
}

TEST(Memory, SharesAddUpToOne) {
  const auto model = model_of(4);
  Memory memory(*model);
  const std::vector<float> unit{1, 0, 0, 0};
  memory.create(unit.data(), 0, 0);
  memory.add_to_category(0, unit.data(), 0);
  memory.add_to_class(2);
  double all = 0;
  for (std::size_t k = 0; k < memory.known() + 1; ++k) all += std::exp(memory.log_share(k));
  EXPECT_NEAR(all, 1, 1e-12);
}

TEST(Memory, ScreeningPriorsAreTheSharesUpToAConstant) {
  testing::MadePlan plan;
  CalibrationOptions options;
  options.alpha = 2;
  const auto model = testing::calibrated(testing::make_data(plan, 1).support_set(), options);
  Memory memory(*model);
  const std::vector<float> unit(plan.dimension, 0.25f);
  memory.create(unit.data(), 0, 0);
  for (int i = 0; i < 50; ++i) memory.add_to_category(0, unit.data(), 0);
  memory.add_to_class(1);
  const double constant = memory.log_share(0) - static_cast<double>(memory.class_priors()[0]);
  for (std::size_t k = 0; k < memory.known(); ++k) {
    EXPECT_NEAR(memory.log_share(k) - static_cast<double>(memory.class_priors()[k]), constant,
                1e-5);
    EXPECT_LE(memory.class_priors()[k], memory.largest_prior());
  }
  EXPECT_NEAR(memory.log_share(memory.known()) - static_cast<double>(memory.category_priors()[0]),
              constant, 1e-5);
  EXPECT_EQ(memory.category_priors()[0], memory.largest_prior());
}

}  // namespace
}  // namespace paco
